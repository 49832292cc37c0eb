import json

import numpy as np
import pandas as pd
import pytest

from bnsieve import FSMBPC, PC, HitonPC, Knowledge, TsetlinSieve, fit_parameters, load_network
from bnsieve.decide import Score
from bnsieve.learners import TsetlinPC

DATA = load_network("asia").sample(3000, random_state=0)


@pytest.fixture(scope="module")
def sieve():
    return TsetlinSieve(random_state=0).fit(DATA)


@pytest.fixture(scope="module")
def pc():
    return PC().fit(DATA)


def test_an_edge_is_explained(sieve):
    evidence = sieve.explain("smoke", "bronc")
    assert evidence.edge in ("smoke - bronc", "smoke -> bronc", "bronc -> smoke")
    assert evidence.reason == "adjacent"
    assert evidence.association[0].value == evidence.association[1].value > 0
    assert evidence.association[1].place >= 1
    assert evidence.tests[0].given == ()
    assert evidence.tests[0].answer == "dependent"
    assert {test.given for test in evidence.tests[1:]} >= {("dysp",)}
    assert evidence.strength is None
    assert evidence.rules
    for rule in evidence.rules:
        assert {rule.target, *rule.variables} >= {"smoke", "bronc"}
    gains = [rule.gain for rule in evidence.rules]
    assert gains == sorted(gains, reverse=True)


def test_the_score_of_an_arrow_is_the_difference_of_two_networks():
    learner = TsetlinSieve(criterion=Score("bic"), random_state=0).fit(DATA)
    evidence = learner.explain("smoke", "bronc")
    (change,) = evidence.scores
    dag = learner.dag_
    arrows = [arrow for arrow in dag.directed_edges if arrow != (change.tail, change.head)]
    without = type(dag)(dag.nodes, arrows)
    assert without.n_edges == dag.n_edges - 1
    # BIC with the configurations that occur; all do, of the few parents that variables have here.
    with_it, without_it = (
        fit_parameters(graph, DATA, prior=None).bic(DATA) for graph in (dag, without)
    )
    assert change.gain == pytest.approx(with_it - without_it)


def test_the_tests_are_those_of_the_learner(pc):
    evidence = pc.explain("smoke", "xray")
    assert evidence.reason == "separated"
    given = pc.separating_sets_[frozenset(("smoke", "xray"))]
    assert evidence.edge == ""
    assert evidence.tests[1].given == given
    assert evidence.tests[1].answer == "independent"
    assert f"independent given {given[0]}" in evidence.rationale
    assert evidence.importance is None
    assert evidence.rules == ()
    assert "smoke, xray: not adjacent" in str(evidence)


def test_machines_are_trained_again_as_they_were(sieve):
    names = sieve.fit_result_.sieve.machines.names
    for x, y in [("either", "xray"), ("asia", "dysp"), ("lung", "smoke")]:
        evidence = sieve.explain(x, y)
        i, j = names.index(x), names.index(y)
        assert evidence.importance[0].value == sieve.fit_result_.sieve.machines.importance[i, j]
        for target, other, importance in (
            (x, y, evidence.importance[0]),
            (y, x, evidence.importance[1]),
        ):
            about = [rule for rule in evidence.rules if rule.target == target]
            assert all(other in rule.variables for rule in about)
            assert (importance.place is not None) or not about


def test_a_pair_that_was_no_candidate_says_so():
    learner = TsetlinSieve(n_candidates=1, random_state=0).fit(
        load_network("alarm").sample(500, random_state=0)
    )
    frame = learner.support_frame()
    fallen = frame[~frame["candidate"] & (frame["edge"] == "")].iloc[0]
    evidence = learner.explain(fallen["x"], fallen["y"])
    assert evidence.reason == "not a candidate"
    assert "associated with them more strongly" in evidence.rationale


def test_candidates_that_did_not_make_it_show_what_they_would_add(sieve):
    frame = sieve.support_frame()
    left_out = frame[frame["candidate"] & (frame["edge"] == "")].iloc[0]
    evidence = sieve.explain(left_out["x"], left_out["y"])
    assert evidence.reason == "lower score"
    assert evidence.scores
    assert all(score.gain < 0 for score in evidence.scores)
    assert "would add -" in str(evidence)


def test_copies_and_constants_are_named():
    data = DATA.assign(site="north", code=DATA["smoke"].map({"yes": 1, "no": 0}))
    learner = TsetlinSieve(random_state=0).fit(data)
    assert learner.explain("site", "smoke").reason == "constant"
    assert "site is constant" in str(learner.explain("smoke", "site"))
    same = learner.explain("code", "smoke")
    assert same.reason == "duplicate"
    assert same.edge
    assert "is a duplicate of" in same.rationale
    copy = next(iter(learner.duplicates_))
    assert (
        f"{copy} is a duplicate of {learner.duplicates_[copy]}"
        in learner.explain(copy, "dysp").rationale
    )


