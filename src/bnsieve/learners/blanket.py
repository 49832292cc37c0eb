"""The Markov blanket of one column, learned without the rest of the network.

In: data and a target. Out: a `Blanket`. Given the blanket (parents, children and the children's
other parents), the target is independent of all other columns. Its members are adjacent to the
target or to one of its neighbours. So the candidates of the target and the candidates of these are
enough to find it.
"""

import warnings
from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Any

from sklearn.base import clone

from bnsieve.engine import open_engine, seed_of, threads
from bnsieve.graph import Graph
from bnsieve.learners.base import StructureLearner
from bnsieve.learners.preparing import prepared, warn_of
from bnsieve.learners.stages import MACHINE
from bnsieve.learners.tsetlin_sieve import TsetlinSieve
from bnsieve.learners.validation import check_parameters
from bnsieve.network import BayesianNetwork, fit_parameters
from bnsieve.rows import Sampling, open_data, without_columns
from bnsieve.sieve import excess_of, importances, pooled, strongest
from bnsieve.table import DependentRowsWarning, Table
from bnsieve.table.prepare import Preparation

# How many columns the machine names for each column, and how many association does. The target's
# own are more: what is missed there is lost.
_HEAD_OF_TARGET = 8
_HEAD = 3


@dataclass(frozen=True, eq=False)
class Blanket:
    """The Markov blanket of one column, and the network around it.

    Attributes
    ----------
    target : str
        The column.
    members : tuple of str
        Its Markov blanket. Given these columns, the target is independent of all others.
    graph : Graph
        The equivalence class over the target and the members.
    network : BayesianNetwork
        A network over the same columns. Its `predict` needs only the members.
    examined : tuple of str
        The columns that the search for the blanket considered.
    learner : StructureLearner
        The learner fitted to these columns, which explains edges and their reliability.
    """

    target: str
    members: tuple[str, ...]
    graph: Graph
    network: BayesianNetwork
    examined: tuple[str, ...]
    learner: StructureLearner

    @property
    def preparation(self) -> Preparation | None:
        """The preparation of the columns, to apply to later rows."""
        return self.learner.preparation_


def learn_blanket(data: Any, target: str, learner: StructureLearner | None = None) -> Blanket:
    """Learn the Markov blanket of one column.

    Only the columns around the target are used, so this takes much less time than learning the
    whole network.

    Parameters
    ----------
    data : table, path or iterator
        The rows, in any form that `fit` accepts. For files too large for memory, `TsetlinSieve`
        chooses the columns in a sample, and counts them in all rows.
    target : str
        The name of the column.
    learner : StructureLearner, optional
        The learner, ``TsetlinSieve()`` by default. A clone of it is fitted, so the learner itself
        does not change. Its `knowledge`, `prepare`, `random_state` and `n_jobs` apply.

    Returns
    -------
    Blanket

    Raises
    ------
    ValueError
        If the target is not a column.

    Examples
    --------
    >>> import bnsieve as bn
    >>> data = bn.load_network("asia").sample(5000, random_state=0)
    >>> bn.learn_blanket(data, "lung", bn.TsetlinSieve(random_state=0)).members
    ('either', 'smoke', 'tub')
    """
    learner = TsetlinSieve() if learner is None else clone(learner)
    check_parameters(learner.get_params(deep=False))
    knowledge, prepare = learner.knowledge, learner.prepare
    with open_data(data) as source:
        sampling = Sampling() if source.is_small else learner._sampling()
        with open_engine("local", learner.n_jobs) as engine:
            rows = prepared(source, prepare, sampling, engine)
        table, plan, dependence = rows.source.sample(), rows.plan, rows.dependence
        if dependence is not None:
            warn_of(dependence)
        if target not in table.names:
            raise ValueError(
                f"target must be a column; got {target!r}, and there is no such column"
            )
        also: set[str] = set()
        if knowledge is not None:
            knowledge.resolve(table.names)  # refuses columns that the data never had
            required = {name for edge in knowledge.required if target in edge for name in edge}
            also = required.intersection(table.names)
        seed = seed_of(getattr(learner, "random_state", 0))
        examined = surroundings(table, target, also, seed, learner.n_jobs)
        if knowledge is not None:
            learner.set_params(knowledge=knowledge.among(examined))
        around: Any = table.select(examined)
        if not source.is_small and plan is not None:
            around = source
            learner.set_params(prepare=plan.with_outputs(examined))
        elif not source.is_small:
            others = [name for name in table.names if name not in examined]
            around = without_columns(source, others)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", DependentRowsWarning)  # all columns were looked at
            learner.fit(around)
        learner.set_params(prepare=prepare)
    result = learner.fit_result_
    learner.fit_result_ = replace(
        result,
        preparation=plan and plan.with_bin_edges(result.rebinned),
        dependence=dependence,
        confirmed_edges=() if dependence is not None else result.confirmed_edges,
    )
    graph, network = blanket_of(learner, target)
    members = tuple(name for name in graph.nodes if name != target)
    return Blanket(target, members, graph, network, tuple(examined), learner)


def blanket_of(learner: StructureLearner, target: str) -> tuple[Graph, BayesianNetwork]:
    """Return graph and network of the target and its Markov blanket."""
    kept = sorted({target, *learner.dag_.markov_blanket(target)})
    result = learner.fit_result_
    if result.rows.n_rows < result.n_rows:  # a sample, beside counts of all rows
        network = result.family_counts.among(kept).network()
    else:
        dag = learner.dag_.subgraph(kept)
        network = fit_parameters(dag, result.rows.select(kept), numeric=())
    return learner.graph_.subgraph(kept), network


def surroundings(
    table: Table, target: str, also: Iterable[str], seed: int, n_jobs: int | None
) -> list[str]:
    """Return the target, its candidates, and the candidates of these, sorted by name.

    Parameters
    ----------
    table : Table
    target : str
    also : iterable of str
        Columns to add to the candidates of the target.
    seed : int
        Of the machines; each column has its own stream.
    n_jobs : int or None
    """
    centre = table.names.index(target)
    first = {*_strongest(table, [centre], _HEAD_OF_TARGET, seed, n_jobs)}
    first.update(table.names.index(name) for name in also)
    second = _strongest(table, sorted(first - {centre}), _HEAD, seed, n_jobs)
    return sorted(table.names[v] for v in {centre, *first, *second})


def _strongest(
    table: Table, targets: list[int], size: int, seed: int, n_jobs: int | None
) -> set[int]:
    found: set[int] = set()
    with threads(n_jobs) as run:
        seen = pooled(table)
        for importance in importances(seen, targets, MACHINE, seed, run):
            found.update(strongest(importance / seen.n_categories, size))
        for excess in run(lambda v: excess_of(table, v), targets):
            found.update(strongest(excess, size))
    return found
