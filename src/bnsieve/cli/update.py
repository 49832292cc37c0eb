"""``bnsieve update`` and ``bnsieve impute``: a saved model and other rows."""

import warnings
from pathlib import Path
from typing import Annotated

import typer

from bnsieve.cli.app import AsJson, examples, print_json, print_lines
from bnsieve.cli.explain import Folder
from bnsieve.report import (
    impute_rows,
    load_run,
    require_free,
    summary_of,
    update_run,
    write_files,
)
from bnsieve.rows import at_rest, read_rows, write_frame


def add_to(app: typer.Typer) -> None:
    """Add the commands of this module to the application."""
    app.command(
        epilog=examples(
            "bnsieve update data-network may.csv",
            "bnsieve update data-network may.csv -o with-may",
        )
    )(update)
    app.command(
        epilog=examples(
            "bnsieve impute data-network data.csv -o filled.csv",
            "bnsieve impute data-network data.csv -o filled.csv --seed 1",
        )
    )(impute)


def update(
    folder: Folder,
    rows: Annotated[Path, typer.Argument(help="New rows: a file or folder, as for learn.")],
    output: Annotated[
        Path | None,
        typer.Option("--output", "-o", help="Folder to write to; default: the one given."),
    ] = None,
    jobs: Annotated[
        int, typer.Option("--jobs", "-j", help="Threads; -1: all. Never changes the result.")
    ] = -1,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="Print errors only.")] = False,
    as_json: AsJson = False,
) -> None:
    """Add new rows to those that a model was learned from, and decide again.

    Columns are left out and cut as before. Of a model learned from files too large for memory only
    the new rows are read; a warning says when they are so different that all should be learned
    from again.
    """
    if not folder.is_dir():
        raise ValueError(f"{folder} is not a folder: give the one that `bnsieve learn` wrote")
    if output is not None:
        require_free(output, force=False)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", UserWarning)
        outcome, record = update_run(load_run(folder), rows, n_jobs=jobs)
    for warning in caught:
        typer.echo(f"warning: {warning.message}", err=True)
    target = output or folder
    written = write_files(outcome, record, target)
    if as_json:
        print_json(record)
    elif not quiet:
        added = record["updates"][-1]["rows"]
        lines = [*summary_of(outcome), ("written", f"{target}: {', '.join(written)}")]
        print_lines([("added", f"{added:,} rows of {rows}"), *lines])


def impute(
    folder: Folder,
    rows: Annotated[Path, typer.Argument(help="Rows with missing cells, as for learn.")],
    output: Annotated[
        Path, typer.Option("--output", "-o", help="A .csv, .parquet or .xlsx file to write.")
    ],
    seed: Annotated[
        int, typer.Option("--seed", "-s", min=0, help="The same seed fills in the same labels.")
    ] = 0,
) -> None:
    """Fill the missing cells of rows by a learned network.

    Each is drawn given the cells that are known in its row, so that frequencies and associations
    stay as they are. Known cells, and columns that were not learned from, stay as they are.
    """
    run = load_run(folder)
    missing = tuple(run.record.get("settings", {}).get("missing_texts", ()))
    with at_rest(rows) as path:
        read = read_rows(path, missing)
    if read.frame is None:
        raise ValueError(f"{rows} is too large for memory: fill its missing cells part by part")
    filled, n_cells = impute_rows(run.learner, read.frame, seed)
    write_frame(filled, output)
    typer.echo(f"filled {n_cells:,} cells of {len(filled):,} rows, written to {output}", err=True)
