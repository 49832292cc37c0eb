"""Intraclass correlations and design effects: known layouts, and analysis of variance."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from bnsieve.counts import (
    clusters_of,
    covariance_of,
    dependence_of,
    intraclass_correlation,
    residual_correlations,
)
from bnsieve.table import Table


def with_entities(
    frame: pd.DataFrame, entities: np.ndarray, numbers: tuple[str, ...] = ()
) -> Table:
    cut = frame.copy()
    for name in numbers:
        cut[name] = pd.qcut(frame[name], 4, labels=False)
    table = Table.from_data(cut)
    values = {name: frame[name].to_numpy(dtype=np.float64) for name in numbers}
    return replace(table.with_numbers(values), entities=entities.astype(np.int32))


def layout(n_entities: int, n_each: int, share: float, seed: int) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    entities = np.repeat(np.arange(n_entities), n_each)
    own = rng.normal(size=n_entities)[entities]
    rest = rng.normal(size=len(entities))
    return np.sqrt(share) * own + np.sqrt(1 - share) * rest, entities


def test_correlation_agrees_with_analysis_of_variance() -> None:
    """Of a balanced layout: (MSB - MSW) / (MSB + (m - 1) MSW), up to 1 / (number of entities)."""
    values, entities = layout(300, 6, 0.4, 0)
    means = pd.Series(values).groupby(entities).transform("mean").to_numpy()
    between = 6 * ((means[::6] - values.mean()) ** 2).sum() / 299
    within = ((values - means) ** 2).sum() / (1800 - 300)
    expected = (between - within) / (between + 5 * within)
    assert intraclass_correlation([values - values.mean()], entities) == pytest.approx(
        expected, abs=0.004
    )
    assert expected == pytest.approx(0.4, abs=0.06)


def test_constant_within_entities_is_one_row_per_entity() -> None:
    entities = np.repeat(np.arange(100), 7)
    rng = np.random.default_rng(1)
    sex = rng.integers(0, 2, 100)[entities]
    kind = rng.integers(0, 5, 100)[entities]
    found = dependence_of(with_entities(pd.DataFrame({"sex": sex, "kind": kind}), entities))
    assert found is not None
    assert found.rows_beside == 6
    # Of n entities, two rows of one are alike and others differ: 1 but for the mean taken off.
    assert found.correlations == pytest.approx([1.0, 1.0], abs=0.01)
    assert found.effective_rows() == pytest.approx([100, 100], rel=0.01)
    assert found.design_effects()[0, 1] == pytest.approx(7.0, rel=0.01)


def test_design_effect_is_the_inflation_of_chance_associations() -> None:
    """The mean of n r^2 over independent pairs is 1 + (m - 1) times both correlations."""
    inflation, expected = [], []
    for seed in range(400):
        x, entities = layout(60, 10, 0.5, 2 * seed)
        y, _ = layout(60, 10, 0.3, 2 * seed + 1)
        inflation.append(600 * np.corrcoef(x, y)[0, 1] ** 2)
        alike = [intraclass_correlation([v - v.mean()], entities) for v in (x, y)]
        expected.append(1 + 9 * alike[0] * alike[1])
    assert np.mean(expected) == pytest.approx(1 + 9 * 0.5 * 0.3, rel=0.1)
    assert np.mean(inflation) == pytest.approx(np.mean(expected), rel=0.2)


def test_entities_of_unequal_size_count_pairs_of_rows() -> None:
    entities = np.repeat([0, 1, 2], [1, 2, 5])
    frame = pd.DataFrame({"x": [0, 1, 1, 0, 1, 0, 1, 1], "y": [1, 0, 1, 1, 0, 0, 1, 0]})
    found = dependence_of(with_entities(frame, entities))
    assert found is not None
    assert found.rows_beside == pytest.approx((0 + 2 * 1 + 5 * 4) / 8)


def test_parents_uncover_how_alike_rows_are() -> None:
    """What differs within entities can be explained by a parent; the rest is all the more alike."""
    effect, entities = layout(200, 10, 1.0, 3)
    rng = np.random.default_rng(3)
    cause = rng.normal(size=2000)
    x = effect + 3 * cause
    frame = pd.DataFrame({"cause": cause, "x": x})
    table = with_entities(frame, entities, ("cause", "x"))
    covariance = covariance_of(table)
    found = dependence_of(table, covariance)
    assert found is not None
    assert found.correlations[1] < 0.15
    left = residual_correlations(table, [(), (0,)], covariance)
    assert left[1] > 0.9
    states = (frame > 0).astype(int)
    coarse = with_entities(states, entities)
    before = dependence_of(coarse)
    assert before is not None
    assert residual_correlations(coarse, [(), (0,)])[1] > 1.5 * before.correlations[1]


def test_missing_values_are_left_out() -> None:
    values, entities = layout(200, 5, 0.6, 4)
    frame = pd.DataFrame({"x": (values > 0).astype(int), "y": (values > 0.3).astype(int)})
    whole = dependence_of(with_entities(frame, entities))
    holes = frame.astype(object).mask(np.random.default_rng(0).random(frame.shape) < 0.3)
    some = dependence_of(with_entities(holes, entities))
    assert whole is not None
    assert some is not None
    assert some.correlations == pytest.approx(whole.correlations, abs=0.07)


def test_a_sample_of_rows_tells_of_all() -> None:
    values, entities = layout(500, 20, 0.5, 5)
    frame = pd.DataFrame({"x": (values > 0).astype(int), "y": (values > 1).astype(int)})
    table = with_entities(frame, entities)
    drawn = table.take(np.random.default_rng(0).permutation(10_000)[:3_000])
    whole, some = dependence_of(table), dependence_of(drawn)
    assert whole is not None
    assert some is not None
    assert some.in_all_rows(10_000).rows_beside == pytest.approx(whole.rows_beside, rel=0.05)
    assert some.correlations == pytest.approx(whole.correlations, abs=0.05)


def test_no_two_rows_of_one_entity_have_no_effect() -> None:
    values, _ = layout(50, 4, 0.5, 6)
    frame = pd.DataFrame({"x": (values > 0).astype(int), "y": (values > 1).astype(int)})
    alone = dependence_of(with_entities(frame, np.arange(200)))
    assert alone is not None
    assert not alone.has_effect
    one = dependence_of(with_entities(frame, np.zeros(200)))
    assert one is not None
    assert not one.has_effect
    assert dependence_of(Table.from_data(frame)) is None


def test_clusters_in_words() -> None:
    entities = np.repeat(np.arange(100), [3] * 50 + [5] * 50)
    rng = np.random.default_rng(7)
    frame = pd.DataFrame({"sex": rng.integers(0, 2, 100)[entities], "x": rng.integers(0, 2, 400)})
    found = clusters_of(with_entities(frame, entities), "patient")
    assert str(found).startswith("100 entities (patient) of 3 to 5 rows: of 400 rows ")
    assert found is not None
    assert found.effective_rows["sex"] < 110 < 300 < found.effective_rows["x"]
