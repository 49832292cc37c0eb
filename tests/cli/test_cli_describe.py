"""``bnsieve describe``, and the options that say what columns are."""

import json
import re

import numpy as np
import pandas as pd
import pytest
from typer.testing import CliRunner

import bnsieve as bn
from bnsieve.cli.app import app


@pytest.fixture
def rows(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    rng = np.random.default_rng(0)
    n = 800
    bmi = np.round(rng.normal(27, 5, n), 1)
    day = pd.Timestamp("2023-01-01") + pd.to_timedelta(rng.integers(0, 365, n), "D")
    frame = pd.DataFrame(
        {
            "id": np.arange(n),
            "seen": day,
            "bmi": bmi,
            "zone": rng.integers(100, 130, n),
            "heavy": np.where(bmi > 30, "yes", "no"),
            "mild": np.where(rng.random(n) < 0.3, None, "x"),
            "[bold]": ["u", "v"] * (n // 2),
        }
    )
    frame.to_parquet("rows.parquet", index=False, row_group_size=100)
    frame.assign(bmi=np.where(bmi > 45, "high", bmi.astype(str))).to_csv("rows.csv", index=False)
    return frame


def run(*arguments):
    return CliRunner().invoke(app, list(arguments))


@pytest.mark.parametrize("large", [False, True])
def test_describe_says_what_columns_are(rows, monkeypatch, large):
    if large:
        monkeypatch.setattr("bnsieve.table.LIMITS.in_memory", 5)
    for name in ("rows.parquet", "rows.csv"):
        result = run("describe", name, "--json", "-j", "1")
        assert result.exit_code == 0, result.output
        found = json.loads(result.stdout)
        assert found["rows"] == len(rows)
        columns = {one["name"]: one for one in found["columns"]}
        assert {one: columns[one]["role"] for one in columns} == {
            "id": "identifier",
            "seen": "date",
            "bmi": "quantity",
            "zone": "quantity",
            "heavy": "category",
            "mild": "constant",
            "[bold]": "category",
        }
        assert columns["mild"]["missing"] == int(rows["mild"].isna().sum())
        assert columns["zone"]["categories"] == rows["zone"].nunique()
    assert "seen_month" in run("describe", "rows.parquet", "-j", "1").stdout


def test_describe_for_people_and_for_later(rows):
    result = run("describe", "rows.csv", "--save", "plan.json", "--role", "zone=code", "-j", "1")
    assert "id: a different value in each of 800 rows" in result.stdout
    assert "[bold]" in result.stdout
    plan = bn.Preparation.load("plan.json")
    assert plan["zone"].role == "code"


def test_describe_promises_no_time(rows):
    """The time of a fit is not estimated; while it runs, the bar shows the time left."""
    for arguments in ((), ("--json",)):
        result = run("describe", "rows.parquet", *arguments, "-j", "1")
        assert result.exit_code == 0, result.output
        assert not re.search(r"\b\d+(\.\d+)? ?(s|sec|seconds?|min|minutes?)\b", result.output)
        assert "second" not in result.output


@pytest.mark.parametrize("large", [False, True])
def test_learn_takes_what_it_is_told(rows, monkeypatch, large):
    if large:
        monkeypatch.setattr("bnsieve.table.LIMITS.in_memory", 5)
    options = ["--role", "zone=code", "--cut", "bmi=18.5,25,30", "--drop", "id,seen", "-j", "1"]
    result = run("learn", "rows.parquet", "--json", "-o", "out", *options)
    assert result.exit_code == 0, result.output
    found = json.loads(result.stdout)
    assert found["cuts"] == {"bmi": [18.5, 25.0, 30.0]}
    assert found["graph"]["nodes"] == ["bmi", "zone", "heavy", "[bold]"]
    changes = {one["column"]: one["what"] for one in found["changes"]}
    assert changes == {"id": "dropped", "seen": "dropped", "mild": "dropped", "bmi": "binned"}
    again = found["command"].split()
    assert "zone=code" in again
    assert "bmi=18.5,25,30" in again


@pytest.mark.parametrize(
    ("options", "code", "message"),
    [
        (["--role", "zonne=code"], 1, "there is no column 'zonne': did you mean 'zone'"),
        (["--role", "zone=cod"], 1, "there is no role 'cod': did you mean 'code'"),
        (["--role", "zone"], 2, "must be COLUMN=ROLE"),
        (["--cut", "bmi=a,b"], 2, "must be numbers"),
        (["--cut", "bmi=3,2"], 1, "must ascend"),
        (["--drop", "idd,seen"], 1, "there is no column 'idd': did you mean 'id'"),
    ],
)
def test_mistakes_are_named(rows, options, code, message):
    result = run("describe", "rows.csv", *options)
    assert result.exit_code == code
    assert message in " ".join(result.output.replace("│", " ").split())
