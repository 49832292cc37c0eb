"""Sums of products of functions of ranks and indicators of labels."""

import numpy as np
import pandas as pd
import pytest

from bnsieve import _native
from bnsieve.counts import (
    Embedding,
    Summed,
    Summer,
    covariance,
    kept_covariance,
    moments_of,
    sampled_embedding,
)
from bnsieve.counts.embedding import MAX_INDICATORS
from bnsieve.table import MAX_SAMPLE_STEPS, Column, Table


def mixed(n: int, seed: int = 0) -> Table:
    rng = np.random.default_rng(seed)
    x = rng.normal(size=n)
    y = x**2 + 0.3 * rng.normal(size=n)
    label = np.where(x + rng.normal(size=n) > 0, "high", "low")
    frame = pd.DataFrame(
        {"label": label, "x": pd.cut(x, 3).astype(str), "y": pd.cut(y, 3).astype(str)}
    )
    return Table.from_data(frame).with_numbers({"x": x, "y": y})


def test_correlations_are_those_of_the_columns():
    table = mixed(500)
    embedding = Embedding.of(table)
    columns = embedding.columns(table)
    found = moments_of(table, embedding).correlations(embedding.first)
    np.testing.assert_allclose(found, np.corrcoef(columns), atol=1e-12)


def test_pieces_have_missing_values_of_their_own(monkeypatch):
    rng = np.random.default_rng(0)
    numbers = rng.normal(size=(2, 1_000))
    numbers[0, 300:310] = np.nan  # no other piece lacks one
    places = rng.integers(0, 3, 1_000)
    places[::7] = -1
    table = mixed(1_000)
    embedding = Embedding.of(table)
    columns = [Column.of_categories(["high", "low", "new"], places), *numbers]
    monkeypatch.setattr(covariance, "_PIECE_ROWS", 256)
    monkeypatch.setattr(covariance, "_BLOCK_ROWS", 100)
    summer = Summer(embedding)
    summer.add(columns, 1_000)
    found = summer.result()

    known = np.vstack([places >= 0, ~np.isnan(numbers)]).astype(float)
    functions, _ = embedding.functions_of(columns, range(1_000))
    block = np.empty((int(embedding.first[-1]), 1_000))
    functions.fill(0, block)
    np.testing.assert_allclose(found.n_rows, known @ known.T)
    np.testing.assert_allclose(found.sums, block @ known.T, atol=1e-9)
    np.testing.assert_allclose(found.products, block @ block.T, atol=1e-9)


def test_moments_of_parts_add_up():
    table = mixed(20_000)
    embedding = Embedding.of(table)
    parts = [table.take(slice(a, b)) for a, b in ((0, 7), (7, 12_000), (12_000, None))]
    total = moments_of(parts[0], embedding)
    for part in parts[1:]:
        total += moments_of(part, embedding)
    whole = moments_of(table, embedding)
    for name in ("n_rows", "sums", "products"):
        np.testing.assert_allclose(getattr(total, name), getattr(whole, name), rtol=1e-9, atol=1e-9)


def test_pairs_are_correlated_over_the_rows_that_have_both():
    rng = np.random.default_rng(3)
    table = mixed(400)
    hidden = rng.random(400) < 0.3
    x = table.numbers[1].copy()
    x[hidden] = np.nan
    codes = table.codes.copy()
    codes[1, hidden] = 0
    gaps = Table(codes, table.names, table.categories, {1: hidden}, {**table.numbers, 1: x})
    embedding = Embedding.of(gaps)
    columns = embedding.columns(gaps)
    columns[embedding.first[1] : embedding.first[2], hidden] = np.nan
    found = moments_of(gaps, embedding)
    for i, one in enumerate(columns):
        for j, other in enumerate(columns):
            both = ~np.isnan(one) & ~np.isnan(other)
            covariance = np.cov(one[both], other[both], ddof=0)[0, 1]
            expected = covariance / (np.nanstd(one) * np.nanstd(other))
            got = found.correlations(embedding.first)[i, j]
            assert got == pytest.approx(expected, abs=1e-9)
    matrix = kept_covariance(found, embedding).matrix
    assert np.linalg.eigvalsh(matrix)[0] > 0


def test_a_higher_function_is_kept_only_where_it_tells():
    rng = np.random.default_rng(4)
    x = rng.normal(size=2_000)
    plain = pd.DataFrame({"x": x, "line": np.exp(x + rng.normal(size=2_000))})
    bent = plain.assign(bent=x**2 + rng.normal(size=2_000))

    def sizes(frame: pd.DataFrame) -> list[int]:
        bins = frame.apply(lambda column: pd.qcut(column, 3).astype(str))
        table = Table.from_data(bins).with_numbers({name: frame[name].to_numpy() for name in frame})
        embedding = Embedding.of(table)
        return kept_covariance(moments_of(table, embedding), embedding).sizes.tolist()

    assert sizes(plain) == [1, 1]
    assert sizes(bent)[0] > 1


def test_many_labels_have_indicators_of_the_most_frequent():
    labels = [f"l{i:03d}" for i in range(100) for _ in range(1 + (i < 40))]
    table = Table.from_data(pd.DataFrame({"a": labels}))
    embedding = Embedding.of(table)
    assert embedding.first.tolist() == [0, MAX_INDICATORS]
    assert embedding.indicated[0] == tuple(f"l{i:03d}" for i in range(MAX_INDICATORS))


