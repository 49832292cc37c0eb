"""Hostile columns, and what each must be taken for.

A column stands beside "cause" and "effect", which depend on each other: whatever it holds, that
edge must be found. An expected answer is a role and how many labels there are, "category 2"; a role
alone where their number says nothing, "*" where it may be one of several, "-" where a file cannot
hold the column. Cells that are no labels have the role "text", and are left out.
"""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import date, datetime, time, timedelta, timezone
from decimal import Decimal
from fractions import Fraction
from itertools import cycle, islice
from uuid import UUID

import numpy as np
import pandas as pd

N = 90


@dataclass(frozen=True)
class Column:
    """A column, and what it is taken for in a frame, in a CSV file and in a Parquet file."""

    name: str
    cells: Callable[[], object]
    frame: str
    csv: str = ""
    parquet: str = ""

    def expected(self, route: str) -> str:
        """Return the answer of a route: that of a frame, unless there is another."""
        return getattr(self, route) or self.frame


def objects(*cells):
    """Return a column of objects that repeats some cells."""
    return lambda: pd.Series(list(islice(cycle(cells), N)), dtype=object)


def texts(*cells):
    return lambda: list(islice(cycle(cells), N))


def numbers(dtype, *cells):
    return lambda: np.array(list(islice(cycle(cells), N)), dtype=dtype)


def drawn(make):
    return lambda: make(np.random.default_rng(0))


NAN, NAT = float("nan"), pd.NaT
LONG = "x" * 1_000_000

