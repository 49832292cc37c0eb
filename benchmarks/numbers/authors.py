"""The continuous variant of the paper's authors, made again in small; beside ours on ecoli70.

``python -m benchmarks numbers authors`` runs it. Each column becomes a target of a Tsetlin
regressor (Abeyrathna et al., 2020) over thermometer bits of the others: is it above its quantiles?
A column counts by the clauses that hold one of its bits. Candidates are cut off at the largest
proportional drop of these counts; two at least and ten at most are kept. Fisher's z at 0.01, given
sets of up to three other candidates, decides on edges; colliders and Meek's rules on directions.
"""

import argparse
from collections.abc import Sequence
from itertools import chain, combinations

import numpy as np
from numpy.typing import NDArray
from scipy.stats import norm
from threadpoolctl import threadpool_limits

from benchmarks.common.clock import timed
from benchmarks.common.shuffled import shuffled
from benchmarks.numbers import published
from bnsieve import Graph, TsetlinSieve
from bnsieve.decide import IndependenceTest, TestOutcome
from bnsieve.metrics import compare
from bnsieve.search import Skeleton, orient

Floats = NDArray[np.float64]
Bits = NDArray[np.bool_]

N_BITS = 4
N_CLAUSES, THRESHOLD, SPECIFICITY, EPOCHS = 40, 10, 5.0, 5
N_STATES = 100
# The last is ours: counts end in a tail of ones, and the drop from one to nothing is the largest.
AT_LEAST, AT_MOST = 2, 10
MAX_GIVEN, ALPHA = 3, 0.01


def thermometer(values: Floats) -> Bits:
    """Return for each row whether it lies above each of a few quantiles; shape (n, N_BITS)."""
    places = np.quantile(values, np.arange(1, N_BITS + 1) / (N_BITS + 1))
    found: Bits = values[:, np.newaxis] > places
    return found


def clauses_of_a_regressor(bits: Bits, target: Floats, rng: np.random.Generator) -> Bits:
    """Train a Tsetlin regressor; return which literals each clause includes.

    Literals are the bits and then their negations. The prediction is the number of clauses that
    fire, up to a threshold, on the scale of the target. Where it is too low, clauses get feedback
    of type I, where it is too high of type II, in proportion to the error.
    """
    literals = np.hstack([bits, ~bits])
    scaled = (target - target.min()) / max(float(np.ptp(target)), 1e-12) * THRESHOLD
    states = rng.integers(N_STATES, N_STATES + 2, (N_CLAUSES, literals.shape[1]))
    included: Bits = states > N_STATES
    for _ in range(EPOCHS):
        for row in rng.permutation(len(bits)):
            true = literals[row]
            fires = ~(included & ~true).any(axis=1)
            error = scaled[row] - min(int(fires.sum()), THRESHOLD)
            chosen = np.flatnonzero(rng.random(N_CLAUSES) < (error / THRESHOLD) ** 2)
            if error > 0:
                changed = states[chosen] + _type_one(fires[chosen], true, rng)
            else:
                changed = states[chosen] + (fires[chosen, np.newaxis] & ~true)
            states[chosen] = np.clip(changed, 1, 2 * N_STATES)
            included[chosen] = states[chosen] > N_STATES
    return included


def _type_one(fires: Bits, true: Bits, rng: np.random.Generator) -> NDArray[np.int64]:
    """Return steps of feedback of type I: what is true is remembered, all else slowly forgotten."""
    drawn = rng.random((len(fires), len(true)))
    remembered = fires[:, np.newaxis] & true
    return np.where(remembered, drawn < 1 - 1 / SPECIFICITY, -1 * (drawn < 1 / SPECIFICITY))


def candidates_of(counts: NDArray[np.int64]) -> list[int]:
    """Return the columns before the largest proportional drop, strongest first."""
    order = np.argsort(-counts, kind="stable")
    ranked = counts[order][: AT_MOST + 1].astype(np.float64)
    ratios = ranked[AT_LEAST:] / np.maximum(ranked[AT_LEAST - 1 : -1], 1e-12)
    n_kept = AT_LEAST + int(np.argmin(ratios))
    return [int(v) for v in order[:n_kept] if counts[v] > 0]


