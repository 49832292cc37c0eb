"""Checks that a value in a file is one that the reading code expects.

In: a value and the type that is declared for it, or a record's fields. Out: whether they fit; for
records, whether their parts fit together. Compiled kernels trust tables and counts, so what a file says of
these is checked cell by cell.
"""

import math
import types
from collections.abc import Callable, Hashable, Iterable, Mapping
from itertools import chain
from typing import Any, Literal, Union, get_args, get_origin, get_type_hints

import numpy as np

from bnsieve.counts import (
    Embedding,
    JointCounts,
    Keyed,
    Moments,
    Plan,
    Scan,
    Summed,
    Tables,
)
from bnsieve.graph import Graph
from bnsieve.learners.fit_result import FitResult
from bnsieve.network import FamilyCounts
from bnsieve.table import N_FUNCTIONS, RankMap, Table

# Of counts that add up: exact as floats, and far from where sums of 64 bits overflow. No table of
# this world has as many rows.
MAX_ROWS = 1 << 53


def fits(value: Any, hint: Any) -> bool:
    """Tell whether a value is of a declared type, looking into collections."""
    origin, inside = get_origin(hint), get_args(hint)
    if hint in (Any, Hashable):
        return True
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
        return type(value) in (int, float)
    if hint in (int, bool, str):
        return type(value) is hint
    return isinstance(hint, type) and isinstance(value, hint)


def check_record(record: type, values: dict[str, Any]) -> str | None:
    """Say what is wrong with the fields of a record, or None."""
    hints = get_type_hints(record)
    for name, value in values.items():
        if not fits(value, hints[name]):
            return f"{name} of a {record.__name__} is not what it must be"
    try:
        is_whole = record not in _WHOLE or _WHOLE[record](**values)
    except TypeError:  # a category that is a list or the like
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
    if machines is not None:
        named.append(machines.names)
    return (
        dag.is_dag
        and graph.nodes == dag.nodes
        and family_counts.graph == dag
        and (table is None or table.names == dag.nodes)
        and (counted is None or set(dag.nodes) <= set(counted.found.names))
        and set(parts["confirmed_edges"]) <= set(graph.directed_edges)
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


def _is_embedding(names: Any, rank_maps: Any, functions: Any, indicated: Any) -> bool:
    return (
        rank_maps.keys() == functions.keys()
        and len(set(names)) == len(names)
        and sorted([*rank_maps, *indicated]) == list(range(len(names)))
        and all(
            own[:1] == (0,) and sorted(set(own)) == list(own) and own[-1] < N_FUNCTIONS
            for own in functions.values()
        )
        and all(indicated.values())
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
    codes: Any, names: Any, categories: Any, missing: Any, numbers: Any = types.MappingProxyType({})
) -> bool:
    return (
        codes.ndim == 2
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
) -> bool:
    place = {name: i for i, name in enumerate(names)}

    def is_known(name: str) -> Any:
        has_value = np.array([label is not None for label in counts[place[name]]], dtype=bool)
        return has_value[codes[place[name]]]

    return (
        0 <= n_rows <= MAX_ROWS
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
