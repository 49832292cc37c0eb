"""Random networks of categories and numbers, whose effects can be computed.

In: a seed. Out: a `DrawnNetwork` with a treatment and an outcome. It draws rows, and draws them
again under an intervention with the same noise, so that differences are those of the treatment.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import pandas as pd
from numpy.typing import NDArray

Values = NDArray[np.float64]
LEAST_VARIABLES, MOST_VARIABLES = 10, 40
# Shares of the networks, or of their variables.
WITH_ZEROS = 1 / 3
WITHOUT_PATH = 0.15
NUMERIC_TREATMENTS = 0.25
NUMERIC = 0.5
CURVED = 0.3
INTERACTING = 0.3
SKEWED = 0.25
OTHER_ZEROS = 0.3
# Sizes of the coefficients, in standard deviations of noise or on the scale of log odds.
STRENGTH = 0.8
N_PARENTS = (0.1, 0.35, 0.35, 0.2)
# An outcome is at most so many edges away from its treatment.
MOST_EDGES = 3
_PILOT = 4_000


@dataclass(frozen=True, eq=False)
class Term:
    """What one parent adds: for categories a row of numbers, for numbers a function of them.

    Attributes
    ----------
    parent : int
    weights : ndarray, shape (n_states or 1, n_outputs)
    curve : str
        Of a number in standard units: "line", "tanh" or "square".
    by : int or None
        A category whose state chooses the weights of a number: an interaction.
    """

    parent: int
    weights: Values
    curve: str = "line"
    by: int | None = None


@dataclass(frozen=True, eq=False)
class Variable:
    """One variable: its terms, and how its value comes from their sum and noise.

    Attributes
    ----------
    n_states : int
        0 for a number.
    terms : tuple of Term
    start : ndarray, shape (n_outputs,)
    possible : tuple of int and ndarray of bool, or None
        A categorical parent, and which states are possible beside each of its own.
    is_skewed : bool
        Whether the noise of a number is exponential and not normal.
    centre, scale : float
        Mean and standard deviation of a number, in its unit.
    unit : float
    """

    n_states: int
    terms: tuple[Term, ...]
    start: Values
    possible: tuple[int, NDArray[np.bool_]] | None = None
    is_skewed: bool = False
    centre: float = 0.0
    scale: float = 1.0
    unit: float = 1.0

    @property
    def parents(self) -> list[int]:
        """The variables that this one depends on."""
        return sorted({term.parent for term in self.terms})


@dataclass(frozen=True, eq=False)
class DrawnNetwork:
    """A network in topological order, a treatment and an outcome.

    Attributes
    ----------
    variables : tuple of Variable
    treatment, outcome : int
    treated, state : int
        The setting that is compared with state 0, and the state of the outcome; 0 for numbers.
    has_zeros, has_path : bool
    """

    variables: tuple[Variable, ...]
    treatment: int
    outcome: int
    treated: int
    state: int
    has_zeros: bool
    has_path: bool

    @property
    def names(self) -> list[str]:
        """A name for each variable."""
        return [f"x{i:02d}" for i in range(len(self.variables))]

    @property
    def edges(self) -> list[tuple[str, str]]:
        """The true edges."""
        names = self.names
        return [(names[p], names[v]) for v, one in enumerate(self.variables) for p in one.parents]

    @cached_property
    def layers(self) -> list[list[str]]:
        """The variables by the length of the longest path that leads to them."""
        depth: list[int] = []
        for one in self.variables:
            depth.append(1 + max((depth[p] for p in one.parents), default=-1))
        names = self.names
        return [[names[v] for v, d in enumerate(depth) if d == k] for k in range(max(depth) + 1)]

    def draw(self, n: int, seed: int) -> tuple[list[Values], list[Values]]:
        """Return values and noise of each variable: codes of states, numbers in their units."""
        rng = np.random.default_rng(seed)
        noise = [_noise(one, n, rng) for one in self.variables]
        return self.redrawn([], noise, {}), noise

    def redrawn(
        self, values: Sequence[Values], noise: Sequence[Values], settings: Mapping[int, Values]
    ) -> list[Values]:
        """Return values with the same noise if variables are set; those not below stay."""
        result: list[Values] = []
        changed: set[int] = set()
        for v, one in enumerate(self.variables):
            if v in settings:
                changed.add(v)
                result.append(settings[v])
            elif len(values) and not changed.intersection(one.parents):
                result.append(values[v])
            else:
                changed.add(v)
                result.append(_valued(one, self.variables, result, noise[v]))
        return result

    def expected(self, v: int, values: Sequence[Values]) -> Values:
        """Return the chance of the outcome's state, or the number, given the parents."""
        one = self.variables[v]
        if one.n_states == 0:
            return values[v]
        chance = _chances(one, self.variables, values)[self.state]
        return np.broadcast_to(chance, values[v].shape)

    def frame(self, values: Sequence[Values]) -> pd.DataFrame:
        """Return rows as a user has them."""
        columns = {}
        for name, one, column in zip(self.names, self.variables, values, strict=True):
            if one.n_states:
                columns[name] = np.array(list("abcd"))[column.astype(np.intp)]
            else:
                columns[name] = column
        return pd.DataFrame(columns)


