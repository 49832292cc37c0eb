"""Values as JSON and arrays of bytes, and back.

In: the content of a learner: plain values, collections, arrays, graphs and the records of the
stages. Out: JSON, and the arrays separately. A type that JSON lacks becomes an object with one key,
which names the type: ``{"tuple": [...]}``. A type that no fit or parameter is declared to hold is
refused when saving and when loading.
"""

import math
import types
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import fields, is_dataclass
from functools import cache
from itertools import chain
from typing import Any, Literal, Union, get_args, get_origin, get_type_hints

import numpy as np
from numpy.typing import NDArray

from bnsieve.counts import Embedding, JointCounts, Keyed, Moments, Plan, Scan, Summed, Tables
from bnsieve.decide import Score
from bnsieve.exchange import Entry
from bnsieve.graph import Graph
from bnsieve.knowledge import Knowledge
from bnsieve.learners.fit_result import FitResult
from bnsieve.network import FamilyCounts
from bnsieve.table import N_FUNCTIONS, Discretizer, RankMap, Table


@cache
def records() -> dict[str, type]:
    """Return the dataclasses that may be in a file, by name: all that a fit or a parameter uses.

    Loading creates them from their fields, which are checked.
    """
    found: dict[str, type] = {}
    hints: list[Any] = [FitResult, Knowledge, Score]
    while hints:
        hint = hints.pop()
        hints += get_args(hint)
        if hint is Graph or not isinstance(hint, type) or hint.__name__ in found:
            continue
        if is_dataclass(hint):
            found[hint.__name__] = hint
            hints += get_type_hints(hint).values()
    return found


# Byte order is part of a file; booleans and single bytes have none.
_DTYPES = {
    np.dtype(code).str
    for code in ("?", "u1", "<u2", "<u4", "<u8", "i1", "<i2", "<i4", "<i8", "<f4", "<f8")
}

_COLLECTIONS: dict[str, type] = {kind.__name__: kind for kind in (list, tuple, set, frozenset)}

Arrays = list[NDArray[Any]]
ArrayBytes = Callable[[int], NDArray[np.uint8]]


def encode(value: Any, where: str, arrays: Arrays) -> Any:
    """Return a value as JSON; arrays are appended to a list, and JSON holds their numbers.

    Raises
    ------
    TypeError
        If the value, or something in it, has a type that cannot be saved.
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
    if is_dataclass(value) and type(value) is records().get(type(value).__name__):
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
    array = np.asarray(array, dtype=array.dtype.newbyteorder("<"), order="C")
    if array.dtype.str not in _DTYPES:
        raise TypeError(f"{where} is an array of {array.dtype}, which no file of bnsieve can hold")
    arrays.append(array)
    return {"array": [len(arrays) - 1, array.dtype.str, list(array.shape)]}


def decode(entry: Entry, array_bytes: ArrayBytes) -> Any:
    """Return the value that `encode` turned into JSON.

    Parameters
    ----------
    entry : Entry
        The JSON, with its place in the file for error messages.
    array_bytes : callable
        Returns the bytes of an array by its number. The array takes them over.

    Raises
    ------
    FormatError
        If `encode` cannot have written the JSON, or if a record has wrong fields.
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

    if kind in records():
        return _record(records()[kind], content, array_bytes)
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


# Of counts that add up: exact as floats, and far from where sums of 64 bits overflow. No table of
# this world has as many rows.
MAX_ROWS = 1 << 53
# Of whole numbers: beyond it, arrays cannot hold them.
_MOST = (1 << 64) - 1


def fits(value: Any, hint: Any) -> bool:
    """Tell whether a value has a declared type, including the items of collections."""
    origin, inside = get_origin(hint), get_args(hint)
    if hint is Any:
        return True
    if hint is Hashable:
        return _is_label(value)
    if hint is None or hint is type(None):
        return value is None
    if origin in (Union, types.UnionType):
        return any(fits(value, one) for one in inside)
    if origin is Literal:
        return type(value) in (str, int, bool) and value in inside
    if origin is np.ndarray:
        (wanted,) = get_args(inside[1])
        return isinstance(value, np.ndarray) and value.dtype == np.dtype(wanted)
    if origin is tuple:
        if type(value) is not tuple:
            return False
        if inside[1:] == (...,):
            return all(fits(one, inside[0]) for one in value)
        return len(value) == len(inside) and all(map(fits, value, inside))
    if isinstance(origin, type) and issubclass(origin, Mapping):
        return isinstance(value, Mapping) and all(
            fits(key, inside[0]) and fits(one, inside[1]) for key, one in value.items()
        )
    if origin in (frozenset, set, list):
        return type(value) is origin and all(fits(one, inside[0]) for one in value)
    if hint is float:
        return type(value) is float or (type(value) is int and abs(value) <= _MOST)
    if hint is int:
        return type(value) is int and abs(value) <= _MOST
    if hint in (bool, str):
        return type(value) is hint
    return isinstance(hint, type) and isinstance(value, hint)


