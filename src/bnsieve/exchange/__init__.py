"""Networks and graphs as files, one format per file, and the networks on board.

In: a path or a name. Out: a `Graph` or a `BayesianNetwork`; and back.
"""

from bnsieve.exchange.catalogue import INDEX, list_networks, load_network, summarise

__all__ = [
    "INDEX",
    "list_networks",
    "load_network",
    "summarise",
]
