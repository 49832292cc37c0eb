"""The catalogue of hostile columns and names: fit on a frame, ``bnsieve learn``, Parquet."""

import json
import warnings
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from typer.testing import CliRunner

import bnsieve as bn
from bnsieve.cli.app import app
from hostile.columns import COLUMNS, NAMES, N

# Depend on each other, and on no column of the catalogue: these repeat after two to five rows.
RANDOM = np.random.default_rng(5)
CAUSE = RANDOM.permutation(np.arange(N) % 2)
EFFECT = np.where(RANDOM.random(N) < 0.08, 1 - CAUSE, CAUSE)


def frame_of(name, cells):
    frame = pd.DataFrame(
        {"cause": np.array(["no", "yes"])[CAUSE], "effect": np.array(["low", "high"])[EFFECT]}
    )
    frame[name] = cells
    return frame


def fitted(data):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # columns that are left out
        return bn.TsetlinSieve(random_state=0, n_jobs=1).fit(data)


def taken_for(learner, name):
    plan = learner.preparation_[name]
    return plan.role, plan.n_categories


def learned_by_command(*options):
    """Run ``bnsieve learn``; return what it took each column for, and the edges."""
    result = CliRunner().invoke(app, ["learn", "rows.csv", "-o", "out", "--jobs", "1", *options])
    assert result.exit_code == 0, result.stderr
    assert "\x1b" not in result.output
    record = json.loads(Path("out/run.json").read_text(encoding="utf-8"))
    edges = bn.read("out/graph.json").edges
    return {one["name"]: (one["role"], one["categories"]) for one in record["preparation"]}, edges


def check(expected, found, edges):
    role, _, categories = expected.partition(" ")
    if role != "*":
        assert found[0] == role
    if categories:
        assert found[1] == int(categories)
    assert {"cause", "effect"} in [set(edge[:2]) for edge in edges]


def each(route):
    """Return the mark that runs a test with each column that a route can hold."""
    held = [column for column in COLUMNS if column.expected(route) != "-"]
    return pytest.mark.parametrize("column", held, ids=lambda column: column.name)


@each("frame")
def test_columns_of_frames(column):
    learner = fitted(frame_of("hostile", column.cells()))
    check(column.frame, taken_for(learner, "hostile"), learner.graph_.edges)


@each("parquet")
def test_columns_of_parquet_files(column, tmp_path):
    path = tmp_path / "rows.parquet"
    frame_of("hostile", column.cells()).to_parquet(path)
    learner = fitted(path)
    check(column.expected("parquet"), taken_for(learner, "hostile"), learner.graph_.edges)


@each("csv")
def test_columns_of_csv_files(column, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    frame_of("hostile", column.cells()).to_csv("rows.csv", index=False, encoding="utf-8")
    found, edges = learned_by_command()
    check(column.expected("csv"), found["hostile"], edges)


@pytest.mark.parametrize("name", NAMES, ids=lambda name: ascii(name)[:30])
def test_names(name, tmp_path, monkeypatch):
    """A name comes out as it went in, whatever the way."""
    monkeypatch.chdir(tmp_path)
    frame = frame_of(name, np.array(["p", "q"])[np.arange(N) % 2])
    frame.to_csv("rows.csv", index=False, encoding="utf-8", lineterminator="\n")
    frame.to_parquet("rows.parquet")
    nodes = ("cause", "effect", name)
    for data in (frame, "rows.parquet"):
        learner = fitted(data)
        assert learner.graph_.nodes == nodes
        check("category 2", taken_for(learner, name), learner.graph_.edges)
    found, edges = learned_by_command()
    check("category 2", found[name], edges)
    assert bn.read("out/network.bif").graph.nodes == nodes
