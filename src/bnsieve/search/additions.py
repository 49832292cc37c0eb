"""Rank what other variables would add to a variable's parents."""

import numpy as np
from numpy.typing import NDArray

from bnsieve.decide import Score, score_additions
from bnsieve.knowledge import Constraints
from bnsieve.table import Table


class Additions:
    """Ranks what would add to a variable's parents, and remembers it while these stay the same."""

    def __init__(self, table: Table, score: Score, constraints: Constraints) -> None:
        self._table = table
        self._score = score
        self._constraints = constraints
        self._codes, self._radices = table.missing_as_level()
        self._known: dict[int, tuple[tuple[int, ...], NDArray[np.intp], NDArray[np.float64]]] = {}

    def to(self, target: int, parents: tuple[int, ...]) -> list[int]:
        """Return the variables that raise the score as one more parent, best first."""
        kept, gains = self._remembered(target, parents)
        ranked = np.argsort(-gains, kind="stable")
        return [int(v) for v in kept[ranked[gains[ranked] > 0]]]

    def gains(
        self, target: int, parents: tuple[int, ...], more: tuple[int, ...] = ()
    ) -> NDArray[np.float64]:
        """Return what each variable would add to the score as one more parent.

        Parents of the moment are remembered, with `more` beside them nothing is. What may not be
        a parent, or is one, has minus infinity.
        """
        if more:
            kept, gains = self._scored(target, (*parents, *more))
        else:
            kept, gains = self._remembered(target, parents)
        everyone = np.full(self._table.n_variables, -np.inf)
        everyone[kept] = gains
        everyone[[target, *parents, *more]] = -np.inf
        return everyone

    def worth(self, target: int, parents: tuple[int, ...], group: tuple[int, ...]) -> float:
        """Return what a group would add to the score beside the parents.

        Minus infinity if one of the group may not be a parent.
        """
        total = 0.0
        for i, one in enumerate(group):
            kept, gains = self._scored(target, (*parents, *group[:i]), only=one)
            if one not in kept:
                return -np.inf
            total += float(gains[kept == one][0])
        return total

    def _remembered(
        self, target: int, parents: tuple[int, ...]
    ) -> tuple[NDArray[np.intp], NDArray[np.float64]]:
        if target not in self._known or self._known[target][0] != parents:
            self._known[target] = parents, *self._scored(target, parents)
        return self._known[target][1:]

    def _scored(
        self, target: int, parents: tuple[int, ...], *, only: int | None = None
    ) -> tuple[NDArray[np.intp], NDArray[np.float64]]:
        """Return the variables that were looked at, all or one, and what each would add."""
        variables = np.arange(self._table.n_variables)
        gaps = np.isin(variables, list(self._table.missing))
        # Only what may be a parent is looked at.
        kept = np.flatnonzero(self._constraints.allowed[:, target] | (variables == target))
        if only is not None:
            kept = np.intersect1d([target, *parents, only], kept)
        if self._constraints.visible is not None:
            near = np.union1d(self._constraints.visible[target], [target, *parents])
            kept = np.intersect1d(near, kept)
        codes, radices = self._codes, self._radices
        if len(kept) < len(variables):
            codes, radices, gaps = codes[kept], radices[kept], gaps[kept]
        place, *inside = np.searchsorted(kept, [target, *parents]).tolist()
        if target in self._table.missing:
            # Rows are left out last: of wide tables only what is looked at is copied.
            codes = codes.take(np.flatnonzero(~self._table.missing[target]), axis=1)
            radices = radices.copy()
            radices[place] -= 1
        return kept, score_additions(codes, radices, place, inside, self._score, gaps)
