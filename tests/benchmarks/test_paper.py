"""The paper's experiment at a small size: resumable, and beside the paper's figures."""

import pandas as pd
import pytest

from benchmarks.common.runs import left, perform_all
from benchmarks.paper import runner, study
from benchmarks.paper.report import paper_figures, report, summarise


def test_every_figure_of_the_paper_is_there():
    """Eight tables of seven networks and five algorithms."""
    figures = paper_figures()
    assert len(figures) == 8 * 7 * 5
    assert figures["mean"]["ci_tests", "munin1", "tm"] == 1427.67
    assert figures["mean"]["f1", "hailfinder", "tm"] == 0.70


def test_interrupted_experiment_goes_on_where_it_stopped(tmp_path):
    path = tmp_path / "runs.csv"
    wanted = runner.jobs(["insurance"], ["tm"], n_runs=3, rows=300)
    first = next(perform_all(wanted, path, runner.perform))
    assert (first.network, first.run) == ("insurance", 0)
    remaining = left(wanted, path)
    assert [job.run for job in remaining] == [1, 2]
    list(perform_all(remaining, path, runner.perform))
    assert left(wanted, path) == []
    recorded = pd.read_csv(path)
    assert recorded["run"].tolist() == [0, 1, 2]
    again = runner.perform(wanted[0])
    assert (again.ci_tests, again.shd) == (first.ci_tests, first.shd)


def test_summary_sets_ours_beside_the_papers():
    runs = pd.DataFrame(
        [
            runner.Outcome("alarm", "tm", run, 5000, 1.0, 250 + run, 0.9, 0.8, 0.85, 0, 9, 2, 11)
            for run in (0, 10)
        ]
    )
    summary = summarise(runs).set_index("measure")
    tests = summary.loc["ci_tests"]
    assert (tests["mean"], tests["paper_mean"], tests["runs"]) == (255, 271.33, 2)
    assert round(tests["difference"], 2) == -16.33
    assert pd.isna(summary.loc["seconds", "paper_mean"])


def test_report_counts_tests_in_units_of_the_sieves():
    rest = (0.9, 0.8, 0.85, 0, 9, 2, 11)
    runs = pd.DataFrame(
        [
            runner.Outcome("alarm", "tm", 0, 5000, 1.0, 250, *rest),
            runner.Outcome("alarm", "hiton-pc", 0, 5000, 1.0, 2500, *rest),
            runner.Outcome("water", "tm", 0, 5000, 1.0, 100, *rest),
        ]
    )
    text = report(summarise(runs), "")
    table = text[text.index("### CI tests for each one of `tm`") :]
    assert "| alarm | 10.0 (12.8) |" in table  # the paper's: 3,464 and 271
    assert "| water |  |" in table
    alone = report(summarise(runs[runs["algorithm"] == "tm"]), "")
    assert "for each one" not in alone


def test_command_writes_tables_report_and_pictures(tmp_path):
    arguments = ["--runs", "1", "--rows", "300", "--network", "insurance", "--algorithm", "tm"]
    study.main(["-o", str(tmp_path), *arguments])
    names = {path.name for path in tmp_path.iterdir()}
    assert {"runs.csv", "summary.csv", "report.md", "tests.png", "f1.png"} <= names
    assert "(219 ± 20)" in (tmp_path / "report.md").read_text()


def test_unknown_network_is_named(capsys):
    with pytest.raises(SystemExit):
        study.main(["--network", "nowhere"])
    assert "'nowhere'" in capsys.readouterr().err
