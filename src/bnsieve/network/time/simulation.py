"""Forecasts of some entities: exactly where that is small, else by paths.

In: `Slices`, `Windows`, a `Scenario`. Out: `Summaries`: probabilities of states, means and
quantiles of numbers, for each entity and step.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bnsieve.network.causal.interventions import intervened
from bnsieve.network.discrete.cliques import plan_margins
from bnsieve.network.discrete.evidence import Evidence
from bnsieve.network.discrete.exact import SMALL_WORK, ImpossibleError, margins
from bnsieve.network.discrete.model import Model
from bnsieve.network.mixed.scale import Values
from bnsieve.network.time.paths import Paths, Scenario, Walk, Windows, weights_of_paths, with_tables
from bnsieve.network.time.slices import Slices, slice_name, unrolled

# Paths of all entities that are drawn at once: enough to hide the cost of each call.
_PATHS_AT_ONCE = 1 << 15
# Numbers stay within so many ranges of the data beyond its ends: a path that would leave it faster
# and faster is no forecast.
_BEYOND = 10.0


@dataclass(frozen=True, eq=False)
class Summaries:
    """What is expected of each entity.

    Attributes
    ----------
    states : mapping from str to ndarray of float64, shape (n_entities, n_steps, n_states)
    numbers : mapping from str to ndarray of float64, shape (n_entities, n_steps, 1 + n_levels)
        The mean, then the quantiles.
    paths : mapping from str to ndarray, shape (n_entities, n_steps, n_paths)
        Empty unless they are kept.
    """

    states: Mapping[str, Values]
    numbers: Mapping[str, Values]
    paths: Mapping[str, NDArray[Any]]


def exact_model(slices: Slices, n_rows: int, n_steps: int) -> Model | None:
    """Return the network over the last rows and all future steps; None if it is not small.

    All variables must be categorical, and the margins of all steps take a few milliseconds.
    """
    if slices.parts.numbers:
        return None
    model = unrolled(slices, 1 - n_rows, n_steps).discrete
    tree = plan_margins(model.n_states, model.parents)
    return model if tree.n_steps <= SMALL_WORK else None


def summarise_exactly(
    slices: Slices, model: Model, windows: Windows, n_steps: int, scenario: Scenario
) -> Summaries:
    """Return the probabilities of all states, by exact inference given all that is known.

    Raises
    ------
    ValueError
        If what is known is impossible together.
    """
    first = 1 - windows.n_rows
    evidence = np.full((len(windows), len(model.names)), -1, dtype=np.int64)
    for name, column in windows.static.items():
        evidence[:, model.index[name]] = column
    for name, columns in (*windows.rows.items(), *windows.known.items()):
        for row in range(columns.shape[1]):
            node = slice_name(name, first + row)
            if node in model.index:
                evidence[:, model.index[node]] = columns[:, row]
    for (name, step), code in scenario.given.items():
        evidence[:, model.index[slice_name(name, step)]] = code
    put = {model.index[slice_name(name, at)]: int(v) for (name, at), v in scenario.set_to.items()}
    model = intervened(model, put)
    every = [(name, step) for name in slices.order for step in range(1, n_steps + 1)]
    wanted = {(name, step): model.index[slice_name(name, step)] for name, step in every}
    states = {
        name: np.empty((len(windows), n_steps, len(slices.parts.states[name])))
        for name in slices.order
    }
    rows, places = np.unique(evidence, axis=0, return_inverse=True)
    for place, row in enumerate(rows):
        hard = {v: int(code) for v, code in enumerate(row) if code >= 0}
        hard |= {v: 0 for v, n in enumerate(model.n_states) if n == 1}
        alike = places.ravel() == place
        open_targets = [v for v in wanted.values() if v not in hard]
        try:
            answers = margins(model, open_targets, Evidence(hard), 1 << 30).tables
        except ImpossibleError:
            raise _impossible(windows.entities[int(alike.argmax())]) from None
        for (name, step), v in wanted.items():
            shares = answers[v,] if v not in hard else np.eye(model.n_states[v])[hard[v]]
            states[name][alike, step - 1] = shares
    return Summaries(states, {}, {})


def summarise_paths(
    slices: Slices,
    windows: Windows,
    n_steps: int,
    scenario: Scenario,
    *,
    levels: tuple[float, ...],
    n_paths: int,
    seed: int,
    keep_paths: bool,
) -> Summaries:
    """Return what paths say of each entity; blocks of entities are drawn one after the other."""
    model, limits = with_tables(slices.parts.mixed), limits_of(slices)
    parts = []
    for block in _blocks(len(windows), n_paths):
        some = windows.take(block)
        paths = Walk(slices, model, some, limits, n_paths, seed).forecast(n_steps, scenario)
        parts.append(_summary(slices, some, paths, scenario, levels, keep_paths))
    return joined(parts)


def joined(parts: list[Summaries]) -> Summaries:
    """Put summaries of several entities one below the other."""
    first, *others = parts
    if not others:
        return first
    return Summaries(
        *(
            {name: np.concatenate([getattr(one, part)[name] for one in parts]) for name in held}
            for part, held in vars(first).items()
        )
    )


def _summary(
    slices: Slices,
    windows: Windows,
    paths: Paths,
    scenario: Scenario,
    levels: tuple[float, ...],
    keep_paths: bool,
) -> Summaries:
    weights = weights_of_paths(paths.logs, windows.entities) if scenario.given else None
    states, numbers = {}, {}
    for name, draws in paths.draws.items():
        draws = draws.transpose(1, 0, 2)
        if name in slices.parts.numbers:
            numbers[name] = _moments(draws, weights, levels)
        elif weights is None:
            states[name] = paths.shares[name].transpose(1, 0, 2)
        else:
            every = np.arange(len(slices.parts.states[name]))
            states[name] = np.stack(
                [((draws == code) * weights[:, np.newaxis]).sum(axis=2) for code in every], axis=2
            )
    kept = {name: draws.transpose(1, 0, 2) for name, draws in paths.draws.items()}
    return Summaries(states, numbers, kept if keep_paths else {})


def _moments(draws: Values, weights: Values | None, levels: tuple[float, ...]) -> Values:
    """Return mean and quantiles of draws, shape (n_entities, n_steps, 1 + n_levels)."""
    if weights is None:
        mean = draws.mean(axis=2)
        return np.stack([mean, *np.quantile(draws, levels, axis=2)], axis=2)
    found = np.empty((*draws.shape[:2], 1 + len(levels)))
    for entity, own in enumerate(weights):
        for step, values in enumerate(draws[entity]):
            order = np.argsort(values)
            below = np.cumsum(own[order]) - 0.5 * own[order]
            found[entity, step, 0] = own @ values
            found[entity, step, 1:] = np.interp(levels, below, values[order])
    return found


def limits_of(slices: Slices) -> dict[str, tuple[float, float]]:
    """Return between which values each number stays, where the rows of the fit are known."""
    return {
        name: (low - _BEYOND * (high - low), high + _BEYOND * (high - low))
        for name, (low, high) in trained_ranges(slices).items()
    }


def trained_ranges(slices: Slices) -> dict[str, tuple[float, float]]:
    """Return the least and the largest training value of each number, where rows are known."""
    rows = slices.parts.learned.rows
    if rows is None:
        return {}
    columns = {name: rows.numbers[rows.names.index(name)] for name in slices.parts.numbers}
    return {
        name: (float(np.nanmin(values)), float(np.nanmax(values)))
        for name, values in columns.items()
    }


def _blocks(n_entities: int, n_paths: int) -> Iterator[slice]:
    size = max(1, _PATHS_AT_ONCE // n_paths)
    for start in range(0, n_entities, size):
        yield slice(start, min(start + size, n_entities))


def _impossible(entity: Any) -> ValueError:
    of = "" if entity is None else f" of {entity!r}"
    return ValueError(f"the known values{of} are impossible together in this network.")