def _noise(one: Variable, n: int, rng: np.random.Generator) -> Values:
    if one.n_states:
        return rng.random(n)
    return rng.exponential(size=n) - 1.0 if one.is_skewed else rng.standard_normal(n)


def _scores(one: Variable, variables: Sequence[Variable], values: Sequence[Values]) -> Values:
    """Return the sum of the terms, shape (n_outputs, n_rows or 1)."""
    total = one.start[:, np.newaxis]
    for term in one.terms:
        parent = variables[term.parent]
        if parent.n_states:
            total = total + np.take(term.weights.T, values[term.parent].astype(np.intp), axis=1)
            continue
        z = (values[term.parent] - parent.centre) / parent.scale
        curved = {"line": z, "tanh": 1.5 * np.tanh(z), "square": 0.5 * (z**2 - 1)}[term.curve]
        if term.by is None:
            total = total + curved * term.weights.T
        else:
            state = values[term.by].astype(np.intp)
            total = total + curved * np.take(term.weights.T, state, axis=1)
    return total


def _chances(one: Variable, variables: Sequence[Variable], values: Sequence[Values]) -> Values:
    scores = _scores(one, variables, values)
    weights = np.exp(scores - scores.max(axis=0))
    if one.possible is not None:
        parent, possible = one.possible
        weights = weights * np.take(possible.T, values[parent].astype(np.intp), axis=1)
    return np.asarray(weights / weights.sum(axis=0), dtype=np.float64)


def _valued(
    one: Variable, variables: Sequence[Variable], values: Sequence[Values], noise: Values
) -> Values:
    if one.n_states == 0:
        return np.asarray(one.unit * (_scores(one, variables, values)[0] + noise), dtype=np.float64)
    limit = np.cumsum(_chances(one, variables, values), axis=0)
    return np.asarray((noise >= limit[:-1]).sum(axis=0), dtype=np.float64)


def drawn_network(seed: int) -> DrawnNetwork:
    """Return a random network with a treatment and an outcome."""
    rng = np.random.default_rng((seed, 33))
    has_zeros = bool(rng.random() < WITH_ZEROS)
    has_path = bool(rng.random() >= WITHOUT_PATH)
    numeric_treatment = not has_zeros and bool(rng.random() < NUMERIC_TREATMENTS)
    while True:
        variables = _variables(rng, has_zeros)
        pairs = _pairs(variables, has_path, numeric_treatment, has_zeros)
        if pairs:
            break
    treatment, outcome = pairs[rng.integers(len(pairs))]
    one = variables[treatment]
    treated = int(rng.integers(1, one.n_states)) if one.n_states else 0
    if has_zeros:
        variables[treatment] = _with_zero(one, variables, treated, rng)
    n_states = variables[outcome].n_states
    state = int(rng.integers(0, n_states)) if n_states > 2 else min(n_states, 1)
    return DrawnNetwork(tuple(variables), treatment, outcome, treated, state, has_zeros, has_path)


