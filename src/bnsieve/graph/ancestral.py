"""Graphs that allow for hidden common causes: MAGs, and the PAG of what all equivalent ones share.

In: a DAG, and which of its variables are hidden. Out: an `AncestralGraph` over the others: the MAG
of the DAG (Richardson and Spirtes, 2002), or its PAG, by the orientation rules of Zhang (2008)
without those for selection. A transform of the graph: no data are asked.
"""

from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from enum import Enum
from functools import cached_property
from itertools import combinations
from typing import Any

from bnsieve.graph.adapters import causal_learn_marks
from bnsieve.graph.edge_lists import reachable
from bnsieve.graph.graph import Graph


class Mark(Enum):
    """The mark at one end of an edge."""

    TAIL = "-"
    ARROW = ">"
    CIRCLE = "o"


Marks = dict[tuple[str, str], Mark]


@dataclass(frozen=True)
class AncestralGraph:
    """A graph whose edges have a mark at each end: a MAG, or with circles a PAG.

    ``a --> b``: a causes b, b does not cause a. ``a <-> b``: neither causes the other, so that a
    hidden variable causes both. A circle: equivalent graphs differ at this end.

    Attributes
    ----------
    nodes : tuple of str
    marks : mapping from (str, str) to Mark
        ``marks[a, b]`` is the mark at b of the edge between a and b.
    """

    nodes: tuple[str, ...]
    marks: Mapping[tuple[str, str], Mark]

    @cached_property
    def edges(self) -> tuple[tuple[str, str, str], ...]:
        """Each edge with its marks: ``("a", "o->", "b")``, in the order of the nodes."""
        place = {name: i for i, name in enumerate(self.nodes)}
        pairs = sorted(
            ((a, b) for a, b in self.marks if place[a] < place[b]),
            key=lambda pair: (place[pair[0]], place[pair[1]]),
        )
        return tuple((a, self._between(a, b), b) for a, b in pairs)

    def _between(self, a: str, b: str) -> str:
        left = {Mark.ARROW: "<"}.get(self.marks[b, a], self.marks[b, a].value)
        return f"{left}-{self.marks[a, b].value}"

    def adjacent(self, node: str) -> tuple[str, ...]:
        """Return the nodes that share an edge with a node."""
        return tuple(name for name in self.nodes if (node, name) in self.marks)

    def __str__(self) -> str:
        return "\n".join(f"{a} {between} {b}" for a, between, b in self.edges)

    def to_tetrad(self) -> str:
        """Return the graph as text that Tetrad loads."""
        lines = [f"{i}. {a} {between} {b}" for i, (a, between, b) in enumerate(self.edges, 1)]
        nodes = ";".join(self.nodes)
        return "\n".join(["Graph Nodes:", nodes, "", "Graph Edges:", *lines, ""])

    def to_causal_learn(self) -> Any:
        """Return causal-learn's graph (an optional package)."""
        return causal_learn_marks(
            self.nodes,
            [(a, b, self.marks[b, a].name, self.marks[a, b].name) for a, _, b in self.edges],
        )

    def to_dot(self) -> str:
        """Return the graph in Graphviz's language, with its marks at both ends."""
        shape = {Mark.TAIL: "none", Mark.ARROW: "normal", Mark.CIRCLE: "odot"}
        lines = ["digraph {", *(f"  {_quoted(name)};" for name in self.nodes)]
        for a, _, b in self.edges:
            tail, head = shape[self.marks[b, a]], shape[self.marks[a, b]]
            lines.append(
                f"  {_quoted(a)} -> {_quoted(b)} [dir=both, arrowtail={tail}, arrowhead={head}];"
            )
        return "\n".join([*lines, "}", ""])


