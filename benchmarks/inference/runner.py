"""Our answers and pyAgrum's to the same questions, in turn: how far apart, and what each took.

In: the name of a network. Out: the figures of one run. pyAgrum runs in an environment of its own
and gets networks as arrays, since its files round probabilities to 32 bits.
"""

import subprocess
import tempfile
import tracemalloc
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from benchmarks.common.clock import timed
from benchmarks.common.limited import limited
from bnsieve import BayesianNetwork, load_network
from bnsieve.network import TooLargeError

WORKER = Path(__file__).with_name("pyagrum_worker.py")
N_SETS = 5
KNOWN_SHARE = 0.2
MISSING_SHARE = 0.3
# Link and munin1 need more than the default.
MAX_BYTES = 4 << 30
PEER_SECONDS = 600
LIKELIHOOD_ROWS = 100
# Repeated for at least so long, so that the processor's clock can tell.
SECONDS = 0.5


@dataclass(frozen=True)
class Job:
    """One network in one repetition."""

    label: str
    network: str
    repetition: int


def again(network: BayesianNetwork) -> BayesianNetwork:
    """Return a network that has not been asked anything yet."""
    parents = {name: network.parents(name) for name in network.graph.nodes}
    return BayesianNetwork(network.graph, network.states, network.tables, parents)


def codes_of(network: BayesianNetwork, rows: pd.DataFrame, share: float, seed: int) -> Any:
    """Return positions of labels, shape (n_rows, n_variables), -1 where made unknown."""
    hidden = np.random.default_rng(seed).random(rows.shape) < share
    codes = np.column_stack([rows[name].cat.codes for name in network.graph.nodes])
    return np.where(hidden, -1, codes).astype(np.int32)


def saved(network: BayesianNetwork, path: Path, **asked: Any) -> Path:
    """Write a network by numbers, and what is asked."""
    nodes = network.graph.nodes
    place = {name: i for i, name in enumerate(nodes)}
    arrays: dict[str, Any] = {"n_states": np.array([len(network.states[name]) for name in nodes])}
    for v, name in enumerate(nodes):
        table = network.tables[name]
        arrays[f"parents{v}"] = np.array([place[p] for p in network.parents(name)], dtype=np.int64)
        arrays[f"table{v}"] = table / table.sum(axis=-1, keepdims=True)
    np.savez(path, **arrays, **asked)
    return path


def peer(python: Path | None, what: str, path: Path, *rest: str, seconds: int) -> dict[str, Any]:
    """Ask pyAgrum; why not, if it does not answer."""
    if python is None:
        return {"why": "not asked"}
    output = path.with_name(f"{what}.npz")
    try:
        limited([str(python), str(WORKER), what, str(path), str(output), *rest], seconds)
    except TimeoutError:
        return {"why": f"over {seconds} s"}
    except RuntimeError as error:
        return {"why": str(error)[:60]}
    with np.load(output) as file:
        return dict(file)


def margins_run(job: Job, python: Path | None) -> dict[str, object]:
    """All margins: time and memory without evidence, distance from pyAgrum's with and without."""
    network = load_network(job.network)
    rows = network.sample(N_SETS, random_state=job.repetition)
    none = np.full((1, network.graph.n_nodes), -1, dtype=np.int32)
    sets = np.vstack([none, codes_of(network, rows, 1 - KNOWN_SHARE, job.repetition)])
    try:
        network.marginals(max_bytes=0)
    except TooLargeError as error:
        plan, cells = error.n_bytes, error.n_cells
    repeats, spent = 0, 0.0
    while not repeats or spent < SECONDS:
        fresh = again(network)
        with timed() as ours:
            answers = fresh.marginals(max_bytes=MAX_BYTES)
        spent += ours.processor_seconds
        repeats += 1
    fresh, best_seconds, best_log = again(network), float("nan"), float("nan")
    try:
        with timed() as best:
            best_log = fresh.most_probable(max_bytes=MAX_BYTES)[0].log_probability
        best_seconds = best.processor_seconds
    except TooLargeError:
        pass
    tracemalloc.start()
    network.marginals(max_bytes=max(plan, 1))
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    with tempfile.TemporaryDirectory() as folder:
        path = saved(network, Path(folder) / "network.npz", evidence=sets)
        theirs = peer(python, "margins", path, seconds=PEER_SECONDS)
    away = float("nan")
    if "why" not in theirs:
        distances = []
        for number, codes in enumerate(sets):
            if number:
                given = labels_of(network, codes)
                answers = network.marginals(given, max_bytes=MAX_BYTES)
            own = np.concatenate([answer.probabilities for answer in answers.values()])
            distances.append(float(np.abs(own - theirs[f"margins{number}"]).max()))
        away = max(distances)
    return {
        "largest_clique": cells,
        "seconds": spent / repeats,
        "pyagrum_seconds": float(theirs.get("seconds", float("nan"))),
        "distance": f"{away:.1e}",
        "planned_mb": plan / 2**20,
        "peak_mb": peak / 2**20,
        "explanation_seconds": best_seconds,
        "log_probability": best_log,
        "pyagrum": theirs.get("why", ""),
    }


