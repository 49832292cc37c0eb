"""Sums of columns: named, scored by value, and without false edges at either end."""

import json

import numpy as np
import pandas as pd
import pytest

from bnsieve import TsetlinSieve, load
from bnsieve.counts import Embedding, covariance_of, embedding
from bnsieve.explain import LinearFunction
from bnsieve.learners import stages
from bnsieve.table import Table

EDGES = {
    *(("heating", part) for part in ()),
    ("gas", "heating"),
    ("wood", "heating"),
    ("lamps", "power"),
    ("oven", "power"),
    ("fridge", "power"),
    ("heating", "energy"),
    ("power", "energy"),
    ("energy", "bill"),
    ("gas", "wood"),
}


def energy(n_rows=2_000, seed=0):
    """Return sums of sums, each but for a noise of a few parts in a hundred thousand."""
    rng = np.random.default_rng(seed)
    gas, lamps, oven, fridge = rng.normal(size=(4, n_rows))
    wood = 0.6 * gas + rng.normal(size=n_rows)
    heating = 0.7 * gas + 0.9 * wood + 0.01 * rng.normal(size=n_rows)
    power = 0.8 * lamps + 0.5 * oven + 0.6 * fridge + 0.005 * rng.normal(size=n_rows)
    total = 0.7 * heating + 0.9 * power + 0.01 * rng.normal(size=n_rows)
    columns = {"gas": gas, "wood": wood, "heating": heating, "lamps": lamps, "oven": oven}
    columns |= {"fridge": fridge, "power": power, "energy": total}
    return pd.DataFrame({**columns, "bill": 0.8 * total + rng.normal(size=n_rows)})


def adjacent(learner):
    return {frozenset(edge) for edge in learner.graph_.edges}


TRUE = {frozenset(edge) for edge in EDGES}


@pytest.fixture(scope="module")
def learned():
    return TsetlinSieve(random_state=0).fit(energy())


def test_sums_have_the_edges_of_their_parts_and_no_others(learned):
    assert adjacent(learned) == TRUE


def test_by_ranks_alone_others_make_up_for_what_is_left(monkeypatch):
    monkeypatch.setattr(embedding, "linear_members", lambda _: ())
    monkeypatch.setattr(stages, "refine", lambda columns, result, *_: result)
    assert adjacent(TsetlinSieve(random_state=0).fit(energy())) > TRUE


def test_additive_models_remove_what_makes_up_for_ranks(monkeypatch):
    monkeypatch.setattr(embedding, "linear_members", lambda _: ())
    assert adjacent(TsetlinSieve(random_state=0).fit(energy())) == TRUE


def test_sums_are_named_with_weights(learned):
    found = learned.determinism()
    assert {(one.column, frozenset(one.of)) for one in found.linear} == {
        ("heating", frozenset(("gas", "wood"))),
        ("power", frozenset(("lamps", "oven", "fridge"))),
        ("energy", frozenset(("heating", "power"))),
    }
    (heating,) = (one for one in found.linear if one.column == "heating")
    assert dict(zip(heating.of, heating.weights, strict=True)) == pytest.approx(
        {"gas": 0.7, "wood": 0.9}, abs=2e-3
    )
    assert f"\nheating is linear in gas and wood: {heating.formula}, but for 0.00" in f"\n{found}"
    assert len(json.loads(json.dumps(found.to_dict()))["linear"]) == 3


def test_two_columns_that_say_the_same_are_a_deterministic_edge():
    rng = np.random.default_rng(0)
    celsius, other = rng.normal(20, 5, size=(2, 1_000))
    fahrenheit = 1.8 * celsius + 32 + 0.05 * rng.normal(size=1_000)
    frame = pd.DataFrame({"celsius": celsius, "fahrenheit": fahrenheit, "other": other})
    learner = TsetlinSieve(random_state=0).fit(frame)
    (said,) = learner.determinism().pairs.values()
    assert "is linear in" in said
    assert learner.explain("celsius", "fahrenheit").deterministic == said


@pytest.mark.usefixtures("rows_stay_in_files")
def test_files_give_the_same_and_are_saved(tmp_path):
    energy().to_parquet(tmp_path / "rows.parquet")
    learner = TsetlinSieve(random_state=0).fit(tmp_path / "rows.parquet")
    assert adjacent(learner) == TRUE
    learner.save(tmp_path / "learner.bn")
    loaded = load(tmp_path / "learner.bn")
    assert loaded.determinism().linear == learner.determinism().linear
    more = tmp_path / "more.parquet"
    energy(seed=1).to_parquet(more)
    assert adjacent(loaded.update(more)) == TRUE


def test_values_come_before_ranks_and_missing_values_are_zero():
    frame = energy(300)
    rows = Table.from_data(pd.DataFrame({name: ["a", "b"] * 150 for name in frame}))
    table = rows.with_numbers({name: frame[name].to_numpy(copy=True) for name in frame})
    found = Embedding.of(table)
    assert sorted(found.scales) == list(range(8))  # all but the bill
    np.testing.assert_array_equal(np.diff(found.first), [5] * 8 + [4])
    columns = found.columns(table)
    gas = frame["gas"].to_numpy()
    np.testing.assert_allclose(columns[0], (gas - gas.mean()) / gas.std(), atol=1e-12)
    assert np.corrcoef(columns[0], columns[1])[0, 1] > 0.99
    chosen = found.select([8, 2])
    assert sorted(chosen.scales) == [1]
    assert covariance_of(table).sizes.min() >= 1


@pytest.mark.parametrize(
    ("weights", "constant", "left", "text"),
    [
        ((1.0, 1.0), 0.0, 0.0, "t is linear in a and b: t = a + b"),
        ((-1.0, -2.5), 100.0, 0.0, "t is linear in a and b: t = - a - 2.5 b + 100"),
        (
            (1.0, -0.5),
            -32.0,
            2e-4,
            "t is linear in a and b: t = a - 0.5 b - 32, but for 0.02 % of its variance",
        ),
    ],
)
def test_relations_in_words(weights, constant, left, text):
    assert str(LinearFunction("t", ("a", "b"), weights, constant, left)) == text
