"""Deterministic relations, imposed on drawn rows.

In: a `Determinism`, the states of the variables, codes and numbers of rows. Out: codes in which
functions and implications hold, if possible, and the rows in which one does not; numbers that are
exact sums of others.
"""

from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from bnsieve.explain import Determinism, LinearFunction
from bnsieve.table import Floats

CodesOf = dict[str, NDArray[np.int64]]
# Moves the values of a numeric variable into bins: the variable, the rows, the bins.
MoveNumbers = Callable[[str, NDArray[np.bool_], NDArray[np.int64]], None]


@dataclass(frozen=True, eq=False)
class Lookup:
    """A variable as a function of others: its code for each configuration of these, or -1."""

    column: str
    of: tuple[str, ...]
    codes: NDArray[np.int64]

    def implied(self, codes: Mapping[str, NDArray[np.int64]]) -> NDArray[np.int64]:
        """Return the code that each row must have; -1 if any is allowed."""
        places = [codes[name] for name in self.of]
        known = np.logical_and.reduce([own >= 0 for own in places])
        found = self.codes[tuple(np.maximum(own, 0) for own in places)]
        implied: NDArray[np.int64] = np.where(known, found, -1)
        return implied


# A relation that gives one column by others.
Given = TypeVar("Given", Lookup, LinearFunction)


@dataclass(frozen=True, eq=False)
class Relations:
    """Relations to impose on rows.

    Attributes
    ----------
    functions : tuple of Lookup
        Assigned in an order in which no later function changes the input of an earlier one.
    implications : tuple of Lookup
        Assigned before the functions; each is about one state.
    all : tuple of Lookup
        All relations between states, with those that cannot be assigned.
    sums : tuple of LinearFunction
        Exact weighted sums of numbers, assigned in such an order too.
    """

    functions: tuple[Lookup, ...] = ()
    implications: tuple[Lookup, ...] = ()
    all: tuple[Lookup, ...] = field(default=())
    sums: tuple[LinearFunction, ...] = ()

    @property
    def variables(self) -> set[str]:
        """The variables in these relations."""
        return {name for one in self.all for name in (one.column, *one.of)}

    def impose(self, codes: CodesOf, move: MoveNumbers) -> None:
        """Change codes so that the relations hold."""
        for lookup in (*self.implications, *self.functions):
            implied = lookup.implied(codes)
            wrong = (implied >= 0) & (implied != codes[lookup.column])
            if wrong.any():
                move(lookup.column, wrong, implied)
                codes[lookup.column] = np.where(wrong, implied, codes[lookup.column])

    def summed(self, numbers: Mapping[str, Floats]) -> dict[str, Floats]:
        """Return the numbers that are sums of others."""
        found: dict[str, Floats] = {}
        for one in self.sums:
            parts = [found.get(name, numbers[name]) for name in one.of]
            found[one.column] = np.asarray(one.weights) @ np.stack(parts) + one.constant
        return found

    def implied(self, codes: Mapping[str, NDArray[np.int64]]) -> dict[str, NDArray[np.bool_]]:
        """Return for each variable the rows in which others imply its state."""
        found: dict[str, NDArray[np.bool_]] = {}
        for lookup in self.all:
            own = lookup.implied(codes) >= 0
            found[lookup.column] = found[lookup.column] | own if lookup.column in found else own
        return found

    def hold(self, codes: Mapping[str, NDArray[np.int64]], n: int) -> NDArray[np.bool_]:
        """Return the rows in which all relations hold."""
        fine = np.ones(n, dtype=np.bool_)
        for lookup in self.all:
            implied, own = lookup.implied(codes), codes[lookup.column]
            fine &= (implied < 0) | (own < 0) | (implied == own)
        return fine


