"""The Benchpress module: its script on files as Benchpress writes them."""

import itertools
import json
import runpy
import sys
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest

import bnsieve as bn

MODULE = Path(__file__).parents[1] / "contrib" / "benchpress"
USUAL = {"seed": "1", "method": "search", "alpha": "None", "maxParents": "None", "timeout": "None"}

# What the script imports from Benchpress: a guard that ends what it guards when time is up.
GUARD = """
from contextlib import contextmanager
from pathlib import Path

@contextmanager
def timeoutf(limit, adjmat, time, ntests, start):
    try:
        yield
    finally:
        Path(time + ".guarded").write_text(str(limit))
"""


@pytest.fixture
def benchpress(tmp_path, monkeypatch):
    """Return a function that runs the script in a folder like that of Benchpress."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("sys.path", [*sys.path])
    utilities = tmp_path / "workflow" / "scripts" / "utils"
    utilities.mkdir(parents=True)
    (utilities / "add_timeout.py").write_text(GUARD)
    (tmp_path / "None").write_text("")

    def run(lines, constraints=None, **wildcards):
        Path("data.csv").write_text("\n".join(lines) + "\n")
        if constraints is not None:
            # Benchpress's own example begins with a byte order mark.
            Path("known.json").write_text(json.dumps(constraints), encoding="utf-8-sig")
        files = {"data": "data.csv", "edge_constraints": "known.json" if constraints else "None"}
        results = {name: f"{name}.out" for name in ("adjmat", "time", "ntests")}
        given = SimpleNamespace(input=files, output=results, wildcards={**USUAL, **wildcards})
        runpy.run_path(str(MODULE / "script.py"), {"snakemake": given}, run_name="__main__")
        return (
            pd.read_csv("adjmat.out"),
            float(Path("time.out").read_text()),
            Path("ntests.out").read_text(),
        )

    yield run
    sys.modules.pop("add_timeout", None)


@pytest.fixture
def constraints_of(benchpress, tmp_path):
    """Return a function that reads edge constraints as the script does."""
    script = runpy.run_path(str(MODULE / "script.py"))

    def read(given, columns):
        path = tmp_path / "given.json"
        path.write_text(json.dumps(given))
        return script["read_constraints"](path, columns)

    return read


def written(frame):
    """Lines of a file: names, cardinalities, then a line for each row; labels as numbers."""
    codes = {name: pd.Categorical(frame[name]).codes for name in frame}
    cardinalities = [len(set(frame[name])) for name in frame]
    lines = [",".join(frame.columns), ",".join(map(str, cardinalities))]
    return lines + [",".join(map(str, row)) for row in zip(*codes.values(), strict=True)]


@pytest.fixture(scope="module")
def asia():
    return bn.load_network("asia").sample(3000, random_state=0)


def test_the_graph_is_that_of_the_learner(benchpress, asia):
    matrix, seconds, n_tests = benchpress(written(asia))
    graph = bn.TsetlinSieve(random_state=1).fit(asia).graph_
    expected = pd.DataFrame(graph.adjacency_matrix(), graph.nodes, graph.nodes)
    assert list(matrix.columns) == list(asia.columns)
    assert np.array_equal(matrix, expected.loc[asia.columns, asia.columns])
    assert matrix.to_numpy().sum() > 0
    assert seconds > 0
    assert n_tests == "None"


@pytest.mark.parametrize("method", ["tests", "tsetlin-pc"])
def test_tests_are_counted(benchpress, asia, method):
    _, _, n_tests = benchpress(written(asia), method=method, alpha="0.05")
    assert int(n_tests) > 0


def test_the_second_line_is_no_row(benchpress):
    # Four rows say a = b; the line of cardinalities, 2 and 2, would be a third level.
    matrix, _, _ = benchpress(["a,b", "2,2", *["0,0", "1,1"] * 50])
    assert matrix.to_numpy().tolist() == [[0, 1], [1, 0]]


def test_constant_columns_and_gaps_stay_in_the_matrix(benchpress):
    lines = ["a,constant,b", "2,1,2", *["0,0,0", "1,0,1", ",0,1", "0,0,"] * 40]
    matrix, _, _ = benchpress(lines)
    assert list(matrix.columns) == ["a", "constant", "b"]
    assert matrix["constant"].sum() == 0
    assert matrix.loc[0, "b"] == 1


def test_continuous_data_is_refused(benchpress):
    with pytest.raises(
        ValueError, match=r"'0\.2' for column 'a', which is no number of categories"
    ):
        benchpress(["a,b", "0.2,1", "0.3,2"])


def test_a_file_without_cardinalities_is_refused(benchpress):
    with pytest.raises(
        ValueError, match=r"column 'a' .* has 3 categories, but its second line says 1"
    ):
        benchpress(["a,b", "1,2", "0,1", "1,0", "2,1"])


def test_constraints_reach_the_graph(benchpress, asia):
    smoke_first = {"required_edges": [["either", "smoke"]], "forbidden_edges": [["asia", "tub"]]}
    matrix, _, _ = benchpress(written(asia), smoke_first)
    matrix.index = matrix.columns
    assert (matrix.loc["either", "smoke"], matrix.loc["smoke", "either"]) == (1, 0)
    assert matrix.loc["asia", "tub"] == 0


def test_time_limits_are_kept_by_benchpress(benchpress, asia):
    benchpress(written(asia), timeout="60")
    assert Path("time.out.guarded").read_text() == "60"


def allowed_by(knowledge, columns):
    """Every arrow that knowledge allows, read off its own rules."""
    allowed = knowledge.resolve(columns).allowed
    pairs = itertools.permutations(range(len(columns)), 2)
    return {(columns[i], columns[j]) for i, j in pairs if allowed[i, j]}


def test_each_kind_of_constraint(constraints_of):
    columns = ["a", "b", "c", "d"]
    every = set(itertools.permutations(columns, 2))

    def left(given):
        return allowed_by(constraints_of(given, columns), columns)

    assert left({}) == every
    assert left({"forbidden_edges": [["a", "b"]]}) == every - {("a", "b")}
    groups = [{"cause": ["a", "b"], "effect": ["c"]}]
    assert left({"forbidden_groups": groups}) == every - {("a", "c"), ("b", "c")}
    assert constraints_of({"required_groups": groups}, columns).required == (("a", "c"), ("b", "c"))
    tiers = {"tiers": [["a", "b"], ["c"], ["d"]]}
    backwards = {("c", "a"), ("c", "b"), ("d", "a"), ("d", "b"), ("d", "c")}
    assert left(tiers) == every - backwards
    within = {("a", "b"), ("b", "a")}
    for spelling in ("forbid_within_tiers", "forbidden_within_tiers"):
        assert left({**tiers, "tier_settings": {spelling: True}}) == every - backwards - within
    skipping = {("a", "d"), ("b", "d")}
    strict = {**tiers, "tier_settings": {"can_only_cause_next_tier": True}}
    assert left(strict) == every - backwards - skipping
    assert left({"source_nodes": ["d"]}) == {pair for pair in every if pair[1] != "d"}


def test_contexts_are_parents_without_parents(constraints_of):
    columns = ["a", "b", "c", "d"]
    everywhere = constraints_of({"context_all": ["a"]}, columns)
    assert everywhere.required == (("a", "b"), ("a", "c"), ("a", "d"))
    assert everywhere.no_parents == ("a",)
    in_tier = constraints_of({"tiers": [["a"], ["b", "c", "d"]], "context_tier": ["b"]}, columns)
    assert in_tier.required == (("b", "c"), ("b", "d"))
    assert in_tier.no_parents == ("b",)


def test_unknown_variables_are_ignored(constraints_of):
    given = {
        "forbidden_edges": [["a", "x"]],
        "required_groups": [{"cause": ["x"], "effect": ["a", "b"]}],
        "tiers": [["x"], ["a", "y"], ["b"]],
        "context_all": ["z"],
        "source_nodes": ["x"],
    }
    knowledge = constraints_of(given, ["a", "b"])
    assert (knowledge.required, knowledge.forbidden) == ((), ())
    assert knowledge.names == ("a", "b")


def test_contradictions_are_named(constraints_of):
    given = {"required_edges": [["b", "a"]], "tiers": [["a"], ["b"]]}
    with pytest.raises(ValueError, match="'b' -> 'a' is required, but 'b' is in tier 2"):
        constraints_of(given, ["a", "b"])


def test_the_schema_names_what_the_script_reads():
    properties = json.loads((MODULE / "schema.json").read_text())["items"]["properties"]
    read = {*USUAL, "edgeConstraints", "id"} - {"seed"}
    assert set(properties) == read
    examples = json.loads((MODULE / "schema.json").read_text())["items"]["examples"]
    assert all(set(example) == read for example in examples)
    config = json.loads((MODULE / "config.json").read_text())
    for item in config["resources"]["structure_learning_algorithms"]["bnsieve"]:
        assert set(item) == read


def test_one_version_everywhere():
    assert json.loads((MODULE / "info.json").read_text())["version"] == bn.__version__
    for name in ("rule.smk", "Dockerfile", "README.md"):
        assert f"bnsieve:{bn.__version__}" in (MODULE / name).read_text()
    assert f"bnsieve=={bn.__version__}" in (MODULE / "Dockerfile").read_text()
