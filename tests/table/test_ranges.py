"""Ranges of numbers as labels."""

import numpy as np
import pytest

from bnsieve.table import Range, between_cuts, ranges_of


@pytest.mark.parametrize(
    ("one", "alone", "said"),
    [
        (Range(upper=43), "< 43", "age < 43"),
        (Range(60.5), ">= 60.5", "age >= 60.5"),
        (Range(43, 60.5), "[43, 60.5)", "43 <= age < 60.5"),
        (Range(), "any", "age any"),
    ],
)
def test_a_range_reads_as_a_threshold(one, alone, said):
    assert str(one) == alone
    assert one.of("age") == said


def test_a_range_holds_its_lower_bound_only():
    assert 43 in Range(43, 60)
    assert 60 not in Range(43, 60)
    assert 1e300 in Range(43)


def test_neighbours_become_one():
    assert Range(1, 2).up_to(Range(2)) == Range(1)


def test_bounds_part_the_values_as_the_codes_do():
    rng = np.random.default_rng(0)
    values = rng.normal(size=300)
    codes = np.digitize(values, [-0.5, 0.2, 1.0])
    found = ranges_of(values, codes)
    assert [next(i for i, one in enumerate(found) if v in one) for v in values] == codes.tolist()
    assert len(str(found[0])) < 10  # few digits


def test_ranges_between_cuts_touch():
    assert between_cuts([1.0, 2.0]) == (Range(upper=1), Range(1, 2), Range(2))
    assert between_cuts([]) == (Range(),)
