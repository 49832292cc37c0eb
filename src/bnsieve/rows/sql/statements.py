"""The shapes of statements: plain SQL that every dialect shares.

In: columns by place and what to count. Out: text. No shape holds a cell value: categories are never
written into a statement, and bin edges are rounded. Every group of fewer rows than a least number
is left out by the database itself.
"""

import re
from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from bnsieve.rows.sql.database import Database, renamed
from bnsieve.table import bin_labels

Kind = Literal["text", "integer", "boolean", "number", "other"]

_KINDS: dict[str, Kind] = {
    r"u?(tiny|small|big|huge)?int(eger|\d)?$": "integer",
    r"(float\d?|real|double|decimal|numeric)(?!\w)": "number",
    r"bool(ean)?(?!\w)": "boolean",
    r"(char(acter)?|\"char\"|bpchar|varchar|text|string|name|citext|enum|uuid)(?!\w)": "text",
}
# Bins of numeric columns: each holds about as many rows, as far as values repeat.
N_BINS = 5
# Spark takes no larger limit.
_LARGEST_LIMIT = (1 << 31) - 1


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


@dataclass(frozen=True)
class Statements:
    """The statements about the rows of one query.

    Attributes
    ----------
    database : Database
    query : str
    n_columns : int
        Of the query.
    least : int
        The fewest rows of a group that may be returned.
    """

    database: Database
    query: str
    n_columns: int
    least: int

    @property
    def rows(self) -> str:
        """The rows as a table `r` with the columns c0, c1, ..."""
        return renamed(self.query, self.n_columns)

    def facts(self, key: int | None) -> str:
        """Count the rows; of a key also the known and the distinct values."""
        counted = ["count(*) as n"]
        if key is not None:
            counted += [f"count(c{key}) as n_known", f"count(distinct c{key}) as n_distinct"]
        return f"select {', '.join(counted)} from {self.rows}"

    def categories(self, column: SqlColumn, most: int) -> str:
        """Count the categories of a column; nothing is returned if they are too many."""
        return (
            "select v0, n from (select v0, n, count(*) over () as m from ("
            f"{self._groups([column], self.least)}) as g) as h where m <= {most}"
        )

    def quantiles(self, column: SqlColumn) -> str:
        """Return the quantiles of a numeric column, none of them its least or largest value."""
        number, is_missing = self._number(column)
        shares = [i / N_BINS for i in range(1, N_BINS)]
        number = f"case when {is_missing} then null else {number} end"
        asked = [
            f"percentile_disc({share}) within group (order by {number}) as q{i}"
            for i, share in enumerate(shares)
        ]
        return f"select {', '.join(asked)} from {self.rows}"

    def joint(self, family: Sequence[SqlColumn], most: int) -> str:
        """Count the configurations of a family, `most` at most."""
        return f"{self._groups(family, self.least)} limit {min(most, _LARGEST_LIMIT)}"

    def several(self, columns: Sequence[SqlColumn], families: Sequence[Sequence[int]]) -> str:
        """Count several families, each given by places among columns that are grouped once.

        Column `m` has a bit for each column that is not in a row's family, the first the highest.
        """
        sets = ", ".join("(" + ", ".join(f"v{i}" for i in one) + ")" for one in families)
        values = [f"v{i}" for i in range(len(columns))]
        bits = " + ".join(f"{1 << i} * grouping({v})" for i, v in enumerate(reversed(values)))
        return (
            f"select {', '.join(values)}, cast(sum(n) as bigint) as n, "
            f"cast({bits} as bigint) as m from ({self._groups(columns, 1)}) as g "
            f"group by grouping sets ({sets}) having sum(n) >= {self.least}"
        )

    def sample(
        self, columns: Sequence[SqlColumn], key: int, seed: int, n_sample: int, n_rows: int
    ) -> str:
        """Return the rows of lowest MD5 of seed and key: the same in every database and Python."""
        rank = self.database.md5(f"'{seed}:' || {self._text(f'c{key}')}")
        shown = ", ".join(f"{self.shown(v, self.value(v))} as v{i}" for i, v in enumerate(columns))
        share = (n_sample + 6 * n_sample**0.5 + 20) / max(1, n_rows)
        few = "" if share >= 1 else f" where left({rank}, 8) < '{int(share * 16**8):08x}'"
        return f"select {shown} from {self.rows}{few} order by {rank} limit {n_sample}"

    def value(self, column: SqlColumn) -> str:
        """Return the expression that rows are grouped by."""
        stored = f"c{column.place}"
        if column.bin_edges is None or column.labels is not None:
            is_text = column.kind == "text" and column.labels is None
            return self.database.exact_text(stored) if is_text else stored
        number, is_missing = self._number(column)
        bins = [f"when {number} < {edge!r} then {i}" for i, edge in enumerate(column.bin_edges)]
        whens = " ".join([f"when {is_missing} then null", *bins])
        return f"case {whens} else {len(column.bin_edges)} end"

    def shown(self, column: SqlColumn, value: str) -> str:
        """Return the expression of a value as text; blank text is missing, as in preparation.

        Codes stay codes.
        """
        if column.labels is not None:
            return value
        text = self._text(value)
        if column.kind != "text":
            return text
        return f"case when trim({text}) = '' then null else {text} end"

    def _groups(self, family: Sequence[SqlColumn], least: int) -> str:
        """Group rows by what is stored, which is fast, and these groups by what it means."""
        places = range(1, len(family) + 1)
        by = ", ".join(map(str, places))
        if all(one.labels is not None for one in family):
            codes = ", ".join(f"{self.value(one)} as v{i}" for i, one in enumerate(family))
            return (
                f"select {codes}, count(*) as n from {self.rows} group by {by} "
                f"having count(*) >= {least}"
            )
        values = ", ".join(f"{self.value(one)} as u{i}" for i, one in enumerate(family))
        shown = ", ".join(f"{self.shown(one, f'u{i}')} as v{i}" for i, one in enumerate(family))
        inner = f"select {values}, count(*) as k from {self.rows} group by {by}"
        return (
            f"select {shown}, cast(sum(k) as bigint) as n from ({inner}) as s group by {by} "
            f"having sum(k) >= {least}"
        )

    def _text(self, value: str) -> str:
        return f"cast({value} as {self.database.text_type})"

    def _number(self, column: SqlColumn) -> tuple[str, str]:
        """Return a column as a number, and whether it is missing: NULL, NaN or infinite."""
        kind, name = self.database.number_type, f"c{column.place}"
        number = f"cast({name} as {kind})"
        others = ", ".join(f"cast('{text}' as {kind})" for text in ("NaN", "Infinity", "-Infinity"))
        return number, f"{name} is null or {number} in ({others})"
