"""Networks with pure interactions, which no method that starts from pairs can see.

A seed in; a network of 48 binary variables out, in which twelve are the exclusive or of two others,
wrong in one row of ten. All margins are one half, so that the three pairs of such a triple are each
independent. The parents also have ordinary, visible neighbours: small trees of noisy copies. Any
two of a triple explain the third, and graphs of the same class differ in which is the child: an
exclusive or counts as found when at least two of its three pairs are adjacent.
"""

import itertools
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass

import numpy as np

from benchmarks.accuracy.ablations import CONFIGURATIONS
from benchmarks.accuracy.runner import fit_timed
from bnsieve.graph import Graph
from bnsieve.network import BayesianNetwork

N_INTERACTIONS = 12
N_VARIABLES = 4 * N_INTERACTIONS
XOR_NOISE = 0.1
# How often a noisy copy differs from what it copies: from plain to see to still visible.
COPY_NOISE = (0.1, 0.3)

Triple = frozenset[str]


@dataclass(frozen=True)
class Job:
    """One configuration on a sample of one network."""

    label: str
    configuration: str
    rows: int
    seed: int


@dataclass(frozen=True)
class Judgement:
    """What a graph has of the exclusive ors.

    Attributes
    ----------
    found, interactions : int
        Exclusive ors of which at least two pairs are adjacent, and all of them.
    right_edges, edges : int
        Edges that are true or inside a triple, and all of them.
    ordinary_found, ordinary_edges : int
        True edges outside the triples that are in the graph, and all of them.
    """

    found: int
    interactions: int
    right_edges: int
    edges: int
    ordinary_found: int
    ordinary_edges: int


@dataclass(frozen=True)
class Outcome(Judgement, Job):
    """What one run gave, and what it cost."""

    seconds: float
    cpu_seconds: float


def interaction_network(seed: int) -> tuple[BayesianNetwork, tuple[Triple, ...]]:
    """Return a network and its triples: a child with its two parents.

    Four variables to each exclusive or: the child, and a tree of three noisy copies, two of which
    are parents, one in this exclusive or and one in the next. So the two parents of each come from
    different trees and are independent.
    """
    rng = np.random.default_rng(np.random.SeedSequence(seed, spawn_key=(N_VARIABLES,)))
    names = [f"v{i:02}" for i in rng.permutation(N_VARIABLES)]
    parts = [names[i : i + 4] for i in range(0, N_VARIABLES, 4)]
    parents: dict[str, tuple[str, ...]] = {}
    tables: dict[str, np.ndarray] = {}
    triples = []
    for i, (child, *tree) in enumerate(parts):
        following = parts[(i + 1) % N_INTERACTIONS]
        parents[child] = (tree[0], following[2])
        tables[child] = _xor_table()
        triples.append(frozenset((child, *parents[child])))
        root, second, third = rng.permutation(tree).tolist()
        parents |= {root: (), second: (root,), third: (str(rng.choice([root, second])),)}
        tables[root] = np.full(2, 0.5)
        tables[second], tables[third] = (_copy_table(rng.uniform(*COPY_NOISE)) for _ in range(2))
    arrows = [(parent, child) for child, chosen in parents.items() for parent in chosen]
    levels = dict.fromkeys(names, ("no", "yes"))
    network = BayesianNetwork(Graph(sorted(names), arrows), levels, tables, parents)
    return network, tuple(triples)


def _copy_table(noise: float) -> np.ndarray:
    return np.array([[1 - noise, noise], [noise, 1 - noise]])


def _xor_table() -> np.ndarray:
    equal, different = _copy_table(XOR_NOISE)
    return np.array([[equal, different], [different, equal]])


def judge(
    skeleton: Iterable[tuple[str, str]], truth: Graph, triples: Sequence[Triple]
) -> Judgement:
    """Say what the edges of a graph have of the triples and of the true graph."""
    edges = {frozenset(edge) for edge in skeleton}
    true = {frozenset(edge) for edge in truth.skeleton().undirected_edges}
    inside = {
        frozenset(pair) for triple in triples for pair in itertools.combinations(sorted(triple), 2)
    }
    ordinary = true - inside
    return Judgement(
        found=sum(sum(edge <= triple for edge in edges) >= 2 for triple in triples),
        interactions=len(triples),
        right_edges=len(edges & (true | inside)),
        edges=len(edges),
        ordinary_found=len(edges & ordinary),
        ordinary_edges=len(ordinary),
    )


def jobs(label: str, configurations: Sequence[str], rows: int, seeds: Sequence[int]) -> list[Job]:
    """Return the runs, seed by seed."""
    return [Job(label, name, rows, seed) for seed in seeds for name in configurations]


def perform(job: Job) -> Outcome:
    """Draw a sample of the seed's network, learn, and judge."""
    network, triples = interaction_network(job.seed)
    learner = CONFIGURATIONS[job.configuration](job.seed)
    seconds, cpu_seconds = fit_timed(learner, network.sample(job.rows, random_state=job.seed))
    found = judge(learner.graph_.skeleton().undirected_edges, network.graph, triples)
    return Outcome(**asdict(job), **asdict(found), seconds=seconds, cpu_seconds=cpu_seconds)
