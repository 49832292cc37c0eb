"""Directions against all DAGs of the same edges; equivalent graphs alike."""

import itertools
import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bnsieve import Graph, TsetlinSieve, _native, load_network
from bnsieve.counts import count
from bnsieve.decide import CountScorer, Score, score_family
from bnsieve.decide.scorers import SIZES
from bnsieve.knowledge import Constraints
from bnsieve.search.directions import decide_directions
from bnsieve.search.orientation import CONFIRMED_MARGIN
from bnsieve.table import Table


def random_dag(n_variables, n_edges, rng):
    """Parents of every variable, in some order of theirs."""
    order = rng.permutation(n_variables)
    pairs = list(itertools.combinations(order.tolist(), 2))
    chosen = rng.choice(len(pairs), size=min(n_edges, len(pairs)), replace=False)
    parents = [[] for _ in range(n_variables)]
    for i in chosen:
        u, v = pairs[i]
        parents[v].append(u)
    return parents


def sample_of(parents, n_rows, rng):
    """Rows of a network with these parents and random tables of two or three categories."""
    categories = rng.integers(2, 4, size=len(parents))
    codes = np.zeros((len(parents), n_rows), dtype=np.int64)
    done = set()
    while len(done) < len(parents):
        for v, own in enumerate(parents):
            if v in done or not done.issuperset(own):
                continue
            shape = [categories[u] for u in own]
            tables = rng.dirichlet(np.full(categories[v], 0.5), size=shape)
            shares = tables[tuple(codes[u] for u in own)].cumsum(axis=-1)
            codes[v] = (rng.random(n_rows)[:, None] > shares[..., :-1]).sum(axis=-1)
            done.add(v)
    return Table.from_data(codes.T)


def total(table, parents, score):
    return sum(score_family(count(table, (v, *own)), own, score) for v, own in enumerate(parents))


def orientations(parents):
    """All DAGs with the same edges, as parents of every variable."""
    edges = [(u, v) for v, own in enumerate(parents) for u in own]
    for turned in itertools.product([False, True], repeat=len(edges)):
        arrows = [(v, u) if turn else (u, v) for (u, v), turn in zip(edges, turned, strict=True)]
        new = [[] for _ in parents]
        for u, v in arrows:
            new[v].append(u)
        try:
            graph = Graph(range(len(parents)), directed=arrows)
        except (TypeError, ValueError):
            try:
                graph = Graph(
                    [str(v) for v in range(len(parents))],
                    directed=[(str(u), str(v)) for u, v in arrows],
                )
            except ValueError:
                continue
        yield new, graph


def decided(table, parents, constraints=None):
    known = constraints or Constraints.none(len(parents))
    return decide_directions(
        CountScorer(table, Score(), known), parents, map, max_parents=8, seed=0
    )


@settings(max_examples=20, deadline=None)
@given(st.integers(2, 6), st.integers(1, 7), st.integers(0, 10**6))
def test_equivalent_graphs_score_alike(n_variables, n_edges, seed):
    rng = np.random.default_rng(seed)
    parents = random_dag(n_variables, n_edges, rng)
    table = sample_of(parents, 200, rng)
    score = Score("bdeu", (float(rng.choice(SIZES)),), observed=False)
    by_class = {}
    for own, graph in orientations(parents):
        by_class.setdefault(graph.to_cpdag(), []).append(total(table, own, score))
    for totals in by_class.values():
        assert totals == pytest.approx([totals[0]] * len(totals), abs=1e-9, rel=1e-12)


@settings(max_examples=20, deadline=None)
@given(st.integers(2, 5), st.integers(1, 7), st.integers(0, 10**6))
def test_directions_improve_on_those_given_and_margins_are_what_turning_costs(
    n_variables, n_edges, seed
):
    rng = np.random.default_rng(seed)
    parents = random_dag(n_variables, n_edges, rng)
    table = sample_of(parents, 300, rng)
    # Started from directions that are not those of the data.
    start = random_dag(n_variables, 0, rng)
    order = rng.permutation(n_variables).tolist()
    for v, own in enumerate(parents):
        for u in own:
            first, last = sorted((u, v), key=order.index)
            start[last].append(first)
    found = decided(table, start)
    every = [(own, total(table, own, found.score)) for own, _ in orientations(parents)]
    own = total(table, found.parents, found.score)
    assert own >= total(table, start, found.score) - 1e-6
    if own < max(value for _, value in every) - 1e-6:  # the best of all was seen, and refused
        best = max(every, key=lambda item: item[1])[0]
        second = Score("qnml")
        assert total(table, best, second) <= total(table, found.parents, second) + 1e-6
    assert {frozenset(arrow) for arrow in found.margins} == {
        frozenset((u, v)) for v, own in enumerate(parents) for u in own
    }
    for (tail, head), margin in found.margins.items():
        turned = max(value for other, value in every if head in other[tail])
        assert margin == pytest.approx(max(0.0, own - turned), abs=1e-6)


