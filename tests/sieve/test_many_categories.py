"""Columns of thousands of categories: counted pair by pair, and seen by machines as a few."""

import numpy as np
import pytest

from bnsieve.counts import ScannedCounts
from bnsieve.decide import CountsTest
from bnsieve.sieve import association, excess_of, pooled, screened
from bnsieve.table import Table


@pytest.fixture
def many():
    """Return a table: many categories, a duplicate, few that follow, one with missing values."""
    rng = np.random.default_rng(0)
    first = rng.integers(0, 400, 3_000)
    gaps = (first // 2).astype(object)
    gaps[::9] = None
    columns = [first, 1_000 - first, (first + rng.integers(0, 2, 3_000)) % 3, gaps]
    return Table.from_data(np.column_stack([column.astype(object) for column in columns]))


def test_pairs_agree_with_the_likelihood_ratio_test(many):
    excess, originals = screened(many)
    test = CountsTest(ScannedCounts(many), method="g2")
    for x in range(4):
        for y in range(x):
            df = np.prod(many.n_categories[[x, y]] - 1)
            assert excess[x, y] + df == pytest.approx(test.test(x, y).statistic, rel=1e-9)
            assert excess[y, x] == excess[x, y]
    assert originals.tolist() == [0, 0, 2, 3]
    assert not excess.diagonal().any()


def test_few_and_many_categories_are_told_alike(many, monkeypatch):
    expected, duplicates = screened(many)
    for limit in (10_000, 1):
        monkeypatch.setattr(association, "_MANY", limit)
        excess, originals = screened(many)
        np.testing.assert_allclose(excess, expected, rtol=1e-9, atol=1e-6)
        assert originals.tolist() == duplicates.tolist()


def test_one_variable_is_told_alike(many):
    expected = screened(many)[0][3]
    np.testing.assert_allclose(excess_of(many, 3), expected, rtol=1e-9, atol=1e-6)


def test_columns_that_are_known_in_other_rows_are_no_copies():
    first = (np.arange(900) % 300).astype(object)
    for rows in ([0, 300, 600], [1]):
        second = first.copy()
        second[rows] = None
        third = first.copy()
        third[1] = None
        table = Table.from_data(np.column_stack([first, second, third]))
        assert screened(table)[1].tolist() == ([0, 1, 2] if rows != [1] else [0, 1, 1])


def test_machines_see_the_most_frequent_levels_and_the_rest_as_one(many):
    seen = pooled(many)
    assert seen.n_categories.tolist() == [128, 128, 3, 128]
    for variable in (0, 1, 3):
        counts = association.category_counts(many, variable)
        kept = [many.categories[variable].index(label) for label in seen.categories[variable][:-1]]
        assert sorted(counts[kept]) == sorted(counts)[-127:]
        rest = counts.sum() - counts[kept].sum()
        expected = [*counts[kept], rest]
        assert association.category_counts(seen, variable).tolist() == expected
    assert seen.codes.dtype == np.uint8
    np.testing.assert_array_equal(seen.missing[3], many.missing[3])


def test_other_tables_are_left_alone():
    table = Table.from_data(np.column_stack([np.arange(600) % 128, np.arange(600) % 2]))
    assert pooled(table) is table
