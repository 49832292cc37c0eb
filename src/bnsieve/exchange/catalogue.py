"""The benchmark networks that come with the package.

In: a name. Out: the `BayesianNetwork` of that name, or the list of all of them. The
files in ``data/`` were written by `bnsieve.exchange`; ``data/NOTICE`` says where they are
from.
"""

import difflib
from importlib.resources import as_file, files
from typing import NamedTuple

from bnsieve.exchange.bif import parse_bif
from bnsieve.exchange.files import read_text
from bnsieve.network import BayesianNetwork
from bnsieve.text import parse_strict_json

_DATA = files("bnsieve.exchange") / "data"


class NetworkSummary(NamedTuple):
    """The name and the size of a network that comes with bnsieve."""

    name: str
    nodes: int
    arcs: int
    parameters: int
    """Free parameters, see `BayesianNetwork.n_parameters`."""
    largest_degree: int
    """The most parents and children that any node has."""


def list_networks() -> list[NetworkSummary]:
    """List the networks that `load_network` knows, by name.

    Returns
    -------
    list of NetworkSummary
        Named tuples, which ``pandas.DataFrame`` accepts.

    Examples
    --------
    >>> list_networks()[0]
    NetworkSummary(name='alarm', nodes=37, arcs=46, parameters=509, largest_degree=6)
    """
    records = parse_strict_json((_DATA / "index.json").read_text(encoding="utf-8"))
    return [NetworkSummary(**record) for record in records]


def load_network(name: str) -> BayesianNetwork:
    """Return a benchmark network.

    Parameters
    ----------
    name : str
        A name that `list_networks` lists.

    Examples
    --------
    >>> load_network("asia")
    BayesianNetwork with 8 nodes, 8 arcs and 18 parameters
    """
    known = [network.name for network in list_networks()]
    if name not in known:
        close = difflib.get_close_matches(str(name).lower(), known, n=3)
        hint = " or ".join(map(repr, close)) if close else f"one of {', '.join(known)}"
        raise ValueError(f"there is no network {name!r}; did you mean {hint}?")
    with as_file(_DATA / f"{name}.bif.gz") as path:
        return parse_bif(read_text(path), str(path))
