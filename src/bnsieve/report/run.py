"""One run: rows are read, tidied, learned from and asked about; a `RunResult` comes out.

Nothing is written here; see `bnsieve.report.files`.
"""

from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Literal, NamedTuple

import pandas as pd

from bnsieve.engine import Timings, listener, open_engine, watched
from bnsieve.explain import EdgeStrengths
from bnsieve.graph import Graph
from bnsieve.knowledge import Knowledge
from bnsieve.learners import (
    FSMBPC,
    PC,
    HitonPC,
    StructureLearner,
    TsetlinSieve,
    blanket_of,
    table_around,
)
from bnsieve.network import BayesianNetwork
from bnsieve.report.edges import Edge, edges_of, nearly_edges
from bnsieve.rows import Change, Rows, at_rest, read_rows, require_column, tidy_frame, tidy_source
from bnsieve.table import Discretizer, Table

if TYPE_CHECKING:
    from bnsieve.rows.parquet import ParquetSource

Algorithm = Literal["search", "tests", "pc", "hiton", "fsmb"]

METHODS: dict[Algorithm, Callable[..., StructureLearner]] = {
    "search": TsetlinSieve,
    "tests": lambda **options: TsetlinSieve(method="tests", **options),
    "pc": lambda random_state, **options: PC(**options),
    "hiton": lambda random_state, **options: HitonPC(**options),
    "fsmb": lambda random_state, **options: FSMBPC(**options),
}


@dataclass(frozen=True)
class RunSettings:
    """What a run is told; with the same data it is enough to repeat it.

    Attributes
    ----------
    data : Path
        A file or a folder; "-" for CSV that is piped in.
    method : str
        One of `METHODS`, which are listed in the documentation of the command line.
    knowledge : Path or None
        A YAML or JSON file.
    bootstrap : int
        Number of replicates; 0 for none.
    target : str or None
        Learn only the Markov blanket of this column.
    seed : int
    drop, keep : tuple of str
        Columns to leave out, and columns not to take for identifiers.
    missing_texts : tuple of str
        Texts in CSV files that stand for a missing cell, beside the usual ones.
    sheet, header_row
        Of an Excel workbook: the sheet, and the row that names the columns.
    """

    data: Path
    method: Algorithm = "search"
    knowledge: Path | None = None
    bootstrap: int = 0
    target: str | None = None
    seed: int = 0
    drop: tuple[str, ...] = ()
    keep: tuple[str, ...] = ()
    missing_texts: tuple[str, ...] = ()
    sheet: str | None = None
    header_row: int | None = None


@dataclass(frozen=True, eq=False)
class RunResult:
    """What a run found.

    Attributes
    ----------
    settings : RunSettings
    rows : Rows
    n_rows : int
    columns : tuple of str
        Those of the data, used or not.
    changes : tuple of Change
    learner : StructureLearner
        Fitted.
    examined : tuple of str
        The columns that it was fitted to: with a target, not all that could be used.
    graph : Graph
    network : BayesianNetwork
    edges : tuple of Edge
        The surest first.
    left_out : tuple of Edge
        Edges that only some replicates have, the surest first.
    discretizer : Discretizer or None
    timings : dict of str to float
        Seconds by stage.
    """

    settings: RunSettings
    rows: Rows
    n_rows: int
    columns: tuple[str, ...]
    changes: tuple[Change, ...]
    learner: StructureLearner
    examined: tuple[str, ...]
    graph: Graph
    network: BayesianNetwork
    edges: tuple[Edge, ...]
    left_out: tuple[Edge, ...]
    discretizer: Discretizer | None
    timings: dict[str, float]


