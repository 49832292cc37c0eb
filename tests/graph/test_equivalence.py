"""Equivalence classes against their definition: every DAG and every class is enumerated."""

from collections import defaultdict
from functools import cache
from itertools import combinations, product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bnsieve import Graph
from strategies import dags, pdags
from work import lines_run, peak_bytes

# Published counts for 1, 2, ... labelled nodes: of DAGs (OEIS A003024) and of their Markov
# equivalence classes (OEIS A007984; Gillispie and Perlman, 2002).
N_DAGS = [1, 3, 25, 543, 29281]
N_CLASSES = [1, 2, 11, 185, 8782]


def is_acyclic(arrows):
    """Take away the arrows that leave sources until none is left, or none can be taken."""
    while arrows:
        heads = {head for _, head in arrows}
        remaining = [arrow for arrow in arrows if arrow[0] in heads]
        if len(remaining) == len(arrows):
            return False
        arrows = remaining
    return True


def skeleton_and_v_structures(arrows):
    """What decides the equivalence class of a DAG (Verma and Pearl, 1990)."""
    pairs = frozenset(frozenset(arrow) for arrow in arrows)
    colliders = frozenset(
        (frozenset({a, b}), c)
        for (a, c), (b, d) in combinations(arrows, 2)
        if c == d and frozenset({a, b}) not in pairs
    )
    return pairs, colliders


def common_part(nodes, members):
    """The graph with the arrows shared by all members, and their other edges undirected."""
    shared = frozenset.intersection(*members)
    others = {frozenset(arrow) for arrow in next(iter(members)) if arrow not in shared}
    return Graph(nodes, shared, map(tuple, others))


def orientations(edges):
    """All ways to direct undirected edges."""
    for turned in product([False, True], repeat=len(edges)):
        yield [edge[::-1] if turn else edge for edge, turn in zip(edges, turned, strict=True)]


def extensions(graph):
    """All DAGs with the skeleton, the arrows and the v-structures of a PDAG, by definition."""
    wanted = skeleton_and_v_structures(graph.directed_edges)[1]
    pairs = {frozenset(edge) for edge in graph.edges}
    wanted = {(ends, c) for ends, c in wanted if ends not in pairs}
    found = []
    for directed in orientations(graph.undirected_edges):
        arrows = frozenset([*graph.directed_edges, *directed])
        if is_acyclic(arrows) and skeleton_and_v_structures(arrows)[1] == wanted:
            found.append(arrows)
    return found


@cache
def equivalence_classes(n_nodes):
    """All DAGs over n nodes, grouped by the definition of equivalence."""
    nodes = [str(i) for i in range(n_nodes)]
    pairs = list(combinations(nodes, 2))
    classes = defaultdict(list)
    for marks in product((None, False, True), repeat=len(pairs)):
        arrows = frozenset(
            pair[::-1] if mark else pair
            for pair, mark in zip(pairs, marks, strict=True)
            if mark is not None
        )
        if is_acyclic(arrows):
            classes[skeleton_and_v_structures(arrows)].append(arrows)
    return nodes, list(classes.values())


@pytest.mark.parametrize("n_nodes", [1, 2, 3, 4, pytest.param(5, marks=pytest.mark.slow)])
def test_cpdag_of_every_dag(n_nodes):
    nodes, classes = equivalence_classes(n_nodes)
    assert sum(map(len, classes)) == N_DAGS[n_nodes - 1]
    assert len(classes) == N_CLASSES[n_nodes - 1]
    for members in classes:
        expected = common_part(nodes, members)
        for arrows in members:
            assert Graph(nodes, arrows).to_cpdag() == expected


@given(dags(max_nodes=5))
def test_cpdag_is_what_the_class_has_in_common(graph):
    members = [
        arrows
        for arrows in map(frozenset, orientations(graph.directed_edges))
        if is_acyclic(arrows)
        and skeleton_and_v_structures(arrows) == skeleton_and_v_structures(graph.directed_edges)
    ]
    assert graph.to_cpdag() == common_part(graph.nodes, members)


def test_is_cpdag_on_every_graph_of_four_nodes():
    nodes = [str(i) for i in range(4)]
    pairs = list(combinations(nodes, 2))
    n_cpdags = 0
    for marks in product(["", "->", "<-", "-"], repeat=len(pairs)):
        marked = list(zip(pairs, marks, strict=True))
        arrows = [p for p, m in marked if m == "->"] + [p[::-1] for p, m in marked if m == "<-"]
        if is_acyclic(arrows):
            graph = Graph(nodes, arrows, [p for p, m in marked if m == "-"])
            n_cpdags += graph.is_cpdag
    assert n_cpdags == N_CLASSES[3]


@given(pdags(max_nodes=5))
def test_extension_is_found_exactly_where_one_exists(graph):
    expected = extensions(graph)
    if expected:
        dag = graph.to_dag()
        assert frozenset(dag.directed_edges) in expected
        assert dag.nodes == graph.nodes
    else:
        with pytest.raises(ValueError, match="no consistent extension"):
            graph.to_dag()


