"""The effect of setting one variable on another, for every DAG of an equivalence class.

In: a model, and the graph that says which directions are certain. Out: an `Effect`: the
distribution of the outcome under each state of the treatment, for each set of parents that the
treatment may have (IDA: Maathuis, Kalisch and Bühlmann, 2009), and the edges that would settle it.
Where there are rows, each case has contrasts that were estimated from them.
"""

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import combinations
from typing import Any, Literal

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
from bnsieve.network.causal.estimates import Contrast, ContrastRows, contrasts
from bnsieve.network.causal.interventions import intervened, reweighted
from bnsieve.network.discrete.evidence import Given, code_of, position_of, read_evidence
from bnsieve.network.discrete.model import Model
from bnsieve.network.intervals import FamilyCounter, checked_level, effect_ends
from bnsieve.network.parts import NetworkParts
from bnsieve.network.queries import distribution
from bnsieve.search import known_class
from bnsieve.table import state_order
from bnsieve.text import listed

ASSUMPTION = (
    "This is what setting the variable would do only if edges mean causes and no unmeasured cause "
    "drives two of the variables."
)
# Effects that differ by less are the same: what is left are errors of rounding.
_SAME = 1e-9
# Of contrasts, unless an interval is asked for.
DEFAULT_LEVEL = 0.9
# A network's table is shown for settings that occur at the adjustment values of so many rows.
_LEAST_SHARE = 0.95
# Where many sets of parents are possible, contrasts take a sample of the rows, so that the answer
# takes seconds: up to so many cases all rows, beyond that so many rows in all cases together.
_CASES_OF_ALL_ROWS = 4
_ROWS_OF_CASES = 400_000
_LEAST_ROWS_OF_CASE = 10_000
# Of more cases, the lowest and the highest are printed.
_CASES_SHOWN = 6
# Adjustment for all causes is made if this share of the rows has overlap then.
LEAST_OVERLAP = 0.05


@dataclass(frozen=True, eq=False)
class EffectCase:
    """The effect if the treatment has these parents.

    Attributes
    ----------
    parents : tuple of str
        Of the treatment.
    adjustment : tuple of str or None
        The adjustment set: as few of the parents as block every back-door path. None if no
        directed path leads from treatment to outcome, so that this DAG implies no effect.
    table : DataFrame
        The network's answer (g-formula): one row per state that the treatment is set to, one
        column per state of the outcome. NaN where the state hardly ever occurs at the adjustment
        values of some rows.
    dag : Graph
        A DAG in which these are the parents.
    adjusted_for : tuple of str
        What the contrasts are adjusted for: all causes of the treatment, and those of the outcome
        that it does not affect. If the graph is right, fewer would do; so one missing edge does
        not bias the estimates (the disjunctive cause criterion: VanderWeele and Shpitser, 2011).
    contrasts : tuple of Contrast
        Estimates from the rows of a fit.
    low, high : DataFrame or None
        Ends of an interval for each number of `table`, if one was asked for.
    """

    parents: tuple[str, ...]
    adjustment: tuple[str, ...] | None
    table: pd.DataFrame
    dag: Graph
    adjusted_for: tuple[str, ...] = ()
    contrasts: tuple[Contrast, ...] = ()
    low: pd.DataFrame | None = None
    high: pd.DataFrame | None = None


