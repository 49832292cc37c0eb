"""A Bayesian network: a DAG with one probability table per variable.

Comes in: a DAG, the labels of each variable, and each variable's table given its parents.
Goes out: an immutable `BayesianNetwork` that draws rows. What else it answers is in `Predictions`
(rows of a frame) and `Questions` (one question at a time), of which it is made.
"""

import operator
from collections.abc import Hashable, Mapping, Sequence
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray

from bnsieve import _native
from bnsieve.engine import RandomState, seed_of
from bnsieve.graph import Graph
from bnsieve.network.answers.posterior import TablePosterior
from bnsieve.network.checks import check_names, checked_levels, checked_parents, checked_table
from bnsieve.network.thresholds import strides, thresholds
from bnsieve.network.what_if import WhatIf
from bnsieve.table import Codes, code_dtype

if TYPE_CHECKING:
    from bnsieve.graph.adapters._common import NetworkParts

# Of a column, in a notebook.
_LABELS_SHOWN = 6


class BayesianNetwork(WhatIf):
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
        For each variable an array with one axis per parent, in the order of
        ``parents(name)``, and the variable's own levels last.
    parents : mapping from str to sequence of str, optional
        The order of each variable's parents in its table; as in ``graph.parents(name)`` where a
        variable is not named.

    Attributes
    ----------
    graph : Graph
    levels : mapping from str to tuple of labels
    tables : mapping from str to ndarray of float64
        Read-only, C-contiguous.

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
    _parents: Mapping[str, tuple[str, ...]]

    __slots__ = ("_numbered", "_parents", "_posterior", "graph", "levels", "tables")

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
            check_names(what, given, graph.nodes)
        for name in set(parents or ()).difference(graph.nodes):
            raise ValueError(f"parents names {name!r}, which is not a node of the graph.")
        own_levels = {name: checked_levels(name, levels[name]) for name in graph.nodes}
        own_parents = {name: checked_parents(name, parents, graph) for name in graph.nodes}
        own_tables = {
            name: checked_table(name, tables[name], own_parents[name], own_levels)
            for name in graph.nodes
        }
        for attribute, value in (
            ("graph", graph),
            ("levels", MappingProxyType(own_levels)),
            ("tables", MappingProxyType(own_tables)),
            ("_parents", MappingProxyType(own_parents)),
            ("_numbered", None),
            ("_posterior", None),
        ):
            object.__setattr__(self, attribute, value)

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError(f"a BayesianNetwork never changes: {name} cannot be set.")

    def sample(
        self, n: int, random_state: RandomState = None, *, first_row: int = 0
    ) -> pd.DataFrame:
        """Draw rows from the network.

        Parameters
        ----------
        n : int
            How many rows.
        random_state : int, RandomState, Generator or None
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

    def sample_codes(
        self, n: int, random_state: RandomState = None, *, first_row: int = 0
    ) -> Codes:
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
        entropy = seed_of(random_state)
        for name in self.graph.topological_order():
            stream = np.random.SeedSequence(entropy, spawn_key=(position[name],))
            _native.sample_variable(
                codes,
                position[name],
                first_row,
                np.array([position[parent] for parent in self._parents[name]], dtype=np.int64),
                strides(self.tables[name]),
                thresholds(self.tables[name]),
                stream.generate_state(2, np.uint64).astype(np.uint64, copy=False),
            )
        return codes

    def parents(self, node: str) -> tuple[str, ...]:
        """Return the parents of a node, in the order of its table's axes."""
        try:
            return self._parents[node]
        except (KeyError, TypeError):
            raise ValueError(f"the network has no node {node!r}.") from None

    def to_pgmpy(self) -> Any:
        """Return a `pgmpy.models.DiscreteBayesianNetwork`, labels kept as they are."""
        from bnsieve.graph.adapters.pgmpy import pgmpy_network

        return pgmpy_network(self.levels, self._parents, self.tables)

    @classmethod
    def from_pgmpy(cls, network: Any) -> "BayesianNetwork":
        """Build a network from pgmpy's, which must have a table for each variable."""
        from bnsieve.graph.adapters.pgmpy import parts_of_pgmpy

        return cls._of_parts(parts_of_pgmpy(network))

    def to_pyagrum(self) -> Any:
        """Return a `pyagrum.BayesNet`; labels that are not text become ``str(label)``.

        Raises
        ------
        ValueError
            If two labels of a variable are the same once they are text.
        """
        from bnsieve.graph.adapters.pyagrum import pyagrum_network

        return pyagrum_network(self.levels, self._parents, self.tables)

    @classmethod
    def from_pyagrum(cls, network: Any) -> "BayesianNetwork":
        """Build a network from a `pyagrum.BayesNet`."""
        from bnsieve.graph.adapters.pyagrum import parts_of_pyagrum

        return cls._of_parts(parts_of_pyagrum(network))

    @classmethod
    def _of_parts(cls, parts: "NetworkParts") -> "BayesianNetwork":
        arrows = [(parent, name) for name, given in parts.parents.items() for parent in given]
        return cls(Graph(parts.nodes, arrows), *parts[1:])

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, BayesianNetwork):
            return NotImplemented
        return (
            self.graph.nodes == other.graph.nodes
            and self.levels == other.levels
            and self._parents == other._parents
            and all(np.array_equal(self.tables[name], other.tables[name]) for name in self.tables)
        )

    __hash__ = None  # type: ignore[assignment]  # tables are too large to be worth hashing

    def __reduce__(self) -> tuple[Any, ...]:
        arguments = (dict(self.levels), dict(self.tables), dict(self._parents))
        return _restored, (self._posterior, self.graph, *arguments)

    def __repr__(self) -> str:
        counts = (
            (self.graph.n_nodes, "node"),
            (self.graph.n_edges, "arc"),
            (self.n_parameters, "parameter"),
        )
        nodes, arcs, parameters = (f"{n} {noun}{'s' * (n != 1)}" for n, noun in counts)
        return f"BayesianNetwork with {nodes}, {arcs} and {parameters}"

    def _repr_html_(self) -> str:
        """Return what a notebook shows: a picture, and each column's labels and parents."""
        from bnsieve.graph.drawing.notebook import MAX_ROWS, Rows, shown

        part, note = self.graph.part_to_draw()
        rows = [
            (name, *_listed(self.levels[name]), ", ".join(self._parents[name]))
            for name in self.graph.nodes[:MAX_ROWS]
        ]
        return shown(
            repr(self),
            note=note,
            picture=part.plot().svg if part.n_nodes else "",
            tables=[Rows("Columns", ("column", "labels", "", "parents"), rows, self.graph.n_nodes)],
        )


def _listed(labels: Sequence[Hashable]) -> tuple[str, str]:
    """Return how many labels there are, and the first of them."""
    more = ", …" if len(labels) > _LABELS_SHOWN else ""
    return f"{len(labels):,}", ", ".join(map(str, labels[:_LABELS_SHOWN])) + more


def _restored(posterior: TablePosterior | None, *parts: Any) -> BayesianNetwork:
    """Make a network again of what `__reduce__` took it apart to."""
    return BayesianNetwork(*parts)._learned_from(posterior)
