"""How often the independence tests find dependence: in independent data, and at a fixed effect.

In: nothing; data are made here. Out: ``calibration.csv``, one line per cell and method, and a
Markdown page, in the folder given; cells found there are not run again. A cell is a number of rows,
of states of the two variables tested and of conditioning variables. The whole grid:

    python -m benchmarks calibration --output benchmarks/calibration/results

``calibration numbers`` is the study of tests of numbers, ``calibration claims`` that of other
figures that say how sure something is.
"""

import argparse
import csv
from collections.abc import Iterable, Sequence
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from itertools import product
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from benchmarks.calibration import report
from benchmarks.calibration.report import Cell, Record
from benchmarks.common.parts import run_part
from bnsieve.counts import count
from bnsieve.decide import ci_tests
from bnsieve.table import Table

N_ROWS = (200, 1_000, 5_000, 20_000)
N_LEVELS = (2, 4, 10, 50)
N_GIVEN = (0, 1, 2, 3)
ALPHA = 0.05

# Every variable draws its level probabilities from a Dirichlet distribution with one of these
# concentrations: from nearly all rows in a level or two to nearly even.
CONCENTRATIONS = (0.3, 1.0, 10.0)
# How far, in log odds, each level of a conditioning variable pushes x and y about.
PUSH = 0.5
# Where dependence is wanted, y takes x's level in a share EFFECT / sqrt(n_rows) of the rows.
EFFECT = 2.0

METHODS: tuple[ci_tests.TestName, ...] = ("auto", "chi2", "g2")


class Draw(NamedTuple):
    """Which table: its cell, its number in the cell, whether x and y depend on each other, seed."""

    cell: Cell
    repetition: int
    dependent: bool
    seed: int = 0


def cells() -> list[Cell]:
    """Return the whole grid, small tables first."""
    return [
        Cell(n_rows, n_states, n_given)
        for n_rows, n_states, n_given in product(N_ROWS, N_LEVELS, N_GIVEN)
    ]


def draw_table(draw: Draw) -> Table:
    """Make a table of conditioning variables, then x and y, which are independent given these.

    The conditioning variables have 2, 4, 10 or 50 states each and shift the states of both x and
    y, so that without conditioning the two depend on each other. Levels that do not occur are
    dropped, as in any table.
    """
    n_rows, n_states, n_given = draw.cell
    rng = np.random.default_rng([draw.seed, *draw.cell, draw.repetition, int(draw.dependent)])
    radices = rng.choice(N_LEVELS, size=n_given)
    given = [rng.choice(n, size=n_rows, p=_probabilities(n, rng)) for n in radices]
    # Strata are numbered by one key each; unravelling the keys that occur gives their states back.
    keys = np.zeros(n_rows, dtype=np.int64)
    for radix, values in zip(radices, given, strict=True):
        keys = keys * radix + values
    occurring, stratum = np.unique(keys, return_inverse=True)
    strata = np.array(np.unravel_index(occurring, radices)) if n_given else np.empty((0, 1), int)
    x = _draw_within(strata, stratum, n_states, rng)
    y = _draw_within(strata, stratum, n_states, rng)
    if draw.dependent:
        copied = rng.random(n_rows) < EFFECT / np.sqrt(n_rows)
        y[copied] = x[copied]
    columns = [_drop_absent(column) for column in (*given, x, y)]
    return Table(
        np.array([codes for codes, _ in columns], dtype=np.uint8),
        (*(f"z{i}" for i in range(n_given)), "x", "y"),
        tuple(tuple(labels.tolist()) for _, labels in columns),
        {},
    )


