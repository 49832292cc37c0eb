"""Probability tables for the page: as few bytes as will do, and whether the page can answer.

In: a network and its counts. Out: for each node its states, parents and table; and, if an answer
takes a browser no noticeable time, the cliques to compute it with.
"""

import base64
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bnsieve.network import BayesianNetwork, FamilyCounts, plan_margins
from bnsieve.table import state_order

# Numbers that travel with a page: each takes five bytes and a third.
MAX_NUMBERS = 100_000
# What one answer may take: some 50 ms in a browser.
MAX_STEPS = 4_000_000
# A column of a thousand states is read elsewhere.
MAX_LABELS = 1_000


def node_tables(network: BayesianNetwork, counts: FamilyCounts | None) -> list[dict[str, Any]]:
    """Return states, parents, table and rows behind it of each node, in the order of the graph.

    States are listed as people read them: months, scales and numbers in their order.
    A table is 32-bit numbers in base 64, the parents' states in order and the node's own last; None
    if the tables are too many for the page, of which the smallest are kept.
    """
    position = {name: i for i, name in enumerate(network.graph.nodes)}
    places = {name: state_order(network.states[name]).places for name in network.graph.nodes}
    room = MAX_NUMBERS
    kept = set()
    for name in sorted(network.graph.nodes, key=lambda one: (network.tables[one].size, one)):
        room -= network.tables[name].size
        most = max(network.tables[name].shape)
        if room >= 0 and most <= MAX_LABELS:
            kept.add(name)
    return [
        {
            "labels": [str(network.states[name][place]) for place in places[name][:MAX_LABELS]],
            "n_labels": len(network.states[name]),
            "parents": [position[parent] for parent in network.parents(name)],
            "table": _packed(_listed(network.tables[name], family)) if name in kept else None,
            "rows": _rows_behind(name, network, counts, family[:-1]) if name in kept else None,
        }
        for name in network.graph.nodes
        for family in [[places[one] for one in (*network.parents(name), name)]]
    ]


def answering(network: BayesianNetwork, nodes: list[dict[str, Any]]) -> dict[str, Any]:
    """Return what the page answers with, or why it cannot.

    Returns
    -------
    dict
        ``cliques``, children before parents: each the variables, how many of these it sums out,
        the tables it multiplies and the clique it reports to. Or ``too_large``: why not.
    """
    names = network.graph.nodes
    if any(node["table"] is None for node in nodes):
        return {"too_large": "its probability tables are too large for this file"}
    position = {name: i for i, name in enumerate(names)}
    tree = plan_margins(
        [len(network.states[name]) for name in names],
        [[position[parent] for parent in network.parents(name)] for name in names],
    )
    if tree.n_steps > MAX_STEPS:
        return {"too_large": "an answer would keep a browser busy for too long"}
    return {
        "cliques": [
            [list(one.scope), one.n_own, list(one.factors), one.parent] for one in tree.cliques
        ]
    }


def surrounded(
    network: BayesianNetwork, first: Sequence[str]
) -> tuple[list[dict[str, Any]], dict[str, Any]]:
    """Return nodes and answers of a network of which a page shows a part.

    Parameters
    ----------
    network : BayesianNetwork
        All variables: what happens around the part moves the part too.
    first : sequence of str
        The variables that the page shows, which come first.
    """
    names = network.graph.nodes
    nodes = node_tables(network, None)
    answers = answering(network, nodes)
    order = [*first, *(name for name in names if name not in set(first))]
    new = {names.index(name): place for place, name in enumerate(order)}
    if "cliques" in answers:
        answers["cliques"] = [
            [[new[v] for v in scope], n_own, [new[v] for v in factors], parent]
            for scope, n_own, factors, parent in answers["cliques"]
        ]
    listed = [
        {
            "name": name,
            "labels": node["labels"],
            "parents": [new[v] for v in node["parents"]],
            "table": node["table"],
        }
        for name in order
        for node in [nodes[names.index(name)]]
    ]
    return listed, answers


def _listed(table: NDArray[Any], places: Sequence[Sequence[int]]) -> NDArray[Any]:
    """Return a table with the states of each axis in another order."""
    return table[np.ix_(*places)] if places else table


def _packed(table: NDArray[np.float64]) -> str:
    scaled = table / table.sum(axis=-1, keepdims=True)
    return base64.b64encode(scaled.astype("<f4").tobytes()).decode("ascii")


def _rows_behind(
    name: str,
    network: BayesianNetwork,
    counts: FamilyCounts | None,
    places: Sequence[Sequence[int]],
) -> list[int] | None:
    """Return how many rows each line of a table rests on."""
    if counts is None or counts.graph.parents(name) != network.parents(name):
        return None
    family = counts.tables[name].complete()
    shape = network.tables[name].shape[:-1]
    if not _same_states(name, network, counts.states):
        return None
    if not shape:
        return [int(family.counts.sum())]
    rows = np.zeros(shape, dtype=np.int64)
    codes = tuple(family.configurations[:-1].astype(np.int64))
    np.add.at(rows, codes, family.counts)
    found: list[int] = _listed(rows, places).ravel().tolist()
    return found


def _same_states(name: str, network: BayesianNetwork, states: Mapping[str, Any]) -> bool:
    return all(
        len(states[one]) == len(network.states[one]) for one in (*network.parents(name), name)
    )
