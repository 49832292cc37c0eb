"""Tests of odd rows: which rows a test counted, and with which probability."""

import numpy as np
import pytest
from scipy.stats import hypergeom

from bnsieve.check.odd_rows import Rarity

# Ten thousand different scores, far from each other in the tail: the shares are known exactly.
KNOWN = Rarity.of(np.arange(10_000.0))
N_TESTS = 3


def test_more_rows_beyond_the_oddest_hundredth() -> None:
    scores = np.concatenate([np.full(950, 5_000.0), np.full(50, 9_950.0)])
    found = KNOWN.test(scores)
    # 100 training rows and 50 of 1,000 new rows are above 9,899.
    expected = hypergeom(11_000, 150, 1_000).sf(49)
    assert found.p_value == pytest.approx(N_TESTS * expected, rel=1e-6)
    assert (found.n_rows, found.share) == (50, 0.01)
    assert int((scores >= found.least_score).sum()) == 50


def test_a_row_beyond_all_others_is_the_one_that_is_counted() -> None:
    scores = np.append(np.full(99, 5_000.0), 12_000.0)
    found = KNOWN.test(scores)
    assert found.p_value < 1e-6
    assert (found.n_rows, found.least_score) == (1, 12_000.0)
    assert found.p_value == pytest.approx(N_TESTS * (1 - (1 - found.share) ** 100))


def test_the_same_scores_again_are_no_surprise() -> None:
    assert KNOWN.test(KNOWN.known).p_value > 0.5
