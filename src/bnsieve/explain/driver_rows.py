"""One variable and a target in the rows: settings to compare, differences, explained shares.

In: the rows of a fit. Out: two settings of a variable, chosen so that variables can be compared
(`Arms`); the adjusted difference of the target between them; the share of the target's uncertainty
that the variable explains.

Settings:

- Numeric variables, and variables whose states are bins or another scale: the upper third against
  the lower third of the rows. These are about two standard deviations apart, like the two states of
  a fair coin, so numbers and categories can be compared (Gelman, 2008).
- Two states: the one that means yes or more, else the second, against the other.
- More states: the frequent state with the largest adjusted difference, against the most frequent
  one.
"""

from collections.abc import Hashable, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray
from scipy.special import chdtrc, xlogy
from scipy.stats import rankdata

from bnsieve.network import Contrast, ContrastRows, doubly_robust, support
from bnsieve.table import state_order

# States with a smaller share of the rows are not compared, if others can be.
_LEAST_SHARE = 0.02
# Of many states, so many have an adjusted difference, those with the largest unadjusted one.
_MOST_STATES = 4
# Which states are compared is decided on so many rows.
_ROWS_TO_CHOOSE = 10_000
_SEED = 0

Mask = NDArray[np.bool_]
Numbers = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Arms:
    """Two settings of a variable, and the rows that have them.

    Attributes
    ----------
    treated, control : state or str
        Names of the settings.
    in_treated, in_control : ndarray of bool
        The rows of the table with each setting.
    are_groups : bool
        Whether a setting is a group of several values.
    """

    treated: Hashable
    control: Hashable
    in_treated: Mask
    in_control: Mask
    are_groups: bool = False

    @classmethod
    def of_codes(
        cls,
        codes: NDArray[np.int64],
        kept: Mask,
        states: Sequence[Hashable],
        treated: int,
        control: int,
    ) -> "Arms":
        """Return two states as settings, in the kept rows."""
        return cls(
            states[treated], states[control], kept & (codes == treated), kept & (codes == control)
        )

    def at(self, rows: Mask) -> tuple[Mask, Mask]:
        """Return the rows that have one of the two settings."""
        return self.in_treated[rows], self.in_control[rows]


