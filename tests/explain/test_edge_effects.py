"""Effect sizes: true values from formulas, and intervals that cover them."""

import numpy as np
import pandas as pd
import pytest

from bnsieve import TsetlinSieve
from bnsieve.explain import EdgeEffect

N_ROWS = 4_000


def test_the_effect_of_normal_columns_is_that_of_their_partial_correlation() -> None:
    rng = np.random.default_rng(0)
    x, z = rng.normal(size=(2, 50_000))
    y = 0.5 * x + 0.3 * z + rng.normal(size=len(x))
    # Given z, x explains 0.25 of 1.25 parts of the variance.
    learner = TsetlinSieve(random_state=0).fit(pd.DataFrame({"x": x, "y": y, "z": z}))
    effect = learner.edge_effects_["x", "y"]
    assert effect.share_low < 0.2 < effect.share_high
    assert effect.share_high - effect.share_low < 0.02
    assert effect.nats == pytest.approx(-0.5 * np.log1p(-effect.share))


def test_the_effect_of_categories_is_a_share_of_the_entropy() -> None:
    rng = np.random.default_rng(1)
    x = rng.integers(2, size=N_ROWS)
    y = np.where(rng.random(N_ROWS) < 0.2, 1 - x, x)
    frame = pd.DataFrame({"x": x, "y": y}).astype(str)
    learner = TsetlinSieve(random_state=0).fit(frame)
    (effect,) = learner.edge_effects_.values()
    truth = np.log(2) + 0.2 * np.log(0.2) + 0.8 * np.log(0.8)
    assert effect.nats_low < truth < effect.nats_high
    assert effect.share == pytest.approx(effect.nats / np.log(2), rel=1e-3)


def test_intervals_cover_the_truth_about_as_often_as_they_say() -> None:
    rng, n, r, covered = np.random.default_rng(2), 500, 0.2, []
    truth = -0.5 * np.log1p(-(r**2))
    for _ in range(400):
        x, noise = rng.normal(size=(2, n))
        y = r * x + np.sqrt(1 - r**2) * noise
        nats = -0.5 * np.log1p(-(np.corrcoef(x, y)[0, 1] ** 2))
        effect = EdgeEffect.of(nats, 1.0, n, None)
        covered.append(effect.nats_low <= truth <= effect.nats_high)
    assert 0.92 < np.mean(covered) < 0.98


def test_it_does_not_grow_with_the_rows() -> None:
    few, many = (EdgeEffect.of(0.01 + 0.5 / n, 1.0, n, None) for n in (10_000, 1_000_000))
    assert few.nats == pytest.approx(many.nats) == pytest.approx(0.01)
    assert many.nats_high - many.nats_low < (few.nats_high - few.nats_low) / 5


def test_chance_alone_has_no_effect() -> None:
    effect = EdgeEffect.of(0.5 / 1_000, 1.0, 1_000, None)
    assert effect.nats == effect.nats_low == 0.0 < effect.nats_high
