"""Rows of a network of which some variables are hidden, and the best that they could tell."""

from dataclasses import dataclass

import numpy as np

from benchmarks.common.networks import network_of
from benchmarks.common.shuffled import Renamed, shuffled
from bnsieve import BayesianNetwork, Graph
from bnsieve.graph import AncestralGraph, reachable


@dataclass(frozen=True)
class HiddenSample:
    """Rows without the hidden variables, and the truth.

    Attributes
    ----------
    rows : Renamed
        Columns shuffled and renamed; none is constant.
    pag : AncestralGraph
        What all graphs with these independences share: the best that rows can tell.
    double : frozenset of frozenset of two str
        Edges of the true MAG with two arrowheads: neither variable causes the other.
    confounded : frozenset of frozenset of two str
        Pairs of variables with a hidden common cause, adjacent or not.
    """

    rows: Renamed
    pag: AncestralGraph
    double: frozenset[frozenset[str]]
    confounded: frozenset[frozenset[str]]


def sample_of(name: str, n_rows: int, number: int) -> HiddenSample:
    """Hide a tenth of a network's variables, at least two, of those with two children or more.

    Columns that are constant in the rows are left out as well.
    """
    network = network_of(name)
    hidden = hidden_of(network.graph, number)
    drawn = network.sample(n_rows, random_state=number).drop(columns=hidden).astype(str)
    drawn = drawn[[column for column in drawn.columns if drawn[column].nunique() > 1]]
    return HiddenSample(shuffled(drawn, number), *truth_of(network, hidden, list(drawn.columns)))


def hidden_of(graph: Graph, number: int) -> list[str]:
    """Draw the variables that are hidden in a sample."""
    causes = [node for node in graph.nodes if len(graph.children(node)) >= 2]
    n_hidden = max(2, graph.n_nodes // 10)
    chosen = np.random.default_rng(number).choice(causes, n_hidden, replace=False)
    return [str(node) for node in chosen]


def truth_of(
    network: BayesianNetwork, hidden: list[str], columns: list[str]
) -> tuple[AncestralGraph, frozenset[frozenset[str]], frozenset[frozenset[str]]]:
    """Return the true PAG over some columns, double arrows, and pairs with a hidden cause."""
    graph, unseen = network.graph, set(hidden)
    left_out = set(graph.nodes).difference(columns)

    def hidden_parents(node: str) -> list[str]:
        return [parent for parent in graph.parents(node) if parent in unseen]

    causes = {name: reachable([name], hidden_parents) - {name} for name in columns}
    pairs = [(a, b) for i, a in enumerate(columns) for b in columns[i + 1 :]]
    ancestors = {name: reachable([name], graph.parents) for name in columns}
    pag = graph.to_pag(hidden=left_out)
    double = frozenset(
        frozenset((a, b))
        for a, _, b in pag.edges
        if a not in ancestors[b] and b not in ancestors[a]
    )
    confounded = frozenset(frozenset((a, b)) for a, b in pairs if causes[a] & causes[b])
    return pag, double, confounded
