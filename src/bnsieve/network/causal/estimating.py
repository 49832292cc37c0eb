"""Contrasts for each case of an effect, from rows.

In: an `Effect` without contrasts, and a `ContrastSource`: where its rows come from. Out: the effect
with a contrast for each two settings and each case, or an error that says why rows cannot tell;
which settings are compared; which undirected edges would settle the answer.
"""

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import replace
from itertools import combinations
from typing import Protocol

import numpy as np
from numpy.typing import NDArray
from scipy.special import chdtrc, xlogy

from bnsieve.graph import Graph, PossibleParents, check_same_nodes, possible_parents
from bnsieve.knowledge import Knowledge
from bnsieve.network.causal.contrasts import Mask, overlap
from bnsieve.network.causal.effect import SAME, Effect, EffectCase, required_adjustment
from bnsieve.network.causal.estimates import ByNetwork, Contrast, ContrastRows, contrasts
from bnsieve.network.parts import NetworkParts
from bnsieve.network.queries import distribution
from bnsieve.search import known_class
from bnsieve.table import state_order
from bnsieve.text import listed

# Of contrasts, unless an interval is asked for.
DEFAULT_LEVEL = 0.9
# A network's table is shown for settings that occur at the adjustment values of so many rows.
_LEAST_SHARE = 0.95
# Where many sets of parents are possible, contrasts take a sample of the rows, so that the answer
# takes seconds: up to so many cases all rows, beyond that so many rows in all cases together.
_CASES_OF_ALL_ROWS = 4
_ROWS_OF_CASES = 400_000
_LEAST_ROWS_OF_CASE = 10_000
# Adjustment for all causes is made if this share of the rows has overlap then.
LEAST_OVERLAP = 0.05
# The outcome differs between rows that are left out and others if chance makes this rarer.
_SURELY = 0.001


class ContrastSource(Protocol):
    """Where the rows of contrasts come from."""

    @property
    def parts(self) -> NetworkParts:
        """The network."""

    @property
    def n_rows(self) -> int:
        """Number of rows."""

    def rows(self, names: Sequence[str]) -> ContrastRows:
        """Return the rows of the subgroup in which these columns are known."""

    def has_network(self, case: EffectCase) -> bool:
        """Tell whether the network answers a case."""

    def network(self, case: EffectCase, rows: ContrastRows, names: Sequence[str]) -> ByNetwork:
        """Return what tells the network's differences for a case, adjusted for some columns."""


def rarer_state(parts: NetworkParts, name: str) -> Hashable:
    """Return the state that answers are about: the rarer of two; None if there are more.

    Of two equally frequent states it is the second.
    """
    states = parts.binned_states.get(name, ())
    if len(states) != 2:
        return None
    if parts.learned.rows is None:
        first, second = distribution(parts.discrete, name, {}).probabilities
    else:
        rows = ContrastRows.of(parts, [name], {})
        codes = rows.codes(name)
        first, second = ((codes == rows.code(name, state)).sum() for state in states)
    return states[0] if first < second else states[1]


def possible_cases(
    parts: NetworkParts, treatment: str, graph: Graph | None
) -> tuple[Graph, Sequence[tuple[str, str]], list[PossibleParents]]:
    """Return the graph that says which directions are certain, the edges that may turn, and cases.

    There is one case for each set of parents that the treatment may have.
    """
    if graph is None and parts.learned.equivalence_class is not None:
        graph = parts.learned.class_at(treatment)
        constraints = (parts.learned.knowledge or Knowledge()).resolve(parts.graph.nodes)
        v_structures_known = graph == known_class(parts.graph, constraints)
        may_turn = parts.learned.undecided_edges
    else:
        graph = parts.graph if graph is None else graph
        check_same_nodes(graph.nodes, parts.graph.nodes, "the graph", "the network")
        v_structures_known = graph.v_structures() == parts.graph.v_structures()
        may_turn = graph.undirected_edges
    found = possible_parents(
        graph, treatment, v_structures_known=v_structures_known, may_turn=may_turn
    )
    return graph, may_turn, found


