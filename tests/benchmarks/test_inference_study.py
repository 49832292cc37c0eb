"""The study of inference runs without another program, and goes on where it was."""

from benchmarks.inference import study


def test_the_study_runs_and_reports(tmp_path):
    arguments = ["margins", "rows", "refusals", "--quick", "--output", str(tmp_path)]
    few = [*arguments, "--networks", "asia", "cancer"]
    study.main(few)
    runs = (tmp_path / "rows.csv").read_text(encoding="utf-8")
    assert runs.count("\n") == 1 + 2
    study.main(few)
    assert (tmp_path / "rows.csv").read_text(encoding="utf-8") == runs
    report = (tmp_path / "report.md").read_text(encoding="utf-8")
    assert "Memory above the plan: 0 of 2" in report
    assert "not asked" in report
