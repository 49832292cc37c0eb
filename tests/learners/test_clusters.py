"""`by=` without `time=`: rows of one entity belong together."""

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import bnsieve as bn
from bnsieve.explain.strengths import resampled_entities
from bnsieve.table import LIMITS


def noise(kind: str, share: float, seed: int, n_variables: int = 10) -> pd.DataFrame:
    """Return independent variables of 150 patients with 15 visits each, in random order."""
    rng = np.random.default_rng(seed)
    patients = np.repeat(np.arange(150), 15)
    columns = {}
    for j in range(n_variables):
        rest = np.sqrt(1 - share) * rng.normal(size=len(patients))
        values = np.sqrt(share) * rng.normal(size=150)[patients] + rest
        columns[f"v{j}"] = values if kind == "numbers" else np.where(values > 0, "high", "low")
    frame = pd.DataFrame({"patient": [f"p{i}" for i in patients], **columns})
    return frame.sample(frac=1, random_state=seed, ignore_index=True)


def fit(frame: pd.DataFrame, by: str | None = "patient") -> bn.TsetlinSieve:
    return bn.TsetlinSieve(by=by, random_state=0).fit(frame)


@pytest.mark.parametrize("kind", ["categories", "numbers"])
@pytest.mark.parametrize("share", [0.6, 1.0])
@pytest.mark.filterwarnings("ignore:rows of the same")
def test_no_edges_between_independent_variables(kind: str, share: float) -> None:
    frame = noise(kind, share, 0)
    if share < 1:  # else rows repeat each other, and are counted once
        assert fit(frame.drop(columns="patient"), None).graph_.n_edges > 0
    learner = fit(frame)
    assert learner.graph_.n_edges == 0
    assert "patient" not in learner.graph_.nodes


def test_true_edges_are_found() -> None:
    """A chain within visits, and one from a column that is constant within patients."""
    rng = np.random.default_rng(1)
    patients = np.repeat(np.arange(200), 15)
    sex = rng.choice(["f", "m"], 200)[patients]

    def effect() -> np.ndarray:
        return 0.6 * rng.normal(size=200)[patients] + 0.8 * rng.normal(size=3000)

    dose = effect() + 1.2 * (sex == "f")
    level = effect() + dose
    pain = effect() - level
    other = effect()
    frame = pd.DataFrame({"dose": dose, "level": level, "pain": pain, "other": other})
    frame = frame.assign(sex=sex, patient=patients)
    edges = {frozenset(edge) for edge in fit(frame).graph_.skeleton().undirected_edges}
    assert edges == {
        frozenset(edge) for edge in (("sex", "dose"), ("dose", "level"), ("level", "pain"))
    }


def panel_of_constants(seed: int, n: int = 150, n_each: int = 15) -> pd.DataFrame:
    """Return a chain a - b - c of columns that are constant within patients, and two more."""
    rng = np.random.default_rng(seed)
    a = rng.normal(size=n)
    b = 0.6 * a + rng.normal(size=n)
    c = 0.6 * b + rng.normal(size=n)
    patients = np.repeat(np.arange(n), n_each)
    x = a[patients] + rng.normal(size=len(patients))
    y = x + c[patients] + rng.normal(size=len(patients))
    columns = {"a": a[patients], "b": b[patients], "c": c[patients], "x": x, "y": y}
    return pd.DataFrame({"patient": patients, **columns})


@pytest.mark.parametrize("kind", ["categories", "numbers"])
def test_constant_columns_have_the_power_of_one_row_per_entity(kind: str) -> None:
    """As in a table of patients, though the other columns vary and depend on them."""
    for seed in range(3):
        frame = panel_of_constants(seed)
        if kind == "categories":
            values = frame.drop(columns="patient")
            cut = values.apply(lambda own: pd.qcut(own, 3, labels=list("pqr")).astype(str))
            frame = cut.assign(patient=frame["patient"])
        once = frame.groupby("patient")[["a", "b", "c"]].first()
        alone = fit(once, None).graph_.skeleton().undirected_edges
        together = fit(frame).graph_.skeleton().undirected_edges
        among = {frozenset(edge) for edge in together if set(edge) <= set("abc")}
        assert {frozenset(edge) for edge in alone} == {frozenset("ab"), frozenset("bc")}
        assert among == {frozenset("ab"), frozenset("bc")}


