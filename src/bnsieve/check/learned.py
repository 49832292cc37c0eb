"""The fit that new rows are checked against, and the new rows with the same codes.

In: a fit, and a table of new rows. Out: `Learned`, and columns of values and codes in which unseen
categories are missing.
"""

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bnsieve.check.attribution import TwoTables
from bnsieve.check.cells import CellScores
from bnsieve.check.residuals import residuals
from bnsieve.check.shifts import recoded
from bnsieve.counts import CountSource, JointCounts
from bnsieve.graph import Graph
from bnsieve.network import FamilyCounts, MixedModel
from bnsieve.table import Table, some_rows

# Of more rows learned from, a sample says how residuals and scores are distributed.
ROWS_TO_COMPARE = 20_000


@dataclass(frozen=True, eq=False)
class Learned:
    """A fit, as far as new rows are checked against it.

    Attributes
    ----------
    graph : Graph
        The DAG.
    counts : FamilyCounts
        Of all rows.
    model : MixedModel or None
        The model with regressions, if there are numeric variables.
    rows : Table or None
        The rows, or a sample of them; None if they were not kept.
    n_rows : int
        All rows.
    n_missing : mapping from str to int
        Missing values of each column, in all rows.
    checked : tuple of str
        The variables to check, without past values.
    follow_each_other : bool
        Whether rows have their past values. Given these, rows are independent, and margins are not
        compared.
    notes : tuple of str
        Notes about the rows for the reader.
    undirected : tuple of (str, str)
        The edges whose direction is undetermined.
    """

    graph: Graph
    counts: FamilyCounts
    model: MixedModel | None
    rows: Table | None
    n_rows: int
    n_missing: Mapping[str, int]
    checked: tuple[str, ...]
    follow_each_other: bool = False
    notes: tuple[str, ...] = ()
    undirected: tuple[tuple[str, str], ...] = ()

    @cached_property
    def sample(self) -> Table | None:
        """Some of the rows."""
        return None if self.rows is None else some_rows(self.rows, ROWS_TO_COMPARE, 0)

    @cached_property
    def columns(self) -> dict[str, NDArray[Any]]:
        """The values and codes of these rows."""
        assert self.sample is not None
        return self.columns_of(self.sample)

    @cached_property
    def cells(self) -> CellScores:
        """The scorer of cells."""
        columns = {} if self.sample is None else self.columns
        return CellScores.of(self.graph, self.counts, self.model, columns)

    @cached_property
    def scores(self) -> dict[str, NDArray[np.float64]]:
        """The score of each cell of these rows."""
        return self.cells.scores(self.columns, counted=True)

    @cached_property
    def residuals(self) -> dict[str, NDArray[np.float64]]:
        """The residual of each cell of these rows."""
        return residuals(self.cells, self.columns, counted=True)

    @cached_property
    def numbers(self) -> tuple[str, ...]:
        """The numeric variables."""
        return () if self.model is None else self.model.numbers

    @cached_property
    def regressed(self) -> tuple[str, ...]:
        """The variables that are numbers or have a numeric parent."""
        return () if self.model is None else tuple(self.model.nodes)

    def columns_of(self, table: Table) -> dict[str, NDArray[Any]]:
        """Return values, NaN where missing, and codes, -1 where missing or never seen."""
        columns: dict[str, NDArray[Any]] = {}
        for v, name in enumerate(table.names):
            if name in self.numbers:
                columns[name] = table.numbers[v]
            elif name in self.counts.states:
                place = {label: i for i, label in enumerate(self.counts.states[name])}
                places = np.array(
                    [place.get(one, -1) for one in table.categories[v]], dtype=np.intp
                )
                codes = places[table.codes[v]]
                if v in table.missing:
                    codes[table.missing[v]] = -1
                columns[name] = codes
        return columns

    def margin(self, name: str) -> dict[Hashable, int]:
        """Return the number of training rows with each category."""
        table = self.counts.tables[name]
        own = table.marginal(table.variables[-1:]).complete()
        labels = self.counts.states[name]
        return {
            labels[code]: int(n) for code, n in zip(own.configurations[0], own.counts, strict=True)
        }


