"""Drivers of a target: the variables that carry information about it.

In: the results of `bnsieve.explain.driving`. Out: `Drivers`, to print, to draw, or to read field by
field, with a `Driver` for each variable.

Drivers are in this order:

1. Variables whose interval excludes zero: possible causes, variables for which the rows contradict
   the graph, and tentative effects of the target, which only the score makes effects. The largest
   adjusted difference comes first, whatever its sign.
2. All others that are not effects of the target, in the same order. Those without an estimate come
   last.
3. All other effects of the target, the largest share first.
"""

from collections.abc import Hashable, Iterator
from dataclasses import dataclass
from os import PathLike
from typing import Any, Literal

import numpy as np
import pandas as pd

from bnsieve.explain.support import Reliability, plain_values
from bnsieve.explain.tornado import Bar, draw_tornado
from bnsieve.graph import Picture
from bnsieve.network import Contrast
from bnsieve.text import listed, shortened

ASSUMPTION = (
    "Adjustment sets come from the graph. A difference is what a change would do only if edges "
    "mean causes and no unmeasured cause drives two of the variables."
)
# As many as a screen holds; all are in the value.
_SHOWN = 12
_NAME_WIDTH = 30
_SETTING_WIDTH = 24

DriverKind = Literal["possible cause", "common cause", "no path", "effect"]


