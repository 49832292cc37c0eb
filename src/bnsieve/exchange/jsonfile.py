"""bnsieve's own JSON: a graph or a network, to the last bit, and knowledge; safe to open.

In: the text of such a file, or a graph, network or knowledge. Out: the other. The page "Files" of
the documentation describes the format; unknown versions and unknown keys are refused. A node of a
graph over time is written as its variable and its lag.

States keep their type: text, whole numbers, other numbers, true and false.
"""

import json
import math
from collections.abc import Callable, Collection, Hashable
from functools import partial
from typing import Any

import numpy as np

from bnsieve.exchange.drafts import NetworkDraft
from bnsieve.exchange.edges import NamedEdges
from bnsieve.exchange.files import errors_name
from bnsieve.exchange.json_tree import Entry, parse_json_tree
from bnsieve.exchange.knowledge_file import is_knowledge, knowledge_of
from bnsieve.graph import Graph
from bnsieve.knowledge import Knowledge
from bnsieve.network import BayesianNetwork, node_of_parts, parts_of_node
from bnsieve.table import MAX_LAGS, is_past, lagged_name, parse_lagged_name
from bnsieve.text import listed, write_strict_json

VERSION = 1
# Of networks with numbers, so that an older bnsieve says that it cannot read them.
VERSION_WITH_NUMBERS = 2
# Of graphs over variables and lags, likewise.
VERSION_WITH_LAGS = 3
_VERSIONS = (VERSION, VERSION_WITH_NUMBERS, VERSION_WITH_LAGS)


def parse_json(text: str, path: str | None = None) -> Graph | BayesianNetwork | Knowledge:
    """Read a graph, a network or knowledge from the text of a JSON file."""
    root = parse_json_tree(text, path)
    if not isinstance(root.value, dict) or root.value.get("format") != "bnsieve":
        if is_knowledge(root.value):
            return knowledge_of(root.value, path)
        other = isinstance(root.value, dict) and "elements" in root.value
        cure = "a Cytoscape file must end in .cyjs" if other else "bnsieve.write makes such files"
        root.refuse(
            f'this is neither knowledge nor a graph or network, whose "format" is "bnsieve": {cure}'
        )
    version = root.get("version")
    if type(version.value) is not int or version.value not in _VERSIONS:
        known = listed(_VERSIONS)
        version.refuse(f"this bnsieve reads versions {known} only: upgrade bnsieve")
    kind = root.get("kind")
    if kind.value not in ("graph", "network"):
        kind.refuse('this must be "graph" or "network"')
    if version.value == VERSION_WITH_LAGS:
        if kind.value != "graph":
            kind.refuse(f'this must be "graph" in version {VERSION_WITH_LAGS}')
        return _graph(root, has_lags=True)
    return _graph(root) if kind.value == "graph" else _network(root)


def format_json(content: Graph | BayesianNetwork | Knowledge) -> str:
    """Return the text of a JSON file.

    Raises
    ------
    ValueError
        If a state is neither text nor a finite number nor true or false.

    Examples
    --------
    >>> print(format_json(Graph(["rain", "wet"], [("rain", "wet")])), end="")
    {
      "format": "bnsieve",
      "version": 1,
      "kind": "graph",
      "nodes": ["rain", "wet"],
      "edges": [
        {"from": "rain", "to": "wet", "directed": true}
      ]
    }
    """
    if isinstance(content, Knowledge):
        return write_strict_json(content.to_dict(), indent=2) + "\n"
    head: dict[str, Any] = {"format": "bnsieve", "version": VERSION}
    if isinstance(content, Graph):
        end: Callable[[str], Any] = str
        names = set(content.nodes)
        if any(is_past(name, names) for name in content.nodes):
            head["version"], end = VERSION_WITH_LAGS, partial(_at_lag, names)
        parts = [
            {"from": end(a), "to": end(b), "directed": directed}
            for edges, directed in (
                (content.directed_edges, True),
                (content.undirected_edges, False),
            )
            for a, b in edges
        ]
        nodes = list(map(end, content.nodes))
        return _document({**head, "kind": "graph", "nodes": nodes}, "edges", parts)
    if content.numbers:
        head["version"] = VERSION_WITH_NUMBERS
    parts = [_variable(content, name) for name in content.graph.nodes]
    return _document({**head, "kind": "network"}, "variables", parts)


def _at_lag(names: Collection[str], name: str) -> dict[str, Any]:
    """Return the variable and the lag of a node; a name that only looks lagged is at lag 0."""
    variable, lag = parse_lagged_name(name) if is_past(name, names) else (name, 0)
    return {"variable": variable, "lag": lag}


def _variable(network: BayesianNetwork, name: str) -> dict[str, Any]:
    """Return a variable as plain values; numbers have no states, regressions no table."""
    parts: dict[str, Any] = {"name": name}
    if name in network.states:
        parts["states"] = [_plain_state(name, state) for state in network.states[name]]
    parts["parents"] = list(network.parents(name))
    if name in network.regressions:
        return parts | {"regression": parts_of_node(network.regressions[name])}
    table = network.tables[name]
    return parts | {"table": table.reshape(-1, table.shape[-1]).tolist()}


