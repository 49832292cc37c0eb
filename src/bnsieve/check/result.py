"""`Check`: the changes between training rows and new rows, to print or to use as data."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any, Literal

import pandas as pd

from bnsieve.check.attribution import Attribution
from bnsieve.check.odd_rows import OddRow
from bnsieve.check.schema import SchemaChange
from bnsieve.check.shifts import MovedCell
from bnsieve.text import counted, listed

CauseKind = Literal["schema", "cells", "mechanism", "dependence", "margin"]
Section = Literal["schema", "margins", "mechanisms", "rows"]
SECTIONS: tuple[Section, ...] = ("schema", "margins", "mechanisms", "rows")
FORMAT = {"format": "bnsieve check", "version": 1}
_SHOWN = 10


@dataclass(frozen=True)
class Margin:
    """Whether the distribution of one variable changed.

    Attributes
    ----------
    name : str
    p_value : float
        Corrected for the number of variables.
    size : float
        Half the sum of the differences between shares, minus the sum expected by chance.
    cell : MovedCell or None
        The state, or range of values, whose share changed most.
    changed : bool
    follows_from : tuple of str
        The ancestors whose change explains this one, if the variable still depends on its parents
        as before.
    """

    name: str
    p_value: float
    size: float
    cell: MovedCell | None
    changed: bool
    follows_from: tuple[str, ...] = ()


@dataclass(frozen=True)
class Mechanism:
    """Whether the dependence of one variable on its parents changed.

    Attributes
    ----------
    name : str
    parents : tuple of str
    p_value : float
    size : float
    cell : MovedCell or None
    changed : bool
    alternatives : tuple of str
        The variables whose mechanism may have changed instead, because the direction of an edge is
        undetermined.
    """

    name: str
    parents: tuple[str, ...]
    p_value: float
    size: float
    cell: MovedCell | None
    changed: bool
    alternatives: tuple[str, ...] = ()


@dataclass(frozen=True)
class NewDependence:
    """Two variables without an edge whose dependence changed.

    Attributes
    ----------
    x, y : str
    p_value : float
    before, after : float
        Correlation of the residuals, given their parents.
    """

    x: str
    y: str
    p_value: float
    before: float
    after: float


@dataclass(frozen=True)
class Cause:
    """A change that does not follow from others.

    Attributes
    ----------
    kind : CauseKind
    names : tuple of str
        The variable, or those that the rows cannot tell apart; empty if it concerns whole rows.
    text : str
    p_value : float
    """

    kind: CauseKind
    names: tuple[str, ...]
    text: str
    p_value: float


@dataclass(frozen=True, eq=False)
class Check:
    """New rows compared with the training rows of a network.

    Attributes
    ----------
    n_before, n_after : int
        The numbers of training rows and of new rows.
    level : float
        The highest share of batches in which a section may raise a false alarm.
    schema : tuple of SchemaChange
        Differences of columns and cells. Those that chance may explain have a p-value.
    margins : tuple of Margin
        One for each variable.
    mechanisms : tuple of Mechanism
        One for each variable.
    dependence : tuple of NewDependence
        Pairs without an edge whose dependence changed.
    rows : tuple of OddRow
        The oddest first.
    rows_p_value : float
        Of the hypothesis that odd rows are as frequent, and as odd, as among the training rows.
    has_rows : bool
        Whether the learner kept training rows. Odd rows and tests of numbers need them.
    attribution : Attribution or None
        Why a target changed, if asked for.
    notes : tuple of str
        How many odd rows were expected, if they changed, and limits of this comparison; in words.
    causes : tuple of Cause
        What changed and does not follow from other changes, the clearest first.
    """

    n_before: int
    n_after: int
    level: float
    schema: tuple[SchemaChange, ...]
    margins: tuple[Margin, ...]
    mechanisms: tuple[Mechanism, ...]
    dependence: tuple[NewDependence, ...]
    rows: tuple[OddRow, ...]
    rows_p_value: float
    has_rows: bool = True
    attribution: Attribution | None = None
    notes: tuple[str, ...] = ()
    causes: tuple[Cause, ...] = ()

    @property
    def changed(self) -> tuple[Section, ...]:
        """The names of the sections with changes."""
        found = {
            "schema": bool(self.schema_changes),
            "margins": any(one.changed for one in self.margins),
            "mechanisms": any(one.changed for one in self.mechanisms) or bool(self.dependence),
            "rows": self.rows_p_value < self.level,
        }
        return tuple(name for name in SECTIONS if found[name])

    @property
    def schema_changes(self) -> tuple[SchemaChange, ...]:
        """The differences of columns and cells that chance does not explain."""
        return tuple(one for one in self.schema if one.p_value < self.level)

    def to_dict(self) -> dict[str, Any]:
        """Return everything as values that JSON knows."""
        own = asdict(self)
        return {**FORMAT, "changed": list(self.changed), **_plain(own)}

    def to_frame(self) -> pd.DataFrame:
        """Return one row per variable, with the changes of its margin and its mechanism."""
        margins = {one.name: one for one in self.margins}
        mechanisms = {one.name: one for one in self.mechanisms}
        lines = []
        for name in {**margins, **mechanisms}:
            own, other = margins.get(name), mechanisms.get(name)
            lines.append(
                {
                    "variable": name,
                    "margin_size": None if own is None else own.size,
                    "margin_p_value": None if own is None else own.p_value,
                    "margin_changed": None if own is None else own.changed,
                    "mechanism_size": None if other is None else other.size,
                    "mechanism_p_value": None if other is None else other.p_value,
                    "mechanism_changed": None if other is None else other.changed,
                    "follows_from": "" if own is None else ", ".join(own.follows_from),
                }
            )
        return pd.DataFrame(lines)

    def __str__(self) -> str:
        head = (
            f"{counted(self.n_after, 'new row')}, compared with {self.n_before:,} training rows: "
        )
        if not self.changed:
            lines = [head + "no change found."]
        else:
            lines = [head + f"changes in {listed(self.changed)}."]
        if self.causes:
            text = self.causes[0].text
            lines.append(f"Clearest change: {text}" + ("" if text.endswith("?") else "."))
        lines += self.notes
        lines += _section("Schema", self._schema_lines())
        lines += _section("Mechanisms", self._mechanism_lines())
        lines += _section("Margins", self._margin_lines())
        if self.attribution is not None:
            lines += _section(*_attributed(self.attribution))
        lines += _section("Odd rows", self._row_lines())
        return "\n".join(lines)

    __repr__ = __str__

    def _schema_lines(self) -> list[str]:
        told = []
        for one in sorted(self.schema, key=lambda one: one.p_value):
            is_chance = one.p_value >= self.level
            if is_chance and one.kind in ("missing values", "copies"):
                continue
            where = f"{one.name}: " if one.name else ""
            told.append(where + one.text + (" (may be chance)" if is_chance else ""))
        return told

    def _mechanism_lines(self) -> list[str]:
        found = sorted(
            (one for one in self.mechanisms if one.changed),
            key=lambda one: (one.p_value, -one.size),
        )
        told = []
        for one in found:
            of = f" given {listed(one.parents, 3)}" if one.parents else ""
            told.append(
                f"{one.name}{of}: {shown_cell(one.cell)} ({_p(one.p_value)}){_instead(one)}"
            )
        told += [
            f"{one.x} and {one.y} depend on each other as they did not before: "
            f"correlation {one.before:+.2f} -> {one.after:+.2f} ({_p(one.p_value)})"
            for one in self.dependence
        ]
        return told

    def _margin_lines(self) -> list[str]:
        found = sorted(
            (one for one in self.margins if one.changed), key=lambda one: (one.p_value, -one.size)
        )
        told = []
        for one in found:
            why = f"; follows from {listed(one.follows_from, 3)}" if one.follows_from else ""
            told.append(f"{one.name}: {shown_cell(one.cell)} ({_p(one.p_value)}){why}")
        return told

    def _row_lines(self) -> list[str]:
        told = []
        for one in self.rows:
            given = ", ".join(f"{name} = {value_text(value)}" for name, value in one.given.items())
            given = f" given {given}" if given else ""
            told.append(
                f"{one.place}: {one.name} = {value_text(one.value)}, expected {one.expected}"
                f"{given}; 1 in {one_in(one.share)} rows"
            )
        return told


def _instead(mechanism: Mechanism) -> str:
    others = mechanism.alternatives
    return f"; or the mechanism of {' or '.join(others)} instead" if others else ""


def told_attribution(one: Attribution) -> tuple[str, list[tuple[str, str, str]], str]:
    """Return a title, name, change and interval of each part, and what is not explained."""
    is_share = one.state is not None
    what = f"{one.target} = {value_text(one.state)}" if is_share else f"mean of {one.target}"

    unit = " points" if is_share else ""

    def shown(value: float) -> str:
        return f"{value:.1%}" if is_share else f"{value:.4g}"

    def signed(value: float) -> str:
        return f"{value * 100:+.1f}" if is_share else f"{value:+.3g}"

    parts = [
        (part.name, signed(part.change) + unit, f"[{signed(part.low)}, {signed(part.high)}]")
        for part in one.parts
    ]
    title = f"Why {what} went from {shown(one.before)} to {shown(one.after)}"
    return title, parts, signed(one.rest) + unit


def _attributed(one: Attribution) -> tuple[str, list[str]]:
    """Return a title and a line for each part of a change."""
    title, parts, rest = told_attribution(one)
    lines = [f"{name}: {change} {interval}" for name, change, interval in parts]
    if not parts:
        lines = ["no mechanism that leads to it changed"]
    return title, [*lines, f"not explained by a changed mechanism: {rest}"]


def _section(title: str, lines: list[str]) -> list[str]:
    if not lines:
        return []
    more = [f"  and {len(lines) - _SHOWN:,} more"] if len(lines) > _SHOWN else []
    return ["", title, *(f"  {line}" for line in lines[:_SHOWN]), *more]


def shown_cell(cell: MovedCell | None) -> str:
    """Say how the share of a state moved."""
    if cell is None:
        return "moved"
    given = ", ".join(f"{one} = {value_text(value)}" for one, value in cell.given.items())
    given = f" where {given}" if given else ""
    return f"{value_text(cell.state)} in {cell.before:.1%} -> {cell.after:.1%} of rows{given}"


def value_text(value: Any) -> str:
    """Spell a state, or a number to six digits."""
    return f"{value:.6g}" if isinstance(value, float) else str(value)


def _p(value: float) -> str:
    return f"p = {value:.2g}" if value >= 1e-12 else "p < 1e-12"


def one_in(share: float) -> str:
    """Say in how many rows there is one, rounded: "20,000"."""
    value = 1 / max(share, 1e-300)
    if value < 1000:
        return f"{value:,.0f}"
    if value > 1e12:
        return "more than a trillion"
    digits = 10 ** (len(str(int(value))) - 1)
    return f"{round(value / digits) * digits:,}"


def _plain(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {str(key): _plain(one) for key, one in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(one) for one in value]
    return value if isinstance(value, str | int | float | bool | None) else str(value)
