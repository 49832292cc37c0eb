"""Distances between graphs, and held-out likelihood.

In: a true graph and a learned one, or rows held out. Out: distances and likelihoods.
"""

from bnsieve.metrics.comparison import (
    Comparison,
    DistanceKind,
    EdgeDifferences,
    InterventionDistance,
    NamedEdge,
    compare,
    differences,
    intervention_distance,
    with_nodes_of,
)
from bnsieve.metrics.likelihood import HeldOut, HeldOutComparison, held_out

__all__ = [
    "Comparison",
    "DistanceKind",
    "EdgeDifferences",
    "HeldOut",
    "HeldOutComparison",
    "InterventionDistance",
    "NamedEdge",
    "compare",
    "differences",
    "held_out",
    "intervention_distance",
    "with_nodes_of",
]
