"""Answers of networks with numeric variables, to one question or for every row of a frame.

In: a `MixedModel`, a target, evidence or a frame without missing values where it matters. Out: a
`NumberAnswer`, probabilities of states, expected values.
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy.special import ndtri, softmax

from bnsieve.network.discrete.evidence import in_words, nearest, unknown_state
from bnsieve.network.discrete.results import Distribution
from bnsieve.network.discrete.sampling import weights_of
from bnsieve.network.mixed.exact import exact_mixture, why_not_exact
from bnsieve.network.mixed.model import MixedModel
from bnsieve.network.mixed.nodes import NumberNode
from bnsieve.network.mixed.scale import Scale, Values
from bnsieve.network.rows import column_names, n_rows_of, read_rows, select_columns

LEVELS = (0.05, 0.25, 0.5, 0.75, 0.95)
# Values at which a number is weighed, how often the grid is drawn closer, and the weight that is
# left out at each end.
_GRID, _FINER_GRIDS, _NO_WEIGHT = 64, 3, 1e-4
_ROWS_AT_ONCE = 4_096


@dataclass(frozen=True, eq=False, repr=False)
class NumberAnswer:
    """What a number is expected to be.

    Attributes
    ----------
    name : str
    mean, deviation : float
        Expected value and standard deviation, in the units of the data.
    quantiles : mapping from float to float
        The value that the number is below with probability .05, .25, .5, .75 and .95.
    given : str
        What was given, in words.
    error : float or None
        The standard error of `mean`, if the answer comes from sampling.
    effective_draws : float or None
        How many draws without evidence the sample is worth, if the answer comes from one.
    """

    name: str
    mean: float
    deviation: float
    quantiles: Mapping[float, float]
    given: str = ""
    error: float | None = None
    effective_draws: float | None = None

    def __repr__(self) -> str:
        head = self.name + (f" given {self.given}" if self.given else "")
        if self.effective_draws is not None:
            head += f" (sampled, worth {self.effective_draws:,.0f} draws)"
        sure = "" if self.error is None else f"  s.e. {self.error:.4g}"
        lines = [head, f"  mean  {self.mean:.4g}{sure}", f"  s.d.  {self.deviation:.4g}"]
        lines += [f"  {level:4.0%}  {value:.4g}" for level, value in self.quantiles.items()]
        return "\n".join(lines)


def read_given(model: MixedModel, target: str, given: Mapping[str, Any]) -> dict[str, float]:
    """Return values of numbers and codes of states, checked."""
    found: dict[str, float] = {}
    for name in (target, *given):
        if name not in model.parents:
            raise ValueError(f"the network has no node {name!r}{nearest(name, model.parents)}.")
    if target in given:
        raise ValueError(f"{target!r} is both asked for and given: leave it out of one of them.")
    for name, value in given.items():
        if isinstance(value, Mapping):
            raise ValueError(
                f"{name!r} is given by likelihoods, which networks with numbers do not take: give "
                "a state or a number."
            )
        if model.is_number(name):
            found[name] = _number(name, value)
        elif value in model.states[name]:
            found[name] = model.states[name].index(value)
        else:
            raise unknown_state(name, value, model.states[name])
    return found


def expected(
    model: MixedModel, target: str, given: Mapping[str, Any], n_draws: int | None, seed: int
) -> NumberAnswer:
    """Say what a number is expected to be: exactly, or by as many draws as wanted."""
    known = read_given(model, target, given)
    if not model.is_number(target):
        raise ValueError(f"{target!r} is categorical: query({target!r}) gives its probabilities.")
    relevant = model.relevant([target, *known])
    if n_draws is None:
        _check_exact(model, relevant, known)
        _, _, shares, means, variances = exact_mixture(model, target, relevant, known)
        mean = float(shares @ means)
        deviation = math.sqrt(max(0.0, float(shares @ (variances + (means - mean) ** 2))))
        deviations = np.sqrt(np.maximum(variances, 1e-300))
        kept = shares > 0
        mixture = Scale(0.0, 1.0, False, shares[kept], means[kept], deviations[kept])
        values = mixture.from_scores(ndtri(np.array(LEVELS)))
        return NumberAnswer(
            target,
            mean,
            deviation,
            dict(zip(LEVELS, values.tolist(), strict=True)),
            in_words(given),
        )
    columns, weights, n_effective = _weighted(model, relevant, known, n_draws, seed)
    drawn = columns[target].astype(np.float64)
    mean = float(weights @ drawn)
    off = drawn - mean
    order = np.argsort(drawn)
    states = np.cumsum(weights[order]) - 0.5 * weights[order]
    values = np.interp(LEVELS, states, drawn[order])
    return NumberAnswer(
        target,
        mean,
        math.sqrt(float(weights @ off**2)),
        dict(zip(LEVELS, values.tolist(), strict=True)),
        in_words(given),
        math.sqrt(float((weights**2) @ off**2)),
        n_effective,
    )


def state_probabilities(
    model: MixedModel, target: str, given: Mapping[str, Any], n_draws: int | None, seed: int
) -> Distribution:
    """Say how probable each state of a variable is: exactly, or by as many draws as wanted."""
    known = read_given(model, target, given)
    if model.is_number(target):
        raise ValueError(f"{target!r} is a number: expect({target!r}) says what it may be.")
    relevant = model.relevant([target, *known])
    n_states = len(model.states[target])
    names, states, words = (target,), (model.states[target],), in_words(given)
    if n_draws is None:
        _check_exact(model, relevant, known)
        opened, configurations, weights, _, _ = exact_mixture(model, None, relevant, known)
        own = configurations[:, opened.index(target)]
        return Distribution(names, states, _sums(own, weights, n_states), words)
    columns, weights, n_effective = _weighted(model, relevant, known, n_draws, seed)
    codes = columns[target].astype(np.intp)
    shares, squares = (_sums(codes, one, n_states) for one in (weights, weights**2))
    variance = squares * (1 - 2 * shares) + (weights**2).sum() * shares**2
    errors = np.maximum(np.sqrt(np.maximum(variance, 0)), 1 / n_effective)
    return Distribution(names, states, shares, words, errors=errors, effective_draws=n_effective)


def _check_exact(model: MixedModel, relevant: set[str], given: Mapping[str, float]) -> None:
    reason = why_not_exact(model, relevant, given)
    if reason is not None:
        raise ValueError(f'there is no exact answer, because {reason}: ask with method="sampling".')


def _weighted(
    model: MixedModel, relevant: set[str], given: Mapping[str, float], n_draws: int, seed: int
) -> tuple[dict[str, Any], Values, float]:
    """Return draws, their shares of the whole, and how many they are worth."""
    columns, logs = model.draw_given(relevant, given, n_draws, seed)
    weights, n_effective = weights_of(logs)
    return columns, weights / weights.sum(), n_effective


def _sums(codes: NDArray[np.intp], weights: Values, n_states: int) -> Values:
    """Return the sum of the weights of each code."""
    sums: Values = np.bincount(codes, weights, n_states).astype(np.float64)
    return sums


def _number(name: str, value: Any) -> float:
    try:
        number = float(value)
    except (TypeError, ValueError):
        number = math.nan
    if not math.isfinite(number):
        raise ValueError(f"{name!r} is a number, but {value!r} is given: give a finite number.")
    return number


def complete_columns(
    model: MixedModel, data: Any, wanted: tuple[str, ...] | None = None
) -> dict[str, NDArray[Any]]:
    """Return columns of a frame, values of numbers and codes of states.

    Raises
    ------
    ValueError
        If one is absent, a state is unknown, or a cell is missing.
    """
    names = model.graph.nodes if wanted is None else wanted
    held = column_names(data)
    for name in names:
        if name not in held:
            raise ValueError(f"the data lacks the column {name!r}.")
    numbers = [name for name in model.numbers if name in names]
    rows = read_rows(select_columns(data, names), numbers)
    columns: dict[str, NDArray[Any]] = {**rows.numbers, **rows.codes(model.states)}
    for name in names:
        column = columns[name]
        missing = np.isnan(column) if name in rows.numbers else column < 0
        if missing.any():
            row = int(np.flatnonzero(missing)[0])
            raise ValueError(
                f"row {row} lacks {name!r}: a network with numbers takes complete rows. Leave the "
                "row out, or fill the cell in."
            )
    return columns


def state_odds(model: MixedModel, target: str, data: Any) -> pd.DataFrame:
    """Return the probability of each state of a column, given its Markov blanket in each row."""
    if target not in model.parents:
        raise ValueError(f"the network has no node {target!r}.")
    if model.is_number(target):
        raise ValueError(f"{target!r} is a number: expect({target!r}) says what it may be.")
    children = model.graph.children(target)
    columns, n = _blanket(model, target, data)
    logs = np.zeros((n, len(model.states[target])))
    for code in range(logs.shape[1]):
        filled = {**columns, target: np.full(n, code)}
        for name in (target, *children):
            logs[:, code] += model.log_density(name, filled)
    return pd.DataFrame(
        softmax(logs, axis=1),
        index=data.index if isinstance(data, pd.DataFrame) else None,
        columns=pd.Index(model.states[target], tupleize_cols=False),
    )


def expected_values(model: MixedModel, target: str, data: Any) -> "pd.Series[float]":
    """Return the expected value of a number, given its Markov blanket in each row.

    The density given the parents times that of the children is summed over a grid: first over
    what the parents allow, then again and again over the part that has the weight.
    """
    columns, n = _blanket(model, target, data)
    means = np.empty(n)
    for start in range(0, n, _ROWS_AT_ONCE):
        size = min(_ROWS_AT_ONCE, n - start)
        given = {name: column[start : start + size] for name, column in columns.items()}
        means[start : start + size] = _means(model, target, given, size)
    index = data.index if isinstance(data, pd.DataFrame) else None
    return pd.Series(means, index=index, name=target)


def _means(model: MixedModel, target: str, given: dict[str, NDArray[Any]], n: int) -> Values:
    children = model.graph.children(target)
    node = model.nodes[target]
    assert isinstance(node, NumberNode)
    values = node.quantiles(ndtri((np.arange(_GRID) + 0.5) / _GRID), given, n)
    if not children:
        return np.asarray(values.mean(axis=1), dtype=np.float64)
    given = {name: np.repeat(column, _GRID) for name, column in given.items()}
    weights = _weights(model, children, target, values, given)
    for _ in range(_FINER_GRIDS):
        low, high = _window(values, weights)
        values = np.linspace(low, high, _GRID, axis=1)
        weights = _weights(model, (target, *children), target, values, given)
    found: Values = (weights * values).sum(axis=1)
    return found


def _weights(
    model: MixedModel,
    names: tuple[str, ...],
    target: str,
    values: Values,
    given: dict[str, NDArray[Any]],
) -> Values:
    """Return the share of each value of the target in its row, by the densities of some nodes."""
    columns = {**given, target: values.ravel()}
    logs = np.sum([model.log_density(name, columns) for name in names], axis=0)
    shares: Values = softmax(logs.reshape(values.shape), axis=1)
    return shares


def _window(values: Values, weights: Values) -> tuple[Values, Values]:
    """Return between which values the next grid lies: one step beyond those that have weight."""
    span = values[:, -1:] - values[:, :1]
    wider = np.concatenate([values[:, :1] - span, values, values[:, -1:] + span], axis=1)
    sums = weights.cumsum(axis=1)
    rows = np.arange(len(values))
    first = (sums < _NO_WEIGHT).sum(axis=1)
    last = np.minimum((sums < 1 - _NO_WEIGHT).sum(axis=1), values.shape[1] - 1)
    return wider[rows, first], wider[rows, last + 2]


def _blanket(model: MixedModel, target: str, data: Any) -> tuple[dict[str, NDArray[Any]], int]:
    """Return the columns of a node's Markov blanket, and how many rows there are."""
    children = model.graph.children(target)
    families = {one for name in (target, *children) for one in (name, *model.parents[name])}
    blanket = tuple(name for name in model.graph.nodes if name in families - {target})
    columns = complete_columns(model, data, blanket) if blanket else {}
    if columns:
        return columns, len(next(iter(columns.values())))
    return columns, n_rows_of(data)
