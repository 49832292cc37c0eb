"""Hugin's .net: files as others write them, and files of strangers."""

import pytest

from bnsieve import BayesianNetwork, Graph
from bnsieve.exchange import FormatError, read
from bnsieve.exchange.hugin import format_net, parse_net

EXPECTED = BayesianNetwork(
    Graph(["A", "B", "C"], [("A", "C"), ("B", "C")]),
    {"A": ["x", "y z"], "B": ["p", "q"], "C": ["u", "v"]},
    {
        "A": [0.25, 0.75],
        "B": [0.5, 0.5],
        "C": [[[0.1, 0.9], [0.2, 0.8]], [[0.3, 0.7], [0.4, 0.6]]],
    },
)
HUGIN = """% made by hand
net
{
  node_size = (100 40);
  HR_Title = "a \\"title\\"; with { signs }";
}
node A { states = ("x" "y z"); label = "the node A"; position = (1 2); }
discrete node B { states = ("p" "q"); subtype = label; }
node C
{
  states = ("u" "v");
}
potential ( A ) { data = (0.25 0.75); }
potential ( B | ) { data = ( 0.5 0.5 ); experience = (10); }
potential ( C | A B )
{
  data = (((0.1 0.9)   % A=x B=p
           (0.2 0.8))
          ((0.3 0.7)(0.4 0.6)));
}
"""
# As pyAgrum writes it: words without quotes.
PYAGRUM = """
net {
  name = unnamedBN;
  software = "aGrUM 3.3.1";
}
node A {
   states = (x "y z" );
   label = "A";
   ID = "A";
}
node B {
   states = (p q );
}
node C {
   states = (u v );
}
potential (A) {
   data = (  0.25 0.75);
}
potential ( C | A   B   ) {
   data = (((    0.1    0.9) (0.2 0.8)) ((0.3 0.7)(0.4 0.6)));   % B=p   A=x
}
potential (B) {
   data = (  0.5 0.5);
}
"""


@pytest.mark.parametrize("text", [HUGIN, PYAGRUM])
def test_files_as_others_write_them(tmp_path, text):
    assert parse_net(text) == EXPECTED
    (tmp_path / "a.net").write_text(text, encoding="utf-8")
    assert read(tmp_path / "a.net") == EXPECTED


def test_what_is_written():
    assert format_net(EXPECTED) == (
        'net\n{\n}\nnode A\n{\n  states = ("x" "y_z");\n  bnsieve_label_y_z = "y~20z";\n}\n'
        'node B\n{\n  states = ("p" "q");\n}\nnode C\n{\n  states = ("u" "v");\n}\n'
        "potential ( A )\n{\n  data = (0.25 0.75);\n}\n"
        "potential ( B )\n{\n  data = (0.5 0.5);\n}\n"
        "potential ( C | A B )\n{\n  data = (((0.1 0.9)\n    (0.2 0.8))\n"
        "    ((0.3 0.7)\n    (0.4 0.6)));\n}\n"
    )
    assert parse_net(format_net(EXPECTED)) == EXPECTED


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        (
            "discrete node B",
            "continuous node B",
            "line 8, column 1: 'continuous node B' cannot be read",
        ),
        ("discrete node B", "node A", "'A' is declared twice"),
        ("discrete node B {", "discrete node B { {", "is a ';' or a bracket missing"),
        ('states = ("p" "q");', "", "'B' has no states"),
        ('("p" "q")', '("p" "p")', "each of them once"),
        ('("p" "q")', '("p" "q"', "does not close"),
        ('("p" "q")', '("p" "q"))', "bracket of 'states' does not close"),
        ('"q"', '"q', "string or comment is never closed"),
        ("( A )", "( D )", "'D' is not declared"),
        ("( A )", "( A B )", r"expected \'potential \( node"),
        ("( A )", "( | A )", r"expected \'potential \( node"),
        ("( A )", "A", "line 13"),
        ("potential ( A )", "potential ( B )", "'B' is defined twice"),
        ("C | A B", "C | A A", "named twice"),
        ("C | A B", "C | C B", "itself"),
        ("(0.25 0.75)", "(0.25 0.75 0)", "has 3 numbers here instead of 2"),
        ("(0.25 0.75)", "(0.25 half)", "not a number"),
        ("(0.25 0.75)", "(0.25 0.25)", "sum to 0.5"),
        ("data = (0.25 0.75);", "model_data = (1);", "'A' has no data"),
        ("data = (0.25 0.75);", "data (0.25 0.75);", "name = value;"),
        ("potential ( A ) { data = (0.25 0.75); }", "", "lacks"),
        ("(0.4 0.6)));\n}", "(0.4 0.6)));", "bracket missing"),
        ("net\n{", "}\n{", "bracket missing"),
    ],
)
def test_wrong_files_say_where(old, new, message):
    assert old in HUGIN
    with pytest.raises(FormatError, match=message):
        parse_net(HUGIN.replace(old, new, 1))


@pytest.mark.parametrize("hostile", ["(", ")", "{", "}", '"', "node ", "a = ", "% ", "|", "\\"])
def test_hostile_files_end_in_an_error(hostile):
    with pytest.raises(FormatError):
        parse_net(HUGIN.replace("(0.25", hostile * 50_000 + "(0.25"))
