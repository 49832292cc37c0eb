"""One hash of what every learner finds: unchanged as long as no result is.

``python -m benchmarks fingerprint`` prints a line for each part and the hash of all of them;
``--quick`` takes small networks, ``--rows`` and ``--networks`` choose others. Two versions of the
code that print the same hash have learned the same graphs, with the same scores, candidates,
importances, strengths and counts, to the last bit. Where they do not, the parts say where to look.
"""

import argparse
import hashlib
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, Literal

import numpy as np
import pandas as pd

import bnsieve as bn
from benchmarks.common.parts import run_part
from benchmarks.common.stored_rows import rows_stay_in_files
from benchmarks.fingerprint.values import encoded
from bnsieve.explain import EdgeStrengths

NETWORKS = (
    "asia",
    "cancer",
    "sachs",
    "child",
    "insurance",
    "water",
    "mildew",
    "alarm",
    "barley",
    "hailfinder",
    "hepar2",
    "win95pts",
)
QUICK_NETWORKS = ("asia", "sachs", "child")
# On these also everything that is asked of one network only: files, strengths, missing cells, ...
FEW = ("asia", "child", "alarm")
SEED = 7

Part = Callable[[bn.BayesianNetwork, pd.DataFrame, int], Any]


def found_by(learner: Any) -> dict[str, Any]:
    """Return what a fitted learner has found, as far as it has such a thing."""
    result = learner.fit_result_
    found = {
        "graph": result.graph,
        "dag": result.dag,
        "network": _network(learner),
        "separating sets": result.separating_sets,
        "tests": [result.n_tests, result.n_orientation_tests],
        "conflicts": set(result.conflicts),
        "discarded": set(result.discarded_edges),
    }
    if result.sieve is None:
        return found
    found["candidates_"] = result.sieve.candidates
    if isinstance(learner, bn.TsetlinSieve):
        found["copies_"] = result.sieve.duplicates
        found["score_"] = result.sieve.score
        found["sieve_recall_"] = result.sieve.recall
        found["trimmed_"] = result.sieve.trimmed
    names, matrix = result.sieve.machines.names, result.sieve.machines.importance
    found["importances"] = {
        target: dict(zip(names, row, strict=True))
        for target, row in zip(names, matrix, strict=True)
    }
    return found


def _network(learner: Any) -> bn.BayesianNetwork | None:
    """Return the probability tables, which say how often each label occurs with each parent's.

    None where a variable has so many parents that its table is refused.
    """
    try:
        network: bn.BayesianNetwork = learner.network_
    except ValueError:
        return None
    return network


def _plain(make: Callable[[int], Any]) -> Part:
    return lambda network, data, n_jobs: found_by(make(n_jobs).fit(data))


def counts_of(strengths: EdgeStrengths) -> dict[tuple[str, str], list[int]]:
    """Return how many replicates have each arrow: there, back, or without a direction.

    Counts rather than shares: a share of one way is 1 less that of the other, which rounds.
    """
    counts = {}
    for (a, b), (there, back, undirected) in zip(strengths.pairs, strengths.counts, strict=True):
        x, y = strengths.nodes[a], strengths.nodes[b]
        counts[min(x, y), max(x, y)] = [*((there, back) if x < y else (back, there)), undirected]
    return counts


def _strengths(network: bn.BayesianNetwork, data: pd.DataFrame, n_jobs: int) -> list[Any]:
    learner = bn.TsetlinSieve(random_state=SEED, n_jobs=n_jobs).fit(data)
    strengths = learner.bootstrap(10)
    changes = {(one.tail, one.head): one.gain for one in learner.edge_gains()}
    return [counts_of(strengths), strengths.graph(), changes]


