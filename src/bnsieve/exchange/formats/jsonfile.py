"""bnsieve's own JSON: a graph or a network, to the last bit, safe to open whoever sent it.

Comes in: such a file, or a graph or network. Goes out: the same, or a file. The page "Files" of the
documentation describes the format, version 1; unknown versions and unknown keys are refused.

Labels stay what they are: text, whole numbers, other numbers, true and false.
"""

import itertools
import json
import math
from collections.abc import Hashable
from os import PathLike
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bnsieve.exchange.formats import _jsontext
from bnsieve.exchange.formats._arrows import NamedEdges
from bnsieve.exchange.formats._files import errors_name, write_text
from bnsieve.exchange.formats._json_regressions import read_regression
from bnsieve.exchange.formats._jsontext import Entry
from bnsieve.graph import Graph
from bnsieve.network import BayesianNetwork, LabelNode, NumberNode, parts_of_node

VERSION = 1
# Of networks with numbers, so that an older bnsieve says that it cannot read them.
VERSION_WITH_NUMBERS = 2


def read_json(path: str | PathLike[str]) -> Graph | BayesianNetwork:
    """Read a graph or network from a JSON file that `write_json` wrote.

    Raises
    ------
    FormatError
        If anything in the file is not as the format demands; the message names the entry.
    OSError
        If the file cannot be opened.
    """
    return _content(_jsontext.parse_json(_jsontext.read_json_text(path), str(path)))


def parse_json(text: str) -> Graph | BayesianNetwork:
    """Read a graph or network from the text of a JSON file; see `read_json`."""
    return _content(_jsontext.parse_json(text, None))


def write_json(content: Graph | BayesianNetwork, path: str | PathLike[str]) -> None:
    """Write a graph or network as a JSON file.

    Parameters
    ----------
    content : Graph or BayesianNetwork
    path : str or path

    Raises
    ------
    ValueError
        If a label is neither text nor a finite number nor true or false.
    """
    write_text(format_json(content), path)


def format_json(content: Graph | BayesianNetwork) -> str:
    """Return the text of a JSON file with this graph or network; see `write_json`.

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
    head: dict[str, Any] = {"format": "bnsieve", "version": VERSION}
    if isinstance(content, Graph):
        edges = itertools.chain(
            ((edge, True) for edge in content.directed_edges),
            ((edge, False) for edge in content.undirected_edges),
        )
        parts = [{"from": a, "to": b, "directed": directed} for (a, b), directed in edges]
        return _document({**head, "kind": "graph", "nodes": list(content.nodes)}, "edges", parts)
    if content.regressions:
        head["version"] = VERSION_WITH_NUMBERS
    parts = [_variable(content, name) for name in content.graph.nodes]
    return _document({**head, "kind": "network"}, "variables", parts)


def _variable(network: BayesianNetwork, name: str) -> dict[str, Any]:
    """Return a variable as plain values; numbers have no levels, regressions no table."""
    parts: dict[str, Any] = {"name": name}
    if name in network.levels:
        parts["levels"] = [_label(name, label) for label in network.levels[name]]
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
            f"JSON cannot hold the label {label!r} of {name!r}: make the column text, "
            "numbers or true and false before fitting"
        )
    return plain  # type: ignore[return-value]


def _content(root: Entry) -> Graph | BayesianNetwork:
    if not isinstance(root.value, dict) or root.value.get("format") != "bnsieve":
        other = isinstance(root.value, dict) and "elements" in root.value
        cure = "a Cytoscape file must end in .cyjs" if other else "write_json makes such files"
        root.refuse(f'this is not a JSON file of bnsieve, whose "format" is "bnsieve": {cure}')
    version = root.get("version")
    if type(version.value) is not int or version.value not in (VERSION, VERSION_WITH_NUMBERS):
        known = f"{VERSION} and {VERSION_WITH_NUMBERS}"
        version.refuse(f"this bnsieve reads versions {known} only: upgrade bnsieve")
    kind = root.get("kind")
    if kind.value not in ("graph", "network"):
        kind.refuse('this must be "graph" or "network"')
    return _graph(root) if kind.value == "graph" else _network(root)


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
    levels: dict[str, list[Hashable]] = {}
    for variable in root.get("variables").items():
        variable.only_keys("name", "levels", "parents", "table", "regression")
        name = variable.get("name").text()
        if name in variables:
            variable.refuse(f"the variable {name!r} is there twice")
        variables[name] = variable
        if variable.has("levels") or not variable.has("regression"):
            levels[name] = [_read_label(label) for label in variable.get("levels").items()]
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
            regressions[name] = read_regression(
                variable.get("regression"), None if name not in levels else len(levels[name])
            )
            continue
        for parent in given:
            if parent.value not in levels:
                variable.refuse(f"{name!r} has a table, but its parent {parent.value!r} no levels")
        shape = [len(levels[member]) for member in (*parents[name], name)]
        tables[name] = _table(variable.get("table"), shape)
    arrows = [(parent, name) for name, given in parents.items() for parent in given]
    with errors_name(root.path):
        return BayesianNetwork(Graph(variables, arrows), levels, tables, parents, regressions)


def _read_label(label: Entry) -> str | int | float | bool:
    value = label.value
    if not isinstance(value, str | int | float):
        label.refuse("a label must be text, a number, true or false")
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
