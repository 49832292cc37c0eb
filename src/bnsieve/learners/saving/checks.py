"""Checks that a value in a file is one that the reading code expects.

In: a value and the type that is declared for it, or a record's fields. Out: whether they fit; for
records, what is wrong in words. Compiled kernels trust tables and counts, so what a file says of
these is checked cell by cell.
"""

import math
import types
from collections.abc import Hashable, Iterable, Mapping
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
    if record is Table:
        return _table_problem(**values)
    if record is RankMap:
        return _rank_map_problem(**values)
    if record is JointCounts:
        return _counts_problem(**values)
    if record is Tables:
        return _tables_problem(**values)
    if record is Scan:
        return _scan_problem(**values)
    if record is Embedding:
        return _embedding_problem(**values)
    if record is Summed:
        return _summed_problem(**values)
    if record is FamilyCounts:
        return _families_problem(**values)
    if record is FitResult:
        return _fit_problem(values)
    return None


def _fit_problem(parts: dict[str, Any]) -> str | None:
    dag, sieve, table, counted = (parts[name] for name in ("dag", "sieve", "table", "counted"))
    if not dag.is_dag or parts["graph"].nodes != dag.nodes or parts["family_counts"].graph != dag:
        return "graph, DAG and counts of a fit must be of the same nodes"
    if table is not None and table.names != dag.nodes:
        return "the rows of a fit must have a column for each node"
    if counted is not None and not set(dag.nodes) <= set(counted.found.names):
        return "the counts of a fit must have a column for each node"
    if not set(parts["confirmed_edges"]) <= set(parts["graph"].directed_edges):
        return "a confirmed edge must be in the graph"
    named: list[Iterable[str]] = [
        *parts["separating_sets"],
        *parts["separating_sets"].values(),
        *parts["conflicts"],
        *parts["discarded_edges"],
        parts["constant_features"],
        parts["n_missing"],
        *(one.nodes for one in parts["replicate_dags"]),
    ]
    if parts["strengths"] is not None:
        named.append(parts["strengths"].nodes)
    if sieve is not None:
        named += [sieve.candidates, *sieve.candidates.values(), *sieve.duplicates.items()]
        named += [*sieve.direction_margins, *sieve.edge_margins, sieve.rank_maps, sieve.cuts]
    if sieve is not None and sieve.machines is not None:
        n_machines = len(set(sieve.machines.names))
        if sieve.machines.importance.shape != (n_machines,) * 2:
            return "importances do not fit their machines"
        named.append(sieve.machines.names)
    if not set(dag.nodes).issuperset(chain.from_iterable(named)):
        return "a column that is named is no node of the graph"
    return None


def _families_problem(graph: Graph, states: Any, tables: Any) -> str | None:
    if not {*graph.nodes} == states.keys() == tables.keys():
        return "counts of families must be those of the nodes of their graph"
    place = {name: i for i, name in enumerate(graph.nodes)}
    for name, table in tables.items():
        family = (*graph.parents(name), name)
        if tuple(table.variables) != tuple(place[one] for one in family):
            return "the counts of a family must be those of its parents and of itself"
        try:
            n_labels = tuple(len(set(states[one])) for one in family)
        except TypeError:  # a list or the like
            return "a category must be text, a number or a date"
        if tuple(table.n_categories) != n_labels:
            return "a category of a family does not fit its counts"
    return None


def _embedding_problem(names: Any, rank_maps: Any, functions: Any, indicated: Any) -> str | None:
    if rank_maps.keys() != functions.keys() or len(set(names)) < len(names):
        return "each number of an embedding must have its functions"
    if sorted([*rank_maps, *indicated]) != list(range(len(names))):
        return "each variable of an embedding must be a number or labels"
    for own in functions.values():
        if 0 not in own or sorted(set(own)) != list(own) or own[-1] >= N_FUNCTIONS or own[0] < 0:
            return "the functions of a number must ascend, and the first be among them"
    if not all(indicated.values()):
        return "labels of an embedding must have an indicator"
    return None


def _summed_problem(embedding: Embedding, moments: Moments) -> str | None:
    n_variables, n_columns = len(embedding.names), int(embedding.first[-1])
    shapes = moments.n_rows.shape, moments.sums.shape, moments.products.shape
    if shapes != ((n_variables,) * 2, (n_columns, n_variables), (n_columns,) * 2):
        return "sums do not fit what was summed"
    if not all(np.isfinite(one).all() for one in (moments.n_rows, moments.sums, moments.products)):
        return "sums must be finite"
    return None


def _rank_map_problem(lowest: Any, scores: Any, highest: Any, n: Any) -> str | None:
    rising = all(one.ndim == 1 and (np.diff(one) > 0).all() for one in (lowest, scores))
    if not rising or not 0 < len(lowest) == len(scores) <= n or highest < lowest[-1]:
        return "the steps of a rank map must ascend"
    return None


_TOO_MANY = "counts must add up to no more than 2^53"


def _too_many(counts: Any) -> bool:
    # Halves of each count are added apart, so that the sum itself cannot overflow.
    high, low = int((counts >> 32).sum()), int((counts & 0xFFFFFFFF).sum())
    return (high << 32) + low > MAX_ROWS


