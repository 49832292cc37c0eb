"""The effect of setting one variable on another, for every DAG of an equivalence class.

In: a model, and the graph that says which directions are certain. Out: an `Effect`: the
distribution of the outcome under each state of the treatment, for each set of parents that the
treatment may have (IDA: Maathuis, Kalisch and Bühlmann, 2009), and the edges that would settle it.
Where there are rows, each case has contrasts that were estimated from them.
"""

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import replace
from itertools import combinations
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from bnsieve.graph import (
    Graph,
    PossibleParents,
    adjustment_set,
    check_same_nodes,
    possible_parents,
    wide_adjustment_set,
)
from bnsieve.knowledge import Knowledge
from bnsieve.network.causal.contrasts import overlap
from bnsieve.network.causal.effect import SAME, Effect, EffectCase, required_adjustment
from bnsieve.network.causal.estimates import Contrast, ContrastRows, contrasts
from bnsieve.network.causal.interventions import intervened, reweighted
from bnsieve.network.discrete.evidence import Given, code_of, position_of, read_evidence
from bnsieve.network.discrete.model import Model
from bnsieve.network.intervals import FamilyCounter, checked_level, effect_ends
from bnsieve.network.parts import NetworkParts
from bnsieve.network.queries import distribution
from bnsieve.search import known_class
from bnsieve.table import is_past, parse_lagged_name, state_order
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


def effect_of(
    parts: NetworkParts,
    treatment: str | Mapping[str, Hashable],
    outcome: str,
    given: Given | None,
    *,
    graph: Graph | None,
    within: Mapping[str, Hashable] | None,
    interval: float | None,
) -> Effect:
    """Return the effect of a treatment; see `bnsieve.BayesianNetwork.effect`."""
    level = checked_level(interval)
    if within and parts.learned.rows is None:
        raise ValueError("within= estimates an effect from the rows of a fit: use given= here.")
    if within and given:
        raise ValueError("give within= or given=, not both.")
    given = within or given
    model, seen = parts.discrete, parts.in_states(given)
    settings = () if isinstance(treatment, str) else _settings(parts, treatment)
    if not isinstance(treatment, str):
        if len(treatment) != 1:
            raise ValueError(
                f"effect sets one variable, not {len(treatment)}: do({{...}}) sets several."
            )
        (treatment,) = treatment
    variable = position_of(model, treatment)
    states = settings or model.states[variable]
    codes = [code_of(model, variable, state) for state in states]
    outcome_states = model.states[position_of(model, outcome)]
    read_evidence(model, seen)
    if treatment == outcome:
        raise ValueError(f"{outcome!r} is both treatment and outcome: name two variables.")
    if is_past(treatment, model.names):
        raise ValueError(
            f"{treatment!r} lies in the past, and the graph over time has no edges among past "
            "values: what to adjust for is not known. Ask for the effect within one step, of "
            f"{parse_lagged_name(treatment).variable!r}, or forecast with do= for later steps."
        )
    for name, role in ((treatment, "the treatment"), (outcome, "the outcome")):
        if name in seen:
            raise ValueError(f"{name!r} is both {role} and given: leave it out of one of them.")
    if graph is None and parts.learned.equivalence_class is not None:
        graph = parts.learned.class_at(treatment)
        constraints = (parts.learned.knowledge or Knowledge()).resolve(model.names)
        v_structures_known = graph == known_class(parts.graph, constraints)
        may_turn = parts.learned.undecided_edges
    else:
        graph = parts.graph if graph is None else graph
        check_same_nodes(graph.nodes, model.names, "the graph", "the network")
        v_structures_known = graph.v_structures() == parts.graph.v_structures()
        may_turn = graph.undirected_edges
    cases = []
    for case in possible_parents(graph, treatment, v_structures_known=v_structures_known):
        table = pd.DataFrame(
            _distributions(model, variable, outcome, seen, codes, case),
            index=pd.Index(list(states), name=treatment, tupleize_cols=False),
            columns=pd.Index(list(outcome_states), name=outcome, tupleize_cols=False),
        )
        adjustment = adjustment_set(case.dag, treatment, (outcome, *seen))
        wide = wide_adjustment_set(case.dag, treatment, outcome, may_turn)
        kept = tuple(name for name in wide if name not in (within or ()))
        cases.append(EffectCase(case.parents, adjustment, table, case.dag, kept))
    if within:
        cases = _unaffected(cases, treatment, within)
    settled_by = _settling(treatment, graph, cases)
    evidence, subgroup = ({}, seen) if within else (seen, {})
    effect = Effect(
        treatment, outcome, evidence, subgroup, tuple(cases), settled_by, _caution(parts)
    )
    if parts.learned.rows is not None:
        cases = [_supported(case, effect, parts) for case in cases]
        effect = replace(effect, cases=tuple(cases))
        if not evidence:
            pairs = _pairs(settings, parts.binned_states[treatment])
            effect = _estimated(effect, parts, pairs, level or DEFAULT_LEVEL)
    return effect if level is None else with_intervals(effect, parts.counter, level)