def _is_label(value: Any) -> bool:
    """Tell whether a value can be a category: a plain one, or a tuple of these."""
    if type(value) in (tuple, frozenset):
        return all(map(_is_label, value))
    return value is None or type(value) in (bool, int, float, str)


def check_record(record: type, values: dict[str, Any]) -> str | None:
    """Say what is wrong with the fields of a record, or None."""
    hints = get_type_hints(record)
    for name, value in values.items():
        if not fits(value, hints[name]):
            return f"{name} of a {record.__name__} is not what it must be"
    try:
        is_whole = record not in _WHOLE or _WHOLE[record](**values)
    except (TypeError, OverflowError):  # a category that is a list, a number beyond floats
        is_whole = False
    return None if is_whole else f"the parts of this {record.__name__} do not fit together"


def _is_fit(
    dag: Graph, graph: Graph, family_counts: FamilyCounts, sieve: Any, strengths: Any, **parts: Any
) -> bool:
    table, counted = parts["table"], parts["counted"]
    named: list[Iterable[str]] = [
        *parts["separating_sets"],
        *parts["separating_sets"].values(),
        *parts["conflicts"],
        *parts["discarded_edges"],
        parts["constant_features"],
        parts["n_missing"],
        *(replicate.nodes for replicate in parts["replicate_dags"]),
        () if strengths is None else strengths.nodes,
    ]
    machines = None
    if sieve is not None:
        machines = sieve.machines
        named += [sieve.candidates, *sieve.candidates.values(), *sieve.duplicates.items()]
        named += [*sieve.direction_margins, *sieve.edge_margins, sieve.rank_maps, sieve.cuts]
        named += [*sieve.edge_effects, *sieve.small_edges]
    if machines is not None:
        named.append(machines.names)
    return (
        dag.is_dag
        and graph.nodes == dag.nodes
        and family_counts.graph == dag
        and (table is None or table.names == dag.nodes)
        and (counted is None or set(dag.nodes) <= set(counted.found.names))
        and set(parts["confirmed_edges"]) <= set(graph.directed_edges)
        and not (parts["dependence"] is not None and parts["confirmed_edges"])
        and set(parts["knowledge_edges"]) <= set(graph.directed_edges)
        and set(parts["time_edges"]) <= set(parts["knowledge_edges"])
        and set(parts["knowledge_edges"]).isdisjoint(parts["confirmed_edges"])
        and (machines is None or machines.importance.shape == (len(set(machines.names)),) * 2)
        and set(dag.nodes).issuperset(chain.from_iterable(named))
    )


def _are_families(graph: Graph, states: Any, tables: Any) -> bool:
    place = {name: i for i, name in enumerate(graph.nodes)}

    def is_family(name: str) -> bool:
        family, table = (*graph.parents(name), name), tables[name]
        return tuple(table.variables) == tuple(place[member] for member in family) and (
            tuple(table.n_categories) == tuple(len(set(states[member])) for member in family)
        )

    return place.keys() == states.keys() == tables.keys() and all(map(is_family, place))


def _is_embedding(names: Any, rank_maps: Any, functions: Any, indicated: Any, scales: Any) -> bool:
    return (
        rank_maps.keys() == functions.keys()
        and len(set(names)) == len(names)
        and sorted([*rank_maps, *indicated]) == list(range(len(names)))
        and all(
            own[:1] == (0,) and sorted(set(own)) == list(own) and own[-1] < N_FUNCTIONS
            for own in functions.values()
        )
        and all(indicated.values())
        and rank_maps.keys() >= scales.keys()
        and all(math.isfinite(mean) and 0 < own < math.inf for mean, own in scales.values())
    )


def _are_sums(embedding: Embedding, moments: Moments) -> bool:
    n_variables, n_columns = len(embedding.names), int(embedding.first[-1])
    sums = moments.n_rows, moments.sums, moments.products
    shapes = (n_variables,) * 2, (n_columns, n_variables), (n_columns,) * 2
    return tuple(own.shape for own in sums) == shapes and all(
        np.isfinite(own).all() for own in sums
    )


def _is_rank_map(lowest: Any, scores: Any, highest: Any, n: Any) -> bool:
    rising = all(steps.ndim == 1 and (np.diff(steps) > 0).all() for steps in (lowest, scores))
    return rising and 0 < len(lowest) == len(scores) <= n and highest >= lowest[-1]