def relations_of(
    found: Determinism,
    spreads: Mapping[str, float],
    states: Mapping[str, Sequence[Hashable]],
    parents: Mapping[str, Sequence[str]],
    tables: Mapping[str, NDArray[np.float64]],
) -> Relations:
    """Return the relations of a fit.

    Parameters
    ----------
    found : Determinism
    spreads : mapping of str to float
        The standard deviations of the variables that are drawn as numbers.
    states : mapping of str to states
        The states of each variable; bins for numbers.
    parents, tables : mapping
        The parents and CPTs of the network, in which duplicates are adjacent.
    """
    code = {name: {state: i for i, state in enumerate(own)} for name, own in states.items()}
    functions, both = [], list[Lookup]()
    for function in found.functions:
        if not {function.column, *function.of} <= code.keys():
            continue
        if not function.implies:
            lookups = _duplicates(function.column, function.of[0], parents, tables)
            functions += lookups[:1]
            both += lookups
            continue
        codes = np.full([len(states[name]) for name in function.of], -1, dtype=np.int64)
        for given, implied in function.implies:
            place = tuple(code[name][one] for name, one in zip(function.of, given, strict=True))
            codes[place] = code[function.column][implied]
        functions.append(Lookup(function.column, function.of, codes))
    ones: dict[tuple[str, str], NDArray[np.int64]] = {}

    def note(given: tuple[str, Hashable], then: tuple[str, Hashable]) -> None:
        (a, state), (b, implied) = given, then
        if a in code and b in code and a != b:
            own = ones.setdefault((a, b), np.full(len(states[a]), -1, dtype=np.int64))
            own[code[a][state]] = code[b][implied]

    for implication in found.implications:
        note(implication.given, implication.then)
    for fact in found.facts:
        for one in fact.states:
            for other in fact.states:
                note(one, other)
    implications = [Lookup(b, (a,), own) for (a, b), own in ones.items()]
    ordered = _in_order(functions)
    determined = {one.column for one in ordered}
    assigned = _in_order([one for one in implications if one.column not in determined])
    checked = (*functions, *both, *implications)
    exact = [one for one in found.linear if one.is_exact and {one.column, *one.of} <= {*spreads}]
    return Relations(tuple(ordered), tuple(assigned), checked, tuple(_sums(exact, spreads)))


def _duplicates(
    column: str,
    of: str,
    parents: Mapping[str, Sequence[str]],
    tables: Mapping[str, NDArray[np.float64]],
) -> list[Lookup]:
    """Return two duplicates as functions of each other, as the network has them."""
    for child, parent in ((column, of), (of, column)):
        if tuple(parents.get(child, ())) == (parent,) and child in tables:
            forth = tables[child].argmax(axis=1).astype(np.int64)
            back = np.full(tables[child].shape[1], -1, dtype=np.int64)
            back[forth] = np.arange(len(forth))
            return [Lookup(child, (parent,), forth), Lookup(parent, (child,), back)]
    return []


def _sums(exact: Sequence[LinearFunction], spreads: Mapping[str, float]) -> list[LinearFunction]:
    """Return sums that can be assigned one after the other.

    If another sum already gives the column, the relation is solved for the part that varies most. A
    part that varies little would often leave its range.
    """
    chosen: list[LinearFunction] = []
    for one in sorted(exact, key=lambda one: -len(one.of)):
        sizes = {
            name: abs(weight) * spreads[name]
            for name, weight in zip(one.of, one.weights, strict=True)
        }
        parts = sorted(one.of, key=lambda name: -sizes[name])
        for own in (one, *(one.solved_for(name) for name in parts)):
            if len(_in_order([*chosen, own])) > len(chosen):
                chosen.append(own)
                break
    return _in_order(chosen)


def _in_order(relations: Sequence[Given]) -> list[Given]:
    """Return relations that can be assigned one after the other: each variable once, no circle."""
    of: dict[str, Given] = {}

    def reads(name: str, wanted: str) -> bool:
        return name == wanted or (
            name in of and any(reads(parent, wanted) for parent in of[name].of)
        )

    for one in relations:
        if one.column not in of and not any(reads(p, one.column) for p in one.of):
            of[one.column] = one
    ordered: dict[str, Given] = {}

    def place(name: str) -> None:
        if name in of and name not in ordered:
            for parent in of[name].of:
                place(parent)
            ordered[name] = of[name]

    for name in of:
        place(name)
    return list(ordered.values())
