"""A Bayesian network: a DAG with one probability table per variable.

Comes in: a DAG, the labels of each variable, and each variable's table given its parents.
Goes out: an immutable `BayesianNetwork` that draws rows and says how likely given rows are.
"""

import math
import operator
from collections.abc import Hashable, Iterable, Mapping, Sequence
from types import MappingProxyType
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray

from bnsieve import _native
from bnsieve.encode import MAX_LEVELS, Codes, code_dtype
from bnsieve.graph import Graph
from bnsieve.table import Table

# Files round probabilities to a few digits. Other readers of BIF allow the same slack.
SUM_TOLERANCE = 0.01

# A draw has 63 bits, so that 2**63, "always below", is a threshold like any other.
_ONE = float(1 << 63)


class BayesianNetwork:
    """A DAG with a probability table for each variable given its parents.

    A network never changes. Tables are kept exactly as given; where a row's sum is not quite 1,
    as in files with rounded probabilities, `sample` and `log_likelihood` scale it to 1.

    Parameters
    ----------
    graph : Graph
        A DAG; its node order is the order of variables everywhere.
    levels : mapping from str to sequence of labels
        The labels of each variable, at least one and at most 65,536, all different.
    tables : mapping from str to array
        For each variable an array with one axis per parent, in the order of `parents`, and the
        variable's own levels last.
    parents : mapping from str to sequence of str, optional
        The order of each variable's parents in its table; as in ``graph.parents(name)`` where a
        variable is not named.

    Attributes
    ----------
    graph : Graph
    levels : mapping from str to tuple of labels
    tables : mapping from str to ndarray of float64
        Read-only, C-contiguous.
    parents : mapping from str to tuple of str

    Raises
    ------
    ValueError
        If the graph is not a DAG, or labels or tables are missing, of the wrong shape, or not
        probabilities that sum to 1 within 0.01.

    Examples
    --------
    >>> network = BayesianNetwork(
    ...     Graph(["rain", "wet"], [("rain", "wet")]),
    ...     levels={"rain": ["no", "yes"], "wet": ["no", "yes"]},
    ...     tables={"rain": [0.8, 0.2], "wet": [[0.9, 0.1], [0.0, 1.0]]},
    ... )
    >>> network
    BayesianNetwork with 2 nodes, 1 arc and 3 parameters
    >>> network.sample(3, random_state=0).shape
    (3, 2)
    """

    graph: Graph
    levels: Mapping[str, tuple[Hashable, ...]]
    tables: Mapping[str, NDArray[np.float64]]
    parents: Mapping[str, tuple[str, ...]]

    __slots__ = ("graph", "levels", "parents", "tables")

    def __init__(
        self,
        graph: Graph,
        levels: Mapping[str, Sequence[Hashable]],
        tables: Mapping[str, ArrayLike],
        parents: Mapping[str, Sequence[str]] | None = None,
    ) -> None:
        if not graph.is_dag:
            raise ValueError("a Bayesian network needs a DAG: graph.to_dag() directs every edge.")
        for what, given in (("levels", levels), ("tables", tables)):
            _check_names(what, given, graph.nodes)
        for name in set(parents or ()).difference(graph.nodes):
            raise ValueError(f"parents names {name!r}, which is not a node of the graph.")
        own_levels = {name: _checked_levels(name, levels[name]) for name in graph.nodes}
        own_parents = {name: _checked_parents(name, parents, graph) for name in graph.nodes}
        own_tables = {
            name: _checked_table(name, tables[name], own_parents[name], own_levels)
            for name in graph.nodes
        }
        for attribute, value in (
            ("graph", graph),
            ("levels", MappingProxyType(own_levels)),
            ("tables", MappingProxyType(own_tables)),
            ("parents", MappingProxyType(own_parents)),
        ):
            object.__setattr__(self, attribute, value)

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError(f"a BayesianNetwork never changes: {name} cannot be set.")

    @property
    def n_parameters(self) -> int:
        """The number of free parameters: (levels - 1) for each configuration of the parents."""
        return sum(
            table.size // table.shape[-1] * (table.shape[-1] - 1) for table in self.tables.values()
        )

    def sample(
        self, n: int, random_state: int | None = None, *, first_row: int = 0
    ) -> pd.DataFrame:
        """Draw rows from the network.

        Parameters
        ----------
        n : int
            How many rows.
        random_state : int, optional
            The seed. The same seed gives the same rows everywhere; without one they differ from
            call to call.
        first_row : int, default 0
            Where in the endless table of this seed to begin: ``sample(n, seed, first_row=m)``
            continues ``sample(m, seed)``, so that large samples can be drawn in pieces.

        Returns
        -------
        pandas.DataFrame
            `n` rows, one categorical column per variable with all its labels as categories.
        """
        codes = self.sample_codes(n, random_state, first_row=first_row)
        columns = {
            name: pd.Categorical.from_codes(
                column, dtype=pd.CategoricalDtype(list(self.levels[name]))
            )
            for name, column in zip(self.graph.nodes, codes, strict=True)
        }
        return pd.DataFrame(columns, index=pd.RangeIndex(n), copy=False)

    def sample_codes(self, n: int, random_state: int | None = None, *, first_row: int = 0) -> Codes:
        """Draw rows from the network, as positions in `levels`.

        Parameters
        ----------
        n, random_state, first_row
            As for `sample`.

        Returns
        -------
        ndarray of uint8 or uint16, shape (n_variables, n)
            One contiguous row per variable; uint16 only if one has more than 256 levels.
        """
        n, first_row = operator.index(n), operator.index(first_row)
        if n < 0 or first_row < 0:
            raise ValueError(f"n and first_row must not be negative, got {n} and {first_row}.")
        if first_row and random_state is None:
            raise ValueError("first_row continues a sample: give the random_state of that sample.")
        nodes = self.graph.nodes
        position = {name: i for i, name in enumerate(nodes)}
        most = max(map(len, self.levels.values()), default=1)
        codes = np.empty((len(nodes), n), dtype=code_dtype(most))
        entropy = np.random.SeedSequence(random_state).entropy
        for name in self.graph.topological_order():
            stream = np.random.SeedSequence(entropy, spawn_key=(position[name],))
            _native.sample_variable(
                codes,
                position[name],
                first_row,
                np.array([position[parent] for parent in self.parents[name]], dtype=np.int64),
                _strides(self.tables[name]),
                _thresholds(self.tables[name]),
                stream.generate_state(2, np.uint64).astype(np.uint64, copy=False),
            )
        return codes

    def log_likelihood(self, data: Any) -> NDArray[np.float64]:
        """Return the natural logarithm of each row's probability.

        Parameters
        ----------
        data : pandas.DataFrame, polars.DataFrame, pyarrow.Table or Table
            One column per variable, in any order, without missing cells.

        Returns
        -------
        ndarray of float64, shape (n_rows,)
            ``-inf`` where the network gives a row no probability.

        Raises
        ------
        ValueError
            If columns are missing or unknown, a cell is missing, or a label is not among the
            variable's levels.
        """
        table = Table.from_data(data)
        _check_names("the data", table.names, self.graph.nodes, what="column")
        codes = {name: _recoded(table, i, self.levels[name]) for i, name in enumerate(table.names)}
        total = np.zeros(table.n_rows)
        for name, probabilities in self.tables.items():
            cell = codes[name].copy()
            for parent, stride in zip(self.parents[name], _strides(probabilities), strict=True):
                cell += stride * probabilities.shape[-1] * codes[parent]
            with np.errstate(divide="ignore"):
                logarithms = np.log(probabilities / probabilities.sum(axis=-1, keepdims=True))
            total += logarithms.ravel()[cell]
        return total

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, BayesianNetwork):
            return NotImplemented
        return (
            self.graph.nodes == other.graph.nodes
            and self.levels == other.levels
            and self.parents == other.parents
            and all(np.array_equal(self.tables[name], other.tables[name]) for name in self.tables)
        )

    __hash__ = None  # type: ignore[assignment]  # tables are too large to be worth hashing

    def __reduce__(self) -> tuple[Any, ...]:
        arguments = (dict(self.levels), dict(self.tables), dict(self.parents))
        return BayesianNetwork, (self.graph, *arguments)

    def __repr__(self) -> str:
        counts = (
            (self.graph.n_nodes, "node"),
            (self.graph.n_edges, "arc"),
            (self.n_parameters, "parameter"),
        )
        nodes, arcs, parameters = (f"{n} {noun}{'s' * (n != 1)}" for n, noun in counts)
        return f"BayesianNetwork with {nodes}, {arcs} and {parameters}"


