"""A name in, a table out: its rows piece by piece, and what is true of it."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any
from zlib import crc32

import numpy as np
import numpy.typing as npt
import pandas as pd

from benchmarks.tables.drawn import (
    baskets,
    churn,
    claims,
    export,
    gaps,
    genetics,
    hospital,
    hr,
    sales,
    sensors,
    survey,
    weblogs,
)
from benchmarks.tables.sheet import Edge, Sheet

# Rows are drawn so many at a time, each piece from a seed of its own: a table of more pieces
# begins with the same ones, and no more than a piece is ever in memory.
PIECE_ROWS = 50_000


@dataclass(frozen=True)
class RealTable:
    """One of the twelve tables.

    Attributes
    ----------
    name, about : str
    fill : callable
        Fills a sheet.
    separator, decimal_point, encoding : str
        Of the CSV file.
    """

    name: str
    about: str
    fill: Callable[[Sheet], None]
    separator: str = ","
    decimal_point: str = "."
    encoding: str = "utf-8"

    def sheet(
        self,
        start: int,
        n: int,
        seed: int = 0,
        interventions: Mapping[str, npt.NDArray[Any]] | None = None,
    ) -> Sheet:
        """Draw rows from `start` on: no more than to the end of the piece that it begins."""
        rng = np.random.default_rng((seed, start // PIECE_ROWS, crc32(self.name.encode())))
        sheet = Sheet(rng, start, n, self.decimal_point, interventions)
        self.fill(sheet)
        return sheet

    def pieces(self, n_rows: int, seed: int = 0) -> Iterator[Sheet]:
        """Draw a table, piece by piece."""
        for start in range(0, n_rows, PIECE_ROWS):
            yield self.sheet(start, min(PIECE_ROWS, n_rows - start), seed)

    def frame(self, n_rows: int, seed: int = 0) -> pd.DataFrame:
        """Draw a table as the file shows it."""
        frames = [shown(sheet) for sheet in self.pieces(n_rows, seed)]
        return pd.concat(frames, ignore_index=True)

    def prepared(self, n_rows: int, seed: int = 0) -> pd.DataFrame:
        """Draw the table that a person would prepare: whole numbers as labels, missing as -1."""
        sheets = self.pieces(n_rows, seed)
        frames = [pd.DataFrame(sheet.prepared, copy=False).astype(np.int8) for sheet in sheets]
        return pd.concat(frames, ignore_index=True)


@dataclass(frozen=True)
class Truth:
    """What is true of a table.

    Attributes
    ----------
    roles : mapping from column to role
        Several, separated by bars, where more than one is right. In the order of the file.
    edges : frozenset of (parent, child)
        Between columns that are judged.
    judged_as, unjudged
        See `Sheet`.
    """

    roles: Mapping[str, str]
    edges: frozenset[Edge]
    judged_as: Mapping[str, str]
    unjudged: frozenset[str]

    @property
    def matter(self) -> list[str]:
        """Columns that a graph must have: those at a true edge."""
        ends = {end for edge in self.edges for end in edge}
        return [name for name in self.roles if self.judged_as.get(name, name) in ends]

    @property
    def out(self) -> list[str]:
        """Columns that no graph should have: identifiers, texts, constants, empty ones."""
        never = {"identifier", "text", "constant", "empty"}
        return [name for name, role in self.roles.items() if set(role.split("|")) <= never]

    @property
    def dates(self) -> list[str]:
        """Columns of dates, which a graph may have parts of only."""
        return [name for name, role in self.roles.items() if role == "date"]


def shown(sheet: Sheet) -> pd.DataFrame:
    """Return rows as the file shows them: a key first, all else in an order that says nothing."""
    keys = [name for name, role in sheet.roles.items() if role == "identifier"]
    others = [name for name in sheet.roles if name not in keys]
    order = np.random.default_rng(len(others)).permutation(len(others))
    names = [*keys[:1], *(others[at] for at in order), *keys[1:]]
    return pd.DataFrame({name: sheet.shown[name] for name in names}, copy=False)


@cache
def truth_of(table: RealTable) -> Truth:
    """Return what is true of a table."""
    sheet = table.sheet(0, 50)
    merged = {
        (sheet.judged_as.get(tail, tail), sheet.judged_as.get(head, head))
        for tail, head in sheet.edges
    }
    edges = frozenset(
        (tail, head) for tail, head in merged if tail != head and head not in sheet.unjudged
    )
    roles = {str(name): sheet.roles[str(name)] for name in shown(sheet)}
    return Truth(roles, edges, sheet.judged_as, frozenset(sheet.unjudged))


TABLES = {
    table.name: table
    for table in (
        RealTable("hospital", "admissions, with tiers known", hospital.draw),
        RealTable("survey", "a survey with long questions", survey.draw),
        RealTable("churn", "telephone customers; services depend on services", churn.draw),
        RealTable("weblogs", "web logs with paths and user ids", weblogs.draw),
        RealTable("sensors", "sensors with timestamps", sensors.draw),
        RealTable("sales", "orders with article codes and prices", sales.draw),
        RealTable("genetics", "genotypes, 2,000 columns", genetics.draw),
        RealTable("claims", "claims with ICD codes", claims.draw),
        RealTable("hr", "staff with salaries and dates", hr.draw),
        RealTable("baskets", "sparse market baskets", baskets.draw),
        RealTable(
            "export", "semicolons, decimal commas, Latin-1", export.draw, ";", ",", "latin-1"
        ),
        RealTable("gaps", "columns that are 97 % missing", gaps.draw),
    )
}
