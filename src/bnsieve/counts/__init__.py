"""What is counted once and adds up.

In: a table and families of columns. Out: joint counts, from any `CountSource`.
"""

from bnsieve.counts.count_source import (
    CountSource,
    KeepsCounts,
    TableRows,
    best_counts,
    count_candidates,
    placed,
)
from bnsieve.counts.covariance import Covariance, covariance_of, kept_covariance
from bnsieve.counts.drawn_rows import Label, Scan
from bnsieve.counts.joint_counts import (
    MAX_DENSE_CELLS,
    CountLookup,
    JointCounts,
    ScannedCounts,
    Strata,
    count,
)
from bnsieve.counts.moments import Embedding, Moments, block_moments, moments_of
from bnsieve.counts.planned_tables import Counted, Drift, Keyed, Plan, Tables

__all__ = [
    "MAX_DENSE_CELLS",
    "CountLookup",
    "CountSource",
    "Counted",
    "Covariance",
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
    "TableRows",
    "Tables",
    "best_counts",
    "block_moments",
    "count",
    "count_candidates",
    "covariance_of",
    "kept_covariance",
    "moments_of",
    "placed",
]
