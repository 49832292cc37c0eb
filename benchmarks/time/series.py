"""Series and panels drawn from known graphs over time.

`drawn` takes the name of a kind, a number of rows and a seed. A model is drawn from kind and seed
alone: more rows continue the same series. Categories are drawn from tables (`CategoryModel`),
numbers from sums of functions (`AdditiveModel`). Others are independent of each other: only their
own past matters.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from benchmarks.time.truth import Lagged, LaggedGraph

Values = NDArray[np.float64]
# What a variable depends on: a variable and a lag, 0 within the step.
Parent = tuple[int, int]

SIZES = (500, 2_000, 10_000)
# Of series that have nothing to do with each other.
N_INDEPENDENT = 20
_BURNED_IN = 200
# The modulus of the largest eigenvalue of a linear model that is still called stable.
_STABLE = 0.95
# Values beyond this show that curves make a model unstable.
_LARGEST = 100.0
FUNCTIONS: Mapping[str, Callable[[Values], Values]] = {
    "linear": lambda v: v,
    "tanh": lambda v: 1.7 * np.tanh(1.5 * v),
    "quadratic": lambda v: 0.8 * (np.minimum(v * v, 6.0) - 1.0),
    "absolute": lambda v: 1.5 * (np.minimum(np.abs(v), 3.0) - 0.8),
    "bumps": lambda v: v + 5.0 * v**2 * np.exp(-(v**2) / 20.0),
}


@dataclass(frozen=True, eq=False)
class Series:
    """Rows in the order of time, of one entity or of several.

    Attributes
    ----------
    entities : tuple of ndarray, shape (n_steps, n_variables)
        Integers are categories.
    truth : LaggedGraph
    lags : int
        The longest lag that learners are told to look at.
    """

    entities: tuple[NDArray[np.float64] | NDArray[np.int64], ...]
    truth: LaggedGraph
    lags: int

    @property
    def is_categorical(self) -> bool:
        """Whether the values are categories."""
        return self.entities[0].dtype.kind == "i"

    @property
    def n_rows(self) -> int:
        """Number of rows of all entities."""
        return sum(len(rows) for rows in self.entities)


Draw = Callable[[np.random.Generator, np.random.Generator, int], Series]


@dataclass(frozen=True, eq=False)
class CategoryModel:
    """A network of categories over time.

    Attributes
    ----------
    n_states : ndarray of int64, shape (n_variables,)
    order : sequence of int
        In which the variables of a step are drawn.
    parents : sequence of sequences of (int, int)
    tables : sequence of ndarray
        The probabilities of each variable's states, by its parents' states.
    """

    n_states: NDArray[np.int64]
    order: Sequence[int]
    parents: Sequence[Sequence[Parent]]
    tables: Sequence[Values]

    @classmethod
    def drawn(
        cls, rng: np.random.Generator, n_variables: int, concentration: float = 0.5
    ) -> "CategoryModel":
        """Draw one with 2 to 4 states and 1 to 3 parents; most variables depend on their past."""
        n_states = rng.integers(2, 5, n_variables)
        order = rng.permutation(n_variables)
        place = np.argsort(order)
        parents = []
        for j in range(n_variables):
            n_parents = int(rng.integers(1, 4))
            own: list[Parent] = [(j, 1)] if rng.random() < 0.7 else []
            while len(own) < n_parents:
                i = int(rng.integers(n_variables))
                within = rng.random() < 0.35
                parent = (i, 0 if within else 1)
                allowed = i != j and (not within or place[i] < place[j])
                if allowed and parent not in own:
                    own.append(parent)
            parents.append(tuple(own))
        tables = []
        for j, parents_of_j in enumerate(parents):
            shape = tuple(int(n_states[i]) for i, _ in parents_of_j)
            table = rng.dirichlet(np.full(n_states[j], concentration), size=shape)
            tables.append(0.98 * table + 0.02 / n_states[j])
        return cls(n_states, order.tolist(), parents, tables)

    @property
    def truth(self) -> LaggedGraph:
        """Its graph."""
        return _graph((i, j, lag) for j, own in enumerate(self.parents) for i, lag in own)

    def sample(
        self, rng: np.random.Generator, n_steps: int, n_entities: int = 1
    ) -> list[NDArray[np.int64]]:
        """Draw series of so many entities."""
        total, n_variables = n_steps + _BURNED_IN, len(self.n_states)
        rows = np.zeros((total, n_entities, n_variables), dtype=np.int64)
        rows[0] = rng.integers(self.n_states, size=rows[0].shape)
        chance = rng.random(rows.shape)
        sums = [np.cumsum(table, axis=-1)[..., :-1] for table in self.tables]
        for t in range(1, total):
            for j in self.order:
                below = sums[j][tuple(rows[t - lag, :, i] for i, lag in self.parents[j])]
                rows[t, :, j] = (below < chance[t, :, j, np.newaxis]).sum(axis=1)
        return [rows[_BURNED_IN:, k] for k in range(n_entities)]


@dataclass(frozen=True, eq=False)
class AdditiveModel:
    """Numbers that are sums of functions of others, and noise.

    Attributes
    ----------
    n_variables : int
    terms : mapping from (int, int, int) to (str, float)
        The function and coefficient of each edge (cause, effect, lag).
    order : sequence of int
        In which the variables of a step are drawn.
    """

    n_variables: int
    terms: Mapping[Lagged, tuple[str, float]]
    order: Sequence[int]

    @classmethod
    def drawn(
        cls,
        rng: np.random.Generator,
        n_variables: int,
        *,
        lags: Sequence[int] = (1,),
        own: tuple[float, float] = (0.3, 0.8),
        functions: Sequence[str] = ("linear",),
    ) -> "AdditiveModel":
        """Draw a stable one: own pasts, as many lagged edges, half as many within a step."""
        while True:
            order = rng.permutation(n_variables)
            terms: dict[Lagged, tuple[str, float]] = {
                (j, j, 1): ("linear", float(rng.uniform(*own))) for j in range(n_variables)
            }

            def term() -> tuple[str, float]:
                size = float(rng.uniform(0.25, 0.6) * rng.choice([-1, 1]))
                return str(rng.choice(list(functions))), size

            while len(terms) < 2 * n_variables:
                i, j = rng.choice(n_variables, 2, replace=False).tolist()
                terms[i, j, int(rng.choice(list(lags)))] = term()
            pairs = [(a, b) for a in range(n_variables) for b in range(a + 1, n_variables)]
            for k in rng.choice(len(pairs), n_variables // 2, replace=False):
                a, b = pairs[k]
                terms[int(order[a]), int(order[b]), 0] = term()
            model = cls(n_variables, terms, order.tolist())
            if model.largest_eigenvalue() < _STABLE:
                trial = model.sample(np.random.default_rng(0), 1_000)
                if np.abs(trial).max() < _LARGEST:
                    return model

    @property
    def truth(self) -> LaggedGraph:
        """Its graph."""
        return _graph(self.terms)

    def largest_eigenvalue(self) -> float:
        """Return the modulus of the largest eigenvalue, as if all functions were straight."""
        p, n_lags = self.n_variables, max(lag for _, _, lag in self.terms)
        weights = np.zeros((n_lags + 1, p, p))
        for (i, j, lag), (_, size) in self.terms.items():
            weights[lag, j, i] = size
        within = np.linalg.inv(np.eye(p) - weights[0])
        companion = np.eye(p * n_lags, k=-p)
        companion[:p] = np.hstack([within @ one for one in weights[1:]])
        return float(np.abs(np.linalg.eigvals(companion)).max())

    def sample(self, rng: np.random.Generator, n_steps: int, noise: str = "normal") -> Values:
        """Draw a series."""
        shape = (n_steps + _BURNED_IN, self.n_variables)
        rows = rng.exponential(size=shape) - 1 if noise == "exponential" else rng.normal(size=shape)
        causes: list[list[tuple[int, int, Callable[[Values], Values], float]]]
        causes = [[] for _ in range(self.n_variables)]
        for (i, j, lag), (name, size) in self.terms.items():
            causes[j].append((i, lag, FUNCTIONS[name], size))
        for t in range(max(lag for _, _, lag in self.terms), len(rows)):
            for j in self.order:
                rows[t, j] += sum(size * f(rows[t - lag, i]) for i, lag, f, size in causes[j])
            np.clip(rows[t], -2 * _LARGEST, 2 * _LARGEST, out=rows[t])
        return rows[_BURNED_IN:]


def _graph(edges: Iterable[Lagged]) -> LaggedGraph:
    listed = list(edges)
    within = [(i, j) for i, j, lag in listed if not lag]
    return LaggedGraph.of([edge for edge in listed if edge[2]], within)


@dataclass(frozen=True)
class Kind:
    """A kind of data.

    Attributes
    ----------
    title : str
    draw : callable
        Takes a stream of random numbers for the model, another for the rows, the number of rows.
    is_categorical : bool
    sizes : tuple of int
        Numbers of rows.
    """

    title: str
    draw: Draw
    is_categorical: bool = False
    sizes: tuple[int, ...] = SIZES


@lru_cache(maxsize=2)
def drawn(kind: str, n_rows: int, seed: int) -> Series:
    """Draw a series; its columns are in a random order.

    Parameters
    ----------
    kind : str
        One of `KINDS`.
    n_rows : int
        Of all entities together.
    seed : int
    """
    number = list(KINDS).index(kind)
    model, rows, order = (
        np.random.default_rng(np.random.SeedSequence(seed, spawn_key=(number, part)))
        for part in range(3)
    )
    return shuffled(KINDS[kind].draw(model, rows, n_rows), order)


def shuffled(series: Series, rng: np.random.Generator) -> Series:
    """Return the same with its columns in a random order, which tells learners nothing."""
    order = rng.permutation(series.entities[0].shape[1])
    place = np.argsort(order).tolist()
    truth = LaggedGraph.of(
        [(place[i], place[j], lag) for i, j, lag in series.truth.lagged],
        [(place[i], place[j]) for i, j in series.truth.directed],
    )
    return Series(tuple(rows[:, order] for rows in series.entities), truth, series.lags)


def _categories(n_variables: int, n_steps: int | None = None) -> Draw:
    def draw(model_rng: np.random.Generator, rng: np.random.Generator, n_rows: int) -> Series:
        model = CategoryModel.drawn(model_rng, n_variables)
        steps = n_steps or n_rows
        return Series(tuple(model.sample(rng, steps, n_rows // steps)), model.truth, 1)

    return draw


def _numbers(
    lags: int = 1,
    noise: str = "normal",
    n_steps: int | None = None,
    functions: Sequence[str] = ("linear",),
    own: tuple[float, float] = (0.3, 0.8),
) -> Draw:
    def draw(model_rng: np.random.Generator, rng: np.random.Generator, n_rows: int) -> Series:
        past = range(1, lags + 1)
        model = AdditiveModel.drawn(model_rng, 10, lags=past, functions=functions, own=own)
        steps = n_steps or n_rows
        rows = tuple(model.sample(rng, steps, noise) for _ in range(n_rows // steps))
        return Series(rows, model.truth, lags)

    return draw


def _own_past(n_variables: int) -> LaggedGraph:
    return LaggedGraph.of([(j, j, 1) for j in range(n_variables)])


def _autoregressive(_: np.random.Generator, rng: np.random.Generator, n_rows: int) -> Series:
    rows = rng.normal(size=(n_rows + _BURNED_IN, N_INDEPENDENT))
    for t in range(1, len(rows)):
        rows[t] += 0.9 * rows[t - 1]
    return Series((rows[_BURNED_IN:],), _own_past(N_INDEPENDENT), 1)


def _walks(_: np.random.Generator, rng: np.random.Generator, n_rows: int) -> Series:
    rows = np.cumsum(rng.normal(size=(n_rows, N_INDEPENDENT)), axis=0)
    return Series((rows,), _own_past(N_INDEPENDENT), 1)


def _moved_walks(model_rng: np.random.Generator, rng: np.random.Generator, n_rows: int) -> Series:
    """Draw random walks, half of which move with the change of another one step before."""
    n_variables = 10
    order = model_rng.permutation(n_variables).tolist()
    pairs = list(zip(order[::2], order[1::2], strict=True))
    changes = rng.normal(size=(n_rows, n_variables))
    for i, j in pairs:
        changes[1:, j] += model_rng.uniform(0.3, 0.6) * changes[:-1, i]
    own = [(j, j, 1) for j in range(n_variables)]
    truth = LaggedGraph.of([*own, *((i, j, lag) for i, j in pairs for lag in (1, 2))])
    return Series((np.cumsum(changes, axis=0),), truth, 2)


def _markov(model_rng: np.random.Generator, rng: np.random.Generator, n_rows: int) -> Series:
    n_states = model_rng.integers(2, 5, N_INDEPENDENT)
    fresh = rng.integers(n_states, size=(n_rows, N_INDEPENDENT))
    moves = rng.random((n_rows, N_INDEPENDENT)) > 0.9
    moves[0] = True
    last = np.maximum.accumulate(np.where(moves, np.arange(n_rows)[:, np.newaxis], 0), axis=0)
    rows = np.take_along_axis(fresh, last, axis=0)
    return Series((rows,), _own_past(N_INDEPENDENT), 1)


KINDS: Mapping[str, Kind] = {
    "categories-10": Kind("discrete DBN, 10 variables", _categories(10), True),
    "categories-20": Kind("discrete DBN, 20 variables", _categories(20), True),
    "nonlinear": Kind(
        "nonlinear additive, 10 variables",
        _numbers(2, functions=("tanh", "quadratic", "absolute"), own=(0.2, 0.6)),
    ),
    "exponential": Kind("VAR, exponential noise, 10 variables", _numbers(noise="exponential")),
    "bumps": Kind(
        "curves with two bumps, 10 variables",
        _numbers(3, functions=("linear", "bumps"), own=(0.5, 0.9)),
    ),
    "autoregressive": Kind("independent AR(.9), 20 variables", _autoregressive),
    "walks": Kind("independent random walks, 20 variables", _walks),
    "markov": Kind("independent Markov chains, 20 variables", _markov, True),
    "panel-4": Kind("panel of categories, 1,000 x 4", _categories(20, 4), True, (4_000,)),
    "panel-10": Kind("panel of categories, 200 x 10", _categories(20, 10), True, (2_000,)),
    "panel-numbers": Kind("panel of numbers, 200 x 10", _numbers(n_steps=10), False, (2_000,)),
    "moved-walks": Kind("random walks moved by changes, 10 variables", _moved_walks),
}
