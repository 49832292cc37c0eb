"""Why this edge, and how sure.

In: what a learner found. Out: evidence of an edge, and strengths by resampling.
"""

from bnsieve.explain.evidence import Evidence, ScoreChange
from bnsieve.explain.findings import Findings
from bnsieve.explain.strengths import (
    EdgeStrengths,
    Progress,
    Resample,
    edge_strengths,
    progress_bar,
)

__all__ = [
    "EdgeStrengths",
    "Evidence",
    "Findings",
    "Progress",
    "Resample",
    "ScoreChange",
    "edge_strengths",
    "progress_bar",
]
