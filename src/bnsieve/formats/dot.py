"""DOT, the language of Graphviz.

Comes in: a DOT file, or a graph. Goes out: a graph, or a file.

An undirected edge is written with ``dir=none``. Read are also ``graph`` files, whose edges are
undirected, subgraphs, chains of edges, ``dir=back``, and an arrow each way for an undirected edge.
All that only concerns looks is skipped.
"""

import itertools
from os import PathLike
from typing import NoReturn

from bnsieve.formats._arrows import NamedEdges, split_both_ways
from bnsieve.formats._dot_words import Token, quoted, refuse, tokens
from bnsieve.formats._files import errors_name, read_text, write_text
from bnsieve.graph import Graph

# Deeper than any picture; Python would not go a thousand deep.
MAX_DEPTH = 100

# Every node of one subgraph joined to every node of another is a short text for many edges.
MAX_EDGES = 5_000_000


def read_dot(path: str | PathLike[str]) -> Graph:
    """Read a graph from a DOT file.

    Raises
    ------
    FormatError
        If the file is not DOT, has edges with two heads (``dir=both``), or its arrows make a cycle.
    OSError
        If the file cannot be opened.
    """
    return _Parser(read_text(path), str(path)).graph()


def parse_dot(text: str) -> Graph:
    """Read a graph from the text of a DOT file; see `read_dot`.

    Examples
    --------
    >>> parse_dot("digraph { rain -> wet -> slippery }")
    <DAG with 3 nodes and 2 edges: rain -> wet, wet -> slippery>
    """
    return _Parser(text, None).graph()


def write_dot(graph: Graph, path: str | PathLike[str]) -> None:
    """Write a graph as a DOT file."""
    write_text(format_dot(graph), path)


def format_dot(graph: Graph) -> str:
    """Return the text of a DOT file with this graph.

    Examples
    --------
    >>> print(format_dot(Graph(["rain", "wet"], [("rain", "wet")])), end="")
    digraph {
      "rain";
      "wet";
      "rain" -> "wet";
    }
    """
    name = {node: quoted(node) for node in graph.nodes}
    lines = [f"  {node};" for node in name.values()]
    lines += [f"  {name[a]} -> {name[b]};" for a, b in graph.directed_edges]
    lines += [f"  {name[a]} -> {name[b]} [dir=none];" for a, b in graph.undirected_edges]
    return "\n".join(["digraph {", *lines, "}"]) + "\n"


class _Parser:
    """Reads one graph, statement by statement."""

    def __init__(self, text: str, path: str | None) -> None:
        self.text = text
        self.path = path
        self.tokens = tokens(text, path)
        self.token = next(self.tokens)
        self.nodes: dict[str, None] = {}
        self.arrows: NamedEdges = []
        self.lines: NamedEdges = []

    def graph(self) -> Graph:
        strict = self.take_word("strict")
        if not self.token.is_word("graph", "digraph"):
            self.refuse("a DOT file begins with graph or digraph")
        direction = "forward" if self.next().is_word("digraph") else "none"
        if self.token.kind in ("word", "quoted"):
            self.name()
        self.block(direction, depth=1)
        if self.token.kind != "end":
            self.refuse("there is more after the end of the graph")
        if strict:
            self.arrows = list(dict.fromkeys(self.arrows))
            self.lines = list({frozenset(line): line for line in self.lines}.values())
        directed, both_ways = split_both_ways(self.arrows)
        with errors_name(self.path):
            return Graph(self.nodes, directed, [*self.lines, *both_ways])

    def block(self, direction: str, depth: int) -> list[str]:
        """Read statements in braces; return the nodes that they name."""
        if depth > MAX_DEPTH:
            self.refuse(f"subgraphs are nested more than {MAX_DEPTH} deep")
        self.take_sign("{")
        found: dict[str, None] = {}
        while not self.token.is_sign("}"):
            if self.token.is_word("graph", "node"):
                self.next()
                self.attributes()
            elif self.token.is_word("edge"):
                self.next()
                direction = self.attributes().get("dir", direction)
            else:
                found.update(dict.fromkeys(self.statement(direction, depth)))
            while self.token.is_sign(";", ","):
                self.next()
        self.next()
        return list(found)

    def statement(self, direction: str, depth: int) -> list[str]:
        """Read a node, an edge, a subgraph or ``name = value``; return the nodes named."""
        start = self.token
        chain = [self.operand(direction, depth)]
        if self.token.is_sign("=") and start.kind in ("word", "quoted"):
            self.next()
            self.name()
            return []
        while self.token.is_sign("->", "--"):
            self.next()
            chain.append(self.operand(direction, depth))
        direction = self.attributes().get("dir", direction)
        named = [node for operand in chain for node in operand]
        self.nodes.update(dict.fromkeys(named))
        for tails, heads in itertools.pairwise(chain):
            n_edges = len(self.arrows) + len(self.lines) + len(tails) * len(heads)
            if n_edges > MAX_EDGES:
                self.refuse(f"the graph has more than {MAX_EDGES:,} edges", start)
            for tail in tails:
                for head in heads:
                    self.add(tail, head, direction, start)
        return named

    def operand(self, direction: str, depth: int) -> list[str]:
        """Read a node or a subgraph; return its nodes."""
        if self.take_word("subgraph") and self.token.kind in ("word", "quoted"):
            self.name()
        if self.token.is_sign("{"):
            return self.block(direction, depth + 1)
        name = self.name()
        while self.token.is_sign(":"):  # the place on the node's border where an edge ends
            self.next()
            self.name()
        return [name]

    def add(self, tail: str, head: str, direction: str, start: Token) -> None:
        if direction == "none":
            self.lines.append((tail, head))
        elif direction in ("forward", "back"):
            self.arrows.append((tail, head) if direction == "forward" else (head, tail))
        else:
            self.refuse(
                f"the edge of {tail!r} and {head!r} has dir={direction}: an edge of a Bayesian "
                "network has dir=forward, dir=back or dir=none",
                start,
            )

    def attributes(self) -> dict[str, str]:
        """Read any number of ``[name=value, ...]``."""
        found: dict[str, str] = {}
        while self.token.is_sign("["):
            self.next()
            while not self.token.is_sign("]"):
                name = self.name()
                if self.token.is_sign("="):
                    self.next()
                    found[name] = self.name()
                while self.token.is_sign(";", ","):
                    self.next()
            self.next()
        return found

    def name(self) -> str:
        """Read a word or a quoted name, which may be in several parts joined by +."""
        if self.token.kind not in ("word", "quoted"):
            missing = "the graph has no end" if self.token.kind == "end" else "a name is missing"
            self.refuse(missing)
        token = self.next()
        name = token.text
        while token.kind == "quoted" and self.token.is_sign("+"):
            self.next()
            name += self.name()
        return name

    def next(self) -> Token:
        """Go on by one token; return the one passed."""
        passed, self.token = self.token, next(self.tokens)
        return passed

    def take_word(self, word: str) -> bool:
        found = self.token.is_word(word)
        if found:
            self.next()
        return found

    def take_sign(self, sign: str) -> None:
        if not self.token.is_sign(sign):
            self.refuse(f"{sign!r} is missing")
        self.next()

    def refuse(self, message: str, at: Token | None = None) -> NoReturn:
        refuse(message, self.text, (at or self.token).position, self.path)