def _are_counts(counts: Any) -> bool:
    # Halves of each count are added apart, so that the sum itself cannot overflow.
    high, low = int((counts >> 32).sum()), int((counts & 0xFFFFFFFF).sum())
    return bool((counts >= 1).all()) and (high << 32) + low <= MAX_ROWS


def _is_table(
    codes: Any,
    names: Any,
    categories: Any,
    missing: Any,
    numbers: Any = types.MappingProxyType({}),
    entities: Any = None,
    copies: Any = types.MappingProxyType({}),
    steps: Any = None,
) -> bool:
    return (
        codes.ndim == 2
        and (steps is None or steps.shape == codes.shape[1:])
        and (entities is None or entities.shape == codes.shape[1:])
        and set(copies).issubset(names)
        and codes.size > 0
        and len(codes) == len(names) == len(categories) == len(set(names))
        and all(len(set(own)) == len(own) for own in categories)
        and (codes.max(axis=1) < np.array([len(own) for own in categories])).all()
        and all(
            0 <= v < len(names) and mask.shape == codes.shape[1:] and not codes[v][mask].any()
            for v, mask in missing.items()
        )
        and all(
            0 <= v < len(names)
            and values.shape == codes.shape[1:]
            and not np.isinf(values).any()
            and (np.isnan(values) == missing.get(v, False)).all()
            for v, values in numbers.items()
        )
    )


def _are_joint_counts(
    variables: Any, n_categories: Any, has_missing: Any, configurations: Any, counts: Any
) -> bool:
    n = len(variables)
    return (
        counts.ndim == 1
        and configurations.shape == (n, len(counts))
        and len(n_categories) == len(has_missing) == len(set(variables)) == n
        and min(variables, default=0) >= 0
        and min(n_categories, default=1) >= 1
        and _are_counts(counts)
        and all(
            codes.max(initial=0) < limit + missing
            for codes, limit, missing in zip(configurations, n_categories, has_missing, strict=True)
        )
    )


def _are_tables(plan: Plan, counted: tuple[Keyed, ...]) -> bool:
    names = plan.names
    return (
        len(names) == len(plan.categories) == len(plan.has_missing) == len(set(names))
        and all(0 <= v < len(names) for members in plan.neighbourhoods for v in members)
        and all(1 <= radix <= 1 << 16 for radix in plan.radices)
        and len(plan.tables) == len(counted)
        and all(
            _is_keyed(keyed.keys, keyed.counts, [plan.radices[v] for v in columns], keyed.depth)
            for columns, keyed in zip(plan.tables, counted, strict=True)
        )
    )


def _is_keyed(keys: Any, counts: Any, radices: list[int], depth: int) -> bool:
    return (
        1 <= depth <= len(radices)
        and keys.ndim == 1
        and keys.shape == counts.shape
        and (keys[1:] > keys[:-1]).all()
        and int(keys.max(initial=0)) < math.prod(radices[:depth])
        and _are_counts(counts)
    )


def _is_scan(
    names: Any,
    counts: Any,
    ranks: Any,
    rows: Any,
    codes: Any,
    n_rows: int,
    bins: Any,
    numbers: Any = types.MappingProxyType({}),
    copies: Any = types.MappingProxyType({}),
) -> bool:
    place = {name: i for i, name in enumerate(names)}

    def is_known(name: str) -> Any:
        has_value = np.array([label is not None for label in counts[place[name]]], dtype=bool)
        return has_value[codes[place[name]]]

    return (
        0 <= n_rows <= MAX_ROWS
        and set(copies).issubset(names)
        and len(counts) == len(names)
        and codes.shape == (len(names), len(rows))
        and len(ranks) == len(rows)
        and all(min(own.values(), default=0) >= 0 for own in counts)
        and all(sum(own.values()) <= MAX_ROWS for own in counts)
        and all(
            ((drawn >= 0) & (drawn < len(own))).all()
            for drawn, own in zip(codes, counts, strict=True)
        )
        and all(
            name in place and set(labels) >= {*counts[place[name]]} - {None}
            for name, labels in bins.items()
        )
        and all(
            name in place
            and values.shape == rows.shape
            and not np.isinf(values).any()
            and (np.isnan(values) != is_known(name)).all()
            for name, values in numbers.items()
        )
    )


_WHOLE: dict[type, Callable[..., Any]] = {
    Embedding: _is_embedding,
    FamilyCounts: _are_families,
    FitResult: _is_fit,
    JointCounts: _are_joint_counts,
    RankMap: _is_rank_map,
    Scan: _is_scan,
    Summed: _are_sums,
    Table: _is_table,
    Tables: _are_tables,
}
