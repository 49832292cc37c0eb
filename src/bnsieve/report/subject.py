"""The subject of a page: a fitted learner, and the record of its run."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Protocol

from bnsieve.explain import (
    Determinism,
    Edge,
    EdgeStrengths,
    Findings,
    ScoreGain,
    near_misses,
    rank_edges,
)
from bnsieve.graph import Graph
from bnsieve.network import BayesianNetwork, FamilyCounts, Missing
from bnsieve.table.prepare import Change, Preparation, changes_of


class Fitted(Protocol):
    """What a page asks of the result of a fit."""

    @property
    def family_counts(self) -> FamilyCounts:
        """The counts behind the probability tables."""


class Reportable(Protocol):
    """What a page asks of a fitted learner."""

    graph_: Graph
    dag_: Graph
    confirmed_edges_: tuple[tuple[str, str], ...]
    separating_sets_: dict[frozenset[str], tuple[str, ...]]
    strengths_: EdgeStrengths | None
    n_missing_: dict[str, int]
    missing_strategy_: Missing
    preparation_: Preparation | None
    numeric_features_: tuple[str, ...]
    fit_result_: Fitted

    @property
    def network_(self) -> BayesianNetwork:
        """The probability tables."""

    def edge_gains(self) -> list[ScoreGain]:
        """Return by how much the score falls without each arrow."""

    def determinism(self) -> Determinism:
        """Say which columns are functions of others."""


@dataclass(frozen=True, eq=False)
class Subject:
    """What a page is about.

    Attributes
    ----------
    learner : Reportable
        Fitted.
    n_rows : int
        Of the data.
    title : str
        What the data is called.
    repeat : str
        The command, or the lines of Python, that learn this again.
    record : mapping of str to object
        What ``run.json`` holds; empty if there is none.
    versions : mapping of str to str
    graph : Graph
    network : BayesianNetwork
        Of all columns, or of a target and its blanket.
    target : str or None
    findings : callable or None
        Returns what the learner found, to explain it; None if it no longer has its rows.
    known : (Determinism, tuple of Edge) or None
        `determined` and `edges`, where they were found before.
    """

    learner: Reportable
    n_rows: int
    title: str
    repeat: str
    versions: Mapping[str, str | None]
    graph: Graph
    network: BayesianNetwork
    record: Mapping[str, Any] = field(default_factory=dict)
    target: str | None = None
    findings: Callable[[], Findings] | None = None
    known: tuple[Determinism, tuple[Edge, ...]] | None = None

    @cached_property
    def determinism(self) -> Determinism:
        """Columns that are functions of others, and categories that occur in the same rows."""
        return self.learner.determinism() if self.known is None else self.known[0]

    @cached_property
    def edges(self) -> tuple[Edge, ...]:
        """The edges of the graph, the most reliable first."""
        if self.known is not None:
            return self.known[1]
        if self.findings is not None:
            return rank_edges(self.learner, self.graph, self.strengths, self.determinism.pairs)
        return rank_edges(
            _Unscored(self.learner), self.graph, self.strengths, self.determinism.pairs
        )

    @cached_property
    def left_out(self) -> tuple[Edge, ...]:
        """Edges that only some replicates have."""
        return near_misses(self.graph, self.strengths)

    @property
    def strengths(self) -> EdgeStrengths | None:
        """What resampling found."""
        return self.learner.strengths_

    @property
    def changes(self) -> list[Change]:
        """What was done to the columns."""
        plan = self.learner.preparation_
        return [] if plan is None else changes_of(plan, self.learner.numeric_features_)


class _Unscored:
    """A learner without its rows: score gains are not known."""

    def __init__(self, learner: Reportable) -> None:
        self.confirmed_edges_ = learner.confirmed_edges_
        self.edge_margins_ = getattr(learner, "edge_margins_", {})
        self._arrows = learner.dag_.directed_edges

    def edge_gains(self) -> list[ScoreGain]:
        """Return zero for each arrow."""
        return [ScoreGain(tail, head, 0.0) for tail, head in self._arrows]
