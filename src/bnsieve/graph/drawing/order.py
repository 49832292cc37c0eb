"""The order of nodes inside the layers of a picture, so that few edges cross.

In: layers, and edges from each layer to the next. Out: each layer's members, in order. Sweeps up
and down put each node where its neighbours are, in the middle (the mean or the median of their
places), and swap neighbours in a layer where that saves crossings; the best order seen is kept.
Everything is decided by numbers: the same graph always gives the same picture.
"""

from bisect import bisect_right, insort

MAX_SWEEPS = 60
MAX_STALE = 8
_SWAP_ROUNDS = 4

Neighbours = list[list[int]]


def order_in_layers(layers: list[int], pieces: list[tuple[int, int]]) -> list[list[int]]:
    """Order the members of each layer.

    Parameters
    ----------
    layers : list of int
        The layer of each member, from 0.
    pieces : list of (int, int)
        Edges, each from one layer to the next.
    """
    above, below = _neighbours(len(layers), pieces)
    order = _first_order(layers, above, below)
    place = [0] * len(layers)
    for members in order:
        _number(members, place)
    best, fewest, n_stale = _copied(order), _crossings(order, below, place), 0
    for sweep in range(MAX_SWEEPS):
        downwards = sweep % 2 == 0
        for members in order[1:] if downwards else order[-2::-1]:
            _sort(members, above if downwards else below, place, by_median=sweep % 4 > 1)
        _swap(order, above, below, place, rounds=_SWAP_ROUNDS)
        n_crossings = _crossings(order, below, place)
        n_stale = n_stale + 1 if n_crossings >= fewest else 0
        if n_crossings < fewest:
            best, fewest = _copied(order), n_crossings
        if n_stale == MAX_STALE or fewest == 0:
            break
    for members in best:
        _number(members, place)
    _swap(best, above, below, place, rounds=MAX_SWEEPS)
    return best


def _neighbours(n: int, pieces: list[tuple[int, int]]) -> tuple[Neighbours, Neighbours]:
    """Return for each of `n` members those joined to it in the layer above, and in that below."""
    above: Neighbours = [[] for _ in range(n)]
    below: Neighbours = [[] for _ in range(n)]
    for tail, head in pieces:
        below[tail].append(head)
        above[head].append(tail)
    return above, below


def _first_order(layers: list[int], above: Neighbours, below: Neighbours) -> list[list[int]]:
    """Order the members as a walk meets them that goes deep first: what is joined stays near."""
    order: list[list[int]] = [[] for _ in range(max(layers) + 1)]
    seen = [False] * len(layers)
    for start in range(len(layers)):
        waiting = [start]
        while waiting:
            member = waiting.pop()
            if not seen[member]:
                seen[member] = True
                order[layers[member]].append(member)
                joined = below[member] + above[member]
                waiting += [one for one in reversed(joined) if not seen[one]]
    return order


def _sort(members: list[int], neighbours: Neighbours, place: list[int], *, by_median: bool) -> None:
    """Sort a layer by where the neighbours are; a member without any keeps its place."""
    middle: dict[int, float] = {}
    for member in members:
        places = sorted(place[one] for one in neighbours[member]) or [place[member]]
        middle[member] = places[len(places) // 2] if by_median else sum(places) / len(places)
    members.sort(key=middle.__getitem__)
    _number(members, place)


def _swap(
    order: list[list[int]], above: Neighbours, below: Neighbours, place: list[int], *, rounds: int
) -> None:
    """Swap neighbours in a layer while that saves crossings, at most so many times each."""
    for _ in range(rounds):
        is_better = False
        for members in order:
            for i in range(len(members) - 1):
                first, second = members[i], members[i + 1]
                saved = 0
                for neighbours in (above, below):
                    left = [place[one] for one in neighbours[first]]
                    right = [place[one] for one in neighbours[second]]
                    saved += sum((a > b) - (a < b) for a in left for b in right)
                if saved > 0:
                    members[i], members[i + 1] = second, first
                    place[first], place[second] = i + 1, i
                    is_better = True
        if not is_better:
            return


def _crossings(order: list[list[int]], below: Neighbours, place: list[int]) -> int:
    """Count the pairs of edges that cross: those whose ends are in opposite orders."""
    total = 0
    for members in order:
        passed: list[int] = []
        for member in members:
            for end in sorted(place[one] for one in below[member]):
                total += len(passed) - bisect_right(passed, end)
                insort(passed, end)
    return total


def _number(members: list[int], place: list[int]) -> None:
    for i, member in enumerate(members):
        place[member] = i


def _copied(order: list[list[int]]) -> list[list[int]]:
    return [list(members) for members in order]
