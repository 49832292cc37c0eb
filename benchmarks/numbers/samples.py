"""The samples of the study: kind of random network or name of a published one, rows and seed in."""

import pandas as pd

from benchmarks.numbers import bnrep, kinds, published

NAMED = (*published.NAMES, *bnrep.NAMES)
EVERY = (*kinds.KINDS, *NAMED)


def sample_of(
    data: str, n_columns: int, n_rows: int, seed: int
) -> tuple[pd.DataFrame, list[tuple[str, str]]]:
    """Return rows and the true arrows; a published network has its own number of columns."""
    if data in kinds.KINDS:
        return kinds.sample(data, n_columns, n_rows, seed)
    if data in published.NAMES:
        return published.sample(data, n_rows, seed)
    return bnrep.sample(data, n_rows, seed)
