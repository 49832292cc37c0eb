"""A stopped study goes on where it was; runs of another label are others."""

from dataclasses import asdict, dataclass

import pytest

from benchmarks.common.pages import head, table
from benchmarks.common.runs import append, left, performed, read_runs, run_of
from benchmarks.noise import study as noise_study


@dataclass(frozen=True)
class Job:
    label: str
    number: int


def test_only_what_has_no_line_is_done(tmp_path):
    path = tmp_path / "runs.csv"
    jobs = [Job("one", number) for number in range(3)]
    append(path, [run_of(jobs[1], {"value": 0.5})])
    assert left(jobs, path) == [jobs[0], jobs[2]]
    other = [Job("two", 1)]
    assert left(other, path) == other


def test_results_come_with_their_jobs_and_none_starts_after_the_end():
    jobs = [Job("one", number) for number in range(3)]
    done = list(performed(jobs, asdict))
    assert done == [(job, {"label": "one", "number": job.number}) for job in jobs]
    assert list(performed(jobs, asdict, minutes=0)) == []


def test_lines_of_other_columns_are_refused(tmp_path):
    path = tmp_path / "runs.csv"
    append(path, [{"label": "a", "f1": 1.0}])
    with pytest.raises(ValueError, match="--output"):
        append(path, [{"label": "a", "edges": 1}])
    assert read_runs(path).f1.tolist() == [1.0]


def test_a_report_does_not_say_where_it_was_written():
    lines = "\n".join(head("Title", "noise", ["--output", "/some/place", "--label", "x"]))
    assert "/some/place" not in lines
    assert "python -m benchmarks.noise.study --label x" in lines


def test_a_table_has_a_line_for_each_row():
    assert table(["a", "b"], [["x", "1"]]) == ["| a | b |", "|---|--:|", "| x | 1 |", ""]


def test_a_study_runs_once_and_reports(tmp_path):
    arguments = ["--quick", "--label", "test", "--output", str(tmp_path)]
    few = [*arguments, "--configurations", "search"]
    noise_study.main(few)
    runs = (tmp_path / "runs.csv").read_text(encoding="utf-8")
    assert runs.count("\n") == 1 + 3 * 2
    noise_study.main(few)
    assert (tmp_path / "runs.csv").read_text(encoding="utf-8") == runs
    assert "## test: search" in (tmp_path / "report.md").read_text(encoding="utf-8")
