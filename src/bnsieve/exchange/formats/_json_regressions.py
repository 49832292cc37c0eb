"""The regressions of a network with numbers, read from JSON and checked as they are taken apart.

In: entries of a JSON file. Out: a `NumberNode` or `LabelNode`.
"""

import math
from typing import Any

import numpy as np

from bnsieve.exchange.formats._jsontext import Entry
from bnsieve.network import LabelNode, NumberNode, node_of_parts

_BOTH = ("numbers", "labels", "n_levels", "coefficients", "n_parameters")
_OF_NUMBERS = ("own", "deviations", "noise")


def read_regression(entry: Entry, n_labels: int | None) -> NumberNode | LabelNode:
    """Return a node; `n_labels` is None for a number.

    Whether it fits the graph is checked where the network is made.
    """
    keys = _BOTH if n_labels is not None else (*_BOTH, *_OF_NUMBERS)
    entry.only_keys(*keys)
    inputs = [_input(one) for one in entry.get("numbers").items()]
    labels = [one.text() for one in entry.get("labels").items()]
    n_levels = [int(number) for number in entry.get("n_levels").numbers()]
    if len(labels) != len(n_levels) or not all(n >= 1 for n in n_levels):
        entry.get("n_levels").refuse("there must be one whole number above zero for each label")
    parts: dict[str, Any] = {
        "numbers": inputs,
        "labels": labels,
        "n_levels": n_levels,
        "n_parameters": _number(entry.get("n_parameters")),
        "coefficients": _coefficients(entry, n_labels, n_levels),
    }
    if n_labels is None:
        parts["own"] = _scale(entry.get("own"))
        parts["noise"] = _scale(entry.get("noise"))
        parts["deviations"] = entry.get("deviations").numbers()
    return node_of_parts(parts)


def _coefficients(entry: Entry, n_labels: int | None, n_levels: list[int]) -> list[Any]:
    rows = entry.get("coefficients")
    if len(rows.items()) != math.prod(n_levels):
        rows.refuse(f"there must be {math.prod(n_levels)} configurations of the labels")
    found = [
        one.numbers() if n_labels is None else [line.numbers() for line in one.items()]
        for one in rows.items()
    ]
    try:
        np.array(found, dtype=np.float64)
    except ValueError:
        rows.refuse("all configurations must have as many coefficients")
    return found


def _input(entry: Entry) -> dict[str, Any]:
    entry.only_keys("name", "scale", "knots")
    return {
        "name": entry.get("name").text(),
        "scale": _scale(entry.get("scale")),
        "knots": entry.get("knots").numbers(),
    }


def _scale(entry: Entry) -> dict[str, Any]:
    entry.only_keys("centre", "spread", "bent", "weights", "means", "deviations")
    scale: dict[str, Any] = {key: _number(entry.get(key)) for key in ("centre", "spread")}
    if entry.has("weights"):
        scale["bent"] = entry.get("bent").truth()
        scale |= {key: entry.get(key).numbers() for key in ("weights", "means", "deviations")}
    return scale


def _number(entry: Entry) -> float:
    """Return a finite number."""
    return Entry([entry.value], entry.place, entry.path).numbers()[0]
