"""Contrasts of an effect from the rows of a fit, beside those of its network.

In: the parts of a network that has rows, a treatment's two settings, an outcome and an adjustment
set. Out: one `Contrast` for each state of the outcome, or one for a numeric outcome, over the rows
in which both settings occur: never extrapolated to others.
"""

from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bnsieve.network.causal.contrasts import (
    Adjustment,
    Estimate,
    Mask,
    Numbers,
    doubly_robust,
    e_value,
    numbered,
    population,
    quantile_of,
    robustness_value,
    support,
)
from bnsieve.network.causal.slopes import slope, varying
from bnsieve.network.discrete.rows import row_margins
from bnsieve.network.parts import NetworkParts
from bnsieve.table import Table

# So many standard errors apart, two numbers disagree: one case in 370 by chance.
_BEYOND_ERRORS = 3.0
# Numbers that differ by less, relative to their size, are the same.
_ROUNDING = 1e-9


@dataclass(frozen=True, eq=False)
class Contrast:
    """What one setting of a treatment does to an outcome, compared with another.

    Attributes
    ----------
    treated, control : state or None
        The two settings; None for a change per unit of a numeric treatment.
    state : state or None
        Of the outcome; None for the mean of a numeric outcome.
    estimate : Estimate or None
        The doubly robust one; None if there is no overlap.
    network : float or None
        The same difference by the network (g-formula), on the same rows.
    share : float
        Of the rows, those whose adjustment values occur with both settings.
    where : str
        Which rows these are, if one adjustment variable tells: "plan = pro".
    level : float
        Of the intervals.
    """

    treated: Hashable
    control: Hashable
    state: Hashable
    estimate: Estimate | None
    network: float | None
    share: float
    where: str
    level: float

    @property
    def difference(self) -> float:
        """The risk difference, difference of means, or change per unit; NaN without overlap."""
        return np.nan if self.estimate is None else self.estimate.difference

    @property
    def low(self) -> float:
        """The lower end of the difference's interval."""
        return self._ends[0]

    @property
    def high(self) -> float:
        """The upper end of the difference's interval."""
        return self._ends[1]

    @property
    def _ends(self) -> tuple[float, float]:
        """The interval; that of a difference of risks ends at 100 points."""
        if self.estimate is None:
            return np.nan, np.nan
        low, high = self.estimate.interval(self.level)
        is_of_risks = self.state is not None and self.treated is not None
        return (max(low, -1.0), min(high, 1.0)) if is_of_risks else (low, high)

    @property
    def excludes_zero(self) -> bool:
        """Whether the interval is on one side of no effect."""
        return self.low > 0 or self.high < 0

    @property
    def contradicts_zero(self) -> bool:
        """Whether no effect is far outside what errors allow."""
        return self.estimate is not None and abs(self.difference) > (
            _BEYOND_ERRORS * self.estimate.error
        )

    @property
    def ratio(self) -> tuple[float, float, float] | None:
        """The risk ratio and its interval, of categories."""
        return self._ratio(odds=False)

    @property
    def odds_ratio(self) -> tuple[float, float, float] | None:
        """The odds ratio and its interval, of categories."""
        return self._ratio(odds=True)

    def _ratio(self, *, odds: bool) -> tuple[float, float, float] | None:
        one = self.estimate
        if one is None or np.isnan(error := one.log_odds_error if odds else one.log_ratio_error):
            return None
        treated, control = (p / (1 - p) if odds else p for p in (one.treated, one.control))
        reach = np.exp(quantile_of(self.level) * error)
        ratio = treated / control
        return ratio, ratio / reach, ratio * reach

    @property
    def agrees(self) -> bool:
        """Whether network and rows give the same but for errors."""
        if self.estimate is None or self.network is None:
            return True
        off = abs(self.network - self.difference) - _BEYOND_ERRORS * self.estimate.error
        return off <= _ROUNDING * max(abs(self.difference), 1.0)

    def compared(self, outcome: str) -> str:
        """Return what is compared: "yes against no, churn = yes"."""
        return f"{self.settings}, {outcome}" + ("" if self.state is None else f" = {self.state}")

    @property
    def settings(self) -> str:
        """The two settings, in words."""
        return "per unit" if self.treated is None else f"{self.treated} against {self.control}"

    def in_words(self) -> str:
        """Return the difference with its interval, and the network's."""
        if self.estimate is None:
            return "no overlap: the rows cannot tell"
        text = f"{self._shown(self.difference)}{self._unit} [{self._shown(self.low)}, "
        text += f"{self._shown(self.high)}]"
        if self.network is None:
            return text
        text += f", network {self._shown(self.network)}"
        return text if self.agrees else f"{text}, which does not fit the rows here"

    @property
    def population(self) -> str:
        """Which rows the contrast is about; empty if all."""
        if self.estimate is None or self.share == 1:
            return ""
        which = f" ({self.where})" if self.where else ""
        return f"about the {share_in_words(self.share)} of rows with overlap{which}"

    def details(self) -> list[str]:
        """Return risks and ratios, the source of the estimate, and its sensitivity."""
        if (one := self.estimate) is None:
            return []
        lines = []
        if self.ratio is not None and self.odds_ratio is not None:
            lines.append(
                f"{one.treated:.1%} against {one.control:.1%}; risk ratio "
                f"{_interval(self.ratio)}, odds ratio {_interval(self.odds_ratio)}"
            )
        lines.append(f"doubly robust, from {one.n_rows:,} rows")
        return [*lines, self.sensitivity] if self.excludes_zero else lines

    @property
    def _unit(self) -> str:
        return "" if self.state is None else " points"

    def _shown(self, value: float) -> str:
        if self.state is None:
            return f"{value:+.4g}"
        return f"{100 * value:+.4g}" if self.treated is None else f"{100 * value:+.1f}"

    def to_dict(self) -> dict[str, Any]:
        """Return plain values, for JSON."""
        one = self.estimate
        return {
            "treated": None if self.treated is None else str(self.treated),
            "control": None if self.control is None else str(self.control),
            "state": None if self.state is None else str(self.state),
            "difference": None if one is None else self.difference,
            "low": None if one is None else self.low,
            "high": None if one is None else self.high,
            "level": self.level,
            "risk_ratio": None if self.ratio is None else list(self.ratio),
            "odds_ratio": None if self.odds_ratio is None else list(self.odds_ratio),
            "network": self.network,
            "share": self.share,
            "where": self.where,
            "n_rows": 0 if one is None else one.n_rows,
        }

    @property
    def sensitivity(self) -> str:
        """How strong a hidden common cause would have to be to explain the effect away."""
        if self.estimate is None:
            return ""
        if self.ratio is not None:
            ratio, low, high = self.ratio
            point, end = e_value(ratio, low if ratio > 1 else high)
            return (
                f"a hidden common cause would need risk ratios of {point:.1f} with both to "
                f"explain this away, {end:.1f} to move the interval to no effect"
            )
        point, end = robustness_value(self.estimate, self.level)
        return (
            f"a hidden common cause would need to explain {point:.0%} of the residual variance "
            f"of both to explain this away, {end:.0%} to move the interval to no effect"
        )


