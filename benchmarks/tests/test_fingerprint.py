"""The fingerprint depends on results alone: not on threads, not on the order of columns."""

import numpy as np
import pytest

import bnsieve as bn
from benchmarks.fingerprint.study import fingerprint, parts
from benchmarks.fingerprint.values import encoded


def test_threads_and_the_order_of_columns_change_nothing():
    networks, rows = ("asia",), 300
    one = list(parts(networks, rows))
    assert one == list(parts(networks, rows, n_jobs=2))
    assert one == list(parts(networks, rows, turned=True))
    assert len({digest for _, _, digest in one}) == len(one)
    assert fingerprint(one) != fingerprint(list(parts(networks, rows + 1)))


@pytest.mark.parametrize(
    ("value", "other"),
    [
        (0.1 + 0.2, 0.3),
        ("1", 1),
        (["a", "b"], ["b", "a"]),
        (["ab", "c"], ["a", "bc"]),
        (np.zeros((2, 3)), np.zeros((3, 2))),
        (bn.Graph(["a", "b"], [("a", "b")]), bn.Graph(["a", "b"], [("b", "a")])),
        (bn.Graph(["a", "b"], [("a", "b")]), bn.Graph(["a", "b"], (), [("a", "b")])),
    ],
)
def test_what_differs_has_other_bytes(value, other):
    assert encoded(value) != encoded(other)


def test_what_is_equal_has_the_same_bytes():
    assert encoded({"a": 1, "b": {2, 3}}) == encoded({"b": {3, 2}, "a": 1})
    assert encoded(np.float32(0.5)) == encoded(0.5)
    line, turned = bn.Graph(["a", "b"], (), [("a", "b")]), bn.Graph(["b", "a"], (), [("b", "a")])
    assert encoded(line) == encoded(turned)
    truth = bn.load_network("asia")
    data, graph = truth.sample(100, random_state=0), truth.graph
    turned = graph.reorder(graph.nodes[::-1])
    assert encoded(bn.fit_parameters(graph, data)) == encoded(bn.fit_parameters(turned, data))


def test_what_has_no_bytes_is_refused():
    with pytest.raises(TypeError, match="not object"):
        encoded(object())
