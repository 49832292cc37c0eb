"""Exact inference: messages along a tree of cliques, products and sums of tables.

In: targets and evidence by position. Out: joint tables, margins, and the probability of the
evidence. What it will take is planned first, and refused if it is more than the caller allows.
Messages are scaled so that their largest cell is 1; where a product could still become too small
for a float, logarithms are added instead.
"""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

import numpy as np

from bnsieve import _native
from bnsieve.network.discrete.cliques import Tree, plan_tree
from bnsieve.network.discrete.evidence import Evidence, Part, parts
from bnsieve.network.discrete.model import IMPOSSIBLE, TOO_LARGE, Factor, Model, Values
from bnsieve.text import listed

# Products of factors whose smallest positive cells multiply to more than this cannot underflow.
_SAFE = 1e-280
# Evidence that has no bearing on the targets is still checked, if that takes no more than this.
_CHECKED_BYTES = 1 << 25
# Messages of one target. With larger ones, margins that share their messages are faster.
SMALL_BYTES = 1 << 17
# Cells of the cliques of all targets: a few milliseconds, which are lost if there are more.
SMALL_WORK = 2e6


ADVICE = (
    "Ask for one target at a time, because only the relevant part of the network is computed; give "
    "more evidence; raise max_bytes; or pass method='sampling' for estimates with standard errors."
)


class ImpossibleError(ValueError):
    """The evidence has probability 0."""


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
        first, second, *others = views + [np.ones(())] * (2 - len(views))
        np.multiply(first, second, out=table)
        for view in others:
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
    """Return the distribution of the kept variables, and the logarithm of what all sums to."""
    left, log_scale, _ = _upward(tree, factors, keep=False)
    left += [factors[number] for number in tree.loose]
    table, log_product = product(left, tree.kept, tuple(tree.n_states[v] for v in tree.kept))
    total = float(table.sum())
    if not total > 0:
        raise ImpossibleError
    return table / total, log_scale + log_product + math.log(total)


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
            left = left.reshape(tree.n_states[v], -1)
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
        shape = tuple(tree.n_states[v] for v in clique.scope)
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


class TooLargeError(ValueError):
    """Exact inference would take more memory than is allowed.

    Attributes
    ----------
    columns : tuple of str
        The variables of the largest table.
    n_cells : int
        The number of cells of that table.
    n_bytes : int
        The memory that the whole query would take.
    """

    def __init__(
        self, model: Model, largest: Sequence[int], n_bytes: int, max_bytes: int, advice: str
    ) -> None:
        self.columns = tuple(model.names[v] for v in largest)
        self.n_cells = model.n_cells(largest)
        self.n_bytes = n_bytes
        named = listed(self.columns, 6)
        super().__init__(
            f"exact inference would take {shown_bytes(n_bytes)}, more than max_bytes = "
            f"{shown_bytes(max_bytes)}: its largest table has {self.n_cells:,} cells, over "
            f"{len(self.columns)} variables ({named}). {advice}"
        )


@dataclass(frozen=True, eq=False)
class Answered:
    """Tables of targets, by their scope.

    Attributes
    ----------
    tables : dict
    log_evidence : float or None
        The logarithm of the evidence's probability.
    errors : dict
        Standard errors, and how many draws the sample is worth, if tables come from one.
    n_effective : float or None
    """

    tables: dict[tuple[int, ...], Values]
    log_evidence: float | None = None
    errors: dict[tuple[int, ...], Values] = field(default_factory=dict)
    n_effective: float | None = None


