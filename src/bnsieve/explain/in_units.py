"""Directed edges in the units of the data: slopes, means and shares.

In: a table with numbers, a directed edge, and the other parents of its head. Out: `InUnits`.
"""

from collections.abc import Collection, Hashable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.stats import rankdata

from bnsieve.table import Range, Table, between_cuts, binned, equal_frequency, state_order

Values = NDArray[np.float64]

# Into as many parts of about equally many rows a number is divided for a reader.
_PARTS = 3
# As many states as a reader takes in at a glance, the most frequent.
_SHOWN_STATES = 4
# Of another parent with more states, the others are one.
_MOST_INDICATORS = 32
# Rows beside the coefficients, without which a slope says nothing.
_FEWEST_ROWS = 10


@dataclass(frozen=True)
class InUnits:
    """One directed edge of the network in the units of the data.

    Attributes
    ----------
    tail, head : str
    correlation : float or None
        The correlation of the ranks of two numeric variables.
    slope, error : float or None
        For two numeric variables, the change of `head` per unit of `tail` with `others` held fixed,
        by least squares. Its standard error allows for noise of different size in different rows.
    others : tuple of str
        The other parents of `head`.
    state : hashable or None
        The state of `head` whose shares `parts` has; None if `parts` has means.
    parts : tuple of (Range or state, float)
        A range or a state of `tail`, and the mean of `head` or the share of its state there. Other
        parents are ignored.
    """

    tail: str
    head: str
    correlation: float | None
    slope: float | None
    error: float | None
    others: tuple[str, ...]
    state: Hashable | None
    parts: tuple[tuple[Hashable, float], ...]

    def where(self, place: Hashable, tail: str) -> str:
        """Return the range or the state of the tail in words, with the given name."""
        return place.of(tail) if isinstance(place, Range) else f"{tail} = {place}"

    def facts(self) -> list[tuple[str, str]]:
        """Return the known facts, each with a title."""
        facts = []
        if self.slope is not None:
            held = f", {', '.join(self.others)} as {_is(self.others)}" if self.others else ""
            slope = f"{self.slope:+.3g} of {self.head} for each 1 of {self.tail}{held}"
            facts.append(("slope", f"{slope} (s.e. {self.error:.2g})"))
        if self.correlation is not None:
            facts.append(("correlation", f"{self.correlation:+.2f} of their ranks"))
        if self.parts:
            form = ".4g" if self.state is None else ".0%"
            listed = ", ".join(
                f"{value:{form}} where {self.where(place, self.tail)}"
                for place, value in self.parts
            )
            means = ("means", f"{self.head} is {listed}")
            shares = ("shares", f"{self.head} = {self.state}: {listed}")
            facts.append(means if self.state is None else shares)
        return facts


def in_units(
    table: Table, numbers: Collection[str], tail: str, head: str, others: Sequence[str]
) -> InUnits | None:
    """Return a directed edge in units; None if neither end is numeric, or no value is known.

    Parameters
    ----------
    table : Table
    numbers : collection of str
        The numeric variables.
    tail, head : str
    others : sequence of str
        The other parents of `head`.
    """
    if tail not in numbers and head not in numbers:
        return None
    place = {name: v for v, name in enumerate(table.names)}
    known = _known(table, [place[tail], place[head]])
    if not known.any():
        return None
    slope = error = correlation = None
    if tail in numbers and head in numbers:
        x, y = (table.numbers[place[name]][known] for name in (tail, head))
        correlation = _correlation(x, y)
        slope, error = _slope(table, numbers, place, (head, tail, *others))
    codes, places = _parts(table, tail in numbers, place[tail], known)
    state, values = _told(table, head in numbers, place[head], known, codes, len(places))
    parts = tuple(
        (one, float(values[code])) for code, one in enumerate(places) if np.isfinite(values[code])
    )
    return InUnits(tail, head, correlation, slope, error, tuple(others), state, parts)


def _known(table: Table, variables: Sequence[int]) -> NDArray[np.bool_]:
    """Tell in which rows none of some variables is missing."""
    missing = [table.missing[v] for v in variables if v in table.missing]
    known: NDArray[np.bool_] = ~np.logical_or.reduce([np.zeros(table.n_rows, dtype=bool), *missing])
    return known


def _is(names: Sequence[str]) -> str:
    return "it is" if len(names) == 1 else "they are"


