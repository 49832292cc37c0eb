"""Intervals: against the Beta distribution, against each draw on its own, and as promised."""

import pickle

import numpy as np
import pandas as pd
import pytest
from joints import conditioned, joint, random_network
from scipy import stats

from bnsieve import Graph, fit_parameters, load_network
from bnsieve.network import BayesianNetwork
from bnsieve.network.intervals import LEAST, drawn_answers


def test_one_column_has_the_interval_of_its_beta_distribution():
    rows = pd.DataFrame({"rain": ["no"] * 70 + ["yes"] * 30})
    network = fit_parameters(Graph(["rain"]), rows)
    answer = network.query("rain", interval=0.9)
    draws = drawn_answers([network.learned.posterior], ("rain",), None, 200_000, 1)
    # One imagined row, half of it for each label.
    expected = stats.beta(30.5, 70.5)
    assert stats.kstest(draws[:, 1], expected.cdf).pvalue > 0.001
    ends = expected.ppf([0.05, 0.95])
    assert [answer.low[1], answer.high[1]] == pytest.approx(ends.tolist(), abs=0.02)
    assert answer.interval == 0.9
    assert answer.to_frame().columns.tolist() == ["probability", "low", "high"]


@pytest.mark.parametrize("level", [0.99, 0.999, 0.99999, 1 - 1e-9])
def test_intervals_widen_beyond_the_outermost_draws(level):
    rows = pd.DataFrame({"rain": ["no"] * 70 + ["yes"] * 30})
    network = fit_parameters(Graph(["rain"]), rows)
    answer = network.query("rain", interval=level)
    tail = (1 - level) / 2
    expected = stats.beta(30.5, 70.5)
    ends = [expected.ppf(tail), expected.isf(tail)]
    assert [answer.low[1], answer.high[1]] == pytest.approx(ends, rel=0.08)
    wider = network.query("rain", interval=(1 + level) / 2)
    assert wider.low[1] < answer.low[1]
    assert wider.high[1] > answer.high[1]


@pytest.mark.parametrize("seed", range(10))
def test_each_draw_answers_as_a_network_with_the_drawn_tables(seed):
    """The batch of draws against networks with the same tables, one at a time."""
    rng = np.random.default_rng([seed, 3])
    truth = random_network(rng, 6)
    network = fit_parameters(truth.graph, truth.sample(100, random_state=seed))
    posterior = network.learned.posterior
    names = rng.permutation(network.graph.nodes).tolist()
    given = {names[0]: network.states[names[0]][0], names[1]: network.states[names[1]][-1]}
    soft = {names[2]: {label: 0.2 + i for i, label in enumerate(network.states[names[2]])}}
    n = 5

    class Fixed:
        """Draws that are the same whatever is known; each table is drawn whole."""

        def __init__(self):
            own = np.random.default_rng(7)
            self.tables = {
                v: own.dirichlet(np.ones(table.shape[-1]), (n, *table.shape[:-1]))
                for v, table in enumerate(network.tables.values())
            }

        def __getattr__(self, name):
            return getattr(posterior, name)

        def draw(self, variable, evidence, size, _, first):
            at = tuple(evidence.hard.get(v, slice(None)) for v in posterior.model.family(variable))
            whole = self.tables[variable][(slice(None), *at)]
            return posterior.draw(variable, evidence, size, rng)._replace(values=whole)

    fixed = Fixed()
    target = names[3]
    draws = drawn_answers([fixed], (target,), {**given, **soft}, n, 0)
    for i in range(n):
        tables = {name: fixed.tables[v][i] for v, name in enumerate(network.graph.nodes)}
        one = BayesianNetwork(network.graph, network.states, tables)
        weights = np.array(list(soft[names[2]].values()))
        axis = network.graph.nodes.index(names[2])
        whole = np.moveaxis(np.moveaxis(joint(one), axis, -1) * weights, -1, axis)
        np.testing.assert_allclose(draws[i], conditioned(one, whole, target, given), atol=1e-12)


