"""Graphs that allow for hidden common causes: MAGs, and the PAG of what all equivalent ones share.

In: a DAG, and which of its variables are hidden. Out: an `AncestralGraph` over the others: the MAG
of the DAG (Richardson and Spirtes, 2002), or its PAG, by the orientation rules of Zhang (2008)
without those for selection. A transform of the graph: no data are asked.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations
from os import PathLike
from types import MappingProxyType
from typing import Any

from bnsieve.graph.adapters import N_EDGES_SHOWN, causal_learn_marks
from bnsieve.graph.edge_lists import EdgeLists, checked_edges, checked_names, reachable, shown
from bnsieve.graph.equivalence import d_separated
from bnsieve.graph.layout import Flow
from bnsieve.graph.marks import Mark, Marks
from bnsieve.graph.pag_rules import pag_marks
from bnsieve.graph.picture import EdgeLook, Picture, draw, is_quickly_drawn
from bnsieve.text import MAX_TABLE_ROWS, NotebookTable, counted, notebook_html

_KINDS = ("-->", "<--", "<->", "o->", "<-o", "o-o")


@dataclass(frozen=True, eq=False, repr=False)
class AncestralGraph:
    """A graph whose edges have a mark at each end: a MAG, or with circles a PAG.

    An arrowhead at b says that b does not cause a. A tail at a says that a causes b, directly or
    through others. A circle says that equivalent graphs differ at this end.

    - ``a --> b``: a causes b; a hidden variable may cause both as well
    - ``a <-> b``: neither causes the other: a hidden variable causes both
    - ``a o-> b``: b does not cause a; instead, a causes b, or a hidden variable causes both
    - ``a o-o b``: nothing is determined

    Attributes
    ----------
    nodes : tuple of str
        All nodes, also those without edges.
    marks : mapping from (str, str) to Mark
        ``marks[a, b]`` is the mark at b of the edge between a and b.
    """

    nodes: tuple[str, ...]
    marks: Mapping[tuple[str, str], Mark]

    def __post_init__(self) -> None:
        object.__setattr__(self, "nodes", checked_names(self.nodes))
        object.__setattr__(self, "marks", MappingProxyType(dict(self.marks)))
        known = set(self.nodes)
        for a, b in self.marks:
            if a == b or not {a, b} <= known or (b, a) not in self.marks:
                raise ValueError(f"the edge of {a!r} and {b!r} needs two nodes and two marks.")
            if self._between(a, b) not in _KINDS:
                raise ValueError(
                    f"{shown(a)} {self._between(a, b)} {shown(b)} stands for selected rows, which "
                    f"are not modelled: edges are {', '.join(_KINDS)}."
                )

    @cached_property
    def edges(self) -> tuple[tuple[str, str, str], ...]:
        """Each edge with its marks: ``("a", "o->", "b")``, in the order of the nodes."""
        place = {name: i for i, name in enumerate(self.nodes)}
        pairs = sorted(
            (pair for pair in self.marks if place[pair[0]] < place[pair[1]]),
            key=lambda pair: (place[pair[0]], place[pair[1]]),
        )
        return tuple((a, self._between(a, b), b) for a, b in pairs)

    def _between(self, a: str, b: str) -> str:
        left = {Mark.ARROW: "<"}.get(self.marks[b, a], self.marks[b, a].value)
        return f"{left}-{self.marks[a, b].value}"

    def adjacent(self, node: str) -> tuple[str, ...]:
        """Return the nodes that share an edge with a node."""
        return tuple(name for name in self.nodes if (node, name) in self.marks)

    def to_causal_learn(self) -> Any:
        """Return a `GeneralGraph` of causal-learn, as its FCI returns it."""
        return causal_learn_marks(
            self.nodes,
            [(a, b, self.marks[b, a], self.marks[a, b]) for a, _, b in self.edges],
        )

    def plot(
        self,
        path: str | PathLike[str] | None = None,
        *,
        highlight: Iterable[str] = (),
        title: str | None = None,
        flow: Flow | None = None,
    ) -> Picture:
        """Draw the graph with the marks of its edges, and a legend.

        Parameters
        ----------
        path, highlight, title, flow
            As for `Graph.plot`.
        """
        place = {name: i for i, name in enumerate(self.nodes)}
        pairs: dict[bool, list[tuple[int, int]]] = {True: [], False: []}
        for (a, b), mark in self.marks.items():
            is_directed = mark is Mark.ARROW is not self.marks[b, a]
            if is_directed or (mark is self.marks[b, a] and place[a] < place[b]):
                pairs[is_directed].append((place[a], place[b]))
        edges = checked_edges(self.nodes, pairs[True], pairs[False])
        looks = []
        for i, j in [*edges.directed.tolist(), *edges.undirected.tolist()]:
            a, b = self.nodes[i], self.nodes[j]
            marks = (self.marks[b, a], self.marks[a, b])
            looks.append(EdgeLook(Mark.ARROW in marks, marks=marks))
        return draw(self.nodes, edges, looks, highlight, title, flow).saved(path)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, AncestralGraph):
            return NotImplemented
        return set(self.nodes) == set(other.nodes) and self.marks == other.marks

    def __hash__(self) -> int:
        return hash((frozenset(self.nodes), frozenset(self.marks.items())))

    def __reduce__(self) -> tuple[Any, ...]:
        return AncestralGraph, (self.nodes, dict(self.marks))

    def _summary(self) -> str:
        kind = "PAG" if Mark.CIRCLE in self.marks.values() else "MAG"
        return f"{kind} with {len(self.nodes)} nodes and {counted(len(self.edges), 'edge')}"

    def _lines(self) -> list[str]:
        lines = [f"{shown(a)} {marks} {shown(b)}" for a, marks, b in self.edges[:N_EDGES_SHOWN]]
        n_left = len(self.edges) - len(lines)
        return [*lines, f"... {n_left} more"] if n_left else lines

    def __repr__(self) -> str:
        return f"<{self._summary()}{': ' if self.edges else ''}{', '.join(self._lines())}>"

    def __str__(self) -> str:
        return "\n  ".join([self._summary(), *self._lines()])

    def _repr_html_(self) -> str:
        is_drawn = self.nodes and is_quickly_drawn(len(self.nodes), len(self.edges))
        table = NotebookTable(
            counted(len(self.edges), "edge"),
            ("", "", ""),
            self.edges[:MAX_TABLE_ROWS],
            len(self.edges),
        )
        picture = self.plot().svg if is_drawn else ""
        return notebook_html(self._summary(), picture=picture, tables=[table])


def mag_of(names: Sequence[str], dag: EdgeLists, hidden: Iterable[str] = ()) -> AncestralGraph:
    """Return the maximal ancestral graph of a DAG over its variables that are not hidden.

    Two variables are adjacent if no set of others separates them; that of their ancestors does if
    any does. A tail says that one is an ancestor of the other.
    """
    place = {name: i for i, name in enumerate(names)}
    left_out = set(hidden)
    if unknown := left_out.difference(place):
        raise ValueError(f"{min(unknown)!r} is hidden, but not a node of the graph.")
    unseen = {place[name] for name in left_out}
    nodes = [i for i in range(len(names)) if i not in unseen]
    above = {i: reachable([i], dag.parents.__getitem__) for i in nodes}
    marks: Marks = {}
    for a, b in combinations(nodes, 2) if unseen else dag.directed.tolist():
        separating = (above[a] | above[b]) - {a, b} - unseen
        if unseen and d_separated(dag, {a}, {b}, separating):
            continue
        marks[names[a], names[b]] = Mark.TAIL if b in above[a] else Mark.ARROW
        marks[names[b], names[a]] = Mark.TAIL if a in above[b] else Mark.ARROW
    return AncestralGraph(tuple(names[i] for i in nodes), marks)


def pag_of(names: Sequence[str], dag: EdgeLists, hidden: Iterable[str] = ()) -> AncestralGraph:
    """Return the marks that all MAGs share which are Markov equivalent to that of a DAG."""
    mag = mag_of(names, dag, hidden)
    return AncestralGraph(mag.nodes, pag_marks(mag.marks))
