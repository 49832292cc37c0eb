"""The search told the true covariance of random networks: it should find the class of each.

``python -m benchmarks numbers oracle`` takes 200 linear Gaussian and 200 conditional ones of 3 to
20 columns. In a conditional network labels come before numbers, and have one parent at most, so
that all is linear in their indicators.
"""

import argparse
from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from bnsieve import Graph
from bnsieve.counts import Covariance
from bnsieve.decide import CovarianceScorer, Score
from bnsieve.engine import Timings
from bnsieve.knowledge import Constraints
from bnsieve.search import SearchSettings, search_network

Floats = NDArray[np.float64]
# So many that no difference is chance.
_ROWS = 1e9


def random_network(
    rng: np.random.Generator, n_labels: int, n_numbers: int
) -> tuple[list[tuple[int, ...]], Covariance]:
    """Return the parents in a random network, and its covariance; columns in any order."""
    p = n_labels + n_numbers
    sizes = np.array([int(rng.integers(1, 4)) for _ in range(n_labels)] + [1] * n_numbers)
    first = np.concatenate([[0], np.cumsum(sizes)])
    blocks = [slice(first[v], first[v + 1]) for v in range(p)]
    parents: list[list[int]] = [[] for _ in range(p)]
    for v in range(1, n_labels):
        if rng.random() < 0.5:
            parents[v] = [int(rng.integers(v))]
    pairs = [(u, v) for v in range(n_labels, p) for u in range(v)]
    for k in rng.permutation(len(pairs))[: round(1.5 * n_numbers)]:
        parents[pairs[k][1]].append(pairs[k][0])
    matrix = np.zeros((first[-1], first[-1]))
    means: dict[int, Floats] = {}
    for v in range(p):
        before = slice(0, first[v])
        weights = np.zeros((sizes[v], first[v]))
        if v < n_labels:
            shares = rng.dirichlet(np.full(sizes[v] + 1, 3.0), _n_states(sizes, parents[v]))
            noise, means[v] = _label(shares, parents[v], blocks, weights, means)
        else:
            for u in parents[v]:
                width = int(sizes[u])
                weights[0, blocks[u]] = rng.uniform(0.5, 1, width) * rng.choice([-1, 1], width)
            noise = np.eye(1)
        own = blocks[v]
        matrix[own, before] = weights @ matrix[before, before]
        matrix[before, own] = matrix[own, before].T
        matrix[own, own] = weights @ matrix[before, before] @ weights.T + noise
    deviations = np.sqrt(np.diag(matrix))
    correlations = matrix / deviations / deviations[:, np.newaxis]
    order = rng.permutation(p)
    place = np.argsort(order)
    turned = [tuple(sorted(int(place[u]) for u in parents[v])) for v in order]
    columns = np.concatenate([np.arange(first[v], first[v + 1]) for v in order])
    starts = np.cumsum([0, *sizes[order]], dtype=np.int64)
    return turned, Covariance(correlations[np.ix_(columns, columns)], starts, _ROWS)


def _n_states(sizes: NDArray[np.int64], parents: list[int]) -> int:
    return int(sizes[parents[0]]) + 1 if parents else 1


def _label(
    shares: Floats,
    parents: list[int],
    blocks: list[slice],
    weights: Floats,
    means: Mapping[int, Floats],
) -> tuple[Floats, Floats]:
    """Fill in how indicators of a label hang on its parent's; return what is left, and the means.

    Parameters
    ----------
    shares : ndarray of float64, shape (states of the parent, states)
    """
    given = shares[:, :-1]  # the last level needs no indicator
    often = np.ones(1)
    if parents:
        of_parent = means[parents[0]]
        often = np.append(of_parent, 1 - of_parent.sum())
        weights[:, blocks[parents[0]]] = (given[:-1] - given[-1]).T
    left = sum(w * (np.diag(one) - np.outer(one, one)) for w, one in zip(often, given, strict=True))
    return np.asarray(left), often @ given


def learned(covariance: Covariance) -> list[tuple[int, ...]]:
    """Return the parents that a search finds with the settings of the learner."""
    p = covariance.n_variables
    score = Score("bic", parent_cost=float(np.log(p)))
    found = search_network(
        CovarianceScorer(covariance, score, Constraints.none(p)),
        tuple(tuple(u for u in range(p) if u != v) for v in range(p)),
        SearchSettings(budget=24),
        0,
        map,
        Timings(),
        sparse_prior=True,
    )
    return list(found.network.parents)


def recovered(seed: int, *, labels: bool) -> bool:
    """Tell whether the class of a random network is found exactly."""
    rng = np.random.default_rng([seed, labels])
    p = int(rng.integers(3, 21))
    parents, covariance = random_network(
        rng, p // 3 if labels else 0, p - (p // 3 if labels else 0)
    )
    return _class_of(learned(covariance)) == _class_of(parents)


def _class_of(parents: list[tuple[int, ...]]) -> Graph:
    names = [str(v) for v in range(len(parents))]
    return Graph(names, [(str(u), str(v)) for v, own in enumerate(parents) for u in own]).to_cpdag()


def main(arguments: list[str] | None = None) -> None:
    """Print how many were found."""
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks numbers oracle", description=(__doc__ or "").partition("\n")[0]
    )
    parser.add_argument("--networks", type=int, default=200)
    asked = parser.parse_args(arguments)
    for kind, labels in (("linear Gaussian", False), ("conditional", True)):
        missed = [seed for seed in range(asked.networks) if not recovered(seed, labels=labels)]
        print(f"{kind}: {asked.networks - len(missed)} of {asked.networks}", *missed, flush=True)