def mag_of(dag: Graph, hidden: Iterable[str] = ()) -> AncestralGraph:
    """Return the maximal ancestral graph of a DAG over its variables that are not hidden.

    Two variables are adjacent if no set of others separates them; that of their ancestors does if
    any does. A tail says that one is an ancestor of the other.
    """
    unseen = set(hidden)
    if unknown := unseen.difference(dag.nodes):
        raise ValueError(f"{min(unknown)!r} is hidden, but not a node of the graph.")
    nodes = tuple(name for name in dag.nodes if name not in unseen)
    above = {name: {*reachable([name], dag.parents)} | {name} for name in nodes}
    marks: Marks = {}
    for a, b in combinations(nodes, 2):
        separating = (above[a] | above[b]) - {a, b} - unseen
        if not dag.d_separated(a, b, separating):
            marks[a, b] = Mark.TAIL if b in above[a] else Mark.ARROW
            marks[b, a] = Mark.TAIL if a in above[b] else Mark.ARROW
    return AncestralGraph(nodes, marks)


def pag_of(dag: Graph, hidden: Iterable[str] = ()) -> AncestralGraph:
    """Return the marks that all MAGs share which are Markov equivalent to that of a DAG."""
    mag = mag_of(dag, hidden)
    search = _Orientation(mag)
    search.run()
    return AncestralGraph(mag.nodes, search.marks)


