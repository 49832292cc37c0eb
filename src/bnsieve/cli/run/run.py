"""One run: rows are read, prepared and learned from, or added to an earlier run.

In: `RunSettings`, or a saved learner with its record. Out: a `RunResult`. Nothing is written here;
see `bnsieve.cli.run.files`.
"""

import warnings
from collections.abc import Callable, Mapping
from contextlib import ExitStack
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import cached_property
from pathlib import Path
from typing import Any, Literal

from bnsieve.check import changed_columns
from bnsieve.engine import Engine, Timings, open_engine
from bnsieve.exchange import read
from bnsieve.knowledge import Knowledge, suggested_knowledge
from bnsieve.learners import (
    FSMBPC,
    MIN_EFFECT,
    PC,
    HitonPC,
    StructureLearner,
    TsetlinSieve,
    blanket_of,
    findings_of,
    learn_blanket,
    texts_for_numbers,
)
from bnsieve.network import BayesianNetwork, fit_parameters
from bnsieve.report import Subject
from bnsieve.rows import PIPE, DataSource, InputFile, duckdb_rows, open_data
from bnsieve.table import DependentRowsWarning, timeline_of
from bnsieve.table.prepare import LABELS as CALENDAR
from bnsieve.table.prepare import (
    ColumnOverrides,
    Preparation,
    calendar_names,
    plan_columns,
    require_known,
)
from bnsieve.text import listed

Algorithm = Literal["search", "tests", "pc", "hiton", "fsmb"]

METHODS: dict[Algorithm, Callable[..., StructureLearner]] = {
    "search": TsetlinSieve,
    "tests": lambda **options: TsetlinSieve(method="tests", **options),
    "pc": lambda random_state, **options: PC(**options),
    "hiton": lambda random_state, **options: HitonPC(**options),
    "fsmb": lambda random_state, **options: FSMBPC(**options),
}


@dataclass(frozen=True)
class Reading:
    """How a table is read, by any command.

    Attributes
    ----------
    missing_texts : tuple of str
        Texts that mean a missing value, beside the usual ones.
    sheet, header_row
        Of an Excel workbook: the sheet, and the row that names the columns.
    """

    missing_texts: tuple[str, ...] = ()
    sheet: str | None = None
    header_row: int | None = None


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
    time, by, lags, every
        How rows belong together; see `bnsieve.TsetlinSieve`.
    min_effect : float
        See `bnsieve.TsetlinSieve`; the other methods keep all edges.
    plan : Path or None
        A preparation that `bnsieve describe --save` wrote.
    sql : str or None
        Where `data` is a DuckDB file: the query that gives the rows.
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
    time: str | None = None
    by: str | None = None
    lags: int | Literal["auto"] | None = None
    every: str | None = None
    min_effect: float = MIN_EFFECT
    plan: Path | None = None
    sql: str | None = None

    @classmethod
    def of_record(cls, settings: Mapping[str, Any]) -> "RunSettings":
        """Return the settings that ``run.json`` holds."""
        values: dict[str, Any] = {
            name: tuple(value) if isinstance(value, list) else value
            for name, value in settings.items()
        }
        names = ("data", "knowledge", "plan")
        paths = {name: Path(values[name]) for name in names if values.get(name)}
        return cls(**values | paths)

    @property
    def overrides(self) -> ColumnOverrides:
        """Overrides of what is inferred about the columns."""
        keys = tuple(name for name in (self.time, self.by) if name is not None)
        drop = (*self.drop, *keys)
        return ColumnOverrides(self.roles, self.cut, self.missing_texts, drop, self.keep)

    @property
    def over_time(self) -> dict[str, Any]:
        """The parameters of a learner that say how rows belong together; none if they do not."""
        given = {name: getattr(self, name) for name in ("time", "by", "lags", "every")}
        return {name: value for name, value in given.items() if value is not None}


