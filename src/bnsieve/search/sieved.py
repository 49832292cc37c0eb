"""Candidates in, a network out: score their sets, search, sieve again, search again.

The second sieve looks at the data once more, now knowing the first network: it asks of every
variable what it would add to each target's parents. That brings in what neither a machine nor
marginal association saw, because something stronger stood before it.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from bnsieve.candidates import Candidates, lawful
from bnsieve.constraints import Constraints
from bnsieve.counts import JointCounts, count
from bnsieve.engine.local import Map
from bnsieve.origin import count_whole
from bnsieve.scores import MAX_CANDIDATES, ParentSets, Score, score_additions, score_parent_sets
from bnsieve.search.order import Network, search_orders
from bnsieve.sieve import missing_as_level
from bnsieve.table import Table


@dataclass(frozen=True)
class SearchSettings:
    """How much is scored and searched.

    Attributes
    ----------
    complete_size : int
        All parent sets up to this size are scored; larger ones are grown from the best.
    max_parents : int
    width : int
        How many sets of one size are grown further.
    n_starts, rounds_per_variable : int
        Random orders to start from, and displacements tried from each.
    n_resieves : int
        How often candidates are sought again, given the network found.
    n_additions : int
        How many new candidates a second sieve may give a variable.
    budget : int
        Most candidates per variable, except that what a second sieve finds is added at both ends.
    n_counted : int
        Where the table is a sample, most candidates per variable that all rows are counted with.
        Each more doubles the configurations or so; with ten, no edge was lost that more found.
    """

    complete_size: int = 3
    max_parents: int = 6
    width: int = 20
    n_starts: int = 2
    rounds_per_variable: int = 10
    n_resieves: int = 1
    n_additions: int = 6
    budget: int = 16
    n_counted: int = 10


def score_candidates(
    table: Table,
    candidates: Candidates,
    score: Score,
    settings: SearchSettings,
    run: Map,
    required: Sequence[Sequence[int]] | None = None,
    counted: Sequence[JointCounts] | None = None,
) -> list[ParentSets]:
    """Score every variable's parent sets, each from one joint table: the one counted, if given.

    Every set of a variable holds the candidates that are required of it.
    """

    def score_target(item: tuple[int, tuple[int, ...]]) -> ParentSets:
        target, chosen = item
        return score_parent_sets(
            count(table, (target, *chosen)) if counted is None else counted[target],
            score,
            complete_size=settings.complete_size,
            max_size=settings.max_parents,
            width=settings.width,
            required=() if required is None else required[target],
        )

    return list(run(score_target, enumerate(candidates)))


def search_network(
    table: Table,
    candidates: Candidates,
    score: Score,
    settings: SearchSettings,
    seed: int,
    run: Map,
    constraints: Constraints | None = None,
) -> tuple[Network, Candidates]:
    """Find a network of high score; return it with the candidates of the last search.

    Where the table is a sample, the last search scores all the rows that it was drawn from.
    """
    known = constraints or Constraints.none(table.n_variables)
    required = [known.required_parents(v) for v in range(table.n_variables)]
    candidates = lawful(candidates, known.allowed, required, settings.budget)
    for resieve in range(settings.n_resieves + 1):
        counted = None
        if resieve == settings.n_resieves and table.origin is not None:
            sizes = [max(settings.n_counted, len(needed)) for needed in required]
            candidates = tuple(own[:size] for own, size in zip(candidates, sizes, strict=True))
            counted = count_whole(table, candidates)
        sets = score_candidates(table, candidates, score, settings, run, required, counted)
        candidates = tuple(one.candidates for one in sets)
        network = search_orders(
            sets,
            n_starts=settings.n_starts,
            n_rounds=settings.rounds_per_variable * table.n_variables,
            seed=seed,
            run=run,
            required=known.required,
        )
        if resieve < settings.n_resieves:
            candidates = sieve_again(table, candidates, network, score, settings, run, known)
            candidates = lawful(candidates, known.allowed, required, MAX_CANDIDATES)
    return network, candidates


def sieve_again(
    table: Table,
    candidates: Candidates,
    network: Network,
    score: Score,
    settings: SearchSettings,
    run: Map,
    constraints: Constraints,
) -> Candidates:
    """Return new candidates: neighbours in the network, what would add to them, then the old."""
    codes, radices = missing_as_level(table)
    variables = np.arange(table.n_variables)
    gaps = np.isin(variables, list(table.missing))

    def additions(target: int) -> list[int]:
        known, own, missing = codes, radices, gaps
        if target in table.missing:
            known = codes[:, ~table.missing[target]].copy()
            own = radices.copy()
            own[target] -= 1
        # Only what may be a parent is looked at.
        kept = np.flatnonzero(constraints.allowed[:, target] | (variables == target))
        if constraints.visible is not None:
            near = np.union1d(constraints.visible[target], [target, *network.parents[target]])
            kept = np.intersect1d(near, kept)
        if len(kept) < table.n_variables:
            known, own, missing = known[kept], own[kept], missing[kept]
        place = {int(v): i for i, v in enumerate(kept)}
        parents = [place[v] for v in network.parents[target]]
        gains = score_additions(known, own, place[target], parents, score, missing)
        best = np.argsort(-gains, kind="stable")[: settings.n_additions]
        return [int(kept[i]) for i in best if gains[i] > 0]

    added = list(run(additions, range(table.n_variables)))
    neighbours = _neighbours(network.parents)
    own = [
        list(dict.fromkeys([*near, *new, *old]))[: settings.budget]
        for near, new, old in zip(neighbours, added, candidates, strict=True)
    ]
    for target, new in enumerate(added):
        for variable in new:
            if target not in own[variable] and len(own[variable]) < MAX_CANDIDATES:
                own[variable].append(target)
    return tuple(map(tuple, own))


def _neighbours(parents: Sequence[Sequence[int]]) -> list[list[int]]:
    joined: list[set[int]] = [set(chosen) for chosen in parents]
    for child, chosen in enumerate(parents):
        for parent in chosen:
            joined[parent].add(child)
    return [sorted(near) for near in joined]
