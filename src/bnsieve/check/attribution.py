"""How much each changed mechanism contributes to the change of a target.

In: the counts of each family in training rows and in new rows, and the mechanisms that changed.
Out: an `Attribution`, whose parts add up to the change that the network explains.

A mechanism is the distribution of a variable given its parents. Replacing the old mechanisms by the
new ones, one after the other, changes the target step by step. The size of a step depends on the
order. The contribution of a mechanism is therefore its mean over all orders (Shapley value;
Budhathoki, Janzing, Bloebaum and Ng, 2021). If there are many mechanisms, orders are sampled.
"""

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from itertools import permutations

import numpy as np
from numpy.typing import NDArray

from bnsieve.graph import Graph, reachable
from bnsieve.network import BayesianNetwork

Values = NDArray[np.float64]

# Up to so many mechanisms all orders count; of more, this many orders are drawn.
_ALL_ORDERS = 5
_DRAWN_ORDERS = 120
# Draws of the tables, before and now, that the intervals come from.
_N_DRAWS = 100
# Imagined rows of each configuration: as before the change, or as the variable is on its own.
_IMAGINED = 1.0


@dataclass(frozen=True)
class Part:
    """The contribution of one mechanism to a change.

    Attributes
    ----------
    name : str
        The variable whose mechanism changed.
    change : float
        As a probability, or in the units of a numeric target.
    low, high : float
        The ends of its interval.
    """

    name: str
    change: float
    low: float
    high: float


@dataclass(frozen=True)
class Attribution:
    """How a target changed, and why.

    Attributes
    ----------
    target : str
    state : object or None
        The state whose probability changed; None for the mean of a number.
    before, after : float
        The share of the state, or the mean, in training rows and in new rows.
    parts : tuple of Part
        The largest first.
    rest : float
        The change that no changed mechanism explains.
    level : float
        Of the intervals.
    """

    target: str
    state: Hashable | None
    before: float
    after: float
    parts: tuple[Part, ...]
    rest: float
    level: float


@dataclass(frozen=True, eq=False)
class TwoTables:
    """The counts of one family before and now, the variable's own axis last."""

    parents: tuple[str, ...]
    before: Values
    after: Values

    def means(self) -> tuple[Values, Values]:
        """Return the CPT before and now."""
        old, new = self._imagined()
        return _scaled(old), _scaled(new)

    def draws(self, rng: np.random.Generator) -> tuple[Values, Values]:
        """Return one draw of the CPT before, and one of it now."""
        old, new = self._imagined()
        return _scaled(rng.standard_gamma(old) + 1e-12), _scaled(rng.standard_gamma(new) + 1e-12)

    def _imagined(self) -> tuple[Values, Values]:
        own = self.before.reshape(-1, self.before.shape[-1]).sum(axis=0) + 0.5
        old = self.before + _IMAGINED * own / own.sum()
        return old, self.after + _IMAGINED * _scaled(old)


def _scaled(table: Values) -> Values:
    scaled: Values = table / table.sum(axis=-1, keepdims=True)
    return scaled


def attribute(
    graph: Graph,
    states: Mapping[str, Sequence[Hashable]],
    tables: Mapping[str, TwoTables],
    changed: Sequence[str],
    target: str,
    weights: Values,
    level: float,
    seed: int = 0,
) -> tuple[tuple[Part, ...], float]:
    """Return the parts of a target's change, and the whole change that the network explains.

    Parameters
    ----------
    graph : Graph
    states : mapping from str to sequence of states
    tables : mapping from str to TwoTables
        Of every variable.
    changed : sequence of str
        The variables whose mechanisms changed.
    target : str
    weights : ndarray of float64, shape (n_states,)
        What each state of the target counts: 1 and 0 for the probability of one, mean values for a
        number's bins.
    level : float
        Of the intervals.
    seed : int
    """
    near = reachable([target], graph.parents)
    names = [name for name in graph.nodes if name in set(near)]
    own = Graph(names, [edge for edge in graph.directed_edges if set(edge) <= set(names)])
    movers = [name for name in names if name in set(changed)]
    if not movers:
        return (), 0.0
    rng = np.random.default_rng(seed)
    orders = _orders(movers, rng)
    labels = {name: tuple(states[name]) for name in names}
    parents = {name: tables[name].parents for name in names}

    def shares(both: Mapping[str, tuple[Values, Values]]) -> Values:
        known: dict[frozenset[str], float] = {}

        def value(now: frozenset[str]) -> float:
            if now not in known:
                cpts = {name: both[name][name in now] for name in names}
                network = BayesianNetwork(own, labels, cpts, parents)
                known[now] = float(network.query(target, interval=None).probabilities @ weights)
            return known[now]

        total = np.zeros(len(movers))
        for order in orders:
            now: frozenset[str] = frozenset()
            for name in order:
                total[movers.index(name)] += value(now | {name}) - value(now)
                now |= {name}
        return total / len(orders)

    found = shares({name: tables[name].means() for name in names})
    drawn = np.array(
        [shares({name: tables[name].draws(rng) for name in names}) for _ in range(_N_DRAWS)]
    )
    low, high = np.quantile(drawn, [(1 - level) / 2, (1 + level) / 2], axis=0)
    parts = [
        Part(name, float(share), float(min(a, share)), float(max(b, share)))
        for name, share, a, b in zip(movers, found, low, high, strict=True)
    ]
    return tuple(sorted(parts, key=lambda one: -abs(one.change))), float(found.sum())


def _orders(names: Sequence[str], rng: np.random.Generator) -> list[tuple[str, ...]]:
    if len(names) <= _ALL_ORDERS:
        return list(permutations(names))
    # Each order and its reverse: their mean varies less.
    drawn = [tuple(rng.permutation(names).tolist()) for _ in range(_DRAWN_ORDERS // 2)]
    return [order for one in drawn for order in (one, one[::-1])]
