"""Search a network among candidates: score their sets, search, extend the candidates, search again.

In: a `ParentSetScorer` and candidates. Out: `NetworkSearchResult`. Candidates are extended given
the network found: every variable is asked for what it would add to each target's parents. That
brings in what marginal association did not see, because something stronger stood before it. What
adds nothing alone is left to the search for interactions.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from bnsieve.decide import MAX_CANDIDATES, ParentSetScorer, ranked_additions
from bnsieve.engine import Map, Timings
from bnsieve.graph import children_of, descendants_as_bits
from bnsieve.search.interactions import InteractionSearch, add_interactions
from bnsieve.search.margins import density_cost, edge_margins, sparse_cost
from bnsieve.search.order import ScoredDag, search_orders
from bnsieve.search.skeleton import Pair
from bnsieve.sieve import Candidates, Machines, apply_constraints

# Random orders to start from, in the first search and once more in the last; and displacements
# tried from each.
_N_STARTS, _ROUNDS_PER_VARIABLE = 2, 10


@dataclass(frozen=True)
class SearchSettings:
    """How many candidates are searched among.

    Attributes
    ----------
    max_parents : int
    n_extensions : int
        How often at most candidates are extended, given the network found.
    n_additions : int
        How many new candidates an extension may give a variable.
    budget : int
        Most candidates per variable, except that an addition is a candidate at both ends.
    n_counted : int or None
        Where scores come from a sample, most candidates per variable that all rows are counted
        with. Each more doubles the configurations or so; beyond eight, F1 rose in one run of nine.
        None: all candidates, as they are.
    is_settled : bool
        Whether candidates stay as they are at any cost of a parent.
    """

    max_parents: int = 8
    n_extensions: int = 4
    n_additions: int = 8
    budget: int = 18
    n_counted: int | None = 8
    is_settled: bool = False


@dataclass(frozen=True, eq=False)
class NetworkSearchResult:
    """The best network among the candidates.

    Attributes
    ----------
    network : ScoredDag
    scorer : ParentSetScorer
        Of the last search.
    candidates : tuple of tuples of int
        Of the last search.
    margins : dict of (int, int) to float
        For each directed edge, parent first, by how much the score falls if it is left out and
        others may take its place.
    importance : ndarray of float32, shape (n_variables, n_variables), or None
        Of each variable to each, by the machines, if there were any.
    """

    network: ScoredDag
    scorer: ParentSetScorer
    candidates: Candidates
    margins: dict[Pair, float]
    importance: NDArray[np.float32] | None = None


def search_network(
    scorer: ParentSetScorer,
    candidates: Candidates,
    settings: SearchSettings,
    seed: int,
    run: Map,
    timings: Timings,
    *,
    sparse_prior: bool = False,
    machines: Machines | None = None,
    machine_targets: Sequence[int] = (),
) -> NetworkSearchResult:
    """Find a network of high score.

    Where the scorer knows a sample of the rows, the last search scores counts of all of them.

    Parameters
    ----------
    scorer : ParentSetScorer
    candidates : tuple of tuples of int
    settings : SearchSettings
    seed : int
    run : Map
        Spreads variables and starts over threads.
    timings : Timings
    sparse_prior : bool, default False
        Whether the cost of a parent follows from the edges found; see `bnsieve.search.margins`.
    machines : Machines or None, default None
        They look for interactions that the network misses.
    machine_targets : sequence of int
        The variables whose interactions are sought.
    """
    known = scorer.constraints
    state = _Search(scorer, candidates, settings, seed, run)
    state.settle(settings.n_extensions)
    importance = None
    if machines is not None:
        with timings.stage("sieve"):
            interaction_search = InteractionSearch(machines, scorer, settings.max_parents)
            groups, importance = interaction_search.scan(state.network, machine_targets, run)
        if any(groups):
            parents = state.network.parents
            state.allow(add_interactions(state.candidates, groups, parents, settings.budget))
            state.score()
            if state.search():
                state.settle(min(1, settings.n_extensions))
    if scorer.is_sample:
        if settings.n_counted is not None:
            size = min(settings.n_counted, settings.budget)
            state.candidates = candidates_to_count(
                scorer.informative(), state.candidates, state.network, size, run
            )
        with timings.stage("counting"):
            state.scorer, state.candidates = scorer.count_all(state.candidates)
        state.score()
    state.search(_N_STARTS)
    if sparse_prior:
        before = scorer.score.parent_cost
        cost = sparse_cost(state.sets, state.network, before)
        if cost > before:
            state.scorer = state.scorer.at_cost(cost)
            if known.visible is None:
                state.score()
            else:  # the same sets at their new cost: to grow others would take as long again
                state.sets = [sets.at_cost(cost - before) for sets in state.sets]
            state.search(_N_STARTS)
        else:
            cost = density_cost(scorer.chance_density, state.sets, state.network, cost)
            if cost < before:
                state.scorer = scorer.at_cost(cost)
                if not settings.is_settled:
                    state.extend()
                state.score()
                state.search(_N_STARTS)
    margins = edge_margins(state.sets, state.network)
    return NetworkSearchResult(state.network, state.scorer, state.candidates, margins, importance)


class _Search:
    """Where a search stands: candidates, their scored sets, the best network so far."""

    def __init__(
        self,
        scorer: ParentSetScorer,
        candidates: Candidates,
        settings: SearchSettings,
        seed: int,
        run: Map,
    ) -> None:
        self.scorer = scorer
        self._settings, self._seed, self._run = settings, seed, run
        known = scorer.constraints
        self._required = [known.required_parents(v) for v in range(known.n_variables)]
        self.allow(candidates, settings.budget)
        self.sets = scorer.parent_sets(self.candidates, run)
        self.network = ScoredDag((), 0.0, ())
        self.search(_N_STARTS)

    def allow(self, candidates: Candidates, budget: int = MAX_CANDIDATES) -> None:
        """Take new candidates, as far as knowledge allows them."""
        allowed = self.scorer.constraints.allowed
        self.candidates = apply_constraints(candidates, allowed, self._required, budget)

    def score(self) -> None:
        """Score the candidates' sets."""
        self.sets = self.scorer.parent_sets(self.candidates, self._run, self.network.parents)

    def search(self, n_starts: int = 1) -> bool:
        """Search from the network found last, if there is one; tell whether it changed."""
        last = self.network
        self.network = search_orders(
            self.sets,
            n_starts=n_starts,
            n_rounds=_ROUNDS_PER_VARIABLE * len(self.sets),
            seed=self._seed,
            run=self._run,
            required=self.scorer.constraints.required,
            start=last.order or None,
        )
        return self.network.parents != last.parents

    def extend(self) -> None:
        """Extend the candidates, given the network."""
        self.allow(
            extend_candidates(self.candidates, self.network, self.scorer, self._settings, self._run)
        )

    def settle(self, n_rounds: int) -> None:
        """Extend the candidates and search again until nothing changes."""
        for _ in range(n_rounds):
            self.extend()
            self.score()
            if not self.search():
                break