def joint_table(
    model: Model, targets: Sequence[int], evidence: Evidence, max_bytes: int
) -> Answered:
    """Return the joint distribution of the targets, one axis each, in their order."""
    if len(targets) == 1:
        return margins(model, targets, evidence, max_bytes)
    wanted, others = split_parts(model, targets, evidence)
    trees = [_planned(model, part, evidence, targets) for part in wanted]
    whole = Tree((), tuple(targets), (), model.n_states)
    _allow(model, [(tree, tree.bytes_one_way) for tree in (*trees, whole)], max_bytes)
    log_evidence = log_of_parts(model, others, evidence, max_bytes)
    joint = np.ones([model.n_states[v] for v in targets])
    for part, tree in zip(wanted, trees, strict=True):
        table, log_total = sum_out(tree, messages_of(model, part, evidence))
        joint *= spread(Factor(tree.kept, table), tuple(targets))
        log_evidence = _plus(log_evidence, log_total)
    return Answered({tuple(targets): joint}, log_evidence)


def margins(model: Model, targets: Sequence[int], evidence: Evidence, max_bytes: int) -> Answered:
    """Return the distribution of each target on its own."""
    small = small_margins(model, targets, evidence, max_bytes)
    if small is not None:
        return small
    wanted, others = split_parts(model, targets, evidence)
    trees, plans = [], []
    for part in wanted:
        alone = len(set(part.open).intersection(targets)) == 1
        tree = _planned(model, part, evidence, targets if alone else [])
        trees.append(tree)
        plans.append((tree, tree.bytes_one_way if alone else tree.bytes_both_ways))
    _allow(model, plans, max_bytes)
    log_evidence = log_of_parts(model, others, evidence, max_bytes)
    tables: dict[int, Values] = {v: np.ones(1) for v in targets if model.n_states[v] == 1}
    for part, tree in zip(wanted, trees, strict=True):
        messages = messages_of(model, part, evidence)
        if tree.kept:
            tables[tree.kept[0]], log_total = sum_out(tree, messages)
        else:
            every, log_total = all_margins(tree, messages)
            tables |= every
        log_evidence = _plus(log_evidence, log_total)
    return Answered({(v,): tables[v] for v in targets}, log_evidence)


