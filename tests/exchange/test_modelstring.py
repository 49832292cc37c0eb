"""Model strings: bnlearn's own examples, and what cannot be said in them."""

import pytest

from bnsieve import Graph, load_network
from bnsieve.exchange import FormatError, format_modelstring, read, write
from bnsieve.exchange.modelstring import parse_modelstring

# As bnlearn prints the networks of its manual: the learning test and asia.
LEARNING_TEST = "[A][C][F][B|A][D|A:C][E|B:F]"
ASIA = (
    "[asia][smoke][tub|asia][lung|smoke][bronc|smoke][either|tub:lung][xray|either]"
    "[dysp|bronc:either]"
)


def test_strings_of_bnlearn():
    assert parse_modelstring(LEARNING_TEST) == Graph(
        [*"ACFBDE"], [("A", "B"), ("A", "D"), ("C", "D"), ("B", "E"), ("F", "E")]
    )
    assert parse_modelstring(ASIA) == load_network("asia").graph


def test_files(tmp_path):
    graph = load_network("alarm").graph
    write(graph, tmp_path / "alarm.modelstring")
    assert read(tmp_path / "alarm.modelstring") == graph


def test_white_space_around_names_and_nodes():
    assert parse_modelstring(" [a]\n[ b b | a ]\n") == Graph(["a", "b b"], [("a", "b b")])
    assert parse_modelstring("") == Graph([])


def test_children_come_after_parents():
    graph = Graph(["c", "b", "a"], [("a", "b"), ("b", "c"), ("a", "c")])
    assert format_modelstring(graph) == "[a][b|a][c|b:a]"


@pytest.mark.parametrize("name", ["a:b", "a|b", "[a", "a]", "", " a", "a\n"])
def test_names_that_cannot_be_written(name):
    with pytest.raises(ValueError, match=r"a name in a model string .*: rename it") as e:
        format_modelstring(Graph([name, "b"]))
    assert repr(name) in str(e.value)


def test_only_dags():
    with pytest.raises(ValueError, match=r"holds a DAG, but a - b is undirected: to_dag\(\)"):
        format_modelstring(Graph([*"ab"], undirected=[("a", "b")]))


@pytest.mark.parametrize(
    ("text", "line", "column", "message"),
    [
        ("A", 1, 1, r"expected \[node\]"),
        ("[A]\n[B|A", 2, 1, r"expected \[node\]"),
        ("[A][B|A|C]", 1, 4, r"expected \[node\]"),
        ("[A][]", 1, 4, r"\[\] names no node"),
        ("[A][B|A:]", 1, 4, "names no node"),
        ("[A][B:C]", 1, 4, "names no node"),
        ("[A][A]", 1, 4, "'A' is listed twice"),
        ("[A|B]", None, None, "names 'B', which is not a node"),
        ("[A|B][B|A]", None, None, "more than one edge|cycle"),
    ],
)
def test_wrong_strings_say_where(text, line, column, message):
    with pytest.raises(FormatError, match=message) as caught:
        parse_modelstring(text)
    assert (caught.value.line, caught.value.column) == (line, column)
