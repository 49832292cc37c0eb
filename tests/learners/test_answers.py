"""What fitted learners answer: with intervals, for every graph left open, and with rules."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from sklearn.exceptions import NotFittedError

from bnsieve import (
    PC,
    Discretizer,
    Knowledge,
    TsetlinSieve,
    fit_parameters,
    load,
    load_network,
)
from bnsieve.graph import Graph
from bnsieve.network import count_families

ASIA = load_network("asia")
ROWS = ASIA.sample(3_000, random_state=0)


@pytest.fixture(scope="module")
def learner():
    return TsetlinSieve(random_state=0).fit(ROWS)


@pytest.fixture(scope="module")
def replicated():
    learner = TsetlinSieve(random_state=0).fit(ROWS)
    learner.bootstrap(8, random_state=0)
    return learner


def test_every_answer_has_an_interval_unless_none_is_wanted(learner):
    answer = learner.query("dysp", {"smoke": "yes"})
    assert answer.interval == 0.9
    assert answer.low[0] < answer["yes"] < answer.high[0]
    assert answer["yes"] == learner.network_.query("dysp", {"smoke": "yes"})["yes"]
    assert learner.query("dysp", interval=None).low is None
    both = learner.query(["dysp", "xray"], joint=True)
    assert both.low.shape == (2, 2)
    assert learner.query(["dysp", "xray"])["xray"].low is not None


def test_replicates_count_their_own_families_in_all_rows(replicated):
    assert len(replicated.fit_result_.replicate_dags) == 8
    dag = replicated.fit_result_.replicate_dags[0]
    posterior = replicated.network_.parts.interval_source.posteriors[1]
    expected = count_families(dag, ROWS)
    for variable, name in enumerate(replicated.network_.graph.nodes):
        whole = Graph(replicated.network_.graph.nodes, dag.directed_edges)
        own = posterior.counts(variable)
        assert own.sum() == len(ROWS)
        cells = expected.cells(name, replicated.network_.states)
        order = [expected.graph.parents(name).index(one) for one in whole.parents(name)]
        np.testing.assert_array_equal(own, cells.transpose([*order, len(order)]))


def test_graphs_that_disagree_make_intervals_wider(learner, replicated):
    """Joined or not joined: a strong edge that half of the graphs lack."""
    answer = replicated.query("dysp", {"bronc": "yes"})
    without = [arrow for arrow in replicated.dag_.directed_edges if set(arrow) != {"bronc", "dysp"}]
    doubtful = TsetlinSieve(random_state=0).fit(ROWS)
    empty = Graph(replicated.dag_.nodes, without)
    dags = (replicated.dag_, empty) * 4
    doubtful.fit_result_ = replace(doubtful.fit_result_, replicate_dags=dags)
    wide = doubtful.query("dysp", {"bronc": "yes"})
    assert wide.high[0] - wide.low[0] > 5 * (answer.high[0] - answer.low[0])
    margin = ASIA.query("dysp")["yes"]
    assert wide.low[0] < margin + 0.05


def test_replicates_are_saved_and_belong_to_their_rows(replicated, tmp_path):
    replicated.save(tmp_path / "learner.bnsieve")
    again = load(tmp_path / "learner.bnsieve")
    assert again.fit_result_.replicate_dags == replicated.fit_result_.replicate_dags
    assert again.query("dysp").low.tolist() == replicated.query("dysp").low.tolist()
    replicated.save(tmp_path / "small.bnsieve", data=False)
    small = load(tmp_path / "small.bnsieve")
    assert small.query("dysp").interval == 0.9  # of the tables alone
    assert small.why("dysp", {"bronc": "yes"}).rules == ()
    fresh = TsetlinSieve(random_state=0).fit(ROWS)
    fresh.bootstrap(2, random_state=0)
    assert fresh.fit(ROWS).fit_result_.replicate_dags == ()


def test_the_threads_of_a_bootstrap_change_nothing(replicated):
    again = TsetlinSieve(random_state=0).fit(ROWS)
    again.bootstrap(8, random_state=0, n_jobs=2)
    assert again.fit_result_.replicate_dags == replicated.fit_result_.replicate_dags


def test_effects_cover_what_the_class_leaves_open(learner):
    effect = learner.effect("bronc", "dysp")
    graph = learner.graph_
    assert graph.has_edge("smoke", "bronc")
    assert {case.parents for case in effect.cases} >= {(), ("smoke",)}
    truth = ASIA.effect("bronc", "dysp").table
    assert (effect.low - 0.04 <= truth).all(axis=None)
    assert (truth <= effect.high + 0.04).all(axis=None)
    assert set(effect.settled_by) <= {("bronc", name) for name in graph.neighbours("bronc")}


def test_effects_have_intervals_too():
    knowledge = Knowledge(required=[("smoke", "bronc")])
    told = TsetlinSieve(random_state=0, knowledge=knowledge).fit(ROWS)
    effect = told.effect("bronc", "dysp", interval=0.9)
    case = effect.cases[0]
    assert (case.low < case.table).all(axis=None)
    assert (case.table < case.high).all(axis=None)
    assert effect.is_settled
    # As the intervals of the network in which the column is set.
    changed = told.network_.do({"bronc": "yes"}).query("dysp", interval=0.9)
    assert case.low.loc["yes"].tolist() == pytest.approx(changed.low.tolist(), abs=0.01)
    assert case.high.loc["yes"].tolist() == pytest.approx(changed.high.tolist(), abs=0.01)
    assert effect.low.equals(case.low)


def test_knowledge_settles_an_effect():
    knowledge = Knowledge(required=[("smoke", "bronc")])
    learner = TsetlinSieve(random_state=0, knowledge=knowledge).fit(ROWS)
    effect = learner.effect("bronc", "dysp")
    assert effect.is_settled
    assert effect.cases[0].adjustment == ("smoke",)


def test_doubtful_arrows_may_point_either_way(learner):
    """Lines that were arrows before: the collider that the DAG has is among the cases."""
    doubted = TsetlinSieve(random_state=0).fit(ROWS)
    heads = [(a, b) for a, b in doubted.graph_.directed_edges if b == "either"]
    assert heads
    graph = Graph(
        doubted.graph_.nodes,
        set(doubted.graph_.directed_edges) - set(heads),
        [*doubted.graph_.undirected_edges, *heads],
    )
    doubted.fit_result_ = replace(doubted.fit_result_, graph=graph)
    cases = {case.parents for case in doubted.effect("either", "dysp").cases}
    assert set(doubted.dag_.parents("either")) in map(set, cases)
    assert len(cases) > len(learner.effect("either", "dysp").cases)


def test_reasons_come_with_rules_that_hold(learner):
    reasons = learner.why("dysp", {"bronc": "yes", "either": "yes"})
    assert reasons.changes.index.tolist()[0] == "bronc"
    assert reasons.rules
    for rule in reasons.rules:
        assert rule.target == "dysp"
        assert set(rule.variables) <= {"bronc", "either"}
    assert PC().fit(ROWS).why("dysp", {"bronc": "yes"}).rules == ()


def test_numbers_stand_for_their_bins():
    rng = np.random.default_rng(0)
    rows = pd.DataFrame({"ill": rng.random(1_000) < 0.4})
    rows["age"] = np.where(rows.ill, 60.0, 40.0) + rng.normal(0, 5, 1_000)
    learner = TsetlinSieve(prepare=Discretizer(), random_state=0).fit(rows)
    old, young = learner.query("ill", {"age": 71.5}), learner.query("ill", {"age": 30})
    assert young[True] < 0.1 < 0.9 < old[True]
    label = learner.preparation_.apply(pd.DataFrame({"age": [71.5], "ill": [True]}))["age"][0]
    assert (
        old["yes" if "yes" in old.states[0] else True] == learner.query("ill", {"age": label})[True]
    )
    assert learner.next_question("ill", {"age": 30}).entropy < 0.5


def test_questions_before_fit_are_refused():
    for ask in (
        lambda: TsetlinSieve().query("a"),
        lambda: TsetlinSieve().effect("a", "b"),
        lambda: TsetlinSieve().next_question("a"),
        lambda: TsetlinSieve().why("a", {}),
    ):
        with pytest.raises(NotFittedError):
            ask()


def test_labels_never_seen_are_refused(learner):
    with pytest.raises(ValueError, match="'maybe'"):
        learner.query("dysp", {"smoke": "maybe"})
    # With the labels named, a network can be asked about what no row had.
    network = fit_parameters(ASIA.graph, ROWS[ROWS.asia == "no"], states={"asia": ["yes", "no"]})
    assert network.query("tub", {"asia": "yes"}, interval=0.9).high[0] > 0.9


@pytest.mark.parametrize("prepare", ["auto", None])
def test_rows_to_predict_need_not_have_the_target(prepare):
    frame = load_network("asia").sample(300, random_state=0)
    learner = PC(prepare=prepare).fit(frame)
    expected = learner.predict(frame, "dysp")
    rest = frame.drop(columns="dysp")
    assert learner.predict(rest, "dysp").tolist() == expected.tolist()
    assert learner.predict(pa.Table.from_pandas(rest), "dysp").tolist() == expected.tolist()


def test_numbers_to_predict_need_not_be_there():
    random = np.random.default_rng(0)
    x = random.normal(size=400)
    frame = pd.DataFrame({"x": x, "y": np.where(x > 0, "high", "low")})
    learner = PC().fit(frame)
    assert learner.predict(frame[["y"]], "x").tolist() == learner.predict(frame, "x").tolist()
    with pytest.raises(ValueError, match="'y'"):
        learner.predict(frame[["x"]].rename(columns={"x": "z"}), "x")
