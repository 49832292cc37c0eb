"""Inference by listing every row: the slow, obvious twin of `bnsieve.network.discrete`.

The joint table of all variables is one array with an axis per variable. It is the product of all
probability tables; everything else is a sum or a maximum of its cells.
"""

from functools import reduce

import numpy as np

from bnsieve import BayesianNetwork, Graph

MAX_CELLS = 200_000


def random_network(seed, max_nodes=12, max_levels=4):
    """A network with some tables that hold zeros, and some that are deterministic."""
    rng = np.random.default_rng(seed)
    while True:
        n = int(rng.integers(1, max_nodes + 1))
        n_states = rng.integers(1 if rng.random() < 0.2 else 2, max_levels + 1, n)
        if n_states.prod() <= MAX_CELLS:
            break
    names = [f"v{i}" for i in range(n)]
    order = rng.permutation(n)
    arrows, tables, parents = [], {}, {}
    for place, child in enumerate(order):
        n_parents = int(rng.integers(0, min(place, 3) + 1))
        own = rng.choice(order[:place], n_parents, replace=False) if place else []
        parents[names[child]] = [names[p] for p in own]
        arrows += [(names[p], names[child]) for p in own]
        shape = [int(n_states[p]) for p in own]
        states = int(n_states[child])
        kind = rng.random()
        if kind < 0.15:
            table = np.eye(states)[rng.integers(0, states, shape)]
        else:
            table = rng.dirichlet(np.full(states, 0.7), shape)
            if kind < 0.4:
                table = np.where(rng.random(table.shape) < 0.3, 0.0, table)
                table[..., 0] += table.sum(axis=-1) == 0
                table /= table.sum(axis=-1, keepdims=True)
        tables[names[child]] = table
    states = {name: [f"l{j}" for j in range(n_states[i])] for i, name in enumerate(names)}
    return BayesianNetwork(Graph(names, arrows), states, tables, parents)


def joint(network):
    """The probability of every row, one axis per variable."""
    nodes = network.graph.nodes
    place = {name: i for i, name in enumerate(nodes)}
    factors = []
    for name in nodes:
        axes = [place[v] for v in (*network.parents(name), name)]
        table = network.tables[name].transpose(np.argsort(axes))
        shape = [len(network.states[v]) if place[v] in axes else 1 for v in nodes]
        factors.append(table.reshape(shape))
    return reduce(np.multiply, factors)


def random_evidence(network, seed, table):
    """Labels of a row that can happen, and likelihoods, of some variables."""
    rng = np.random.default_rng(seed)
    nodes = network.graph.nodes
    flat = table.ravel()
    row = np.unravel_index(rng.choice(flat.size, p=flat / flat.sum()), table.shape)
    share = rng.choice([0.0, 0.2, 0.5])
    given = {}
    for i, name in enumerate(nodes):
        kind = rng.random()
        if kind < share:
            given[name] = network.states[name][row[i]]
        elif kind < share + 0.15:
            weights = rng.random(len(network.states[name])) + 0.01
            weights[rng.random(len(weights)) < 0.2] = 0
            weights[row[i]] = 1.0  # the largest, so that likelihoods are scaled already
            given[name] = dict(zip(network.states[name], weights.tolist(), strict=True))
    return given


def conditioned(network, table, given):
    """The joint table with what is given multiplied in; its sum is the probability of that."""
    nodes = network.graph.nodes
    for i, name in enumerate(nodes):
        if name in given:
            value = given[name]
            labels = network.states[name]
            if isinstance(value, dict):
                weights = np.array([value[label] for label in labels])
            else:
                weights = np.array([float(label == value) for label in labels])
            shape = [1] * len(nodes)
            shape[i] = len(labels)
            table = table * weights.reshape(shape)
    return table


def margin(network, table, targets):
    """The distribution of the targets together, axes in their order."""
    nodes = network.graph.nodes
    kept = [nodes.index(name) for name in targets]
    others = tuple(i for i in range(len(nodes)) if i not in kept)
    summed = table.sum(axis=others)
    ranks = np.argsort(np.argsort(kept))
    return summed.transpose(ranks) / table.sum()
