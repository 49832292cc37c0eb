"""Questions so small that planning a tree would take longest: one target after the other.

In: targets and labels that are known. Out: margins, if each takes only small tables. The kernel
that answers rows answers these, as one row.
"""

from collections.abc import Sequence

import numpy as np

from bnsieve.network.discrete.evidence import Evidence
from bnsieve.network.discrete.model import Model, Values
from bnsieve.network.discrete.propagation import ImpossibleError
from bnsieve.network.discrete.states import IMPOSSIBLE, TOO_LARGE

# Messages of one target. With larger ones, margins that share their messages are faster.
SMALL_BYTES = 1 << 17
# Cells of the cliques of all targets: a few milliseconds, which are lost if there are more.
SMALL_WORK = 2e6


def small_margins(
    model: Model, targets: Sequence[int], evidence: Evidence, max_bytes: int
) -> tuple[dict[int, Values], float] | None:
    """Return the margin of each target and the logarithm of the evidence's probability.

    None if something is known only by likelihoods, or a target takes more than small tables.

    Raises
    ------
    ImpossibleError
        If the evidence has probability 0.
    """
    if evidence.soft or max_bytes < SMALL_BYTES:
        return None
    row = np.full((1, len(model.names)), -1, dtype=np.int32)
    for v, code in evidence.hard.items():
        row[0, v] = code
    # Children first: what is too large is then seen at once, since it takes all its ancestors.
    asked = set(targets)
    order = [v for v in reversed(model.order) if v in asked]
    sizes = [model.n_levels[v] for v in order]
    flat = np.empty(sum(sizes))
    logarithm = np.empty(1)
    wanted = np.array(order, dtype=np.int32)
    state = model.rows.each_margin(row, wanted, flat, logarithm, SMALL_BYTES, SMALL_WORK)
    if state == TOO_LARGE:  # the logarithm may not have been written
        return None
    if state == IMPOSSIBLE or logarithm[0] == -np.inf:
        raise ImpossibleError
    ends = np.cumsum(sizes).tolist()
    tables = {v: flat[end - model.n_levels[v] : end] for v, end in zip(order, ends, strict=True)}
    return tables, float(logarithm[0])
