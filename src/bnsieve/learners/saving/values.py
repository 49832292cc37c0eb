"""Values as JSON and arrays of bytes, and back.

In: what a learner holds: plain values, collections, arrays, graphs and the records of the stages.
Out: JSON in which everything that JSON lacks is an object with one key, its kind:
``{"tuple": [...]}``, and the arrays apart. A type that is not listed here is refused when it is
saved; a kind that is not listed, when it is loaded.
"""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import fields, is_dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bnsieve.counts import (
    Counted,
    Drift,
    Embedding,
    JointCounts,
    Keyed,
    Moments,
    Plan,
    Scan,
    Summed,
    Tables,
)
from bnsieve.decide import Score
from bnsieve.exchange import Entry
from bnsieve.explain import EdgeStrengths
from bnsieve.graph import Graph
from bnsieve.knowledge import Knowledge
from bnsieve.learners.fit_result import FitResult, SieveResult
from bnsieve.learners.saving.checks import check_record
from bnsieve.network import FamilyCounts
from bnsieve.sieve import SieveRecord, SieveSettings
from bnsieve.sieve.machine import MachineSettings
from bnsieve.table import Discretizer, RankMap, Table
from bnsieve.table.prepare import PREPARATION_RECORDS

RECORDS: dict[str, type] = {
    record.__name__: record
    for record in (
        Counted,
        Drift,
        EdgeStrengths,
        Embedding,
        FamilyCounts,
        FitResult,
        JointCounts,
        Keyed,
        Knowledge,
        Plan,
        RankMap,
        Scan,
        Score,
        MachineSettings,
        Moments,
        SieveRecord,
        SieveResult,
        SieveSettings,
        Summed,
        Table,
        Tables,
        *PREPARATION_RECORDS,
    )
}
"""Dataclasses that may be in a file, by name; made anew from their fields, which are checked."""

# Byte order is part of a file; booleans and single bytes have none.
_DTYPES = {
    np.dtype(code).str
    for code in ("?", "u1", "<u2", "<u4", "<u8", "i1", "<i2", "<i4", "<i8", "<f4", "<f8")
}

_COLLECTIONS: dict[str, type] = {kind.__name__: kind for kind in (list, tuple, set, frozenset)}

Arrays = list[NDArray[Any]]
ArrayBytes = Callable[[int], NDArray[np.uint8]]


def encode(value: Any, where: str, arrays: Arrays) -> Any:
    """Return a value as JSON; arrays are appended to a list, and stand there by number.

    Raises
    ------
    TypeError
        If the value, or something in it, is of a type that a file cannot hold.
    """
    if isinstance(value, np.generic):
        value = value.item()
    if value is None or type(value) in (bool, int, str):
        return value
    if type(value) is float:
        return value if math.isfinite(value) else {"float": repr(value)}
    if isinstance(value, Mapping):
        return {
            "dict": [
                [encode(key, where, arrays), encode(one, f"{where}[{key!r}]", arrays)]
                for key, one in value.items()
            ]
        }
    if type(value) in _COLLECTIONS.values():
        # The order of a set differs from run to run; that of a file should not.
        parts = sorted(value) if isinstance(value, set | frozenset) else value
        encoded = [encode(part, f"{where}[{i}]", arrays) for i, part in enumerate(parts)]
        return {type(value).__name__: encoded}
    if isinstance(value, np.ndarray):
        return _encode_array(value, where, arrays)
    if isinstance(value, Graph):
        edges = [value.directed_index.tolist(), value.undirected_index.tolist()]
        return {"Graph": [list(value.nodes), *edges]}
    if isinstance(value, Discretizer):
        return {"Discretizer": [encode(value.get_params(deep=False), where, arrays)]}
    if is_dataclass(value) and type(value) is RECORDS.get(type(value).__name__):
        return {
            type(value).__name__: {
                field.name: encode(getattr(value, field.name), f"{where}.{field.name}", arrays)
                for field in fields(value)
            }
        }
    kind = type(value)
    raise TypeError(
        f"{where} holds a {kind.__module__}.{kind.__qualname__}, which no file of bnsieve can hold"
    )


def _encode_array(array: NDArray[Any], where: str, arrays: Arrays) -> Any:
    array = np.ascontiguousarray(array, dtype=array.dtype.newbyteorder("<"))
    if array.dtype.str not in _DTYPES:
        raise TypeError(f"{where} is an array of {array.dtype}, which no file of bnsieve can hold")
    arrays.append(array)
    return {"array": [len(arrays) - 1, array.dtype.str, list(array.shape)]}


