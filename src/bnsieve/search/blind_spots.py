"""Where a network is blind: columns that tell about another only together.

A search that looks at one more parent at a time finds everything that shows alone, or beside the
parents found. What is left are groups none of whose members adds anything by itself, such as the
two inputs of an exclusive or. There are too many to score them all; so a machine is trained for
each column, whose clauses name columns together. Beside the few that are named most, the score
looks at what every other column would add: if the machine names one of two, or two of three, the
last is found. Where a table is not wide, all pairs of columns are looked at besides, for what they
tell beyond each of the two, which takes as long as a machine and leaves nothing to luck.

A column that the network joins to no other is where most may be left to find. For it all pairs are
looked at in wide tables too; if none tells anything, all triples are, unless there are too many:
then its machine is trained longer, and once more if it finds nothing.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from bnsieve.engine import Map, tallied
from bnsieve.graph import children_of
from bnsieve.search.additions import Additions
from bnsieve.search.order import ScoredDag
from bnsieve.sieve import (
    ROWS_BESIDE_PAIRS,
    ROWS_OF_SHORT,
    Candidates,
    GroupScan,
    Machines,
    is_narrow,
    pairs_named,
)

# Of a column that is joined to none, where there are too many triples: how often its machine is
# trained, and how many of the pairs that it names, and of their members, are looked at.
_N_ATTEMPTS = 2
_N_PAIRS = 6
_N_SINGLES = 3
# Among more columns a machine names two of three only by luck, and is trained for a short time: of
# parities of three among 48 columns 97 % are found, among 100 38 %, among 200 12 %.
_MANY_COLUMNS = 128

Group = tuple[int, ...]


@dataclass(frozen=True, eq=False)
class Looked:
    """What machines found.

    Attributes
    ----------
    groups : list of tuples of int
        For each variable those that tell about it together, beside its parents; mostly none.
    importance : ndarray of float32, shape (n_variables, n_variables)
        ``importance[t, v]``: how important v is in the machine of t. Zero where no machine was
        trained.
    """

    groups: list[Group]
    importance: NDArray[np.float32]


class BlindSpots:
    """Looks for what tells about a variable only together.

    Parameters
    ----------
    machines : Machines
    additions : Additions
        What single variables would add.
    max_parents : int
    """

    def __init__(self, machines: Machines, additions: Additions, max_parents: int) -> None:
        self._machines = machines
        self._additions = additions
        self._max_parents = max_parents

    def look(self, network: ScoredDag, targets: Sequence[int], run: Map) -> Looked:
        """Train the machines of some variables, given a network, and follow their clauses."""
        children = children_of(network.parents)
        table = self._machines.table
        several = [target for target in targets if table.n_levels[target] >= 2]
        lonely = {v for v in several if not network.parents[v] and not children[v]}
        scan = GroupScan(table, self._machines.seed) if lonely or is_narrow(table) else None

        def one(target: int) -> tuple[Group, NDArray[np.intp], NDArray[np.float64]]:
            if scan is not None and target in lonely:
                return self._look_at_lonely(target, scan, [v for v in lonely if v < target])
            return self._look_at(target, scan, network.parents[target], children[target])

        groups: list[Group] = [()] * table.n_variables
        ranking = np.zeros((table.n_variables, table.n_variables), dtype=np.float32)
        looked = tallied(run(one, several), len(several), "columns")
        for target, (group, seen, own) in zip(several, looked, strict=True):
            groups[target] = group
            ranking[target, seen] = own
        return Looked(groups, ranking)

    def _look_at(
        self, target: int, scan: GroupScan | None, parents: Group, children: Sequence[int]
    ) -> tuple[Group, NDArray[np.intp], NDArray[np.float64]]:
        """Look beside the parents of a variable; return what tells, and importances."""
        alone = self._additions.gains(target, parents)
        heard = _silent_alone(alone)
        heard[list(children)] = False
        if scan is not None and not scan.is_quick(target):
            scan = None
        trained = self._machines.train(target, rows=ROWS_BESIDE_PAIRS if scan else ROWS_OF_SHORT)
        # Of the pairs that were all looked at, none but the best is followed.
        seen = np.zeros_like(heard) if scan is None else scan.seen
        best = None if scan is None else scan.best_pair(target, heard, beyond_each=True)
        pairs = [best] if best and self._additions.worth(target, parents, best) > 0 else []
        if not seen[heard].all():
            named = pairs_named(trained, heard, 1)
            pairs += [pair for pair in named if not seen[list(pair)].all()]
        group = self._best_pair(target, parents, alone, heard, [a for a, _ in pairs])
        return group, trained.seen, trained.importance

    def _look_at_lonely(
        self, target: int, scan: GroupScan, scanned: list[int]
    ) -> tuple[Group, NDArray[np.intp], NDArray[np.float64]]:
        """Look for what tells about a variable that is joined to none.

        Those that tell only together do so from each end: groups with those `scanned` for, which
        come before it, are left out.
        """
        alone = self._additions.gains(target, ())
        heard = _silent_alone(alone)
        unscanned = heard.copy()
        unscanned[scanned] = False
        pair = scan.best_pair(target, unscanned)
        group = self._best_pair(target, (), alone, heard, pair[:1]) if pair else ()
        if scan.sees_triples(target) and scan.seen[heard].all():
            triple = None if group else scan.best_triple(target, unscanned)
            if triple:
                group = self._best_triple(target, alone, heard, [triple[:2]])
            for found in (pair, triple):
                group = group or self._worth_to_another(target, found or ())
            trained = self._machines.train(target, rows=ROWS_BESIDE_PAIRS)
            return group, trained.seen, trained.importance
        many = len(alone) > _MANY_COLUMNS
        first = trained = self._machines.train(target, rows=ROWS_OF_SHORT if many else None)
        for attempt in range(1 if many else _N_ATTEMPTS):
            if group:
                break
            if attempt:
                trained = self._machines.train(target, attempt=attempt)
            pairs = pairs_named(trained, heard, _N_PAIRS)
            singles = list(dict.fromkeys(member for pair in pairs for member in pair))
            group = self._best_pair(target, (), alone, heard, singles[:_N_SINGLES])
            group = group or self._best_triple(target, alone, heard, pairs)
        return group, first.seen, first.importance

    def _worth_to_another(self, target: int, found: Group) -> Group:
        """Return what was found for a target if it raises the score of one of them, or nothing.

        Of those that tell only together any may be the child, and scores differ.
        """
        if not 0 < len(found) <= self._max_parents:
            return ()
        for child in found:
            others = tuple(v for v in (target, *found) if v != child)
            if self._additions.worth(child, (), others) > 0:
                return found
        return ()

    def _best_pair(
        self,
        target: int,
        parents: Group,
        alone: NDArray[np.float64],
        heard: NDArray[np.bool_],
        singles: Sequence[int],
    ) -> Group:
        """Return the pair that raises the score most, of those with one of some variables."""
        best: Group = ()
        gain = 0.0
        if len(parents) + 2 > self._max_parents:
            return best
        for a in singles:
            beside = self._additions.gains(target, parents, (a,))
            last, worth = _best_of(alone[a] + beside, heard)
            if worth > gain:
                best, gain = (a, last), worth
        return best

    def _best_triple(
        self,
        target: int,
        alone: NDArray[np.float64],
        heard: NDArray[np.bool_],
        pairs: Sequence[tuple[int, int]],
    ) -> Group:
        """Return the three that raise the score most, of those with one of some pairs."""
        best: Group = ()
        gain = 0.0
        if self._max_parents < 3:
            return best
        for a, b in pairs:
            both = alone[a] + self._additions.gains(target, (), (a,))[b]
            beside = self._additions.gains(target, (), (a, b))
            last, worth = _best_of(both + beside, heard)
            if worth > gain:
                best, gain = (a, b, last), worth
        return best


def _silent_alone(gains: NDArray[np.float64]) -> NDArray[np.bool_]:
    """Tell which variables add nothing alone: what does, the search sees without a machine."""
    return np.isfinite(gains) & (gains <= 0)


def _best_of(gains: NDArray[np.float64], heard: NDArray[np.bool_]) -> tuple[int, float]:
    last = int(np.argmax(np.where(heard, gains, -np.inf)))
    return last, float(gains[last]) if heard[last] else -np.inf


def with_groups(
    candidates: Candidates,
    groups: Sequence[Group],
    parents: Sequence[Sequence[int]],
    budget: int,
) -> Candidates:
    """Put groups first, so that they are scored as sets, then parents, then the others.

    Which member of a group is the child, scores may leave open: each gets the others.
    """
    own = list(candidates)
    for target, group in enumerate(groups):
        for member in (target, *group) if group else ():
            others = [v for v in (*group, target) if v != member]
            first = dict.fromkeys([*others, *parents[member], *own[member]])
            own[member] = tuple(first)[:budget]
    return tuple(own)