def read_settings(parts: NetworkParts, treatment: Mapping[str, Hashable]) -> tuple[Hashable, ...]:
    """Return the states that a treatment is set to: the one given, or the two of a pair."""
    result: list[Hashable] = []
    for name, value in treatment.items():
        is_pair = isinstance(value, tuple) and value not in parts.binned_states.get(name, ())
        values = value if isinstance(value, tuple) and is_pair else (value,)
        states = parts.binned_states.get(name, ())
        found = [parts.in_states({name: one})[name] for one in values]
        result += [states[states.index(one)] if one in states else one for one in found]
        if is_pair and (len(values) != 2 or result[0] == result[1]):
            raise ValueError(
                f"the treatment {name!r} takes one state, or two different ones to compare "
                f"(from, to); got {value!r}."
            )
    return tuple(result)


def supported(case: EffectCase, effect: Effect, source: ContrastSource) -> EffectCase:
    """Return a case without what a prior says: NaN where a setting lacks rows."""
    adjustment = required_adjustment(case, effect.within)
    rows = source.rows([effect.treatment, *adjustment])
    values, table = rows.adjustment(adjustment, ()), case.table.copy()
    for state in table.index:
        has = rows.codes(effect.treatment) == rows.code(effect.treatment, state)
        if not len(has) or overlap(values, has, has).mean() < _LEAST_SHARE:
            table.loc[state] = np.nan
    return replace(case, table=table)


