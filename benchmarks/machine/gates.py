"""Networks of gates: children that several parents decide together.

A kind and a seed in; a network out, and its gates. Most kinds have 48 columns: gates with parents
of their own, which are roots, and noisy copies of these parents, so that there are ordinary,
visible links beside the gates. A gate's output is wrong in one row of ten.
"""

from collections.abc import Callable
from dataclasses import dataclass
from itertools import combinations, product
from typing import NamedTuple

import numpy as np

from bnsieve import BayesianNetwork, Graph

N_COLUMNS = 48
N_JOINED = 120
N_WIDE = 1_000
NOISE = 0.1
# How often a noisy copy differs from what it copies: from plain to see to still visible.
COPY_NOISE = (0.1, 0.3)
# Share of rows in which one parent alone decides, for each of the two. If only one had an effect of
# its own, no data could tell which of the others is the child.
MAIN_EFFECT = 0.1
# Of each of six parents, so that a gate that needs all of them is open half of the time.
OPEN_SIXTH = 0.5 ** (1 / 6)

Margin = tuple[float, ...]


class Kind(NamedTuple):
    """A kind of gate.

    Attributes
    ----------
    n_gates : int
    parents : tuple of tuples of float
        The chances of the states of each parent.
    n_states : int
        Of the output.
    output : callable
        From the parents' states to the chances of the output's states.
    n_columns : int
    copies : bool
        Whether the other columns are copies of parents; if not, they are roots like these.
    joined : bool
        Whether every member of a gate, the output too, has a copy for certain: then a search joins
        them all to something, and none stands out as a column that nothing is known about.
    """

    n_gates: int
    parents: tuple[Margin, ...]
    n_states: int
    output: Callable[[tuple[int, ...]], np.ndarray]
    n_columns: int = N_COLUMNS
    copies: bool = True
    joined: bool = False


@dataclass(frozen=True)
class Gate:
    """A child and its parents, by name."""

    child: str
    parents: tuple[str, ...]

    @property
    def pairs(self) -> set[frozenset[str]]:
        """All pairs of its members: which one is the child, a class of graphs may leave open."""
        return {frozenset(pair) for pair in combinations((self.child, *self.parents), 2)}

    @property
    def links(self) -> set[frozenset[str]]:
        """The pairs of the child and each parent."""
        return {frozenset((self.child, parent)) for parent in self.parents}


def _wrong_at_times(level: int, n_states: int) -> np.ndarray:
    chances = np.full(n_states, NOISE / (n_states - 1))
    chances[level] = 1 - NOISE
    return chances


def _gate(rule: Callable[[tuple[int, ...]], int], n_states: int = 2) -> Callable[..., np.ndarray]:
    return lambda given: _wrong_at_times(int(rule(given)), n_states)


def _leaning(given: tuple[int, ...]) -> np.ndarray:
    alone: np.ndarray = np.eye(2)[list(given)].sum(axis=0)
    chances: np.ndarray = (1 - 2 * MAIN_EFFECT) * _wrong_at_times(sum(given) % 2, 2)
    return chances + MAIN_EFFECT * alone


_EVEN: Margin = (0.5, 0.5)
_GENOTYPE: Margin = (0.25, 0.5, 0.25)
KINDS: dict[str, Kind] = {
    "parity of two": Kind(12, (_EVEN,) * 2, 2, _gate(lambda given: sum(given) % 2)),
    "parity of three": Kind(8, (_EVEN,) * 3, 2, _gate(lambda given: sum(given) % 2)),
    "sum modulo three": Kind(12, ((1 / 3,) * 3,) * 2, 3, _gate(lambda given: sum(given) % 3, 3)),
    "AND of six": Kind(4, ((1 - OPEN_SIXTH, OPEN_SIXTH),) * 6, 2, _gate(all)),
    "OR of six": Kind(4, ((OPEN_SIXTH, 1 - OPEN_SIXTH),) * 6, 2, _gate(any)),
    "three of five": Kind(6, (_EVEN,) * 5, 2, _gate(lambda given: sum(given) >= 3)),
    "context": Kind(9, (_EVEN,) * 3, 2, _gate(lambda given: given[1 + given[0]])),
    "XOR with a main effect": Kind(12, (_EVEN,) * 2, 2, _leaning),
    # The genotypes of two places; ill more often if exactly one of the two is mixed.
    "epistatic pair": Kind(
        1, (_GENOTYPE,) * 2, 2, _gate(lambda given: sum(given) % 2), N_WIDE, copies=False
    ),
    "parity of two, all connected": Kind(
        12, (_EVEN,) * 2, 2, _gate(lambda given: sum(given) % 2), N_JOINED, joined=True
    ),
}


def gate_network(
    kind: str, seed: int, n_columns: int | None = None
) -> tuple[BayesianNetwork, tuple[Gate, ...]]:
    """Return a network and its gates; `n_columns` in place of the kind's own."""
    own = KINDS[kind]
    n_columns = n_columns or own.n_columns
    rng = np.random.default_rng(np.random.SeedSequence(seed, spawn_key=(list(KINDS).index(kind),)))
    names = [f"v{i:03}" for i in rng.permutation(n_columns)]
    size = 1 + len(own.parents)
    parents: dict[str, tuple[str, ...]] = {}
    tables: dict[str, np.ndarray] = {}
    gates = []
    margins: dict[str, Margin] = {}
    for i in range(own.n_gates):
        child, *above = names[i * size : (i + 1) * size]
        gates.append(Gate(child, tuple(above)))
        margins |= dict(zip(above, own.parents, strict=True))
        parents[child], tables[child] = tuple(above), _table(own)
    roots = list(margins)
    members = [name for gate in gates for name in (gate.child, *gate.parents)]
    for i, name in enumerate(names[own.n_gates * size :]):
        if own.copies:
            joined = own.joined and i < len(members)
            root = members[i] if joined else roots[rng.integers(len(roots))]
            parents[name] = (root,)
            n_states = len(margins[root]) if root in margins else own.n_states
            tables[name] = _copy(n_states, rng.uniform(*COPY_NOISE))
        else:
            margins[name] = own.parents[0]
    for name, margin in margins.items():
        parents[name], tables[name] = (), np.array(margin)
    arrows = [(parent, child) for child, chosen in parents.items() for parent in chosen]
    states = {name: tuple(f"l{i}" for i in range(tables[name].shape[-1])) for name in names}
    network = BayesianNetwork(Graph(sorted(names), arrows), states, tables, parents)
    return network, tuple(gates)


def _table(kind: Kind) -> np.ndarray:
    table = np.empty((*map(len, kind.parents), kind.n_states))
    for given in product(*(range(len(margin)) for margin in kind.parents)):
        table[given] = kind.output(given)
    return table


def _copy(n_states: int, noise: float) -> np.ndarray:
    others = noise / (n_states - 1)
    return np.full((n_states, n_states), others) + (1 - noise - others) * np.eye(n_states)
