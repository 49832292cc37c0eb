"""Runs in an environment of another program: rows in, columns that changed or scores out.

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


def drifted_columns(before, after, numbers):
    """Return the columns that evidently finds drifted, those furthest beyond its threshold first.

    Its preset chooses a test or a distance for each column, and a threshold. It refuses a column
    without any value by name, which counts as finding it.
    """
    from evidently import DataDefinition, Dataset, Report
    from evidently.presets import DataDriftPreset

    old, new = (_frame(path, numbers) for path in (before, after))
    empty = [name for name in new if new[name].isna().all()]
    kept = [name for name in new if name not in empty]
    kinds = DataDefinition(
        numerical_columns=[name for name in kept if name in numbers],
        categorical_columns=[name for name in kept if name not in numbers],
    )
    data = [Dataset.from_pandas(one[kept], data_definition=kinds) for one in (new, old)]
    found = []
    for metric in Report([DataDriftPreset()]).run(*data).dict()["metrics"]:
        config = metric["config"]
        if "column" not in config:
            continue
        score, threshold = float(metric["value"]), float(config["threshold"])
        # A p-value is small where a column drifted, a distance is large.
        is_p_value = "p_value" in config["method"]
        beyond = threshold / max(score, 1e-300) if is_p_value else score / threshold
        if beyond >= 1:
            found.append((-beyond, config["column"]))
    return empty + [name for _, name in sorted(found)]


def _frame(path, numbers):
    frame = pd.read_csv(path, dtype=str, keep_default_na=False)
    for name in frame:
        if name in numbers:
            frame[name] = pd.to_numeric(frame[name], errors="coerce")
    return frame.replace("", np.nan)


def changed_mechanisms(before, after, numbers, edges, target):
    """Return the variables whose mechanisms DoWhy finds changed, by their share in the target."""
    import networkx as nx
    from dowhy import gcm

    gcm.util.general.set_random_seed(0)
    gcm.config.disable_progress_bars()
    old, new = (_frame(path, numbers) for path in (before, after))
    graph = nx.DiGraph()
    graph.add_nodes_from(old)
    graph.add_edges_from(edges)
    model = gcm.ProbabilisticCausalModel(graph)
    gcm.auto.assign_causal_mechanisms(model, old)
    found, is_changed, *_ = gcm.distribution_change(
        model, old, new, target, return_additional_info=True
    )
    changed = [name for name in found if is_changed[name]]
    return sorted(changed, key=lambda name: -abs(found[name]))


def scores(program, before, after):
    """Return how odd pyod's detector finds each new row, after learning from the others."""
    from pyod.models.copod import COPOD
    from pyod.models.ecod import ECOD
    from pyod.models.iforest import IForest

    detectors = {"ECOD": ECOD, "COPOD": COPOD, "IForest": lambda: IForest(random_state=0)}
    detector = detectors[program]()
    detector.fit(np.load(before))
    return detector.decision_function(np.load(after)).tolist()


FINDERS = {
    "frouros": changed_columns,
    "evidently": drifted_columns,
    "dowhy.gcm": changed_mechanisms,
}


def main():
    answers = sys.stdout
    for line in sys.stdin:
        request = json.loads(line)
        with contextlib.redirect_stdout(io.StringIO()):
            program = request.pop("program")
            find = FINDERS.get(program)
            answer = scores(program, **request) if find is None else find(**request)
        print(json.dumps(answer), file=answers, flush=True)


if __name__ == "__main__":
    main()
