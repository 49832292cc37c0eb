"""Tests of what runs every night: saved plans, logs, warnings of updates, records."""

import json
from datetime import datetime
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import bnsieve as bn
from cli_runs import answered, run


def rows_of(n: int, seed: int) -> pd.DataFrame:
    rng = np.random.default_rng(seed)
    plan = rng.choice(["free", "pro"], n, p=[0.7, 0.3])
    use = np.round(10 + 4 * (plan == "pro") + rng.normal(size=n), 2)
    churn = np.where(rng.random(n) < np.where(use > 13, 0.1, 0.4), "yes", "no")
    return pd.DataFrame({"plan": plan, "use": use, "churn": churn})


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    rows_of(1_500, 1).to_csv("monday.csv", index=False)
    rows_of(1_500, 2).to_csv("tuesday.csv", index=False)
    return tmp_path


def test_a_saved_plan_locks_the_columns(folder: Path) -> None:
    answered("describe", "monday.csv", "--save", "plan.json")
    rows_of(1_500, 2).assign(campaign="spring").to_csv("more.csv", index=False)
    told = answered("learn", "more.csv", "--plan", "plan.json", "-o", "net")
    assert "left out, as plan.json does not have them: campaign" in " ".join(told.split())
    record = json.loads(Path("net/run.json").read_text())
    assert "--plan plan.json" in record["command"]
    assert set(bn.load("net/learner.bnsieve").dag_.nodes) == {"plan", "use", "churn"}
    rows = rows_of(1_500, 3).drop(columns="churn").astype({"use": object})
    rows.loc[rows.index[:300], "use"] = "n/a-scale"
    rows.to_csv("wrong.csv", index=False)
    refused = run("learn", "wrong.csv", "--plan", "plan.json", "-o", "other")
    assert refused.exit_code == 1
    assert "column 'churn' is missing" in refused.stderr
    assert "use: 300 cells (20.0%) are no numbers: 'n/a-scale'" in refused.stderr
    assert not Path("other").exists()
    refused = run("learn", "monday.csv", "--plan", "plan.json", "--drop", "use", "-o", "other")
    assert "leave out --drop" in refused.stderr


def test_logs_have_times(folder: Path) -> None:
    done = run("learn", "monday.csv", "--log-format", "json", "-o", "net", "--quiet")
    lines = [json.loads(line) for line in done.stderr.splitlines()]
    assert [line["stage"] for line in lines][:2] == ["reading", "columns"]
    times = [datetime.fromisoformat(line["time"]) for line in lines]
    assert times == sorted(times)
    record = json.loads(Path("net/run.json").read_text())
    assert (record["format"], record["version"]) == ("bnsieve run", 1)
    started, ended = (datetime.fromisoformat(record[name]) for name in ("started", "ended"))
    assert started <= times[0].replace(microsecond=999_999)
    assert started <= ended
    assert len(record["data"]["files"][0]["sha256"]) == 64
    done = run("update", "net", "tuesday.csv", "--log-format", "text")
    assert done.exit_code == 0
    assert " info updating" in done.stderr


def test_update_says_what_is_new(folder: Path) -> None:
    answered("learn", "monday.csv", "-o", "net")
    quiet = run("update", "net", "tuesday.csv", "-o", "both")
    assert quiet.stderr == ""
    rows = rows_of(1_500, 2)
    rows.loc[rows.index[:90], "plan"] = "gold"
    rows.to_csv("gold.csv", index=False)
    loud = run("update", "net", "gold.csv", "-o", "three")
    assert loud.exit_code == 0
    assert "warning: plan: new category 'gold' in 90 rows (6.0%)" in loud.stderr
    assert "`bnsieve check` shows them" in loud.stderr
    [added] = json.loads(Path("three/run.json").read_text())["updates"]
    assert added["changes"][0] == "plan: new category 'gold' in 90 rows (6.0%)"
