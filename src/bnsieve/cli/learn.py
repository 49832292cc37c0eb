"""``bnsieve learn`` and ``bnsieve update``: from files to a network in a folder."""

import sys
import warnings
from contextlib import ExitStack
from pathlib import Path
from typing import Annotated

import typer

from bnsieve.cli.app import print_json, print_lines, say
from bnsieve.cli.logs import LogFormat, logged
from bnsieve.cli.models import OpenedModel, folder_of, open_model, open_rows
from bnsieve.cli.options import (
    AsJson,
    CutAt,
    Drop,
    EntityColumn,
    HeaderRow,
    Jobs,
    Keep,
    MissingText,
    Model,
    Quiet,
    RoleOf,
    SheetName,
    Table,
    TimeColumn,
    bin_edges_of,
    lags_of,
    roles_of,
)
from bnsieve.cli.outputs import require_apart
from bnsieve.cli.process import Phase
from bnsieve.cli.run import run
from bnsieve.cli.run.files import NAMES, REPORT, record_of, require_free, write_files
from bnsieve.cli.run.summary import meaning, summary_of
from bnsieve.engine import announce, watch
from bnsieve.learners import MIN_EFFECT
from bnsieve.rows import PIPE
from bnsieve.text import listed

EXAMPLES = {
    "learn": (
        "bnsieve learn data.csv",
        "bnsieve learn data.csv -o first --bootstrap 100",
        "bnsieve learn rows.parquet --knowledge known.yaml",
        "bnsieve learn data.csv --target disease --drop patient_id,ward",
        "bnsieve learn data.csv --role zip=code --cut bmi=18.5,25,30",
        "bnsieve learn today.csv --plan plan.json --log-format json",
        "bnsieve learn --duckdb shop.duckdb --sql 'select * from orders'",
        "bnsieve learn readings.csv --time at --by machine --lags 2 --every 10s",
    ),
    "update": (
        "bnsieve update data-network may.csv",
        "bnsieve update data-network may.csv -o with-may",
    ),
}


def learn(
    data: Annotated[
        Path | None,
        typer.Argument(help="A CSV, Parquet or Excel file, or a folder; - for piped CSV."),
    ] = None,
    output: Annotated[
        Path | None,
        typer.Option(
            "--output", "-o", help="Folder to write to; default: the data's name and -network."
        ),
    ] = None,
    method: Annotated[
        run.Algorithm, typer.Option("--method", "-m", help="The algorithm; see the documentation.")
    ] = "search",
    knowledge: Annotated[
        Path | None,
        typer.Option("--knowledge", "-k", help="YAML or JSON: required and forbidden edges."),
    ] = None,
    bootstrap: Annotated[
        int,
        typer.Option(
            "--bootstrap",
            "-b",
            min=0,
            help="Learn again from this many random halves of the rows, or with --by from three "
            "quarters of the entities.",
        ),
    ] = 0,
    target: Annotated[
        str | None,
        typer.Option("--target", "-t", help="Learn only the Markov blanket of this column."),
    ] = None,
    drop: Drop = None,
    keep: Keep = None,
    na: MissingText = None,
    role: RoleOf = None,
    cut: CutAt = None,
    sheet: SheetName = None,
    header_row: HeaderRow = None,
    time: TimeColumn = None,
    by: EntityColumn = None,
    lags: Annotated[
        str | None,
        typer.Option(
            "--lags", help="Past steps that may be parents, with --time; default 1; auto chooses."
        ),
    ] = None,
    every: Annotated[
        str | None,
        typer.Option("--every", help="Resample to steps of this length, such as 10s, 1h or 1mo."),
    ] = None,
    min_effect: Annotated[
        float,
        typer.Option(
            "--min-effect",
            min=0.0,
            help="With numeric columns: leave out edges with a smaller effect; 0 keeps all.",
        ),
    ] = MIN_EFFECT,
    duckdb: Annotated[
        Path | None, typer.Option("--duckdb", help="Read a DuckDB file, in place of DATA.")
    ] = None,
    sql: Annotated[
        str | None, typer.Option("--sql", help="The query on the DuckDB file that gives the rows.")
    ] = None,
    seed: Annotated[
        int, typer.Option("--seed", "-s", min=0, help="The same seed gives the same network.")
    ] = 0,
    jobs: Jobs = -1,
    force: Annotated[
        bool, typer.Option("--force", "-f", help="Replace the files of an earlier run.")
    ] = False,
    plan: Annotated[
        Path | None,
        typer.Option("--plan", help="Prepare columns by a file from `bnsieve describe --save`."),
    ] = None,
    log_format: LogFormat = None,
    quiet: Quiet = False,
    as_json: AsJson = False,
) -> None:
    """Learn a network from a table, and write it with a picture and a report.

    bnsieve infers the role of every column (see `bnsieve describe`). Numeric columns stay numeric,
    unless the data favour bins or the method needs categories. Dates become parts. Constant
    columns, identifiers and free text are left out. Missing values are allowed. The summary lists
    every change.

    Writes graph.json, network.bif (numeric variables in bins), network.json (numeric variables in
    units, if there are any), edges.csv, graph.svg, run.json, report.html (a page to open in a
    browser) and the model itself, for ask, explain, update, predict and impute.
    """
    data = _chosen(data, duckdb, sql)
    folder = output or Path(f"{data.name.split('.')[0].strip('-') or 'data'}-network")
    require_free(folder, force)
    require_apart((folder / name for name in NAMES), (data, knowledge, plan), "-o")
    settings = run.RunSettings(
        data,
        method,
        knowledge,
        bootstrap,
        target,
        seed,
        tuple(drop or ()),
        tuple(keep or ()),
        tuple(na or ()),
        roles_of(role),
        bin_edges_of(cut),
        sheet,
        header_row,
        time,
        by,
        lags_of(lags),
        every,
        min_effect,
        plan,
        sql,
    )
    with ExitStack() as stack:
        if log_format is not None:
            stack.enter_context(logged(log_format))
        elif not quiet and sys.stderr.isatty():
            stack.enter_context(watch())
        outcome = run.learn(settings, n_jobs=jobs)
        announce("writing")
        found = record_of(outcome)
        written = write_files(outcome, found, folder)
        Phase.now = "done"
    if as_json:
        print_json(found)
    elif not quiet:
        others = ", ".join(name for name in written if name != REPORT)
        lines = [("written", f"{folder}: {others}"), ("report", f"open {folder / REPORT}")]
        print_lines([*summary_of(outcome), *lines])
        if outcome.edges:
            say("\n".join(["", *meaning(outcome)]))


