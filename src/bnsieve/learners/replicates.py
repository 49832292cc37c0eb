"""The graphs of a bootstrap, as further opinions on an answer.

In: the DAGs that replicates found, and the rows. Out: for each the posterior of its tables, counted
in all rows when a question needs them.
"""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from bnsieve.counts import count
from bnsieve.graph import Graph
from bnsieve.network import (
    N_DRAWS,
    SEED,
    BayesianNetwork,
    Effect,
    FamilyCounts,
    Given,
    TablePosterior,
    drawn_answers,
    interval_ends,
    posterior_of,
)
from bnsieve.table import Table

# Each has a few draws of its tables; more graphs make no interval better.
MAX_REPLICATES = 100


def replicate_posteriors(
    dags: Sequence[Graph], table: Table, network: BayesianNetwork
) -> list[TablePosterior]:
    """Return the posterior of the tables of each replicate's graph.

    Parameters
    ----------
    dags : sequence of Graph
        Over nodes of the network; a column may be absent that no row of a replicate had.
    table : Table
        The rows that are counted; those of a sample where the data lie in files.
    network : BayesianNetwork
        Whose nodes and labels are used.
    """
    counted: dict[tuple[str, ...], NDArray[np.float64]] = {}
    posteriors = []
    for dag in dags[:MAX_REPLICATES]:
        whole = Graph(network.graph.nodes, dag.directed_edges)
        counts = FamiliesOnDemand(table, network, whole, counted)
        posteriors.append(posterior_of(whole, network.levels, counts))
    return posteriors


def with_intervals(
    effect: Effect, table: Table, network: BayesianNetwork, given: Given, level: float
) -> Effect:
    """Return an effect with intervals for each of its cases, from draws of the tables.

    Parameters
    ----------
    effect : Effect
    table : Table
        The rows in which the tables of each case's DAG are counted.
    network : BayesianNetwork
        Whose labels are used.
    given : mapping from str to label or likelihoods
        What the effect was given.
    level : float
    """
    counted: dict[tuple[str, ...], NDArray[np.float64]] = {}
    variable = network.graph.nodes.index(effect.of)
    cases = []
    for case in effect.cases:
        arrows = [arrow for arrow in case.dag.directed_edges if arrow[1] != effect.of]
        cut = Graph(network.graph.nodes, arrows)
        counts = FamiliesOnDemand(table, network, cut, counted)
        ends = []
        for label, answer in zip(case.table.index, case.table.to_numpy(), strict=True):
            point = np.array([float(one == label) for one in network.levels[effect.of]])
            posterior = posterior_of(cut, network.levels, counts, {variable: point})
            draws = drawn_answers([posterior], (effect.on,), given, N_DRAWS, SEED)
            ends.append(interval_ends(draws, level, answer))
        low, high = (
            pd.DataFrame(lines, index=case.table.index, columns=case.table.columns)
            for lines in zip(*ends, strict=True)
        )
        cases.append(replace(case, low=low, high=high))
    return replace(effect, cases=tuple(cases))


class FamiliesOnDemand:
    """Counts of one variable with its parents, made when asked for, and kept for other graphs.

    Parameters
    ----------
    table : Table
    network : BayesianNetwork
        Whose labels are used.
    dag : Graph
    counted : dict
        Families that were counted before; graphs share most of theirs.
    """

    def __init__(
        self,
        table: Table,
        network: BayesianNetwork,
        dag: Graph,
        counted: dict[tuple[str, ...], NDArray[np.float64]],
    ) -> None:
        self._table, self._network, self._dag, self._counted = table, network, dag, counted

    def __call__(self, variable: int) -> NDArray[np.float64]:
        """Return the counts of a variable by its position, parents first."""
        name = self._dag.nodes[variable]
        family = (*self._dag.parents(name), name)
        if family not in self._counted:
            self._counted[family] = self._count(family)
        return self._counted[family]

    def _count(self, family: tuple[str, ...]) -> NDArray[np.float64]:
        names = self._table.names
        levels = {one: self._table.levels[names.index(one)] for one in family}
        counts = count(self._table, [names.index(one) for one in family])
        star = Graph(family, [(parent, family[-1]) for parent in family[:-1]])
        families = FamilyCounts(star, levels, {family[-1]: counts})
        return families.cells(family[-1], self._network.levels)
