"""P-values of pgmpy's and causal-learn's chi-square and G tests on the calibration tables.

Run in an environment of its own that has numpy, pandas, pgmpy and causal-learn:

    python -m benchmarks calibration --repetitions 200 --save tables     (where bnsieve is)
    python -P benchmarks/calibration/peer_worker.py tables peers.csv

Each cell, kind and method is given up after TIME_LIMIT seconds; what it has finished by then is
written if it is at least MIN_FINISHED tables, and one that will not get so far is given up at once.
What the output holds already is not run again.
"""

import csv
import re
import sys
import time
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pandas as pd
from causallearn.utils.cit import CIT
from pgmpy.estimators.CITests import chi_square

TIME_LIMIT = 3.0
MIN_FINISHED = 60
PROBE_TIME = 0.5
NAME = re.compile(r"n(\d+)_levels(\d+)_given(\d+)_(null|effect)")


def pgmpy_chi2(codes: np.ndarray) -> float:
    """Pgmpy's chi-square test of the last two rows given the others."""
    frame = pd.DataFrame(codes.T, columns=[f"v{i}" for i in range(len(codes))])
    *given, x, y = frame.columns
    return chi_square(x, y, given, frame, boolean=False)[1]


def causal_learn(method: str) -> Callable[[np.ndarray], float]:
    """causal-learn's test of the last two rows given the others."""

    def p_value(codes: np.ndarray) -> float:
        k = len(codes)
        return CIT(codes.T.astype(int), method)(k - 2, k - 1, list(range(k - 2)))

    return p_value


METHODS = {
    "pgmpy chi2": pgmpy_chi2,
    "causal-learn chi2": causal_learn("chisq"),
    "causal-learn G2": causal_learn("gsq"),
}


def tables(folder: Path) -> Iterator[tuple[tuple[int, int, int, str], np.ndarray]]:
    """All cells, those with few rows first."""
    named = {NAME.fullmatch(path.stem): path for path in folder.glob("*.u8")}
    keys = {(*map(int, m.groups()[:3]), m[4]): path for m, path in named.items() if m}
    for key in sorted(keys):
        n_rows, _, n_given, _ = key
        yield key, np.fromfile(keys[key], dtype=np.uint8).reshape(-1, n_given + 2, n_rows)


def finished(path: Path) -> set[tuple[str, ...]]:
    """Cell, kind and method of every line that an earlier run has written."""
    if not path.exists():
        return set()
    with path.open(newline="") as file:
        return {(*line[:4], line[5]) for line in csv.reader(file)}


def main(folder: str, output: str) -> None:
    warnings.simplefilter("ignore")
    done = finished(Path(output))
    with Path(output).open("a", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        if not done:
            writer.writerow(
                ["n_rows", "n_levels", "n_given", "kind", "repetition", "method", "p_value"]
            )
        for key, stack in tables(Path(folder)):
            for method, p_value in METHODS.items():
                if (*map(str, key), method) in done:
                    continue
                start, rows = time.process_time(), []
                for repetition, codes in enumerate(stack):
                    try:
                        p = p_value(codes)
                    except Exception:  # a test that fails gives no answer
                        p = float("nan")
                    rows.append([*key, repetition, method, "" if np.isnan(p) else f"{p:.6g}"])
                    spent = time.process_time() - start
                    if spent > TIME_LIMIT or (
                        spent > PROBE_TIME and len(rows) / spent * TIME_LIMIT < MIN_FINISHED
                    ):
                        break
                if len(rows) >= min(MIN_FINISHED, len(stack)):
                    writer.writerows(rows)
                    file.flush()


if __name__ == "__main__":
    main(*sys.argv[1:])