@dataclass(frozen=True, eq=False, repr=False)
class Effect:
    """The distribution of a variable if another were set.

    Attributes
    ----------
    treatment, outcome : str
        The variable that is set, and the one whose distribution is asked for.
    given : mapping from str to state
        Evidence that is seen under the intervention.
    within : mapping from str to state
        The subgroup that the effect is about; empty for everybody.
    cases : tuple of EffectCase
        One for each set of parents of the treatment that data and knowledge leave open.
    settled_by : tuple of (str, str)
        Undirected edges whose directions, once known, would leave one answer. Empty if there is
        only one.
    caution : str
        What the rows at hand leave unchecked; empty if nothing.
    assumption : str
    """

    treatment: str
    outcome: str
    given: Mapping[str, Any]
    within: Mapping[str, Hashable]
    cases: tuple[EffectCase, ...]
    settled_by: tuple[tuple[str, str], ...] = ()
    caution: str = ""
    assumption: str = field(default=ASSUMPTION, repr=False)

    @property
    def is_settled(self) -> bool:
        """Whether all cases give the same answer, but for what the rows leave uncertain."""
        return not self.settled_by

    @property
    def low(self) -> pd.DataFrame:
        """The smallest probability over all cases, or lower end, as `EffectCase.table`."""
        return self._bound(np.min, "low")

    @property
    def high(self) -> pd.DataFrame:
        """The largest probability over all cases, or upper end, as `EffectCase.table`."""
        return self._bound(np.max, "high")

    @property
    def table(self) -> pd.DataFrame:
        """The one answer, as `EffectCase.table`.

        Raises
        ------
        ValueError
            If the cases differ.
        """
        if not self.is_settled:
            edges = ", ".join(f"{a} - {b}" for a, b in self.settled_by)
            raise ValueError(
                f"the effect of {self.treatment} on {self.outcome} is not settled: read low and "
                f"high, or say in knowledge how these are directed: {edges}."
            )
        return self.cases[0].table

    def _bound(self, choose: Any, end: Literal["low", "high"]) -> pd.DataFrame:
        tables = [
            case.table if getattr(case, end) is None else getattr(case, end) for case in self.cases
        ]
        values = choose([table.to_numpy() for table in tables], axis=0)
        return pd.DataFrame(values, index=tables[0].index, columns=tables[0].columns)

    def to_frame(self) -> pd.DataFrame:
        """Return the contrasts of all cases, one row each; empty without the rows of a fit."""
        return pd.DataFrame(
            [
                {
                    "parents": case.parents,
                    "adjustment": case.adjustment,
                    "adjusted_for": case.adjusted_for,
                    **contrast.to_dict(),
                }
                for case in self.cases
                for contrast in case.contrasts
            ]
        )

    def to_dict(self) -> dict[str, Any]:
        """Return plain values, for JSON."""
        return {
            "treatment": self.treatment,
            "outcome": self.outcome,
            "given": {name: str(value) for name, value in self.given.items()},
            "within": {name: str(value) for name, value in self.within.items()},
            "settled": self.is_settled,
            "settled_by": [list(edge) for edge in self.settled_by],
            "caution": self.caution,
            "assumption": self.assumption,
            "cases": [
                {
                    "parents": list(case.parents),
                    "adjustment": None if case.adjustment is None else list(case.adjustment),
                    "adjusted_for": list(case.adjusted_for),
                    "contrasts": [contrast.to_dict() for contrast in case.contrasts],
                    "probabilities": _plain(case.table),
                    "low": _plain(case.low),
                    "high": _plain(case.high),
                }
                for case in self.cases
            ],
        }

    def __repr__(self) -> str:
        return str(self)

    def __str__(self) -> str:
        title = f"effect of {self.treatment} on {self.outcome}"
        for word, states in (("given", self.given), ("within", self.within)):
            if states:
                shown = ", ".join(f"{name} = {_shown(value)}" for name, value in states.items())
                title += f", {word} {shown}"
        levels = {contrast.level for case in self.cases for contrast in case.contrasts}
        title += "".join(f", {level:.0%} intervals" for level in levels)
        lines = [
            title,
            *(self._estimated() if any(c.contrasts for c in self.cases) else self._by_network()),
        ]
        if not self.is_settled:
            edges = ", ".join(f"{a} - {b}" for a, b in self.settled_by)
            lines.append(f"Settled by the direction of {edges}.")
        return "\n".join([*lines, *filter(None, [self.caution]), self.assumption])

    def _estimated(self) -> list[str]:
        cases = self.cases[:1] if self.is_settled else self._shown_cases()
        lines = []
        if len(self.cases) > len(cases) > 1:
            lines.append(f"  {len(self.cases)} cases are possible; the lowest and the highest:")
        for case in cases:
            if not self.is_settled:
                causes = ", ".join(case.parents) or "nothing"
                lines.append(f"  if {causes} caused {self.treatment}:")
            indent = "  " if self.is_settled else "    "
            lines += [indent + line for line in self._case_in_words(case)]
        return lines

    def _shown_cases(self) -> tuple[EffectCase, ...]:
        """Return all cases, or of many those with the lowest and the highest first contrast."""
        if len(self.cases) <= _CASES_SHOWN:
            return self.cases
        by_size = sorted(
            self.cases, key=lambda case: case.contrasts[0].difference if case.contrasts else 0.0
        )
        return by_size[0], by_size[-1]

    def _case_in_words(self, case: EffectCase) -> list[str]:
        if self.outcome in case.parents:
            return [f"{self.outcome} is then a cause of {self.treatment}: no effect on it"]
        compared = [contrast.compared(self.outcome) for contrast in case.contrasts]
        width = max(map(len, compared), default=0)
        is_only = self.is_settled and len(compared) == 1
        lines = []
        for title, contrast in zip(compared, case.contrasts, strict=True):
            lines.append(f"{title.ljust(width)}  {contrast.in_words()}")
            if is_only:
                lines += [f"  {detail}" for detail in contrast.details()]
        lines += _populations(case.contrasts)
        if case.adjustment is not None:
            needed = _required(case, self.within)
            more = [name for name in case.adjusted_for if name not in needed]
            text = _adjustment_in_words(needed)
            return [*lines, f"{text}; adjusted for {', '.join(more)} too" if more else text]
        names = f"from {self.treatment} to {self.outcome}"
        lines.append(f"the graph has no directed path {names}, so it implies no effect")
        lines.append(f"estimates are adjusted for {', '.join(case.adjusted_for) or 'nothing'}")
        if any(contrast.contradicts_zero for contrast in case.contrasts):
            lines.append("the data contradict the graph here")
        return lines

    def _by_network(self) -> list[str]:
        low, high = self.low.to_numpy(), self.high.to_numpy()
        cells = [[f"{self.outcome} =", *map(str, self.low.columns)]]
        for state, least, most in zip(self.low.index, low, high, strict=True):
            shown = [
                f"{a:.4f}" if b - a < _SAME else f"{a:.4f} to {b:.4f}"
                for a, b in zip(least, most, strict=True)
            ]
            cells.append([f"do({self.treatment} = {state})", *shown])
        widths = [max(len(line[i]) for line in cells) for i in range(len(cells[0]))]
        lines = [
            "  " + "  ".join(cell.ljust(n) for cell, n in zip(line, widths, strict=True)).rstrip()
            for line in cells
        ]
        if self.is_settled:
            # Cases that agree may have different adjustment sets; the largest serves all of them.
            largest = max(
                (case.adjustment for case in self.cases), key=lambda names: len(names or ())
            )
            words = _adjustment_in_words(largest)
            return [*lines, f"{words[0].upper()}{words[1:]}."]  # names keep their capitals
        for case in self.cases:
            causes = ", ".join(case.parents) or "nothing"
            lines.append(
                f"  if {causes} caused {self.treatment}: {'; '.join(_spread(self, case))} "
                f"({_adjustment_in_words(case.adjustment)})"
            )
        return lines


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


