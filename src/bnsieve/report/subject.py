"""The subject of a page: a fitted learner, and the part of its graph that the page shows."""

from dataclasses import dataclass
from functools import cached_property
from typing import Any

from bnsieve.explain import (
    Determinism,
    Drivers,
    Edge,
    EdgeEffect,
    EdgeStrengths,
    Findings,
    edge_sizes,
    near_misses,
    rank_edges,
)
from bnsieve.graph import Graph
from bnsieve.network import BayesianNetwork
from bnsieve.table.prepare import Change, changes_of


@dataclass(frozen=True, eq=False)
class Subject:
    """A fit to report.

    Attributes
    ----------
    learner : StructureLearner
        Fitted.
    graph : Graph
    network : BayesianNetwork
        Of all columns, or of a target and its Markov blanket.
    findings : Findings or None
        The fit as it is explained; None if the learner was saved without its rows.
    target : str or None
    """

    learner: Any
    graph: Graph
    network: BayesianNetwork
    findings: Findings | None = None
    target: str | None = None

    @property
    def n_rows(self) -> int:
        """The number of training rows."""
        n_rows: int = self.learner.fit_result_.n_rows
        return n_rows

    @cached_property
    def determinism(self) -> Determinism:
        """Columns that are functions of others, and categories that occur in the same rows."""
        found: Determinism = self.learner.determinism()
        return found

    @cached_property
    def edges(self) -> tuple[Edge, ...]:
        """The edges of the graph, the most reliable first."""
        gains = [] if self.findings is None else self.findings.edge_gains()
        result = self.learner.fit_result_
        rows = None if self.findings is None else self.findings.table
        sizes = edge_sizes(result.family_counts, rows, result.numeric_features)
        return rank_edges(self.learner, self.graph, gains, self.determinism.pairs, sizes)

    @cached_property
    def drivers(self) -> Drivers | None:
        """What drives the target, if there is one."""
        if self.target is None:
            return None
        found: Drivers = self.learner.drivers(self.target)
        return found

    @cached_property
    def left_out(self) -> tuple[Edge, ...]:
        """Edges that only some replicates have, the strongest first."""
        return near_misses(self.graph, self.strengths)

    @cached_property
    def small(self) -> tuple[Edge, ...]:
        """Edges left out because their effect is below the floor, the largest first."""
        effects: dict[tuple[str, str], EdgeEffect] = getattr(self.learner, "small_edges_", {})
        shown = [(ends, own) for ends, own in effects.items() if set(ends) <= set(self.graph.nodes)]
        return tuple(
            Edge(tail, head, True, None, effect=effect)
            for (tail, head), effect in sorted(shown, key=lambda one: (-one[1].share, one[0]))
        )

    @property
    def strengths(self) -> EdgeStrengths | None:
        """Edge strengths, after a bootstrap."""
        strengths: EdgeStrengths | None = self.learner.strengths_
        return strengths

    @cached_property
    def changes(self) -> list[Change]:
        """Every change of a column before learning."""
        plan, numeric = self.learner.preparation_, set(self.learner.numeric_features_)
        if plan is None:
            return []
        if numeric:  # columns far from a target were not learned from as bins either
            numeric |= {output.name for output in plan.outputs}.difference(self.learner.dag_.nodes)
        return changes_of(plan, numeric)