@dataclass(frozen=True, eq=False)
class Driver:
    """A variable that carries information about a target.

    Attributes
    ----------
    name : str
        The name of the variable.
    target : str
        The name of the target.
    kind : {"possible cause", "common cause", "no path", "effect"}
        The role in the graph: a directed path may lead to the target; the two share a cause; there
        is no path between them, although the rows show an association; or it is an effect of the
        target.
    path : tuple of str
        The variables on a directed path between the two, or the causes that the two share.
    direction : {"confirmed", "tentative", "undetermined", "knowledge"} or None
        The reliability of the path, which is that of its least reliable edge. None if there is no
        path, or if the network was not learned.
    share : float
        The share of the target's uncertainty that the variable alone explains: mutual information
        over entropy. For a numeric target, the share of its variance.
    contrast : Contrast or None
        The target under two settings of the variable. None if there is no estimate: see `notes`.
    adjustment : tuple of str or None
        The adjustment set of the difference. For a tentative effect, the set that applies if it is
        a cause. None for all other effects, whose differences are not adjusted.
    bounds : tuple of two float, or None
        The smallest and the largest difference over the DAGs of the equivalence class. None if all
        DAGs give the same difference, or if there are too many.
    contradicts : bool
        Whether the rows contradict the graph: it implies no effect, but the adjusted difference has
        a p-value below 0.01 divided by the number of variables.
    late : tuple of str
        Reasons why it may have been recorded after the target; empty if there are none.
    notes : tuple of str
        Remarks about the estimate.
    """

    name: str
    target: str
    kind: DriverKind
    path: tuple[str, ...]
    direction: Reliability | None
    share: float
    contrast: Contrast | None = None
    adjustment: tuple[str, ...] | None = None
    bounds: tuple[float, float] | None = None
    contradicts: bool = False
    late: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()

    @property
    def is_cause(self) -> bool:
        """Whether it is a possible cause of the target in the graph."""
        return self.kind == "possible cause"

    @property
    def difference(self) -> float:
        """The difference of the target between the two settings; NaN if it is unknown.

        It is a difference in the probability of the state, or in the mean of a numeric target.
        """
        if self.contrast is None:
            return np.nan
        if self.contrast.estimate is None and self.contrast.network is not None:
            return self.contrast.network
        return self.contrast.difference

    @property
    def low(self) -> float:
        """The lower end of the difference's interval; NaN if there is none."""
        return np.nan if self.contrast is None else self.contrast.low

    @property
    def high(self) -> float:
        """The upper end of the difference's interval; NaN if there is none."""
        return np.nan if self.contrast is None else self.contrast.high

    @property
    def excludes_zero(self) -> bool:
        """Whether the interval excludes zero."""
        return self.low > 0 or self.high < 0

    @property
    def sign(self) -> Literal["+", "-", ""]:
        """Whether the target rises or falls; empty if the interval includes zero."""
        known = self.excludes_zero or (np.isnan(self.low) and not np.isnan(self.difference))
        return ("+" if self.difference > 0 else "-") if known and self.difference else ""

    @property
    def may_be_nothing(self) -> bool:
        """Whether the difference may be zero because directions are undetermined.

        This is so if the bounds include zero. Without bounds, it is so if the direction is
        undetermined.
        """
        if self.bounds is None:
            return self.direction == "undetermined"
        return self.bounds[0] <= 0 <= self.bounds[1]

    @property
    def leads(self) -> bool:
        """Whether it is in the first group: its interval excludes zero, and it may be a cause."""
        may_be = self.is_cause or self.contradicts or self.is_tentative_effect
        return bool(self.sign) and may_be

    @property
    def is_tentative_effect(self) -> bool:
        """Whether it is an effect of the target in the graph, but only by the score."""
        return self.kind == "effect" and self.direction == "tentative"

    @property
    def settings(self) -> str:
        """The two settings, in words."""
        if self.contrast is None:
            return ""
        two = (str(self.contrast.treated), str(self.contrast.control))
        return " against ".join(shortened(one, _SETTING_WIDTH) for one in two)

    @property
    def how(self) -> str:
        """Its relation to the target in the graph, in words."""
        if self.kind == "possible cause":
            return f"through {listed(self.path, 3)}" if self.path else "direct"
        if self.kind == "effect":
            through = f", through {listed(self.path, 3)}" if self.path else ""
            how = "tentatively an" if self.is_tentative_effect else "an"
            return f"associated; in the graph {how} effect of {self.target}{through}"
        if self.kind == "common cause":
            return f"associated; common cause: {listed(self.path, 3)}"
        return "associated in the rows; the graph has no path between the two"

    def to_dict(self) -> dict[str, Any]:
        """Return plain values, for JSON."""
        one = self.contrast
        values = {
            "variable": self.name,
            "kind": self.kind,
            "how": self.how,
            "path": self.path,
            "direction": self.direction,
            "share": self.share,
            "treated": None if one is None else str(one.treated),
            "control": None if one is None else str(one.control),
            "state": None if one is None or one.state is None else str(one.state),
            "difference": _finite(self.difference),
            "low": _finite(self.low),
            "high": _finite(self.high),
            "sign": self.sign,
            "adjustment": self.adjustment,
            "bounds": self.bounds,
            "contradicts": self.contradicts,
            "overlap": None if one is None else one.share,
            "overlap_where": "" if one is None else one.where,
            "late": self.late,
            "notes": self.notes,
        }
        plain: dict[str, Any] = plain_values(values)
        return plain


