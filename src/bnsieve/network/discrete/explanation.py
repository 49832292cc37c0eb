"""Most probable explanations: the best states of some variables together, and the next best.

In: targets and evidence by position. Out: the k best assignments with their probabilities. Other
variables are summed out first; then the targets are maximised over, one after the other. Of each
table that is maximised over the whole is kept, so that it says for any choice of what comes later
how good the best choice of what came earlier is: the next best assignment is found by going back
to the best choice that was not taken.
"""

import heapq
import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import count, islice

import numpy as np

from bnsieve.network.discrete.cliques import Order, best_order
from bnsieve.network.discrete.evidence import Evidence, Part
from bnsieve.network.discrete.exact import (
    ImpossibleError,
    TooLargeError,
    log_of_part,
    log_of_parts,
    messages_of,
    product,
    scaled,
    scopes_of,
    split_parts,
    spread,
)
from bnsieve.network.discrete.model import Factor, Model, Values

ADVICE = "Ask for fewer targets, give more evidence, or raise max_bytes."


@dataclass(frozen=True, eq=False)
class Choice:
    """How good each state of a variable is, in logarithms, given the variables chosen before it."""

    variable: int
    given: tuple[int, ...]
    table: Values


def best_assignments(
    model: Model, targets: Sequence[int], evidence: Evidence, k: int, max_bytes: int
) -> list[tuple[dict[int, int], float]]:
    """Return the k most probable assignments to the targets, or all if there are fewer.

    Each is states by position, with the logarithm of their probability given the evidence.
    """
    asked = set(targets)
    wanted, others = split_parts(model, targets, evidence)
    orders = []
    for part in wanted:
        own = [v for v in part.open if v in asked]
        rest = [v for v in part.open if v not in asked]
        order = best_order(scopes_of(model, part, evidence), model.n_states, [rest, own])
        _allow(model, order, len(rest), max_bytes)
        orders.append(order)
    log_of_parts(model, others, evidence, max_bytes)  # refuses what is impossible
    choices: list[Choice] = []
    best = scale = 0.0
    for part, order in zip(wanted, orders, strict=True):
        own_choices, log_best = _maximise(model, part, evidence, order, asked)
        choices += own_choices
        best += log_best
        scale += log_of_part(model, part, evidence, max_bytes)
    fixed = {v: 0 for v in targets if model.n_states[v] == 1}
    return [
        ({**fixed, **codes}, value - scale)
        for codes, value in islice(_from_best_on(choices, best), k)
    ]


def _allow(model: Model, order: Order, n_summed: int, max_bytes: int) -> None:
    """Refuse what would take too much: all messages, the tables kept, and the largest twice."""
    messages = sum(
        size // model.n_states[v] for size, v in zip(order.sizes, order.variables, strict=True)
    )
    cells = messages + sum(order.sizes[n_summed:]) + 2 * order.n_largest
    n_bytes = 8 * cells + 4_096 * len(order.sizes) + (1 << 16)
    if n_bytes > max_bytes:
        raise TooLargeError(model, order.largest, n_bytes, max_bytes, ADVICE)


def _maximise(
    model: Model, part: Part, evidence: Evidence, order: Order, asked: set[int]
) -> tuple[list[Choice], float]:
    """Sum out what is not asked for, then maximise; choices come in the order to make them."""
    waiting = messages_of(model, part, evidence)
    total = 0.0
    n_summed = sum(v not in asked for v in order.variables)
    cliques = list(zip(order.variables, order.cliques, strict=True))
    for v, clique in cliques[:n_summed]:
        scope = (v, *clique[1:])
        used = [message for message in waiting if v in message.factor.scope]
        waiting = [message for message in waiting if v not in message.factor.scope]
        table, log_product = product(used, scope, _shape(model, scope))
        message, log_top = scaled(scope[1:], np.asarray(table.sum(axis=0)))
        waiting.append(message)
        total += log_product + log_top
    with np.errstate(divide="ignore"):
        logs = [Factor(m.factor.scope, np.log(m.factor.values)) for m in waiting]
    choices = []
    for v, clique in cliques[n_summed:]:
        scope = (v, *clique[1:])
        table = np.zeros(_shape(model, scope))
        for factor in logs:
            if v in factor.scope:
                table += spread(factor, scope)
        logs = [factor for factor in logs if v not in factor.scope]
        logs.append(Factor(scope[1:], np.asarray(table.max(axis=0))))
        choices.append(Choice(v, scope[1:], table))
    total += math.fsum(float(factor.values) for factor in logs)
    if total == -math.inf:
        raise ImpossibleError
    return choices[::-1], total


def _shape(model: Model, scope: Sequence[int]) -> tuple[int, ...]:
    return tuple(model.n_states[v] for v in scope)


def _from_best_on(choices: Sequence[Choice], best: float) -> Iterator[tuple[dict[int, int], float]]:
    """List assignments by decreasing value; each costs one walk through all choices.

    What a choice costs, the best choice instead, is known before what follows is chosen. So the
    first alternative of the heap is always the next best assignment.
    """
    ticket = count()  # of equal values, the one met first
    # What is lost, an earlier walk, how many of its choices are kept, and the next one instead.
    heap: list[tuple[float, int, list[int], int, list[int]]] = [(-best, next(ticket), [], 0, [])]
    while heap:
        loss, _, walk, n_kept, instead = heapq.heappop(heap)
        chosen = [*walk[:n_kept], *instead]
        codes = {choice.variable: code for choice, code in zip(choices, chosen, strict=False)}
        for choice in choices[len(chosen) :]:
            at: tuple[int | slice, ...] = (slice(None), *(codes[v] for v in choice.given))
            values = choice.table[at]
            top = int(values.argmax())
            for code in np.flatnonzero(values > -np.inf).tolist():
                if code != top:
                    worse = loss + float(values[top] - values[code])
                    heapq.heappush(heap, (worse, next(ticket), chosen, len(chosen), [code]))
            chosen.append(top)
            codes[choice.variable] = top
        yield codes, -loss
