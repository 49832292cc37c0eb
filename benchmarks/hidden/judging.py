"""A learned PAG, by its marks, beside the truth: edges, ends, and what the marks say of causes."""

from collections.abc import Iterable

from benchmarks.hidden.samples import HiddenSample
from bnsieve.graph import Mark

Marks = dict[tuple[str, str], Mark]
_LEFT = {"-": Mark.TAIL, "<": Mark.ARROW, "o": Mark.CIRCLE}
_RIGHT = {"-": Mark.TAIL, ">": Mark.ARROW, "o": Mark.CIRCLE}


def marks_of(edges: Iterable[tuple[str, str, str]]) -> Marks:
    """Return the mark at b by (a, b), of edges such as ``("a", "o->", "b")``.

    Other programs may find edges without an arrowhead, which stand for selection.
    """
    marks: Marks = {}
    for a, between, b in edges:
        marks[b, a], marks[a, b] = _LEFT[between[0]], _RIGHT[between[2]]
    return marks


def judge(sample: HiddenSample, marks: Marks) -> dict[str, object]:
    """Return the measures of a PAG over the true names.

    ``f1``: of adjacencies. ``distance``: half the number of ends whose marks differ, so that an
    edge too many or too few counts as one. ``double``: edges with two arrowheads, ``right_double``
    of them in the true MAG, which has ``true_double``. ``visible``: edges that are marked as surely
    without a hidden common cause, of which ``visible_hidden`` have one; and the same for all other
    edges.
    """
    truth = sample.pag.marks
    edges, true_edges = ({frozenset(pair) for pair in one} for one in (marks, truth))
    double = {pair for pair in edges if all(marks[end] is Mark.ARROW for end in _ends(pair))}
    visible = {pair for pair in edges if any(is_visible(marks, *end) for end in _ends(pair))}
    others = edges - visible
    return {
        "f1": 2 * len(edges & true_edges) / max(1, len(edges) + len(true_edges)),
        "distance": sum(marks.get(end) is not truth.get(end) for end in {*marks, *truth}) / 2,
        "double": len(double),
        "right_double": len(double & sample.double),
        "true_double": len(sample.double),
        "visible": len(visible),
        "visible_hidden": len(visible & sample.confounded),
        "others": len(others),
        "others_hidden": len(others & sample.confounded),
    }


def _ends(pair: frozenset[str]) -> list[tuple[str, str]]:
    a, b = pair
    return [(a, b), (b, a)]


def is_visible(marks: Marks, a: str, b: str) -> bool:
    """Tell whether ``a --> b`` is visible (Zhang, 2008): no hidden variable can cause both.

    It is if a node that is not adjacent to b points at a, or at the end of a path of double arrows
    to a whose nodes are all parents of b.
    """
    if marks[a, b] is not Mark.ARROW or marks[b, a] is not Mark.TAIL:
        return False
    near: dict[str, list[str]] = {}
    for one, other in marks:
        near.setdefault(one, []).append(other)
    waiting, seen = [a], {a, b}
    while waiting:
        node = waiting.pop()
        for before in near[node]:
            if before in seen or marks[before, node] is not Mark.ARROW:
                continue
            if (before, b) not in marks:
                return True
            is_parent = marks[before, b] is Mark.ARROW and marks[b, before] is Mark.TAIL
            if is_parent and marks[node, before] is Mark.ARROW:
                seen.add(before)
                waiting.append(before)
    return False
