"""The slow, obvious version of each kernel. Tests hold the kernels to these."""

import numpy as np
from numpy.typing import NDArray


def count_joint(
    codes: NDArray[np.integer],
    variables: list[int],
    n_levels: NDArray[np.int64],
    missing: dict[int, NDArray[np.bool_]],
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Distinct columns of the chosen rows, sorted, and how often each occurs."""
    chosen = codes[variables].astype(np.int64)
    for row, variable in enumerate(variables):
        if variable in missing:
            chosen[row, missing[variable]] = n_levels[variable]
    if not variables or not codes.shape[1]:
        n = codes.shape[1]
        return np.zeros((len(variables), min(n, 1)), np.int64), np.full(min(n, 1), n, np.int64)
    return np.unique(chosen, axis=1, return_counts=True)


def strata_tables(
    configurations: NDArray[np.integer], counts: NDArray[np.int64]
) -> list[NDArray[np.int64]]:
    """Contingency tables of the last two variables, one per stratum in which both vary.

    Empty rows and columns are left out.
    """
    tables = []
    strata = configurations[:-2].T
    for stratum in np.unique(strata, axis=0):
        chosen = (strata == stratum).all(axis=1)
        x, y = configurations[-2:, chosen]
        _, x = np.unique(x, return_inverse=True)
        _, y = np.unique(y, return_inverse=True)
        table = np.zeros((x.max() + 1, y.max() + 1), np.int64)
        np.add.at(table, (x, y), counts[chosen])
        if min(table.shape) > 1:
            tables.append(table)
    return tables
