"""The study of tests of numbers: what it draws, and what it writes."""

from pathlib import Path

import numpy as np

from benchmarks.calibration import study
from benchmarks.calibration.numbers import FORMS, SHAPES, Cell, draw, markdown, read_csv, run_cell


def test_draws_depend_on_their_number_only() -> None:
    cell = Cell("two numbers and a label given", "smooth", 100)
    first, again, other = (draw(cell, repetition, False, 0) for repetition in (0, 0, 1))
    np.testing.assert_array_equal(first[0], again[0])
    assert not np.array_equal(first[0], other[0])
    assert [column.dtype.kind for column in first[2]] == ["f", "f", "i"]


def test_residuals_are_right_where_correlation_is_wrong() -> None:
    ours, theirs = run_cell(Cell("two numbers given", "smooth", 500), 60, 0)
    # Sixty draws of a share of .05 lie above .15 once in a thousand times.
    assert ours.false_positives <= 0.15
    assert theirs.false_positives > 0.4
    assert ours.power > 0.3


def test_results_are_written_and_read(tmp_path: Path) -> None:
    study.main(["numbers", "--repetitions", "1", "--max-rows", "500", "--output", str(tmp_path)])
    records = read_csv(tmp_path / "numbers.csv")
    assert {record.cell.shape for record in records} == set(SHAPES)
    assert {record.cell.form for record in records} == set(FORMS)
    assert (tmp_path / "numbers.md").read_text(encoding="utf-8") == markdown(records)
