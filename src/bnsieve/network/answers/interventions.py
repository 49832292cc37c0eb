"""What if a column were set, whatever its causes say: networks under intervention.

In: a network and labels to set. Out: the network in which the columns have these labels and nothing
points to them any more (Pearl's truncated factorisation).
"""

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import replace
from typing import Any, TypeVar

import numpy as np

from bnsieve.graph import Graph
from bnsieve.network.answers.posterior import TablePosterior
from bnsieve.network.questions import Questions

Network = TypeVar("Network", bound=Questions)

# The labels of a node that says whether a row counts.
_COUNTS, _DOES_NOT = "counts", "does not"


def intervened(network: Network, labels: Mapping[str, Hashable]) -> Network:
    """Return the network in which some columns are set to a label.

    Parameters
    ----------
    network : BayesianNetwork
    labels : mapping from str to label
        One known label for each column that is set.
    """
    arrows = [arrow for arrow in network.graph.directed_edges if arrow[1] not in labels]
    tables, parents = dict(network.tables), dict(network._parents)
    for name, label in labels.items():
        parents[name] = ()
        tables[name] = np.zeros(len(network.levels[name]))
        tables[name][network.levels[name].index(label)] = 1.0
    graph = Graph(network.graph.nodes, arrows)
    changed = _made_like(network, graph, network.levels, tables, parents)
    return changed._learned_from(_settled(network, changed, labels))


def reweighted(
    network: Network, treatment: str, parents: Sequence[str]
) -> tuple[Network, dict[str, Hashable]]:
    """Return a network, and what to give to it, in which a column no longer depends on some others.

    Given what is returned, every configuration has its probability divided by that of the treatment
    given the parents. That is what an intervention does where these are the treatment's parents,
    and it needs the joint distribution only: the network's own arrows may point otherwise.

    Parameters
    ----------
    network : BayesianNetwork
    treatment : str
    parents : sequence of str

    Returns
    -------
    network : BayesianNetwork
        With one more node, which depends on the treatment and the parents.
    given : dict
        That node's label.

    Raises
    ------
    ValueError
        If the treatment never has one of its labels under some labels of the parents: what it
        would do there, nothing tells.
    """
    family = (*parents, treatment)
    joint = network.query(family, joint=True).probabilities
    before = joint.sum(axis=-1, keepdims=True)
    conditional = np.divide(joint, before, out=np.ones_like(joint), where=before > 0)
    if not conditional.all():
        *at, code = (int(i) for i in np.argwhere(conditional == 0)[0])
        where = " and ".join(
            f"{name} = {network.levels[name][i]!r}" for name, i in zip(parents, at, strict=True)
        )
        raise ValueError(
            f"{treatment} = {network.levels[treatment][code]!r} never occurs where {where}: what "
            "setting it would do there cannot be told."
        )
    shares = conditional.min() / conditional
    extra = _free_name("weight", network.graph.nodes)
    nodes = network.graph.nodes
    widened = _made_like(
        network,
        Graph(
            [*nodes, extra], [*network.graph.directed_edges, *((name, extra) for name in family)]
        ),
        {**network.levels, extra: (_COUNTS, _DOES_NOT)},
        {**network.tables, extra: np.stack([shares, 1.0 - shares], axis=-1)},
        {**network._parents, extra: family},
    )
    return widened, {extra: _COUNTS}


def _settled(
    network: Questions, changed: Questions, labels: Mapping[str, Hashable]
) -> TablePosterior | None:
    """Return what is uncertain about the tables: nothing about those of what is set."""
    before = network._posterior
    if before is None:
        return None
    place = network._model.index
    tables = {place[name]: changed.tables[name] for name in labels}
    return replace(before, model=changed._model, settled={**before.settled, **tables})


def _made_like(network: Network, *parts: Any) -> Network:
    """Make a network of the same class, which this module must not know."""
    made: Network = type(network)(*parts)
    return made


def _free_name(wish: str, taken: Sequence[str]) -> str:
    """Return a name that no node has."""
    name = wish
    while name in taken:
        name += "_"
    return name
