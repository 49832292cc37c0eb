"""Knowledge in words, for summaries and reports.

In: `Knowledge`. Out: its statements, one kind each; or how many there are of each kind.
"""

from collections.abc import Callable

from bnsieve.knowledge.knowledge import Edge, Knowledge
from bnsieve.text import counted, listed


def statements(
    knowledge: Knowledge, name: Callable[[str], str] = str, to: str = "->"
) -> list[tuple[str, str]]:
    """Return every statement of some knowledge: what kind it is, and what it says.

    Parameters
    ----------
    knowledge : Knowledge
    name : callable
        How a name is written.
    to : str
        What is written between the ends of a directed edge.

    Examples
    --------
    >>> statements(Knowledge(required=[("a", "b")], tiers=[["a"], ["b", "c"]]))
    [('required', 'a -> b'), ('tier 1', 'a'), ('tier 2', 'b, c')]
    """

    def edge(tail: str, head: str) -> str:
        return f"{name(tail)} {to} {name(head)}"

    def names(several: tuple[str, ...]) -> str:
        return ", ".join(map(name, several)) or "none"

    one_way, apart = _forbidden(knowledge)
    said = [("required", edge(*pair)) for pair in knowledge.required]
    said += [("forbidden", edge(*pair)) for pair in one_way]
    said += [("not adjacent", f"{name(a)}, {name(b)}") for a, b in apart]
    said += [(f"tier {i}", names(tier)) for i, tier in enumerate(knowledge.tiers, start=1)]
    said += [
        ("only these parents", f"of {name(child)}: {names(parents)}")
        for child, parents in knowledge.parents_of.items()
    ]
    if knowledge.no_parents:
        said.append(("no parents", names(knowledge.no_parents)))
    if knowledge.no_children:
        said.append(("no children", names(knowledge.no_children)))
    return said


def counted_statements(knowledge: Knowledge) -> str:
    """Return how many statements there are of each kind, in words.

    Examples
    --------
    >>> counted_statements(Knowledge(required=[("a", "b")], tiers=[["a"], ["b", "c"]]))
    '1 required edge and 2 tiers'
    """
    one_way, apart = _forbidden(knowledge)
    numbers = {
        "required edge": len(knowledge.required),
        "forbidden direction": len(one_way),
        "pair not adjacent": len(apart),
        "tier": len(knowledge.tiers),
        "column with given possible parents": len(knowledge.parents_of),
        "column without parents": len(knowledge.no_parents),
        "column without children": len(knowledge.no_children),
    }
    several = {"pair not adjacent": "pairs not adjacent"} | {
        kind: f"columns{kind.removeprefix('column')}" for kind in numbers if "column" in kind
    }
    return listed([counted(n, kind, several.get(kind)) for kind, n in numbers.items() if n], None)


def _forbidden(knowledge: Knowledge) -> tuple[list[Edge], list[Edge]]:
    """Return the edges that are forbidden in one direction only, and the pairs in both."""
    forbidden = set(knowledge.forbidden)
    one_way = [edge for edge in knowledge.forbidden if edge[::-1] not in forbidden]
    apart = [(a, b) for a, b in knowledge.forbidden if (b, a) in forbidden and a < b]
    return one_way, apart
