"""Graph and rows for DoWhy; with DoWhy itself, `python -m benchmarks interop estimators`."""

import builtins

import networkx
import numpy as np
import pandas as pd
import pytest

import bnsieve as bn

TIERS = bn.Knowledge(tiers=[["plan", "age"], ["contacted"], ["churn"]])


def customers(n_rows=4_000, seed=0):
    """Draw a table in which plan and age confound what contacting does to churn."""
    rng = np.random.default_rng(seed)
    plan = rng.choice(["free", "pro", "team"], n_rows)
    age = rng.normal(45, 12, n_rows)
    contacted = rng.random(n_rows) < 0.3 + 0.3 * (plan == "pro") + 0.004 * (age - 45)
    churn = rng.random(n_rows) < 0.5 - 0.15 * (plan == "pro") - 0.15 * contacted - 0.004 * (
        age - 45
    )
    return pd.DataFrame(
        {
            "plan": plan,
            "age": age,
            "contacted": np.where(contacted, "yes", "no"),
            "churn": np.where(churn, "yes", "no"),
        }
    )


@pytest.fixture(scope="module")
def learner():
    return bn.TsetlinSieve(knowledge=TIERS, random_state=0).fit(customers())


def test_the_arguments_of_a_causal_model(learner):
    inputs = learner.to_dowhy("contacted", "churn")
    arguments = dict(**inputs)
    assert sorted(arguments) == ["data", "graph", "outcome", "treatment"]
    assert (arguments["treatment"], arguments["outcome"]) == ("contacted", "churn")
    assert isinstance(arguments["graph"], networkx.DiGraph)
    assert set(arguments["graph"].edges) == set(learner.dag_.directed_edges)
    rows, data = customers(), arguments["data"]
    assert list(data.columns) == list(learner.dag_.nodes)
    assert (data.contacted == (rows.contacted == "yes")).all()
    assert (data.churn == (rows.churn == "yes")).all()
    assert np.allclose(data.age, rows.age)
    assert data.plan.astype(str).tolist() == rows.plan.tolist()
    assert set(inputs.adjustment) == {"plan", "age"}
    with pytest.raises(KeyError):
        inputs["adjustment"]


def test_the_notes_say_what_was_chosen(learner):
    text = str(learner.to_dowhy("contacted", "churn"))
    assert "contacted is 1 for yes and 0 for no" in text
    assert "churn is 1 for yes, else 0" in text
    assert "given by knowledge; an estimate assumes all of them" in text
    assert "rows: 4,000" in text


def test_more_than_two_states_must_be_named(learner):
    with pytest.raises(ValueError, match=r"'plan' has 3 states \(free, pro and team\)"):
        learner.to_dowhy("plan", "churn")
    inputs = learner.to_dowhy({"plan": ("free", "pro")}, "churn")
    rows = customers()
    n_team = (rows.plan == "team").sum()
    assert len(inputs.data) == len(rows) - n_team
    assert f"{n_team:,} with another plan are left out" in str(inputs)
    kept = rows[rows.plan != "team"]
    assert inputs.data.plan.tolist() == (kept.plan == "pro").astype(int).tolist()
    turned = learner.to_dowhy({"plan": ("pro", "free")}, "churn")
    assert turned.data.plan.tolist() == (kept.plan == "free").astype(int).tolist()
    for pair in (("free", "free"), ("free",), "pro"):
        with pytest.raises(ValueError, match="two different states"):
            learner.to_dowhy({"plan": pair}, "churn")
    with pytest.raises(ValueError, match="no state"):
        learner.to_dowhy({"plan": ("free", "gold")}, "churn")
    with pytest.raises(ValueError, match="pass state="):
        learner.to_dowhy("contacted", "plan")
    assert learner.to_dowhy("contacted", "plan", state="pro").data.plan.mean() == pytest.approx(
        (rows.plan == "pro").mean()
    )


def test_numbers_stay_numbers(learner):
    inputs = learner.to_dowhy("age", "churn")
    assert np.allclose(inputs.data.age, customers().age)
    with pytest.raises(ValueError, match="control_value"):
        learner.to_dowhy({"age": (30, 60)}, "churn")
    with pytest.raises(ValueError, match="leave state out"):
        learner.to_dowhy("contacted", "age", state=30.0)


def test_no_directed_path_is_no_proof(learner):
    inputs = learner.to_dowhy("churn", "contacted")
    assert inputs.adjustment is None
    assert "(one leads from contacted to churn)" in str(inputs)
    assert "does not show that there is none" in str(inputs)


