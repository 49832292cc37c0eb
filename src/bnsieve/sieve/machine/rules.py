"""The rules of a trained machine, readable, and the paper's importance of variables."""

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from numbers import Real

import numpy as np
from numpy.typing import NDArray

from bnsieve.sieve.machine.machine import Layout, Machine
from bnsieve.table import Range


@dataclass(frozen=True, eq=False)
class Importance:
    """The importance of each variable in one machine: steps 3 to 7 of the paper.

    Attributes
    ----------
    frequency : ndarray of int64, shape (n_variables,)
        F: the number of normalised clauses in which the variable occurs.
    weight : ndarray of int64, shape (n_variables,)
        W: the sum of the absolute weights of these clauses.
    """

    frequency: NDArray[np.int64]
    weight: NDArray[np.int64]

    @property
    def score(self) -> NDArray[np.int64]:
        """I = F x W, shape (n_variables,)."""
        return self.frequency * self.weight


def normalised_clauses(machine: Machine, layout: Layout) -> NDArray[np.bool_]:
    """Return which variables occur in which clause, whatever the category or the sign.

    Returns
    -------
    ndarray of bool, shape (n_classes * n_clauses, n_variables)
    """
    plain, negated = layout.unpack(machine.include)
    occurs = np.logical_or.reduceat(plain | negated, layout.first[:-1], axis=-1)
    return occurs.reshape(-1, layout.n_variables)


def importance(machine: Machine, layout: Layout) -> Importance:
    """Return the paper's frequency F, weight W and importance I of every variable."""
    occurs = normalised_clauses(machine, layout)
    return Importance(occurs.sum(axis=0, dtype=np.int64), machine.sizes @ occurs)


@dataclass(frozen=True)
class Condition:
    """A condition of a rule: a variable has this category, or does not have it.

    For a number, the category is a `Range`.
    """

    variable: str
    label: Hashable
    negated: bool = False

    def holds(self, value: Hashable) -> bool:
        """Return whether a category or a number meets the condition; False if it is missing."""
        if not isinstance(self.label, Range):
            return (value == self.label) != self.negated
        return isinstance(value, Real) and (float(value) in self.label) != self.negated

    def __str__(self) -> str:
        if isinstance(self.label, Range):
            return f"{'NOT ' if self.negated else ''}{self.label.of(self.variable)}"
        return f"{'NOT ' if self.negated else ''}{self.variable} = {self.label}"


@dataclass(frozen=True)
class Rule:
    """A rule, merged from all clauses with the same conditions and conclusion.

    Attributes
    ----------
    conditions : tuple of Condition
        The conditions, all of which must hold.
    target : str
        The variable that the rule predicts.
    label : hashable
        The category of the target.
    positive : bool
        True if the rule votes for the category, False if against it.
    weight : int
        The sum of the weights of the merged clauses.
    n_clauses : int
        The number of merged clauses.
    support : float
        The share of training rows for which all conditions hold.
    precision : float
        The share of these rows for which the rule is right; NaN if there are none.
    gain : float
        How much the rule explains: weight x support x (precision minus the share of all rows for
        which its conclusion is right). Rules are sorted by it.
    """

    conditions: tuple[Condition, ...]
    target: str
    label: Hashable
    positive: bool
    weight: int
    n_clauses: int
    support: float
    precision: float
    gain: float

    @property
    def variables(self) -> tuple[str, ...]:
        """The names of the variables in the conditions, each once."""
        return tuple(dict.fromkeys(condition.variable for condition in self.conditions))

    def __str__(self) -> str:
        conclusion = Condition(self.target, self.label, negated=not self.positive)
        return (
            f"IF {' AND '.join(map(str, self.conditions))} THEN {conclusion}  "
            f"(weight {self.weight}, precision {self.precision:.2f}, support {self.support:.2f})"
        )


