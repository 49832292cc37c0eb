"""The results of the calibration grid as numbers and as a page.

In: p-values of one cell and method, of ours. Out: `Record`, and Markdown tables.
"""

import math
import os
from collections.abc import Callable, Iterable, Sequence
from datetime import date
from typing import NamedTuple

import numpy as np

# The rate of false positives at alpha = 0.05 that counts as calibrated.
CALIBRATED = (0.01, 0.075)


class Cell(NamedTuple):
    """Rows, states of the variables tested, conditioning variables."""

    n_rows: int
    n_states: int
    n_given: int

    @property
    def label(self) -> str:
        """Short name, used for files."""
        return f"n{self.n_rows}_levels{self.n_states}_given{self.n_given}"


class Record(NamedTuple):
    """What a method did in a cell.

    `answered` is the share of independent tables on which the test gave an answer,
    `false_positives` the share of these answers that were "dependent", `power` the share of all
    dependent tables found dependent, `permuted` the share of tests settled by permutation.
    """

    cell: Cell
    method: str
    repetitions: int
    answered: float
    false_positives: float
    power: float
    permuted: float

    @property
    def calibrated(self) -> bool:
        """Whether false positives are as frequent as they should be."""
        return CALIBRATED[0] <= self.false_positives <= CALIBRATED[1]


def summarize(
    cell: Cell,
    method: str,
    *,
    null: Sequence[float],
    effect: Sequence[float],
    alpha: float,
    permuted: float = 0.0,
) -> Record:
    """Turn p-values (NaN: no answer) on independent and on dependent tables into a record."""
    told = np.array([p for p in null if not math.isnan(p)])
    return Record(
        cell,
        method,
        len(null),
        len(told) / len(null),
        float((told < alpha).mean()) if len(told) else math.nan,
        float((np.array(effect) < alpha).mean()) if len(effect) else math.nan,
        permuted,
    )


def line(record: Record) -> str:
    """One line of progress."""
    return (
        f"{record.cell.label}: answered {record.answered:.2f}, "
        f"false positives {record.false_positives:.3f}, power {record.power:.2f}, "
        f"by permutation {record.permuted:.2f}"
    )


def markdown(records: Sequence[Record]) -> str:
    """Return the page: our default in every cell, and every method beside it."""
    default = [record for record in records if record.method == "auto"]
    rates = [record.false_positives for record in default]
    parts = [
        "# Calibration of the independence tests\n",
        f"How often each test finds dependence at alpha = 0.05: {default[0].repetitions} tables "
        "per cell. "
        f"{date.today()}, {os.cpu_count()} cores.\n",
        "## The default test\n",
        "<!-- --8<-- [start:default] -->\n",
        "The first figure of a cell is the share of p-values below 0.05 on independent data, among "
        "the tests that gave an answer. The second is the share of tables on which the test gave "
        f"one. Over the {len(default)} cells, the first figure lies between {min(rates):.3f} and "
        f"{max(rates):.3f}, with mean {np.mean(rates):.3f}. {sum(r.calibrated for r in default)} "
        f"cells are calibrated: the first figure is between {CALIBRATED[0]} and {CALIBRATED[1]}.\n",
        _grid(default, lambda r: f"{r.false_positives:.3f} / {r.answered:.2f}"),
        "<!-- --8<-- [end:default] -->\n",
        "## Every method\n",
        "<!-- --8<-- [start:methods] -->\n",
        "The share of false positives in the lowest, the median and the highest cell.\n",
        _methods(records),
        "<!-- --8<-- [end:methods] -->\n",
        "## False positives, cell by cell\n",
        _cells(records),
    ]
    return "\n".join(parts)


def _row(values: Iterable[object]) -> str:
    return "| " + " | ".join(str(value) for value in values) + " |"


def _table(header: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    return "\n".join([_row(header), _row("---" for _ in header), *map(_row, rows)]) + "\n"


def _grid(records: Sequence[Record], shown: Callable[[Record], str]) -> str:
    sizes = sorted({record.cell.n_rows for record in records})
    by_cell = {record.cell: record for record in records}
    kinds = sorted({record.cell[1:] for record in records})
    rows = [
        [states, given, *(shown(by_cell[Cell(n, states, given)]) for n in sizes)]
        for states, given in kinds
    ]
    return _table(["states", "conditioning variables", *(f"n = {n}" for n in sizes)], rows)


def _methods(records: Sequence[Record]) -> str:
    rows = []
    for method in dict.fromkeys(record.method for record in records):
        of_method = [r for r in records if r.method == method and not math.isnan(r.false_positives)]
        rates = [r.false_positives for r in of_method]
        rows.append(
            [
                method,
                f"{min(rates):.3f}",
                f"{np.median(rates):.3f}",
                f"{max(rates):.3f}",
                f"{sum(r.calibrated for r in of_method)} of {len(of_method)}",
            ]
        )
    return _table(["method", "lowest", "median", "highest", "calibrated cells"], rows)


def _cells(records: Sequence[Record]) -> str:
    methods = list(dict.fromkeys(record.method for record in records))
    rates = {(record.cell, record.method): record.false_positives for record in records}
    rows = [
        [*cell, *(f"{rates[cell, m]:.3f}" if (cell, m) in rates else "" for m in methods)]
        for cell in sorted({record.cell for record in records})
    ]
    return _table(["n", "states", "given", *methods], rows)
