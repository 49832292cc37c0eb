"""The other forms of a graph: matrix, networkx, pgmpy and causal-learn; candidates for pyAgrum.

In: edges by node number, or one of these forms. Out: the other. Another program is imported when
something is made for it; nothing of it is imported to read its objects. Written for pgmpy 1 and
pyAgrum 2.

causal-learn's `GeneralGraph`, as Tetrad's, holds a matrix in which ``graph[i, j]`` is the mark at
node i of the edge between i and j: -1 a tail, 1 an arrowhead. So i -> j has ``graph[i, j] = -1``
and ``graph[j, i] = 1``; i - j has two tails.
"""

import importlib
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from bnsieve.graph.edge_lists import (
    EdgeArray,
    EdgeLists,
    checked_names,
    edge_array,
    edges_by_index,
    shown,
)
from bnsieve.graph.marks import Mark

if TYPE_CHECKING:
    import networkx

N_EDGES_SHOWN = 20
PGMPY, _CAUSAL_LEARN = "pgmpy>=1.0", "causal-learn"


def matrix_of_edges(edges: EdgeLists) -> NDArray[np.uint8]:
    """Return the adjacency matrix, shape (n_nodes, n_nodes), dense."""
    matrix = np.zeros((edges.n_nodes, edges.n_nodes), dtype=np.uint8)
    for pairs in (edges.directed, edges.undirected, edges.undirected[:, ::-1]):
        matrix[pairs[:, 0], pairs[:, 1]] = 1
    return matrix


def edges_of_matrix(matrix: ArrayLike, n_nodes: int) -> tuple[EdgeArray, EdgeArray]:
    """Read the directed and the undirected edges off an adjacency matrix of 0 and 1.

    Self-loops count as undirected edges, for `checked_edges` to refuse.
    """
    array = np.asarray(matrix)
    if array.shape != (n_nodes, n_nodes):
        raise ValueError(
            f"an adjacency matrix of {n_nodes} nodes must have shape {(n_nodes, n_nodes)}, "
            f"got {array.shape}."
        )
    present = array == 1
    if not np.array_equal(present, array != 0):
        raise ValueError("an adjacency matrix must hold only 0 and 1.")
    return split_reciprocal(np.argwhere(present), n_nodes)


def split_reciprocal(pairs: EdgeArray, n_nodes: int) -> tuple[EdgeArray, EdgeArray]:
    """Split ordered pairs: those given in one direction only, and undirected edges."""
    first, second = pairs.T
    both_ways = np.isin(first * n_nodes + second, second * n_nodes + first)
    return pairs[~both_ways], pairs[both_ways & (first <= second)]


def networkx_of_edges(names: Sequence[str], edges: EdgeLists) -> "networkx.DiGraph[str]":
    """Return a `networkx.DiGraph` in which an undirected edge is two edges, one each way."""
    import networkx

    graph: networkx.DiGraph[str] = networkx.DiGraph()
    graph.add_nodes_from(names)
    for pairs in (edges.directed, edges.undirected, edges.undirected[:, ::-1]):
        graph.add_edges_from((names[a], names[b]) for a, b in pairs)
    return graph


def edges_of_networkx(graph: "networkx.Graph[str]") -> tuple[tuple[str, ...], EdgeArray, EdgeArray]:
    """Read the nodes, the directed and the undirected edges off a networkx graph."""
    if graph.is_multigraph():
        raise TypeError("a multigraph cannot be read; convert it with networkx.DiGraph(graph).")
    names = checked_names(graph.nodes)
    pairs = edges_by_index(graph.edges, {name: i for i, name in enumerate(names)})
    if not graph.is_directed():
        return names, np.empty((0, 2), dtype=np.int64), pairs
    return names, *split_reciprocal(pairs, len(names))


def edges_as_text(names: Sequence[str], edges: EdgeLists) -> list[str]:
    """Write each edge as 'a -> b' or 'a - b', no more of them than a screen holds."""
    marked = [("->", pair) for pair in edges.directed] + [("-", pair) for pair in edges.undirected]
    text = [
        f"{shown(names[a])} {mark} {shown(names[b])}" for mark, (a, b) in marked[:N_EDGES_SHOWN]
    ]
    if len(marked) > N_EDGES_SHOWN:
        text.append(f"... {len(marked) - N_EDGES_SHOWN} more")
    return text


def import_optional(module: str, package: str) -> Any:
    """Import a module of an optional package, or say what to install."""
    try:
        return importlib.import_module(module)
    except ImportError as error:
        raise ImportError(f"this needs {package}: pip install '{package}'") from error


def candidate_pairs(candidates: Mapping[str, Iterable[str]]) -> list[tuple[str, str]]:
    """List each pair of columns of which one is a candidate of the other, once.

    Raises
    ------
    ValueError
        If there is none: the other programs would read that as "no restriction".
    """
    pairs = {tuple(sorted((name, one))) for name, others in candidates.items() for one in others}
    if not pairs:
        raise ValueError("there are no candidates: no column may be adjacent to another.")
    return sorted(pairs)  # type: ignore[arg-type]


