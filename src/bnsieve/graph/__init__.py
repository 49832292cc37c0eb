"""The one graph type, its equivalence class, its pictures and its forms in other programs.

In: nodes and edges. Out: a `Graph`. Nothing here knows of data.
"""

from bnsieve.graph.adapters import (
    PGMPY,
    candidates_to_pgmpy,
    candidates_to_pyagrum,
    import_optional,
)
from bnsieve.graph.ancestral import AncestralGraph
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
from bnsieve.graph.marks import Mark
from bnsieve.graph.over_time import GraphOverTime, LaggedEdge
from bnsieve.graph.parent_sets import (
    PossibleParents,
    adjustment_set,
    possible_parents,
    wide_adjustment_set,
)
from bnsieve.graph.picture import (
    FREQUENT,
    HEAD,
    MAX_NODES,
    Fate,
    Picture,
    Strengths,
    arrowhead,
    bars,
    curve,
)
from bnsieve.graph.repeated import RepeatedGraph

__all__ = [
    "FREQUENT",
    "HEAD",
    "MAX_NODES",
    "PGMPY",
    "AncestralGraph",
    "Fate",
    "Graph",
    "GraphOverTime",
    "LaggedEdge",
    "Mark",
    "Picture",
    "Placement",
    "PossibleParents",
    "RepeatedGraph",
    "Strengths",
    "adjustment_set",
    "arrowhead",
    "bars",
    "candidates_to_pgmpy",
    "candidates_to_pyagrum",
    "check_same_nodes",
    "children_of",
    "curve",
    "descendants_as_bits",
    "import_optional",
    "part_to_draw",
    "possible_parents",
    "reachable",
    "shown",
    "topological_order",
    "wide_adjustment_set",
]
