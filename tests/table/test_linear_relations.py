"""Linear relations among numbers: found where they are, never in noise."""

import numpy as np
import pytest

from bnsieve.table import Table, find_linear_relations, linear_members

N = 1_000


def with_numbers_only(**columns):
    codes = np.zeros((len(columns), N), dtype=np.uint8)
    return Table(
        codes, tuple(columns), (("any",),) * len(columns), {}, dict(enumerate(columns.values()))
    )


def parts(seed=0, n=N):
    return np.random.default_rng(seed).normal(size=(3, n))


def test_a_total_is_named_with_its_parts():
    a, b, other = parts()
    (found,) = find_linear_relations([a, other, b, 2 * a - b + 7])
    assert (found.column, found.of) == (3, (0, 2))
    np.testing.assert_allclose(found.weights, (2.0, -1.0))
    assert found.constant == pytest.approx(7.0)
    assert found.unexplained < 1e-20


def test_rounding_is_allowed():
    a, b, other = (100 * own for own in parts())
    (found,) = find_linear_relations([a.round(0), b.round(0), other, (a + b).round(-1)])
    assert found.members == {0, 1, 3}
    assert found.constant == 0.0
    assert 1e-6 < found.unexplained < 1e-3


def test_a_unit_with_noise_is_a_relation_of_two():
    celsius, noise, other = parts()
    (found,) = find_linear_relations([celsius, 1.8 * celsius + 32 + 0.01 * noise, other])
    assert found.members == {0, 1}


def test_relations_that_follow_from_others_are_not_repeated():
    a, b, c = parts()
    found = find_linear_relations([a, b, c, a + b, a + b + c])
    assert len(found) == 2
    assert {0, 1, 3} in [one.members for one in found]


def test_missing_values_are_left_out():
    a, b, other = parts()
    total = a + b
    total[::7] = np.nan
    (found,) = find_linear_relations([a, b, other, total])
    assert found.members == {0, 1, 3}


def test_columns_of_the_same_ranks_are_for_the_learner_to_set_aside():
    a, b, _ = parts()
    assert find_linear_relations([a, 2.2 * a, -a, b, np.log(a - a.min() + 1)]) == ()


def _autoregressive(rng):
    steps, walks = rng.normal(size=(30, 2_000)), np.zeros((30, 2_000))
    for t in range(1, 2_000):
        walks[:, t] = 0.999 * walks[:, t - 1] + steps[:, t]
    return walks


def _correlated(rng):
    common = rng.normal(size=N)
    return 0.995 * common + np.sqrt(1 - 0.995**2) * rng.normal(size=(10, N))


def _one_outlier(rng):
    values = rng.normal(size=(4, N))
    values[:, 17] = 1e6
    return values


NOISE = {
    "normal": lambda rng: rng.normal(size=(30, N)),
    "few rows": lambda rng: rng.normal(size=(30, 40)),
    "more columns than rows": lambda rng: rng.normal(size=(120, 100)),
    "Cauchy": lambda rng: rng.standard_cauchy((30, N)),
    "lognormal": lambda rng: np.exp(2 * rng.normal(size=(30, N))),
    "zero-inflated": lambda rng: rng.gamma(2.0, size=(30, N)) * (rng.random((30, N)) > 0.7),
    "counts": lambda rng: rng.poisson(3.0, (30, N)).astype(float),
    "correlated by .99": _correlated,
    "walks": lambda rng: rng.normal(size=(30, 2_000)).cumsum(axis=1),
    "autoregressive": _autoregressive,
    "one outlier": _one_outlier,
    "constant": lambda rng: np.ones((4, N)),
    "all missing": lambda rng: np.full((4, N), np.nan),
    "huge": lambda rng: rng.normal(size=(4, N)) * 1e300,
}


@pytest.mark.parametrize("shape", NOISE)
@pytest.mark.parametrize("seed", range(3))
def test_noise_has_none(shape, seed):
    assert find_linear_relations(list(NOISE[shape](np.random.default_rng(seed)))) == ()


def test_a_relation_that_half_of_the_rows_break_is_none():
    a, b, other = parts()
    total = np.where(np.arange(N) < N // 2, a + b, a - b)
    assert find_linear_relations([a, b, other, total]) == ()
    assert find_linear_relations([a, b, other, np.where(np.arange(N) % 5, a + b, other)]) == ()


@pytest.mark.parametrize(("shape", "n_members"), [(lambda x: x, 4), (np.exp, 0)])
def test_only_normal_columns_are_scored_by_value(shape, n_members):
    a, b, other = (shape(own) for own in parts())
    table = with_numbers_only(a=a, b=b, other=other, total=a + b, less=-3 * a)
    assert len(find_linear_relations([table.numbers[v] for v in range(5)])) == 1
    names = [table.names[v] for v in linear_members(table)]
    assert names == ["a", "b", "total", "less"][:n_members]


def test_rows_that_belong_together_are_not_searched():
    a, b, _ = parts()
    table = with_numbers_only(a=a, b=b, total=a + b)
    assert len(linear_members(table)) == 3
    entities = np.repeat(np.arange(N // 10), 10).astype(np.int32)
    tied = Table(table.codes, table.names, table.categories, table.missing, table.numbers, entities)
    assert linear_members(tied) == ()
