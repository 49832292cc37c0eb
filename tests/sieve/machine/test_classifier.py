"""The classifier as scikit-learn and its users see it."""

import pickle

import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.utils.estimator_checks import parametrize_with_checks

from bnsieve.sieve.machine import WeightedTsetlinClassifier

# Checks that cannot pass, each with its reason.
EXPECTED_FAILURES = {
    "check_estimators_dtypes": "floats are refused on purpose: a number is not a label",
}


@parametrize_with_checks(
    [WeightedTsetlinClassifier(n_clauses=20, threshold=15, random_state=0)],
    expected_failed_checks=lambda _: EXPECTED_FAILURES,
)
def test_scikit_learn_accepts_the_estimator(estimator, check):
    check(estimator)


def noisy_xor(n_rows, seed, n_bits=20, noise=0.15):
    """Features, labels of which a share is flipped, and the clean labels."""
    rng = np.random.default_rng(seed)
    X = rng.integers(0, 2, (n_rows, n_bits))
    clean = X[:, 3] ^ X[:, 11]
    return X, clean ^ (rng.random(n_rows) < noise), clean


@pytest.mark.parametrize("seed", range(10))
def test_learns_noisy_xor(seed):
    """Noise wants a high threshold: clauses that memorise flipped labels never outvote the rest."""
    X, y, _ = noisy_xor(5000, seed)
    X_test, _, clean = noisy_xor(2000, seed + 1000)
    classifier = WeightedTsetlinClassifier(
        threshold=200, specificity=3.0, epochs=20, random_state=seed
    ).fit(X, y)
    assert classifier.score(X_test, clean) > 0.97


@pytest.mark.parametrize("seed", range(3))
def test_learns_parity_of_three_with_default_parameters(seed):
    rng = np.random.default_rng(seed)
    X = rng.integers(0, 2, (7000, 12))
    y = X[:, 0] ^ X[:, 5] ^ X[:, 9]
    classifier = WeightedTsetlinClassifier(random_state=seed).fit(X[:5000], y[:5000])
    assert classifier.score(X[5000:], y[5000:]) > 0.95


@pytest.fixture
def weather():
    rng = np.random.default_rng(1)
    sky = rng.choice(["clear", "cloud", "storm"], 600)
    wet = np.where(sky == "storm", rng.random(600) < 0.95, rng.random(600) < 0.1)
    frame = pd.DataFrame({"sky": sky, "weekday": rng.integers(1, 8, 600)})
    return frame, pd.Series(np.where(wet, "wet", "dry"), name="ground")


def test_same_result_from_pandas_and_polars(weather):
    X, y = weather
    ours = WeightedTsetlinClassifier(random_state=3)
    from_pandas = clone(ours).fit(X, y).decision_function(X)
    from_polars = clone(ours).fit(pl.from_pandas(X), y).decision_function(pl.from_pandas(X))
    assert (from_pandas == from_polars).all()


def test_labels_and_names_are_kept(weather):
    X, y = weather
    classifier = WeightedTsetlinClassifier(random_state=3).fit(X, y)
    assert classifier.classes_.tolist() == ["dry", "wet"]
    assert classifier.feature_names_in_.tolist() == ["sky", "weekday"]
    assert classifier.categories_ == (("clear", "cloud", "storm"), (1, 2, 3, 4, 5, 6, 7))
    assert set(classifier.predict(X)) == {"dry", "wet"}
    assert classifier.score(X, y) > 0.9


def test_unseen_labels_and_missing_cells_satisfy_no_literal(weather):
    X, y = weather
    classifier = WeightedTsetlinClassifier(random_state=3).fit(X, y)
    odd = pd.DataFrame({"sky": ["hail", None], "weekday": [9, 9]})
    assert (classifier.decision_function(odd) == 0).all()


def test_partial_fit_continues_where_fit_stopped(weather):
    X, y = weather
    whole = WeightedTsetlinClassifier(epochs=9, random_state=5).fit(X, y)
    parts = WeightedTsetlinClassifier(epochs=4, random_state=5).fit(X, y)
    parts.set_params(epochs=5).partial_fit(X, y)
    assert (whole.machine_.include == parts.machine_.include).all()
    assert (whole.machine_.weights == parts.machine_.weights).all()


def test_partial_fit_refuses_a_label_it_was_not_told_of(weather):
    X, y = weather
    classifier = WeightedTsetlinClassifier(random_state=5)
    classifier.partial_fit(X, y, classes=["dry", "wet"])
    with pytest.raises(ValueError, match=r"'icy'.*classes="):
        classifier.partial_fit(X, y.replace("wet", "icy"))


def test_pickle_and_clone(weather):
    X, y = weather
    classifier = WeightedTsetlinClassifier(random_state=5).fit(X, y)
    copy = pickle.loads(pickle.dumps(classifier))
    assert (copy.decision_function(X) == classifier.decision_function(X)).all()
    assert copy.partial_fit(X, y).machine_.epochs == 20
    with pytest.raises(NotFittedError):
        clone(classifier).predict(X)


@pytest.mark.parametrize("n_jobs", [2, 7, -1])
def test_threads_do_not_change_the_result(n_jobs):
    rng = np.random.default_rng(0)
    X = rng.integers(0, 4, (500, 5))
    one = WeightedTsetlinClassifier(random_state=0).fit(X, X[:, 0])
    many = WeightedTsetlinClassifier(random_state=0, n_jobs=n_jobs).fit(X, X[:, 0])
    assert (one.machine_.depth == many.machine_.depth).all()
    assert (one.machine_.weights == many.machine_.weights).all()


def test_rare_class_is_found():
    """One row in two hundred: without balancing it would hardly be seen."""
    rng = np.random.default_rng(0)
    X = rng.integers(0, 2, (4000, 8))
    y = np.where(X[:, :7].all(axis=1), "rare", "common")
    assert 10 < (y == "rare").sum() < 60
    classifier = WeightedTsetlinClassifier(random_state=0).fit(X, y)
    assert (classifier.predict(X[y == "rare"]) == "rare").all()


def test_single_class_is_predicted_always():
    classifier = WeightedTsetlinClassifier(random_state=0).fit(np.eye(4, dtype=int), ["a"] * 4)
    assert classifier.predict(np.eye(4, dtype=int)).tolist() == ["a"] * 4


@pytest.mark.parametrize(
    ("parameter", "value"),
    [
        ("n_clauses", 0),
        ("threshold", 0),
        ("threshold", 1 << 21),
        ("specificity", 0.5),
        ("epochs", 0),
    ],
)
def test_parameters_out_of_range_are_named(weather, parameter, value):
    with pytest.raises(ValueError, match=f"{parameter} must be"):
        WeightedTsetlinClassifier(**{parameter: value}).fit(*weather)