@given(dags())
def test_extension_of_a_cpdag_is_in_its_class(graph):
    cpdag = graph.to_cpdag()
    dag = cpdag.to_dag()
    assert dag.is_dag
    assert dag.skeleton() == graph.skeleton()
    assert set(dag.v_structures()) == set(graph.v_structures())
    assert dag.to_cpdag() == cpdag
    assert cpdag.to_cpdag() == cpdag
    assert cpdag.is_cpdag


@given(pdags())
def test_v_structures_by_definition(graph):
    expected = {
        (frozenset({a, b}), c)
        for c in graph.nodes
        for a, b in combinations(graph.parents(c), 2)
        if b not in graph.adjacent(a)
    }
    found = graph.v_structures()
    assert len(found) == len(expected)
    assert {(frozenset({a, b}), c) for a, c, b in found} == expected


@given(dags())
def test_meek_closure_of_the_v_structures_is_the_cpdag(graph):
    arrows = {arrow for a, c, b in graph.v_structures() for arrow in ((a, c), (b, c))}
    others = [edge for edge in graph.edges if edge not in arrows]
    assert Graph(graph.nodes, arrows, others).meek_closure() == graph.to_cpdag()


@given(dags(max_nodes=5), st.data())
def test_meek_closure_with_known_arrows_is_what_the_extensions_share(graph, data):
    """Rule 4 is needed only here, where arrows are known that no v-structure shows."""
    cpdag = graph.to_cpdag()
    free = [edge for edge in graph.directed_edges if edge not in cpdag.directed_edges]
    known = data.draw(st.sets(st.sampled_from(free))) if free else set()
    start = Graph(
        graph.nodes, [*cpdag.directed_edges, *known], [edge for edge in free if edge not in known]
    )
    members = [m for m in extensions(cpdag) if m.issuperset(known)]
    assert start.meek_closure() == common_part(graph.nodes, members)


def test_meek_rule_4():
    """k -> l -> t with x joined to all three: x <- t would force a cycle or a v-structure."""
    graph = Graph(
        ["x", "k", "l", "t"], [("k", "l"), ("l", "t")], [("x", "k"), ("x", "l"), ("x", "t")]
    )
    assert graph.meek_closure().directed_edges == (("x", "t"), ("k", "l"), ("l", "t"))


def test_contradicting_arrows_are_named():
    square = Graph(list("abcd"), undirected=[("a", "b"), ("b", "c"), ("c", "d"), ("d", "a")])
    with pytest.raises(ValueError, match=r"no consistent extension.*among a, b, c and d"):
        square.to_dag()
    with pytest.raises(ValueError, match="no consistent extension"):
        square.to_cpdag()
    assert not square.is_cpdag
    # The arrow a -> b runs round the square by rule 1 and comes back as a cycle.
    started = Graph(list("abcd"), [("a", "b")], [("b", "c"), ("c", "d"), ("d", "a")])
    with pytest.raises(ValueError, match="directed cycle: "):
        started.meek_closure()


@pytest.mark.parametrize(
    ("names", "said"),
    [("abcde", "among a, b, c, d and e."), ("abcdefg", "among a, b, c, d, e and 2 more.")],
)
def test_of_many_nodes_without_an_extension_the_first_are_named(names, said):
    circle = Graph(list(names), undirected=zip(names, names[1:] + names[0], strict=True))
    with pytest.raises(ValueError, match="no consistent extension") as error:
        circle.to_dag()
    assert str(error.value).endswith(said)


def test_an_arrow_no_independence_supports_is_undirected_in_the_cpdag():
    chain = Graph(["a", "b", "c"], [("a", "b")], [("b", "c")])
    assert chain.to_dag() == Graph(["a", "b", "c"], [("a", "b"), ("b", "c")])
    assert chain.to_cpdag() == chain.skeleton()


def sparse_dag(n_nodes):
    """Names and arrows of a random DAG with three arrows to a node."""
    rng = np.random.default_rng(0)
    n_edges = 3 * n_nodes
    codes = rng.choice(n_nodes**2, size=3 * n_edges, replace=False)
    pairs = np.stack(np.divmod(codes, n_nodes), axis=1)
    pairs = pairs[pairs[:, 0] < pairs[:, 1]][:n_edges]
    assert len(pairs) == n_edges
    return [f"v{i}" for i in range(n_nodes)], rng.permutation(n_nodes)[pairs]


COUNTS = (lines_run, peak_bytes)


def test_work_and_memory_grow_with_the_number_of_nodes():
    """From 300 to 3,000 nodes: 10 times as much if in proportion, 100 if as the square."""
    found = []
    for n_nodes in (300, 3_000):
        nodes, arrows = sparse_dag(n_nodes)
        dag = Graph.from_index_edges(nodes, arrows)
        cpdag = dag.to_cpdag()
        assert set(cpdag.to_dag().v_structures()) == set(dag.v_structures())
        assert cpdag.meek_closure() == cpdag

        def to_cpdag(nodes=nodes, arrows=arrows):
            Graph.from_index_edges(nodes, arrows).to_cpdag()

        def to_dag(cpdag=cpdag):
            cpdag.to_dag().v_structures()
            cpdag.meek_closure()

        found.append([count(work) for work in (to_cpdag, to_dag) for count in COUNTS])
    for few, many in zip(*found, strict=True):
        assert many < 20 * few
