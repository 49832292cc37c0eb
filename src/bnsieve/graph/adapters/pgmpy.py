"""To pgmpy and back: graphs, networks, and candidates as a search space.

Comes in: names, edges, labels and tables, or pgmpy's objects. Goes out: the other. Written for
pgmpy 1; nothing of it is imported to read its objects.
"""

from collections.abc import Hashable, Iterable, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bnsieve.graph.adapters._common import NetworkParts, candidate_pairs, imported

_PACKAGE = "pgmpy>=1.0"

# Intercept, slopes by parent, standard deviation of the noise.
Equation = tuple[float, Mapping[str, float], float]


def pgmpy_graph(
    nodes: Iterable[str],
    directed: Sequence[tuple[str, str]],
    undirected: Sequence[tuple[str, str]],
) -> Any:
    """Return a `pgmpy.base.DAG`, or a `pgmpy.base.PDAG` if an edge is undirected."""
    base = imported("pgmpy.base", _PACKAGE)
    graph = base.PDAG(list(directed), list(undirected)) if undirected else base.DAG(list(directed))
    graph.add_nodes_from(nodes)
    return graph


def pgmpy_network(
    levels: Mapping[str, Sequence[Hashable]],
    parents: Mapping[str, Sequence[str]],
    tables: Mapping[str, NDArray[np.float64]],
) -> Any:
    """Return a `pgmpy.models.DiscreteBayesianNetwork` with its tables, labels kept as they are."""
    models = imported("pgmpy.models", _PACKAGE)
    factors = imported("pgmpy.factors.discrete", _PACKAGE)
    network = models.DiscreteBayesianNetwork()
    network.add_nodes_from(levels)
    network.add_edges_from((parent, name) for name, given in parents.items() for parent in given)
    for name, table in tables.items():
        given = list(parents[name])
        cpd = factors.TabularCPD(
            name,
            len(levels[name]),
            # One column per configuration of the parents, where our tables have a row.
            table.reshape(-1, table.shape[-1]).T,
            evidence=given,
            evidence_card=[len(levels[parent]) for parent in given],
            state_names={member: list(levels[member]) for member in (name, *given)},
        )
        network.add_cpds(cpd)
    return network


def parts_of_pgmpy(network: Any) -> NetworkParts:
    """Read nodes, labels, tables and parents off a network of pgmpy.

    Raises
    ------
    ValueError
        If a node has no table.
    """
    parts = NetworkParts(tuple(network.nodes), {}, {}, {})
    for name in parts.nodes:
        cpd = network.get_cpds(name)
        if cpd is None:
            raise ValueError(f"the network has no table for {name!r}: fit it first.")
        own, *given = cpd.variables
        parts.levels[name] = list(cpd.state_names[own])
        parts.parents[name] = given
        parts.tables[name] = np.moveaxis(np.asarray(cpd.values, dtype=np.float64), 0, -1)
    for name, given in parts.parents.items():
        for axis, parent in enumerate(given):
            # A table lists the parents' labels in an order of its own.
            seen = list(network.get_cpds(name).state_names[parent])
            order = [seen.index(label) for label in parts.levels[parent]]
            parts.tables[name] = np.take(parts.tables[name], order, axis=axis)
    return parts


def pgmpy_linear_network(nodes: Iterable[str], equations: Mapping[str, Equation]) -> Any:
    """Return a `pgmpy.models.LinearGaussianBayesianNetwork` of linear equations."""
    models = imported("pgmpy.models", _PACKAGE)
    factors = imported("pgmpy.factors.continuous", _PACKAGE)
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
    knowledge = imported("pgmpy.causal_discovery", _PACKAGE).ExpertKnowledge
    return knowledge(search_space=[*pairs, *((b, a) for a, b in pairs)])
