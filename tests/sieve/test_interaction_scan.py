"""All pairs and triples are compared with a target, and the one that tells most is found."""

import numpy as np
import pytest
from scipy.stats import chi2_contingency

from bnsieve import _native
from bnsieve.sieve import InteractionScan
from bnsieve.sieve.association import indicators
from bnsieve.table import Table
from reference import spread_over_pairs, strongest_triple


def table_of(codes, missing=None):
    names = tuple(f"v{v}" for v in range(len(codes)))
    categories = tuple(tuple(range(int(own.max()) + 1)) for own in codes)
    return Table(codes.astype(np.uint8), names, categories, missing or {})


def everyone_but(target, n_variables):
    heard = np.ones(n_variables, dtype=bool)
    heard[target] = False
    return heard


@pytest.mark.parametrize("gappy", [(), (1,), (0, 3), (0, 1, 2, 3)])
@pytest.mark.parametrize("n_rows", [1, 63, 200])
def test_kernel_is_what_the_formula_says(simd_level, n_rows, gappy):
    rng = np.random.default_rng(n_rows)
    codes = np.array([rng.integers(0, n, n_rows) for n in (2, 3, 1, 4)])
    codes[:, 0] = (1, 2, 0, 3)  # so that all categories are there
    missing = {v: rng.random(n_rows) < 0.2 for v in gappy}
    table = table_of(codes, missing)
    first = np.concatenate([[0], np.cumsum(table.n_categories)])
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


@pytest.mark.parametrize("n_categories", [2, 3])
def test_the_two_that_act_together_are_found(n_categories):
    rng = np.random.default_rng(0)
    codes = rng.integers(0, n_categories, (200, 1_000))
    codes[11] = (codes[42] + codes[120]) % n_categories
    wrong = rng.random(1_000) < 0.1
    codes[11, wrong] = rng.integers(0, n_categories, wrong.sum())
    scan = InteractionScan(table_of(codes), 0)
    assert scan.best_pair(11, everyone_but(11, 200)) == (42, 120)
    assert scan.best_pair(42, everyone_but(42, 200)) == (11, 120)
    without = everyone_but(11, 200)
    without[42] = False
    assert scan.best_pair(11, without) is None


def test_independent_columns_give_nothing():
    codes = np.random.default_rng(1).integers(0, 3, (150, 1_000))
    scan = InteractionScan(table_of(codes), 0)
    found = [scan.best_pair(target, everyone_but(target, 150)) for target in range(20)]
    assert found.count(None) >= 19


def test_columns_of_many_categories_and_constants_are_left_out():
    rng = np.random.default_rng(2)
    codes = rng.integers(0, 2, (6, 500))
    codes[0] = codes[1] ^ codes[2]
    codes[3] = rng.integers(0, 20, 500)
    codes[4] = 0
    scan = InteractionScan(table_of(codes), 0)
    assert scan.best_pair(0, everyone_but(0, 6)) == (1, 2)
    assert scan.best_pair(3, everyone_but(3, 6)) is None
    assert scan.best_pair(4, everyone_but(4, 6)) is None


def test_fewer_than_three_columns_of_few_levels_are_not_looked_at():
    codes = np.random.default_rng(0).integers(0, 20, (5, 300))
    codes[:2] %= 2
    scan = InteractionScan(table_of(codes), 0)
    assert all(scan.best_pair(target, everyone_but(target, 5)) is None for target in range(5))


def test_missing_cells_count_for_no_level():
    rng = np.random.default_rng(3)
    codes = rng.integers(0, 2, (20, 1_000))
    codes[5] = codes[6] ^ codes[7]
    missing = {}
    for variable in (5, 6):
        missing[variable] = rng.random(1_000) < 0.2
        codes[variable, missing[variable]] = 0
    scan = InteractionScan(table_of(codes, missing), 0)
    assert scan.best_pair(5, everyone_but(5, 20)) == (6, 7)


