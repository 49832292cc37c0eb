"""Bayesian networks from categorical data, found with a sieve of Tsetlin machines."""

__version__ = "0.1.0"
