"""How often tests of numbers find dependence: in independent data, and at a fixed effect.

In: nothing; data are made here. Out: ``numbers.csv``, one line per cell and method, and a Markdown
page, in the folder given; cells found there are not run again:

    python -m benchmarks calibration numbers --output benchmarks/calibration/results

A cell is a shape (which variables are numbers, what is given), linear or smooth functions, and a
number of rows. Beside our test stands the partial correlation of normal scores, with Fisher's z:
what other programs offer.
"""

import argparse
import csv
import math
from collections.abc import Callable, Iterable
from itertools import product
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtri
from scipy.stats import norm, rankdata

from bnsieve.decide import residual_p_value

Values = NDArray[np.float64]
Function = Callable[[Values], Values]
# x, y and what is given; float columns are numbers, integer columns codes.
Question = tuple[NDArray[np.generic], NDArray[np.generic], list[NDArray[np.generic]]]

N_ROWS = (500, 2_000, 10_000)
FORMS = ("linear", "smooth")
ALPHA = 0.05
# The rate of false positives that counts as calibrated.
CALIBRATED = (0.01, 0.075)
# Where dependence is wanted, y gets this over the square root of the number of rows, times x.
EFFECT = 3.0


class Cell(NamedTuple):
    """Shape, form of the functions, rows."""

    shape: str
    form: str
    n_rows: int


class Record(NamedTuple):
    """What a method did in a cell: shares of p < 0.05 in independent and in dependent data."""

    cell: Cell
    method: str
    repetitions: int
    false_positives: float
    power: float

    @property
    def calibrated(self) -> bool:
        """Whether false positives are as frequent as they should be."""
        return CALIBRATED[0] <= self.false_positives <= CALIBRATED[1]


def _standard(x: Values) -> Values:
    standard: Values = (x - x.mean()) / (x.std() + 1e-12)
    return standard


def smooth_function(rng: np.random.Generator) -> Function:
    """Return a random smooth function: a step, a wave, a parabola or a sum of bumps."""
    kind = rng.integers(4)
    a, b, sign = rng.normal(size=4), rng.normal(size=4), rng.choice([-1, 1])
    slope, pace, phase = rng.uniform(1, 3), rng.uniform(1, 2), rng.uniform(0, 2 * np.pi)

    def function(x: Values) -> Values:
        x = _standard(x)
        if kind == 0:
            out = np.tanh(slope * (x - 0.7 * a[0])) + 0.3 * x
        elif kind == 1:
            out = np.sin(pace * x + phase)
        elif kind == 2:
            out = (x - 0.5 * a[0]) ** 2
        else:
            out = sum((w * np.exp(-((x - m) ** 2)) for w, m in zip(a, b, strict=True)), 0 * x)
        return _standard(sign * out)

    return function


def _chain(f: Callable[[], Function], n: int, rng: np.random.Generator) -> Question:
    x = rng.normal(size=n)
    z = f()(x) + 0.7 * rng.normal(size=n)
    return x, f()(z) + 0.7 * rng.normal(size=n), [z]


def _label(f: Callable[[], Function], n: int, rng: np.random.Generator) -> Question:
    x = rng.normal(size=n)
    z = f()(x) + 0.7 * rng.normal(size=n)
    odds = np.outer([1.5, -1.0, 0.0], f()(z))
    return x, np.argmax(odds + rng.gumbel(size=(3, n)), axis=0), [z]


def _two_causes(f: Callable[[], Function], n: int, rng: np.random.Generator) -> Question:
    a = rng.normal(size=n)
    b = f()(a) + 0.7 * rng.normal(size=n)
    x = f()(a) + f()(b) + 0.5 * rng.laplace(size=n)
    return x, f()(a) + f()(b) + rng.exponential(size=n), [a, b]


def _numbers_and_label(f: Callable[[], Function], n: int, rng: np.random.Generator) -> Question:
    x, y, given = _two_causes(f, n, rng)
    label = rng.integers(0, 3, n)
    shift = np.array([-1.0, 0.0, 1.0])[label]
    return x + shift, y - shift, [*given, label]


SHAPES: dict[str, Callable[[Callable[[], Function], int, np.random.Generator], Question]] = {
    "chain of numbers": _chain,
    "number and category": _label,
    "two numbers given": _two_causes,
    "two numbers and a category given": _numbers_and_label,
}


def draw(cell: Cell, repetition: int, dependent: bool, seed: int) -> Question:
    """Make columns of which x and y are independent given the others, unless told otherwise."""
    place = list(SHAPES).index(cell.shape), FORMS.index(cell.form), cell.n_rows
    rng = np.random.default_rng([seed, *place, repetition, int(dependent)])
    form: Callable[[], Function] = (
        (lambda: _standard) if cell.form == "linear" else (lambda: smooth_function(rng))
    )
    x, y, given = SHAPES[cell.shape](form, cell.n_rows, rng)
    if dependent:
        size = EFFECT / math.sqrt(cell.n_rows)
        if y.dtype.kind == "f":
            y = y + size * y.std() * _standard(x.astype(np.float64))
        else:
            # The label follows x instead of its cause in a share of the rows.
            taken = rng.random(cell.n_rows) < size
            y = np.where(taken, np.digitize(x.astype(np.float64), [-0.43, 0.43]), y)
    return x, y, given


