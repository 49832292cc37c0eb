"""All pairs of variables are compared with a target, and the one that tells most is found."""

import numpy as np
import pytest
from scipy.stats import chi2_contingency

from bnsieve import _native
from bnsieve.sieve import PairScan
from bnsieve.sieve.association import indicators
from bnsieve.table import Table
from reference import spread_over_pairs


def table_of(codes, missing=None):
    names = tuple(f"v{v}" for v in range(len(codes)))
    levels = tuple(tuple(range(int(own.max()) + 1)) for own in codes)
    return Table(codes.astype(np.uint8), names, levels, missing or {})


def everyone_but(target, n_variables):
    heard = np.ones(n_variables, dtype=bool)
    heard[target] = False
    return heard


@pytest.mark.parametrize("gappy", [(), (1,), (0, 3), (0, 1, 2, 3)])
@pytest.mark.parametrize("n_rows", [1, 63, 200])
def test_kernel_is_what_the_formula_says(simd_level, n_rows, gappy):
    rng = np.random.default_rng(n_rows)
    codes = np.array([rng.integers(0, n, n_rows) for n in (2, 3, 1, 4)])
    codes[:, 0] = (1, 2, 0, 3)  # so that all levels are there
    missing = {v: rng.random(n_rows) < 0.2 for v in gappy}
    table = table_of(codes, missing)
    first = np.concatenate([[0], np.cumsum(table.n_levels)])
    bits = indicators(table, first, 0, n_rows)
    cells = codes.astype(object)
    for v, gaps in missing.items():
        cells[v, gaps] = None
    together = np.empty((len(bits), len(bits)))
    _native.count_pairs(bits, bits, together)
    marks = rng.random(n_rows) < 0.3
    padded = np.zeros(64 * bits.shape[1], dtype=bool)
    padded[:n_rows] = marks
    marked = bits & np.packbits(padded).view(np.uint64)
    spread = np.full((4, 4), -1.0)
    opened = np.array([True, True, True, True])
    share = float(marks.mean())
    _native.spread_over_pairs(bits, marked, first, opened, together, share, n_rows, spread)
    expected = spread_over_pairs(cells, marks.tolist())
    for (a, b), value in expected.items():
        assert spread[a, b] == pytest.approx(value, abs=1e-9)
    assert (spread[np.tril_indices(4)] == -1.0).all()
    opened[1] = False
    spread[...] = -1.0
    _native.spread_over_pairs(bits, marked, first, opened, together, share, n_rows, spread)
    assert (spread[1] == -1.0).all()
    assert (spread[:, 1] == -1.0).all()
    assert spread[0, 3] == pytest.approx(expected[0, 3], abs=1e-9)


def test_kernel_refuses_shapes_that_do_not_fit():
    bits = np.zeros((4, 2), dtype=np.uint64)
    first = np.array([0, 2, 4])
    opened = np.ones(2, dtype=bool)
    together, spread = np.zeros((4, 4)), np.zeros((2, 2))
    with pytest.raises(ValueError, match="marked must have the shape"):
        _native.spread_over_pairs(bits, bits[:2].copy(), first, opened, together, 0.5, 9, spread)
    with pytest.raises(ValueError, match="spread must be square"):
        _native.spread_over_pairs(bits, bits, first, opened[:1].copy(), together, 0.5, 9, spread)
    for wrong in ([0, 3, 2], [1, 2, 4], [0, 2, 5]):
        with pytest.raises(ValueError, match="first must ascend"):
            _native.spread_over_pairs(bits, bits, np.array(wrong), opened, together, 0.5, 9, spread)


@pytest.mark.parametrize("n_levels", [2, 3])
def test_the_two_that_act_together_are_found(n_levels):
    rng = np.random.default_rng(0)
    codes = rng.integers(0, n_levels, (200, 1_000))
    codes[11] = (codes[42] + codes[120]) % n_levels
    wrong = rng.random(1_000) < 0.1
    codes[11, wrong] = rng.integers(0, n_levels, wrong.sum())
    scan = PairScan(table_of(codes), 0)
    assert scan.best(11, everyone_but(11, 200)) == (42, 120)
    assert scan.best(42, everyone_but(42, 200)) == (11, 120)
    without = everyone_but(11, 200)
    without[42] = False
    assert scan.best(11, without) is None


def test_independent_columns_give_nothing():
    codes = np.random.default_rng(1).integers(0, 3, (150, 1_000))
    scan = PairScan(table_of(codes), 0)
    found = [scan.best(target, everyone_but(target, 150)) for target in range(20)]
    assert found.count(None) >= 19


