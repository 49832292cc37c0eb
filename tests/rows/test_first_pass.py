"""Statistics straight from the rows: the same as by way of the joint table, on every path."""

import numpy as np
import pytest
from scipy.stats import chi2_contingency

import reference
from bnsieve import _native
from bnsieve.counts import ScannedCounts, count
from bnsieve.counts.joint_counts import NeighbourhoodCounts
from coded_tables import coded, random_table

FIELDS = [name for name in dir(_native.StrataStatistics) if not name.startswith("_")]

# Levels of the conditioning variables, then x and y, and why the kernel has a path for them.
KINDS = {
    "x and y alone": [4, 5],
    "one level each": [1, 1],
    "few configurations": [2, 3, 2, 4],
    "few strata, many configurations": [7, 9, 8, 8],
    "more possible strata than rows": [200, 150, 5, 6],
    "strata far smaller than the table of x and y": [5, 40, 200, 200],
    "wide codes": [3, 300, 4],
    "too many categories of x and y for one table": [2, 1100, 1000],
    "keys beyond 64 bits": [60] * 12,
}


@pytest.mark.parametrize("n_rows", [0, 1, 300, 5000])
@pytest.mark.parametrize("n_categories", KINDS.values(), ids=KINDS)
def test_same_as_from_the_joint_table_bit_for_bit(simd_level, n_categories, n_rows):
    table = random_table(n_categories, n_rows, seed=n_rows)
    variables = range(len(n_categories))
    scanned = _native.scan_statistics(table.codes, table.n_categories, variables)
    joint = count(table, variables)
    counted = _native.strata_statistics(joint.configurations, joint.counts)
    assert [getattr(scanned, f) for f in FIELDS] == [getattr(counted, f) for f in FIELDS]
    assert scanned.n_total == n_rows


def test_same_as_the_slow_version():
    table = random_table([4, 3, 5, 6], 2000, seed=3)
    scanned = _native.scan_statistics(table.codes, table.n_categories, (3, 0, 2, 1))
    twin = reference.count_joint(table.codes, [3, 0, 2, 1], table.n_categories, {})
    parts = [
        chi2_contingency(stratum, correction=False) for stratum in reference.strata_tables(*twin)
    ]
    assert scanned.chi_square == pytest.approx(sum(part.statistic for part in parts))
    assert scanned.df == sum(part.dof for part in parts)
    assert scanned.n_strata == len(parts)


@pytest.mark.parametrize("missing", [(), (2,)])
def test_every_source_reads_the_same_strata(missing):
    table = random_table([3, 4, 2, 3], 500, seed=1, missing=missing)
    scanned = ScannedCounts(table)
    counted = NeighbourhoodCounts({0: count(table, [0, 1, 2, 3])})
    for variables in [(0, 1), (2, 0, 1), (3, 0, 2), (3, 2, 1, 0)]:
        here, there = scanned.strata(variables), counted.strata(variables)
        for field in FIELDS:
            assert getattr(here.statistics, field) == getattr(there.statistics, field)
        assert here.joint == there.joint
        assert here.statistics.n_total == here.joint.total


def test_errors_say_what_is_wrong():
    table = random_table([3, 2], 10)
    with pytest.raises(ValueError, match="at least two variables"):
        _native.scan_statistics(table.codes, table.n_categories, (0,))
    with pytest.raises(ValueError, match="out of range"):
        _native.scan_statistics(table.codes, table.n_categories, (0, 2))
    with pytest.raises(ValueError, match="one entry per variable"):
        _native.scan_statistics(table.codes, table.n_categories[:1], (0, 1))
    with pytest.raises(ValueError, match="a number of levels must be"):
        _native.scan_statistics(table.codes, np.array([3, 0]), (0, 1))
    too_large = coded(np.array([[0, 1, 2], [0, 1, 0]], dtype=np.uint8), [2, 2])
    with pytest.raises(ValueError, match="not below its variable's number of levels"):
        _native.scan_statistics(too_large.codes, too_large.n_categories, (0, 1))
