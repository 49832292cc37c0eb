"""Scores and tests of rows that belong together."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from scipy.stats import chi2

from bnsieve.counts import Dependence, ScannedCounts, covariance_of, dependence_of
from bnsieve.decide import (
    ClusteredScorer,
    CountScorer,
    CountsTest,
    CovarianceScorer,
    EntityRows,
    ResidualTest,
    Score,
)
from bnsieve.engine import threads
from bnsieve.knowledge import Constraints
from bnsieve.table import Table


def repeated(n_entities: int, n_each: int, seed: int) -> tuple[Table, Table]:
    """Return independent rows, and the same rows, each so many times as those of an entity."""
    rng = np.random.default_rng(seed)
    a = rng.integers(0, 2, n_entities)
    b = np.where(rng.random(n_entities) < 0.75, a, 1 - a)
    c = np.where(rng.random(n_entities) < 0.75, b, rng.integers(0, 3, n_entities))
    d = rng.integers(0, 3, n_entities)
    once = Table.from_data(pd.DataFrame({"a": a, "b": b, "c": c, "d": d}))
    rows = np.repeat(np.arange(n_entities), n_each)
    return once, replace(once.take(rows), entities=rows.astype(np.int32))


def scorer(table: Table) -> ClusteredScorer:
    dependence = dependence_of(table)
    assert dependence is not None
    score = Score("bic", parent_cost=1.0)
    return ClusteredScorer(CountScorer(table, score, Constraints.none(4)), dependence)


def test_repeated_rows_count_once() -> None:
    """BIC of every row ten times, with entities, is about that of the rows once."""
    once, many = repeated(400, 10, 0)
    plain = CountScorer(once, Score("bic", parent_cost=1.0), Constraints.none(4))
    clustered = scorer(many)
    for target in range(4):
        others = [v for v in range(4) if v != target]
        expected = plain.gains(target, ())[others]
        assert clustered.gains(target, ())[others] == pytest.approx(expected, rel=0.05, abs=0.5)


def test_other_columns_do_not_change_what_constant_ones_cost() -> None:
    """Two columns that are constant within entities cost what they cost in one row per entity."""
    once, many = repeated(400, 10, 0)
    rng = np.random.default_rng(0)
    varying = Table.from_data(pd.DataFrame(rng.integers(0, 2, (4_000, 2)), columns=["c", "d"]))
    mixed = Table.from_data(
        pd.DataFrame(
            {
                **{name: many.codes[place] for place, name in enumerate("ab")},
                **{name: varying.codes[place] for place, name in enumerate("cd")},
            }
        )
    )
    clustered = scorer(replace(mixed, entities=many.entities))
    plain = CountScorer(once, Score("bic", parent_cost=1.0), Constraints.none(4))
    gain = clustered.gains(0, ())[1] * clustered.in_nats(0, 1)
    assert gain == pytest.approx(plain.gains(0, ())[1], rel=0.02)


def test_sets_and_gains_agree() -> None:
    """The score of a set is that of none plus the gains of its members, one after another."""
    _, many = repeated(400, 5, 1)
    clustered = scorer(many)
    with threads(1) as run:
        sets = clustered.parent_sets(((1, 2, 3), (0, 2, 3), (0, 1, 3), (0, 1, 2)), run)
    scores = {tuple(sorted(sets[2].members(i))): s for i, s in enumerate(sets[2].scores)}
    gain = clustered.gains(2, ())[1]
    assert scores[(1,)] - scores[()] == pytest.approx(gain)
    assert sorted(sets[2].scores, reverse=True) == sets[2].scores.tolist()


def test_equivalent_graphs_cost_the_same() -> None:
    """Of a complete graph over three variables, whatever its order."""
    _, many = repeated(300, 4, 2)
    clustered = scorer(many)
    totals, alike = [], clustered.dependence.correlations
    for order in ((0, 1, 2), (2, 0, 1), (1, 2, 0)):
        total = 0.0
        for place, v in enumerate(order):
            before = order[:place]
            members = np.ones((1, place), dtype=bool)
            total += float(clustered._cost(v, members, before, alike)[0]) if place else 0.0
        totals.append(total)
    assert totals == pytest.approx([totals[0]] * 3)


def test_constant_variables_are_scored_in_one_row_of_each_entity() -> None:
    """Exactly as the rows once; a variable that varies may not be their parent."""
    once, many = repeated(400, 10, 0)
    varies = np.random.default_rng(5).integers(0, 2, 4_000).astype(many.codes.dtype)
    codes = many.codes.copy()
    codes[3] = varies
    mixed = replace(many, codes=codes)
    score = Score("bic", parent_cost=1.0)
    plain = CountScorer(once, score, Constraints.none(4))
    dependence = dependence_of(mixed)
    assert dependence is not None
    rows = EntityRows(plain, np.array([True, True, True, False]))
    base = CountScorer(mixed, score, Constraints.none(4))
    clustered = ClusteredScorer(base, dependence, entity_rows=rows)
    for parent, more in ((1, 2), (2, 1)):
        gains = clustered.gains(0, (parent,)) * clustered.in_nats(0, more)
        assert gains[more] == pytest.approx(plain.gains(0, (parent,))[more])
    assert clustered.gains(0, ())[3] == -np.inf
    assert np.isfinite(clustered.gains(3, ())[0])
    with threads(1) as run:
        sets = clustered.parent_sets(((1, 2), (0, 2), (0, 1), (0, 1, 2)), run)[0]
        expected = plain.parent_sets(((1, 2), (0, 2), (0, 1), (0, 1, 2)), run)[0]
    assert sets.masks.tolist() == expected.masks.tolist()
    scaled = (sets.scores - sets.scores[0]) * clustered.in_nats(0, 1)
    assert scaled == pytest.approx(expected.scores - expected.scores[0])
    free = clustered.unordered()
    assert np.isfinite(free.gains(0, ())[3])


def test_further_parents_cost_what_the_parents_leave_alike() -> None:
    """Without likeness beside its parents, a variable costs what it costs in independent rows."""
    _, many = repeated(400, 10, 0)
    dependence = dependence_of(many)
    assert dependence is not None
    score = Score("bic", parent_cost=1.0)
    base = CountScorer(many, score, Constraints.none(4))
    unlike = ClusteredScorer(base, dependence, unexplained=np.zeros(4))
    gains = unlike.gains(0, ()) * unlike.mean_effect
    assert gains[1:] == pytest.approx(base.gains(0, ())[1:])
    as_before = ClusteredScorer(base, dependence, unexplained=dependence.correlations)
    assert as_before.gains(0, (1,))[2] == pytest.approx(
        ClusteredScorer(base, dependence).gains(0, (1,))[2]
    )


def test_covariance_scores_are_charged_by_pairs() -> None:
    rng = np.random.default_rng(3)
    entities = np.repeat(np.arange(100), 10)
    x, y = (rng.normal(size=100)[entities] + rng.normal(size=1000) for _ in range(2))
    frame = pd.DataFrame({"x": pd.qcut(x, 4, labels=False), "y": pd.qcut(y, 4, labels=False)})
    table = Table.from_data(frame).with_numbers({"x": x, "y": y})
    table = replace(table, entities=entities.astype(np.int32))
    covariance = covariance_of(table)
    dependence = dependence_of(table, covariance)
    assert dependence is not None
    base = CovarianceScorer(covariance, Score("bic", parent_cost=2.0), Constraints.none(2))
    clustered = ClusteredScorer(base, dependence)
    effect = dependence.design_effects()[0, 1]
    assert effect == pytest.approx(1 + 9 * 0.25, rel=0.35)
    told = base.gains(0, ())[1] + 2.0 + 0.5 * np.log(1000)
    # Each parameter costs its design effect times half the logarithm of its effective rows.
    rate = effect * 0.5 * np.log(1000 / effect)
    expected = (told - rate - 2.0 * effect) / effect
    assert clustered.gains(0, ())[1] == pytest.approx(expected, rel=0.03)
    assert clustered.gains(1, ())[0] == pytest.approx(expected, rel=0.03)


def test_statistic_of_counts_is_divided_by_the_design_effect() -> None:
    _, many = repeated(300, 5, 4)
    dependence = Dependence(1500, 300, 4.0, np.array([1.0, 0.5, 0.0, 1.0]), many.n_categories)
    plain = CountsTest(ScannedCounts(many), method="chi2")
    deflated = CountsTest(ScannedCounts(many), method="chi2", dependence=dependence)
    before, after = plain.test(0, 3), deflated.test(0, 3)
    assert after.p_value == pytest.approx(chi2.sf(before.statistic / 5.0, before.df))
    # No two rows of an entity are alike in the third: nothing changes.
    assert deflated.test(2, 3) == plain.test(2, 3)
    # A conditioning variable that differs within entities parts their rows.
    assert dependence.design_effect(0, 3, (2,)) == pytest.approx(1 + 4 * 1 / many.n_categories[2])


def test_p_values_of_independent_numbers_with_entity_effects() -> None:
    """Of 5 % tests, about one in twenty is below; without entities far more."""
    below = {"rows": 0, "entities": 0}
    for seed in range(120):
        rng = np.random.default_rng(seed)
        entities = np.repeat(np.arange(60), 8)
        x, y = (rng.normal(size=60)[entities] + rng.normal(size=480) for _ in range(2))
        below["rows"] += ResidualTest([x, y]).test(0, 1).p_value < 0.05
        below["entities"] += ResidualTest([x, y], entities=entities).test(0, 1).p_value < 0.05
    assert below["rows"] > 18
    assert 1 <= below["entities"] <= 14
