import gzip
import pickle
import re
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bnsieve import BayesianNetwork, Graph, list_networks, load_network
from bnsieve.exchange import FormatError, blocks, files, format_bif, parse_bif, read, write
from strategies import networks
from work import lines_run

FIXTURES = Path(__file__).parents[1] / "fixtures" / "bif"


def tables_are_identical(first, second):
    """Tell whether all numbers are the same to the last bit."""
    return all(
        table.tobytes() == second.tables[name].tobytes() for name, table in first.tables.items()
    )


# ---------------------------------------------------------------- dialects


def slippery_grass(states=None, grass="wet_grass", third=1 / 3):
    """The network of the fixtures; programs differ in the names and labels that they allow."""
    tables = {
        "season": [0.6, 0.4],
        "rain": [[0.9, 0.0999, 0.0001], [third, third, third]],
        grass: [
            [[1.0, 0.0], [0.5, 0.5], [0.25, 0.75]],
            [[1e-05, 0.99999], [0.125, 0.875], [0.0, 1.0]],
        ],
        "slip": [[0.99, 0.01], [0.7, 0.3]],
    }
    own = {"season": ("dry", "wet"), "rain": ("0", "1", "2"), "slip": ("no", "yes")}
    own[grass] = ("very_low", "high")
    graph = Graph(tables, [("season", "rain"), ("season", grass), ("rain", grass), (grass, "slip")])
    return BayesianNetwork(graph, own | (states or {}), tables)


PGMPY = {"rain": ("(0, 1]", "(1, 2.5]", "more"), "wet grass": ("very low", "high")}


@pytest.mark.parametrize(
    ("file", "expected"),
    [
        ("pgmpy-0.1.26.bif", slippery_grass(PGMPY, "wet grass")),
        ("pgmpy-1.1.2.bif", slippery_grass(PGMPY, "wet grass")),
        ("pyagrum-1.9.0.bif", slippery_grass(third=0.333333)),
        ("pyagrum-3.3.1.bif", slippery_grass()),
        (
            "bnlearn-style.bif",
            slippery_grass(
                {"rain": ("<1 mm", "1-2.5 mm", "more"), "wet.grass": ("very low", "high")},
                "wet.grass",
                third=0.3333333,
            ),
        ),
        (
            "javabayes-style.bif",
            slippery_grass(
                {"rain": ("none//at all", "a little", "more"), "wet-grass": ("low", "high")},
                "wet-grass",
            ),
        ),
    ],
)
def test_dialects(file, expected):
    network = read(FIXTURES / file)
    assert network.graph == expected.graph
    assert network.states == expected.states
    for node in expected.graph.nodes:
        assert network.parents(node) == expected.parents(node)
    assert tables_are_identical(network, expected)


def one_variable(labels, n):
    return f"network x {{ }} variable a {{ type discrete [ {n} ] {{ {labels} }}; }} " + (
        f"probability ( a ) {{ table {', '.join([repr(1 / n)] * n)}; }}"
    )


@pytest.mark.parametrize(
    ("labels", "expected"),
    [
        ("a, b", ["a", "b"]),
        ("a,b", ["a", "b"]),
        ("a b", ["a", "b"]),
        ("a\n,\tb ,", ["a", "b"]),
        ("very low, high", ["very low", "high"]),
        ("very low", ["very low"]),
        ('"very low" high', ["very low", "high"]),
        ('"a, b" "c"', ["a, b", "c"]),
        ('"a}", "{b"', ["a}", "{b"]),
        ("a,b, c", ["a,b", "c"]),
        ("[0,1), [1,2]", ["[0,1)", "[1,2]"]),
        ("[0;1[, [1;2]", ["[0;1[", "[1;2]"]),
        ("{a}, b", ["{a}", "b"]),
        ('5" pipe, 6" pipe', ['5" pipe', '6" pipe']),
        (r'"C:\new\\", "\"", "\u00e9"', [r"C:" + "\n" + "ew\\", '"', "é"]),
        (r'"\d", b', [r"\d", "b"]),
        ('"", b', ["", "b"]),
        ("é, 😀", ["é", "😀"]),
    ],
)
def test_label_lists(labels, expected):
    assert list(parse_bif(one_variable(labels, len(expected))).states["a"]) == expected