def _table_problem(
    codes: Any, names: Any, categories: Any, missing: Any, numbers: Any = types.MappingProxyType({})
) -> str | None:
    if codes.ndim != 2 or len(codes) != len(names) or len(names) != len(categories):
        return "codes, names and categories of a table must be of the same number of variables"
    if not codes.size or len(set(names)) < len(names):
        return "a table must have rows, and variables of different names"
    n_categories = np.array([len(labels) for labels in categories])
    if any(len(set(labels)) < len(labels) for labels in categories):
        return "the categories of a variable must be different"
    if (codes.max(axis=1) >= n_categories).any():
        return "a code of a table stands for no category"
    for variable, mask in missing.items():
        if not 0 <= variable < len(names) or mask.shape != codes.shape[1:]:
            return "a mask of missing cells fits no variable"
        if codes[variable][mask].any():
            return "a missing cell must have the code 0"
    for variable, values in numbers.items():
        if not 0 <= variable < len(names) or values.shape != codes.shape[1:]:
            return "the numbers of a table fit no variable"
        hidden = missing.get(variable, np.zeros(values.shape, dtype=bool))
        if np.isinf(values).any() or (np.isnan(values) != hidden).any():
            return "a number of a table must be finite, and lack where its cell is missing"
    return None


def _counts_problem(
    variables: Any, n_categories: Any, has_missing: Any, configurations: Any, counts: Any
) -> str | None:
    n_variables = len(variables)
    if configurations.shape != (n_variables, len(counts)) or counts.ndim != 1:
        return "configurations and counts must be of the same number"
    if len(n_categories) != n_variables or len(has_missing) != n_variables:
        return "every variable of a joint table must have its number of categories"
    if len(set(variables)) < n_variables or min(variables, default=0) < 0:
        return "the variables of a joint table must be different"
    if min(n_categories, default=1) < 1 or (len(counts) and counts.min() < 1):
        return "counts and numbers of categories must be above zero"
    if _too_many(counts):
        return _TOO_MANY
    limits = np.array(n_categories) + np.array(has_missing)
    if len(counts) and (configurations.max(axis=1, initial=0) >= limits).any():
        return "a code of a joint table stands for no category"
    return None


def _tables_problem(plan: Plan, counted: tuple[Keyed, ...]) -> str | None:
    sizes = {len(plan.names), len(plan.categories), len(plan.has_missing)}
    if len(sizes) > 1 or len(set(plan.names)) < len(plan.names):
        return "a plan must have categories for each of its columns"
    if any(not 0 <= v < len(plan.names) for one in plan.neighbourhoods for v in one):
        return "a table of a plan joins a column that it lacks"
    radices = plan.radices
    if max(radices, default=0) > 1 << 16 or min(radices, default=1) < 1:
        return "a column of a plan has too few or too many categories"
    tables = plan.tables
    if len(tables) != len(counted):
        return "each table of a plan must be counted"
    for columns, keyed in zip(tables, counted, strict=True):
        keys, counts = keyed.keys, keyed.counts
        if not 1 <= keyed.depth <= len(columns) or keys.ndim != 1 or keys.shape != counts.shape:
            return "a counted table does not fit its plan"
        n_keys = math.prod(radices[column] for column in columns[: keyed.depth])
        if len(keys) and (int(keys[-1]) >= n_keys or (keys[1:] <= keys[:-1]).any()):
            return "the keys of a counted table must ascend below the number of configurations"
        if (counts < 1).any():
            return "the counts of a table must be above zero"
        if _too_many(counts):
            return _TOO_MANY
    return None


def _scan_problem(
    names: Any,
    counts: Any,
    ranks: Any,
    rows: Any,
    codes: Any,
    n_rows: int,
    bins: Any,
    numbers: Any = types.MappingProxyType({}),
) -> str | None:
    n_drawn = len(rows)
    if not 0 <= n_rows <= MAX_ROWS:
        return _TOO_MANY
    for own in counts:
        if min(own.values(), default=0) < 0 or sum(own.values()) > MAX_ROWS:
            return "counts of categories must not be negative, and add up to no more than 2^53"
    if len(counts) != len(names) or codes.shape != (len(names), n_drawn) or len(ranks) != n_drawn:
        return "a sample does not fit its columns"
    limits = np.array([len(one) for one in counts])[:, np.newaxis]
    if codes.size and ((codes < 0) | (codes >= limits)).any():
        return "a code of a sample stands for no category"
    for name, labels in bins.items():
        if name not in names or not set(labels).issuperset({*counts[names.index(name)]} - {None}):
            return "the bins of a sample fit no column"
    for name, values in numbers.items():
        if name not in names or values.shape != rows.shape or np.isinf(values).any():
            return "the numbers of a sample fit no column"
        hidden = np.array([label is None for label in counts[names.index(name)]], dtype=bool)
        if n_drawn and (np.isnan(values) != hidden[codes[names.index(name)]]).any():
            return "a number of a sample must lack where its cell is missing"
    return None
