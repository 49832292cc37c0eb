"""The one graph type, its walks and equivalence, its pictures and other forms.

In: nodes and edges. Out: a `Graph`. Nothing here knows of data.
"""

from bnsieve.graph.edge_lists import check_same_nodes, shown
from bnsieve.graph.graph import Graph
from bnsieve.graph.parent_sets import PossibleParents, adjustment_set, possible_parents
from bnsieve.graph.walks import children_of, descendants_as_bits, reachable, topological_order

__all__ = [
    "Graph",
    "PossibleParents",
    "adjustment_set",
    "check_same_nodes",
    "children_of",
    "descendants_as_bits",
    "possible_parents",
    "reachable",
    "shown",
    "topological_order",
]
