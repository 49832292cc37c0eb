"""A Bayesian network: a DAG with one probability table, or regression, per variable.

Comes in: a DAG, the labels of each variable, and each variable's table given its parents; for
numbers, and for labels with numeric parents, a regression. Goes out: an immutable
`BayesianNetwork` that draws rows. What else it answers is in `Predictions` (rows of a frame) and
`Questions` (one question at a time), of which it is made.
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
from bnsieve.network.mixed.checks import check_nodes, number_names
from bnsieve.network.mixed.fitting import Node
from bnsieve.network.mixed.linear import LinearEquation, linear_equations, linear_node
from bnsieve.network.mixed.parts import same_node
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
    regressions : mapping from str to NumberNode or LabelNode, optional
        For each variable that is a number or has a numeric parent; it then has no table, and a
        number has no levels. `fit_parameters` makes them.

    Attributes
    ----------
    graph : Graph
    levels : mapping from str to tuple of labels
    tables : mapping from str to ndarray of float64
        Read-only, C-contiguous.
    regressions : mapping from str to NumberNode or LabelNode
        Empty in a network of labels.

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
    regressions: Mapping[str, Node]
    _parents: Mapping[str, tuple[str, ...]]

    __slots__ = ("_numbered", "_parents", "_posterior", "graph", "levels", "regressions", "tables")

    def __init__(
        self,
        graph: Graph,
        levels: Mapping[str, Sequence[Hashable]],
        tables: Mapping[str, ArrayLike],
        parents: Mapping[str, Sequence[str]] | None = None,
        regressions: Mapping[str, Node] | None = None,
    ) -> None:
        if not graph.is_dag:
            raise ValueError("a Bayesian network needs a DAG: graph.to_dag() directs every edge.")
        nodes = dict(regressions or {})
        for name in set(nodes).difference(graph.nodes):
            raise ValueError(f"regressions names {name!r}, which is not a node of the graph.")
        numbers = number_names(nodes)
        labels = [name for name in graph.nodes if name not in numbers]
        counted = [name for name in graph.nodes if name not in nodes]
        check_names("levels", levels, labels)
        check_names("tables", tables, counted)
        for name in set(parents or ()).difference(graph.nodes):
            raise ValueError(f"parents names {name!r}, which is not a node of the graph.")
        own_levels = {name: checked_levels(name, levels[name]) for name in labels}
        own_parents = {name: checked_parents(name, parents, graph) for name in graph.nodes}
        check_nodes(nodes, own_parents, own_levels)
        own_tables = {
            name: checked_table(name, tables[name], own_parents[name], own_levels)
            for name in counted
        }
        for attribute, value in (
            ("graph", graph),
            ("levels", MappingProxyType(own_levels)),
            ("tables", MappingProxyType(own_tables)),
            ("regressions", MappingProxyType(nodes)),
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
            `n` rows; labels are categorical columns with all labels as categories, numbers are
            float64 in the units of the data.
        """
        if self.regressions:
            n, first_row = _checked_rows(n, random_state, first_row)
            return self._framed(self._mixed.draw(n, seed_of(random_state), first_row))
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
        n, first_row = _checked_rows(n, random_state, first_row)
        self._check_labels_only("sample_codes")
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

    def _framed(self, columns: Mapping[str, NDArray[Any]]) -> pd.DataFrame:
        """Return values and codes as a frame, in the order of the nodes."""
        return pd.DataFrame(
            {
                name: pd.Categorical.from_codes(
                    columns[name], dtype=pd.CategoricalDtype(list(self.levels[name]))
                )
                if name in self.levels
                else columns[name]
                for name in self.graph.nodes
            },
            copy=False,
        )

    def parents(self, node: str) -> tuple[str, ...]:
        """Return the parents of a node, in the order of its table's axes."""
        try:
            return self._parents[node]
        except (KeyError, TypeError):
            raise ValueError(f"the network has no node {node!r}.") from None

    def to_pgmpy(self) -> Any:
        """Return a `pgmpy.models.DiscreteBayesianNetwork`, labels kept as they are.

        A network of numbers only, all linear with normal noise, becomes a
        `pgmpy.models.LinearGaussianBayesianNetwork`; pgmpy has no other kind.
        """
        from bnsieve.graph.adapters.pgmpy import pgmpy_linear_network, pgmpy_network

        if self.regressions:
            return pgmpy_linear_network(self.graph.nodes, linear_equations(self._mixed))
        return pgmpy_network(self.levels, self._parents, self.tables)

    @classmethod
    def from_pgmpy(cls, network: Any) -> "BayesianNetwork":
        """Build a network from pgmpy's, which must have a table or equation for each variable."""
        from bnsieve.graph.adapters.pgmpy import equations_of_pgmpy, parts_of_pgmpy

        equations = equations_of_pgmpy(network)
        if equations is not None:
            arrows = [(parent, name) for name, one in equations.items() for parent in one[1]]
            nodes = {name: linear_node(LinearEquation(*one)) for name, one in equations.items()}
            return cls(Graph(list(equations), arrows), {}, {}, None, nodes)
        return cls._of_parts(parts_of_pgmpy(network))

    def to_pyagrum(self) -> Any:
        """Return a `pyagrum.BayesNet`; labels that are not text become ``str(label)``.

        Raises
        ------
        ValueError
            If two labels of a variable are the same once they are text.
        """
        from bnsieve.graph.adapters.pyagrum import pyagrum_network

        self._check_labels_only("pyAgrum's BayesNet")
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
            and self.regressions.keys() == other.regressions.keys()
            and all(np.array_equal(self.tables[name], other.tables[name]) for name in self.tables)
            and all(same_node(node, other.regressions[k]) for k, node in self.regressions.items())
        )

    __hash__ = None  # type: ignore[assignment]  # tables are too large to be worth hashing

    def __reduce__(self) -> tuple[Any, ...]:
        parts = (self.levels, self.tables, self._parents, self.regressions)
        arguments = (dict(part) for part in parts)
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
        from bnsieve.text import MAX_TABLE_ROWS, NotebookTable, notebook_html

        part, note = self.graph.part_to_draw()
        rows = [
            (name, *_listed(self.levels.get(name)), ", ".join(self._parents[name]))
            for name in self.graph.nodes[:MAX_TABLE_ROWS]
        ]
        return notebook_html(
            repr(self),
            note=note,
            picture=part.plot().svg if part.n_nodes else "",
            tables=[
                NotebookTable(
                    "Columns", ("column", "labels", "", "parents"), rows, self.graph.n_nodes
                )
            ],
        )


def _listed(labels: Sequence[Hashable] | None) -> tuple[str, str]:
    """Return how many labels there are, and the first of them; None is a number."""
    if labels is None:
        return "", "a number"
    more = ", …" if len(labels) > _LABELS_SHOWN else ""
    return f"{len(labels):,}", ", ".join(map(str, labels[:_LABELS_SHOWN])) + more


def _checked_rows(n: int, random_state: RandomState, first_row: int) -> tuple[int, int]:
    n, first_row = operator.index(n), operator.index(first_row)
    if n < 0 or first_row < 0:
        raise ValueError(f"n and first_row must not be negative, got {n} and {first_row}.")
    if first_row and random_state is None:
        raise ValueError("first_row continues a sample: give the random_state of that sample.")
    return n, first_row


def _restored(posterior: TablePosterior | None, *parts: Any) -> BayesianNetwork:
    """Make a network again of what `__reduce__` took it apart to."""
    return BayesianNetwork(*parts)._learned_from(posterior)
