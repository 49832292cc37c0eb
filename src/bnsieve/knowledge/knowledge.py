"""Background knowledge: required and forbidden directed edges, and tiers.

In: names of columns, from Python, YAML, JSON or pgmpy. Out: a `Knowledge` value, checked for
contradictions, which every learner takes; `resolve` turns it into `bnsieve.knowledge.Constraints`
for the columns of a table.
"""

import difflib
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from graphlib import CycleError, TopologicalSorter
from reprlib import repr as brief
from types import MappingProxyType
from typing import Any

import numpy as np

from bnsieve.knowledge.constraints import Constraints

Arrow = tuple[str, str]
Arrows = Iterable[Arrow | AbstractSet[str]]


@dataclass(frozen=True, init=False)
class Knowledge:
    """What is known about the arrows between columns.

    A learner given it returns a graph that holds every required arrow and no forbidden one, and
    spends nothing on pairs that may not be joined.

    Parameters
    ----------
    required : iterable of (str, str)
        Arrows, as (from, to), that the graph must have.
    forbidden : iterable of (str, str) or of sets of two str
        Arrows that the graph must not have. ``(a, b)`` forbids a -> b only: the two may still be
        joined by b -> a. The set ``{a, b}`` forbids both arrows, and with them the edge.
    tiers : sequence of collections of str
        Groups of columns in the order of time or cause: no arrow points from a later group to an
        earlier one. Edges across groups are allowed, in the lawful direction; within a group
        anything goes. A column in no group is not restricted.
    parents_of : mapping of str to collection of str
        For a column, the only ones that may point to it.
    no_parents, no_children : collection of str
        Columns that no arrow may point to, or that may point to none.

    Raises
    ------
    ValueError
        If the knowledge contradicts itself, with the pair and the cure.

    Examples
    --------
    >>> knowledge = Knowledge(required=[("smoking", "cancer")], forbidden=[{"age", "sex"}])
    >>> knowledge.forbidden
    (('age', 'sex'), ('sex', 'age'))
    """

    required: tuple[Arrow, ...]
    forbidden: tuple[Arrow, ...]
    tiers: tuple[tuple[str, ...], ...]
    parents_of: Mapping[str, tuple[str, ...]]
    no_parents: tuple[str, ...]
    no_children: tuple[str, ...]

    def __init__(
        self,
        required: Iterable[Arrow] = (),
        forbidden: Arrows = (),
        tiers: Sequence[Collection[str]] = (),
        parents_of: Mapping[str, Collection[str]] | None = None,
        no_parents: Collection[str] = (),
        no_children: Collection[str] = (),
    ) -> None:
        must = _arrows("required", required)
        not_both = next((pair for pair in sorted(must) if pair[::-1] in must), None)
        if not_both is not None:
            raise ValueError(
                f"required has both {_shown(not_both)} and its reverse: keep one of the two"
            )
        values = {
            "required": tuple(sorted(must)),
            "forbidden": tuple(sorted(_arrows("forbidden", forbidden))),
            "tiers": tuple(_names(f"tier {i + 1}", tier) for i, tier in enumerate(_tiers(tiers))),
            "parents_of": MappingProxyType(
                {
                    child: _names(f"parents_of {child!r}", parents)
                    for child, parents in sorted(_parents_of(parents_of).items())
                }
            ),
            "no_parents": _names("no_parents", no_parents),
            "no_children": _names("no_children", no_children),
        }
        for name, value in values.items():
            object.__setattr__(self, name, value)
        self._check()

    def _check(self) -> None:
        tier_of: dict[str, int] = {}
        for number, tier in enumerate(self.tiers, start=1):
            for name in tier:
                if name in tier_of:
                    raise ValueError(
                        f"{name!r} stands in tier {tier_of[name]} and in tier {number}: "
                        "keep it in one of the two"
                    )
                tier_of[name] = number
        for child, parents in self.parents_of.items():
            if child in parents:
                raise ValueError(f"parents_of lets {child!r} point to itself: remove it")
        for arrow in self.required:
            reason = self._why_forbidden(arrow, tier_of)
            if reason is not None:
                raise ValueError(
                    f"{_shown(arrow)} is required, but {reason}: remove one of the two"
                )
        cycle = _cycle(self.required)
        if cycle:
            raise ValueError(
                f"the required arrows go round in a circle, {' -> '.join(map(repr, cycle))}: "
                "remove one of them"
            )

    def _why_forbidden(self, arrow: Arrow, tier_of: Mapping[str, int]) -> str | None:
        tail, head = arrow
        if arrow in self.forbidden:
            return "it is forbidden, too"
        if tail in tier_of and head in tier_of and tier_of[tail] > tier_of[head]:
            return f"{tail!r} is in tier {tier_of[tail]}, after {head!r} in tier {tier_of[head]}"
        if tail not in self.parents_of.get(head, (tail,)):
            return f"parents_of does not name {tail!r} among those of {head!r}"
        if head in self.no_parents:
            return f"{head!r} is in no_parents"
        if tail in self.no_children:
            return f"{tail!r} is in no_children"
        return None

    @property
    def names(self) -> tuple[str, ...]:
        """Every column that is spoken of, sorted."""
        found = {*self.no_parents, *self.no_children, *self.parents_of}
        for group in (*self.required, *self.forbidden, *self.tiers, *self.parents_of.values()):
            found.update(group)
        return tuple(sorted(found))

    def resolve(self, columns: Sequence[str]) -> Constraints:
        """Return what the knowledge means for these columns, by number.

        Parameters
        ----------
        columns : sequence of str

        Returns
        -------
        Constraints
            Of the columns in the order given.

        Raises
        ------
        ValueError
            If the knowledge names a column that is not there.
        """
        number = {name: i for i, name in enumerate(columns)}
        for name in self.names:
            if name not in number:
                near = difflib.get_close_matches(name, columns, n=1)
                hint = f"did you mean {near[0]!r}?" if near else "correct or remove it"
                raise ValueError(
                    f"the knowledge names {name!r}, which is not a column of the data: {hint}"
                )
        allowed = np.ones((len(columns), len(columns)), dtype=bool)
        for child, parents in self.parents_of.items():
            allowed[:, number[child]] = False
            allowed[[number[name] for name in parents], number[child]] = True
        for tail, head in self.forbidden:
            allowed[number[tail], number[head]] = False
        earlier: list[int] = []
        for tier in self.tiers:
            members = [number[name] for name in tier]
            allowed[np.ix_(members, earlier)] = False
            earlier += members
        allowed[:, [number[name] for name in self.no_parents]] = False
        allowed[[number[name] for name in self.no_children], :] = False
        return Constraints.of(allowed, [(number[a], number[b]) for a, b in self.required])

    def among(self, columns: Collection[str]) -> "Knowledge":
        """Return what is said of some columns only: statements on others are left out."""
        kept = set(columns)
        return Knowledge(
            [arrow for arrow in self.required if kept.issuperset(arrow)],
            [arrow for arrow in self.forbidden if kept.issuperset(arrow)],
            [kept.intersection(tier) for tier in self.tiers],
            {c: kept.intersection(p) for c, p in self.parents_of.items() if c in kept},
            kept.intersection(self.no_parents),
            kept.intersection(self.no_children),
        )

    @classmethod
    def from_dict(cls, values: Mapping[str, Any]) -> "Knowledge":
        """Build knowledge from a dictionary with the parameters as keys.

        Files of knowledge, which `bnsieve.read` reads, hold such a dictionary. Edges are lists of
        two names; to keep a pair apart, list both directions.
        """
        if not isinstance(values, Mapping):
            raise ValueError(f"knowledge must be a mapping of {_KEYS}; got {brief(values)}")
        for key in values:
            if key not in _FIELDS:
                raise ValueError(f"knowledge has no {key!r}: the keys are {_KEYS}")
        return cls(**{key: value for key, value in values.items() if value is not None})

    @classmethod
    def from_pgmpy(cls, expert: Any, columns: Iterable[str] | None = None) -> "Knowledge":
        """Take over a pgmpy `ExpertKnowledge`.

        Parameters
        ----------
        expert : pgmpy ExpertKnowledge
        columns : iterable of str, optional
            All columns of the data. Needed if `expert` has a search space, which forbids every
            arrow that it does not name.
        """
        parents_of: dict[str, list[str]] = {}
        if expert.search_space:
            if columns is None:
                raise ValueError(
                    "the expert knowledge has a search space, which forbids all other arrows: "
                    "name all columns of the data with columns="
                )
            parents_of = {name: [] for name in columns}
            for tail, head in sorted(expert.search_space):
                parents_of.setdefault(head, []).append(tail)
        return cls(
            required=expert.required_edges,
            forbidden=expert.forbidden_edges,
            tiers=[tier for tier in expert.temporal_order if tier],
            parents_of=parents_of,
        )

    def to_dict(self) -> dict[str, Any]:
        """Return a dictionary of lists that `from_dict` reads and that JSON and YAML can hold."""
        values = {
            "required": [list(arrow) for arrow in self.required],
            "forbidden": [list(arrow) for arrow in self.forbidden],
            "tiers": [list(tier) for tier in self.tiers],
            "parents_of": {child: list(parents) for child, parents in self.parents_of.items()},
            "no_parents": list(self.no_parents),
            "no_children": list(self.no_children),
        }
        return {key: value for key, value in values.items() if value}

    def __hash__(self) -> int:
        parents_of = tuple(self.parents_of.items())
        rest = (self.required, self.forbidden, self.tiers, self.no_parents, self.no_children)
        return hash((parents_of, rest))

    def __reduce__(self) -> tuple[Any, ...]:
        return Knowledge.from_dict, (self.to_dict(),)  # a mapping proxy cannot be copied

    def __repr__(self) -> str:
        given = (f"{key}={value!r}" for key, value in self.to_dict().items())
        return f"Knowledge({', '.join(given)})"


