"""bnsieve's own JSON: a graph or a network, to the last bit, and knowledge; safe to open.

In: the text of such a file, or a graph, network or knowledge. Out: the other. The page "Files" of
the documentation describes the format, version 1; unknown versions and unknown keys are refused.

States stay what they are: text, whole numbers, other numbers, true and false.
"""

import itertools
import json
import math
from collections.abc import Hashable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bnsieve.exchange.edges import NamedEdges
from bnsieve.exchange.files import errors_name
from bnsieve.exchange.json_tree import Entry, parse_json_tree
from bnsieve.exchange.knowledge_file import is_knowledge, knowledge_of
from bnsieve.graph import Graph
from bnsieve.knowledge import Knowledge
from bnsieve.network import BayesianNetwork, LabelNode, NumberNode, node_of_parts, parts_of_node
from bnsieve.text import write_strict_json

VERSION = 1
# Of networks with numbers, so that an older bnsieve says that it cannot read them.
VERSION_WITH_NUMBERS = 2
# The keys of a regression; those of numbers only.
_BOTH = ("numbers", "labels", "n_states", "coefficients", "n_parameters")
_OF_NUMBERS = ("own", "deviations", "noise")


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
    if type(version.value) is not int or version.value not in (VERSION, VERSION_WITH_NUMBERS):
        known = f"{VERSION} and {VERSION_WITH_NUMBERS}"
        version.refuse(f"this bnsieve reads versions {known} only: upgrade bnsieve")
    kind = root.get("kind")
    if kind.value not in ("graph", "network"):
        kind.refuse('this must be "graph" or "network"')
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
        edges = itertools.chain(
            ((edge, True) for edge in content.directed_edges),
            ((edge, False) for edge in content.undirected_edges),
        )
        parts = [{"from": a, "to": b, "directed": directed} for (a, b), directed in edges]
        return _document({**head, "kind": "graph", "nodes": list(content.nodes)}, "edges", parts)
    if content.numbers:
        head["version"] = VERSION_WITH_NUMBERS
    parts = [_variable(content, name) for name in content.graph.nodes]
    return _document({**head, "kind": "network"}, "variables", parts)


def _variable(network: BayesianNetwork, name: str) -> dict[str, Any]:
    """Return a variable as plain values; numbers have no states, regressions no table."""
    parts: dict[str, Any] = {"name": name}
    if name in network.states:
        parts["states"] = [_label(name, label) for label in network.states[name]]
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


def _label(name: str, label: Hashable) -> str | int | float | bool:
    plain = label.item() if isinstance(label, np.generic) else label
    if isinstance(plain, float) and not math.isfinite(plain):
        plain = None
    if type(plain) not in (str, int, float, bool):
        raise ValueError(
            f"JSON cannot hold the state {label!r} of {name!r}: make the column text, "
            "numbers or true and false before fitting"
        )
    return plain  # type: ignore[return-value]


def _graph(root: Entry) -> Graph:
    root.only_keys("format", "version", "kind", "nodes", "edges")
    nodes = [node.text() for node in root.get("nodes").items()]
    directed: NamedEdges = []
    undirected: NamedEdges = []
    for edge in root.get("edges").items():
        edge.only_keys("from", "to", "directed")
        kind = directed if edge.get("directed").truth() else undirected
        kind.append((edge.get("from").text(), edge.get("to").text()))
    with errors_name(root.path):
        return Graph(nodes, directed, undirected)


def _network(root: Entry) -> BayesianNetwork:
    root.only_keys("format", "version", "kind", "variables")
    variables: dict[str, Entry] = {}
    states: dict[str, list[Hashable]] = {}
    for variable in root.get("variables").items():
        variable.only_keys("name", "states", "parents", "table", "regression")
        name = variable.get("name").text()
        if name in variables:
            variable.refuse(f"the variable {name!r} is there twice")
        variables[name] = variable
        if variable.has("states") or not variable.has("regression"):
            states[name] = [_read_label(label) for label in variable.get("states").items()]
    parents: dict[str, list[str]] = {}
    tables: dict[str, NDArray[np.float64]] = {}
    regressions: dict[str, NumberNode | LabelNode] = {}
    for name, variable in variables.items():
        given = variable.get("parents").items()
        for parent in given:
            if parent.text() not in variables:
                parent.refuse(f"{parent.value!r} is not a variable of the network")
        parents[name] = [parent.value for parent in given]
        if variable.has("regression"):
            regressions[name] = _regression(
                variable.get("regression"), None if name not in states else len(states[name])
            )
            continue
        for parent in given:
            if parent.value not in states:
                variable.refuse(f"{name!r} has a table, but its parent {parent.value!r} no states")
        shape = [len(states[member]) for member in (*parents[name], name)]
        tables[name] = _table(variable.get("table"), shape)
    arrows = [(parent, name) for name, given in parents.items() for parent in given]
    with errors_name(root.path):
        return BayesianNetwork(Graph(variables, arrows), states, tables, parents, regressions)


def _read_label(label: Entry) -> str | int | float | bool:
    value = label.value
    if not isinstance(value, str | int | float):
        label.refuse("a state must be text, a number, true or false")
    if value in (math.inf, -math.inf):
        label.refuse("the number is too large")
    return value


def _table(table: Entry, shape: list[int]) -> NDArray[np.float64]:
    rows = table.items()
    n_rows = math.prod(shape[:-1])
    if len(rows) != n_rows:
        table.refuse(f"the table must have {n_rows} rows, but has {len(rows)}")
    numbers = []
    for row in rows:
        cells = row.numbers()
        if len(cells) != shape[-1]:
            row.refuse(f"the row must have {shape[-1]} numbers, but has {len(cells)}")
        numbers += cells
    return np.array(numbers, dtype=np.float64).reshape(shape)


def _regression(entry: Entry, n_labels: int | None) -> NumberNode | LabelNode:
    """Return a node; `n_labels` is None for a number.

    Whether it fits the graph is checked where the network is made.
    """
    keys = _BOTH if n_labels is not None else (*_BOTH, *_OF_NUMBERS)
    entry.only_keys(*keys)
    inputs = [_input(one) for one in entry.get("numbers").items()]
    labels = [one.text() for one in entry.get("labels").items()]
    n_states = [int(number) for number in entry.get("n_states").numbers()]
    if len(labels) != len(n_states) or not all(n >= 1 for n in n_states):
        entry.get("n_states").refuse("there must be one whole number above zero for each label")
    parts: dict[str, Any] = {
        "numbers": inputs,
        "labels": labels,
        "n_states": n_states,
        "n_parameters": _number(entry.get("n_parameters")),
        "coefficients": _coefficients(entry, n_labels, n_states),
    }
    if n_labels is None:
        parts["own"] = _scale(entry.get("own"))
        parts["noise"] = _scale(entry.get("noise"))
        parts["deviations"] = entry.get("deviations").numbers()
    return node_of_parts(parts)


def _coefficients(entry: Entry, n_labels: int | None, n_states: list[int]) -> list[Any]:
    rows = entry.get("coefficients")
    if len(rows.items()) != math.prod(n_states):
        rows.refuse(f"there must be {math.prod(n_states)} configurations of the labels")
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
