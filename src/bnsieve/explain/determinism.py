"""Deterministic relations: functions of other columns, sums, duplicates, coinciding categories.

In: for each edge of a network, the joint counts of its columns, from the counts of all rows behind
the network. Out: a `Determinism`.

A relation is reported if chance would make at least ten rows contradict it, and at most one in a
hundred of this number does. The first row of each state confirms nothing, so a column with a
different state in each row determines nothing. `bnsieve.table.find_linear_relations` finds linear
relations between numeric columns. This module puts them into words.
"""

from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bnsieve.counts import JointCounts
from bnsieve.explain.support import plain_values
from bnsieve.graph import reachable
from bnsieve.text import listed

# How many rows chance would have against a claim, at least; and of these how many may be.
ENOUGH = 10.0
TOLERATED = 0.01
# A record of a function of thousands of states, such as a product's group, has only so many.
_KEPT_STATES = 100
# Of the variance: what sums of rounded numbers leave is told, what arithmetic leaves is not.
_EXACT = 1e-12

ColumnState = tuple[str, Hashable]


@dataclass(frozen=True)
class Function:
    """A column that is a function of others.

    Attributes
    ----------
    column : str
    of : tuple of str
        One column, or several that together determine it.
    exceptions : int
        The number of rows that contradict the function.
    n_rows : int
        The number of rows in which all columns are known.
    mutual : bool
        Whether the other column is also a function of this one. The two are then duplicates, except
        in `exceptions` rows.
    implies : tuple of (tuple of states, state)
        The state of the column that each configuration of the others implies.
    """

    column: str
    of: tuple[str, ...]
    exceptions: int
    n_rows: int
    mutual: bool
    implies: tuple[tuple[tuple[Hashable, ...], Hashable], ...]

    def __str__(self) -> str:
        kind, others = "duplicate" if self.mutual else "function", " and ".join(self.of)
        return f"{self.column} is a {kind} of {others}{_but_for(self.exceptions)}"


@dataclass(frozen=True)
class LinearFunction:
    """A numeric column that is a weighted sum of others, exactly or nearly.

    Attributes
    ----------
    column : str
        The column of the relation that varies most, such as a total.
    of : tuple of str
    weights : tuple of float
    constant : float
        0 if chance explains it.
    unexplained : float
        The unexplained share of the column's variance, below a thousandth.
    """

    column: str
    of: tuple[str, ...]
    weights: tuple[float, ...]
    constant: float
    unexplained: float

    @property
    def is_exact(self) -> bool:
        """Whether nothing but rounding of floats is unexplained."""
        return self.unexplained <= _EXACT

    @property
    def formula(self) -> str:
        """The relation as an equation, its weights to four digits."""
        sizes = [f"{abs(weight):.4g}" for weight in self.weights]
        terms = [
            (weight, name if size == "1" else f"{size} {name}")
            for weight, size, name in zip(self.weights, sizes, self.of, strict=True)
        ]
        if self.constant:
            terms.append((self.constant, f"{abs(self.constant):.4g}"))
        text = "".join(f" {'-' if weight < 0 else '+'} {term}" for weight, term in terms)
        return f"{self.column} = {text.removeprefix(' + ').lstrip()}"

    def solved_for(self, name: str) -> "LinearFunction":
        """Return the same relation with one of the other columns as the sum."""
        own = self.weights[self.of.index(name)]
        terms = dict(zip(self.of, (-weight / own for weight in self.weights), strict=True))
        terms[self.column] = 1 / own
        del terms[name]
        return replace(
            self,
            column=name,
            of=tuple(terms),
            weights=tuple(terms.values()),
            constant=-self.constant / own,
        )

    def __str__(self) -> str:
        told = f"{self.column} is linear in {listed(self.of, None)}: {self.formula}"
        if self.is_exact:
            return told
        return f"{told}, but for {100 * self.unexplained:.1g} % of its variance"


