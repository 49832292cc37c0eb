"""Bayesian network structure learning from tables of categories and numbers."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from bnsieve import metrics
    from bnsieve.counts import CountSource
    from bnsieve.engine import Progress, watch
    from bnsieve.exchange import list_networks, load_network, read, write
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

# Public names are imported when first used (PEP 562): the libraries behind them take a second.
# A test keeps this table, `__all__` and the imports above equal.
_MODULES = {
    "bnsieve.counts": ("CountSource",),
    "bnsieve.engine": ("Progress", "watch"),
    "bnsieve.exchange": ("list_networks", "load_network", "read", "write"),
    "bnsieve.graph": ("Graph",),
    "bnsieve.knowledge": ("Knowledge",),
    "bnsieve.learners": (
        "FSMBPC",
        "PC",
        "Blanket",
        "HitonPC",
        "TsetlinPC",
        "TsetlinSieve",
        "learn_blanket",
    ),
    "bnsieve.learners.saving.loading": ("load_learner",),
    "bnsieve.network": ("BayesianNetwork", "fit_parameters"),
    "bnsieve.rows": ("prepare",),
    "bnsieve.sieve.machine": ("WeightedTsetlinClassifier",),
    "bnsieve.table": ("Discretizer", "Table"),
    "bnsieve.table.prepare": ("Preparation",),
}
_MODULE_OF = {name: module for module, names in _MODULES.items() for name in names}


def __getattr__(name: str) -> Any:
    if name == "metrics":
        return import_module("bnsieve.metrics")
    if name not in _MODULE_OF:
        raise AttributeError(f"module 'bnsieve' has no attribute {name!r}")
    value = globals()[name] = getattr(import_module(_MODULE_OF[name]), name)
    return value


def __dir__() -> list[str]:
    return [*__all__, "__version__"]