COLUMNS = [
    # Missing cells in all their spellings.
    Column("None among texts", objects("a", "b", None), "category 2"),
    Column("None, NaN and NaT among texts", objects("a", "b", None, NAN, NAT), "category 2"),
    Column("None, NaN and NaT among numbers", objects(1, 2, None, NAN, NAT), "category 2"),
    Column("None, NaN and NA among booleans", objects(True, False, None, pd.NA), "category 2"),
    Column("nothing but None", objects(None), "empty"),
    Column("nothing but NaN", numbers(float, NAN), "empty"),
    Column("nothing but NaT", lambda: pd.Series([NAT] * N), "empty"),
    Column("None, NaN and NaT and nothing else", objects(None, NAN, NAT), "empty"),
    Column("nothing but empty texts", texts(""), "empty"),
    Column("nothing but blanks", texts(" ", "  ", "\t"), "empty"),
    Column("one text in the last row", lambda: [None] * (N - 1) + ["a"], "constant 1"),
    Column("texts that say missing", texts("a", "b", "NA", "NULL"), "category 4", "category 2"),
    # Labels.
    Column("one label", texts("a"), "constant 1"),
    Column("labels that differ in case", texts("a", "A"), "category 2"),
    Column("labels with blanks around", texts("a", " a", "a "), "category 3"),
    Column("zeros in front", texts("1", "01", "001"), "category 3"),
    Column("True and true", texts("True", "true"), "category 2"),
    Column("the text None", texts("None", "a"), "category 2"),
    Column("text and numbers", objects("a", 1, 2.0), "category 3", "", "-"),
    Column("numbers and numerals", objects(1, "1", 2, "2"), "category 2", "", "-"),
    Column("quotes", texts('say "a"', "it's", "'"), "category 3"),
    Column("separators", texts("a,b", "a;b", "a\tb", "a|b"), "category 4"),
    Column("line breaks", texts("a\nb", "a\n", "\nb"), "category 3"),
    Column("returns", texts("a\rb", "a\r\nb"), "category 2", "-"),
    Column("markup", texts("<b>", "</script>", "&amp;"), "category 3"),
    Column("formulas", texts("=1+1", "@SUM(A1)", "+a", "-b"), "category 4"),
    Column("escape codes", texts("\x1b[31mred", "\x1b]0;title\x07", "plain"), "category 3"),
    Column("characters without width", texts("a", "a\u200b", "\u2060a"), "category 3"),
    Column("composed and decomposed", texts("\u00e9", "e\u0301"), "category 2"),
    Column("text from right to left", texts("\u05d0", "\u202eabc", "\u0634"), "category 3"),
    Column("beyond the first plane", texts("\U0001f600", "\U00010348"), "category 2"),
    Column("a lone surrogate", objects("a\ud800", "b"), "category 2", "-", "-"),
    Column("a private character", texts("\ue000", "\uffff", "\ufffd"), "category 3"),
    Column("a null character", texts("a\0", "b"), "category 2", "-"),
    Column("a label of a million characters", lambda: [LONG, *"ab" * (N // 2)][:N], "category 3"),
    Column("words of Python", texts("__class__", "lambda", "0x10"), "category 3"),
    Column("paths", texts("../../etc/passwd", "C:\\NUL", "/dev/null"), "category 3"),
    Column("a label per row", lambda: [f"person {i}" for i in range(N)], "identifier"),
    Column("a number per row", lambda: np.arange(N) + 1000, "identifier"),
    Column("a long text per row", lambda: [f"word {i} and {i + 1} more" for i in range(N)], "text"),
    Column("uuids", lambda: [str(UUID(int=i * 7**30 % 2**128)) for i in range(N)], "identifier"),
    # Numbers.
    Column("booleans", numbers(bool, True, False), "category 2"),
    Column("bytes of numbers", numbers(np.int8, -128, 127), "category 2"),
    Column("the largest unsigned", numbers(np.uint64, 2**64 - 1, 0), "category 2"),
    Column("integers floats lose", numbers(np.int64, 10**18, 10**18 + 1), "category 2"),
    Column("the ends of int64", numbers(np.int64, -(2**63), 2**63 - 1), "category 2"),
    Column("integers beyond 64 bits", objects(10**30, 10**30 + 1), "category 2", "", "-"),
    Column("minus zero", numbers(float, -0.0, 0.0, 1.0), "category 2"),
    Column("infinities", numbers(float, 0.5, 1.5, np.inf, -np.inf), "quantity"),
    Column("nothing but infinity", numbers(float, np.inf), "constant"),
    Column("the smallest floats", numbers(float, 5e-324, 1e-323), "quantity"),
    Column("the largest floats", numbers(float, 1.7e308, -1.7e308), "category 2"),
    Column("fractions", drawn(lambda rng: rng.normal(size=N)), "quantity"),
    Column("fractions of huge spread", drawn(lambda r: 10 ** r.uniform(-300, 300, N)), "quantity"),
    Column("fractions close to one", drawn(lambda r: 1 + r.random(N) * 1e-15), "quantity"),
    Column("halves of precision", drawn(lambda r: r.normal(size=N).astype("f2")), "quantity"),
    Column("big-endian", drawn(lambda r: r.normal(size=N).astype(">f8")), "quantity", "", "-"),
    Column("complex", numbers(complex, 1j, 2), "text", "category 2", "-"),
    Column("decimals", objects(Decimal("1.5"), Decimal("2.5")), "quantity"),
    Column("decimals that are none", objects(Decimal("NaN"), Decimal(1), Decimal(2)), "category 2"),
    Column("fractions of integers", objects(Fraction(1, 3), Fraction(1, 2)), "text", "*", "-"),
    Column("numerals with commas", texts("1,5", "2,5"), "category 2"),
    Column("sentinels", texts(1, 2, 3, -999), "category 4"),
    Column("numerals of other scripts", texts("\u0661", "\u0662"), "category 2"),
    # Dates and times.
    Column("days", lambda: pd.date_range("2020-01-01", periods=N), "date"),
    Column("one day", lambda: pd.Series(pd.to_datetime(["2020-01-01"] * N)), "*"),
    Column("days as objects", objects(date(2020, 1, 1), date(2021, 7, 1)), "date"),
    Column("days before pandas", objects(date(1, 1, 1), date(1500, 7, 1)), "*"),
    Column("times of zones", objects(datetime(2020, 1, 1, tzinfo=timezone.utc)), "*"),  # noqa: UP017
    Column("times of two zones", texts("2020-01-01T00:00+01:00", "2020-07-01T00:00+02:00"), "*"),
    Column("days that are none", texts("2020-02-30", "2020-13-01", "2020-01-01"), "*"),
    Column("times of the day", objects(time(1), time(2)), "date"),
    Column("lengths of time", objects(timedelta(1), timedelta(2)), "*"),
    Column("periods", lambda: pd.period_range("2020-01", periods=N, freq="M"), "date", "", "-"),
    # What is no label.
    Column("bytes", objects(b"a", b"\xff"), "text", "*"),
    Column("lists", objects([1], [2]), "text", "*"),
    Column("lists of nothing", objects([], []), "text", "*"),
    Column("dictionaries", objects({"a": 1}, {"a": 2}), "text", "*"),
    Column("sets", objects({1}, {2}), "text", "*", "-"),
    Column("tuples", objects((1, 2), (2, 3)), "text", "*"),
    Column("functions", objects(len, max), "text", "*", "-"),
    Column("classes", objects(int, str), "text", "*", "-"),
    Column("intervals", lambda: pd.cut(np.arange(N) % 10, 3), "category 3", "", "-"),
    # Types of pandas.
    Column("categories", lambda: pd.Categorical(["a", "b"] * (N // 2)), "category 2"),
    Column(
        "categories never seen",
        lambda: pd.Categorical(["a", "b"] * (N // 2), categories=["c", "b", "a", "d"]),
        "category 2",
    ),
    Column("categories of nothing", lambda: pd.Categorical([None] * N, categories=["a"]), "empty"),
    Column("categories of numbers", lambda: pd.Categorical([1, 2] * (N // 2)), "category 2"),
    Column("nullable integers", lambda: pd.array([1, 2, None] * (N // 3), "Int8"), "category 2"),
    Column("nullable floats", lambda: pd.array([0.5, 1.5, None] * (N // 3), "Float32"), "*"),
    Column(
        "nullable booleans",
        lambda: pd.array([True, False, None] * (N // 3), "boolean"),
        "category 2",
    ),
    Column(
        "sparse numbers",
        lambda: pd.arrays.SparseArray([0, 0, 1] * (N // 3)),
        "category 2",
        "",
        "-",
    ),
]

NAMES = [
    "a b",
    " ",
    "a,b",
    "a;b\tc|d",
    'say "a"',
    "it's",
    "line\nbreak",
    "<script>alert(1)</script>",
    "{{ 7 * 7 }}",
    "=cmd|' /C calc'!A0",
    "-rf",
    "--help",
    "../../etc/passwd",
    "CON",
    "__class__",
    "__proto__",
    "None",
    "nan",
    "1",
    "1e5",
    "True",
    "\x1b[31mred",
    "\u202eabc",
    "a\u200b",
    "\u00e9",
    "e\u0301",
    "\U0001f600",
    "x" * 5000,
    "cause ",
    "CAUSE",
    "a[b].c",
    "%s%n",
    "\\",
    "index",
    "~",
    "cause_weekday",
]
