"""The order in which people read states: Jan before Feb, low before high, 2 before 10.

In: the states of one variable. Out: a `StateOrder`: their places for a reader, and ranks where
they are a scale, of which more and less can be said. Months and weekdays have an order but no
ranks, because after the last comes the first.
"""

import math
import re
from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from typing import Any

from bnsieve.table.ranges import Range

_CYCLES = (
    "january february march april may june july august september october november december",
    "jan feb mar apr may jun jul aug sep oct nov dec",
    "jan feb mar apr may jun jul aug sept oct nov dec",
    "monday tuesday wednesday thursday friday saturday sunday",
    "mon tue wed thu fri sat sun",
    "mon tues wed thur fri sat sun",
    "mon tues wed thurs fri sat sun",
    "spring summer autumn winter",
    "spring summer fall winter",
    "morning noon afternoon evening night",
)
# The least first. A variable may lack some of the states, and none may be of another scale.
_SCALES = (
    "no yes",
    "n y",
    "false true",
    "f t",
    "off on",
    "absent present",
    "negative positive",
    "normal abnormal",
    "fail pass",
    "failed passed",
    "inactive active",
    "never former current",
    "zero low normal high",
    "very-low low below-average medium-low medium moderate average middle normal "
    "medium-high above-average high very-high",
    "none minimal mild moderate severe critical",
    "none few some many all",
    "none little some much",
    "minor moderate major severe critical",
    "xs s m l xl xxl xxxl",
    "tiny small medium large huge",
    "short medium long",
    "slow medium fast",
    "young middle-aged old",
    "child teen adult senior",
    "cold cool mild warm hot",
    "never rarely seldom occasionally sometimes often usually always",
    "never yearly monthly weekly daily",
    "strongly-disagree disagree somewhat-disagree neutral neither-agree-nor-disagree "
    "somewhat-agree agree strongly-agree",
    "very-dissatisfied dissatisfied neutral satisfied very-satisfied",
    "very-unlikely unlikely neutral likely very-likely",
    "very-poor poor fair average good very-good excellent",
    "very-bad bad fair average good very-good excellent",
    "worse same better",
    "decreasing stable increasing",
    "down flat up",
    "beginner intermediate advanced expert",
    "junior mid senior lead",
    "primary secondary tertiary",
    "bronze silver gold platinum diamond",
    "first second third fourth fifth",
    "i ii iii iv v vi vii viii ix x",
    "weak moderate strong",
    "low elevated high critical",
)
# Letters are a scale only where these are among them.
_NEEDED = {
    "xs s m l xl xxl xxxl": {"s", "m", "l"},
    "i ii iii iv v vi vii viii ix x": {"i", "ii"},
}
_OTHERS = {"other", "others", "unknown", "missing", "(missing)", "(other)", "n/a", "na", "?"}
_BELOW = r"<=?|≤|under|below|less than|up to|at most"
_ABOVE = r">=?|≥|over|above|more than|at least"
_NUMBER = r"[-+\u2212]?\d+(?:[.,]\d+)*(?:e[-+]?\d+)?"
_QUANTITY = re.compile(
    rf"[\[(]?\s*(?:(?P<below>{_BELOW})|(?P<above>{_ABOVE}))?\s*[$€£¥~]?(?P<low>{_NUMBER})"
    rf"(?:\s*(?:-|\u2013|to|,|\.\.)\s*[$€£¥]?(?P<high>{_NUMBER}))?\s*(?P<rest>.*)",
    re.IGNORECASE,
)
_AND_MORE = re.compile(r"(\+|and (over|more|above|older)|or (over|more|above|older))$", re.I)
_AND_LESS = re.compile(r"(and|or) (under|less|below|younger|fewer)$", re.I)


@dataclass(frozen=True)
class StateOrder:
    """How to list the states of a variable, and whether some are more than others.

    Attributes
    ----------
    places : tuple of int
        The numbers of the states, in the order to list them.
    ranks : tuple of float or None
        For each state its rank on a scale, where more and less mean something; None for names.
    is_recognised : bool
        Whether words or numbers say what more and less are; of two other states the second listed
        counts as more, and a declared order as a scale.
    """

    places: tuple[int, ...]
    ranks: tuple[float, ...] | None
    is_recognised: bool