def _settings(parts: NetworkParts, treatment: Mapping[str, Hashable]) -> tuple[Hashable, ...]:
    """Return the states that a treatment is set to: the one given, or the two of a pair."""
    result: list[Hashable] = []
    for name, value in treatment.items():
        is_pair = isinstance(value, tuple) and value not in parts.binned_states.get(name, ())
        values = value if isinstance(value, tuple) and is_pair else (value,)
        result += [parts.in_states({name: one})[name] for one in values]
        if is_pair and (len(values) != 2 or result[0] == result[1]):
            raise ValueError(
                f"the treatment {name!r} takes one state, or two different ones to compare "
                f"(from, to); got {value!r}."
            )
    return tuple(result)


def _caution(parts: NetworkParts) -> str:
    """Say what cannot be checked because some or all rows of a fit are not at hand."""
    learned = parts.learned
    if learned.rows is None:
        if learned.equivalence_class is None:
            return ""
        return (
            "The rows were not kept: whether each setting occurs at all adjustment values is not "
            "checked, and no contrast is estimated."
        )
    if learned.rows.n_rows < learned.n_rows:
        return (
            f"Contrasts are estimated from a sample of {learned.rows.n_rows:,} of "
            f"{learned.n_rows:,} rows."
        )
    return ""


def _unaffected(
    cases: Sequence[EffectCase], treatment: str, within: Mapping[str, Hashable]
) -> list[EffectCase]:
    """Return the cases in which the treatment does not affect the variables of a subgroup."""
    possible = [
        case
        for case in cases
        if all(adjustment_set(case.dag, treatment, (name,)) is None for name in within)
    ]
    if not possible:
        raise ValueError(
            f"{treatment!r} affects {listed(map(repr, within))} in every DAG of the class: "
            "within takes variables that the treatment does not affect."
        )
    return possible


def _supported(case: EffectCase, effect: Effect, parts: NetworkParts) -> EffectCase:
    """Return a case without what a prior says: NaN where a setting lacks rows."""
    adjustment = required_adjustment(case, effect.within)
    rows = ContrastRows.of(parts, [effect.treatment, *adjustment], effect.within)
    values, table = rows.adjustment(adjustment, ()), case.table.copy()
    for state in table.index:
        has = rows.codes(effect.treatment) == rows.code(effect.treatment, state)
        if not len(has) or overlap(values, has, has).mean() < _LEAST_SHARE:
            table.loc[state] = np.nan
    return replace(case, table=table)