def extend_candidates(
    candidates: Candidates,
    network: ScoredDag,
    scorer: ParentSetScorer,
    settings: SearchSettings,
    run: Map,
) -> Candidates:
    """Return new candidates: parents, what would add to them, children and theirs, the old.

    Adjacent variables need no finding: additions are the best of the others. Of many children
    those come first that would make the best parents: an edge in the wrong direction can turn.
    """
    children = children_of(network.parents)

    def rank(target: int) -> tuple[list[int], list[int]]:
        ranked = ranked_additions(scorer, target, network.parents[target])
        adjacent = dict.fromkeys(children[target])
        new = [v for v in ranked if v not in adjacent][: settings.n_additions]
        reversible = list(dict.fromkeys([*(v for v in ranked if v in adjacent), *adjacent]))
        # An edge to a child can turn only if the child's other parents may follow it.
        reversible += [u for child in reversible for u in network.parents[child] if u != target]
        return new, reversible

    additions, reversible = zip(*run(rank, range(len(candidates))), strict=True)
    extended = [
        list(dict.fromkeys([*parents, *new, *near, *old]))[: settings.budget]
        for parents, new, near, old in zip(
            network.parents, additions, reversible, candidates, strict=True
        )
    ]
    for target, new in enumerate(additions):
        for variable in new:
            if target not in extended[variable] and len(extended[variable]) < MAX_CANDIDATES:
                extended[variable].append(target)
    return tuple(map(tuple, extended))


def candidates_to_count(
    scorer: ParentSetScorer, candidates: Candidates, network: ScoredDag, size: int, run: Map
) -> Candidates:
    """Choose the few candidates per variable that all rows are counted with.

    Neighbours in the network come first, then what would tell most about the variable beside its
    parents, by `ParentSetScorer.informative`. Descendants come last: they tell much, but through
    the children, and would leave no place for parents that tell little.

    Where only some of very many variables are visible to each, there are as many tables to count,
    and only what may well be a parent is counted: neighbours, and what is no descendant and tells
    more than the best of those visible would by chance.
    """
    children = children_of(network.parents)
    descendants = descendants_as_bits(network.order, children)
    constraints = scorer.constraints

    def choose(target: int) -> tuple[int, ...]:
        required, parents = constraints.required_parents(target), network.parents[target]
        first = [v for v in [*required, *parents, *children[target]] if v in candidates[target]]
        after = descendants[target]
        ranked = ranked_additions(scorer, target, parents)
        informative = sorted(ranked, key=lambda v: after >> v & 1)
        others = candidates[target]
        if constraints.visible is not None:
            informative, others = [v for v in informative if not after >> v & 1], ()
        chosen = dict.fromkeys([*first, *informative, *others])
        return tuple(chosen)[: max(size, len(required))]

    return tuple(run(choose, range(len(candidates))))