def estimated(
    effect: Effect,
    source: ContrastSource,
    pairs: Sequence[tuple[Hashable, Hashable]],
    level: float,
) -> Effect:
    """Return an effect with contrasts from the rows.

    Raises
    ------
    ValueError
        If no two settings of the treatment occur at the same adjustment values.
    """
    n_compared = sum(effect.outcome not in case.parents for case in effect.cases)
    most = max(_LEAST_ROWS_OF_CASE, _ROWS_OF_CASES // max(n_compared, 1))
    state = rarer_state(source.parts, effect.outcome)
    cases, by_set = [], dict[tuple[frozenset[str], bool], tuple[Contrast, ...]]()
    for case in effect.cases:
        if effect.outcome in case.parents:
            cases.append(case)
            continue
        names = _with_overlap(case, effect, source, pairs)
        omitted = tuple(name for name in case.adjusted_for if name not in names)
        key = frozenset(names), source.has_network(case)
        if key not in by_set:
            rows = source.rows([effect.treatment, effect.outcome, *names])
            rows = rows if n_compared <= _CASES_OF_ALL_ROWS else rows.sampled(most)
            about = rows, effect.treatment, pairs, effect.outcome, state, names, level
            by_network = source.network(case, rows, names) if key[1] else None
            by_set[key] = contrasts(*about, by_network)
        cases.append(
            replace(case, adjusted_for=names, without_overlap=omitted, contrasts=by_set[key])
        )
    caution = effect.caution
    if n_compared > _CASES_OF_ALL_ROWS and most < source.n_rows:
        caution = f"{caution} With {n_compared} cases, each is estimated from {most:,} rows."
    estimates = [one.estimate for case in cases for one in case.contrasts]
    if estimates and all(one is None for one in estimates):
        adjustment = next(case.adjusted_for for case in cases if case.contrasts)
        same = f" at the same values of {', '.join(adjustment)}" if adjustment else ""
        subgroup = "".join(f" where {name} = {state}" for name, state in effect.within.items())
        raise ValueError(
            f"no two states of {effect.treatment!r} occur{same}{subgroup}: the rows do not "
            f"show its effect on {effect.outcome!r}."
        )
    return replace(effect, cases=tuple(cases), caution=caution.strip())


def missing_in_words(effect: Effect, source: ContrastSource) -> str:
    """Say which rows contrasts leave out for missing values, by the case that leaves out most."""
    compared = [case for case in effect.cases if case.contrasts]
    every = source.rows([])
    chosen = [
        source.rows([effect.treatment, effect.outcome, *case.adjusted_for]) for case in compared
    ]
    fewest = min(chosen, key=lambda rows: rows.n, default=every)
    if fewest.n == every.n:
        return ""
    used = {effect.treatment, effect.outcome, *(v for case in compared for v in case.adjusted_for)}
    lacking = [name for name in every.table.names if name in used and every.lacks(name).any()]
    n_lost, names = every.n - fewest.n, listed(lacking)
    text = f"{n_lost:,} of {every.n:,} rows are left out for missing values of {names}."
    if every.table.entities is not None or not _differs(every, fewest.kept, effect.outcome):
        return text
    return (
        f"{text} {effect.outcome} is distributed differently in them, so that estimates from the "
        "others may be biased."
    )


def _differs(every: ContrastRows, kept: Mask, outcome: str) -> bool:
    """Tell whether an outcome surely differs between rows that are kept and others (G test)."""
    known = ~every.lacks(outcome)
    codes, is_kept = every.codes(outcome)[known], kept[every.kept][known]
    every_count = np.bincount(codes)
    kept_count = np.bincount(codes[is_kept], minlength=len(every_count))
    counts = np.array([kept_count, every_count - kept_count])[:, every_count > 0]
    if not counts.sum(axis=1).all() or counts.shape[1] < 2:
        return False
    expected = counts.sum(axis=0) * counts.sum(axis=1, keepdims=True) / counts.sum()
    statistic = 2 * float(xlogy(counts, counts / expected).sum())
    return float(chdtrc(counts.shape[1] - 1, statistic)) < _SURELY


def _with_overlap(
    case: EffectCase,
    effect: Effect,
    source: ContrastSource,
    pairs: Sequence[tuple[Hashable, Hashable]],
) -> tuple[str, ...]:
    """Return what to adjust for: the adjustment set alone if all causes leave too few rows.

    Of a treatment that is nearly a function of its causes, few rows have both settings at the same
    values of all of them.
    """
    fewest = required_adjustment(case, effect.within)

    def share(names: tuple[str, ...]) -> float:
        rows = source.rows([effect.treatment, *names])
        values, codes = rows.adjustment(names, ()), rows.codes(effect.treatment)
        arms = [[codes == rows.code(effect.treatment, state) for state in pair] for pair in pairs]
        return max((float(overlap(values, *arm).mean()) for arm in arms), default=1.0)

    if set(fewest) == set(case.adjusted_for):
        return case.adjusted_for
    return case.adjusted_for if share(case.adjusted_for) >= LEAST_OVERLAP else fewest


def pairs_of(
    settings: Sequence[Hashable], states: Sequence[Hashable]
) -> list[tuple[Hashable, Hashable]]:
    """Return the settings to compare, treated first: two as given, else each with the least."""
    if len(settings) == 2:
        return [(settings[1], settings[0])]
    ranks = state_order(states).ranks
    first, *others = states if ranks is None else [states[i] for i in np.argsort(ranks)]
    if len(settings) == 1 and settings[0] == first:
        return [(first, state) for state in others[-1:]]
    return [(state, first) for state in settings or others]


def settling(
    treatment: str,
    graph: Graph,
    parents: Sequence[tuple[str, ...]],
    answers: Sequence[NDArray[np.float64]],
) -> tuple[tuple[str, str], ...]:
    """Return as few undirected edges as it takes: their directions decide which answer holds.

    Parameters
    ----------
    treatment : str
    graph : Graph
    parents : sequence of tuple of str
        The treatment's in each case.
    answers : sequence of ndarray
        Of each case.
    """
    undirected = graph.neighbours(treatment)
    for size in range(len(undirected) + 1):
        for chosen in combinations(undirected, size):
            groups: dict[frozenset[str], NDArray[np.float64]] = {}
            for own, answer in zip(parents, answers, strict=True):
                first = groups.setdefault(frozenset(own) & set(chosen), answer)
                if np.abs(first - answer).max(initial=0.0) >= SAME:
                    break
            else:
                return tuple((treatment, name) for name in chosen)
    return tuple((treatment, name) for name in undirected)
