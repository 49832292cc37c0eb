"""Exact answers of linear Gaussian networks, and of mixtures of these over states.

In: a target, what is given. Out: for each configuration of the open states its
weight and the target's normal distribution. Exact where every number that bears on the question
is linear in its numeric parents with normal noise (a conditional linear Gaussian), and no
categorical variable has a numeric parent. Other programs know such networks as linear equations.
"""

import itertools
import math
from collections.abc import Iterator, Mapping
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.special import logsumexp

from bnsieve.network.mixed.model import MixedModel
from bnsieve.network.mixed.nodes import Inputs, NumberInput, NumberNode
from bnsieve.network.mixed.scale import Scale, Values

# Configurations of states that are gone through one by one.
_MOST_CONFIGURATIONS = 4096


def why_not_exact(model: MixedModel, relevant: set[str], given: Mapping[str, float]) -> str | None:
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


def label_weights(
    model: MixedModel, relevant: set[str], given: Mapping[str, float]
) -> tuple[list[str], NDArray[np.intp], Values]:
    """Return the open variables, their configurations, (n, n_open), and the log weight of each."""
    labels = [name for name in model.graph.nodes if name in relevant and not model.is_number(name)]
    opened = [name for name in labels if name not in given]
    codes = list(itertools.product(*(range(len(model.states[name])) for name in opened)))
    columns = {name: np.full(len(codes), int(given[name])) for name in labels if name in given}
    columns |= {
        name: np.array([one[i] for one in codes], dtype=np.intp) for i, name in enumerate(opened)
    }
    logs = np.zeros(len(codes))
    for name in labels:
        logs += model.log_density(name, columns)
    return opened, np.array(codes, dtype=np.intp).reshape(len(codes), len(opened)), logs


def exact_mixture(
    model: MixedModel, target: str | None, relevant: set[str], given: Mapping[str, float]
) -> tuple[list[str], NDArray[np.intp], Values, Values, Values]:
    """Return open variables, their configurations, shares, and the target's means and variances.

    Raises
    ------
    ValueError
        If what is given is impossible.
    """
    opened, codes, logs = label_weights(model, relevant, given)
    numbers = [name for name in model.graph.topological_order() if name in relevant]
    numbers = [name for name in numbers if model.is_number(name)]
    means, variances = np.zeros(len(codes)), np.zeros(len(codes))
    for place, configuration in enumerate(codes):
        if logs[place] == -np.inf or not numbers:
            continue
        own = {**given, **dict(zip(opened, configuration.tolist(), strict=True))}
        centre, covariance = _joint(model, numbers, own)
        logs[place] += _condition(numbers, centre, covariance, given)
        if target in numbers:
            at = numbers.index(target)
            means[place], variances[place] = centre[at], covariance[at, at]
    total = logsumexp(logs)
    if not math.isfinite(total):
        raise ValueError("what is given has probability 0 in this network.")
    return opened, codes, np.exp(logs - total), means, variances


def linear_form(node: NumberNode, configuration: int) -> tuple[float, dict[str, float], float]:
    """Return intercept, slopes by parent, and standard deviation of a plain node, in units."""
    unit = node.own.spread
    own = node.coefficients[configuration]
    intercept, slopes = node.own.centre + unit * own[0], {}
    for one, coefficient in zip(node.inputs.numbers, own[1:], strict=True):
        slope = unit * coefficient / one.scale.spread
        slopes[one.name] = float(slope)
        intercept -= slope * one.scale.centre
    deviation = unit * node.deviations[configuration] * node.noise.spread
    intercept += unit * node.deviations[configuration] * node.noise.centre
    return float(intercept), slopes, float(deviation)


def _joint(
    model: MixedModel, numbers: list[str], labels: Mapping[str, float]
) -> tuple[Values, Values]:
    """Return mean and covariance of the numbers under one configuration of the states."""
    place = {name: i for i, name in enumerate(numbers)}
    means = np.zeros(len(numbers))
    covariance = np.zeros((len(numbers), len(numbers)))
    for name in numbers:
        node = model.nodes[name]
        assert isinstance(node, NumberNode)
        codes = {one: np.array([labels[one]]) for one in node.inputs.labels}
        configuration = int(node.inputs.configurations(codes, 1)[0])
        intercept, slopes, deviation = linear_form(node, configuration)
        row = np.zeros(len(numbers))
        for parent, slope in slopes.items():
            row[place[parent]] = slope
        at = place[name]
        means[at] = intercept + row @ means
        covariance[at] = covariance[:, at] = row @ covariance
        covariance[at, at] = row @ covariance @ row + deviation**2
    return means, covariance


def _condition(
    numbers: list[str], means: Values, covariance: Values, given: Mapping[str, float]
) -> float:
    """Condition mean and covariance, in place, on what is given; return its log density.

    One number after the other, so that nothing is inverted.
    """
    log_density = 0.0
    for at, name in _given_numbers(numbers, given):
        variance = covariance[at, at]
        off = given[name] - means[at]
        log_density -= 0.5 * (off**2 / variance + math.log(2 * math.pi * variance))
        gain = covariance[:, at] / variance
        means += gain * off
        covariance -= np.outer(gain, covariance[at].copy())
    return log_density


def _given_numbers(numbers: list[str], given: Mapping[str, float]) -> Iterator[tuple[int, str]]:
    return ((at, name) for at, name in enumerate(numbers) if name in given)


class LinearEquation(NamedTuple):
    """A number is the intercept, plus slopes times parents, plus normal noise."""

    intercept: float
    slopes: Mapping[str, float]
    deviation: float


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
        if not isinstance(node, NumberNode) or not node.is_plain or node.inputs.labels:
            raise ValueError(
                f"{name!r} is not a number that is linear in numbers with normal noise, and the "
                "other program knows no other: keep the network as JSON, or hand over the graph."
            )
        equations[name] = LinearEquation(*linear_form(node, 0))
    return equations


def linear_node(equation: LinearEquation) -> NumberNode:
    """Return the node of an equation."""
    inputs = Inputs(tuple(NumberInput(name, Scale.plain()) for name in equation.slopes))
    coefficients = np.array([[equation.intercept, *equation.slopes.values()]])
    return NumberNode(
        inputs,
        Scale.plain(),
        coefficients,
        np.array([equation.deviation]),
        Scale.plain(),
        float(coefficients.size + 1),
    )