def small_margins(
    model: Model, targets: Sequence[int], evidence: Evidence, max_bytes: int
) -> Answered | None:
    """Return the distribution of each target on its own, by the kernel.

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
    sizes = [model.n_states[v] for v in order]
    flat = np.empty(sum(sizes))
    logarithm = np.empty(1)
    wanted = np.array(order, dtype=np.int32)
    state = model.rows.each_margin(row, wanted, flat, logarithm, SMALL_BYTES, SMALL_WORK)
    if state == TOO_LARGE:  # the logarithm may not have been written
        return None
    if state == IMPOSSIBLE or logarithm[0] == -np.inf:
        raise ImpossibleError
    ends = np.cumsum(sizes).tolist()
    tables = {v: flat[end - model.n_states[v] : end] for v, end in zip(order, ends, strict=True)}
    return Answered({(v,): tables[v] for v in targets}, float(logarithm[0]))


def log_probability(model: Model, evidence: Evidence, max_bytes: int) -> float:
    """Return the logarithm of the probability of what is given; -inf if it is impossible."""
    try:
        pieces = parts(model, [], evidence)
        return math.fsum(log_of_part(model, part, evidence, max_bytes) for part in pieces)
    except ImpossibleError:
        return -math.inf


def impossible(model: Model, evidence: Evidence, max_bytes: int) -> ValueError:
    """Return the error that names what contradicts itself."""
    start = "the evidence has probability 0: "
    try:
        culprits = contradiction(model, evidence, max_bytes)
    except TooLargeError:  # which of them it is would take too much
        return ValueError(f"{start}some of it is impossible together.")
    said = [
        f"{model.names[v]} = {model.states[v][evidence.hard[v]]}"
        if v in evidence.hard
        else f"the likelihoods of {model.names[v]}"
        for v in culprits
    ]
    if len(said) == 1:
        return ValueError(f"{start}{said[0]} is impossible.")
    together = f"{listed(said, None)} are impossible together. Leave one of them out."
    return ValueError(start + together)


def contradiction(model: Model, evidence: Evidence, max_bytes: int) -> list[int]:
    """Return a few variables whose evidence is impossible together: leave one out, and it is not.

    The evidence is taken up in order until it becomes impossible. What came last must be part of
    the contradiction; with that fixed, the rest is searched again.
    """
    core: list[int] = []
    rest = sorted(evidence.variables)

    def impossible(variables: Iterable[int]) -> bool:
        return log_probability(model, evidence.only(variables), max_bytes) == -math.inf

    while not impossible(core):
        possible, enough = 0, len(rest)
        while enough - possible > 1:
            middle = (possible + enough) // 2
            if impossible([*core, *rest[:middle]]):
                enough = middle
            else:
                possible = middle
        if not rest:
            break
        core.append(rest[enough - 1])
        rest = rest[: enough - 1]
    return sorted(core)


def shown_bytes(n: int) -> str:
    """Return a number of bytes in a unit that suits it."""
    amount, units = float(n), ["bytes", "KB", "MB", "GB", "TB"]
    while amount >= 1024 and len(units) > 1:
        amount /= 1024
        units.pop(0)
    return f"{amount:,.3g} {units[0]}" if amount < 1000 else f"{amount:,.0f} {units[0]}"


def split_parts(
    model: Model, targets: Iterable[int], evidence: Evidence
) -> tuple[list[Part], list[Part]]:
    """Tell the parts that hold a target from the others."""
    asked = set(targets)
    wanted: list[Part] = []
    others: list[Part] = []
    for part in parts(model, asked, evidence):
        (others if asked.isdisjoint(part.open) else wanted).append(part)
    return wanted, others


def _planned(model: Model, part: Part, evidence: Evidence, targets: Sequence[int]) -> Tree:
    """Plan how to sum all of a part but its targets out."""
    kept = [v for v in targets if v in part.open]
    summed = [v for v in part.open if v not in kept]
    return plan_tree(scopes_of(model, part, evidence), model.n_states, summed, kept)


def scopes_of(model: Model, part: Part, evidence: Evidence) -> list[list[int]]:
    """Return the variables of each factor of a part: tables, then likelihoods."""
    scopes = [[v for v in model.family(table) if v not in evidence.hard] for table in part.tables]
    return scopes + [[v] for v in part.open if v in evidence.soft]


def messages_of(model: Model, part: Part, evidence: Evidence) -> list[Message]:
    """Return the factors of a part, in the order of the scopes in `scopes_of`."""
    cpts = [Message(evidence.sliced(model, table), model.smallest[table]) for table in part.tables]
    soft = [(v, evidence.soft[v]) for v in part.open if v in evidence.soft]
    return cpts + [Message(Factor((v,), own), float(own[own > 0].min())) for v, own in soft]


def _allow(model: Model, plans: Sequence[tuple[Tree, int]], max_bytes: int) -> None:
    """Refuse plans of which one takes too much; they are carried out one after the other."""
    tree, n_bytes = max(plans, key=lambda plan: plan[1], default=(None, 0))
    if tree is not None and n_bytes > max_bytes:
        raise TooLargeError(model, tree.largest, n_bytes, max_bytes, ADVICE)


def log_of_parts(
    model: Model, others: Iterable[Part], evidence: Evidence, max_bytes: int = _CHECKED_BYTES
) -> float | None:
    """Probability of evidence without bearing on the targets; None if that would take too much."""
    total: float | None = 0.0
    for part in others:
        try:
            total = _plus(total, log_of_part(model, part, evidence, min(max_bytes, _CHECKED_BYTES)))
        except TooLargeError:
            total = None
    return total


def log_of_part(model: Model, part: Part, evidence: Evidence, max_bytes: int) -> float:
    """Return the logarithm of what a part sums to."""
    tree = _planned(model, part, evidence, [])
    _allow(model, [(tree, tree.bytes_one_way)], max_bytes)
    return sum_out(tree, messages_of(model, part, evidence))[1]


def _plus(total: float | None, more: float) -> float | None:
    return None if total is None else total + more
