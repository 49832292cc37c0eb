"""Tails of the hypergeometric distribution, beside exact fractions and scipy."""

from fractions import Fraction
from math import comb

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import hypergeom, norm

from bnsieve.check.tails import tails


def exact(total, n, m):
    lowest, highest = max(0, total - n), min(total, m)
    every = comb(n + m, total)
    return lowest, [
        Fraction(comb(m, k) * comb(n, total - k), every) for k in range(lowest, highest + 1)
    ]


@given(st.integers(1, 60), st.integers(1, 60), st.data())
def test_small_ones_are_exact(n, m, data):
    total = data.draw(st.integers(0, n + m))
    lowest, chances = exact(total, n, m)
    found = tails(total, n, m)
    assert found.first == lowest
    more = [float(sum(chances[i:])) for i in range(len(chances))]
    fewer = [float(sum(chances[: i + 1])) for i in range(len(chances))]
    assert found.more == pytest.approx(more, rel=1e-10)
    assert found.fewer == pytest.approx(fewer, rel=1e-10)
    assert found.or_more(lowest - 1) == 1
    assert found.or_more(lowest + len(chances)) == 0


def test_millions_of_rows_take_few_terms():
    n, m, total = 9_000_000, 10_000_000, 1_000_000
    found = tails(total, n, m)
    assert len(found.more) < 100_000
    mean = total * m / (n + m)
    spread = hypergeom(n + m, total, m).std()
    for k in (int(mean) - 2_000, int(mean), int(mean) + 1_500):
        assert found.or_more(k) == pytest.approx(norm.sf((k - 0.5 - mean) / spread), rel=0.01)