def learn(settings: RunSettings, n_jobs: int | None = None) -> RunResult:
    """Learn a network from files.

    Parameters
    ----------
    settings : RunSettings
    n_jobs : int or None
        Number of threads; the result does not depend on it.
    """
    if settings.method not in METHODS:
        raise ValueError(f"there is no method {settings.method!r}: use {', '.join(METHODS)}")
    timings = Timings()
    knowledge = None if settings.knowledge is None else read_knowledge(settings.knowledge)
    with ExitStack() as stack:
        with timings.stage("reading"):
            path = stack.enter_context(at_rest(settings.data))
            rows = read_rows(path, settings.missing_texts, settings.sheet, settings.header_row)
        if rows.frame is None:
            tidied = _tidied_source(rows, settings, n_jobs, timings, stack)
        else:
            tidied = _tidied(rows.frame, settings, timings)
        if knowledge is not None:
            knowledge.resolve(tidied.columns)  # refuses columns that the data never had
        data = tidied.data
        if isinstance(data, Table) and settings.target is not None:
            with timings.stage("surroundings"):
                data = table_around(data, settings.target, knowledge, settings.seed, n_jobs)
        if knowledge is not None:
            knowledge = knowledge.among(data.names)
        learner = METHODS[settings.method](
            knowledge=knowledge, random_state=settings.seed, n_jobs=n_jobs
        )
        learner.fit(data)
    for name, seconds in learner.timings_.items():
        timings[name] = timings.get(name, 0.0) + seconds
    strengths = None
    if settings.bootstrap:
        with timings.stage("bootstrap"):
            strengths = _bootstrap(learner, settings)
    with timings.stage("evidence"):
        graph, network = learner.graph_, learner.network_
        if settings.target is not None:
            graph, network = blanket_of(learner, settings.target)
        edges = edges_of(learner, graph, strengths)
    examined = tuple(learner.feature_names_in_.tolist())
    return RunResult(
        settings,
        rows,
        tidied.data.n_rows,
        tidied.columns,
        tuple(tidied.changes),
        learner,
        examined,
        graph,
        network,
        edges,
        nearly_edges(graph, strengths),
        tidied.discretizer,
        dict(timings),
    )


def read_knowledge(path: Path) -> Knowledge:
    """Read knowledge from a YAML or JSON file, known by the end of its name."""
    if not path.is_file():
        raise FileNotFoundError(f"there is no file {path}: check the path")
    if path.suffix.lower() == ".json":
        return Knowledge.from_json(path)
    return Knowledge.from_yaml(path)


class _Tidied(NamedTuple):
    """The rows to learn from, in memory or in files, and what was done to get there."""

    data: "Table | ParquetSource"
    columns: tuple[str, ...]
    discretizer: Discretizer | None
    changes: list[Change]


def _tidied(frame: pd.DataFrame, settings: RunSettings, timings: Timings) -> _Tidied:
    columns = tuple(map(str, frame.columns))
    if settings.target is not None:
        require_column(settings.target, columns)
    with timings.stage("cutting"):
        cut, discretizer, changes = tidy_frame(frame, settings.drop, settings.keep)
    for change in changes:
        if change.column == settings.target and change.what == "dropped":
            raise ValueError(f"nothing can be learned about {change.column!r}: {change.why}")
    with timings.stage("table"):
        return _Tidied(Table.from_data(cut), columns, discretizer, changes)


def _tidied_source(
    rows: Rows, settings: RunSettings, n_jobs: int | None, timings: Timings, stack: ExitStack
) -> _Tidied:
    """Tidy rows that are too many for memory; they stay open as long as the stack."""
    try:
        from bnsieve.rows.opening import open_source
    except ImportError as error:
        raise ImportError(
            f"{settings.data} is too large for memory, and reading it piece by piece needs "
            "pyarrow: pip install 'bnsieve[scale]'"
        ) from error
    if settings.target:
        raise ValueError(
            f"{settings.data} is too large for memory, and --target needs it there: give a sample "
            "of the rows, or leave the option out"
        )
    with timings.stage("reading"):
        source = stack.enter_context(open_source(rows.lying, numbers=True, anything=True))
    with timings.stage("cutting"), open_engine("local", n_jobs) as engine:
        tidied, discretizer, changes = tidy_source(
            source, settings.drop, settings.keep, settings.seed, engine
        )
    return _Tidied(tidied, source.names, discretizer, changes)


def _bootstrap(learner: StructureLearner, settings: RunSettings) -> EdgeStrengths:
    hear = listener()
    with watched(None):  # replicates have stages of their own, which nobody wants to see
        return learner.bootstrap(
            settings.bootstrap,
            random_state=settings.seed,
            progress=lambda done, n: hear("bootstrap", f"{done} of {n}"),
        )
