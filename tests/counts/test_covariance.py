"""Covariances of blocks: which functions are kept, what is repaired, what is selected."""

from itertools import pairwise

import numpy as np
import pandas as pd
import pytest

from bnsieve.counts import Covariance, Embedding, Moments, covariance_of, kept_covariance
from bnsieve.table import Table

RIDGE = 1e-7


def numbers(**columns) -> Table:
    frame = pd.DataFrame(columns)
    bins = frame.apply(lambda column: pd.qcut(column, 3).astype(str))
    return Table.from_data(bins).with_numbers({name: frame[name].to_numpy() for name in frame})


def labelled(correlations, n_rows) -> tuple[Moments, Embedding]:
    """Moments of binary labels, one column each, that have some correlations in pairs of rows."""
    size = len(correlations)
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(rng.integers(0, 2, size=(50, size))).astype(str)
    embedding = Embedding.of(Table.from_data(frame.rename(columns=str)))
    n_rows = np.broadcast_to(np.asarray(n_rows, dtype=float), (size, size)).copy()
    return Moments(n_rows, np.zeros((size, size)), np.asarray(correlations) * n_rows), embedding


def test_correlations_that_are_possible_stay_as_they_are():
    possible = np.array([[1, 0.5, 0.2], [0.5, 1, 0.3], [0.2, 0.3, 1]])
    for n_rows in (100, [[100, 90, 80], [90, 95, 70], [80, 70, 85]]):
        found = kept_covariance(*labelled(possible, n_rows))
        np.testing.assert_allclose(found.matrix, possible + RIDGE * np.eye(3), atol=1e-12)
        assert found.first.tolist() == [0, 1, 2, 3]
        assert found.kept.tolist() == [True] * 3
        assert found.n_variables == 3


def test_correlations_of_pairs_that_contradict_are_repaired():
    # Each pair was seen in other rows: no three columns have -.9 between all of them.
    impossible = np.array([[1, -0.9, -0.9], [-0.9, 1, -0.9], [-0.9, -0.9, 1]])
    found = kept_covariance(*labelled(impossible, [[100, 50, 50], [50, 99, 50], [50, 50, 98]]))
    values, vectors = np.linalg.eigh(found.matrix)
    assert values[0] > 0
    np.testing.assert_allclose(np.diag(found.matrix), 1 + RIDGE)
    # By symmetry the nearest possible ones are -1/2, where the three add up to nothing.
    np.testing.assert_allclose(found.matrix[np.triu_indices(3, 1)], -0.5, atol=1e-5)
    np.testing.assert_allclose(np.abs(vectors[:, 0]), np.sqrt(1 / 3), atol=1e-4)


def test_unequal_contradictions_are_repaired_by_their_eigenvalues():
    impossible = np.array([[1, 0.9, 0.2], [0.9, 1, 0.9], [0.2, 0.9, 1]])
    found = kept_covariance(*labelled(impossible, [[100, 50, 50], [50, 99, 50], [50, 50, 98]]))
    values, vectors = np.linalg.eigh(impossible)
    assert values[0] < 0
    repaired = sum(
        max(value, 1e-6) * np.outer(one, one) for value, one in zip(values, vectors.T, strict=True)
    )
    deviations = np.sqrt(np.diag(repaired))
    expected = repaired / np.outer(deviations, deviations)
    np.testing.assert_allclose(found.matrix, expected + RIDGE * np.eye(3), atol=1e-9)


@pytest.mark.parametrize(
    ("n_rows", "worth"),
    [
        (300, 297.5),  # Bartlett's correction
        ([[100, 40, 50], [40, 100, 60], [50, 60, 100]], 47.5),  # the mean over pairs
        (30_000, 20_000),  # more do not count
    ],
)
def test_how_many_rows_it_is_worth(n_rows, worth):
    assert kept_covariance(*labelled(np.eye(3), n_rows)).n_rows == worth


def test_of_one_column_all_its_rows_count():
    assert kept_covariance(*labelled(np.eye(1), 70)).n_rows == 67.5


def test_sizes_of_blocks():
    covariance = Covariance(np.eye(6), np.array([0, 2, 3, 6]), 30.0)
    assert covariance.n_variables == 3
    assert covariance.sizes.tolist() == [2, 1, 3]


def test_kept_functions_of_a_column_are_uncorrelated():
    rng = np.random.default_rng(1)
    x = rng.gamma(2.0, size=3_000)
    found = covariance_of(numbers(x=x, bent=(x - x.mean()) ** 2 + rng.normal(size=3_000)))
    assert found.sizes[0] > 1
    for first, end in pairwise(found.first):
        np.testing.assert_allclose(
            found.matrix[first:end, first:end], (1 + RIDGE) * np.eye(end - first), atol=1e-9
        )
    assert found.kept.sum() == found.first[-1]


def test_a_function_that_repeats_lower_ones_is_left_out():
    # Of two values all functions of the rank are the same line.
    rng = np.random.default_rng(2)
    two = rng.integers(0, 2, size=2_000).astype(float)
    y = two + 0.1 * rng.normal(size=2_000)
    frame = pd.DataFrame({"two": two.astype(str), "y": pd.qcut(y, 3).astype(str)})
    found = covariance_of(Table.from_data(frame).with_numbers({"two": two, "y": y}))
    assert found.sizes[0] == 1
    assert np.linalg.eigvalsh(found.matrix)[0] > 0


@pytest.mark.parametrize(("strength", "kept"), [(0.04, False), (0.12, True)])
def test_a_function_is_kept_where_it_outweighs_chance(strength, kept):
    # Of x only the second function is correlated with y, by a chosen r: in n = 2,000 rows that is
    # worth -n / 2 log(1 - r²), which must exceed 2 log 2 + log(n) / 2 = 5.2. That is r = .072.
    n = 2_000
    rank = (np.arange(n) + 0.5) / n
    bent = np.sqrt(5) * (6 * rank**2 - 6 * rank + 1)  # Legendre's second, of variance one
    rng = np.random.default_rng(3)
    y = rng.permutation(n) / n
    y = (y - y.mean()) / y.std()
    y -= bent * (y @ bent) / n
    mixed = strength * bent / bent.std() + np.sqrt(1 - strength**2) * y
    found = covariance_of(numbers(x=rank, y=mixed))
    assert bool(found.kept[1]) == kept