def test_a_whole_table_runs_through_the_last_parent_first():
    text = """network x { }
    variable a { type discrete [ 2 ] { x, y }; }
    variable b { type discrete [ 3 ] { x, y, z }; }
    variable c { type discrete [ 2 ] { x, y }; }
    probability ( a ) { table 0.5, 0.5; }
    probability ( b ) { table 0.5, 0.25, 0.25; }
    probability ( c | a, b ) { table 0.1 0.2 0.3 0.4 0.5 0.6  0.9 0.8 0.7 0.6 0.5 0.4; }
    """
    table = parse_bif(text).tables["c"]
    assert table[..., 0].tolist() == [[0.1, 0.2, 0.3], [0.4, 0.5, 0.6]]
    assert table[..., 1].tolist() == [[0.9, 0.8, 0.7], [0.6, 0.5, 0.4]]


# ---------------------------------------------------------------- round trips


@pytest.mark.parametrize("name", [summary.name for summary in list_networks()])
def test_benchmark_networks_survive_writing_and_reading(name):
    network = load_network(name)
    again = parse_bif(format_bif(network))
    assert again == network
    assert tables_are_identical(again, network)


# Characters that mean something in BIF, and some from everywhere else.
ODD_TEXT = st.text(
    st.sampled_from(list("ab1_ \t\n\r\"\\{}()[]|,;:/*#%'=+-.é😀\xa0\x00\x1c\x85\u2028\ud800")),
    max_size=6,
) | st.text(max_size=6)


@given(networks(max_nodes=4, max_levels=3, texts=ODD_TEXT))
def test_any_name_and_label_survives_writing_and_reading(network):
    text = format_bif(network)
    text.encode()
    again = parse_bif(text)
    assert again == network
    assert again.graph == network.graph
    assert tables_are_identical(again, network)


@given(st.lists(st.floats(0, 1, exclude_min=True), min_size=1, max_size=5))
def test_any_number_survives_writing_and_reading(weights):
    row = np.array(weights) / sum(weights)
    network = BayesianNetwork(Graph(["a"]), {"a": [f"l{i}" for i in range(len(row))]}, {"a": row})
    assert tables_are_identical(parse_bif(format_bif(network)), network)


@pytest.mark.parametrize("file", ["network.bif", "network.bif.gz"])
def test_files_plain_and_compressed(tmp_path, file):
    network = load_network("asia")
    write(network, tmp_path / file)
    first = (tmp_path / file).read_bytes()
    assert read(tmp_path / file) == network
    assert read(str(tmp_path / file)) == network
    write(network, str(tmp_path / file))
    assert (tmp_path / file).read_bytes() == first
    assert (first[:2] == b"\x1f\x8b") == file.endswith(".gz")


def test_the_layout_is_the_one_that_bnlearn_reads_line_by_line():
    # bnlearn's reader wants these spaces, and one statement per line.
    text = format_bif(slippery_grass({"rain": ("none", "some", "more")}))
    assert text.startswith(
        "network unknown {\n}\nvariable season {\n  type discrete [ 2 ] { dry, wet };\n}\n"
    )
    assert "  type discrete [ 3 ] { none, some, more };\n" in text
    assert "probability ( season ) {\n  table 0.6, 0.4;\n}\n" in text
    assert "probability ( wet_grass | season, rain ) {\n  (dry, none) 1.0, 0.0;\n" in text
    assert text.endswith("  (high) 0.7, 0.3;\n}\n")


