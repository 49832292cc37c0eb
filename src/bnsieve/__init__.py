"""Bayesian networks from categorical data, found with a sieve of Tsetlin machines."""

from bnsieve import metrics
from bnsieve.exchange import list_networks, load_network
from bnsieve.graph import Graph
from bnsieve.knowledge import Knowledge
from bnsieve.learners import FSMBPC, PC, HitonPC, TsetlinPC, TsetlinSieve
from bnsieve.learners.saving.loading import load
from bnsieve.network import BayesianNetwork, fit_parameters
from bnsieve.table import Discretizer
from bnsieve.tsetlin import WeightedTsetlinClassifier

__all__ = [
    "FSMBPC",
    "PC",
    "BayesianNetwork",
    "Discretizer",
    "Graph",
    "HitonPC",
    "Knowledge",
    "TsetlinPC",
    "TsetlinSieve",
    "WeightedTsetlinClassifier",
    "fit_parameters",
    "list_networks",
    "load",
    "load_network",
    "metrics",
]

__version__ = "0.1.0"
