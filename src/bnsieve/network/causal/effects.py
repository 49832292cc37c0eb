"""The effect of setting one variable on another, for every DAG of an equivalence class.

In: a model, and the graph that says which directions are certain. Out: an `Effect`: the
distribution of the outcome under each state of the treatment, for each set of parents that the
treatment may have (IDA: Maathuis, Kalisch and Bühlmann, 2009), and the edges that would settle it.
Where there are rows, each case has contrasts that were estimated from them.
"""

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from bnsieve.graph import Graph, PossibleParents, adjustment_set, wide_adjustment_set
from bnsieve.network.causal.effect import Effect, EffectCase
from bnsieve.network.causal.effects_over_time import effect_over_time, is_over_time
from bnsieve.network.causal.estimates import ByNetwork, ContrastRows, network_answers
from bnsieve.network.causal.estimating import (
    DEFAULT_LEVEL,
    estimated,
    missing_in_words,
    pairs_of,
    possible_cases,
    read_settings,
    settling,
    supported,
)
from bnsieve.network.causal.interventions import intervened, reweighted
from bnsieve.network.discrete.evidence import Given, code_of, position_of, read_evidence
from bnsieve.network.discrete.model import Model
from bnsieve.network.intervals import FamilyCounter, checked_level, effect_ends
from bnsieve.network.parts import NetworkParts
from bnsieve.network.queries import distribution
from bnsieve.text import listed


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
    if not isinstance(treatment, str) and len(treatment) != 1:
        raise ValueError(
            f"effect sets one variable, not {len(treatment)}: do({{...}}) sets several."
        )
    if is_over_time(parts, treatment, outcome, given if not within else None):
        return effect_over_time(parts, treatment, outcome, graph=graph, within=within, level=level)
    model, seen = parts.discrete, parts.in_states(given)
    settings = () if isinstance(treatment, str) else read_settings(parts, treatment)
    if not isinstance(treatment, str):
        (treatment,) = treatment
    variable = position_of(model, treatment)
    states = settings or model.states[variable]
    codes = [code_of(model, variable, state) for state in states]
    outcome_states = model.states[position_of(model, outcome)]
    read_evidence(model, seen)
    if treatment == outcome:
        raise ValueError(f"{outcome!r} is both treatment and outcome: name two variables.")
    if parts.learned.rows is not None and len(parts.binned_states[treatment]) == 1:
        raise ValueError(
            f"{treatment!r} is {states[0]} in all rows in which it is known: these rows cannot "
            f"show its effect on {outcome!r}."
        )
    for name, role in ((treatment, "the treatment"), (outcome, "the outcome")):
        if name in seen:
            raise ValueError(f"{name!r} is both {role} and given: leave it out of one of them.")
    graph, may_turn, possible = possible_cases(parts, treatment, graph)
    cases = []
    for case in possible:
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
    tables = [case.table.to_numpy() for case in cases]
    settled_by = settling(treatment, graph, [case.parents for case in cases], tables)
    evidence, subgroup = ({}, seen) if within else (seen, {})
    effect = Effect(
        treatment, outcome, evidence, subgroup, tuple(cases), settled_by, _caution(parts)
    )
    if parts.learned.rows is not None:
        source = _FitRows(parts, effect)
        effect = replace(effect, cases=tuple(supported(case, effect, source) for case in cases))
        if not evidence:
            pairs = pairs_of(settings, parts.binned_states[treatment])
            effect = estimated(effect, source, pairs, level or DEFAULT_LEVEL)
            caution = f"{effect.caution} {missing_in_words(effect, source)}".strip()
            effect = replace(effect, caution=caution)
    return effect if level is None else with_intervals(effect, parts.counter, level)


@dataclass(frozen=True, eq=False)
class _FitRows:
    """The rows of a fit, as a `ContrastSource`."""

    parts: NetworkParts
    effect: Effect

    @property
    def n_rows(self) -> int:
        """Number of rows."""
        assert self.parts.learned.rows is not None
        return self.parts.learned.rows.n_rows

    def rows(self, names: Sequence[str]) -> ContrastRows:
        """Return the rows in which these columns are known."""
        return ContrastRows.of(self.parts, names, self.effect.within)

    def has_network(self, case: EffectCase) -> bool:
        """Tell whether the network answers a case: always."""
        return True

    def network(self, case: EffectCase, rows: ContrastRows, names: Sequence[str]) -> ByNetwork:
        """Return what tells the network's differences."""
        return network_answers(self.parts, rows, self.effect.treatment, self.effect.outcome, names)


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
