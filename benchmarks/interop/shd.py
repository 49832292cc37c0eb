"""Compare the CPDAG distance of `bnsieve.metrics.compare` with causal-learn's on random DAGs.

    python -m benchmarks interop shd CACHE_DIR [--pairs 500] [--fixture FILE]

causal-learn is installed into a virtual environment of its own under CACHE_DIR and reused from
there. With ``--fixture``, the first hundred pairs and the peer's answers are written to FILE: the
test suite checks them without the peer. Exits with 1 if any answer differs.
"""

import argparse
import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.common.environments import python_of, with_bnsieve
from bnsieve import Graph, metrics

PEER = "causal-learn"
PEER_SCRIPT = Path(__file__).with_name("shd_worker.py")
N_IN_FIXTURE = 100


def random_dag(n_nodes: int, density: float, rng: np.random.Generator) -> set[tuple[int, int]]:
    order = rng.permutation(n_nodes)
    present = np.argwhere(np.triu(rng.random((n_nodes, n_nodes)) < density, k=1))
    return {(int(order[a]), int(order[b])) for a, b in present}


def disturbed(
    edges: set[tuple[int, int]], n_nodes: int, rng: np.random.Generator
) -> set[tuple[int, int]]:
    """Remove, reverse and add a few edges, leaving out whatever would close a cycle."""
    names = [str(i) for i in range(n_nodes)]
    for _ in range(rng.integers(0, 6)):
        a, b = (int(i) for i in rng.choice(n_nodes, size=2, replace=False))
        changed = edges - {(a, b), (b, a)}
        if rng.random() < 0.7:
            changed = changed | {(a, b)}
        try:
            Graph.from_index_edges(names, sorted(changed))
        except ValueError:
            continue
        edges = changed
    return edges


def random_pairs(n_pairs: int, seed: int) -> list[dict[str, Any]]:
    """Draw pairs of 2 to 15 nodes: one half unrelated, one half a few changes apart."""
    rng = np.random.default_rng(seed)
    pairs = []
    for i in range(n_pairs):
        n_nodes = int(rng.integers(2, 16))
        density = rng.choice([0.1, 0.2, 0.4, 0.7])
        truth = random_dag(n_nodes, density, rng)
        learned = random_dag(n_nodes, density, rng) if i % 2 else disturbed(truth, n_nodes, rng)
        pairs.append({"n_nodes": n_nodes, "learned": sorted(learned), "truth": sorted(truth)})
    return pairs


def peer_answers(pairs: list[dict[str, Any]], cache: Path) -> dict[str, Any]:
    command = [str(python_of(PEER, with_bnsieve(PEER), cache)), str(PEER_SCRIPT)]
    done = subprocess.run(
        command, input=json.dumps(pairs), capture_output=True, text=True, check=False
    )
    if done.returncode:
        raise SystemExit(f"{PEER} failed:\n{done.stderr}")
    answers: dict[str, Any] = json.loads(done.stdout)
    return answers


def our_answer(pair: dict[str, Any]) -> int:
    names = [str(i) for i in range(pair["n_nodes"])]
    learned = Graph.from_index_edges(names, pair["learned"])
    truth = Graph.from_index_edges(names, pair["truth"])
    return metrics.compare(truth, learned).shd


def main(arguments: list[str] | None = None) -> None:
    """Print what agrees and what does not; end with exit code 1 if anything is unexpected."""
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks interop shd", description=(__doc__ or "").partition("\n")[0]
    )
    parser.add_argument("cache", type=Path, help="where the peer's environment is kept")
    parser.add_argument("--pairs", type=int, default=500)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--fixture", type=Path)
    options = parser.parse_args(arguments)
    pairs = random_pairs(options.pairs, options.seed)
    answers = peer_answers(pairs, options.cache)
    ours = [our_answer(pair) for pair in pairs]
    differing = [i for i, own in enumerate(ours) if own != answers["cpdag_shd"][i]]
    n_zero = ours.count(0)
    print(
        f"{answers['tool']} {answers['version']}: {len(pairs) - len(differing)} of {len(pairs)} "
        f"pairs agree (SHD {min(ours)} to {max(ours)}, {n_zero} equivalent pairs)"
    )
    for i in differing[:5]:
        print(f"differs: {pairs[i]} bnsieve {ours[i]} peer {answers['cpdag_shd'][i]}")
    if options.fixture:
        rows = [
            json.dumps({**pair, "cpdag_shd": shd})
            for pair, shd in zip(pairs[:N_IN_FIXTURE], answers["cpdag_shd"], strict=False)
        ]
        head = json.dumps({"tool": answers["tool"], "version": answers["version"]})
        listing = ",\n  ".join(rows)
        options.fixture.write_text(f'{head[:-1]}, "pairs": [\n  {listing}\n]}}\n', encoding="utf-8")
    if differing:
        sys.exit(1)


if __name__ == "__main__":
    main()
