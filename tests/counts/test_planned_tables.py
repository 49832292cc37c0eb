"""Plans and counted tables: what adds up, what is cut, and what a file may not hold."""

from dataclasses import replace

import numpy as np
import pytest

from bnsieve.counts import Drift, Keyed, Plan, Scan, ScannedCounts, Tables, count
from bnsieve.counts.joint_counts import NeighbourhoodCounts
from bnsieve.learners.saving.values import check_record
from coded_tables import random_table


def plan(**changes):
    whole = Plan(("a", "b"), (("x", "y"), (1, 2, 3)), (False, True), ((0, 1), (1,)), 100)
    return replace(whole, **changes)


def tables(keys=(0, 3, 7), counts=(5, 1, 2), depth=2, **changes):
    first = Keyed(depth, np.array(keys, np.uint64), np.array(counts, np.int64))
    second = Keyed(1, np.array([2], np.uint64), np.array([8], np.int64))
    return {"plan": plan(**changes), "counted": (first, second)}


def test_a_table_is_read_from_its_keys():
    joint = Tables(**tables()).joint(0)
    # The second column has four codes, the last being a missing cell.
    np.testing.assert_array_equal(joint.configurations, [[0, 0, 1], [0, 3, 3]])
    assert joint.counts.tolist() == [5, 1, 2]
    assert joint.complete().counts.tolist() == [5]


def test_margins_are_read_from_the_smallest_table_that_holds_them():
    counted = Tables(**tables())
    assert counted.margin(["b"]).counts.tolist() == [8]
    assert counted.margin(["b", "a"]).variables == (1, 0)
    assert counted.margin(["c"]) is None
    alone = Tables(plan(neighbourhoods=((0,), (1,))), (Keyed(1, *KEYS), Keyed(1, *KEYS)))
    assert alone.margin(["a", "b"]) is None


KEYS = np.array([0, 1], np.uint64), np.array([3, 5], np.int64)


def test_only_tables_of_one_plan_add_up():
    with pytest.raises(ValueError, match="one plan"):
        Tables(**tables()) + Tables(**tables(limit=7))


def test_tables_that_cannot_be_numbered_are_cut():
    wide = tuple(range(60_000))
    many = Plan(tuple("abcde"), (wide,) * 5, (False,) * 5, ((0, 1, 2, 3, 4),), 10)
    assert many.tables == [[0, 1, 2]]


@pytest.mark.parametrize(
    ("changed", "problem"),
    [
        ({}, None),
        ({"keys": (0, 3, 8)}, "do not fit together"),
        ({"keys": (0, 7, 3)}, "do not fit together"),
        ({"counts": (5, 0, 2)}, "do not fit together"),
        ({"counts": (5, 1)}, "do not fit together"),
        ({"depth": 3}, "do not fit together"),
        ({"has_missing": (True,)}, "do not fit together"),
        ({"names": ("a", "a")}, "do not fit together"),
        ({"neighbourhoods": ((0, 2), (1,))}, "do not fit together"),
        ({"neighbourhoods": ((0, 1),)}, "do not fit together"),
        ({"categories": ((), (1, 2, 3))}, "do not fit together"),
    ],
)
def test_tables_of_a_file_are_checked(changed, problem):
    found = check_record(Tables, tables(**changed))
    assert (found is None) if problem is None else (problem in found)


@pytest.mark.parametrize(
    ("changed", "problem"),
    [
        ({}, None),
        ({"rows": np.array([1], np.int64)}, "do not fit together"),
        ({"codes": np.array([[0, 2]], np.int32)}, "do not fit together"),
    ],
)
def test_samples_of_a_file_are_checked(changed, problem):
    scan = {
        "names": ("a",),
        "counts": ({"x": 5, "y": 4},),
        "ranks": np.array([1, 2], np.uint64),
        "rows": np.array([3, 4], np.int64),
        "codes": np.array([[0, 1]], np.int32),
        "n_rows": 9,
        "bins": {},
    }
    found = check_record(Scan, scan | changed)
    assert (found is None) if problem is None else (problem in found)


def test_what_was_not_counted_together_is_read_from_the_sample():
    table = random_table([3, 2, 4, 2], 500, seed=0)
    source = NeighbourhoodCounts({0: count(table, [0, 1, 2])}, ScannedCounts(table))
    for variables in ((0, 1), (2, 3), (3, 0, 1)):
        assert source.strata(variables).joint == count(table, variables)


@pytest.mark.parametrize(
    ("moved", "missed", "said"),
    [
        ({}, {}, "categories in no column, missed candidates of no column"),
        ({"b": 0.2, "a": 0.1}, {}, "categories in ['a', 'b'], missed candidates of no column"),
        ({}, {"c": ("a",)}, "categories in no column, missed candidates of ['c']"),
        ({"a": 0.1}, {"c": ("a",)}, "categories in ['a'], missed candidates of ['c']"),
    ],
)
def test_drift_says_what_differs(moved, missed, said):
    drift = Drift(10, moved, missed)
    assert str(drift).endswith(said)
    assert drift.stale == bool(moved or missed)


def test_more_labels_and_missing_cells_change_no_count():
    # Columns of x y and of 1 2 3, the latter with gaps; then of w x y and 0 1 2 3, both with gaps.
    before = Tables(**tables())
    wider = plan(categories=(("w", "x", "y"), (0, 1, 2, 3)), has_missing=(True, True))
    after = before.recoded(wider)
    joint = after.joint(0)
    # (x, 1) five times, (x, missing) once, (y, missing) twice.
    assert joint.configurations.tolist() == [[1, 1, 2], [1, 4, 4]]
    assert joint.counts.tolist() == [5, 1, 2]
    assert after.joint(1).configurations.tolist() == [[3]]
    turned = before.recoded(plan(categories=(("y", "x"), (1, 2, 3))))
    assert turned.joint(0).configurations.tolist() == [[0, 1, 1], [3, 0, 3]]
    assert turned.joint(0).counts.tolist() == [2, 5, 1]


def test_columns_that_tables_lost_are_listed():
    counted = Tables(**tables(keys=(0, 1), counts=(6, 2), depth=1))
    assert counted.trimmed == {0: (1,)}
    assert counted.margin(["a"]).counts.tolist() == [6, 2]
    assert counted.margin(["a", "b"]) is None
    assert Tables(**tables()).trimmed == {}
