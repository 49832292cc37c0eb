"""What a learned graph still says if common causes are hidden.

In: a DAG. Out: counts of the edges of its PAG, with the base rate that keeps a reader from reading
more into them.
"""

from collections import Counter
from typing import NamedTuple

from bnsieve.graph import Graph, Mark

# Measured by ``python -m benchmarks hidden``: with a tenth of the variables of seven published
# networks hidden, the share of edges with a hidden common cause, in percent: among those that the
# PAG of the learned DAG marks as having none, and among all others.
MARKED, OTHERS = 14.0, 17.7


class HiddenCauses(NamedTuple):
    """Edges of a PAG by what they say: a cause, what is not a cause of the other, or nothing."""

    n_edges: int
    n_causes: int
    n_half: int
    n_open: int
    marked: float = MARKED
    others: float = OTHERS


def hidden_causes(dag: Graph) -> HiddenCauses:
    """Count what the edges of a DAG still say if common causes may be hidden."""
    pag = dag.to_pag()
    kinds = Counter(frozenset((pag.marks[a, b], pag.marks[b, a])) for a, _, b in pag.edges)
    return HiddenCauses(
        len(pag.edges),
        kinds[frozenset({Mark.TAIL, Mark.ARROW})],
        kinds[frozenset({Mark.CIRCLE, Mark.ARROW})],
        kinds[frozenset({Mark.CIRCLE})],
    )
