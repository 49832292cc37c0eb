"""The sieve as an estimator: exact where data suffice, and at home in awkward data."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import bnsieve
from bnsieve.decide import DSeparationOracle
from bnsieve.learners import TsetlinSieve
from bnsieve.search import verify_edges
from strategies import dags


@pytest.fixture(scope="module")
def alarm():
    truth = bnsieve.load_network("alarm")
    return truth, truth.sample(5000, random_state=0)


@pytest.mark.parametrize(("name", "n_rows"), [("cancer", 100_000), ("sachs", 20_000)])
def test_finds_the_equivalence_class_of_a_small_network(name, n_rows):
    truth = bnsieve.load_network(name)
    found = TsetlinSieve(random_state=0).fit(truth.sample(n_rows, random_state=1))
    assert found.graph_ == truth.graph.to_cpdag()


def test_finds_nearly_all_of_alarm(alarm):
    """The best of 45 configurations of other tools has F1 0.962, another a CPDAG SHD of 4.7."""
    truth, data = alarm
    learner = TsetlinSieve(random_state=0).fit(data)
    result = bnsieve.metrics.compare(truth, learner.graph_)
    assert result.f1 > 0.93
    assert result.shd < 12
    assert learner.dag_.skeleton() == learner.graph_.skeleton()
    assert set(learner.graph_.directed_edges) <= set(learner.dag_.to_cpdag().directed_edges)
    assert learner.fit_result_.n_tests == 0
    stages = ["reading", "table", "association", "sieve", "search", "directions", "families"]
    assert set(learner.timings_) == {*stages, "effects"}


def test_finds_nearly_all_of_alarm_by_tests(alarm):
    """The best of the paper's five algorithms needs 5,549 tests for F1 0.93; a fifth is asked."""
    truth, data = alarm
    learner = TsetlinSieve(method="tests", random_state=0).fit(data)
    assert bnsieve.metrics.compare(truth, learner.graph_).f1 > 0.9
    assert len(learner.dag_.directed_edges) <= learner.fit_result_.n_tests < 5549 / 5


@pytest.mark.parametrize("method", ["search", "tests"])
def test_result_depends_on_neither_column_order_nor_threads(alarm, method):
    _, data = alarm
    rows = data.iloc[:800]
    plain = TsetlinSieve(method=method, random_state=1).fit(rows)
    shuffled = rows[np.random.default_rng(0).permutation(rows.columns)]
    other = TsetlinSieve(method=method, random_state=1, n_jobs=2).fit(shuffled)
    assert plain.graph_ == other.graph_
    assert plain.candidates_ == other.candidates_
    assert plain.fit_result_.n_tests == other.fit_result_.n_tests


def test_finds_pure_interactions():
    """No pair of an exclusive or is dependent: only the machine can name its candidates."""
    rng = np.random.default_rng(0)
    codes = rng.integers(2, size=(5000, 24))
    for child in range(0, 24, 4):
        noise = rng.random(5000) < 0.1
        codes[:, child] = codes[:, child + 1] ^ codes[:, child + 2] ^ noise
    learner = TsetlinSieve(random_state=0).fit(codes)
    names = learner.feature_names_in_
    triples = [{names[c], names[c + 1], names[c + 2]} for c in range(0, 24, 4)]
    found = [frozenset(edge) for edge in learner.graph_.skeleton().undirected_edges]
    for triple in triples:
        assert sum(edge <= triple for edge in found) >= 2
    assert all(any(edge <= triple for triple in triples) for edge in found)


def test_copies_are_joined_to_their_original_only(alarm):
    _, data = alarm
    rows = data.iloc[:1000]
    plain = TsetlinSieve(random_state=0).fit(rows)
    copy = rows.assign(zz_copy=rows["HR"].map({v: f"code {v}" for v in rows["HR"].unique()}))
    found = TsetlinSieve(random_state=0).fit(copy)
    assert found.duplicates_ == {"zz_copy": "HR"}
    assert set(found.graph_.adjacent("zz_copy")) == {"HR"}
    assert (
        len(found.graph_.skeleton().undirected_edges)
        == len(plain.graph_.skeleton().undirected_edges) + 1
    )


