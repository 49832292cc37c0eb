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
from bnsieve.network.rows import column_names, n_rows_of, select_columns
from bnsieve.network.time.clock import Clock, read_stamps
from bnsieve.network.time.forecast import Forecast
from bnsieve.network.time.history import Placed, read_values, windows_of
from bnsieve.network.time.scenarios import Future, read_scenario
from bnsieve.network.time.simulation import (
    Summaries,
    exact_model,
    summarise_exactly,
    summarise_paths,
)
from bnsieve.network.time.slices import Slices, unrolled
from bnsieve.rows import in_memory
from bnsieve.table import Timeline
from bnsieve.text import listed

MOST_STEPS = 10_000


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
            "forecasts take a network over time: learn with time= (and by=, if the rows are about "
            "several machines, patients or customers)"
        )
    return Slices.of(parts, timeline.place, timeline.static)


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
    placed, stamps, notes = _placed(slices, timeline, in_memory(history))
    last = np.searchsorted(placed.entity, np.arange(len(placed.entities)), side="right") - 1
    clock = stamps.clock
    found = windows_of(placed, slices, {})
    n_steps, tail = options.steps, (1 - options.interval) / 2
    levels = (0.5, tail, 1 - tail)
    states = {
        name: np.empty((len(last), n_steps, len(slices.parts.states[name])))
        for name in slices.variables
        if name not in parts.numbers
    }
    numbers = {
        name: np.empty((len(last), n_steps, 4)) for name in slices.variables if name not in states
    }
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
        _put(part, places, len(last), states, numbers, paths)
    return Forecast(
        placed.entities,
        clock.after(stamps.stamps[last], np.arange(1, n_steps + 1)),
        {name: slices.parts.states[name] for name in states},
        states,
        numbers,
        options.interval,
        is_exact,
        0 if is_exact else options.n_paths,
        timeline.time,
        timeline.by,
        words,
        (*notes, *found.notes),
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
class _Stamps:
    """The time stamps of placed rows, and how long a step is."""

    stamps: NDArray[Any]
    clock: Clock


def _placed(slices: Slices, timeline: Timeline, data: Any) -> tuple[Placed, _Stamps, list[str]]:
    """Sort rows by entity and time, and number their steps."""
    timeline.require_keys(column_names(data), "the history")
    if not n_rows_of(data):
        raise ValueError("the history has no rows: give the last rows of each series")
    assert timeline.time is not None
    stamps = read_stamps(_column(data, timeline.time), timeline.time)
    if timeline.by is None:
        entity, names = np.zeros(len(stamps), dtype=np.intp), (None,)
    else:
        entity, unique = pd.factorize(_column(data, timeline.by))
        if (entity < 0).any():
            row = int((entity < 0).argmax()) + 1
            raise ValueError(
                f"column {timeline.by!r} is missing in row {row} of the history: say which series "
                "the row belongs to, or leave it out"
            )
        names = tuple(unique.tolist())
    order = np.lexsort((stamps, entity))
    stamps, entity = stamps[order], entity[order]
    _refuse_duplicates(stamps, entity, names, timeline)
    columns, notes = read_values(slices, data)
    columns = {name: column[order] for name, column in columns.items()}
    clock = Clock.of(stamps, entity)
    steps = clock.numbers(stamps, entity)
    return Placed(names, entity, steps, columns), _Stamps(stamps, clock), notes


def _column(data: Any, name: str) -> "pd.Series[Any]":
    chosen = select_columns(data, [name])
    if isinstance(chosen, pd.DataFrame):
        return chosen[name].reset_index(drop=True)
    import narwhals as nw

    column: pd.Series[Any] = nw.from_native(chosen, eager_only=True)[name].to_pandas()
    return column


def _refuse_duplicates(
    stamps: NDArray[Any], entity: NDArray[np.intp], names: tuple[Any, ...], timeline: Timeline
) -> None:
    twice = (np.diff(entity) == 0) & (stamps[1:] == stamps[:-1])
    if twice.any():
        rows = np.flatnonzero(twice)
        of = "" if timeline.by is None else f" of {timeline.by} {names[entity[rows[0]]]!r}"
        some = listed([str(stamp) for stamp in stamps[rows[:20]]], 2)
        raise ValueError(
            f"two rows{of} of the history have the same time stamp ({some}): keep one of them"
        )


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
