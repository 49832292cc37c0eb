"""The shapes of statements: plain SQL that every dialect shares.

In: columns by place and what to count. Out: text. No shape holds a cell value: categories are never
written into a statement, and bin edges are rounded. Every group of fewer rows than a least number
is left out by the database itself.
"""

import re
from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from bnsieve.rows.sql.database import Database, renamed
from bnsieve.table import bin_labels

Kind = Literal["text", "integer", "boolean", "number", "other"]

_KINDS: dict[str, Kind] = {
    r"u?(tiny|small|big|huge)?int(eger|\d)?$": "integer",
    r"(float|real|double|decimal|numeric)": "number",
    r"bool": "boolean",
    r"(\"?char|bpchar|varchar|text|string|name$|citext|enum|uuid)": "text",
}
# Bins of numeric columns: each holds about as many rows, as far as values repeat.
N_BINS = 5
# What the names of temporary tables begin with.
CODES = "bnsieve_codes"


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
    labels : tuple of hashable or None
        The categories that its codes stand for; None if the column holds the values themselves.
    """

    name: str
    place: int
    kind: Kind
    type: str
    bin_edges: tuple[float, ...] | None = None
    labels: tuple[Hashable, ...] | None = None

    @property
    def value(self) -> str:
        """The expression that rows are grouped by."""
        if self.bin_edges is None or self.labels is not None:
            return f"c{self.place}"
        number = _number(self.place)
        bins = [f"when {number} < {edge!r} then {i}" for i, edge in enumerate(self.bin_edges)]
        whens = " ".join([f"when {number} is null then null", *bins])
        return f"case {whens} else {len(self.bin_edges)} end"

    def shown(self, value: str) -> str:
        """Return the expression of a value as text; blank text is missing, as in preparation.

        Codes stay codes.
        """
        if self.labels is not None:
            return value
        text = f"cast({value} as varchar)"
        if self.kind != "text":
            return text
        return f"case when trim({text}) = '' then null else {text} end"

    def label(self, value: str | int | None) -> Hashable:
        """Return the category of a code, or of a value that a database wrote as text."""
        if self.labels is not None:
            return self.labels[int(value)] if value is not None else None
        if value is None or (self.kind == "text" and not str(value).strip()):
            return None
        if self.bin_edges is not None:
            return bin_labels(np.array(self.bin_edges))[int(value)]
        if self.kind == "integer":
            return int(value)
        return value == "true" if self.kind == "boolean" else value


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


def values_table(name: str) -> str:
    """Make a temporary table for the values of all columns, each with its category as text."""
    return f"create temp table {name}_values (i integer, u varchar, v varchar, k bigint)"


def store_values(
    name: str, number: int, query: str, n_columns: int, column: SqlColumn, most: int
) -> str:
    """Store the values of a column, at most so many, and how often each occurs."""
    return (
        f"insert into {name}_values select {number}, cast(u as varchar), "
        f"{column.shown('u')}, k from (select {column.value} as u, count(*) as k "
        f"from {renamed(query, n_columns)} group by 1 limit {most}) as g"
    )


def stored_categories(name: str, number: int, least: int, most: int, most_values: int) -> str:
    """Count the categories of a column from its values; nothing is returned if they are too many.

    Nothing is returned either if the values may not be complete.
    """
    own = f"from {name}_values where i = {number}"
    return (
        f"select v0, n from (select v as v0, cast(sum(k) as bigint) as n, count(*) over () as m "
        f"{own} group by v having sum(k) >= {least}) as g "
        f"where m <= {most} and (select count(*) {own}) < {most_values}"
    )


def stored_labels(name: str, numbers: Iterable[int], least: int) -> str:
    """Return the categories of columns in the order of their codes, with their values' number.

    Several values of one category are blank texts. Of each column, the number under which its
    values are stored.
    """
    return (
        f"select i, v, count(*) as n_values from {_listed(name, least)} "
        f"where i in ({', '.join(map(str, numbers))}) group by i, v, code order by i, code"
    )


def coded(
    name: str,
    query: str,
    n_columns: int,
    columns: Sequence[tuple[SqlColumn, int, Sequence[int]]],
    least: int,
) -> str:
    """Store the code of each row's category; NULL if the category may not leave.

    Of each column, the number under which its values are stored, and how many values each category
    has.
    """
    codes, lists = [], []
    for i, (one, number, n_values) in enumerate(columns):
        kind = "utinyint" if len(n_values) <= 1 << 8 else "usmallint"
        place = f"array_position(s{i}.listed, cast({one.value} as varchar))"
        code = f"{place} - 1" if set(n_values) == {1} else f"s{i}.codes[{place}]"
        codes.append(f"cast({code} as {kind}) as c{i}")
        lists.append(
            f"(select array_agg(u order by code, u) as listed, array_agg(code order by code, u) "
            f"as codes from {_listed(name, least)} where i = {number}) as s{i}"
        )
    return (
        f"create temp table {name} as select {', '.join(codes)} "
        f"from {renamed(query, n_columns)}, {', '.join(lists)}"
    )


def known_codes(name: str, n_columns: int) -> str:
    """Count the rows, and the known codes of each column."""
    known = ", ".join(f"count(c{i}) as n{i}" for i in range(n_columns))
    return f"select count(*) as n, {known} from {name}"


def without_codes(name: str) -> tuple[str, str]:
    """Remove the temporary tables."""
    return f"drop table if exists {name}_values", f"drop table if exists {name}"


def _listed(name: str, least: int) -> str:
    """Return the values of categories that may leave, with the codes of these categories."""
    total = f"select *, sum(k) over (partition by i, v) as m from {name}_values"
    code = "dense_rank() over (partition by i order by v nulls first) - 1 as code"
    return f"(select *, {code} from ({total}) as t where m >= {least}) as listed"


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
    if all(one.labels is not None for one in family):
        codes = ", ".join(f"{one.value} as v{i}" for i, one in enumerate(family))
        return (
            f"select {codes}, count(*) as n from {renamed(query, n_columns)} group by {by} "
            f"having count(*) >= {least}"
        )
    inner = f"select {values}, count(*) as k from {renamed(query, n_columns)} group by {by}"
    return (
        f"select {shown}, cast(sum(k) as bigint) as n from ({inner}) as s group by {by} "
        f"having sum(k) >= {least}"
    )


def _number(place: int) -> str:
    """Return a column as a number; NaN is missing."""
    number = f"cast(c{place} as double precision)"
    return f"nullif({number}, cast('NaN' as double precision))"
