"""Linear equations in units: what other programs know of networks of numbers.

In: a `MixedModel` of plain numbers. Out: an intercept, slopes and a deviation for each; and back.
"""

from collections.abc import Mapping
from typing import NamedTuple

import numpy as np

from bnsieve.network.mixed.exact import linear_form
from bnsieve.network.mixed.inputs import Inputs, NumberInput
from bnsieve.network.mixed.model import MixedModel
from bnsieve.network.mixed.number_node import NumberNode
from bnsieve.network.mixed.scale import Scale


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
        If a node is a label, or is not linear with normal noise.
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
