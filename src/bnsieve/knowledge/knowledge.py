"""Background knowledge: required and forbidden directed edges, and tiers.

In: names of columns, from Python, YAML, JSON or pgmpy. Out: a `Knowledge` value, checked for
contradictions, which every learner takes; `resolve` turns it into `bnsieve.knowledge.Constraints`
for the columns of a table.
"""

import difflib
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from graphlib import CycleError, TopologicalSorter
from reprlib import repr as brief
from types import MappingProxyType
from typing import Any

import numpy as np

from bnsieve.knowledge.constraints import Constraints

Edge = tuple[str, str]
Edges = Iterable[Edge | AbstractSet[str]]


@dataclass(frozen=True, init=False)
class Knowledge:
    """Required and forbidden directed edges between columns.

    With it, a learner returns a graph with every required edge and no forbidden one.

    Parameters
    ----------
    required : iterable of (str, str)
        Directed edges, as (from, to), that the graph must have.
    forbidden : iterable of (str, str) or of sets of two str
        Directed edges that the graph must not have. ``(a, b)`` forbids a -> b but not b -> a. The
        set ``{a, b}`` forbids both directions, so a and b are not adjacent.
    tiers : sequence of collections of str
        Groups of columns in the order of time or cause: no directed edge leads from a later group
        to an earlier one. Edges within a group are not restricted, nor are edges of columns in no
        group.
    parents_of : mapping of str to collection of str
        For a column, the only columns that may be its parents.
    no_parents : collection of str
        Columns without parents.
    no_children : collection of str
        Columns without children.

    Raises
    ------
    ValueError
        If statements contradict each other. The error names the pair and the fix.

    Examples
    --------
    >>> knowledge = Knowledge(required=[("smoking", "cancer")], forbidden=[{"age", "sex"}])
    >>> knowledge.forbidden
    (('age', 'sex'), ('sex', 'age'))
    """

    required: tuple[Edge, ...]
    forbidden: tuple[Edge, ...]
    tiers: tuple[tuple[str, ...], ...]
    parents_of: Mapping[str, tuple[str, ...]]
    no_parents: tuple[str, ...]
    no_children: tuple[str, ...]

    def __init__(
        self,
        required: Iterable[Edge] = (),
        forbidden: Edges = (),
        tiers: Sequence[Collection[str]] = (),
        parents_of: Mapping[str, Collection[str]] | None = None,
        no_parents: Collection[str] = (),
        no_children: Collection[str] = (),
    ) -> None:
        tier_list = _list("tiers", tiers, "lists of names")
        values = {
            "required": _edges("required", required),
            "forbidden": _edges("forbidden", forbidden),
            "tiers": tuple(_names(f"tier {i + 1}", tier) for i, tier in enumerate(tier_list)),
            "parents_of": _parents_of({} if parents_of is None else parents_of),
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
                if tier_of.setdefault(name, number) != number:
                    raise ValueError(
                        f"{name!r} is in tier {tier_of[name]} and in tier {number}: "
                        "keep it in one of the two"
                    )
        tails: dict[str, list[str]] = {}
        for edge in self.required:
            reason = self._why_forbidden(edge, tier_of)
            if reason is not None:
                raise ValueError(f"{_shown(edge)} is required, but {reason}: remove one of the two")
            tails.setdefault(edge[1], []).append(edge[0])
        try:
            TopologicalSorter(tails).prepare()
        except CycleError as error:
            cycle = " -> ".join(map(repr, error.args[1]))
            raise ValueError(f"the required edges form a cycle, {cycle}: remove one") from None

    def _why_forbidden(self, edge: Edge, tier_of: Mapping[str, int]) -> str | None:
        tail, head = edge
        before, after = tier_of.get(tail, 0), tier_of.get(head, len(self.tiers))
        reasons = {
            "it is forbidden, too": edge in self.forbidden,
            f"{tail!r} is in tier {before}, after {head!r} in tier {after}": before > after,
            f"parents_of does not name {tail!r} among those of {head!r}": (
                tail not in self.parents_of.get(head, (tail,))
            ),
            f"{head!r} is in no_parents": head in self.no_parents,
            f"{tail!r} is in no_children": tail in self.no_children,
        }
        return next((reason for reason, holds in reasons.items() if holds), None)

    @property
    def names(self) -> tuple[str, ...]:
        """The names of all columns in the knowledge, sorted."""
        groups = (*self.required, *self.forbidden, *self.tiers, *self.parents_of.values())
        single = {*self.no_parents, *self.no_children, *self.parents_of}
        return tuple(sorted(single.union(*groups)))

    def resolve(self, columns: Sequence[str]) -> Constraints:
        """Return the constraints on these columns, by number.

        Parameters
        ----------
        columns : sequence of str
            The names of the columns, in the order of the table.

        Returns
        -------
        Constraints
            The constraints on the columns, in the order given.

        Raises
        ------
        ValueError
            If the knowledge names a column that does not exist.
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
        """Return the knowledge without statements about other columns."""
        kept = set(columns)
        return Knowledge(
            [edge for edge in self.required if kept.issuperset(edge)],
            [edge for edge in self.forbidden if kept.issuperset(edge)],
            [kept.intersection(tier) for tier in self.tiers],
            {c: kept.intersection(p) for c, p in self.parents_of.items() if c in kept},
            kept.intersection(self.no_parents),
            kept.intersection(self.no_children),
        )

    @classmethod
    def from_dict(cls, values: Mapping[str, Any]) -> "Knowledge":
        """Build knowledge from a dictionary with the parameters as keys.

        Files of knowledge, which `bnsieve.read` reads, hold such a dictionary. Edges are lists of
        two names. To say that two columns are not adjacent, list both directions.
        """
        if not isinstance(values, Mapping):
            raise ValueError(f"knowledge must be a mapping of {_KEYS}; got {brief(values)}")
        for key in values:
            if key not in _FIELDS:
                raise ValueError(f"knowledge has no {key!r}: the keys are {_KEYS}")
        return cls(**{key: value for key, value in values.items() if value is not None})

    @classmethod
    def from_pgmpy(cls, expert: Any, columns: Iterable[str] | None = None) -> "Knowledge":
        """Build knowledge from a pgmpy `ExpertKnowledge`.

        Parameters
        ----------
        expert : pgmpy ExpertKnowledge
            The object to convert.
        columns : iterable of str, optional
            All columns of the data. Needed if `expert` has a search space, which forbids every
            edge that it does not name.
        """
        parents_of: dict[str, list[str]] = {}
        if expert.search_space:
            if columns is None:
                raise ValueError(
                    "the expert knowledge has a search space, which forbids all other edges: "
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
        values = {name: _plain(getattr(self, name)) for name in _FIELDS}
        return {name: value for name, value in values.items() if value}

    def __hash__(self) -> int:
        return hash(repr(self))

    def __reduce__(self) -> tuple[Any, ...]:
        return Knowledge.from_dict, (self.to_dict(),)  # a mapping proxy cannot be copied

    def __repr__(self) -> str:
        given = (f"{key}={value!r}" for key, value in self.to_dict().items())
        return f"Knowledge({', '.join(given)})"


_FIELDS = tuple(Knowledge.__dataclass_fields__)
_KEYS = ", ".join(_FIELDS)


def _plain(value: Any) -> Any:
    """Return tuples and mappings as lists and dictionaries."""
    if isinstance(value, Mapping):
        return {key: list(names) for key, names in value.items()}
    return [list(part) if isinstance(part, tuple) else part for part in value]


def _list(where: str, given: Any, of: str) -> list[Any]:
    if isinstance(given, str | Mapping) or not isinstance(given, Iterable):
        raise ValueError(f"{where} must be a list of {of}; got {brief(given)}")
    return list(given)


def _names(where: str, given: Any) -> tuple[str, ...]:
    names = _list(where, given, "names")
    for name in names:
        if not isinstance(name, str):
            raise ValueError(f"{where} must hold names of columns as strings; got {brief(name)}")
    for name, times in Counter(names).items():
        if times > 1:
            raise ValueError(f"{where} has {name!r} twice: remove one of the two")
    return tuple(sorted(names))


def _edges(where: str, given: Edges) -> tuple[Edge, ...]:
    found: set[Edge] = set()
    for pair in _list(where, given, "edges (from, to)"):
        both = isinstance(pair, AbstractSet)
        if both and where == "required":
            raise ValueError(f"required needs a direction: write (from, to) instead of {pair!r}")
        if not isinstance(pair, Sequence | AbstractSet) or isinstance(pair, str) or len(pair) != 2:
            raise ValueError(f"{where} must hold pairs of two names each; got {brief(pair)}")
        _names(where, pair)  # refuses an edge from a column to itself, too
        tail, head = pair
        for edge in [(tail, head), (head, tail)][: 1 + both]:
            if edge in found:
                raise ValueError(f"{where} has {_shown(edge)} twice: remove one of the two")
            found.add(edge)
    return tuple(sorted(found))


def _parents_of(given: Any) -> Mapping[str, tuple[str, ...]]:
    if not isinstance(given, Mapping):
        raise ValueError(f"parents_of must map a name to its parents; got {brief(given)}")
    found = {}
    for child in _names("parents_of", list(given)):
        found[child] = _names(f"parents_of {child!r}", given[child])
        if child in found[child]:
            raise ValueError(f"parents_of lets {child!r} point to itself: remove it")
    return MappingProxyType(found)


def _shown(edge: Edge) -> str:
    return f"{edge[0]!r} -> {edge[1]!r}"
