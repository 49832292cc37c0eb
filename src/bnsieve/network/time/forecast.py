"""Forecasts of a network over time: a record that prints and draws itself.

In: what is expected of each entity in each future step. Out: a `Forecast`.
"""

from collections.abc import Hashable, Mapping
from dataclasses import dataclass, field
from os import PathLike
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from bnsieve.graph import Picture
from bnsieve.network.mixed.scale import Values
from bnsieve.network.time.picture import Fan, draw_fans
from bnsieve.text import counted, listed, shortened

# As many as a screen holds; all are in the value.
_ENTITIES_SHOWN, _VARIABLES_SHOWN, _STATES_SHOWN, _STEPS_SHOWN = 2, 8, 4, 12
_DRAWN = 6


@dataclass(frozen=True, eq=False, repr=False)
class Forecast:
    """A forecast of the next steps: probabilities of states, intervals of numbers.

    Attributes
    ----------
    entities : tuple
        The entity of each series; ``(None,)`` for a single series.
    times : ndarray, shape (n_entities, n_steps)
        The time stamps of the steps, continued by the step of the data.
    states : mapping from str to tuple of states
        The states of each categorical variable.
    probabilities : mapping from str to ndarray of float64, shape (n_entities, n_steps, n_states)
        For each categorical variable: the probability of each state.
    numbers : mapping from str to ndarray of float64, shape (n_entities, n_steps, 4)
        For each numeric variable: mean, median, and the ends of the interval.
    level : float
        The level of the intervals: how often an interval should contain the future value.
    is_exact : bool
        Whether probabilities come from exact inference. Else they are means over drawn paths.
    n_paths : int
        The number of paths drawn for each entity; 0 if the forecast is exact.
    time, by : str or None
        The time column and the entity column.
    scenario : str
        Interventions and evidence of future steps, in words; may be empty.
    notes : tuple of str
        Notes on missing values, short histories and new categories.
    paths : mapping from str to ndarray, shape (n_entities, n_steps, n_paths)
        The drawn values, codes of `states` for categorical variables; empty unless kept.
    """

    entities: tuple[Any, ...]
    times: NDArray[Any]
    states: Mapping[str, tuple[Hashable, ...]]
    probabilities: Mapping[str, Values]
    numbers: Mapping[str, Values]
    level: float = 0.9
    is_exact: bool = False
    n_paths: int = 0
    time: str | None = None
    by: str | None = None
    scenario: str = ""
    notes: tuple[str, ...] = ()
    paths: Mapping[str, NDArray[Any]] = field(default_factory=dict)

    @property
    def n_steps(self) -> int:
        """The number of steps."""
        return int(self.times.shape[1])

    @property
    def variables(self) -> tuple[str, ...]:
        """The variables, numeric ones first."""
        return (*self.numbers, *self.probabilities)

    def to_frame(self) -> pd.DataFrame:
        """Return one row per entity, step and numeric variable, or state of a categorical one.

        Columns: the entity and the time stamp under the names that the data have for them, "step",
        "variable"; "mean", "median", "low" and "high" of numbers; "state" and "probability".
        """
        n, n_steps = len(self.entities), self.n_steps
        parts = []
        for name, values in self.numbers.items():
            part = self._keys(name, 1)
            for place, column in enumerate(("mean", "median", "low", "high")):
                part[column] = values[:, :, place].ravel()
            parts.append(part)
        for name, shares in self.probabilities.items():
            states = self.states[name]
            part = self._keys(name, len(states))
            labels = np.empty(len(states), dtype=object)
            labels[:] = states
            part["state"] = np.tile(labels, n * n_steps)
            part["probability"] = shares.ravel()
            parts.append(part)
        frame = pd.concat(parts, ignore_index=True)
        order = np.lexsort((frame["step"], frame.pop("_variable"), frame.pop("_entity")))
        return frame.iloc[order].reset_index(drop=True)

    def to_dict(self) -> dict[str, Any]:
        """Return the forecast as plain values, for JSON."""
        frame = self.to_frame()
        if self.time is not None:
            frame[self.time] = [_plain(stamp) for stamp in frame[self.time]]
        lines = [
            {key: _plain(value) for key, value in line.items() if not _is_nothing(value)}
            for line in frame.to_dict("records")
        ]
        return {
            "steps": self.n_steps,
            "interval": self.level,
            "exact": self.is_exact,
            "paths": self.n_paths,
            "scenario": self.scenario,
            "notes": list(self.notes),
            "forecast": lines,
        }

    def _keys(self, name: str, n_lines: int) -> pd.DataFrame:
        n, n_steps = len(self.entities), self.n_steps
        columns: dict[str, Any] = {}
        if self.by is not None:
            columns[self.by] = pd.Series(self.entities).repeat(n_steps * n_lines).to_numpy()
        if self.time is not None:
            columns[self.time] = np.repeat(self.times.ravel(), n_lines)
        columns["step"] = np.tile(np.repeat(np.arange(1, n_steps + 1), n_lines), n)
        columns["variable"] = name
        columns["_variable"] = self.variables.index(name)
        columns["_entity"] = np.repeat(np.arange(n), n_steps * n_lines)
        return pd.DataFrame(columns)

    def of(self, entity: Any) -> "Forecast":
        """Return the forecast of one entity."""
        if entity not in self.entities:
            known = listed(map(repr, self.entities))
            raise KeyError(f"there is no forecast of {entity!r}: there are those of {known}")
        at = [self.entities.index(entity)]

        def only(held: Mapping[str, NDArray[Any]]) -> dict[str, NDArray[Any]]:
            return {name: values[at] for name, values in held.items()}

        return Forecast(
            (entity,), self.times[at], self.states, only(self.probabilities), only(self.numbers),
            self.level, self.is_exact, self.n_paths, self.time, self.by, self.scenario, self.notes,
            only(self.paths),
        )  # fmt: skip

    def plot(
        self, path: str | PathLike[str] | None = None, *, entity: Any = None, most: int = _DRAWN
    ) -> Picture:
        """Draw one entity's forecast as SVG: medians with intervals, shares of states.

        Parameters
        ----------
        path : str or path-like, optional
            The .svg file to write.
        entity : optional
            The entity to draw, by default the first.
        most : int
            The largest number of variables to draw.
        """
        shown = self if entity is None else self.of(entity)
        fans = [Fan(name, values[0]) for name, values in list(shown.numbers.items())[:most]]
        for name, shares in list(shown.probabilities.items())[: most - len(fans)]:
            fans.append(Fan(name, shares=shares[0], states=tuple(map(str, self.states[name]))))
        ends = str(_stamp(shown.times[0, 0])), str(_stamp(shown.times[0, -1]))
        picture = draw_fans(fans, shown._title(0), ends, f"{self.level:.0%} interval")
        if path is not None:
            picture.save(path)
        return picture

    def in_words(self, all_of_them: str = "to_frame() has all of them") -> str:
        """Return the forecasts of the first series as text.

        Parameters
        ----------
        all_of_them : str
            Where a reader finds those of the others.
        """
        lines = []
        for place in range(min(len(self.entities), _ENTITIES_SHOWN)):
            lines += [self._title(place), *self._lines(place)]
        if len(self.entities) > _ENTITIES_SHOWN:
            more = len(self.entities) - _ENTITIES_SHOWN
            lines.append(f"... and {counted(more, 'more forecast')}: {all_of_them}")
        how = "exact" if self.is_exact else f"{counted(self.n_paths, 'path')} of each series"
        lines.append(f"{how}; intervals of {self.level:.0%}" if self.numbers else how)
        if self.scenario:
            assumed = "; this assumes that edges are causal" if "do(" in self.scenario else ""
            lines.append(f"under {self.scenario}{assumed}")
        return "\n".join([*lines, *self.notes])

    def __str__(self) -> str:
        return self.in_words()

    __repr__ = __str__

    def _title(self, place: int) -> str:
        of = "" if self.entities[place] is None else f" of {self.by} {self.entities[place]}"
        until = f"{_stamp(self.times[place, 0])} to {_stamp(self.times[place, -1])}"
        return f"forecast{of}, {counted(self.n_steps, 'step')}: {until}"

    def _lines(self, place: int) -> list[str]:
        rows = [["step", *(f"t+{i + 1}" for i in range(min(self.n_steps, _STEPS_SHOWN)))]]
        for name in self.variables[:_VARIABLES_SHOWN]:
            short = shortened(name, 24)
            if name in self.numbers:
                values = self.numbers[name][place, :_STEPS_SHOWN]
                rows.append([short, *(f"{value:.4g}" for value in values[:, 1])])
                rows.append(["  low", *(f"{value:.4g}" for value in values[:, 2])])
                rows.append(["  high", *(f"{value:.4g}" for value in values[:, 3])])
                continue
            shares = self.probabilities[name][place, :_STEPS_SHOWN]
            likely = np.argsort(-shares.mean(axis=0), kind="stable")[:_STATES_SHOWN]
            rows.append([short, *("" for _ in shares)])
            for code in sorted(likely.tolist()):
                state = shortened(str(self.states[name][code]), 22)
                rows.append([f"  {state}", *(f"{share:.2f}" for share in shares[:, code])])
        widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
        lines = [
            "  ".join([row[0].ljust(widths[0]), *map(str.rjust, row[1:], widths[1:])]).rstrip()
            for row in rows
        ]
        if len(self.variables) > _VARIABLES_SHOWN:
            n_more = len(self.variables) - _VARIABLES_SHOWN
            lines.append(f"... {counted(n_more, 'more variable')}")
        return [f"  {line}" for line in lines]

    def _repr_html_(self) -> str:
        """Return what a notebook shows: the picture."""
        return self.plot()._repr_html_()


def _stamp(value: Any) -> Any:
    """Return a time stamp as text: a date without midnight; a number as it is."""
    if isinstance(value, np.datetime64 | pd.Timestamp):
        stamp = pd.Timestamp(value)
        return stamp.date() if stamp == stamp.normalize() else stamp
    return f"{value:.12g}" if isinstance(value, float) else value


def _plain(value: Any) -> Any:
    """Return a value that JSON can hold."""
    if isinstance(value, np.generic):
        value = value.item() if not isinstance(value, np.datetime64) else pd.Timestamp(value)
    return value if isinstance(value, str | int | float | bool) else str(value)


def _is_nothing(value: Any) -> bool:
    return isinstance(value, float) and np.isnan(value)
