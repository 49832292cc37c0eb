"""``bnsieve describe``: what each column of a table is taken for, without learning."""

from pathlib import Path
from typing import Annotated

import typer

from bnsieve import prepare
from bnsieve.cli.app import AsJson, examples, print_grid, print_json, say
from bnsieve.cli.columns import CutAt, Drop, Keep, MissingText, RoleOf, cuts_of, roles_of
from bnsieve.table.prepare import ColumnPlan, Preparation, changes_of
from bnsieve.text import shortened

# What a column may take of the screen.
_WIDE, _NARROW = 34, 24


def add_to(app: typer.Typer) -> None:
    """Add the commands of this module to the application."""
    app.command(
        epilog=examples(
            "bnsieve describe data.csv",
            "bnsieve describe rows.parquet --json",
            "bnsieve describe data.csv --role zip=code --cut bmi=18.5,25,30 --save plan.json",
        )
    )(describe)


def describe(
    data: Annotated[
        Path, typer.Argument(help="A CSV file, a Parquet file or a folder of one; - for piped CSV.")
    ],
    drop: Drop = None,
    keep: Keep = None,
    na: MissingText = None,
    role: RoleOf = None,
    cut: CutAt = None,
    save: Annotated[
        Path | None, typer.Option("--save", help="Write the preparation to a JSON file.")
    ] = None,
    jobs: Annotated[
        int, typer.Option("--jobs", "-j", help="Threads; -1: all. Never changes the result.")
    ] = -1,
    as_json: AsJson = False,
) -> None:
    """Show what each column of a table is taken for, and what `bnsieve learn` does about it.

    All rows are looked at, however many. Nothing is learned.
    """
    plan = prepare(
        data,
        roles=roles_of(role),
        cut=cuts_of(cut),
        missing_texts=na or (),
        drop=drop or (),
        keep=keep or (),
        n_jobs=jobs,
    )
    if save is not None:
        plan.save(save)
    if as_json:
        columns = [one.facts() for one in plan.columns]
        print_json({"rows": plan.n_rows, "columns": columns})
        return
    say(f"{plan.n_rows:,} rows, {len(plan.columns):,} columns\n")
    headers = ["column", "taken for", "what is done", "examples", "levels", "missing"]
    rows = [_row(one, plan) for one in plan.columns]
    print_grid(headers, rows, numbers_from=4)
    told = [
        f"{change.column}: {change.why}"
        for change in changes_of(plan)
        if change.what in ("dropped", "odd", "note")
    ]
    if told:
        say("\n".join(["", *told]))


def _row(column: ColumnPlan, plan: Preparation) -> list[str]:
    if column.role == "dropped":
        return [shortened(column.name, _NARROW), "", "left out, as asked", "", "", ""]
    share = column.n_missing / max(1, plan.n_rows)
    return [
        shortened(column.name, _NARROW),
        column.role,
        shortened(column.what, _WIDE),
        shortened(", ".join(column.examples), _NARROW),
        f"{'' if column.exact else 'about '}{column.n_levels:,}",
        f"{column.n_missing:,} ({share:.1%})" if column.n_missing else "",
    ]
