"""Knowledge as a value: what it means for columns, where it is read from, what it refuses."""

import copy
import json
import pickle
import sys
from types import SimpleNamespace

import numpy as np
import pytest

import bnsieve
from bnsieve import Knowledge, read
from bnsieve.knowledge import counted_statements, statements

NAMES = ["a", "b", "c", "d"]


def arrows(knowledge, columns=NAMES):
    """The arrows that may be, as two letters each."""
    allowed = knowledge.resolve(columns).allowed
    return {
        a + b
        for i, a in enumerate(columns)
        for j, b in enumerate(columns)
        if i != j and allowed[i, j]
    }


EVERY = {a + b for a in NAMES for b in NAMES if a != b}


@pytest.mark.parametrize(
    ("given", "forbidden"),
    [
        ({}, set()),
        ({"forbidden": [("a", "b")]}, {"ab"}),
        ({"forbidden": [{"a", "b"}]}, {"ab", "ba"}),
        ({"forbidden": [["a", "b"], ["b", "a"]]}, {"ab", "ba"}),
        ({"tiers": [["a", "b"], ["c"]]}, {"ca", "cb"}),
        ({"tiers": [["d"], ["a"], ["b"]]}, {"ad", "bd", "ba"}),
        ({"parents_of": {"a": ["b"], "d": []}}, {"ca", "da", "ad", "bd", "cd"}),
        ({"no_parents": ["a"]}, {"ba", "ca", "da"}),
        ({"no_children": ["a"]}, {"ab", "ac", "ad"}),
        # A required path leaves no arrow back along it.
        ({"required": [("a", "b"), ("b", "c")]}, {"ba", "cb", "ca"}),
    ],
)
def test_what_each_kind_of_knowledge_forbids(given, forbidden):
    assert arrows(Knowledge(**given)) == EVERY - forbidden


def test_constraints_answer_what_stages_ask():
    knowledge = Knowledge(required=[("c", "a")], forbidden=[{"a", "b"}, ("d", "c")])
    constraints = knowledge.resolve(NAMES)
    assert constraints.required == ((2, 0),)
    assert constraints.required_pairs == {(0, 2)}
    assert constraints.open_pairs() == [(0, 3), (1, 2), (1, 3), (2, 3)]
    assert constraints.required_parents(0) == (2,)
    assert constraints.required_parents(2) == ()
    assert constraints.required_neighbours(2) == (0,)
    assert constraints.forbidden_neighbours(0) == [1]
    assert constraints.forces(2, 3)
    assert not constraints.forces(3, 2)
    assert not constraints.forces(1, 3)
    part = constraints.select([3, 2, 0])
    assert part.required == ((1, 2),)
    assert part.forces(1, 0)
    assert part.n_variables == 3


def test_variables_can_be_confined_to_their_required_arrows():
    constraints = Knowledge(required=[("c", "a")]).resolve(NAMES).confine_to_required([2])
    assert constraints.forbidden_neighbours(2) == [1, 3]
    assert constraints.forces(2, 0)
    assert constraints.adjacency_allowed[0, 1]


def test_variables_of_one_group_are_joined_only_where_they_must_be():
    constraints = Knowledge(required=[("c", "a")]).resolve(NAMES)
    apart = constraints.forbid_within([[0, 1, 2], [3]])
    assert apart.forbidden_neighbours(0) == [1]
    assert apart.forbidden_neighbours(1) == [0, 2]
    assert apart.forces(2, 0)
    assert apart.forbidden_neighbours(3) == []
    assert constraints.forbid_within([[1]]) is constraints


@pytest.mark.parametrize(
    ("given", "message"),
    [
        (
            {"required": [("a", "b")], "forbidden": [("a", "b")]},
            "'a' -> 'b' is required, but it is",
        ),
        ({"required": [("a", "b")], "forbidden": [{"b", "a"}]}, "remove one of the two"),
        ({"required": [("a", "b"), ("b", "a")]}, "form a cycle, '.' -> '.' -> '.': remove one"),
        (
            {"required": [("b", "c"), ("a", "b"), ("c", "a")]},
            "form a cycle, '.' -> '.' -> '.' -> '.': remove one",
        ),
        (
            {"required": [("b", "a")], "tiers": [["a"], ["b"]]},
            "'b' is in tier 2, after 'a' in tier 1",
        ),
        ({"required": [("b", "a")], "parents_of": {"a": ["c"]}}, "does not name 'b' among those"),
        ({"required": [("b", "a")], "no_parents": ["a"]}, "'a' is in no_parents"),
        ({"required": [("b", "a")], "no_children": ["b"]}, "'b' is in no_children"),
        ({"required": [{"a", "b"}]}, "required needs a direction"),
        ({"required": [("a", "a")]}, "required has 'a' twice"),
        ({"parents_of": {"a": ["a"]}}, "lets 'a' point to itself"),
        ({"tiers": [["a"], ["b", "a"]]}, "'a' is in tier 1 and in tier 2"),
        ({"tiers": [["a", "a"]]}, "tier 1 has 'a' twice"),
        ({"forbidden": [("a", "b"), {"a", "b"}]}, "forbidden has 'a' -> 'b' twice"),
        ({"forbidden": [{"a"}]}, "two names each"),
        ({"forbidden": [("a", "b", "c")]}, "two names each"),
        ({"forbidden": ["ab"]}, "two names each"),
        ({"forbidden": "ab"}, "must be a list of edges"),
        ({"forbidden": [("a", 1)]}, "names of columns as strings; got 1"),
        ({"no_parents": "a"}, "must be a list of names; got 'a'"),
        ({"no_children": 3}, "must be a list of names; got 3"),
    ],
)
def test_contradictions_are_refused_with_the_pair_and_the_cure(given, message):
    with pytest.raises(ValueError, match=message):
        Knowledge(**given)


