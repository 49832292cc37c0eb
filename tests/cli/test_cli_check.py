"""Tests of ``bnsieve check``: the six changes that nobody was told of, and exit codes."""

import json
import re
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from typer.testing import CliRunner

import bnsieve as bn
from bnsieve.cli.app import app

runner = CliRunner()


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("check")
    bn.load_network("asia").sample(10_000, random_state=1).to_csv(folder / "d.csv", index=False)
    return learned(folder / "d.csv", folder / "model")


def learned(rows: Path, folder: Path) -> Path:
    done = runner.invoke(app, ["learn", str(rows), "-o", str(folder), "--quiet"])
    assert done.exit_code == 0, done.output
    return folder


def today() -> pd.DataFrame:
    return bn.load_network("asia").sample(3_000, random_state=2).astype(object)


def checked(model: Path, rows: pd.DataFrame, tmp_path: Path, *options: str):
    rows.to_csv(tmp_path / "rows.csv", index=False)
    return runner.invoke(app, ["check", str(model), str(tmp_path / "rows.csv"), *options])


def test_no_change_is_exit_code_0(model: Path, tmp_path: Path) -> None:
    done = checked(model, today(), tmp_path)
    assert done.exit_code == 0, done.output
    assert "no change found" in done.output


def _new_column(rows: pd.DataFrame) -> pd.DataFrame:
    return rows.assign(campaign="spring")


def _missing_column(rows: pd.DataFrame) -> pd.DataFrame:
    return rows.drop(columns="lung")


def _new_category(rows: pd.DataFrame) -> pd.DataFrame:
    return rows.assign(xray=np.where(rows.index < 100, "unsure", rows["xray"]))


def _moved_share(rows: pd.DataFrame) -> pd.DataFrame:
    rng = np.random.default_rng(0)
    return rows.assign(asia=np.where(rng.random(len(rows)) < 0.5, "yes", rows["asia"]))


def _unreadable(rows: pd.DataFrame) -> pd.DataFrame:
    return rows.assign(bronc=np.where(rows.index % 10 < 3, "n/a-scale", rows["bronc"]))


def _lost_effect(rows: pd.DataFrame) -> pd.DataFrame:
    return rows.assign(bronc=np.random.default_rng(0).permutation(rows["bronc"].to_numpy()))


CHANGES = [
    (_new_column, "schema", "campaign: new"),
    (_missing_column, "schema", "lung: missing"),
    (_new_category, "schema", "xray: new category 'unsure' in 100 rows (3.3%)"),
    (_moved_share, "margins", "asia"),
    (_unreadable, "schema", "bronc: new category 'n/a-scale' in 900 rows (30.0%)"),
    (_lost_effect, "mechanisms", "bronc"),
]


@pytest.mark.parametrize(("change", "section", "text"), CHANGES)
def test_changes_are_exit_code_3(model: Path, tmp_path: Path, change, section, text) -> None:
    rows = change(today())
    done = checked(model, rows, tmp_path)
    assert done.exit_code == 3, done.output
    assert text in done.output
    found = json.loads(checked(model, rows, tmp_path, "--json").stdout)
    assert section in found["changed"]
    assert (found["format"], found["version"]) == ("bnsieve check", 1)
    assert checked(model, rows, tmp_path, "--fail-on", section, "--quiet").exit_code == 3
    assert checked(model, rows, tmp_path, "--fail-on", "none", "--quiet").exit_code == 0


@pytest.mark.parametrize(
    ("change", "section", "text"), [one for one in CHANGES if one[0] is not _missing_column]
)
def test_update_warns_of_changes(model: Path, tmp_path: Path, change, section, text) -> None:
    change(today()).to_csv(tmp_path / "rows.csv", index=False)
    arguments = [str(model), str(tmp_path / "rows.csv"), "-o", str(tmp_path / "next")]
    done = runner.invoke(app, ["update", *arguments, "--quiet"])
    assert done.exit_code == 0, done.output
    warnings = " ".join(done.stderr.split())
    assert f"warning: {text}" in warnings or f"mechanisms than before: {text}" in warnings
    (last,) = re.findall(r"warning: changes in ([^:]*): `bnsieve check` shows them", warnings)
    assert section in last