class _Orientation:
    """Marks of a PAG, from the circles of a skeleton on.

    Where a rule asks whether a node is in a separating set, the MAG tells: it is, unless the node
    is a collider between the two others.
    """

    def __init__(self, mag: AncestralGraph) -> None:
        self.mag = mag
        self.near = {name: mag.adjacent(name) for name in mag.nodes}
        self.marks: Marks = dict.fromkeys(mag.marks, Mark.CIRCLE)

    def run(self) -> None:
        for a, b, c in self._unshielded():
            if self._is_collider(a, b, c):
                self._set(a, b, Mark.ARROW)
                self._set(c, b, Mark.ARROW)
        self._repeat(self._rule_1, self._rule_2, self._rule_3, self._rule_4)
        self._repeat(self._rule_8, self._rule_9, self._rule_10)

    def _repeat(self, *rules: Callable[[], bool]) -> None:
        changed = True
        while changed:
            changed = sum(rule() for rule in rules) > 0

    def _is_collider(self, a: str, b: str, c: str) -> bool:
        return self.mag.marks[a, b] is self.mag.marks[c, b] is Mark.ARROW

    def _unshielded(self) -> Iterator[tuple[str, str, str]]:
        for b in self.mag.nodes:
            for a, c in combinations(self.near[b], 2):
                if (a, c) not in self.marks:
                    yield a, b, c

    def _set(self, a: str, b: str, mark: Mark) -> bool:
        """Put a mark at b if a circle is there; tell whether it was."""
        if self.marks[a, b] is not Mark.CIRCLE:
            return False
        self.marks[a, b] = mark
        return True

    def _has(self, a: str, b: str, mark: Mark) -> bool:
        return self.marks.get((a, b)) is mark

    def _directed(self, a: str, b: str) -> bool:
        return self._has(a, b, Mark.ARROW) and self._has(b, a, Mark.TAIL)

    def _rule_1(self) -> bool:
        """Apply: ``a *-> b o-* c``, a and c not adjacent, gives ``b -> c``."""
        changed = False
        for x, b, y in self._unshielded():
            for a, c in ((x, y), (y, x)):
                if self._has(a, b, Mark.ARROW) and self._has(c, b, Mark.CIRCLE):
                    self._set(c, b, Mark.TAIL)
                    self._set(b, c, Mark.ARROW)
                    changed = True
        return changed

    def _rule_2(self) -> bool:
        """Apply: ``a -> b *-> c`` or ``a *-> b -> c``, and ``a *-o c``, give ``a *-> c``."""
        changed = False
        for a, c in list(self.marks):
            if self._has(a, c, Mark.CIRCLE):
                for b in set(self.near[a]) & set(self.near[c]):
                    into = self._has(a, b, Mark.ARROW) and self._has(b, c, Mark.ARROW)
                    if into and (self._directed(a, b) or self._directed(b, c)):
                        changed |= self._set(a, c, Mark.ARROW)
        return changed

    def _rule_3(self) -> bool:
        """Apply: ``a *-> b <-* c``, ``a *-o d o-* c``, a and c apart, ``d *-o b``: ``d *-> b``."""
        changed = False
        for a, d, c in self._unshielded():
            if self._has(a, d, Mark.CIRCLE) and self._has(c, d, Mark.CIRCLE):
                for b in set(self.near[a]) & set(self.near[c]) & set(self.near[d]):
                    if self._has(a, b, Mark.ARROW) and self._has(c, b, Mark.ARROW):
                        changed |= self._set(d, b, Mark.ARROW)
        return changed

    def _rule_4(self) -> bool:
        """Decide b by a discriminating path that ends in ``b o-* c``: a collider, or not."""
        changed = False
        for b, c in list(self.marks):
            if not self._has(c, b, Mark.CIRCLE):
                continue
            for a in self.near[b]:
                leads = a != c and self._directed(a, c) and self._has(b, a, Mark.ARROW)
                if not leads or not self._discriminates(a, b, c):
                    continue
                if self._is_collider(a, b, c):
                    self._set(a, b, Mark.ARROW)
                    self._set(c, b, Mark.ARROW)
                else:
                    self._set(c, b, Mark.TAIL)
                self._set(b, c, Mark.ARROW)
                changed = True
                break
        return changed

    def _discriminates(self, a: str, b: str, c: str) -> bool:
        """Tell whether colliders that are parents of c lead from a to a node apart from c."""
        waiting, seen = deque([a]), {a, b, c}
        while waiting:
            node = waiting.popleft()
            for before in self.near[node]:
                if before in seen or not self._has(before, node, Mark.ARROW):
                    continue
                if (before, c) not in self.marks:
                    return True
                if self._directed(before, c) and self._has(node, before, Mark.ARROW):
                    seen.add(before)
                    waiting.append(before)
        return False

    def _partly_directed(self) -> Iterator[tuple[str, str]]:
        for a, c in list(self.marks):
            if self._has(a, c, Mark.ARROW) and self._has(c, a, Mark.CIRCLE):
                yield a, c

    def _rule_8(self) -> bool:
        """Apply: ``a -> b -> c`` and ``a o-> c`` give ``a -> c``."""
        changed = False
        for a, c in self._partly_directed():
            for b in set(self.near[a]) & set(self.near[c]):
                if self._directed(a, b) and self._directed(b, c):
                    changed |= self._set(c, a, Mark.TAIL)
        return changed

    def _rule_9(self) -> bool:
        """Apply: ``a o-> c`` and an uncovered path a, b, .., c, b and c apart: ``a -> c``."""
        changed = False
        for a, c in self._partly_directed():
            firsts = [b for b in self.near[a] if b != c and (b, c) not in self.marks]
            if any(self._uncovered(a, b, c) for b in firsts):
                changed |= self._set(c, a, Mark.TAIL)
        return changed

    def _rule_10(self) -> bool:
        """Apply: ``a o-> c``, ``b -> c <- d``, uncovered paths from a to b and d: ``a -> c``."""
        changed = False
        for a, c in self._partly_directed():
            causes = [b for b in self.near[c] if b != a and self._directed(b, c)]
            for b, d in combinations(causes, 2):
                starts = [
                    [
                        first
                        for first in self.near[a]
                        if first != c and self._uncovered(a, first, end, c)
                    ]
                    for end in (b, d)
                ]
                if any(x != y and (x, y) not in self.marks for x in starts[0] for y in starts[1]):
                    changed |= self._set(c, a, Mark.TAIL)
        return changed

    def _may_lead(self, a: str, b: str) -> bool:
        return not self._has(a, b, Mark.TAIL) and not self._has(b, a, Mark.ARROW)

    def _uncovered(self, start: str, first: str, end: str, without: str = "") -> bool:
        """Tell whether an uncovered, potentially directed path leads over `first` to `end`."""
        if not self._may_lead(start, first):
            return False
        waiting, seen = deque([(start, first)]), {(start, first)}
        while waiting:
            before, node = waiting.popleft()
            if node == end:
                return True
            for after in self.near[node]:
                step = (node, after)
                if (after in (start, without) and after != end) or step in seen:
                    continue
                if (before, after) not in self.marks and self._may_lead(node, after):
                    seen.add(step)
                    waiting.append(step)
        return False


def _quoted(name: str) -> str:
    escaped = name.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'
