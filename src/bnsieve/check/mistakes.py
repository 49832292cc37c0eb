"""One mistake that explains why columns changed: swapped columns, another unit, another clock.

In: the fit, new rows, and the variables whose distribution changed. Out: one `SchemaChange` for
each mistake whose correction makes the new rows as likely as the training rows.

The test compares two likelihoods of a variable and its children: of the rows as they are, and of
the rows with the mistake corrected. So it can tell columns apart that have the same values, such as
two columns of yes and no.
"""

from collections.abc import Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.stats import ks_2samp

from bnsieve.check.cells import Columns, Family, complete_rows
from bnsieve.check.learned import Learned, NewRows
from bnsieve.check.schema import SchemaChange
from bnsieve.network import Scale, is_known

Values = NDArray[np.float64]

# Rows that a correction is tried on, variables that are asked, and pairs of these.
_ROWS, _MOST_ASKED = 2_000, 12
# A share of cells that a correction may leave unknown, and rows that it takes at least.
_MOST_UNKNOWN, _LEAST_ROWS = 0.05, 30
# A corrected row may be less likely than one learned from by so many nats for each family, and so
# many standard errors.
_NATS, _ERRORS = 0.1, 4.0
# What a correction must gain at least, in nats for each row.
_GAIN = 0.2
_LEAST_LOG = -20.0
# Factors between units, with an example of each.
_FACTORS = {
    10.0: "mm instead of cm",
    100.0: "percent instead of shares",
    1_000.0: "g instead of kg",
    1_000_000.0: "",
    60.0: "minutes instead of hours",
    3_600.0: "seconds instead of hours",
    24.0: "hours instead of days",
    7.0: "days instead of weeks",
    12.0: "months instead of years",
    2.204623: "pounds instead of kg",
    2.54: "cm instead of inches",
    3.28084: "feet instead of metres",
    1.609344: "km instead of miles",
}
_TEMPERATURES = {
    "Fahrenheit instead of Celsius": (1.8, 32.0),
    "Celsius instead of Fahrenheit": (1 / 1.8, -32.0 / 1.8),
    "kelvin instead of Celsius": (1.0, 273.15),
}
_HOURS = 24


@dataclass(frozen=True, eq=False)
class _Correction:
    """Columns as they would be without a mistake, and the mistake in words."""

    columns: Mapping[str, NDArray[Any]]
    name: str
    text: str
    by_what: float = 1.0


def mistakes(learned: Learned, new: NewRows, changed: Sequence[str]) -> list[SchemaChange]:
    """Return the mistakes that explain why variables changed.

    Parameters
    ----------
    learned : Learned
    new : NewRows
    changed : sequence of str
        The variables whose distribution changed, alone or given their parents; the clearest first.
    """
    if learned.sample is None or new.table.n_rows < _LEAST_ROWS:
        return []
    rows = _some(new.table.n_rows)
    columns = {name: column[rows] for name, column in new.columns.items()}
    old = _some(learned.sample.n_rows)
    before = {name: column[old] for name, column in learned.columns.items()}
    found: list[SchemaChange] = []
    explained: set[str] = set()
    asked = list(changed)[:_MOST_ASKED]
    for kind, tried in (
        ("swapped columns", _swaps(learned, new, columns, rows, asked)),
        ("unit", _units(learned, columns, asked)),
        ("clock", _clocks(learned, columns, asked)),
    ):
        best: dict[frozenset[str], tuple[float, _Correction]] = {}
        for one in tried:
            score = _restored(learned, before, columns, one)
            names = frozenset(one.columns)
            if score is not None and score > best.get(names, (-np.inf,))[0]:
                best[names] = score, one
        for names, (_, one) in sorted(best.items(), key=lambda item: -item[1][0]):
            if explained.isdisjoint(names):
                explained |= names
                found.append(SchemaChange(kind, one.name, one.text))  # type: ignore[arg-type]
    return found


def _some(n_rows: int) -> NDArray[np.intp]:
    """Return rows that are spread evenly over all."""
    return np.unique(np.linspace(0, n_rows - 1, min(n_rows, _ROWS)).astype(np.intp))


