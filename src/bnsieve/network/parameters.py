"""The probability tables of a graph, estimated from data.

All that the tables depend on are the counts of each variable with its parents, a `FamilyCounts`.
They add up over blocks of rows, so that a network is refitted to more rows, or with another prior,
without the rows.
"""

from collections.abc import Collection, Hashable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial
from typing import Any, Literal, Self

import numpy as np
from numpy.typing import NDArray

from bnsieve.counts import CountSource, JointCounts, TableRows, checked_counts
from bnsieve.graph import Graph
from bnsieve.network.intervals import family_cells, posterior_of
from bnsieve.network.mixed.fitting import fit_nodes
from bnsieve.network.network import BayesianNetwork
from bnsieve.network.parts import FitRecord, check_names
from bnsieve.network.rows import (
    column_names,
    number_columns,
    number_values,
    select_columns,
    state_codes,
)
from bnsieve.table import Table

Prior = Literal["bdeu"]
States = Mapping[str, Sequence[Hashable]]


@dataclass(frozen=True, eq=False)
class FamilyCounts:
    """How often each state of each variable occurs with each configuration of its parents.

    Attributes
    ----------
    graph : Graph
        The DAG, which defines the parents.
    states : mapping from str to tuple of states
        The observed states.
    tables : mapping from str to JointCounts
        For each variable, the joint table of its parents, in the order of ``graph.parents(name)``,
        and of the variable itself, which comes last. Variables are numbered as in ``graph.nodes``.
    """

    graph: Graph
    states: Mapping[str, tuple[Hashable, ...]]
    tables: Mapping[str, JointCounts]

    def network(
        self,
        *,
        prior: Prior | None = "bdeu",
        equivalent_sample_size: float = 1.0,
        states: States | None = None,
    ) -> BayesianNetwork:
        """Return the network with probability tables estimated from these counts.

        Parameters
        ----------
        prior : {"bdeu"} or None, default "bdeu"
            "bdeu": the posterior mean under a Dirichlet prior that spreads `equivalent_sample_size`
            rows evenly over all cells of the CPT, so that no state is impossible. None: the maximum
            likelihood estimates, in which unobserved states have probability zero. If a
            configuration of the parents does not occur, its states are equally probable.
        equivalent_sample_size : float, default 1.0
            The equivalent sample size of the prior, above zero.
        states : mapping from str to sequence of states, optional
            All states of some variables, observed or not, in the order to use. Other variables have
            their observed states. The network refuses rows with any other state, so name states
            that may occur later.

        Raises
        ------
        ValueError
            If an observed state is not among `states`, or a variable has so many configurations of
            its parents that its CPT does not fit in memory.

        Notes
        -----
        A row counts for a variable if neither its cell nor its parents' are missing.
        """
        if prior not in ("bdeu", None):
            raise ValueError(f"prior must be 'bdeu', or None for maximum likelihood; got {prior!r}")
        if prior and not 0 < equivalent_sample_size < np.inf:
            raise ValueError(
                "equivalent_sample_size must be a number above zero, "
                f"got {equivalent_sample_size}; prior=None is maximum likelihood"
            )
        imagined = float(equivalent_sample_size) if prior else 0.0
        for name in set(states or ()).difference(self.graph.nodes):
            raise ValueError(f"states names {name!r}, which is not a node of the graph")
        own = {name: tuple((states or {}).get(name, seen)) for name, seen in self.states.items()}
        tables = {
            name: _probabilities(self.cells(name, own), imagined) for name in self.graph.nodes
        }
        learned = FitRecord(posterior_of(self.graph, own, partial(self._cells_of, own), {}))
        return BayesianNetwork(self.graph, own, tables, learned=learned)

    @cached_property
    def posterior(self) -> BayesianNetwork:
        """The network of the "bdeu" prior with equivalent sample size 1, computed once."""
        return self.network()

    def among(self, names: Collection[str]) -> "FamilyCounts":
        """Return the counts of some variables, and of their parents among these variables.

        A row counts even if the value of an omitted parent is missing.
        """
        graph = self.graph.subgraph(names)
        before = {name: v for v, name in enumerate(self.graph.nodes)}
        after = {name: v for v, name in enumerate(graph.nodes)}
        tables = {}
        for name in graph.nodes:
            family = (*graph.parents(name), name)
            joint = self.tables[name].marginal([before[one] for one in family])
            tables[name] = replace(joint, variables=tuple(after[one] for one in family))
        return FamilyCounts(graph, {name: self.states[name] for name in graph.nodes}, tables)

    def cells(self, name: str, states: Mapping[str, tuple[Hashable, ...]]) -> NDArray[np.float64]:
        """Return the counts of a variable given its parents as an array with an axis for each.

        The axes are those of the variable's CPT, over `states`, which must contain all observed
        states.
        """
        family = (*self.graph.parents(name), name)
        return family_cells(family, self.tables[name], self.states, states)

    def _cells_of(
        self, states: Mapping[str, tuple[Hashable, ...]], variable: int
    ) -> NDArray[np.float64]:
        return self.cells(self.graph.nodes[variable], states)

    def __getstate__(self) -> dict[str, Any]:
        # The network is made again when it is asked for; it also refers to these counts.
        return {name: value for name, value in vars(self).items() if name != "posterior"}

    def __add__(self, other: Self) -> Self:
        """Return the counts of both sources' rows together."""
        if self.graph != other.graph or self.states != other.states:
            raise ValueError("only counts of the same graph and the same states can be added")
        both = {name: table + other.tables[name] for name, table in self.tables.items()}
        return type(self)(self.graph, self.states, both)


