"""Interactions that a network misses: variables that matter to another only jointly.

A search that adds one parent at a time finds everything that has a marginal effect, alone or beside
the parents found. What is left are groups none of whose members adds anything by itself, such as
the two inputs of an exclusive or. There are too many to score them all. So a machine is trained for
each variable, whose clauses name variables jointly, and the score asks what every other variable
would add beside the few that are named most: if the machine names one of two, or two of three, the
last is found. Where a table is not wide, all pairs are scanned besides, which takes as long as a
machine and leaves nothing to luck.

An isolated variable is where most may be left to find. For it all pairs are scanned in wide tables
too. If none matters, all triples are scanned, unless there are too many: then its machine is
trained longer, and once more if it finds nothing.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from bnsieve.decide import ParentSetScorer, joint_gain
from bnsieve.engine import Map, tallied
from bnsieve.graph import children_of
from bnsieve.search.order import ScoredDag
from bnsieve.sieve import (
    ROWS_BESIDE_PAIRS,
    ROWS_OF_SHORT,
    Candidates,
    InteractionScan,
    Machines,
    TrainedMachine,
    is_narrow,
    pairs_in_clauses,
)

# Of an isolated variable with too many triples: how often its machine is trained, and how many of
# the pairs that it names, and of their members, are followed.
_N_ATTEMPTS = 2
_N_PAIRS = 6
_N_SINGLES = 3
# Among more columns a machine names two of three only by luck, and is trained for a short time: of
# parities of three among 48 columns 97 % are found, among 100 38 %, among 200 12 %.
_MANY_COLUMNS = 128

Group = tuple[int, ...]
Flags = NDArray[np.bool_]


@dataclass(frozen=True, eq=False)
class InteractionSearch:
    """Searches for variables that matter to another only jointly.

    Attributes
    ----------
    machines : Machines
    scorer : ParentSetScorer
    max_parents : int
    """

    machines: Machines
    scorer: ParentSetScorer
    max_parents: int

    def scan(
        self, network: ScoredDag, targets: Sequence[int], run: Map
    ) -> tuple[list[Group], NDArray[np.float32]]:
        """Train the machines of some variables, given a network, and follow their clauses.

        Returns
        -------
        list of tuples of int
            For each variable those that matter to it jointly, beside its parents; mostly none.
        ndarray of float32, shape (n_variables, n_variables)
            At [t, v], how important v is in the machine of t; zero where no machine was trained.
        """
        children = children_of(network.parents)
        table = self.machines.table
        varying = [target for target in targets if table.n_categories[target] >= 2]
        isolated = {v for v in varying if not network.parents[v] and not children[v]}
        scan = InteractionScan(table, self.machines.seed) if isolated or is_narrow(table) else None

        def scan_target(target: int) -> tuple[Group, NDArray[np.intp], NDArray[np.float64]]:
            if scan is not None and target in isolated:
                before = [v for v in isolated if v < target]
                group, trained = self._scan_isolated(target, scan, before)
            else:
                parents = network.parents[target]
                group, trained = self._scan_beside(target, scan, parents, children[target])
            return group, trained.visible, trained.importance

        groups: list[Group] = [()] * table.n_variables
        importance = np.zeros((table.n_variables, table.n_variables), dtype=np.float32)
        results = tallied(run(scan_target, varying), len(varying), "columns")
        for target, (group, visible, own_importance) in zip(varying, results, strict=True):
            groups[target] = group
            importance[target, visible] = own_importance
        return groups, importance

    def _scan_beside(
        self, target: int, scan: InteractionScan | None, parents: Group, children: Sequence[int]
    ) -> tuple[Group, TrainedMachine]:
        """Search beside the parents of a variable."""
        alone = self.scorer.gains(target, parents)
        eligible = _without_effect(alone)
        eligible[list(children)] = False
        if scan is not None and not scan.is_quick(target):
            scan = None
        trained = self.machines.train(target, rows=ROWS_BESIDE_PAIRS if scan else ROWS_OF_SHORT)
        # Of the pairs that were all scanned, none but the best is followed.
        scanned = np.zeros_like(eligible) if scan is None else scan.scanned
        best = None if scan is None else scan.best_pair(target, eligible, beyond_each=True)
        pairs = [best] if best and joint_gain(self.scorer, target, parents, best) > 0 else []
        if not scanned[eligible].all():
            named = pairs_in_clauses(trained, eligible, 1)
            pairs += [pair for pair in named if not scanned[list(pair)].all()]
        return self._complete(target, parents, alone, eligible, [(a,) for a, _ in pairs]), trained

    def _scan_isolated(
        self, target: int, scan: InteractionScan, before: list[int]
    ) -> tuple[Group, TrainedMachine]:
        """Search for an isolated variable.

        An interaction shows from each of its variables: groups with those scanned `before` are left
        out.
        """
        alone = self.scorer.gains(target, ())
        eligible = _without_effect(alone)
        unscanned = eligible.copy()
        unscanned[before] = False
        pair = scan.best_pair(target, unscanned)
        group = self._complete(target, (), alone, eligible, [pair[:1]] if pair else [])
        if scan.can_scan_triples(target) and scan.scanned[eligible].all():
            triple = None if group else scan.best_triple(target, unscanned)
            if triple:
                group = self._complete(target, (), alone, eligible, [triple[:2]])
            for members in (pair, triple):
                group = group or self._gainful_to_another(target, members or ())
            return group, self.machines.train(target, rows=ROWS_BESIDE_PAIRS)
        many = len(alone) > _MANY_COLUMNS
        first = trained = self.machines.train(target, rows=ROWS_OF_SHORT if many else None)
        for attempt in range(1 if many else _N_ATTEMPTS):
            if group:
                break
            if attempt:
                trained = self.machines.train(target, attempt=attempt)
            pairs = pairs_in_clauses(trained, eligible, _N_PAIRS)
            singles = list(dict.fromkeys((member,) for pair in pairs for member in pair))
            group = self._complete(target, (), alone, eligible, singles[:_N_SINGLES])
            group = group or self._complete(target, (), alone, eligible, pairs)
        return group, first

    def _gainful_to_another(self, target: int, group: Group) -> Group:
        """Return the group if with the target it raises the score of one of its members.

        Of variables that matter only jointly any may be the child, and scores differ.
        """
        if not 0 < len(group) <= self.max_parents:
            return ()
        for child in group:
            others = tuple(v for v in (target, *group) if v != child)
            if joint_gain(self.scorer, child, (), others) > 0:
                return group
        return ()

    def _complete(
        self,
        target: int,
        parents: Group,
        alone: NDArray[np.float64],
        eligible: Flags,
        starts: Sequence[Group],
    ) -> Group:
        """Return the group that raises the score most, of those with one member more than a start.

        None of them, if none raises the score.
        """
        best: Group = ()
        best_gain = 0.0
        for start in starts:
            if len(parents) + len(start) + 1 > self.max_parents:
                continue
            gain = alone[start[0]]
            for i, member in enumerate(start[1:], 1):
                gain = gain + self.scorer.gains(target, parents, start[:i])[member]
            gains = gain + self.scorer.gains(target, parents, start)
            last = int(np.argmax(np.where(eligible, gains, -np.inf)))
            if eligible[last] and gains[last] > best_gain:
                best, best_gain = (*start, last), float(gains[last])
        return best


def _without_effect(gains: NDArray[np.float64]) -> Flags:
    """Tell which variables add nothing alone: those that do, the search finds without a machine."""
    return np.isfinite(gains) & (gains <= 0)


def add_interactions(
    candidates: Candidates, groups: Sequence[Group], parents: Sequence[Sequence[int]], budget: int
) -> Candidates:
    """Put interactions first, so that they are scored as sets, then parents, then the others.

    Which variable of an interaction is the child, scores may leave open: each gets the others.
    """
    extended = list(candidates)
    for target, group in enumerate(groups):
        for member in (target, *group) if group else ():
            others = [v for v in (*group, target) if v != member]
            ranked = dict.fromkeys([*others, *parents[member], *extended[member]])
            extended[member] = tuple(ranked)[:budget]
    return tuple(extended)
