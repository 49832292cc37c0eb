"""``bnsieve compare``: how far a learned graph is from the true one."""

from collections.abc import Iterable
from typing import Annotated, Any

import typer

from bnsieve import metrics
from bnsieve.cli.app import print_grid, print_json, say
from bnsieve.cli.models import resolve
from bnsieve.cli.options import AsJson, ModelOrGraph
from bnsieve.graph import Graph
from bnsieve.metrics import DistanceKind, EdgeDifferences, with_nodes_of

# So that all fits a screen or two; --json lists all.
_SHOWN = 20
# The paper's word for isolated nodes would read as if columns were lost.
_SAID = {"missing_nodes": "isolated nodes"}


EXAMPLES = {
    "compare": (
        "bnsieve compare alarm learned.csv",
        "bnsieve compare truth.bif learned.bif --distance parent --json",
    )
}


def compare(
    truth: ModelOrGraph,
    learned: ModelOrGraph,
    distance: Annotated[
        DistanceKind | None,
        typer.Option(help="Count wrong causal effects too; needs bnsieve with the extra distance."),
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Measure how far a learned graph is from the true one.

    Precision, recall, F1 and skeleton SHD ignore directions; SHD (of the CPDAGs), arrowheads and
    v-structures compare the directions that data can identify. So do the lists of edges: missing,
    extra, or turned (reversed, or directed in one graph only).

    An edge list is a CSV file with the columns from and to; an undirected edge is listed in both
    directions. A node that only the other graph has counts as isolated.
    """
    models = [resolve(argument) for argument in (truth, learned)]
    graphs = [model if isinstance(model, Graph) else model.graph for model in models]
    true_graph, learned_graph = with_nodes_of(*graphs), with_nodes_of(*reversed(graphs))
    if not set(graphs[0].nodes) & set(graphs[1].nodes):
        raise ValueError(f"{truth} and {learned} have no node in common: check the names")
    result: dict[str, Any] = metrics.compare(true_graph, learned_graph).to_dict()
    if distance is not None:
        effects = metrics.intervention_distance(true_graph, learned_graph, kind=distance)
        result[f"{distance}_mistakes"] = effects.mistakes
        result[f"{distance}_fraction"] = effects.fraction
    differing = metrics.differences(true_graph, learned_graph)
    alone = {
        "nodes_only_in_truth": sorted(set(graphs[0].nodes) - set(graphs[1].nodes)),
        "nodes_only_in_learned": sorted(set(graphs[1].nodes) - set(graphs[0].nodes)),
    }
    if as_json:
        print_json(result | {"edges": differing.to_dict()} | alone)
        return
    rows = [
        [
            _SAID.get(name, name.replace("_", " ")),
            f"{value:.3f}" if isinstance(value, float) else f"{value}",
        ]
        for name, value in result.items()
    ]
    print_grid(["measure", "value"], rows, numbers_from=1)
    listed = [[what, text] for what, texts in _lists(differing, alone) for text in _few(texts)]
    if listed:
        say()
        print_grid(["differs", "where"], listed, numbers_from=2)


def _lists(
    differing: EdgeDifferences, alone: dict[str, list[str]]
) -> Iterable[tuple[str, list[str]]]:
    yield "missing edge", [str(edge) for edge in differing.missing]
    yield "extra edge", [str(edge) for edge in differing.extra]
    yield "turned edge", [f"{true}, learned as {own}" for true, own in differing.turned]
    for what, names in alone.items():
        yield what.replace("_", " "), names


def _few(texts: list[str]) -> list[str]:
    if len(texts) <= _SHOWN:
        return texts
    return [*texts[:_SHOWN], f"... and {len(texts) - _SHOWN:,} more, which --json lists"]
