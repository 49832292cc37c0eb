"""Runs in an environment with frouros and pyod: rows in, columns that changed or scores out.

A line of JSON on standard input names a program and files of rows learned from and of new ones; a
line of JSON is the answer.
"""

import contextlib
import io
import json
import sys

import numpy as np
import pandas as pd


def changed_columns(before, after, numbers):
    """Return the columns that frouros finds changed, the clearest first.

    Numbers by the test of Kolmogorov and Smirnov, others by chi2, as its documentation does; with
    Bonferroni's correction. A missing category is one more category.
    """
    from frouros.detectors.data_drift import ChiSquareTest, KSTest

    old, new = (pd.read_csv(path, dtype=str, keep_default_na=False) for path in (before, after))
    found = []
    for name in old:
        cells = [one[name].to_numpy(dtype=object) for one in (old, new)]
        detector = ChiSquareTest()
        if name in numbers:
            cells = [pd.to_numeric(one[one != ""], errors="coerce") for one in cells]
            cells = [one.astype(float)[~np.isnan(one.astype(float))] for one in cells]
            detector = KSTest()
        if not len(cells[1]):
            continue
        detector.fit(X=cells[0])
        result = detector.compare(X=cells[1])[0]
        found.append((float(result.p_value), -float(result.statistic), name))
    level = 0.05 / len(old.columns)
    return [name for p_value, _, name in sorted(found) if p_value < level]


def scores(program, before, after):
    """Return how odd pyod's detector finds each new row, after learning from the others."""
    from pyod.models.copod import COPOD
    from pyod.models.ecod import ECOD
    from pyod.models.iforest import IForest

    detectors = {"ECOD": ECOD, "COPOD": COPOD, "IForest": lambda: IForest(random_state=0)}
    detector = detectors[program]()
    detector.fit(np.load(before))
    return detector.decision_function(np.load(after)).tolist()


def main():
    answers = sys.stdout
    for line in sys.stdin:
        request = json.loads(line)
        with contextlib.redirect_stdout(io.StringIO()):
            if request["program"] == "frouros":
                paths = request["before"], request["after"]
                answer = changed_columns(*paths, request["numbers"])
            else:
                answer = scores(request["program"], request["before"], request["after"])
        print(json.dumps(answer), file=answers, flush=True)


if __name__ == "__main__":
    main()
