"""The effect of a variable some steps earlier, by the graph repeated over past steps.

In: the parts of a network over time with the rows of its fit, and a treatment such as
``valve@t-2``. Out: an `Effect`. The learned edges are copied to earlier steps; causes of the
treatment lie before it, so that rows with a longer past are put together from those of the fit.
The network's own answer starts from the past in these rows, sets the treatment, and draws the steps
up to the outcome.
"""

from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from bnsieve.graph import (
    Graph,
    PossibleParents,
    RepeatedGraph,
    adjustment_set,
    reachable,
    wide_adjustment_set,
)
from bnsieve.network.causal.contrasts import Mask
from bnsieve.network.causal.effect import Effect, EffectCase
from bnsieve.network.causal.estimates import ByNetwork, ContrastRows
from bnsieve.network.causal.estimating import (
    DEFAULT_LEVEL,
    estimated,
    pairs_of,
    possible_cases,
    read_settings,
    settling,
    supported,
)
from bnsieve.network.discrete.evidence import code_of, position_of
from bnsieve.network.parts import NetworkParts
from bnsieve.network.time.paths import Scenario, Walk, Windows, with_tables
from bnsieve.network.time.simulation import limits_of
from bnsieve.network.time.slices import Slices
from bnsieve.table import (
    AtLag,
    Table,
    earlier_in_words,
    lagged_name,
    parse_lagged_name,
    varies,
    with_longer_past,
)
from bnsieve.text import counted, listed

ASSUMPTION = (
    "This is what setting the variable would do only if edges mean causes, no unmeasured cause "
    "drives two of the variables, and the same edges hold at every step."
)
# The network's answer is the mean over so many rows, and paths from each.
_ROWS_OF_NETWORK, _PATHS = 500, 10
_SEED = 0


def changing_variables(rows: Table) -> frozenset[str]:
    """Return the variables of lagged rows that change over time.

    Those without lagged copies are static, or known ahead if they differ within an entity.
    """
    with_past = {*rows.copies.values()}
    others = [name for name in rows.names if name not in rows.copies and name not in with_past]
    if rows.entities is None or rows.steps is None:
        return frozenset(with_past)
    order = np.argsort(rows.steps, kind="stable")
    entities = rows.entities[order]
    known_ahead = set()
    for name in others:
        v = rows.names.index(name)
        known = ~rows.missing[v][order] if v in rows.missing else np.ones(rows.n_rows, dtype=bool)
        if varies(rows.codes[v][order], known, entities):
            known_ahead.add(name)
    return frozenset(with_past | known_ahead)


def is_over_time(
    parts: NetworkParts,
    treatment: str | Mapping[str, Hashable],
    outcome: str,
    given: Mapping[str, Any] | None,
) -> bool:
    """Tell whether an effect is asked for that the repeated graph answers.

    Raises
    ------
    ValueError
        If the treatment or outcome is a past value, and the rows cannot tell.
    """
    name = treatment if isinstance(treatment, str) else next(iter(treatment))
    nodes = parts.graph.nodes
    present = {parse_lagged_name(node).variable for node in nodes if parse_lagged_name(node).lag}
    present &= {*nodes}
    if not present:
        return False
    rows, at = parts.learned.rows, parse_lagged_name(name)
    has_steps = rows is not None and rows.steps is not None
    if has_steps and not given:
        return True
    if at.lag and at.variable in present:
        raise ValueError(f"{name!r} lies in the past: {_why_refused(parts, given)}")
    return False


def _why_refused(parts: NetworkParts, given: Mapping[str, Any] | None) -> str:
    rows = parts.learned.rows
    if rows is None:
        return (
            "its effect is estimated from the rows of a fit, which were not kept. Fit again, or "
            "forecast with do= for later steps."
        )
    if rows.steps is None:
        return (
            "its effect is estimated from rows that follow each other, and those at hand are a "
            "sample. Fit the rows of some entities, or forecast with do= for later steps."
        )
    return f"leave out given= ({listed(given or ())}); within= takes a subgroup."


