"""How often the independence tests find dependence: in independent data, and at a fixed effect.

In: nothing; data are made here. Out: ``calibration.csv``, one line per cell and method, and a
Markdown page, in the folder given. A cell is a number of rows, of levels of the two variables
tested and of conditioning variables. The whole grid:

    python -m bnsieve.bench.calibration --repetitions 2000 --output benchmarks/results/calibration

With ``--save FOLDER`` the data are written instead, for other programs to test (the folder
``benchmarks/calibration`` has scripts that do); with ``--peers FILE`` their results are shown
beside ours.
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

from bnsieve import citests
from bnsieve.bench import calibration_report
from bnsieve.bench.calibration_report import Cell, Record
from bnsieve.counts import count
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

METHODS: tuple[citests.Method, ...] = ("auto", "chi2", "g2")


class Draw(NamedTuple):
    """Which table: its cell, its number in the cell, and whether x and y depend on each other."""

    cell: Cell
    repetition: int
    dependent: bool


def cells() -> list[Cell]:
    """Return the whole grid, small tables first."""
    return [
        Cell(n_rows, n_levels, n_given)
        for n_rows, n_levels, n_given in product(N_ROWS, N_LEVELS, N_GIVEN)
    ]


def draw_table(draw: Draw) -> Table:
    """Make a table of conditioning variables, then x and y, which are independent given these.

    The conditioning variables have 2, 4, 10 or 50 levels each and shift the levels of both x and
    y, so that without conditioning the two depend on each other. Levels that do not occur are
    dropped, as in any table.
    """
    (n_rows, n_levels, n_given), repetition, dependent = draw
    rng = np.random.default_rng([n_rows, n_levels, n_given, repetition, int(dependent)])
    radices = rng.choice(N_LEVELS, size=n_given)
    given = [rng.choice(n, size=n_rows, p=_probabilities(n, rng)) for n in radices]
    # Strata are numbered by one key each; unravelling the keys that occur gives their levels back.
    keys = np.zeros(n_rows, dtype=np.int64)
    for radix, values in zip(radices, given, strict=True):
        keys = keys * radix + values
    occurring, stratum = np.unique(keys, return_inverse=True)
    strata = np.array(np.unravel_index(occurring, radices)) if n_given else np.empty((0, 1), int)
    x = _draw_within(strata, stratum, n_levels, rng)
    y = _draw_within(strata, stratum, n_levels, rng)
    if dependent:
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
    """Return codes that number only the levels that occur, and these levels."""
    occurs = np.bincount(column) > 0
    return (np.cumsum(occurs) - 1)[column], np.flatnonzero(occurs)


def _probabilities(n_levels: int, rng: np.random.Generator) -> NDArray[np.float64]:
    return rng.dirichlet(np.full(n_levels, rng.choice(CONCENTRATIONS)))


def _draw_within(
    strata: NDArray[np.int64], stratum: NDArray[np.int64], n_levels: int, rng: np.random.Generator
) -> NDArray[np.int64]:
    """Draw levels for rows whose conditioning variables are the columns ``strata[:, stratum]``."""
    log_odds = np.log(_probabilities(n_levels, rng) + 1e-12)[np.newaxis]
    for values in strata:
        log_odds = log_odds + rng.normal(0, PUSH, (max(N_LEVELS), n_levels))[values]
    odds = np.exp(log_odds - log_odds.max(axis=1, keepdims=True))
    cumulative = np.cumsum(odds / odds.sum(axis=1, keepdims=True), axis=1)
    # One sorted array of all strata's curves, each one higher than the one before.
    curves = (np.minimum(cumulative, 1) + np.arange(len(odds))[:, np.newaxis]).ravel()
    position = np.searchsorted(curves, stratum + rng.random(len(stratum)), side="right")
    levels: NDArray[np.int64] = np.minimum(position - stratum * n_levels, n_levels - 1)
    return levels


def run_cell(cell: Cell, repetitions: int) -> list[Record]:
    """Test independent and dependent tables of one cell with each method."""
    p_values: dict[tuple[str, bool], list[float]] = {}
    drawn = 0
    for dependent, repetition in product((False, True), range(repetitions)):
        table = draw_table(Draw(cell, repetition, dependent))
        counted = count(table, range(table.n_variables))
        for method in METHODS:
            outcome = citests.METHODS[method](counted, ALPHA)
            p_values.setdefault((method, dependent), []).append(outcome.p_value)
            drawn += method == "auto" and outcome.method == "permutation"
    return [
        calibration_report.summarize(
            cell,
            method,
            null=p_values[method, False],
            effect=p_values[method, True],
            alpha=ALPHA,
            permuted=drawn / (2 * repetitions) if method == "auto" else 0.0,
        )
        for method in METHODS
    ]


def save_tables(cell: Cell, repetitions: int, folder: Path) -> None:
    """Write a cell's tables as unsigned bytes, shape (repetitions, variables, rows), two files."""
    for dependent in (False, True):
        codes = [draw_table(Draw(cell, r, dependent)).codes for r in range(repetitions)]
        np.array(codes).tofile(folder / f"{cell.label}_{'effect' if dependent else 'null'}.u8")


def write_csv(records: Iterable[Record], path: Path) -> None:
    """Write one line per cell and method."""
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(("n_rows", "n_levels", "n_given", *Record._fields[1:]))
        for cell, *values in records:
            shown = (f"{v:.4f}" if isinstance(v, float) else v for v in values)
            writer.writerow((*cell, *shown))


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the grid and write the results; see the module's text."""
    parser = argparse.ArgumentParser(prog="python -m bnsieve.bench.calibration")
    parser.add_argument("--repetitions", type=int, default=2000, help="tables per cell and kind")
    parser.add_argument("--max-rows", type=int, default=max(N_ROWS), help="leave out larger cells")
    parser.add_argument("--jobs", type=int, default=1, help="processes")
    parser.add_argument("--output", type=Path, help="folder for CSV and Markdown")
    parser.add_argument("--save", type=Path, help="folder for the tables themselves")
    parser.add_argument("--peers", type=Path, help="CSV of other programs' p-values")
    options = parser.parse_args(arguments)
    grid = [cell for cell in cells() if cell.n_rows <= options.max_rows]
    if options.save:
        options.save.mkdir(parents=True, exist_ok=True)
        for cell in grid:
            save_tables(cell, options.repetitions, options.save)
        return
    records = []
    with ProcessPoolExecutor(options.jobs) as pool:
        run = partial(run_cell, repetitions=options.repetitions)
        for cell_records in pool.map(run, grid):
            records += cell_records
            print(calibration_report.line(cell_records[0]), flush=True)
    peers = calibration_report.read_peers(options.peers, ALPHA) if options.peers else []
    if options.output:
        options.output.mkdir(parents=True, exist_ok=True)
        write_csv([*records, *peers], options.output / "calibration.csv")
        page = calibration_report.markdown(records, peers)
        (options.output / "README.md").write_text(page, encoding="utf-8")


if __name__ == "__main__":
    main()
