"""d-separation in a DAG, by reachability, in time linear in the number of edges.

Comes in: the arrows of a DAG by node number. Goes out: whether every path between two sets
of nodes is blocked by a third.
"""

from collections.abc import Collection

from bnsieve.graph.edge_lists import EdgeLists
from bnsieve.graph.walks import reachable


def d_separated(
    dag: EdgeLists, x: Collection[int], y: Collection[int], given: Collection[int]
) -> bool:
    """Tell whether `given` blocks every path between `x` and `y` (three disjoint sets).

    Walks along all open paths from `x`. What a walk may do next depends only on the node and on
    whether it came there along an arrow or against one, so each node is visited at most twice.
    """
    goal = frozenset(y)
    observed = frozenset(given)
    opens_collider = reachable(observed, dag.parents.__getitem__)
    # (node, True): reached along an arrow, from a parent; (node, False): from a child. A start
    # is like a node reached from a child: it may be left in every direction.
    stack = [(node, False) for node in x]
    seen = set(stack)
    while stack:
        node, from_parent = stack.pop()
        steps: list[tuple[int, bool]] = []
        if node not in observed:
            if node in goal:
                return False
            steps += [(child, True) for child in dag.children[node]]
        if (from_parent and node in opens_collider) or (not from_parent and node not in observed):
            steps += [(parent, False) for parent in dag.parents[node]]
        for step in steps:
            if step not in seen:
                seen.add(step)
                stack.append(step)
    return True
