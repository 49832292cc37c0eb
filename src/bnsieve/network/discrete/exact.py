"""Exact answers: tables multiplied and summed along a tree of cliques.

In: targets and evidence by position. Out: joint tables, margins, and the probability of what is
given. What it will take is planned first, and refused if it is more than the caller allows.
"""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from bnsieve.network.discrete.cliques import Tree, plan_tree
from bnsieve.network.discrete.evidence import Evidence, Part, parts
from bnsieve.network.discrete.model import IMPOSSIBLE, TOO_LARGE, Factor, Model, Values
from bnsieve.network.discrete.propagation import (
    ImpossibleError,
    Message,
    all_margins,
    sum_out,
)
from bnsieve.text import listed

# Evidence that has no bearing on the targets is still checked, if that takes no more than this.
_CHECKED_BYTES = 1 << 25
# Messages of one target. With larger ones, margins that share their messages are faster.
SMALL_BYTES = 1 << 17
# Cells of the cliques of all targets: a few milliseconds, which are lost if there are more.
SMALL_WORK = 2e6


ADVICE = (
    "Ask for one target at a time, since only what bears on it is computed; give more columns; "
    "raise max_bytes; or take method='sampling', which is not exact and says how far it may be off."
)


class TooLargeError(ValueError):
    """Exact inference would take more memory than is allowed.

    Attributes
    ----------
    columns : tuple of str
        Those of the largest table.
    n_cells : int
        The cells of that table.
    n_bytes : int
        What the whole question would take.
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
            f"{len(self.columns)} columns ({named}). {advice}"
        )


@dataclass(frozen=True, eq=False)
class Answered:
    """Tables of targets, each with its scope, and the logarithm of the evidence's probability."""

    tables: dict[tuple[int, ...], Values]
    log_evidence: float | None


def joint_table(
    model: Model, targets: Sequence[int], evidence: Evidence, max_bytes: int
) -> Answered:
    """Return the joint distribution of the targets, one axis each, in their order."""
    if len(targets) == 1:
        return margins(model, targets, evidence, max_bytes)
    wanted, others = split_parts(model, targets, evidence)
    trees = []
    for part in wanted:
        kept = [v for v in targets if v in part.open]
        trees.append(_planned(model, part, evidence, kept))
    whole = Tree((), tuple(targets), (), model.n_levels)
    _allow(model, [(tree, tree.bytes_one_way) for tree in (*trees, whole)], max_bytes)
    log_evidence = log_of_parts(model, others, evidence, max_bytes)
    joint = np.ones([model.n_levels[v] for v in targets])
    for part, tree in zip(wanted, trees, strict=True):
        table, log_scale = sum_out(tree, messages_of(model, part, evidence))
        total = float(table.sum())
        if not total > 0:
            raise ImpossibleError
        joint *= (table / total)[
            tuple(slice(None) if v in tree.kept else np.newaxis for v in targets)
        ]
        log_evidence = _plus(log_evidence, log_scale + math.log(total))
    return Answered({tuple(targets): joint}, log_evidence)


def margins(model: Model, targets: Sequence[int], evidence: Evidence, max_bytes: int) -> Answered:
    """Return the distribution of each target on its own."""
    small = small_margins(model, targets, evidence, max_bytes)
    if small is not None:
        tables, log_small = small
        return Answered({(v,): tables[v] for v in targets}, log_small)
    wanted, others = split_parts(model, targets, evidence)
    asked = set(targets)
    trees, plans = [], []
    for part in wanted:
        own = [v for v in part.open if v in asked]
        alone = len(own) == 1
        tree = _planned(model, part, evidence, own if alone else [])
        trees.append(tree)
        plans.append((tree, tree.bytes_one_way if alone else tree.bytes_both_ways))
    _allow(model, plans, max_bytes)
    log_evidence = log_of_parts(model, others, evidence, max_bytes)
    found: dict[int, Values] = {v: np.ones(1) for v in targets if model.n_levels[v] == 1}
    for part, tree in zip(wanted, trees, strict=True):
        messages = messages_of(model, part, evidence)
        if tree.kept:
            table, log_scale = sum_out(tree, messages)
            total = float(table.sum())
            if not total > 0:
                raise ImpossibleError
            found[tree.kept[0]] = table / total
            log_scale += math.log(total)
        else:
            every, log_scale = all_margins(tree, messages)
            found.update({v: margin for v, margin in every.items() if v in asked})
        log_evidence = _plus(log_evidence, log_scale)
    return Answered({(v,): found[v] for v in targets}, log_evidence)


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