def _variables(rng: np.random.Generator, has_zeros: bool) -> list[Variable]:
    variables: list[Variable] = []
    for v in range(int(rng.integers(LEAST_VARIABLES, MOST_VARIABLES + 1))):
        n_parents = min(v, int(rng.choice(len(N_PARENTS), p=N_PARENTS)))
        parents = sorted(rng.choice(v, n_parents, replace=False).tolist()) if v else []
        n_states = 0 if rng.random() < NUMERIC else int(rng.integers(2, 5))
        one = _variable(n_states, parents, variables, rng)
        if has_zeros and rng.random() < OTHER_ZEROS:
            one = _with_zero(one, variables, int(rng.integers(max(n_states, 1))), rng)
        variables.append(one)
        if n_states == 0:
            variables[v] = _in_units(variables, rng)
    return variables


def _variable(
    n_states: int, parents: Sequence[int], variables: Sequence[Variable], rng: np.random.Generator
) -> Variable:
    n_outputs = max(n_states, 1)
    categories = [p for p in parents if variables[p].n_states]
    terms = []
    for p in parents:
        n_rows, by, curve = variables[p].n_states, None, "line"
        if n_rows == 0:
            n_rows = 1
            if rng.random() < CURVED:
                curve = str(rng.choice(["tanh", "square"]))
            if categories and rng.random() < INTERACTING:
                by = int(rng.choice(categories))
                n_rows = variables[by].n_states
        weights = rng.normal(0.0, STRENGTH, (n_rows, n_outputs))
        terms.append(Term(p, weights, curve, by))
    start = rng.normal(0.0, 0.5, n_outputs)
    return Variable(n_states, tuple(terms), start, None, bool(rng.random() < SKEWED))


def _with_zero(
    one: Variable, variables: Sequence[Variable], state: int, rng: np.random.Generator
) -> Variable:
    """Make a state impossible beside one state of a categorical parent, if there is one."""
    categories = [p for p in one.parents if variables[p].n_states]
    if one.n_states == 0 or not categories:
        return one
    parent = int(rng.choice(categories))
    possible = np.ones((variables[parent].n_states, one.n_states), dtype=np.bool_)
    possible[rng.integers(len(possible)), state] = False
    return Variable(one.n_states, one.terms, one.start, (parent, possible))


def _in_units(variables: Sequence[Variable], rng: np.random.Generator) -> Variable:
    """Return the last variable with its own mean and spread, which its children measure it by."""
    one = variables[-1]
    unit = float(10.0 ** rng.integers(-2, 4))
    values: list[Values] = []
    for other in variables:
        values.append(_valued(other, variables, values, _noise(other, _PILOT, rng)))
    centre, scale = float(values[-1].mean() * unit), float(values[-1].std() * unit)
    return Variable(0, one.terms, one.start, None, one.is_skewed, centre, scale, unit)


def _pairs(
    variables: Sequence[Variable], has_path: bool, numeric_treatment: bool, has_zeros: bool
) -> list[tuple[int, int]]:
    """Return what may be treatment and outcome; the treatment has a parent, to be confounded by."""
    n = len(variables)
    distance = np.full((n, n), np.inf)
    for v, one in enumerate(variables):
        for p in one.parents:
            distance[:, v] = np.minimum(distance[:, v], distance[:, p] + 1)
            distance[p, v] = 1
    pairs = []
    for t in range(n):
        one = variables[t]
        if not one.parents or (one.n_states == 0) != numeric_treatment:
            continue
        if has_zeros and not any(variables[p].n_states for p in one.parents):
            continue
        wanted = distance[t] <= MOST_EDGES if has_path else np.isinf(distance[t])
        pairs += [(t, y) for y in range(t + 1, n) if wanted[y]]
    return pairs
