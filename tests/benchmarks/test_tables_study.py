"""Graphs of the twelve tables are judged by the truth; runs are watched, stopped and read."""

import json
import sys

import pandas as pd
import pytest

from benchmarks.tables import directions, study
from benchmarks.tables.catalogue import TABLES, Truth, truth_of
from benchmarks.tables.interrupt import Interruption
from benchmarks.tables.judging import judge
from benchmarks.tables.make import file_of
from benchmarks.tables.reading import ColumnRead, read_run
from benchmarks.tables.recount import Count, counted
from benchmarks.tables.report import report
from benchmarks.tables.runner import wrong_counts, wrong_roles
from benchmarks.tables.watch import watch

TRUTH = Truth(
    roles={
        "key": "identifier",
        "day": "date",
        "code": "code|category",
        "group": "category",
        "size": "quantity",
        "agent": "text|category",
    },
    edges=frozenset({("day", "size"), ("group", "size")}),
    judged_as={"code": "group"},
    unjudged=frozenset({"agent"}),
)


def itself(*names):
    return {name: name for name in names}


def test_edges_count_between_the_columns_that_nodes_come_from():
    sources = {"day (month)": "day", "day (year)": "day", **itself("code", "size", "agent")}
    edges = [
        ("day (year)", "day (month)"),  # of one column
        ("day (month)", "size"),
        ("size", "day (year)"),  # the same pair again
        ("code", "size"),  # stands for its group
        ("code", "day (year)"),  # wrong
        ("agent", "size"),  # not judged
    ]
    found = judge(TRUTH, sources, edges)
    assert (found.n_true, found.n_learned, found.n_right) == (2, 3, 2)
    assert found.f1 == pytest.approx(0.8)
    assert found.lost == found.misplaced == ()


def test_what_is_lost_and_what_should_not_be_there_is_named():
    found = judge(TRUTH, itself("key", "day", "code"), [])
    assert found.lost == ("size",)  # the code speaks for its group
    assert found.misplaced == ("key", "day")
    assert found.f1 == 0


def test_roles_and_counts_that_are_wrong_are_named():
    columns = {
        "key": ColumnRead("identifier", ()),
        "code": ColumnRead("category", ("code",), n_missing=3, n_levels=9),
        "size": ColumnRead("category", ("size",), n_missing=1, n_levels=70, exact=False),
    }
    assert wrong_roles(TRUTH, columns) == ["size: category, not quantity"]
    counts = {"code": Count(4, 9), "size": Count(1, 75)}
    assert wrong_counts(columns, counts) == ["code: 3 missing, not 4"]


def test_cells_of_a_file_are_counted(tmp_path):
    path = tmp_path / "cells.parquet"
    frame = pd.DataFrame({"a": ["x", " ", None, "y"], "b": [1.0, None, 1.0, 2.0]})
    frame.to_parquet(path)
    assert counted(path, ["a", "b"]) == {"a": Count(2, 2), "b": Count(1, 2)}


@pytest.mark.skipif(sys.platform != "linux", reason="memory of others is known on Linux only")
def test_a_command_is_watched(tmp_path):
    text = (
        "import sys, time; block = b'x' * (100 << 20); time.sleep(0.3); print(len(block)); "
        "sys.exit('no more')"
    )
    done = watch([sys.executable, "-c", text], tmp_path, 60, 1_000)
    assert (done.code, done.out, done.err, done.stopped) == (1, f"{100 << 20}\n", "no more\n", "")
    assert 100 < done.peak_mb < 300
    assert 0 < done.cpu_seconds < 30
    endless = watch([sys.executable, "-c", "while True: pass"], tmp_path, 0.2, 1_000)
    assert (endless.code, endless.stopped) == (-9, "time")
    hungry = "x = b'x' * (200 << 20)\nwhile True: pass"
    assert watch([sys.executable, "-c", hungry], tmp_path, 60, 150).stopped == "memory"


def test_an_interruption_must_be_quick_quiet_and_tidy():
    well = Interruption("churn", 3.0, 1.2, 0.3, 130, 1, "")
    assert well.well
    for change in ({"seconds": 5, "cpu_seconds": 4}, {"code": -2}, {"lines": 9}, {"left": "out"}):
        assert not Interruption(**(vars(well) | change)).well


def test_arrows_into_age_are_seen():
    found = directions.judged([("copd", "age"), ("smoker", "copd"), ("icu", "bmi")])
    assert found.right == (("smoker", "copd"),)
    assert found.into_first == (("copd", "age"),)
    assert found.wrong == (("copd", "age"), ("icu", "bmi"))


def test_the_study_runs_reports_and_goes_on(tmp_path):
    arguments = ["--quick", "--folder", str(tmp_path / "rows"), "--output", str(tmp_path / "out")]
    study.main(arguments)
    runs = pd.read_csv(tmp_path / "out" / "runs.csv")
    assert list(runs.table) == ["hospital", "churn"]
    assert (runs.ended == "well").all()
    assert (runs.f1 > 0.3).all()
    assert not list((tmp_path / "rows").iterdir())
    text = (tmp_path / "out" / "report.md").read_text(encoding="utf-8")
    assert "## now: 1,000 rows, csv" in text
    study.main(arguments)
    assert len(pd.read_csv(tmp_path / "out" / "runs.csv")) == 2


def test_a_run_that_fails_is_in_the_report(tmp_path):
    blank = ("estimated_seconds", "estimated_mb", "f1", "lost", "misplaced", "wrong_roles")
    line = dict.fromkeys([*blank, "wrong_counts"]) | {
        "label": "x",
        "program": "bnsieve",
        "table": "hr",
        "form": "csv",
        "rows": 10,
        "ended": "failed: no room",
        "cpu_seconds": 90.0,
        "seconds": 1.0,
        "peak_mb": 5.0,
    }
    text = "\n".join(report(pd.DataFrame([line]), tmp_path))
    assert "| hr | **90** | 5 |" in text
    assert "- hr: failed: no room" in text


def test_files_are_made_once(tmp_path):
    table = TABLES["export"]
    path = file_of(table, tmp_path, 20)
    assert "Währung" in path.read_text(encoding="latin-1")
    path.write_text("touched")
    assert file_of(table, tmp_path, 20).read_text() == "touched"


def test_what_a_run_says_is_read(tmp_path):
    record = {
        "data": {"columns": ["a", "day"]},
        "preparation": [
            {"name": "a", "role": "category", "missing": 0, "levels": 2, "levels_counted": True}
            | {"columns": ["a"], "what": "used"},
            {"name": "day", "role": "date", "missing": 1, "levels": 9, "levels_counted": True}
            | {"columns": ["day (month)", "day (year)"], "what": "turned into its month"},
        ],
        "graph": {
            "nodes": ["a", "day (month)", "day (year)"],
            "edges": [
                {"tail": "a", "head": "day (month)"},
                {"tail": "a", "head": "day (year)"},
            ],
        },
    }
    (tmp_path / "run.json").write_text(json.dumps(record))
    found = read_run(tmp_path)
    assert found.sources == {"a": "a", "day (month)": "day", "day (year)": "day"}
    assert found.edges == (("a", "day (month)"), ("a", "day (year)"))
    assert found.columns["day"].n_missing == 1
    assert found.used == ["a", "day"]


def test_the_tiers_of_the_hospital_leave_age_and_sex_without_causes():
    assert not [edge for edge in truth_of(TABLES["hospital"]).edges if edge[1] in ("age", "sex")]
