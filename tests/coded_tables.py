"""Tables of integer labels, for tests of what reads them."""

import numpy as np
from numpy.typing import NDArray

from bnsieve.table import Table


def coded(
    codes: NDArray[np.uint8] | NDArray[np.uint16],
    n_categories: list[int],
    missing: dict[int, NDArray[np.bool_]] | None = None,
) -> Table:
    """A table of integer labels."""
    names = tuple(f"x{v}" for v in range(len(n_categories)))
    return Table(codes, names, tuple(tuple(range(n)) for n in n_categories), missing or {})


def random_table(
    n_categories: list[int], n_rows: int, seed: int = 0, missing: tuple[int, ...] = ()
) -> Table:
    rng = np.random.default_rng(seed)
    dtype = np.uint8 if max(n_categories, default=1) <= 256 else np.uint16
    # Squaring makes low codes frequent, so that some configurations repeat.
    codes = np.array(
        [(rng.random(n_rows) ** 2 * categories).astype(dtype) for categories in n_categories],
        dtype=dtype,
    ).reshape(len(n_categories), n_rows)
    flags = {v: rng.random(n_rows) < 0.1 for v in missing}
    for v, flag in flags.items():
        codes[v, flag] = 0
    return coded(codes, n_categories, flags)