def _check_names(
    where: str, given: Iterable[str], expected: Sequence[str], what: str = "variable"
) -> None:
    names = set(given)
    for name in expected:
        if name not in names:
            raise ValueError(f"{where} lacks the {what} {name!r}.")
    for name in sorted(names.difference(expected)):
        raise ValueError(f"{where} has the {what} {name!r}, which is not in the network.")


def _checked_levels(name: str, labels: Sequence[Hashable]) -> tuple[Hashable, ...]:
    if isinstance(labels, str):
        raise ValueError(f"levels of {name!r} must be several labels, got the string {labels!r}.")
    levels = tuple(labels)
    if not 1 <= len(levels) <= MAX_LEVELS:
        raise ValueError(f"{name!r} has {len(levels)} levels; it needs 1 to {MAX_LEVELS:,}.")
    if len(set(levels)) < len(levels):
        twice = next(label for i, label in enumerate(levels) if label in levels[:i])
        raise ValueError(f"{name!r} has the level {twice!r} twice.")
    return levels


def _checked_parents(
    name: str, parents: Mapping[str, Sequence[str]] | None, graph: Graph
) -> tuple[str, ...]:
    in_graph = graph.parents(name)
    own = tuple((parents or {}).get(name, in_graph))
    if sorted(own) != sorted(in_graph):
        raise ValueError(f"parents of {name!r} are {own} but the graph says {in_graph}.")
    return own


