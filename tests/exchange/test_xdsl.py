"""XDSL: files as GeNIe writes them, and files of strangers."""

import pytest

from bnsieve import BayesianNetwork, Graph, load_network
from bnsieve.exchange import FormatError, read
from bnsieve.exchange.xdsl import format_xdsl, parse_xdsl

GENIE = """<?xml version="1.0" encoding="ISO-8859-1"?>
<smile version="1.0" id="Network1" numsamples="1000" discsamples="10000">
  <nodes>
    <cpt id="A"><state id="x" /><state id="y" /><probabilities>0.25 0.75</probabilities></cpt>
    <cpt id="B"><state id="p" /><state id="q" /><probabilities>0.5 0.5</probabilities></cpt>
    <cpt id="C"><state id="u" /><state id="v" /><parents>A B</parents>
      <probabilities>0.1 0.9 0.2 0.8 0.3 0.7 0.4 0.6</probabilities></cpt>
    <deterministic id="D"><state id="no" /><state id="yes" /><parents>B</parents>
      <resultingstates>yes no</resultingstates></deterministic>
  </nodes>
  <extensions><genie version="1.0" app="GeNIe 4.1" name="Network1">
    <node id="A"><name>a name</name><position>1 2 3 4</position></node></genie></extensions>
</smile>
"""


def test_a_file_as_genie_writes_it(tmp_path):
    (tmp_path / "a.xdsl").write_text(GENIE, encoding="latin-1")
    assert read(tmp_path / "a.xdsl") == BayesianNetwork(
        Graph(["A", "B", "C", "D"], [("A", "C"), ("B", "C"), ("B", "D")]),
        {"A": ["x", "y"], "B": ["p", "q"], "C": ["u", "v"], "D": ["no", "yes"]},
        {
            "A": [0.25, 0.75],
            "B": [0.5, 0.5],
            "C": [[[0.1, 0.9], [0.2, 0.8]], [[0.3, 0.7], [0.4, 0.6]]],
            "D": [[0.0, 1.0], [1.0, 0.0]],
        },
    )


def test_parents_come_first_and_the_order_comes_back():
    network = BayesianNetwork(
        Graph(["child", "parent"], [("parent", "child")]),
        {"child": ["a", "b"], "parent": ["1", "2"]},
        {"child": [[0.5, 0.5], [0.25, 0.75]], "parent": [0.5, 0.5]},
    )
    text = format_xdsl(network)
    assert text.index('<cpt id="parent">') < text.index('<cpt id="child">')
    assert '<state id="s_1" />' in text  # an identifier begins with a letter
    assert parse_xdsl(text) == network
    alarm = load_network("alarm")
    assert parse_xdsl(format_xdsl(alarm)) == alarm


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("<deterministic", "<noisymax", "this is not XML"),
        ('<cpt id="B">', '<cpt id="A">', "'A' is declared twice"),
        ('<cpt id="B">', "<cpt>", "needs the attribute 'id'"),
        ("<parents>A B<", "<parents>A E<", "line 7, .*'E' is not declared"),
        ("<parents>A B<", "<parents>A A<", "named twice"),
        ("<parents>A B<", "<parents>A C<", "itself"),
        ("0.25 0.75", "0.25", "'A' has 1 numbers here instead of 2"),
        ("0.25 0.75", "0.25 0.25", "sum to 0.5"),
        ("<probabilities>0.25 0.75</probabilities>", "", "needs one <probabilities>"),
        ("yes no<", "yes maybe<", "'D' has no state 'maybe'"),
        ("yes no<", "yes<", "'D' needs 2 states here, found 1"),
        ("<nodes>", "<dynamic/><nodes>", "dynamic network"),
        ("smile", "smiles", "outermost element is <smiles>"),
        ('<state id="x" />', '<state id="y" />', "each of them once"),
    ],
)
def test_wrong_files_say_where(old, new, message):
    assert old in GENIE
    with pytest.raises(FormatError, match=message):
        parse_xdsl(GENIE.replace(old, new))


def test_other_nodes_are_refused():
    text = GENIE.replace("deterministic", "decision")
    with pytest.raises(FormatError, match="'D' is a decision node; only cpt and deterministic"):
        parse_xdsl(text)


def test_entities_are_refused():
    bomb = '<!DOCTYPE smile [<!ENTITY a "ha"><!ENTITY b "&a;&a;">]>\n<smile'
    with pytest.raises(FormatError, match="entities"):
        parse_xdsl(GENIE.replace("<smile", bomb, 1))


def test_a_large_deterministic_node_is_refused():
    states = "".join(f'<state id="s{i}" />' for i in range(5_000))
    row = " ".join(["0.0002"] * 5_000)
    text = (
        f'<smile><nodes><cpt id="A">{states}<probabilities>{row}</probabilities></cpt>'
        f'<deterministic id="D">{states}<parents>A</parents>'
        f"<resultingstates>{'s1 ' * 5_000}</resultingstates></deterministic></nodes></smile>"
    )
    with pytest.raises(FormatError, match=r"'D' is too large: .* 16,777,216 cells"):
        parse_xdsl(text)
