"""DOT: what Graphviz understands and what is no Bayesian network."""

import pytest

from bnsieve import Graph
from bnsieve.formats import FormatError, parse_dot, read_dot
from clocks import processor_seconds


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("digraph{}", Graph([])),
        ("DiGraph G { a -> b -> c; d }", Graph([*"abcd"], [("a", "b"), ("b", "c")])),
        ("graph { a -- b; }", Graph([*"ab"], undirected=[("a", "b")])),
        ("digraph { a -> b; b -> a }", Graph([*"ab"], undirected=[("a", "b")])),
        ("digraph { a -> b [dir=back] }", Graph([*"ab"], [("b", "a")])),
        ("digraph { a -> b [color=red, dir=none; penwidth=2][style=bold] }",
         Graph([*"ab"], undirected=[("a", "b")])),
        ("digraph { edge [dir=none]; a -> b; {edge [dir=forward] b -> c} c -> d }",
         Graph([*"abcd"], [("b", "c")], [("a", "b"), ("c", "d")])),
        ("graph { a -- b [dir=forward] }", Graph([*"ab"], [("a", "b")])),
        ("strict digraph { a -> b; a -> b }", Graph([*"ab"], [("a", "b")])),
        ("strict graph { a -- b; b -- a }", Graph([*"ab"], undirected=[("a", "b")])),
        ("digraph { {a b} -> subgraph cluster_x { c; d } }",
         Graph([*"abcd"], [(x, y) for x in "ab" for y in "cd"])),
        ("digraph { a:n -> b:port:sw }", Graph([*"ab"], [("a", "b")])),
        ("digraph { rankdir=LR; label = \"x -> y\"; node [shape=box]; graph [a=b] a -> b }",
         Graph([*"ab"], [("a", "b")])),
        ("digraph { a [label=\"other\"]; a -> b [weight=\"1\"] }", Graph([*"ab"], [("a", "b")])),
        ("// one\n# two\ndigraph { /* three\n -> */ a -> b //\n}", Graph([*"ab"], [("a", "b")])),
        ('digraph { "a" + "b" -> "c\\\nd" }', Graph(["ab", "cd"], [("ab", "cd")])),
        ('digraph { "say \\"no\\"" -> "a\\\\b\\n" }',
         Graph(['say "no"', "a\\b\\n"], [('say "no"', "a\\b\\n")])),
        ("digraph { <a <b>bold</b>> -> -1.5; été -> _x }",
         Graph(["a <b>bold</b>", "-1.5", "été", "_x"],
               [("a <b>bold</b>", "-1.5"), ("été", "_x")])),
        ("\ufeffdigraph { a }", Graph([*"a"])),
        ("digraph { a -> b, b -> c }", Graph([*"abc"], [("a", "b"), ("b", "c")])),
        ("digraph { a [fixed] }", Graph([*"a"])),
    ],
)  # fmt: skip
def test_what_graphviz_understands(tmp_path, text, expected):
    path = tmp_path / "graph.dot"
    path.write_text(text, encoding="utf-8")
    assert read_dot(path) == expected


@pytest.mark.parametrize(
    ("text", "line", "message"),
    [
        ("", 1, "begins with graph or digraph"),
        ("tree { }", 1, "begins with graph or digraph"),
        ("digraph a b", 1, "'{' is missing"),
        ("digraph {\n a ->\n}", 3, "a name is missing"),
        ("digraph {\n a", 2, "the graph has no end"),
        ("digraph {\n a [x=", 2, "the graph has no end"),
        ("digraph { } }", 1, "more after the end"),
        ('digraph {\n "a }', 2, "unexpected '\"'"),
        ("digraph {\n <a }", 2, "angle brackets has no end"),
        ("digraph {\n a -> b [dir=both] }", 2, "'a' and 'b' has dir=both: an edge"),
        ("digraph { ! }", 1, "unexpected '!'"),
        ("digraph { a = }", 1, "a name is missing"),
        ("{" * 3, 1, "begins with"),
        ("digraph " + "{" * 200, 1, "nested more than 100 deep"),
        ("digraph { a -> b; a -> b }", None, "joined by more than one edge"),
        ("digraph { a -> a }", None, "'a' has an edge to itself"),
        ("digraph { a -> b -> c -> a }", None, "cycle"),
    ],
)
def test_what_is_no_graph_says_where(text, line, message):
    with pytest.raises(FormatError, match=message) as caught:
        parse_dot(text)
    assert caught.value.line == line


def test_a_short_text_for_many_edges_is_refused():
    nodes = " ".join(f"n{i}" for i in range(3000))
    with pytest.raises(FormatError, match="more than 5,000,000 edges"):
        parse_dot(f"digraph {{ {{{nodes}}} -> {{{nodes}}} }}")


def test_time_grows_with_length():
    """Ten times as long a text: 10 times as long if in proportion, 100 times if as the square."""

    def read(length):
        with pytest.raises(FormatError):
            parse_dot('digraph { "' + "\\" * (2 * length + 1))
        parse_dot("digraph {" + "a;" * length + "}")

    short, long = (processor_seconds(lambda n=n: read(n)) for n in (10_000, 100_000))
    assert long < 50 * short
