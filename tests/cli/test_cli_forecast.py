"""``bnsieve forecast``: from a saved learner and recent rows to a table, a picture or JSON."""

import json
import xml.etree.ElementTree as ET

import numpy as np
import pandas as pd
import pytest

from bnsieve import TsetlinSieve
from cli_runs import answered, run


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A valve and a flow that follows it."""
    path = tmp_path_factory.mktemp("forecast")
    rng = np.random.default_rng(0)
    valve = np.repeat(rng.integers(2, size=200), 3)
    flow = (np.roll(valve, 1) ^ (rng.random(600) < 0.05)).astype(int)
    frame = pd.DataFrame({"at": np.arange(600), "valve": valve, "flow": flow})
    frame = frame.replace({"valve": {0: "shut", 1: "open"}, "flow": {0: "low", 1: "high"}})
    TsetlinSieve(time="at", random_state=0).fit(frame).save(path / "learner.bnsieve")
    frame.tail(4).to_csv(path / "recent.csv", index=False)
    return path


def test_a_forecast_is_printed_and_written(folder) -> None:
    target = folder / "forecast.csv"
    shown = answered(
        "forecast", folder / "learner.bnsieve", folder / "recent.csv", "-n", "2", "-o", target
    )
    assert shown.startswith("forecast, 2 steps: 600 to 601")
    assert "1 series written to" in shown
    table = pd.read_csv(target)
    assert list(table.columns) == ["at", "step", "variable", "state", "probability"]
    assert len(table) == 2 * 2 * 2
    np.testing.assert_allclose(table.groupby(["variable", "step"])["probability"].sum(), 1.0)


def test_scenarios_for_a_program(folder) -> None:
    found = json.loads(
        answered(
            "forecast", folder / "learner.bnsieve", folder / "recent.csv", "--json",
            "--steps", "2", "--do", "valve@t+1=open",
        )
    )  # fmt: skip
    assert found["scenario"] == "do(valve = open at t+1)"
    assert found["exact"] is True
    (flow,) = (
        line["probability"]
        for line in found["forecast"]
        if (line["variable"], line["step"], line["state"]) == ("flow", 2, "high")
    )
    assert flow == pytest.approx(0.95, abs=0.03)


def test_a_picture_is_written(folder) -> None:
    target = folder / "forecast.svg"
    answered("forecast", folder / "learner.bnsieve", folder / "recent.csv", "-o", target, "-q")
    assert ET.parse(target).getroot().tag.endswith("svg")


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--do", "valve"], "--do takes variable@t+1=value"),
        (["--do", "valve@t+1=ajar"], "no state 'ajar'"),
        (["--given", "valv=open"], "did you mean 'valve'"),
        (["--steps", "0"], "steps must be"),
    ],
)
def test_what_means_nothing_is_refused_in_one_line(folder, arguments, said) -> None:
    result = run("forecast", folder / "learner.bnsieve", folder / "recent.csv", *arguments)
    assert result.exit_code == 1
    assert said in result.stderr
    assert len(result.stderr.strip().splitlines()) == 1


def test_a_network_without_time_is_refused(folder) -> None:
    result = run("forecast", "asia", folder / "recent.csv")
    assert result.exit_code == 1
    assert "without its learner" in result.stderr


def test_learn_chooses_lags(folder) -> None:
    rng = np.random.default_rng(0)
    valve = rng.integers(2, size=500)
    flow = np.roll(valve, 2) ^ (rng.random(500) < 0.05)
    rows = pd.DataFrame({"at": np.arange(500), "valve": valve, "flow": flow.astype(int)})
    rows.astype(str).to_csv(folder / "rows.csv", index=False)
    told = answered(
        "learn", folder / "rows.csv", "-o", folder / "model", "--time", "at", "--lags", "auto"
    )
    assert "2 lags chosen from 1 to 12: they predict" in told
    record = json.loads((folder / "model" / "run.json").read_text())
    assert record["time"]["lag_choice"]["lags"] == record["time"]["lags"] == 2
    assert "--lags auto" in record["command"]
    assert "step" in answered("forecast", folder / "model", folder / "recent.csv")
    refused = run("learn", folder / "rows.csv", "--time", "at", "--lags", "many")
    assert "'many' must be a whole number from 1 to 100, or auto" in " ".join(
        refused.stderr.replace("│", " ").split()
    )


def test_what_is_left_out_is_in_the_file(tmp_path) -> None:
    rng = np.random.default_rng(0)
    valve = np.repeat(rng.choice(["open", "shut"], 200), 3)
    frame = pd.DataFrame(
        {"at": np.tile(np.arange(30), 20), "machine": np.repeat(np.arange(20), 30), "valve": valve}
    ).assign(flow=rng.choice(["low", "high"], 600))
    learner = TsetlinSieve(time="at", by="machine", random_state=0).fit(frame)
    learner.save(tmp_path / "learner.bnsieve")
    frame.to_csv(tmp_path / "recent.csv", index=False)
    given = ("forecast", tmp_path / "learner.bnsieve", tmp_path / "recent.csv", "-n", 1)
    assert "more forecasts: -o FILE.csv writes all of them" in answered(*given)
    target = tmp_path / "all.csv"
    assert "all.csv has all of them" in " ".join(answered(*given, "-o", target).split())
    assert pd.read_csv(target)["machine"].nunique() == 20
