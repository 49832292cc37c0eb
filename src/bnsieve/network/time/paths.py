"""Many paths of each entity into the future, drawn slice by slice.

In: `Slices`, the last rows of some entities in which values may be missing, and a `Scenario`. Out:
`Paths`: drawn values with weights, and the probability of each state given what each path was.

Missing values of the last rows are filtered: paths begin at the first row, missing values are drawn
given the path so far, and known ones weigh the path by their density (a particle filter). Paths are
drawn again by their weights where these have become uneven, and before the first future step. After
it they are only weighed, so that what is given of a late step bears on all earlier ones.
"""

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bnsieve.network.mixed.model import MixedModel
from bnsieve.network.mixed.nodes import Columns, Node, NumberNode, StateNode, is_known
from bnsieve.network.mixed.scale import Scale, Values
from bnsieve.network.time.slices import Slices

# Uneven weights: paths are drawn again if their effective number is below this share of them.
_LEAST_EFFECTIVE = 0.5
# Scores between which a scale is read off a table, and the number of places in it.
_TABLED, _PLACES = 8.0, 4097
# Uniform draws are multiples of 2**-53 within a stratum; none may be 0 or 1.
_EDGE = 2.0**-54
# Where nothing is known of the data, numbers stay within these.
_FARTHEST = -1e100, 1e100


@dataclass(frozen=True, eq=False)
class Windows:
    """The last rows of some entities, the same number of each.

    Attributes
    ----------
    entities : tuple
    rows : mapping from str to ndarray, shape (n_entities, n_rows)
        Of each variable that changes: values, NaN where missing, or codes, -1 where missing. The
        last row is the last that was observed.
    static : mapping from str to ndarray, shape (n_entities,)
    known : mapping from str to ndarray, shape (n_entities, n_rows + n_steps)
        Of variables that are known ahead.
    """

    entities: tuple[Any, ...]
    rows: Mapping[str, NDArray[Any]]
    static: Mapping[str, NDArray[Any]]
    known: Mapping[str, NDArray[Any]]

    def __len__(self) -> int:
        return len(self.entities)

    @property
    def n_rows(self) -> int:
        """How many rows there are of each entity."""
        return int(next(iter(self.rows.values())).shape[1])

    def take(self, places: slice | NDArray[np.intp]) -> "Windows":
        """Return some of the entities."""
        chosen = np.arange(len(self))[places]
        return Windows(
            tuple(self.entities[i] for i in chosen),
            {name: column[chosen] for name, column in self.rows.items()},
            {name: column[chosen] for name, column in self.static.items()},
            {name: column[chosen] for name, column in self.known.items()},
        )


@dataclass(frozen=True, eq=False)
class Scenario:
    """What is set, and what is given as seen, in future steps: by (variable, step) from 1 on.

    Attributes
    ----------
    set_to : mapping from (str, int) to value or code
        By intervention: whatever its causes.
    given : mapping from (str, int) to value or code
        Evidence, which also bears on the other variables and on earlier steps.
    """

    set_to: Mapping[tuple[str, int], float] = field(default_factory=dict)
    given: Mapping[tuple[str, int], float] = field(default_factory=dict)


@dataclass(frozen=True, eq=False)
class Paths:
    """Drawn paths of some entities.

    Attributes
    ----------
    draws : mapping from str to ndarray, shape (n_steps, n_entities, n_paths)
        Values of numbers, codes of states.
    shares : mapping from str to ndarray, shape (n_steps, n_entities, n_states)
        Of categorical variables: the mean probability of each state given the path before it. It
        is closer to the truth than how often the states were drawn, and leaves out the weights.
    logs : ndarray of float64, shape (n_entities, n_paths)
        The logarithms of the weights.
    """

    draws: Mapping[str, NDArray[Any]]
    shares: Mapping[str, Values]
    logs: Values


@dataclass(frozen=True, eq=False)
class TabledScale(Scale):
    """A scale that is read off a table between far scores, hundreds of times faster to invert."""

    @cached_property
    def _table(self) -> tuple[Values, Values]:
        scores = np.linspace(-_TABLED, _TABLED, _PLACES)
        return scores, super().from_scores(scores)

    def from_scores(self, scores: Values) -> Values:
        """Return the value of each score."""
        if self.is_plain:
            return super().from_scores(scores)
        at, values = self._table
        return _between(scores, at, values, super().from_scores)

    def to_scores(self, values: Values) -> Values:
        """Return the normal score of each value."""
        if self.is_plain:
            return super().to_scores(values)
        scores, at = self._table
        return _between(values, at, scores, super().to_scores)


def _between(places: Values, at: Values, values: Values, beyond: Any) -> Values:
    found: Values = np.interp(places, at, values)
    outside = (places < at[0]) | (places > at[-1])
    if outside.any():
        found[outside] = beyond(places[outside])
    return found