def test_strengths_are_part_of_it_after_a_bootstrap():
    learner = TsetlinSieve(random_state=0).fit(DATA)
    learner.bootstrap(4)
    evidence = learner.explain("smoke", "bronc")
    assert evidence.strength == 1.0
    assert "bootstrap: in 100% of the replicates" in str(evidence)
    frame = learner.support_frame().set_index(["x", "y"])
    for tail, head, strength, direction in learner.strengths_.to_frame().itertuples(index=False):
        if (tail, head) in frame.index:
            assert frame.loc[(tail, head), "strength"] == strength
            assert frame.loc[(tail, head), "direction"] == pytest.approx(direction)
    never = frame[frame["strength"] == 0].index[0]
    assert "in 0% of the replicates" in str(learner.explain(*never))


@pytest.mark.parametrize(
    "learner",
    [
        PC(),
        HitonPC(),
        FSMBPC(),
        TsetlinPC(random_state=0),
        TsetlinSieve(method="tests", random_state=0),
    ],
    ids=lambda learner: type(learner).__name__,
)
def test_every_learner_explains_every_pair(learner):
    data = DATA.iloc[:800].astype(object)
    data.iloc[::50, 2] = None
    learner.fit(data)
    frame = learner.support_frame()
    assert len(frame) == 8 * 7 // 2
    for line in frame.itertuples():
        evidence = learner.explain(line.x, line.y)
        assert bool(evidence.edge) == bool(line.edge)
        assert str(evidence)
        assert json.loads(json.dumps(evidence.to_dict()))["x"] == line.x
        if line.separating_set is not None:
            assert evidence.reason == "separated"


def test_the_frame_has_every_edge_the_right_way(sieve):
    frame = sieve.support_frame()
    arrow = {"->": lambda a, b: (a, b), "<-": lambda a, b: (b, a)}
    arrows = {
        arrow[e](x, y) for x, y, e in zip(frame.x, frame.y, frame.edge, strict=True) if e in arrow
    }
    assert arrows == set(sieve.graph_.directed_edges)
    assert (frame["edge"] == "-").sum() == len(sieve.graph_.undirected_edges)
    assert frame["separating_set"].isna().all()
    assert np.isfinite(frame["importance_of_x"]).all()


def test_wrong_names_are_refused(sieve):
    with pytest.raises(ValueError, match="no node 'cough'"):
        sieve.explain("smoke", "cough")
    with pytest.raises(ValueError, match="got 'smoke' twice"):
        sieve.explain("smoke", "smoke")


def test_labels_that_json_cannot_hold_become_text():
    data = pd.DataFrame({"a": [np.int64(1), 2] * 40, "b": ["x", "y"] * 39 + ["y", "x"]})
    learner = TsetlinSieve(random_state=0).fit(data.astype({"a": object}))
    plain = learner.explain("a", "b").to_dict()
    json.dumps(plain)
    assert plain["rules"][0]["text"].startswith("IF ")


def test_thin_tables_cannot_tell():
    rng = np.random.default_rng(0)
    data = pd.DataFrame({"a": [0] * 19 + [1], "b": [0] * 19 + [1], "c": rng.integers(0, 2, 20)})
    evidence = PC().fit(data).explain("a", "b")
    unsure = [test for test in evidence.tests if test.answer == "cannot tell"]
    assert all("too few rows" in str(test) for test in unsure)


def test_knowledge_is_a_reason():
    knowledge = Knowledge(required=[("asia", "smoke")], forbidden=[{"smoke", "bronc"}])
    learner = PC(knowledge=knowledge).fit(DATA)
    assert learner.explain("bronc", "smoke").reason == "forbidden"
    required = learner.explain("smoke", "asia")
    assert required.edge == "asia -> smoke"
    assert required.reason == "required"
    joined = learner.explain("either", "xray")
    assert joined.reason == "adjacent"
    assert "networks that remain possible" in joined.rationale
    assert "equivalent networks" in PC().fit(DATA).explain("either", "xray").rationale


def test_a_required_arrow_of_a_constant_column_is_explained():
    data = DATA.assign(site="north")
    for learner in (PC(), TsetlinSieve(random_state=0)):
        learner.set_params(knowledge=Knowledge(required=[("site", "smoke")])).fit(data)
        evidence = learner.explain("smoke", "site")
        assert evidence.edge == "site -> smoke"
        assert evidence.reason == "required"
        assert all(test.answer == "cannot tell" for test in evidence.tests)


def test_machines_that_saw_a_few_columns_are_trained_again_as_they_were(monkeypatch):
    monkeypatch.setattr("bnsieve.learners.screening._ALL_VISIBLE", 10)
    monkeypatch.setattr("bnsieve.learners.screening.N_VISIBLE", 5)
    rows = load_network("alarm").sample(1000, random_state=0)
    learner = TsetlinSieve(n_candidates=4, random_state=0).fit(rows)
    sieve = learner.fit_result_.sieve.machines
    assert max(len(seen) for seen in sieve.visible) == 5
    assert 0 < np.count_nonzero(sieve.importance.any(axis=1)) < len(sieve.names)
    explained = 0
    for line in learner.support_frame().query("edge != ''").head(8).itertuples():
        evidence = learner.explain(line.x, line.y)
        for target, importance in zip((line.x, line.y), evidence.importance, strict=True):
            about = [rule for rule in evidence.rules if rule.target == target]
            assert (importance.place is not None) or not about
            seen = {sieve.names[v] for v in sieve.visible[sieve.names.index(target)]}
            assert all(seen.issuperset(rule.variables) for rule in about)
            explained += len(about)
    assert explained