@pytest.mark.parametrize("method", ["search", "tests"])
def test_constant_columns_and_missing_cells_are_no_obstacle(alarm, method):
    _, data = alarm
    rows = data.iloc[:800].astype(object)
    rows.loc[rows.index[:80], "HR"] = None
    rows["same"] = "yes"
    learner = TsetlinSieve(method=method, random_state=1).fit(rows)
    assert learner.constant_features_ == ("same",)
    assert not learner.graph_.adjacent("same")
    assert learner.graph_.adjacent("HR")


@pytest.mark.parametrize("method", ["search", "tests"])
@pytest.mark.parametrize("n_columns", [1, 2])
def test_one_or_two_columns(method, n_columns):
    column = np.random.default_rng(0).integers(3, size=100)
    data = pd.DataFrame({"a": column, "b": (column + 1) // 2}).iloc[:, :n_columns]
    learner = TsetlinSieve(method=method, random_state=0).fit(data)
    assert len(learner.graph_.skeleton().undirected_edges) == n_columns - 1


def test_names_an_unknown_method():
    with pytest.raises(ValueError, match="method must be"):
        TsetlinSieve(method="guess").fit(np.eye(2, dtype=int))


@given(dags(max_nodes=7), st.data())
def test_true_arrows_stand_tests_and_others_fall(dag, data):
    """With an oracle, from any parents that come before in an order: exactly the true ones stay."""
    order = dag.topological_order()
    numbers = {name: i for i, name in enumerate(dag.nodes)}
    parents = [[] for _ in order]
    for place, name in enumerate(order):
        true = set(dag.parents(name))
        extra = [u for u in order[:place] if u not in true and data.draw(st.booleans())]
        chosen = data.draw(st.permutations([*true, *extra]))
        parents[numbers[name]] = [numbers[u] for u in chosen]
    found = verify_edges(DSeparationOracle(dag), parents, None, map)
    assert set(found.directed_edges) == {(numbers[a], numbers[b]) for a, b in dag.directed_edges}
    assert len(found.separating_sets) == sum(map(len, parents)) - len(found.directed_edges)
    for (x, y), given_variables in found.separating_sets.items():
        assert dag.d_separated(dag.nodes[x], dag.nodes[y], [dag.nodes[v] for v in given_variables])


@pytest.mark.parametrize("method", ["search", "tests"])
@pytest.mark.parametrize(
    ("n_states", "n_rows"), [(2, 1_000), (10, 500), (20, 1_000), (50, 500), (50, 2_000)]
)
def test_noise_gives_hardly_an_edge(method, n_states, n_rows):
    """Independent columns of even states; chance may join one pair in few rows."""
    rng = np.random.default_rng(n_states)
    data = rng.integers(n_states, size=(n_rows, 15))
    learner = TsetlinSieve(method=method, random_state=0).fit(data)
    assert len(learner.graph_.skeleton().undirected_edges) <= (1 if n_rows < 1_000 else 0)


def test_noise_beside_a_network_stays_alone():
    truth = bnsieve.load_network("asia")
    data = truth.sample(3_000, random_state=0)
    rng = np.random.default_rng(1)
    noise = {f"noise {i}": rng.integers(2 + 6 * i, size=3_000) for i in range(8)}
    found = TsetlinSieve(random_state=0).fit(data.assign(**noise))
    alone = TsetlinSieve(random_state=0).fit(data)
    assert not any(
        "noise" in name for edge in found.graph_.skeleton().undirected_edges for name in edge
    )
    assert found.graph_.skeleton().undirected_edges == alone.graph_.skeleton().undirected_edges
