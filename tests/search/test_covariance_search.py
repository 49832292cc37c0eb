"""The search over orders, told the true covariance: an oracle."""

import numpy as np
import pytest

from bnsieve import Graph
from bnsieve.counts import Covariance
from bnsieve.decide import CovarianceScorer, Score, pair_excess
from bnsieve.engine import Timings
from bnsieve.knowledge import Constraints
from bnsieve.search import SearchSettings, decide_directions, search_network

ROWS = 1e9


def random_network(rng: np.random.Generator, p: int) -> tuple[np.ndarray, Covariance]:
    """Return the weights of a linear Gaussian network (child, parent), and its covariance."""
    order = rng.permutation(p)
    weights = np.zeros((p, p))
    pairs = [(i, j) for j in range(p) for i in range(j)]
    for k in rng.permutation(len(pairs))[: round(1.5 * p)]:
        i, j = pairs[k]
        weights[order[j], order[i]] = rng.uniform(0.5, 1) * rng.choice([-1, 1])
    effects = np.linalg.inv(np.eye(p) - weights)
    return weights, correlation(effects @ effects.T, np.ones(p, dtype=int))


def correlation(matrix: np.ndarray, sizes: np.ndarray) -> Covariance:
    deviation = np.sqrt(np.diag(matrix))
    first = np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)
    return Covariance(matrix / deviation / deviation[:, np.newaxis], first, ROWS)


def scorer_of(covariance: Covariance, parent_cost: float = 0.0) -> CovarianceScorer:
    score = Score("bic", parent_cost=parent_cost)
    return CovarianceScorer(covariance, score, Constraints.none(covariance.n_variables))


def learned(covariance: Covariance) -> list[tuple[int, ...]]:
    p = covariance.n_variables
    everything = tuple(tuple(u for u in range(p) if u != v) for v in range(p))
    scorer = scorer_of(covariance, float(np.log(p)))
    found = search_network(scorer, everything, SearchSettings(budget=24), 0, map, Timings())
    return list(found.network.parents)


def class_of(parents) -> Graph:
    names = [str(v) for v in range(len(parents))]
    arrows = [(str(u), str(v)) for v, own in enumerate(parents) for u in own]
    return Graph(names, arrows).to_cpdag()


@pytest.mark.parametrize("seed", range(25))
def test_the_class_of_a_linear_gaussian_network_is_recovered(seed):
    rng = np.random.default_rng(seed)
    weights, covariance = random_network(rng, int(rng.integers(3, 13)))
    truth = [tuple(np.flatnonzero(row).tolist()) for row in weights]
    assert class_of(learned(covariance)) == class_of(truth)


def test_the_class_of_a_conditional_gaussian_network_is_recovered():
    """Variable a of three states -> x <- y, x -> z, all from the exact covariance of indicators."""
    shares = np.array([0.5, 0.3, 0.2])
    effects = np.array([-1.0, 0.5, 1.5])
    indicators = np.diag(shares) - np.outer(shares, shares)
    a = indicators[:2, :2]  # the last level needs no indicator
    with_x = (indicators @ effects)[:2]
    var_x = effects @ indicators @ effects + 0.8**2 + 1.0
    matrix = np.zeros((5, 5))
    matrix[:2, :2] = a
    matrix[:2, 2] = matrix[2, :2] = with_x
    matrix[2, 2], matrix[3, 3] = var_x, 1.0
    matrix[2, 3] = matrix[3, 2] = 0.8
    matrix[4, :4] = matrix[:4, 4] = 0.7 * matrix[2, :4]
    matrix[4, 4] = 0.49 * var_x + 1.0
    covariance = correlation(matrix, np.array([2, 1, 1, 1]))
    assert class_of(learned(covariance)) == class_of([(), (0, 2), (), (1,)])


def test_margins_are_infinite_or_zero_as_the_class_says():
    weights = np.zeros((4, 4))
    weights[2, 0] = weights[2, 1] = weights[3, 2] = 0.8  # 0 -> 2 <- 1, 2 -> 3
    effects = np.linalg.inv(np.eye(4) - weights)
    covariance = correlation(effects @ effects.T, np.ones(4, dtype=int))
    given = [(), (), (0, 1), (2,)]
    found = decide_directions(scorer_of(covariance), given, map, max_parents=8, seed=0)
    assert found.parents == ((), (), (0, 1), (2,))
    assert min(found.margins.values()) > 1000
    three = np.ix_([0, 2, 3], [0, 2, 3])
    scorer = scorer_of(Covariance(covariance.matrix[three], np.arange(4), covariance.n_rows))
    chain = decide_directions(scorer, [(), (0,), (1,)], map, max_parents=8, seed=0)
    assert set(chain.margins.values()) == {0.0}


def test_association_of_pairs_is_the_likelihood_ratio_less_its_mean():
    r = 0.3
    covariance = Covariance(np.array([[1, r], [r, 1.0]]), np.arange(3), 100.0)
    expected = -100 * np.log(1 - r**2) - 1
    np.testing.assert_allclose(pair_excess(covariance), [[0, expected], [expected, 0]])
