"""``bnsieve report``: the report page of a run, or two graphs side by side."""

from pathlib import Path
from typing import Annotated

import typer

from bnsieve.cli.app import say
from bnsieve.cli.models import files_of, open_model, resolve
from bnsieve.cli.outputs import require_apart
from bnsieve.cli.run.files import REPORT, page_of
from bnsieve.cli.run.run import RunResult, RunSettings
from bnsieve.graph import Graph
from bnsieve.report import comparison_page
from bnsieve.text import write_whole

EXAMPLES = {
    "report": (
        "bnsieve report data-network",
        "bnsieve report data-network -o for-the-team.html",
        "bnsieve report --compare first second -o changes.html",
    )
}


def report(
    folder: Annotated[
        str | None,
        typer.Argument(help="A folder that `bnsieve learn` wrote, or a saved learner."),
    ] = None,
    compare: Annotated[
        tuple[str, str] | None,
        typer.Option(
            "--compare", help="Compare two folders, files of graphs or names of networks."
        ),
    ] = None,
    output: Annotated[
        Path | None,
        typer.Option(
            "--output", "-o", help="Default: report.html in the folder, or compare.html here."
        ),
    ] = None,
) -> None:
    """Write a report page to open in a browser; it works offline.

    It shows the graph, a summary with the reliability of the result, the support of each edge, the
    probability tables, the preparation of the columns, answers to queries, and how to repeat the
    run. With --compare, it shows two graphs side by side: the edges that both have, and those that
    the second lost, gained and turned.
    """
    if compare is not None and folder is None:
        path = output or Path("compare.html")
        require_apart((path,), [file for one in compare for file in files_of(one)], "-o")
        first, second = map(_graph_of, compare)
        text = comparison_page(first, second, *compare)
        write_whole(text, path)
    elif folder is not None and compare is None:
        place = Path(folder)
        path = output or (place / REPORT if place.is_dir() else place.with_suffix(".html"))
        require_apart((path,), files_of(folder), "-o")
        model = open_model(folder)
        learner = model.fitted()
        if model.record:
            outcome = RunResult.of(learner, RunSettings.of_record(model.record["settings"]))
            text = page_of(outcome, model.record)
            write_whole(text, path)
        else:
            learner.report(path)
    else:
        raise typer.BadParameter("give a folder, or --compare and two of them")
    say(f"wrote {path}: open it in a browser")


def _graph_of(argument: str) -> Graph:
    model = resolve(argument)
    if isinstance(model, Graph):
        return model
    # A network's DAG has directions that no data could tell, which would look turned.
    return model.graph.to_cpdag() if model.graph is model.network.graph else model.graph
