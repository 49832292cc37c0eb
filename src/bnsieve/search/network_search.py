"""Search a network among candidates: score their sets, search, sieve again, search again.

The second sieve looks at the data once more, now knowing the first network: it asks of every
variable what it would add to each target's parents. That brings in what marginal association did
not see, because something stronger stood before it. What adds nothing alone, machines look for.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from bnsieve.counts import CountSource, Covariance, JointCounts, count, count_candidates
from bnsieve.decide import MAX_CANDIDATES, ParentSets, Score, score_parent_sets
from bnsieve.engine import Map, Timings, tallied
from bnsieve.graph import children_of, descendants_as_bits
from bnsieve.knowledge import Constraints
from bnsieve.search.additions import Additions
from bnsieve.search.blind_spots import BlindSpots, with_groups
from bnsieve.search.covariance_sets import CovarianceAdditions, CovarianceSets
from bnsieve.search.edge_worth import cost_of_a_parent, edge_margins
from bnsieve.search.order import ScoredDag, search_orders
from bnsieve.search.skeleton import Pair
from bnsieve.search.weak_edges import cost_by_density
from bnsieve.sieve import Candidates, Machines, lawful
from bnsieve.table import Table


@dataclass(frozen=True)
class SearchSettings:
    """How much is scored and searched.

    Attributes
    ----------
    complete_size : int
        All parent sets up to this size are scored; larger ones are grown from the best.
    n_foremost : int
        Among so many first candidates all sets of one member more are scored, so that three
        parents that tell nothing in pairs are found.
    max_parents : int
    width : int
        How many sets of one size are grown further.
    n_starts, rounds_per_variable : int
        Random orders to start from, in the first search and once more in the last; and
        displacements tried from each.
    n_resieves : int
        How often at most candidates are sought again, given the network found.
    n_additions : int
        How many new candidates a second sieve may give a variable.
    budget : int
        Most candidates per variable, except that what a second sieve finds is added at both ends.
    n_counted : int or None
        Where the table is a sample, most candidates per variable that all rows are counted with.
        Each more doubles the configurations or so; beyond eight, F1 rose in one run of nine.
        None: all candidates, as they are.
    """

    complete_size: int = 2
    n_foremost: int = 8
    max_parents: int = 8
    width: int = 20
    n_starts: int = 2
    rounds_per_variable: int = 10
    n_resieves: int = 4
    n_additions: int = 8
    budget: int = 18
    n_counted: int | None = 8


class ScoredSets:
    """The parent sets of every variable, scored from one joint table each and kept.

    Parameters
    ----------
    table : Table
    score : Score
    settings : SearchSettings
    run : Map
        Spreads the variables over threads.
    required : sequence of sequences of int
        For every variable the candidates that all its sets hold.
    """

    def __init__(
        self,
        table: Table,
        score: Score,
        settings: SearchSettings,
        run: Map,
        required: Sequence[Sequence[int]],
    ) -> None:
        self._table = table
        self._score = score
        self._settings = settings
        self._run = run
        self._required = required
        self._known: dict[int, ParentSets] = {}
        self._centres: dict[int, set[int]] = {}

    def of(
        self,
        candidates: Candidates,
        near: ScoredDag | None,
        counted: Sequence[JointCounts] | None = None,
    ) -> list[ParentSets]:
        """Score the sets of all variables; what was scored before is not scored again.

        The sets of a network already found, and those that differ little from them, are among the
        scored: a search that starts there cannot end lower. Where tables of all rows were counted,
        these are scored, and nothing that came before counts.
        """
        if counted is not None:
            self._known.clear()

        def score_target(item: tuple[int, tuple[int, ...]]) -> ParentSets:
            target, chosen = item
            parents = () if near is None else near.parents[target]
            known = self._known.get(target)
            if known is not None and set(known.candidates) == set(chosen):
                if self._centres[target] == set(parents):
                    return known
                chosen = known.candidates
            joint = count(self._table, (target, *chosen)) if counted is None else counted[target]
            settings = self._settings
            return score_parent_sets(
                joint,
                self._score,
                complete_size=settings.complete_size,
                max_size=settings.max_parents,
                width=settings.width,
                required=self._required[target],
                centre=[v for v in parents if v in joint.variables],
                foremost=joint.variables[1 : 1 + settings.n_foremost],
                known=known,
            )

        scoring = self._run(score_target, enumerate(candidates))
        scored = list(tallied(scoring, len(candidates), "columns"))
        self._known = dict(enumerate(scored))
        self._centres = {v: set() if near is None else set(near.parents[v]) for v in self._known}
        return scored


@dataclass(frozen=True, eq=False)
class NetworkFound:
    """What a search found.

    Attributes
    ----------
    network : ScoredDag
    score : Score
        What the last search compared parent sets by.
    candidates : tuple of tuples of int
        Of the last search.
    counted : list of JointCounts or None
        What was counted of all rows, where the table is a sample of them.
    margins : dict of (int, int) to float
        For each arrow, parent first, by how much the score falls if it is left out and others may
        take its place.
    importance : ndarray of float32, shape (n_variables, n_variables), or None
        Of each variable to each, by the machines, if there were any.
    """

    network: ScoredDag
    score: Score
    candidates: Candidates
    counted: list[JointCounts] | None
    margins: dict[Pair, float]
    importance: NDArray[np.float32] | None = None


def search_network(
    table: Table,
    candidates: Candidates,
    score: Score,
    settings: SearchSettings,
    seed: int,
    run: Map,
    constraints: Constraints | None,
    source: CountSource,
    timings: Timings,
    *,
    sparse_prior: bool = False,
    covariance: Covariance | None = None,
    machines: Machines | None = None,
    machine_targets: Sequence[int] = (),
) -> NetworkFound:
    """Find a network of high score.

    Where the table is a sample of a source of more rows, the last search scores counts of all of
    them. With `sparse_prior`, a parent costs more than `score` says where the network turns out
    to have few edges; see `cost_of_a_parent`. Where a covariance of the columns is given, parent
    sets are scored from that, and nothing is counted; of `score` the cost of a parent counts. Else,
    where there are machines, those of some variables look for what the network does not see.
    """
    known = constraints or Constraints.none(table.n_variables)
    required = [known.required_parents(v) for v in range(table.n_variables)]

    def search(
        sets: Sequence[ParentSets], near: ScoredDag | None, n_starts: int = settings.n_starts
    ) -> ScoredDag:
        return search_orders(
            sets,
            n_starts=n_starts,
            n_rounds=settings.rounds_per_variable * table.n_variables,
            seed=seed,
            run=run,
            required=known.required,
            start=None if near is None else near.order,
        )

    candidates = lawful(candidates, known.allowed, required, settings.budget)

    def scores(score: Score) -> ScoredSets | CovarianceSets:
        if covariance is None:
            return ScoredSets(table, score, settings, run, required)
        return CovarianceSets(covariance, score.parent_cost, settings.max_parents, run, required)

    def additions_to(score: Score) -> Additions | CovarianceAdditions:
        if covariance is None:
            return Additions(table, score, known)
        return CovarianceAdditions(covariance, score.parent_cost, known)

    additions = additions_to(score)
    scored = scores(score)
    sets = scored.of(candidates, None)
    network = search(sets, None)

    def settle(n_rounds: int) -> None:
        """Sieve and search again until nothing changes."""
        nonlocal candidates, sets, network
        for _ in range(n_rounds):
            candidates = sieve_again(candidates, network, additions, settings, run)
            candidates = lawful(candidates, known.allowed, required, MAX_CANDIDATES)
            sets = scored.of(candidates, network)
            last, network = network, search(sets, network, n_starts=1)
            if network.parents == last.parents:
                break

    settle(settings.n_resieves)
    importance = None
    if machines is not None and isinstance(additions, Additions):
        with timings.stage("sieve"):
            spots = BlindSpots(machines, additions, settings.max_parents)
            looked = spots.look(network, machine_targets, run)
        importance = looked.importance
        if any(looked.groups):
            candidates = with_groups(candidates, looked.groups, network.parents, settings.budget)
            candidates = lawful(candidates, known.allowed, required, MAX_CANDIDATES)
            sets = scored.of(candidates, network)
            last, network = network, search(sets, network, n_starts=1)
            if network.parents != last.parents:
                settle(min(1, settings.n_resieves))
    counted = None
    if covariance is None and source.n_rows > table.n_rows:
        if settings.n_counted is not None:
            larger = source.larger_sample(table.names)
            size = min(settings.n_counted, settings.budget)
            candidates = candidates_to_count(larger, candidates, network, known, size, run)
        with timings.stage("counting"):
            counted = count_candidates(source, table.names, candidates)
        candidates = tuple(one.variables[1:] for one in counted)
        sets = scored.of(candidates, network, counted)
    network = search(sets, network)
    if sparse_prior:
        cost = cost_of_a_parent(sets, network, score.parent_cost)
        if cost > score.parent_cost:
            more, score = cost - score.parent_cost, replace(score, parent_cost=cost)
            if known.visible is None:
                sets = scores(score).of(candidates, network, counted)
            else:  # the same sets at their new cost: to grow others would take as long again
                sets = [one.at_cost(more) for one in sets]
            network = search(sets, network)
        elif covariance is not None and all(covariance.sizes[v] == 1 for v in table.numbers):
            # Where curves are fitted, what they leave over is not chance alone.
            cost = cost_by_density(covariance, sets, network, cost)
            if cost < score.parent_cost:
                score = replace(score, parent_cost=cost)
                cheaper = additions_to(score)
                candidates = sieve_again(candidates, network, cheaper, settings, run)
                candidates = lawful(candidates, known.allowed, required, MAX_CANDIDATES)
                sets = scores(score).of(candidates, network)
                network = search(sets, network)
    margins = edge_margins(sets, network)
    return NetworkFound(network, score, candidates, counted, margins, importance)


def sieve_again(
    candidates: Candidates,
    network: ScoredDag,
    additions: Additions | CovarianceAdditions,
    settings: SearchSettings,
    run: Map,
) -> Candidates:
    """Return new candidates: parents, what would add to them, children and theirs, the old.

    What is joined already needs no finding: additions are the best of the others. Of many children
    those come first that would make the best parents: an arrow the wrong way round can turn.
    """
    children = children_of(network.parents)

    def look(target: int) -> tuple[list[int], list[int]]:
        ranked = additions.to(target, network.parents[target])
        joined = dict.fromkeys(children[target])
        new = [v for v in ranked if v not in joined][: settings.n_additions]
        turned = list(dict.fromkeys([*(v for v in ranked if v in joined), *joined]))
        # An arrow to a child can turn only if the child's other parents may follow it.
        turned += [u for child in turned for u in network.parents[child] if u != target]
        return new, turned

    looked = list(run(look, range(len(candidates))))
    added = [new for new, _ in looked]
    own = [
        list(dict.fromkeys([*parents, *new, *ranked_children, *old]))[: settings.budget]
        for parents, (new, ranked_children), old in zip(
            network.parents, looked, candidates, strict=True
        )
    ]
    for target, new in enumerate(added):
        for variable in new:
            if target not in own[variable] and len(own[variable]) < MAX_CANDIDATES:
                own[variable].append(target)
    return tuple(map(tuple, own))


def candidates_to_count(
    table: Table,
    candidates: Candidates,
    network: ScoredDag,
    constraints: Constraints,
    size: int,
    run: Map,
) -> Candidates:
    """Choose the few candidates per variable that all rows are counted with.

    Neighbours in the network come first, then what would tell most about the variable beside its
    parents, in a table of more rows than the network was learned from. The score does not rank
    these: it charges for parameters what few rows can afford, and all rows can afford more. Half a
    unit per parameter is what chance alone would seem to tell. Descendants come last: they tell
    much, but through the children, and would leave no place for parents that tell little.

    Where only some of very many variables are visible to each, there are as many tables to count,
    and only what may well be a parent is counted: neighbours, and what is no descendant and tells
    more than the best of those visible would by chance.
    """
    children = children_of(network.parents)
    descendants = descendants_as_bits(network.order, children)
    told = Score("bic", penalty=1.0 / np.log(max(3, table.n_rows)))
    visible = constraints.visible
    if visible is not None:
        told = replace(told, parent_cost=float(np.log(max(map(len, visible)))))
    additions = Additions(table, told, constraints)

    def choose(target: int) -> tuple[int, ...]:
        required, parents = constraints.required_parents(target), network.parents[target]
        first = [v for v in [*required, *parents, *children[target]] if v in candidates[target]]
        after = descendants[target]
        telling = sorted(additions.to(target, parents), key=lambda v: after >> v & 1)
        others = candidates[target]
        if visible is not None:
            telling, others = [v for v in telling if not after >> v & 1], ()
        ranked = dict.fromkeys([*first, *telling, *others])
        return tuple(ranked)[: max(size, len(required))]

    return tuple(run(choose, range(table.n_variables)))