def _restored(
    learned: Learned, before: Columns, columns: Columns, correction: _Correction
) -> float | None:
    """Return how close a correction comes to the rows before; None if they are less likely."""
    changed = set(correction.columns)
    children = {child for name in changed for child in learned.cells.children[name]}
    families = [
        learned.cells.families[name]
        for name in sorted(changed | children)
        if all(one in columns for one in learned.cells.families[name].names)
    ]
    corrected = {**columns, **correction.columns}
    for name in changed:
        was, now = is_known(columns[name]).mean(), is_known(corrected[name]).mean()
        if now < (1 - _MOST_UNKNOWN) * is_known(before[name]).mean() and now <= was:
            return None
    own = {name: learned.cells.margins[name] for name in sorted(changed)}
    old, as_is, new = (_logs(families, own, one) for one in (before, columns, corrected))
    if min(len(old), len(new)) < _LEAST_ROWS:
        return None
    errors = np.sqrt(old.var() / len(old) + new.var() / len(new))
    # Too likely is wrong too: the values are closer together than they were.
    away = abs(float(old.mean() - new.mean()))
    if away > _ERRORS * errors + _NATS * (len(families) + len(own)):
        return None
    # A density is per unit: what is ten times as wide is ten times as low.
    gain = np.inf if len(as_is) < _LEAST_ROWS else new.mean() - as_is.mean()
    if gain < _GAIN + abs(np.log(abs(correction.by_what))):
        return None
    return -max(
        float(ks_2samp(before[name][was], corrected[name][now]).statistic)
        for name in changed
        for was, now in [(is_known(before[name]), is_known(corrected[name]))]
    )


def _logs(
    families: Sequence[Family], margins: Mapping[str, Values | Scale], columns: Columns
) -> Values:
    """Return the likelihood of each row of which no cell is missing, in families and alone."""
    known = {name: is_known(column) for name, column in columns.items()}
    rows = np.flatnonzero(np.logical_and.reduce([complete_rows(f.names, known) for f in families]))
    if not len(rows):
        return np.empty(0)
    some = {name: column[rows] for name, column in columns.items()}
    # No single cell is to decide.
    alone = [
        margin.log_density(some[name]) if isinstance(margin, Scale) else np.log(margin[some[name]])
        for name, margin in margins.items()
    ]
    parts = [*alone, *(family.log_density(some, None) for family in families)]
    logs: Values = np.sum([np.maximum(part, _LEAST_LOG) for part in parts], axis=0)
    return logs


def _swaps(
    learned: Learned,
    new: NewRows,
    columns: Columns,
    rows: NDArray[np.intp],
    changed: Sequence[str],
) -> Iterator[_Correction]:
    states = learned.counts.states
    for a, b in combinations(changed, 2):
        numeric = [name in learned.numbers for name in (a, b)]
        if all(numeric):
            swapped = {a: columns[b], b: columns[a]}
        elif not any(numeric):
            swapped = {
                a: _codes(new, b, states[a])[rows],
                b: _codes(new, a, states[b])[rows],
            }
        else:
            continue
        yield _Correction(swapped, a, f"holds what {b} held, and {b} what {a} held: swapped?")


def _codes(new: NewRows, name: str, states: Sequence[Hashable]) -> NDArray[np.intp]:
    """Return the cells of a column as codes of other states."""
    v = new.table.names.index(name)
    place = {str(label): i for i, label in enumerate(states)}
    found = [place.get(str(label), -1) for label in new.table.categories[v]]
    codes: NDArray[np.intp] = np.array(found, dtype=np.intp)[new.table.codes[v]]
    if v in new.table.missing:
        codes[new.table.missing[v]] = -1
    return codes


def _units(learned: Learned, columns: Columns, changed: Sequence[str]) -> Iterator[_Correction]:
    for name in changed:
        if name not in learned.numbers:
            continue
        own = columns[name]
        for factor, example in _FACTORS.items():
            for by, text in ((factor, f"{factor:.6g} times"), (1 / factor, f"1/{factor:.6g} of")):
                such = f", such as {example}" if example and by > 1 else ""
                told = f"its values are about {text} the training values: another unit{such}?"
                yield _Correction({name: own / by}, name, told, by)
        yield _Correction({name: -own}, name, "its values have the opposite sign?")
        for example, (by, offset) in _TEMPERATURES.items():
            told = f"its values look like {example}"
            yield _Correction({name: (own - offset) / by}, name, told, by)


def _clocks(learned: Learned, columns: Columns, changed: Sequence[str]) -> Iterator[_Correction]:
    """Shift hours of the day, and other parts of dates that come round again."""
    for name in changed:
        n = _round(learned, name)
        for shift in range(1, n):
            back = shift if shift <= n // 2 else shift - n
            told = f"its values look shifted by {back:+d}: another clock or time zone?"
            own = columns[name]
            moved = np.mod(own - shift, n)
            if own.dtype.kind != "f":
                moved = np.where(own < 0, own, moved)
            yield _Correction({name: moved}, name, told)


def _round(learned: Learned, name: str) -> int:
    """Return after how many steps the values of a variable begin again; 0 if they do not."""
    if name in learned.numbers:
        own = learned.columns[name]
        own = own[~np.isnan(own)]
        is_hour = len(own) and own.min() == 0 and own.max() == _HOURS - 1
        return _HOURS if is_hour and bool((own == np.round(own)).all()) else 0
    states = learned.counts.states[name]
    is_ordered = name.rpartition("_")[2] in ("hour", "weekday", "month")
    return len(states) if is_ordered and len(states) in (7, 12, _HOURS) else 0