def state_order(states: Sequence[Hashable]) -> StateOrder:
    """Return the order of some states.

    An order that was declared, which is one that sorting would not give, is kept.

    Parameters
    ----------
    states : sequence of hashable
        As the data has them: sorted, or in a declared order.

    Examples
    --------
    >>> state_order(["high", "low", "medium"]).places
    (1, 2, 0)
    >>> state_order(["Apr", "Feb", "Jan"]).ranks is None
    True
    """
    numbers = tuple(range(len(states)))
    ranks, is_scale = _recognised(states)
    declared = _is_declared(states)
    places = numbers
    if ranks is not None and not declared:
        places = tuple(sorted(numbers, key=lambda state: (ranks[state], state)))
    if is_scale and ranks is not None:
        return StateOrder(places, ranks, True)
    if len(states) == 2 or (declared and ranks is None):
        return StateOrder(places, tuple(float(places.index(state)) for state in numbers), False)
    return StateOrder(places, None, False)


def _is_declared(states: Sequence[Hashable]) -> bool:
    if any(isinstance(state, Range) for state in states):
        return False
    try:
        in_order = sorted(states)  # type: ignore[type-var]
    except TypeError:
        return False
    return list(states) != in_order


def _recognised(states: Sequence[Hashable]) -> tuple[tuple[float, ...] | None, bool]:
    """Return a rank for each state, and whether ranks are a scale; None for names."""
    if not states:
        return None, False
    found = [_quantity(state) for state in states]
    if all(rank is not None for rank in found):
        ranks = tuple(rank for rank in found if rank is not None)
        if len(set(ranks)) == len(ranks):
            return tuple(float(sorted(ranks).index(rank)) for rank in ranks), True
    words = [re.sub(r"[\s_\-]+", "-", str(state).strip().lower()) for state in states]
    named = [word for word in words if word not in _OTHERS]
    for lists, is_scale in ((_CYCLES, False), (_SCALES, True)):
        for text in lists:
            scale = text.split()
            least = _NEEDED.get(text, set())
            if len(named) > 1 and {*named} <= {*scale} and least <= {*named}:
                last = float(len(scale))
                ranked = tuple(
                    float(scale.index(word)) if word in scale else last for word in words
                )
                return ranked, is_scale and len(named) == len(words)
    return _numbered(words), False


def _quantity(state: Any) -> tuple[float, float] | None:
    """Return where a state that is a number, or a range of numbers, begins; None for others."""
    if isinstance(state, Range):
        return state.lower, state.upper
    if isinstance(state, bool):
        return float(state), 0.0
    if isinstance(state, int | float):
        return (float(state), 0.0) if not math.isnan(state) else None
    if not isinstance(state, str):
        return None
    match = _QUANTITY.fullmatch(state.strip())
    if match is None or re.search(r"\d", match["rest"]):
        return None
    low = _number(match["low"])
    high = low if match["high"] is None else _number(match["high"])
    if math.isnan(low) or math.isnan(high):  # a version such as 2.1.0
        return None
    if match["below"] or _AND_LESS.search(match["rest"]):
        return -math.inf, low
    if match["above"] or _AND_MORE.search(match["rest"]):
        return low, math.inf
    return low, high


def _number(text: str) -> float:
    plain = text.replace("\u2212", "-")
    if re.fullmatch(r"[-+]?\d{1,3}(,\d{3})+(\.\d+)?", plain):
        plain = plain.replace(",", "")
    try:
        return float(plain.replace(",", "."))
    except ValueError:
        return math.nan


def _numbered(words: Sequence[str]) -> tuple[float, ...] | None:
    """Return ranks of names that differ in one number only, such as w1, w2 and w10."""
    parts = [re.split(r"(\d+)", word) for word in words]
    if {len(part) for part in parts} != {3} or len({(part[0], part[2]) for part in parts}) != 1:
        return None
    return tuple(float(part[1]) for part in parts)
