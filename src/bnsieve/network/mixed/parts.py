"""Nodes as plain values, for files and for comparison.

In: a node. Out: nested dictionaries, lists and numbers, from which the same node is made again.
"""

from typing import Any

import numpy as np

from bnsieve.network.mixed.fitting import Node
from bnsieve.network.mixed.inputs import Inputs, NumberInput
from bnsieve.network.mixed.label_node import LabelNode
from bnsieve.network.mixed.number_node import NumberNode
from bnsieve.network.mixed.scale import Scale


def parts_of_node(node: Node) -> dict[str, Any]:
    """Return a node as plain values."""
    inputs = node.inputs
    parts: dict[str, Any] = {
        "numbers": [
            {"name": one.name, "scale": _scale_parts(one.scale), "knots": list(one.knots)}
            for one in inputs.numbers
        ],
        "labels": list(inputs.labels),
        "n_levels": list(inputs.n_levels),
        "coefficients": node.coefficients.tolist(),
        "n_parameters": node.n_parameters,
    }
    if isinstance(node, NumberNode):
        parts |= {
            "own": _scale_parts(node.own),
            "deviations": node.deviations.tolist(),
            "noise": _scale_parts(node.noise),
        }
    return parts


def node_of_parts(parts: dict[str, Any]) -> Node:
    """Make a node of plain values; a number if it has an `own` scale, else a label."""
    inputs = Inputs(
        tuple(
            NumberInput(one["name"], _scale_of(one["scale"]), tuple(map(float, one["knots"])))
            for one in parts["numbers"]
        ),
        tuple(parts["labels"]),
        tuple(map(int, parts["n_levels"])),
    )
    coefficients = np.array(parts["coefficients"], dtype=np.float64)
    n_parameters = float(parts["n_parameters"])
    if "own" not in parts:
        return LabelNode(inputs, coefficients, n_parameters)
    return NumberNode(
        inputs,
        _scale_of(parts["own"]),
        coefficients,
        np.array(parts["deviations"], dtype=np.float64),
        _scale_of(parts["noise"]),
        n_parameters,
    )


def same_node(one: Node, other: Node) -> bool:
    """Tell whether two nodes are the same to the last bit."""
    return parts_of_node(one) == parts_of_node(other)


def _scale_parts(scale: Scale) -> dict[str, Any]:
    parts: dict[str, Any] = {"centre": scale.centre, "spread": scale.spread}
    if not scale.is_plain:
        parts |= {
            "bent": scale.bent,
            "weights": scale.weights.tolist(),
            "means": scale.means.tolist(),
            "deviations": scale.deviations.tolist(),
        }
    return parts


def _scale_of(parts: dict[str, Any]) -> Scale:
    centre, spread = float(parts["centre"]), float(parts["spread"])
    if "weights" not in parts:
        return Scale.plain(centre, spread)
    lists = (np.array(parts[key], dtype=np.float64) for key in ("weights", "means", "deviations"))
    return Scale(centre, spread, bool(parts["bent"]), *lists)
