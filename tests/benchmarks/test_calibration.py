"""The tests are wrong as often as they say: a part of the calibration grid, run every time."""

import csv
from pathlib import Path

import numpy as np
import pytest

from benchmarks.calibration import report, study
from benchmarks.calibration.report import Cell
from benchmarks.calibration.study import Draw, draw_table
from bnsieve.counts import count
from bnsieve.decide import ci_tests

N_REPETITIONS = 400

# Two-way tables full and sparse, many strata of few rows, few strata of many.
CELLS = [
    Cell(200, 2, 0),
    Cell(200, 2, 3),
    Cell(200, 10, 1),
    Cell(200, 50, 0),
    Cell(1_000, 4, 2),
    Cell(1_000, 50, 3),
    Cell(5_000, 2, 1),
    Cell(5_000, 10, 2),
]


def p_values(cell: Cell, method: ci_tests.TestName, dependent: bool = False) -> np.ndarray:
    found = []
    for repetition in range(N_REPETITIONS):
        table = draw_table(Draw(cell, repetition, dependent))
        counted = count(table, range(table.n_variables))
        found.append(ci_tests.METHODS[method](counted, study.ALPHA).p_value)
    return np.array(found)


@pytest.mark.parametrize("cell", CELLS, ids=lambda cell: cell.label)
def test_the_default_test_is_calibrated(cell: Cell) -> None:
    told = p_values(cell, "auto")
    told = told[~np.isnan(told)]
    assert len(told) > N_REPETITIONS / 4
    # Four hundred repetitions leave a deviation of one percent.
    assert 0.01 <= (told < 0.05).mean() <= 0.085
    assert (told < 0.5).mean() == pytest.approx(0.5, abs=0.15)


def test_the_textbook_tests_are_not() -> None:
    # Why the default is what it is: seven in ten independent tables found dependent.
    rejected = p_values(Cell(1_000, 50, 3), "chi2") < 0.05
    assert rejected.mean() > 0.5


def test_in_full_tables_the_default_has_the_textbooks_power() -> None:
    cell = Cell(1_000, 4, 0)
    default, textbook = (p_values(cell, method, True) < 0.05 for method in ("auto", "chi2"))
    assert default.mean() >= textbook.mean() - 0.01
    assert default.mean() > 0.5


def test_the_command_writes_its_results(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    peers = tmp_path / "peers.csv"
    peers.write_text(
        "n_rows,n_levels,n_given,kind,repetition,method,p_value\n"
        "200,2,0,null,0,other,0.5\n200,2,0,null,1,other,\n200,2,0,effect,0,other,0.01\n"
    )
    options = f"--repetitions 3 --max-rows 200 --output {tmp_path} --peers {peers}"
    study.main(options.split())
    with (tmp_path / "calibration.csv").open(newline="") as file:
        rows = list(csv.DictReader(file))
    assert len(rows) == 16 * 3 + 1
    assert rows[-1]["method"] == "other"
    assert float(rows[-1]["answered"]) == 0.5
    assert float(rows[-1]["power"]) == 1
    page = (tmp_path / "README.md").read_text(encoding="utf-8")
    assert "## The default test" in page
    assert "n200_levels50_given3" in capsys.readouterr().out
    study.main(options.split())
    assert not capsys.readouterr().out  # nothing was run again
    assert (tmp_path / "README.md").read_text(encoding="utf-8") == page


def test_tables_are_saved_for_other_programs(tmp_path: Path) -> None:
    cell = Cell(200, 4, 1)
    study.save_tables(cell, 2, 0, tmp_path)
    saved = np.fromfile(tmp_path / f"{cell.label}_null.u8", dtype=np.uint8).reshape(2, 3, 200)
    np.testing.assert_array_equal(saved[1], draw_table(Draw(cell, 1, False)).codes)


def test_the_command_saves_the_part_of_the_grid_that_is_asked_for(tmp_path: Path) -> None:
    options = f"--repetitions 1 --max-rows 200 --max-given 0 --save {tmp_path / 'tables'}"
    study.main(options.split())
    assert len(list((tmp_path / "tables").iterdir())) == 4 * 2


def test_power_is_compared_on_the_same_tables() -> None:
    cell = Cell(200, 2, 0)
    theirs = dict.fromkeys(range(30), 0.001)
    found = study.compare_power(report.PeerRun(cell, "always", {0: 0.5}, theirs), seed=0)
    assert found.theirs == 1
    assert found.only_theirs == round(30 * (1 - found.ours))
    assert found.only_ours == 0
    # Only tables on which the two disagree tell them apart: nine to one is 8 / sqrt(10).
    table = found._replace(only_theirs=9, only_ours=1)
    assert table.deviations == pytest.approx(-8 / 10**0.5)
    assert table._replace(only_theirs=0, only_ours=0).deviations == 0


def test_summaries_count_answers_and_rejections() -> None:
    nan = float("nan")
    record = report.summarize(
        Cell(200, 2, 0), "m", null=[0.01, 0.5, 0.9, nan], effect=[0.01, nan], alpha=0.05
    )
    assert record.answered == 0.75
    assert record.false_positives == pytest.approx(1 / 3)
    assert record.power == 0.5
    assert not record.calibrated
