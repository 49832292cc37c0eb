"""Damaged files end in a `ValueError` or are read; nothing else ever happens."""

import contextlib

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bnsieve import BayesianNetwork, Graph
from bnsieve.exchange import format_bif, format_modelstring, parse_bif
from bnsieve.exchange.cytoscape import format_cytoscape, parse_cytoscape
from bnsieve.exchange.graphml import format_graphml, parse_graphml
from bnsieve.exchange.hugin import format_net, parse_net
from bnsieve.exchange.jsonfile import format_json, parse_json
from bnsieve.exchange.modelstring import parse_modelstring
from bnsieve.exchange.xdsl import format_xdsl, parse_xdsl
from bnsieve.exchange.xmlbif import format_xmlbif, parse_xmlbif

DAG = Graph(["a", "b c", '"d"'], [("a", "b c"), ("b c", '"d"')])
MIXED = Graph(["a", "b c", '"d"'], [("a", "b c")], [("b c", '"d"')])
NETWORK = BayesianNetwork(
    DAG,
    {"a": ["x", "y"], "b c": ["1", "2"], '"d"': ["<", ">"]},
    {"a": [0.5, 0.5], "b c": [[0.25, 0.75], [1, 0]], '"d"': [[0.5, 0.5], [0.125, 0.875]]},
)
TEXTS = {
    "bif": (format_bif(NETWORK), parse_bif),
    "xdsl": (format_xdsl(NETWORK), parse_xdsl),
    "net": (format_net(NETWORK), parse_net),
    "json": (format_json(NETWORK), parse_json),
    "json graph": (format_json(MIXED), parse_json),
    "xmlbif": (format_xmlbif(NETWORK), parse_xmlbif),
    "graphml": (format_graphml(MIXED), parse_graphml),
    "cytoscape": (format_cytoscape(MIXED), parse_cytoscape),
    "modelstring": (format_modelstring(DAG), parse_modelstring),
}
PIECES = st.text(max_size=3) | st.sampled_from(
    ["[", "]", "{", "}", '"', "<", ">", "&", "null", "-1", "1e999", "true", "[]", "{}", "->", "--",
     "<!--", "]]>", "&#0;", "subgraph", "dir=both", "\\", "\x00", "|", ":", "99999999999999999999",
     "~", "~FF", ";", "%"]
)  # fmt: skip


@pytest.mark.parametrize("name", TEXTS)
@given(st.data())
@settings(max_examples=150, deadline=None)
def test_mutations(name, data):
    text, parse = TEXTS[name]
    for _ in range(data.draw(st.integers(1, 3))):
        start = data.draw(st.integers(0, len(text)))
        end = data.draw(st.integers(start, min(len(text), start + 12)))
        text = text[:start] + data.draw(PIECES) + text[end:]
    with contextlib.suppress(ValueError):
        assert isinstance(parse(text), Graph | BayesianNetwork)
