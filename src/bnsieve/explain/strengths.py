"""Edge strengths: the same learner fitted to many resampled tables.

In: a table and a function that learns a graph from one. Out: `EdgeStrengths`: the share of
replicates that have each edge, its direction in these, and the averaged graph.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import count
from threading import Lock
from typing import Literal, get_args

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from bnsieve.engine import RandomState, seed_of, threads
from bnsieve.graph import Graph, reachable
from bnsieve.knowledge import Constraints, Knowledge
from bnsieve.network import unknown_node
from bnsieve.search import known_class
from bnsieve.table import Table

Resample = Literal["half", "bootstrap"]
Progress = Callable[[int, int], None]
DirectedEdge = tuple[int, int]

# Of rows, a replicate has this share if none repeats. Of entities it has more: effective rows are
# few, and with half of the entities strengths were lower than the share of true edges.
_SHARE_OF_ROWS, _SHARE_OF_ENTITIES = 0.5, 0.75


@dataclass(frozen=True, eq=False)
class EdgeStrengths:
    """How often each edge and its direction occur in the replicates.

    Attributes
    ----------
    nodes : tuple of str
        The variables.
    n_replicates : int
        The number of replicates.
    pairs : ndarray of int64, shape (n_pairs, 2)
        The pairs of nodes that are adjacent in any replicate, as sorted positions in `nodes`.
    counts : ndarray of int64, shape (n_pairs, 3)
        The numbers of replicates with a directed edge from the first node to the second, with one
        in the opposite direction, and with an undirected edge.
    knowledge : Knowledge or None
        Knowledge about the nodes; every replicate honours it, and so does `graph`.
    """

    nodes: tuple[str, ...]
    n_replicates: int
    pairs: NDArray[np.int64]
    counts: NDArray[np.int64]
    knowledge: Knowledge | None = None

    @property
    def strength(self) -> NDArray[np.float64]:
        """The share of replicates in which each pair is adjacent, shape (n_pairs,)."""
        strength: NDArray[np.float64] = self.counts.sum(axis=1) / self.n_replicates
        return strength

    @property
    def direction(self) -> NDArray[np.float64]:
        """The share of these in which the edge points to the second node, shape (n_pairs,).

        An undirected edge counts one half for each direction, as in bnlearn.
        """
        forward = self.counts @ np.array([1.0, 0.0, 0.5])
        share: NDArray[np.float64] = forward / self.counts.sum(axis=1)
        return share

    @property
    def threshold(self) -> float:
        """The strength above which an edge is in `graph`; see `inclusion_threshold`."""
        return inclusion_threshold(self.strength)

    def of(self, x: str, y: str) -> tuple[float, float]:
        """Return the strength of the edge between x and y, and the share of x -> y in it.

        The second number is NaN if they are not adjacent in any replicate.
        """
        for name in (x, y):
            if name not in self.nodes:
                raise unknown_node(name, self.nodes)
        a, b = self.nodes.index(x), self.nodes.index(y)
        rows = np.flatnonzero((self.pairs == sorted((a, b))).all(axis=1))
        if not len(rows):
            return 0.0, float("nan")
        direction = float(self.direction[rows[0]])
        return float(self.strength[rows[0]]), direction if a < b else 1.0 - direction

    def to_frame(self) -> pd.DataFrame:
        """Return a frame with columns from, to, strength and direction, the strongest first.

        As in bnlearn's ``boot.strength``, each pair has two rows, one for each direction. Pairs
        that are not adjacent in any replicate are left out.
        """
        ends = np.array(self.nodes, dtype=object)[self.pairs]
        strength, direction = self.strength, self.direction
        # Both ways of a pair next to each other, the more frequent first.
        turned = (direction < 0.5).astype(np.int64)
        first = np.stack([turned, 1 - turned], axis=1)
        directions = np.stack([direction, 1.0 - direction], axis=1)
        order = np.argsort(-strength, kind="stable")
        return pd.DataFrame(
            {
                "from": np.take_along_axis(ends, first, axis=1)[order].ravel(),
                "to": np.take_along_axis(ends, 1 - first, axis=1)[order].ravel(),
                "strength": np.repeat(strength[order], 2),
                "direction": np.take_along_axis(directions, first, axis=1)[order].ravel(),
            }
        )

    def graph(self, threshold: float | None = None) -> Graph:
        """Return the averaged graph: a CPDAG, or with knowledge an MPDAG.

        It has the edges whose strength exceeds the threshold. An edge takes the direction that most
        of its replicates agree on, the strongest edges first, unless this closes a cycle. The
        result is the equivalence class of the DAGs with these directions. If there is no such DAG,
        every edge takes its more frequent direction. If knowledge allows only one direction, the
        edge has it, or is left out if it closes a cycle.

        Parameters
        ----------
        threshold : float, optional
            The threshold, from 0 to 1. By default, the property `threshold`. Edges of strength 1
            are always included.
        """
        threshold = self.threshold if threshold is None else threshold
        strength = self.strength
        known = Constraints.none(len(self.nodes))
        if self.knowledge is not None:
            known = self.knowledge.resolve(self.nodes)
        chosen = np.flatnonzero((strength > threshold) | (strength == 1.0))
        free = [(a, b) not in known.required_pairs for a, b in self.pairs[chosen].tolist()]
        # Required edges first.
        order = chosen[np.lexsort([-strength[chosen], np.array(free, dtype=np.float64)])]
        pairs, counts = self.pairs[order], self.counts[order]
        turned = counts[:, 1] > counts[:, 0]
        edges = np.where(turned[:, np.newaxis], pairs[:, ::-1], pairs)
        forced = np.array([known.forces(*edge) for edge in edges.tolist()], dtype=bool)
        clear = forced | (2 * counts[:, :2].max(axis=1) > counts.sum(axis=1))
        directed, against = _acyclic(edges[clear])
        settled = {*directed, *(edge for edge in against if known.forces(*edge))}
        undirected = [(a, b) for a, b in pairs.tolist() if settled.isdisjoint([(a, b), (b, a)])]
        try:
            dag = Graph.from_index_edges(self.nodes, directed, undirected).to_dag()
        except ValueError:  # no DAG has these edges and no collider beside theirs
            directed, against = _acyclic(edges)
            turned_back = [(b, a) for a, b in against if not known.forces(a, b)]
            dag = Graph.from_index_edges(self.nodes, [*directed, *turned_back])
        return known_class(dag, known)

    def __str__(self) -> str:
        lines = [f"{len(self.pairs)} edges in {self.n_replicates} replicates, the strongest first"]
        shown = self.to_frame().iloc[::2].head(20)
        for tail, head, strength, direction in shown.itertuples(index=False):
            lines.append(f"  {tail} -> {head}  strength {strength:.2f}, direction {direction:.2f}")
        if len(self.pairs) > len(shown):
            lines.append(f"  ... and {len(self.pairs) - len(shown):,} more")
        return "\n".join(lines)


def inclusion_threshold(strengths: Sequence[float] | NDArray[np.float64]) -> float:
    """Return the threshold for edge strengths of Scutari and Nagarajan (2013).

    With ideal data, every strength is 0 or 1, so the distribution function of the strengths is
    constant between 0 and 1. The criterion looks for the constant with the smallest area between it
    and the observed distribution function. This is the value of that function at one half. The
    threshold is the quantile of this value, which is the largest strength of at most one half. So
    an edge is in the averaged graph if more than half of the replicates have it. (bnlearn finds the
    constant numerically, and may return the next higher strength.)

    Parameters
    ----------
    strengths : sequence of float
        The strengths of all pairs. Zeros make no difference and may be left out.
    """
    values = np.asarray(strengths, dtype=np.float64)
    return float(values[values <= 0.5].max(initial=0.0))


def resampled_rows(
    n_rows: int, resample: Resample, rng: np.random.Generator, share: float = _SHARE_OF_ROWS
) -> NDArray[np.int64]:
    """Draw the rows of one replicate: a share of them without repeats, or all with repeats."""
    if resample == "half":
        return np.sort(rng.permutation(n_rows)[: max(1, int(share * n_rows))])
    return np.sort(rng.integers(0, n_rows, n_rows))


def resampled_entities(
    entities: NDArray[np.integer], resample: Resample, rng: np.random.Generator
) -> tuple[NDArray[np.int64], NDArray[np.int32]]:
    """Draw the rows of one replicate by entity: all rows of each drawn entity.

    Three quarters of the entities are drawn without repeats, or as many as there are with repeats.

    Returns
    -------
    rows : ndarray of int64
    entities : ndarray of int32
        The entities of these rows. An entity that is drawn twice counts as two.
    """
    whose, sizes = np.unique(entities, return_inverse=True, return_counts=True)[1:]
    drawn = resampled_rows(len(sizes), resample, rng, _SHARE_OF_ENTITIES)
    order = np.argsort(whose, kind="stable")
    first = np.cumsum(sizes) - sizes
    rows = np.concatenate([order[first[one] : first[one] + sizes[one]] for one in drawn.tolist()])
    return rows, np.repeat(np.arange(len(drawn), dtype=np.int32), sizes[drawn])


def edge_strengths(
    table: Table,
    learn: Callable[[Table, int], Graph],
    *,
    n: int,
    resample: Resample,
    random_state: RandomState,
    n_jobs: int | None,
    progress: Progress | None = None,
    by_entity: bool = False,
) -> EdgeStrengths:
    """Learn a graph from each of many resampled tables and count the edges.

    Parameters
    ----------
    table : Table
    learn : callable
        Takes a table and a seed, and is called by several threads. The table lacks columns that are
        missing in all drawn rows.
    n : int
        Number of replicates.
    resample : {"half", "bootstrap"}
    random_state : int, RandomState, Generator or None
        The seed. Each replicate has its own stream, so the result depends on nothing else.
    n_jobs : int or None
    progress : callable, optional
        Called after each replicate with the number done and `n`, by one thread at a time.
    by_entity : bool, default False
        Whether entities with all their rows are drawn, instead of rows.
    """
    if n < 1:
        raise ValueError(f"n, the number of replicates, must be at least 1; got {n}")
    if resample not in get_args(Resample):
        raise ValueError(f"resample must be one of {get_args(Resample)}; got {resample!r}")
    position = {name: i for i, name in enumerate(table.names)}
    entropy = seed_of(random_state)
    lock, n_done = Lock(), count(1)

    def replicate(number: int) -> list[tuple[int, int, int]]:
        sequence = np.random.SeedSequence(entropy, spawn_key=(number,))
        rng = np.random.default_rng(sequence)
        entities = table.entities
        if by_entity and entities is not None:
            rows, entities = resampled_entities(entities, resample, rng)
        else:
            rows = resampled_rows(table.n_rows, resample, rng)
            entities = None if entities is None else entities[rows]
        known = [
            name
            for i, name in enumerate(table.names)
            if i not in table.missing or not table.missing[i][rows].all()
        ]
        seed = int(sequence.generate_state(1)[0]) % 2**31
        drawn = replace(table.select(known).take(rows), entities=entities)
        graph = learn(drawn, seed)
        if progress is not None:
            with lock:
                progress(next(n_done), n)
        return list(_numbered(graph, position))

    with threads(n_jobs) as run:
        edges = Counter(edge for edges in run(replicate, range(n)) for edge in edges)
    pairs = sorted({(a, b) for a, b, _ in edges})
    counts = [[edges[(a, b, kind)] for kind in range(3)] for a, b in pairs]
    return EdgeStrengths(
        table.names,
        n,
        np.array(pairs, dtype=np.int64).reshape(-1, 2),
        np.array(counts, dtype=np.int64).reshape(-1, 3),
    )


def _numbered(graph: Graph, position: dict[str, int]) -> Iterable[tuple[int, int, int]]:
    """Each edge as the smaller position, the larger, and the column of `counts` that it is."""
    for tail, head in graph.directed_edges:
        a, b = position[tail], position[head]
        yield (a, b, 0) if a < b else (b, a, 1)
    for first, second in graph.undirected_edges:
        a, b = sorted((position[first], position[second]))
        yield a, b, 2


def _acyclic(edges: NDArray[np.int64]) -> tuple[list[DirectedEdge], list[DirectedEdge]]:
    """Add edges one by one; return those that close no cycle, and those that would have."""
    children: dict[int, list[int]] = {}
    kept: list[DirectedEdge] = []
    against: list[DirectedEdge] = []
    for tail, head in edges.tolist():
        if tail in reachable([head], lambda node: children.get(node, ())):
            against.append((tail, head))
        else:
            kept.append((tail, head))
            children.setdefault(tail, []).append(head)
    return kept, against
