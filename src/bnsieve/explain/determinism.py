"""Deterministic relations: functions of other columns, duplicates, categories that coincide.

In: for each edge of a network the joint counts of its columns, which the network's families hold:
of all rows, and without another look at them. Out: a `Determinism`.

When a claim is made: by chance at least ten rows would have to contradict it, and at most one in a
hundred of these does. The first row of each state claims, it does not confirm: a column in which
every row has a state of its own determines nothing.
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
_KEPT_LABELS = 100

Label = tuple[str, Hashable]


@dataclass(frozen=True)
class Function:
    """A column that others determine.

    Attributes
    ----------
    column : str
    of : tuple of str
        One column, or several that together determine it.
    exceptions : int
        Rows in which it is otherwise.
    n_rows : int
        Rows in which all are known.
    mutual : bool
        The other column is also a function of this one: duplicates, but for the exceptions.
    implies : tuple of (tuple of states, state)
        Which states of the others imply which state of the column.
    """

    column: str
    of: tuple[str, ...]
    exceptions: int
    n_rows: int
    mutual: bool
    implies: tuple[tuple[tuple[Hashable, ...], Hashable], ...]

    def __str__(self) -> str:
        others = " and ".join(self.of)
        if self.mutual:
            return f"{self.column} is a duplicate of {others}{_but_for(self.exceptions)}"
        return f"{self.column} is a function of {others}{_but_for(self.exceptions)}"


@dataclass(frozen=True)
class SameFact:
    """Categories of several columns that occur in the same rows.

    Attributes
    ----------
    labels : tuple of (str, state)
        Columns, each with its state.
    n_rows : int
        Rows that have the first of them.
    exceptions : int
        Rows that have one of two of them that were compared, and not the other.
    """

    labels: tuple[Label, ...]
    n_rows: int
    exceptions: int

    def __str__(self) -> str:
        by_label: dict[str, list[str]] = {}
        for column, label in self.labels:
            by_label.setdefault(str(label), []).append(column)
        said = " and ".join(f"{label!r} in {listed(own, None)}" for label, own in by_label.items())
        return f"{said} occur in the same {self.n_rows:,} rows{_but_for(self.exceptions)}"


@dataclass(frozen=True)
class Implication:
    """A state that goes with one state of another column, in all its rows or nearly all.

    Attributes
    ----------
    given, then : (str, state)
    n_rows : int
        Rows with the first state in which the other column is known.
    exceptions : int
    """

    given: Label
    then: Label
    n_rows: int
    exceptions: int

    def __str__(self) -> str:
        (column, label), (other, implied) = self.given, self.then
        rows = f"{self.n_rows:,} rows{_but_for(self.exceptions)}"
        return f"{column}={label} implies {other}={implied}: {rows}"


@dataclass(frozen=True)
class Determinism:
    """Deterministic relations in a table, between columns that are adjacent in its network.

    Attributes
    ----------
    functions : tuple of Function
        Those with the fewest exceptions first.
    facts : tuple of SameFact
        Those of most columns first. A fact of two columns is left out if a function tells it, and
        a function of two states if a fact of more columns tells it.
    implications : tuple of Implication
        One-way, between adjacent columns; those of most rows first.
    """

    functions: tuple[Function, ...] = ()
    facts: tuple[SameFact, ...] = ()
    implications: tuple[Implication, ...] = ()

    @property
    def pairs(self) -> dict[frozenset[str], str]:
        """For two columns that a function or a fact binds: what it says, in words.

        Functions of several columns are not here: each of these adds what the others lack.
        """
        found = {}
        for fact in self.facts:
            for (one, _), (other, _) in combinations(fact.labels, 2):
                found[frozenset((one, other))] = str(fact)
        for function in self.functions:
            if len(function.of) == 1:
                found[frozenset((function.column, *function.of))] = str(function)
        return found

    def to_dict(self) -> dict[str, Any]:
        """Return plain dictionaries, lists, strings and numbers; of many states the first."""
        plain: dict[str, Any] = plain_values(asdict(self))
        for function in plain["functions"]:
            function["n_labels"] = len(function["implies"])
            function["implies"] = function["implies"][:_KEPT_LABELS]
        plain["implications"] = plain["implications"][:_KEPT_LABELS]
        return plain

    def __str__(self) -> str:
        told = [*self.functions, *self.facts, *self.implications]
        return "\n".join(map(str, told)) or "no column is a function of another"


def find_determinism(
    names: Sequence[str],
    states: Mapping[str, Sequence[Hashable]],
    families: Iterable[JointCounts],
    copies: Mapping[str, str] | None = None,
) -> Determinism:
    """Find deterministic relations among the columns of each family.

    Parameters
    ----------
    names : sequence of str
        Of the columns, by the numbers that the tables have.
    states : mapping of str to states
    families : iterable of JointCounts
        Each of some columns, the child last.
    copies : mapping of str to str
        Columns that are known to be duplicates of others.
    """
    search = _Search(names, states)
    for family in families:
        *parents, child = family.variables
        for parent in parents:
            search.look_at(family.marginal((parent, child)).complete(), parent, child)
        bound = any(search.bound(child, parent) for parent in parents)
        if len(parents) > 1 and not bound:
            search.look_at_all(family.complete())
    return search.found(copies or {})


class _Search:
    def __init__(self, names: Sequence[str], states: Mapping[str, Sequence[Hashable]]) -> None:
        self._names = names
        self._states = states
        self._functions: dict[tuple[int, tuple[int, ...]], Function] = {}
        self._same: dict[tuple[Label, Label], tuple[int, int]] = {}
        self._implications: list[Implication] = []

    def bound(self, a: int, b: int) -> bool:
        return (a, (b,)) in self._functions or (b, (a,)) in self._functions

    def look_at(self, pair: JointCounts, parent: int, child: int) -> None:
        """Compare two columns, in both directions."""
        first, second = pair.configurations.astype(np.int64)
        self._add(child, (parent,), first, second, pair.counts, pair.configurations[:1])
        self._add(parent, (child,), second, first, pair.counts, pair.configurations[1:])
        if not self._copies(child, (parent,)):
            self._labels(pair, parent, child)

    def look_at_all(self, family: JointCounts) -> None:
        """Look whether all parents together determine the child; leave out those not needed."""
        *parents, child = family.variables
        if not self._determined(family, parents, child):
            return
        for parent in list(parents):
            others = [v for v in parents if v != parent]
            if len(others) > 1 and self._determined(family, others, child):
                parents = others
        table = family.marginal((*parents, child))
        keys, place = np.unique(table.configurations[:-1], axis=1, return_inverse=True)
        codes = table.configurations[-1].astype(np.int64)
        self._add(child, tuple(parents), place.ravel(), codes, table.counts, keys, distinct=True)

    def _determined(self, family: JointCounts, parents: Sequence[int], child: int) -> bool:
        table = family.marginal((*parents, child))
        place = np.unique(table.configurations[:-1], axis=1, return_inverse=True)[1].ravel()
        return _contradicted(place, table.configurations[-1].astype(np.int64), table.counts) >= 0

    def _add(
        self,
        column: int,
        of: tuple[int, ...],
        given: NDArray[np.int64],
        codes: NDArray[np.int64],
        counts: NDArray[np.int64],
        keys: NDArray[Any],
        *,
        distinct: bool = False,
    ) -> None:
        """Note a function, if it is one; `keys` has the codes of the others, by place or by row."""
        exceptions = _contradicted(given, codes, counts)
        if exceptions < 0:
            return
        best = _best(given, counts)
        rows = np.flatnonzero(best)
        implies = tuple(
            (
                tuple(
                    self._states[self._names[v]][int(code)]
                    for v, code in zip(of, keys[:, given[row] if distinct else row], strict=True)
                ),
                self._states[self._names[column]][int(codes[row])],
            )
            for row in rows.tolist()
        )
        names = tuple(self._names[v] for v in of)
        self._functions[column, of] = Function(
            self._names[column], names, exceptions, int(counts.sum()), False, implies
        )

    def _labels(self, pair: JointCounts, parent: int, child: int) -> None:
        """Look which states of two columns imply each other."""
        codes, n = pair.configurations.astype(np.int64), pair.counts
        total = max(1, int(n.sum()))
        n_a, n_b = (np.bincount(own, weights=n).astype(np.int64)[own] for own in codes)
        forth = _holds(n_a * (total - n_b) / total, n_a - n)
        back = _holds(n_b * (total - n_a) / total, n_b - n)
        bound = self.bound(parent, child)
        for cell in np.flatnonzero(forth | back).tolist():
            a, b = codes[:, cell].tolist()
            one = self._names[parent], self._states[self._names[parent]][a]
            other = self._names[child], self._states[self._names[child]][b]
            rows, others, both = int(n_a[cell]), int(n_b[cell]), int(n[cell])
            if forth[cell] and back[cell]:
                self._same[one, other] = rows, rows + others - 2 * both
            elif bound:
                continue  # the function says it
            elif forth[cell]:
                self._implications.append(Implication(one, other, rows, rows - both))
            else:
                self._implications.append(Implication(other, one, others, others - both))

    def found(self, copies: Mapping[str, str]) -> Determinism:
        functions = [
            Function(name, (original,), 0, 0, True, ()) for name, original in sorted(copies.items())
        ]
        facts = [fact for fact in self._facts() if len(fact.labels) > 2 or not self._told(fact)]
        known = {frozenset((one.column, *one.of)) for one in functions}
        for (column, of), one in self._functions.items():
            ends = frozenset((one.column, *one.of))
            mutual = self._copies(column, of)
            if ends in known or (not mutual and self._is_a_fact(one, facts)):
                continue
            if mutual:
                known.add(ends)
            functions.append(replace(one, mutual=mutual))
        functions.sort(key=lambda one: (not one.mutual, one.exceptions, one.column, one.of))
        implications = sorted(self._implications, key=lambda one: (-one.n_rows, str(one)))
        return Determinism(tuple(functions), tuple(facts), tuple(implications))

    def _copies(self, column: int, of: tuple[int, ...]) -> bool:
        both = (column, of), (of[0], (column,))
        return len(of) == 1 and all(one in self._functions for one in both)

    def _told(self, fact: SameFact) -> bool:
        """Tell whether a function says what the fact of two columns says."""
        return self.bound(*(self._names.index(column) for column, _ in fact.labels))

    def _is_a_fact(self, function: Function, facts: Iterable[SameFact]) -> bool:
        """Tell whether the function of a column with two states is told by a fact."""
        ends = {function.column, *function.of}
        two = len({label for _, label in function.implies}) == 2
        return two and any(ends <= {column for column, _ in fact.labels} for fact in facts)

    def _facts(self) -> list[SameFact]:
        """Group categories that occur in the same rows."""
        following: dict[Label, list[Label]] = {}
        for one, other in self._same:
            following.setdefault(one, []).append(other)
            following.setdefault(other, []).append(one)
        facts, seen = [], set()
        for label in sorted(following, key=str):
            if label in seen:
                continue
            group = reachable([label], lambda own: following[own])
            seen |= group
            within = [value for ends, value in self._same.items() if ends[0] in group]
            labels = tuple(sorted(group, key=str))
            n_rows, exceptions = max(n for n, _ in within), sum(k for _, k in within)
            facts.append(SameFact(labels, n_rows, exceptions))
        return sorted(facts, key=lambda fact: (-len(fact.labels), -fact.n_rows, str(fact.labels)))


def _best(given: NDArray[np.int64], counts: NDArray[np.int64]) -> NDArray[np.bool_]:
    """Mark, for each value of what is given, its most frequent line: the first of several."""
    order = np.lexsort((np.arange(len(counts)), -counts, given))
    first = np.ones(len(order), dtype=bool)
    first[1:] = given[order][1:] != given[order][:-1]
    best = np.zeros(len(order), dtype=bool)
    best[order[first]] = True
    return best


def _contradicted(
    given: NDArray[np.int64], codes: NDArray[np.int64], counts: NDArray[np.int64]
) -> int:
    """Return how many rows contradict that `given` determines the codes; -1 if it does not.

    By chance a row that is not the first of its state would be otherwise as often as the code is
    not the most frequent one.
    """
    total = int(counts.sum())
    if not total:
        return -1
    most = np.bincount(codes, weights=counts).max() / total
    exceptions = total - int(counts[_best(given, counts)].sum())
    expected = (total - len(np.unique(given))) * (1 - most)
    return exceptions if _holds(np.array(expected), np.array(exceptions)) else -1


def _holds(by_chance: NDArray[np.float64], exceptions: NDArray[np.int64]) -> NDArray[np.bool_]:
    """Tell which claims stand that so many rows would contradict by chance, and so many do."""
    stands: NDArray[np.bool_] = (by_chance >= ENOUGH) & (exceptions <= TOLERATED * by_chance)
    return stands


def _but_for(exceptions: int) -> str:
    return "" if not exceptions else f", but for {exceptions:,} row{'s'[: exceptions != 1]}"
