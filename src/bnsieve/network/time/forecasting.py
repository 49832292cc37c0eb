"""From a network over time and the last rows to a forecast.

In: the parts of a network, the `Timeline` of its fit, and rows. Out: a `Forecast`.
"""

import operator
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from bnsieve.engine import RandomState, seed_of
from bnsieve.network.network import BayesianNetwork
from bnsieve.network.parts import NetworkParts
from bnsieve.network.rows import column_names, n_rows_of
from bnsieve.network.time.clock import Clock, Order, refuse_repeats
from bnsieve.network.time.forecast import Forecast
from bnsieve.network.time.history import MOST_ROWS, History, Placed, read_values, windows_of
from bnsieve.network.time.scenarios import Future, read_scenario
from bnsieve.network.time.simulation import (
    Summaries,
    exact_model,
    limits_of,
    summarise_exactly,
    summarise_paths,
    trained_ranges,
)
from bnsieve.network.time.slices import Slices, unrolled
from bnsieve.rows import MemoryData, Stamps, in_memory, read_keys, stamps_of
from bnsieve.table import Timeline
from bnsieve.table.prepare import LABELS, calendar_codes
from bnsieve.text import counted, listed

MOST_STEPS = 10_000
# A value is far outside the training range if it lies so many ranges beyond an end.
_FAR = 1.0


@dataclass(frozen=True)
class ForecastOptions:
    """How a forecast is made; see `bnsieve.TsetlinSieve.forecast`."""

    steps: int = 12
    interval: float = 0.9
    n_paths: int = 1000
    keep_paths: bool = False
    random_state: RandomState = 0

    def checked(self) -> "ForecastOptions":
        """Return the same with whole numbers; refuse what is none, or out of range."""
        steps, n_paths = operator.index(self.steps), operator.index(self.n_paths)
        if not 1 <= steps <= MOST_STEPS:
            raise ValueError(f"steps must be from 1 to {MOST_STEPS:,}, got {steps}")
        if n_paths < 10:
            raise ValueError(f"n_paths must be at least 10, got {n_paths}")
        if not 0 < self.interval < 1:
            raise ValueError(f"interval must lie between 0 and 1, got {self.interval!r}")
        return ForecastOptions(
            steps, float(self.interval), n_paths, self.keep_paths, self.random_state
        )


def slices_of(parts: NetworkParts, timeline: Timeline | None) -> Slices:
    """Return the network of a fit as slices; refuse one that was learned without time."""
    if timeline is None or not timeline.has_lags:
        raise ValueError(
            "forecasts need a network over time: learn with time= (and by=, if the rows are about "
            "several machines, patients or customers)"
        )
    return Slices.of(parts, timeline.place, timeline.static, timeline.calendar)


def forecast_rows(
    parts: NetworkParts,
    timeline: Timeline | None,
    history: Any,
    options: ForecastOptions,
    do: Future | None = None,
    given: Future | None = None,
) -> Forecast:
    """Return what the network expects of the steps after each series' last row."""
    options = options.checked()
    slices = slices_of(parts, timeline)
    assert timeline is not None
    scenario, words = read_scenario(slices, do, given, options.steps)
    placed = _placed(slices, timeline, in_memory(history))
    n, n_steps, tail = len(placed.rows.entities), options.steps, (1 - options.interval) / 2
    known, unseen = _known(slices, timeline, placed, n_steps)
    found = windows_of(placed.rows, slices, known)
    levels = (0.5, tail, 1 - tail)
    states = {
        name: np.empty((n, n_steps, len(slices.parts.states[name])))
        for name in slices.variables
        if name not in parts.numbers
    }
    numbers = {name: np.empty((n, n_steps, 4)) for name in slices.variables if name not in states}
    paths: dict[str, NDArray[Any]] = {}
    seed, is_exact = seed_of(options.random_state), True
    for places, windows in found.groups:
        model = None if options.keep_paths else exact_model(slices, windows.n_rows, n_steps)
        if model is not None:
            part = summarise_exactly(slices, model, windows, n_steps, scenario)
        else:
            is_exact = False
            part = summarise_paths(
                slices, windows, n_steps, scenario,
                levels=levels, n_paths=options.n_paths, seed=seed, keep_paths=options.keep_paths,
            )  # fmt: skip
        _put(part, places, n, states, numbers, paths)
    return Forecast(
        placed.rows.entities,
        placed.clock.after(placed.stamps, placed.order, placed.last, n_steps),
        {name: slices.parts.states[name] for name in states},
        states,
        numbers,
        options.interval,
        is_exact,
        0 if is_exact else options.n_paths,
        timeline.time,
        timeline.by,
        words,
        (*placed.notes, *found.notes, *unseen, *_far_outside(slices, found)),
        paths,
    )


def _put(
    part: Summaries,
    places: NDArray[np.intp],
    n_entities: int,
    states: dict[str, NDArray[np.float64]],
    numbers: dict[str, NDArray[np.float64]],
    paths: dict[str, NDArray[Any]],
) -> None:
    for held, summaries in ((states, part.states), (numbers, part.numbers)):
        for name, values in summaries.items():
            held[name][places] = values
    for name, drawn in part.paths.items():
        every = paths.setdefault(name, np.empty((n_entities, *drawn.shape[1:]), dtype=drawn.dtype))
        every[places] = drawn


@dataclass(frozen=True, eq=False)
class _PlacedRows:
    """Rows of the history in order, and when they were recorded."""

    rows: Placed
    stamps: Stamps
    order: Order
    clock: Clock
    notes: tuple[str, ...]

    @property
    def last(self) -> NDArray[np.intp]:
        """The last step of each entity."""
        return np.searchsorted(self.order.entity, np.arange(len(self.rows.entities)), "right") - 1


