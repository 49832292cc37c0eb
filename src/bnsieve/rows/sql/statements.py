"""The shapes of statements: plain SQL that every dialect shares.

In: columns by place and what to count. Out: text. No shape holds a cell value: categories are never
written into a statement, and bin edges are rounded. Every group of fewer rows than a least number
is left out by the database itself.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from bnsieve.rows.sql.database import Database, renamed

Kind = Literal["text", "integer", "boolean", "number", "other"]

_KINDS: dict[str, Kind] = {
    r"u?(tiny|small|big|huge)?int(eger|\d)?$": "integer",
    r"(float|real|double|decimal|numeric)": "number",
    r"bool": "boolean",
    r"(\"?char|bpchar|varchar|text|string|name$|citext|enum|uuid)": "text",
}
# Bins of numeric columns: each holds about as many rows, as far as values repeat.
N_BINS = 5


@dataclass(frozen=True)
class SqlColumn:
    """A column of the query.

    Attributes
    ----------
    name : str
    place : int
        Its number in the query.
    kind : {"text", "integer", "boolean", "number", "other"}
    type : str
        As the database calls it.
    bin_edges : tuple of float or None
        Where its numbers are binned; None if its values are categories.
    """

    name: str
    place: int
    kind: Kind
    type: str
    bin_edges: tuple[float, ...] | None = None

    @property
    def value(self) -> str:
        """The expression that rows are grouped by."""
        if self.bin_edges is None:
            return f"c{self.place}"
        number = _number(self.place)
        bins = [f"when {number} < {edge!r} then {i}" for i, edge in enumerate(self.bin_edges)]
        whens = " ".join([f"when {number} is null then null", *bins])
        return f"case {whens} else {len(self.bin_edges)} end"

    def shown(self, value: str) -> str:
        """Return the expression of a value as text; blank text is missing, as in preparation."""
        text = f"cast({value} as varchar)"
        if self.kind != "text":
            return text
        return f"case when trim({text}) = '' then null else {text} end"


def kind_of(database_type: str) -> Kind:
    """Return what the values of a type are."""
    found = (kind for pattern, kind in _KINDS.items() if re.match(pattern, database_type.lower()))
    return "other" if database_type.endswith("]") else next(found, "other")


def facts(query: str, n_columns: int, key: int | None) -> str:
    """Count the rows; of a key also the known and the distinct values."""
    counted = ["count(*) as n"]
    if key is not None:
        counted += [f"count(c{key}) as n_known", f"count(distinct c{key}) as n_distinct"]
    return f"select {', '.join(counted)} from {renamed(query, n_columns)}"


def categories(query: str, n_columns: int, column: SqlColumn, least: int, most: int) -> str:
    """Count the categories of a column; nothing is returned if they are too many."""
    return (
        "select v0, n from (select v0, n, count(*) over () as m from ("
        f"{_groups(query, n_columns, [column], least)}) as g) as h where m <= {most}"
    )


def quantiles(query: str, n_columns: int, column: SqlColumn) -> str:
    """Return the quantiles of a numeric column; the first and the last leave no extreme value."""
    number = _number(column.place)
    shares = [i / N_BINS for i in range(1, N_BINS)]
    asked = [
        f"percentile_disc({share}) within group (order by {number}) as q{i}"
        for i, share in enumerate(shares)
    ]
    return f"select {', '.join(asked)} from {renamed(query, n_columns)}"


def joint(query: str, n_columns: int, family: Sequence[SqlColumn], least: int, most: int) -> str:
    """Count the configurations of a family, `most` at most."""
    return f"{_groups(query, n_columns, family, least)} limit {most}"


def several(
    query: str,
    n_columns: int,
    columns: Sequence[SqlColumn],
    families: Sequence[Sequence[int]],
    least: int,
) -> str:
    """Count several families, each given by places among columns that are grouped once.

    Column `m` has a bit for each column that is not in a row's family, the first the highest.
    """
    sets = ", ".join("(" + ", ".join(f"v{i}" for i in one) + ")" for one in families)
    values = ", ".join(f"v{i}" for i in range(len(columns)))
    return (
        f"select {values}, cast(sum(n) as bigint) as n, cast(grouping({values}) as bigint) as m "
        f"from ({_groups(query, n_columns, columns, 1)}) as g "
        f"group by grouping sets ({sets}) having sum(n) >= {least}"
    )


def sample(
    database: Database,
    query: str,
    columns: Sequence[SqlColumn],
    n_columns: int,
    key: int,
    seed: int,
    n_sample: int,
    n_rows: int,
) -> str:
    """Return the rows of lowest MD5 of seed and key: the same in every database and in Python."""
    rank = database.md5(f"'{seed}:' || cast(c{key} as varchar)")
    shown = ", ".join(f"{one.shown(one.value)} as v{i}" for i, one in enumerate(columns))
    share = (n_sample + 6 * n_sample**0.5 + 20) / max(1, n_rows)
    few = "" if share >= 1 else f" where left({rank}, 8) < '{int(share * 16**8):08x}'"
    return f"select {shown} from {renamed(query, n_columns)}{few} order by {rank} limit {n_sample}"


def _groups(query: str, n_columns: int, family: Sequence[SqlColumn], least: int) -> str:
    """Group rows by what is stored, which is fast, and these groups by what it means."""
    places = range(1, len(family) + 1)
    values = ", ".join(f"{one.value} as u{i}" for i, one in enumerate(family))
    shown = ", ".join(f"{one.shown(f'u{i}')} as v{i}" for i, one in enumerate(family))
    by = ", ".join(map(str, places))
    inner = f"select {values}, count(*) as k from {renamed(query, n_columns)} group by {by}"
    return (
        f"select {shown}, cast(sum(k) as bigint) as n from ({inner}) as s group by {by} "
        f"having sum(k) >= {least}"
    )


def _number(place: int) -> str:
    """Return a column as a number; NaN is missing."""
    number = f"cast(c{place} as double precision)"
    return f"nullif({number}, cast('NaN' as double precision))"
