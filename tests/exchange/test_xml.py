"""XMLBIF and GraphML: files by hand, files of others, and files of strangers."""

import networkx
import pytest

from bnsieve import BayesianNetwork, Graph
from bnsieve.exchange import FormatError, read, write
from bnsieve.exchange.graphml import format_graphml, parse_graphml
from bnsieve.exchange.xmlbif import format_xmlbif, parse_xmlbif

# As the page of the format has it, with its document type and a comment in the table.
DOG = """<?xml version="1.0" encoding="US-ASCII"?>
<!DOCTYPE BIF [
  <!ELEMENT BIF ( NETWORK )*>
  <!ATTLIST BIF VERSION CDATA #REQUIRED>
  <!ELEMENT NETWORK ( NAME, ( PROPERTY | VARIABLE | DEFINITION )* )>
  <!ELEMENT NAME (#PCDATA)>
]>
<BIF VERSION="0.3">
<NETWORK>
<NAME>Dog-Problem</NAME>
<VARIABLE TYPE="nature"><NAME>light-on</NAME><OUTCOME>true</OUTCOME><OUTCOME>false</OUTCOME>
  <PROPERTY>position = (218, 195)</PROPERTY></VARIABLE>
<VARIABLE TYPE="nature"><NAME>problem</NAME><OUTCOME>a</OUTCOME><OUTCOME>b</OUTCOME></VARIABLE>
<VARIABLE><NAME>dog-out</NAME><OUTCOME>x</OUTCOME><OUTCOME>y</OUTCOME><OUTCOME>&lt;z&gt;</OUTCOME>
</VARIABLE>
<DEFINITION><FOR>dog-out</FOR><GIVEN>problem</GIVEN><GIVEN>light-on</GIVEN>
  <TABLE>.1 .2 .7 <!-- a, true --> .2 .3 .5
         .3 .4 .3 <!-- b, true --> 1.0 0 0 </TABLE></DEFINITION>
<DEFINITION><FOR>problem</FOR><TABLE>0.25 0.75</TABLE></DEFINITION>
<DEFINITION><FOR>light-on</FOR><TABLE>1e-1 .9</TABLE></DEFINITION>
</NETWORK>
</BIF>
"""


def test_a_file_as_others_write_it(tmp_path):
    (tmp_path / "dog.xml").write_text(DOG, encoding="ascii")
    assert read(tmp_path / "dog.xml") == BayesianNetwork(
        Graph(
            ["light-on", "problem", "dog-out"],
            [("problem", "dog-out"), ("light-on", "dog-out")],
        ),
        {"light-on": ["true", "false"], "problem": ["a", "b"], "dog-out": ["x", "y", "<z>"]},
        {
            "light-on": [0.1, 0.9],
            "problem": [0.25, 0.75],
            "dog-out": [[[0.1, 0.2, 0.7], [0.2, 0.3, 0.5]], [[0.3, 0.4, 0.3], [1, 0, 0]]],
        },
        {"dog-out": ["problem", "light-on"]},
    )


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("</BIF>", "", "line 2[0-9], column .*: this is not XML: no element found"),
        ("<BIF V", "<BOF V", "this is not XML"),
        ("<NETWORK>", "<NETWORK/><NETWORK>", "<BIF> needs one <NETWORK>, found 2"),
        ("<NAME>problem</NAME>", "", "line 13, .*<VARIABLE> needs one <NAME>, found 0"),
        ("<NAME>problem</NAME>", "<NAME>dog-out</NAME>", "'dog-out' is declared twice"),
        ('"nature"><NAME>problem', '"decision"><NAME>problem', "is a decision node"),
        ("<FOR>problem", "<FOR>nothing", "the variable 'nothing' is not declared"),
        ("<FOR>problem", "<FOR>light-on", "the variable 'light-on' is defined twice"),
        ("0.25 0.75", "0.25 0.75 0", "'problem' has 3 numbers here instead of 2"),
        ("0.25 0.75", "0.25 half", "has a value that is not a number: .*'half'"),
        ("0.25 0.75", "0.25 0.5", "'problem' sum to 0.75 instead of 1"),
        (
            "<TABLE>0.25 0.75",
            "<GIVEN>problem</GIVEN><TABLE>.1 .9 0 1",
            "'problem' has an edge to itself",
        ),
        ("<DEFINITION><FOR>problem</FOR><TABLE>0.25 0.75</TABLE></DEFINITION>", "", "lacks"),
        ("<OUTCOME>b<", "<OUTCOME>a<", "each of them once"),
    ],
)
def test_wrong_networks_say_where(old, new, message):
    assert old in DOG
    with pytest.raises(FormatError, match=message):
        parse_xmlbif(DOG.replace(old, new))


LAUGHS = """<?xml version="1.0"?><!DOCTYPE BIF [<!ENTITY a "ha">
<!ENTITY b "&a;&a;&a;&a;&a;&a;&a;&a;"><!ENTITY c "&b;&b;&b;&b;&b;&b;&b;&b;">]>
<BIF><NETWORK>&c;</NETWORK></BIF>"""
FILE = """<?xml version="1.0"?><!DOCTYPE BIF [<!ENTITY a SYSTEM "file:///etc/passwd">]>
<BIF><NETWORK><NAME>&a;</NAME></NETWORK></BIF>"""
PARAMETER = """<?xml version="1.0"?><!DOCTYPE BIF [<!ENTITY % a SYSTEM "file:///etc/passwd"> %a;]>
<BIF><NETWORK/></BIF>"""
OUTSIDE = """<?xml version="1.0"?><!DOCTYPE BIF SYSTEM "http://localhost/bif.dtd">
<BIF><NETWORK>&a;</NETWORK></BIF>"""