@dataclass(frozen=True, eq=False)
class ContrastRows:
    """The rows of a fit that have all the values asked for.

    Attributes
    ----------
    table : Table
        All rows.
    kept : ndarray of bool
        Those without missing values, in the subgroup.
    within : mapping from str to state
        What the rows of the subgroup have in common.
    reach : int
        How many steps lie between treatment and outcome, where rows are in order of time.
    """

    table: Table
    kept: Mask
    within: Mapping[str, Hashable]
    reach: int = 0

    @classmethod
    def of(
        cls, parts: NetworkParts, names: Sequence[str], within: Mapping[str, Hashable]
    ) -> "ContrastRows":
        """Return the rows of a network's fit in which these columns are known."""
        assert parts.learned.rows is not None
        return cls.of_table(parts.learned.rows, names, within)

    @classmethod
    def of_table(
        cls, table: Table, names: Sequence[str], within: Mapping[str, Hashable], reach: int = 0
    ) -> "ContrastRows":
        """Return the rows of a table in which these columns are known."""
        every = cls(table, np.ones(table.n_rows, dtype=np.bool_), {})
        kept = every.kept.copy()
        for name in {*names, *within}:
            if (missing := table.missing.get(table.names.index(name))) is not None:
                kept &= ~missing
        for name, state in within.items():
            kept &= every.codes(name) == every.code(name, state)
        return cls(table, kept, within, reach)

    @property
    def n(self) -> int:
        """Number of rows kept."""
        return int(self.kept.sum())

    def lacks(self, name: str) -> Mask:
        """Return which of the rows kept have no value of a variable."""
        missing = self.table.missing.get(self._place(name))
        return np.zeros(self.n, dtype=np.bool_) if missing is None else missing[self.kept]

    def sampled(self, n_rows: int) -> "ContrastRows":
        """Return so many of the rows, or all if there are fewer."""
        if self.n <= n_rows:
            return self
        chosen = np.random.default_rng(0).permutation(self.n)[:n_rows]
        kept = np.zeros_like(self.kept)
        kept[np.flatnonzero(self.kept)[chosen]] = True
        return replace(self, kept=kept)

    def _place(self, name: str) -> int:
        return self.table.names.index(name)

    def code(self, name: str, state: Hashable) -> int:
        """Return a state's code; one that no row has if it is not in the rows."""
        categories = self.table.categories[self._place(name)]
        return categories.index(state) if state in categories else len(categories)

    def codes(self, name: str) -> NDArray[np.int64]:
        """Return the states of a variable, bins of a numeric one."""
        return np.asarray(self.table.codes[self._place(name)][self.kept], dtype=np.int64)

    def numbers(self, name: str) -> Numbers:
        """Return the numbers of a variable."""
        return np.asarray(self.table.numbers[self._place(name)][self.kept], dtype=np.float64)

    @property
    def numeric(self) -> tuple[str, ...]:
        """The variables that have numbers, even if the network has bins only."""
        return tuple(self.table.names[v] for v in sorted(self.table.numbers))

    def adjustment(self, names: Sequence[str], numeric: Sequence[str]) -> Adjustment:
        """Return the values of an adjustment set."""
        codes = np.array([self.codes(name) for name in names], dtype=np.int64)
        numbers = np.array([self.numbers(name) for name in names if name in numeric])
        entities, steps = (
            None if own is None else own[self.kept]
            for own in (self.table.entities, self.table.steps)
        )
        shaped = codes.reshape(len(names), self.n), numbers.reshape(-1, self.n)
        return Adjustment(*shaped, entities, steps, self.reach)

    def targets(self, outcome: str, state: Hashable) -> list[tuple[Hashable, Numbers]]:
        """Return what a contrast is about: numbers, or the indicator of a state; None: of all."""
        if outcome in self.numeric:
            return [(None, self.numbers(outcome))]
        codes = self.codes(outcome)
        states = self.table.categories[self._place(outcome)] if state is None else (state,)
        return [(one, (codes == self.code(outcome, one)).astype(np.float64)) for one in states]

    def where(self, supported: Mask, names: Sequence[str]) -> str:
        """Describe some rows by an adjustment variable; empty if none tells them from others."""

        def named(name: str) -> Callable[[NDArray[np.intp], NDArray[np.intp]], str]:
            states = self.table.categories[self._place(name)]
            return lambda inside, present: f"{name} {_states_in_words(states, inside, present)}"

        codes = np.array([self.codes(name) for name in names])
        return population(supported, codes, [named(name) for name in names])


