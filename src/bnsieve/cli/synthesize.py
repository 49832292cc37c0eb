"""``bnsieve synthesize``: new rows with the columns and formats of the original table.

With ``--evaluate``, how good such rows are.
"""

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, Any

import pyarrow as pa
import typer
from rich.console import Console
from rich.progress import Progress

from bnsieve.cli.app import print_json, say
from bnsieve.cli.models import open_model
from bnsieve.cli.options import AsJson, Model, Quiet, RowCount, Seed, seed_or_new
from bnsieve.cli.outputs import require_apart
from bnsieve.engine import one_thread_each
from bnsieve.learners import synthesizer_of
from bnsieve.synthesize import Synthesizer, check_output, write_csv, write_tables
from bnsieve.text import counted

EXAMPLES = {
    "synthesize": (
        "bnsieve synthesize learned --rows 10000 -o rows.csv",
        "bnsieve synthesize learned -n 10000000 --seed 1 -o rows.parquet",
        "bnsieve synthesize learned -n 500 --where plan=pro --where age=30..40 -o rows.xlsx",
        "bnsieve synthesize learned --evaluate held-out.csv --target churn",
        "bnsieve synthesize learned --evaluate held-out.csv --training learned-from.csv --json",
    ),
}


def synthesize(
    folder: Model,
    rows: RowCount = 1000,
    where: Annotated[
        list[str] | None,
        typer.Option(
            help="A condition on all rows: plan=pro; age=30..40 for numbers and dates. Repeatable."
        ),
    ] = None,
    rare: Annotated[
        bool,
        typer.Option(
            "--rare", help="Draw rare categories that the fit grouped, and codes that repeat."
        ),
    ] = False,
    seed: Seed = None,
    output: Annotated[
        Path | None,
        typer.Option(
            "--output",
            "-o",
            help="A .csv, .parquet or .xlsx file; default: CSV to standard output.",
        ),
    ] = None,
    evaluate: Annotated[
        str | None,
        typer.Option(
            metavar="HELD_OUT",
            help="Write no rows, but measure how close as many are to these held-out rows.",
        ),
    ] = None,
    training: Annotated[
        str | None,
        typer.Option(
            metavar="ROWS",
            help="With --evaluate: the training rows; also search for copies of them.",
        ),
    ] = None,
    target: Annotated[
        str | None,
        typer.Option(
            metavar="VARIABLE",
            help="With --evaluate: predict this variable, trained on synthetic and on real rows.",
        ),
    ] = None,
    as_json: AsJson = False,
    quiet: Quiet = False,
) -> None:
    """Draw new rows with the columns, types and formats of the original table.

    Dates, steps of numbers, units and missing values look like the original ones. Identifiers are
    new, and free text is left out. Deterministic relations hold in every row. Rows are written in
    pieces, so any number of them fits in memory.

    The rows are drawn from the network, but this is no guarantee of privacy.

    --evaluate measures how close such rows come to held-out rows of the table, beside real rows.
    """
    model = open_model(folder)
    learner, settings = model.fitted(), model.record.get("settings", {})
    if settings.get("target") is not None:
        raise ValueError(
            f"{folder} was learned with --target {settings['target']} and has only some of the "
            "columns: run `bnsieve learn` without --target to make rows of all"
        )
    if evaluate is not None:
        if where or rare or output is not None:
            raise ValueError("--evaluate writes no rows: leave out --where, --rare and -o")
        evaluation = learner.evaluate_synthetic(
            evaluate, training, target=target, random_state=seed
        )
        if as_json:
            print_json(evaluation.to_dict())
        else:
            say(str(evaluation))
        return
    for option, given in (("--training", training), ("--target", target), ("--json", as_json)):
        if given:
            raise ValueError(f"{option} goes with --evaluate: name the held-out rows there")
    synthesizer = synthesizer_of(learner)
    seed = seed_or_new(seed)
    if output is not None:
        check_output(output, rows)
        learned_from = settings.get("data")
        if learned_from is not None:
            origin = "the network was learned from it"
            require_apart((output,), (Path(learned_from),), "-o", origin)
    conditions = read_where(where, [column.name for column in synthesizer.record.columns])
    with one_thread_each():
        made = _with_bar(
            synthesizer.tables(rows, conditions, seed, "drawn" if rare else "grouped"), rows
        )
        _write(synthesizer, made, output)
    if quiet:
        return
    place = "standard output" if output is None else output
    n_columns = len(synthesizer.record.columns) - len(synthesizer.left_out)
    say(
        f"{counted(rows, 'row')} of {counted(n_columns, 'column')} written to {place} "
        f"(seed {seed})",
        err=True,
    )
    for name, why in synthesizer.left_out.items():
        say(f"{name} is left out: {why}", err=True)


def _write(synthesizer: Synthesizer, made: Iterator[pa.Table], output: Path | None) -> None:
    if output is None:
        write_csv(made, synthesizer.no_rows(), synthesizer.record, sys.stdout.buffer)
    else:
        write_tables(made, synthesizer.no_rows(), synthesizer.record, output)


def read_where(texts: list[str] | None, names: list[str]) -> dict[str, Any]:
    """Read conditions such as ``plan=pro`` and ``age=30..40``; names may hold "="."""
    found: dict[str, Any] = {}
    for text in texts or ():
        known = [name for name in names if text.startswith(f"{name}=")]
        name = max(known, key=len) if known else text.partition("=")[0]
        value = text[len(name) + 1 :]
        if not text[len(name) :].startswith("=") or not value:
            raise ValueError(f"--where takes column=value or column=low..high, got {text!r}")
        if name in found:
            raise ValueError(f"--where names {name!r} twice: give a range as {name}=low..high")
        low, dots, high = value.partition("..")
        found[name] = (low, high) if dots and low and high else value
    return found


def _with_bar(tables: Iterator[pa.Table], n_rows: int) -> Iterator[pa.Table]:
    """Yield the same, with a progress bar on a terminal."""
    console = Console(stderr=True)
    with Progress(console=console, transient=True, disable=not console.is_terminal) as progress:
        task = progress.add_task("making rows", total=n_rows)
        for table in tables:
            yield table
            progress.advance(task, table.num_rows)
