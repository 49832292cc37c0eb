"""A network for other programs and for notebooks.

In: `NetworkParts`, or a network of pgmpy or pyAgrum. Out: the other of the two; HTML.
"""

from collections.abc import Hashable, Mapping, Sequence
from typing import Any

import numpy as np

from bnsieve.graph import PGMPY, Graph, import_optional, part_to_draw
from bnsieve.network.mixed.exact import LinearEquation, linear_equations, linear_node
from bnsieve.network.parts import NetworkParts
from bnsieve.table import text_labels
from bnsieve.text import listed

_STATES_SHOWN = 6


def pgmpy_of(parts: NetworkParts) -> Any:
    """Return pgmpy's network; see `bnsieve.BayesianNetwork.to_pgmpy`."""
    models = import_optional("pgmpy.models", PGMPY)
    linear = not parts.has_bins
    network = models.LinearGaussianBayesianNetwork() if linear else models.DiscreteBayesianNetwork()
    network.add_nodes_from(parts.graph.nodes)
    network.add_edges_from(parts.graph.directed_edges)
    if linear:
        factors = import_optional("pgmpy.factors.continuous", PGMPY)
        for name, (intercept, slopes, deviation) in linear_equations(parts.mixed).items():
            coefficients = [intercept, *slopes.values()]
            network.add_cpds(factors.LinearGaussianCPD(name, coefficients, deviation, [*slopes]))
        return network
    factors = import_optional("pgmpy.factors.discrete", PGMPY)
    states = parts.binned_states
    for name, table in parts.cpts.items():
        given = list(parts.parents[name])
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


def parts_from_pgmpy(network: Any) -> tuple[Any, ...]:
    """Return graph, states, CPTs, parents and regressions of pgmpy's network.

    Raises
    ------
    ValueError
        If a node has no CPT or equation.
    """
    cpds = {name: network.get_cpds(name) for name in network.nodes}
    for name, cpd in cpds.items():
        if cpd is None:
            raise ValueError(f"the network has no table or equation for {name!r}: fit it first.")
    if type(network).__name__ == "LinearGaussianBayesianNetwork":
        parents = {name: list(cpd.evidence) for name, cpd in cpds.items()}
        nodes = {}
        for name, cpd in cpds.items():
            intercept, *slopes = map(float, cpd.beta)
            by_parent = dict(zip(parents[name], slopes, strict=True))
            nodes[name] = linear_node(LinearEquation(intercept, by_parent, float(cpd.std)))
        return _graph_of(parents), {}, {}, None, nodes
    states = {name: list(cpd.state_names[name]) for name, cpd in cpds.items()}
    parents = {name: list(cpd.variables[1:]) for name, cpd in cpds.items()}
    tables = {}
    for name, cpd in cpds.items():
        table = np.moveaxis(np.asarray(cpd.values, dtype=np.float64), 0, -1)
        for axis, parent in enumerate(parents[name]):
            # A table lists the parents' states in an order of its own.
            order = [list(cpd.state_names[parent]).index(state) for state in states[parent]]
            table = np.take(table, order, axis=axis)
        tables[name] = table
    return _graph_of(parents), states, tables, parents


def pyagrum_of(parts: NetworkParts) -> Any:
    """Return pyAgrum's network; see `bnsieve.BayesianNetwork.to_pyagrum`."""
    binned = parts.binned  # refuses numbers without bins
    pyagrum = import_optional("pyagrum", "pyagrum>=2.0")
    network = pyagrum.BayesNet()
    for name, states in binned.binned_states.items():
        texts = text_labels(name, states, "pyAgrum")
        network.add(pyagrum.LabelizedVariable(name, name, texts))
    for name, given in binned.parents.items():
        for parent in given:
            network.addArc(parent, name)
    for name, table in binned.cpts.items():
        cpt = network.cpt(name)
        # pyAgrum's first variable changes fastest; our last axis does.
        axes = [binned.parents[name].index(parent) for parent in list(cpt.names)[:0:-1]]
        cpt.fillWith(table.transpose([*axes, len(axes)]).ravel().tolist())
    return network


def parts_from_pyagrum(network: Any) -> tuple[Any, ...]:
    """Return graph, states, CPTs and parents of pyAgrum's network."""
    variables = {number: network.variable(number) for number in network.nodes()}
    cpts = {one.name(): network.cpt(number) for number, one in variables.items()}
    parents = {name: list(cpt.names)[:0:-1] for name, cpt in cpts.items()}
    tables = {name: np.asarray(cpt.toarray(), dtype=np.float64) for name, cpt in cpts.items()}
    states = {one.name(): list(one.labels()) for one in variables.values()}
    return _graph_of(parents), states, tables, parents


def text_of(parts: NetworkParts) -> str:
    """Return one line with the numbers of nodes, arcs and parameters."""
    counts = [(parts.graph.n_nodes, "node"), (parts.graph.n_edges, "arc")]
    if not (parts.numbers and parts.has_bins):  # regressions of a fit may take seconds
        counts.append((parts.n_parameters, "parameter"))
    words = [f"{n} {noun}{'s' * (n != 1)}" for n, noun in counts]
    return f"BayesianNetwork with {listed(words)}"


def html_of(parts: NetworkParts) -> str:
    """Return what a notebook shows: a picture, and each variable's states and parents."""
    from bnsieve.text import MAX_TABLE_ROWS, NotebookTable, notebook_html

    graph = parts.graph
    part, note = part_to_draw(graph)
    rows = [
        (name, *_listed(parts.states.get(name)), ", ".join(parts.parents[name]))
        for name in graph.nodes[:MAX_TABLE_ROWS]
    ]
    titles = ("variable", "states", "", "parents")
    return notebook_html(
        text_of(parts),
        note=note,
        picture=part.plot().svg if part.n_nodes else "",
        tables=[NotebookTable("Variables", titles, rows, graph.n_nodes)],
    )


def _listed(states: Sequence[Hashable] | None) -> tuple[str, str]:
    """Return how many states there are, and the first of them; None is a number."""
    if states is None:
        return "", "numeric"
    more = ", …" if len(states) > _STATES_SHOWN else ""
    return f"{len(states):,}", ", ".join(map(str, states[:_STATES_SHOWN])) + more


def _graph_of(parents: Mapping[str, Sequence[str]]) -> Graph:
    return Graph(parents, [(parent, name) for name, given in parents.items() for parent in given])
