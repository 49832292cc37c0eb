"""Compare a learned graph with the true one: in numbers, edge by edge and as a picture.

In: two graphs over the same nodes. Out: a `Comparison`, with the skeleton scores of the paper
(precision, recall, F1, missing and wrong edges, missing nodes, SHD) and the measures of the field
that mind direction; `EdgeDifferences`, the edges by name; or, from `intervention_distance`, how
many causal effects the learned graph would get wrong.

Directions are compared between equivalence classes (CPDAGs), because independences cannot tell
the members of a class apart.
"""

from dataclasses import dataclass, field, fields
from os import PathLike
from pathlib import Path
from typing import Any, Literal, NamedTuple, TypeAlias, get_args

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.utils.validation import check_is_fitted

from bnsieve.exchange import read
from bnsieve.graph import Fate, Graph, check_same_nodes, part_to_draw
from bnsieve.text import NotebookTable, notebook_html

GraphLike: TypeAlias = Any
"""A `Graph`, whatever has one (a `BayesianNetwork`, a fitted learner), or the path of a file."""


def with_nodes_of(graph: Graph, other: Graph) -> Graph:
    """Add the other graph's nodes: an edge list need not name isolated ones."""
    nodes = dict.fromkeys([*graph.nodes, *other.nodes])
    return Graph(nodes, graph.directed_edges, graph.undirected_edges)


def _aligned(truth: GraphLike, learned: GraphLike) -> tuple[Graph, Graph]:
    """Return both graphs with the nodes in the order of the true one."""
    true_graph, graph = _graph_of(truth, "truth"), _graph_of(learned, "learned")
    if _is_edge_list(learned):
        graph = with_nodes_of(graph, true_graph)
    if _is_edge_list(truth):
        true_graph = with_nodes_of(true_graph, graph)
    check_same_nodes(graph.nodes, true_graph.nodes, "the learned graph", "the true graph")
    return true_graph, graph.reorder(true_graph.nodes)


def _is_edge_list(value: GraphLike) -> bool:
    return isinstance(value, str | PathLike) and Path(value).suffix.lower() == ".csv"


def _graph_of(given: GraphLike, role: str) -> Graph:
    value = read(given) if isinstance(given, str | PathLike) else given
    if isinstance(value, BaseEstimator):
        check_is_fitted(value, "graph_")
    graph = value
    for attribute in ("graph", "graph_"):
        graph = getattr(graph, attribute, graph)
    if not isinstance(graph, Graph):
        raise TypeError(
            f"{role} must be a Graph, a BayesianNetwork, a fitted learner or the path of a file, "
            f"got {type(value).__name__}."
        )
    return graph


def _class_of(graph: Graph) -> tuple[Graph, bool]:
    """Return a DAG's CPDAG, any other graph unchanged; and whether it stands for a class.

    An undirected edge may mean that both directions fit, or that nothing is known of the
    direction: nothing is concluded from it.
    """
    if graph.is_dag:
        return graph.to_cpdag(), True
    try:
        graph.to_cpdag()
    except ValueError:
        return graph, False
    return graph, True


@dataclass(frozen=True)
class NamedEdge:
    """An edge between two nodes: directed from `tail` to `head`, or undirected."""

    tail: str
    head: str
    directed: bool

    def __str__(self) -> str:
        return f"{self.tail} {'->' if self.directed else '-'} {self.head}"


