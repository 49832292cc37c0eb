"""Sums of products of functions of ranks and indicators of labels."""

import numpy as np
import pandas as pd
import pytest

from bnsieve.counts import Embedding, kept_covariance, moments_of
from bnsieve.counts.moments import MAX_INDICATORS
from bnsieve.table import Table


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
    columns = embedding.columns(table.codes, table.numbers, table.missing)
    found = moments_of(table, embedding).correlations(embedding.first)
    np.testing.assert_allclose(found, np.corrcoef(columns), atol=1e-12)


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
    gaps = Table(codes, table.names, table.levels, {1: hidden}, {**table.numbers, 1: x})
    embedding = Embedding.of(gaps)
    columns = embedding.columns(gaps.codes, gaps.numbers, gaps.missing)
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
    assert embedding.indicated[0].tolist() == list(range(MAX_INDICATORS))


def test_infinite_numbers_are_refused_by_name():
    table = mixed(10)
    with pytest.raises(ValueError, match="'x' holds infinite"):
        table.with_numbers({"x": np.full(10, np.inf)})