def _states_in_words(
    states: Sequence[Hashable], inside: NDArray[np.intp], present: NDArray[np.intp]
) -> str:
    """Describe some of the states that occur: ``= a or b``, or ``<= 11`` of numbers in a row."""
    if len(inside) > 2 and all(isinstance(states[code], int | float) for code in present):
        # Numbers are sorted.
        places = np.searchsorted(present, inside)
        if np.ptp(places) == len(places) - 1:
            low, high = states[inside[0]], states[inside[-1]]
            if places[0] == 0:
                return f"<= {high}"
            return f">= {low}" if places[-1] == len(present) - 1 else f"from {low} to {high}"
    *first, last = (str(states[code]) for code in inside)
    return "= " + " or ".join(filter(None, [", ".join(first), last]))


# From two settings and the rows with overlap to the network's difference for each state.
ByNetwork = Callable[[tuple[Hashable, Hashable], Mask], Callable[[Hashable], float | None]]


def contrasts(
    rows: ContrastRows,
    treatment: str,
    pairs: Sequence[tuple[Hashable, Hashable]],
    outcome: str,
    state: Hashable,
    adjustment: Sequence[str],
    level: float,
    by_network: ByNetwork | None,
) -> tuple[Contrast, ...]:
    """Return the contrast of each pair of settings for a state of the outcome; None: for each.

    A numeric treatment has its change per unit first. Rows that lack one of the values are left
    out.
    """
    found: list[Contrast] = []
    targets = rows.targets(outcome, state)
    if treatment in rows.numeric:
        found += _per_unit(rows, treatment, adjustment, targets, level)
    for treated, control in pairs:
        arms = [rows.codes(treatment) == rows.code(treatment, one) for one in (treated, control)]
        every = rows.adjustment(adjustment, rows.numeric)
        compared = support(every, *arms)
        supported, share = compared.rows, compared.share
        where = rows.where(supported, adjustment) if 0 < share < 1 else ""
        kept = every.at(supported)
        expected = by_network((treated, control), supported) if share and by_network else None
        treated_rows, control_rows = (arm[supported] for arm in arms)
        for state, values in targets:
            estimate = network = None
            if share:
                estimate = doubly_robust(
                    kept, treated_rows, control_rows, values[supported], compared.chances
                )
                network = None if expected is None else expected(state)
            found.append(Contrast(treated, control, state, estimate, network, share, where, level))
    return tuple(found)