@dataclass(frozen=True)
class EdgeDifferences:
    """The edges in which two graphs differ, each pair of nodes once.

    Attributes
    ----------
    missing : tuple of NamedEdge
        Edges of the true graph whose nodes are not adjacent in the learned one.
    extra : tuple of NamedEdge
        Edges of the learned graph whose nodes are not adjacent in the true one.
    turned : tuple of pairs of NamedEdge
        The true and the learned edge of each pair with different edges: reversed, or directed in
        one graph and undirected in the other.
    """

    missing: tuple[NamedEdge, ...]
    extra: tuple[NamedEdge, ...]
    turned: tuple[tuple[NamedEdge, NamedEdge], ...]

    @property
    def n(self) -> int:
        """The number of pairs of nodes that differ: the structural Hamming distance."""
        return len(self.missing) + len(self.extra) + len(self.turned)

    def to_dict(self) -> dict[str, list[Any]]:
        """Return the edges as text, in plain Python lists."""
        return {
            "missing": [str(edge) for edge in self.missing],
            "extra": [str(edge) for edge in self.extra],
            "turned": [{"true": str(true), "learned": str(own)} for true, own in self.turned],
        }

    def __str__(self) -> str:
        lines = [f"missing  {edge}" for edge in self.missing]
        lines += [f"extra    {edge}" for edge in self.extra]
        lines += [f"turned   {true}, learned as {own}" for true, own in self.turned]
        return "\n".join(lines) or "no edge differs"

    def _table(self) -> NotebookTable:
        rows = [("missing", str(edge), "") for edge in self.missing]
        rows += [("extra", "", str(edge)) for edge in self.extra]
        rows += [("turned", str(true), str(own)) for true, own in self.turned]
        title = f"{self.n:,} {'edge differs' if self.n == 1 else 'edges differ'}"
        return NotebookTable(title, ("", "true", "learned"), rows)


def differences(truth: GraphLike, learned: GraphLike) -> EdgeDifferences:
    """List the edges in which a learned graph differs from the true one.

    Parameters
    ----------
    truth, learned : Graph, BayesianNetwork, fitted learner or path
        As for `compare`, whose `shd` is the number of these differences.

    Examples
    --------
    >>> truth = Graph(["a", "b", "c", "d"], [("a", "b"), ("c", "b"), ("b", "d")])
    >>> learned = Graph(["a", "b", "c", "d"], [("a", "b"), ("c", "b"), ("c", "d")])
    >>> print(differences(truth, learned))
    missing  b -> d
    extra    c - d
    """
    true_graph, graph = _aligned(truth, learned)
    return _differences(_class_of(true_graph)[0], _class_of(graph)[0])


def _differences(truth: Graph, learned: Graph) -> EdgeDifferences:
    wanted, found = _edges(truth), _edges(learned)
    both = [(edge, found[pair]) for pair, edge in wanted.items() if pair in found]
    return EdgeDifferences(
        tuple(edge for pair, edge in wanted.items() if pair not in found),
        tuple(edge for pair, edge in found.items() if pair not in wanted),
        tuple((true, own) for true, own in both if true != own),
    )


def _edges(graph: Graph) -> dict[frozenset[str], NamedEdge]:
    edges = [NamedEdge(tail, head, True) for tail, head in graph.directed_edges]
    edges += [NamedEdge(min(pair), max(pair), False) for pair in graph.undirected_edges]
    edges.sort(key=lambda edge: (edge.tail, edge.head))
    return {frozenset((edge.tail, edge.head)): edge for edge in edges}


def _both(learned: Graph, differing: EdgeDifferences) -> tuple[Graph, dict[frozenset[str], Fate]]:
    """Return a graph with the edges of both, and what became of each edge."""
    missing = [(edge.tail, edge.head) for edge in differing.missing]
    fates: dict[frozenset[str], Fate] = {frozenset(pair): "agreed" for pair in learned.edges}
    fates |= {frozenset(pair): "missing" for pair in missing}
    fates |= {frozenset((edge.tail, edge.head)): "extra" for edge in differing.extra}
    fates |= {frozenset((own.tail, own.head)): "turned" for _, own in differing.turned}
    # Undirected, because a missing edge may close a cycle with those that are there.
    undirected = [*learned.undirected_edges, *missing]
    return Graph(learned.nodes, learned.directed_edges, undirected), fates


DistanceKind = Literal["ancestor", "oset", "parent", "sid"]


