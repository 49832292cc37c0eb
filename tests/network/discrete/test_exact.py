"""Exact inference against a list of every row."""

import tracemalloc
from functools import partial
from inspect import signature
from itertools import pairwise

import numpy as np
import pytest
from enumeration import conditioned, joint, margin, random_evidence, random_network
from numpy.testing import assert_allclose

from bnsieve import BayesianNetwork, Graph, load_network
from bnsieve.network import TooLargeError


def check(seed):
    network = random_network(seed)
    everything = joint(network)
    rng = np.random.default_rng(seed)
    for draw in range(3):
        given = random_evidence(network, seed + draw, everything)
        table = conditioned(network, everything, given)
        hard = {name for name, value in given.items() if not isinstance(value, dict)}
        open_ = [name for name in network.graph.nodes if name not in hard]
        margins = network.marginals(given)
        assert list(margins) == open_
        for name in open_:
            expected = margin(network, table, [name])
            assert_allclose(margins[name].probabilities, expected, rtol=0, atol=1e-12)
            alone = network.query(name, given)
            assert_allclose(alone.probabilities, expected, rtol=0, atol=1e-12)
            assert_allclose(alone.log_evidence, np.log(table.sum()), rtol=0, atol=1e-11)
        if open_:
            size = int(rng.integers(1, min(len(open_), 3) + 1))
            targets = rng.choice(open_, size, replace=False).tolist()
            together = network.query(targets, given, joint=True)
            assert_allclose(
                together.probabilities, margin(network, table, targets), rtol=0, atol=1e-12
            )


@pytest.mark.parametrize("seed", range(0, 500, 10))
def test_answers_are_those_of_enumeration(seed):
    check(seed)


@pytest.mark.slow
@pytest.mark.parametrize("first", range(0, 500, 50))
def test_answers_are_those_of_enumeration_at_length(first):
    for seed in range(first, first + 50):
        check(seed)


def test_what_is_impossible_is_named():
    asia = load_network("asia")
    with pytest.raises(ValueError, match="lung = yes and either = no are impossible together"):
        asia.query("asia", {"smoke": "yes", "lung": "yes", "either": "no", "xray": "no"})
    network = BayesianNetwork(Graph(["a"]), {"a": ["x", "y"]}, {"a": [0.0, 1.0]})
    with pytest.raises(ValueError, match="a = x is impossible"):
        network.marginals({"a": "x"})


@pytest.mark.parametrize(
    ("targets", "given", "message"),
    [
        ("dyspnoea", {}, "no node 'dyspnoea'.*did you mean 'dysp'"),
        ("dysp", {"smoking": "yes"}, "no node 'smoking'.*did you mean 'smoke'"),
        ("dysp", {"smoke": "Yes"}, "'smoke' has no state 'Yes'.*did you mean 'yes'"),
        ("dysp", {"smoke": None}, "'smoke' has no state None"),
        ("dysp", {"smoke": ["yes"]}, "'smoke' has no state"),
        ("dysp", {"dysp": "yes"}, "'dysp' is both target and evidence"),
        (["dysp", "dysp"], {}, "'dysp' is named twice"),
        ([], {}, "no target"),
        ("dysp", {"xray": {"yes": 0.5}}, "lack the state 'no'"),
        ("dysp", {"xray": {"yes": 0, "no": 0}}, "all 0"),
        ("dysp", {"xray": {"yes": -1, "no": 1}}, "'yes' must be a number of at least 0, got -1"),
        ("dysp", {"xray": {"yes": "much", "no": 1}}, "must be a number of at least 0, got 'much'"),
    ],
)
def test_errors_name_the_column_the_label_and_the_nearest(targets, given, message):
    with pytest.raises(ValueError, match=message):
        load_network("asia").query(targets, given)


