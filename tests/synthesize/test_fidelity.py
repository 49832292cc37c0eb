"""Distances of synthetic rows from held-out rows, predictions, copies and nearest rows."""

import json
import warnings
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from typer.testing import CliRunner

import bnsieve as bn
from bnsieve.cli.app import app
from bnsieve.synthesize import disclosure_of, fidelity_of

RNG = np.random.default_rng(0)


def compared(synthetic, real, held_out, numbers=(), target=None):
    rng = np.random.default_rng(0)
    return fidelity_of(synthetic, real, held_out, numbers, target, rng)


def xor_rows(n, seed, noise=0.0):
    rng = np.random.default_rng(seed)
    a, b = rng.integers(0, 2, n), rng.integers(0, 2, n)
    c = a ^ b ^ (rng.random(n) < noise)
    return pd.DataFrame({"a": a, "b": b, "c": c, "x": rng.normal(size=n)})


def test_equal_rows_are_at_no_distance():
    rows = xor_rows(500, 0)
    found = compared(rows, rows, rows, {"x"})
    assert [one.what for one in found.distances] == ["margins", "pairs", "triples"]
    assert [one.n_tables for one in found.distances] == [4, 6, 4]
    assert all(one.synthetic == one.real == 0 and one.ratio == 1 for one in found.distances)


def test_margins_and_missing_values_have_their_total_variation():
    held_out = pd.DataFrame({"a": ["x"] * 50 + ["y"] * 50})
    synthetic = pd.DataFrame({"a": ["x"] * 20 + ["y"] * 50 + [None] * 30})
    found = compared(synthetic, pd.DataFrame({"a": ["z"] * 100}), held_out)
    # Half of |.2 - .5| + |.5 - .5| + |.3 - 0|; and nothing in common.
    assert found["a"].synthetic == pytest.approx(0.3)
    assert found["a"].real == pytest.approx(1.0)
    assert found["margins"].ratio == pytest.approx(0.3)


def test_numbers_are_compared_in_tenths_of_the_held_out_rows():
    held_out = pd.DataFrame({"x": np.arange(1_000.0)})
    # All in the upper half: five tenths with .2 each against ten with .1.
    synthetic = pd.DataFrame({"x": np.arange(500.0, 1_000.0)})
    found = compared(synthetic, held_out.sample(500, random_state=0), held_out, {"x"})
    assert found["x"].synthetic == pytest.approx(0.5, abs=0.003)