def _estimated(
    effect: Effect, parts: NetworkParts, pairs: Sequence[tuple[Hashable, Hashable]], level: float
) -> Effect:
    """Return an effect with contrasts from the rows.

    Raises
    ------
    ValueError
        If no two settings of the treatment occur at the same adjustment values.
    """
    assert parts.learned.rows is not None
    n_compared = sum(effect.outcome not in case.parents for case in effect.cases)
    most = max(_LEAST_ROWS_OF_CASE, _ROWS_OF_CASES // max(n_compared, 1))
    cases, by_set = [], dict[frozenset[str], tuple[Contrast, ...]]()
    for case in effect.cases:
        if effect.outcome in case.parents:
            cases.append(case)
            continue
        names = _with_overlap(case, effect, parts, pairs)
        if frozenset(names) not in by_set:
            rows = ContrastRows.of(parts, [effect.treatment, effect.outcome, *names], effect.within)
            by_set[frozenset(names)] = contrasts(
                parts,
                rows if n_compared <= _CASES_OF_ALL_ROWS else rows.sampled(most),
                effect.treatment,
                pairs,
                effect.outcome,
                names,
                level,
            )
        found = by_set[frozenset(names)]
        cases.append(replace(case, adjusted_for=names, contrasts=found))
    caution = effect.caution
    if n_compared > _CASES_OF_ALL_ROWS and most < parts.learned.rows.n_rows:
        caution = f"{caution} With {n_compared} cases, each is estimated from {most:,} rows."
    estimates = [one.estimate for case in cases for one in case.contrasts]
    if estimates and all(one is None for one in estimates):
        adjustment = next(case.adjusted_for for case in cases if case.contrasts)
        same = f" at the same values of {', '.join(adjustment)}" if adjustment else ""
        subgroup = "".join(f" where {name} = {state}" for name, state in effect.within.items())
        raise ValueError(
            f"no two states of {effect.treatment!r} occur{same}{subgroup}: the rows cannot tell "
            f"what it does to {effect.outcome!r}."
        )
    return replace(effect, cases=tuple(cases), caution=caution.strip())


def _with_overlap(
    case: EffectCase,
    effect: Effect,
    parts: NetworkParts,
    pairs: Sequence[tuple[Hashable, Hashable]],
) -> tuple[str, ...]:
    """Return what to adjust for: the adjustment set alone if all causes leave too few rows.

    Of a treatment that is nearly a function of its causes, few rows have both settings at the same
    values of all of them.
    """
    fewest = required_adjustment(case, effect.within)

    def share(names: tuple[str, ...]) -> float:
        rows = ContrastRows.of(parts, [effect.treatment, *names], effect.within)
        values, codes = rows.adjustment(names, ()), rows.codes(effect.treatment)
        arms = [[codes == rows.code(effect.treatment, state) for state in pair] for pair in pairs]
        return max((float(overlap(values, *arm).mean()) for arm in arms), default=1.0)

    if set(fewest) == set(case.adjusted_for):
        return case.adjusted_for
    return case.adjusted_for if share(case.adjusted_for) >= LEAST_OVERLAP else fewest


def _pairs(
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


def with_intervals(effect: Effect, counter: FamilyCounter, level: float) -> Effect:
    """Return an effect with intervals for each of its cases, from draws of the CPTs.

    Parameters
    ----------
    effect : Effect
    counter : FamilyCounter
        Counts the families of each case's DAG.
    level : float
    """
    cases = []
    for case in effect.cases:
        nodes = case.dag.nodes
        edges = [edge for edge in case.dag.directed_edges if edge[1] != effect.treatment]
        ends = []
        for state, answer in zip(case.table.index, case.table.to_numpy(), strict=True):
            point = np.array([float(one == state) for one in counter.states[effect.treatment]])
            settled = {nodes.index(effect.treatment): point}
            posterior = counter.posterior(Graph(nodes, edges), settled)
            given, learned = {**effect.given, **effect.within}, counter.is_graph_learned
            ends.append(effect_ends(posterior, effect.outcome, given, answer, level, learned))
        low, high = (
            pd.DataFrame(rows, index=case.table.index, columns=case.table.columns)
            for rows in zip(*ends, strict=True)
        )
        cases.append(replace(case, low=low, high=high))
    return replace(effect, cases=tuple(cases))


def _distributions(
    model: Model,
    treatment: int,
    outcome: str,
    given: Mapping[str, Any],
    codes: Sequence[int],
    case: PossibleParents,
) -> NDArray[np.float64]:
    """Return the outcome's distribution under each state, shape (n_states, n_outcome_states).

    The joint distribution of the model is used, and its edges only where they are those of the
    case: equal parents give the truncated factorisation, others the adjustment for them.
    """
    parents = [model.index[name] for name in case.parents]
    if set(parents) == set(model.parents[treatment]):
        changed = (intervened(model, {treatment: code}) for code in codes)
        answers = [distribution(network, outcome, given) for network in changed]
    else:
        widened, weight = reweighted(model, treatment, parents)
        name, states = model.names[treatment], model.states[treatment]
        settings = ({**given, name: states[code], **weight} for code in codes)
        answers = [distribution(widened, outcome, setting) for setting in settings]
    return np.array([answer.probabilities for answer in answers])


def _settling(
    treatment: str, graph: Graph, cases: Sequence[EffectCase]
) -> tuple[tuple[str, str], ...]:
    """Return as few undirected edges as it takes: their directions decide which answer holds."""
    undirected = graph.neighbours(treatment)
    tables = [case.table.to_numpy() for case in cases]
    for size in range(len(undirected) + 1):
        for chosen in combinations(undirected, size):
            groups: dict[frozenset[str], NDArray[np.float64]] = {}
            for case, table in zip(cases, tables, strict=True):
                first = groups.setdefault(frozenset(case.parents) & set(chosen), table)
                if np.abs(first - table).max(initial=0.0) >= SAME:
                    break
            else:
                return tuple((treatment, name) for name in chosen)
    return tuple((treatment, name) for name in undirected)
