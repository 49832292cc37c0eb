"""Knowledge in every learner: never violated, always a valid graph, and work that it spares."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.base import clone

import bnsieve
from bnsieve import Graph, Knowledge, TsetlinSieve
from bnsieve.decide import DSeparationOracle
from bnsieve.explain import EdgeStrengths
from bnsieve.search import fsmb_pc, hiton_pc, known_class, orient, pair_rule, pc_skeleton
from knowledge_cases import LEARNERS, check_random_fits, faults, random_case, spared
from strategies import dags

every_learner = pytest.mark.parametrize("learner", LEARNERS, ids=str)


@pytest.mark.parametrize("block", range(4))
def test_random_fits_are_valid_and_honour_random_knowledge(block):
    found = list(check_random_fits(range(10 * block, 10 * block + 10)))
    assert [case for case in found if case[2]] == []


@st.composite
def true_knowledge(draw, dag):
    """Knowledge that holds for a DAG: some of its arrows, some arrows that it lacks."""
    absent = [
        (a, b)
        for a in dag.nodes
        for b in dag.nodes
        if a != b and (a, b) not in set(dag.directed_edges)
    ]
    arrows = dag.directed_edges
    required = draw(st.lists(st.sampled_from(arrows), unique=True)) if arrows else []
    forbidden = draw(st.lists(st.sampled_from(absent), unique=True)) if absent else []
    order = dag.topological_order()
    cut = draw(st.integers(0, len(order)))
    return Knowledge(required, forbidden, tiers=[order[:cut], order[cut:]])


@given(dags(max_nodes=6), st.data())
@settings(max_examples=60)
def test_with_the_oracle_true_knowledge_gives_the_exact_graph(dag, data):
    knowledge = data.draw(true_knowledge(dag))
    constraints = knowledge.resolve(dag.nodes)
    expected = known_class(dag, constraints)
    n = dag.n_nodes
    everyone = [
        [v for v in range(n) if constraints.adjacency_allowed[v, t] and v != t] for t in range(n)
    ]
    searches = [
        lambda test: pc_skeleton(test, n, max_conditioning=None, constraints=constraints),
        lambda test: pc_skeleton(
            test, n, variant="original", max_conditioning=None, constraints=constraints
        ),
        lambda test: hiton_pc(test, n, max_conditioning=None, constraints=constraints),
        lambda test: fsmb_pc(test, n, max_conditioning=None, constraints=constraints),
        lambda test: pair_rule(test, everyone, constraints),
    ]
    for search in searches:
        oracle = DSeparationOracle(dag)
        skeleton = search(oracle)
        asked = {(x, y) for x, y, _ in oracle.results}
        assert not asked & constraints.required_pairs
        assert all(constraints.adjacency_allowed[pair] for pair in asked)
        orientation = orient(
            skeleton,
            oracle,
            max_conditioning=None,
            max_conditioning_apart=None,
            constraints=constraints,
        )
        assert orientation.conflicts == orientation.discarded == ()
        found = Graph.from_index_edges(dag.nodes, orientation.directed_edges)
        assert known_class(found, constraints) == expected


@given(dags(max_nodes=5), st.data())
@settings(max_examples=60)
def test_the_known_class_is_what_all_lawful_equivalent_dags_share(dag, data):
    """By brute force: every DAG of the class is looked at."""
    constraints = data.draw(true_knowledge(dag)).resolve(dag.nodes)
    graph = known_class(dag, constraints)
    number = {name: i for i, name in enumerate(dag.nodes)}
    lines = dag.to_cpdag().undirected_edges
    members = []
    for ways in range(1 << len(lines)):
        arrows = [e if ways >> i & 1 else e[::-1] for i, e in enumerate(lines)]
        if any(not constraints.allowed[number[a], number[b]] for a, b in arrows):
            continue
        try:
            member = Graph(dag.nodes, [*dag.to_cpdag().directed_edges, *arrows])
        except ValueError:  # a cycle
            continue
        if member.to_cpdag() == dag.to_cpdag():
            members.append(set(member.directed_edges))
    assert set(graph.directed_edges) == set.intersection(*members)
    assert graph.is_maximally_oriented


def graph(nodes, directed=(), undirected=()):
    """A graph whose nodes are letters, and its edges two letters each."""
    return Graph(list(nodes), map(tuple, directed), map(tuple, undirected))


@every_learner
def test_true_knowledge_directs_what_data_cannot(learner):
    """In a chain nothing can be directed by data; one arrow decides them all."""
    rng = np.random.default_rng(0)
    columns = {"a": rng.integers(0, 3, 3000)}
    for parent, child in ["ab", "bc", "cd"]:
        noise = rng.random(3000) < 0.3
        columns[child] = np.where(noise, rng.integers(0, 3, 3000), columns[parent])
    data = pd.DataFrame(columns)
    plain = clone(learner).fit(data)
    assert plain.graph_ == graph("abcd", undirected=["ab", "bc", "cd"])
    told = clone(learner).set_params(knowledge=Knowledge(required=[("a", "b")])).fit(data)
    assert told.graph_ == graph("abcd", directed=["ab", "bc", "cd"])
    tiers = Knowledge(tiers=[["d"], ["a", "b", "c"]])
    tiered = clone(learner).set_params(knowledge=tiers).fit(data)
    assert tiered.graph_ == graph("abcd", directed=["dc", "cb", "ba"])
    assert faults(tiered, tiers) == []


@every_learner
def test_knowledge_against_the_data_wins(learner):
    rng = np.random.default_rng(0)
    a, b = rng.integers(0, 2, (2, 1000))
    data = pd.DataFrame({"a": a, "b": b, "c": np.where(rng.random(1000) < 0.1, b, a), "k": "same"})
    knowledge = Knowledge(required=[("b", "k"), ("k", "a")], forbidden=[{"a", "c"}])
    fitted = clone(learner).set_params(knowledge=knowledge).fit(data)
    assert faults(fitted, knowledge) == []
    assert fitted.constant_features_ == ("k",)
    assert set(fitted.graph_.directed_edges) >= {("b", "k"), ("k", "a")}
    # b -> k -> a leaves no arrow from a to b, though k says nothing and is in no test.
    assert not fitted.graph_.has_edge("a", "b")


@every_learner
def test_all_columns_constant(learner):
    data = pd.DataFrame({"a": ["x"] * 5, "b": ["y"] * 5, "c": ["z"] * 5})
    fitted = clone(learner).set_params(knowledge=Knowledge(required=[("b", "a")])).fit(data)
    assert fitted.graph_ == graph("abc", directed=["ba"])


@every_learner
def test_forced_directions_that_close_a_cycle_drop_the_weakest_edge(learner):
    """Knowledge leaves a -> b, b -> c and c -> a, but all three cannot be."""
    rng = np.random.default_rng(1)
    a = rng.integers(0, 4, 4000)
    b = np.where(rng.random(4000) < 0.2, rng.integers(0, 4, 4000), a)
    c = np.where(rng.random(4000) < 0.3, rng.integers(0, 4, 4000), (a + b) % 4)
    knowledge = Knowledge(forbidden=[("b", "a"), ("c", "b"), ("a", "c")])
    data = pd.DataFrame({"a": a, "b": b, "c": c})
    fitted = clone(learner).set_params(knowledge=knowledge).fit(data)
    assert faults(fitted, knowledge) == []
    assert fitted.graph_.n_edges == 2
    # A search over orders never closes a cycle in the first place.
    n_discarded = 0 if isinstance(learner, TsetlinSieve) else 1
    assert len(fitted.fit_result_.discarded_edges) == n_discarded


@pytest.fixture(scope="module")
def copied():
    rng = np.random.default_rng(0)
    x = rng.integers(0, 3, 2000)
    y = np.where(rng.random(2000) < 0.2, rng.integers(0, 3, 2000), x)
    return pd.DataFrame({"code": x, "label": pd.Series(x).map({0: "p", 1: "q", 2: "r"}), "y": y})


@pytest.mark.parametrize("method", ["search", "tests"])
@pytest.mark.parametrize(
    ("given", "copies", "joined"),
    [
        ({}, {"label": "code"}, True),
        ({"forbidden": [("code", "label")]}, {"code": "label"}, True),
        ({"tiers": [["label"], ["code"]]}, {"code": "label"}, True),
        ({"required": [("code", "label")]}, {"label": "code"}, True),
        ({"forbidden": [{"code", "label"}]}, {"label": "code"}, False),
        ({"required": [("label", "y")]}, {"code": "label"}, True),
        ({"required": [("label", "y"), ("code", "y")]}, {}, None),
    ],
)
def test_copies(copied, method, given, copies, joined):
    knowledge = Knowledge(**given)
    fitted = TsetlinSieve(method=method, knowledge=knowledge, random_state=0).fit(copied)
    assert faults(fitted, knowledge) == []
    assert fitted.duplicates_ == copies
    if joined is not None:
        assert ("code" in fitted.graph_.adjacent("label")) == joined
        stand_in = next(iter(copies.values()))
        assert "y" in fitted.graph_.adjacent(stand_in)


def test_knowledge_must_be_knowledge():
    with pytest.raises(TypeError, match=r"must be a bnsieve\.Knowledge or None, not dict"):
        bnsieve.PC(knowledge={"required": []}).fit(pd.DataFrame({"a": [0, 1], "b": [0, 1]}))
    with pytest.raises(ValueError, match="the knowledge names 'z'"):
        bnsieve.PC(knowledge=Knowledge(no_parents=["z"])).fit(pd.DataFrame({"a": [0, 1]}))


@every_learner
def test_knowledge_that_says_nothing_changes_nothing(learner):
    data = bnsieve.load_network("asia").sample(500, random_state=0)
    plain = clone(learner).fit(data)
    told = clone(learner).set_params(knowledge=Knowledge()).fit(data)
    assert told.graph_ == plain.graph_
    assert told.fit_result_.n_tests == plain.fit_result_.n_tests


def test_forbidding_half_of_the_pairs_spares_in_proportion():
    for found in spared("hepar2", 1000, 0):
        # TsetlinSieve tests what its search found, a few times per arrow, and spares in the search.
        spent = [found.parent_sets] if found.parent_sets[0] else [found.tests]
        for without, told in spent:
            assert 0 < told <= 0.6 * without, found.learner


@pytest.mark.parametrize("seed", range(6))
def test_the_averaged_graph_honours_knowledge_too(seed):
    data, knowledge = random_case(seed)
    learner = TsetlinSieve(method="tests", knowledge=knowledge, random_state=0).fit(data)
    averaged = learner.bootstrap(n=6).graph(threshold=0.2)
    number = {name: i for i, name in enumerate(averaged.nodes)}
    allowed = knowledge.resolve(averaged.nodes).allowed
    ways = [*averaged.edges, *((b, a) for a, b in averaged.undirected_edges)]
    assert all(allowed[number[a], number[b]] for a, b in ways)
    assert set(knowledge.required) <= set(averaged.directed_edges)
    assert averaged.is_maximally_oriented


def test_the_averaged_graph_drops_a_forced_edge_that_closes_a_cycle():
    pairs = np.array([[0, 1], [0, 2], [1, 2]])
    counts = np.array([[10, 0, 0], [0, 8, 0], [9, 0, 0]])  # 0 -> 1 -> 2 -> 0
    knowledge = Knowledge(forbidden=[("b", "a"), ("c", "b"), ("a", "c")])
    strengths = EdgeStrengths(("a", "b", "c"), 10, pairs, counts, knowledge)
    assert strengths.graph(0.5) == graph("abc", directed=["ab", "bc"])


def test_explanations_name_knowledge():
    rng = np.random.default_rng(0)
    a = rng.integers(0, 2, 500)
    data = pd.DataFrame({"a": a, "b": np.where(rng.random(500) < 0.1, 1 - a, a), "k": "same"})
    data["c"] = np.where(rng.random(500) < 0.2, 1 - a, a)
    knowledge = Knowledge(required=[("k", "a"), ("b", "c")], forbidden=[{"a", "c"}])
    learner = TsetlinSieve(knowledge=knowledge, random_state=0).fit(data)
    assert learner.explain("c", "b").reason == "required"
    assert learner.explain("k", "a").reason == "required"
    assert learner.explain("k", "b").reason == "constant"
    apart = learner.explain("a", "c")
    assert apart.reason == "forbidden"
    assert apart.edge == ""
    # The machine of either did not see the other.
    assert apart.rules == ()
    assert learner.explain("a", "b").rules
