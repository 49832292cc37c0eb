"""Answers of networks with numeric variables, to one question or for every row of a frame.

In: a `MixedModel`, a target, evidence or columns without missing values where it matters. Out: a
`NumberAnswer`, probabilities of states, expected values.
"""

import itertools
import math
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtri, softmax

from bnsieve.network.discrete.evidence import asked_and_given, in_words, unknown_node, unknown_state
from bnsieve.network.discrete.results import Distribution
from bnsieve.network.discrete.sampling import weighted_shares, weights_of
from bnsieve.network.mixed.exact import Mixture, exact_mixture, why_not_exact
from bnsieve.network.mixed.model import MixedModel
from bnsieve.network.mixed.nodes import Columns, NumberNode, is_known
from bnsieve.network.mixed.scale import Scale, Values

LEVELS = (0.05, 0.25, 0.5, 0.75, 0.95)
# Values at which a number is weighed, how often the grid is drawn closer, and the weight that is
# left out at each end.
_GRID, _FINER_GRIDS, _NO_WEIGHT = 64, 3, 1e-4
_ROWS_AT_ONCE = 4_096


@dataclass(frozen=True, eq=False, repr=False)
class NumberAnswer:
    """The expected value of a numeric variable.

    Attributes
    ----------
    name : str
        The variable.
    mean, deviation : float
        The expected value and the standard deviation, in the units of the data.
    quantiles : mapping from float to float
        The quantiles at .05, .25, .5, .75 and .95.
    given : str
        The evidence, in words.
    error : float or None
        The standard error of `mean`, if the answer comes from sampling.
    effective_draws : float or None
        The effective sample size, if the answer comes from sampling.
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
            head += f" (sampled, effective size {self.effective_draws:,.0f})"
        sure = "" if self.error is None else f"  s.e. {self.error:.4g}"
        lines = [head, f"  mean  {self.mean:.4g}{sure}", f"  s.d.  {self.deviation:.4g}"]
        lines += [f"  {level:4.0%}  {value:.4g}" for level, value in self.quantiles.items()]
        return "\n".join(lines)


def read_given(model: MixedModel, target: str, given: Mapping[str, Any]) -> dict[str, float]:
    """Return values of numbers and codes of states, checked."""
    for name in (target, *given):
        if name not in model.parents:
            raise unknown_node(name, model.parents)
    if target in given:
        raise asked_and_given(target)
    known: dict[str, float] = {}
    for name, value in given.items():
        if isinstance(value, Mapping):
            raise ValueError(
                f"{name!r} is given by likelihoods, which networks with numbers do not take: give "
                "a state or a number."
            )
        if model.is_number(name):
            known[name] = _number(name, value)
        elif value in model.states[name]:
            known[name] = model.states[name].index(value)
        else:
            raise unknown_state(name, value, model.states[name])
    return known


def expected(
    model: MixedModel, target: str, given: Mapping[str, Any], n_draws: int | None, seed: int
) -> NumberAnswer:
    """Say what a number is expected to be: exactly, or by as many draws as wanted."""
    known = read_given(model, target, given)
    if not model.is_number(target):
        raise ValueError(f"{target!r} is categorical: query({target!r}) gives its probabilities.")
    error = n_effective = None
    if n_draws is None:
        mixture = _exact(model, target, known)
        weights, means, variances = mixture.shares[:, 0], mixture.means[:, 0], mixture.variances
        deviations, kept = np.sqrt(np.maximum(variances, 1e-300)), weights > 0
        scale = Scale(0.0, 1.0, False, weights[kept], means[kept], deviations[kept])
        values = scale.from_scores(ndtri(np.array(LEVELS)))
    else:
        columns, weights, n_effective = _weighted(model, target, known, n_draws, seed)
        means, variances = columns[target], np.zeros(n_draws)
        order = np.argsort(means)
        below = np.cumsum(weights[order]) - 0.5 * weights[order]
        values = np.interp(LEVELS, below, means[order])
    mean = float(weights @ means)
    squares = (means - mean) ** 2
    if n_draws is not None:
        error = math.sqrt(float((weights**2) @ squares))
    deviation = math.sqrt(max(0.0, float(weights @ (variances + squares))))
    quantiles = dict(zip(LEVELS, values.tolist(), strict=True))
    return NumberAnswer(target, mean, deviation, quantiles, in_words(given), error, n_effective)


def state_probabilities(
    model: MixedModel, target: str, given: Mapping[str, Any], n_draws: int | None, seed: int
) -> Distribution:
    """Say how probable each state of a variable is: exactly, or by as many draws as wanted."""
    known = read_given(model, target, given)
    _require_states(model, target)
    n_states, words = len(model.states[target]), in_words(given)
    shares: Values
    errors = n_effective = None
    if n_draws is None:
        mixture = _exact(model, target, known)
        codes = mixture.codes[:, mixture.names.index(target)]
        shares = np.bincount(codes, mixture.shares[:, 0], n_states).astype(np.float64)
    else:
        columns, weights, n_effective = _weighted(model, target, known, n_draws, seed)
        shares, errors = weighted_shares(columns[target], weights, n_states, n_effective)
    return Distribution(
        (target,), (model.states[target],), shares, words, None, errors, n_effective
    )


def _exact(model: MixedModel, target: str, given: Mapping[str, float]) -> Mixture:
    relevant = model.relevant([target, *given])
    reason = why_not_exact(model, relevant, given)
    if reason is not None:
        raise ValueError(f'there is no exact answer, because {reason}: ask with method="sampling".')
    mixture = exact_mixture(model, target, relevant, given)
    if np.isnan(mixture.shares).any():
        raise ValueError("the evidence has probability 0 in this network.")
    return mixture


def _weighted(
    model: MixedModel, target: str, given: Mapping[str, float], n_draws: int, seed: int
) -> tuple[dict[str, Any], Values, float]:
    """Return draws, their shares of the whole, and how many they are worth."""
    columns, logs = model.draw(model.relevant([target, *given]), given, n_draws, seed)
    weights, n_effective = weights_of(logs)
    return columns, weights / weights.sum(), n_effective


def _number(name: str, value: Any) -> float:
    try:
        number = float(value)
    except (TypeError, ValueError):
        number = math.nan
    if not math.isfinite(number):
        raise ValueError(f"{name!r} is a number, but {value!r} is given: give a finite number.")
    return number


def _require_states(model: MixedModel, target: str) -> None:
    if model.is_number(target):
        raise ValueError(f"{target!r} is a number: use expect({target!r}).")


def check_complete(columns: Columns, names: Sequence[str]) -> None:
    """Refuse columns of which one is absent, or lacks a value."""
    for name in names:
        if name not in columns:
            raise ValueError(f"the data lacks the column {name!r}.")
        known = is_known(columns[name])
        if not known.all():
            raise ValueError(
                f"row {int(known.argmin())} lacks {name!r}: a network with numbers takes complete "
                "rows. Leave the row out, or fill the value in."
            )


def state_odds(model: MixedModel, target: str, columns: Columns, n_rows: int) -> Values:
    """Return the probability of each state of a variable, given its Markov blanket in each row."""
    if target not in model.parents:
        raise unknown_node(target, model.parents)
    _require_states(model, target)
    check_complete(columns, model.graph.markov_blanket(target))
    logs = np.zeros((n_rows, len(model.states[target])))
    for code in range(logs.shape[1]):
        filled = {**columns, target: np.full(n_rows, code)}
        for name in (target, *model.graph.children(target)):
            logs[:, code] += model.log_density(name, filled)
    shares: Values = softmax(logs, axis=1)
    return shares


def expected_values(model: MixedModel, target: str, columns: Columns, n_rows: int) -> Values:
    """Return the expected value of a number, given its Markov blanket in each row.

    The density given the parents times that of the children is summed over a grid: first over
    what the parents allow, then again and again over the part that has the weight.
    """
    means = np.empty(n_rows)
    for start in range(0, n_rows, _ROWS_AT_ONCE):
        rows = slice(start, min(start + _ROWS_AT_ONCE, n_rows))
        given = {name: column[rows] for name, column in columns.items()}
        means[rows] = _means(model, target, given, rows.stop - start)
    return means


def expected_exactly(
    model: MixedModel, target: str, columns: Columns, rows: NDArray[np.bool_]
) -> Values:
    """Return the expected value of a number in some rows, given all that is known in each.

    NaN in other rows, and where there is no exact answer. Rows are answered together that have the
    same known states, and in which the same numbers are known, of variables that bear on it.
    """
    means, at = np.full(len(rows), np.nan), np.flatnonzero(rows)
    known = np.array([is_known(column)[at] for column in columns.values()], dtype=bool)
    known = known.reshape(len(columns), len(at))
    patterns, pattern_of = np.unique(known, axis=1, return_inverse=True)
    rows_with: dict[tuple[str, ...], list[NDArray[np.intp]]] = defaultdict(list)
    for number, pattern in enumerate(patterns.T):
        names = list(itertools.compress(columns, pattern))
        bearing = tuple(
            name for name in names if not model.graph.d_separated(target, name, {*names} - {name})
        )
        rows_with[bearing].append(at[pattern_of.ravel() == number])
    for evidence, parts in rows_with.items():
        relevant, at = model.relevant([target, *evidence]), np.concatenate(parts)
        if why_not_exact(model, relevant, evidence) is not None:
            continue
        states = [name for name in evidence if name in model.states]
        codes = np.array([columns[name][at] for name in states], dtype=np.intp)
        codes = codes.reshape(len(states), len(at))
        configurations, group = np.unique(codes, axis=1, return_inverse=True)
        for number, configuration in enumerate(configurations.T):
            alike = at[group.ravel() == number]
            given: dict[str, Any] = {name: columns[name][alike] for name in evidence}
            given |= zip(states, configuration, strict=True)
            mixture = exact_mixture(model, target, relevant, given, len(alike))
            means[alike] = (mixture.shares * mixture.means).sum(axis=0)
    return means


def _means(model: MixedModel, target: str, given: Columns, n: int) -> Values:
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
    means: Values = (weights * values).sum(axis=1)
    return means


def _weights(
    model: MixedModel, names: tuple[str, ...], target: str, values: Values, given: Columns
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