def test_update_refuses_rows_without_a_column(model: Path, tmp_path: Path) -> None:
    _missing_column(today()).to_csv(tmp_path / "rows.csv", index=False)
    arguments = [str(model), str(tmp_path / "rows.csv"), "-o", str(tmp_path / "next")]
    done = runner.invoke(app, ["update", *arguments, "--quiet"])
    assert done.exit_code == 1
    assert "the data lacks the column 'lung', which was there before" in done.stderr
    assert not (tmp_path / "next").exists()


def test_update_is_quiet_about_rows_that_did_not_change(model: Path, tmp_path: Path) -> None:
    today().to_csv(tmp_path / "rows.csv", index=False)
    arguments = [str(model), str(tmp_path / "rows.csv"), "-o", str(tmp_path / "next")]
    done = runner.invoke(app, ["update", *arguments, "--quiet"])
    assert (done.exit_code, done.stderr) == (0, "")


def test_update_says_why_rows_could_not_be_checked(
    model: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: object, **__: object) -> None:
        raise ValueError("no test for these rows")

    today().to_csv(tmp_path / "rows.csv", index=False)
    monkeypatch.setattr(bn.TsetlinSieve, "check", refuse)
    arguments = [str(model), str(tmp_path / "rows.csv"), "-o", str(tmp_path / "next")]
    done = runner.invoke(app, ["update", *arguments, "--quiet"])
    assert done.exit_code == 0, done.output
    warning = "the new rows could not be checked for changes: no test for these rows"
    assert " ".join(done.stderr.split()) == f"warning: {warning}"
    record = json.loads((tmp_path / "next" / "run.json").read_text())
    assert record["updates"][-1]["changes"] == [warning]


def test_update_says_that_a_pipe_is_not_checked(model: Path, tmp_path: Path) -> None:
    rows = _new_category(today()).to_csv(index=False)
    arguments = [str(model), "-", "-o", str(tmp_path / "next"), "--quiet"]
    done = runner.invoke(app, ["update", *arguments], input=rows)
    assert done.exit_code == 0, done.output
    said = "warning: the new rows were not checked for changes: a pipe can be read only once"
    assert said in " ".join(done.stderr.split())


def test_a_page_says_what_was_found_and_not_what_is(model: Path, tmp_path: Path) -> None:
    page = tmp_path / "today.html"
    assert checked(model, today(), tmp_path, "-o", str(page)).exit_code == 0
    text = page.read_text()
    for thing in ("mechanism", "margin"):
        assert f"No changed {thing} found." in text
    assert "Every variable" not in text


def test_a_page_colours_what_changed(model: Path, tmp_path: Path) -> None:
    page = tmp_path / "today.html"
    done = checked(model, _lost_effect(today()), tmp_path, "-o", str(page), "--target", "dysp")
    assert done.exit_code == 3
    assert f"wrote {page}" in done.output.replace("\n", "")
    text = page.read_text()
    boxes = re.findall(r'<g class="node cause"[^>]*aria-label="(\w+)', text)
    assert "bronc" in boxes
    assert "smoke" not in boxes
    assert "Why dysp" in text
    refused = checked(model, today(), tmp_path, "-o", str(tmp_path / "rows.csv"))
    assert refused.exit_code == 1
    assert "name another place with -o" in " ".join(refused.output.split())


def test_the_same_file_again(tmp_path: Path) -> None:
    rng = np.random.default_rng(0)
    rows = pd.DataFrame(rng.integers(0, 6, (800, 10)), columns=list("abcdefghij")).astype(str)
    rows.to_csv(tmp_path / "d.csv", index=False)
    model = learned(tmp_path / "d.csv", tmp_path / "model")
    done = checked(model, rows, tmp_path)
    assert done.exit_code == 3
    assert "800 rows (100%) are copies of training rows" in done.output
    again = [str(model), str(tmp_path / "rows.csv"), "-o", str(tmp_path / "next"), "--quiet"]
    done = runner.invoke(app, ["update", *again])
    assert done.exit_code == 0, done.output
    assert "warning: 800 rows (100%) are copies of training rows" in done.stderr


def test_an_unknown_section_is_refused(model: Path, tmp_path: Path) -> None:
    done = checked(model, today(), tmp_path, "--fail-on", "everything")
    assert done.exit_code == 2
    assert "must be schema, margins, mechanisms, rows" in " ".join(done.output.split())
