"""The parts of a network: checked, frozen, with the models that inference works on.

In: graph, states, CPTs, regressions, and what a fit knows of them. Out: `NetworkParts`, whose
derived models are made when first asked for; a `FitRecord`, from which a network has intervals,
effects over its equivalence class, bins and numbers, and rules. An error names what is wrong.
"""

from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from functools import cached_property
from math import isnan, nan
from types import MappingProxyType
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray

from bnsieve.engine import one_thread_each
from bnsieve.graph import Graph
from bnsieve.knowledge import Knowledge
from bnsieve.network.discrete.evidence import Given
from bnsieve.network.discrete.model import Model
from bnsieve.network.intervals import CptPosterior, FamilyCounter, IntervalSource
from bnsieve.network.mixed.fitting import fit_nodes
from bnsieve.network.mixed.model import MixedModel
from bnsieve.network.mixed.nodes import Node, check_nodes, number_names, same_node
from bnsieve.network.rows import RowReader, read_columns, select_columns
from bnsieve.sieve.machine import Rule
from bnsieve.table import MAX_CATEGORIES, Table, some_rows
from bnsieve.text import listed

# Of more rows a sample is enough for regressions: coefficients change in their third digit.
_ROWS_TO_FIT = 20_000
# Each has a few draws of its CPTs; more graphs make no interval better.
MAX_REPLICATES = 100
# Files round probabilities to a few digits. Other readers of BIF allow the same slack.
SUM_TOLERANCE = 0.01


@dataclass(frozen=True, eq=False)
class FitRecord:
    """What a fit knows of its network; all fields are empty for a network of unknown origin.

    Attributes
    ----------
    posterior : CptPosterior or None
        From the counts that the CPTs were estimated from.
    rows : Table or None
        The rows, in which families of other graphs are counted; None if they were not kept.
    numbers : tuple of str
        The numeric variables. In the CPTs they have bins.
    equivalence_class : Graph or None
        The CPDAG of the network's DAG, or the MPDAG that knowledge makes of it.
    knowledge : Knowledge or None
        That the equivalence class honours.
    replicate_dags : tuple of Graph
        DAGs of a bootstrap's replicates.
    reader : RowReader
        How later values and rows become states.
    rules : callable or None
        From a target to the rules of its Tsetlin machine, the most telling first.
    n_rows : int
        All rows of the fit; `rows` may be a sample of them.
    is_graph_learned : bool
        Whether the graph was learned, so that edges may be missing. A graph that was given is
        taken to be true.
    open_edges : tuple of (str, str)
        Directed edges of the equivalence class whose reversal would cost the score little, and
        which neither tests nor knowledge decide.
    """

    posterior: CptPosterior | None = None
    rows: Table | None = None
    numbers: tuple[str, ...] = ()
    equivalence_class: Graph | None = None
    knowledge: Knowledge | None = None
    replicate_dags: tuple[Graph, ...] = ()
    reader: RowReader = field(default_factory=RowReader)
    rules: Callable[[str], Sequence[Rule]] | None = None
    n_rows: int = 0
    is_graph_learned: bool = False
    open_edges: tuple[tuple[str, str], ...] = ()

    @property
    def undecided_edges(self) -> tuple[tuple[str, str], ...]:
        """Undirected edges of the equivalence class, and its open ones."""
        graph = self.equivalence_class
        return () if graph is None else (*graph.undirected_edges, *self.open_edges)

    def class_at(self, node: str) -> Graph:
        """Return the equivalence class with the open edges at a node undirected."""
        assert self.equivalence_class is not None
        graph, opened = self.equivalence_class, [one for one in self.open_edges if node in one]
        if not opened:
            return graph
        directed = [edge for edge in graph.directed_edges if edge not in opened]
        return Graph(graph.nodes, directed, [*graph.undirected_edges, *opened])

    def numbers_of_bins(self, name: str) -> tuple[NDArray[Any], NDArray[np.float64], int]:
        """Return the bin and the number of each row that has one, and how many bins there are."""
        assert self.rows is not None
        v = self.rows.names.index(name)
        known = ~np.isnan(self.rows.numbers[v])
        codes, values = self.rows.codes[v][known], self.rows.numbers[v][known]
        return codes, values, len(self.rows.categories[v])


