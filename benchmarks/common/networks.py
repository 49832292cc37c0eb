"""A network's name in, the network out: those that come with bnsieve, bnRep's, random ones.

Random ones are called ``er30d4s101``: 30 nodes, 4 neighbours each on average, seed 101.
"""

import gzip
import re
from functools import cache, lru_cache
from pathlib import Path

import numpy as np

from bnsieve import BayesianNetwork, Graph, list_networks, load_network
from bnsieve.exchange import parse_bif

# In the order of their size, the thirteen that programs are compared on.
NETWORKS = (
    "insurance",
    "water",
    "alarm",
    "barley",
    "hailfinder",
    "hepar2",
    "munin1",
    "win95pts",
    "andes",
    "pigs",
    "link",
    "diabetes",
    "munin",
)
# Those of the paper, among which are all six on which peers were first compared.
PAPER_NETWORKS = NETWORKS[:7]
# Those on which a fit takes seconds, so that it can be repeated in many ways.
SMALLER_NETWORKS = NETWORKS[:9]

BNREP = Path(__file__).parents[1] / "networks" / "bnrep"
# Of bnRep's networks with more than 25 columns, those that stand at every fifth place.
SOME_OF_BNREP = (
    "BOPfailure1",
    "aerialvehicles",
    "disputed3",
    "gasifier",
    "nanomaterials1",
    "oxygen",
    "propellant",
    "softwarelogs2",
)
RANDOM = re.compile(r"er(\d+)d(\d+)s(\d+)")
# Of each variable of a random network.
LEVELS = (2, 4)
# A row of a random table is drawn evenly from all rows that sum to 1.
CONCENTRATION = 1.0


@cache
def bnrep_names() -> tuple[str, ...]:
    """Return the names of bnRep's discrete networks, sorted."""
    return tuple(sorted(path.name.removesuffix(".bif.gz") for path in BNREP.glob("*.bif.gz")))


@lru_cache(maxsize=16)
def network_of(name: str) -> BayesianNetwork:
    """Return a network; a name that bnsieve and bnRep both have means bnsieve's.

    Raises
    ------
    ValueError
        If there is no network of that name.
    """
    if name in {known.name for known in list_networks()}:
        return load_network(name)
    if name in bnrep_names():
        return read_bnrep(name)
    if random := RANDOM.fullmatch(name):
        n_nodes, degree, seed = map(int, random.groups())
        return random_network(n_nodes, degree, seed)
    raise ValueError(
        f"there is no network {name!r}: name one of bnsieve.list_networks(), one of "
        "benchmarks/networks/bnrep or a random one such as er30d4s101"
    )


def read_bnrep(name: str) -> BayesianNetwork:
    """Read one of bnRep's networks."""
    path = BNREP / f"{name}.bif.gz"
    return parse_bif(gzip.decompress(path.read_bytes()).decode(), str(path))


def random_network(n_nodes: int, degree: float, seed: int) -> BayesianNetwork:
    """Draw a DAG in which every pair is joined with the same chance, and tables for it.

    Parameters
    ----------
    n_nodes : int
    degree : float
        Neighbours per node on average.
    seed : int
    """
    rng = np.random.default_rng(np.random.SeedSequence(seed, spawn_key=(n_nodes, int(degree))))
    names = [f"x{i:03}" for i in range(n_nodes)]
    # Names say nothing about the order.
    order = rng.permutation(n_nodes)
    joined = np.triu(rng.random((n_nodes, n_nodes)) < degree / (n_nodes - 1), k=1)
    arrows = [(names[order[i]], names[order[j]]) for i, j in np.argwhere(joined)]
    graph = Graph(names, directed=arrows)
    n_states = dict(zip(names, rng.integers(LEVELS[0], LEVELS[1] + 1, n_nodes), strict=True))
    tables = {}
    for name in names:
        shape = [int(n_states[parent]) for parent in graph.parents(name)]
        tables[name] = rng.dirichlet(np.full(n_states[name], CONCENTRATION), size=tuple(shape))
    states = {name: [f"l{level}" for level in range(n_states[name])] for name in names}
    return BayesianNetwork(graph, states, tables)
