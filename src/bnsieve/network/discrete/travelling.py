"""What another program needs to answer questions by itself: the cliques that all margins take.

In: a network. Out: the tree of cliques for every margin at once, and what one answer costs. The
report page carries it, with the tables, and answers in the reader's browser.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from bnsieve.network.discrete.tree import Tree, plan_tree


@dataclass(frozen=True)
class MarginsPlan:
    """How the margins of all variables are computed.

    Attributes
    ----------
    tree : Tree
        Its factors are the tables, numbered as the variables are.
    n_steps : int
        Additions and multiplications that one answer takes, roughly.
    """

    tree: Tree
    n_steps: int


def plan_margins(n_levels: Sequence[int], parents: Sequence[Sequence[int]]) -> MarginsPlan:
    """Plan how to compute the margins of all variables, whatever is given.

    Parameters
    ----------
    n_levels : sequence of int
    parents : sequence of sequences of int
        Of each variable, by position.
    """
    scopes = [(*own, v) for v, own in enumerate(parents)]
    tree = plan_tree(scopes, n_levels, range(len(parents)))
    n_touched = [1 for _ in tree.cliques]
    for clique in tree.cliques:
        if clique.parent >= 0:
            n_touched[clique.parent] += 2
    n_steps = sum(
        tree.n_cells(clique.scope) * touched
        for clique, touched in zip(tree.cliques, n_touched, strict=True)
    )
    return MarginsPlan(tree, n_steps)
