"""Bayesian networks from categorical data, found with a sieve of Tsetlin machines."""

from bnsieve import _startup  # first: Ctrl-C may come while we load

# The libraries behind these names take a second, which `bnsieve --help` should not.
if not _startup.HELP_ONLY:
    from bnsieve import metrics
    from bnsieve.counts import CountSource
    from bnsieve.engine import Progress, watch
    from bnsieve.exchange import list_networks, load_network
    from bnsieve.exchange.formats import read, write
    from bnsieve.graph import Graph
    from bnsieve.knowledge import Knowledge
    from bnsieve.learners import (
        FSMBPC,
        PC,
        Blanket,
        HitonPC,
        TsetlinPC,
        TsetlinSieve,
        learn_blanket,
    )
    from bnsieve.learners.saving.loading import load_learner
    from bnsieve.network import BayesianNetwork, fit_parameters
    from bnsieve.rows import prepare
    from bnsieve.sieve.machine import WeightedTsetlinClassifier
    from bnsieve.table import Discretizer, Table
    from bnsieve.table.prepare import Preparation

__all__ = [
    "FSMBPC",
    "PC",
    "BayesianNetwork",
    "Blanket",
    "CountSource",
    "Discretizer",
    "Graph",
    "HitonPC",
    "Knowledge",
    "Preparation",
    "Progress",
    "Table",
    "TsetlinPC",
    "TsetlinSieve",
    "WeightedTsetlinClassifier",
    "fit_parameters",
    "learn_blanket",
    "list_networks",
    "load_learner",
    "load_network",
    "metrics",
    "prepare",
    "read",
    "watch",
    "write",
]

__version__ = "0.9.0"


def __dir__() -> list[str]:
    return [*__all__, "__version__"]