class FisherZ(IndependenceTest):
    """Partial correlation."""

    def __init__(self, values: Floats) -> None:
        super().__init__(ALPHA)
        self._correlations: Floats = np.atleast_2d(np.corrcoef(values, rowvar=False))
        self._n_rows = len(values)

    def outcome(self, x: int, y: int, given: tuple[int, ...]) -> TestOutcome:
        """Test by Fisher's transform."""
        chosen = [x, y, *given]
        inverse = np.linalg.pinv(self._correlations[np.ix_(chosen, chosen)])
        partial = -inverse[0, 1] / np.sqrt(inverse[0, 0] * inverse[1, 1])
        z = np.sqrt(self._n_rows - len(given) - 3) * np.arctanh(
            np.clip(partial, -1 + 1e-12, 1 - 1e-12)
        )
        return TestOutcome(float(z), 1.0, float(2 * norm.sf(abs(z))), "fisher z", self._n_rows)


def learn(values: Floats, names: Sequence[str], seed: int) -> Graph:
    """Return the class that the variant finds."""
    n_columns = values.shape[1]
    bits = [thermometer(values[:, v]) for v in range(n_columns)]
    near: list[set[int]] = [set() for _ in range(n_columns)]
    for target in range(n_columns):
        others = [v for v in range(n_columns) if v != target]
        rng = np.random.default_rng([seed, target])
        seen = np.hstack([bits[v] for v in others])
        included = clauses_of_a_regressor(seen, values[:, target], rng)
        by_column = included.reshape(N_CLAUSES, 2, len(others), N_BITS).any(axis=(1, 3))
        for k in candidates_of(by_column.sum(axis=0)):
            near[target].add(others[k])
            near[others[k]].add(target)
    test = FisherZ(values)
    edges, separating = [], {}
    for x, y in sorted({(min(t, v), max(t, v)) for t in range(n_columns) for v in near[t]}):
        pools = [sorted(near[one] - {x, y}) for one in (x, y)]
        sets = chain.from_iterable(
            combinations(pool, size) for size in range(MAX_GIVEN + 1) for pool in pools
        )
        apart = next((s for s in sets if test.test(x, y, s).independent), None)
        if apart is None:
            edges.append((x, y))
        else:
            separating[x, y] = apart
    skeleton = Skeleton(n_columns, tuple(edges), separating, test.n_tests)
    arrows = orient(skeleton, test, rule="first").arrows
    return Graph(list(names), [(names[u], names[v]) for u, v in arrows]).to_cpdag()


def main(arguments: list[str] | None = None) -> None:
    """Print F1, distance and seconds of the variant and of ours on the same samples."""
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks numbers authors", description=(__doc__ or "").partition("\n")[0]
    )
    parser.add_argument("--network", choices=published.NAMES, default="ecoli70")
    parser.add_argument("--rows", nargs="+", type=int, default=(500, 2_000))
    parser.add_argument("--seeds", nargs="+", type=int, default=(100, 101, 102))
    asked = parser.parse_args(arguments)
    for rows in asked.rows:
        for seed in asked.seeds:
            frame, arrows = published.sample(asked.network, rows, seed)
            renamed = shuffled(frame, seed)
            data, truth = renamed.data, Graph(frame.columns.tolist(), arrows)
            with threadpool_limits(1), timed() as theirs:
                variant = learn(data.to_numpy(), [str(one) for one in data.columns], seed)
            with threadpool_limits(1), timed() as own:
                ours = TsetlinSieve(random_state=0).fit(data).graph_
            for name, graph, spent in (("variant", variant, theirs), ("ours", ours, own)):
                found = compare(truth, renamed.restore(graph))
                figures = f"F1 {found.f1:.3f} SHD {found.shd} {spent.processor_seconds:.1f} s"
                print(f"{asked.network} {rows} rows, seed {seed}, {name}: {figures}", flush=True)
