"""The one graph type, its equivalence class, its pictures and its forms in other programs.

In: nodes and edges. Out: a `Graph`. Nothing here knows of data.
"""

from bnsieve.graph.adapters import (
    candidates_to_pgmpy,
    candidates_to_pyagrum,
    equations_of_pgmpy,
    parts_of_pgmpy,
    parts_of_pyagrum,
    pgmpy_linear_network,
    pgmpy_network,
    pyagrum_network,
)
from bnsieve.graph.edge_lists import (
    check_same_nodes,
    children_of,
    descendants_as_bits,
    reachable,
    shown,
    topological_order,
)
from bnsieve.graph.graph import Graph, part_to_draw
from bnsieve.graph.layout import Placement
from bnsieve.graph.parent_sets import PossibleParents, adjustment_set, possible_parents
from bnsieve.graph.picture import (
    FREQUENT,
    HEAD,
    MAX_NODES,
    Fate,
    Picture,
    Strengths,
    arrowhead,
    curve,
)

__all__ = [
    "FREQUENT",
    "HEAD",
    "MAX_NODES",
    "Fate",
    "Graph",
    "Picture",
    "Placement",
    "PossibleParents",
    "Strengths",
    "adjustment_set",
    "arrowhead",
    "candidates_to_pgmpy",
    "candidates_to_pyagrum",
    "check_same_nodes",
    "children_of",
    "curve",
    "descendants_as_bits",
    "equations_of_pgmpy",
    "part_to_draw",
    "parts_of_pgmpy",
    "parts_of_pyagrum",
    "pgmpy_linear_network",
    "pgmpy_network",
    "possible_parents",
    "pyagrum_network",
    "reachable",
    "shown",
    "topological_order",
]
