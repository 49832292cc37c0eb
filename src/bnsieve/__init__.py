"""Bayesian network structure learning from tables of categories and numbers."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from bnsieve import metrics
    from bnsieve.exchange import list_networks, load_network, read, write
    from bnsieve.graph import Graph
    from bnsieve.knowledge import Knowledge
    from bnsieve.learners import FSMBPC, PC, HitonPC, TsetlinPC, TsetlinSieve, learn_blanket, load
    from bnsieve.network import BayesianNetwork, fit_parameters
    from bnsieve.rows import prepare
    from bnsieve.sieve.machine import WeightedTsetlinClassifier
    from bnsieve.table import Discretizer
    from bnsieve.table.prepare import Preparation

__all__ = [
    "FSMBPC",
    "PC",
    "BayesianNetwork",
    "Discretizer",
    "Graph",
    "HitonPC",
    "Knowledge",
    "Preparation",
    "TsetlinPC",
    "TsetlinSieve",
    "WeightedTsetlinClassifier",
    "fit_parameters",
    "learn_blanket",
    "list_networks",
    "load",
    "load_network",
    "metrics",
    "prepare",
    "read",
    "write",
]

__version__ = "0.9.0"

# Public names are imported when first used (PEP 562): the libraries behind them take a second.
# A test keeps this table, `__all__` and the imports above equal.
_MODULES = {
    "bnsieve.exchange": ("list_networks", "load_network", "read", "write"),
    "bnsieve.graph": ("Graph",),
    "bnsieve.knowledge": ("Knowledge",),
    "bnsieve.learners": (
        "FSMBPC",
        "PC",
        "HitonPC",
        "TsetlinPC",
        "TsetlinSieve",
        "learn_blanket",
        "load",
    ),
    "bnsieve.network": ("BayesianNetwork", "fit_parameters"),
    "bnsieve.rows": ("prepare",),
    "bnsieve.sieve.machine": ("WeightedTsetlinClassifier",),
    "bnsieve.table": ("Discretizer",),
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
