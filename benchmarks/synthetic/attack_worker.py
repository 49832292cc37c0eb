"""Attacks of anonymeter, in its environment.

The argument is a file of JSON, which names the files of rows and the secret column. A line of JSON
with the risks comes out on standard output.
"""

import contextlib
import importlib.metadata
import json
import logging
import sys
import warnings
from pathlib import Path

import numpy as np
import pandas as pd


def main(path):
    warnings.simplefilter("ignore")
    logging.disable(logging.WARNING)
    answers = sys.stdout
    with contextlib.redirect_stdout(sys.stderr):
        found = risks(json.loads(Path(path).read_text()))
        print(json.dumps(found), file=answers, flush=True)


def risks(job):
    """Return the risk of each attack with its interval of 95 %, in percent of the attacks."""
    from anonymeter.evaluators import (
        InferenceEvaluator,
        LinkabilityEvaluator,
        SinglingOutEvaluator,
    )

    np.random.seed(job["seed"])  # noqa: NPY002 - what anonymeter draws from, in part
    frames = [plain(pd.read_parquet(job[name])) for name in ("training", "made", "held_out")]
    training, made, control = frames
    names, secret = list(training), job["secret"]
    others = [name for name in names if name != secret]
    n = job["attacks"]
    attacks = {
        "singling out": SinglingOutEvaluator(
            training, made, n_attacks=n, n_cols=4, control=control
        ),
        "linkability": LinkabilityEvaluator(
            training, made, aux_cols=(names[::2], names[1::2]), n_attacks=n, n_neighbors=10,
            control=control,
        ),
        "inference": InferenceEvaluator(
            training, made, aux_cols=others, secret=secret, regression=False, n_attacks=n,
            control=control,
        ),
    }  # fmt: skip
    found = {"version": importlib.metadata.version("anonymeter")}
    for name, attack in attacks.items():
        attack.evaluate(**({"mode": "multivariate"} if name == "singling out" else {"n_jobs": 1}))
        results = attack.results(confidence_level=0.95)
        risk = attack.risk(confidence_level=0.95)
        found[name] = {
            "risk": risk.value,
            "low": risk.ci[0],
            "high": risk.ci[1],
            "success": results.attack_rate.value,
            "control": results.control_rate.value,
        }
    return found


def plain(rows):
    """Return numbers as floats, and anything else as text."""
    return pd.DataFrame(
        {
            name: cells.astype(float)
            if pd.api.types.is_numeric_dtype(cells) and not pd.api.types.is_bool_dtype(cells)
            else cells.astype(object).where(cells.notna(), "missing").astype(str)
            for name, cells in rows.items()
        }
    )


if __name__ == "__main__":
    main(sys.argv[1])