@dataclass(frozen=True, eq=False, kw_only=True)
class RunResult(Subject):
    """What a run found.

    Attributes
    ----------
    settings : RunSettings
    files : tuple of InputFile
        Those that were read.
    remarks : tuple of str
        Notes about how they were read.
    columns : tuple of str
        All columns of the data.
    timings : dict of str to float
        Seconds by stage.
    started : str
        When, in ISO 8601.
    """

    settings: RunSettings
    files: tuple[InputFile, ...] = ()
    remarks: tuple[str, ...] = ()
    columns: tuple[str, ...] = ()
    timings: dict[str, float] = field(default_factory=dict)
    started: str = ""

    @classmethod
    def of(cls, learner: StructureLearner, settings: RunSettings, **details: Any) -> "RunResult":
        """Return what a fitted learner found; with a target, its Markov blanket."""
        graph, network = learner.graph_, learner.network_.binned
        if settings.target is not None:
            graph, network = blanket_of(learner, settings.target)
        findings = findings_of(learner.fit_result_, learner.get_params(deep=False))
        return cls(learner, graph, network, findings, settings.target, settings=settings, **details)

    @property
    def examined(self) -> tuple[str, ...]:
        """The columns that the learner was fitted to: with a target, not all that can be used."""
        names: tuple[str, ...] = self.learner.dag_.nodes
        return names

    @cached_property
    def suggested(self) -> Knowledge | None:
        """Knowledge of columns that look like age, sex or a date, where none was given."""
        if self.learner.knowledge is not None or not self.edges:
            return None
        states = self.learner.fit_result_.family_counts.states
        return suggested_knowledge({name: states[name] for name in self.learner.dag_.nodes})

    @cached_property
    def numeric(self) -> BayesianNetwork | None:
        """The network in units, if there are numeric variables and it fits in memory."""
        learner, nodes = self.learner, self.graph.nodes
        if not learner.numeric_features_:
            return None
        try:
            if self.target is None:
                learner.network_.regressions  # noqa: B018 - refuses what cannot be held
                network: BayesianNetwork = learner.network_
                return network
            return fit_parameters(
                learner.dag_.subgraph(nodes),
                learner.fit_result_.rows.select(nodes),
                numeric=[name for name in learner.numeric_features_ if name in nodes],
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
    started, timings, target = now(), Timings(), settings.target
    saved = None if settings.plan is None else Preparation.load(settings.plan)
    timeline = timeline_of(settings.time, settings.by, settings.lags, settings.every)
    if timeline is not None and settings.method not in ("search", "tests"):
        raise ValueError(
            f"--method {settings.method} assumes independent rows: leave out --time and --by, or "
            "use --method search or tests"
        )
    if timeline is not None and timeline.has_lags and target is not None:
        raise ValueError(
            "--target does not go with --time: learn without it, and `bnsieve drivers` ranks what "
            f"carries information about {target}, its past included"
        )
    searches = settings.method in ("search", "tests")
    if not searches and settings.min_effect != MIN_EFFECT:
        raise ValueError(
            f"--method {settings.method} keeps all edges: leave out --min-effect, or use --method "
            "search or tests"
        )
    if settings.knowledge is not None and not settings.knowledge.is_file():
        raise FileNotFoundError(f"there is no file {settings.knowledge}: check the path")
    knowledge = None if settings.knowledge is None else read(settings.knowledge)
    if not isinstance(knowledge, Knowledge | None):
        raise ValueError(f"{settings.knowledge} holds a graph or network, not knowledge")
    with ExitStack() as stack:
        engine = stack.enter_context(open_engine("local", n_jobs))
        # The summary says both first, with the options of the command line.
        stack.enter_context(warnings.catch_warnings())
        warnings.simplefilter("ignore", DependentRowsWarning)
        warnings.filterwarnings("ignore", ".*: uneven: ", UserWarning)
        with timings.stage("reading"):
            given: Any = settings.data
            if settings.sql is not None:
                given = stack.enter_context(duckdb_rows(settings.data, settings.sql))
            data = stack.enter_context(
                open_data(
                    given,
                    settings.missing_texts if saved is None else saved.missing_texts,
                    sheet=settings.sheet,
                    header_row=settings.header_row,
                )
            )
            files, remarks = data.files, data.remarks
        if target and not data.is_small and not searches:
            raise ValueError(
                f"{settings.data} is too large for memory, and --method {settings.method} with "
                "--target needs it there: give a sample of the rows, or use --method search"
            )
        if timeline is not None:
            timeline.require_keys(data.names, data.given)
        with timings.stage("columns"):
            if saved is None:
                plan = _planned(data, settings, engine)
            else:
                plan, told = _locked(saved, data, settings)
                remarks = (*remarks, *told)
        columns = tuple(column.name for column in plan.columns)
        outputs = [output.name for output in plan.outputs]
        if knowledge is not None:
            past = () if timeline is None else timeline.with_columns(outputs).past
            outputs += past
            if timeline is not None and timeline.has_lags:
                outputs += calendar_names(str(timeline.time), CALENDAR, outputs)
            # Refuses columns that the data never had.
            knowledge.resolve(tuple(dict.fromkeys((*columns, *outputs))))
        learner = METHODS[settings.method](
            prepare=plan,
            knowledge=knowledge,
            random_state=settings.seed,
            n_jobs=n_jobs,
            **settings.over_time,
            **({"min_effect": settings.min_effect} if searches else {}),
        )
        if knowledge is not None:
            learner.set_params(knowledge=knowledge.among(outputs))
        if target is None:
            learner.fit(data)
            for name, seconds in learner.timings_.items():
                timings[name] = timings.get(name, 0.0) + seconds
        else:
            with timings.stage("target"):
                learner = learn_blanket(data, target, learner).learner
        del data  # what is asked and written below needs none of the rows that were read
    # Strengths of rows that are not independent would be withheld.
    if settings.bootstrap and learner.fit_result_.dependence is None:
        with timings.stage("bootstrap"):
            learner.bootstrap(settings.bootstrap, random_state=settings.seed)
    with timings.stage("support"):
        outcome = RunResult.of(
            learner,
            settings,
            files=files,
            remarks=remarks,
            columns=columns,
            timings=timings,
            started=started,
        )
        outcome.edges  # noqa: B018 - found once, in this stage
    return outcome


def update(
    learner: StructureLearner,
    record: Mapping[str, Any],
    path: Path,
    reading: Reading = Reading(),
    n_jobs: int | None = None,
) -> tuple[RunResult, dict[str, Any]]:
    """Add new rows to those of a run; return the result for all rows, and the new files and rows.

    Columns are left out and cut as before, and the same texts are missing values. With a
    bootstrap, it is done again.

    Raises
    ------
    ValueError
        If the run cannot be updated, or the rows have other columns.
    """
    if not isinstance(learner, TsetlinSieve) or not record:
        raise ValueError("only models of --method search or tests can be updated: learn again")
    started = now()
    settings, timings = RunSettings.of_record(record["settings"]), Timings()
    learner.set_params(n_jobs=n_jobs)
    with timings.stage("updating"):
        texts = (*settings.missing_texts, *reading.missing_texts)
        with open_data(path, texts, sheet=reading.sheet, header_row=reading.header_row) as rows:
            new_files = rows.files
            if learner.fit_result_.counted is None and not rows.is_small:
                raise ValueError(
                    f"{path} is too large to add to rows that were in memory: learn all files "
                    "together"
                )
            learner.update(rows)
        if settings.bootstrap and learner.fit_result_.dependence is None:
            learner.bootstrap(settings.bootstrap, random_state=settings.seed)
    before = record["data"]
    outcome = RunResult.of(
        learner,
        settings,
        files=(*(InputFile(**file) for file in before["files"]), *new_files),
        remarks=tuple(before["remarks"]),
        columns=tuple(before["columns"]),
        timings=timings,
        started=started,
    )
    added = {"data": str(path), "files": [file.name for file in new_files]}
    return outcome, added | {"rows": outcome.n_rows - before["rows"]}


def now() -> str:
    """Return the time in ISO 8601."""
    return datetime.now(UTC).isoformat(timespec="seconds")


def _locked(
    plan: Preparation, data: DataSource, settings: RunSettings
) -> tuple[Preparation, tuple[str, ...]]:
    """Return a saved preparation if the data keep to it, and remarks on what it leaves out."""
    if _overridden(settings):
        raise ValueError(
            f"--plan {settings.plan} already prepares each column: leave out --"
            f"{_overridden(settings)}, or save another plan"
        )
    if settings.time is not None:
        raise ValueError("--plan does not go with --time: leave one of them out")
    missing, new = changed_columns(plan.needed, data.names, [one.name for one in plan.columns])
    wrong = [f"column {name!r} is missing" for name in missing]
    wrong += [f"{one.name}: {one.text}" for one in texts_for_numbers(plan, data)]
    if wrong:
        raise ValueError(
            f"{data.given} deviates from {settings.plan}: {'; '.join(wrong)}. Fix the data, or "
            "save another plan"
        )
    if not new:
        return plan, ()
    return plan, (f"left out, as {settings.plan} does not have them: {listed(new, 10)}",)


def _overridden(settings: RunSettings) -> str:
    given = {
        "drop": settings.drop,
        "keep": settings.keep,
        "na": settings.missing_texts,
        "role": settings.roles,
        "cut": settings.cut,
    }
    return next((name for name, value in given.items() if value), "")


def _planned(data: DataSource, settings: RunSettings, engine: Engine) -> Preparation:
    """Infer what the columns are; refuse what leaves too little to learn from."""
    plan = plan_columns(data.columns(engine), settings.overrides)
    names = [output.name for output in plan.outputs]
    if settings.target is not None and settings.target not in names:
        require_known([settings.target], [one.name for one in plan.columns], "column")
        why = plan[settings.target].why
        raise ValueError(f"nothing can be learned about {settings.target!r}: {why}")
    if len(names) < 2:
        where = "piped CSV" if str(settings.data) == PIPE else settings.data
        if plan.n_rows == 1:
            raise ValueError(f"{where} has one row only: a network needs rows that differ")
        dropped = [f"{one.name} ({one.why})" for one in plan.left_out]
        left = f"left out: {'; '.join(dropped)}" if dropped else "there are no others"
        raise ValueError(
            f"{where}: a network needs two columns or more, and {len(names)} can be used: {left}"
        )
    return plan
