"""Networks, graphs and knowledge as files, one format per module, and the networks on board.

In: a path or a name. Out: a `Graph`, a `BayesianNetwork` or `Knowledge`; and back.
"""

from bnsieve.exchange.bif import format_bif, parse_bif
from bnsieve.exchange.catalogue import NetworkSummary, list_networks, load_network
from bnsieve.exchange.dowhy import DowhyInputs, chosen_dag, dag_for_effect, dowhy_inputs
from bnsieve.exchange.edges import Strength, csv_field, name_field, read_strengths
from bnsieve.exchange.files import FormatError
from bnsieve.exchange.json_tree import Entry, parse_json_tree
from bnsieve.exchange.modelstring import format_modelstring
from bnsieve.exchange.registry import read, write

__all__ = [
    "DowhyInputs",
    "Entry",
    "FormatError",
    "NetworkSummary",
    "Strength",
    "chosen_dag",
    "csv_field",
    "dag_for_effect",
    "dowhy_inputs",
    "format_bif",
    "format_modelstring",
    "list_networks",
    "load_network",
    "name_field",
    "parse_bif",
    "parse_json_tree",
    "read",
    "read_strengths",
    "write",
]