def partial_correlation(question: Question) -> float:
    """Return Fisher's p-value of the partial correlation of normal scores; codes as they are."""
    x, y, given = question
    n = len(x)
    scores = [ndtri((rankdata(one) - 0.5) / n) for one in (x, y, *given)]
    design = np.column_stack([np.ones(n), *scores[2:]])
    rest = [one - design @ np.linalg.lstsq(design, one, rcond=None)[0] for one in scores[:2]]
    correlation = float(np.corrcoef(*rest)[0, 1])
    statistic = math.sqrt(n - len(given) - 3) * math.atanh(correlation)
    return float(2 * norm.sf(abs(statistic)))


METHODS: dict[str, Callable[[Question], float]] = {
    "residuals": lambda question: residual_p_value(*question)[2],  # type: ignore[arg-type]
    "partial correlation of scores": partial_correlation,
}


def run_cell(cell: Cell, repetitions: int, seed: int) -> list[Record]:
    """Test independent data with each method, and a quarter as many dependent ones."""
    shares: dict[tuple[str, bool], list[bool]] = {}
    for dependent in (False, True):
        for repetition in range(max(1, repetitions // 4) if dependent else repetitions):
            question = draw(cell, repetition, dependent, seed)
            for method, p_value in METHODS.items():
                shares.setdefault((method, dependent), []).append(p_value(question) < ALPHA)
    return [
        Record(
            cell,
            method,
            repetitions,
            float(np.mean(shares[method, False])),
            float(np.mean(shares[method, True])),
        )
        for method in METHODS
    ]


def write_csv(records: Iterable[Record], path: Path) -> None:
    """Write one line per cell and method."""
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow((*Cell._fields, *Record._fields[1:]))
        for cell, method, repetitions, *shares in records:
            writer.writerow((*cell, method, repetitions, *(f"{share:.4f}" for share in shares)))


def read_csv(path: Path) -> list[Record]:
    """Read what `write_csv` has written."""
    with path.open(newline="", encoding="utf-8") as file:
        return [
            Record(
                Cell(row["shape"], row["form"], int(row["n_rows"])),
                row["method"],
                int(row["repetitions"]),
                float(row["false_positives"]),
                float(row["power"]),
            )
            for row in csv.DictReader(file)
        ]


def markdown(records: list[Record]) -> str:
    """Return the page: false positives and power of each method, cell by cell."""
    by_cell = {(record.cell, record.method): record for record in records}
    ours = [record for record in records if record.method == "residuals"]
    rates = [record.false_positives for record in ours]
    lines = [
        "## Tests of numeric variables\n",
        f"The first figure of a cell is the share of p-values below {ALPHA} where x and y are "
        "independent given the others. The second is this share where they are not. The test of "
        f"residuals is calibrated in {sum(record.calibrated for record in ours)} of {len(ours)} "
        f"cells: its first figure is between {CALIBRATED[0]} and {CALIBRATED[1]}. It lies between "
        f"{min(rates):.3f} and {max(rates):.3f}, with mean {np.mean(rates):.3f}.\n",
        "| shape | functions | rows | samples | " + " | ".join(METHODS) + " |",
        "|---|---|---|---|" + "---|" * len(METHODS),
    ]
    for record in ours:
        cell = record.cell
        shown = (by_cell[cell, method] for method in METHODS)
        found = " | ".join(f"{one.false_positives:.3f} / {one.power:.2f}" for one in shown)
        head = f"{cell.shape} | {cell.form} | {cell.n_rows:,} | {record.repetitions}"
        lines.append(f"| {head} | {found} |")
    return "\n".join(lines) + "\n"


def main(arguments: list[str] | None = None) -> None:
    """Run the cells that are not there yet, and write the results; see the module's text."""
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks calibration numbers",
        description=(__doc__ or "").partition("\n")[0],
    )
    parser.add_argument("--repetitions", type=int, default=400, help="samples per cell")
    parser.add_argument("--seed", type=int, default=0, help="another seed, other samples")
    parser.add_argument("--max-rows", type=int, default=max(N_ROWS), help="leave out larger cells")
    parser.add_argument("--output", type=Path, default=Path("calibration"), help="folder")
    options = parser.parse_args(arguments)
    options.output.mkdir(parents=True, exist_ok=True)
    path = options.output / "numbers.csv"
    records = read_csv(path) if path.exists() else []
    finished = {record.cell for record in records}
    sizes = [n for n in N_ROWS if n <= options.max_rows]
    for n_rows, form, shape in product(sizes, FORMS, SHAPES):
        cell = Cell(shape, form, n_rows)
        if cell in finished:
            continue
        records += run_cell(cell, options.repetitions, options.seed)
        write_csv(records, path)
        print(cell, *(f"{r.method} {r.false_positives:.3f}" for r in records[-2:]), flush=True)
    (options.output / "numbers.md").write_text(markdown(records), encoding="utf-8")


if __name__ == "__main__":
    main()
