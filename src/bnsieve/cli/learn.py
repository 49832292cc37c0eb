"""``bnsieve learn`` and ``bnsieve update``: from files to a network in a folder."""

import sys
import warnings
from contextlib import nullcontext
from pathlib import Path
from typing import Annotated

import typer

from bnsieve.cli.app import print_json, print_lines, say
from bnsieve.cli.models import open_model
from bnsieve.cli.options import (
    AsJson,
    CutAt,
    Drop,
    EntityColumn,
    Jobs,
    Keep,
    MissingText,
    Quiet,
    RoleOf,
    Table,
    TimeColumn,
    bin_edges_of,
    roles_of,
)
from bnsieve.cli.process import Phase
from bnsieve.cli.run import run
from bnsieve.cli.run.files import REPORT, record_of, require_free, write_files
from bnsieve.cli.run.summary import meaning, summary_of
from bnsieve.engine import announce, watch

EXAMPLES = {
    "learn": (
        "bnsieve learn data.csv",
        "bnsieve learn data.csv -o first --bootstrap 100",
        "bnsieve learn rows.parquet --knowledge known.yaml",
        "bnsieve learn data.csv --target disease --drop patient_id,ward",
        "bnsieve learn data.csv --role zip=code --cut bmi=18.5,25,30",
        "bnsieve learn readings.csv --time at --by machine --lags 2 --every 10s",
    ),
    "update": (
        "bnsieve update data-network may.csv",
        "bnsieve update data-network may.csv -o with-may",
    ),
}


def learn(
    data: Table,
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
            "--bootstrap", "-b", min=0, help="Learn again from this many random halves of the rows."
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
    sheet: Annotated[
        str | None,
        typer.Option("--sheet", help="The sheet of an Excel workbook; default: the first."),
    ] = None,
    header_row: Annotated[
        int | None,
        typer.Option("--header-row", min=1, help="The row of the sheet that names the columns."),
    ] = None,
    time: TimeColumn = None,
    by: EntityColumn = None,
    lags: Annotated[
        int | None,
        typer.Option(
            "--lags", min=1, max=100, help="Past steps that may be parents, with --time; default 1."
        ),
    ] = None,
    every: Annotated[
        str | None,
        typer.Option("--every", help="Resample to steps of this length, such as 10s, 1h or 1mo."),
    ] = None,
    seed: Annotated[
        int, typer.Option("--seed", "-s", min=0, help="The same seed gives the same network.")
    ] = 0,
    jobs: Jobs = -1,
    force: Annotated[
        bool, typer.Option("--force", "-f", help="Replace the files of an earlier run.")
    ] = False,
    quiet: Quiet = False,
    as_json: AsJson = False,
) -> None:
    """Learn a network from a table, and write it with a picture and a report.

    bnsieve infers the role of every column (see `bnsieve describe`). Numeric columns stay numeric;
    methods that need categories bin them. Dates become parts. Constant columns, identifiers and
    free text are left out. Missing values are allowed. The summary lists every change.

    Writes graph.json, network.bif (numeric variables in bins), network.json (numeric variables in
    units, if there are any), edges.csv, graph.svg, run.json, report.html (a page to open in a
    browser) and the model itself, for ask, explain, update, predict and impute.
    """
    folder = output or Path(f"{data.name.split('.')[0].strip('-') or 'data'}-network")
    require_free(folder, force)
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
        lags,
        every,
    )
    with nullcontext() if quiet or not sys.stderr.isatty() else watch():
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


def update(
    folder: Annotated[Path, typer.Argument(help="The folder that `bnsieve learn` wrote.")],
    rows: Annotated[Path, typer.Argument(help="New rows: a file or folder, as for learn.")],
    output: Annotated[
        Path | None,
        typer.Option("--output", "-o", help="Folder to write to; default: the one given."),
    ] = None,
    jobs: Jobs = -1,
    quiet: Quiet = False,
    as_json: AsJson = False,
) -> None:
    """Add new rows to a learned model, and learn again.

    Columns are prepared as before. For a model learned from files too large for memory, only the
    new rows are read. A warning says when they differ so much that all rows should be learned from
    again.
    """
    if not folder.is_dir():
        raise ValueError(f"{folder} is not a folder: give the one that `bnsieve learn` wrote")
    if output is not None:
        require_free(output, force=False)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", UserWarning)
        model = open_model(str(folder))
        outcome, added = run.update(model.fitted(), model.record, rows, n_jobs=jobs)
    for warning in caught:
        say(f"warning: {warning.message}", err=True)
    updates = [*model.record.get("updates", ()), added]
    record, target = record_of(outcome) | {"updates": updates}, output or folder
    written = write_files(outcome, record, target)
    Phase.now = "done"
    if as_json:
        print_json(record)
    elif not quiet:
        lines = [*summary_of(outcome), ("written", f"{target}: {', '.join(written)}")]
        print_lines([("added", f"{added['rows']:,} rows of {rows}"), *lines])
