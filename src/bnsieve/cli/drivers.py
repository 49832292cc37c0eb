"""``bnsieve drivers``: what carries information about a variable, and what may drive it."""

from pathlib import Path
from typing import Annotated

import typer

from bnsieve.cli.app import print_json, say
from bnsieve.cli.models import open_model
from bnsieve.cli.options import AsJson, Model, Quiet
from bnsieve.cli.run.files import write_drivers
from bnsieve.explain import find_drivers

EXAMPLES = {
    "drivers": (
        "bnsieve drivers data-network churn",
        "bnsieve drivers data-network outcome --state died",
        "bnsieve drivers data-network churn --output churn-drivers --json",
    ),
}


def drivers(
    folder: Model,
    target: Annotated[str, typer.Argument(help="The variable whose drivers to rank.")],
    state: Annotated[
        str | None,
        typer.Option(
            help="The state of the target; default: the rarer of two, or the one that changes most."
        ),
    ] = None,
    interval: Annotated[float, typer.Option(help="The level of the intervals.")] = 0.9,
    output: Annotated[
        Path | None,
        typer.Option("--output", "-o", help="Folder to write to; default: the one given."),
    ] = None,
    quiet: Quiet = False,
    as_json: AsJson = False,
) -> None:
    """Rank the variables that carry information about a target, with adjusted differences.

    Shows for each variable the difference between two settings with an interval, the share of the
    target's uncertainty that it explains, its path to the target, the reliability of that
    direction, and whether it may be recorded after the target. Writes drivers.csv and tornado.svg,
    a picture of the differences, to the folder.
    """
    model = open_model(folder)
    chosen = None if state is None else model.label(target, state)
    if model.learner is not None:
        found = model.learner.drivers(target, chosen, interval=interval)
    else:
        found = find_drivers(model.network, target, chosen, level=interval)
    place = output if output is not None else Path(folder)
    written = write_drivers(found, place) if output is not None or place.is_dir() else ()
    if as_json:
        print_json(found.to_dict())
    elif not quiet:
        say(str(found))
        if written:
            say(f"written to {place}: {', '.join(written)}")
