"""Arrows as other programs list them: an undirected edge is one arrow each way."""

from collections.abc import Iterable
from typing import TypeAlias

NamedEdges: TypeAlias = list[tuple[str, str]]


def split_both_ways(arrows: Iterable[tuple[str, str]]) -> tuple[NamedEdges, NamedEdges]:
    """Split arrows into those given one way only, and undirected edges as first given.

    What is given twice in the same way stays twice, for `Graph` to refuse.
    """
    listed = list(arrows)
    given = set(listed)
    directed = [(a, b) for a, b in listed if (b, a) not in given]
    undirected: dict[frozenset[str], tuple[str, str]] = {}
    for a, b in listed:
        if (b, a) in given:
            undirected.setdefault(frozenset((a, b)), (a, b))
    return directed, list(undirected.values())