def _drop_absent(column: NDArray[np.int64]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return codes that number only the states that occur, and these states."""
    occurs = np.bincount(column) > 0
    return (np.cumsum(occurs) - 1)[column], np.flatnonzero(occurs)


def _probabilities(n_states: int, rng: np.random.Generator) -> NDArray[np.float64]:
    return rng.dirichlet(np.full(n_states, rng.choice(CONCENTRATIONS)))


def _draw_within(
    strata: NDArray[np.int64], stratum: NDArray[np.int64], n_states: int, rng: np.random.Generator
) -> NDArray[np.int64]:
    """Draw states for rows whose conditioning variables are the columns ``strata[:, stratum]``."""
    log_odds = np.log(_probabilities(n_states, rng) + 1e-12)[np.newaxis]
    for values in strata:
        log_odds = log_odds + rng.normal(0, PUSH, (max(N_LEVELS), n_states))[values]
    odds = np.exp(log_odds - log_odds.max(axis=1, keepdims=True))
    cumulative = np.cumsum(odds / odds.sum(axis=1, keepdims=True), axis=1)
    # One sorted array of all strata's curves, each one higher than the one before.
    curves = (np.minimum(cumulative, 1) + np.arange(len(odds))[:, np.newaxis]).ravel()
    position = np.searchsorted(curves, stratum + rng.random(len(stratum)), side="right")
    states: NDArray[np.int64] = np.minimum(position - stratum * n_states, n_states - 1)
    return states


def run_cell(cell: Cell, repetitions: int, seed: int) -> list[Record]:
    """Test independent and dependent tables of one cell with each method."""
    p_values: dict[tuple[str, bool], list[float]] = {}
    drawn = 0
    for dependent, repetition in product((False, True), range(repetitions)):
        table = draw_table(Draw(cell, repetition, dependent, seed))
        counted = count(table, range(table.n_variables))
        for method in METHODS:
            outcome = ci_tests.METHODS[method](counted, ALPHA)
            p_values.setdefault((method, dependent), []).append(outcome.p_value)
            drawn += method == "auto" and outcome.method == "permutation"
    return [
        report.summarize(
            cell,
            method,
            null=p_values[method, False],
            effect=p_values[method, True],
            alpha=ALPHA,
            permuted=drawn / (2 * repetitions) if method == "auto" else 0.0,
        )
        for method in METHODS
    ]


def write_csv(records: Iterable[Record], path: Path) -> None:
    """Write one line per cell and method."""
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow((*Cell._fields, *Record._fields[1:]))
        for cell, *values in records:
            shown = (f"{v:.4f}" if isinstance(v, float) else v for v in values)
            writer.writerow((*cell, *shown))


def read_csv(path: Path) -> list[Record]:
    """Read what `write_csv` has written."""
    with path.open(newline="", encoding="utf-8") as file:
        return [
            Record(
                Cell(*(int(row[name]) for name in Cell._fields)),
                row["method"],
                int(row["repetitions"]),
                *(float(row[name]) for name in Record._fields[3:]),
            )
            for row in csv.DictReader(file)
        ]


def run_grid(
    grid: Sequence[Cell], repetitions: int, seed: int, jobs: int, path: Path
) -> list[Record]:
    """Run every cell that the file does not hold yet, and write it cell by cell."""
    records = [
        record
        for record in (read_csv(path) if path.exists() else [])
        if record.method in METHODS and record.repetitions == repetitions and record.cell in grid
    ]
    finished = {record.cell for record in records}
    run = partial(run_cell, repetitions=repetitions, seed=seed)
    with ProcessPoolExecutor(jobs) as pool:
        missing = [cell for cell in grid if cell not in finished]
        for cell_records in pool.map(run, missing):
            records += cell_records
            write_csv(records, path)
            print(report.line(cell_records[0]), flush=True)
    return sorted(records, key=lambda record: (record.cell, METHODS.index(record.method)))


def main(arguments: list[str] | None = None) -> None:
    """Run the grid and write the results; see the module's text."""
    if run_part("calibration", arguments, ("numbers", "claims")):
        return
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks calibration", description=(__doc__ or "").partition("\n")[0]
    )
    parser.add_argument("--repetitions", type=int, default=2000, help="tables per cell and kind")
    parser.add_argument("--seed", type=int, default=0, help="another seed, other tables")
    parser.add_argument("--max-rows", type=int, default=max(N_ROWS), help="leave out larger cells")
    parser.add_argument("--max-given", type=int, default=max(N_GIVEN), help="leave out the others")
    parser.add_argument("--jobs", type=int, default=1, help="processes")
    parser.add_argument("--output", type=Path, default=Path("calibration"), help="folder")
    options = parser.parse_args(arguments)
    grid = [
        cell
        for cell in cells()
        if cell.n_rows <= options.max_rows and cell.n_given <= options.max_given
    ]
    options.output.mkdir(parents=True, exist_ok=True)
    path = options.output / "calibration.csv"
    records = run_grid(grid, options.repetitions, options.seed, options.jobs, path)
    write_csv(records, path)
    (options.output / "report.md").write_text(report.markdown(records), encoding="utf-8")


if __name__ == "__main__":
    main()
