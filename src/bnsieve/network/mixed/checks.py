"""Check the nodes of a network that have to do with numbers; an error names what is wrong."""

from collections.abc import Hashable, Mapping
from typing import Any, Never

import numpy as np

from bnsieve.network.mixed.fitting import Node
from bnsieve.network.mixed.label_node import LabelNode
from bnsieve.network.mixed.number_node import NumberNode
from bnsieve.network.mixed.scale import Scale


def number_names(regressions: Mapping[str, Node]) -> set[str]:
    """Return the names of the nodes that are numbers."""
    return {name for name, node in regressions.items() if isinstance(node, NumberNode)}


def check_nodes(
    regressions: Mapping[str, Node],
    parents: Mapping[str, tuple[str, ...]],
    levels: Mapping[str, tuple[Hashable, ...]],
) -> None:
    """Refuse nodes that do not fit the graph and the labels.

    Raises
    ------
    ValueError
        If the parents, the shape of the coefficients or a number is not as it must be.
    """
    for name, given in parents.items():
        with_numbers = any(parent not in levels for parent in given)
        if with_numbers and name not in regressions:
            raise ValueError(f"{name!r} has a numeric parent: it needs a regression, not a table.")
    for name, node in regressions.items():
        inputs = node.inputs
        numbers = tuple(one.name for one in inputs.numbers)
        if sorted((*numbers, *inputs.labels)) != sorted(parents[name]):
            raise ValueError(
                f"the regression of {name!r} reads {(*numbers, *inputs.labels)}, but the graph "
                f"says {parents[name]}."
            )
        for parent in numbers:
            if parent in levels:
                raise ValueError(f"{name!r} takes its parent {parent!r} for a number.")
        for parent, n_levels in zip(inputs.labels, inputs.n_levels, strict=True):
            if parent not in levels or len(levels[parent]) != n_levels:
                raise ValueError(f"{name!r} expects {n_levels} labels of its parent {parent!r}.")
        for one in inputs.numbers:
            _check_scale(name, one.scale)
            if one.knots and not (len(one.knots) > 2 and np.all(np.diff(one.knots) > 0)):
                _refuse(name, f"the knots of {one.name!r} must be three or more, ascending")
        _check_values(name, node, len(levels.get(name, ())))


def _check_values(name: str, node: Node, n_levels: int) -> None:
    n, k = node.inputs.n_configurations, node.inputs.n_functions
    if isinstance(node, LabelNode) and node.coefficients.shape != (n, n_levels, k):
        _refuse(name, f"coefficients must have the shape {(n, n_levels, k)}")
    if not np.all(np.isfinite(node.coefficients)):
        _refuse(name, "coefficients must be finite")
    if isinstance(node, NumberNode):
        if node.coefficients.shape != (n, k) or node.deviations.shape != (n,):
            _refuse(name, f"there must be {n} deviations, and coefficients of shape {(n, k)}")
        if not (np.all(node.deviations > 0) and np.all(np.isfinite(node.deviations))):
            _refuse(name, "deviations must be above zero")
        _check_scale(name, node.own)
        _check_scale(name, node.noise)


def _check_scale(name: str, scale: Scale) -> None:
    parts: tuple[Any, ...] = (scale.weights, scale.means, scale.deviations)
    if len({part.shape for part in parts}) != 1 or scale.weights.ndim != 1:
        _refuse(name, "weights, means and deviations of a scale must be lists of one length")
    finite = all(np.all(np.isfinite(part)) for part in (scale.centre, scale.spread, *parts))
    positive = scale.spread > 0 and np.all(scale.deviations > 0) and np.all(scale.weights > 0)
    if not finite or not positive or abs(scale.weights.sum() - 1) > 1e-6:
        _refuse(
            name,
            "a scale must have a positive spread, positive deviations and weights that sum to 1",
        )


def _refuse(name: str, message: str) -> Never:
    raise ValueError(f"the regression of {name!r} is not right: {message}.")
