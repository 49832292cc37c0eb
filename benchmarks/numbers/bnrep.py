"""Samples of the numeric networks of bnRep in ``benchmarks/networks/bnrep-numeric``.

A configuration of parents that the authors' data never showed has no parameters. Where a row falls
into one, a label is drawn evenly.
"""

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

FOLDER = Path(__file__).parents[1] / "networks" / "bnrep-numeric"
NAMES = tuple(sorted(path.stem for path in FOLDER.glob("*.json")))

Node = Mapping[str, Any]


def sample(name: str, n_rows: int, seed: int) -> tuple[pd.DataFrame, list[tuple[str, str]]]:
    """Return rows of a network, and its arrows."""
    nodes: dict[str, Node] = json.loads((FOLDER / f"{name}.json").read_text(encoding="utf-8"))
    parents = {node: _parents(about) for node, about in nodes.items()}
    rng = np.random.default_rng([seed, n_rows, sum(map(ord, name))])
    # Labels by the place of each in the list of states.
    drawn: dict[str, NDArray[np.float64]] = {}
    while len(drawn) < len(nodes):
        for node, about in nodes.items():
            if node not in drawn and all(parent in drawn for parent in parents[node]):
                draw = _labels if about["kind"] == "discrete" else _numbers
                drawn[node] = draw(about, drawn, n_rows, rng)
    columns: dict[str, Any] = {}
    for node, about in nodes.items():
        columns[node] = drawn[node]
        if about["kind"] == "discrete":
            columns[node] = np.array(about["levels"], dtype=object)[drawn[node].astype(np.int64)]
    arrows = [(parent, node) for node in nodes for parent in parents[node]]
    return pd.DataFrame(columns), arrows


def _parents(about: Node) -> list[str]:
    if about["kind"] == "conditional":
        return [*_named(about["discrete_parents"]), *_named(about["numeric_parents"])]
    return _named(about["parents"])


def _named(names: Sequence[str]) -> list[str]:
    return [name for name in names if name]


def _configurations(
    labels: Sequence[str],
    sizes: Sequence[int],
    drawn: Mapping[str, NDArray[np.float64]],
    n_rows: int,
) -> NDArray[np.int64]:
    """Return which configuration of discrete parents each row has; the first runs fastest."""
    found = np.zeros(n_rows, dtype=np.int64)
    step = 1
    for label, size in zip(labels, sizes, strict=True):
        found += step * drawn[label].astype(np.int64)
        step *= size
    return found


def _labels(
    about: Node, drawn: Mapping[str, NDArray[np.float64]], n_rows: int, rng: np.random.Generator
) -> NDArray[np.float64]:
    own, *sizes = about["dims"]
    shares = np.array(about["prob"], dtype=np.float64).reshape(-1, own)
    shares[np.isnan(shares).any(axis=1)] = 1 / own
    limits = np.cumsum(shares, axis=1)
    limits /= limits[:, -1:]
    given = limits[_configurations(_named(about["parents"]), sizes, drawn, n_rows)]
    found: NDArray[np.float64] = (rng.random((n_rows, 1)) > given).sum(axis=1).astype(np.float64)
    return found


def _numbers(
    about: Node, drawn: Mapping[str, NDArray[np.float64]], n_rows: int, rng: np.random.Generator
) -> NDArray[np.float64]:
    if about["kind"] == "gaussian":
        numeric = _named(about["parents"])
        coefficients = np.array(about["coefficients"], dtype=np.float64)[np.newaxis]
        deviations = np.array([about["sd"]], dtype=np.float64)
        given = np.zeros(n_rows, dtype=np.int64)
    else:
        numeric = _named(about["numeric_parents"])
        coefficients = np.array(about["coefficients"], dtype=np.float64)
        deviations = np.array(about["sd"], dtype=np.float64)
        sizes = [len(states) for states in about["discrete_levels"]]
        given = _configurations(_named(about["discrete_parents"]), sizes, drawn, n_rows)
    found = coefficients[given, 0]
    for k, parent in enumerate(numeric, 1):
        # A discrete parent of a Gaussian node counts by the number of its level.
        found = found + coefficients[given, k] * drawn[parent]
    filled: NDArray[np.float64] = found + deviations[given] * rng.normal(size=n_rows)
    return filled