@dataclass(frozen=True, eq=False, repr=False)
class Drivers:
    """The variables that carry information about a target, ranked.

    Iterate over it, or get one driver by name: ``drivers["tenure"]``.

    Attributes
    ----------
    target : str
        The variable whose drivers these are.
    state : state or None
        The state of the target whose probability is compared. None for a numeric target, and for a
        target with several states: each driver then has the state that it changes most.
    is_numeric : bool
        Whether the target is numeric.
    all : tuple of Driver
        All drivers, in the order of the ranking.
    others : tuple of str
        Variables that were not found to carry information about the target.
    n_rows, n_rows_in_all : int
        The number of rows behind the estimates (0 if only the network was used), and of all
        training rows.
    level : float
        The level of the intervals.
    assumption : str
        The assumption under which a difference is the effect of a change.
    """

    target: str
    state: Hashable
    is_numeric: bool
    all: tuple[Driver, ...]
    others: tuple[str, ...]
    n_rows: int
    n_rows_in_all: int
    level: float
    assumption: str = ASSUMPTION

    def __len__(self) -> int:
        return len(self.all)

    def __iter__(self) -> Iterator[Driver]:
        return iter(self.all)

    def __getitem__(self, name: str) -> Driver:
        for driver in self.all:
            if driver.name == name:
                return driver
        raise KeyError(f"{name!r} is not among the drivers of {self.target!r}")

    @property
    def title(self) -> str:
        """The title, such as ``drivers of churn = yes``."""
        return f"drivers of {self.target}" + ("" if self.state is None else f" = {self.state}")

    @property
    def sources(self) -> str:
        """Where the differences come from, in words."""
        if not self.n_rows:
            return "By the network only: its rows were not kept, so there are no intervals."
        rows = f"{self.n_rows:,} rows"
        if self.n_rows < self.n_rows_in_all:
            rows = f"a sample of {self.n_rows:,} of {self.n_rows_in_all:,} rows"
        unit = "the mean" if self.is_numeric else "percentage points"
        return f"Differences ({unit}) with {self.level:.0%} intervals, from {rows}."

    def to_frame(self) -> pd.DataFrame:
        """Return a frame with a row per driver, in the same order."""
        columns = [
            "variable", "difference", "low", "high", "sign", "treated", "control", "state",
            "share", "kind", "how", "direction", "adjustment", "bound_low", "bound_high",
            "overlap", "contradicts", "late", "notes",
        ]  # fmt: skip
        lines = []
        for driver in self.all:
            line = driver.to_dict()
            line["bound_low"], line["bound_high"] = driver.bounds or (None, None)
            for name in ("adjustment", "late", "notes"):
                line[name] = None if line[name] is None else "; ".join(line[name])
            lines.append(line)
        frame = pd.DataFrame(lines, columns=columns)
        numbers = ["difference", "low", "high", "share", "bound_low", "bound_high", "overlap"]
        return frame.astype(dict.fromkeys(numbers, np.float64))

    def to_dict(self) -> dict[str, Any]:
        """Return plain values, for JSON."""
        return {
            "target": self.target,
            "state": None if self.state is None else str(self.state),
            "numeric": self.is_numeric,
            "level": self.level,
            "rows": self.n_rows,
            "rows_in_all": self.n_rows_in_all,
            "sources": self.sources,
            "assumption": self.assumption,
            "drivers": [driver.to_dict() for driver in self.all],
            "others": list(self.others),
        }

    def plot(self, path: str | PathLike[str] | None = None, *, most: int = 20) -> Picture:
        """Draw a tornado plot: one bar per driver with its interval, the first at the top.

        A bar is hollow if the variable is not a possible cause, if the interval includes zero, or
        if the difference may be zero because directions are undetermined. Notebooks show the
        picture; ``picture.svg`` is its text.

        Parameters
        ----------
        path : str or path, optional
            An ``.svg`` file to write as well.
        most : int, default 20
            The largest number of drivers to draw.
        """
        scale = 1.0 if self.is_numeric else 100.0
        drawn = [driver for driver in self.all if not np.isnan(driver.difference)]
        bars = [
            Bar(
                driver.name,
                self._in_words(driver, state=False),
                scale * driver.difference,
                scale * driver.low,
                scale * driver.high,
                is_solid=driver.leads and driver.kind != "effect" and not driver.may_be_nothing,
                is_late=bool(driver.late),
                sets_scale=driver.kind != "effect",
            )
            for driver in drawn[:most]
        ]
        about = self.target if self.state is None else f"{self.target} = {self.state}"
        unit = f"difference in {about}" + ("" if self.is_numeric else ", in percentage points")
        return draw_tornado(bars, self.title, unit, len(self.all) - len(bars)).saved(path)

    def __repr__(self) -> str:
        return str(self)

    def __str__(self) -> str:
        if not self.all:
            return "\n".join([self.title, *self._nothing()])
        cells = [self._cells(driver) for driver in self.all[:_SHOWN]]
        widths = [max(len(line[i]) for line in cells) for i in range(4)]
        lines = [self.title, self.sources]
        for *first, last in cells:
            padded = (cell.ljust(width) for cell, width in zip(first, widths, strict=True))
            lines.append(("  " + "  ".join([*padded, last])).rstrip())
        if len(self.all) > _SHOWN:
            lines.append(f"  ... and {len(self.all) - _SHOWN:,} more")
        for driver in self.all[:_SHOWN]:
            lines += [f"{driver.name}: {text}" for text in self.remarks(driver)]
        if self.others:
            lines.append(f"Not found to carry information: {listed(self.others)}.")
        return "\n".join([*lines, self.assumption])

    def _nothing(self) -> list[str]:
        return [
            f"No variable was found to carry information about {self.target}. That does not mean "
            "that there is none: these rows do not show it."
        ]

    def _cells(self, driver: Driver) -> list[str]:
        how = driver.how if driver.direction is None else f"{driver.how} ({driver.direction})"
        return [
            shortened(driver.name, _NAME_WIDTH),
            self.in_words(driver),
            f"explains {driver.share:.1%}",
            driver.settings,
            how,
        ]

    def in_words(self, driver: Driver) -> str:
        """Return a driver's difference with its interval: ``+4.1 points [3.0, 5.2]``."""
        return self._in_words(driver, state=self.state is None)

    def remarks(self, driver: Driver) -> tuple[str, ...]:
        """Return further remarks about a driver, a sentence each."""
        remarks = [f"may be recorded after the outcome: {why}" for why in driver.late]
        if driver.bounds is not None:
            remarks.append(f"undetermined directions leave it {self.bounds_in_words(driver)}")
        return (*remarks, *driver.notes)

    def bounds_in_words(self, driver: Driver) -> str:
        """Return the bounds from undetermined directions: ``between -6.9 and +0.0 points``."""
        if driver.bounds is None:
            return ""
        low, high = map(self._figure, driver.bounds)
        return f"between {low} and {high}" + ("" if self.is_numeric else " points")

    def _figure(self, difference: float) -> str:
        return f"{difference:+.3g}" if self.is_numeric else f"{100 * difference:+.1f}"

    def _in_words(self, driver: Driver, *, state: bool) -> str:
        if driver.contrast is None or np.isnan(driver.difference):
            return "no estimate"
        middle, low, high = map(self._figure, (driver.difference, driver.low, driver.high))
        text = middle if self.is_numeric else f"{middle} points"
        if state and driver.contrast.state is not None:
            text = f"{shortened(str(driver.contrast.state), _SETTING_WIDTH)} {text}"
        return text if np.isnan(driver.low) else f"{text} [{low}, {high}]"

    def _repr_html_(self) -> str:
        """Return what a notebook shows: the tornado plot, and a table of all drivers."""
        from bnsieve.text import NotebookTable, notebook_html

        if not self.all:
            return notebook_html(self.title, note=" ".join(self._nothing()))
        columns = ("variable", "difference", "share", "settings", "how", "direction")
        rows = [
            (
                driver.name,
                self.in_words(driver),
                f"{driver.share:.1%}",
                driver.settings,
                driver.how,
                driver.direction or "",
            )
            for driver in self.all
        ]
        remarks = [(driver.name, text) for driver in self.all for text in self.remarks(driver)]
        tables = [
            NotebookTable("Drivers", columns, rows, folded=False),
            NotebookTable("Remarks", ("variable", "remark"), remarks),
        ]
        note = f"{self.sources} {self.assumption}"
        return notebook_html(self.title, note=note, picture=self.plot().svg, tables=tables)


def _finite(value: float) -> float | None:
    return float(value) if np.isfinite(value) else None