UNKNOWN = FitRecord()


@dataclass(frozen=True, eq=False)
class NetworkParts:
    """The parts of a network.

    Attributes
    ----------
    graph : Graph
    binned_states : mapping from str to tuple of states
        Of each variable that has any; of a fit's numeric variables the bins.
    cpts : mapping from str to ndarray of float64
        Of each variable without a node; of a fit all, over the bins of numeric variables.
    parents : mapping from str to tuple of str
        In the order of the CPTs' axes.
    nodes : mapping from str to NumberNode or StateNode
        Regressions that were given. Those of a fit are made from its rows.
    learned : FitRecord
    """

    graph: Graph
    binned_states: Mapping[str, tuple[Hashable, ...]]
    cpts: Mapping[str, NDArray[np.float64]]
    parents: Mapping[str, tuple[str, ...]]
    nodes: Mapping[str, Node]
    learned: FitRecord

    @classmethod
    def checked(
        cls,
        graph: Graph,
        states: Mapping[str, Sequence[Hashable]],
        tables: Mapping[str, ArrayLike],
        parents: Mapping[str, Sequence[str]] | None,
        regressions: Mapping[str, Node] | None,
        learned: FitRecord,
    ) -> "NetworkParts":
        """Check parts as `bnsieve.BayesianNetwork` takes them; an error names what is wrong."""
        if not graph.is_dag:
            raise ValueError("a Bayesian network needs a DAG: graph.to_dag() directs every edge.")
        nodes = dict(regressions or {})
        for argument, named in (("regressions", nodes), ("parents", parents or ())):
            for name in set(named).difference(graph.nodes):
                raise ValueError(f"{argument} names {name!r}, which is not a node of the graph.")
        with_states = [name for name in graph.nodes if name not in number_names(nodes)]
        with_cpt = [name for name in graph.nodes if name not in nodes]
        check_names("states", states, with_states)
        check_names("tables", tables, with_cpt)
        checked = {name: checked_states(name, states[name]) for name in with_states}
        order = {
            name: tuple((parents or {}).get(name, graph.parents(name))) for name in graph.nodes
        }
        for name, own in order.items():
            if sorted(own) != sorted(graph.parents(name)):
                in_graph = graph.parents(name)
                raise ValueError(f"parents of {name!r} are {own} but the graph says {in_graph}.")
        check_nodes(nodes, order, checked)
        cpts = {name: checked_table(name, tables[name], order[name], checked) for name in with_cpt}
        return cls(graph, checked, cpts, order, nodes, learned)

    @property
    def has_bins(self) -> bool:
        """Whether every variable has states and a CPT, numeric ones those of their bins."""
        return not self.nodes

    @cached_property
    def numbers(self) -> tuple[str, ...]:
        """The numeric variables, in the order of the nodes."""
        numeric = self.learned.numbers if self.has_bins else number_names(self.nodes)
        return tuple(name for name in self.graph.nodes if name in numeric)

    @cached_property
    def states(self) -> Mapping[str, tuple[Hashable, ...]]:
        """The states of each categorical variable."""
        numeric = set(self.numbers)
        return MappingProxyType(
            {k: kept for k, kept in self.binned_states.items() if k not in numeric}
        )

    @cached_property
    def tables(self) -> Mapping[str, NDArray[np.float64]]:
        """The CPT of each categorical variable without numeric parents."""
        kept = {k: t for k, t in self.cpts.items() if {k, *self.parents[k]} <= self.states.keys()}
        return MappingProxyType(kept)

    @cached_property
    def regressions(self) -> Mapping[str, Node]:
        """The node of each variable that is numeric or has a numeric parent."""
        if not self.numbers or not self.has_bins:
            return MappingProxyType(dict(self.nodes))
        columns = read_columns(some_rows(self.counter.rows, _ROWS_TO_FIT, 0), self.states)
        with one_thread_each():
            return MappingProxyType(fit_nodes(self.graph, columns, self.states))

    @property
    def binned(self) -> "NetworkParts":
        """The same parts with bins in place of numbers."""
        if not self.has_bins:
            named = listed(map(repr, self.numbers), 3)
            raise ValueError(
                f"this needs a CPT of every variable, but the network has numbers ({named}) "
                "without bins: sample, log_likelihood, query and expect work with numbers; the "
                "network of a fitted learner has bins beside them."
            )
        return self.with_record(replace(self.learned, numbers=())) if self.numbers else self

    @cached_property
    def discrete(self) -> Model:
        """The CPTs by position, numeric variables as bins, on which exact inference works."""
        binned = self.binned
        return Model.of(self.graph.nodes, binned.binned_states, self.parents, binned.cpts)

    @cached_property
    def mixed(self) -> MixedModel:
        """The parts that work on columns of numbers and states."""
        return MixedModel(self.graph, self.states, self.tables, self.parents, self.regressions)

    @cached_property
    def counter(self) -> FamilyCounter:
        """Counts the families of other graphs in the rows of the fit."""
        if self.learned.rows is None:
            raise ValueError(
                "this needs the rows of a fit: ask the network of a "
                "fitted learner. One that was saved without its data must be fitted again."
            )
        is_learned = self.learned.is_graph_learned
        entities = None if self.learned.posterior is None else self.learned.posterior.entities
        return FamilyCounter(self.learned.rows, self.binned_states, is_learned, entities)

    @cached_property
    def interval_source(self) -> IntervalSource:
        """The posteriors of the CPTs, a bootstrap's DAGs among them, and the rows of the fit."""
        learned = self.learned
        if learned.posterior is None:
            raise ValueError(
                "this network has no counts, so the uncertainty of its CPTs is unknown: intervals "
                "take the network of a fitted learner, or of fit_parameters."
            )
        dags = () if learned.rows is None else learned.replicate_dags[:MAX_REPLICATES]
        # A variable may be absent that no row of a replicate had.
        replicates = (Graph(self.graph.nodes, dag.directed_edges) for dag in dags)
        posteriors = [learned.posterior, *(self.counter.posterior(dag) for dag in replicates)]
        return IntervalSource(posteriors, learned.is_graph_learned, learned.rows)

    @property
    def n_parameters(self) -> int:
        """Free parameters: (states - 1) for each configuration of the parents.

        Those of regressions that share between configurations count as what they are worth.
        """
        tables = self.tables.values()
        counted: int = sum(t.size // t.shape[-1] * (t.shape[-1] - 1) for t in tables)
        return counted + round(sum(node.n_parameters for node in self.regressions.values()))

    def with_record(self, learned: FitRecord) -> "NetworkParts":
        """Return the same parts with another record of the fit."""
        made = replace(self, learned=learned)
        if "discrete" in vars(self):
            vars(made)["discrete"] = self.discrete
        return made

    def in_states(self, given: Given | None) -> dict[str, Any]:
        """Return evidence with states in place of numbers and grouped categories.

        Raises
        ------
        ValueError
            If a value is missing: that is no evidence.
        """
        for name, value in (given or {}).items():
            if value is pd.NA or value is pd.NaT or _is_nan(value):
                raise ValueError(
                    f"{name!r} is given as {value}, which is a missing value: leave it out, or "
                    "give a value."
                )
        return {
            name: value
            if isinstance(value, Mapping) or value in self.binned_states.get(name, ())
            else self.learned.reader.state_of(name, value)
            for name, value in (given or {}).items()
        }

    def table_of(self, data: Any, ignored: str | None = None) -> Table | None:
        """Return rows as states, with the numbers beside their bins; see `RowReader.table`."""
        return self.learned.reader.table(data, self.binned_states, ignored)

    def columns_of(self, data: Any, ignored: str | None = None) -> dict[str, NDArray[Any]]:
        """Return values and codes by name, as far as the data has them; see `read_columns`."""
        rows = self.table_of(data, ignored) if self.has_bins else data
        wanted = [name for name in self.graph.nodes if name != ignored]
        return {} if rows is None else read_columns(select_columns(rows, wanted), self.states)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, NetworkParts):
            return NotImplemented
        return (
            self.graph.nodes == other.graph.nodes
            and self.binned_states == other.binned_states
            and self.parents == other.parents
            and self.numbers == other.numbers
            and self.nodes.keys() == other.nodes.keys()
            and all(np.array_equal(self.cpts[name], other.cpts[name]) for name in self.cpts)
            and all(same_node(node, other.nodes[name]) for name, node in self.nodes.items())
        )

    __hash__ = None  # type: ignore[assignment]  # CPTs are too large to be worth hashing

    def __getstate__(self) -> dict[str, Any]:
        # Derived models are made again when they are asked for.
        return {field.name: getattr(self, field.name) for field in fields(self)}