@dataclass(frozen=True, eq=False)
class TargetRows:
    """The rows of a fit, for questions about one target.

    Attributes
    ----------
    rows : ContrastRows
        Selects the rows in which given columns are known.
    target : str
    numeric : sequence of str
        The numeric variables.
    state : state or None
        The state of the target; None for the one that changes most.
    level : float
        Of intervals.
    """

    rows: ContrastRows
    target: str
    numeric: Sequence[str]
    state: Hashable
    level: float

    def known(self, names: Sequence[str]) -> "TargetRows":
        """Return the rows in which these columns and the target are known."""
        table, kept = self.rows.table, self.rows.kept.copy()
        for name in {*names, self.target}:
            if (missing := table.missing.get(table.names.index(name))) is not None:
                kept &= ~missing
        return replace(self, rows=replace(self.rows, kept=kept))

    def sampled(self, n_rows: int) -> "TargetRows":
        """Return at most this number of the rows."""
        if self.rows.n <= n_rows:
            return self
        places = np.flatnonzero(self.rows.kept)
        chosen = np.random.default_rng(_SEED).choice(places, n_rows, replace=False)
        kept = np.zeros_like(self.rows.kept)
        kept[chosen] = True
        return replace(self, rows=replace(self.rows, kept=kept))

    def states(self, name: str) -> tuple[Hashable, ...]:
        """Return the states of a variable."""
        return self.rows.table.categories[self.rows.table.names.index(name)]

    def outcomes(self) -> list[tuple[Hashable, Numbers]]:
        """Return the possible outcomes of a difference: one state, all states, or the numbers."""
        if self.target in self.numeric:
            return [(None, self.rows.numbers(self.target))]
        codes, states = self.rows.codes(self.target), self.states(self.target)
        chosen = states if self.state is None else [self.state]
        return [(one, (codes == states.index(one)).astype(np.float64)) for one in chosen]

    def outcome_moved(self, arms: Arms) -> tuple[Hashable, Numbers, float]:
        """Return the outcome that differs most between two settings, and by how much."""
        found = []
        for state, values in self.outcomes():
            means = [values[arm].mean() if arm.any() else 0.0 for arm in arms.at(self.rows.kept)]
            found.append((state, values, float(means[0] - means[1])))
        return max(found, key=lambda one: abs(one[2]))

    def arms(self, name: str, adjustment: Sequence[str]) -> Arms | None:
        """Return the settings to compare; None if the rows have only one setting."""
        if self.rows.n == 0:
            return None
        table, kept = self.rows.table, self.rows.kept
        place = table.names.index(name)
        if name in self.numeric:
            return _thirds_of_numbers(table.numbers[place], kept)
        codes, states = table.codes[place].astype(np.int64), table.categories[place]
        counts = np.bincount(codes[kept], minlength=len(states))
        present = np.flatnonzero(counts)
        if len(present) < 2:
            return None
        scale = scale_of(states)
        if len(present) == 2:
            low, high = present if scale is None else scale[np.isin(scale, present)]
            return Arms.of_codes(codes, kept, states, int(high), int(low))
        if scale is not None:
            upper, lower = outer_thirds(counts, scale)
            return Arms(
                named_third(states, upper, "above"),
                named_third(states, lower, "below"),
                kept & np.isin(codes, upper),
                kept & np.isin(codes, lower),
                are_groups=len(upper) > 1 or len(lower) > 1,
            )
        control = int(counts.argmax())
        treated = self.sampled(_ROWS_TO_CHOOSE)._most_different(codes, name, control, adjustment)
        return Arms.of_codes(codes, kept, states, treated, control)

    def _most_different(
        self, codes: NDArray[np.int64], name: str, control: int, adjustment: Sequence[str]
    ) -> int:
        """Return the state with the largest difference to another, among the frequent ones."""
        states, kept = self.states(name), self.rows.kept
        counts = np.bincount(codes[kept], minlength=len(states))
        arms = {
            code: Arms.of_codes(codes, kept, states, code, control)
            for code in frequent_states(counts, control)
        }
        unadjusted = {code: abs(self.outcome_moved(one)[2]) for code, one in arms.items()}
        chosen = sorted(arms, key=lambda code: -unadjusted[code])[:_MOST_STATES]
        if len(chosen) == 1:
            return chosen[0]
        known = self.known([name, *adjustment])
        adjusted = {
            code: known.standardized(arms[code], self.outcome_moved(arms[code])[0], adjustment)
            for code in chosen
        }
        return max(chosen, key=lambda code: abs(np.nan_to_num(adjusted[code])))

    def contrast(self, arms: Arms, adjustment: Sequence[str]) -> Contrast:
        """Return the adjusted difference between two settings, in the rows that have one of them.

        It covers the rows with adjustment values at which both settings occur.
        """
        values = self.rows.adjustment(adjustment, self.numeric)
        treated, control = arms.at(self.rows.kept)
        compared = support(values, treated, control)
        supported, share = compared.rows, compared.share
        state, outcome, _ = self.outcome_moved(arms)
        estimate, where = None, ""
        if share:
            estimate = doubly_robust(
                values.at(supported),
                treated[supported],
                control[supported],
                outcome[supported],
                compared.chances,
            )
            where = self.rows.where(supported, adjustment) if share < 1 else ""
        return Contrast(arms.treated, arms.control, state, estimate, None, share, where, self.level)

    def standardized(self, arms: Arms, state: Hashable, adjustment: Sequence[str]) -> float:
        """Return the difference within strata of the adjustment set, averaged over the rows.

        Numbers count as bins. Strata without one of the settings are left out. NaN if none is left.
        """
        outcome = next(values for one, values in self.outcomes() if one == state)
        strata = self.rows.adjustment(adjustment, ()).strata
        n = int(strata.max(initial=0)) + 1
        means = []
        for arm in arms.at(self.rows.kept):
            count = np.bincount(strata[arm], minlength=n)
            total = np.bincount(strata[arm], outcome[arm], minlength=n)
            means.append(np.where(count > 0, total / np.maximum(count, 1), np.nan))
        weight = np.bincount(strata, minlength=n)
        difference = means[0] - means[1]
        both = ~np.isnan(difference)
        return float(difference[both] @ weight[both] / weight[both].sum()) if both.any() else np.nan

    def association(self, name: str) -> tuple[float, float]:
        """Return the share of the target's uncertainty that a variable explains, and a p-value.

        The share is corrected for chance. The p-value is twice the smaller one of two tests: the G
        test, with numbers as bins, and, if one of the variables is numeric or a scale, a test of
        ranks, which detects a small trend over many values.
        """
        x, y = self.rows.codes(name), self.rows.codes(self.target)
        n = len(x)
        if n == 0:
            return 0.0, 1.0
        width = len(self.states(self.target))
        joint = np.bincount(x * width + y, minlength=len(self.states(name)) * width)
        joint = joint.reshape(-1, width)[:, np.bincount(y, minlength=width) > 0]
        joint = joint[joint.any(axis=1)].astype(np.float64)
        rows, columns = joint.sum(axis=1), joint.sum(axis=0)
        freedom = (len(rows) - 1) * (len(columns) - 1)
        if freedom == 0:
            return 0.0, 1.0
        information = float(
            xlogy(joint, joint).sum() - xlogy(rows, rows).sum() - xlogy(columns, columns).sum()
        ) / n + float(np.log(n))
        p_value = float(chdtrc(freedom, max(2 * n * information, 0.0)))
        if (p_of_ranks := _trend(x, y, self._ranks(name), self._ranks(self.target))) is not None:
            p_value = min(1.0, 2 * min(p_value, p_of_ranks))
        if self.target in self.numeric:
            return _variance_share(x, self.rows.numbers(self.target)), p_value
        entropy = float(np.log(n) - xlogy(columns, columns).sum() / n)
        return float(np.clip((information - freedom / (2 * n)) / entropy, 0.0, 1.0)), p_value

    def _ranks(self, name: str) -> Numbers | None:
        """Return the ranks of a variable's values, ties alike; None for names."""
        if name in self.rows.numeric:
            return rankdata(self.rows.numbers(name))
        scale = state_order(self.states(name)).ranks
        return None if scale is None else rankdata(np.array(scale)[self.rows.codes(name)])


