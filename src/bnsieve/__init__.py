"""Bayesian networks from categorical data, found with a sieve of Tsetlin machines."""

from bnsieve import metrics
from bnsieve.catalogue import list_networks, load_network
from bnsieve.discretize import Discretizer
from bnsieve.graph import Graph
from bnsieve.knowledge import Knowledge
from bnsieve.learners.baselines import FSMBPC, PC, HitonPC
from bnsieve.learners.saved import load
from bnsieve.learners.tsetlin_pc import TsetlinPC
from bnsieve.learners.tsetlin_sieve import TsetlinSieve
from bnsieve.network import BayesianNetwork
from bnsieve.parameters import fit_parameters
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