def pgmpy_graph(
    nodes: Iterable[str], directed: Sequence[tuple[str, str]], undirected: Sequence[tuple[str, str]]
) -> Any:
    """Return a `pgmpy.base.DAG`, or a `pgmpy.base.PDAG` if an edge is undirected."""
    base = import_optional("pgmpy.base", PGMPY)
    graph = base.PDAG(list(directed), list(undirected)) if undirected else base.DAG(list(directed))
    graph.add_nodes_from(nodes)
    return graph


def candidates_to_pgmpy(candidates: Mapping[str, Iterable[str]]) -> Any:
    """Return candidates as a `pgmpy.causal_discovery.ExpertKnowledge` with their search space.

    Parameters
    ----------
    candidates : mapping of str to iterable of str
        For each column its possible neighbours, such as ``learner.candidates_``. Both directions
        are possible if one column is a candidate of the other.

    Returns
    -------
    pgmpy.causal_discovery.ExpertKnowledge
        For pgmpy's ``HillClimbSearch`` or ``PC``.
    """
    pairs = candidate_pairs(candidates)
    knowledge = import_optional("pgmpy.causal_discovery", PGMPY).ExpertKnowledge
    return knowledge(search_space=[*pairs, *((b, a) for a, b in pairs)])


def candidates_to_pyagrum(candidates: Mapping[str, Iterable[str]], learner: Any) -> Any:
    """Restrict the edges of a `pyagrum.BNLearner` to candidates.

    Parameters
    ----------
    candidates : mapping of str to iterable of str
        For each column its possible neighbours, such as ``learner.candidates_``. An edge is
        possible if one column is a candidate of the other.
    learner : pyagrum.BNLearner
        A learner made from the same data. It is changed in place.

    Returns
    -------
    pyagrum.BNLearner
        The same learner.
    """
    for a, b in candidate_pairs(candidates):
        learner.addPossibleEdge(a, b)
    return learner


_DIRECTED, _UNDIRECTED = (-1, 1), (-1, -1)
_MARKS = {-1: "tail", 1: "arrowhead", 2: "circle"}


def causal_learn_graph(nodes: Sequence[str], edges: EdgeLists) -> Any:
    """Return a `causallearn.graph.GeneralGraph.GeneralGraph`."""
    tail = Mark.TAIL
    kinds = ((edges.directed, Mark.ARROW), (edges.undirected, tail))
    marked = [(nodes[a], nodes[b], tail, head) for kind, head in kinds for a, b in kind.tolist()]
    return causal_learn_marks(nodes, marked)


def causal_learn_marks(nodes: Sequence[str], edges: Iterable[tuple[str, str, Mark, Mark]]) -> Any:
    """Return causal-learn's graph of edges from a to b, with the marks at both."""
    graph_node = import_optional("causallearn.graph.GraphNode", _CAUSAL_LEARN).GraphNode
    edge = import_optional("causallearn.graph.Edge", _CAUSAL_LEARN).Edge
    endpoint = import_optional("causallearn.graph.Endpoint", _CAUSAL_LEARN).Endpoint
    own = {name: graph_node(name) for name in nodes}
    general = import_optional("causallearn.graph.GeneralGraph", _CAUSAL_LEARN).GeneralGraph
    graph = general(list(own.values()))
    for a, b, at_a, at_b in edges:
        graph.add_edge(edge(own[a], own[b], endpoint[at_a.name], endpoint[at_b.name]))
    return graph


def edges_of_causal_learn(graph: Any) -> tuple[tuple[str, ...], EdgeArray, EdgeArray]:
    """Read names and edges off a `GeneralGraph`, or a `CausalGraph` around one.

    Raises
    ------
    ValueError
        If an edge has an arrowhead at both ends or a circle, as the graphs of FCI have: such an
        edge stands for hidden causes, which no DAG or CPDAG has.
    """
    graph = getattr(graph, "G", graph)
    names = checked_names(node.get_name() for node in graph.get_nodes())
    marks = np.asarray(graph.graph)
    edges: dict[tuple[int, int], list[tuple[int, int]]] = {_DIRECTED: [], _UNDIRECTED: []}
    for i, j in np.argwhere(np.triu((marks != 0) | (marks != 0).T)).tolist():
        ends = (int(marks[i, j]), int(marks[j, i]))
        if ends in edges:
            edges[ends].append((i, j))
        elif ends[::-1] == _DIRECTED:
            edges[_DIRECTED].append((j, i))
        else:
            found = " and ".join(_MARKS.get(end, f"mark {end}") for end in ends)
            raise ValueError(
                f"the edge of {names[i]!r} and {names[j]!r} has {found} at its ends; a DAG or "
                "CPDAG has directed and undirected edges only."
            )
    return names, edge_array(edges[_DIRECTED]), edge_array(edges[_UNDIRECTED])