def test_labels_are_written_as_text():
    network = BayesianNetwork(Graph(["a"]), {"a": [1, True + 1]}, {"a": [0.5, 0.5]})
    assert parse_bif(format_bif(network)).states["a"] == ("1", "2")
    network = BayesianNetwork(Graph(["a"]), {"a": [1, "1"]}, {"a": [0.5, 0.5]})
    with pytest.raises(ValueError, match="two states of 'a' are the same as text"):
        format_bif(network)


# ---------------------------------------------------------------- broken files

GOOD = """network x {
}
variable a {
  type discrete [ 2 ] { yes, no };
}
variable b {
  type discrete [ 2 ] { yes, no };
}
probability ( a ) {
  table 0.5, 0.5;
}
probability ( b | a ) {
  (yes) 0.25, 0.75;
  (no) 0.5, 0.5;
}
"""


@pytest.mark.parametrize(
    ("old", "new", "line", "column", "message"),
    [
        ("network x {\n}", "", 2, 1, "begins with its one 'network' block"),
        (GOOD, "", 1, 1, "begins with its one 'network' block"),
        ("network x {", "network x", 4, 3, "holds nothing but properties"),
        (
            "variable a",
            "variables a",
            3,
            1,
            "expected a 'network', 'variable' or",
        ),
        ("variable a", "variable ", 3, 1, "needs a name"),
        ("variable b", "variable a", 6, 1, "'a' is declared twice"),
        (
            "{ yes, no };\n}\nvariable b",
            "{ yes, no };\n  x 1;\n}\nvariable b",
            5,
            3,
            "expected 'type discrete",
        ),
        ("  type discrete [ 2 ] { yes, no };\n}\nvariable b", "}\nvariable b", 3, 1, "one type"),
        ("discrete [ 2 ] { yes, no };\n}\nv", "continuous;\n}\nv", 4, 3, "only discrete"),
        ("[ 2 ] { yes, no };\n}\nv", "[ 2 ] { yes, yes };\n}\nv", 3, 1, "each of them once"),
        ("[ 2 ] { yes, no };\n}\nv", "[ 3 ] { yes, no };\n}\nv", 4, 3, "expected 3 states"),
        ("[ 2 ] { yes, no };\n}\nv", "[ 0 ] { };\n}\nv", 3, 1, "must have states"),
        ("[ 2 ] { yes, no };\n}\nv", "[ 2 ] { yes, no }\n}\nv", 4, 3, "expected 2 states and '};'"),
        ("[ 2 ]", "[ 99999999999999999999 ]", 4, 3, "expected 'type discrete"),
        ("( a )", "a", 9, 1, "expected 'probability ( variable"),
        ("( a )", "( c )", 9, 1, "( c ) names no variable"),
        ("( a )", "( )", 9, 1, "( ) names no variable"),
        ("b | a", "b | c", 12, 1, "( b | c ) names no variable or one that is not"),
        ("b | a", "b | a, a", 12, 1, "named twice"),
        ("b | a", "b | a | a", 12, 1, "expected 'probability ( variable | parents )'"),
        ("b | a", "b | b", None, None, "'b' has an edge to itself"),
        ("b | a", "a | b", 12, 1, "'a' is defined twice"),
        ("probability ( a ) {\n  table 0.5, 0.5;\n}\n", "", None, None, "lacks the variable 'a'"),
        ("table 0.5, 0.5;", "table 0.5, 0.5", 10, 3, "expected a row"),
        ("table 0.5, 0.5;", "table 0.5, 0.2;", None, None, "'a' sum to 0.7 instead of 1"),
        ("table 0.5, 0.5;", "table 1.5, -0.5;", None, None, "negative"),
        ("table 0.5, 0.5;", "table 1e999, 0.5;", None, None, "sum to inf"),
        ("table 0.5, 0.5;", "table nan, 0.5;", 10, 3, "expected a row"),
        ("table 0.5, 0.5;", "table 0.5.5, 0.5;", 10, 3, "could not convert string to float"),
        ("table 0.5, 0.5;", "table 0.5;", 10, 3, "has 1 numbers here instead of 2"),
        ("table 0.5, 0.5;", "tables 0.5, 0.5;", 10, 3, "expected a row"),
        ("table 0.5, 0.5;", "", 9, 1, "'a' has no probabilities"),
        ("table 0.5, 0.5;", "table 1 0; table 1 0;", 10, 14, "given twice"),
        ("table 0.5, 0.5;", "table 1 0; default 1 0;", 10, 14, "given twice"),
        ("table 0.5, 0.5;", "default 1 0; default 1 0;", 10, 16, "given twice"),
        ("table 0.5, 0.5;", "default 1 1;", None, None, "sum to 2.0"),
        (
            "(yes) 0.25, 0.75",
            "(maybe) 0.25, 0.75",
            13,
            3,
            "not one state for each of the 1 parents",
        ),
        ("(yes) 0.25, 0.75", "(yes, no) 0.25, 0.75", 13, 3, "not one state for each"),
        ("(yes) 0.25, 0.75", "(no) 0.25, 0.75", 14, 3, "probabilities of 'b' are given twice"),
        ("(yes) 0.25, 0.75", "(yes) 0.25, 0.7", None, None, "'b' given a = 'yes' sum to 0.95"),
        ("(yes) 0.25, 0.75", "(yes) 0.25, 0.25, 0.5", 13, 3, "has 3 numbers here instead of 2"),
        ("  (yes) 0.25, 0.75;\n", "", 12, 1, "'b' has no probabilities for (yes)"),
        ("  (no) 0.5, 0.5;\n", "", 12, 1, "'b' has no probabilities for (no)"),
        ("(no) 0.5, 0.5;\n}", "(no 0.5, 0.5;\n}", 14, 3, "expected a row"),
        ("(no) 0.5, 0.5;\n}", "(no) 0.5, 0.5;", 15, 1, "expected a row"),
        ("network x {", "network x { /* {", 1, 13, "comment is never closed"),
    ],
)
def test_errors_say_where_and_what(old, new, line, column, message):
    assert old in GOOD
    with pytest.raises(FormatError) as caught:
        parse_bif(GOOD.replace(old, new, 1))
    error = caught.value
    assert message in error.message
    assert (error.line, error.column) == (line, column)
    where = f"line {line}, column {column}: " if line else ""  # what is wrong with it as a whole
    assert str(error) == where + error.message


