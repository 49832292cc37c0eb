"""The other forms a graph takes: adjacency matrix, networkx graph, text.

Comes in: edges by node number, or one of these forms. Goes out: the form, or the edges by number.
"""

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike, NDArray

from bnsieve.graph.edge_lists import EdgeArray, EdgeLists, checked_names, edges_by_index, shown

if TYPE_CHECKING:
    import networkx

N_EDGES_SHOWN = 20


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
    """Split ordered pairs: those given one way only are arrows, the others undirected edges."""
    first, second = pairs.T
    both_ways = np.isin(first * n_nodes + second, second * n_nodes + first)
    return pairs[~both_ways], pairs[both_ways & (first <= second)]


def networkx_of_edges(names: Sequence[str], edges: EdgeLists) -> "networkx.DiGraph[str]":
    """Return a `networkx.DiGraph` in which an undirected edge is two arrows, one each way."""
    import networkx

    graph: networkx.DiGraph[str] = networkx.DiGraph()
    graph.add_nodes_from(names)
    for pairs in (edges.directed, edges.undirected, edges.undirected[:, ::-1]):
        graph.add_edges_from((names[a], names[b]) for a, b in pairs)
    return graph


def edges_of_networkx(
    graph: "networkx.Graph[str]",
) -> tuple[tuple[str, ...], EdgeArray, EdgeArray]:
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
