"""Draws of CPTs where rows of one entity belong together.

In: rows with entities. Out: counts of a family in which every entity has a weight of its own, drawn
from an exponential distribution: the Bayesian bootstrap (Rubin 1981) of entities. If every entity
has one row, these counts are those of the Dirichlet posterior. In one draw an entity has the same
weight in all CPTs, so that what its rows have in common adds up over them.

If the rows are a sample, counts of all rows vary by as much as those of the sample do. Entities are
charged in full, and what differs within them by more than all rows would: intervals are rather too
wide than too short.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from bnsieve.network.discrete.evidence import Evidence, state_positions
from bnsieve.network.discrete.model import Model, Values
from bnsieve.table import Table

if TYPE_CHECKING:
    from scipy.sparse import csr_array

_SEED = 0
# Weights at a time: bounds the memory.
_BLOCK = 1 << 22


@dataclass(frozen=True, eq=False)
class EntityDraws:
    """Weighs the entities of rows.

    Attributes
    ----------
    rows : Table
        With entities.
    n_rows : int
        The number of all rows, of which the table may be a sample.
    """

    rows: Table
    n_rows: int

    @classmethod
    def of(cls, rows: Table | None, n_rows: int | None = None) -> "EntityDraws | None":
        """Return the draws of a table; None if no two rows belong together, or all do.

        Parameters
        ----------
        rows : Table or None
        n_rows : int, optional
            Of all rows, if the table is a sample.
        """
        if rows is None or rows.entities is None:
            return None
        n_entities = len(np.unique(rows.entities))
        if not 1 < n_entities < rows.n_rows:
            return None
        return cls(rows, rows.n_rows if n_rows is None else n_rows)

    @cached_property
    def _whose(self) -> NDArray[np.intp]:
        assert self.rows.entities is not None
        whose: NDArray[np.intp] = np.unique(self.rows.entities, return_inverse=True)[1]
        return whose

    def cells(
        self, model: Model, variable: int, evidence: Evidence, counts: Values, first: int, n: int
    ) -> Values:
        """Return weighted counts of a family at the states of the evidence.

        Parameters
        ----------
        model : Model
        variable : int
        evidence : Evidence
            Parents that it holds have no axis.
        counts : ndarray of float64, shape (one axis per open parent, states)
            The counts in all rows.
        first, n : int
            The numbers of the draws.

        Returns
        -------
        ndarray of float64, shape (n, one axis per open parent, states)
        """
        by_entity, shape = self._counts_by_entity(model, variable, evidence)
        size, n_entities = by_entity.shape
        cells = np.empty((n, size))
        step = max(1, _BLOCK // n_entities)
        for start in range(0, n, step):
            numbers = range(first + start, first + min(start + step, n))
            weights = np.stack([self._weights(number, n_entities) for number in numbers])
            cells[start : start + len(weights)] = (by_entity @ weights.T).T
        if self.n_rows > self.rows.n_rows:
            sampled = np.asarray(by_entity.sum(axis=1), dtype=np.float64)
            share = np.divide(cells, sampled, out=np.ones_like(cells), where=sampled > 0)
            cells = counts.ravel() * share
        return cells.reshape(n, *shape)

    def _counts_by_entity(
        self, model: Model, variable: int, evidence: Evidence
    ) -> "tuple[csr_array, list[int]]":
        """Return how often each entity has each cell of a CPT, and the shape of the CPT."""
        from scipy.sparse import csr_array  # slow to load

        family = (*model.parents[variable], variable)
        known = np.ones(self.rows.n_rows, dtype=bool)
        axes, shape = [], []
        for v in family:
            place = self.rows.names.index(model.names[v])
            states = model.states[v]
            codes = state_positions(model.names[v], self.rows.categories[place], states)[
                self.rows.codes[place]
            ]
            if place in self.rows.missing:
                known &= ~self.rows.missing[place]
            if v in evidence.hard and v != variable:
                known &= codes == evidence.hard[v]
            else:
                axes.append(codes)
                shape.append(len(states))
        flat = np.ravel_multi_index([codes[known] for codes in axes], shape)
        whose = self._whose[known]
        n_entities, size = int(self._whose.max()) + 1, int(np.prod(shape))
        return csr_array((np.ones(len(flat)), (flat, whose)), shape=(size, n_entities)), shape

    def _weights(self, number: int, n_entities: int) -> Values:
        return np.random.default_rng([_SEED, number]).standard_exponential(n_entities)

    def design_effect(
        self, model: Model, targets: Sequence[int], matches: NDArray[np.bool_]
    ) -> float:
        """Return how many times larger the variance of frequencies is than in independent rows.

        Of the states of some variables, in some rows; at least 1.
        """
        codes = np.zeros(int(matches.sum()), dtype=np.int64)
        for v in targets:
            place = self.rows.names.index(model.names[v])
            codes = codes * len(self.rows.categories[place]) + self.rows.codes[place][matches]
        if len(codes) == 0:
            return 1.0
        states = np.unique(codes, return_inverse=True)[1]
        whose = np.unique(self._whose[matches], return_inverse=True)[1]
        sizes = np.bincount(whose)
        shares = np.bincount(states) / len(states)
        squares = 0.0
        for state, share in enumerate(shares.tolist()):
            own = np.bincount(whose, weights=states == state) - sizes * share
            squares += float((own**2).sum())
        spread = len(states) * float((shares * (1 - shares)).sum())
        if spread <= 0:
            return 1.0
        # An entity has the more rows in all of them.
        beyond = (self.n_rows - 1) / (self.rows.n_rows - 1)
        return 1.0 + max(0.0, squares / spread - 1.0) * beyond