def test_knowledge_may_put_a_constant_column_last() -> None:
    """Whether a patient recovered is written in each row, and follows from what varies."""
    rng = np.random.default_rng(3)
    patients = np.repeat(np.arange(200), 15)
    level = (0.8 * rng.normal(size=200))[patients] + rng.normal(size=len(patients))
    mean = pd.Series(level).groupby(patients).mean().to_numpy()
    recovered = np.where(mean + 0.3 * rng.normal(size=200) > 0, "yes", "no")[patients]
    ward = rng.choice(["east", "west"], 200)[patients]
    rows = {"patient": patients, "level": level, "recovered": recovered, "ward": ward}
    knowledge = bn.Knowledge(tiers=[["ward", "level"], ["recovered"]])
    learner = bn.TsetlinSieve(by="patient", knowledge=knowledge, random_state=0)
    learner.fit(pd.DataFrame(rows))
    assert learner.graph_.directed_edges == (("level", "recovered"),)


@pytest.mark.parametrize("kind", ["categories", "numbers"])
def test_one_row_per_entity_changes_nothing(kind: str) -> None:
    frame = noise(kind, 0.6, 2).assign(patient=lambda rows: [f"row {i}" for i in range(len(rows))])
    with_entities, without = fit(frame), fit(frame.drop(columns="patient"), None)
    assert with_entities.graph_ == without.graph_
    assert with_entities.score_ == without.score_
    assert with_entities.direction_margins_ == without.direction_margins_


def test_order_and_names_of_entities_do_not_matter() -> None:
    frame = noise("categories", 0.6, 3, 6)
    shuffled = frame.sample(frac=1, random_state=0)
    shuffled["patient"] = shuffled["patient"].str[::-1]
    assert fit(shuffled).graph_ == fit(frame).graph_


def test_missing_and_single_entities() -> None:
    frame = noise("categories", 0.6, 4, 5)
    frame.loc[::7, "patient"] = None
    assert fit(frame).graph_.n_edges == 0
    frame["patient"] = "the same"
    one = fit(frame)
    assert one.graph_ == fit(frame.drop(columns="patient"), None).graph_
    with pytest.raises(ValueError, match="did you mean 'patient'"):
        fit(frame, "patients")


def test_fit_says_how_many_rows_are_effective(tmp_path: Path) -> None:
    frame = noise("categories", 1.0, 5, 4)
    learner = fit(frame)
    clusters = learner.fit_result_.clusters
    assert clusters is not None
    assert (clusters.n_entities, clusters.n_rows, clusters.most_rows) == (150, 2250, 15)
    assert clusters.effective_rows["v0"] == pytest.approx(150, rel=0.02)
    assert "150 entities (patient) of 15 rows" in learner._repr_html_inner()
    learner.save(tmp_path / "fit.bnsieve")
    loaded = bn.load(tmp_path / "fit.bnsieve")
    assert loaded.fit_result_.clusters == clusters
    assert fit(frame.drop(columns="patient"), None).fit_result_.clusters is None


def test_bootstrap_draws_entities() -> None:
    entities = np.repeat(np.arange(40), np.arange(1, 41))
    rng = np.random.default_rng(0)
    rows, whose = resampled_entities(entities, "half", rng)
    assert len(np.unique(entities[rows])) == 30
    assert len(rows) == len(set(rows.tolist())) == sum(np.unique(entities[rows]) + 1)
    rows, whose = resampled_entities(entities, "bootstrap", rng)
    assert len(np.unique(whose)) == 40
    for one in range(40):  # each draw has all rows of one entity, also one that is drawn twice
        own = entities[rows[whose == one]]
        assert len(own) == own[0] + 1
        assert (own == own[0]).all()


def test_strengths_of_false_edges_fall() -> None:
    frame = noise("categories", 0.8, 6, 6)
    rows = bn.TsetlinSieve(random_state=0).fit(frame.drop(columns="patient"))
    assert rows.bootstrap(10).strength.max() > 0.8
    strengths = fit(frame).bootstrap(10).strength
    assert strengths.max(initial=0.0) < 0.3


