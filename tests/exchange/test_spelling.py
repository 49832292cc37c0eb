"""The plain spelling of names and labels: what it looks like, and that nothing is lost."""

import json

import pytest
from awkward import TEXTS
from hypothesis import given
from hypothesis import strategies as st

from bnsieve import BayesianNetwork, Graph
from bnsieve.exchange import FormatError, bif, format_bif, hugin, read, write, xdsl
from bnsieve.exchange.bif import RULES
from bnsieve.exchange.spelling import from_plain_text, spell, to_plain_text


def network_of(names, labels):
    row = [1 / len(labels)] * len(labels)
    return BayesianNetwork(
        Graph(names), dict.fromkeys(names, tuple(labels)), dict.fromkeys(names, row)
    )


@pytest.mark.parametrize(
    ("text", "spelling"),
    [
        ("plain_1", "plain_1"),
        ("42", "42"),
        ("[42, 48.2)", "42_to_48_2"),
        ("(-inf, -1.5]", "minus_inf_to_minus_1_5"),
        ("<5", "lt_5"),
        (">= 10", "ge_10"),
        ("-1", "minus_1"),
        ("50%", "50_pct"),
        ("No internet service", "No_internet_service"),
        ("été", "ete"),
        ("Größe", "Grosse"),
        ("😀", "u1f600"),
        ("table", "s_table"),
        ("1e5", "s_1e5"),
        ("", "empty"),
        ("?!", "sign"),
    ],
)
def test_labels(text, spelling):
    (spelled,) = spell(network_of(["a"], [text, "other"]), RULES, "BIF").values()
    assert spelled.states[0] == spelling


def test_names_differ_in_more_than_case_and_plain_ones_stay():
    names = ["a b", "a_b", "A_B", "1", "", "q" * 2000, "q" * 2001]
    spelled = spell(network_of(names, ["x"]), RULES, "BIF")
    found = [spelled[name].name for name in names]
    assert found[:5] == ["a_b_2", "a_b", "A_B_3", "v_1", "empty"]
    assert len({name.lower() for name in found}) == len(found)


@given(st.lists(TEXTS, min_size=1, max_size=8, unique=True))
@pytest.mark.parametrize("rules", [bif.RULES, hugin.RULES, xdsl.RULES])
def test_every_spelling_is_plain_and_another(rules, texts):
    network = network_of(texts, texts)
    spelled = spell(network, rules, "x")
    names = [one.name for one in spelled.values()]
    assert len({name.lower() for name in names}) == len(texts)
    assert all(rules.name.fullmatch(name) and name not in rules.reserved for name in names)
    for one in spelled.values():
        assert len(set(one.states)) == len(texts)
        assert all(rules.state.fullmatch(own) and own not in rules.reserved for own in one.states)


@given(st.text())
def test_any_text_in_few_characters(text):
    written = to_plain_text(text)
    assert set(written) <= set("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_.-~")
    assert from_plain_text(written) == text


@pytest.mark.parametrize("written", ["~", "~4", "~zz", "a b", "é", "~FF", "~C3", "%20", "a;b"])
def test_other_texts_are_refused(written):
    with pytest.raises(ValueError, match="not a text in plain spelling"):
        from_plain_text(written)


def test_the_file_beside(tmp_path):
    network = network_of(["first name", "b"], ["<5", "x"])
    path = tmp_path / "network.bif"
    write(network, path)
    beside = tmp_path / "network.bif.names.json"
    assert json.loads(beside.read_text(encoding="utf-8"))["variables"] == {
        "first_name": {"name": "first name", "labels": {"lt_5": "<5", "x": "x"}},
        "b": {"name": "b", "labels": {"lt_5": "<5", "x": "x"}},
    }
    # Another program writes the file again, without properties.
    text = path.read_text(encoding="utf-8")
    path.write_text(
        "".join(one for one in text.splitlines(True) if "property" not in one), encoding="utf-8"
    )
    assert read(path).graph.nodes == ("first_name", "b")
    assert read(path, names=beside) == network
    # Where nothing is spelled otherwise there is no such file.
    write(network_of(["a"], ["x"]), path)
    assert [one.name for one in tmp_path.iterdir()] == ["network.bif"]


@pytest.mark.parametrize("content", ["", "[]", "{}", '{"format": "bnsieve names"}', "[" * 9999])
def test_other_files_of_names_are_refused(tmp_path, content):
    write(network_of(["a"], ["x"]), tmp_path / "a.bif")
    (tmp_path / "names.json").write_text(content, encoding="utf-8")
    with pytest.raises(
        FormatError, match=r"not JSON|not a file of names|variables' is missing|too deep"
    ):
        read(tmp_path / "a.bif", names=tmp_path / "names.json")


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("bnsieve_name = a~20b", "bnsieve_name = a~2", "line 5, .*not a text in plain spelling"),
        ("bnsieve_name = a~20b", "bnsieve_name = c", "'c' is given twice"),
        ("bnsieve_label_lt_5 = ~3C5", "bnsieve_label_lt_5 = x", "'x' twice"),
    ],
)
def test_wrong_properties_are_refused(tmp_path, old, new, message):
    text = format_bif(network_of(["a b", "c"], ["<5", "x"]))
    assert old in text
    (tmp_path / "a.bif").write_text(text.replace(old, new), encoding="utf-8")
    with pytest.raises(FormatError, match=message):
        read(tmp_path / "a.bif")


def test_a_network_of_plain_words_is_written_without_properties():
    text = format_bif(network_of(["a", "b_2"], ["x", "10", "_y"]))
    assert "property" not in text
    assert text.startswith(
        "network unknown {\n}\nvariable a {\n  type discrete [ 3 ] { x, 10, _y };\n}"
    )
