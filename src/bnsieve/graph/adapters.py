"""The other forms of a graph or network: matrix, networkx, pgmpy, pyAgrum and causal-learn.

In: edges by node number or the parts of a network, or one of these forms. Out: the other. Another
program is imported when something is made for it; nothing of it is imported to read its objects.
Written for pgmpy 1 and pyAgrum 2.

causal-learn's `GeneralGraph`, as Tetrad's, holds a matrix in which ``graph[i, j]`` is the mark at
node i of the edge between i and j: -1 a tail, 1 an arrowhead. So i -> j has ``graph[i, j] = -1``
and ``graph[j, i] = 1``; i - j has two tails.
"""

from collections.abc import Sequence
from typing import TYPE_CHECKING

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

if TYPE_CHECKING:
    import networkx

import importlib
from collections.abc import Hashable, Iterable, Mapping
from typing import Any, NamedTuple

from bnsieve.table import text_labels

N_EDGES_SHOWN = 20
_PGMPY, _CAUSAL_LEARN = "pgmpy>=1.0", "causal-learn"


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


class NetworkTables(NamedTuple):
    """What a `BayesianNetwork` is made of."""

    nodes: tuple[str, ...]
    states: dict[str, list[Hashable]]
    tables: dict[str, NDArray[np.float64]]
    parents: dict[str, list[str]]