def test_unknown_columns_are_named():
    with pytest.raises(ValueError, match=r"'smoke'.* did you mean 'smoker'\?"):
        Knowledge(no_parents=["smoke"]).resolve(["age", "smoker"])
    with pytest.raises(ValueError, match="'x', which is not a column of the data: correct or"):
        Knowledge(forbidden=[("x", "age")]).resolve(["age", "smoker"])


FULL = Knowledge(
    required=[("a", "b")],
    forbidden=[{"c", "d"}],
    tiers=[["a"], ["d", "b"]],
    parents_of={"d": ["a", "b"]},
    no_parents=["c"],
    no_children=["d"],
)


def test_it_is_a_value():
    again = Knowledge.from_dict(json.loads(json.dumps(FULL.to_dict())))
    assert again == FULL
    assert hash(again) == hash(FULL)
    assert again != Knowledge()
    assert copy.deepcopy(FULL) == pickle.loads(pickle.dumps(FULL)) == FULL
    assert eval(repr(FULL)) == FULL
    assert FULL.names == ("a", "b", "c", "d")
    with pytest.raises(AttributeError):
        FULL.required = ()
    with pytest.raises(TypeError):
        FULL.parents_of["d"] = ()


def test_files(tmp_path):
    as_json = tmp_path / "knowledge.json"
    as_json.write_text(json.dumps(FULL.to_dict()), encoding="utf-8")
    assert read(as_json) == FULL
    as_yaml = tmp_path / "knowledge.yaml"
    as_yaml.write_text(
        """
required:
  - [a, b]
forbidden: [[c, d], [d, c]]
tiers:
  - [a]
  - [b, d]
parents_of: {d: [a, b]}
no_parents: [c]
no_children: [d]
""",
        encoding="utf-8",
    )
    assert read(as_yaml) == FULL


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("{", "line 1, column 2: this is not JSON"),
        ('{"tiers": [], "tiers": []}', "the key 'tiers' occurs twice"),
        ('{"order": [], "tiers": []}', "has no 'order': the keys are required, forbidden, tiers"),
        ("[]", "neither knowledge nor a graph or network"),
        ('{"required": [["a", "a"]]}', "required has 'a' twice"),
        ('{"required": 7}', "required must be a list of edges"),
        ('{"tiers": 7}', "tiers must be a list of lists of names; got 7"),
        ('{"tiers": {"a": ["b"]}}', "tiers must be a list of lists of names"),
        ('{"parents_of": [["a", "b"]]}', "parents_of must map a name to its parents"),
        ('{"tiers": [[Infinity]]}', "Infinity is not a number in JSON"),
    ],
)
def test_json_errors(tmp_path, text, message):
    path = tmp_path / "knowledge.json"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(ValueError, match=rf"knowledge\.json.*{message}"):
        read(path)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("a: [", "is not YAML of plain values"),
        ("a: !!python/object/apply:os.getcwd []", "is not YAML of plain values"),
        ("parents_of: {x: [y], x: [z]}", "the key 'x' occurs twice"),
        ("no_parents: [yes]", "names of columns as strings; got True"),
        ("", "must be a mapping"),
        ("parents_of: {1: [y], x: [z]}", "parents_of must hold names of columns as strings; got 1"),
        ("no_parents: [2020-02-31]", "day is out of range for month"),
        ("? [a]\n: b", "unhashable"),
        ("no_parents: [!!int x]", "invalid literal"),
    ],
)
def test_yaml_errors(tmp_path, text, message):
    path = tmp_path / "knowledge.yaml"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(ValueError, match=rf"knowledge\.yaml.*{message}"):
        read(path)


def test_yaml_without_the_extra(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "yaml", None)
    path = tmp_path / "knowledge.yaml"
    path.touch()
    with pytest.raises(ImportError, match=r"pip install 'bnsieve\[yaml\]'"):
        read(path)


def expert(**given):
    """What pgmpy's ExpertKnowledge holds after its constructor."""
    defaults = {
        "required_edges": set(),
        "forbidden_edges": set(),
        "temporal_order": [[]],
        "search_space": set(),
    }
    return SimpleNamespace(**(defaults | given))


