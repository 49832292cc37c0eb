"""Noise is what it is called, and edges are counted where they touch it."""

import numpy as np
import pandas as pd
import pytest
from scipy.stats import chi2_contingency, spearmanr

from benchmarks.noise import attack, study
from benchmarks.noise.columns import KINDS, N_COLUMNS, alarm_beside_noise, noise, numbers
from bnsieve import Graph, load_network


@pytest.mark.parametrize("kind", KINDS)
def test_columns_are_independent_and_differ_from_sample_to_sample(kind):
    data = noise(kind, 2_000, seed=4)
    assert data.shape == (2_000, N_COLUMNS)
    assert not data.equals(noise(kind, 2_000, seed=5))
    assert data.equals(noise(kind, 2_000, seed=4))
    names = list(data.columns)
    chances = [
        chi2_contingency(pd.crosstab(data[a], data[b])).pvalue
        for a, b in zip(names[::2], names[1::2], strict=True)
    ]
    # Fifteen independent pairs: the least of fifteen is below 1e-5 in one sample of 7,000.
    assert min(chances) > 1e-5


def test_levels_are_as_many_and_as_even_as_said():
    assert noise("50 even levels", 5_000, 0).nunique().eq(50).all()
    mixed = noise("2 to 50 levels", 5_000, 0).nunique()
    assert 2 <= mixed.min() < 15 < 35 < mixed.max() <= 50
    bins = noise("10 quantile bins", 1_000, 0)
    assert all((bins[name].value_counts() == 100).all() for name in bins)
    rare = noise("1 % against 99 %", 50_000, 0)
    shares = [rare[name].value_counts(normalize=True).min() for name in rare]
    # The standard deviation of a share of 1 % in 50,000 rows is 0.00044.
    assert np.allclose(shares, 0.01, atol=5 * 0.00044)
    gaps = noise("3 levels, 30 % missing", 5_000, 0)
    assert gaps.isna().mean().mean() == pytest.approx(0.3, abs=0.01)
    assert gaps.nunique().eq(3).all()
    zipf = noise("Zipf, 50 levels", 50_000, 0)["noise00"].value_counts()
    assert zipf.iloc[0] / zipf.iloc[1] == pytest.approx(2, rel=0.1)


def test_the_noise_beside_alarm_is_as_wide_as_alarm():
    real, beside = alarm_beside_noise(100, 0)
    assert real.shape == beside.shape == (100, 37)


def test_edges_within_alarm_are_not_counted_as_noise(monkeypatch):
    truth = load_network("alarm").graph

    def learn(configuration, data, seed):
        extra = [("noise00", "noise01"), ("HR", "noise02")] if "noise00" in data else []
        return Graph(list(data.columns), directed=[*truth.directed_edges, *extra])

    monkeypatch.setattr(study, "learn", learn)
    measures = study.perform(study.Job("test", "search", study.BESIDE_ALARM, 100, 0))
    assert (measures["edges"], measures["f1_alone"], measures["f1_beside"]) == (2, 1.0, 1.0)


def test_the_bar_is_lower_from_a_thousand_rows_on():
    assert [study.bar(rows) for rows in (100, 500, 1_000, 50_000)] == [1.0, 1.0, 0.1, 0.1]


def test_numbers_are_independent_and_differ_from_sample_to_sample():
    data = numbers(2_000, seed=4)
    assert data.shape == (2_000, N_COLUMNS)
    assert data.equals(numbers(2_000, seed=4))
    assert not data.equals(numbers(2_000, seed=5))
    names = list(data.columns)
    pairs = zip(names[::2], names[1::2], strict=True)
    assert min(spearmanr(data[a], data[b]).pvalue for a, b in pairs) > 1e-5


@pytest.mark.parametrize("way", attack.WAYS)
def test_on_every_way_an_edge_is_seen_where_there_is_one(way, monkeypatch):
    def dependent(kind, n_rows, seed):
        rng = np.random.default_rng(seed)
        a = rng.choice(["u", "v"], n_rows)
        b = np.where(rng.random(n_rows) < 0.9, a, "u")
        return pd.DataFrame({"a": a, "b": b, "c": rng.choice(["u", "v"], n_rows)})

    monkeypatch.setattr(attack, "columns", dependent)
    run = attack.perform(attack.Job(way, "2 even levels", 400, 0))
    assert run["edges"] == 1
    assert run["sure"] == 0


def test_what_is_above_a_bar_is_named():
    runs = pd.DataFrame(
        [
            ("frame", "numbers", 100, 0, 1, 0, 1.0),
            ("frame", "numbers", 5_000, 0, 1, 0, 1.0),
            ("CSV file", "2 even levels", 100, 0, 0, 2, 1.0),
        ],
        columns=["way", "columns", "rows", "seed", "edges", "sure", "cpu_seconds"],
    )
    lines, wrong = attack.report(runs)
    assert wrong == [
        "frame, numbers, 5,000 rows: 1.00 edges",
        "CSV file, 2 even levels, 100 rows: sure",
    ]
    assert "| numbers | 1.00 (1) | 1.00 (1) |" in lines
    assert attack.report(runs[:1])[1] == []
