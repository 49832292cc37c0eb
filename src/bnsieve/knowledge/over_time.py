"""Knowledge about variables -> knowledge about the columns of a lagged table.

In: what a user knows, in terms of variables or of variables at a lag (``X@t-1``), and a `Timeline`.
Out: the same in terms of columns, with what time says: the past, static columns and those of the
calendar have no parents.

A statement about a variable holds at every lag: if ``rain`` does not influence ``sales``, neither
does ``rain@t-1``. A required edge is meant as it is written, at the lags that it names. Whatever is
said about the parents or children of a variable, its own past may influence it, unless that edge is
forbidden by name.
"""

from collections.abc import Iterable

from bnsieve.knowledge.knowledge import Knowledge
from bnsieve.table import Timeline, lagged_name


def known_over_time(knowledge: Knowledge | None, timeline: Timeline | None) -> Knowledge | None:
    """Return the knowledge for the columns of a lagged table; unchanged without lags.

    Raises
    ------
    ValueError
        If the knowledge contradicts itself or the order of time.
    """
    if timeline is None or not timeline.has_lags:
        return knowledge
    exogenous = {*timeline.past, *timeline.static, *timeline.calendar}
    if knowledge is None:
        return Knowledge(no_parents=exogenous)
    variables, lags = {*timeline.variables}, range(1, timeline.lags + 1)

    def past(name: str) -> list[str]:
        return [lagged_name(name, lag) for lag in lags] if name in variables else []

    def at_all_lags(names: Iterable[str]) -> set[str]:
        return {one for name in names for one in (name, *past(name))}

    forbidden = {
        (tail, head)
        for first, head in knowledge.forbidden
        for tail in at_all_lags([first])
        if head not in exogenous or tail == first
    }
    earlier: list[str] = []
    for tier in knowledge.tiers:
        forbidden |= {(tail, head) for name in tier for tail in past(name) for head in earlier}
        earlier += [name for name in tier if name not in exogenous]
    for name in knowledge.no_children:
        others = (other for other in timeline.variables if other != name)
        forbidden |= {(tail, head) for head in others for tail in past(name)}
    parents_of = {
        child: at_all_lags(parents).union(past(child))
        for child, parents in knowledge.parents_of.items()
        if child not in exogenous
    }
    for name in knowledge.no_parents:
        if name not in exogenous:
            parents_of[name] = set(past(name))
    return Knowledge(
        knowledge.required,
        [(tail, head) for tail, head in forbidden if tail != head],
        knowledge.tiers,
        parents_of,
        exogenous,
        knowledge.no_children,
    )
