"""The study of time: what is drawn has the graph that it says, and graphs are judged right."""

import numpy as np
import pandas as pd
import pytest

from benchmarks.common.runs import append, run_of
from benchmarks.time.clusters import calibration_error
from benchmarks.time.series import KINDS, AdditiveModel, CategoryModel, drawn
from benchmarks.time.study import Job, frame_of, run_job, too_slow
from benchmarks.time.truth import LaggedGraph, judge


def test_judging_counts_what_was_found_and_what_was_not():
    truth = LaggedGraph.of([(0, 0, 1), (0, 1, 2)], [(1, 2)])
    found = LaggedGraph.of([(0, 0, 1), (2, 1, 1), (1, 1, 2)], [(2, 1)], [(0, 2)])
    judged = judge(found, truth)
    assert judged["lagged_f1"] == pytest.approx(2 / 5)
    assert judged["contemporaneous_f1"] == pytest.approx(2 / 3)
    assert judged["direction_f1"] == 0
    assert judged["false_lagged"] == 1
    assert judged["missed_lagged"] == 1
    assert judge(truth, truth)["direction_f1"] == 1


def test_an_edge_in_both_directions_is_undirected():
    graph = LaggedGraph.of([], [(0, 1), (1, 0)])
    assert (graph.directed, graph.undirected) == (frozenset(), {(0, 1)})


@pytest.mark.parametrize("kind", [name for name in KINDS if not name.startswith("panel-numbers")])
def test_columns_are_shuffled_with_the_truth(kind):
    series = drawn(kind, KINDS[kind].sizes[0], 0)
    assert series.n_rows == KINDS[kind].sizes[0]
    assert series.is_categorical == KINDS[kind].is_categorical
    n_variables = series.entities[0].shape[1]
    assert all(max(edge[:2]) < n_variables for edge in series.truth.lagged)


def test_linear_models_have_the_coefficients_of_their_edges():
    model = AdditiveModel.drawn(np.random.default_rng(0), 4)
    rows = model.sample(np.random.default_rng(1), 20_000)
    child = model.order[0]  # without parents in its step
    found = np.linalg.lstsq(rows[:-1], rows[1:, child], rcond=None)[0]
    true = [model.terms.get((i, child, 1), ("", 0.0))[1] for i in range(4)]
    assert found == pytest.approx(true, abs=0.03)


def test_categories_follow_their_tables():
    model = CategoryModel.drawn(np.random.default_rng(0), 4)
    rows = model.sample(np.random.default_rng(1), 20_000)[0]
    for j, parents in enumerate(model.parents):
        states = [rows[1 - lag : len(rows) - lag, i] for i, lag in parents]
        own = rows[1:, j]
        first = np.logical_and.reduce([column == 0 for column in states])
        if first.sum() > 500:
            shares = np.bincount(own[first], minlength=model.n_states[j]) / first.sum()
            assert shares == pytest.approx(model.tables[j][(0,) * len(parents)], abs=0.07)


def test_a_panel_has_its_entities():
    frame = frame_of(drawn("panel-10", 2_000, 0))
    assert frame.groupby("entity").size().eq(10).all()
    assert frame.entity.nunique() == 200


def test_a_run_is_judged():
    run = run_job(Job("categories-10", 500, 0, "bnsieve"), None, 10)
    assert run["lagged_f1"] > 0.8
    assert run["failure"] == ""


def test_a_program_that_is_too_slow_twice_is_not_given_longer_series(tmp_path):
    runs = tmp_path / "runs.csv"
    longer = Job("markov", 10_000, 0, "slow")
    append(runs, [run_of(Job("markov", 2_000, 0, "slow"), {"failure": "over 9 s"})])
    assert too_slow(longer, 9, runs) == ""
    append(runs, [run_of(Job("markov", 2_000, 1, "slow"), {"failure": "over 9 s"})])
    assert too_slow(longer, 9, runs) == "not run: over 9 s at 2,000 rows"
    assert too_slow(Job("markov", 500, 0, "slow"), 9, runs) == ""
    assert too_slow(Job("markov", 10_000, 0, "fast"), 9, runs) == ""


def test_calibration_error_is_the_mean_gap_between_strength_and_truth():
    """Ten edges of strength 1 of which eight are true, and ten of strength .5 of which five are."""
    strength = pd.Series([1.0] * 10 + [0.5] * 10)
    is_true = pd.Series([True] * 8 + [False] * 2 + [True, False] * 5)
    assert calibration_error(strength, is_true) == pytest.approx(0.1)
