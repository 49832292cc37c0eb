"""Other programs' graphs of columns of numbers and categories: a frame in, a graph out.

Each program has an environment of its own. bnlearn is not among them: its runs are in
``peers.csv``.
"""

import json
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pandas as pd

from benchmarks.common.environments import python_of, with_bnsieve
from benchmarks.common.limited import limited
from benchmarks.common.peer_learners import TETRAD, TOOLS
from bnsieve import Graph

WORKER = Path(__file__).with_name("peer_worker.py")


@dataclass(frozen=True)
class Program:
    """A learner of another program.

    Attributes
    ----------
    tool : str
        One of `TOOLS`.
    settings : mapping of str to str
    takes_categories : bool
    """

    tool: str
    settings: Mapping[str, str]
    takes_categories: bool = True


PROGRAMS = {
    "Tetrad BOSS, degenerate": Program("tetrad", {"score": "degenerate", "penalty": "1"}),
    "Tetrad BOSS, degenerate, penalty 2": Program(
        "tetrad", {"score": "degenerate", "penalty": "2"}
    ),
    "Tetrad BOSS, basis": Program("tetrad", {"score": "basis", "penalty": "1"}),
    "Tetrad BOSS, basis, penalty 2": Program("tetrad", {"score": "basis", "penalty": "2"}),
    "causal-learn PC": Program("causallearn", {"alpha": "0.01"}, takes_categories=False),
}


def learned_by(
    program: Program, frame: pd.DataFrame, cache: Path, limit: int
) -> tuple[Graph, float]:
    """Return a program's graph, and its seconds of the processor without loading.

    Raises
    ------
    TimeoutError
        After `limit` seconds of the processor.
    ValueError
        If the program takes no categories and there are some.
    """
    names = frame.columns.tolist()
    is_number = [pd.api.types.is_numeric_dtype(frame[name]) for name in names]
    if not program.takes_categories and not all(is_number):
        raise ValueError("it takes no categories")
    values, n_categories = [], []
    for name, number in zip(names, is_number, strict=True):
        column = frame[name] if number else pd.factorize(frame[name], sort=True)[0]
        values.append(np.asarray(column, dtype=np.float64))
        n_categories.append(0 if number else frame[name].nunique())
    needed = TETRAD if program.tool == "tetrad" else with_bnsieve(TOOLS[program.tool])
    python = python_of(TOOLS[program.tool], needed, cache)
    with tempfile.TemporaryDirectory() as folder:
        data, job = Path(folder, "data.npz"), Path(folder, "job.json")
        np.savez(data, values=np.column_stack(values), n_categories=n_categories)
        asked = {"data": str(data), "tool": program.tool, "settings": dict(program.settings)}
        job.write_text(json.dumps(asked))
        printed = limited([str(python), str(WORKER), str(job)], limit)
    found = json.loads(next(line for line in printed.splitlines() if line.startswith("{")))
    arrows, edges = ([(names[a], names[b]) for a, b in found[kind]] for kind in ("arrows", "edges"))
    return Graph(names, arrows, edges), found["seconds"]