def test_two_levels_are_compared_as_in_a_table_of_both():
    # For one pair alone: the statistic is that of the 2 x 4 table of target and joint categories.
    rng = np.random.default_rng(4)
    codes = rng.integers(0, 2, (3, 800))
    codes[0] = np.where(rng.random(800) < 0.8, codes[1] ^ codes[2], codes[0])
    joint = 2 * codes[1] + codes[2]
    seen = np.array([[((codes[0] == t) & (joint == j)).sum() for j in range(4)] for t in range(2)])
    statistic = chi2_contingency(seen, correction=False).statistic
    table = table_of(codes)
    scan = InteractionScan(table, 0)
    first, bits = np.array([0, 2, 4, 6]), indicators(table, np.array([0, 2, 4, 6]), 0, 800)
    together, spread = np.empty((6, 6)), np.zeros((3, 3))
    _native.count_pairs(bits, bits, together)
    share = float((codes[0] == 1).mean())
    opened = np.array([False, True, True])
    _native.spread_over_pairs(
        bits, bits & bits[1], first, opened, together, share, codes.shape[1], spread
    )
    assert spread[1, 2] / (share * (1 - share)) == pytest.approx(statistic)
    assert scan.best_pair(0, everyone_but(0, 3)) == (1, 2)


def test_beyond_each_is_the_statistic_of_two_less_those_of_either(monkeypatch):
    """Against SciPy's chi-square; and what each tells alone no longer counts."""
    rng = np.random.default_rng(0)
    codes = rng.integers(0, 3, (6, 900))
    codes[0] = codes[1]  # tells most, but alone
    wrong = rng.random(900) < 0.5
    codes[0][wrong] = (codes[2] + codes[3])[wrong] % 3
    scan = InteractionScan(table_of(codes), seed=0)
    heard = everyone_but(0, 6)
    found = {}
    monkeypatch.setattr(
        np, "argmax", lambda own: found.setdefault("statistic", own.copy()).argmax()
    )
    assert scan.best_pair(0, heard, beyond_each=True) == (2, 3)
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
    scan = InteractionScan(table_of(codes), seed=0)
    heard = everyone_but(0, 20)
    assert 1 in scan.best_pair(0, heard)
    assert scan.best_pair(0, heard, beyond_each=True) is None


def test_variables_of_many_categories_are_not_seen_and_many_categories_take_long():
    rng = np.random.default_rng(2)
    codes = np.array([rng.integers(0, n, 500) for n in (2, 3, 9)])
    scan = InteractionScan(table_of(np.concatenate([codes, codes[:2]])), seed=0)
    assert scan.scanned.tolist() == [True, True, False, True, True]
    assert scan.is_quick(0)
    assert not scan.is_quick(2)
    wide = InteractionScan(table_of(rng.integers(0, 2, (400, 100))), seed=0)
    assert wide.scanned.all()
    assert not wide.is_quick(0)


def triple_of_kernel(table, target, counted, opened, limits):
    """Call the kernel for the categories `counted` of one column of a table."""
    first = np.concatenate([[0], np.cumsum(table.n_categories)])
    bits = indicators(table, first, 0, table.n_rows)
    complete = np.array([v not in table.missing for v in range(table.n_variables)])
    shares = np.array([(table.codes[target] == level).mean() for level in counted])
    scales = shares * (1 - shares) if len(counted) == 1 else shares
    lines = bits[[int(first[target]) + level for level in counted]]
    return _native.strongest_triple(bits, first, opened, complete, lines, shares, scales, limits)


@pytest.mark.parametrize("gappy", [(), (1,), (0, 3), (0, 1, 2, 3, 4)])
@pytest.mark.parametrize("counted", [(0,), (0, 1, 2)])
@pytest.mark.parametrize("n_rows", [5, 63, 200])
def test_strongest_triple_is_what_the_formula_says(simd_level, n_rows, counted, gappy):
    rng = np.random.default_rng(n_rows)
    codes = np.array([rng.integers(0, n, n_rows) for n in (2, 3, 2, 4, 2, 3)])
    codes[:, :4] = (
        np.arange(4) % np.array([2, 3, 2, 4, 2, 3])[:, None]
    )  # so that all categories are there
    missing = {v: rng.random(n_rows) < 0.2 for v in gappy}
    for gaps in missing.values():
        gaps[:4] = False
    cells = codes.astype(object)
    for v, gaps in missing.items():
        cells[v, gaps] = None
    limits = rng.random(65)
    opened = everyone_but(5, 6)
    found = triple_of_kernel(table_of(codes, missing), 5, counted, opened, limits)
    assert tuple(found) == strongest_triple(cells[:5], codes[5], counted, limits)
    opened[found[1]] = False
    others = [v for v in range(5) if opened[v]]
    left = triple_of_kernel(table_of(codes, missing), 5, counted, opened, limits)
    expected = strongest_triple(cells[others], codes[5], counted, limits)
    assert left == [others[place] for place in expected]