@dataclass(frozen=True)
class Comparison:
    """A learned graph compared with the true one.

    Attributes
    ----------
    n_learned, n_true : int
        The number of edges of each graph.
    correct_edges, missing_edges, wrong_edges : int
        The numbers of pairs of nodes that are adjacent in both graphs, only in the true one, and
        only in the learned one. Directions do not matter.
    missing_nodes : int
        The number of nodes that are isolated in the learned graph.
    precision, recall, f1 : float
        Precision (correct / learned), recall (correct / true) and their harmonic mean, of the
        skeleton.
    skeleton_shd : int
        The structural Hamming distance of the skeletons: missing plus wrong edges, as in the paper.
        Directions do not matter.
    shd : int
        The structural Hamming distance of the CPDAGs: pairs that are adjacent in one graph only,
        plus pairs whose edges differ (reversed, or directed in one graph and undirected in the
        other). Each pair counts once.
    arrowhead_precision, arrowhead_recall : float
        A directed edge a -> b of the learned CPDAG is right if the true CPDAG has a -> b too. If
        the true CPDAG has b -> a, a - b or no edge, it is wrong. Undirected edges do not count.
    v_structure_precision, v_structure_recall : float
        The same for v-structures: triples a -> c <- b with a and b not adjacent.
    both_extendable : bool
        Whether each graph represents an equivalence class, so that the four measures above compare
        two CPDAGs. A graph that tests learned may have no consistent extension. It is then compared
        unchanged.
    truth, learned : Graph
        The CPDAGs that were compared. Notebooks draw them.

    Notes
    -----
    A precision or recall whose denominator is zero is 1 if there was nothing to find and
    nothing was found, and 0 otherwise: an empty graph has precision 0 unless the truth is empty.
    """

    n_learned: int
    n_true: int
    correct_edges: int
    missing_edges: int
    wrong_edges: int
    missing_nodes: int
    precision: float
    recall: float
    f1: float
    skeleton_shd: int
    shd: int
    arrowhead_precision: float
    arrowhead_recall: float
    v_structure_precision: float
    v_structure_recall: float
    both_extendable: bool
    truth: Graph = field(repr=False, compare=False)
    learned: Graph = field(repr=False, compare=False)

    def to_dict(self) -> dict[str, int | float | bool]:
        """Return the measures by name, in plain Python numbers."""
        return {one.name: getattr(self, one.name) for one in fields(self) if one.compare}

    def _texts(self) -> dict[str, str]:
        return {
            name.replace("_", " "): f"{value:.3f}" if isinstance(value, float) else f"{value}"
            for name, value in self.to_dict().items()
        }

    def __str__(self) -> str:
        texts = self._texts()
        width = max(map(len, texts))
        return "\n".join(f"{name:<{width}}  {text}" for name, text in texts.items())

    def _repr_html_(self) -> str:
        """Return what a notebook shows: both graphs in one picture, and what differs."""
        differing = _differences(self.truth, self.learned)
        both, fates = _both(self.learned, differing)
        part, note = part_to_draw(both)
        return notebook_html(
            f"{self.correct_edges:,} edges right, {self.missing_edges:,} missing, "
            f"{self.wrong_edges:,} extra; F1 {self.f1:.2f}, SHD {self.shd:,}",
            note=note,
            picture=part.plot(fates=fates).svg if part.n_nodes else "",
            tables=[
                differing._table(),
                NotebookTable("All measures", (), list(self._texts().items())),
            ],
        )


def compare(truth: GraphLike, learned: GraphLike) -> Comparison:
    """Compare a learned graph with the true one.

    Parameters
    ----------
    truth, learned : Graph, BayesianNetwork, fitted learner or path
        Two graphs of any kind over the same nodes, in any order; or files of graphs or networks
        that `bnsieve.read` reads.

    Examples
    --------
    >>> truth = Graph(["a", "b", "c", "d"], [("a", "b"), ("c", "b"), ("b", "d")])
    >>> learned = Graph(["a", "b", "c", "d"], [("a", "b"), ("c", "b"), ("c", "d")])
    >>> result = compare(truth, learned)
    >>> result.precision, result.missing_edges, result.wrong_edges, result.skeleton_shd
    (0.6666666666666666, 1, 1, 2)
    """
    true_graph, graph = _aligned(truth, learned)
    found = set(graph.skeleton().undirected_edges)
    wanted = set(true_graph.skeleton().undirected_edges)
    precision, recall = _precision_recall(found, wanted)
    found_class, found_extendable = _class_of(graph)
    wanted_class, wanted_extendable = _class_of(true_graph)
    arrowheads, v_structures = (
        _precision_recall(set(ours), set(theirs))
        for ours, theirs in (
            (found_class.directed_edges, wanted_class.directed_edges),
            (found_class.v_structures(), wanted_class.v_structures()),
        )
    )
    return Comparison(
        n_learned=len(found),
        n_true=len(wanted),
        correct_edges=len(found & wanted),
        missing_edges=len(wanted - found),
        wrong_edges=len(found - wanted),
        missing_nodes=true_graph.n_nodes - len({node for edge in found for node in edge}),
        precision=precision,
        recall=recall,
        f1=2 * precision * recall / (precision + recall) if precision + recall else 0.0,
        skeleton_shd=len(found ^ wanted),
        shd=_differences(wanted_class, found_class).n,
        arrowhead_precision=arrowheads[0],
        arrowhead_recall=arrowheads[1],
        v_structure_precision=v_structures[0],
        v_structure_recall=v_structures[1],
        both_extendable=found_extendable and wanted_extendable,
        truth=wanted_class,
        learned=found_class,
    )


