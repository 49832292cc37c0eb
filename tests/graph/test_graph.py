import copy
import pickle
from itertools import pairwise

import networkx as nx
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bnsieve import Graph
from bnsieve.graph import part_to_draw
from strategies import dags, pdags


@pytest.fixture
def mixed():
    """d - b with a -> b <- c and c -> e; z has no edge. No node order helps."""
    return Graph(list("dcbaze"), [("a", "b"), ("c", "b"), ("c", "e")], [("d", "b")])


def test_answers_come_by_name_in_node_order(mixed):
    assert mixed.nodes == ("d", "c", "b", "a", "z", "e")
    assert mixed.directed_edges == (("c", "b"), ("c", "e"), ("a", "b"))
    assert mixed.undirected_edges == (("d", "b"),)
    assert mixed.edges == (("c", "b"), ("c", "e"), ("a", "b"), ("d", "b"))
    assert (mixed.n_nodes, mixed.n_edges) == (6, 4)
    assert mixed.parents("b") == ("c", "a")
    assert mixed.children("c") == ("b", "e")
    assert mixed.neighbours("b") == ("d",)
    assert mixed.adjacent("b") == ("d", "c", "a")
    assert mixed.adjacent("z") == ()
    assert mixed.v_structures() == (("c", "b", "a"),)


def test_has_edge_follows_the_matrix_convention(mixed):
    assert mixed.has_edge("a", "b")
    assert not mixed.has_edge("b", "a")
    assert mixed.has_edge("d", "b")
    assert mixed.has_edge("b", "d")
    matrix = mixed.adjacency_matrix()
    assert matrix.dtype == np.uint8
    assert matrix.tolist() == [
        [0, 0, 1, 0, 0, 0],
        [0, 0, 1, 0, 0, 1],
        [1, 0, 0, 0, 0, 0],
        [0, 0, 1, 0, 0, 0],
        [0, 0, 0, 0, 0, 0],
        [0, 0, 0, 0, 0, 0],
    ]


def test_index_edges_are_sorted_and_read_only(mixed):
    assert mixed.directed_index.tolist() == [[1, 2], [1, 5], [3, 2]]
    assert mixed.undirected_index.tolist() == [[0, 2]]
    with pytest.raises(ValueError, match="read-only"):
        mixed.directed_index[0, 0] = 3
    with pytest.raises(AttributeError):
        mixed.nodes = ()
    assert Graph.from_index_edges(mixed.nodes, [[3, 2], [1, 5], [1, 2]], [[2, 0]]) == mixed


def test_building_from_an_array_does_not_take_hold_of_it():
    edges = np.array([[0, 1]])
    graph = Graph.from_index_edges(["a", "b"], edges)
    edges[0] = [1, 0]
    assert graph.directed_edges == (("a", "b"),)


def test_graphs_without_edges_or_nodes():
    assert Graph([]).n_nodes == 0
    assert Graph([]).adjacency_matrix().shape == (0, 0)
    assert Graph([]).to_cpdag() == Graph([])
    empty = Graph(["a", "b"])
    assert empty.is_dag
    assert empty.is_cpdag
    assert empty.topological_order() == ("a", "b")
    assert Graph.from_adjacency_matrix(np.zeros((2, 2)), ["a", "b"]) == empty


def test_equality_and_hash_ignore_the_order_of_nodes_and_edges(mixed):
    same = Graph(list("zabcde"), [("c", "e"), ("c", "b"), ("a", "b")], [("b", "d")])
    assert same == mixed
    assert hash(same) == hash(mixed)
    assert mixed != mixed.skeleton()
    assert mixed != Graph(mixed.nodes[:-1], [("a", "b"), ("c", "b")], [("d", "b")])
    assert Graph(["a", "b"], [("a", "b")]) != Graph(["a", "b"], [("b", "a")])
    assert mixed != "graph"


