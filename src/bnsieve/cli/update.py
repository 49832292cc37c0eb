"""``bnsieve update``: a saved model and more rows."""

import warnings
from pathlib import Path
from typing import Annotated

import typer

from bnsieve.cli.app import AsJson, examples, print_json, print_lines, say
from bnsieve.cli.explain import Folder
from bnsieve.cli.process import Phase
from bnsieve.cli.run import (
    load_run,
    require_free,
    summary_of,
    update_run,
    write_files,
)


def add_to(app: typer.Typer) -> None:
    """Add the commands of this module to the application."""
    app.command(
        epilog=examples(
            "bnsieve update data-network may.csv",
            "bnsieve update data-network may.csv -o with-may",
        )
    )(update)


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
        say(f"warning: {warning.message}", err=True)
    target = output or folder
    written = write_files(outcome, record, target)
    Phase.now = "done"
    if as_json:
        print_json(record)
    elif not quiet:
        added = record["updates"][-1]["rows"]
        lines = [*summary_of(outcome), ("written", f"{target}: {', '.join(written)}")]
        print_lines([("added", f"{added:,} rows of {rows}"), *lines])
