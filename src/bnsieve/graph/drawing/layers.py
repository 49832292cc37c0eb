"""A layered layout of one connected graph: layers, order in the layers, coordinates.

In: arrows by node number, all pointing forwards in some order, and the nodes' sizes. Out: a place
for each node, and for each arrow the points where it passes between the nodes of other layers.

The steps are those of Sugiyama's method as Graphviz's dot has it (Gansner, Koutsofios, North and Vo
1993). Layers and coordinates are each the solution of a small linear program: edges as short as can
be, and as straight.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bnsieve.graph.drawing.order import order_in_layers
from bnsieve.graph.edge_lists import EdgeArray

Floats = NDArray[np.float64]

# How much a crooked piece of an edge costs: long edges should be straight in their middle.
_END, _MIDDLE = 2.0, 8.0


@dataclass(frozen=True, eq=False)
class Layered:
    """Where the nodes and the bends of one connected graph are.

    Attributes
    ----------
    across : ndarray of float64, shape (n_nodes + n_bends,)
        Position inside the layer.
    layer : ndarray of int64, shape (n_nodes + n_bends,)
    bends : list of lists of int
        For each arrow, its bends in order: numbers from ``n_nodes`` on.
    """

    across: Floats
    layer: NDArray[np.int64]
    bends: list[list[int]]


def layered(n_nodes: int, arrows: EdgeArray, sizes: Floats, gap: float, bend: float) -> Layered:
    """Lay out one connected graph.

    Parameters
    ----------
    n_nodes : int
    arrows : ndarray of int64, shape (n_arrows, 2)
        Without a directed cycle.
    sizes : ndarray of float64, shape (n_nodes,)
        How much room each node takes inside its layer.
    gap : float
        Least distance between two neighbours in a layer.
    bend : float
        Room that an edge takes where it passes a layer.
    """
    node_layers = _layers(n_nodes, arrows)
    layers = node_layers.tolist()
    pieces: list[tuple[int, int]] = []
    bends: list[list[int]] = []
    for tail, head in arrows.tolist():
        passed = list(range(len(layers), len(layers) + layers[head] - layers[tail] - 1))
        layers += range(layers[tail] + 1, layers[head])
        bends.append(passed)
        pieces += zip([tail, *passed], [*passed, head], strict=True)
    layer = np.array(layers, dtype=np.int64)
    room = np.concatenate([sizes, np.full(len(layers) - n_nodes, bend)])
    order = [np.array(members) for members in order_in_layers(layers, pieces)]
    return Layered(_coordinates(order, pieces, room, gap, n_nodes), layer, bends)


def _layers(n_nodes: int, arrows: EdgeArray) -> NDArray[np.int64]:
    """Give each node a layer, below those of its parents, so that arrows are short in total."""
    from scipy.sparse import coo_array

    tails, heads = arrows.T
    rows = np.arange(len(arrows))
    differences = coo_array(
        (np.repeat([1.0, -1.0], len(arrows)), (np.tile(rows, 2), np.concatenate([tails, heads]))),
        shape=(len(arrows), n_nodes),
    )
    cost = np.bincount(heads, minlength=n_nodes) - np.bincount(tails, minlength=n_nodes)
    # The constraints are those of a flow: the solution is in whole numbers.
    solved = _solved(cost.astype(np.float64), differences, -np.ones(len(arrows)))
    layer: NDArray[np.int64] = np.round(solved - solved.min()).astype(np.int64)
    return layer


def _coordinates(
    order: list[NDArray[np.int64]],
    pieces: list[tuple[int, int]],
    room: Floats,
    gap: float,
    n_nodes: int,
) -> Floats:
    """Place each layer's members in their order, with enough room, so that edges are straight."""
    from scipy.sparse import coo_array

    n, n_pieces = len(room), len(pieces)
    first = np.concatenate([one[:-1] for one in order])
    second = np.concatenate([one[1:] for one in order])
    tails, heads = np.array(pieces, dtype=np.int64).reshape(-1, 2).T
    # Unknown are the places, and for each piece how far its ends are apart, at least.
    deviation = n + np.arange(n_pieces)
    rows = np.arange(len(first) + 2 * n_pieces)
    apart, there, back = np.split(rows, [len(first), len(first) + n_pieces])
    entries = [
        (apart, first, 1.0),
        (apart, second, -1.0),
        (there, tails, 1.0),
        (there, heads, -1.0),
        (there, deviation, -1.0),
        (back, heads, 1.0),
        (back, tails, -1.0),
        (back, deviation, -1.0),
    ]
    matrix = coo_array(
        (
            np.concatenate([np.full(len(row), value) for row, _, value in entries]),
            (
                np.concatenate([row for row, _, _ in entries]),
                np.concatenate([column for _, column, _ in entries]),
            ),
        ),
        shape=(len(rows), n + n_pieces),
    )
    bounds = np.zeros(len(rows))
    bounds[: len(first)] = -(room[first] + room[second]) / 2 - gap
    n_bends = (tails >= n_nodes).astype(int) + (heads >= n_nodes)
    weight = np.choose(n_bends, [1.0, _END, _MIDDLE])
    cost = np.concatenate([np.zeros(n), weight])
    places: Floats = _solved(cost, matrix, bounds)[:n]
    return places


def _solved(cost: Floats, matrix: Any, bounds: Floats) -> Floats:
    """Return the cheapest numbers above zero for which the matrix times them is within bounds."""
    from scipy.optimize import linprog  # a second to import, and few programs draw

    found = linprog(cost, A_ub=matrix, b_ub=bounds, bounds=(0, None))
    return np.asarray(found.x, dtype=np.float64)
