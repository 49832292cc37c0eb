"""To pyAgrum and back: networks, and candidates as possible edges.

Comes in: labels and tables, or pyAgrum's objects. Goes out: the other. Nothing of pyAgrum is
imported to read its networks.
"""

from collections.abc import Hashable, Iterable, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bnsieve.graph.adapters._common import NetworkParts, candidate_pairs, imported
from bnsieve.table import text_labels


def pyagrum_network(
    levels: Mapping[str, Sequence[Hashable]],
    parents: Mapping[str, Sequence[str]],
    tables: Mapping[str, NDArray[np.float64]],
) -> Any:
    """Return a `pyagrum.BayesNet`; labels become text."""
    pyagrum = imported("pyagrum", "pyagrum>=2.0")
    network = pyagrum.BayesNet()
    for name, labels in levels.items():
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


def parts_of_pyagrum(network: Any) -> NetworkParts:
    """Read nodes, labels, tables and parents off a `pyagrum.BayesNet`."""
    numbers = list(network.nodes())
    nodes = tuple(network.variable(number).name() for number in numbers)
    parts = NetworkParts(nodes, {}, {}, {})
    for number, name in zip(numbers, nodes, strict=True):
        cpt = network.cpt(number)
        parts.levels[name] = list(network.variable(number).labels())
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
