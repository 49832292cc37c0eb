"""Ten kinds of change, made to a share of new rows, and the variables that a check ought to name.

In networks a changed mechanism is another CPT, from which rows are drawn with everything that
follows from it; in the table `machines` it is another term of a formula. Changes of cells are made
to rows that were drawn as before.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from itertools import combinations

import numpy as np
import pandas as pd

from benchmarks.check.sources import N_LEARNED, NETWORKS, machines, rows_of
from bnsieve import BayesianNetwork, Graph, load_network

TABLES = (*NETWORKS, "machines")
# The name that stands for rows that were learned from.
COPIES = "copies of rows"
# Only the last table has numbers and hours.
_OF_NUMBERS = ("unit x10", "clock shift")
_HOUR, _HOURS_LATE = "start_hour", 3
_SEED_LEARNED = 1_000_000

Made = tuple[pd.DataFrame, set[str]]


@dataclass(frozen=True, eq=False)
class Batch:
    """Changed rows, and the names any of which is right."""

    rows: pd.DataFrame
    right: frozenset[str]


def _is_number(column: "pd.Series[float]") -> bool:
    return column.dtype.kind == "f"


def _new_category(rows: pd.DataFrame, learned: pd.DataFrame, rng: np.random.Generator) -> Made:
    name = str(rng.choice([str(one) for one in rows if not _is_number(rows[one])]))
    return rows.assign(**{name: "never seen"}), {name}


def _missing_burst(rows: pd.DataFrame, learned: pd.DataFrame, rng: np.random.Generator) -> Made:
    name = str(rng.choice([*map(str, rows)]))
    return rows.assign(**{name: np.nan if _is_number(rows[name]) else None}), {name}


def _ten_times(rows: pd.DataFrame, learned: pd.DataFrame, rng: np.random.Generator) -> Made:
    name = str(rng.choice([str(one) for one in rows if _is_number(rows[one]) and one != _HOUR]))
    return rows.assign(**{name: 10 * rows[name]}), {name}


def _swapped(rows: pd.DataFrame, learned: pd.DataFrame, rng: np.random.Generator) -> Made:
    """Swap two columns with the same states, or two of numbers."""
    kinds = {
        str(name): "number" if _is_number(learned[name]) else frozenset(learned[name])
        for name in learned
        if name != _HOUR
    }
    pairs = [(a, b) for a, b in combinations(kinds, 2) if kinds[a] == kinds[b]]
    a, b = pairs[rng.integers(len(pairs))]
    return rows.assign(**{a: rows[b], b: rows[a]}), {a, b}


def _copied(rows: pd.DataFrame, learned: pd.DataFrame, rng: np.random.Generator) -> Made:
    """Replace rows by some that were learned from."""
    is_longer = len(rows) > len(learned)
    some = learned.iloc[rng.choice(len(learned), len(rows), replace=is_longer)]
    return some.set_axis(rows.index), {COPIES}


def _late_clock(rows: pd.DataFrame, learned: pd.DataFrame, rng: np.random.Generator) -> Made:
    return rows.assign(**{_HOUR: (rows[_HOUR] + _HOURS_LATE) % 24}), {_HOUR}


CELLS: dict[str, Callable[[pd.DataFrame, pd.DataFrame, np.random.Generator], Made]] = {
    "new category": _new_category,
    "missing burst": _missing_burst,
    "unit x10": _ten_times,
    "swapped columns": _swapped,
    "duplicated rows": _copied,
    "clock shift": _late_clock,
}
# The variables of `machines` that each change is of.
MECHANISMS = {
    "moved margin": {"material"},
    "lost effect": {"heat"},
    "reversed effect": {"heat"},
    "new dependence": {"vibration", "load"},
}
KINDS = (*CELLS, *MECHANISMS)


# Of `machines`, as its formulas have them.
_EDGES = (
    ("start_hour", "shift"),
    ("shift", "load"),
    ("load", "heat"),
    ("material", "heat"),
    ("heat", "valve"),
    ("valve", "alarm"),
)


def true_graph(table: str) -> Graph:
    """Return the graph that rows are drawn from."""
    if table == "machines":
        return Graph([str(name) for name in machines(1, 0)], _EDGES)
    return load_network(table).graph


def kinds_of(table: str) -> tuple[str, ...]:
    """Return the kinds of change that a table has variables for."""
    return tuple(kind for kind in KINDS if table == "machines" or kind not in _OF_NUMBERS)


@lru_cache(maxsize=16)
def rows_learned_from(table: str) -> pd.DataFrame:
    """Return the rows that the learner of a table has."""
    return drawn(table, N_LEARNED, _SEED_LEARNED)


def drawn(table: str, n_rows: int, seed: int) -> pd.DataFrame:
    """Return rows without any change."""
    return machines(n_rows, seed) if table == "machines" else rows_of(table, n_rows, seed)


def batch_of(table: str, kind: str, share: float, n_rows: int, seed: int) -> Batch:
    """Return rows of which a share changed, in any order.

    Parameters
    ----------
    table : str
    kind : str
        One of `kinds_of` the table.
    share : float
        From 0 to 1.
    n_rows : int
    seed : int
    """
    rng = np.random.default_rng([seed, KINDS.index(kind), TABLES.index(table)])
    rows, n = drawn(table, n_rows, seed), round(share * n_rows)
    if kind in CELLS:
        changed, right = CELLS[kind](rows.iloc[:n], rows_learned_from(table), rng)
    elif table == "machines":
        changed, right = machines(n, seed + _SEED_LEARNED + 1, kind), MECHANISMS[kind]
    else:
        network, right = changed_network(load_network(table), kind, rng)
        changed = network.sample(n, random_state=int(rng.integers(2**31))).astype(object)
    whole = pd.concat([changed, rows.iloc[n:]], ignore_index=True)
    return Batch(whole.iloc[rng.permutation(n_rows)].reset_index(drop=True), frozenset(right))


def changed_network(
    network: BayesianNetwork, kind: str, rng: np.random.Generator
) -> tuple[BayesianNetwork, set[str]]:
    """Return a network one CPT of which is another, and the variables that this is about.

    *Moved margin*: half of an input's probability goes to the next state. *Lost effect*: a variable
    is distributed as it was on its own, whatever its parents. *Reversed effect*: the states of its
    first parent change places. *New dependence*: half of the time a variable does as one that it
    did not depend on.
    """
    graph, tables = network.graph, dict(network.tables)
    parents = {name: network.parents(name) for name in graph.nodes}
    if kind == "moved margin":
        name = str(rng.choice([one for one in graph.nodes if not parents[one]]))
        tables[name] = (tables[name] + np.roll(tables[name], 1)) / 2
        right = {name}
    elif kind == "new dependence":
        other, name = _independent(graph, rng)
        n_states, n_other = len(network.states[name]), len(network.states[other])
        followed = np.eye(n_states)[np.arange(n_other) % n_states]
        own = tables[name]
        followed = followed.reshape(n_other, *(1,) * (own.ndim - 1), n_states)
        tables[name] = (own[np.newaxis] + followed) / 2
        parents[name] = (other, *parents[name])
        graph = Graph(graph.nodes, [*graph.directed_edges, (other, name)])
        right = {name, other}
    else:
        name = str(rng.choice([one for one in graph.nodes if parents[one]]))
        if kind == "lost effect":
            margin = network.query(name, interval=None).probabilities
            tables[name] = np.broadcast_to(margin, tables[name].shape).copy()
        else:
            tables[name] = tables[name][::-1]
        right = {name}
    return BayesianNetwork(graph, network.states, tables, parents), right


def _independent(graph: Graph, rng: np.random.Generator) -> tuple[str, str]:
    """Return two variables without an edge between which one may be added, in its direction."""
    place = {name: i for i, name in enumerate(graph.topological_order())}
    pairs = [
        (a, b) for a in place for b in place if place[a] < place[b] and a not in graph.parents(b)
    ]
    return pairs[rng.integers(len(pairs))]