def _required(case: EffectCase, within: Mapping[str, Hashable]) -> tuple[str, ...]:
    """Return the adjustment set, or the parents where there is none, without a subgroup's."""
    names = case.parents if case.adjustment is None else case.adjustment
    return tuple(name for name in names if name not in within)


def _supported(case: EffectCase, effect: Effect, parts: NetworkParts) -> EffectCase:
    """Return a case without what a prior says: NaN where a setting lacks rows."""
    adjustment = _required(case, effect.within)
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
    fewest = _required(case, effect.within)

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
                if np.abs(first - table).max(initial=0.0) >= _SAME:
                    break
            else:
                return tuple((treatment, name) for name in chosen)
    return tuple((treatment, name) for name in undirected)


def _spread(effect: Effect, case: EffectCase) -> list[str]:
    """Show the first column of a table: one probability for each state that is set."""
    state = case.table.columns[0]
    shown = case.table[state].items()
    return [
        f"P({effect.outcome} = {state}) {value:.4f} under {setting}" for setting, value in shown
    ]


def _plain(table: pd.DataFrame | None) -> dict[str, dict[str, float]] | None:
    if table is None:
        return None
    known = (
        table.rename(index=str, columns=str).astype(object).where(table.notna().to_numpy(), None)
    )
    plain: Any = known.to_dict("index")
    return dict(plain)


def _populations(compared: Sequence[Contrast]) -> list[str]:
    """Say which rows contrasts are about: once if all are about the same."""
    distinct = list(dict.fromkeys(one.population for one in compared))
    if len(distinct) <= 1:
        return [text for text in distinct if text]
    settings = dict.fromkeys((one.settings, one.population) for one in compared)
    return [f"{name}: {text or 'about all rows'}" for name, text in settings]


def _adjustment_in_words(adjustment: tuple[str, ...] | None) -> str:
    if adjustment is None:
        return "no directed path leads there, so the graph implies no effect"
    return f"adjustment set: {', '.join(adjustment) or 'empty'}"


def _shown(value: Any) -> str:
    return "likelihoods" if isinstance(value, Mapping) else str(value)
