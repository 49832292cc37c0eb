"""Messages along a tree of cliques: products and sums of tables, safe from underflow.

In: a `Tree` and its factors. Out: the table of the variables that are kept, or the margins of all,
with the logarithm of what everything sums to. Messages are scaled so that their largest cell is 1;
where a product could still become too small for a float, logarithms are added instead.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from bnsieve import _native
from bnsieve.network.discrete.cliques import Tree
from bnsieve.network.discrete.model import Factor, Values

# Products of factors whose smallest positive cells multiply to more than this cannot underflow.
_SAFE = 1e-280


class ImpossibleError(ValueError):
    """What is given has probability 0."""


@dataclass(frozen=True, eq=False)
class Message:
    """A factor whose largest cell is 1, and the smallest cell that is not 0."""

    factor: Factor
    smallest: float


def product(
    messages: Sequence[Message], scope: tuple[int, ...], shape: tuple[int, ...]
) -> tuple[Values, float]:
    """Multiply factors into one table over `scope`; its logarithmic scale comes beside."""
    table = np.empty(shape)
    if math.prod(message.smallest for message in messages) > _SAFE:
        views = [spread(message.factor, scope) for message in messages]
        if len(views) == 1:
            table[...] = views[0]
        elif not views:
            table.fill(1.0)
        else:
            np.multiply(views[0], views[1], out=table)
        for view in views[2:]:
            table *= view
        return table, 0.0
    table.fill(0.0)
    with np.errstate(divide="ignore"):
        for message in messages:
            table += spread(Factor(message.factor.scope, np.log(message.factor.values)), scope)
    top = float(table.max())
    if top == -math.inf:
        raise ImpossibleError
    table -= top
    np.exp(table, out=table)
    return table, top


def scaled(scope: tuple[int, ...], values: Values) -> tuple[Message, float]:
    """Scale a table, in place, so that its largest cell is 1; the logarithm of it comes beside."""
    top = float(values.max())
    if not top > 0:
        raise ImpossibleError
    values /= top
    smallest = float(values.min())
    if smallest == 0:
        smallest = float(values.min(initial=1.0, where=values > 0))
    return Message(Factor(scope, values), smallest), math.log(top)


def sum_out(tree: Tree, factors: Sequence[Message]) -> tuple[Values, float]:
    """Return the table of the kept variables, and the logarithm of its scale."""
    left, log_scale, _ = _upward(tree, factors, keep=False)
    left += [factors[number] for number in tree.loose]
    table, log_product = product(left, tree.kept, tuple(tree.n_levels[v] for v in tree.kept))
    return table, log_scale + log_product


def all_margins(tree: Tree, factors: Sequence[Message]) -> tuple[dict[int, Values], float]:
    """Return the margin of every variable, and the logarithm of what everything sums to."""
    _, log_scale, ways = _upward(tree, factors, keep=True)
    margins: dict[int, Values] = {}
    for i in reversed(range(len(tree.cliques))):
        clique, (table, message) = tree.cliques[i], ways[i]
        if clique.parent >= 0 and clique.separator:
            above = tree.cliques[clique.parent]
            belief = ways[clique.parent][0]
            kept = [a for a, v in enumerate(above.scope) if v in clique.separator]
            down = sum_to(belief, kept)
            # 0 / 0: cells that are impossible stay so.
            ratio = np.divide(down, message, out=np.zeros_like(down), where=message > 0)
            ratio /= ratio.max()
            table *= ratio
        left = table
        for v in clique.scope[: clique.n_own]:
            left = left.reshape(tree.n_levels[v], -1)
            margin = left.sum(axis=1)
            margins[v] = margin / margin.sum()
            left = left.sum(axis=0)
    return margins, log_scale


def sum_to(table: Values, kept: Sequence[int]) -> Values:
    """Sum a table over all but a few of its axes; NumPy is slow where axes are short and many."""
    sums = np.empty([table.shape[axis] for axis in kept])
    stride, radices, strides = sums.size, [1], [-1]
    for axis, n in enumerate(table.shape):
        summed = axis not in kept
        stride //= 1 if summed else n
        if summed == (strides[-1] == 0) and strides[-1] >= 0:  # as one axis with the one before
            radices[-1] *= n
            strides[-1] = 0 if summed else stride
        else:
            radices.append(n)
            strides.append(0 if summed else stride)
    _native.sum_axes(
        table.ravel(),
        np.array(radices[1:], dtype=np.int64),
        np.array(strides[1:], dtype=np.int64),
        sums.ravel(),
    )
    return sums


def _upward(
    tree: Tree, factors: Sequence[Message], *, keep: bool
) -> tuple[list[Message], float, list[tuple[Values, Values]]]:
    """Send every message towards the end; return what arrives there, and the tables if kept."""
    waiting: list[list[Message]] = [[factors[f] for f in c.factors] for c in tree.cliques]
    arrived: list[Message] = []
    kept: list[tuple[Values, Values]] = []
    log_scale = 0.0
    for clique, messages in zip(tree.cliques, waiting, strict=True):
        shape = tuple(tree.n_levels[v] for v in clique.scope)
        table, log_product = product(messages, clique.scope, shape)
        own = math.prod(shape[: clique.n_own])
        sums = table.reshape(own, -1).sum(axis=0).reshape(shape[clique.n_own :])
        message, log_top = scaled(clique.separator, sums)
        log_scale += log_product + log_top
        messages.clear()
        if clique.parent >= 0:
            waiting[clique.parent].append(message)
        elif clique.separator:
            arrived.append(message)
        if keep:
            kept.append((table, message.factor.values))
    return arrived, log_scale, kept


def spread(factor: Factor, scope: tuple[int, ...]) -> Values:
    """View a factor with the axes of a scope, of length 1 where it has none."""
    axis_of = {v: axis for axis, v in enumerate(factor.scope)}
    present = [v for v in scope if v in axis_of]
    values = factor.values.transpose([axis_of[v] for v in present])
    return values[tuple(slice(None) if v in axis_of else np.newaxis for v in scope)]
