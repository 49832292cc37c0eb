"""A comparison as a notebook shows it.

In: the measures, the true graph and the learned one. Out: HTML, with one picture of both
graphs: the edges of the learned one, and as dashed lines those that it misses.
"""

from collections.abc import Mapping

from bnsieve.graph import Fate, Graph, part_to_draw
from bnsieve.metrics.differences import EdgeDifferences, differences
from bnsieve.text import NotebookTable, notebook_html


def comparison_html(
    measures: Mapping[str, float], truth: Graph | None, learned: Graph | None
) -> str:
    """Return the HTML of a comparison; without a picture if the graphs are not known."""
    heading = (
        f"{measures['correct_edges']:,} edges right, {measures['missing_edges']:,} missing, "
        f"{measures['wrong_edges']:,} extra; F1 {measures['f1']:.2f}, SHD {measures['shd']:,}"
    )
    picture = note = ""
    tables = []
    if truth is not None and learned is not None:
        differing = differences(truth, learned)
        both, fates = _both(learned, differing)
        part, note = part_to_draw(both)
        picture = part.plot(fates=fates).svg if part.n_nodes else ""
        rows = [("missing", str(edge), "") for edge in differing.missing]
        rows += [("extra", "", str(edge)) for edge in differing.extra]
        rows += [("turned", str(true), str(own)) for true, own in differing.turned]
        title = f"{differing.n:,} {'edge differs' if differing.n == 1 else 'edges differ'}"
        tables.append(NotebookTable(title, ("", "true", "learned"), rows))
    values = [
        (name.replace("_", " "), f"{value:.3f}" if isinstance(value, float) else f"{value}")
        for name, value in measures.items()
    ]
    tables.append(NotebookTable("All measures", (), values))
    return notebook_html(heading, note=note, picture=picture, tables=tables)


def _both(learned: Graph, differing: EdgeDifferences) -> tuple[Graph, dict[frozenset[str], Fate]]:
    """Return a graph with the edges of both, and what became of each edge."""
    missing = [(edge.tail, edge.head) for edge in differing.missing]
    fates: dict[frozenset[str], Fate] = {frozenset(pair): "agreed" for pair in learned.edges}
    fates |= {frozenset(pair): "missing" for pair in missing}
    fates |= {frozenset((edge.tail, edge.head)): "extra" for edge in differing.extra}
    fates |= {frozenset((own.tail, own.head)): "turned" for _, own in differing.turned}
    # Lines, because an arrow that is missing may close a cycle with those that are there.
    lines = [*learned.undirected_edges, *missing]
    return Graph(learned.nodes, learned.directed_edges, lines), fates
