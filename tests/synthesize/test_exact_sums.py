"""Numbers that are exact sums of others are so in synthetic rows."""

import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import bnsieve as bn


def orders(n: int = 800) -> pd.DataFrame:
    """Orders with a total, a total in cents, a rest of the total, and a label that goes with it."""
    rng = np.random.default_rng(0)
    net = rng.gamma(3.0, 20.0, n).round(2)
    post = rng.choice([0.0, 4.9, 7.9], n)
    gift = rng.integers(0, 30, n).astype(float)
    total = (net + post + gift).round(2)
    paid = rng.uniform(0, 0.5, n).round(2)
    frame = pd.DataFrame({"net": net, "post": post, "gift": gift, "total": total, "paid": paid})
    frame["open"] = (total - paid).round(2)
    frame["cents"] = (total * 100).round().astype(np.int64)
    frame["size"] = np.where(total + rng.normal(0, 20, n) > 80, "large", "small")
    return frame


@pytest.fixture(scope="module")
def learner() -> Any:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return bn.TsetlinSieve(random_state=0).fit(orders())


def test_sums_hold_in_every_row(learner: Any) -> None:
    original = orders()
    told = {one.column: one for one in learner.determinism().linear}
    assert told
    assert all(one.is_exact for one in told.values())
    made = learner.synthesize(2_000, random_state=0)
    for name, one in told.items():
        total = made[[*one.of]].to_numpy() @ np.array(one.weights) + one.constant
        np.testing.assert_allclose(made[name], total, atol=0.0051)
        known = original[name]
        assert made[name].between(known.min(), known.max()).all()
    np.testing.assert_allclose(made["cents"], 100 * made["total"], atol=0.51)
    assert (made["total"] == made["total"].round(2)).all()


def test_sums_hold_under_conditions(learner: Any) -> None:
    made = learner.synthesize(300, where={"total": (80, 120)}, random_state=0)
    assert made["total"].between(80, 120).all()
    total = made["net"] + made["post"] + made["gift"]
    np.testing.assert_allclose(made["total"], total, atol=0.0051)


def test_sums_of_sums_and_whole_numbers(tmp_path: Path) -> None:
    rng = np.random.default_rng(1)
    a, b, c = rng.integers(0, 900, 600), rng.integers(0, 500, 600), rng.poisson(200, 600)
    frame = pd.DataFrame({"a": a, "b": b, "ab": a + b, "c": c, "abc": a + b + c})
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        learner = bn.TsetlinSieve(random_state=0).fit(frame)
    learner.save(tmp_path / "learner.bns")
    made = bn.load(tmp_path / "learner.bns").synthesize(1_000, random_state=3)
    assert made.dtypes.equals(frame.dtypes)
    assert (made["ab"] == made["a"] + made["b"]).all()
    assert (made["abc"] == made["ab"] + made["c"]).all()
