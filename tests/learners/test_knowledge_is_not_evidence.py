"""What the user's knowledge decides is marked, and never counted as a result of the data."""

import json

import numpy as np
import pandas as pd
import pytest

import bnsieve as bn
from bnsieve.cli.run.files import record_of, write_files
from bnsieve.cli.run.run import RunSettings, learn
from bnsieve.cli.run.summary import meaning, summary_of
from bnsieve.explain import count_directions, rank_edges

TIERS = [["age", "sex"], ["weight", "smokes"], ["pressure", "sugar"], ["drug"], ["death"]]
# The truth, with every edge from an earlier tier to a later one.
TRUTH = {
    "weight": ("age", "sex"),
    "smokes": ("sex",),
    "pressure": ("age", "weight"),
    "sugar": ("weight",),
    "drug": ("pressure",),
    "death": ("age", "smokes", "sugar"),
}


def patients(n_rows=8_000, seed=0):
    """Draw rows of the truth above, two or three categories each."""
    rng = np.random.default_rng(seed)
    columns = {"age": rng.integers(0, 3, n_rows), "sex": rng.integers(0, 2, n_rows)}
    for name, parents in TRUTH.items():
        total = sum(columns[parent] for parent in parents) + 0.8 * rng.normal(size=n_rows)
        columns[name] = np.digitize(total, np.quantile(total, [1 / 3, 2 / 3]))
    return pd.DataFrame({name: [f"c{v}" for v in values] for name, values in columns.items()})


def fitted(knowledge=None, rows=None, learner=bn.TsetlinSieve):
    rows = patients() if rows is None else rows
    options = {} if learner is bn.PC else {"random_state": 0}
    return learner(knowledge=knowledge, **options).fit(rows)


@pytest.mark.parametrize("learner", [bn.TsetlinSieve, bn.PC])
def test_no_direction_that_tiers_decide_is_counted_as_confirmed(learner):
    found = fitted(bn.Knowledge(tiers=TIERS), learner=learner)
    tier = {name: i for i, names in enumerate(TIERS) for name in names}
    across = {(a, b) for a, b in found.graph_.directed_edges if tier[a] != tier[b]}
    assert len(across) >= 8
    assert across <= set(found.knowledge_edges_)
    assert across.isdisjoint(found.confirmed_edges_)
    edges = rank_edges(found, found.graph_, (), {})
    n_left = found.graph_.n_edges - len(across)
    counts = count_directions(edges)
    assert counts["knowledge"] >= len(across)
    assert counts["confirmed"] + counts["tentative"] + counts["undetermined"] <= n_left


def test_what_the_data_confirm_beside_the_tiers_stays_confirmed():
    """A tier for one column only: the other directions come from the data, as before."""
    without = fitted()
    given = fitted(bn.Knowledge(tiers=[["age"], [name for name in patients(1) if name != "age"]]))
    free = {edge for edge in without.confirmed_edges_ if "age" not in edge}
    assert free
    assert free <= set(given.confirmed_edges_)
    assert all("age" not in edge for edge in given.confirmed_edges_)


def test_without_knowledge_nothing_is_marked():
    for knowledge in (None, bn.Knowledge()):
        found = fitted(knowledge)
        assert found.knowledge_edges_ == ()
        assert "knowledge" not in count_directions(rank_edges(found, found.graph_, (), {}))
        assert "knowledge" not in found.graph_.plot(knowledge=found.knowledge_edges_).svg


def test_an_edge_required_against_the_data():
    """sex and sugar are independent given weight, and drug does not cause age."""
    found = fitted(bn.Knowledge(required=[("drug", "sex")]))
    edge = next(
        edge for edge in rank_edges(found, found.graph_, found.edge_gains(), {}) if edge.required
    )
    assert (edge.tail, edge.head) == ("drug", "sex")
    assert edge.reliability == "knowledge"
    assert edge.score_gain < 0
    assert edge.is_weak
    support = found.explain("drug", "sex")
    assert (support.reason, support.reliability) == ("required", "knowledge")
    assert "whatever the data say" in support.rationale
    assert "confirmed" not in str(support)
    found.bootstrap(4)
    edges = rank_edges(found, found.graph_, found.edge_gains(), {})
    last = next(edge for edge in edges if edge.required)
    assert last.strength == 1.0
    assert last.is_weak  # every replicate has it because it is required
    assert edges[-1] is last
    assert "because the given knowledge requires it" in str(found.explain("drug", "sex"))