def _chosen(data: Path | None, duckdb: Path | None, sql: str | None) -> Path:
    """Return the file to read: the table, or the DuckDB file that the query is for."""
    if (data is None) == (duckdb is None):
        raise typer.BadParameter("give a table, or --duckdb FILE with --sql QUERY")
    if (duckdb is None) != (sql is None):
        raise typer.BadParameter("--duckdb FILE and --sql QUERY go together")
    return data or duckdb or Path()


def update(
    folder: Model,
    rows: Table,
    output: Annotated[
        Path | None,
        typer.Option("--output", "-o", help="Folder to write to; default: the one given."),
    ] = None,
    na: MissingText = None,
    sheet: SheetName = None,
    header_row: HeaderRow = None,
    jobs: Jobs = -1,
    log_format: LogFormat = None,
    quiet: Quiet = False,
    as_json: AsJson = False,
) -> None:
    """Add new rows to a learned model, and learn again.

    Columns are prepared as before. A warning lists the changes that `bnsieve check` finds. If the
    model was learned from files too large for memory, only the new rows are read. A warning says if
    they differ so much that you should learn all rows again.
    """
    target = output or folder_of(folder)
    if output is not None:
        require_free(output, force=False)
    require_apart((target / name for name in NAMES), (rows,), "-o")
    with ExitStack() as stack:
        if log_format is not None:
            stack.enter_context(logged(log_format))
        caught = stack.enter_context(warnings.catch_warnings(record=True))
        warnings.simplefilter("always", UserWarning)
        model = open_model(folder)
        reading = run.Reading(tuple(na or ()), sheet, header_row)
        changes = _changes(model, rows, reading)
        outcome, added = run.update(model.fitted(), model.record, rows, reading, n_jobs=jobs)
    for change in changes:
        say(f"warning: {change}", err=True)
    for warning in caught:
        say(f"warning: {warning.message}", err=True)
    updates = [*model.record.get("updates", ()), added | {"changes": changes}]
    record = record_of(outcome) | {"updates": updates}
    written = write_files(outcome, record, target)
    Phase.now = "done"
    if as_json:
        print_json(record)
    elif not quiet:
        lines = [*summary_of(outcome), ("written", f"{target}: {', '.join(written)}")]
        print_lines([("added", f"{added['rows']:,} rows of {rows}"), *lines])


def _changes(model: OpenedModel, rows: Path, reading: run.Reading) -> list[str]:
    """Return what a check of new rows finds changed, in words, or why it could not run."""
    if str(rows) == PIPE:
        return ["the new rows were not checked for changes: a pipe can be read only once"]
    try:
        with open_rows(rows, model, reading) as data:
            found = model.fitted().check(data)
    except (ValueError, TypeError) as error:
        return [f"the new rows could not be checked for changes: {error}"]
    if not found.changed:
        return []
    changes = [f"{one.name}: {one.text}".lstrip(": ") for one in found.schema_changes]
    names = [one.name for one in found.mechanisms if one.changed]
    if names:
        changes.append(f"other mechanisms than before: {listed(names, 5)}")
    return [*changes, f"changes in {listed(found.changed)}: `bnsieve check` shows them"]