def effect_over_time(
    parts: NetworkParts,
    treatment: str | Mapping[str, Hashable],
    outcome: str,
    *,
    graph: Graph | None,
    within: Mapping[str, Hashable] | None,
    level: float | None,
) -> Effect:
    """Return the effect of a variable at the same step or earlier ones.

    Raises
    ------
    ValueError
        If there is no such variable or state, the outcome lies before the treatment, or the rows
        cannot tell.
    """
    assert parts.learned.rows is not None
    changing = changing_variables(parts.learned.rows)
    name = treatment if isinstance(treatment, str) else next(iter(treatment))
    cause, target = (_place(parts, changing, one) for one in (name, outcome))
    if cause == target:
        raise ValueError(f"{outcome!r} is both treatment and outcome: name two variables.")
    lag = cause.lag - target.lag
    if cause.variable not in changing:
        lag = 0
    elif target.variable not in changing:
        raise ValueError(f"{outcome!r} does not change over time: nothing has an effect on it.")
    if lag < 0:
        raise ValueError(
            f"{name!r} comes after {outcome!r}: an effect takes a treatment at the same step or "
            "before."
        )
    settings: tuple[Hashable, ...] = ()
    if not isinstance(treatment, str):
        settings = read_settings(parts, {cause.variable: treatment[name]})
    for state in settings:  # refuses an unknown one
        code_of(parts.discrete, position_of(parts.discrete, cause.variable), state)
    graph, may_turn, possible = possible_cases(parts, cause.variable, graph)
    subgroup = _subgroup(parts, changing, within or {}, target.lag)
    view = _View(parts, changing, cause.variable, target.variable, lag, subgroup)
    cases = view.unaffected([view.case(one, may_turn) for one in possible])
    view = view.with_columns(cases)
    states = settings or parts.binned_states[cause.variable]
    effect = Effect(
        view.treatment,
        view.outcome,
        {},
        subgroup,
        tuple(replace(case, table=view.empty_table(states)) for case in cases),
        (),
        view.caution,
        ASSUMPTION,
    )
    view.require_rows(effect)
    pairs = pairs_of(settings, parts.binned_states[cause.variable])
    effect = estimated(effect, view, pairs, level or DEFAULT_LEVEL)
    own = [view.before(case.parents, -lag) for case in effect.cases]
    answers = [
        np.array([0.0 if one.estimate is None else one.difference for one in case.contrasts] or [0])
        for case in effect.cases
    ]
    settled_by = settling(cause.variable, graph, own, answers)
    filled = tuple(
        view.with_table(case, effect, states) if view.has_network(case) else case
        for case in effect.cases
    )
    return replace(effect, cases=filled, settled_by=settled_by)


def _place(parts: NetworkParts, changing: frozenset[str], name: str) -> AtLag:
    """Return the variable and the lag that a name means."""
    found = parse_lagged_name(name)
    if found.variable not in changing:
        found = AtLag(name, 0)
    position_of(parts.discrete, found.variable)  # refuses what is not there
    return found


def _subgroup(
    parts: NetworkParts, changing: frozenset[str], within: Mapping[str, Hashable], shift: int
) -> dict[str, Hashable]:
    """Return a subgroup with the lags that its variables have before the outcome."""
    result: dict[str, Hashable] = {}
    for name, value in within.items():
        variable, lag = _place(parts, changing, name)
        state = parts.in_states({variable: value})[variable]
        code_of(parts.discrete, position_of(parts.discrete, variable), state)
        if lag < shift:
            raise ValueError(f"{name!r} comes after the outcome: within takes earlier values")
        result[lagged_name(variable, lag - shift) if variable in changing else name] = state
    return result