_FIELDS = tuple(Knowledge.__dataclass_fields__)
_KEYS = ", ".join(_FIELDS)


def _arrows(where: str, given: Arrows) -> set[Arrow]:
    if isinstance(given, str | Mapping) or not isinstance(given, Iterable):
        raise ValueError(f"{where} must be a list of arrows (from, to); got {brief(given)}")
    listed = list(given)
    found: set[Arrow] = set()
    for pair in listed:
        for arrow in _both(where, pair) if isinstance(pair, AbstractSet) else _one(where, pair):
            if arrow in found:
                raise ValueError(f"{where} has {_shown(arrow)} twice: remove one of the two")
            found.add(arrow)
    return found


def _one(where: str, pair: Any) -> Iterator[Arrow]:
    names = pair if isinstance(pair, Sequence) and not isinstance(pair, str) else ()
    if len(names) != 2:
        raise ValueError(f"{where} must hold arrows (from, to), two names each; got {brief(pair)}")
    _check_names(where, names)
    tail, head = names
    if tail == head:
        raise ValueError(f"{where} has an arrow from {tail!r} to itself: remove it")
    yield tail, head


def _both(where: str, pair: AbstractSet[Any]) -> Iterator[Arrow]:
    if where == "required":
        raise ValueError(f"required must say which way: write (from, to) instead of {set(pair)!r}")
    _check_names(where, pair)
    if len(pair) != 2:
        raise ValueError(f"{where} must hold sets of two names; got {brief(set(pair))}")
    a, b = sorted(pair)
    yield a, b
    yield b, a