def _correlation(x: Values, y: Values) -> float | None:
    a, b = (rankdata(one) - (len(one) + 1) / 2 for one in (x, y))
    size = float(np.sqrt((a @ a) * (b @ b)))
    return float(a @ b) / size if size > 0 else None


def _slope(
    table: Table, numbers: Collection[str], place: dict[str, int], names: tuple[str, ...]
) -> tuple[float | None, float | None]:
    """Regress the first of some columns on the others; return slope and error of the second."""
    known = _known(table, [place[name] for name in names])
    target, *given = names
    columns = [np.ones((1, int(known.sum())))]
    for name in given:
        if name in numbers:
            columns.append(table.numbers[place[name]][known][np.newaxis])
        else:
            codes = table.codes[place[name]][known]
            states = np.argsort(-np.bincount(codes), kind="stable")[1 : 1 + _MOST_INDICATORS]
            columns.append((codes == states[:, np.newaxis]).astype(np.float64))
    design = np.concatenate(columns).T
    n, k = design.shape
    if n < k + _FEWEST_ROWS:
        return None, None
    y = table.numbers[place[target]][known]
    with np.errstate(all="ignore"):  # of huge numbers no slope is told
        x = design[:, 1].copy()
        rest = np.delete(design, 1, axis=1)
        unit, own = np.abs(x).max(), np.abs(y).max()
        x, y = x / unit, y / own
        rest = rest / np.maximum(np.abs(rest).max(axis=0), 1e-300)
        coefficients, *_ = np.linalg.lstsq(rest, np.stack([x, y], axis=1), rcond=None)
        left_x, left_y = (np.stack([x, y], axis=1) - rest @ coefficients).T
        spread = float(left_x @ left_x)
        if not spread > 1e-12 * float(x @ x):
            return None, None  # the other parents say all that this one does
        slope = float(left_x @ left_y) / spread
        # From each row's own noise (White 1980, MacKinnon and White 1985), because noise that grows
        # with a number is common: the textbook's error then holds the truth in 75 of 100 cases,
        # not 90. What a row does to the slope hides a part of its noise.
        hidden = np.minimum(left_x**2 / spread, 1 - 1e-6)
        noise = (left_y - slope * left_x) / (1 - hidden)
        error = float(np.sqrt(n / (n - k) * (left_x**2 @ noise**2))) / spread
        scale = float(own / unit)
    if not np.isfinite([slope * scale, error * scale]).all():
        return None, None
    return slope * scale, error * scale


def _parts(
    table: Table, is_number: bool, variable: int, known: NDArray[np.bool_]
) -> tuple[NDArray[np.int64], list[Hashable]]:
    """Return in which part each row lies, -1 for those not shown, and what each part is."""
    if is_number:
        values = table.numbers[variable][known]
        edges = equal_frequency(values, _PARTS)
        return binned(values, edges), list(between_cuts(edges.tolist()))
    codes = table.codes[variable][known].astype(np.int64)
    counts = np.bincount(codes, minlength=len(table.categories[variable]))
    order = np.array(state_order(table.categories[variable]).places)
    frequent = np.argsort(-counts, kind="stable")[:_SHOWN_STATES]
    shown = order[np.isin(order, frequent)]
    place = np.full(len(counts), -1)
    place[shown] = np.arange(len(shown))
    return place[codes], [table.categories[variable][code] for code in shown.tolist()]


def _told(
    table: Table,
    is_number: bool,
    variable: int,
    known: NDArray[np.bool_],
    codes: NDArray[np.int64],
    n_parts: int,
) -> tuple[Hashable | None, Values]:
    """Return the mean of a number in each part; or of a state that differs most, its share."""
    shown = codes >= 0
    counts = np.bincount(codes[shown], minlength=n_parts).astype(np.float64)
    with np.errstate(all="ignore"):
        if is_number:
            values = table.numbers[variable][known][shown]
            return None, np.bincount(codes[shown], values, n_parts) / counts
        own = table.codes[variable][known][shown].astype(np.int64)
        n_states = len(table.categories[variable])
        joint = np.bincount(codes[shown] * n_states + own, minlength=n_parts * n_states)
        shares = joint.reshape(n_parts, n_states) / counts[:, np.newaxis]
    code = int(np.argmax(np.nanmax(shares, axis=0) - np.nanmin(shares, axis=0)))
    return table.categories[variable][code], shares[:, code]
