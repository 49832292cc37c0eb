"""Why an edge is in the graph, and how reliable it is.

In: the results of a fit. Out: the support of an edge, and strengths by resampling.
"""

from bnsieve.explain.as_numbers import AsNumbers, score_limit
from bnsieve.explain.determinism import (
    Determinism,
    Function,
    LinearFunction,
    find_determinism,
)
from bnsieve.explain.drivers import Driver, Drivers
from bnsieve.explain.driving import Background
from bnsieve.explain.effects import EdgeEffect, share_text
from bnsieve.explain.finding_drivers import find_drivers
from bnsieve.explain.findings import Findings
from bnsieve.explain.in_units import InUnits
from bnsieve.explain.sizes import EdgeSize, edge_sizes
from bnsieve.explain.strengths import EdgeStrengths, Progress, Resample, edge_strengths
from bnsieve.explain.support import (
    GIVEN,
    RELIABILITY,
    WEAK_GAIN,
    WEAK_STRENGTH,
    Edge,
    EdgeSupport,
    Reliability,
    ScoreGain,
    count_directions,
    near_misses,
    rank_edges,
    reliability_of,
)

__all__ = [
    "GIVEN",
    "RELIABILITY",
    "WEAK_GAIN",
    "WEAK_STRENGTH",
    "AsNumbers",
    "Background",
    "Determinism",
    "Driver",
    "Drivers",
    "Edge",
    "EdgeEffect",
    "EdgeSize",
    "EdgeStrengths",
    "EdgeSupport",
    "Findings",
    "Function",
    "InUnits",
    "LinearFunction",
    "Progress",
    "Reliability",
    "Resample",
    "ScoreGain",
    "count_directions",
    "edge_sizes",
    "edge_strengths",
    "find_determinism",
    "find_drivers",
    "near_misses",
    "rank_edges",
    "reliability_of",
    "score_limit",
    "share_text",
]