def extract_rules(
    machine: Machine,
    layout: Layout,
    matches: NDArray[np.int64],
    n_by_class: NDArray[np.int64],
    names: Sequence[str],
    categories: Sequence[Sequence[Hashable]],
    target: str,
    classes: Sequence[Hashable],
) -> list[Rule]:
    """Turn clauses into rules: simplified, merged where equal, sorted by what they explain.

    Clauses that are empty, or that ask for two categories of one variable at once, say nothing and
    are left out.

    Parameters
    ----------
    machine : Machine
    layout : Layout
    matches : ndarray of int64, shape (n_classes, n_clauses, n_classes)
        Training rows of each category for which each clause is true; `Machine.matches`.
    n_by_class : ndarray of int64, shape (n_classes,)
        Training rows of each category.
    names, categories : sequences
        Names of the variables, and their categories in the order of the codes.
    target, classes
        Name of the target, and its categories in the order of the classes.

    Returns
    -------
    list of Rule
    """
    plain, negated = layout.unpack(machine.include)
    merged: dict[tuple[int, bool, tuple[Condition, ...]], list[int]] = {}
    for k, j in np.argwhere((plain | negated).any(axis=-1)).tolist():
        conditions = _conditions(plain[k, j], negated[k, j], layout, names, categories)
        if conditions is not None:
            merged.setdefault((k, j % 2 == 0, conditions), []).append(j)
    n_rows = int(n_by_class.sum())
    rules = []
    for (k, positive, conditions), clauses in merged.items():
        true_of = matches[k, clauses[0]]
        right = int(true_of[k] if positive else true_of.sum() - true_of[k])
        base = n_by_class[k] if positive else n_rows - n_by_class[k]
        n_true = int(true_of.sum())
        weight = int(np.abs(machine.clause_weights[k, clauses]).sum())
        rules.append(
            Rule(
                conditions,
                target,
                classes[k],
                positive,
                weight,
                len(clauses),
                support=n_true / n_rows,
                precision=right / n_true if n_true else float("nan"),
                gain=weight * (right - n_true * float(base) / n_rows) / n_rows,
            )
        )
    return sorted(rules, key=lambda rule: (-rule.gain, str(rule)))


def _conditions(
    plain: NDArray[np.bool_],
    negated: NDArray[np.bool_],
    layout: Layout,
    names: Sequence[str],
    categories: Sequence[Sequence[Hashable]],
) -> tuple[Condition, ...] | None:
    """Return the shortest conditions that say what a clause says; None if nothing can satisfy it.

    "NOT a = yes" of a variable with two categories is "a = no", and "a = yes AND NOT a = no" is
    "a = yes": without this, clauses that mean the same would look different. Neighbouring ranges of
    a number are one.
    """
    conditions: list[Condition] = []
    touched = np.logical_or.reduceat(plain | negated, layout.first[:-1])
    for variable in np.flatnonzero(touched).tolist():
        own = slice(layout.first[variable], layout.first[variable + 1])
        name, known = names[variable], categories[variable]
        possible = _possible(plain[own], negated[own], len(known))
        if not possible.any():
            return None
        first, last = np.flatnonzero(possible)[[0, -1]].tolist()
        lower, upper = known[first], known[last]
        if isinstance(lower, Range) and isinstance(upper, Range) and possible[first:last].all():
            conditions.append(Condition(name, lower.up_to(upper)))
        elif possible.sum() == 1:
            conditions.append(Condition(name, known[int(possible.argmax())]))
        else:
            excluded = np.flatnonzero(~possible).tolist()
            conditions += [Condition(name, known[code], negated=True) for code in excluded]
    return tuple(conditions)


def _possible(
    plain: NDArray[np.bool_], negated: NDArray[np.bool_], n_categories: int
) -> NDArray[np.bool_]:
    """Return which categories of a variable satisfy its literals in a clause."""
    if len(plain) == n_categories:
        possible = ~negated
        if plain.any():
            possible &= plain & (plain.sum() == 1)
        return possible
    # Thermometer literals: "above category k", or not.
    categories = np.arange(n_categories)
    lowest = int(np.flatnonzero(plain)[-1]) + 1 if plain.any() else 0
    highest = int(np.flatnonzero(negated)[0]) if negated.any() else n_categories - 1
    return (lowest <= categories) & (categories <= highest)
