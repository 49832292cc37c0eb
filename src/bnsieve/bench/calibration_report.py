"""The results of the calibration grid as numbers and as a page.

In: p-values of one cell and method, ours or another program's. Out: `Record`, and Markdown tables.
"""

import csv
import math
from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np

# The rate of false positives at alpha = 0.05 that counts as calibrated.
CALIBRATED = (0.01, 0.075)


class Cell(NamedTuple):
    """Rows, levels of the variables tested, conditioning variables."""

    n_rows: int
    n_levels: int
    n_given: int

    @property
    def label(self) -> str:
        """Short name, used for files."""
        return f"n{self.n_rows}_levels{self.n_levels}_given{self.n_given}"


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


def read_peers(path: Path, alpha: float) -> list[Record]:
    """Read ``n_rows,n_levels,n_given,kind,repetition,method,p_value`` lines of other programs."""
    p_values: dict[tuple[Cell, str], dict[str, list[float]]] = defaultdict(
        lambda: defaultdict(list)
    )
    with path.open(newline="", encoding="utf-8") as file:
        for row in csv.DictReader(file):
            cell = Cell(int(row["n_rows"]), int(row["n_levels"]), int(row["n_given"]))
            p_value = float(row["p_value"]) if row["p_value"] not in ("", "NA") else math.nan
            p_values[cell, row["method"]][row["kind"]].append(p_value)
    return [
        summarize(cell, method, null=kinds["null"], effect=kinds["effect"], alpha=alpha)
        for (cell, method), kinds in sorted(p_values.items())
        if kinds["null"]
    ]


def line(record: Record) -> str:
    """One line of progress."""
    return (
        f"{record.cell.label}: answered {record.answered:.2f}, "
        f"false positives {record.false_positives:.3f}, power {record.power:.2f}, "
        f"by permutation {record.permuted:.2f}"
    )


def markdown(records: Sequence[Record], peers: Sequence[Record]) -> str:
    """Return the page: our default in every cell, and every method beside it."""
    default = [record for record in records if record.method == "auto"]
    rates = [record.false_positives for record in default]
    parts = [
        "# Calibration of the independence tests\n",
        f"Share of p < 0.05 on independent data, {default[0].repetitions} tables per cell, among "
        f"tests that gave an answer. The default test lies between {min(rates):.3f} and "
        f"{max(rates):.3f} over the {len(default)} cells, mean {np.mean(rates):.3f}; "
        f"{sum(record.calibrated for record in default)} of them are between "
        f"{CALIBRATED[0]} and {CALIBRATED[1]}.\n",
        "## The default test\n",
        "False positives / share of tables on which it gave an answer.\n",
        _grid(default, lambda r: f"{r.false_positives:.3f} / {r.answered:.2f}"),
        "## Every method\n",
        "False positives over the cells of each kind, from the lowest to the highest cell, and in "
        "how many cells they are as frequent as they should be.\n",
        _methods([*records, *peers]),
    ]
    if peers:
        parts += [
            "## Cell by cell\n",
            "False positives at 0.05. An empty place: too slow to finish.\n",
            _cells([*records, *peers], "false_positives"),
            "## Power\n",
            "Share of dependent tables found dependent, in cells where the other program is itself "
            "calibrated (otherwise empty).\n",
            _cells([*records, *peers], "power"),
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
        [levels, given, *(shown(by_cell[Cell(n, levels, given)]) for n in sizes)]
        for levels, given in kinds
    ]
    return _table(["levels", "given", *(f"n = {n}" for n in sizes)], rows)


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


def _cells(records: Sequence[Record], field: str) -> str:
    methods = list(dict.fromkeys(record.method for record in records))
    found = {(record.cell, record.method): record for record in records}
    rows = []
    for cell in sorted({record.cell for record in records}):
        row: list[object] = list(cell)
        for method in methods:
            record = found.get((cell, method))
            hidden = record is None or (field == "power" and not record.calibrated)
            row.append("" if hidden else f"{getattr(record, field):.3f}")
        rows.append(row)
    return _table(["n", "levels", "given", *methods], rows)