def test_an_open_direction_is_refused_and_not_chosen():
    rng = np.random.default_rng(0)
    a = rng.integers(0, 2, 3_000)
    b = np.where(rng.random(3_000) < 0.2, 1 - a, a)
    learner = bn.TsetlinSieve(random_state=0).fit(pd.DataFrame({"a": a, "b": b}).astype(str))
    assert learner.graph_.undirected_edges == (("a", "b"),)
    with pytest.raises(ValueError, match=r"undirected edges: a - b\. .*dag=learner\.dag_"):
        learner.to_dowhy("a", "b")
    given = learner.to_dowhy("a", "b", dag=bn.Graph(["a", "b"], [("a", "b")]))
    assert set(given.graph.edges) == {("a", "b")}
    assert "graph: the DAG that you gave" in str(given)
    turned = learner.to_dowhy("a", "b", dag=bn.Graph(["a", "b"], [("b", "a")]))
    assert turned.adjustment is None
    other = learner.to_dowhy("a", "b", dag=bn.Graph(["a", "b"]))
    assert "other edges than the learned graph" in str(other)
    with pytest.raises(ValueError, match="must be a DAG"):
        learner.to_dowhy("a", "b", dag=learner.graph_)
    with pytest.raises(ValueError, match="node"):
        learner.to_dowhy("a", "b", dag=bn.Graph(["a", "c"]))


def test_open_directions_elsewhere_do_not_matter():
    """x - y stays undirected, but t -> z has the same adjustment in every DAG."""
    rng = np.random.default_rng(1)
    n = 6_000
    x, u, t = (rng.integers(0, 2, n) for _ in range(3))
    y = np.where(rng.random(n) < 0.2, 1 - x, x)
    z = ((0.6 * t + 0.6 * u + rng.random(n)) > 1.0).astype(int)
    frame = pd.DataFrame({"x": x, "y": y, "u": u, "t": t, "z": z}).astype(str)
    learner = bn.TsetlinSieve(random_state=0).fit(frame)
    assert ("x", "y") in learner.graph_.undirected_edges
    assert ("t", "z") in learner.graph_.directed_edges
    inputs = learner.to_dowhy("t", "z")
    assert "1 undirected edge, and every DAG of it gives the same adjustment" in str(inputs)


def test_rows_with_missing_values_of_ancestors_are_left_out():
    rows = customers()
    rng = np.random.default_rng(2)
    lost = {name: rng.random(len(rows)) < 0.05 for name in ("age", "churn")}
    later = rng.random(len(rows)) < 0.3
    rows["letter"] = np.where(rng.random(len(rows)) < 0.2, "none", rows.churn)
    for name, mask in lost.items():
        rows.loc[mask, name] = np.nan
    rows.loc[later, "letter"] = None
    tiers = bn.Knowledge(tiers=[*TIERS.tiers, ["letter"]])
    learner = bn.TsetlinSieve(knowledge=tiers, random_state=0).fit(rows)
    inputs = learner.to_dowhy("contacted", "churn")
    kept = ~(lost["age"] | lost["churn"])
    assert len(inputs.data) == kept.sum()
    assert not inputs.data[["contacted", "churn", "age", "plan"]].isna().any().any()
    assert inputs.data.letter.isna().sum() == later[kept].sum()  # no ancestor: not needed
    assert f"{(~kept).sum():,} with missing values in age and churn are left out" in str(inputs)


def test_awkward_names_and_categories():
    rows = customers().rename(columns={"plan": 'the "plan", {x}', "churn": "lost ?\n"})
    known = bn.Knowledge(tiers=[['the "plan", {x}', "age"], ["contacted"], ["lost ?\n"]])
    learner = bn.TsetlinSieve(knowledge=known, random_state=0).fit(rows)
    inputs = learner.to_dowhy("contacted", "lost ?\n")
    assert 'the "plan", {x}' in inputs.adjustment
    assert set(inputs.graph.nodes) == set(inputs.data.columns) == set(rows.columns)


def test_what_cannot_be_handed_over(learner):
    with pytest.raises(ValueError, match="no node 'nothing'"):
        learner.to_dowhy("nothing", "churn")
    with pytest.raises(ValueError, match="both treatment and outcome"):
        learner.to_dowhy("churn", "churn")
    with pytest.raises(ValueError, match="one treatment"):
        learner.to_dowhy({}, "churn")
    rows = customers(500)
    rows["same"] = "x"
    same = bn.PC(prepare=None).fit(rows[["plan", "contacted", "churn", "same"]])
    with pytest.raises(ValueError, match="'same' is constant"):
        same.to_dowhy("same", "churn", dag=same.dag_)


def test_a_missing_networkx_says_what_to_install(learner, monkeypatch):
    whole = builtins.__import__

    def no_networkx(name, *arguments, **options):
        if name == "networkx":
            raise ImportError(name)
        return whole(name, *arguments, **options)

    monkeypatch.setattr("importlib.import_module", no_networkx)
    with pytest.raises(ImportError, match="pip install 'dowhy'"):
        learner.to_dowhy("contacted", "churn")


def test_a_learner_without_its_rows(learner, tmp_path):
    learner.save(tmp_path / "learner.bnsieve", data=False)
    with pytest.raises(ValueError, match="without its data"):
        bn.load(tmp_path / "learner.bnsieve").to_dowhy("contacted", "churn")