def test_columns_of_many_levels_and_constants_are_left_out():
    rng = np.random.default_rng(2)
    codes = rng.integers(0, 2, (6, 500))
    codes[0] = codes[1] ^ codes[2]
    codes[3] = rng.integers(0, 20, 500)
    codes[4] = 0
    scan = PairScan(table_of(codes), 0)
    assert scan.best(0, everyone_but(0, 6)) == (1, 2)
    assert scan.best(3, everyone_but(3, 6)) is None
    assert scan.best(4, everyone_but(4, 6)) is None


def test_fewer_than_three_columns_of_few_levels_are_not_looked_at():
    codes = np.random.default_rng(0).integers(0, 20, (5, 300))
    codes[:2] %= 2
    scan = PairScan(table_of(codes), 0)
    assert all(scan.best(target, everyone_but(target, 5)) is None for target in range(5))


def test_missing_cells_count_for_no_level():
    rng = np.random.default_rng(3)
    codes = rng.integers(0, 2, (20, 1_000))
    codes[5] = codes[6] ^ codes[7]
    missing = {}
    for variable in (5, 6):
        missing[variable] = rng.random(1_000) < 0.2
        codes[variable, missing[variable]] = 0
    scan = PairScan(table_of(codes, missing), 0)
    assert scan.best(5, everyone_but(5, 20)) == (6, 7)


def test_two_levels_are_compared_as_in_a_table_of_both():
    # For one pair alone: the statistic is that of the 2 x 4 table of target and joint levels.
    rng = np.random.default_rng(4)
    codes = rng.integers(0, 2, (3, 800))
    codes[0] = np.where(rng.random(800) < 0.8, codes[1] ^ codes[2], codes[0])
    joint = 2 * codes[1] + codes[2]
    seen = np.array([[((codes[0] == t) & (joint == j)).sum() for j in range(4)] for t in range(2)])
    statistic = chi2_contingency(seen, correction=False).statistic
    table = table_of(codes)
    scan = PairScan(table, 0)
    first, bits = np.array([0, 2, 4, 6]), indicators(table, np.array([0, 2, 4, 6]), 0, 800)
    together, spread = np.empty((6, 6)), np.zeros((3, 3))
    _native.count_pairs(bits, bits, together)
    share = float((codes[0] == 1).mean())
    opened = np.array([False, True, True])
    _native.spread_over_pairs(
        bits, bits & bits[1], first, opened, together, share, codes.shape[1], spread
    )
    assert spread[1, 2] / (share * (1 - share)) == pytest.approx(statistic)
    assert scan.best(0, everyone_but(0, 3)) == (1, 2)


def test_beyond_each_is_the_statistic_of_two_less_those_of_either(monkeypatch):
    """Against SciPy's chi-square; and what each tells alone no longer counts."""
    rng = np.random.default_rng(0)
    codes = rng.integers(0, 3, (6, 900))
    codes[0] = codes[1]  # tells most, but alone
    wrong = rng.random(900) < 0.5
    codes[0][wrong] = (codes[2] + codes[3])[wrong] % 3
    scan = PairScan(table_of(codes), seed=0)
    heard = everyone_but(0, 6)
    found = {}
    monkeypatch.setattr(
        np, "argmax", lambda own: found.setdefault("statistic", own.copy()).argmax()
    )
    assert scan.best(0, heard, beyond_each=True) == (2, 3)
    chance = scan._by_chance(2, True)

    def chi_square(joint):
        crossed = np.zeros((3, joint.max() + 1))
        np.add.at(crossed, (codes[0], joint), 1)
        return chi2_contingency(crossed).statistic

    for a, b in ((1, 2), (2, 3), (4, 5)):
        expected = chi_square(3 * codes[a] + codes[b]) - chi_square(codes[a]) - chi_square(codes[b])
        assert found["statistic"][a, b] + chance[a, b] == pytest.approx(expected, rel=1e-9)


def test_two_of_which_only_one_tells_are_no_pair_beyond_each():
    rng = np.random.default_rng(1)
    codes = rng.integers(0, 2, (20, 1_000))
    codes[0] = codes[1] ^ (rng.random(1_000) < 0.1)
    scan = PairScan(table_of(codes), seed=0)
    heard = everyone_but(0, 20)
    assert 1 in scan.best(0, heard)
    assert scan.best(0, heard, beyond_each=True) is None


def test_variables_of_many_levels_are_not_seen_and_many_levels_take_long():
    rng = np.random.default_rng(2)
    codes = np.array([rng.integers(0, n, 500) for n in (2, 3, 9)])
    scan = PairScan(table_of(np.concatenate([codes, codes[:2]])), seed=0)
    assert scan.seen.tolist() == [True, True, False, True, True]
    assert scan.is_quick(0)
    assert not scan.is_quick(2)
    wide = PairScan(table_of(rng.integers(0, 2, (400, 100))), seed=0)
    assert wide.seen.all()
    assert not wide.is_quick(0)
