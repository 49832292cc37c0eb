"""How often a learner finds each edge in resampled rows.

In: a fitted learner. Out: its edge strengths; its `FitResult` is replaced by one with strengths and
the DAGs of the replicates. Replicates can be kept in a folder, so that an interrupted bootstrap can
resume. The name of each file is a hash of everything its graph depends on: rows, seed, parameters,
version. So runs can share a folder, and no run reads a file of other rows.
"""

import hashlib
import json
import warnings
from collections.abc import Callable
from contextlib import nullcontext
from dataclasses import replace
from importlib.metadata import version
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.utils.validation import check_is_fitted

from bnsieve.engine import RandomState, inner_stage, watch, watched
from bnsieve.exchange import FormatError, read, write
from bnsieve.explain import EdgeStrengths, Progress, Resample, edge_strengths
from bnsieve.graph import Graph
from bnsieve.learners.fit_result import known_of
from bnsieve.learners.preparing import parts_of
from bnsieve.learners.saving.archive import PLACE
from bnsieve.learners.saving.values import Arrays, encode
from bnsieve.table import REASON, DependentRowsWarning, Table


def bootstrap(
    self: Any,
    n: int = 200,
    *,
    resample: Resample = "half",
    random_state: RandomState = None,
    n_jobs: int | None = None,
    progress: bool | Progress = False,
    folder: str | PathLike[str] | None = None,
) -> EdgeStrengths:
    """Learn again from resampled rows, and count how often each edge is found.

    Each replicate breaks ties at random: of two duplicate columns, either may take the edges. If
    the data are large files, the rows of the sample are resampled. With ``by=`` and without
    ``time=``, entities are resampled, each with all its rows: ``"half"`` then draws three quarters
    of them.

    Parameters
    ----------
    n : int, default 200
        Number of replicates.
    resample : {"half", "bootstrap"}, default "half"
        The rows of each replicate: half of them, drawn without repeats, or as many as there are,
        drawn with repeats. Scores count repeated rows as new evidence, so false edges get stronger.
    random_state : int, RandomState, Generator or None
        The seed. By default the learner's, if that is an int.
    n_jobs : int, optional
        The number of threads, each of which runs one replicate at a time; by default the learner's.
        The result is the same.
    progress : bool or callable, default False
        True shows a bar, like `verbose` of the learner. A callable gets the number of replicates
        done and `n`.
    folder : str or path, optional
        The folder in which each replicate is kept. If called again with the same rows and seed,
        `bootstrap` reads the replicates that are there and resumes.

    Returns
    -------
    EdgeStrengths
        Also kept as `strengths_`. If `fit` found that rows are not independent, they are not kept,
        and a `DependentRowsWarning` is given: replicates of such rows are too much alike, and every
        edge looks strong.
    """
    check_is_fitted(self, "fit_result_")
    result, parameters = self.fit_result_, self.get_params(deep=False)
    if result.dependence is not None:
        text = (
            f"edge strengths are not valid, and strengths_ stays None: {result.dependence.problem}"
        )
        warnings.warn(
            f"{text}, and {REASON}; {result.dependence.advice()}",
            DependentRowsWarning,
            stacklevel=2,
        )
    if random_state is None and isinstance(parameters.get("random_state"), int | np.integer):
        random_state = int(parameters["random_state"])
    if folder is not None and not isinstance(random_state, int | np.integer):
        raise ValueError("replicates kept in a folder need a seed: pass random_state, an int")
    # Where work runs does not matter, and the seed of a replicate is its own.
    ignored = {*PLACE, "random_state"}
    own = {name: value for name, value in parameters.items() if name not in ignored}
    depends_on = (version("bnsieve"), type(self).__name__, own, parts_of(result.preparation))
    if folder is not None:
        Path(folder).mkdir(parents=True, exist_ok=True)
    dags: dict[int, Graph] = {}

    def graph_of(table: Table, seed: int) -> Graph:
        def graphs() -> tuple[Graph, Graph]:
            with watched(None):  # replicates have stages of their own, which nobody wants
                replicate = self._replicate(table, seed)
            return replicate.graph, replicate.dag

        graph, dags[seed] = (
            graphs()
            if folder is None
            else _kept_graphs(Path(folder), (*depends_on, seed, table), graphs)
        )
        return graph

    def report(n_done: int, n_all: int) -> None:
        tell(1)
        if callable(progress):
            progress(n_done, n_all)

    shown = watch() if self.verbose or progress is True else nullcontext()
    with shown, inner_stage("bootstrap", n, "replicates") as tell:
        strengths = edge_strengths(
            result.rows,
            graph_of,
            n=n,
            resample=resample,
            random_state=random_state,
            n_jobs=parameters.get("n_jobs") if n_jobs is None else n_jobs,
            progress=report,
            by_entity=result.clusters is not None,
        )
    strengths = replace(strengths, knowledge=known_of(self.fit_result_, self.knowledge))
    if result.dependence is not None:
        return strengths
    # Replicates end in any order; that of their seeds is always the same.
    replicates = tuple(dags[seed] for seed in sorted(dags))
    self.fit_result_ = replace(result, strengths=strengths, replicate_dags=replicates)
    return strengths


def _kept_graphs(
    folder: Path, depends_on: tuple[Any, ...], learn: Callable[[], tuple[Graph, Graph]]
) -> tuple[Graph, Graph]:
    """Return the graph and the DAG of a replicate, learned if no file holds them.

    Parameters
    ----------
    folder : Path
    depends_on : tuple
        All that the graphs depend on.
    learn : callable

    Raises
    ------
    FormatError
        If a file is damaged.
    """
    arrays: Arrays = []
    values = encode(depends_on, "a replicate", arrays)
    hashed = hashlib.sha256(json.dumps(values, sort_keys=True).encode())
    for array in arrays:
        hashed.update(array.tobytes())
    name = f"replicate-{hashed.hexdigest()[:32]}"
    paths = [folder / f"{name}.{kind}.json" for kind in ("graph", "dag")]
    # Each is written whole or not at all, and a file that was removed is learned again.
    if all(path.exists() for path in paths):
        return _read(paths[0]), _read(paths[1])
    graphs = learn()
    for path, graph in zip(paths, graphs, strict=True):
        write(graph, path)
    return graphs


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
