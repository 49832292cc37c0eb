import csv
import re
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose

from bnsieve import PC, Graph, TsetlinSieve, load_network
from bnsieve.explain import EdgeStrengths, edge_strengths
from bnsieve.explain.strengths import inclusion_threshold, resampled_rows
from bnsieve.table import Table

FIXTURES = Path(__file__).parents[1] / "fixtures" / "confidence"
NODES = list("abcd")


def from_graphs(graphs):
    """Strengths of given graphs, as if each had been learned in one replicate."""
    nodes = graphs[0].nodes
    table = Table.from_data(pd.DataFrame({node: [0, 1] for node in nodes}))
    one_by_one = iter(graphs)
    return edge_strengths(
        table,
        lambda table, seed: next(one_by_one),
        n=len(graphs),
        resample="bootstrap",
        random_state=0,
        n_jobs=None,
    )


def model_string(text):
    """A DAG from bnlearn's notation."""
    families = re.findall(r"\[(\w+)\|?([\w:]*)\]", text)
    arrows = [(parent, node) for node, parents in families for parent in parents.split(":")]
    return Graph(sorted(node for node, _ in families), [a for a in arrows if a[0]])


def test_strength_and_direction_are_bnlearns():
    lines = (FIXTURES / "graphs.txt").read_text().split()
    strengths = from_graphs([model_string(line).to_cpdag() for line in lines])
    theirs = pd.read_csv(FIXTURES / "strength.csv")
    for tail, head, strength, direction in theirs.itertuples(index=False):
        ours = strengths.of(tail, head)
        assert ours[0] == pytest.approx(strength)
        if strength:
            assert ours[1] == pytest.approx(direction)
        else:
            assert np.isnan(ours[1])
    frame = strengths.to_frame().merge(theirs, on=["from", "to"])
    assert len(frame) == (theirs["strength"] > 0).sum()
    assert_allclose(frame["strength_x"], frame["strength_y"])
    assert_allclose(frame["direction_x"], frame["direction_y"])


def area(strengths, constant):
    """The area between the distribution function of the strengths and a constant, on [0, 1)."""
    knots = np.unique([0.0, *(s for s in strengths if s < 1), 1.0])
    states = np.array([np.mean(np.asarray(strengths) <= start) for start in knots[:-1]])
    return float(np.diff(knots) @ np.abs(states - constant))


def test_the_threshold_is_bnlearns_or_better():
    for row in csv.reader((FIXTURES / "thresholds.csv").read_text().splitlines()):
        theirs, *strengths = (float(cell) for cell in row if cell)
        ours = inclusion_threshold(strengths)
        # Their search for the minimum is numerical and may end just above it.
        above = min((s for s in strengths if s > 0.5), default=1.0)
        assert theirs in (ours, above)


@pytest.mark.slow
@settings(max_examples=200)
@given(st.lists(st.integers(0, 20).map(lambda k: k / 20), min_size=1, max_size=30))
def test_no_constant_is_closer_than_that_of_the_threshold(strengths):
    ours = float(np.mean(np.asarray(strengths) <= 0.5))
    closest = min(area(strengths, constant) for constant in np.linspace(0, 1, 301))
    assert area(strengths, ours) <= closest + 1e-12
    # The smallest strength at which the distribution function reaches that constant.
    quantile = min((s for s in strengths if np.mean(np.asarray(strengths) <= s) >= ours), default=0)
    assert inclusion_threshold(strengths) == (quantile if ours else 0.0)


def test_half_of_the_rows_never_repeats():
    rng = np.random.default_rng(0)
    half = resampled_rows(101, "half", rng)
    assert len(half) == len(set(half.tolist())) == 50
    rows = resampled_rows(101, "bootstrap", rng)
    assert len(rows) == 101 > len(set(rows.tolist()))
    assert set(rows.tolist()) <= set(range(101))
    assert resampled_rows(1, "half", rng).tolist() == [0]


def test_edges_of_most_replicates_make_the_averaged_graph():
    chain = Graph(NODES, undirected=[("a", "b"), ("b", "c")])
    collider = Graph(NODES, [("a", "b"), ("c", "b")], [("c", "d")])
    strengths = from_graphs([collider, collider, collider, chain])
    assert strengths.threshold == 0.0
    assert strengths.graph() == Graph(NODES, [("a", "b"), ("c", "b")], [("c", "d")])
    assert strengths.graph(0.8) == Graph(NODES, [("a", "b"), ("c", "b")])
    assert strengths.of("c", "d") == (0.75, 0.5)
    assert strengths.of("d", "a")[0] == 0.0
    assert strengths.of("b", "a") == (1.0, pytest.approx(0.125))
    with pytest.raises(ValueError, match="no node 'e'"):
        strengths.of("a", "e")
    undecided = from_graphs([collider, chain, chain, chain])
    assert undecided.graph() == Graph(NODES, undirected=[("a", "b"), ("b", "c")])


