"""A value in, bytes out that are equal only if the value is.

Names, numbers and arrays go in by value: a class that is renamed, or a module that is moved, leaves
the bytes as they are. Floats go in by their bits. Sets and mappings have no order.
"""

import struct
from collections.abc import Mapping, Sequence, Set
from typing import Any

import numpy as np

import bnsieve as bn


def encoded(value: Any) -> bytes:
    """Return the bytes of a graph, a fitted network or a plain value."""
    if isinstance(value, bn.Graph):
        lines = {frozenset(edge) for edge in value.undirected_edges}
        value = [set(value.nodes), set(value.directed_edges), lines]
    elif isinstance(value, bn.BayesianNetwork):
        value = {name: [value.states[name], _table(value, name)] for name in value.graph.nodes}
    if isinstance(value, Mapping):
        return _joined(b"m", sorted(_joined(b"p", [encoded(k), encoded(value[k])]) for k in value))
    if isinstance(value, Set):
        return _joined(b"u", sorted(map(encoded, value)))
    if isinstance(value, np.ndarray):
        kind = "<f8" if value.dtype.kind == "f" else "<i8"
        return _joined(b"a", [encoded(value.shape), value.astype(kind).tobytes()])
    if isinstance(value, Sequence) and not isinstance(value, str | bytes):
        return _joined(b"l", map(encoded, value))
    return _scalar(value)


def _scalar(value: Any) -> bytes:
    if value is None:
        return b"n"
    if isinstance(value, bytes):
        return b"y" + value
    if isinstance(value, str):
        return b"s" + value.encode()
    if isinstance(value, int | np.integer | np.bool_):  # True is an int
        return b"i%d" % int(value)
    if isinstance(value, float | np.floating):
        return b"f" + struct.pack("<d", float(value))
    raise TypeError(f"a fingerprint holds names, numbers and arrays, not {type(value).__name__}")


def _joined(kind: bytes, parts: Any) -> bytes:
    """Put parts one after another, each with its length before it, so that no two lists agree."""
    return kind + b"".join(len(part).to_bytes(8, "little") + part for part in parts)


def _table(network: bn.BayesianNetwork, name: str) -> list[Any]:
    """Return the parents of a variable in the order of their names, and its table in that order.

    The axes of a fitted table are in the order of the graph's parents.
    """
    parents = network.graph.parents(name)
    order = sorted(range(len(parents)), key=lambda i: parents[i])
    table = np.asarray(network.tables[name]).transpose([*order, len(parents)])
    return [[parents[i] for i in order], table]