@dataclass(frozen=True)
class SameFact:
    """Categories of several columns that occur in the same rows.

    Attributes
    ----------
    states : tuple of (str, state)
        The columns, each with its state.
    n_rows : int
        The number of rows with the first of these states.
    exceptions : int
        The number of rows in which, of two compared states, only one occurs.
    """

    states: tuple[ColumnState, ...]
    n_rows: int
    exceptions: int

    def __str__(self) -> str:
        columns: dict[str, list[str]] = {}
        for column, state in self.states:
            columns.setdefault(str(state), []).append(column)
        said = " and ".join(f"{state!r} in {listed(own, None)}" for state, own in columns.items())
        return f"{said} occur in the same {self.n_rows:,} rows{_but_for(self.exceptions)}"


@dataclass(frozen=True)
class Implication:
    """A state that implies one state of another column, in all or nearly all of its rows.

    Attributes
    ----------
    given, then : (str, state)
    n_rows : int
        The number of rows with the first state in which the other column is known.
    exceptions : int
    """

    given: ColumnState
    then: ColumnState
    n_rows: int
    exceptions: int

    def __str__(self) -> str:
        (column, state), (other, implied) = self.given, self.then
        rows = f"{self.n_rows:,} rows{_but_for(self.exceptions)}"
        return f"{column}={state} implies {other}={implied}: {rows}"


@dataclass(frozen=True)
class Determinism:
    """Deterministic relations in a table, between columns that are adjacent in its network.

    Attributes
    ----------
    functions : tuple of Function
        The functions with the fewest exceptions come first.
    facts : tuple of SameFact
        The facts with the most columns come first. A fact about two columns is left out if a
        function implies it, and a function between columns of two states if a fact about more
        columns implies it.
    implications : tuple of Implication
        One-way implications between adjacent columns, those with the most rows first.
    linear : tuple of LinearFunction
        Numeric columns that are weighted sums of others, adjacent or not.
    """

    functions: tuple[Function, ...] = ()
    facts: tuple[SameFact, ...] = ()
    implications: tuple[Implication, ...] = ()
    linear: tuple[LinearFunction, ...] = ()

    @property
    def pairs(self) -> dict[frozenset[str], str]:
        """For two columns that a function or a fact relates: the relation in words.

        Functions of several columns are left out, because each of these columns adds information.
        """
        words = {
            frozenset((one, other)): str(fact)
            for fact in self.facts
            for (one, _), (other, _) in combinations(fact.states, 2)
        }
        alone = (function for function in self.functions if len(function.of) == 1)
        words |= {frozenset((each.column, *each.of)): str(each) for each in alone}
        two = (each for each in self.linear if len(each.of) == 1)
        return words | {frozenset((each.column, *each.of)): str(each) for each in two}

    def to_dict(self) -> dict[str, Any]:
        """Return plain dictionaries, lists, strings and numbers; of many states, only the first."""
        plain: dict[str, Any] = plain_values(asdict(self))
        for function in plain["functions"]:
            function["n_states"] = len(function["implies"])
            function["implies"] = function["implies"][:_KEPT_STATES]
        plain["implications"] = plain["implications"][:_KEPT_STATES]
        return plain

    def __str__(self) -> str:
        told = [*self.functions, *self.linear, *self.facts, *self.implications]
        return "\n".join(map(str, told)) or "no column is a function of another"


def find_determinism(
    names: Sequence[str],
    states: Mapping[str, Sequence[Hashable]],
    families: Iterable[JointCounts],
    duplicates: Mapping[str, str] | None = None,
    linear: Iterable[LinearFunction] = (),
) -> Determinism:
    """Find deterministic relations among the columns of each family.

    Parameters
    ----------
    names : sequence of str
        The names of the columns, in the order of their numbers in the tables.
    states : mapping of str to states
    families : iterable of JointCounts
        The counts of each family, the child last.
    duplicates : mapping of str to str
        Columns that are already known to be duplicates of others.
    linear : iterable of LinearFunction
        Relations between numeric columns, found before.
    """
    search = _Search(names, states)
    for family in families:
        *parents, child = family.variables
        for parent in parents:
            search.compare(family.marginal((parent, child)).complete())
        if len(parents) > 1 and not any(search.bound(child, parent) for parent in parents):
            search.compare_all(family.complete())
    return replace(search.result(duplicates or {}), linear=tuple(linear))


