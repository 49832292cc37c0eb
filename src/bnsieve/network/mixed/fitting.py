"""The nodes of a graph that have to do with numbers, estimated from rows.

In: a DAG and `Rows`. Out: a `NumberNode` for each number, and a `LabelNode` for each label with a
numeric parent. All other labels have tables, which are counted as ever.
"""

from collections.abc import Hashable, Mapping
from dataclasses import replace
from math import prod
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bnsieve.graph import Graph
from bnsieve.network.mixed.fit_number import fit_number
from bnsieve.network.mixed.inputs import Columns, Inputs, NumberInput
from bnsieve.network.mixed.label_node import LabelNode, fit_label
from bnsieve.network.mixed.number_node import NumberNode
from bnsieve.network.mixed.reading import Rows
from bnsieve.network.mixed.scale import Scale, fit_scale

Node = NumberNode | LabelNode

# Coefficients that a node may hold.
_MOST_COEFFICIENTS = 1 << 24
_FEWEST_ROWS = 3


def fit_nodes(
    dag: Graph, rows: Rows, levels: Mapping[str, tuple[Hashable, ...]]
) -> dict[str, Node]:
    """Return the nodes of all numbers, and of all labels that have one among their parents.

    A row counts for a node if neither its cell nor its parents' are missing. Where such rows are
    fewer than three, or all alike, the parents have no say in the node.

    Raises
    ------
    ValueError
        If a number has no two different values, or the label parents have too many configurations.
    """
    columns: dict[str, NDArray[Any]] = {**rows.numbers, **rows.codes(levels)}
    known = {
        name: ~np.isnan(rows.numbers[name]) if name in rows.numbers else columns[name] >= 0
        for name in dag.nodes
    }
    for name, values in rows.numbers.items():
        _check_varies(name, values[known[name]])
    scales = {name: fit_scale(values[known[name]]) for name, values in rows.numbers.items()}
    nodes: dict[str, Node] = {}
    for name in dag.nodes:
        parents = dag.parents(name)
        if name not in scales and not any(parent in scales for parent in parents):
            continue
        complete = np.logical_and.reduce([known[one] for one in (name, *parents)])
        if _tells_nothing(columns[name][complete]):
            nodes[name] = _alone(name, parents, columns[name][known[name]], scales, levels)
            continue
        family = {one: columns[one][complete] for one in (name, *parents)}
        nodes[name] = _node(name, parents, family, scales, levels)
    return nodes


def _node(
    name: str,
    parents: tuple[str, ...],
    family: Columns,
    scales: Mapping[str, Scale],
    levels: Mapping[str, tuple[Hashable, ...]],
) -> Node:
    numbers, labels = _parents(parents, scales, levels)
    own = len(levels[name]) if name not in scales else 1
    n_coefficients = prod(k for _, k in labels) * own * (1 + 7 * len(numbers))
    if n_coefficients > _MOST_COEFFICIENTS:
        raise ValueError(
            f"{name!r} would have {n_coefficients:,} coefficients given its parents, more than "
            f"{_MOST_COEFFICIENTS:,}: learn a sparser graph, or merge rare labels"
        )
    if name not in scales:
        return fit_label(family[name].astype(np.intp), own, family, numbers, labels)
    return fit_number(family[name].astype(np.float64), family, scales[name], numbers, labels)


def _parents(
    parents: tuple[str, ...],
    scales: Mapping[str, Scale],
    levels: Mapping[str, tuple[Hashable, ...]],
) -> tuple[list[tuple[str, Scale]], list[tuple[str, int]]]:
    """Return the numeric parents with their scales, and the others with how many labels."""
    return (
        [(parent, scales[parent]) for parent in parents if parent in scales],
        [(parent, len(levels[parent])) for parent in parents if parent not in scales],
    )


def _tells_nothing(own: NDArray[Any]) -> bool:
    """Tell whether rows are too few, or too much alike, to see what parents do."""
    return len(own) < _FEWEST_ROWS or bool((own == own[0]).all())


def _alone(
    name: str,
    parents: tuple[str, ...],
    own: NDArray[Any],
    scales: Mapping[str, Scale],
    levels: Mapping[str, tuple[Hashable, ...]],
) -> Node:
    """Return the node as it is on its own: coefficients of all parents are zero."""
    numbers, labels = _parents(parents, scales, levels)
    inputs = Inputs(
        tuple(NumberInput(parent, scale) for parent, scale in numbers),
        tuple(parent for parent, _ in labels),
        tuple(n for _, n in labels),
    )
    shape = inputs.n_configurations, inputs.n_functions
    if name in scales:
        node = fit_number(own.astype(np.float64), {}, scales[name], [], [])
        coefficients = np.zeros(shape)
        coefficients[:, 0] = node.coefficients[0, 0]
        deviations = np.repeat(node.deviations, inputs.n_configurations)
        return replace(node, inputs=inputs, coefficients=coefficients, deviations=deviations)
    counts = np.bincount(own.astype(np.intp), minlength=len(levels[name])) + 1 / len(levels[name])
    odds = np.zeros((shape[0], len(counts), shape[1]))
    odds[:, :, 0] = np.log(counts / counts.sum())
    return LabelNode(inputs, odds, len(counts) - 1.0)


def _check_varies(name: str, values: NDArray[np.float64]) -> None:
    if len(values) == 0 or values.min() == values.max():
        said = f"only the value {values[0]:g}" if len(values) else "no value"
        raise ValueError(
            f"column {name!r} has {said}, so it has no density: leave it out, or make it a label"
        )
