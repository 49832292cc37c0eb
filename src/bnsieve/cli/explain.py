"""``bnsieve explain``: why two columns are joined, or why not."""

from pathlib import Path
from typing import Annotated

import typer

from bnsieve.cli.app import AsJson, examples, print_json, say
from bnsieve.cli.run import load_run

Folder = Annotated[
    Path, typer.Argument(help="The folder that `bnsieve learn` wrote, or a saved learner.")
]


def add_to(app: typer.Typer) -> None:
    """Add the commands of this module to the application."""
    app.command(
        epilog=examples(
            "bnsieve explain data-network smoker copd",
            "bnsieve explain data-network smoker copd --json",
        )
    )(explain)


def explain(
    folder: Folder,
    x: Annotated[str, typer.Argument(metavar="A", help="A column.")],
    y: Annotated[str, typer.Argument(metavar="B", help="Another column.")],
    as_json: AsJson = False,
) -> None:
    """Say why two columns are joined, or why they are not.

    Association, what each says about the other beside all columns, independence tests, what the
    edge is worth to the score, how many replicates have it, and the rules in which they meet.
    """
    run = load_run(folder)
    for column in (x, y):
        run.require(column)
    evidence = run.learner.explain(x, y)
    if as_json:
        print_json(evidence.to_dict())
        return
    say(str(evidence))
