"""A graph with probabilities.

In: a DAG and counts. Out: a `BayesianNetwork`; likelihoods, samples, drawn cells.
"""

from bnsieve.network.checks import SUM_TOLERANCE
from bnsieve.network.missing_cells import (
    MISSING_LABEL,
    WAYS,
    Missing,
    draw_missing,
    fit_network,
    label_missing,
)
from bnsieve.network.network import BayesianNetwork
from bnsieve.network.parameters import FamilyCounts, count_families, fit_parameters

__all__ = [
    "MISSING_LABEL",
    "SUM_TOLERANCE",
    "WAYS",
    "BayesianNetwork",
    "FamilyCounts",
    "Missing",
    "count_families",
    "draw_missing",
    "fit_network",
    "fit_parameters",
    "label_missing",
]
