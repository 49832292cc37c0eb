"""Counts and sums of rows: computed once, and additive over parts of the data.

In: a table and families of columns. Out: joint counts, from any `CountSource`.
"""

from bnsieve.counts.count_source import (
    CountSource,
    CutsAgain,
    KeepsCounts,
    SumsNumbers,
    TableRows,
    best_counts,
    checked_counts,
    count_candidates,
    placed,
)
from bnsieve.counts.covariance import (
    MOST_SCORED_ROWS,
    Covariance,
    Moments,
    Summed,
    Summer,
    covariance_of,
    kept_covariance,
    moments_of,
    sampled_embedding,
)
from bnsieve.counts.dependence import (
    Clusters,
    Dependence,
    clusters_of,
    dependence_of,
    intraclass_correlation,
    residual_correlations,
)
from bnsieve.counts.embedding import Embedding
from bnsieve.counts.joint_counts import (
    CountLookup,
    JointCounts,
    ScannedCounts,
    Strata,
    category_counts,
    count,
)
from bnsieve.counts.planned_tables import Counted, Drift, Keyed, Label, Plan, Scan, Tables

__all__ = [
    "MOST_SCORED_ROWS",
    "Clusters",
    "CountLookup",
    "CountSource",
    "Counted",
    "Covariance",
    "CutsAgain",
    "Dependence",
    "Drift",
    "Embedding",
    "JointCounts",
    "KeepsCounts",
    "Keyed",
    "Label",
    "Moments",
    "Plan",
    "Scan",
    "ScannedCounts",
    "Strata",
    "Summed",
    "Summer",
    "SumsNumbers",
    "TableRows",
    "Tables",
    "best_counts",
    "category_counts",
    "checked_counts",
    "clusters_of",
    "count",
    "count_candidates",
    "covariance_of",
    "dependence_of",
    "intraclass_correlation",
    "kept_covariance",
    "moments_of",
    "placed",
    "residual_correlations",
    "sampled_embedding",
]
