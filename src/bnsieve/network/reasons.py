"""Why this prediction: the change that each observed variable makes.

In: a model, a target and evidence. Out: Shapley values of the variables that are known: the average
change of the target's probability when a variable becomes known, over all orders in which they
could have become known. They add up to the change that all make together.
"""

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from math import comb
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from bnsieve.network.discrete.cliques import DEFAULT_MAX_BYTES
from bnsieve.network.discrete.evidence import code_of, position_of
from bnsieve.network.discrete.model import Model
from bnsieve.network.discrete.rows import row_margins
from bnsieve.network.queries import distribution
from bnsieve.sieve.machine import Condition, Rule
from bnsieve.table import Range

# Up to so many known variables, all their 2^n subsets are asked; more are sampled.
MAX_EXACT = 10
# Orders that are drawn, each with its reverse, which halves the error of most values and more.
N_ORDERS = 128
_MOST_RULES = 5


@dataclass(frozen=True, eq=False, repr=False)
class Reasons:
    """The effect of each piece of evidence on the probability of one state of a target.

    Attributes
    ----------
    target : str
        The target.
    state : state
        The state of the target whose probability is explained.
    probability : float
        The probability of the state, given all evidence.
    before : float
        The probability of the state without evidence.
    changes : DataFrame
        One row per variable in the evidence, the largest change first: its `state`, the `change` of
        the probability due to it, and the standard `error` of the change (0 if it is exact).
    rules : tuple of Rule
        Rules of the target's Tsetlin machine whose conditions all hold, if there is a machine.
    """

    target: str
    state: Hashable
    probability: float
    before: float
    changes: pd.DataFrame
    rules: tuple[Rule, ...] = ()

    @property
    def is_exact(self) -> bool:
        """Whether the changes are exact, not estimated from random orders."""
        return not self.changes.error.any()

    def __repr__(self) -> str:
        lines = [
            f"P({self.target} = {self.state}) is {self.probability:.4f}; it was {self.before:.4f} "
            "before anything was known"
        ]
        names = [f"{name} = {state}" for name, state in self.changes.state.items()]
        width = max(map(len, names), default=0)
        for name, line in zip(names, self.changes.itertuples(), strict=True):
            error = "" if self.is_exact else f"  s.e. {line.error:.4f}"
            lines.append(f"  {name:<{width}}  {line.change:+.4f}{error}")
        if self.rules:
            lines.append("rules of the machine that hold here:")
            lines += [f"  {rule}" for rule in self.rules[:_MOST_RULES]]
        return "\n".join(lines)


def reasons_for(
    model: Model,
    target: str,
    given: Mapping[str, Hashable],
    state: Hashable | None,
    seed: int,
    rules: tuple[Rule, ...],
) -> Reasons:
    """Share the change of a state's probability among the variables in the evidence.

    Parameters
    ----------
    model : Model
    target : str
    given : mapping from str to state
        The evidence.
    state : state, optional
        Of the target; its most probable one if not given.
    seed : int
        Of the orders that are drawn where there are too many variables to take all.
    rules : tuple of Rule
        Those that hold.
    """
    for name, value in given.items():
        if isinstance(value, Mapping):
            raise ValueError(f"why takes a state for {name!r}, not likelihoods.")
    answer = distribution(model, target, given)
    if state is None:
        state = answer.most_probable
    names = tuple(given)
    variable = position_of(model, target)
    code = code_of(model, variable, state)
    variables = [model.index[name] for name in names]
    codes = np.array([code_of(model, v, given[model.names[v]]) for v in variables], dtype=np.int32)

    def values(subsets: NDArray[np.bool_]) -> NDArray[np.float64]:
        """Return the state's probability if just these variables are known, (n_subsets,)."""
        cells = np.full((len(subsets), len(model.names)), -1, dtype=np.int32)
        cells[:, variables] = np.where(subsets, codes, -1)
        return row_margins(model, cells, variable, DEFAULT_MAX_BYTES)[:, code]

    before = distribution(model, target, None).probabilities[code]
    if len(names) <= MAX_EXACT:
        changes, errors = _exact(len(names), values)
    else:
        changes, errors = _sampled(len(names), values, np.random.default_rng(seed))
    frame = pd.DataFrame(
        {"state": list(given.values()), "change": changes, "error": errors},
        index=pd.Index(names, name="variable", dtype=object),
    )
    largest_first = np.argsort(-np.abs(changes), kind="stable")
    after = float(answer.probabilities[code])
    return Reasons(target, state, after, float(before), frame.iloc[largest_first], rules)


def _exact(n: int, values: Any) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Average over all subsets, each weighted by the orders in which it comes before a variable."""
    if n == 0:
        return np.zeros(0), np.zeros(0)
    numbers = np.arange(1 << n)
    subsets = (numbers[:, np.newaxis] >> np.arange(n)) & 1 == 1
    shares = values(subsets)
    sizes = subsets.sum(axis=1)
    weights = np.array([1.0 / (n * comb(n - 1, size)) for size in range(n)])
    changes = np.empty(n)
    for i in range(n):
        without = numbers[~subsets[:, i]]
        gains = shares[without | 1 << i] - shares[without]
        changes[i] = float(weights[sizes[without]] @ gains)
    return changes, np.zeros(n)


def _sampled(
    n: int, values: Any, rng: np.random.Generator
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Average over orders that are drawn, each with its reverse; one batch of questions."""
    orders = np.array([rng.permutation(n) for _ in range(N_ORDERS)])
    both = np.concatenate([orders, orders[:, ::-1]])
    # In order o, variable i is known after step place[o, i].
    place = np.argsort(both, axis=1)
    steps = np.arange(n + 1)
    subsets = place[:, np.newaxis, :] < steps[:, np.newaxis]
    distinct, inverse = np.unique(subsets.reshape(-1, n), axis=0, return_inverse=True)
    shares = values(distinct)[inverse.ravel()].reshape(len(both), n + 1)
    gains = np.take_along_axis(np.diff(shares, axis=1), place, axis=1)
    pairs = (gains[:N_ORDERS] + gains[N_ORDERS:]) / 2
    errors: NDArray[np.float64] = pairs.std(axis=0, ddof=1) / np.sqrt(N_ORDERS)
    return pairs.mean(axis=0), errors


def rules_that_hold(
    rules: Sequence[Rule], known: Mapping[str, Hashable], given: Mapping[str, Hashable]
) -> tuple[Rule, ...]:
    """Return the rules whose conditions are all known to hold, in their order.

    Parameters
    ----------
    rules : sequence of Rule
    known : mapping from str to state
        The evidence.
    given : mapping from str to state or number
        The same as it was given: rules about ranges take numbers.
    """

    def holds(condition: Condition) -> bool:
        values = given if isinstance(condition.label, Range) else known
        return condition.variable in values and condition.holds(values[condition.variable])

    return tuple(rule for rule in rules if all(map(holds, rule.conditions)))
