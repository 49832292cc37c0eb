"""The comparison with bnlearn's likelihoods: the same rows, the same graph."""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from scipy.stats import norm

from benchmarks.heldout.numbers import compare


def test_a_case_is_compared_row_by_row(tmp_path: Path) -> None:
    rng = np.random.default_rng(0)
    x = rng.normal(size=700)
    frame = pd.DataFrame({"x": x, "y": 2 * x + rng.normal(size=700), "d": rng.choice([1, 2], 700)})
    frame[:500].to_csv(tmp_path / "one.train.csv", index=False)
    frame[500:].to_csv(tmp_path / "one.test.csv", index=False)
    (tmp_path / "one.types").write_text("ccd\n")
    (tmp_path / "one.graph.csv").write_text("from,to\nx,y\n")
    new = frame[500:]
    truth = norm.logpdf(new["x"]) + norm.logpdf(new["y"], 2 * new["x"]) + np.log(0.5)
    truth[3] = -np.inf
    rows = pd.DataFrame({"log_likelihood": truth})
    rows.to_csv(tmp_path / "one.bnlearn.csv", index=False)
    found = compare(tmp_path, "one")
    assert found.difference == pytest.approx(0, abs=0.03)
    assert found.impossible == 1
    assert found.ahead
