"""Why this prediction: the change that each observed column makes.

In: a network, a target and what is known. Out: Shapley values over the known columns: the average
change of the target's probability when a column becomes known, over all orders in which the columns
could have become known. They add up to the change that all make together.
"""

from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass
from math import comb
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from bnsieve.network.questions import Questions
from bnsieve.sieve.machine import Condition, Rule
from bnsieve.table import Range

# Up to so many known columns, all their 2^n subsets are asked; more are sampled.
MAX_EXACT = 10
# Orders that are drawn, each with its reverse, which halves the error of most values and more.
N_ORDERS = 128
_MOST_RULES = 5


@dataclass(frozen=True, eq=False, repr=False)
class Reasons:
    """What speaks for and against one label of a target.

    Attributes
    ----------
    target : str
    label : label
    probability : float
        Of the label, given all that is known.
    before : float
        The same, given nothing.
    changes : DataFrame
        One line per known column, the largest change first: its `label`, the `change` of the
        probability that is due to it, and the standard `error` of that (0 if it is exact).
    rules : tuple of Rule
        Rules of the target's Tsetlin machine whose conditions all hold, if a machine was asked.
    """

    target: str
    label: Hashable
    probability: float
    before: float
    changes: pd.DataFrame
    rules: tuple[Rule, ...] = ()

    @property
    def is_exact(self) -> bool:
        """Whether all orders were looked at."""
        return not self.changes.error.any()

    def __repr__(self) -> str:
        lines = [
            f"P({self.target} = {self.label}) is {self.probability:.4f}; it was {self.before:.4f} "
            "before anything was known"
        ]
        names = [f"{name} = {label}" for name, label in self.changes.label.items()]
        width = max(map(len, names), default=0)
        for name, line in zip(names, self.changes.itertuples(), strict=True):
            error = "" if self.is_exact else f"  s.e. {line.error:.4f}"
            lines.append(f"  {name:<{width}}  {line.change:+.4f}{error}")
        if self.rules:
            lines.append("rules of the machine that hold here:")
            lines += [f"  {rule}" for rule in self.rules[:_MOST_RULES]]
        return "\n".join(lines)


def reasons_for(
    network: Questions,
    target: str,
    given: Mapping[str, Hashable],
    label: Hashable,
    predict_proba: Callable[[pd.DataFrame, str], pd.DataFrame],
    seed: int,
) -> Reasons:
    """Share the change of a label's probability among the columns that are known.

    Parameters
    ----------
    network : BayesianNetwork
    target : str
    given : mapping from str to label
        Possible together.
    label : label
        Of the target.
    predict_proba : callable
        The network's; takes rows in which cells are missing.
    seed : int
        Of the orders that are drawn where there are too many columns to look at all.
    """
    names = tuple(given)
    column = network.levels[target].index(label)

    def values(subsets: NDArray[np.bool_]) -> NDArray[np.float64]:
        """Return the label's probability if just these columns are known, shape (n_subsets,)."""
        rows = _rows(network, given, subsets)
        answer: NDArray[np.float64] = predict_proba(rows, target).to_numpy()[:, column]
        return answer

    ends = [network.query(target, known).probabilities[column] for known in ({}, given)]
    if len(names) <= MAX_EXACT:
        changes, errors = _exact(len(names), values)
    else:
        changes, errors = _sampled(len(names), values, np.random.default_rng(seed))
    frame = pd.DataFrame(
        {"label": list(given.values()), "change": changes, "error": errors},
        index=pd.Index(names, name="column", dtype=object),
    )
    largest_first = np.argsort(-np.abs(changes), kind="stable")
    return Reasons(target, label, float(ends[1]), float(ends[0]), frame.iloc[largest_first])


def _rows(
    network: Questions, given: Mapping[str, Hashable], subsets: NDArray[np.bool_]
) -> pd.DataFrame:
    """Return one row for each subset of the known columns; the other cells are missing."""
    columns = {}
    for name, known in zip(given, subsets.T, strict=True):
        levels = list(network.levels[name])
        codes = np.where(known, levels.index(given[name]), -1)
        columns[name] = pd.Categorical.from_codes(codes.tolist(), dtype=pd.CategoricalDtype(levels))
    return pd.DataFrame(columns, index=pd.RangeIndex(len(subsets)))


def _exact(n: int, values: Any) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Average over all subsets, each weighted by the orders in which it comes before a column."""
    if n == 0:
        return np.zeros(0), np.zeros(0)
    numbers = np.arange(1 << n)
    subsets = (numbers[:, np.newaxis] >> np.arange(n)) & 1 == 1
    found = values(subsets)
    sizes = subsets.sum(axis=1)
    weights = np.array([1.0 / (n * comb(n - 1, size)) for size in range(n)])
    changes = np.empty(n)
    for i in range(n):
        without = numbers[~subsets[:, i]]
        gains = found[without | 1 << i] - found[without]
        changes[i] = float(weights[sizes[without]] @ gains)
    return changes, np.zeros(n)


def _sampled(
    n: int, values: Any, rng: np.random.Generator
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Average over orders that are drawn, each with its reverse; one batch of questions."""
    orders = np.array([rng.permutation(n) for _ in range(N_ORDERS)])
    both = np.concatenate([orders, orders[:, ::-1]])
    # In order o, column i is known after step place[o, i].
    place = np.argsort(both, axis=1)
    steps = np.arange(n + 1)
    subsets = place[:, np.newaxis, :] < steps[:, np.newaxis]
    distinct, inverse = np.unique(subsets.reshape(-1, n), axis=0, return_inverse=True)
    found = values(distinct)[inverse.ravel()].reshape(len(both), n + 1)
    gains = np.take_along_axis(np.diff(found, axis=1), place, axis=1)
    pairs = (gains[:N_ORDERS] + gains[N_ORDERS:]) / 2
    errors: NDArray[np.float64] = pairs.std(axis=0, ddof=1) / np.sqrt(N_ORDERS)
    return pairs.mean(axis=0), errors


def rules_that_hold(
    rules: Sequence[Rule],
    known: Mapping[str, Hashable],
    numbers: Mapping[str, Hashable] | None = None,
) -> tuple[Rule, ...]:
    """Return the rules whose conditions are all known to hold, in their order.

    Parameters
    ----------
    rules : sequence of Rule
    known : mapping from str to label
    numbers : mapping from str to number, optional
        What is known of numbers, for rules that speak of ranges.
    """

    def holds(condition: Condition) -> bool:
        given = (numbers or {}) if isinstance(condition.label, Range) else known
        return condition.variable in given and condition.holds(given[condition.variable])

    return tuple(rule for rule in rules if all(map(holds, rule.conditions)))