def _checked_table(
    name: str,
    table: ArrayLike,
    parents: tuple[str, ...],
    levels: Mapping[str, tuple[Hashable, ...]],
) -> NDArray[np.float64]:
    array = np.array(table, dtype=np.float64, order="C")
    shape = tuple(len(levels[variable]) for variable in (*parents, name))
    if array.shape != shape:
        raise ValueError(
            f"the table of {name!r} has shape {array.shape}, but the levels of its parents "
            f"{parents} and its own make {shape}."
        )
    if not np.all(array >= 0):
        raise ValueError(f"the table of {name!r} holds a negative number or NaN.")
    sums = array.sum(axis=-1)
    wrong = ~(np.abs(sums - 1) <= SUM_TOLERANCE)
    if np.any(wrong):
        where = np.argwhere(wrong)[0]
        given = ", ".join(
            f"{parent} = {levels[parent][code]!r}"
            for parent, code in zip(parents, where, strict=True)
        )
        raise ValueError(
            f"the probabilities of {name!r}{' given ' if given else ''}{given} "
            f"sum to {float(sums[tuple(where)])!r} instead of 1."
        )
    array.flags.writeable = False
    return array


def _strides(table: NDArray[np.float64]) -> NDArray[np.int64]:
    """How far apart, in configurations of all parents, the levels of each parent stand."""
    shape = table.shape[:-1]
    return np.array([math.prod(shape[i + 1 :]) for i in range(len(shape))], dtype=np.int64)


def _thresholds(table: NDArray[np.float64]) -> NDArray[np.uint64]:
    """Cumulative probabilities in units of 2**-63, without the last, one line per configuration.

    A level of probability 0 makes no step and is never drawn, wherever it stands: sums are divided
    by their own last value, which gives exactly 1 from the last possible level on.
    """
    sums = np.cumsum(table.reshape(-1, table.shape[-1]), axis=1)
    return (sums[:, :-1] / sums[:, -1:] * _ONE).astype(np.uint64)


def _recoded(table: Table, column: int, levels: tuple[Hashable, ...]) -> NDArray[np.int64]:
    """One column's codes as positions in the network's levels."""
    name = table.names[column]
    if column in table.missing:
        raise ValueError(f"column {name!r} has missing cells: drop those rows or fill them in.")
    position = {label: i for i, label in enumerate(levels)}
    for label in table.levels[column]:
        if label not in position:
            known = ", ".join(map(repr, levels[:5])) + (", ..." if len(levels) > 5 else "")
            raise ValueError(
                f"column {name!r} has the label {label!r}, which is not a level of the network's "
                f"{name!r} ({known})."
            )
    positions = np.array([position[label] for label in table.levels[column]], dtype=np.int64)
    recoded: NDArray[np.int64] = positions[table.codes[column]]
    return recoded
