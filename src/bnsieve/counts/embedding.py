"""Columns of categories and numbers as columns of real numbers.

A number becomes a few functions of its rank, a category one indicator per category but one. Normal
numbers that are linear in others, such as a total and its parts, come by their value first: ranks
would blur that. `Embedding` says how. It is made from some rows, and holds for all: it knows
categories and values, no codes.
"""

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from bnsieve import _native
from bnsieve.counts.joint_counts import category_counts
from bnsieve.table import (
    MAX_SAMPLE_STEPS,
    MAX_STEPS,
    N_FUNCTIONS,
    Column,
    Floats,
    RankMap,
    Table,
    linear_members,
    rank_functions,
)

# Of a variable of more categories the most frequent have indicators; the others share what is left.
MAX_INDICATORS = 32
# Of more columns than the first a number is its normal score only; more than the second are
# refused. A matrix of all pairs takes 0.3 and 3 GB.
_MANY_COLUMNS, _MAX_COLUMNS = 6_000, 20_000


@dataclass(frozen=True, eq=False)
class Embedding:
    """Which columns of real numbers each variable becomes.

    Attributes
    ----------
    names : tuple of str
        The variables.
    rank_maps : mapping from int to RankMap
        Of each variable of numbers, by its position.
    functions : mapping from int to tuple of int
        Of each variable of numbers, which functions of its rank it becomes; 0 is among them.
    indicated : mapping from int to tuple of categories
        Of each other variable the categories that have an indicator.
    scales : mapping from int to (float, float)
        Of each variable of `linear_members` the mean and the standard deviation. It
        becomes its standardised value before the functions of its rank.
    """

    names: tuple[str, ...]
    rank_maps: Mapping[int, RankMap]
    functions: Mapping[int, tuple[int, ...]]
    indicated: Mapping[int, tuple[Hashable, ...]]
    scales: Mapping[int, tuple[float, float]] = field(default_factory=dict)

    @classmethod
    def of(
        cls, table: Table, categories: Mapping[str, Sequence[Hashable]] | None = None
    ) -> "Embedding":
        """Make ranks and indicators of the rows of a table.

        Parameters
        ----------
        table : Table
        categories : mapping from str to sequence of categories, optional
            Of all rows, where the table is a sample of them.

        Raises
        ------
        MemoryError
            If the columns are too many for a matrix of all pairs.
        """
        steps = MAX_STEPS if categories is None else MAX_SAMPLE_STEPS
        maps = {}
        for group in table.on_one_scale().values():
            own = RankMap.of(np.concatenate([table.numbers[v] for v in group]), steps)
            maps.update(dict.fromkeys(group, own))
        every = categories or dict(zip(table.names, table.categories, strict=True))
        indicated = {
            v: _indicated(table, v, every[name])
            for v, name in enumerate(table.names)
            if v not in maps
        }
        embedding = cls(
            table.names,
            maps,
            dict.fromkeys(maps, tuple(range(N_FUNCTIONS))),
            indicated,
            {v: _scale(table.numbers[v]) for v in linear_members(table)},
        )
        if embedding.first[-1] > _MANY_COLUMNS:
            embedding = replace(embedding, functions=dict.fromkeys(maps, (0,)))
        if embedding.first[-1] > _MAX_COLUMNS:
            raise MemoryError(
                f"{len(maps):,} columns of numbers and {len(indicated):,} of categories are too "
                "many for a covariance: give the learner prepare=Discretizer()"
            )
        return embedding

    @cached_property
    def first(self) -> NDArray[np.int64]:
        """Where the columns of each variable begin, and where the last ones end."""
        sizes = [
            (v in self.scales)
            + len(self.functions[v] if v in self.rank_maps else self.indicated[v])
            for v in range(len(self.names))
        ]
        return np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)

    def select(self, variables: Sequence[int]) -> "Embedding":
        """Return that of some variables, in the order given."""
        numbers = [(i, v) for i, v in enumerate(variables) if v in self.rank_maps]
        return Embedding(
            tuple(self.names[v] for v in variables),
            {i: self.rank_maps[v] for i, v in numbers},
            {i: self.functions[v] for i, v in numbers},
            {i: self.indicated[v] for i, v in enumerate(variables) if v not in self.rank_maps},
            {i: self.scales[v] for i, v in numbers if v in self.scales},
        )

    def columns(self, table: Table) -> Floats:
        """Return the rows of a table as real numbers, 0 where a value is missing.

        Parameters
        ----------
        table : Table
            With the same variables.

        Returns
        -------
        ndarray of float64, shape (n_columns, n_rows)
        """
        columns = np.empty((int(self.first[-1]), table.n_rows))
        functions, _ = self.functions_of(columns_of(table), range(table.n_rows))
        functions.fill(0, columns)
        return columns

    @cached_property
    def _steps(self) -> dict[int, Floats]:
        """Of each number, its functions at each step of its rank."""
        return {
            v: np.ascontiguousarray(rank_functions(own.scores)[list(self.functions[v])])
            for v, own in self.rank_maps.items()
        }

    def at_steps(self, v: int) -> Floats:
        """Return the columns of a number at each step of its rank, shape (n_columns, n_steps)."""
        if v not in self.scales:
            return self._steps[v]
        mean, deviation = self.scales[v]
        return np.vstack([(self.rank_maps[v].lowest - mean) / deviation, self._steps[v]])

    def functions_of(
        self, columns: Sequence[Column | Floats], rows: range
    ) -> tuple[_native.RowFunctions, dict[int, NDArray[np.bool_]]]:
        """Return the functions of some rows, and of each incomplete variable its missing values."""
        functions, missing = _native.RowFunctions(len(rows)), {}
        for v, column in enumerate(columns):
            if isinstance(column, Column):
                indicators = _indicators(self.indicated[v], column.values.tolist())
                places = column.places[rows.start : rows.stop].astype(np.int32, copy=False)
                functions.add_places(places, indicators)
                gone = places < 0
            else:
                values = np.ascontiguousarray(column[rows.start : rows.stop])
                if v in self.scales:
                    functions.add_scaled(values, *self.scales[v])
                functions.add_steps(values, self.rank_maps[v].lowest, self._steps[v])
                gone = np.isnan(values)
            if gone.any():
                missing[v] = gone
        return functions, missing


