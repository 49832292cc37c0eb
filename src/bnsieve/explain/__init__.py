"""Why this edge, and how sure.

In: what a learner found. Out: evidence of an edge, and strengths by resampling.
"""

from bnsieve.explain.as_numbers import AsNumbers
from bnsieve.explain.determinism import (
    Determinism,
    Function,
    Implication,
    SameFact,
    find_determinism,
)
from bnsieve.explain.edges import (
    SURE_EVIDENCE,
    SURE_STRENGTH,
    Edge,
    edges_of,
    is_unsure,
    nearly_edges,
    worth_of,
)
from bnsieve.explain.evidence import Certainty, Evidence, ScoreChange
from bnsieve.explain.findings import Findings
from bnsieve.explain.in_units import InUnits
from bnsieve.explain.strengths import (
    EdgeStrengths,
    Progress,
    Resample,
    edge_strengths,
)

__all__ = [
    "SURE_EVIDENCE",
    "SURE_STRENGTH",
    "AsNumbers",
    "Certainty",
    "Determinism",
    "Edge",
    "EdgeStrengths",
    "Evidence",
    "Findings",
    "Function",
    "Implication",
    "InUnits",
    "Progress",
    "Resample",
    "SameFact",
    "ScoreChange",
    "edge_strengths",
    "edges_of",
    "find_determinism",
    "is_unsure",
    "nearly_edges",
    "worth_of",
]