def test_intervals_are_those_of_entities() -> None:
    """The standard error of a mean: that of the entities' means."""
    frame = noise("categories", 0.5, 7, 2)
    high = frame["v0"] == "high"
    error = high.groupby(frame["patient"]).mean().std() / np.sqrt(150)
    widths = {}
    for by in (None, "patient"):
        rows = frame if by else frame.drop(columns="patient")
        answer = fit(rows, by).query("v0", interval=0.9)
        widths[by] = float(answer.high[0] - answer.low[0])
    assert widths["patient"] == pytest.approx(2 * 1.645 * error, rel=0.2)
    assert widths["patient"] > 1.5 * widths[None]


def test_errors_of_effects_are_those_of_entities() -> None:
    """Treatment and outcome both vary between patients, and have no effect on each other."""
    errors = {}
    rng = np.random.default_rng(8)
    patients = np.repeat(np.arange(150), 15)
    treated = rng.random(150) < 0.5
    outcome = rng.normal(size=150)[patients] + 0.5 * rng.normal(size=2250)
    frame = pd.DataFrame(
        {
            "patient": patients,
            "treated": np.where(treated, "yes", "no")[patients],
            "outcome": np.where(outcome > 0, "good", "poor"),
        }
    ).sample(frac=1, random_state=0)
    known = bn.Knowledge(required=[("treated", "outcome")])
    for by in (None, "patient"):
        rows = frame if by else frame.drop(columns="patient")
        learner = bn.TsetlinSieve(by=by, random_state=0, knowledge=known).fit(rows)
        contrast = learner.effect("treated", "outcome").cases[0].contrasts[0]
        errors[by] = contrast.estimate.error
    good = (frame["outcome"] == "good").groupby(frame["patient"]).mean()
    expected = np.sqrt(
        good[treated].var() / treated.sum() + good[~treated].var() / (~treated).sum()
    )
    assert errors["patient"] == pytest.approx(expected, rel=0.05)
    assert errors["patient"] > 2 * errors[None]


def test_files_give_entities_of_the_sampled_rows(tmp_path: Path, monkeypatch: Any) -> None:
    """Rows that do not fit in memory: a sample of them has the right entities."""
    monkeypatch.setattr(LIMITS, "in_memory", 1)
    frame = noise("categories", 0.8, 9, 6)
    # Says the entity, so that a sampled row shows whether its entity is right.
    frame["group"] = "g" + (frame["patient"].str[1:].astype(int) % 7).astype(str)
    frame.to_parquet(tmp_path / "visits.parquet")
    learner = bn.TsetlinSieve(by="patient", sample_rows=900, random_state=0)
    learner.fit(tmp_path / "visits.parquet")
    result = learner.fit_result_
    rows = result.rows
    assert rows.n_rows == 900
    group = rows.codes[rows.names.index("group")]
    for entity in np.unique(rows.entities):
        assert len(set(group[rows.entities == entity].tolist())) == 1
    assert len(np.unique(rows.entities)) > 100
    assert result.clusters is not None
    assert (result.clusters.n_entities, result.clusters.n_rows) == (150, 2250)
    assert learner.graph_.n_edges == 0
    with pytest.raises(ValueError, match="fit all rows again, old and new, with by='patient'"):
        learner.update(tmp_path / "visits.parquet")


def test_intervals_of_sampled_rows_charge_entities(tmp_path: Path, monkeypatch: Any) -> None:
    """Rows that do not fit in memory: the interval is around the share in all rows.

    The share of a patient is known less well from a sample, so the interval is a little too wide.
    """
    monkeypatch.setattr(LIMITS, "in_memory", 1)
    frame = noise("categories", 0.8, 7, 2)
    frame.to_parquet(tmp_path / "visits.parquet")
    learner = bn.TsetlinSieve(by="patient", sample_rows=900, random_state=0)
    answer = learner.fit(tmp_path / "visits.parquet").query("v0", interval=0.9)
    high = frame["v0"] == answer.states[0][0]
    error = high.groupby(frame["patient"]).mean().std() / np.sqrt(150)
    width = float(answer.high[0] - answer.low[0])
    assert 0.9 < width / (2 * 1.645 * error) < 1.4
    assert float(answer.high[0] + answer.low[0]) / 2 == pytest.approx(high.mean(), abs=0.01)
