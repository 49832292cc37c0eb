"""A layered layout of one connected graph: layers, order in the layers, coordinates.

In: arrows by node number, all pointing forwards in some order, and the nodes' sizes. Out: a place
for each node, and for each arrow the points where it passes between the nodes of other layers.

The steps are those of Sugiyama's method as Graphviz's dot has it (Gansner, Koutsofios, North and Vo
1993). Layers and coordinates are each the solution of a small linear program: edges as short as can
be, and as straight. Sweeps up and down order the nodes of a layer by the mean or the median place
of their neighbours, and swap two of them where that saves crossings; the best order seen is kept.
The same graph always gives the same picture.
"""

from bisect import bisect_right, insort
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bnsieve.graph.edge_lists import EdgeArray

MAX_SWEEPS = 60
MAX_STALE = 8
_SWAP_ROUNDS = 4

Neighbours = list[list[int]]


def order_in_layers(layers: list[int], pieces: list[tuple[int, int]]) -> list[list[int]]:
    """Order the members of each layer.

    Parameters
    ----------
    layers : list of int
        The layer of each member, from 0.
    pieces : list of (int, int)
        Edges, each from one layer to the next.
    """
    above, below = _neighbours(len(layers), pieces)
    order = _first_order(layers, above, below)
    place = [0] * len(layers)
    for members in order:
        _number(members, place)
    best, fewest, n_stale = _copied(order), _crossings(order, below, place), 0
    for sweep in range(MAX_SWEEPS):
        downwards = sweep % 2 == 0
        for members in order[1:] if downwards else order[-2::-1]:
            _sort(members, above if downwards else below, place, by_median=sweep % 4 > 1)
        _swap(order, above, below, place, rounds=_SWAP_ROUNDS)
        n_crossings = _crossings(order, below, place)
        n_stale = n_stale + 1 if n_crossings >= fewest else 0
        if n_crossings < fewest:
            best, fewest = _copied(order), n_crossings
        if n_stale == MAX_STALE or fewest == 0:
            break
    for members in best:
        _number(members, place)
    _swap(best, above, below, place, rounds=MAX_SWEEPS)
    return best


def _neighbours(n: int, pieces: list[tuple[int, int]]) -> tuple[Neighbours, Neighbours]:
    """Return for each of `n` members its neighbours in the layer above, and in that below."""
    above: Neighbours = [[] for _ in range(n)]
    below: Neighbours = [[] for _ in range(n)]
    for tail, head in pieces:
        below[tail].append(head)
        above[head].append(tail)
    return above, below


def _first_order(layers: list[int], above: Neighbours, below: Neighbours) -> list[list[int]]:
    """Order the members as a walk meets them that goes deep first: neighbours stay near."""
    order: list[list[int]] = [[] for _ in range(max(layers) + 1)]
    seen = [False] * len(layers)
    for start in range(len(layers)):
        waiting = [start]
        while waiting:
            member = waiting.pop()
            if not seen[member]:
                seen[member] = True
                order[layers[member]].append(member)
                neighbours = below[member] + above[member]
                waiting += [one for one in reversed(neighbours) if not seen[one]]
    return order


def _sort(members: list[int], neighbours: Neighbours, place: list[int], *, by_median: bool) -> None:
    """Sort a layer by where the neighbours are; a member without any keeps its place."""
    middle: dict[int, float] = {}
    for member in members:
        places = sorted(place[one] for one in neighbours[member]) or [place[member]]
        middle[member] = places[len(places) // 2] if by_median else sum(places) / len(places)
    members.sort(key=middle.__getitem__)
    _number(members, place)


def _swap(
    order: list[list[int]], above: Neighbours, below: Neighbours, place: list[int], *, rounds: int
) -> None:
    """Swap neighbours in a layer while that saves crossings, at most so many times each."""
    for _ in range(rounds):
        is_better = False
        for members in order:
            for i in range(len(members) - 1):
                first, second = members[i], members[i + 1]
                saved = 0
                for neighbours in (above, below):
                    left = [place[one] for one in neighbours[first]]
                    right = [place[one] for one in neighbours[second]]
                    saved += sum((a > b) - (a < b) for a in left for b in right)
                if saved > 0:
                    members[i], members[i + 1] = second, first
                    place[first], place[second] = i + 1, i
                    is_better = True
        if not is_better:
            return


def _crossings(order: list[list[int]], below: Neighbours, place: list[int]) -> int:
    """Count the pairs of edges that cross: those whose ends are in opposite orders."""
    total = 0
    for members in order:
        passed: list[int] = []
        for member in members:
            for end in sorted(place[one] for one in below[member]):
                total += len(passed) - bisect_right(passed, end)
                insort(passed, end)
    return total


def _number(members: list[int], place: list[int]) -> None:
    for i, member in enumerate(members):
        place[member] = i


def _copied(order: list[list[int]]) -> list[list[int]]:
    return [list(members) for members in order]


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
    tails, heads = arrows.T
    cost = np.bincount(heads, minlength=n_nodes) - np.bincount(tails, minlength=n_nodes)
    # The constraints are those of a flow: the solution is in whole numbers.
    differences = _incidence(tails, heads, n_nodes)
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
    from scipy.sparse import block_array, eye_array

    n, n_pieces = len(room), len(pieces)
    first = np.concatenate([members[:-1] for members in order])
    second = np.concatenate([members[1:] for members in order])
    tails, heads = np.array(pieces, dtype=np.int64).reshape(-1, 2).T
    # Unknown are the places, and for each piece how far its ends are apart, at least.
    along, deviation = _incidence(tails, heads, n), -eye_array(n_pieces)
    matrix = block_array(
        [[_incidence(first, second, n), None], [along, deviation], [-along, deviation]]
    )
    bounds = np.zeros(len(first) + 2 * n_pieces)
    bounds[: len(first)] = -(room[first] + room[second]) / 2 - gap
    n_bends = (tails >= n_nodes).astype(int) + (heads >= n_nodes)
    weight = np.choose(n_bends, [1.0, _END, _MIDDLE])
    cost = np.concatenate([np.zeros(n), weight])
    places: Floats = _solved(cost, matrix, bounds)[:n]
    return places


def _incidence(tails: NDArray[np.int64], heads: NDArray[np.int64], n: int) -> Any:
    """Return a matrix with one row for each pair: 1 at its tail, -1 at its head."""
    from scipy.sparse import coo_array

    rows, columns = np.tile(np.arange(len(tails)), 2), np.concatenate([tails, heads])
    return coo_array((np.repeat([1.0, -1.0], len(tails)), (rows, columns)), (len(tails), n))


def _solved(cost: Floats, matrix: Any, bounds: Floats) -> Floats:
    """Return the cheapest numbers above zero for which the matrix times them is within bounds."""
    from scipy.optimize import linprog  # a second to import, and few programs draw

    found = linprog(cost, A_ub=matrix, b_ub=bounds, bounds=(0, None))
    return np.asarray(found.x, dtype=np.float64)
