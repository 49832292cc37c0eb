"""What a run left in its folder, used later: the model is loaded, updated, applied to rows.

In: the folder that `bnsieve.report.files` wrote, and new rows. Out: the learner; a `RunResult` of
all rows; or rows without missing cells.
"""

import json
from contextlib import ExitStack
from dataclasses import dataclass, fields
from pathlib import Path
from time import perf_counter
from typing import Any

import numpy as np
import pandas as pd

from bnsieve.engine import installation_hint
from bnsieve.learners import StructureLearner, TsetlinSieve, blanket_of
from bnsieve.learners.saving.loading import load_learner
from bnsieve.network import draw_missing
from bnsieve.report.edges import edges_of, nearly_edges
from bnsieve.report.files import MODEL, RECORD
from bnsieve.report.record import record_of
from bnsieve.report.run import RunResult, RunSettings
from bnsieve.rows import Change, InputFile, Rows, at_rest, read_rows
from bnsieve.table import Table


@dataclass(frozen=True, eq=False)
class SavedRun:
    """The model of a run, and its record.

    Attributes
    ----------
    learner : StructureLearner
    record : dict
        What ``run.json`` holds; empty if the learner was saved by itself.
    """

    learner: StructureLearner
    record: dict[str, Any]

    def require(self, column: str) -> None:
        """Refuse a column that the model does not have, with the reason."""
        names = self.learner.feature_names_in_.tolist()
        if column in names:
            return
        for change in self.record.get("changes", ()):
            if change["column"] == column and change["what"] == "dropped":
                raise ValueError(f"the column {column!r} was left out: {change['why']}")
        if column in self.record.get("data", {}).get("columns", ()):
            raise ValueError(f"the column {column!r} was not examined: it is far from the target")
        listed = ", ".join(map(repr, names[:10])) + (", ..." if len(names) > 10 else "")
        raise ValueError(f"there is no column {column!r}: the columns are {listed}")

    @property
    def settings(self) -> RunSettings:
        """What the run was told."""
        known = {one.name for one in fields(RunSettings)}
        given = {name: value for name, value in self.record["settings"].items() if name in known}
        values: dict[str, Any] = {
            name: tuple(value) if isinstance(value, list) else value
            for name, value in given.items()
        }
        for name in ("data", "knowledge"):
            if values.get(name) is not None:
                values[name] = Path(values[name])
        return RunSettings(**values)


def load_run(folder: Path) -> SavedRun:
    """Load the model that ``bnsieve learn`` wrote into a folder, or a saved learner by its file."""
    path = folder / MODEL if folder.is_dir() else folder
    if not path.is_file():
        raise FileNotFoundError(
            f"there is no file {path}: give the folder that `bnsieve learn` wrote"
        )
    record = path.with_name(RECORD)
    found = json.loads(record.read_text(encoding="utf-8")) if record.is_file() else {}
    return SavedRun(load_learner(path), found)


def update(
    run: SavedRun, path: Path, n_jobs: int | None = None
) -> tuple[RunResult, dict[str, Any]]:
    """Add new rows to those of a run; return what all of them say, and its record.

    Columns are left out and cut as before. With a bootstrap, it is done again.

    Raises
    ------
    ValueError
        If the run cannot be updated, or the rows have other columns.
    """
    learner = run.learner
    if not isinstance(learner, TsetlinSieve) or not run.record:
        raise ValueError("only what `bnsieve learn` learned by search or tests is updated")
    settings, start = run.settings, perf_counter()
    learner.set_params(n_jobs=n_jobs)
    cut_by = learner.discretizer_
    with ExitStack() as stack:
        rows = read_rows(stack.enter_context(at_rest(path)), settings.missing_texts)
        if hasattr(learner, "counted_"):
            # The rows are cut here, so the learner is not to cut them again.
            learner.discretizer_ = None
            learner.update(_opened(learner, rows, cut_by, stack))
            learner.discretizer_ = cut_by
            n_rows = learner.counted_.found.n_rows
        elif rows.frame is None:
            raise ValueError(
                f"{path} is too large to add to rows that were in memory: learn all files together"
            )
        else:
            learner.update(columns_of(learner, rows.frame))
            n_rows = learner.table_.n_rows
    strengths = None
    if settings.bootstrap:
        strengths = learner.bootstrap(settings.bootstrap, random_state=settings.seed)
    graph, network = learner.graph_, learner.network_
    if settings.target is not None:
        graph, network = blanket_of(learner, settings.target)
    before = run.record["data"]
    files = (*(InputFile(**one) for one in before["files"]), *rows.files)
    outcome = RunResult(
        settings,
        Rows(None, rows.lying, files, tuple(before["remarks"])),
        n_rows,
        tuple(before["columns"]),
        tuple(Change(**one) for one in run.record["changes"]),
        learner,
        tuple(learner.feature_names_in_.tolist()),
        graph,
        network,
        edges_of(learner, graph, strengths),
        nearly_edges(graph, strengths),
        cut_by,
        {"updating": perf_counter() - start},
    )
    added = {"data": str(path), "files": [one.name for one in rows.files]}
    added["rows"] = n_rows - before["rows"]
    return outcome, record_of(outcome) | {"updates": [*run.record.get("updates", ()), added]}


