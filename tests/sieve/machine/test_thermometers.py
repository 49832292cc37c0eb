"""Literals of ordered variables: one for each step from a level to the next."""

import numpy as np
import pytest

from bnsieve.sieve import with_rank_bins
from bnsieve.sieve.machine import Condition, Layout, Literals
from bnsieve.sieve.machine.rules import _conditions
from bnsieve.sieve.machines import pack
from bnsieve.table import Range, Table, between_cuts

ORDERED = np.array([False, True, True])
N_LEVELS = np.array([3, 5, 2])


def test_literals_say_above_this_level_and_missing_cells_say_nothing():
    rng = np.random.default_rng(0)
    codes = np.array([rng.integers(0, k + 1, 3_000) for k in N_LEVELS], dtype=np.uint8)
    literals = Literals.of(codes, N_LEVELS, ORDERED)
    assert literals.layout.first.tolist() == [0, 3, 7, 8]
    plain, negated = literals.layout.unpack(literals.bits)
    for row in rng.integers(0, 3_000, 50).tolist():
        a, b, c = codes[:, row].tolist()
        expected = [a == k for k in range(3)] + [b < 5 and b > k for k in range(4)]
        expected.append(c == 1)
        known = [a < 3] * 3 + [b < 5] * 4 + [c < 2]
        assert plain[row].tolist() == expected
        assert negated[row].tolist() == [k and not e for k, e in zip(known, expected, strict=True)]


def test_the_literals_of_unordered_variables_are_the_same_beside_ordered_ones():
    rng = np.random.default_rng(1)
    codes = np.array([rng.integers(0, k + 1, 100) for k in N_LEVELS], dtype=np.uint8)
    usual, mixed = Literals.of(codes, N_LEVELS), Literals.of(codes, N_LEVELS, ORDERED)
    for plain, beside in zip(
        usual.layout.unpack(usual.bits), mixed.layout.unpack(mixed.bits), strict=True
    ):
        assert np.array_equal(plain[:, :3], beside[:, :3])


def test_only_ranges_have_thermometers():
    codes = np.array([[0, 1, 2, 3], [0, 1, 0, 1]], dtype=np.uint8)
    labels = Table(codes, ("a", "b"), ((0, 1, 2, 3), (0, 1)), {})
    assert pack(labels).layout.n_plain == 6
    numbers = Table(codes, labels.names, labels.categories, {}, {0: np.array([0.5, 1.5, 2.5, 3.5])})
    assert pack(numbers).layout.n_plain == 6  # bins of another kind stay labels
    assert pack(with_rank_bins(numbers)).layout.n_plain == 3 + 2


@pytest.mark.parametrize(
    ("above", "not_above", "said"),
    [
        ([0], [], "age >= 20"),
        ([0, 2], [], "age >= 60"),
        ([], [1], "age < 40"),
        ([], [1, 2], "age < 40"),
        ([0], [2], "20 <= age < 60"),
        ([2], [1], None),
    ],
)
def test_rules_merge_steps_into_one_range(above, not_above, said):
    plain, negated = np.zeros(3, dtype=bool), np.zeros(3, dtype=bool)
    plain[above], negated[not_above] = True, True
    ranges = between_cuts([20.0, 40.0, 60.0])
    found = _conditions(plain, negated, Layout.of([3]), ["age"], [ranges])
    assert (None if found is None else [str(one) for one in found]) == (
        None if said is None else [said]
    )


def test_rules_of_bins_that_are_neighbours_are_one_range_too():
    ranges = between_cuts([20.0, 40.0])
    nothing = np.zeros(3, dtype=bool)
    outer = np.array([True, False, False])
    middle = np.array([False, True, False])
    found = [
        _conditions(nothing, negated, Layout.of([3]), ["age"], [ranges])
        for negated in (outer, middle)
    ]
    assert [[str(one) for one in own] for own in found] == [
        ["age >= 20"],
        ["NOT 20 <= age < 40"],
    ]


def test_a_condition_about_a_number_holds_for_numbers():
    asked = Condition("age", Range(20, 40))
    assert asked.holds(20) and not asked.holds(40)
    assert not asked.holds("20")
    assert not Condition("age", Range(20, 40), negated=True).holds(30)
    assert Condition("age", "old", negated=True).holds("young")
