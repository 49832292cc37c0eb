"""``bnsieve report``: the page to open in a browser, made again; or two graphs side by side."""

from pathlib import Path
from typing import Annotated

import typer

from bnsieve.cli.app import examples, say
from bnsieve.cli.learned import open_learned
from bnsieve.cli.named import load
from bnsieve.cli.run import REPORT, load_run, write_report
from bnsieve.graph import Graph
from bnsieve.report import comparison_page


def add_to(app: typer.Typer) -> None:
    """Add the commands of this module to the application."""
    app.command(
        epilog=examples(
            "bnsieve report data-network",
            "bnsieve report data-network -o for-the-team.html",
            "bnsieve report --compare first second -o changes.html",
        )
    )(report)


def report(
    folder: Annotated[
        Path | None,
        typer.Argument(help="The folder that `bnsieve learn` wrote, or a saved learner."),
    ] = None,
    compare: Annotated[
        tuple[str, str] | None,
        typer.Option(
            "--compare", help="Two folders, files of graphs or names of networks, instead."
        ),
    ] = None,
    output: Annotated[
        Path | None,
        typer.Option(
            "--output", "-o", help="Default: report.html in the folder, or compare.html here."
        ),
    ] = None,
) -> None:
    """Write a page to open in a browser: one file, which works offline.

    The picture, what was learned and how far to trust it, the evidence of each edge, the tables,
    what was done to the columns, answers, and how to repeat it. With --compare, two graphs side by
    side: what both have, what the second lost, gained and turned.
    """
    if compare is not None and folder is None:
        path = output or Path("compare.html")
        first, second = (_graph_of(one) for one in compare)
        text = comparison_page(first, second, *compare)
        path.write_text(text, encoding="utf-8", newline="\n")
    elif folder is not None and compare is None:
        path = output or (folder / REPORT if folder.is_dir() else folder.with_suffix(".html"))
        write_report(load_run(folder), path)
    else:
        raise typer.BadParameter("give a folder, or --compare and two of them")
    say(f"wrote {path}: open it in a browser")


def _graph_of(argument: str) -> Graph:
    path = Path(argument)
    if path.is_dir() or path.suffix == ".bnsieve":
        return open_learned(argument).graph
    content = load(argument)
    # Of a network, what rows could tell: otherwise arrows that none can tell would look turned.
    return content if isinstance(content, Graph) else content.graph.to_cpdag()