def test_naive_bayes_with_a_thousand_contrary_children_does_not_underflow():
    """Half of the children speak for one class and half for the other: the classes stay even."""
    names = [f"c{i}" for i in range(1000)]
    table = [[0.001, 0.999], [0.999, 0.001]]
    network = BayesianNetwork(
        Graph(["class", *names], [("class", name) for name in names]),
        {name: ["a", "b"] for name in ["class", *names]},
        {"class": [0.5, 0.5], **dict.fromkeys(names, table)},
    )
    given = {name: "ab"[i < 500] for i, name in enumerate(names)}
    answer = network.query("class", given)
    assert_allclose(answer.probabilities, [0.5, 0.5], atol=1e-9)
    assert answer.log_evidence == pytest.approx(500 * (np.log(0.001) + np.log(0.999)))
    given["c0"] = "a"
    odds = network.marginals(given)["class"]
    assert odds["b"] / odds["a"] == pytest.approx(999.0**2, rel=1e-6)


def test_an_answer_shows_itself_and_gives_its_numbers():
    asia = load_network("asia")
    answer = asia.query("lung", {"smoke": "yes", "xray": {"yes": 1, "no": 0}})
    assert repr(answer).startswith("lung given smoke = yes, xray like {yes: 1, no: 0}\n  yes  0.64")
    assert answer.most_probable == "yes"
    assert answer.to_series()["yes"] == answer["yes"]
    assert answer.to_frame().columns.tolist() == ["probability"]
    with pytest.raises(KeyError):
        answer["perhaps"]
    together = asia.query(["smoke", "asia"], joint=True)
    assert together["yes", "no"] == pytest.approx(0.495)
    assert together.most_probable == ("yes", "no")
    assert together.entropy == pytest.approx(1 + 0.0807931359)
    several = asia.query(["smoke", "asia"])
    assert list(several) == ["smoke", "asia"]
    assert several.to_frame().loc[("asia", "yes"), "probability"] == pytest.approx(0.01)
    assert repr(several).count("\n") == 5


def plan_of(ask):
    """What a question says that it would take."""
    with pytest.raises(TooLargeError) as refused:
        ask(max_bytes=0)
    return refused.value.n_bytes


@pytest.mark.parametrize("question", ["marginals", "query", "most_probable"])
def test_memory_stays_within_the_plan_and_the_plan_within_the_setting(question):
    water = load_network("water")
    target = {"query": ["CNON_12_45"]}.get(question, [])
    ask = partial(getattr(water, question), *target)
    plan = plan_of(ask)
    with pytest.raises(TooLargeError):
        ask(max_bytes=plan - 1)
    tracemalloc.start()
    ask(max_bytes=plan)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert 0.1 * plan < peak <= plan


def test_a_network_that_is_too_large_answers_single_questions():
    munin1 = load_network("munin1")
    with pytest.raises(
        TooLargeError, match=r"78,400,000 cells, over 12 variables .*one target at a"
    ):
        munin1.marginals()
    assert munin1.query("R_LNLW_MED_SEV")["NO"] == pytest.approx(0.73)


def test_munin_is_answered_in_full():
    """What is asked for alone is what it is among all: two ways through the engine."""
    munin = load_network("munin")
    every = munin.marginals()
    assert len(every) == 1041
    for name in munin.graph.nodes[::100]:
        alone = munin.query(name)
        assert_allclose(every[name].probabilities, alone.probabilities, rtol=0, atol=1e-12)


@pytest.mark.parametrize("question", ["marginals", "query", "most_probable"])
def test_many_small_tables_stay_within_the_plan_too(question):
    """A chain of a thousand columns: each table is tiny, but what Python keeps of each is not."""
    names = [f"v{i}" for i in range(1_000)]
    network = BayesianNetwork(
        Graph(names, pairwise(names)),
        dict.fromkeys(names, ("a", "b")),
        {"v0": [0.5, 0.5], **dict.fromkeys(names[1:], ((0.9, 0.1), (0.2, 0.8)))},
    )
    given = {} if question == "most_probable" else {"v999": {"a": 1.0, "b": 0.5}}
    ask = partial(getattr(network, question), *(["v0"] if question == "query" else []), given=given)
    plan = plan_of(ask)
    tracemalloc.start()
    ask(max_bytes=plan)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak <= plan


@pytest.mark.parametrize("question", ["query", "most_probable", "predict_proba"])
def test_a_question_may_take_a_gibibyte(question):
    limit = signature(getattr(BayesianNetwork, question)).parameters["max_bytes"].default
    assert limit == 2**30