@dataclass(frozen=True, eq=False)
class _View:
    """One treatment and one outcome, and the rows with a past that is long enough.

    Attributes
    ----------
    parts : NetworkParts
    changing : frozenset of str
    cause, outcome : str
        Variables; the outcome at time t.
    lag : int
        How many steps the treatment lies before the outcome.
    within : mapping from str to state
    columns : tuple of str
        The nodes whose values are asked for.
    """

    parts: NetworkParts
    changing: frozenset[str]
    cause: str
    outcome: str
    lag: int
    within: Mapping[str, Hashable]
    columns: tuple[str, ...] = ()

    @property
    def treatment(self) -> str:
        """The node that is set."""
        return lagged_name(self.cause, self.lag)

    @cached_property
    def graph(self) -> RepeatedGraph:
        """The learned DAG, repeated."""
        return RepeatedGraph(self.parts.graph, self.changing)

    @property
    def is_static(self) -> bool:
        """Whether the treatment is the same at all steps."""
        return self.cause not in self.changing

    def before(self, names: Sequence[str], steps: int) -> tuple[str, ...]:
        """Return nodes so many steps earlier."""
        return tuple(self.graph.before(name, steps) for name in names)

    def case(self, possible: PossibleParents, may_turn: Sequence[tuple[str, str]]) -> EffectCase:
        """Return what to adjust for if these are the parents of the treatment."""
        repeated = RepeatedGraph(possible.dag, self.changing)
        dag = repeated.dag(self.lag, self.treatment, self.outcome)
        turning = [
            (repeated.before(a, step), repeated.before(b, step))
            for a, b in may_turn
            for step in range(self.lag + 1)
        ]
        adjustment = adjustment_set(dag, self.treatment, (self.outcome,))
        if self.is_static and self.cause not in repeated.acting(self.outcome):
            adjustment = None
        wide = wide_adjustment_set(dag, self.treatment, self.outcome, turning)
        kept = tuple(name for name in wide if name not in self.within)
        parents = self.before(possible.parents, self.lag)
        return EffectCase(parents, adjustment, pd.DataFrame(), dag, kept)

    def unaffected(self, cases: Sequence[EffectCase]) -> list[EffectCase]:
        """Return the cases in which the treatment does not affect the subgroup's variables."""
        found = [
            case
            for case in cases
            if not reachable([self.treatment], case.dag.children).intersection(self.within)
            and self.treatment not in self.within
        ]
        if not found:
            raise ValueError(
                f"{self.treatment!r} affects {listed(map(repr, self.within))}: within takes "
                "variables that the treatment does not affect."
            )
        return found

    def with_columns(self, cases: Sequence[EffectCase]) -> "_View":
        """Return the same with the columns that these cases take."""
        names = [self.treatment, self.outcome, *self.within]
        for case in cases:
            names += [*case.parents, *(case.adjustment or ()), *case.adjusted_for]
        return replace(self, columns=tuple(dict.fromkeys(names)))

    @cached_property
    def long_rows(self) -> Table | None:
        """The rows with all of the past that causes of the treatment lie in."""
        assert self.parts.learned.rows is not None
        last = self.lag + self.graph.lags
        return with_longer_past(self.parts.learned.rows, self.columns, last)

    def require_rows(self, effect: Effect) -> None:
        """Refuse a past that no row has.

        Raises
        ------
        ValueError
        """
        needed = counted(self.lag + self.graph.lags, "step")
        if self.long_rows is None:
            raise ValueError(
                f"no row has {needed} before it, which the effect of "
                f"{earlier_in_words(self.treatment)} needs: the causes of {self.cause} are up to "
                f"{counted(self.graph.lags, 'step')} before it."
            )
        names = {one for case in effect.cases for one in case.adjusted_for}
        if not self.rows([self.treatment, self.outcome]).n:
            raise ValueError(
                f"no row with {needed} before it has values of {self.treatment}, "
                f"{listed([self.outcome, *names])}."
            )

    @property
    def caution(self) -> str:
        """Say from how many of the rows contrasts are estimated."""
        assert self.parts.learned.rows is not None
        if self.long_rows is None or self.lag == 0:
            return ""
        n, n_all = self.long_rows.n_rows, self.parts.learned.rows.n_rows
        if n == n_all:
            return ""
        steps = counted(self.lag + self.graph.lags, "step")
        return f"Contrasts are estimated from the {n:,} of {n_all:,} rows with {steps} before them."

    @property
    def n_rows(self) -> int:
        """Number of rows."""
        return 0 if self.long_rows is None else self.long_rows.n_rows

    def rows(self, names: Sequence[str]) -> ContrastRows:
        """Return the rows of the subgroup in which these columns are known."""
        assert self.long_rows is not None
        return ContrastRows.of_table(self.long_rows, names, self.within, self.lag)

    def has_network(self, case: EffectCase) -> bool:
        """Tell whether a case is that of the network's own DAG, from which paths are drawn."""
        own = self.before(self.parts.graph.parents(self.cause), self.lag)
        return not self.is_static and set(case.parents) == set(own)

    def network(self, case: EffectCase, rows: ContrastRows, names: Sequence[str]) -> ByNetwork:
        """Return what tells the network's differences on rows with overlap."""

        def answer(
            settings: tuple[Hashable, Hashable], with_overlap: Mask
        ) -> Callable[[Hashable], float | None]:
            kept = np.zeros(self.n_rows, dtype=np.bool_)
            kept[np.flatnonzero(rows.kept)[with_overlap]] = True
            used = kept[self._drawn_from]
            if not used.any():
                return lambda _: None
            treated, control = (self._expected(state)[used] for state in settings)

            moved = (treated - control).mean(axis=0)

            def difference(state: Hashable) -> float:
                if state is not None:
                    return float(moved[self.parts.binned_states[self.outcome].index(state)])
                if self.outcome in self.parts.numbers:
                    return float(moved[0])
                return float(moved @ self._means_of_bins)

            return difference

        return answer

    def empty_table(self, states: Sequence[Hashable]) -> pd.DataFrame:
        """Return a table in which nothing is known."""
        columns = self.parts.binned_states[self.outcome]
        return pd.DataFrame(
            np.nan,
            index=pd.Index(list(states), name=self.treatment, tupleize_cols=False),
            columns=pd.Index(list(columns), name=self.outcome, tupleize_cols=False),
        )

    def with_table(
        self, case: EffectCase, effect: Effect, states: Sequence[Hashable]
    ) -> EffectCase:
        """Return a case with the network's distribution of the outcome under each setting."""
        table = self.empty_table(states)
        for place, state in enumerate(states):
            expected = self._expected(state).mean(axis=0)
            table.iloc[place] = expected[-table.shape[1] :]
        found = replace(case, table=table)
        return found if case.adjustment is None else supported(found, effect, self)

    @cached_property
    def _drawn_from(self) -> NDArray[np.intp]:
        """The rows that the network's answer is the mean over."""
        rng = np.random.default_rng(_SEED)
        return np.sort(rng.permutation(self.n_rows)[:_ROWS_OF_NETWORK])

    @cached_property
    def _walks(self) -> tuple[Slices, Windows]:
        """The network as slices, and the past of the treatment in each of these rows."""
        assert self.parts.learned.rows is not None
        place, with_past = self.graph.place, {*self.parts.learned.rows.copies.values()}
        present = [name for name in self.parts.graph.nodes if place(name).lag == 0]
        slices = Slices.of(
            self.parts,
            place,
            [name for name in present if name not in self.changing],
            [name for name in present if name in self.changing and name not in with_past],
        )
        first = self.lag + slices.n_lags

        rows = with_longer_past(
            self.parts.learned.rows,
            self.graph.unrolled(self.lag).nodes,
            self.lag + self.graph.lags,
            self._drawn_from,
        )
        assert rows is not None

        def over(variable: str, last: int) -> NDArray[Any]:
            lags = range(first, last - 1, -1)
            every = [self._values(rows, lagged_name(variable, lag)) for lag in lags]
            return np.stack(every, axis=1)

        windows = Windows(
            tuple(range(len(self._drawn_from))),
            {name: over(name, self.lag + 1) for name in slices.order},
            {name: self._values(rows, name) for name in slices.static},
            {name: over(name, 0) for name in slices.known},
        )
        return slices, windows

    def _values(self, rows: Table, name: str) -> NDArray[Any]:
        """Return numbers or codes of a column, as the network's paths take them."""
        v, variable = rows.names.index(name), self.graph.place(name).variable
        if variable in self.parts.numbers:
            return np.asarray(rows.numbers[v], dtype=np.float64)
        states = self.parts.binned_states[variable]
        codes = np.array([states.index(one) for one in rows.categories[v]], dtype=np.intp)
        values = codes[rows.codes[v]]
        return np.where(rows.missing[v], -1, values) if v in rows.missing else values

    @cached_property
    def _means_of_bins(self) -> NDArray[np.float64]:
        """The mean number in each bin of a numeric outcome that the network has bins of."""
        rows = self.rows([self.outcome])
        codes, numbers = rows.codes(self.outcome), rows.numbers(self.outcome)
        bins = [codes == rows.code(self.outcome, s) for s in self.parts.binned_states[self.outcome]]
        return np.array([numbers[own].mean() if own.any() else 0.0 for own in bins])

    @cached_property
    def _answers(self) -> dict[Hashable, NDArray[np.float64]]:
        return {}

    def _expected(self, state: Hashable) -> NDArray[np.float64]:
        """Return what the network expects of the outcome in each row, if the treatment is set.

        One column per state; of a numeric outcome the mean first, then its bins.
        """
        if state not in self._answers:
            slices, windows = self._walks
            put = {(self.cause, 1): self._setting(state)}
            model, limits = with_tables(self.parts.mixed), limits_of(slices)
            walk = Walk(slices, model, windows, limits, _PATHS, _SEED)
            paths = walk.forecast(self.lag + 1, Scenario(put))
            self._answers[state] = (
                paths.shares[self.outcome][-1]
                if self.outcome not in self.parts.numbers
                else self._by_bins(paths.draws[self.outcome][-1])
            )
        return self._answers[state]

    def _setting(self, state: Hashable) -> float:
        """Return the code of a state, or the mean number in a bin."""
        code = self.parts.binned_states[self.cause].index(state)
        if self.cause not in self.parts.numbers:
            return code
        rows = self.rows([self.treatment])
        inside = rows.codes(self.treatment) == rows.code(self.treatment, state)
        numbers = rows.numbers(self.treatment)
        return float(numbers[inside].mean() if inside.any() else numbers.mean())

    def _by_bins(self, draws: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the mean of drawn numbers in each row, and the share of each bin."""
        rows = self.rows([self.outcome])
        codes, numbers = rows.codes(self.outcome), rows.numbers(self.outcome)
        states = self.parts.binned_states[self.outcome]
        codes_of = [rows.code(self.outcome, state) for state in states]
        met = [code for code in codes_of if (codes == code).any()]
        means = np.array([numbers[codes == code].mean() for code in met])
        order = np.argsort(means)
        lows = np.array([numbers[codes == met[i]].min() for i in order])
        bins = np.searchsorted(lows[1:], draws, side="right")
        shares = np.zeros((len(draws), 1 + len(states)))
        shares[:, 0] = draws.mean(axis=1)
        for place, i in enumerate(order.tolist()):
            shares[:, 1 + codes_of.index(met[i])] = (bins == place).mean(axis=1)
        return shares