def _tiers(given: Any) -> Iterable[Any]:
    if isinstance(given, str | Mapping) or not isinstance(given, Iterable):
        raise ValueError(f"tiers must be a list of lists of names; got {brief(given)}")
    return given


def _parents_of(given: Any) -> Mapping[str, Any]:
    if given is None:
        return {}
    if not isinstance(given, Mapping):
        raise ValueError(f"parents_of must map a name to its parents; got {brief(given)}")
    _check_names("parents_of", given)
    return given


def _names(where: str, given: Any) -> tuple[str, ...]:
    if isinstance(given, str) or not isinstance(given, Iterable):
        raise ValueError(f"{where} must be a list of names; got {brief(given)}")
    names = list(given)
    _check_names(where, names)
    for name, times in Counter(names).items():
        if times > 1:
            raise ValueError(f"{where} has {name!r} twice: remove one of the two")
    return tuple(sorted(names))


def _check_names(where: str, names: Iterable[Any]) -> None:
    for name in names:
        if not isinstance(name, str):
            raise ValueError(f"{where} must hold names of columns as strings; got {brief(name)}")


def _shown(arrow: Arrow) -> str:
    return f"{arrow[0]!r} -> {arrow[1]!r}"


def _cycle(arrows: Iterable[Arrow]) -> list[str]:
    """Return the nodes of a directed cycle, the first again at the end; empty if there is none."""
    order: TopologicalSorter[str] = TopologicalSorter()
    for tail, head in arrows:
        order.add(head, tail)
    try:
        order.prepare()
    except CycleError as error:
        return list(error.args[1])
    return []