@pytest.mark.parametrize("text", [LAUGHS, FILE, PARAMETER, OUTSIDE])
def test_entities_are_refused(text):
    with pytest.raises(FormatError, match=r"line [12], column .* entities"):
        parse_xmlbif(text)


def test_defaults_of_attributes_have_no_effect():
    attlist = '<!DOCTYPE BIF [<!ATTLIST VARIABLE TYPE CDATA "decision">]>'
    text = DOG[DOG.index("<BIF V") :].replace("<VARIABLE>", "<VARIABLE >")
    assert parse_xmlbif(attlist + text) == parse_xmlbif(DOG)


@pytest.mark.parametrize("encoding", ["UTF-9", "hex", "rot13", "shift_jis", "utf-7"])
def test_other_encodings(encoding):
    with pytest.raises(FormatError, match=r"line 1, column 1: .*encoding"):
        parse_xmlbif(DOG.replace("US-ASCII", encoding))


def test_deep_nesting_is_refused():
    with pytest.raises(FormatError, match="nested more than 50 deep"):
        parse_xmlbif("<BIF>" * 100_000)


def test_the_outermost_element_must_be_right():
    with pytest.raises(FormatError, match="outermost element is <BIF> instead of <graphml>"):
        parse_graphml(DOG)


@pytest.mark.parametrize("character", ["\0", "\x0b", "\ufffe", "\ud800"])
def test_characters_that_xml_lacks(tmp_path, character):
    name = f"x{character}"
    network = BayesianNetwork(Graph(["a"]), {"a": [name]}, {"a": [1.0]})
    with pytest.raises(ValueError, match=r"no way to write .* in the state of 'a', 'x.*rename"):
        write(network, tmp_path / "x.xml")
    with pytest.raises(ValueError, match=r"no way to write .* in the name 'x.*rename"):
        write(Graph([name]), tmp_path / "x.graphml")
    assert not list(tmp_path.iterdir())


def test_labels_become_text():
    network = BayesianNetwork(Graph(["a"]), {"a": [1, 2.5]}, {"a": [0.5, 0.5]})
    assert parse_xmlbif(format_xmlbif(network)).states["a"] == ("1", "2.5")
    twins = BayesianNetwork(Graph(["a"]), {"a": [1, "1"]}, {"a": [0.5, 0.5]})
    with pytest.raises(ValueError, match="XMLBIF knows states only as text, and two states of 'a'"):
        format_xmlbif(twins)


def test_graphml_by_hand():
    graph = parse_graphml("""<g:graphml xmlns:g="http://graphml.graphdrawing.org/xmlns">
      <g:key id="d0" for="node" attr.name="name"/><g:key id="d1" for="node" attr.name="color"/>
      <g:graph edgedefault="undirected">
        <g:node id="1"><g:data key="d1">red</g:data>
          <g:data key="d0">rain &amp; snow</g:data></g:node>
        <g:node id="2"/><g:node id="3"/><g:node id="4"/>
        <g:edge source="1" target="2" directed="true"/>
        <g:edge source="3" target="2"/>
      </g:graph></g:graphml>""")
    assert graph == Graph(["rain & snow", "2", "3", "4"], [("rain & snow", "2")], [("2", "3")])


@pytest.mark.parametrize(
    ("inside", "message"),
    [
        ("<node/>", "<node> needs the attribute 'id'"),
        ('<node id="a"/><node id="a"/>', "node 'a' is listed twice"),
        ('<node id="a"/><edge source="a" target="b"/>', "names 'b', which is not a node"),
        ('<node id="a"/><edge source="a" target="a"/>', "'a' has an edge to itself"),
        ('<node id="a"><graph/></node>', "holds a graph of its own"),
        ("<hyperedge/>", "hyperedges"),
    ],
)
def test_wrong_graphs_say_where(tmp_path, inside, message):
    path = tmp_path / "wrong.graphml"
    path.write_text(f"<graphml><graph>{inside}</graph></graphml>", encoding="utf-8")
    with pytest.raises(FormatError, match=message) as caught:
        read(path)
    assert caught.value.path == str(path)


@pytest.mark.parametrize(
    "graph",
    [
        Graph(["a b", "c", "<d>"], [("a b", "c"), ("c", "<d>")]),
        Graph(["a b", "c", "<d>"], undirected=[("a b", "c"), ("c", "<d>")]),
    ],
)
def test_networkx_reads_ours(tmp_path, graph):
    write(graph, tmp_path / "graph.graphml")
    assert Graph.from_networkx(networkx.read_graphml(tmp_path / "graph.graphml")) == graph


def test_we_read_networkx(tmp_path):
    graph = Graph(["a b", "c", "<d>"], [("a b", "c")], [("c", "<d>")])
    networkx.write_graphml(graph.to_networkx(), tmp_path / "graph.graphml")
    assert read(tmp_path / "graph.graphml") == graph
    networkx.write_graphml(graph.skeleton().to_networkx().to_undirected(), tmp_path / "g.graphml")
    assert read(tmp_path / "g.graphml") == graph.skeleton()


def test_a_graph_without_edges():
    assert parse_graphml(format_graphml(Graph(["a"]))) == Graph(["a"])