def test_cycles_are_refused():
    text = GOOD.replace("( a ) {\n  table 0.5, 0.5;", "( a | b ) {\n  default 0.5, 0.5;")
    with pytest.raises(FormatError, match=r"'a' and 'b' .* more than one edge"):
        parse_bif(text)


def test_errors_name_the_file_and_survive_pickling(tmp_path):
    path = tmp_path / "broken.bif"
    path.write_text("network x {\n  hello", encoding="utf-8")
    with pytest.raises(FormatError) as caught:
        read(path)
    again = pickle.loads(pickle.dumps(caught.value))
    assert str(again) == str(caught.value)
    assert str(again) == f"{path}, line 2, column 3: a network block holds nothing but properties"
    with pytest.raises(OSError, match=r"absent\.bif"):
        read(tmp_path / "absent.bif")


def test_encodings(tmp_path):
    path = tmp_path / "latin.bif"
    text = GOOD.replace("variable a", "variable é").replace("( a )", "( é )").replace("| a", "| é")
    path.write_bytes(text.encode("latin-1"))
    with pytest.raises(FormatError, match="line 3, column 10: this is not utf-8 text"):
        read(path)
    assert read(path, encoding="latin-1").graph.nodes == ("é", "b")
    path.write_bytes(text.encode("utf-8-sig").replace(b"\n", b"\r\n"))
    assert read(path).graph.nodes == ("é", "b")


