"""Exact answers of linear Gaussian networks, and of mixtures of these over states.

In: a target and evidence. Out: for each configuration of the open states its weight and the
target's normal distribution. Exact where every number that bears on the question is linear in its
numeric parents with normal noise (a conditional linear Gaussian), and no categorical variable has a
numeric parent. Other programs know such networks as linear equations.
"""

import itertools
import math
from collections.abc import Collection, Mapping
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.special import logsumexp

from bnsieve.network.mixed.model import MixedModel
from bnsieve.network.mixed.nodes import Inputs, NumberInput, NumberNode
from bnsieve.network.mixed.scale import Scale, Values

# Configurations of states that are gone through one by one.
_MOST_CONFIGURATIONS = 4096


def why_not_exact(model: MixedModel, relevant: set[str], given: Collection[str]) -> str | None:
    """Say why there is no exact answer; None if there is."""
    n_configurations = 1
    for name in sorted(relevant):
        node = model.nodes.get(name)
        if isinstance(node, NumberNode):
            if not node.is_plain:
                return f"{name!r} is not linear with normal noise"
        elif node is not None:
            return f"{name!r} is categorical and depends on numbers"
        elif name not in given:
            n_configurations *= len(model.states[name])
    if n_configurations > _MOST_CONFIGURATIONS:
        return f"there are {n_configurations:,} configurations of states to go through"
    return None


class LinearEquation(NamedTuple):
    """A number is the intercept, plus slopes times parents, plus normal noise."""

    intercept: float
    slopes: Mapping[str, float]
    deviation: float


class Mixture(NamedTuple):
    """The target's normal distribution under each configuration of open categorical variables.

    Attributes
    ----------
    names : list of str
        The open variables.
    codes : ndarray of int, shape (n_configurations, n_names)
    shares : ndarray of float64, shape (n_configurations, n_rows)
        How probable each configuration is; NaN where the evidence is impossible.
    means : ndarray of float64, shape (n_configurations, n_rows)
    variances : ndarray of float64, shape (n_configurations,)
    """

    names: list[str]
    codes: NDArray[np.intp]
    shares: Values
    means: Values
    variances: Values


def exact_mixture(
    model: MixedModel, target: str, relevant: set[str], given: Mapping[str, Any], n_rows: int = 1
) -> Mixture:
    """Return the distribution of a number, or of open states, in rows with the same known states.

    Parameters
    ----------
    model : MixedModel
    target : str
    relevant : set of str
        Target, evidence and all their ancestors.
    given : mapping from str to int, float or ndarray of float64, shape (n_rows,)
        Codes of states, values of numbers.
    n_rows : int
    """
    order = [name for name in model.graph.topological_order() if name in relevant]
    categorical = [name for name in model.graph.nodes if name in relevant & model.states.keys()]
    numbers = [name for name in order if name not in model.states]
    opened = [name for name in categorical if name not in given]
    n_states = [len(model.states[name]) for name in opened]
    every = list(itertools.product(*map(range, n_states)))
    codes = np.array(every, dtype=np.intp).reshape(len(every), len(opened))
    columns = {name: np.full(len(codes), given[name]) for name in categorical if name in given}
    columns |= dict(zip(opened, codes.T, strict=True))
    priors = sum((model.log_density(name, columns) for name in categorical), np.zeros(len(codes)))
    logs = np.repeat(priors[:, np.newaxis], n_rows, axis=1)
    means, variances = np.zeros(logs.shape), np.zeros(len(codes))
    for place in np.flatnonzero(priors > -np.inf) if numbers else ():
        states = {name: column[place] for name, column in columns.items()}
        centres, covariance = _joint(model, numbers, states, n_rows)
        logs[place] += _condition(numbers, centres, covariance, given)
        if target in numbers:
            at = numbers.index(target)
            means[place], variances[place] = centres[at], covariance[at, at]
    with np.errstate(invalid="ignore"):  # no configuration is possible
        shares = np.exp(logs - logsumexp(logs, axis=0))
    return Mixture(opened, codes, shares, means, variances)


def linear_equation(node: NumberNode, configuration: int = 0) -> LinearEquation:
    """Return the equation of a plain node, in units."""
    unit = node.own.spread
    own = node.coefficients[configuration]
    intercept, slopes = node.own.centre + unit * own[0], {}
    for parent, coefficient in zip(node.inputs.numbers, own[1:], strict=True):
        slope = unit * coefficient / parent.scale.spread
        slopes[parent.name] = float(slope)
        intercept -= slope * parent.scale.centre
    deviation = unit * node.deviations[configuration] * node.noise.spread
    intercept += unit * node.deviations[configuration] * node.noise.centre
    return LinearEquation(float(intercept), slopes, float(deviation))


def _joint(
    model: MixedModel, numbers: list[str], states: Mapping[str, int], n_rows: int
) -> tuple[Values, Values]:
    """Return mean, in each row, and covariance of the numbers under one configuration of states."""
    place = {name: i for i, name in enumerate(numbers)}
    means = np.zeros((len(numbers), n_rows))
    covariance = np.zeros((len(numbers), len(numbers)))
    for at, name in enumerate(numbers):
        node = model.nodes[name]
        assert isinstance(node, NumberNode)
        codes = {parent: np.array([states[parent]]) for parent in node.inputs.categorical}
        equation = linear_equation(node, int(node.inputs.configurations(codes, 1)[0]))
        row = np.zeros(len(numbers))
        for parent, slope in equation.slopes.items():
            row[place[parent]] = slope
        means[at] = equation.intercept + row @ means
        covariance[at] = covariance[:, at] = row @ covariance
        covariance[at, at] = row @ covariance @ row + equation.deviation**2
    return means, covariance


def _condition(
    numbers: list[str], means: Values, covariance: Values, given: Mapping[str, Any]
) -> Values:
    """Condition means and covariance, in place, on the evidence; return its log density by row.

    One number after the other, so that nothing is inverted.
    """
    log_density = np.zeros(means.shape[1])
    for at, name in enumerate(numbers):
        if name in given:
            variance = covariance[at, at]
            off = given[name] - means[at]
            log_density -= 0.5 * (off**2 / variance + math.log(2 * math.pi * variance))
            gain = covariance[:, at] / variance
            means += np.outer(gain, off)
            covariance -= np.outer(gain, covariance[at].copy())
    return log_density


def linear_equations(model: MixedModel) -> dict[str, LinearEquation]:
    """Return the equation of each number, in the units of the data.

    Raises
    ------
    ValueError
        If a node is categorical, or is not linear with normal noise.
    """
    equations = {}
    for name in model.graph.nodes:
        node = model.nodes.get(name)
        if not isinstance(node, NumberNode) or not node.is_plain or node.inputs.categorical:
            raise ValueError(
                f"{name!r} is not linear in its parents with normal noise, and the other program "
                "has no other numeric variables: write the network as JSON, or convert its graph."
            )
        equations[name] = linear_equation(node)
    return equations


def linear_node(equation: LinearEquation) -> NumberNode:
    """Return the node of an equation."""
    inputs = Inputs(tuple(NumberInput(name, Scale.plain()) for name in equation.slopes))
    coefficients = np.array([[equation.intercept, *equation.slopes.values()]])
    deviations, n_parameters = np.array([equation.deviation]), coefficients.size + 1.0
    return NumberNode(inputs, Scale.plain(), coefficients, deviations, Scale.plain(), n_parameters)
