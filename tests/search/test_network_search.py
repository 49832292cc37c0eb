"""Candidates that a network found suggests, and what all rows are counted with."""

import numpy as np

from bnsieve.counts import TableRows
from bnsieve.decide import CountScorer, Score
from bnsieve.knowledge import Constraints
from bnsieve.search import ScoredDag, SearchSettings
from bnsieve.search.network_search import candidates_to_count, extend_candidates
from bnsieve.table import Table


def test_all_rows_are_counted_with_weak_parents_before_descendants():
    # weak -> target -> child -> eight copies of it with noise; the network lacks the first arrow.
    rng = np.random.default_rng(0)
    weak = rng.integers(0, 2, 20_000)
    target = rng.random(20_000) < 0.5 + 0.03 * weak
    child = np.where(rng.random(20_000) < 0.1, ~target, target)
    noisy = [np.where(rng.random(20_000) < 0.1, ~child, child) for _ in range(8)]
    table = Table.from_data(np.array([weak, target, child, *noisy], dtype=np.int64).T)
    parents = ((), (), (1,), *((2,) for _ in noisy))
    network = ScoredDag(parents, 0.0, tuple(range(11)))
    candidates = tuple(tuple(v for v in range(11) if v != own) for own in range(11))
    scorer = CountScorer(table, Score(), Constraints.none(11), source=TableRows(table))
    chosen = candidates_to_count(scorer.informative(), candidates, network, 3, map)
    assert chosen[1][:2] == (2, 0)  # the child, which is joined to it, and the weak parent
    assert all(2 in own for own in chosen[3:])
    assert all(len(own) == 3 for own in chosen)


def test_a_child_brings_its_other_parents_as_candidates():
    # Of two independent causes neither adds to the other. But if the arrow to their common effect
    # is to turn, the other cause must be able to follow it.
    rng = np.random.default_rng(0)
    causes = rng.integers(2, size=(2, 500))
    table = Table.from_data(np.array([*causes, causes.sum(axis=0)]).T)
    network = ScoredDag(((), (), (0, 1)), 0.0, (0, 1, 2))
    scorer = CountScorer(table, Score("bdeu", (1.0,)), Constraints.none(3))
    candidates = extend_candidates(((), (), ()), network, scorer, SearchSettings(), map)
    assert 1 in candidates[0]
    assert 0 in candidates[1]