class InterventionDistance(NamedTuple):
    """How many causal effects the learned graph gets wrong.

    Attributes
    ----------
    fraction : float
        `mistakes` divided by the number of ordered pairs of nodes.
    mistakes : int
        The number of ordered pairs (a, b) for which the learned graph gives a wrong adjustment set
        for the effect of a on b.
    """

    fraction: float
    mistakes: int


def intervention_distance(
    truth: GraphLike, learned: GraphLike, kind: DistanceKind = "ancestor"
) -> InterventionDistance:
    """Count the causal effects for which the learned graph gives a wrong adjustment set.

    Computed by the package gadjid (Henckel, Würtzen and Weichwald, 2024), which the extra
    ``bnsieve[distance]`` installs. The distance is not symmetric.

    Parameters
    ----------
    truth, learned : Graph, BayesianNetwork, fitted learner or path
        DAGs or CPDAGs. To compare only what data can show, pass two CPDAGs.
    kind : {"ancestor", "oset", "parent", "sid"}
        The adjustment set that the learned graph gives: ancestors, the optimal set, or the parents.
        "sid" is the structural intervention distance of Peters and Bühlmann (2015), for two DAGs.
    """
    if kind not in get_args(DistanceKind):
        raise ValueError(f"kind must be one of {get_args(DistanceKind)}, got {kind!r}.")
    true_graph, learned_graph = _aligned(truth, learned)
    if true_graph.n_nodes < 2:
        raise ValueError("a distance of interventions needs at least two nodes.")
    for role, graph in (("learned", learned_graph), ("true", true_graph)):
        if kind == "sid" and not graph.is_dag:
            raise ValueError(
                f'kind="sid" needs two DAGs, but the {role} graph has undirected edges; '
                'use another kind, such as "parent".'
            )
        if not graph.is_dag and not graph.is_cpdag:
            raise ValueError(f"the {role} graph must be a DAG or a CPDAG; to_cpdag() makes it one.")
    try:
        import gadjid
    except ImportError as error:
        raise ImportError(
            "intervention_distance needs the package gadjid: pip install 'bnsieve[distance]'."
        ) from error
    measure = getattr(gadjid, "sid" if kind == "sid" else f"{kind}_aid")
    fraction, mistakes = measure(
        _gadjid_matrix(true_graph),
        _gadjid_matrix(learned_graph),
        edge_direction="from row to column",
    )
    return InterventionDistance(float(fraction), int(mistakes))


def _gadjid_matrix(graph: Graph) -> Any:
    """Write a graph as gadjid reads it: sparse int8, 1 for directed edges, 2 for others."""
    from scipy.sparse import csr_array

    marks = np.repeat([1, 2], [len(graph.directed_index), len(graph.undirected_index)])
    pairs = np.concatenate([graph.directed_index, graph.undirected_index])
    rows, columns = pairs.T.astype(np.int32)  # the only index type that gadjid accepts
    shape = (graph.n_nodes, graph.n_nodes)
    return csr_array((marks.astype(np.int8), (rows, columns)), shape=shape)


def _precision_recall(found: set[Any], wanted: set[Any]) -> tuple[float, float]:
    """Return the shares of `found` that is wanted and of `wanted` that is found."""
    n_both = len(found & wanted)
    if_empty = float(not found and not wanted)
    precision = n_both / len(found) if found else if_empty
    recall = n_both / len(wanted) if wanted else if_empty
    return precision, recall
