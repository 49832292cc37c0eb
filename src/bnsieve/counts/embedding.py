"""Columns of categories and numbers as columns of real numbers.

A number becomes a few functions of its rank, a category one indicator per level but one.
`Embedding` says how. It is made from some rows, and holds for all: it knows categories and values,
no codes.
"""

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from bnsieve import _native
from bnsieve.table import (
    MAX_SAMPLE_STEPS,
    MAX_STEPS,
    N_FUNCTIONS,
    RankMap,
    Table,
    rank_functions,
)

Floats = NDArray[np.float64]

# Of a variable of more categories the most frequent have indicators; the others share what is left.
MAX_INDICATORS = 32
# Of more columns than the first a number is its normal score only; more than the second are
# refused. A matrix of all pairs takes 0.3 and 3 GB.
_MANY_COLUMNS, _MAX_COLUMNS = 6_000, 20_000


class Coded(NamedTuple):
    """Some rows of categories.

    Attributes
    ----------
    labels : sequence of categories
        None stands for a missing cell.
    indices : ndarray of int, shape (n_rows,)
        The place of each row's category.
    """

    labels: Sequence[Hashable]
    indices: NDArray[np.integer]


# Some rows of a variable: of a number its values, NaN where missing.
Column = Floats | Coded


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
    """

    names: tuple[str, ...]
    rank_maps: Mapping[int, RankMap]
    functions: Mapping[int, tuple[int, ...]]
    indicated: Mapping[int, tuple[Hashable, ...]]

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
        maps = {v: RankMap.of(values, steps) for v, values in table.numbers.items()}
        every = (
            dict(zip(table.names, table.categories, strict=True))
            if categories is None
            else categories
        )
        labels = [v for v in range(table.n_variables) if v not in maps]
        made = cls(
            table.names,
            maps,
            dict.fromkeys(maps, tuple(range(N_FUNCTIONS))),
            {v: _indicated(table, v, every[table.names[v]]) for v in labels},
        )
        if made.first[-1] > _MANY_COLUMNS:
            made = replace(made, functions=dict.fromkeys(maps, (0,)))
        if made.first[-1] > _MAX_COLUMNS:
            raise MemoryError(
                f"{len(maps):,} columns of numbers and {len(labels):,} of categories are too "
                "many for a covariance: give the learner prepare=Discretizer()"
            )
        return made

    @property
    def first(self) -> NDArray[np.int64]:
        """Where the columns of each variable begin, and where the last ones end."""
        sizes = [
            len(self.functions[v]) if v in self.rank_maps else len(self.indicated[v])
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
        )

    def columns(self, table: Table) -> Floats:
        """Return the rows of a table as real numbers, 0 where a cell is missing.

        Parameters
        ----------
        table : Table
            With the same variables.

        Returns
        -------
        ndarray of float64, shape (n_columns, n_rows)
        """
        found = np.empty((int(self.first[-1]), table.n_rows))
        filler = Filler(self)
        filler.fill(filler.prepared(columns_of(table)), slice(None), found)
        return found


class Filler:
    """Writes rows as real numbers.

    Parameters
    ----------
    embedding : Embedding
    """

    def __init__(self, embedding: Embedding) -> None:
        self._embedding = embedding
        self._first = embedding.first.tolist()
        self._tables = {
            v: np.ascontiguousarray(rank_functions(one.scores)[list(embedding.functions[v])])
            for v, one in embedding.rank_maps.items()
        }

    def prepared(self, columns: Sequence[Column]) -> list[tuple[Column, Floats]]:
        """Return each column with what stands for its steps, or for its categories."""
        return [
            (column, _indicators(self._embedding.indicated[v], column.labels))
            if isinstance(column, Coded)
            else (column, self._tables[v])
            for v, column in enumerate(columns)
        ]

    def fill(
        self, columns: Sequence[tuple[Column, Floats]], rows: slice, out: Floats
    ) -> dict[int, NDArray[np.bool_]]:
        """Write some rows of all variables; return where values are missing, if any are.

        Parameters
        ----------
        columns : sequence of (Column, ndarray)
            Of each variable, prepared once for many blocks of rows.
        rows : slice
        out : ndarray of float64, shape (n_columns, n_rows)
        """
        missing = {}
        for v, (column, tables) in enumerate(columns):
            own = out[self._first[v] : self._first[v + 1]]
            if isinstance(column, Coded):
                indices = column.indices[rows].astype(np.intp)
                for table, one in zip(tables, own, strict=True):
                    np.take(table, indices, out=one, mode="clip")
                absent = np.array([label is None for label in column.labels])
                if absent.any() and (gone := absent[indices]).any():
                    missing[v] = gone
            else:
                values = column[rows]
                lowest = self._embedding.rank_maps[v].lowest
                if _native.step_columns(values, lowest, tables, own):
                    missing[v] = np.isnan(values)
        return missing


def columns_of(table: Table) -> list[Column]:
    """Return the columns of a table."""
    found: list[Column] = []
    for v, (codes, labels) in enumerate(zip(table.codes, table.categories, strict=True)):
        if v in table.numbers:
            found.append(np.ascontiguousarray(table.numbers[v]))
        elif v in table.missing:
            codes = np.where(table.missing[v], len(labels), codes.astype(np.int32))
            found.append(Coded((*labels, None), codes))
        else:
            found.append(Coded(labels, codes))
    return found


def _indicators(indicated: Sequence[Hashable], labels: Sequence[Hashable]) -> Floats:
    """Return for each indicator which categories it stands for, shape (n_indicated, n_labels)."""
    return np.array([[label == one for label in labels] for one in indicated], dtype=np.float64)


def _indicated(table: Table, variable: int, categories: Sequence[Hashable]) -> tuple[Hashable, ...]:
    """Choose the categories that have an indicator: all but the last, or the most frequent."""
    if len(categories) <= MAX_INDICATORS + 1:
        return tuple(categories[: max(1, len(categories) - 1)])
    own = table.categories[variable]
    counts = np.bincount(table.codes[variable], minlength=len(own))
    if variable in table.missing:
        counts[0] -= np.count_nonzero(table.missing[variable])
    frequent = np.argsort(-counts, kind="stable")[:MAX_INDICATORS]
    return tuple(own[code] for code in np.sort(frequent).tolist())
