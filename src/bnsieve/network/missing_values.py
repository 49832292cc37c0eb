"""Missing values: as a state of their own, or drawn from a network.

In: a table with missing values. Out: one without. Learners that leave missing values alone need
nothing from here: tests drop the rows that lack one of their variables, and no others.
"""

from collections.abc import Callable, Sequence
from dataclasses import replace
from math import prod
from typing import Literal, get_args

import numpy as np
from numpy.typing import NDArray

from bnsieve.graph import Graph
from bnsieve.network.network import BayesianNetwork
from bnsieve.network.parameters import count_families
from bnsieve.table import CategoryOrders, Codes, Table

Missing = Literal["testwise", "category", "em"]
WAYS: tuple[Missing, ...] = get_args(Missing)

# Draws forget where they started within a few sweeps: most blankets are small and mostly known.
N_SWEEPS = 10
# Tables of a network that cells are drawn from; larger ones would be nearly empty.
_MAX_TABLE = 1 << 20
# Configurations of a blanket for which weights are added up once and not row by row.
_MAX_CONFIGURATIONS = 1 << 12


def fit_network(dag: Graph, table: Table) -> BayesianNetwork:
    """Fit a network to draw missing values from; parents too many for a table are left out.

    Parameters
    ----------
    dag : Graph
    table : Table
        A row counts for a variable if neither its cell nor its parents' are missing.
    """
    n_states = dict(zip(table.names, table.n_categories.tolist(), strict=True))
    edges = []
    for child in dag.nodes:
        size = n_states[child]
        for parent in sorted(dag.parents(child), key=lambda name: (n_states[name], name)):
            size *= n_states[parent]
            if size > _MAX_TABLE:
                break
            edges.append((parent, child))
    return count_families(Graph(dag.nodes, edges), table).posterior


def draw_missing(
    table: Table,
    network: BayesianNetwork,
    seed: int,
    *,
    start: Table | None = None,
    orders: CategoryOrders | None = None,
    n_sweeps: int = N_SWEEPS,
) -> Table:
    """Draw the missing values of every row from a network, given the row's known values.

    Each missing value is drawn given its Markov blanket, variable by variable and repeatedly (Gibbs
    sampling). Several missing values of a row are therefore drawn jointly.

    Parameters
    ----------
    table : Table
        The rows, with missing values.
    network : BayesianNetwork
        A network over the same variables and states.
    seed : int
        The seed. The result does not depend on the order of variables or calls.
    start : Table, optional
        The initial values. By default, they are drawn from parents to children.
    orders : mapping from str to ndarray of int, optional
        The order of the states of a variable when drawing, if it differs from the network's.
    n_sweeps : int
        How often each missing value is drawn again.

    Returns
    -------
    Table
        The rows without missing values. Known values are unchanged.
    """
    columns = dict(zip(table.names, (start or table).codes, strict=True))
    codes = {name: column.astype(np.int64) for name, column in columns.items()}
    rows = {table.names[v]: np.flatnonzero(mask) for v, mask in table.missing.items()}
    streams = {
        name: np.random.default_rng(np.random.SeedSequence(seed, spawn_key=(number,)))
        for number, name in enumerate(sorted(table.names))
    }
    logs = {name: np.log(probabilities) for name, probabilities in network.tables.items()}
    known: dict[tuple[str, ...], NDArray[np.float64]] = {}
    order_of = {name: np.arange(len(states)) for name, states in network.states.items()}
    order_of.update(orders or {})

    def running_sums(
        name: str, children: Sequence[str], code_of: Callable[[str], NDArray[np.int64]]
    ) -> NDArray[np.float64]:
        """Add up the weights of the states of `name`, for each row or configuration of others."""
        own = order_of[name]
        weights: NDArray[np.float64] | float = 0.0
        for child in (name, *children):
            family = (*network.parents(child), child)
            where = (own if v == name else code_of(v)[:, np.newaxis] for v in family)
            weights = weights + np.atleast_2d(logs[child][tuple(where)])
        logs_of = np.asarray(weights)
        sums: NDArray[np.float64] = np.exp(logs_of - logs_of.max(axis=1, keepdims=True))
        return sums.cumsum(axis=1)

    def draw(name: str, children: Sequence[str]) -> None:
        at = rows[name]
        families = ((*network.parents(child), child) for child in (name, *children))
        others = list(dict.fromkeys(v for family in families for v in family if v != name))
        shape = tuple(len(network.states[v]) for v in others)
        if prod(shape) <= min(_MAX_CONFIGURATIONS, len(at)):
            # Many rows have one configuration of the blanket: weights are added up once for each.
            if (name, *children) not in known:
                grid = dict(
                    zip(others, np.indices(shape).reshape(len(shape), prod(shape)), strict=True)
                )
                sums = running_sums(name, children, grid.__getitem__)
                known[name, *children] = np.ascontiguousarray(sums.T)
            # Over all rows first: the missing ones are picked once, not for every column.
            place = np.zeros(table.n_rows, dtype=np.int64)
            for v, size in zip(others, shape, strict=True):
                place *= size
                place += codes[v]
            place = place.take(at)
            by_state = known[name, *children]
        else:
            place = np.arange(len(at))
            by_state = running_sums(name, children, lambda v: codes[v][at]).T
        thresholds = streams[name].random(len(at)) * by_state[-1].take(place)
        drawn = np.zeros(len(at), dtype=np.int64)
        for lower in by_state[:-1]:
            drawn += lower.take(place) <= thresholds
        codes[name][at] = order_of[name][drawn]

    if start is None:
        for name in network.graph.topological_order():
            if name in rows:
                draw(name, [])
    for _ in range(n_sweeps):
        for name in sorted(rows):
            draw(name, sorted(network.graph.children(name)))
    filled: Codes = np.empty_like(table.codes)
    for row, name in enumerate(table.names):
        filled[row] = codes[name]
    return replace(table, codes=filled, missing={}, numbers={})