def with_tables(model: MixedModel) -> MixedModel:
    """Return the same model with scales that are read off tables."""

    def tabled(scale: Scale) -> Scale:
        return TabledScale(
            scale.centre, scale.spread, scale.bent, scale.weights, scale.means, scale.deviations
        )

    nodes: dict[str, Node] = {}
    for name, node in model.nodes.items():
        numbers = tuple(replace(one, scale=tabled(one.scale)) for one in node.inputs.numbers)
        inputs = replace(node.inputs, numbers=numbers)
        if isinstance(node, NumberNode):
            own, noise = tabled(node.own), tabled(node.noise)
            nodes[name] = replace(node, inputs=inputs, own=own, noise=noise)
        else:
            nodes[name] = replace(node, inputs=inputs)
    return replace(model, nodes=nodes)


def stream_of(entity: Any, seed: int) -> np.random.Generator:
    """Return the random numbers of an entity: the same whatever others are forecast beside it."""
    digest = hashlib.blake2b(str(entity).encode("utf-8", "surrogatepass"), digest_size=16).digest()
    key = np.frombuffer(digest, dtype="<u4").tolist()
    return np.random.default_rng(np.random.SeedSequence(seed, spawn_key=key))


class Walk:
    """Paths of some entities, drawn slice by slice from the last rows on."""

    def __init__(
        self,
        slices: Slices,
        model: MixedModel,
        windows: Windows,
        limits: Mapping[str, tuple[float, float]],
        n_paths: int,
        seed: int,
    ) -> None:
        self._slices, self._model, self._windows = slices, model, windows
        self._limits, self._n_paths = limits, n_paths
        self._streams = [stream_of(entity, seed) for entity in windows.entities]
        self._logs = np.zeros((len(windows), n_paths))
        self._past: list[dict[str, NDArray[Any]]] = []
        self._shares: dict[str, Values] = {}
        self._static: dict[str, NDArray[Any]] = {}

    def forecast(self, n_steps: int, scenario: Scenario) -> Paths:
        """Filter the rows, then draw the future steps."""
        slices, windows = self._slices, self._windows
        self._begin()
        for row in range(slices.n_lags, windows.n_rows):
            self._step(row, {name: column[:, row] for name, column in windows.rows.items()}, {})
            self._draw_again(_LEAST_EFFECTIVE)
        self._draw_again(1.0 - 1e-9)
        draws: dict[str, list[NDArray[Any]]] = {name: [] for name in slices.order}
        shares: dict[str, list[Values]] = {}
        for step in range(1, n_steps + 1):
            seen = {name: value for (name, at), value in scenario.given.items() if at == step}
            put = {name: value for (name, at), value in scenario.set_to.items() if at == step}
            everywhere = {name: np.full(len(windows), value) for name, value in seen.items()}
            self._step(windows.n_rows + step - 1, everywhere, put)
            for name in slices.order:
                draws[name].append(self._past[-1][name].reshape(len(windows), -1))
            for name, values in self._shares.items():
                shares.setdefault(name, []).append(values)
        return Paths(
            {name: np.array(steps) for name, steps in draws.items()},
            {name: np.array(steps) for name, steps in shares.items()},
            self._logs,
        )

    def _begin(self) -> None:
        """Take the first rows as they are; draw what they lack from the lagged copies."""
        slices, windows = self._slices, self._windows
        for name, uniforms in zip(slices.static, self._uniforms(len(slices.static)), strict=True):
            drawn = self._model.draw_column(name, self._static, uniforms)
            self._static[name], _ = self._observed(drawn, windows.static.get(name))
        names = [name for name in slices.order if slices.lagged[name]]
        for row in range(slices.n_lags):
            present: dict[str, NDArray[Any]] = {}
            for name, uniforms in zip(names, self._uniforms(len(names)), strict=True):
                copies = slices.lagged[name]
                copy = copies[min(copies, key=lambda lag: abs(lag - (slices.n_lags - row)))]
                drawn = self._model.draw_column(copy, {}, uniforms)
                present[name], _ = self._observed(drawn, windows.rows[name][:, row])
            self._past.append(present)

    def _step(self, row: int, seen: Mapping[str, NDArray[Any]], put: Mapping[str, float]) -> None:
        """Draw the next slice; what is seen weighs the paths, what is put does not."""
        slices, model = self._slices, self._model
        n = len(self._windows) * self._n_paths
        present = dict(self._static)
        for name in slices.known:
            present[name] = np.repeat(self._windows.known[name][:, row], self._n_paths)
        columns = slices.columns(self._past, present)
        self._shares = {}
        for name, uniforms in zip(slices.order, self._uniforms(len(slices.order)), strict=True):
            node = model.nodes.get(name)
            if name in put:
                drawn: NDArray[Any] = np.full(n, put[name])
                if not isinstance(node, NumberNode):
                    drawn = drawn.astype(np.intp)
            elif isinstance(node, NumberNode):
                drawn = model.draw_column(name, columns, uniforms)
                drawn = np.clip(drawn, *self._limits.get(name, _FARTHEST))
            else:
                probabilities = state_probabilities(model, name, columns, n)
                below = np.cumsum(probabilities, axis=1)[:, :-1]
                drawn = (below <= uniforms[:, np.newaxis]).sum(axis=1)
                self._shares[name] = probabilities.reshape(
                    len(self._windows), self._n_paths, -1
                ).mean(axis=1)
            columns[name], known = self._observed(drawn, seen.get(name))
            if name in put and not isinstance(node, NumberNode):
                certain = np.zeros((len(self._windows), len(model.states[name])))
                certain[:, int(put[name])] = 1.0
                self._shares[name] = certain
            if known is not None and known.any():
                logs = model.log_density(name, columns).reshape(self._logs.shape)
                self._logs[known] += logs[known]
        self._past.append({name: columns[name] for name in slices.order})
        del self._past[: -max(slices.n_lags, 1)]

    def _observed(
        self, drawn: NDArray[Any], column: NDArray[Any] | None
    ) -> tuple[NDArray[Any], NDArray[np.bool_] | None]:
        """Put known values in place of drawn ones; return also of which entities they are known."""
        if column is None:
            return drawn, None
        known = is_known(column)
        if not known.any():
            return drawn, known
        values = drawn.reshape(len(known), -1).copy()
        values[known] = column[known, np.newaxis]
        return values.ravel(), known

    def _draw_again(self, least_share: float) -> None:
        """Draw the paths of an entity again by their weights, if too few are effective."""
        top = self._logs.max(axis=1, keepdims=True)
        # Where every path is impossible, the values of this row are ignored.
        weights = np.exp(self._logs - np.where(np.isfinite(top), top, 0.0))
        weights[~np.isfinite(top[:, 0])] = 1.0
        weights /= weights.sum(axis=1, keepdims=True)
        n_effective = 1 / (weights**2).sum(axis=1)
        chosen = np.tile(np.arange(self._n_paths), (len(weights), 1))
        uneven = np.flatnonzero(n_effective < least_share * self._n_paths)
        for entity in uneven.tolist():
            at = (np.arange(self._n_paths) + self._streams[entity].random()) / self._n_paths
            sums = np.cumsum(weights[entity])
            chosen[entity] = np.searchsorted(sums / sums[-1], at).clip(max=self._n_paths - 1)
        self._logs[uneven] = 0.0
        self._logs[~np.isfinite(top[:, 0])] = 0.0
        if len(uneven):
            rows = (chosen + self._n_paths * np.arange(len(weights))[:, np.newaxis]).ravel()
            for held in (self._static, *self._past):
                for name in held:
                    held[name] = held[name][rows]

    def _uniforms(self, n_columns: int) -> NDArray[np.float64]:
        """Return numbers strictly between 0 and 1, shape (n_columns, n_entities * n_paths).

        Those of an entity lie one in each of as many equal parts as there are paths, in random
        order, which makes means and quantiles over the paths more exact.
        """
        n = self._n_paths
        drawn = np.empty((n_columns, len(self._streams), n))
        parts = np.broadcast_to(np.arange(n), (n_columns, n))
        for entity, stream in enumerate(self._streams):
            drawn[:, entity] = stream.permuted(parts, axis=1)
            drawn[:, entity] += stream.random((n_columns, n))
        drawn /= n
        return np.clip(drawn, _EDGE, 1 - 2 * _EDGE).reshape(n_columns, len(self._streams) * n)


