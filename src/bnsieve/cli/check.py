"""``bnsieve check``: new rows against a learned model."""

from pathlib import Path
from typing import Annotated

import typer

from bnsieve.check import SECTIONS
from bnsieve.cli.app import print_json, say
from bnsieve.cli.models import files_of, open_model, open_rows
from bnsieve.cli.options import AsJson, HeaderRow, MissingText, Model, Quiet, SheetName, Table
from bnsieve.cli.outputs import require_apart
from bnsieve.cli.run.run import Reading
from bnsieve.report import check_page
from bnsieve.text import listed, write_whole

CHANGED_CODE = 3
_NONE = "none"

EXAMPLES = {
    "check": (
        "bnsieve check data-network today.csv",
        "bnsieve check data-network today.parquet --target churn --json",
        "bnsieve check data-network today.csv -o today.html",
        "bnsieve check data-network today.csv --fail-on schema --fail-on mechanisms --quiet",
    ),
}


def check(
    folder: Model,
    rows: Table,
    target: Annotated[
        str | None,
        typer.Option("--target", "-t", help="Attribute a change of this variable to mechanisms."),
    ] = None,
    state: Annotated[
        str | None, typer.Option(help="The state of the target; by default the rarer one of two.")
    ] = None,
    level: Annotated[
        float, typer.Option(help="Share of batches with a false alarm, in each section.")
    ] = 0.05,
    fail_on: Annotated[
        list[str] | None,
        typer.Option(
            "--fail-on",
            help="Exit with code 3 only on changes of schema, margins, mechanisms or rows; may be "
            "repeated; none: never.",
        ),
    ] = None,
    output: Annotated[
        Path | None,
        typer.Option("--output", "-o", help="A page to write, .html, with the changes in colour."),
    ] = None,
    na: MissingText = None,
    sheet: SheetName = None,
    header_row: HeaderRow = None,
    quiet: Quiet = False,
    as_json: AsJson = False,
) -> None:
    """Compare new rows with the training rows: what changed, and which rows are odd.

    Columns, categories, ranges and missing values (schema); distributions (margins); distributions
    given the same parents (mechanisms); rows that are unlikely under the network. Exit code 0 if
    nothing changed, 3 if something did.
    """
    sections = _sections(fail_on)
    if output is not None:
        require_apart((output,), (*files_of(folder), rows), "-o")
    model = open_model(folder)
    learner = model.fitted()
    chosen = None if state is None or target is None else model.label(target, state)
    with open_rows(rows, model, Reading(tuple(na or ()), sheet, header_row)) as data:
        found = learner.check(data, level=level, target=target, state=chosen)
    if output is not None:
        write_whole(check_page(found, learner.dag_, rows.name), output)
    if as_json:
        print_json(found.to_dict())
    elif not quiet:
        say(str(found))
        if output is not None:
            say(f"\nwrote {output}: open it in a browser")
    if set(found.changed) & set(sections):
        raise typer.Exit(CHANGED_CODE)


def _sections(given: list[str] | None) -> tuple[str, ...]:
    """Return the sections whose changes end in exit code 3."""
    named = [one for text in given or () for one in text.split(",")]
    for one in named:
        if one not in (*SECTIONS, _NONE):
            raise typer.BadParameter(
                f"{one!r} must be {listed((*SECTIONS, _NONE))}", param_hint="--fail-on"
            )
    if not named:
        return SECTIONS
    return tuple(one for one in named if one != _NONE)
