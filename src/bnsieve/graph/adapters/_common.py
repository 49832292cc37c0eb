"""What the adapters share: the parts of a network, late imports, and pairs of candidates."""

import importlib
from collections.abc import Hashable, Iterable, Mapping
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray


class NetworkParts(NamedTuple):
    """What a `BayesianNetwork` is made of."""

    nodes: tuple[str, ...]
    levels: dict[str, list[Hashable]]
    tables: dict[str, NDArray[np.float64]]
    parents: dict[str, list[str]]


def imported(module: str, package: str) -> Any:
    """Import a module of an optional package, or say what to install."""
    try:
        return importlib.import_module(module)
    except ImportError as error:
        raise ImportError(f"this needs {package}: pip install '{package}'") from error


def candidate_pairs(candidates: Mapping[str, Iterable[str]]) -> list[tuple[str, str]]:
    """List each pair of columns of which one is a candidate of the other, once.

    Raises
    ------
    ValueError
        If there is none: the other programs would take that for "no restriction".
    """
    pairs = {
        (min(name, other), max(name, other))
        for name, others in candidates.items()
        for other in others
    }
    if not pairs:
        raise ValueError("there are no candidates: no column has anything to be joined to.")
    return sorted(pairs)
