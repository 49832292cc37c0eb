"""``bnsieve forecast``: the next steps of each series, from its last rows."""

import re
from pathlib import Path
from typing import Annotated, Any

import typer

from bnsieve.cli.app import print_json, say
from bnsieve.cli.models import files_of, open_model, read_frame
from bnsieve.cli.options import AsJson, HeaderRow, MissingText, Model, Quiet, SheetName, Table
from bnsieve.cli.outputs import require_apart
from bnsieve.cli.run.run import Reading
from bnsieve.learners import TsetlinSieve
from bnsieve.rows import write_frame
from bnsieve.text import counted

EXAMPLES = {
    "forecast": (
        "bnsieve forecast readings-network recent.csv --steps 12",
        "bnsieve forecast readings-network recent.csv --do valve@t+1=open -o forecast.csv",
        "bnsieve forecast readings-network recent.csv --given demand@t+2=high --json",
    ),
}

_FUTURE = re.compile(r"(?P<name>.+?)(?:@(?P<step>t\+\d+))?=(?P<value>.*)", re.DOTALL)


def forecast(
    folder: Model,
    rows: Table,
    steps: Annotated[int, typer.Option("--steps", "-n", help="Steps after the last row.")] = 12,
    output: Annotated[
        Path | None,
        typer.Option("--output", "-o", help="The .csv file to write, or .svg for a picture."),
    ] = None,
    do: Annotated[
        list[str] | None,
        typer.Option(help="Set a variable: valve@t+1=open, or valve=open in all steps."),
    ] = None,
    given: Annotated[
        list[str] | None, typer.Option(help="Evidence of a future step, in the same form.")
    ] = None,
    interval: Annotated[float, typer.Option(help="The level of the intervals.")] = 0.9,
    paths: Annotated[int, typer.Option(help="The number of paths drawn for each series.")] = 1000,
    seed: Annotated[int, typer.Option("--seed", "-s", min=0, help="Seed of the paths.")] = 0,
    na: MissingText = None,
    sheet: SheetName = None,
    header_row: HeaderRow = None,
    quiet: Quiet = False,
    as_json: AsJson = False,
) -> None:
    """Forecast the next steps of each series from its last rows.

    Writes a line for each series, step and numeric variable (mean, median, ends of the interval),
    or state of a categorical variable (probability). Missing values are simulated, given the values
    known before and after them. The network must have been learned with --time.
    """
    if output is not None:
        require_apart((output,), (*files_of(folder), rows), "-o")
    model = open_model(folder)
    learner = model.fitted()
    if not isinstance(learner, TsetlinSieve):
        raise ValueError("forecasts need a network that was learned with --time")
    history = read_frame(rows, model, Reading(tuple(na or ()), sheet, header_row))
    found = learner.forecast(
        history, steps, do=_future(do, "--do"), given=_future(given, "--given"),
        interval=interval, n_paths=paths, random_state=seed,
    )  # fmt: skip
    if output is not None and output.suffix == ".svg":
        found.plot(output)
    elif output is not None:
        write_frame(found.to_frame(), output)
    if as_json:
        print_json(found.to_dict())
    elif not quiet:
        written = output is not None and output.suffix != ".svg"
        where = f"{output} has all of them" if written else "-o FILE.csv writes all of them"
        say(found.in_words(where))
        if output is not None:
            say(f"{counted(len(found.entities), 'series', 'series')} written to {output}")


def _future(texts: list[str] | None, option: str) -> dict[str, list[Any]]:
    """Read texts such as ``valve@t+1=open``; without a step it is in all steps."""
    found: dict[str, list[Any]] = {}
    for text in texts or ():
        match = _FUTURE.fullmatch(text)
        if match is None:
            raise ValueError(f"{option} takes variable@t+1=value or variable=value, got {text!r}")
        value = match["value"]
        said = value if match["step"] is None else (match["step"], value)
        found.setdefault(match["name"], []).append(said)
    return found
