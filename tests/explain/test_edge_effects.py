"""Effect sizes: true values from formulas, and intervals that cover them."""

import numpy as np
import pandas as pd
import pytest

from bnsieve import Knowledge, TsetlinSieve
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


def _channel(n_rows: int, error: float, seed: int) -> pd.DataFrame:
    """Return the input and output of a binary symmetric channel, and two numbers."""
    rng = np.random.default_rng(seed)
    x = rng.random(n_rows) < 0.5
    y = np.where(rng.random(n_rows) < error, ~x, x)
    z = rng.normal(size=n_rows) + 2 * x
    frame = pd.DataFrame({"x": np.where(x, "on", "off"), "y": np.where(y, "on", "off")})
    return frame.assign(z=z, w=z + rng.normal(size=n_rows))


def test_numbers_elsewhere_do_not_change_the_effect_on_a_category() -> None:
    frame = _channel(5_000, 0.05, seed=0)
    truth = np.log(2) + 0.05 * np.log(0.05) + 0.95 * np.log(0.95)
    for columns in (["x", "y"], ["x", "y", "z", "w"]):
        learner = TsetlinSieve(random_state=0).fit(frame[columns])
        (effect,) = (own for ends, own in learner.edge_effects_.items() if set(ends) == {"x", "y"})
        assert effect.nats_low < truth < effect.nats_high
        assert effect.share_low < truth / np.log(2) < effect.share_high < 0.8


def test_the_effect_of_a_number_on_a_category_is_that_of_the_logistic_model() -> None:
    rng = np.random.default_rng(4)
    x, z = rng.normal(size=(2, 8_000))
    chance = 1 / (1 + np.exp(2 - 2 * x))
    alarm = np.where(rng.random(len(x)) < chance, "yes", "no")
    known = Knowledge(required=[("x", "alarm")])
    frame = pd.DataFrame({"x": x, "alarm": alarm, "z": z + x})
    learner = TsetlinSieve(random_state=0, knowledge=known).fit(frame)
    assert learner.numeric_features_ == ("x", "z")
    effect = learner.edge_effects_["x", "alarm"]

    def entropy(p: np.ndarray | float) -> np.ndarray | float:
        return -p * np.log(p) - (1 - p) * np.log(1 - p)

    grid = np.linspace(-7, 7, 2_001)
    weights = np.exp(-(grid**2) / 2) / np.exp(-(grid**2) / 2).sum()
    chances = 1 / (1 + np.exp(2 - 2 * grid))
    whole = entropy(float(weights @ chances))
    truth = whole - weights @ entropy(chances)
    assert effect.nats_low < truth < effect.nats_high
    assert effect.share_low < truth / whole < effect.share_high < 1


def test_a_category_tells_no_more_than_it_has() -> None:
    for nats in (0.6, 0.7, 5.0):
        effect = EdgeEffect.of(nats, 1.0, 1_000, np.log(2))
        assert effect.nats_low <= effect.nats <= effect.nats_high <= np.log(2)
        assert effect.share_high <= 1


def test_repeated_rows_of_entities_do_not_narrow_the_interval() -> None:
    frame = _channel(500, 0.2, seed=5)
    many = frame.loc[frame.index.repeat(8)].assign(who=np.repeat(np.arange(500), 8))
    rng = np.random.default_rng(5)
    many["z"] += rng.normal(0, 0.1, len(many))
    known = Knowledge(required=[("x", "y")])
    widths = []
    for by, data in ((None, frame), ("who", many)):
        learner = TsetlinSieve(random_state=0, by=by, knowledge=known).fit(data)
        assert learner.numeric_features_
        effect = learner.edge_effects_["x", "y"]
        widths.append(effect.nats_high - effect.nats_low)
    assert widths[1] == pytest.approx(widths[0], rel=0.1)
