"""Marginal association of all pairs, against one test at a time."""

import numpy as np
import pytest

from bnsieve import _native, load_network
from bnsieve.counts import ScannedCounts
from bnsieve.decide import CountsTest
from bnsieve.sieve import association, excess_of, screened
from bnsieve.table import Table


@pytest.fixture
def data():
    rng = np.random.default_rng(0)
    first = rng.integers(3, size=500)
    labels = np.column_stack(
        [first, (first + rng.integers(2, size=500)) % 3, rng.integers(4, size=500)]
    )
    labels = np.column_stack([labels, np.array([7, 5, 9])[first]]).astype(object)
    labels[:50, 2] = None
    return Table.from_data(labels)


@pytest.mark.parametrize("blocks", [(1 << 13, 512), (64, 3)])
def test_agrees_with_the_likelihood_ratio_test(data, blocks, monkeypatch):
    monkeypatch.setattr(association, "_BLOCK_ROWS", blocks[0])
    monkeypatch.setattr(association, "_BLOCK_CATEGORIES", blocks[1])
    excess, _ = screened(data)
    test = CountsTest(ScannedCounts(data), method="g2")
    for x in range(4):
        for y in range(x):
            expected = test.test(x, y)
            assert excess[x, y] == pytest.approx(expected.statistic - expected.df, rel=1e-9)
    np.testing.assert_allclose(excess, excess.T)
    assert not excess.diagonal().any()


def test_a_copy_is_the_same_under_other_labels(data):
    names = list(data.names)
    assert screened(data)[1].tolist() == [0, 1, 2, 0]
    assert screened(data.select(names[::-1]))[1].tolist() == [0, 1, 2, 0]


def test_a_column_that_only_knows_less_is_no_copy():
    first = np.arange(300) % 3
    merged = np.minimum(first, 1)
    gaps = first.astype(object)
    gaps[:30] = None
    table = Table.from_data(np.column_stack([first, merged, gaps]).astype(object))
    assert screened(table)[1].tolist() == [0, 1, 2]


@pytest.mark.parametrize("n_rows", [300, 9000])
def test_wide_tables_are_screened_alike(monkeypatch, n_rows):
    rng = np.random.default_rng(0)
    codes = rng.integers(0, 3, (12, n_rows)).astype(np.uint8)
    codes[5] = 2 - codes[2]  # a copy under other labels
    codes[7] = np.where(rng.random(n_rows) < 0.8, codes[1], codes[7])
    missing = {3: rng.random(n_rows) < 0.2, 7: rng.random(n_rows) < 0.1}
    for variable, mask in missing.items():
        codes[variable, mask] = 0
    names = tuple(f"v{i:02}" for i in range(12))
    table = Table(codes, names, ((0, 1, 2),) * 12, missing)
    excess, originals = screened(table)
    assert excess.dtype == np.float64
    monkeypatch.setattr("bnsieve.sieve.association.WIDE", 5)
    monkeypatch.setattr("bnsieve.sieve.association._BLOCK_CATEGORIES", 7)
    wide_excess, wide_originals = screened(table)
    assert wide_excess.dtype == np.float32
    np.testing.assert_allclose(wide_excess, excess, rtol=1e-5, atol=1e-3)
    np.testing.assert_array_equal(wide_originals, originals)
    assert originals[5] == 2


def test_one_row_is_that_of_all_pairs():
    data = load_network("asia").sample(300, random_state=0).astype(object)
    data.iloc[::7, 2] = None
    data.iloc[::5, 4] = None
    table = Table.from_data(data)
    whole = screened(table)[0]
    for variable in range(table.n_variables):
        np.testing.assert_allclose(excess_of(table, variable), whole[variable], atol=1e-8)


@pytest.mark.parametrize("wide", [100, 1_000])
def test_rows_at_once_or_in_blocks_count_the_same(monkeypatch, wide):
    rng = np.random.default_rng(0)
    codes = rng.integers(0, 3, (400, 300)).astype(np.uint8)
    codes[1::2] = np.where(rng.random((200, 300)) < 0.6, codes[::2], codes[1::2])
    missing = {v: rng.random(300) < 0.1 for v in range(0, 400, 3)}
    for v, mask in missing.items():
        codes[v, mask] = 0
    names = tuple(f"v{v}" for v in range(400))
    table = Table(codes, names, ((0, 1, 2),) * 400, missing)
    monkeypatch.setattr(association, "WIDE", wide)
    at_once = association.screened(table)
    monkeypatch.setattr(association, "_MAX_READY", 0)
    monkeypatch.setattr(association, "_BLOCK_ROWS", 64)
    in_blocks = association.screened(table)
    assert np.array_equal(at_once[0], in_blocks[0])
    assert np.array_equal(at_once[1], in_blocks[1])
    assert (at_once[0] > 100).sum() == 400  # pairs that were made alike, seen from both ends


@pytest.mark.parametrize("n_words", [0, 1, 2, 5])
def test_pairs_of_bits_are_counted(simd_level, n_words):
    rng = np.random.default_rng(0)
    a = rng.integers(0, 2**63, (3, n_words), dtype=np.uint64)
    b = rng.integers(0, 2**63, (40, n_words), dtype=np.uint64)
    counts = np.full((3, 40), -1.0)
    _native.count_pairs(a, b, counts)
    expected = [
        [sum((int(x) & int(y)).bit_count() for x, y in zip(u, v, strict=True)) for v in b]
        for u in a
    ]
    assert counts.tolist() == expected
    with pytest.raises(ValueError, match="one row per row of a"):
        _native.count_pairs(a, b, counts.T.copy())
