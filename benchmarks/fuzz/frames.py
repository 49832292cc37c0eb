"""Bytes in, a table out: columns of every type, with cells and names that people do not expect.

In: the bytes of an input. Out: a pandas or polars frame, an Arrow table or an array; and what
`bnsieve.table.Table` and `bnsieve.table.prepare` make of it.
"""

import datetime as dt
import random
from collections.abc import Hashable
from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np
import pandas as pd

import bnsieve as bn
from benchmarks.fuzz.choices import Choices
from bnsieve.table import Table

CELLS: list[Any] = [
    *("a", "b", "c", "1", "2", "01", "True", "", " ", "nan", "1e999", "n/a", "-999", "1,5", "50%"),
    *("2020-01-31", "31.12.1999", "12:30", "a" * 300, "\x1b[31m", "\ud800", "=1+1", "a\0b", "é"),
    *(None, float("nan"), pd.NA, pd.NaT, np.datetime64("NaT"), np.float32("nan")),
    *(0, 1, 2, -1, -999, 2**31, 2**53 + 1, 10**18 + 1, 2**63, 2**64, 10**400, True, False),
    *(0.0, -0.0, 0.5, 1e300, -1e300, 5e-324, float("inf"), -float("inf"), 1 + 2j),
    *(np.int8(-1), np.uint64(2**64 - 1), np.float32(0.1), np.bool_(True), np.str_("a")),
    *(dt.date(1, 1, 1), dt.date(2020, 2, 29), dt.datetime(9999, 12, 31, 23, 59), dt.time(12)),
    *(dt.timedelta(1), pd.Timestamp("2020-01-01", tz="UTC"), pd.Period("2020-01")),
    *(Decimal("0.1"), Decimal("NaN"), Decimal("1e999"), Fraction(1, 3), b"a", b"\xff"),
    *((1, 2), [1], {"a": 1}, frozenset([1]), Ellipsis, object, np.array([1, 2])),
]
NAMES: list[Hashable] = [
    *("x", "y", "z", "x", "", " ", "x ", "X", "a,b", '"', "\n", "\x1b[31m", "\ud800", "=1+1"),
    *(0, 1, -1, 1.5, float("nan"), None, ("a", "b"), True, "n" * 500, "x=1", "é", "<b>", "a\0b"),
]
NUMBERS = [
    "i1",
    "u1",
    "i2",
    "u2",
    "i4",
    "u4",
    "i8",
    "u8",
    "f2",
    "f4",
    "f8",
    "?",
    "c8",
    ">i4",
    ">f8",
]
TIMES = ["M8[ns]", "M8[us]", "M8[s]", "m8[ns]"]
NULLABLE: list[Any] = ["Int64", "UInt8", "Float64", "boolean", "string"]
PLAIN: list[Any] = ["i8", "f8", "U1"]
MAX_ROWS, MAX_COLUMNS = 40, 5


def column(choices: Choices, n: int) -> Any:
    """Return a column of `n` cells."""
    match choices.below(8):
        case 0:
            return [choices.pick(CELLS) for _ in range(n)]
        case 1:
            few = [choices.pick(CELLS) for _ in range(3)]
            return [few[choices.below(3)] for _ in range(n)]
        case 2:
            return [choices.take(2).decode("utf-8", "surrogateescape") for _ in range(n)]
        case 3:
            kind = np.dtype(choices.pick(NUMBERS))
            return np.frombuffer(choices.take(n * kind.itemsize), kind)
        case 4:
            return np.frombuffer(choices.take(8 * n), choices.pick(TIMES))
        case 5:
            texts = dict.fromkeys(CELLS[choices.below(24)] for _ in range(3))
            states: pd.Index[Any] = pd.Index(list(texts), dtype=object)
            codes = np.frombuffer(choices.take(n), np.int8) % (len(states) + 1) - 1
            return pd.Categorical.from_codes(codes.tolist(), categories=states)
        case 6:
            values = [None if choices.below(5) == 0 else choices.below(2) for _ in range(n)]
            return pd.Series(values, dtype="Int64").astype(choices.pick(NULLABLE)).array
        case _:
            return (np.frombuffer(choices.take(n), np.uint8) % 5).astype(choices.pick(PLAIN))


def table(content: bytes) -> Any:
    """Return the table that the bytes choose, or None where none can be made of them."""
    choices = Choices(content)
    kind = choices.below(6)
    n = choices.below(MAX_ROWS)
    columns = [column(choices, n) for _ in range(choices.below(MAX_COLUMNS))]
    names = [choices.pick(NAMES) for _ in columns]
    if kind == 0:
        return np.array([*zip(*map(list, columns), strict=True)], dtype=object)
    parts = [
        pd.Series(_cells(one), dtype=object if isinstance(one, list) else None) for one in columns
    ]
    frame = pd.concat(parts, axis=1) if parts else pd.DataFrame(index=range(n))
    frame.columns = pd.Index(names, dtype=object)
    # What the other libraries cannot hold is no input: polars panics, which is no Exception, on
    # some cells when a frame is made, and on a name with a zero byte when it is handed to Arrow.
    try:
        if kind == 1:
            import polars

            try:
                made = polars.DataFrame(
                    {str(name): list(frame.iloc[:, i]) for i, name in enumerate(names)}
                )
                made.to_arrow()
            except polars.exceptions.PanicException:
                return None
            return made
        if kind == 2:
            import pyarrow

            # A time of no unit beside large numbers ends Arrow with a segmentation fault.
            if any(_is_time_of_no_unit(cell) for one in columns for cell in one):
                return None
            return pyarrow.Table.from_pandas(frame)
    except Exception:
        return None
    return frame


def _cells(values: Any) -> Any:
    """Keep lists of cells as they are: pandas would make numbers of them."""
    if not isinstance(values, list):
        return (
            values.byteswap().view(values.dtype.newbyteorder("=")) if _swapped(values) else values
        )
    own = np.empty(len(values), dtype=object)
    for i, value in enumerate(values):
        own[i] = value
    return own


def _is_time_of_no_unit(cell: Any) -> bool:
    return isinstance(cell, np.datetime64) and np.datetime_data(cell.dtype)[0] == "generic"


def _swapped(values: Any) -> bool:
    return isinstance(values, np.ndarray) and values.dtype.byteorder == ">"


def seeds() -> list[bytes]:
    """Return some bytes: most strings of bytes choose a table."""
    chance = random.Random(0)
    short = [bytes([kind, 30, 3, 1, 2, 7, 5]) * 8 for kind in range(6)]
    return [*short, *(chance.randbytes(300) for _ in range(10))]


def run_table(content: bytes) -> None:
    data = table(content)
    if data is None:
        return
    found = Table.from_data(data)
    repr(found)
    assert Table.from_data(found.to_frame()).n_rows == found.n_rows
    found.take(slice(0, 1))


def run_prepare(content: bytes) -> None:
    """Look at a table, prepare its rows, and learn from it now and then."""
    data = table(content)
    if data is None:
        return
    plan = bn.prepare(data)
    str(plan)
    if plan.outputs:
        plan.apply(data)
    if len(content) % 4 == 0:
        bn.TsetlinSieve(random_state=0, n_jobs=1).fit(data)
