"""The study of scale at a size that shows only that it runs, and the wide path beside the usual."""

import csv
import json
import subprocess
import sys

import numpy as np
import pytest

import bnsieve as bn
from benchmarks.common.environments import for_children
from benchmarks.scale import runner, study
from benchmarks.scale.child import in_child
from benchmarks.scale.rows import random_network
from bnsieve.learners import screening, tsetlin_sieve
from bnsieve.metrics import compare


@pytest.fixture
def run(capsys):
    """Run a part of the study and return what it prints."""

    def run(*arguments):
        study.main([*map(str, arguments)])
        return capsys.readouterr().out

    return run


def lines_of(path):
    with path.open(newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


def test_rows_are_measured_in_processes_of_their_own_and_go_on_after_an_interruption(tmp_path, run):
    output, rows = tmp_path / "results", tmp_path / "rows"
    common = ("--network", "asia", "--repeats", 1, "--folder", rows, "-o", output)
    assert "12,000 rows x 8" in run("rows", *common, "--size", 12_000)
    assert [path.name for path in rows.iterdir()] == ["asia-12000x8-1"]
    printed = run("rows", *common, "--size", 12_000, 400, "--delete")
    assert "12,000" not in printed
    assert not any(rows.iterdir())
    found = lines_of(output / "rows.csv")
    assert [(one["what"], one["rows"]) for one in found] == [
        *(("reading", "12000"), ("learning", "12000")),
        *(("reading", "400"), ("learning", "400")),
    ]
    learned = found[1]
    assert float(learned["f1"]) > 0.5
    assert 0 < float(learned["peak_mb"]) < 500
    assert learned["version"] == bn.__version__
    assert json.loads(learned["detail"])["configurations"] > 1
    assert "configurations" not in json.loads(found[3]["detail"])


@pytest.mark.slow
def test_every_study_is_made_and_reported(tmp_path, run):
    output = tmp_path / "results"
    common = ("--folder", tmp_path / "rows", "-o", output, "--repeats", 1)
    asia = ("--network", "asia", "--rows", 24_000, *common)
    run("rows", "--network", "asia", "--size", 12_000, *common)
    run("variables", "--size", 12, "--rows", 400, "--threads", 2, *common)
    assert "2nd pass" in run("passes", *asia)
    run("sample", *asia, "--size", 500)
    run("update", *asia, "--files", 10)
    for part in ("passes", "update"):
        n_lines = len(lines_of(output / f"{part}.csv"))
        run(part, *asia, *(("--files", 10) if part == "update" else ()))
        assert len(lines_of(output / f"{part}.csv")) == n_lines
    found = lines_of(output / "update.csv")
    assert [one["what"] for one in found] == ["second pass", "update", "update and decide"]
    assert json.loads(found[1]["detail"]) == {"files": 10, "new": 1}
    printed = run("report", output)
    assert {path.name for path in output.glob("*.png")} == {"rows.png", "variables.png"}
    assert "README.md" in printed
    text = (output / "README.md").read_text(encoding="utf-8")
    assert text.count("<!-- --8<-- [start:") == 6


@pytest.mark.slow
def test_workers_of_ray_take_turns_with_threads(tmp_path):
    pytest.importorskip("ray")
    common = ("--network", "asia", "--rows", 24_000, "--repeats", 1, "--folder", tmp_path)
    command = [sys.executable, "-m", "benchmarks", "scale", "passes", "--threads", "2"]
    command += ["--workers", "2", *map(str, common), "-o", str(tmp_path)]
    subprocess.run(command, check=True, capture_output=True, env=for_children())
    found = lines_of(tmp_path / "passes.csv")
    assert [(one["engine"], one["workers"]) for one in found] == [("local", "2")] * 3 + [
        ("ray", "2")
    ] * 3
    assert [one["processor_seconds"] == "nan" for one in found] == [False] * 3 + [True] * 3


def test_what_fails_in_a_process_of_its_own_is_said(tmp_path):
    job = runner.row_jobs("asia", [400], 1, 1, 1)[0]
    with pytest.raises(RuntimeError, match=r"reading 400 rows of 8 columns failed: .*nowhere"):
        in_child(job, tmp_path / "nowhere")


def test_no_results_no_report(tmp_path):
    with pytest.raises(FileNotFoundError, match="has no results"):
        study.main(["report", str(tmp_path)])


def test_few_rows_are_not_spread_over_files():
    assert runner.n_files(10_000, 8) == 1
    assert runner.n_files(10**8, 8) == 8


def test_random_networks_are_sparse():
    network = random_network(300, 0)
    assert network.graph.n_nodes == 300
    n_parents = [len(network.parents(name)) for name in network.graph.nodes]
    assert max(n_parents) == 3
    assert {len(levels) for levels in network.levels.values()} == {2, 3, 4}
    assert random_network(300, 0) == network


def test_few_visible_columns_are_enough_where_links_are_plain(monkeypatch):
    network = random_network(60, 1)
    frame = network.sample(2000, random_state=0)
    learner = tsetlin_sieve.TsetlinSieve(random_state=0)
    all_visible = compare(network.graph, learner.fit(frame).graph_).f1
    monkeypatch.setattr(screening, "_ALL_VISIBLE", 20)
    monkeypatch.setattr(screening, "N_VISIBLE", 15)
    assert compare(network.graph, learner.fit(frame).graph_).f1 > all_visible - 0.03
    seen = np.count_nonzero(learner.fit_result_.sieve.sieve.importance, axis=1)
    assert seen.max() <= 15