def test_from_pgmpy():
    assert Knowledge.from_pgmpy(expert()) == Knowledge()
    given = expert(
        required_edges={("a", "b")}, forbidden_edges={("b", "c")}, temporal_order=[["a"], ["d"]]
    )
    expected = Knowledge(required=[("a", "b")], forbidden=[("b", "c")], tiers=[["a"], ["d"]])
    assert Knowledge.from_pgmpy(given) == expected
    space = expert(search_space={("a", "b"), ("c", "b"), ("b", "d")})
    assert arrows(Knowledge.from_pgmpy(space, columns=NAMES)) == {"ab", "cb", "bd"}
    with pytest.raises(ValueError, match="name all columns of the data with columns="):
        Knowledge.from_pgmpy(space)


def test_among_some_columns():
    expected = Knowledge([("a", "b")], tiers=[["a"], ["b", "d"]], parents_of={"d": ["a", "b"]})
    assert FULL.among(["a", "b", "d"]) == Knowledge.from_dict(
        expected.to_dict() | {"no_children": ["d"]}
    )
    assert FULL.among(NAMES) == FULL


def test_public_name():
    assert bnsieve.Knowledge is Knowledge


def test_knowing_nothing_takes_no_memory():
    free = bnsieve.knowledge.constraints.Constraints.none(100_000)
    assert free.adjacency_allowed.strides == (0, 0)
    assert free.select(np.arange(50_000)).n_variables == 50_000
    assert free.forbidden_neighbours(3) == []


def test_nested_aliases_are_refused(tmp_path):
    """Few lines in which each list holds the one before nine times stand for gigabytes."""
    lines = ["a0: &a0 [x, x, x, x, x, x, x, x, x]"]
    lines += [f"a{i}: &a{i} [{', '.join([f'*a{i - 1}'] * 9)}]" for i in range(1, 9)]
    path = tmp_path / "bomb.yaml"
    path.write_text("\n".join(lines) + "\ntiers: *a8\n", encoding="utf-8")
    with pytest.raises(ValueError, match=r"bomb.yaml: line 2: aliases .* write the values out"):
        read(path)


@pytest.mark.parametrize("name", ["deep.yaml", "deep.json"])
def test_nested_lists_are_refused(tmp_path, name):
    path = tmp_path / name
    path.write_text("[" * 100_000 + "]" * 100_000, encoding="utf-8")
    with pytest.raises(ValueError, match=rf"{name}: lists and .* are nested too deep"):
        read(path)


@pytest.mark.parametrize("name", ["odd.yaml", "odd.json"])
def test_files_that_are_no_text(tmp_path, name):
    path = tmp_path / name
    path.write_bytes(b"{}\n\xff\xfe")
    with pytest.raises(ValueError, match=rf"{name}, line 2, column 1: this is not utf-8 text"):
        read(path)
    path.write_bytes(b" " * ((1 << 27) + 1))
    with pytest.raises(ValueError, match=rf"{name}.* holds more than"):
        read(path)


def test_errors_do_not_repeat_a_whole_file():
    with pytest.raises(ValueError, match="must be a list of names") as caught:
        Knowledge(no_parents="a" * 1_000_000)
    assert len(str(caught.value)) < 200
    with pytest.raises(ValueError, match="two names each") as caught:
        Knowledge(required=[["a"] * 1_000_000])
    assert len(str(caught.value)) < 200


def test_errors_about_files_are_not_pages_long(tmp_path):
    path = tmp_path / "long.json"
    path.write_text(json.dumps({"tiers": [], "x" * 1_000_000: []}), encoding="utf-8")
    with pytest.raises(
        ValueError, match=r"long\.json: knowledge has no 'xxx.*: the keys"
    ) as caught:
        read(path)
    assert len(str(caught.value)) < 500 + len(str(path))


def test_in_words():
    knowledge = Knowledge(
        required=[("a", "b")],
        forbidden=[("c", "a"), {"b", "c"}],
        tiers=[["a"], ["c", "b"]],
        parents_of={"d": ["a", "b"], "e": []},
        no_parents=["a"],
        no_children=["d", "e"],
    )
    assert statements(knowledge) == [
        ("required", "a -> b"),
        ("forbidden", "c -> a"),
        ("not adjacent", "b, c"),
        ("tier 1", "a"),
        ("tier 2", "b, c"),
        ("only these parents", "of d: a, b"),
        ("only these parents", "of e: none"),
        ("no parents", "a"),
        ("no children", "d, e"),
    ]
    assert counted_statements(knowledge) == (
        "1 required edge, 1 forbidden direction, 1 pair not adjacent, 2 tiers, "
        "2 columns with given possible parents, 1 column without parents and "
        "2 columns without children"
    )
    assert counted_statements(Knowledge()) == ""
    assert statements(Knowledge()) == []
