"""Where things stand: layers, order, room, and edges that go round the boxes."""

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bnsieve import Graph, load_network
from bnsieve.graph.layers import _first_order, _layers, _neighbours, layered, order_in_layers
from bnsieve.graph.layout import lay_out
from bnsieve.text import shown_label, text_width
from strategies import dags, pdags
from work import lines_run

FLOWS = ["down", "right"]


def boxes(layout):
    return np.column_stack(
        [layout.centres - layout.sizes / 2, layout.centres + layout.sizes / 2]
    )  # left, top, right, bottom


def drawn(route, flow, n=12):
    """Points along an edge: straight inside layers, a cubic between them."""
    along = 1 if flow == "down" else 0
    points = []
    for i, (start, end) in enumerate(itertools.pairwise(route)):
        t = np.linspace(0, 1, n)[:, np.newaxis]
        if i % 2 == 0:
            points.append(start + t * (end - start))
            continue
        first, second = start.copy(), end.copy()
        first[along] = second[along] = (start[along] + end[along]) / 2
        points.append(
            (1 - t) ** 3 * start + 3 * (1 - t) ** 2 * t * first + 3 * (1 - t) * t**2 * second
            + t**3 * end
        )  # fmt: skip
    return np.concatenate(points)


def check(graph, layout):
    """Boxes apart and inside; edges from border to border along the flow, round all boxes."""
    found = boxes(layout)
    assert (found[:, :2] >= -1e-6).all()
    assert (found[:, 2:] <= np.array(layout.extent) + 1e-6).all()
    for a, b in itertools.combinations(found, 2):
        assert a[2] <= b[0] or b[2] <= a[0] or a[3] <= b[1] or b[3] <= a[1]
    edges = np.concatenate([graph.directed_index, graph.undirected_index]).tolist()
    assert len(layout.routes) == len(edges)
    along = 1 if layout.flow == "down" else 0
    for number, ((a, b), route) in enumerate(zip(edges, layout.routes, strict=True)):
        tail, head = (a, b) if layout.centres[a, along] < layout.centres[b, along] else (b, a)
        assert (tail, head) == (a, b) or number >= len(graph.directed_index)
        assert route[0][along] == pytest.approx(found[tail, 2 + along])
        assert route[-1][along] == pytest.approx(found[head, along])
        for end, node in ((route[0], tail), (route[-1], head)):
            assert found[node, 1 - along] <= end[1 - along] <= found[node, 3 - along]
        points = drawn(route, layout.flow)
        assert (np.diff(points[:, along]) >= -1e-6).all()
        inside = (points[:, np.newaxis] > found[:, :2] + 1) & (
            points[:, np.newaxis] < found[:, 2:] - 1
        )
        assert not inside.all(axis=2).any()


@given(pdags(), st.sampled_from(FLOWS))
@settings(max_examples=60, deadline=None)
def test_random_graphs(graph, flow):
    check(graph, lay_out(graph.nodes, graph._edges, flow))


@pytest.mark.parametrize("flow", FLOWS)
@pytest.mark.parametrize("name", ["asia", "alarm", "hepar2", "munin1"])
def test_published_networks(name, flow):
    graph = load_network(name).graph
    check(graph, lay_out(graph.nodes, graph._edges, flow))


def test_the_flow_is_chosen_by_what_fits():
    small = load_network("alarm").graph
    assert lay_out(small.nodes, small._edges).flow == "down"
    wide = Graph(["cause", *(f"a long name {i}" for i in range(60))])
    wide = Graph(wide.nodes, [("cause", name) for name in wide.nodes[1:]])
    assert lay_out(wide.nodes, wide._edges).flow == "right"


@given(dags())
@settings(max_examples=50, deadline=None)
def test_layers_are_as_short_as_can_be(graph):
    arrows = graph.directed_index
    if not len(arrows):
        return
    layer = _layers(graph.n_nodes, arrows)
    spans = layer[arrows[:, 1]] - layer[arrows[:, 0]]
    assert spans.min() >= 1
    longest = {}
    for node in graph.topological_order():
        longest[node] = max((longest[one] + 1 for one in graph.parents(node)), default=0)
    assert spans.sum() <= sum(longest[b] - longest[a] for a, b in graph.directed_edges)


def crossings(order, pieces):
    """Count by looking at every pair of edges."""
    place = {member: (i, j) for i, layer in enumerate(order) for j, member in enumerate(layer)}
    ends = [(*place[a], place[b][1]) for a, b in pieces]
    return sum(
        a[0] == b[0] and (a[1] - b[1]) * (a[2] - b[2]) < 0
        for a, b in itertools.combinations(ends, 2)
    )


@given(st.lists(st.tuples(st.integers(0, 3), st.integers(4, 7)), max_size=8, unique=True))
@settings(max_examples=40, deadline=None)
def test_two_layers_have_no_more_crossings_than_at_first(pieces):
    order = order_in_layers([0] * 4 + [1] * 4, pieces)
    assert [sorted(layer) for layer in order] == [[0, 1, 2, 3], [4, 5, 6, 7]]
    at_first = _first_order([0] * 4 + [1] * 4, *_neighbours(8, pieces))
    assert crossings(order, pieces) <= crossings(at_first, pieces)


# Half of what igraph 1.0's order has, given the same layers: 28, 795 and 2,098.
@pytest.mark.parametrize(("name", "most"), [("alarm", 14), ("hepar2", 450), ("munin1", 700)])
def test_published_networks_have_few_crossings(name, most):
    graph = load_network(name).graph
    layers = _layers(graph.n_nodes, graph.directed_index).tolist()
    pieces = []
    for tail, head in graph.directed_index.tolist():
        bends = range(len(layers), len(layers) + layers[head] - layers[tail] - 1)
        pieces += zip([tail, *bends], [*bends, head], strict=True)
        layers += range(layers[tail] + 1, layers[head])
    assert crossings(order_in_layers(layers, pieces), pieces) <= most


def test_a_tree_has_no_crossings():
    pieces = [(i, 2 * i + 1 + j) for i in range(15) for j in (0, 1)]
    layers = [int(np.log2(i + 1)) for i in range(31)]
    for _ in range(3):
        assert crossings(order_in_layers(layers, pieces), pieces) == 0
        pieces = pieces[::-1]


def test_long_edges_are_straight():
    arrows = np.array([(0, 1), (1, 2), (2, 3), (3, 4), (0, 4)])
    found = layered(5, arrows, np.full(5, 50.0), 10.0, 4.0)
    (bends,) = [one for one in found.bends if one]
    assert len(bends) == 3
    assert np.ptp(found.across[bends]) < 1e-6


def test_work_grows_less_than_with_the_cube_of_the_edges():
    """From 46 to 112 edges: 6 times as much if as their square, 14 times if as their cube."""
    graphs = [load_network(name).graph for name in ("alarm", "win95pts")]
    small, large = (
        lines_run(lambda graph=graph: lay_out(graph.nodes, graph._edges)) for graph in graphs
    )
    assert large < 9 * small


@pytest.mark.parametrize(
    ("name", "shown"),
    [
        ("plain", "plain"),
        ("two\nlines\tand  more", "two lines and more"),
        ("", "·"),
        ("\x00\ud800", "·"),
        ("x" * 31, "x" * 29 + "…"),
        ("x" * 30, "x" * 30),
    ],
)
def test_labels_are_one_short_line(name, shown):
    assert shown_label(name) == shown


def test_widths_grow_with_the_text():
    assert text_width("") == 0
    assert text_width("iii") < text_width("aaa") < text_width("WWW") < text_width("日本語")
    assert text_width("e\u0301") == text_width("e")