def imported(module: str, package: str) -> Any:
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
        If there is none: the other programs would take that for "no restriction".
    """
    pairs = {
        (min(name, other), max(name, other))
        for name, others in candidates.items()
        for other in others
    }
    if not pairs:
        raise ValueError("there are no candidates: no column has anything to be joined to.")
    return sorted(pairs)


# Intercept, slopes by parent, standard deviation of the noise.
Equation = tuple[float, Mapping[str, float], float]


def pgmpy_graph(
    nodes: Iterable[str],
    directed: Sequence[tuple[str, str]],
    undirected: Sequence[tuple[str, str]],
) -> Any:
    """Return a `pgmpy.base.DAG`, or a `pgmpy.base.PDAG` if an edge is undirected."""
    base = imported("pgmpy.base", _PGMPY)
    graph = base.PDAG(list(directed), list(undirected)) if undirected else base.DAG(list(directed))
    graph.add_nodes_from(nodes)
    return graph


def pgmpy_network(
    states: Mapping[str, Sequence[Hashable]],
    parents: Mapping[str, Sequence[str]],
    tables: Mapping[str, NDArray[np.float64]],
) -> Any:
    """Return a `pgmpy.models.DiscreteBayesianNetwork` with its tables and states."""
    models = imported("pgmpy.models", _PGMPY)
    factors = imported("pgmpy.factors.discrete", _PGMPY)
    network = models.DiscreteBayesianNetwork()
    network.add_nodes_from(states)
    network.add_edges_from((parent, name) for name, given in parents.items() for parent in given)
    for name, table in tables.items():
        given = list(parents[name])
        cpd = factors.TabularCPD(
            name,
            len(states[name]),
            # One column per configuration of the parents, where our tables have a row.
            table.reshape(-1, table.shape[-1]).T,
            evidence=given,
            evidence_card=[len(states[parent]) for parent in given],
            state_names={member: list(states[member]) for member in (name, *given)},
        )
        network.add_cpds(cpd)
    return network


def parts_of_pgmpy(network: Any) -> NetworkTables:
    """Read nodes, categories, tables and parents off a network of pgmpy.

    Raises
    ------
    ValueError
        If a node has no table.
    """
    parts = NetworkTables(tuple(network.nodes), {}, {}, {})
    for name in parts.nodes:
        cpd = network.get_cpds(name)
        if cpd is None:
            raise ValueError(f"the network has no table for {name!r}: fit it first.")
        own, *given = cpd.variables
        parts.states[name] = list(cpd.state_names[own])
        parts.parents[name] = given
        parts.tables[name] = np.moveaxis(np.asarray(cpd.values, dtype=np.float64), 0, -1)
    for name, given in parts.parents.items():
        for axis, parent in enumerate(given):
            # A table lists the parents' categories in an order of its own.
            seen = list(network.get_cpds(name).state_names[parent])
            order = [seen.index(label) for label in parts.states[parent]]
            parts.tables[name] = np.take(parts.tables[name], order, axis=axis)
    return parts


def pgmpy_linear_network(nodes: Iterable[str], equations: Mapping[str, Equation]) -> Any:
    """Return a `pgmpy.models.LinearGaussianBayesianNetwork` of linear equations."""
    models = imported("pgmpy.models", _PGMPY)
    factors = imported("pgmpy.factors.continuous", _PGMPY)
    network = models.LinearGaussianBayesianNetwork()
    network.add_nodes_from(nodes)
    for name, (_, slopes, _) in equations.items():
        network.add_edges_from((parent, name) for parent in slopes)
    for name, (intercept, slopes, deviation) in equations.items():
        coefficients = [intercept, *slopes.values()]
        network.add_cpds(factors.LinearGaussianCPD(name, coefficients, deviation, list(slopes)))
    return network


def equations_of_pgmpy(network: Any) -> dict[str, Equation] | None:
    """Read linear equations off a network of pgmpy; None if it is one of tables.

    Raises
    ------
    ValueError
        If a node has no equation.
    """
    if type(network).__name__ != "LinearGaussianBayesianNetwork":
        return None
    equations: dict[str, Equation] = {}
    for name in network.nodes:
        cpd = network.get_cpds(name)
        if cpd is None:
            raise ValueError(f"the network has no equation for {name!r}: fit it first.")
        intercept, *slopes = map(float, cpd.beta)
        equations[name] = intercept, dict(zip(cpd.evidence, slopes, strict=True)), float(cpd.std)
    return equations


def candidates_to_pgmpy(candidates: Mapping[str, Iterable[str]]) -> Any:
    """Return candidates as a `pgmpy.causal_discovery.ExpertKnowledge` with their search space.

    Parameters
    ----------
    candidates : mapping of str to iterable of str
        For each column the columns it may be joined to, such as ``learner.candidates_``. An arrow
        is possible either way if one column is a candidate of the other.

    Returns
    -------
    pgmpy.causal_discovery.ExpertKnowledge
        For pgmpy's ``HillClimbSearch`` or ``PC``.
    """
    pairs = candidate_pairs(candidates)
    knowledge = imported("pgmpy.causal_discovery", _PGMPY).ExpertKnowledge
    return knowledge(search_space=[*pairs, *((b, a) for a, b in pairs)])


def pyagrum_network(
    states: Mapping[str, Sequence[Hashable]],
    parents: Mapping[str, Sequence[str]],
    tables: Mapping[str, NDArray[np.float64]],
) -> Any:
    """Return a `pyagrum.BayesNet`; categories become text."""
    pyagrum = imported("pyagrum", "pyagrum>=2.0")
    network = pyagrum.BayesNet()
    for name, labels in states.items():
        texts = text_labels(name, labels, "pyAgrum")
        network.add(pyagrum.LabelizedVariable(name, name, texts))
    for name, given in parents.items():
        for parent in given:
            network.addArc(parent, name)
    for name, table in tables.items():
        cpt = network.cpt(name)
        # pyAgrum's first variable changes fastest; our last axis does.
        axes = [parents[name].index(parent) for parent in list(cpt.names)[:0:-1]]
        cpt.fillWith(table.transpose([*axes, len(axes)]).ravel().tolist())
    return network


def parts_of_pyagrum(network: Any) -> NetworkTables:
    """Read nodes, categories, tables and parents off a `pyagrum.BayesNet`."""
    numbers = list(network.nodes())
    nodes = tuple(network.variable(number).name() for number in numbers)
    parts = NetworkTables(nodes, {}, {}, {})
    for number, name in zip(numbers, nodes, strict=True):
        cpt = network.cpt(number)
        parts.states[name] = list(network.variable(number).labels())
        parts.parents[name] = list(cpt.names)[:0:-1]
        parts.tables[name] = np.asarray(cpt.toarray(), dtype=np.float64)
    return parts


def candidates_to_pyagrum(candidates: Mapping[str, Iterable[str]], learner: Any) -> Any:
    """Let a `pyagrum.BNLearner` join only candidates.

    Parameters
    ----------
    candidates : mapping of str to iterable of str
        For each column the columns it may be joined to, such as ``learner.candidates_``. An edge is
        possible if one column is a candidate of the other.
    learner : pyagrum.BNLearner
        Made from the same data; it is changed.

    Returns
    -------
    pyagrum.BNLearner
        The same learner.
    """
    for a, b in candidate_pairs(candidates):
        learner.addPossibleEdge(a, b)
    return learner


_TAIL, _ARROW = -1, 1
_MARKS = {-1: "tail", 1: "arrowhead", 2: "circle"}


def causal_learn_graph(nodes: Sequence[str], edges: EdgeLists) -> Any:
    """Return a `causallearn.graph.GeneralGraph.GeneralGraph`."""
    graph_node = imported("causallearn.graph.GraphNode", _CAUSAL_LEARN).GraphNode
    edge = imported("causallearn.graph.Edge", _CAUSAL_LEARN).Edge
    endpoint = imported("causallearn.graph.Endpoint", _CAUSAL_LEARN).Endpoint
    own = [graph_node(name) for name in nodes]
    graph = imported("causallearn.graph.GeneralGraph", _CAUSAL_LEARN).GeneralGraph(own)
    for pairs, head in ((edges.directed, endpoint.ARROW), (edges.undirected, endpoint.TAIL)):
        for a, b in pairs.tolist():
            graph.add_edge(edge(own[a], own[b], endpoint.TAIL, head))
    return graph


def edges_of_causal_learn(graph: Any) -> tuple[tuple[str, ...], EdgeArray, EdgeArray]:
    """Read names, arrows and undirected edges off a `GeneralGraph`, or a `CausalGraph` around one.

    Raises
    ------
    ValueError
        If an edge has an arrowhead at both ends or a circle, as the graphs of FCI have: such an
        edge speaks of hidden causes, which no DAG or CPDAG can.
    """
    graph = getattr(graph, "G", graph)
    names = checked_names(node.get_name() for node in graph.get_nodes())
    marks = np.asarray(graph.graph)
    first, second = np.nonzero(np.triu(marks != 0) | np.triu((marks != 0).T))
    directed, undirected = [], []
    for i, j in zip(first.tolist(), second.tolist(), strict=True):
        ends = (int(marks[i, j]), int(marks[j, i]))
        if ends == (_TAIL, _ARROW):
            directed.append((i, j))
        elif ends == (_ARROW, _TAIL):
            directed.append((j, i))
        elif ends == (_TAIL, _TAIL):
            undirected.append((i, j))
        else:
            found = " and ".join(_MARKS.get(end, f"mark {end}") for end in ends)
            raise ValueError(
                f"the edge of {names[i]!r} and {names[j]!r} has {found} at its ends; a DAG or "
                "CPDAG has directed and undirected edges only."
            )
    return names, edge_array(directed), edge_array(undirected)
