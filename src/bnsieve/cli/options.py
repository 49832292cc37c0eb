"""Options and arguments that several commands share, and how their texts are read."""

from pathlib import Path
from typing import Annotated, Literal

import numpy as np
import typer

from bnsieve.table import MAX_LAGS

AsJson = Annotated[bool, typer.Option("--json", help="Print JSON, for another program to read.")]
Quiet = Annotated[bool, typer.Option("--quiet", "-q", help="Print errors only.")]
Jobs = Annotated[
    int, typer.Option("--jobs", "-j", help="Threads; -1: all. Never changes the result.")
]
Table = Annotated[
    Path, typer.Argument(help="A CSV, Parquet or Excel file, or a folder; - for piped CSV.")
]
SheetName = Annotated[
    str | None,
    typer.Option("--sheet", help="The sheet of an Excel workbook; default: the first."),
]
HeaderRow = Annotated[
    int | None,
    typer.Option("--header-row", min=1, help="The row of the sheet that names the columns."),
]
Model = Annotated[
    str,
    typer.Argument(
        help="A folder that `bnsieve learn` wrote, a file of a network or a saved learner, or a "
        "name that `bnsieve networks` lists."
    ),
]
ModelOrGraph = Annotated[
    str,
    typer.Argument(
        help="A folder that `bnsieve learn` wrote, a file of a network, a graph or a saved "
        "learner, or a name that `bnsieve networks` lists."
    ),
]
Drop = Annotated[
    list[str] | None, typer.Option("--drop", help="Leave out columns: a,b; may be repeated.")
]
Keep = Annotated[
    list[str] | None, typer.Option("--keep", help="Use columns that look like identifiers: a,b.")
]
MissingText = Annotated[
    list[str] | None,
    typer.Option(
        "--na", help="A text that means a missing value, such as '?'; age=-9,999 in one column."
    ),
]
RoleOf = Annotated[
    list[str] | None,
    typer.Option(
        "--role",
        help="Override the role of a column: COLUMN=category, quantity, code, date, identifier, "
        "text, blank or spelling.",
    ),
]
CutAt = Annotated[
    list[str] | None, typer.Option("--cut", help="Bin edges of a numeric column: bmi=18.5,25,30.")
]

RowCount = Annotated[int, typer.Option("--rows", "-n", min=1, help="The number of rows.")]
Seed = Annotated[
    int | None,
    typer.Option(
        "--seed", "-s", min=0, help="The same seed gives the same rows; default: a new one."
    ),
]

TimeColumn = Annotated[
    str | None,
    typer.Option("--time", help="The time column: learn from rows in order of time."),
]
EntityColumn = Annotated[
    str | None,
    typer.Option("--by", help="The entity column, such as machine, patient or customer."),
]


def seed_or_new(seed: int | None) -> int:
    """Return the seed that was given, or a new one to print."""
    return int(np.random.SeedSequence().generate_state(1)[0]) if seed is None else seed


def roles_of(given: list[str] | None) -> dict[str, str]:
    """Read options such as ``zip=code``; ``a,b=code`` names two columns."""
    return dict(_split(text, "--role", "COLUMN=ROLE") for text in given or ())


def bin_edges_of(given: list[str] | None) -> dict[str, tuple[float, ...]]:
    """Read options such as ``bmi=18.5,25,30``."""
    bin_edges = {}
    for text in given or ():
        name, numbers = _split(text, "--cut", "COLUMN=NUMBER,NUMBER")
        try:
            bin_edges[name] = tuple(float(number) for number in numbers.split(","))
        except ValueError:
            raise typer.BadParameter(
                f"{numbers!r} must be numbers with commas between them", param_hint="--cut"
            ) from None
    return bin_edges


def lags_of(given: str | None) -> int | Literal["auto"] | None:
    """Read ``--lags``: a number, or auto."""
    if given is None or given == "auto":
        return given  # type: ignore[return-value]
    if not (given.isascii() and given.isdigit() and 1 <= int(given) <= MAX_LAGS):
        raise typer.BadParameter(
            f"{given!r} must be a whole number from 1 to {MAX_LAGS}, or auto", param_hint="--lags"
        )
    return int(given)


def _split(text: str, option: str, form: str) -> tuple[str, str]:
    name, sign, value = text.rpartition("=")
    if not sign or not name or not value:
        raise typer.BadParameter(f"{text!r} must be {form}", param_hint=option)
    return name, value