def columns_of(table: Table) -> list[Column | Floats]:
    """Return the columns of a table."""
    columns: list[Column | Floats] = []
    for v, (codes, categories) in enumerate(zip(table.codes, table.categories, strict=True)):
        if v in table.numbers:
            columns.append(np.ascontiguousarray(table.numbers[v]))
        elif v in table.missing:
            places = np.where(table.missing[v], -1, codes.astype(np.int32))
            columns.append(Column.of_categories(categories, places))
        else:
            columns.append(Column.of_categories(categories, codes))
    return columns


def _scale(values: Floats) -> tuple[float, float]:
    return float(np.nanmean(values)), float(np.nanstd(values))


def _indicators(indicated: Sequence[Hashable], categories: Sequence[Hashable]) -> Floats:
    """Return which categories each indicator stands for, and a spare place that none has.

    Shape (n_indicated, n_categories + 1).
    """
    values = np.zeros((len(indicated), len(categories) + 1))
    values[:, :-1] = [[other == own for other in categories] for own in indicated]
    return values


def _indicated(table: Table, variable: int, categories: Sequence[Hashable]) -> tuple[Hashable, ...]:
    """Choose the categories that have an indicator: all but the last, or the most frequent."""
    if len(categories) <= MAX_INDICATORS + 1:
        return tuple(categories[: max(1, len(categories) - 1)])
    counts = category_counts(table, variable)
    frequent = np.argsort(-counts, kind="stable")[:MAX_INDICATORS]
    return tuple(table.categories[variable][code] for code in np.sort(frequent).tolist())
