"""Positions of all elements in the picture of a graph.

In: a graph's edges by number, the nodes' names, and the direction of flow. Out: a
`Placement`: a box for each node and a route for each edge, in pixels. Parts of the graph that hang
together are laid out one by one and set side by side; nodes without edges stand in rows at the end.
"""

import itertools
from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from bnsieve.graph import equivalence
from bnsieve.graph.edge_lists import EdgeArray, EdgeLists
from bnsieve.graph.layers import Floats, Layered, layered
from bnsieve.text import FONT_SIZE, shown_label, text_width

Flow = Literal["down", "right"]

_HEIGHT = FONT_SIZE + 10
_PADDING = 16
# Room between neighbours, for an edge that passes, and between layers.
_GAP = {"down": 14.0, "right": 8.0}
_BEND = {"down": 6.0, "right": 4.0}
_LAYER_GAP = {"down": 46.0, "right": 84.0}
# The more edges go aside between two layers, the wider they are apart, within reason.
_SLOPE, _MOST_GAPS = {"down": 0.3, "right": 0.5}, 3.0
_PORT = 5.0
_PART_GAP, _SINGLE_GAP = 30.0, 12.0
# A page or a screen; a graph runs to the right where it is more legible there than downwards.
_SCREEN = (1600.0, 1000.0)
_DOWNWARDS_IS_BETTER = 1.3


@dataclass(frozen=True, eq=False)
class Placement:
    """Where the nodes and edges of a picture are.

    Attributes
    ----------
    centres, sizes : ndarray of float64, shape (n_nodes, 2)
        Middle, and width and height, of each node's box.
    routes : list of ndarray of float64, shape (2 * k + 1, 2)
        For each edge, arrows first, the points that it passes. Inside a layer, that is between the
        points of each pair, it is straight; between layers it is curved.
    extent : tuple of float
        Width and height of it all.
    flow : {"down", "right"}
        The direction of arrows.
    """

    centres: Floats
    sizes: Floats
    routes: list[Floats]
    extent: tuple[float, float]
    flow: Flow


def lay_out(names: Sequence[str], edges: EdgeLists, flow: Flow | None = None) -> Placement:
    """Lay out a graph.

    Parameters
    ----------
    names : sequence of str
    edges : EdgeLists
    flow : {"down", "right"}, optional
        The direction of arrows; by default the one in which more fits on a screen.
    """
    if flow is not None:
        return _laid_out(names, edges, flow)
    down, right = _laid_out(names, edges, "down"), _laid_out(names, edges, "right")
    return down if _scale(down) * _DOWNWARDS_IS_BETTER >= _scale(right) else right


def _scale(layout: Placement) -> float:
    return min(_SCREEN[0] / layout.extent[0], _SCREEN[1] / layout.extent[1], 1.0)


def _laid_out(names: Sequence[str], edges: EdgeLists, flow: Flow) -> Placement:
    n_nodes = edges.n_nodes
    widths = np.array([text_width(shown_label(name)) + _PADDING for name in names])
    sizes = np.column_stack([widths, np.full(n_nodes, _HEIGHT)])
    arrows = _all_forwards(edges)
    if flow == "right" and len(arrows):
        # A node of many edges is tall enough for them to be told apart.
        ends = np.concatenate([np.bincount(end, minlength=n_nodes) for end in arrows.T])
        n_ports = ends.reshape(2, n_nodes).max(axis=0)
        sizes[:, 1] = np.maximum(_HEIGHT, (n_ports + 1) * _PORT)
    centres = np.zeros((n_nodes, 2))
    routes: list[Floats] = [np.zeros((0, 2))] * len(arrows)
    shelves = _Shelves(sizes)
    for members in _parts(edges):
        if len(members) == 1:
            centres[members] = shelves.place(sizes[members[0]], _SINGLE_GAP) + sizes[members] / 2
            continue
        inside = np.flatnonzero(np.isin(arrows[:, 0], members))
        own_centres, own_routes, extent = _part(members, arrows[inside], sizes, flow)
        corner = shelves.place(extent, _PART_GAP)
        centres[members] = own_centres + corner
        for number, route in zip(inside.tolist(), own_routes, strict=True):
            routes[number] = route + corner
    return Placement(centres, sizes, routes, shelves.extent, flow)


def _all_forwards(edges: EdgeLists) -> EdgeArray:
    """Return all edges as arrows without a cycle, the directed ones as they are and first."""
    directed, left_over = equivalence.consistent_extension(edges)
    if not len(edges.directed):
        place = _breadth_first(edges)
    elif left_over:
        place = np.argsort(np.array(edges.order))
    else:
        known = EdgeLists(edges.n_nodes, directed, edges.undirected[:0])
        place = np.argsort(np.array(known.order))
    ends = np.argsort(place[edges.undirected], axis=1)
    return np.concatenate([edges.directed, np.take_along_axis(edges.undirected, ends, axis=1)])


def _breadth_first(edges: EdgeLists) -> NDArray[np.int64]:
    """Return numbers for the nodes of an undirected graph, from each part's middle outwards."""
    degrees = [len(adjacent) for adjacent in edges.adjacent]
    place = np.full(edges.n_nodes, -1, dtype=np.int64)
    n_placed = 0
    for start in sorted(range(edges.n_nodes), key=lambda node: -degrees[node]):
        waiting = deque([start] if place[start] < 0 else [])
        while waiting:
            node = waiting.popleft()
            if place[node] < 0:
                place[node] = n_placed
                n_placed += 1
                waiting.extend(one for one in edges.adjacent[node] if place[one] < 0)
    return place


