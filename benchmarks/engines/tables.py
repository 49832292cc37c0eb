"""The two tables of the study, as Parquet files: a network's sample, and columns of all types."""

from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from bnsieve import load_network

KEY = "id"
# Work for several tasks, at any number of rows.
_ROW_GROUPS = 8
# The table of many types shows that results are the same, which a tenth of the rows shows too.
PART = 10


def write_tables(folder: Path, n_alarm: int, n_mixed: int) -> dict[str, Path]:
    """Write the tables, of so many rows; return their files by name."""
    folder.mkdir(parents=True, exist_ok=True)
    made = {"alarm": _alarm(n_alarm), "mixed": _mixed(n_mixed)}
    for name, table in made.items():
        size = max(1, -(-table.num_rows // _ROW_GROUPS))
        pq.write_table(table, folder / f"{name}.parquet", row_group_size=size)
    return {name: folder / f"{name}.parquet" for name in made}


def _alarm(n_rows: int) -> pa.Table:
    """37 columns of text."""
    frame = load_network("alarm").sample(n_rows, random_state=11)
    columns = {name: pa.array(frame[name].astype(str), pa.string()) for name in frame}
    return pa.table({KEY: np.arange(n_rows), **columns})


def _mixed(n_rows: int) -> pa.Table:
    """Numbers, decimals, dates, truth values and text, with NULLs."""
    rng = np.random.default_rng(7)

    def missing(share: float) -> np.ndarray:
        return rng.random(n_rows) < share

    risk = rng.integers(0, 3, n_rows)
    amount = np.round(np.exp(rng.normal(3 + risk, 0.7)), 2)
    age = np.clip(rng.normal(45 + 5 * risk, 12), 18, 99).astype(int)
    flag = rng.random(n_rows) < 0.1 + 0.3 * risk
    claim = np.where(flag & (rng.random(n_rows) < 0.6), "yes", "no")
    day = rng.integers(0, 730, n_rows)
    return pa.table(
        {
            KEY: np.arange(n_rows),
            "opened": pa.array(np.datetime64("2024-01-01") + day, pa.date32()),
            "amount": pc.cast(pa.array(amount), pa.decimal128(12, 2), safe=False),
            "age": pa.array(age, pa.int32(), mask=missing(0.05)),
            "visits": pa.array(rng.poisson(1 + risk).astype(np.int16)),
            "flag": pa.array(flag, mask=missing(0.02)),
            "tier": pa.array(np.where(amount > 60, "gold", np.where(amount > 20, "silver", "no"))),
            "claim": pa.array(claim, mask=missing(0.03)),
            "heat": pa.array(rng.normal(37 + 0.3 * (claim == "yes"), 0.4), mask=missing(0.1)),
            "region": pa.array(np.array(["north", "south", "east", "west"])[day % 4]),
        }
    )
