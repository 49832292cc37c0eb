"""``bnsieve drivers``, and the drivers that ``bnsieve learn --target`` shows first."""

import json
import xml.etree.ElementTree as ET

import numpy as np
import pandas as pd
import pytest
from typer.testing import CliRunner

from bnsieve.cli.app import app


def answered(*arguments):
    result = CliRunner().invoke(app, [str(argument) for argument in arguments])
    assert result.exit_code == 0, result.stderr
    return result.stdout


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Weather drives delays by closed roads; a formula is the name of a column."""
    path = tmp_path_factory.mktemp("drivers")
    rng = np.random.default_rng(0)
    n = 2_500
    storm = rng.random(n) < 0.3
    closed = rng.random(n) < 0.1 + 0.6 * storm
    late = rng.random(n) < 0.1 + 0.5 * closed
    columns = {"storm": storm, "=closed": closed, "late": late, "coin": rng.random(n) < 0.5}
    frame = pd.DataFrame(columns).replace({True: "yes", False: "no"})
    frame.to_csv(path / "rows.csv", index=False)
    answered("learn", path / "rows.csv", "-o", path / "learned", "--quiet")
    return path


def test_drivers_are_printed_and_written(folder):
    shown = answered("drivers", folder / "learned", "late")
    lines = shown.splitlines()
    assert lines[0] == "drivers of late = yes"
    assert lines[2].split()[0] == "=closed"
    assert "written to" in lines[-1]
    table = pd.read_csv(folder / "learned" / "drivers.csv")
    assert list(table.variable) == ["'=closed", "storm"]  # text, not a formula
    assert table.difference[0] == pytest.approx(0.5, abs=0.05)
    assert table.low[0] < 0.5 < table.high[0]
    assert ET.parse(folder / "learned" / "tornado.svg").getroot().tag.endswith("svg")


def test_drivers_for_a_program(folder, tmp_path):
    found = json.loads(
        answered("drivers", folder / "learned", "late", "--state", "no", "--json", "-o", tmp_path)
    )
    assert found["state"] == "no"
    assert [one["variable"] for one in found["drivers"]] == ["=closed", "storm"]
    assert found["drivers"][0]["sign"] == "-"
    assert found["others"] == ["coin"]
    assert (tmp_path / "drivers.csv").exists()


def test_drivers_of_a_network_that_comes_with_bnsieve():
    shown = answered("drivers", "asia", "lung")
    assert "By the network only" in shown
    assert "written" not in shown


def test_a_target_that_is_unknown_is_refused(folder):
    result = CliRunner().invoke(app, ["drivers", str(folder / "learned"), "lat"])
    assert result.exit_code == 1
    assert "did you mean 'late'" in result.stderr


def test_learn_with_a_target_shows_its_drivers_first(folder):
    shown = answered("learn", folder / "rows.csv", "-o", folder / "target", "--target", "late")
    lines = shown.splitlines()
    assert lines[0].split() == ["drivers", "of", "late", "=", "yes:"]
    assert lines[1].split()[0] == "=closed"
    assert (folder / "target" / "tornado.svg").exists()
    record = json.loads((folder / "target" / "run.json").read_text(encoding="utf-8"))
    assert record["drivers"]["drivers"][0]["variable"] == "=closed"
    assert json.loads((folder / "learned" / "run.json").read_text("utf-8"))["drivers"] is None


def test_the_summary_says_what_is_compared_and_what_directions_leave_open(tmp_path):
    rng = np.random.default_rng(0)
    rain = rng.random(2_000) < 0.3
    frame = pd.DataFrame({"rain": rain, "wet": rain ^ (rng.random(2_000) < 0.1)})
    frame.replace({True: "yes", False: "no"}).to_csv(tmp_path / "rows.csv", index=False)
    shown = answered("learn", tmp_path / "rows.csv", "-o", tmp_path / "learned", "--target", "wet")
    words = " ".join(shown.split())
    assert "(yes against no), direct (undetermined); undetermined directions leave it" in words
    assert "between +0.0 and" in words