class _Search:
    def __init__(self, names: Sequence[str], states: Mapping[str, Sequence[Hashable]]) -> None:
        self._names = names
        self._states = states
        self._functions: dict[tuple[int, tuple[int, ...]], Function] = {}
        self._same: dict[tuple[ColumnState, ColumnState], tuple[int, int]] = {}
        self._implications: list[Implication] = []

    def bound(self, a: int, b: int) -> bool:
        return (a, (b,)) in self._functions or (b, (a,)) in self._functions

    def compare(self, pair: JointCounts) -> None:
        """Compare two columns, in both directions."""
        parent, child = pair.variables
        for variables, codes in (
            ((parent, child), pair.configurations),
            ((child, parent), pair.configurations[::-1]),
        ):
            self._note(variables, codes, pair.counts)
        if not self._are_duplicates(child, (parent,)):
            self._compare_states(pair, parent, child)

    def compare_all(self, family: JointCounts) -> None:
        """Test whether all parents together determine the child; leave out those not needed."""
        *parents, child = family.variables
        for parent in (None, *parents):
            others = [v for v in parents if v != parent]
            if len(others) < 2:
                continue
            table = family.marginal((*others, child))
            if _exceptions(table.configurations, table.counts) >= 0:
                parents = others
            elif parent is None:
                return
        table = family.marginal((*parents, child))
        self._note(table.variables, table.configurations, table.counts)

    def _state(self, variable: int, code: Any) -> Hashable:
        return self._states[self._names[variable]][int(code)]

    def _note(
        self, variables: Sequence[int], codes: NDArray[Any], counts: NDArray[np.int64]
    ) -> None:
        """Note the last variable as a function of the others, if it is one."""
        exceptions = _exceptions(codes, counts)
        if exceptions < 0:
            return
        *of, column = variables
        implies = tuple(
            (
                tuple(self._state(v, code) for v, code in zip(of, given, strict=True)),
                self._state(column, implied),
            )
            for *given, implied in codes[:, _most_frequent(_places(codes[:-1]), counts)].T.tolist()
        )
        names, n_rows = tuple(self._names[v] for v in of), int(counts.sum())
        function = Function(self._names[column], names, exceptions, n_rows, False, implies)
        self._functions[column, tuple(of)] = function

    def _compare_states(self, pair: JointCounts, parent: int, child: int) -> None:
        """Find states of two columns that imply each other."""
        codes, n = pair.configurations.astype(np.int64), pair.counts
        total = max(1, int(n.sum()))
        n_a, n_b = (np.bincount(own, weights=n).astype(np.int64)[own] for own in codes)
        forth = _holds(n_a * (total - n_b) / total, n_a - n)
        back = _holds(n_b * (total - n_a) / total, n_b - n)
        bound = self.bound(parent, child)
        for cell in np.flatnonzero(forth | back).tolist():
            a, b = codes[:, cell].tolist()
            one = self._names[parent], self._state(parent, a)
            other = self._names[child], self._state(child, b)
            rows, others, both = int(n_a[cell]), int(n_b[cell]), int(n[cell])
            if forth[cell] and back[cell]:
                self._same[one, other] = rows, rows + others - 2 * both
            elif bound:
                continue  # the function says it
            elif forth[cell]:
                self._implications.append(Implication(one, other, rows, rows - both))
            else:
                self._implications.append(Implication(other, one, others, others - both))

    def result(self, duplicates: Mapping[str, str]) -> Determinism:
        functions = [
            Function(name, (original,), 0, 0, True, ())
            for name, original in sorted(duplicates.items())
        ]
        place = {name: v for v, name in enumerate(self._names)}
        facts = [
            fact
            for fact in self._facts()
            if len(fact.states) > 2 or not self.bound(*(place[column] for column, _ in fact.states))
        ]
        known = {frozenset((function.column, *function.of)) for function in functions}
        for (column, of), function in self._functions.items():
            ends = frozenset((function.column, *function.of))
            mutual = self._are_duplicates(column, of)
            # A function of two states says no more than a fact that has both columns.
            is_fact = len({implied for _, implied in function.implies}) == 2 and any(
                ends <= {column for column, _ in fact.states} for fact in facts
            )
            if ends in known or (is_fact and not mutual):
                continue
            if mutual:
                known.add(ends)
            functions.append(replace(function, mutual=mutual))
        functions.sort(key=lambda each: (not each.mutual, each.exceptions, each.column, each.of))
        implications = sorted(self._implications, key=lambda each: (-each.n_rows, str(each)))
        return Determinism(tuple(functions), tuple(facts), tuple(implications))

    def _are_duplicates(self, column: int, of: tuple[int, ...]) -> bool:
        both = {(column, of), (of[0], (column,))}
        return len(of) == 1 and self._functions.keys() >= both

    def _facts(self) -> list[SameFact]:
        """Group categories that occur in the same rows."""
        following: dict[ColumnState, list[ColumnState]] = {}
        for one, other in self._same:
            following.setdefault(one, []).append(other)
            following.setdefault(other, []).append(one)
        facts, seen = [], set()
        for state in sorted(following, key=str):
            if state in seen:
                continue
            group = reachable([state], following.__getitem__)
            seen |= group
            within = [value for ends, value in self._same.items() if ends[0] in group]
            n_rows, exceptions = max(n for n, _ in within), sum(k for _, k in within)
            facts.append(SameFact(tuple(sorted(group, key=str)), n_rows, exceptions))
        return sorted(facts, key=lambda fact: (-len(fact.states), -fact.n_rows, str(fact.states)))


