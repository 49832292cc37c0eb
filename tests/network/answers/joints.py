"""Whole joint distributions of small networks: the slow, obvious way to every answer."""

import numpy as np

from bnsieve.graph import Graph
from bnsieve.network import BayesianNetwork


def random_network(rng, n_nodes, max_levels=3, share=0.5, zeros=False):
    """A network whose node order says nothing about its arrows; with `zeros`, not all can be."""
    names = [f"n{i}" for i in range(n_nodes)]
    order = rng.permutation(names).tolist()
    arrows = [(a, b) for i, a in enumerate(order) for b in order[i + 1 :] if rng.random() < share]
    graph = Graph(names, arrows)
    states = {name: tuple(range(rng.integers(2, max_levels + 1))) for name in names}
    tables = {}
    for name in names:
        shape = [len(states[one]) for one in (*graph.parents(name), name)]
        weights = rng.gamma(1.0, size=shape) + 0.02
        if zeros:
            weights *= rng.random(shape) < 0.7
            weights[..., rng.integers(shape[-1])] += 0.1
        tables[name] = weights / weights.sum(axis=-1, keepdims=True)
    return BayesianNetwork(graph, states, tables)


def joint(network, without=()):
    """The product of all tables, one axis per node; without the tables of some."""
    nodes = network.graph.nodes
    product = np.ones([len(network.states[name]) for name in nodes])
    for name in nodes:
        if name in without:
            continue
        family = (*network.parents(name), name)
        by_node = np.argsort([nodes.index(one) for one in family])
        shape = [len(network.states[one]) if one in family else 1 for one in nodes]
        product = product * network.tables[name].transpose(by_node).reshape(shape)
    return product


def conditioned(network, whole, target, given):
    """The distribution of one node given labels of others; NaN if they are impossible."""
    nodes = network.graph.nodes
    at = tuple(
        network.states[name].index(given[name]) if name in given else slice(None) for name in nodes
    )
    left = [name for name in nodes if name not in given]
    table = whole[at].sum(axis=tuple(i for i, name in enumerate(left) if name != target))
    with np.errstate(invalid="ignore"):
        return table / table.sum()