def count_families(graph: Graph, data: Any) -> FamilyCounts:
    """Count each variable with its parents.

    Parameters
    ----------
    graph : Graph
        A DAG, or a graph that represents several DAGs; then ``to_dag()`` is used.
    data : pandas.DataFrame, polars.DataFrame, pyarrow.Table, Table or CountSource
        One column per node, in any order.
    """
    dag = graph.to_dag()
    is_source = isinstance(data, CountSource)
    source = checked_counts(data) if is_source else TableRows(Table.from_data(data))
    states = source.categories
    check_names("the data", states, dag.nodes, what="column")
    position = {name: i for i, name in enumerate(dag.nodes)}
    families = {name: (*dag.parents(name), name) for name in dag.nodes}
    variables = {name: tuple(position[v] for v in family) for name, family in families.items()}
    counted = source.joint_counts(list(families.values()))
    tables = {
        name: replace(joint, variables=variables[name])
        for name, joint in zip(dag.nodes, counted, strict=True)
    }
    return FamilyCounts(dag, {name: states[name] for name in dag.nodes}, tables)


def fit_parameters(
    graph: Graph,
    data: Any,
    *,
    prior: Prior | None = "bdeu",
    equivalent_sample_size: float = 1.0,
    states: States | None = None,
    numeric: Collection[str] | None = None,
) -> BayesianNetwork:
    """Estimate the CPTs of a graph from data, and the regressions of its numeric variables.

    Parameters
    ----------
    graph : Graph
        A DAG, or a graph that represents several, such as a CPDAG. ``to_dag()`` then chooses one.
        All DAGs of an equivalence class give the same likelihood, and with the "bdeu" prior the
        same joint distribution.
    data : pandas.DataFrame, polars.DataFrame, pyarrow.Table or Table
        One column per node, in any order. A row counts for a variable if neither its own value nor
        a value of its parents is missing.
    prior, equivalent_sample_size, states
        As in `FamilyCounts.network`, for the CPTs.
    numeric : collection of str, optional
        The numeric columns, by default those with fractions. All others are categorical. A numeric
        variable is a sum of functions of its numeric parents plus noise, for each configuration of
        its categorical parents. A categorical variable with numeric parents has a logistic
        regression.

    Returns
    -------
    BayesianNetwork

    Examples
    --------
    >>> import pandas as pd
    >>> data = pd.DataFrame({"rain": ["no", "no", "no", "yes"], "wet": ["no", "no", "yes", "yes"]})
    >>> graph = Graph(["rain", "wet"], [("rain", "wet")])
    >>> fit_parameters(graph, data, prior=None).tables["rain"]
    array([0.75, 0.25])
    >>> fit_parameters(graph, data, equivalent_sample_size=4).tables["rain"]
    array([0.625, 0.375])
    """
    dag, numbers = graph.to_dag(), _numbers(data, numeric)
    if not numbers:
        return count_families(dag, data).network(
            prior=prior, equivalent_sample_size=equivalent_sample_size, states=states
        )
    check_names("the data", column_names(data), dag.nodes, what="column")
    for name in set(states or ()).intersection(numbers):
        raise ValueError(f"states names {name!r}, which is a number")
    columns: dict[str, NDArray[Any]] = {**number_values(data, numbers)}
    own: Mapping[str, tuple[Hashable, ...]] = {}
    tables: dict[str, NDArray[np.float64]] = {}
    parents = {name: dag.parents(name) for name in dag.nodes}
    categorical = [name for name in column_names(data) if name not in numbers]
    if categorical:
        table = Table.from_data(select_columns(data, categorical))
        with_cpt = [name for name in categorical if columns.keys().isdisjoint(parents[name])]
        edges = [(parent, name) for name in with_cpt for parent in parents[name]]
        counted = count_families(Graph(categorical, edges), table).network(
            prior=prior, equivalent_sample_size=equivalent_sample_size, states=states
        )
        own, tables = counted.states, {name: counted.tables[name] for name in with_cpt}
        columns |= state_codes(table, own)
    return BayesianNetwork(dag, own, tables, parents, fit_nodes(dag, columns, own))


def _numbers(data: Any, numeric: Collection[str] | None) -> tuple[str, ...]:
    """Return the columns that are numbers."""
    if isinstance(data, CountSource):
        return ()
    if numeric is None:
        return number_columns(data)
    if isinstance(numeric, str):
        raise ValueError(f"numeric must be several names, got the string {numeric!r}")
    held = column_names(data)
    for name in numeric:
        if name not in held:
            raise ValueError(f"numeric names {name!r}, which is not a column of the data")
    return tuple(numeric)


def _probabilities(cells: NDArray[np.float64], imagined: float) -> NDArray[np.float64]:
    """Spread imagined rows evenly over the cells and scale each configuration's cells to 1."""
    cells = cells + imagined / cells.size
    totals = cells.sum(axis=-1, keepdims=True)
    empty = totals == 0.0
    shares: NDArray[np.float64] = np.where(
        empty, 1.0 / cells.shape[-1], cells / np.where(empty, 1.0, totals)
    )
    return shares
