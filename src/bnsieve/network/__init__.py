"""A graph with probabilities.

In: a DAG and counts. Out: a `BayesianNetwork`; likelihoods, samples, drawn cells.
"""

from bnsieve.network.checks import SUM_TOLERANCE
from bnsieve.network.inference.answers import Distribution, Distributions
from bnsieve.network.inference.exact import TooLargeError
from bnsieve.network.missing_cells import WAYS, Missing, draw_missing, fit_network, label_missing
from bnsieve.network.network import BayesianNetwork
from bnsieve.network.parameters import FamilyCounts, count_families, fit_parameters

__all__ = [
    "SUM_TOLERANCE",
    "WAYS",
    "BayesianNetwork",
    "Distribution",
    "Distributions",
    "FamilyCounts",
    "Missing",
    "TooLargeError",
    "count_families",
    "draw_missing",
    "fit_network",
    "fit_parameters",
    "label_missing",
]
