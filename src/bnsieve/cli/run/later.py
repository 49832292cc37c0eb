"""Load, update and apply the model that a run left in its folder.

In: the folder that `bnsieve.cli.run.files` wrote, and new rows. Out: the learner, or a `RunResult`
of all rows.
"""

from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any

from bnsieve.cli.run.files import MODEL, RECORD
from bnsieve.cli.run.record import record_of, subject_of
from bnsieve.cli.run.run import RunResult, RunSettings
from bnsieve.engine import Timings
from bnsieve.explain import near_misses, rank_edges
from bnsieve.learners import StructureLearner, TsetlinSieve, blanket_of, load
from bnsieve.report import report_page
from bnsieve.rows import InputFile, open_data
from bnsieve.table.prepare import changes_of
from bnsieve.text import listed, parse_strict_json


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
        known = listed(map(repr, names), 10)
        raise ValueError(f"there is no column {column!r}: the columns are {known}")

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
    found = parse_strict_json(record.read_text(encoding="utf-8")) if record.is_file() else {}
    return SavedRun(load(path), found)


def write_report(run: SavedRun, path: Path) -> None:
    """Write the report page of a run, or of a learner that was saved by itself."""
    if not run.record:
        run.learner.report(path)
        return
    page = report_page(subject_of(run.learner, run.record))
    path.write_text(page, encoding="utf-8", newline="\n")


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
    settings, timings = run.settings, Timings()
    timings.switch("updating")
    learner.set_params(n_jobs=n_jobs)
    plan = learner.preparation_
    if plan is None:
        raise ValueError("this model was learned from states alone: learn all files together")
    with open_data(path, settings.missing_texts) as rows:
        new_files = rows.files
        if learner.fit_result_.counted is None and not rows.is_small:
            raise ValueError(
                f"{path} is too large to add to rows that were in memory: learn all files together"
            )
        learner.update(rows)
        n_rows = learner.fit_result_.n_rows
    strengths = None
    if settings.bootstrap:
        strengths = learner.bootstrap(settings.bootstrap, random_state=settings.seed)
    graph, network = learner.graph_, learner.network_.binned
    if settings.target is not None:
        graph, network = blanket_of(learner, settings.target)
    determined = learner.determinism()
    plan = learner.preparation_ or plan
    before = run.record["data"]
    files = (*(InputFile(**one) for one in before["files"]), *new_files)
    outcome = RunResult(
        settings,
        files,
        tuple(before["remarks"]),
        n_rows,
        tuple(before["columns"]),
        tuple(changes_of(plan, learner.numeric_features_)),
        learner,
        tuple(learner.feature_names_in_.tolist()),
        graph,
        network,
        rank_edges(learner, graph, strengths, determined.pairs),
        near_misses(graph, strengths),
        determined,
        None,
        plan,
        dict(timings),
    )
    added = {"data": str(path), "files": [one.name for one in new_files]}
    added["rows"] = n_rows - before["rows"]
    return outcome, record_of(outcome) | {"updates": [*run.record.get("updates", ()), added]}
