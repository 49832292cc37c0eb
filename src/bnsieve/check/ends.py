"""The end of an undirected edge at which a mechanism changed.

In: a DAG, its undirected edges, and a test of each variable given its parents. Out: an equivalent
DAG in which the fewest mechanisms changed, and the mechanisms that may have changed instead.

Equivalent DAGs have the same likelihood, but not the same mechanisms. If the mechanism of an effect
changes, the DAG with the reversed edge shows two changes: in the margin of the effect, and in its
cause given the effect. One change in one mechanism is the simpler explanation (sparse mechanism
shift; Perry, von Kuegelgen and Schoelkopf, 2022). Where both directions need as many changes, the
rows do not tell which end changed.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from heapq import heappop, heappush

Parents = Mapping[str, frozenset[str]]
# The p-value of a variable given its parents.
Test = Callable[[str, frozenset[str]], float]

# Equivalent DAGs that are compared.
_MOST_DAGS = 300


@dataclass(frozen=True)
class Placement:
    """Mechanisms that changed in an equivalent DAG.

    Attributes
    ----------
    parents : mapping from str to frozenset of str
        The DAG.
    alternatives : mapping from str to tuple of str
        For each variable whose mechanism changed, those that may have changed instead.
    """

    parents: Parents
    alternatives: Mapping[str, tuple[str, ...]]


def fewest_changes(
    parents: Parents, undirected: Sequence[tuple[str, str]], test: Test, threshold: float
) -> Placement:
    """Return the equivalent DAG with the fewest changed mechanisms.

    Parameters
    ----------
    parents : mapping from str to frozenset of str
        A DAG in which at least one mechanism changed.
    undirected : sequence of (str, str)
        The edges that may be reversed.
    test : callable
    threshold : float
        A mechanism changed if its p-value is not above this.
    """
    first = frozenset(name for name in parents if test(name, parents[name]) <= threshold)
    near = _near(first, undirected)
    visited: dict[frozenset[tuple[str, str]], tuple[Parents, frozenset[str]]] = {}
    waiting = [(len(first), 0, parents, first)]
    n_waited = 1
    while waiting and len(visited) < _MOST_DAGS:
        _, _, own, changed = heappop(waiting)
        directions = frozenset((a, b) if a in own[b] else (b, a) for a, b in near)
        if directions in visited:
            continue
        visited[directions] = own, changed
        for tail, head, other in _reversals(own, near):
            rest = changed - {tail, head}
            now = rest | {one for one in (tail, head) if test(one, other[one]) <= threshold}
            if now:
                heappush(waiting, (len(now), n_waited, other, now))
                n_waited += 1
    # If a reversal only hides a change, the changes that are left are no clearer than before.
    clearest = min(test(name, parents[name]) for name in first)
    kept = [
        (own, changed)
        for own, changed in visited.values()
        if changed == first or min(test(name, own[name]) for name in changed) <= clearest
    ]
    fewest = min(len(changed) for _, changed in kept)
    best = next(own for own, changed in kept if len(changed) == fewest)
    chosen = next(changed for _, changed in kept if len(changed) == fewest)
    sets = {changed for _, changed in visited.values() if len(changed) == fewest}
    alternatives = {
        name: tuple(
            sorted({other for one in sets if chosen - one == {name} for other in one - chosen})
        )
        for name in chosen
    }
    return Placement(best, alternatives)


def _near(
    changed: frozenset[str], undirected: Sequence[tuple[str, str]]
) -> tuple[tuple[str, str], ...]:
    """Return the undirected edges that paths of such edges connect with changed variables."""
    reached, left = set(changed), list(undirected)
    while True:
        found = [edge for edge in left if not reached.isdisjoint(edge)]
        if not found:
            return tuple(edge for edge in undirected if edge not in left)
        left = [edge for edge in left if edge not in found]
        reached.update(*found)


def _reversals(
    parents: Parents, edges: Sequence[tuple[str, str]]
) -> Iterator[tuple[str, str, Parents]]:
    """Yield the ends of each covered edge, and the DAG with this edge reversed."""
    for a, b in edges:
        tail, head = (a, b) if a in parents[b] else (b, a)
        if parents[head] - {tail} == parents[tail]:
            other = dict(parents)
            other[tail], other[head] = parents[tail] | {head}, parents[tail]
            yield tail, head, other
