"""A network for other programs and for notebooks.

In: `NetworkParts`, or a network of pgmpy or pyAgrum. Out: the other of the two; HTML.
"""

from collections.abc import Hashable, Sequence
from typing import Any

from bnsieve.graph import (
    Graph,
    equations_of_pgmpy,
    part_to_draw,
    parts_of_pgmpy,
    parts_of_pyagrum,
    pgmpy_linear_network,
    pgmpy_network,
    pyagrum_network,
)
from bnsieve.network.mixed.exact import LinearEquation, linear_equations, linear_node
from bnsieve.network.parts import NetworkParts
from bnsieve.text import listed

_STATES_SHOWN = 6


def pgmpy_of(parts: NetworkParts) -> Any:
    """Return pgmpy's network; see `bnsieve.BayesianNetwork.to_pgmpy`."""
    if not parts.has_bins:
        return pgmpy_linear_network(parts.graph.nodes, linear_equations(parts.mixed))
    return pgmpy_network(parts.binned_states, parts.parents, parts.cpts)


def parts_from_pgmpy(network: Any) -> tuple[Any, ...]:
    """Return graph, states, CPTs, parents and regressions of pgmpy's network."""
    equations = equations_of_pgmpy(network)
    if equations is None:
        return _with_graph(parts_of_pgmpy(network))
    edges = [(parent, name) for name, one in equations.items() for parent in one[1]]
    nodes = {name: linear_node(LinearEquation(*one)) for name, one in equations.items()}
    return Graph(list(equations), edges), {}, {}, None, nodes


def pyagrum_of(parts: NetworkParts) -> Any:
    """Return pyAgrum's network; see `bnsieve.BayesianNetwork.to_pyagrum`."""
    binned = parts.binned
    return pyagrum_network(binned.binned_states, binned.parents, binned.cpts)


def parts_from_pyagrum(network: Any) -> tuple[Any, ...]:
    """Return graph, states, CPTs and parents of pyAgrum's network."""
    return _with_graph(parts_of_pyagrum(network))


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


def _with_graph(parts: Any) -> tuple[Any, ...]:
    edges = [(parent, name) for name, given in parts.parents.items() for parent in given]
    return Graph(parts.nodes, edges), *parts[1:]
