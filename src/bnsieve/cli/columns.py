"""Options that say what columns are: the same for every command that reads a table."""

from typing import Annotated

import typer

Drop = Annotated[
    list[str] | None, typer.Option("--drop", help="Leave out columns: a,b; may be repeated.")
]
Keep = Annotated[
    list[str] | None,
    typer.Option("--keep", help="Use columns that look like identifiers: a,b."),
]
MissingText = Annotated[
    list[str] | None,
    typer.Option("--na", help="A text that stands for a missing cell, such as '?'."),
]
RoleOf = Annotated[
    list[str] | None,
    typer.Option(
        "--role",
        help="What a column is: COLUMN=category, quantity, code, date, identifier, text or blank.",
    ),
]
CutAt = Annotated[
    list[str] | None, typer.Option("--cut", help="Where to cut numbers: bmi=18.5,25,30.")
]


def roles_of(given: list[str] | None) -> dict[str, str]:
    """Read options such as ``zip=code``; ``a,b=code`` is of two columns."""
    return dict(_parted(one, "--role", "COLUMN=ROLE") for one in given or ())


def cuts_of(given: list[str] | None) -> dict[str, tuple[float, ...]]:
    """Read options such as ``bmi=18.5,25,30``."""
    cuts = {}
    for one in given or ():
        name, numbers = _parted(one, "--cut", "COLUMN=NUMBER,NUMBER")
        try:
            cuts[name] = tuple(float(number) for number in numbers.split(","))
        except ValueError:
            raise typer.BadParameter(
                f"{numbers!r} are no numbers with commas between them", param_hint="--cut"
            ) from None
    return cuts


def _parted(text: str, option: str, form: str) -> tuple[str, str]:
    name, sign, value = text.rpartition("=")
    if not sign or not name or not value:
        raise typer.BadParameter(f"{text!r} must be {form}", param_hint=option)
    return name, value