def log_probability(model: Model, evidence: Evidence, max_bytes: int) -> float:
    """Return the logarithm of the probability of what is given; -inf if it is impossible."""
    try:
        pieces = parts(model, [], evidence)
        return math.fsum(log_of_part(model, part, evidence, max_bytes) for part in pieces)
    except ImpossibleError:
        return -math.inf


def impossible(model: Model, evidence: Evidence, max_bytes: int) -> ValueError:
    """Return the error that names what contradicts itself."""
    said = []
    try:
        culprits = contradiction(model, evidence, max_bytes)
    except TooLargeError:  # which of them it is would take too much
        return ValueError("what is given has probability 0: some of it is impossible together.")
    for v in culprits:
        if v in evidence.hard:
            said.append(f"{model.names[v]} = {model.levels[v][evidence.hard[v]]}")
        else:
            said.append(f"the likelihoods of {model.names[v]}")
    if len(said) == 1:
        return ValueError(f"what is given has probability 0: {said[0]} is impossible.")
    return ValueError(
        f"what is given has probability 0: {listed(said, None)} are impossible "
        "together. Leave one of them out."
    )


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


def _planned(model: Model, part: Part, evidence: Evidence, kept: Sequence[int]) -> Tree:
    scopes = scopes_of(model, part, evidence)
    return plan_tree(scopes, model.n_levels, [v for v in part.open if v not in kept], kept)


def scopes_of(model: Model, part: Part, evidence: Evidence) -> list[list[int]]:
    """Return the variables of each factor of a part: tables, then likelihoods."""
    scopes = [[v for v in model.family(table) if v not in evidence.hard] for table in part.tables]
    return scopes + [[v] for v in part.open if v in evidence.soft]


def messages_of(model: Model, part: Part, evidence: Evidence) -> list[Message]:
    """Return the factors of a part, in the order of the scopes in `scopes_of`."""
    found = [Message(evidence.sliced(model, table), model.smallest[table]) for table in part.tables]
    for v in part.open:
        if v in evidence.soft:
            weights = evidence.soft[v]
            found.append(Message(Factor((v,), weights), float(weights[weights > 0].min())))
    return found


def _allow(model: Model, plans: Sequence[tuple[Tree, int]], max_bytes: int) -> None:
    """Refuse plans of which one takes too much; they are carried out one after the other."""
    tree, n_bytes = max(plans, key=lambda plan: plan[1], default=(None, 0))
    if tree is not None and n_bytes > max_bytes:
        raise TooLargeError(model, tree.largest, n_bytes, max_bytes, ADVICE)


def log_of_parts(
    model: Model, others: Iterable[Part], evidence: Evidence, max_bytes: int
) -> float | None:
    """Probability of what has no bearing on the targets; None if that would take too much."""
    total: float | None = 0.0
    for part in others:
        try:
            total = _plus(total, log_of_part(model, part, evidence, min(max_bytes, _CHECKED_BYTES)))
        except TooLargeError:
            total = None
    return total


def check_parts(model: Model, others: Iterable[Part], evidence: Evidence) -> None:
    """Refuse evidence that is impossible where it has no bearing on the targets."""
    log_of_parts(model, others, evidence, _CHECKED_BYTES)


def log_of_part(model: Model, part: Part, evidence: Evidence, max_bytes: int) -> float:
    """Return the logarithm of what a part sums to."""
    tree = _planned(model, part, evidence, [])
    _allow(model, [(tree, tree.bytes_one_way)], max_bytes)
    table, log_scale = sum_out(tree, messages_of(model, part, evidence))
    total = float(table.sum())
    if not total > 0:
        raise ImpossibleError
    return log_scale + math.log(total)


def _plus(total: float | None, more: float) -> float | None:
    return None if total is None else total + more