def _parts(edges: EdgeLists) -> list[NDArray[np.int64]]:
    """Return the nodes of each connected part, the largest part first."""
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import connected_components

    pairs = np.concatenate([edges.directed, edges.undirected])
    shape = (edges.n_nodes, edges.n_nodes)
    n_parts, part = connected_components(coo_array((np.ones(len(pairs)), tuple(pairs.T)), shape))
    return sorted((np.flatnonzero(part == i) for i in range(n_parts)), key=len, reverse=True)


def _part(
    members: NDArray[np.int64], arrows: EdgeArray, sizes: Floats, flow: Flow
) -> tuple[Floats, list[Floats], Floats]:
    """Lay out one connected part; return centres, routes and extent, from its own corner."""
    side, along = (0, 1) if flow == "down" else (1, 0)
    own, own_sizes, n_nodes = np.searchsorted(members, arrows), sizes[members], len(members)
    found = layered(n_nodes, own, own_sizes[:, side], _GAP[flow], _BEND[flow])
    node_layer = found.layer[:n_nodes]
    thickness = np.zeros(int(found.layer.max()) + 1)
    np.maximum.at(thickness, node_layer, own_sizes[:, along])
    gaps = _layer_gaps(own, found, _LAYER_GAP[flow], _SLOPE[flow])
    starts = np.concatenate([[0.0], np.cumsum(thickness[:-1] + gaps)])
    room = np.concatenate([own_sizes[:, side], np.zeros(len(found.layer) - n_nodes)])
    across = found.across - (found.across - room / 2).min()
    # Boxes of one layer begin together, as words in a column do.
    middles = starts[node_layer] + own_sizes[:, along] / 2
    routes = _routes(own, found, across, middles, own_sizes[:, [side, along]], starts, thickness)
    extent = np.zeros(2)
    extent[side], extent[along] = (across + room / 2).max(), starts[-1] + thickness[-1]
    centres = np.column_stack([across[:n_nodes], middles])
    if flow == "right":
        return centres[:, ::-1], [route[:, ::-1] for route in routes], extent
    return centres, routes, extent


def _layer_gaps(arrows: EdgeArray, found: Layered, least: float, slope: float) -> Floats:
    """Return the distance between each layer and the next: more where edges go far aside."""
    aside: list[list[float]] = [[] for _ in range(int(found.layer.max()))]
    for (tail, head), bends in zip(arrows.tolist(), found.bends, strict=True):
        for first, second in itertools.pairwise([tail, *bends, head]):
            aside[found.layer[first]].append(abs(found.across[first] - found.across[second]))
    far = np.array([np.quantile(one, 0.8) if one else 0.0 for one in aside])
    return np.clip(slope * far, least, _MOST_GAPS * least)


def _routes(
    arrows: EdgeArray,
    found: Layered,
    across: Floats,
    middles: Floats,
    sizes: Floats,
    starts: Floats,
    thickness: Floats,
) -> list[Floats]:
    """Return the points that each edge passes, as (across, along), from border to border."""
    ends = [
        (tail, passed[0] if passed else head, passed[-1] if passed else tail, head)
        for (tail, head), passed in zip(arrows.tolist(), found.bends, strict=True)
    ]
    leaving = _ports([(tail, after) for tail, after, _, _ in ends], across, sizes[:, 0])
    arriving = _ports([(head, before) for _, _, before, head in ends], across, sizes[:, 0])
    stops = starts + thickness
    routes = []
    for number, (tail, _, _, head) in enumerate(ends):
        border = middles[tail] + sizes[tail, 1] / 2
        points = [(leaving[number], border), (leaving[number], stops[found.layer[tail]])]
        for bend in found.bends[number]:
            layer = found.layer[bend]
            points += [(across[bend], starts[layer]), (across[bend], stops[layer])]
        points.append((arriving[number], middles[head] - sizes[head, 1] / 2))
        routes.append(np.array(points))
    return routes


def _ports(ends: list[tuple[int, int]], places: Floats, sizes: Floats) -> Floats:
    """Spread the edges that meet a node along its border, in the order of their other ends.

    Parameters
    ----------
    ends : list of (int, int)
        For each edge, the node and the next point along the edge.
    places, sizes : ndarray of float64
        Of nodes and bends, and of nodes, across the flow.
    """
    meeting: dict[int, list[int]] = {}
    for number, (node, _) in enumerate(ends):
        meeting.setdefault(node, []).append(number)
    ports = np.zeros(len(ends))
    for node, numbers in meeting.items():
        numbers.sort(key=lambda number: places[ends[number][1]])
        step = min(2 * _PORT, (sizes[node] - 8) / len(numbers))
        offsets = (np.arange(len(numbers)) - (len(numbers) - 1) / 2) * step
        ports[numbers] = places[node] + offsets
    return ports


class _Shelves:
    """Sets boxes side by side, in rows as wide as the widest, or as a screen is in shape."""

    def __init__(self, sizes: Floats) -> None:
        area = float((sizes + _SINGLE_GAP).prod(axis=1).sum())
        self.width = max(400.0, float(np.sqrt(area * _SCREEN[0] / _SCREEN[1])))
        self.corner = np.zeros(2)
        self.row_height = 0.0
        self.extent = (1.0, 1.0)

    def place(self, size: Floats, gap: float) -> Floats:
        """Return the upper left corner for the next box, of this width and height."""
        self.width = max(self.width, float(size[0]))
        if self.corner[0] and self.corner[0] + size[0] > self.width:
            self.corner = np.array([0.0, self.corner[1] + self.row_height + gap])
            self.row_height = 0.0
        corner = self.corner
        self.row_height = max(self.row_height, float(size[1]))
        right, bottom = corner[0] + size[0], corner[1] + self.row_height
        self.extent = (max(self.extent[0], float(right)), max(self.extent[1], float(bottom)))
        self.corner = np.array([right + gap, corner[1]])
        return corner