def test_strongest_triple_is_the_chi_square_of_the_joint_levels():
    """Against SciPy's: what is just above a limit counts, what is just below does not."""
    rng = np.random.default_rng(3)
    codes = rng.integers(0, 2, (4, 700))
    codes[0] = np.where(rng.random(700) < 0.6, codes[1] ^ codes[2] ^ codes[3], codes[0])
    joint = 4 * codes[1] + 2 * codes[2] + codes[3]
    seen = np.array([[((codes[0] == t) & (joint == j)).sum() for j in range(8)] for t in range(2)])
    statistic = chi2_contingency(seen, correction=False).statistic
    for share, expected in ((1 - 1e-9, [1, 2, 3]), (1 + 1e-9, [])):
        limits = np.full(9, statistic * share)
        found = triple_of_kernel(table_of(codes), 0, (1,), everyone_but(0, 4), limits)
        assert found == expected


def test_strongest_triple_refuses_shapes_that_do_not_fit():
    bits, first = np.zeros((6, 1), dtype=np.uint64), np.array([0, 2, 4, 6])
    given = {
        "bits": bits,
        "first": first,
        "open": np.ones(3, dtype=bool),
        "complete": np.zeros(3, dtype=bool),
        "target": bits[:1],
        "shares": np.ones(1),
        "scales": np.ones(1),
        "limits": np.zeros(9),
    }
    assert _native.strongest_triple(**given) == []
    for name, wrong, message in (
        ("target", np.zeros((1, 2), dtype=np.uint64), "target must have"),
        ("shares", np.ones(2), "shares and scales"),
        ("open", np.ones(2, dtype=bool), "first one number longer"),
        ("complete", np.ones(2, dtype=bool), "first one number longer"),
        ("first", np.array([0, 4, 2, 6]), "first must ascend"),
        ("limits", np.zeros(8), "limits must have"),
    ):
        with pytest.raises(ValueError, match=message):
            _native.strongest_triple(**{**given, name: wrong})
    many = {"bits": np.zeros((69, 1), dtype=np.uint64), "first": np.array([0, 65, 67, 69])}
    with pytest.raises(ValueError, match="at most 64 levels"):
        _native.strongest_triple(**{**given, **many})


@pytest.mark.parametrize("n_categories", [2, 3])
def test_the_three_that_act_together_are_found(n_categories):
    rng = np.random.default_rng(0)
    codes = rng.integers(0, n_categories, (50, 2_000))
    codes[11] = (codes[4] + codes[20] + codes[42]) % n_categories
    wrong = rng.random(2_000) < 0.2
    codes[11, wrong] = rng.integers(0, n_categories, wrong.sum())
    scan = InteractionScan(table_of(codes), 0)
    assert scan.best_triple(11, everyone_but(11, 50)) == (4, 20, 42)
    assert scan.best_triple(42, everyone_but(42, 50)) == (4, 11, 20)
    without = everyone_but(11, 50)
    without[42] = False
    assert scan.best_triple(11, without) is None


def test_independent_columns_give_no_triple():
    codes = np.random.default_rng(1).integers(0, 3, (40, 1_000))
    scan = InteractionScan(table_of(codes), 0)
    found = [scan.best_triple(target, everyone_but(target, 40)) for target in range(20)]
    assert found.count(None) >= 19


def test_triples_are_looked_at_where_there_are_not_too_many():
    rng = np.random.default_rng(2)
    codes = np.array([rng.integers(0, n, 300) for n in [2] * 40 + [9]])
    scan = InteractionScan(table_of(codes), seed=0)
    assert scan.can_scan_triples(0)
    assert not scan.can_scan_triples(40)
    assert scan.best_triple(40, everyone_but(40, 41)) is None
    for n_columns, n_categories, sees in (
        (120, 2, True),
        (140, 2, False),
        (60, 3, True),
        (80, 3, False),
    ):
        wide = InteractionScan(table_of(rng.integers(0, n_categories, (n_columns, 200))), seed=0)
        assert wide.can_scan_triples(0) == sees


def test_a_column_that_varies_only_beyond_the_rows_drawn_gives_nothing():
    codes = np.random.default_rng(0).integers(0, 2, (5, 3_000))
    codes[0] = 0
    drawn = np.sort(np.random.default_rng(0).permutation(3_000)[:1_024])
    codes[0, np.setdiff1d(np.arange(3_000), drawn)[:3]] = 1
    scan = InteractionScan(table_of(codes), seed=0)
    assert scan.best_pair(0, everyone_but(0, 5)) is None
    assert scan.best_triple(0, everyone_but(0, 5)) is None
