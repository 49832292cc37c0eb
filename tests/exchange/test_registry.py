"""The registry: a file's name says its format."""

from pathlib import Path

import pytest

from bnsieve import Graph, Knowledge, load_network
from bnsieve.exchange import FormatError, files, read, write
from bnsieve.exchange.registry import FORMATS, format_of
from bnsieve.learners.saving.loading import MAX_BYTES


@pytest.mark.parametrize("suffix", [".bif", ".bif.gz", ".BIF"])
def test_networks_keep_their_tables(tmp_path, suffix):
    network = load_network("asia")
    path = tmp_path / f"asia{suffix}"
    write(network, path)
    assert read(path) == network
    assert read(str(path)) == network


def test_a_graph_format_keeps_the_graph_of_a_network(tmp_path):
    network = load_network("asia")
    write(network, tmp_path / "asia.csv")
    assert read(tmp_path / "asia.csv") == network.graph


def test_a_graph_has_no_tables_to_write(tmp_path):
    with pytest.raises(ValueError, match=r"not a graph: write it .* \.csv"):
        write(Graph(["a"]), tmp_path / "graph.bif")
    assert not list(tmp_path.iterdir())


def test_unknown_names_list_the_known_ones():
    with pytest.raises(
        ValueError, match=r"graph\.xyz has no known format.*\.bif, \.bif\.gz, .*\.csv"
    ):
        format_of("graph.xyz")


def test_no_suffix_belongs_to_two_formats():
    suffixes = [suffix for known in FORMATS for suffix in known.suffixes]
    assert len(set(suffixes)) == len(suffixes)
    assert all(suffix == suffix.lower() and suffix.startswith(".") for suffix in suffixes)


def test_large_networks_have_a_limit_of_their_own(tmp_path, monkeypatch):
    network = load_network("asia")
    for name in ("asia.bif", "asia.json", "asia.xdsl"):
        write(network, tmp_path / name)
        assert (tmp_path / name).stat().st_size > 500
    monkeypatch.setattr(files, "MAX_BYTES", 500)
    assert read(tmp_path / "asia.bif") == read(tmp_path / "asia.json") == network
    with pytest.raises(FormatError, match="more than 500 bytes"):
        read(tmp_path / "asia.xdsl")


def test_limits_are_those_of_the_documentation():
    page = Path(__file__).parents[2] / "docs" / "formats.md"
    lines = (line.split("|")[1:-1] for line in page.read_text(encoding="utf-8").splitlines())
    told = {cells[0].strip(): cells[1].strip() for cells in lines if len(cells) == 2}
    own = {one.name: one.max_bytes or files.MAX_BYTES for one in FORMATS if one.parse is not None}
    limits = {"learners": MAX_BYTES, "BIF, edge lists": own["edge list"], "others": own["Hugin"]}
    limits |= {name: own[name] for name in ("JSON", "YAML")}
    assert own["BIF"] == own["edge list"]
    units = {"GB": 1 << 30, "MB": 1 << 20}
    for name, limit in limits.items():
        number, unit = told[name].split()
        assert int(number) * units[unit] == limit, name
    named = {"BIF", "edge list", "JSON", "YAML"}
    assert {own[name] for name in own.keys() - named} == {files.MAX_BYTES}


def test_json_holds_both(tmp_path):
    network = load_network("asia")
    write(network, tmp_path / "network.json")
    write(network.graph, tmp_path / "graph.json")
    assert read(tmp_path / "network.json") == network
    assert read(tmp_path / "graph.json") == network.graph


KNOWLEDGE = Knowledge(required=[("a", "b")], tiers=[["a"], ["b", "ü"]], no_children=["ü"])


@pytest.mark.parametrize("suffix", [".json", ".yaml", ".yml"])
@pytest.mark.parametrize("knowledge", [KNOWLEDGE, Knowledge()])
def test_knowledge_is_read_as_it_was_written(tmp_path, suffix, knowledge):
    path = tmp_path / f"known{suffix}"
    write(knowledge, path)
    assert read(path) == knowledge


def test_knowledge_is_no_graph(tmp_path):
    with pytest.raises(ValueError, match=r"not knowledge: write it to .* \.json, \.yaml, \.yml$"):
        write(KNOWLEDGE, tmp_path / "known.csv")
    with pytest.raises(ValueError, match=r"YAML files hold knowledge, not a network"):
        write(load_network("asia"), tmp_path / "asia.yaml")


def test_strengths_are_written_to_edge_lists_only(tmp_path):
    with pytest.raises(ValueError, match="JSON files hold no strengths"):
        write(Graph(["a"]), tmp_path / "graph.json", strengths={})
    assert not list(tmp_path.iterdir())