def test_forbidden_directions_and_what_follows_from_them():
    rng = np.random.default_rng(0)
    first = rng.integers(0, 2, 5_000)
    chain = {"a": first}
    for before, name in (("a", "b"), ("b", "c")):
        chain[name] = np.where(rng.random(5_000) < 0.15, 1 - chain[before], chain[before])
    rows = pd.DataFrame(chain).astype(str)
    assert fitted(rows=rows).graph_.directed_edges == ()
    found = fitted(bn.Knowledge(forbidden=[("b", "a")]), rows)
    assert set(found.graph_.directed_edges) == {("a", "b"), ("b", "c")}
    assert set(found.knowledge_edges_) == {("a", "b"), ("b", "c")}
    assert "allows no other direction" in found.explain("a", "b").rationale
    assert "follows from other directions" in found.explain("b", "c").rationale
    # Of a pair that must not be adjacent nothing is drawn, and nothing is said of the data.
    apart = fitted(bn.Knowledge(forbidden=[{"a", "b"}]), rows)
    assert apart.explain("a", "b").reason == "forbidden"


def test_numbers_too():
    rng = np.random.default_rng(0)
    a = rng.normal(size=3_000)
    b = a + rng.normal(size=3_000)
    rows = pd.DataFrame({"a": a, "b": b, "c": b + rng.normal(size=3_000)})
    found = fitted(bn.Knowledge(tiers=[["a"], ["b"], ["c"]]), rows)
    assert found.numeric_features_
    assert set(found.knowledge_edges_) == set(found.graph_.directed_edges)
    assert found.confirmed_edges_ == ()


def test_the_record_of_one_pair():
    found = fitted(bn.Knowledge(tiers=TIERS))
    result = found.fit_result_
    assert result.reliability("sugar", "death") == "knowledge"
    assert result.reliability("death", "sugar") == "knowledge"
    assert result.reliability("sex", "drug") is None


def test_saved_and_loaded(tmp_path):
    found = fitted(bn.Knowledge(tiers=TIERS))
    found.save(tmp_path / "learner.bnsieve")
    assert bn.load(tmp_path / "learner.bnsieve").knowledge_edges_ == found.knowledge_edges_


def test_a_run_says_so_everywhere(tmp_path):
    patients().to_csv(tmp_path / "patients.csv", index=False)
    known = {"tiers": TIERS, "required": [["drug", "death"]]}
    (tmp_path / "known.json").write_text(json.dumps(known))
    outcome = learn(RunSettings(tmp_path / "patients.csv", knowledge=tmp_path / "known.json"))
    record = record_of(outcome)
    write_files(outcome, record, tmp_path / "out")
    summary = dict(summary_of(outcome)[::-1])
    n = outcome.graph.n_edges
    assert summary["directions"].startswith("0 confirmed, 0 tentative")
    assert (
        f"{len(outcome.learner.knowledge_edges_)} given by your knowledge"
        in (summary["directions"])
    )
    assert summary["knowledge"] == "1 required edge and 5 tiers, obeyed and not tested"
    assert any("given by your knowledge" in line for line in meaning(outcome))
    assert summary["graph"].endswith("1 required by your knowledge")
    edges = pd.read_csv(tmp_path / "out" / "edges.csv", dtype=str)
    counts = edges.reliability.value_counts()
    assert counts["knowledge"] >= 8
    assert "confirmed" not in counts
    required = edges[edges.required == "yes"]
    assert required[["from", "to"]].to_numpy().tolist() == [["drug", "death"]]
    plain = {(edge["tail"], edge["head"]): edge for edge in record["graph"]["edges"]}
    assert plain["drug", "death"]["required"] is True
    assert plain["drug", "death"]["reliability"] == "knowledge"
    picture = (tmp_path / "out" / "graph.svg").read_text()
    assert "direction given by knowledge" in picture
    assert "edge required by knowledge" in picture
    assert "direction confirmed" not in picture
    page = (tmp_path / "out" / "report.html").read_text()
    for text in (
        "Your knowledge</h2>",
        "direction given by your knowledge</li>",
        "edge required by your knowledge</li>",
        f"of {n} edges and require 1",
        "Of these, 1 is required by your knowledge, not learned.",
        "Required, but not supported by the data",
        "<dt>Tier 3</dt><dd><bdi>pressure</bdi>, <bdi>sugar</bdi></dd>",
    ):
        assert text in page


def test_a_run_without_knowledge_mentions_none(tmp_path):
    patients(2_000).to_csv(tmp_path / "patients.csv", index=False)
    outcome = learn(RunSettings(tmp_path / "patients.csv"))
    write_files(outcome, record_of(outcome), tmp_path / "out")
    assert "knowledge" not in dict(summary_of(outcome))
    assert not any("knowledge" in line for line in meaning(outcome))
    assert "your knowledge" not in (tmp_path / "out" / "report.html").read_text().lower()
    assert set(pd.read_csv(tmp_path / "out" / "edges.csv").required.dropna()) == {"no"}


def test_in_a_notebook():
    html = fitted(bn.Knowledge(tiers=TIERS))._repr_html_()
    assert "given by knowledge" in html
    assert "5 tiers" in html