@given(pdags())
def test_adjacency_pickle_copy_and_networkx_round_trips(graph):
    assert Graph.from_adjacency_matrix(graph.adjacency_matrix(), graph.nodes) == graph
    for again in (pickle.loads(pickle.dumps(graph)), copy.deepcopy(graph)):
        assert again == graph
        assert again.nodes == graph.nodes
        assert not again.directed_index.flags.writeable
    there = graph.to_networkx()
    assert isinstance(there, nx.DiGraph)
    assert np.array_equal(nx.to_numpy_array(there), graph.adjacency_matrix())
    back = Graph.from_networkx(there)
    assert back == graph
    assert back.nodes == graph.nodes


def test_from_networkx_reads_undirected_graphs_and_refuses_the_rest():
    graph = nx.Graph([("a", "b")])
    graph.add_node("c")
    assert Graph.from_networkx(graph) == Graph(["a", "b", "c"], undirected=[("a", "b")])
    with pytest.raises(TypeError, match="multigraph"):
        Graph.from_networkx(nx.MultiDiGraph([("a", "b")]))
    with pytest.raises(TypeError, match="must be strings, got 0"):
        Graph.from_networkx(nx.path_graph(3))
    with pytest.raises(ValueError, match="'a' has an edge to itself"):
        Graph.from_networkx(nx.DiGraph([("a", "a")]))


@given(dags(), st.data())
def test_d_separation_agrees_with_networkx(graph, data):
    role = {node: data.draw(st.sampled_from("xyz-")) for node in graph.nodes}
    x, y, z = ({node for node in graph.nodes if role[node] == r} for r in "xyz")
    if x and y:
        expected = nx.is_d_separator(graph.to_networkx(), x, y, z)
        assert graph.d_separated(x, y, z) == expected
        assert graph.d_separated(y, x, z) == expected


def test_d_separation_takes_names_and_refuses_nonsense(mixed):
    dag = mixed.subgraph("abcez")
    assert dag.d_separated("a", "c")
    assert not dag.d_separated("a", "c", "b")
    assert dag.d_separated("a", ["c", "e"], given=["z"])
    with pytest.raises(ValueError, match="must not overlap, but share 'b'"):
        dag.d_separated("a", "b", ["b"])
    with pytest.raises(ValueError, match="at least one node"):
        dag.d_separated("a", [])
    with pytest.raises(ValueError, match="no node 'nobody'"):
        dag.d_separated("a", "nobody")
    with pytest.raises(ValueError, match=r"needs a DAG, but d - b is undirected; to_dag\(\)"):
        mixed.d_separated("a", "c")


@given(dags())
def test_markov_blanket_shields_and_is_the_same_in_the_cpdag(graph):
    for node in graph.nodes:
        blanket = graph.markov_blanket(node)
        assert graph.to_cpdag().markov_blanket(node) == blanket
        others = set(graph.nodes) - {node, *blanket}
        if others:
            assert graph.d_separated(node, others, blanket)
        for member in blanket:
            assert not graph.d_separated(node, member, set(blanket) - {member})


@given(dags())
def test_topological_order_is_the_least(graph):
    order = graph.topological_order()
    assert sorted(order) == sorted(graph.nodes)
    assert all(order.index(a) < order.index(b) for a, b in graph.directed_edges)
    position = graph.nodes.index
    assert order == tuple(nx.lexicographical_topological_sort(graph.to_networkx(), position))


def test_topological_order_needs_a_dag(mixed):
    with pytest.raises(ValueError, match="topological order needs a DAG"):
        mixed.topological_order()


def test_cycles_are_refused_and_named():
    nodes = ["d", "a", "b b", "c", "e"]
    edges = [("d", "a"), ("a", "b b"), ("b b", "c"), ("c", "a"), ("c", "e")]
    with pytest.raises(ValueError, match="directed cycle: ") as error:
        Graph(nodes, edges)
    path = str(error.value).split(": ")[1].removesuffix(".").split(" -> ")
    assert path[0] == path[-1]
    assert sorted(path[1:]) == ["'b b'", "a", "c"]
    arrows = set(pairwise(path))
    assert arrows == {("a", "'b b'"), ("'b b'", "c"), ("c", "a")}


