"""Bayesian networks from categorical data, found with a sieve of Tsetlin machines."""

from bnsieve import metrics
from bnsieve.graph import Graph

__all__ = ["Graph", "metrics"]

__version__ = "0.1.0"