def test_damaged_and_bloated_gzip_files(tmp_path, monkeypatch):
    path = tmp_path / "x.bif.gz"
    whole = gzip.compress(GOOD.encode())
    for damaged in (whole[:40], whole[:-8] + b"12345678", whole[:12] + b"\xff\xff" + whole[14:]):
        path.write_bytes(damaged)
        with pytest.raises(FormatError, match="gzip file is damaged"):
            read(path)
    monkeypatch.setattr(files, "MAX_BYTES", 1 << 20)
    path.write_bytes(gzip.compress(b" " * (1 << 24)))
    with pytest.raises(FormatError, match="more than 1,048,576 bytes"):
        read(path)


def chain(n_parents, body, n_states=2):
    """A variable with that many parents, and `body` as its probabilities."""
    labels = ", ".join(f"l{i}" for i in range(n_states))
    names = [f"p{i}" for i in range(n_parents)]
    lines = ["network x { }"]
    lines += [
        f"variable {n} {{ type discrete [ {n_states} ] {{ {labels} }}; }}" for n in [*names, "c"]
    ]
    row = ", ".join(["1.0"] + ["0.0"] * (n_states - 1))
    lines += [f"probability ( {name} ) {{ table {row}; }}" for name in names]
    return "\n".join([*lines, f"probability ( c | {', '.join(names)} ) {{ {body} }}"])


def long_chain(n):
    """A file of n variables, each the parent of the one before."""
    declared = "".join(f"variable v{i} {{ type discrete [ 1 ] {{ x }}; }}\n" for i in range(n))
    arrows = "".join(f"probability ( v{i} | v{i + 1} ) {{ (x) 1; }}\n" for i in range(n - 1))
    return f"network x {{ }}\n{declared}{arrows}probability ( v{n - 1} ) {{ table 1; }}\n"


N = 50_000


@pytest.mark.parametrize(
    "text",
    [
        chain(30, "table 1 0;"),
        chain(30, "default 1 0;"),
        chain(30, f"({', '.join(['l0'] * 30)}) 1 0;"),
        chain(100, "default 1 0;"),
        chain(3000, "default 1 0;", n_states=10),
        chain(100, "default 1;", n_states=1),
        *(
            GOOD.replace("( b | a ) {", "( b | a ) {" + hostile * N)
            for hostile in (
                "(",
                ")",
                "()",
                "{",
                '"',
                '("',
                '\\"',
                "(yes) ",
                "/*",
                "1 ",
                "a|",
                "(,",
                "((0.1)",
            )
        ),
        *(
            GOOD.replace("yes, no", hostile * N)
            for hostile in ("}", '"', ", ", '"\\', "( [", "} }", "/")
        ),
        *(
            hostile * N
            for hostile in ("network ", "{", '"', "/*", "network x { } ", "\n", "\x00", "//\n")
        ),
        "network x { }" + "variable a { }" * N,
        "network x { }" + "probability ( a ) { }" * N,
        "network x { property " + '" ' * N,
        "network x { " + "property p;" * N,
        GOOD.replace("0.25", "0." + "1" * N),
        GOOD.replace("0.25", "1e-" + "1" * N),
        GOOD.replace("variable a", "variable " + "a" * N),
    ],
    ids=lambda text: re.sub(r"\s+", " ", text[-40:]),
)
def test_hostile_files_end_in_an_error(text):
    """Of up to a million characters: if the work grew as their square, it would not end."""
    with pytest.raises(FormatError):
        parse_bif(text)