@dataclass(frozen=True, eq=False)
class NewRows:
    """New rows, with the codes of the training rows.

    Attributes
    ----------
    learned : Learned
    source : CountSource
        All new rows: counted in one reading.
    table : Table
        These rows, or a sample if they do not fit in memory.
    """

    learned: Learned
    source: CountSource
    table: Table

    @property
    def n_rows(self) -> int:
        """The number of new rows."""
        return self.source.n_rows

    @cached_property
    def names(self) -> tuple[str, ...]:
        """The variables to check that are in the new rows."""
        return tuple(name for name in self.learned.checked if name in self.table.names)

    @cached_property
    def columns(self) -> dict[str, NDArray[Any]]:
        """The values and codes of the rows in memory."""
        return self.learned.columns_of(self.table)

    @cached_property
    def states(self) -> dict[str, tuple[Hashable, ...]]:
        """The categories of each variable: those of the training rows, then unseen ones."""
        own = self.source.categories
        return {
            name: tuple(dict.fromkeys((*labels, *own.get(name, ()))))
            for name, labels in self.learned.counts.states.items()
        }

    @cached_property
    def _families(self) -> dict[str, tuple[tuple[str, ...], JointCounts]]:
        """Each variable with those of its parents that the rows have, counted together."""
        families = {
            name: (*(p for p in self.learned.graph.parents(name) if p in self.table.names), name)
            for name in self.names
        }
        tables = self.source.joint_counts(list(families.values()))
        return {name: (families[name], one) for name, one in zip(families, tables, strict=True)}

    def n_missing(self, name: str) -> int:
        """Return the number of missing values of a variable."""
        _, joint = self._families[name]
        own = joint.marginal(joint.variables[-1:])
        return own.total - own.complete().total

    def margin(self, name: str) -> dict[Hashable, int]:
        """Return the number of new rows with each category."""
        _, joint = self._families[name]
        own = joint.marginal(joint.variables[-1:]).complete()
        labels = self.source.categories[name]
        pairs = zip(own.configurations[0], own.counts, strict=True)
        return {labels[code]: int(n) for code, n in pairs}

    def two_tables(self, name: str, parents: tuple[str, ...]) -> TwoTables:
        """Return the counts of a family before and now, over categories of the training rows."""
        counts, names = self.learned.counts, (*parents, name)
        holder, family = self._holder(names)
        whole = counts.cells(holder, counts.states)
        others = tuple(axis for axis, one in enumerate(family) if one not in names)
        kept = [one for one in family if one in names]
        before = whole.sum(axis=others).transpose([kept.index(one) for one in names])
        after = np.zeros(before.shape)
        if all(one in self.table.names for one in family) and holder in self.names:
            joint = self.family_tables(names)[1].complete()
            codes = joint.configurations.astype(np.intp)
            seen = (codes < np.array(before.shape)[:, np.newaxis]).all(axis=0)
            after[tuple(codes[:, seen])] = joint.counts[seen]
        return TwoTables(parents, before, after)

    def family_tables(self, names: Sequence[str]) -> tuple[JointCounts, JointCounts]:
        """Return the joint tables of some variables before and now, with the same categories.

        Parameters
        ----------
        names : sequence of str
            Variables that one family of the learned graph has; in this order.
        """
        counts = self.learned.counts
        holder, family = self._holder(names)
        whole = counts.tables[holder]
        before = whole.marginal([whole.variables[family.index(one)] for one in names])
        present, joint = self._families[holder]
        after = joint.marginal([joint.variables[present.index(one)] for one in names])
        sizes = [len(self.states[one]) for one in names]
        places = []
        for one in names:
            place = {label: i for i, label in enumerate(self.states[one])}
            own = self.source.categories[one]
            places.append(np.array([place[label] for label in own], dtype=np.intp))
        same = [np.arange(len(counts.states[one])) for one in names]
        return recoded(before, same, sizes), recoded(after, places, sizes)

    def _holder(self, names: Sequence[str]) -> tuple[str, tuple[str, ...]]:
        """Return a variable in whose learned family all of these are, and this family."""
        graph = self.learned.counts.graph
        for one in (names[-1], names[0], *graph.children(names[0])):
            family = (*graph.parents(one), one)
            if set(names) <= set(family):
                return one, family
        raise ValueError(f"no family has all of {names}")
