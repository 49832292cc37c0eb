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
from bnsieve.counts.drawn_rows import Label, Scan
from bnsieve.counts.joint_counts import (
    MAX_DENSE_CELLS,
    CountLookup,
    JointCounts,
    ScannedCounts,
    Strata,
    count,
)
from bnsieve.counts.planned_tables import Counted, Drift, Keyed, Plan, Tables

__all__ = [
    "MAX_DENSE_CELLS",
    "CountLookup",
    "CountSource",
    "Counted",
    "Drift",
    "JointCounts",
    "KeepsCounts",
    "Keyed",
    "Label",
    "Plan",
    "Scan",
    "ScannedCounts",
    "Strata",
    "TableRows",
    "Tables",
    "best_counts",
    "count",
    "count_candidates",
    "placed",
]
