"""``bnsieve compare``: how far a learned graph is from the true one."""

from typing import Annotated

import typer

from bnsieve import metrics
from bnsieve.cli.app import AsJson, examples, print_grid, print_json
from bnsieve.cli.named import load
from bnsieve.graph import Graph
from bnsieve.metrics import DistanceKind, with_nodes_of
from bnsieve.network import BayesianNetwork

_OPERAND = "A file of a graph or network, or a name that `bnsieve networks` lists."


def add_to(app: typer.Typer) -> None:
    """Add the commands of this module to the application."""
    app.command(
        epilog=examples(
            "bnsieve compare alarm learned.csv",
            "bnsieve compare truth.bif learned.bif --distance parent --json",
        )
    )(compare)


def compare(
    truth: Annotated[str, typer.Argument(help=_OPERAND)],
    learned: Annotated[str, typer.Argument(help=_OPERAND)],
    distance: Annotated[
        DistanceKind | None,
        typer.Option(help="Count wrong causal effects too; needs bnsieve with the extra distance."),
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Measure how far a learned graph is from the true one.

    Precision, recall, F1 and skeleton SHD look at edges whatever their direction; SHD (of the
    CPDAGs), arrowheads and v-structures compare what data can tell about direction.

    An edge list is a CSV file with the columns from and to; an undirected edge is listed in both
    directions. Nodes that only the other graph names count as nodes without edges.
    """
    true_content, learned_content = load(truth), load(learned)
    true_graph, learned_graph = _graph(true_content), _graph(learned_content)
    if isinstance(learned_content, Graph):
        learned_graph = with_nodes_of(learned_graph, true_graph)
    if isinstance(true_content, Graph):
        true_graph = with_nodes_of(true_graph, learned_graph)
    result = metrics.compare(true_graph, learned_graph).to_dict()
    if distance is not None:
        effects = metrics.intervention_distance(true_graph, learned_graph, kind=distance)
        result[f"{distance}_mistakes"] = effects.mistakes
        result[f"{distance}_fraction"] = effects.fraction
    if as_json:
        print_json(result)
        return
    rows = [
        [name.replace("_", " "), f"{value:.3f}" if isinstance(value, float) else f"{value}"]
        for name, value in result.items()
    ]
    print_grid(["measure", "value"], rows, numbers_from=1)


def _graph(content: BayesianNetwork | Graph) -> Graph:
    return content if isinstance(content, Graph) else content.graph
