"""The edges that differ, against the distance that counts them."""

from hypothesis import given
from hypothesis import strategies as st

from bnsieve import Graph
from bnsieve.metrics import NamedEdge, compare, differences
from strategies import dags, pdags


def test_by_hand():
    truth = Graph(list("abcd"), [("a", "c"), ("b", "c")])
    learned = Graph(list("dcba"), [("a", "c")], [("c", "b"), ("c", "d")])
    found = differences(truth, learned)
    assert found.missing == ()
    assert found.extra == (NamedEdge("c", "d", False),)
    assert found.turned == ((NamedEdge("b", "c", True), NamedEdge("b", "c", False)),)
    assert str(found) == "extra    c - d\nturned   b -> c, learned as b - c"


def test_members_of_one_class_do_not_differ():
    chain, turned = (
        Graph(list("abc"), [("a", "b"), ("b", "c")]),
        Graph(list("abc"), [("c", "b"), ("b", "a")]),
    )
    assert differences(chain, turned).n == 0
    assert str(differences(chain, turned)) == "no edge differs"


@given(st.data())
def test_they_are_as_many_as_the_distance_says(data):
    graphs = dags() if data.draw(st.booleans()) else pdags()
    first, second = data.draw(graphs), data.draw(graphs)
    nodes = sorted(set(first.nodes) & set(second.nodes))
    first, second = first.subgraph(nodes), second.subgraph(nodes)
    found, measured = differences(first, second), compare(first, second)
    assert found.n == measured.shd
    assert (len(found.missing), len(found.extra)) == (
        measured.missing_edges,
        measured.wrong_edges,
    )
    back = differences(second, first)
    assert (back.missing, back.extra) == (found.extra, found.missing)
