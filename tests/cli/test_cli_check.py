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
    path = tmp_path_factory.mktemp("check") / "asia.bnsieve"
    rows = bn.load_network("asia").sample(10_000, random_state=1)
    bn.TsetlinSieve(random_state=0).fit(rows).save(path)
    return path


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


@pytest.mark.parametrize(
    ("change", "section", "text"),
    [
        (_new_column, "schema", "campaign: new"),
        (_missing_column, "schema", "lung: missing"),
        (_new_category, "schema", "xray: new category 'unsure' in 100 rows (3.3%)"),
        (_moved_share, "margins", "asia: "),
        (_unreadable, "schema", "bronc: new category 'n/a-scale' in 900 rows (30.0%)"),
        (_lost_effect, "mechanisms", "bronc"),
    ],
)
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
    bn.TsetlinSieve(random_state=0).fit(rows).save(tmp_path / "model.bnsieve")
    done = checked(tmp_path / "model.bnsieve", rows, tmp_path)
    assert done.exit_code == 3
    assert "800 rows (100%) are the same as rows learned from" in done.output


def test_an_unknown_section_is_refused(model: Path, tmp_path: Path) -> None:
    done = checked(model, today(), tmp_path, "--fail-on", "everything")
    assert done.exit_code == 2
    assert "must be schema, margins, mechanisms, rows" in " ".join(done.output.split())