def _trend(
    x: NDArray[np.int64], y: NDArray[np.int64], ranks_x: Numbers | None, ranks_y: Numbers | None
) -> float | None:
    """Return the p-value of a test of ranks; None without ranks.

    Of two variables with ranks it is the test of Spearman's correlation for many rows, of one the
    Kruskal-Wallis test between the states of the other.
    """
    if ranks_x is not None and ranks_y is not None:
        x_centred, y_centred = ranks_x - ranks_x.mean(), ranks_y - ranks_y.mean()
        total = float((x_centred @ x_centred) * (y_centred @ y_centred))
        explained, freedom = float(x_centred @ y_centred) ** 2, 1
    elif (ranks := ranks_y if ranks_x is None else ranks_x) is not None:
        codes = x if ranks_x is None else y
        centred, count = ranks - ranks.mean(), np.bincount(codes)
        total = float(centred @ centred)
        explained = float((np.bincount(codes, centred) ** 2 / np.maximum(count, 1)).sum())
        freedom = int((count > 0).sum()) - 1
    else:
        return None
    if total == 0 or freedom == 0:
        return None
    return float(chdtrc(freedom, (len(x) - 1) * explained / total))


def _variance_share(codes: NDArray[np.int64], values: Numbers) -> float:
    """Return the share of the variance between groups, less what chance would give."""
    n, count = len(values), np.bincount(codes)
    n_groups = int((count > 0).sum())
    centred = values - values.mean()
    total = float(centred @ centred)
    if total == 0 or n <= n_groups:
        return 0.0
    sums = np.bincount(codes, centred)
    between = float((sums**2 / np.maximum(count, 1)).sum()) / total
    return float(np.clip(1 - (1 - between) * (n - 1) / (n - n_groups), 0.0, 1.0))


def _thirds_of_numbers(values: Numbers, kept: Mask) -> Arms | None:
    least, low, high, most = np.quantile(values[kept], (0.0, 1 / 3, 2 / 3, 1.0))
    if least == most:
        return None
    treated, control = f"> {high:.4g}", f"<= {low:.4g}"
    upper, lower = values > high, values <= low
    if high == most:  # a third of the rows or more have the largest value
        treated, upper = f"{high:.4g}", values >= high
    if low == most:
        control, lower = f"< {high:.4g}", values < high
    # Missing numbers are not kept.
    return Arms(treated, control, kept & upper, kept & lower, are_groups=True)


def scale_of(states: Sequence[Hashable]) -> NDArray[np.intp] | None:
    """Return the numbers of the states from the least to the most; None for names."""
    ranks = state_order(states).ranks
    return None if ranks is None else np.argsort(ranks, kind="stable")


def outer_thirds(
    counts: NDArray[Any], scale: NDArray[np.intp]
) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Return the upper and the lower states of those that occur.

    Both have a third of the rows, or a little more. If one state in the middle has most rows, they
    have fewer.
    """
    present = scale[counts[scale] > 0]
    own = counts[present]
    third = own.sum() / 3
    n_lower = int(np.searchsorted(np.cumsum(own), third)) + 1
    n_upper = int(np.searchsorted(np.cumsum(own[::-1]), third)) + 1
    if n_lower + n_upper > len(own):  # the state in the middle goes with the smaller side
        n_lower -= int(own[: n_lower - 1].sum() > own[n_lower:].sum())
        n_upper = len(own) - n_lower
    return present[len(own) - n_upper :], present[:n_lower]


def named_third(
    states: Sequence[Hashable],
    third: NDArray[np.intp],
    side: Literal["above", "below"],
) -> Hashable:
    """Return the name of the upper or the lower states."""
    nearest_to_middle = states[int(third[0 if side == "above" else -1])]
    return nearest_to_middle if len(third) == 1 else f"{nearest_to_middle} and {side}"


def frequent_states(counts: NDArray[Any], control: int) -> list[int]:
    """Return the states that are frequent enough to be compared with another."""
    others = [int(i) for i in np.argsort(-counts, kind="stable") if counts[i] > 0 and i != control]
    return [i for i in others if counts[i] >= _LEAST_SHARE * counts.sum()] or others[:1]
