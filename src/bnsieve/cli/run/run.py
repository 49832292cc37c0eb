"""One run: rows are read, tidied, learned from and asked about; a `RunResult` comes out.

Nothing is written here; see `bnsieve.cli.run.files`.
"""

from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import Literal

from bnsieve.engine import Engine, Timings, open_engine
from bnsieve.exchange import read
from bnsieve.explain import Determinism, Edge, near_misses, rank_edges
from bnsieve.graph import Graph
from bnsieve.knowledge import Knowledge, suggested_knowledge
from bnsieve.learners import (
    FSMBPC,
    PC,
    HitonPC,
    StructureLearner,
    TsetlinSieve,
    blanket_of,
    table_around,
)
from bnsieve.network import BayesianNetwork, fit_parameters
from bnsieve.rows import PIPE, DataSource, InputFile, open_data
from bnsieve.table import Table
from bnsieve.table.prepare import (
    Change,
    Preparation,
    Wishes,
    changes_of,
    plan_columns,
    require_known,
)

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
        Columns to leave out, and columns not to take for identifiers; "a,b" are two.
    missing_texts : tuple of str
        Texts that mean a missing value, beside the usual ones.
    roles : dict of str to str
        Overrides of the roles of columns.
    cut : dict of str to tuple of float
        Where columns of numbers are to be cut.
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
    roles: dict[str, str] = field(default_factory=dict)
    cut: dict[str, tuple[float, ...]] = field(default_factory=dict)
    sheet: str | None = None
    header_row: int | None = None

    @property
    def wishes(self) -> Wishes:
        """Overrides of what is inferred about the columns."""
        return Wishes(self.roles, self.cut, self.missing_texts, self.drop, self.keep)


