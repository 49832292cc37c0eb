"""How often a learner finds each edge again in resampled rows.

In: a `FitResult` and what learns a replicate. Out: the same with strengths, and the DAGs of the
replicates. Replicates can be kept in a folder, so that a bootstrap that was ended goes on where it
stood. The name of a file is a hash of all that its graphs depend on: rows, seed, parameters,
version. So a file of other rows is never taken for one of these, and runs can share a folder.
"""

import hashlib
import json
from collections.abc import Callable
from dataclasses import replace
from importlib.metadata import version
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np

from bnsieve.engine import RandomState, inner_stage, watched
from bnsieve.exchange import FormatError, read, write
from bnsieve.explain import EdgeStrengths, Progress, Resample, edge_strengths
from bnsieve.graph import Graph
from bnsieve.knowledge import Knowledge
from bnsieve.learners.fit_result import FitResult
from bnsieve.learners.saving.archive import PLACE
from bnsieve.learners.saving.values import Arrays, encode
from bnsieve.table import Table

Learn = Callable[[Table, int], tuple[Graph, Graph]]


def run_bootstrap(
    result: FitResult,
    learn: Callable[[Table, int], FitResult],
    knowledge: Knowledge | None,
    kept: "KeptReplicates | None",
    *,
    n: int,
    resample: Resample,
    random_state: RandomState,
    n_jobs: int | None,
    progress: bool | Progress,
) -> tuple[FitResult, EdgeStrengths]:
    """Return the result with `strengths` and `replicate_dags`, and the strengths.

    Parameters
    ----------
    result : FitResult
        With its rows.
    learn : callable
        From the rows of a replicate and its seed to what was learned from them.
    knowledge : Knowledge or None
        Behind all of them.
    kept : KeptReplicates or None
    n, resample, random_state, n_jobs, progress
        As for `bnsieve.learners.StructureLearner.bootstrap`.
    """
    dags: dict[int, Graph] = {}

    def graphs(table: Table, seed: int) -> tuple[Graph, Graph]:
        with watched(None):  # replicates have stages of their own, which nobody wants to see
            replicate = learn(table, seed)
        return replicate.graph, replicate.dag

    def graph_of(table: Table, seed: int) -> Graph:
        graph, dags[seed] = kept.graphs(table, seed, graphs) if kept else graphs(table, seed)
        return graph

    def report(n_done: int, n_all: int) -> None:
        tell(1)
        if callable(progress):
            progress(n_done, n_all)

    with inner_stage("bootstrap", n, "replicates") as tell:
        strengths = edge_strengths(
            result.rows,
            graph_of,
            n=n,
            resample=resample,
            random_state=random_state,
            n_jobs=n_jobs,
            progress=report,
        )
    strengths = replace(strengths, knowledge=knowledge)
    # Replicates end in any order; that of their seeds is always the same.
    replicates = tuple(dags[seed] for seed in sorted(dags))
    return replace(result, strengths=strengths, replicate_dags=replicates), strengths


class KeptReplicates:
    """A folder of replicates.

    Parameters
    ----------
    folder : str or path
        Made if it is not there.
    learner : type
        The class that learns.
    parameters : dict
        Its parameters, of which those that say where work runs do not matter.
    parts : tuple
        What the preparation says of columns that are parts of one.
    """

    def __init__(
        self, folder: str | PathLike[str], learner: type, parameters: dict[str, Any], parts: Any
    ) -> None:
        self._folder = Path(folder)
        self._folder.mkdir(parents=True, exist_ok=True)
        own = {name: value for name, value in parameters.items() if name not in PLACE}
        own.pop("random_state", None)  # that of a replicate is its seed
        self._depends_on = (version("bnsieve"), learner.__name__, own, parts)

    def graphs(self, table: Table, seed: int, learn: Learn) -> tuple[Graph, Graph]:
        """Return the graph and the DAG of a replicate, learned if no file holds them.

        Raises
        ------
        FormatError
            If a file is damaged.
        """
        name = self._name(table, seed)
        paths = [self._folder / f"{name}.{kind}.json" for kind in ("dag", "graph")]
        # Each is written whole or not at all, and a file that was removed is learned again.
        if all(path.exists() for path in paths):
            dag, graph = (_read(path) for path in paths)
            return graph, dag
        graph, dag = learn(table, seed)
        for path, one in zip(paths, (dag, graph), strict=True):
            write(one, path)
        return graph, dag

    def _name(self, table: Table, seed: int) -> str:
        arrays: Arrays = []
        values = encode((*self._depends_on, seed, table), "a replicate", arrays)
        hashed = hashlib.sha256(json.dumps(values, sort_keys=True).encode())
        for array in arrays:
            hashed.update(np.ascontiguousarray(array).tobytes())
        return f"replicate-{hashed.hexdigest()[:32]}"


def _read(path: Path) -> Graph:
    cure = "Remove this file and run again: only this replicate is learned anew"
    try:
        found = read(path)
    except FormatError as error:
        message = f"{error.message.rstrip('.')}. {cure}"
        raise FormatError(message, error.line, error.column, str(path)) from error
    if not isinstance(found, Graph):
        raise FormatError(f"this is a network, and no graph of a replicate. {cure}", path=str(path))
    return found
