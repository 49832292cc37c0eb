"""What an argument means: a file, or the name of a network that comes with bnsieve."""

from pathlib import Path
from typing import Annotated

import typer

from bnsieve.exchange import list_networks, load_network, read
from bnsieve.graph import Graph
from bnsieve.knowledge import Knowledge
from bnsieve.network import BayesianNetwork

NameOrFile = Annotated[
    str,
    typer.Argument(
        help="A file of a network, such as BIF, or a name that `bnsieve networks` lists."
    ),
]


def load(argument: str) -> BayesianNetwork | Graph:
    """Return the network or graph that an argument of the command line names."""
    if Path(argument).is_file() or argument not in {known.name for known in list_networks()}:
        return _read(argument)
    return load_network(argument)


def load_tables(argument: str) -> BayesianNetwork:
    """Return the network that an argument names; refuse a file that holds a graph only."""
    content = load(argument)
    if isinstance(content, Graph):
        raise ValueError(
            f"{argument} holds a graph without probability tables: give a BIF, XMLBIF "
            "or JSON file of a network"
        )
    return content


def _read(argument: str) -> BayesianNetwork | Graph:
    if Path(argument).exists():
        content = read(argument)
        if isinstance(content, Knowledge):
            raise ValueError(f"{argument} holds knowledge, not a network or a graph")
        return content
    try:
        return load_network(argument)
    except ValueError as error:
        raise ValueError(f"there is no file {argument!r}, and {error}") from error