def _placed(slices: Slices, timeline: Timeline, data: Any) -> _PlacedRows:
    """Sort rows by entity and time, and number their steps."""
    timeline.require_keys(column_names(data), "the history")
    n_rows = n_rows_of(data)
    if not n_rows:
        raise ValueError("the history has no rows: give the last rows of each series")
    assert timeline.time is not None
    keys = read_keys(MemoryData(data), timeline.keys)
    stamps = stamps_of(timeline.time, keys[timeline.time])
    entities = np.zeros(n_rows, dtype=np.int64)
    names: tuple[Any, ...] = (None,)
    if timeline.by is not None:
        entities, unique = pd.factorize(keys[timeline.by])
        names = tuple(pd.Index(unique).tolist())
    is_placed = (entities >= 0) & stamps.known
    # Entities without a row in time have no forecast.
    kept = np.unique(entities[is_placed])
    if not len(kept):
        raise ValueError(f"no row of the history has a time stamp ({timeline.time}): check it")
    entities = np.where(is_placed, np.searchsorted(kept, entities), -1)
    names = tuple(names[i] for i in kept)
    clock = Clock.of(timeline, stamps, entities)
    order = clock.order(timeline, stamps, entities)
    refuse_repeats(timeline, clock, stamps, order, names)
    columns, notes = read_values(slices, data, order)
    if n_rows > len(order.rows):
        left_out = counted(n_rows - len(order.rows), "row has", "rows have")
        notes.append(f"{left_out} no time stamp or no {timeline.by or 'series'}: left out")
    if clock.is_uneven:
        notes.append(
            "the times between rows are uneven: each row is a step, and time stamps go on by the "
            f"usual time between rows, {clock.every}"
        )
    if order.n_odd:
        times = counted(order.n_odd, "time between two rows is", "times between two rows are")
        notes.append(f"{times} not a multiple of {clock.every}: steps between are missing")
    had_zone = timeline.steps is not None and timeline.steps.has_zone
    if stamps.is_date and timeline.steps is not None and stamps.has_zone != had_zone:
        notes.append(
            "the times of the history have no time zone, but those of the training rows had one: "
            "they are taken to be in UTC"
            if had_zone
            else "the times of the history have a time zone, but those of the training rows had "
            "none: they are converted to UTC"
        )
    rows = Placed(names, order.entity, order.step, columns)
    return _PlacedRows(rows, stamps, order, clock, (*stamps.remarks, *notes))


def _far_outside(slices: Slices, history: History) -> list[str]:
    """Return notes on last values far outside the training range."""
    ranges, limits, notes = trained_ranges(slices), limits_of(slices), []
    for name in (*slices.order, *slices.static):
        if name not in ranges:
            continue
        low, high = ranges[name]
        far = _FAR * (high - low)
        values = [{**w.rows, **w.static}[name] for _, w in history.groups]
        n = sum(int(((own < low - far) | (own > high + far)).sum()) for own in values)
        if n:
            least, most = limits[name]
            notes.append(
                f"{name}: {counted(n, 'value')} of the last rows {'lies' if n == 1 else 'lie'} far "
                f"outside the training range, {low:.4g} to {high:.4g}: the network has not seen "
                f"such values, and what it draws is kept between {least:.4g} and {most:.4g}"
            )
    return notes


def _known(
    slices: Slices, timeline: Timeline, placed: _PlacedRows, n_steps: int
) -> tuple[dict[str, NDArray[np.intp]], list[str]]:
    """Return the calendar of the last rows and of the steps to come, as `windows_of` takes it.

    Calendar values that did not occur in the training rows, such as Sundays, are treated like the
    value before them in the calendar.
    """
    known: dict[str, NDArray[np.intp]] = {}
    notes: list[str] = []
    if not slices.known:
        return known, notes
    if not placed.stamps.is_date:
        raise ValueError(f"the time column {timeline.time!r} of the history holds no dates")
    times = placed.clock.after(
        placed.stamps, placed.order, placed.last, n_steps, first=1 - MOST_ROWS
    )
    micros = times.astype("datetime64[us]").astype(np.int64)
    for name in slices.known:
        part = timeline.calendar[name]
        states = slices.parts.states[name]
        place = {label: code for code, label in enumerate(states)}
        codes, last = np.empty(len(LABELS[part]), dtype=np.intp), len(states) - 1
        for i, label in enumerate(LABELS[part]):
            last = codes[i] = place.get(label, last)
        found = calendar_codes(part, micros)
        known[name] = codes[found]
        ahead = np.unique(found[:, MOST_ROWS:]).tolist()
        new = [str(LABELS[part][i]) for i in ahead if LABELS[part][i] not in place]
        if new:
            notes.append(
                f"{name}: {listed(new)} did not occur in the training rows, and "
                f"{'is' if len(new) == 1 else 'are'} treated like the value before"
            )
    return known, notes


def unrolled_network(
    parts: NetworkParts, timeline: Timeline | None, steps: int, past: int | None
) -> BayesianNetwork:
    """Return the network over the slices from `past` before the last row to `steps` after it."""
    slices = slices_of(parts, timeline)
    steps = operator.index(steps)
    before = slices.n_lags - 1 if past is None else operator.index(past)
    if steps < 1 or before < slices.n_lags - 1:
        raise ValueError(
            f"steps must be at least 1 and past at least {slices.n_lags - 1}, got {steps} and "
            f"{before}: the network looks back {slices.n_lags} steps"
        )
    return BayesianNetwork.of(unrolled(slices, -before, steps))