def test_infinite_numbers_are_refused_by_name():
    table = mixed(10)
    with pytest.raises(ValueError, match="'x' holds infinite"):
        table.with_numbers({"x": np.full(10, np.inf)})


@pytest.mark.parametrize("level", _native.simd_levels())
@pytest.mark.parametrize("n_steps", [1, 2, 3, 1_000, 4_096])
def test_steps_are_found_as_by_bisection(level, n_steps):
    rng = np.random.default_rng(n_steps)
    lowest = np.sort(rng.normal(size=n_steps))
    tables = rng.normal(size=(3, n_steps))
    values = np.concatenate([rng.normal(size=997), lowest, [np.inf, -np.inf, -9.0, 9.0]])
    values[5::50] = np.nan
    functions = _native.RowFunctions(len(values))
    functions.add_steps(values, lowest, tables)
    columns = np.empty((3, len(values) - 400))
    before = _native.simd_level()
    _native.force_simd_level(level)
    try:
        functions.fill(400, columns)
    finally:
        _native.force_simd_level(before)
    values = values[400:]
    step = np.maximum(np.searchsorted(lowest, values, side="right") - 1, 0)
    np.testing.assert_array_equal(columns, np.where(np.isnan(values), 0.0, tables[:, step]))


@pytest.mark.parametrize("level", _native.simd_levels())
def test_places_and_scaled_values_follow_in_the_order_they_were_added(level):
    rng = np.random.default_rng(0)
    places = rng.integers(-1, 5, 1_001).astype(np.int32)
    values = np.where(rng.random(1_001) < 0.1, np.nan, rng.normal(size=1_001))
    tables = rng.normal(size=(2, 6))
    functions = _native.RowFunctions(1_001)
    functions.add_places(places, tables)
    functions.add_scaled(values, 0.25, 3.0)
    columns = np.empty((3, 1_001))
    before = _native.simd_level()
    _native.force_simd_level(level)
    try:
        functions.fill(0, columns)
    finally:
        _native.force_simd_level(before)
    # -1 is numpy's last entry too.
    np.testing.assert_array_equal(columns[:2], tables[:, places])
    np.testing.assert_array_equal(columns[2], np.nan_to_num((values - 0.25) / 3.0))


def test_functions_of_rows_refuse_what_does_not_fit():
    functions = _native.RowFunctions(4)
    with pytest.raises(ValueError, match="one entry per step"):
        functions.add_steps(np.zeros(4), np.zeros(2), np.zeros((3, 3)))
    with pytest.raises(ValueError, match="at least one"):
        functions.add_steps(np.zeros(4), np.zeros(0), np.zeros((3, 0)))
    with pytest.raises(ValueError, match="one value per row"):
        functions.add_steps(np.zeros(5), np.zeros(2), np.zeros((3, 2)))
    with pytest.raises(ValueError, match="one value per row"):
        functions.add_scaled(np.zeros(3), 0.0, 1.0)
    for outside in (-2, 2):
        places = np.array([0, 1, outside, 0], dtype=np.int32)
        with pytest.raises(ValueError, match="outside its table"):
            functions.add_places(places, np.zeros((1, 2)))
    with pytest.raises(ValueError, match="at least one"):
        functions.add_places(np.full(4, -1, dtype=np.int32), np.zeros((1, 0)))
    functions.add_scaled(np.zeros(4), 0.0, 1.0)
    with pytest.raises(ValueError, match="one line per function"):
        functions.fill(0, np.empty((2, 4)))
    for start, n_rows in ((0, 5), (4, 1), (5, 0)):
        with pytest.raises(ValueError, match="no such rows"):
            functions.fill(start, np.empty((1, n_rows)))


def test_labels_are_known_by_name_whatever_their_codes():
    embedding = Embedding.of(mixed(500))
    summer = Summer(embedding)
    x = np.array([0.1, np.nan, 2.0, 0.4])
    column = Column.of_categories(["new", "low", "high"], np.array([2, 0, -1, 2]))
    summer.add([column, x, x], 4)
    found = summer.result()
    assert found.n_rows.tolist() == [[3, 2, 2], [2, 3, 3], [2, 3, 3]]
    assert embedding.indicated[0] == ("high",)
    assert found.sums[0].tolist() == [2, 2, 2]


def test_sums_of_some_variables_are_those_of_all():
    table = mixed(300)
    embedding = Embedding.of(table)
    some = Summed(embedding, moments_of(table, embedding)).select(["y", "label"])
    expected = moments_of(table.select(["y", "label"]), some.embedding)
    np.testing.assert_allclose(some.moments.products, expected.products)
    np.testing.assert_allclose(some.moments.sums, expected.sums)


def test_a_sample_says_which_functions_are_summed():
    rng = np.random.default_rng(7)
    x = rng.normal(size=4_000)
    plain = pd.DataFrame({"x": x, "line": np.exp(x + rng.normal(size=4_000))})

    def embedded(frame: pd.DataFrame) -> Embedding:
        bins = frame.apply(lambda column: pd.qcut(column, 3).astype(str))
        table = Table.from_data(bins).with_numbers({name: frame[name].to_numpy() for name in frame})
        return sampled_embedding(table, dict(zip(table.names, table.categories, strict=True)))

    # What chance seldom gives in a sample is summed: of few columns one or two in twenty.
    assert sum(map(len, embedded(plain).functions.values())) <= 4
    bent = embedded(plain.assign(bent=x**2))
    assert 1 in bent.functions[0]
    assert all(len(one.lowest) <= MAX_SAMPLE_STEPS for one in bent.rank_maps.values())