def _per_unit(
    rows: ContrastRows,
    treatment: str,
    adjustment: Sequence[str],
    targets: Sequence[tuple[Hashable, Numbers]],
    level: float,
) -> list[Contrast]:
    """Return the change per unit for each target, over the rows in which the treatment varies."""
    every, numbers = rows.adjustment(adjustment, rows.numeric), rows.numbers(treatment)
    supported, estimate_of = _per_unit_estimator(every, numbers)
    share = float(supported.mean()) if len(supported) else 0.0
    where = rows.where(supported, adjustment) if 0 < share < 1 else ""
    if 0 < share < 1 and not where:
        low, high = numbers[supported].min(), numbers[supported].max()
        if supported[(numbers >= low) & (numbers <= high)].all():
            where = f"{treatment} from {low:.4g} to {high:.4g}"
    result = []
    for state, values in targets:
        estimate = estimate_of(values[supported])
        own = (0.0, "") if estimate is None else (share, where)
        result.append(Contrast(None, None, state, estimate, None, *own, level))
    return result


def _per_unit_estimator(
    adjustment: Adjustment, numbers: Numbers
) -> tuple[Mask, Callable[[Numbers], Estimate | None]]:
    """Return the rows with overlap, and what estimates the change of an outcome in them.

    Between two values a curve is arbitrary: their contrast is divided by their distance.
    """
    values = np.unique(numbers)
    if len(values) != 2:
        supported = varying(adjustment, numbers)
        kept = adjustment.at(supported)
        return supported, lambda outcome: slope(kept, numbers[supported], outcome)
    arms = [numbers == one for one in values[::-1]]
    compared = support(adjustment, *arms)
    kept, distance = adjustment.at(compared.rows), float(values[1] - values[0])

    def between(outcome: Numbers) -> Estimate | None:
        if not len(outcome):
            return None
        treated, control = (arm[compared.rows] for arm in arms)
        found = doubly_robust(kept, treated, control, outcome, compared.chances)
        change, error = found.difference / distance, found.error / distance
        return Estimate(np.nan, np.nan, change, error, np.nan, np.nan, found.n_rows)

    return compared.rows, between


def network_answers(
    parts: NetworkParts,
    rows: ContrastRows,
    treatment: str,
    outcome: str,
    adjustment: Sequence[str],
) -> ByNetwork:
    """Return what tells the network's differences, on rows with overlap."""

    def answer(
        settings: tuple[Hashable, Hashable], supported: Mask
    ) -> Callable[[Hashable], float | None]:
        found = _by_network(parts, rows, treatment, settings, outcome, adjustment, supported)
        return lambda state: _network_difference(parts, found, outcome, state)

    return answer


def _by_network(
    parts: NetworkParts,
    rows: ContrastRows,
    treatment: str,
    settings: tuple[Hashable, Hashable],
    outcome: str,
    adjustment: Sequence[str],
    supported: Mask,
) -> NDArray[np.float64]:
    """Return the outcome's distribution under both settings by the network, on supported rows."""
    model = parts.discrete
    codes = np.array([rows.codes(name)[supported] for name in adjustment], dtype=np.int64)
    codes = codes.reshape(len(adjustment), int(supported.sum()))
    _, first, n_rows = np.unique(numbered(codes), return_index=True, return_counts=True)
    strata = codes[:, first]
    result = []
    for setting in settings:
        cells = np.full((strata.shape[1], len(model.names)), -1, dtype=np.int32)
        for name, state in {**rows.within, treatment: setting}.items():
            cells[:, model.index[name]] = model.states[model.index[name]].index(state)
        for name, values in zip(adjustment, strata, strict=True):
            v = model.index[name]
            categories = rows.table.categories[rows.table.names.index(name)]
            place = np.array([model.states[v].index(one) for one in categories])
            cells[:, v] = place[values]
        margins = row_margins(model, cells, model.index[outcome], 1 << 30)
        result.append(n_rows @ margins / n_rows.sum())
    return np.array(result)


def _network_difference(
    parts: NetworkParts, distributions: NDArray[np.float64], outcome: str, state: Hashable
) -> float:
    if state is not None:
        code = parts.discrete.states[parts.discrete.index[outcome]].index(state)
        return float(distributions[0, code] - distributions[1, code])
    bins, numbers, n_bins = parts.learned.numbers_of_bins(outcome)
    counts = np.bincount(bins, minlength=n_bins)
    means = np.bincount(bins, numbers, minlength=n_bins) / np.maximum(counts, 1)
    return float((distributions[0] - distributions[1]) @ means)


def share_in_words(share: float) -> str:
    """Return a share of less than all rows, never rounded to all or to none."""
    for digits in (0, 1):
        text = f"{share:.{digits}%}"
        if float(text[:-1]) not in (0.0, 100.0):
            return text
    return "more than 99.9%" if share > 0.5 else "less than 0.1%"


def _interval(values: tuple[float, float, float]) -> str:
    middle, low, high = values
    return f"{middle:.2f} [{low:.2f}, {high:.2f}]"
