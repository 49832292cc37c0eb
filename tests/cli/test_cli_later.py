"""``bnsieve explain``, ``update`` and ``impute``: what is done with the model of a run."""

import json

import numpy as np
import pandas as pd
import pytest
from typer.testing import CliRunner

import bnsieve as bn
from bnsieve.cli.app import app
from bnsieve.cli.run.run import METHODS
from bnsieve.learners import stages
from bnsieve.table import LIMITS


def run(*arguments):
    return CliRunner().invoke(app, [str(one) for one in arguments])


@pytest.fixture
def rows(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    data = bn.load_network("asia").sample(1_200, random_state=0).astype(str)
    data["age"] = np.where(data["smoke"] == "yes", 60.5, 41.25) + np.arange(1_200) % 7
    data["id"] = range(1_200)
    data.loc[::9, "xray"] = None
    data.loc[::13, "age"] = None
    data.iloc[:900].to_csv("old.csv", index=False)
    data.iloc[900:].to_csv("new.csv", index=False)
    data.to_csv("all.csv", index=False)
    return data


@pytest.fixture
def learned(rows):
    assert run("learn", "old.csv", "-o", "net", "-j", "1", "-q").exit_code == 0


def test_explain(learned):
    learner = bn.load("net/learner.bnsieve")
    shown = run("explain", "net", "either", "xray")
    assert shown.exit_code == 0
    assert shown.stdout.strip() == str(learner.explain("either", "xray"))
    found = json.loads(run("explain", "net/learner.bnsieve", "asia", "dysp", "--json").stdout)
    assert found == json.loads(json.dumps(learner.explain("asia", "dysp").to_dict()))


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("net", "either", "id"), "the column 'id' was left out: a different value in each"),
        (("net", "either", "eihter"), "there is no column 'eihter': the columns are"),
        (("net", "either", "either"), "takes two variables"),
        (("nothing", "a", "b"), "there is no file 'nothing'"),
        (("asia", "either", "xray"), "give the folder that `bnsieve learn` wrote"),
        (("old.csv", "a", "b"), "old.csv"),
    ],
)
def test_explain_refuses(learned, arguments, message):
    result = run("explain", *arguments)
    assert result.exit_code == 1
    assert message in result.stderr


@pytest.mark.parametrize("max_cells", [1 << 24, 5_000])
def test_update_gives_what_all_rows_give(rows, tmp_path, monkeypatch, max_cells):
    # With the same cuts, in memory and in files.
    rows["age"] = np.where(rows["age"] > 55, "old", "young")
    kept = rows.drop(columns="xray").astype({"id": str})
    kept["number"] = np.where(kept["bronc"] == "yes", 1.5, 7.25)
    kept.iloc[:900].to_csv("old.csv", index=False)
    kept.iloc[900:].to_csv("new.csv", index=False)
    kept.to_csv("all.csv", index=False)
    monkeypatch.setattr(LIMITS, "in_memory", max_cells)
    if max_cells == 5_000:  # files are sampled, and counts are kept of them
        monkeypatch.setattr(stages, "MANY_ROWS", 500)
        monkeypatch.setitem(
            METHODS, "search", lambda **options: bn.TsetlinSieve(sample_rows=500, **options)
        )
    assert run("learn", "old.csv", "-o", "net", "-j", "1", "-q").exit_code == 0
    assert run("learn", "all.csv", "-o", "whole", "-j", "1", "-q").exit_code == 0
    result = run("update", "net", "new.csv", "-o", "both", "-j", "1")
    assert result.exit_code == 0, result.output
    assert "300 rows of new.csv" in result.stdout
    record = json.loads((tmp_path / "both" / "run.json").read_text(encoding="utf-8"))
    assert record["data"]["rows"] == 1_200
    (update,) = record["updates"]
    assert update == {"data": "new.csv", "files": ["new.csv"], "rows": 300, "changes": []}
    learner = bn.load("both/learner.bnsieve")
    assert (learner.fit_result_.counted is not None) == (max_cells == 5_000)
    if max_cells > 5_000:
        assert bn.read("both/network.bif") == bn.read("whole/network.bif")
    assert bn.read("both/graph.json").n_edges > 5


def test_update_in_place_and_refusals(learned, rows, tmp_path):
    assert run("update", "net", "new.csv", "-j", "1", "-q").exit_code == 0
    record = json.loads((tmp_path / "net" / "run.json").read_text(encoding="utf-8"))
    assert record["data"]["rows"] == 1_200
    assert [one["name"] for one in record["data"]["files"]] == ["old.csv", "new.csv"]
    rows.drop(columns="lung").to_csv("less.csv", index=False)
    result = run("update", "net", "less.csv")
    assert result.exit_code == 1
    assert "lacks the column 'lung'" in result.stderr
    assert run("learn", "old.csv", "-o", "pc", "-m", "pc", "-j", "1", "-q").exit_code == 0
    assert "of --method search or tests can be updated" in run("update", "pc", "new.csv").stderr


def test_impute(learned, rows):
    result = run("impute", "net", "all.csv", "-o", "filled.csv")
    assert result.exit_code == 0, result.output
    n_gaps = int(rows.isna().sum().sum())
    assert f"{n_gaps} values of" in result.stdout
    given, filled = pd.read_csv("all.csv"), pd.read_csv("filled.csv")
    assert not filled.isna().any(axis=None)
    for name in given.columns:  # known cells are as they were
        known = given[name].notna()
        assert filled.loc[known, name].tolist() == given.loc[known, name].tolist()
    # xray follows either nearly always: 98 % and 95 %, by the network that the rows are from.
    drawn = filled[given["xray"].isna()]
    assert (drawn["xray"] == drawn["either"]).mean() > 0.85
    # age is a function of smoke.
    drawn = filled[given["age"].isna()]
    assert ((drawn["age"] > 55) == (drawn["smoke"] == "yes")).mean() > 0.97
    assert run("impute", "net", "filled.csv", "-o", "again.csv").stdout.startswith("0 values")


def test_impute_refuses_labels_never_seen(learned, rows):
    rows.assign(lung="perhaps").to_csv("odd.csv", index=False)
    result = run("impute", "net", "odd.csv", "-o", "x.csv")
    assert result.exit_code == 1
    assert "'lung' has no state 'perhaps'" in result.stderr