def test_many_variables_are_no_trouble():
    n = 2_000
    text, tenth = long_chain(n), long_chain(n // 10)
    assert parse_bif(text).graph.n_edges == n - 1
    short, long = (lines_run(lambda t=t: parse_bif(t)) for t in (tenth, text))
    assert long < 15 * short
    with pytest.raises(FormatError, match="cycle"):
        parse_bif(text.replace(f"( v{n - 1} ) {{ table", f"( v{n - 1} | v0 ) {{ (x)"))


ASIA = format_bif(load_network("asia"))
SEEDS = [
    GOOD,
    ASIA,
    *(path.read_text(encoding="utf-8") for path in sorted(FIXTURES.glob("*.bif"))),
]
KEYWORDS = [
    "network",
    "variable",
    "type",
    "discrete",
    "property",
    "probability",
    "table",
    "default",
]
NUMBERS = ["-1", "nan", "1e999", "999999999"]
MARKS = [*' \n"\\{}()[]|,;/*01e.é\x00\ufeff', "", "//", "/*", "*/"]
SNIPPETS = st.sampled_from([*KEYWORDS, *NUMBERS, *MARKS])


@st.composite
def mutated_files(draw):
    """A good file with a few pieces cut out, doubled, moved or overwritten."""
    text = draw(st.sampled_from(SEEDS))
    for _ in range(draw(st.integers(1, 4))):
        start = draw(st.integers(0, len(text)))
        stop = min(len(text), start + draw(st.integers(0, 40)))
        piece = draw(SNIPPETS | st.just(text[start:stop] * 2) | st.text(max_size=3))
        text = text[:start] + piece + text[stop:]
    return text


@settings(max_examples=500)
@given(mutated_files())
def test_mutated_files_give_a_network_or_a_format_error(text):
    try:
        network = parse_bif(text)
    except FormatError as error:
        if error.line is not None:
            assert 1 <= error.line <= text.count("\n") + 1
            assert error.column >= 1
    else:
        assert parse_bif(format_bif(network)) == network


@given(st.text(max_size=60) | st.binary(max_size=60).map(lambda b: b.decode("latin-1")))
def test_arbitrary_text_gives_a_format_error(text):
    with pytest.raises(FormatError):
        parse_bif(text)


@given(st.binary(max_size=80) | st.binary(max_size=80).map(lambda b: b"\x1f\x8b" + b))
def test_arbitrary_bytes_give_a_format_error(tmp_path_factory, content):
    path = tmp_path_factory.mktemp("bif") / "x.bif"
    path.write_bytes(content)
    with pytest.raises(FormatError):
        read(path)


def test_a_page_in_place_of_a_name_is_not_shown_whole():
    with pytest.raises(FormatError) as caught:
        parse_bif("network unknown {\n}\nvariable " + "much text " * 1_000)
    assert len(str(caught.value)) < 500


def test_what_bnsieve_writes_is_read_again_however_large(tmp_path, monkeypatch):
    asia = load_network("asia")
    monkeypatch.setattr(files, "MAX_BYTES", 1000)
    for name in ("asia.bif", "asia.bif.gz"):
        write(asia, tmp_path / name)
        assert read(tmp_path / name).graph == asia.graph


def test_a_table_of_many_rows_that_bnsieve_writes_is_read_again(monkeypatch):
    """Its rows are long: only short ones, in a file made to fill memory, are too many."""
    monkeypatch.setattr(blocks, "MAX_STATEMENTS", 100)
    parents = [f"p{i}" for i in range(4)]
    graph = Graph([*parents, "c"], [(parent, "c") for parent in parents])
    states = dict.fromkeys(parents, tuple("abcdefgh")) | {"c": ("0", "1")}
    tables = {parent: np.full(8, 0.125) for parent in parents}
    tables["c"] = np.tile([1.0, 0.0], (8, 8, 8, 8, 1))
    network = BayesianNetwork(graph, states, tables)
    text = format_bif(network)
    assert text.count(";") > 8**4
    assert parse_bif(text) == network
    short = "network n {}\nvariable a { type discrete [ 1 ] { x }; }\nprobability ( a ) { "
    with pytest.raises(FormatError, match="more than 100 statements"):
        parse_bif(short + "(x) 1; " * 101 + "}")