def test_what_only_three_columns_show_is_seen_in_triples_only():
    n = 4_096
    a, b = np.arange(n) % 2, np.arange(n) // 2 % 2
    held_out = pd.DataFrame({"a": a, "b": b, "c": a ^ b})
    independent = pd.DataFrame({"a": a, "b": b, "c": np.arange(n) // 4 % 2})
    found = compared(independent, held_out, held_out)
    assert found["margins"].synthetic == found["pairs"].synthetic == 0
    # Eight cells of 1/8 against four of 1/4.
    assert found["triples"].synthetic == pytest.approx(0.5)


def test_many_variables_are_compared_in_some_sets():
    rows = pd.DataFrame(RNG.integers(0, 2, (60, 70)), columns=[f"v{i}" for i in range(70)])
    found = compared(rows, rows, rows)
    assert [one.n_tables for one in found.distances] == [70, 1_000, 1_000]


@pytest.mark.parametrize(("target", "score"), [("c", "AUC"), ("x", "R2"), ("k", "accuracy")])
def test_a_target_is_predicted_from_either_rows(target, score):
    def rows(seed):
        frame = xor_rows(1_500, seed, 0.05)
        frame["x"] = 3.0 * frame["c"] + 0.1 * frame["x"]
        frame["k"] = frame["a"].map({0: "p", 1: "q"}).where(frame["b"] == 0, "r")
        return frame

    shuffled = rows(3).apply(lambda one: one.sample(frac=1, random_state=len(one.name)).to_numpy())
    shuffled["x"] = shuffled["x"].sample(frac=1, random_state=5).to_numpy()
    for name, seed in zip("abck", range(4), strict=True):
        shuffled[name] = shuffled[name].sample(frac=1, random_state=seed).to_numpy()
    found = compared(shuffled, rows(1), rows(2), {"x"}, target).prediction
    assert (found.target, found.score) == (target, score)
    assert found.real > 0.9
    assert found.synthetic < (0.62 if score != "R2" else 0.2)


def test_a_training_sample_of_one_class_predicts_by_chance():
    rows = xor_rows(300, 0)
    found = compared(rows.assign(c=1), rows, rows, {"x"}, "c")
    assert found.prediction.synthetic == 0.5


def test_copies_are_counted_and_nearer_than_held_out_rows():
    training, held_out = xor_rows(400, 1), xor_rows(400, 2)
    synthetic = pd.concat([training.head(100), xor_rows(300, 3)], ignore_index=True)
    found = disclosure_of(synthetic, training, held_out, {"x"})
    assert (found.copies_training, found.copies_held_out) == (100, 0)
    # A quarter is nearer for certain, of the others half.
    assert found.nearer_training == pytest.approx(0.25 + 0.75 / 2, abs=0.07)
    assert found.nearer_low > 0.5
    fresh = disclosure_of(xor_rows(400, 3), training, held_out, {"x"})
    assert fresh.copies_training == 0
    assert fresh.nearer_low < 0.5 < fresh.nearer_high


def test_nearest_rows_are_found_as_by_hand():
    synthetic = pd.DataFrame({"a": ["p", "q"], "x": [1.0, np.nan]})
    training = pd.DataFrame({"a": ["p", "p"], "x": [1.0, 2.0]})
    held_out = pd.DataFrame({"a": ["q", "q"], "x": [3.0, 4.0]})
    found = disclosure_of(synthetic, training, held_out, {"x"})
    # To training 0 and (1 + 1) / 2; to held out (1 + rank .5) / 2 and (0 + 1) / 2.
    assert found.distance_training == pytest.approx(0.5)
    assert found.distance_held_out == pytest.approx((0.75 + 0.5) / 2)
    assert found.nearer_training == 0.5
    assert found.copies_training == 1


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    place = tmp_path_factory.mktemp("evaluate")
    rng = np.random.default_rng(0)
    plan = rng.choice(["pro", "basic"], 3_000)
    usage = np.round(rng.gamma(2, 10, 3_000) + 20 * (plan == "pro"), 1)
    churn = np.where(rng.random(3_000) < np.where(usage > 30, 0.1, 0.6), "yes", "no")
    town = rng.choice([f"town {i}" for i in range(200)], 3_000, p=rng.dirichlet(np.full(200, 0.3)))
    frame = pd.DataFrame(
        {
            "no": [f"C{i:05d}" for i in range(3_000)],
            "day": pd.date_range("2023-01-01", periods=3_000, freq="h").strftime("%d.%m.%Y"),
            "plan": plan,
            "usage": usage,
            "churn": churn,
            "town": town,
        }
    ).sample(frac=1, random_state=0)
    frame.head(2_000).to_csv(place / "training.csv", index=False)
    frame.tail(1_000).to_csv(place / "held-out.csv", index=False)
    frame.head(15).to_csv(place / "few.csv", index=False)
    frame.tail(100).drop(columns="plan").to_csv(place / "narrow.csv", index=False)
    return place


@pytest.fixture(scope="module")
def learner(folder):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        learner = bn.TsetlinSieve(random_state=0).fit(folder / "training.csv")
    learner.save(folder / "model.bnsieve")
    return learner


def test_rows_of_a_fit_are_nearly_as_close_as_real_ones(learner, folder):
    found = learner.evaluate_synthetic(
        folder / "held-out.csv", folder / "training.csv", target="churn", random_state=0
    )
    assert found.fidelity.n_rows == found.fidelity.n_held_out == 1_000
    assert found.fidelity["margins"].ratio < 1.5
    assert found.fidelity["triples"].ratio < 1.5
    assert found.fidelity["town"].synthetic < 0.35  # categories as they were grouped
    prediction = found.fidelity.prediction
    assert prediction.synthetic > prediction.real - 0.1 > 0.5
    assert found.disclosure.nearer_low < 0.5
    said = str(found)
    assert "AUC of predicting churn" in said
    assert "not a privacy guarantee" in said
    again = learner.evaluate_synthetic(
        folder / "held-out.csv", folder / "training.csv", target="churn", random_state=0
    )
    assert again == found


def test_without_the_rows_learned_from_halves_are_compared(learner, folder):
    found = learner.evaluate_synthetic(folder / "held-out.csv", random_state=0)
    assert (found.fidelity.n_rows, found.fidelity.n_held_out) == (500, 500)
    assert found.disclosure is None
    assert found.fidelity.prediction is None


@pytest.mark.parametrize(
    ("file", "target", "said"),
    [
        ("few.csv", None, "held_out has 15 rows, too few to compare"),
        ("narrow.csv", None, "the rows lack 'plan'"),
        ("held-out.csv", "chrun", "did you mean 'churn'"),
    ],
)
def test_rows_that_cannot_be_compared_are_refused(learner, folder, file, target, said):
    with pytest.raises(ValueError, match=said):
        learner.evaluate_synthetic(folder / file, target=target)


def test_the_command_prints_and_writes_json(learner, folder):
    def run(*arguments):
        return CliRunner().invoke(app, ["synthesize", *map(str, arguments)])

    model, held_out = folder / "model.bnsieve", folder / "held-out.csv"
    said = run(model, "--evaluate", held_out, "--target", "churn", "-s", 0)
    assert said.exit_code == 0, said.output
    assert said.output.startswith("Fidelity")
    whole = run(
        model, "--evaluate", held_out, "--training", folder / "training.csv", "-s", 0, "--json"
    )
    found = json.loads(whole.output)
    assert found["fidelity"]["n_rows"] == 1_000
    assert 0 <= found["disclosure"]["nearer_training"] <= 1
    refused = run(model, "--evaluate", held_out, "-o", folder / "rows.csv")
    assert refused.exit_code == 1
    assert not Path(folder / "rows.csv").exists()
    assert "writes no rows" in refused.output
    assert "goes with --evaluate" in run(model, "--target", "churn").output
