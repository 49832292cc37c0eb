"""A stopped study goes on where it was; runs of another label are others."""

from dataclasses import asdict, dataclass

import pytest

from benchmarks.common.pages import head, table
from benchmarks.common.runs import append, left, perform_all, performed, read_runs, run_of
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


def test_results_come_in_order_and_none_starts_after_the_end():
    jobs = [Job("one", number) for number in range(3)]
    done = list(performed(jobs, asdict))
    assert done == [{"label": "one", "number": job.number} for job in jobs]
    assert list(performed(jobs, asdict, minutes=0)) == []


@dataclass(frozen=True)
class Outcome(Job):
    half: float


def test_a_run_is_recorded_before_the_next_starts(tmp_path):
    path = tmp_path / "new" / "runs.csv"
    jobs = [Job("one", number) for number in range(3)]
    runs = perform_all(iter(jobs), path, lambda job: Outcome(job.label, job.number, job.number / 2))
    assert next(runs) == Outcome("one", 0, 0.0)
    assert left(jobs, path) == jobs[1:]
    assert [run.half for run in runs] == [0.5, 1.0]
    assert read_runs(path).half.tolist() == [0.0, 0.5, 1.0]
    # A run as a mapping has the same line.
    append(path, [run_of(jobs[0], {"half": 0.0})])
    lines = path.read_text(encoding="utf-8").splitlines()
    assert lines[0] == "label,number,half"
    assert lines[1] == lines[-1]


def test_several_processes_give_the_same_results():
    jobs = [Job("one", number) for number in range(10)]
    assert list(performed(jobs, asdict, n_processes=2)) == [asdict(job) for job in jobs]


def test_lines_of_other_columns_are_refused(tmp_path):
    path = tmp_path / "runs.csv"
    append(path, [{"label": "a", "f1": 1.0}])
    with pytest.raises(ValueError, match="--output"):
        append(path, [{"label": "a", "edges": 1}])
    with pytest.raises(ValueError, match=r"not \['label', 'number'\]: give another --output"):
        left([Job("a", 1)], path)
    assert read_runs(path).f1.tolist() == [1.0]


def test_a_report_does_not_say_where_it_was_written():
    lines = "\n".join(head("Title", "noise", ["--output", "/some/place", "--label", "x"]))
    assert "/some/place" not in lines
    assert "python -m benchmarks noise --label x" in lines


def test_a_table_has_a_line_for_each_row():
    assert table(["a", "b"], [["x", "1"]]) == ["| a | b |", "| --- | --: |", "| x | 1 |"]
    assert table(["a", "b"], [], None) == ["| a | b |", "| --- | --- |"]


def test_a_study_runs_once_and_reports(tmp_path):
    arguments = ["--quick", "--label", "test", "--output", str(tmp_path)]
    few = [*arguments, "--configurations", "search"]
    noise_study.main(few)
    runs = (tmp_path / "runs.csv").read_text(encoding="utf-8")
    assert runs.count("\n") == 1 + 3 * 2
    noise_study.main(few)
    assert (tmp_path / "runs.csv").read_text(encoding="utf-8") == runs
    assert "## test: search" in (tmp_path / "report.md").read_text(encoding="utf-8")