@pytest.mark.parametrize(
    ("arguments", "kind", "message"),
    [
        ((["a", "a"],), ValueError, "'a' is given twice"),
        ((["a", 1],), TypeError, "must be strings, got 1"),
        (("ab",), TypeError, "several names"),
        ((["a"], [("a", "b")]), ValueError, "names 'b', which is not a node"),
        ((["a"], [("a", "a")]), ValueError, "'a' has an edge to itself"),
        ((["a"], [], [("a", "a")]), ValueError, "'a' has an edge to itself"),
        ((["a", "b"], ["ab"]), ValueError, "pair of nodes, got 'ab'"),
        ((["a", "b"], [("a", "b", "a")]), ValueError, "pair of nodes"),
        ((["a", "b"], [("a", "b"), ("b", "a")]), ValueError, "more than one edge"),
        ((["a", "b"], [("a", "b"), ("a", "b")]), ValueError, "more than one edge"),
        ((["a", "b"], [("a", "b")], [("b", "a")]), ValueError, "more than one edge"),
        ((["a", "b"], [], [("a", "b"), ("b", "a")]), ValueError, "more than one edge"),
    ],
)
def test_what_is_no_graph_is_refused(arguments, kind, message):
    with pytest.raises(kind, match=message):
        Graph(*arguments)


@pytest.mark.parametrize("edges", [[[0, 2]], [[-1, 0]]])
def test_index_edges_outside_the_nodes_are_refused(edges):
    with pytest.raises(ValueError, match="but there are 2 nodes"):
        Graph.from_index_edges(["a", "b"], edges)


@pytest.mark.parametrize("edges", [[0, 1], [[0, 1, 2]], [[0.0, 1.0]]])
def test_index_edges_of_the_wrong_kind_are_refused(edges):
    with pytest.raises(ValueError, match="integer array of shape"):
        Graph.from_index_edges(["a", "b"], edges)


@pytest.mark.parametrize(
    ("matrix", "message"),
    [
        ([[0, 1]], "must have shape"),
        ([[0, 2], [0, 0]], "only 0 and 1"),
        ([[0, np.nan], [0, 0]], "only 0 and 1"),
        ([[1, 0], [0, 0]], "'a' has an edge to itself"),
    ],
)
def test_matrices_that_are_no_graph_are_refused(matrix, message):
    with pytest.raises(ValueError, match=message):
        Graph.from_adjacency_matrix(matrix, ["a", "b"])


def test_subgraph_relabel_and_reorder(mixed):
    part = mixed.subgraph(["b", "d", "z", "c"])
    assert part.nodes == ("d", "c", "b", "z")
    assert part == Graph(["d", "c", "b", "z"], [("c", "b")], [("b", "d")])
    renamed = mixed.relabel({"a": "A", "z": "a"})
    assert renamed.nodes == ("d", "c", "b", "A", "a", "e")
    assert renamed.parents("b") == ("c", "A")
    with pytest.raises(ValueError, match="'b' is given twice"):
        mixed.relabel({"a": "b"})
    with pytest.raises(ValueError, match="no node 'nobody'"):
        mixed.relabel({"nobody": "b"})
    turned = mixed.reorder(sorted(mixed.nodes))
    assert turned.nodes == ("a", "b", "c", "d", "e", "z")
    assert turned == mixed
    with pytest.raises(ValueError, match="'z' is in the graph and not in the new order"):
        mixed.reorder(["a", "b", "c", "d", "e"])
    with pytest.raises(ValueError, match="no node 'nobody'"):
        mixed.subgraph(["nobody"])


def test_skeleton_keeps_every_pair(mixed):
    skeleton = mixed.skeleton()
    assert skeleton.directed_edges == ()
    pairs = {frozenset(edge) for edge in mixed.edges}
    assert {frozenset(edge) for edge in skeleton.undirected_edges} == pairs


