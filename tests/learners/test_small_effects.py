"""Edges that explain too little are left out, listed, and kept on demand."""

import numpy as np
import pandas as pd
import pytest

from bnsieve import Knowledge, TsetlinSieve
from bnsieve.decide import CountScorer, Score
from bnsieve.engine import one_thread_each
from bnsieve.knowledge import Constraints
from bnsieve.learners.effects import EffectSizes, without_small_effects
from bnsieve.search import Skeleton
from bnsieve.table import Table

N_ROWS = 30_000


def _weak_and_strong() -> pd.DataFrame:
    """Return y of two causes: one explains a fifth of its variance, one 0.25 %."""
    rng = np.random.default_rng(0)
    strong, weak, noise = rng.normal(size=(3, N_ROWS))
    return pd.DataFrame({"strong": strong, "weak": weak, "y": strong / 2 + weak / 20 + noise})


def test_edges_below_the_floor_are_left_out_and_listed() -> None:
    frame = _weak_and_strong()
    learner = TsetlinSieve(random_state=0, min_effect=0.01).fit(frame)
    assert set(learner.graph_.adjacent("y")) == {"strong"}
    ((ends, effect),) = learner.small_edges_.items()
    assert set(ends) == {"weak", "y"}
    assert effect.share_low < 0.0025 / 1.0025 < effect.share_high < 0.01
    support = learner.explain("weak", "y")
    assert support.reason == "small effect"
    assert "min_effect" in support.rationale


@pytest.mark.parametrize("min_effect", [0.0, 1e-4])
def test_zero_and_the_default_keep_it(min_effect: float) -> None:
    learner = TsetlinSieve(random_state=0, min_effect=min_effect).fit(_weak_and_strong())
    assert set(learner.graph_.adjacent("y")) == {"strong", "weak"}
    assert not learner.small_edges_


def test_required_edges_stay() -> None:
    known = Knowledge(required=[("weak", "y")])
    learner = TsetlinSieve(random_state=0, min_effect=0.01, knowledge=known)
    assert ("weak", "y") in learner.fit(_weak_and_strong()).dag_.edges


def test_tables_without_numbers_keep_all_edges() -> None:
    frame = (_weak_and_strong() > 0).astype(str)
    learner = TsetlinSieve(random_state=0, min_effect=0.5).fit(frame)
    assert learner.graph_.n_edges == 2
    assert not learner.small_edges_


def test_the_smallest_goes_first_and_others_are_measured_without_it() -> None:
    # Two copies, each of which tells nothing beside the other: one of them has to stay.
    rng = np.random.default_rng(3)
    x = rng.integers(2, size=60_000)
    y = np.where(rng.random(len(x)) < 0.3, 1 - x, x)
    copy = np.where(rng.random(len(x)) < 1e-3, 1 - x, x)
    table = Table.from_data(pd.DataFrame({"x": x, "z": copy, "y": y}).astype(str))
    scorer = CountScorer(table, Score("bic"), Constraints.none(3))
    skeleton = Skeleton(3, ((0, 2), (1, 2)), {}, 0, ((0, 2), (1, 2)))
    with one_thread_each():
        kept, left_out = without_small_effects(
            skeleton, EffectSizes(scorer, table), 0.01, Constraints.none(3), map
        )
    assert len(kept.edges) == len(kept.directed_edges or ()) == len(left_out) == 1
    assert not set(kept.directed_edges or ()) & set(left_out)
