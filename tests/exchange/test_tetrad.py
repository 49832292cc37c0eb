"""Tetrad's text files, as Tetrad 7.6.8 reads them."""

import pytest

from bnsieve import Graph, load_network, write
from bnsieve.exchange.tetrad import format_tetrad


def test_a_graph_has_directed_and_undirected_edges():
    graph = Graph(["a", "été", "c"], [("a", "été")], [("été", "c")])
    assert format_tetrad(graph).splitlines() == [
        "Graph Nodes:",
        "a;été;c",
        "",
        "Graph Edges:",
        "1. a --> été",
        "2. été --- c",
    ]


def test_a_pag_has_its_marks():
    dag = Graph(["i", "x", "h", "y", "j"], [("i", "x"), ("h", "x"), ("h", "y"), ("j", "y")])
    lines = format_tetrad(dag.to_pag(hidden=["h"])).splitlines()
    assert lines[1] == "i;x;y;j"
    assert lines[4:] == ["1. i o-> x", "2. x <-> y", "3. y <-o j"]


def test_of_a_network_the_graph_is_written(tmp_path):
    network = load_network("asia")
    write(network, tmp_path / "asia.txt")
    assert (tmp_path / "asia.txt").read_text(encoding="utf-8") == format_tetrad(network.graph)


@pytest.mark.parametrize("name", ["two words", "a,b", "a;b", "(hidden)", "", "a\nb", "a\u00a0b"])
def test_names_that_tetrad_would_misread_are_refused(name):
    # Each was tried: it splits them, or takes brackets for the sign of a hidden variable.
    with pytest.raises(ValueError, match="Tetrad cannot read the name"):
        format_tetrad(Graph(["a", name], [("a", name)]))
