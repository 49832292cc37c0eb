"""Random networks of numbers and labels, of four kinds, and samples of them.

a: linear, normal noise. b: sums of smooth functions, noise of any shape. c: half of the columns are
labels; linear effects on numbers and on log odds. d: as c, but pairs of parents act together,
thresholds, heavy tails, and an increasing transform of every number. Networks have 1.5 edges per
column and five parents at most. The network depends on kind, size and seed, not on the rows.
"""

from collections.abc import Sequence

import numpy as np
import pandas as pd
from numpy.typing import NDArray

Values = NDArray[np.float64]
KINDS = {
    "a": "linear",
    "b": "nonlinear",
    "c": "mixed, linear",
    "d": "mixed, thresholds and interactions",
}


def sample(
    kind: str, n_columns: int, n_rows: int, seed: int
) -> tuple[pd.DataFrame, list[tuple[str, str]]]:
    """Return rows of a network of a kind, and its arrows."""
    number = ord(kind)
    rng = np.random.default_rng([seed, n_columns, number])
    parents, order = _random_dag(n_columns, rng)
    is_label = np.zeros(n_columns, dtype=bool)
    if kind in "cd":
        is_label[rng.permutation(n_columns)[: n_columns // 2]] = True
    n_states = np.where(is_label, rng.integers(2, 5, n_columns), 0)
    mechanisms = rng.integers(2**31, size=n_columns)
    draw = np.random.default_rng([seed, n_columns, number, n_rows])
    rows = _Rows(kind, is_label, n_states, draw, n_rows)
    for v in order:
        rows.draw(v, parents[v], np.random.default_rng(mechanisms[v]))
    columns = {}
    for v in range(n_columns):
        values = rows.values[v]
        if is_label[v]:
            labels = np.array([f"l{k}" for k in range(n_states[v])], dtype=object)
            columns[f"v{v:02d}"] = labels[values.astype(np.int64)]
        else:
            own = np.random.default_rng(mechanisms[v] + 1)
            columns[f"v{v:02d}"] = _increasing(values, own) if kind == "d" else values
    names = list(columns)
    return pd.DataFrame(columns), [(names[u], names[v]) for v in order for u in parents[v]]


def _random_dag(p: int, rng: np.random.Generator) -> tuple[list[tuple[int, ...]], list[int]]:
    order = rng.permutation(p)
    wanted = round(1.5 * p)
    parents: list[list[int]] = [[] for _ in range(p)]
    pairs = [(i, j) for j in range(p) for i in range(j)]
    for k in rng.permutation(len(pairs)):
        if not wanted:
            break
        u, v = order[pairs[k][0]], order[pairs[k][1]]
        if len(parents[v]) < 5:
            parents[v].append(int(u))
            wanted -= 1
    return [tuple(sorted(one)) for one in parents], [int(v) for v in order]


class _Rows:
    """The values of each column, drawn parents first."""

    def __init__(
        self,
        kind: str,
        is_label: NDArray[np.bool_],
        n_states: NDArray[np.int64],
        draw: np.random.Generator,
        n_rows: int,
    ) -> None:
        self.values: dict[int, Values] = {}
        self._kind, self._is_label, self._n_states = kind, is_label, n_states
        self._draw, self._n_rows = draw, n_rows

    def draw(self, v: int, parents: Sequence[int], own: np.random.Generator) -> None:
        """Draw a column given its parents; `own` makes its mechanism."""
        n = len(parents)
        weights = own.uniform(0.5, 1.0, n) * own.choice([-1, 1], n)
        by_kind = {"a": self._linear, "b": self._smooth, "c": self._mixed}
        if self._kind == "d":
            self.values[v] = self._interacting(v, parents, own)
        else:
            self.values[v] = by_kind[self._kind](v, parents, weights, own)

    def _linear(
        self, v: int, parents: Sequence[int], weights: Values, own: np.random.Generator
    ) -> Values:
        mean = np.zeros(self._n_rows)
        for w, u in zip(weights, parents, strict=True):
            mean = mean + w * _standard(self.values[u])
        return mean + self._draw.normal(0, 1, self._n_rows)

    def _smooth(
        self, v: int, parents: Sequence[int], weights: Values, own: np.random.Generator
    ) -> Values:
        mean = np.zeros(self._n_rows)
        for w, u in zip(weights, parents, strict=True):
            mean = mean + abs(w) * 1.2 * _curve(self.values[u], own)
        shape = np.random.default_rng(own.integers(2**31)).integers(4)
        n, draw = self._n_rows, self._draw
        noises = [
            draw.laplace(0, 0.7071, n),
            draw.uniform(-1.732, 1.732, n),
            draw.exponential(1, n) - 1,
            draw.standard_t(5, n) / np.sqrt(5 / 3),
        ]
        found: Values = mean + noises[shape]
        return found

    def _mixed(
        self, v: int, parents: Sequence[int], weights: Values, own: np.random.Generator
    ) -> Values:
        if not self._is_label[v]:
            mean = np.zeros(self._n_rows)
            for w, u in zip(weights, parents, strict=True):
                if self._is_label[u]:
                    effect = own.normal(0, 1, self._n_states[u])
                    mean += 1.2 * abs(w) * _standard(effect)[self._codes(u)]
                else:
                    mean += w * _standard(self.values[u])
            return mean + self._draw.normal(0, 1, self._n_rows)
        states = self._n_states[v]
        logits = np.tile(own.normal(0, 0.3, states), (self._n_rows, 1))
        for w, u in zip(weights, parents, strict=True):
            if self._is_label[u]:
                effects = _standard(own.normal(0, 1, (self._n_states[u], states)))
                logits += 1.8 * abs(w) * effects[self._codes(u)]
            else:
                slopes = _standard(own.normal(0, 1, states))
                logits += 1.8 * abs(w) * np.outer(_standard(self.values[u]), slopes)
        return self._label(logits)

    def _interacting(self, v: int, parents: Sequence[int], own: np.random.Generator) -> Values:
        waiting = [parents[k] for k in own.permutation(len(parents))] if parents else []
        terms = []
        while waiting:
            u = waiting.pop()
            weight = own.uniform(0.7, 1.1)
            if waiting and own.random() < 0.6:
                terms.append((1.4 * weight, self._together(u, waiting.pop(), own)))
            else:
                terms.append((weight, self._alone(u, own)))
        if not self._is_label[v]:
            mean = np.zeros(self._n_rows)
            for weight, effect in terms:
                mean = mean + weight * own.choice([-1, 1]) * effect
            return mean + self._draw.standard_t(3, self._n_rows) * 0.7
        states = self._n_states[v]
        logits = np.tile(own.normal(0, 0.3, states), (self._n_rows, 1))
        for weight, effect in terms:
            logits += 1.8 * weight * np.outer(effect, _standard(own.normal(0, 1, states)))
        return self._label(logits)

    def _alone(self, u: int, own: np.random.Generator) -> Values:
        if self._is_label[u]:
            return _standard(own.normal(0, 1, self._n_states[u]))[self._codes(u)]
        z = _clipped(self.values[u])
        way = own.integers(3)
        if way == 0:
            return z
        if way == 1:
            return np.where(z > own.normal(0, 0.5), 1.0, -1.0)
        return _standard(np.abs(z))

    def _together(self, u: int, t: int, own: np.random.Generator) -> Values:
        if self._is_label[u] and self._is_label[t]:
            table = own.normal(0, 1, (self._n_states[u], self._n_states[t]))
            return _standard(table)[self._codes(u), self._codes(t)]
        if self._is_label[u] != self._is_label[t]:
            label, number = (u, t) if self._is_label[u] else (t, u)
            z = _clipped(self.values[number])
            signs = np.where(np.arange(self._n_states[label]) % 2 == 0, 1.0, -1.0)
            own.shuffle(signs)
            if own.random() < 0.5:
                z = np.where(z > own.normal(0, 0.3), 1.0, -1.0)
            return np.multiply(signs[self._codes(label)], z)
        a, b = _clipped(self.values[u]), _clipped(self.values[t])
        if own.random() < 0.5:
            return np.where((a > 0) ^ (b > 0), 1.0, -1.0)
        return np.where((a > own.normal(0, 0.3)) & (b > own.normal(0, 0.3)), 1.3, -0.7)

    def _codes(self, v: int) -> NDArray[np.int64]:
        return self.values[v].astype(np.int64)

    def _label(self, logits: Values) -> Values:
        drawn = np.argmax(logits + self._draw.gumbel(size=logits.shape), axis=1)
        found: Values = drawn.astype(np.float64)
        return found


def _standard(x: Values) -> Values:
    found: Values = (x - x.mean()) / (x.std() + 1e-12)
    return found


def _curve(x: Values, own: np.random.Generator) -> Values:
    """Return a random smooth function: a step, a wave, a parabola or a sum of bumps."""
    x = _standard(x)
    way = own.integers(4)
    if way == 0:
        centre, slope = own.normal(0, 0.7), own.uniform(1, 3)
        found = np.tanh(slope * (x - centre)) + 0.3 * x
    elif way == 1:
        found = np.sin(own.uniform(1.0, 2.0) * x + own.uniform(0, 2 * np.pi))
    elif way == 2:
        found = (x - own.normal(0, 0.5)) ** 2
    else:
        heights, places = own.normal(0, 1, 4), own.normal(0, 1, 4)
        bumps = np.exp(-((x[:, np.newaxis] - places) ** 2))
        found = bumps[:, 0] * heights[0]
        for k in (1, 2, 3):
            found = found + bumps[:, k] * heights[k]
    turned: Values = _standard(found) * own.choice([-1, 1])
    return turned


def _clipped(x: Values) -> Values:
    middle = np.median(x)
    spread = 1.4826 * np.median(np.abs(x - middle)) + 1e-12
    found: Values = np.clip((x - middle) / spread, -3, 3)
    return found


def _increasing(x: Values, own: np.random.Generator) -> Values:
    z = (x - np.median(x)) / (np.quantile(x, 0.75) - np.quantile(x, 0.25) + 1e-12)
    way = own.integers(4)
    found: Values = 10 * z + 3
    if way == 0:
        found = np.exp(np.clip(z, -20, 20))
    elif way == 1:
        found = np.sign(z) * np.abs(z) ** 2
    elif way == 2:
        found = np.arctan(z)
    return found