def _files(network: bn.BayesianNetwork, data: pd.DataFrame, n_jobs: int) -> list[Any]:
    """Learn from Parquet files of more rows than the sample has, then from one file more."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    with tempfile.TemporaryDirectory() as folder:
        paths = [Path(folder, f"{i}.parquet") for i in range(4)]
        step = -(-len(data) // len(paths))
        for i, path in enumerate(paths):
            rows = pa.Table.from_pandas(data[i * step : (i + 1) * step], preserve_index=False)
            pq.write_table(rows, path, row_group_size=max(1, step // 2))
        learner = bn.TsetlinSieve(random_state=SEED, n_jobs=n_jobs, sample_rows=len(data) // 2)
        with rows_stay_in_files():
            first = encoded(found_by(learner.fit(paths[:3])))
            learner.update(paths[3])
        drift: Any = learner.drift_
        return [first, found_by(learner), drift.n_rows, drift.moved, drift.missed]


def _missing(way: Literal["em", "testwise", "category"]) -> Part:
    def learn(network: bn.BayesianNetwork, data: pd.DataFrame, n_jobs: int) -> dict[str, Any]:
        gone = {
            name: np.random.default_rng([SEED, i]).random(len(data)) < 0.1
            for i, name in enumerate(network.graph.nodes)
        }
        frame = data.mask(pd.DataFrame(gone)[list(data.columns)])
        return found_by(bn.TsetlinSieve(missing=way, random_state=SEED, n_jobs=n_jobs).fit(frame))

    return learn


def _known(network: bn.BayesianNetwork, data: pd.DataFrame, n_jobs: int) -> dict[str, Any]:
    """Require every fifth arrow of the truth, forbid every fifth other."""
    arrows = sorted(network.graph.directed_edges)
    knowledge = bn.Knowledge(required=arrows[::5], forbidden=arrows[1::5])
    learner = bn.TsetlinSieve(knowledge=knowledge, random_state=SEED, n_jobs=n_jobs)
    return found_by(learner.fit(data))


def _numbers(network: bn.BayesianNetwork, data: pd.DataFrame, n_jobs: int) -> dict[str, Any]:
    """Give every column the numbers of its labels, with noise, so that all of them are cut."""
    noisy = {
        name: data[name].cat.codes + np.random.default_rng([SEED, i]).normal(0, 0.2, len(data))
        for i, name in enumerate(network.graph.nodes)
    }
    frame = pd.DataFrame(noisy)[list(data.columns)]
    learner = bn.TsetlinSieve(prepare=bn.Discretizer(), random_state=SEED, n_jobs=n_jobs)
    return found_by(learner.fit(frame))


EVERYWHERE: dict[str, Part] = {
    "search": _plain(lambda n_jobs: bn.TsetlinSieve(random_state=SEED, n_jobs=n_jobs)),
    "tests": _plain(
        lambda n_jobs: bn.TsetlinSieve(method="tests", random_state=SEED, n_jobs=n_jobs)
    ),
    "TsetlinPC": _plain(lambda n_jobs: bn.TsetlinPC(random_state=SEED, n_jobs=n_jobs)),
    "PC": _plain(lambda n_jobs: bn.PC(n_jobs=n_jobs)),
    "PC original": _plain(lambda n_jobs: bn.PC(variant="original", n_jobs=n_jobs)),
    "HitonPC": _plain(lambda n_jobs: bn.HitonPC(n_jobs=n_jobs)),
    "FSMBPC": _plain(lambda n_jobs: bn.FSMBPC(n_jobs=n_jobs)),
}
ON_FEW: dict[str, Part] = {
    "strengths": _strengths,
    "files": _files,
    "missing, em": _missing("em"),
    "missing, testwise": _missing("testwise"),
    "missing, level": _missing("category"),
    "knowledge": _known,
    "numbers": _numbers,
}


def parts(
    networks: tuple[str, ...], rows: int, n_jobs: int = 1, *, turned: bool = False
) -> Iterator[tuple[str, str, str]]:
    """Yield the name of each part, the network, and the hash of what was found.

    Parameters
    ----------
    networks : tuple of str
    rows : int
        Of the sample of each network.
    n_jobs : int
        Threads; they change nothing.
    turned : bool
        Whether to give the columns in the opposite order; it changes nothing.
    """
    for name in networks:
        network = bn.load_network(name)
        data = network.sample(rows, random_state=SEED)
        if turned:
            data = data[data.columns[::-1]]
        for part, learn in (EVERYWHERE | (ON_FEW if name in FEW else {})).items():
            yield part, name, hash_of(encoded(learn(network, data, n_jobs)))


def fingerprint(found: list[tuple[str, str, str]]) -> str:
    """Return the hash of all parts."""
    return hash_of(encoded(found))


def hash_of(data: bytes) -> str:
    """Return the hash of bytes, in hexadecimal digits."""
    return hashlib.sha256(data).hexdigest()


def main(arguments: list[str] | None = None) -> None:
    """Print the hash of each part, and of all."""
    if run_part("fingerprint", arguments, ["matrix"]):
        return
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks fingerprint", description=(__doc__ or "").partition("\n")[0]
    )
    parser.add_argument("--networks", nargs="+", metavar="NAME")
    parser.add_argument("--rows", type=int)
    parser.add_argument("--jobs", type=int, default=1, help="threads; the hash is the same")
    parser.add_argument("--quick", action="store_true", help="small networks, few rows")
    options = parser.parse_args(arguments)
    networks = tuple(options.networks or (QUICK_NETWORKS if options.quick else NETWORKS))
    rows = options.rows or (500 if options.quick else 2_000)
    start, found = time.process_time(), []
    for part, network, digest in parts(networks, rows, options.jobs):
        found.append((part, network, digest))
        print(f"{digest[:16]}  {part} on {network}", flush=True)
    print(fingerprint(found))
    print(f"{time.process_time() - start:.0f} s of processor time", file=sys.stderr)


if __name__ == "__main__":
    main()