def labels_of(network: BayesianNetwork, codes: NDArray[np.int32]) -> dict[str, Any]:
    """Return known codes as labels."""
    return {
        name: network.states[name][code]
        for name, code in zip(network.graph.nodes, codes.tolist(), strict=True)
        if code >= 0
    }


def rows_run(job: Job, python: Path | None, n_rows: int, seconds: float) -> dict[str, object]:
    """Rows with gaps, one target: rows per second, and the distance from pyAgrum's answers."""
    network = load_network(job.network)
    nodes = network.graph.nodes
    target = int(np.random.default_rng(job.repetition).integers(len(nodes)))
    rows = network.sample(n_rows, random_state=job.repetition)
    codes = codes_of(network, rows, MISSING_SHARE, job.repetition)
    codes[:, target] = -1
    columns = {
        name: pd.Categorical.from_codes(codes[:, v], categories=rows[name].cat.categories)
        for v, name in enumerate(nodes)
    }
    frame = pd.DataFrame(columns)
    fresh = again(network)
    with timed() as ours:
        proba = fresh.predict_proba(frame, nodes[target], max_bytes=MAX_BYTES).to_numpy()
    with timed() as likelihood:
        fresh.log_likelihood(frame.head(LIKELIHOOD_ROWS), max_bytes=MAX_BYTES)
    with tempfile.TemporaryDirectory() as folder:
        path = saved(network, Path(folder) / "network.npz", rows=codes, target=target)
        theirs = peer(python, "rows", path, str(seconds), seconds=PEER_SECONDS)
    asked = len(theirs["margins"]) if "margins" in theirs else 0
    away = float(np.abs(theirs["margins"] - proba[:asked]).max()) if asked else float("nan")
    return {
        "target": nodes[target],
        "rows_per_second": n_rows / ours.processor_seconds,
        "pyagrum_rows_per_second": asked / float(theirs["seconds"]) if asked else float("nan"),
        "pyagrum_rows": asked,
        "distance": f"{away:.1e}",
        "likelihood_rows_per_second": min(LIKELIHOOD_ROWS, n_rows) / likelihood.processor_seconds,
        "pyagrum": theirs.get("why", ""),
    }


def refusal_run(job: Job) -> dict[str, object]:
    """Tell what the default setting refuses, how soon, and how many single questions it answers."""
    network = load_network(job.network)
    with timed() as spent:
        try:
            network.marginals()
            said = ""
        except TooLargeError as error:
            said = str(error)
    answered, longest = 0, 0.0
    for name in network.graph.nodes:
        with timed() as single:
            try:
                network.query(name)
                answered += 1
            except TooLargeError:
                pass
        longest = max(longest, single.processor_seconds)
    return {
        "seconds": spent.processor_seconds,
        "singles_answered": answered,
        "singles": len(network.graph.nodes),
        "longest_single": longest,
        "said": said,
    }


def pyagrum_version(python: Path) -> str:
    """Return the version of pyAgrum in an environment."""
    command = [str(python), "-c", "import pyagrum; print(pyagrum.__version__)"]
    return subprocess.check_output(command, text=True).strip()