def test_text_shows_edges_quotes_odd_names_and_stops_in_time(mixed):
    assert repr(Graph(["a", "b"])) == "<DAG with 2 nodes and 0 edges>"
    assert repr(mixed) == "<PDAG with 6 nodes and 4 edges: c -> b, c -> e, a -> b, d - b>"
    assert str(mixed).splitlines()[1:] == ["  c -> b", "  c -> e", "  a -> b", "  d - b"]
    assert "'x -> y' -> z" in repr(Graph(["x -> y", "z"], [("x -> y", "z")]))
    names = [f"v{i}" for i in range(1000)]
    long = Graph(names, pairwise(names))
    assert repr(long).endswith("... 979 more>")
    assert len(repr(long)) < 500


def test_the_part_around_nodes_is_what_is_nearest():
    # A path of ten nodes, arrows to and fro.
    names = [f"v{i}" for i in range(10)]
    pairs = [pair if i % 2 else pair[::-1] for i, pair in enumerate(pairwise(names))]
    path = Graph(names, pairs)
    assert path.around("v5", most=1).nodes == ("v5",)
    assert path.around("v5", most=4).nodes == ("v3", "v4", "v5", "v6")  # of equal ones the first
    assert path.around("v5", most=5).nodes == ("v3", "v4", "v5", "v6", "v7")
    assert path.around("v0", "v9", most=4).nodes == ("v0", "v1", "v8", "v9")
    assert path.around("v0", "v9", most=1).nodes == ("v0", "v9")  # those given are always in it
    assert path.around("v5").nodes == path.nodes
    star = Graph([f"v{i}" for i in range(60)], [("v0", f"v{i}") for i in range(1, 60)])
    assert star.around("v7").n_nodes == 40
    assert star.around("v7").nodes[0] == "v0"


@pytest.mark.parametrize("n_nodes", [200, 201, 2_000, 2_001])
def test_of_a_large_graph_the_part_around_its_centre_is_drawn(n_nodes):
    names = [f"v{i}" for i in range(n_nodes)]
    graph = Graph(names, [*pairwise(names), ("v3", "v7"), ("v3", "v9")])
    part, note = part_to_draw(graph)
    if n_nodes == 200:
        assert part is graph
        assert note == ""
        return
    assert "v3" in part.nodes
    assert part == graph.around("v3", most=part.n_nodes)
    assert note.startswith(f"Drawn are {part.n_nodes} of {n_nodes:,} nodes: those nearest to v3,")
    assert ("graph.plot() draws all" in note) == (n_nodes <= 2_000)


def test_a_notebook_lists_the_edges():
    one = Graph(["a", "b"], [("a", "b")])
    assert ">1 edge<" in one._repr_html_()
    two = Graph(["a", "b", "c"], [("a", "b")], [("b", "c")])
    shown = two._repr_html_()
    assert ">2 edges<" in shown
    assert "→" in shown
    assert "—" in shown
    assert "<svg" in shown
    assert "<svg" not in Graph([])._repr_html_()


def test_maximally_oriented_graphs():
    chain = [("a", "b"), ("b", "c")]
    assert Graph(list("abc"), chain).is_maximally_oriented
    assert Graph(list("abc"), undirected=chain).is_maximally_oriented
    # a -> b - c with a and c apart: b -> c follows.
    assert not Graph(list("abc"), chain[:1], chain[1:]).is_maximally_oriented
    # A square without a diagonal has no extension.
    square = [("a", "b"), ("b", "c"), ("c", "d"), ("d", "a")]
    assert not Graph(list("abcd"), undirected=square).is_maximally_oriented


def test_plots_are_saved_where_asked(tmp_path):
    graph = Graph(["a", "b"], [("a", "b")])
    picture = graph.plot(tmp_path / "graph.svg", title="two", highlight=["a"])
    assert (tmp_path / "graph.svg").read_text(encoding="utf-8") == picture.svg
    assert graph.plot().svg != picture.svg
    placement = graph.layout("right")
    assert len(placement.routes) == 1
    assert placement.centres.shape == (2, 2)