def check_names(
    where: str, given: Iterable[str], expected: Sequence[str], what: str = "variable"
) -> None:
    """Refuse names that are not exactly those expected."""
    names = set(given)
    for name in expected:
        if name not in names:
            raise ValueError(f"{where} lacks the {what} {name!r}.")
    for name in sorted(names.difference(expected)):
        raise ValueError(f"{where} has the {what} {name!r}, which is not in the network.")


def _is_nan(value: object) -> bool:
    return isinstance(value, float | np.floating) and isnan(value)


def checked_states(name: str, states: Sequence[Hashable]) -> tuple[Hashable, ...]:
    """Return a variable's states if there are not too few or too many and none comes twice."""
    if isinstance(states, str):
        raise ValueError(f"states of {name!r} must be several states, got the string {states!r}.")
    if not 1 <= len(states) <= MAX_CATEGORIES:
        raise ValueError(f"{name!r} has {len(states)} states; it needs 1 to {MAX_CATEGORIES:,}.")
    # NaN differs from NaN, but not the one object from itself.
    for state, times in Counter(nan if _is_nan(state) else state for state in states).items():
        if times > 1:
            raise ValueError(f"{name!r} has the state {state!r} twice.")
    return tuple(states)


def checked_table(
    name: str,
    table: ArrayLike,
    parents: tuple[str, ...],
    states: Mapping[str, tuple[Hashable, ...]],
) -> NDArray[np.float64]:
    """Return a variable's table, read-only, if it has the right shape and holds probabilities."""
    array = np.array(table, dtype=np.float64, order="C")
    shape = tuple(len(states[variable]) for variable in (*parents, name))
    if array.shape != shape:
        raise ValueError(
            f"the table of {name!r} has shape {array.shape}, but the states of its parents "
            f"{parents} and its own make {shape}."
        )
    if not np.all(array >= 0):
        raise ValueError(f"the table of {name!r} holds a negative number or NaN.")
    sums = array.sum(axis=-1)
    wrong = ~(np.abs(sums - 1) <= SUM_TOLERANCE)
    if np.any(wrong):
        where = tuple(np.argwhere(wrong)[0])
        pairs = zip(parents, where, strict=True)
        given = ", ".join(f"{parent} = {states[parent][code]!r}" for parent, code in pairs)
        raise ValueError(
            f"the probabilities of {name!r}{' given ' if given else ''}{given} "
            f"sum to {float(sums[where])!r} instead of 1."
        )
    array.flags.writeable = False
    return array