def test_the_averaged_graph_never_has_a_cycle():
    ring = [("a", "b"), ("b", "c"), ("c", "d"), ("d", "a")]
    graphs = [Graph(NODES, [arrow for arrow in ring if arrow != left]) for left in ring]
    averaged = from_graphs(graphs).graph()
    assert averaged.is_cpdag
    assert averaged.n_edges == 4


@settings(max_examples=50)
@given(st.integers(0, 10_000))
def test_any_counts_give_a_valid_cpdag(seed):
    rng = np.random.default_rng(seed)
    pairs = np.array([(a, b) for a in range(5) for b in range(a + 1, 5)])
    counts = rng.multinomial(20, rng.dirichlet([0.5] * 4), len(pairs))[:, :3]
    found = counts.sum(axis=1) > 0
    strengths = EdgeStrengths(tuple("abcde"), 20, pairs[found], counts[found])
    graph = strengths.graph()
    assert graph.is_cpdag
    assert graph.n_edges == (strengths.strength > strengths.threshold).sum()


def test_no_edges_at_all():
    strengths = from_graphs([Graph(["a", "b"]), Graph(["a", "b"])])
    assert strengths.graph() == Graph(["a", "b"])
    assert strengths.to_frame().empty
    assert "0 edges in 2 replicates" in str(strengths)


def test_columns_missing_in_all_rows_of_a_replicate_are_left_out():
    data = pd.DataFrame({"a": ["x", "y"] * 20, "b": ["p"] + [None] * 39})
    seen = []

    def learn(table, seed):
        seen.append(table.names)
        return Graph(table.names)

    edge_strengths(Table.from_data(data), learn, n=8, resample="half", random_state=0, n_jobs=None)
    assert set(seen) == {("a",), ("a", "b")}


@pytest.mark.parametrize(
    ("arguments", "message"),
    [({"n": 0}, "at least 1; got 0"), ({"resample": "rows"}, r"'half', 'bootstrap'\); got 'rows'")],
)
def test_wrong_arguments_are_refused(arguments, message):
    learner = PC().fit(load_network("asia").sample(100, random_state=0))
    with pytest.raises(ValueError, match=message):
        learner.bootstrap(**arguments)


def test_learners_bootstrap_alike_for_any_number_of_threads():
    data = load_network("asia").sample(1000, random_state=0)
    learner = TsetlinSieve(random_state=3).fit(data)
    one = learner.bootstrap(8)
    calls = []
    two = learner.bootstrap(8, n_jobs=2, progress=lambda done, n: calls.append((done, n)))
    assert calls == [(k, 8) for k in range(1, 9)]
    pd.testing.assert_frame_equal(one.to_frame(), two.to_frame())
    assert learner.strengths_ is two
    assert one.of("smoke", "bronc")[0] == 1.0
    assert learner.bootstrap(8, random_state=4).to_frame().shape[1] == 4
    learner.fit(data)
    assert learner.strengths_ is None


def test_learners_without_a_seed_bootstrap_too(capsys):
    learner = PC().fit(load_network("asia").sample(1000, random_state=0))
    one, two = (learner.bootstrap(5, random_state=1, progress=True) for _ in range(2))
    pd.testing.assert_frame_equal(one.to_frame(), two.to_frame())
    heard = capsys.readouterr()
    assert heard.out == ""
    assert [line[:8] for line in heard.err.splitlines()] == ["done in "] * 2
    assert "smoke -> " in str(one) or "-> smoke" in str(one)


@pytest.mark.parametrize("method", ["search", "tests"])
def test_what_the_data_leave_open_is_never_certain(method):
    rng = np.random.default_rng(0)
    cause = rng.integers(0, 3, 600)
    effect = np.where(rng.random(600) < 0.7, cause, rng.integers(0, 3, 600))
    frame = pd.DataFrame({"a": cause, "b": cause, "effect": effect})
    found = TsetlinSieve(method=method, random_state=0).fit(frame).bootstrap(40)
    first, second = (found.of(copy, "effect")[0] for copy in "ab")
    assert found.of("a", "b")[0] == 1.0
    assert first + second == 1.0
    assert 0.2 < first < 0.8  # of 40 throws of a coin, 8 to 32: all but once in 10,000