def _opened(learner: StructureLearner, rows: Rows, cut_by: Any, stack: ExitStack) -> Any:
    try:
        import pyarrow as pa

        from bnsieve.rows.opening import open_source
    except ImportError as error:
        raise ImportError(f"this model takes pyarrow: {installation_hint('scale')}") from error
    names = learner.feature_names_in_.tolist()
    lying: Any = rows.lying
    if rows.frame is not None:
        frame = columns_of(learner, rows.frame)
        lying = iter([pa.Table.from_pandas(frame, preserve_index=False)])
    source = stack.enter_context(open_source(lying, numbers=True, anything=True))
    _require_columns(names, source.names)
    source = source.keep(names)
    return source if cut_by is None else source.cut_by(cut_by)


def columns_of(learner: StructureLearner, frame: pd.DataFrame) -> pd.DataFrame:
    """Return the columns of a frame that a learner has; refuse a frame that lacks one."""
    frame = frame.rename(columns=str)
    names = learner.feature_names_in_.tolist()
    _require_columns(names, frame.columns)
    chosen: pd.DataFrame = frame[names]
    return chosen


def _require_columns(names: list[str], given: Any) -> None:
    lacking = [name for name in names if name not in {*given}]
    if lacking:
        raise ValueError(f"the new rows have no column {lacking[0]!r}, which was learned from")


def impute(learner: StructureLearner, frame: pd.DataFrame, seed: int) -> tuple[pd.DataFrame, int]:
    """Fill the missing cells of rows: drawn from the network, given the cells that are known.

    Returns
    -------
    frame : pandas.DataFrame
        The same rows. Columns that were not learned from stay as they are. A column of numbers
        gets the median of the numbers of the drawn bin.
    n_cells : int
        How many cells were filled.

    Raises
    ------
    ValueError
        If a column is not there, or has a label that was never seen.
    """
    known = columns_of(learner, frame)
    cut_by = learner.discretizer_
    labels = known if cut_by is None else cut_by.transform(known)
    gaps = known.isna()
    gaps = gaps.loc[:, gaps.any()]
    if gaps.columns.empty:
        return frame, 0
    empty = [name for name in gaps.columns if bool(gaps[name].all())]
    if empty:
        raise ValueError(f"column {empty[0]!r} is missing in every row: nothing is known of it")
    table = _in_levels_of(learner, Table.from_data(labels))
    drawn = draw_missing(table, learner.network_, seed).to_frame()
    filled = frame.rename(columns=str).copy()
    for name in gaps.columns:
        at = gaps[name].to_numpy()
        values = drawn[name].astype(object)
        if cut_by is not None and name in cut_by.cuts_:
            numbers = pd.to_numeric(known[name])
            bins = drawn[name].where(~at)
            medians = numbers.groupby(bins.to_numpy(), observed=True).median()
            values = values.map(medians.to_dict())
        column = filled[name].astype(object).to_numpy(copy=True)
        column[at] = values.to_numpy()[at]
        filled[name] = pd.Series(column, index=filled.index).infer_objects()
    return filled, int(gaps.to_numpy().sum())


def _in_levels_of(learner: StructureLearner, table: Table) -> Table:
    """Return the rows with the labels that the learner knows, in its order."""
    network = learner.network_
    table = table.select(network.graph.nodes)
    codes = np.empty(table.codes.shape, dtype=np.uint16)
    for i, (name, labels) in enumerate(zip(table.names, table.levels, strict=True)):
        place = {label: code for code, label in enumerate(network.levels[name])}
        unknown = [label for label in labels if label not in place]
        if unknown:
            raise ValueError(f"column {name!r} has the label {unknown[0]!r}, which was never seen")
        codes[i] = np.array([place[label] for label in labels], dtype=np.uint16)[table.codes[i]]
    levels = tuple(tuple(network.levels[name]) for name in table.names)
    return Table(codes, table.names, levels, table.missing)
