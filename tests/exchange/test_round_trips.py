"""What is written is read again, in every format, whatever the names and labels are."""

import pytest
from awkward import AWKWARD, TEXTS, XML_TEXTS
from hypothesis import given, settings
from hypothesis import strategies as st

from bnsieve import BayesianNetwork, Graph, Knowledge, load_network
from bnsieve.exchange import format_bif, format_modelstring, parse_bif, read, write
from bnsieve.exchange.cytoscape import format_cytoscape, parse_cytoscape
from bnsieve.exchange.graphml import format_graphml, parse_graphml
from bnsieve.exchange.hugin import format_net, parse_net
from bnsieve.exchange.jsonfile import format_json, parse_json
from bnsieve.exchange.modelstring import parse_modelstring
from bnsieve.exchange.registry import FORMATS
from bnsieve.exchange.xdsl import format_xdsl, parse_xdsl
from bnsieve.exchange.xmlbif import format_xmlbif, parse_xmlbif
from strategies import networks, pdags


@st.composite
def named_pdags(draw, texts):
    """Graphs of both kinds of edges with names drawn from `texts`."""
    graph = draw(pdags(max_nodes=5))
    names = draw(st.lists(texts, min_size=5, max_size=5, unique=True))
    return graph.relabel(dict(zip(graph.nodes, names, strict=False)))


def same_to_the_last_bit(first: BayesianNetwork, second: BayesianNetwork) -> bool:
    return first == second and all(
        table.tobytes() == second.tables[name].tobytes() for name, table in first.tables.items()
    )


@given(named_pdags(TEXTS))
def test_graphs_as_text(graph):
    for form, parse in (
        (format_json, parse_json),
        (format_cytoscape, parse_cytoscape),
    ):
        again = parse(form(graph))
        assert again == graph
        assert again.nodes == graph.nodes


@given(named_pdags(XML_TEXTS))
def test_graphs_as_xml(graph):
    again = parse_graphml(format_graphml(graph))
    assert again == graph
    assert again.nodes == graph.nodes


@given(networks(texts=TEXTS))
@settings(max_examples=50)
def test_networks_as_text(network):
    assert same_to_the_last_bit(parse_json(format_json(network)), network)
    assert same_to_the_last_bit(parse_bif(format_bif(network)), network)
    assert same_to_the_last_bit(parse_net(format_net(network)), network)
    assert same_to_the_last_bit(parse_xdsl(format_xdsl(network)), network)


@given(networks(texts=XML_TEXTS))
@settings(max_examples=50)
def test_networks_as_xml(network):
    assert same_to_the_last_bit(parse_xmlbif(format_xmlbif(network)), network)


PLAIN = TEXTS.filter(
    lambda text: text and text == text.strip() and not any(sign in text for sign in "[]|:")
)


@given(networks(texts=PLAIN))
@settings(max_examples=50)
def test_dags_as_model_strings(network):
    assert parse_modelstring(format_modelstring(network.graph)) == network.graph


READABLE = [
    suffix
    for known in FORMATS
    if known.parse and known.content != (Knowledge,)
    for suffix in known.suffixes
]


@pytest.mark.parametrize("suffix", READABLE)
def test_files_with_awkward_names(tmp_path, suffix):
    names = [name for name in AWKWARD if suffix != ".modelstring" or name.strip() == name]
    names = [name for name in names if suffix != ".modelstring" or not set(name) & set("[]|:")]
    labels = [*names, "last"]
    network = BayesianNetwork(
        Graph(names, [(names[0], name) for name in names[1:]]),
        dict.fromkeys(names, labels),
        {
            name: [1 / len(labels)] * len(labels)
            if name == names[0]
            else [[1 / len(labels)] * len(labels)] * len(labels)
            for name in names
        },
    )
    path = tmp_path / f"awkward{suffix}"
    write(network, path)
    assert read(path) in (network, network.graph)


@pytest.mark.parametrize("suffix", READABLE)
@pytest.mark.parametrize("name", ["asia", "sachs", "alarm"])
def test_published_networks(tmp_path, name, suffix):
    network = load_network(name)
    path = tmp_path / f"network{suffix}"
    write(network, path)
    again = read(path)
    if isinstance(again, BayesianNetwork):
        assert same_to_the_last_bit(again, network)
    else:
        assert again == network.graph


@pytest.mark.parametrize(
    "suffix",
    [
        s
        for f in FORMATS
        if f.parse and Graph in f.content
        for s in f.suffixes
        if s != ".modelstring"
    ],
)
def test_cpdags(tmp_path, suffix):
    graph = load_network("asia").graph.to_cpdag()
    assert not graph.is_dag
    write(graph, tmp_path / f"graph{suffix}")
    assert read(tmp_path / f"graph{suffix}") == graph