def state_probabilities(model: MixedModel, name: str, columns: Columns, n_rows: int) -> Values:
    """Return the probability of each state of a variable given its parents, (n_rows, n_states)."""
    node = model.nodes.get(name)
    if isinstance(node, StateNode):
        return np.exp(node.log_probabilities(columns, n_rows))
    table = model.tables[name]
    cells = tuple(columns[parent].astype(np.intp) for parent in model.parents[name])
    shares = (table / table.sum(axis=-1, keepdims=True))[cells]
    return np.broadcast_to(shares, (n_rows, table.shape[-1]))


def weights_of_paths(logs: Values, entities: Sequence[Any]) -> Values:
    """Return each path's share of its entity's weight, shape (n_entities, n_paths).

    Raises
    ------
    ValueError
        If fewer than ten paths of an entity are effective.
    """
    top = logs.max(axis=1, keepdims=True)
    weights: Values = np.exp(logs - np.where(np.isfinite(top), top, 0.0))
    with np.errstate(invalid="ignore"):
        weights /= weights.sum(axis=1, keepdims=True)
        n_effective = np.nan_to_num(1 / (weights**2).sum(axis=1))
    for place in np.flatnonzero(n_effective < min(10, logs.shape[1])).tolist():
        of = "" if entities[place] is None else f" of {entities[place]!r}"
        raise ValueError(
            f"the {logs.shape[1]:,} paths{of} count for {n_effective[place]:.1f} given the "
            "evidence of future steps: it is too improbable, or impossible. Raise n_paths, or "
            "give less evidence."
        )
    return weights