def _places(codes: NDArray[Any]) -> NDArray[np.intp]:
    """Return the number of each line's configuration, shape (n_lines,)."""
    return np.unique(codes, axis=1, return_inverse=True)[1].ravel()


def _most_frequent(given: NDArray[np.intp], counts: NDArray[np.int64]) -> NDArray[np.intp]:
    """Return, for each value of what is given, its most frequent line: the first of several."""
    order = np.lexsort((np.arange(len(counts)), -counts, given))
    return np.sort(order[np.unique(given[order], return_index=True)[1]])


def _exceptions(codes: NDArray[Any], counts: NDArray[np.int64]) -> int:
    """Return how many rows contradict that the last column is a function; -1 if it is none.

    By chance a row that is not the first of its state would be otherwise as often as the code is
    not the most frequent one.
    """
    total = int(counts.sum())
    if not total:
        return -1
    given = _places(codes[:-1])
    most = np.bincount(codes[-1], weights=counts).max() / total
    best = _most_frequent(given, counts)
    exceptions = total - int(counts[best].sum())
    expected = (total - len(best)) * (1 - most)
    return exceptions if _holds(np.array(expected), np.array(exceptions)) else -1


def _holds(by_chance: NDArray[np.float64], exceptions: NDArray[np.int64]) -> NDArray[np.bool_]:
    """Tell which claims stand that so many rows would contradict by chance, and so many do."""
    stands: NDArray[np.bool_] = (by_chance >= ENOUGH) & (exceptions <= TOLERATED * by_chance)
    return stands


def _but_for(exceptions: int) -> str:
    return "" if not exceptions else f", but for {exceptions:,} row{'s'[: exceptions != 1]}"
