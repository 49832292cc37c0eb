"""Two graphs side by side: what both have, what the second lost, gained and turned.

In: two graphs. Out: the text of an HTML file. Both pictures have one layout, so that a node stands
in the same place in both.
"""

from collections import Counter
from dataclasses import dataclass
from typing import Literal

from bnsieve.graph import MAX_NODES, Graph
from bnsieve.report.picture import Line, Picture, boxes_of, drawn, size_of
from bnsieve.report.writing import BACK, FORTH, UNDIRECTED, named, plain_name, written
from bnsieve.text import counted, listed

Kind = Literal["agreed", "lost", "gained", "turned"]
_SCRIPTS = ("elements.js", "picture.js", "theme.js", "compare.js")
_KINDS: tuple[Kind, ...] = ("turned", "lost", "gained", "agreed")


@dataclass(frozen=True)
class Pair:
    """Two nodes that are adjacent in one of the graphs, or in both.

    Attributes
    ----------
    a, b : str
    first, second : str
        The edge in each graph: the sign between `a` and `b`, empty if they are not adjacent.
    """

    a: str
    b: str
    first: str
    second: str

    @property
    def kind(self) -> Kind:
        """What became of the edge from the first graph to the second."""
        if not self.second:
            return "lost"
        if not self.first:
            return "gained"
        return "agreed" if self.first == self.second else "turned"


def pairs_of(first: Graph, second: Graph) -> list[Pair]:
    """Return the pairs that are adjacent in either graph; those that differ first."""
    nodes = tuple(dict.fromkeys((*first.nodes, *second.nodes)))
    place = {name: i for i, name in enumerate(nodes)}
    ends = {
        tuple(sorted(edge, key=place.__getitem__))
        for graph in (first, second)
        for edge in graph.edges
    }
    pairs = [Pair(a, b, _sign(first, a, b), _sign(second, a, b)) for a, b in ends]
    return sorted(pairs, key=lambda one: (_KINDS.index(one.kind), place[one.a], place[one.b]))


def _sign(graph: Graph, a: str, b: str) -> str:
    """Return the sign between two nodes; empty if they are not adjacent."""
    if not {a, b} <= set(graph.nodes) or b not in graph.adjacent(a):
        return ""
    return FORTH if a in graph.parents(b) else BACK if b in graph.parents(a) else UNDIRECTED


def comparison_page(first: Graph, second: Graph, first_name: str, second_name: str) -> str:
    """Return the text of the page.

    Parameters
    ----------
    first, second : Graph
    first_name, second_name : str
        Their names.

    Raises
    ------
    ValueError
        If the graphs have no node in common.
    """
    if not set(first.nodes) & set(second.nodes):
        raise ValueError(
            f"{first_name} and {second_name} have no variable in common: check the names"
        )
    names = tuple(dict.fromkeys((*first.nodes, *second.nodes)))
    place = {name: i for i, name in enumerate(names)}
    pairs = pairs_of(first, second)
    counts = {kind: sum(pair.kind == kind for pair in pairs) for kind in _KINDS}
    pictures = _pictures(names, pairs, first) if 0 < len(names) <= MAX_NODES else None
    return written(
        "compare.html",
        _SCRIPTS,
        {
            "names": list(names),
            "kinds": [pair.kind for pair in pairs],
            "ends": [[place[pair.a], place[pair.b]] for pair in pairs],
        },
        titles=(plain_name(first_name), plain_name(second_name)),
        sentences=_sentences(first, second, first_name, second_name, counts),
        pictures=pictures,
        names=names,
        pairs=pairs,
        counts=counts,
    )


def _pictures(names: tuple[str, ...], pairs: list[Pair], first: Graph) -> tuple[Picture, Picture]:
    """Return both pictures, in the layout of all edges together."""
    # Edges of the first graph keep their direction, all others have none: so there is no cycle.
    arrows = first.directed_edges
    decided = set(arrows)
    lines = [
        (pair.a, pair.b)
        for pair in pairs
        if (pair.a, pair.b) not in decided and (pair.b, pair.a) not in decided
    ]
    whole = Graph(names, directed=arrows, undirected=lines)
    layout = whole.layout()
    down = layout.flow == "down"
    number = {frozenset((pair.a, pair.b)): i for i, pair in enumerate(pairs)}
    along = 1 if down else 0
    both: tuple[list[Line], list[Line]] = ([], [])
    place = {name: layout.centres[i] for i, name in enumerate(names)}
    for ends, route in zip(
        (*whole.directed_edges, *whole.undirected_edges), layout.routes, strict=True
    ):
        i = number[frozenset(ends)]
        pair = pairs[i]
        # Routes run with the flow, whichever end is named first.
        a_first = place[pair.a][along] < place[pair.b][along]
        for lines_of, sign in zip(both, (pair.first, pair.second), strict=True):
            if not sign:
                continue
            points_to_b = sign == FORTH
            at_end = sign != UNDIRECTED and points_to_b == a_first
            at_start = sign != UNDIRECTED and points_to_b != a_first
            path, head = drawn(route, down, 1.4, (at_start, at_end))
            kind = f"{pair.kind} open" if sign == UNDIRECTED else pair.kind
            lines_of.append(Line(i, kind, path, 1.4, head))
    boxes = boxes_of(names, layout)
    width, height = size_of(layout)
    one, other = (
        Picture(
            width,
            height,
            boxes,
            tuple(sorted(lines, key=lambda line: -line.number)),
            _degrees(names, [pairs[line.number] for line in lines]),
        )
        for lines in both
    )
    return one, other


def _degrees(names: tuple[str, ...], pairs: list[Pair]) -> tuple[int, ...]:
    found = Counter(name for pair in pairs for name in (pair.a, pair.b))
    return tuple(found[name] for name in names)


def _sentences(
    first: Graph, second: Graph, first_name: str, second_name: str, counts: dict[Kind, int]
) -> list[str]:
    one, other = named(first_name), named(second_name)
    total = sum(counts.values())
    if not total:
        return [f"Neither {one} nor {other} has an edge."]
    found = [
        f"{one} has {counted(first.n_edges, 'edge')} and {other} "
        f"{counted(second.n_edges, 'edge')}: {counted(counts['agreed'], 'edge is', 'edges are')} "
        "the same in both.",
        f"{other} lost {counts['lost']:,}, gained {counts['gained']:,} and turned "
        f"{counts['turned']:,} (another direction, or a direction in one of them only).",
    ]
    for graph, name, rest in ((first, one, second), (second, other, first)):
        alone = sorted(set(graph.nodes) - set(rest.nodes))
        if alone:
            shown = listed(map(named, alone))
            found.append(f"Only {name} has {counted(len(alone), 'variable')}: {shown}.")
    return found