def test_the_sample_size_is_the_one_that_makes_the_network_most_probable():
    rng = np.random.default_rng(3)
    parents = random_dag(5, 6, rng)
    table = sample_of(parents, 2_000, rng)
    found = decided(table, parents)
    totals = [total(table, parents, Score("bdeu", (size,), observed=False)) for size in SIZES]
    assert found.score.equivalent_sample_sizes == (SIZES[int(np.argmax(totals))],)


def test_an_arrow_that_knowledge_requires_cannot_be_turned():
    rng = np.random.default_rng(0)
    cause, effect = rng.integers(2, size=(2, 500))
    effect = np.where(rng.random(500) < 0.9, cause, effect)
    table = Table.from_data(np.array([cause, effect]).T)
    free = decided(table, [[], [0]])
    assert free.margins == {next(iter(free.margins)): pytest.approx(0.0, abs=1e-9)}
    allowed = np.ones((2, 2), dtype=bool)
    bound = decided(table, [[], [0]], Constraints.of(allowed, [(0, 1)]))
    assert bound.margins == {(0, 1): math.inf}
    allowed[1, 0] = False
    assert decided(table, [[], [0]], Constraints.of(allowed, [])).margins == {(0, 1): math.inf}


def test_in_the_graph_an_arrow_for_which_little_speaks_is_a_line():
    """A collider in few rows is found but not believed; in many rows it is."""
    truth = load_network("asia")
    few = TsetlinSieve(random_state=0).fit(truth.sample(300, random_state=5))
    for arrow in few.dag_.to_cpdag().directed_edges:
        assert (arrow in few.graph_.directed_edges) == (
            few.direction_margins_[arrow] >= CONFIRMED_MARGIN
        )
    many = TsetlinSieve(random_state=0).fit(truth.sample(50_000, random_state=5))
    assert set(many.graph_.directed_edges) <= set(truth.graph.to_cpdag().directed_edges)
    assert many.graph_.directed_edges


def test_directions_between_copies_are_open():
    rng = np.random.default_rng(1)
    a, b = rng.integers(2, size=(2, 4_000))
    c = np.where(rng.random(4_000) < 0.9, a ^ b, a | b)
    learner = TsetlinSieve(random_state=0).fit(np.array([a, b, c, 1 - c]).T)
    copy, original = next(iter(learner.duplicates_.items()))
    assert learner.direction_margins_[original, copy] == 0
    assert {(original, copy), (copy, original)} & set(learner.graph_.undirected_edges)


def test_what_turning_cannot_cost(monkeypatch):
    """No margin is below zero; one above half of all there is to explain costs an edge."""
    rng = np.random.default_rng(2)
    a, b = rng.integers(2, size=(2, 900))
    c = np.where(rng.random(900) < 0.9, a & b, 1 - (a & b))
    table = Table.from_data(np.array([a, b, c]).T)
    parents = [[], [], [0, 1]]
    found = decided(table, parents)
    assert found.parents == ((), (), (0, 1))
    assert all(0 < margin < math.inf for margin in found.margins.values())
    alone = [score_family(count(table, (v,)), (), found.score) for v in range(3)]
    half = (1 - sum(alone)) / 2
    for fall, margin in ((-0.4, 0.0), (0.25, 0.25), (half - 1, half - 1), (half + 1, math.inf)):
        monkeypatch.setattr(
            _native, "falls_if_turned", lambda *given, fall=fall: np.full(len(given[-3]), fall)
        )
        assert decided(table, parents).margins == {(0, 2): margin, (1, 2): margin}
