"""The dynamic program against all DAGs of four variables, all orders of six; what it is given."""

import itertools
from functools import cache

import numpy as np
import pytest

from benchmarks.optimum.exact import Sets, best_network
from benchmarks.optimum.scored import Task
from bnsieve import Graph, TsetlinSieve, load_network

Parents = tuple[int, ...]


@cache
def all_dags(n: int) -> list[Parents]:
    """Return every DAG, as one mask of parents per variable."""
    choices = [[mask for mask in range(2**n) if not mask >> v & 1] for v in range(n)]
    return [masks for masks in itertools.product(*choices) if acyclic(masks)]


def acyclic(masks: Parents) -> bool:
    rest = set(range(len(masks)))
    while rest:
        free = {v for v in rest if not any(masks[v] >> u & 1 for u in rest)}
        if not free:
            return False
        rest -= free
    return True


def random_sets(n: int, rng: np.random.Generator, share: float) -> list[Sets]:
    """Return scored sets: the empty one, and of the others a share, with scores drawn at random."""
    sets = []
    for v in range(n):
        others = [mask for mask in range(1, 2**n) if not mask >> v & 1]
        masks = [0, *(mask for mask in others if rng.random() < share)]
        sets.append(Sets(np.array(masks, dtype=np.int64), rng.normal(size=len(masks))))
    return sets


def best_of_all(sets: list[Sets]) -> float:
    known = [dict(zip(one.masks.tolist(), one.scores.tolist(), strict=True)) for one in sets]
    return max(
        sum(own.get(mask, -np.inf) for own, mask in zip(known, masks, strict=True))
        for masks in all_dags(len(sets))
    )


def test_there_are_as_many_dags_as_robinson_counted():
    assert [len(all_dags(n)) for n in (1, 2, 3, 4)] == [1, 3, 25, 543]


@pytest.mark.parametrize("share", [1.0, 0.5])
@pytest.mark.parametrize("seed", range(10))
def test_the_best_of_all_dags_of_four_variables_is_found(seed, share):
    sets = random_sets(4, np.random.default_rng(seed), share)
    found = best_network(sets)
    assert found.score == pytest.approx(best_of_all(sets), abs=1e-12)
    masks = tuple(sum(1 << u for u in parents) for parents in found.parents)
    assert acyclic(masks)
    scores = [
        float(one.scores[one.masks == mask][0]) for one, mask in zip(sets, masks, strict=True)
    ]
    assert sum(scores) == pytest.approx(found.score, abs=1e-12)


def best_in_order(sets: list[Sets], order: Parents) -> float:
    total, before = 0.0, 0
    for v in order:
        total += float(sets[v].scores[(sets[v].masks & ~before) == 0].max())
        before |= 1 << v
    return total


def test_the_best_of_all_orders_of_six_variables_is_found():
    sets = random_sets(6, np.random.default_rng(0), 0.4)
    best = max(best_in_order(sets, order) for order in itertools.permutations(range(6)))
    assert best_network(sets).score == pytest.approx(best, abs=1e-12)


def test_too_many_variables_are_refused():
    empty = Sets(np.zeros(1, dtype=np.int64), np.zeros(1))
    with pytest.raises(ValueError, match="at most 24"):
        best_network([empty] * 25)


@pytest.fixture(scope="module")
def learner() -> TsetlinSieve:
    """Fit asia with a constant column and a copy of another under other labels."""
    data = load_network("asia").sample(500, random_state=1)
    data["constant"] = "same"
    data["second"] = data["smoke"].map({"yes": "smokes", "no": "does not"})
    return TsetlinSieve(random_state=0).fit(data)


def test_constants_and_copies_take_no_part(learner):
    task = Task.of(learner)
    assert "constant" not in task.table.names
    assert len({"smoke", "second"} & set(task.table.names)) == 1
    assert task.n_variables == 8


def test_the_families_add_up_to_no_more_than_the_search_found(learner):
    # Directions are decided after the search, by another score.
    assert Task.of(learner).own_score() <= learner.score_ + 1e-6


def test_the_optimum_is_the_best_over_all_dags_of_four_columns():
    data = load_network("asia").sample(300, random_state=3)[["smoke", "lung", "bronc", "dysp"]]
    task = Task.of(TsetlinSieve(random_state=0).fit(data))
    assert task.n_variables == 4
    names = task.table.names

    def score(masks: Parents) -> float:
        parents = tuple(tuple(u for u in range(4) if mask >> u & 1) for mask in masks)
        return Task(task.table, task.score, task.max_parents, parents).own_score()

    assert task.complete_size() == 3
    best = best_network([task.sets(v, 3) for v in range(4)])
    assert best.score == pytest.approx(max(score(masks) for masks in all_dags(4)), abs=1e-8)
    arrows = [(names[u], names[v]) for v, parents in enumerate(best.parents) for u in parents]
    assert Graph(names, directed=arrows).is_dag