def decode(entry: Entry, array_bytes: ArrayBytes) -> Any:
    """Return the value that `encode` made JSON of.

    Parameters
    ----------
    entry : Entry
        The JSON, with its place in the file for error messages.
    array_bytes : callable
        From the number of an array to its bytes, which become the array's own.

    Raises
    ------
    FormatError
        If the JSON is not what `encode` makes, or a record's fields are not what they must be.
    """
    value = entry.value
    if not isinstance(value, dict):
        if isinstance(value, list):
            entry.refuse("a list must say what it is")
        return value
    if len(value) != 1:
        entry.refuse("this must have one key, its kind")
    kind = next(iter(value))
    content = entry.get(kind)

    def parts(of: Entry) -> list[Any]:
        return [decode(part, array_bytes) for part in of.items()]

    if kind in RECORDS:
        return _record(RECORDS[kind], content, array_bytes)
    if kind == "float":
        return _special_number(content)
    if kind == "dict":
        pairs = [parts(pair) for pair in content.items()]
        if any(len(pair) != 2 for pair in pairs):
            content.refuse("each part must be a key and a value")
        _require_distinct(content, [key for key, _ in pairs])
        return dict(map(tuple, pairs))
    if kind in _COLLECTIONS:
        members = parts(content)
        if kind in ("set", "frozenset"):
            _require_distinct(content, members)
        return _COLLECTIONS[kind](members)
    if kind == "array":
        return _array(content, array_bytes)
    if kind == "Graph":
        return _graph(content)
    if kind != "Discretizer":
        entry.refuse(f"{kind!r} is no kind of value that this bnsieve knows")
    return _made(content, lambda own: Discretizer(**own), parts(content))


def _require_distinct(content: Entry, keys: Sequence[Any]) -> None:
    try:
        distinct = len(set(keys))
    except TypeError:
        content.refuse("a key is of a kind that cannot be one")
    if distinct < len(keys):
        content.refuse("two keys are the same")


def _special_number(content: Entry) -> float:
    if content.value not in ("nan", "inf", "-inf"):
        content.refuse("this must be nan, inf or -inf")
    return float(content.value)


def _array(content: Entry, array_bytes: ArrayBytes) -> NDArray[Any]:
    parts = content.items()
    if len(parts) != 3:
        content.refuse("this is not an array")
    number, dtype, shape = parts[0].value, parts[1].value, parts[2]
    if type(number) is not int or type(dtype) is not str or dtype not in _DTYPES:
        content.refuse("this is not an array")
    if not all(type(n.value) is int and 0 <= n.value < 1 << 48 for n in shape.items()):
        shape.refuse("the shape must be whole numbers")
    raw = array_bytes(number)
    if raw.size != math.prod(shape.value) * np.dtype(dtype).itemsize:
        content.refuse(f"the array has {raw.size} bytes, which is not what its shape takes")
    if dtype == "|b1":
        np.minimum(raw, 1, out=raw)  # booleans are 0 or 1, whatever the bytes say
    array = raw.view(dtype).reshape(shape.value)
    return array.astype(array.dtype.newbyteorder("="), copy=False)


def _graph(content: Entry) -> Graph:
    parts = content.items()
    if len(parts) != 3:
        content.refuse("a graph is nodes, arrows and undirected edges")
    edges = []
    for pairs in parts[1:]:
        ends = [[end.value for end in pair.items()] for pair in pairs.items()]
        if not all(len(pair) == 2 and all(type(end) is int for end in pair) for pair in ends):
            pairs.refuse("each edge must be two numbers of nodes")
        edges.append(ends)
    nodes = [node.text() for node in parts[0].items()]
    return _made(content, Graph.from_index_edges, [nodes, *edges])  # type: ignore[no-any-return]


def _record(record: type, content: Entry, array_bytes: ArrayBytes) -> Any:
    names = [field.name for field in fields(record)]
    content.only_keys(*names)
    values = {name: decode(content.get(name), array_bytes) for name in names}
    problem = check_record(record, values)
    if problem:
        content.refuse(problem)
    return _made(content, lambda *_: record(**values), [])


def _made(content: Entry, make: Callable[..., Any], arguments: Sequence[Any]) -> Any:
    try:
        return make(*arguments)
    except (ValueError, TypeError, KeyError, AttributeError, OverflowError) as error:
        content.refuse(str(error))
