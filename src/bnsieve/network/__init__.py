"""A graph with probabilities.

In: a DAG and counts. Out: a `BayesianNetwork`; likelihoods, samples, drawn cells.
"""

from bnsieve.network.checks import SUM_TOLERANCE
from bnsieve.network.inference.answers import Distribution, Distributions, Explanation, Explanations
from bnsieve.network.inference.exact import TooLargeError
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
    "Distribution",
    "Distributions",
    "Explanation",
    "Explanations",
    "FamilyCounts",
    "Missing",
    "TooLargeError",
    "count_families",
    "draw_missing",
    "fit_network",
    "fit_parameters",
    "label_missing",
]
