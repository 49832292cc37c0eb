"""How much memory a table will take before it takes it: in a table, out an error if there is none.

An estimate in time is worth more than an exact figure from the operating system after an hour.
"""

import sys
from pathlib import Path

from bnsieve.sieve.association import WIDE, planned_bytes
from bnsieve.table import Table

_MEMINFO = Path("/proc/meminfo")


def available_bytes() -> int | None:
    """Return the memory that can be had without swapping; None where the system does not tell."""
    if sys.platform != "linux":
        return None
    for line in _MEMINFO.read_text(encoding="ascii").splitlines():
        if line.startswith("MemAvailable:"):
            return int(line.split()[1]) << 10
    return None


def require_memory(table: Table) -> None:
    """Refuse a table of so many variables that what is computed of pairs does not fit.

    Raises
    ------
    MemoryError
        With both figures.
    """
    if table.n_variables <= WIDE:
        return
    # Of every pair: association and importance, and masks for a while.
    needed = planned_bytes(table) + 8 * table.n_variables**2 + table.codes.nbytes
    available = available_bytes()
    if available is not None and needed > available:
        raise MemoryError(
            f"{table.n_variables:,} columns of {table.n_rows:,} rows take about "
            f"{needed / 1e9:.1f} GB, and {available / 1e9:.1f} GB are free: choose columns, "
            "or a larger machine"
        )