@dataclass(frozen=True, eq=False)
class RunResult:
    """What a run found.

    Attributes
    ----------
    settings : RunSettings
    files : tuple of InputFile
        Those that were read.
    remarks : tuple of str
        What was not as usual in them.
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
        The most reliable first.
    left_out : tuple of Edge
        Edges that only some replicates have, the strongest first.
    determined : Determinism
        Columns that are functions of others, and categories that occur in the same rows.
    suggested : Knowledge or None
        What could be known of columns that look like age, sex or a date; it was not used.
    preparation : Preparation
        The role and the preparation of each column.
    timings : dict of str to float
        Seconds by stage.
    """

    settings: RunSettings
    files: tuple[InputFile, ...]
    remarks: tuple[str, ...]
    n_rows: int
    columns: tuple[str, ...]
    changes: tuple[Change, ...]
    learner: StructureLearner
    examined: tuple[str, ...]
    graph: Graph
    network: BayesianNetwork
    edges: tuple[Edge, ...]
    left_out: tuple[Edge, ...]
    determined: Determinism
    suggested: Knowledge | None
    preparation: Preparation
    timings: dict[str, float]

    @cached_property
    def numeric(self) -> BayesianNetwork | None:
        """The network in units, if there are numeric variables and it fits in memory."""
        target, learner = self.settings.target, self.learner
        if not learner.numeric_features_:
            return None
        try:
            if target is None:
                learner.network_.regressions  # noqa: B018 - refuses what cannot be held
                return learner.network_
            return fit_parameters(
                learner.dag_.subgraph(self.graph.nodes),
                learner.fit_result_.rows.select(self.graph.nodes),
                numeric=[name for name in learner.numeric_features_ if name in self.graph.nodes],
            )
        except ValueError:  # a column of too many configurations of its parents
            return None


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
    if settings.knowledge is not None and not settings.knowledge.is_file():
        raise FileNotFoundError(f"there is no file {settings.knowledge}: check the path")
    knowledge = None if settings.knowledge is None else read(settings.knowledge)
    if not isinstance(knowledge, Knowledge | None):
        raise ValueError(f"{settings.knowledge} holds a graph or network, not knowledge")
    with ExitStack() as stack:
        engine = stack.enter_context(open_engine("local", n_jobs))
        with timings.stage("reading"):
            data = stack.enter_context(
                open_data(
                    settings.data,
                    settings.missing_texts,
                    sheet=settings.sheet,
                    header_row=settings.header_row,
                )
            )
            files, remarks = data.files, data.remarks
        if settings.target and not data.is_small:
            raise ValueError(
                f"{settings.data} is too large for memory, and --target needs it there: give a "
                "sample of the rows, or leave the option out"
            )
        with timings.stage("columns"):
            plan = _planned(data, settings, engine)
        columns = tuple(column.name for column in plan.columns)
        outputs = [output.name for output in plan.outputs]
        if knowledge is not None:
            # Refuses columns that the data never had.
            knowledge.resolve(tuple(dict.fromkeys((*columns, *outputs))))
        learner = METHODS[settings.method](
            prepare=plan, knowledge=knowledge, random_state=settings.seed, n_jobs=n_jobs
        )
        around: Table | None = None
        if settings.target is not None:
            with timings.stage("surroundings"):
                table = data.table(plan, engine, numbers=True)
                around = table_around(table, settings.target, knowledge, settings.seed, n_jobs)
                outputs = list(around.names)
        if knowledge is not None:
            learner.set_params(knowledge=knowledge.among(outputs))
        learner.fit(data if around is None else around)
        # If the data favoured bins, their edges were chosen again.
        plan = plan.cut_at(learner.fit_result_.rebinned)
        learner.fit_result_ = replace(learner.fit_result_, preparation=plan)
        del data  # what is asked and written below needs none of the rows that were read
    for name, seconds in learner.timings_.items():
        timings[name] = timings.get(name, 0.0) + seconds
    strengths = None
    if settings.bootstrap:
        with timings.stage("bootstrap"):
            strengths = learner.bootstrap(settings.bootstrap, random_state=settings.seed)
    with timings.stage("support"):
        graph, network = learner.graph_, learner.network_.binned
        if settings.target is not None:
            graph, network = blanket_of(learner, settings.target)
        determined = learner.determinism()
        edges = rank_edges(learner, graph, strengths, determined.pairs)
        suggested = None
        if knowledge is None and edges:
            states = learner.fit_result_.family_counts.states
            suggested = suggested_knowledge({name: states[name] for name in learner.dag_.nodes})
    examined = tuple(learner.feature_names_in_.tolist())
    as_numbers = set(learner.numeric_features_)
    if as_numbers:  # what was not examined was not learned from as bins either
        as_numbers |= {output.name for output in plan.outputs} - set(examined)
    return RunResult(
        settings,
        files,
        remarks,
        plan.n_rows,
        columns,
        tuple(changes_of(plan, as_numbers)),
        learner,
        examined,
        graph,
        network,
        edges,
        near_misses(graph, strengths),
        determined,
        suggested,
        plan,
        dict(timings),
    )


def _planned(data: DataSource, settings: RunSettings, engine: Engine) -> Preparation:
    """Infer what the columns are; refuse what leaves too little to learn from."""
    plan = plan_columns(data.columns(engine), settings.wishes)
    names = [output.name for output in plan.outputs]
    if settings.target is not None and settings.target not in names:
        require_known([settings.target], [one.name for one in plan.columns], "column")
        why = plan[settings.target].why
        raise ValueError(f"nothing can be learned about {settings.target!r}: {why}")
    if len(names) < 2:
        where = "what is piped in" if str(settings.data) == PIPE else settings.data
        if plan.n_rows == 1:
            raise ValueError(f"{where} has one row only: a network takes rows that differ")
        dropped = [f"{one.name} ({one.why})" for one in plan.left_out]
        left = f"left out: {'; '.join(dropped)}" if dropped else "there are no others"
        raise ValueError(
            f"{where}: a network takes two columns or more, and {len(names)} can be used: {left}"
        )
    return plan