def _document(head: dict[str, Any], key: str, parts: list[dict[str, Any]]) -> str:
    """Write one object, one line to each key and to each part of the last: easy to compare."""
    lines = [f"  {json.dumps(name)}: {_line(value)}," for name, value in head.items()]
    listed = ",\n".join(f"    {_line(part)}" for part in parts)
    body = f"[\n{listed}\n  ]" if parts else "[]"
    return "\n".join(["{", *lines, f"  {json.dumps(key)}: {body}", "}"]) + "\n"


def _line(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, allow_nan=False)


def _plain_state(name: str, state: Hashable) -> str | int | float | bool:
    plain = state.item() if isinstance(state, np.generic) else state
    if type(plain) in (str, int, bool) or (type(plain) is float and math.isfinite(plain)):
        return plain  # type: ignore[return-value]
    raise ValueError(
        f"JSON cannot hold the state {state!r} of {name!r}: make the column text, "
        "numbers or true and false before fitting"
    )


def _graph(root: Entry, *, has_lags: bool = False) -> Graph:
    content = root.read(_GRAPH_OVER_TIME if has_lags else _GRAPH)
    edges: dict[bool, NamedEdges] = {True: [], False: []}
    for edge in content["edges"]:
        edges[edge["directed"]].append((edge["from"], edge["to"]))
    with errors_name(root.path):
        return Graph(content["nodes"], edges[True], edges[False])


def _network(root: Entry) -> BayesianNetwork:
    root.only_keys(*_HEAD, "variables")
    draft = NetworkDraft(root.path)
    entries = root.get("variables").items()
    variables = [entry.read(_VARIABLE) for entry in entries]
    for entry, variable in zip(entries, variables, strict=True):
        draft.declare(variable["name"], variable.get("states"), entry.refuse)
    for entry, variable in zip(entries, variables, strict=True):
        name, parents = variable["name"], variable["parents"]
        if "regression" in variable:
            keys = _CATEGORICAL if name in draft.states else _NUMERIC
            draft.parents[name] = parents
            with errors_name(root.path):
                draft.regressions[name] = node_of_parts(variable["regression"].read(keys))
            continue
        *shape, n_states = draft.family(name, parents, entry.refuse)
        table, n_rows = entry.get("table"), math.prod(shape)
        if [len(row) for row in variable["table"]] != [n_states] * n_rows:
            table.refuse(f"the table must have {n_rows} rows of {n_states} numbers")
        draft.tables[name] = np.array(variable["table"]).reshape(*shape, n_states)
    return draft.network()


def _read_state(entry: Entry) -> str | int | float | bool:
    if not isinstance(entry.value, str | int | float):
        entry.refuse("a state must be text, a number, true or false")
    if entry.value in (math.inf, -math.inf):
        entry.refuse("the number is too large")
    return entry.value


def _read_scale(entry: Entry) -> dict[str, Any]:
    scale: dict[str, Any] = entry.read(_MIXTURE if entry.has("weights") else _SCALE)
    return scale


def _read_node(entry: Entry) -> str:
    content = entry.read(_NODE)
    lag = content["lag"]
    if lag != int(lag) or not 0 <= lag <= MAX_LAGS:
        entry.get("lag").refuse(f"a lag must be a whole number from 0 to {MAX_LAGS}")
    return lagged_name(content["variable"], int(lag))


# The shapes of what a file holds.
_HEAD = {"format": str, "version": float, "kind": str}
_EDGE = {"from": str, "to": str, "directed": bool}
_GRAPH = {**_HEAD, "nodes": [str], "edges": [_EDGE]}
_NODE = {"variable": str, "lag": float}
_LAGGED_EDGE = {"from": _read_node, "to": _read_node, "directed": bool}
_GRAPH_OVER_TIME = {**_HEAD, "nodes": [_read_node], "edges": [_LAGGED_EDGE]}
_VARIABLE = {
    "name": str,
    "states?": [_read_state],
    "parents": [str],
    "table?": [[float]],
    "regression?": lambda entry: entry,
}
_SCALE = {"centre": float, "spread": float}
_MIXTURE = {**_SCALE, "bent": bool, "weights": [float], "means": [float], "deviations": [float]}
# A regression of a categorical variable has coefficients for each of its states.
_CATEGORICAL = {
    "numbers": [{"name": str, "scale": _read_scale, "knots": [float]}],
    "labels": [str],
    "n_states": [float],
    "coefficients": [[[float]]],
    "n_parameters": float,
}
_NUMERIC = {
    **_CATEGORICAL,
    "coefficients": [[float]],
    "own": _read_scale,
    "deviations": [float],
    "noise": _read_scale,
}