def test_intervals_hold_the_truth_about_as_often_as_they_say():
    """Thirty samples of asia, three questions each; a tighter measure is in the studies."""
    asia = load_network("asia")
    questions = [("dysp", {"smoke": "yes"}), ("lung", {"xray": "yes"}), ("bronc", {"dysp": "no"})]
    held = []
    for seed in range(30):
        network = fit_parameters(
            asia.graph, asia.sample(1_000, random_state=seed), states=asia.states
        )
        for target, given in questions:
            answer = network.query(target, given, interval=0.9)
            truth = asia.query(target, given)["yes"]
            held.append(answer.low[0] <= truth <= answer.high[0])
    # 90 cases, not quite independent: four standard errors below 90 %, and not always.
    assert 0.77 < np.mean(held) < 1.0


def test_what_was_never_seen_may_be_impossible():
    asia = load_network("asia")
    network = fit_parameters(asia.graph, asia.sample(2_000, random_state=0), states=asia.states)
    answer = network.query("either", {"lung": "yes"}, interval=0.9)
    assert answer.high[0] == 1.0
    assert answer.low[1] == 0.0
    assert 0.9 < answer.low[0] < answer["yes"] < 1.0


def test_more_rows_make_intervals_narrower():
    asia = load_network("asia")
    widths = []
    for rows in (500, 50_000):
        network = fit_parameters(asia.graph, asia.sample(rows, random_state=0))
        answer = network.query("dysp", {"smoke": "yes"}, interval=0.9)
        widths.append(answer.high[0] - answer.low[0])
    assert widths[1] == pytest.approx(widths[0] / 10, rel=0.35)


def test_a_wider_level_gives_a_wider_interval_and_the_answer_is_inside():
    asia = load_network("asia")
    network = fit_parameters(asia.graph, asia.sample(300, random_state=0))
    narrow = network.query("dysp", interval=0.5)
    wide = network.query("dysp", interval=0.99)
    assert wide.low[0] < narrow.low[0] <= narrow["yes"] <= narrow.high[0] < wide.high[0]


def test_several_targets_have_intervals_each_or_together():
    asia = load_network("asia")
    network = fit_parameters(asia.graph, asia.sample(300, random_state=0))
    each = network.query(["dysp", "xray"], interval=0.9)
    assert each["xray"].low.shape == (2,)
    both = network.query(["dysp", "xray"], joint=True, interval=0.9)
    assert both.low.shape == both.high.shape == (2, 2)
    assert (both.low <= both.probabilities).all()


def test_what_is_set_is_not_uncertain():
    asia = load_network("asia")
    network = fit_parameters(asia.graph, asia.sample(500, random_state=0))
    changed = network.do({"bronc": "yes"})
    fixed = changed.query("bronc", interval=0.9)
    assert fixed.low.tolist() == fixed.high.tolist() == [1.0, 0.0]
    assert changed.query("dysp", interval=0.9).low[0] < changed.query("dysp")["yes"]


def test_the_same_question_has_the_same_interval_after_a_pickle_too():
    asia = load_network("asia")
    network = fit_parameters(asia.graph, asia.sample(500, random_state=0))
    first = network.query("dysp", interval=0.9)
    again = pickle.loads(pickle.dumps(network)).query("dysp", interval=0.9)
    assert first.low.tolist() == again.low.tolist()


def test_a_network_without_counts_has_no_intervals():
    with pytest.raises(ValueError, match="no counts"):
        load_network("asia").query("dysp", interval=0.9)


@pytest.mark.parametrize("interval", [0, 1, 90, -0.1, float("nan"), True])
def test_an_interval_is_a_share(interval):
    asia = load_network("asia")
    network = fit_parameters(asia.graph, asia.sample(50, random_state=0))
    with pytest.raises(ValueError, match="share between 0 and 1"):
        network.query("dysp", interval=interval)


def test_a_line_without_rows_is_wide_open():
    """Rain was never seen with frost: what then, only the prior says."""
    rows = pd.DataFrame({"frost": ["no"] * 50 + ["yes"], "rain": ["no", "yes"] * 25 + ["no"]})
    graph = Graph(["frost", "rain"], [("frost", "rain")])
    network = fit_parameters(graph, rows, states={"frost": ["no", "yes", "hard"]})
    answer = network.query("rain", {"frost": "hard"}, interval=0.9)
    assert answer.low[0] < 0.05
    assert answer.high[0] > 0.95
    assert LEAST > 0
