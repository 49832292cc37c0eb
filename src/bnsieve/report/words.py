"""The page's text about one edge.

In: an `Edge` and its `EdgeSupport`. Out: sentences, with names between the marks of `prose`.
"""

import math
from collections.abc import Hashable, Sequence
from typing import Any

from bnsieve.explain import RELIABILITY, Edge, EdgeStrengths, EdgeSupport, InUnits
from bnsieve.report.writing import named, share
from bnsieve.sieve.machine import Condition, Rule
from bnsieve.table import Range
from bnsieve.text import listed

_SHOWN_RULES = 5
_SHOWN_TESTS = 8
_SHOWN_CONDITIONS = 5


def edge_words(
    edge: Edge, support: EdgeSupport | None, strengths: EdgeStrengths | None
) -> dict[str, Any]:
    """Return the sentences of an edge.

    Returns
    -------
    dict
        ``lines``: sentences; ``tests``: lists of four texts; ``rules``: sentences, and ``n_rules``,
        of which they are the first.
    """
    lines = [f"The direction is {edge.reliability}: {RELIABILITY[edge.reliability]}."]
    if edge.deterministic:
        lines.append(f"Deterministic: {edge.deterministic}.")
    if strengths is not None and edge.strength is not None:
        lines.append(_strength_line(edge, strengths.n_replicates))
    if edge.score_gain is not None and edge.net_gain > 0:
        lines.append(
            f"Its score gain over the best network without it is {edge.net_gain:,.1f} nats."
        )
    if support is None:
        return {"lines": lines, "tests": [], "rules": [], "n_rules": 0}
    if support.reason == "required":
        lines.append("The given knowledge requires it.")
    if support.in_units is not None:
        lines += _unit_lines(support.in_units)
    if support.association is not None:
        lines.append(_association_line(support))
    rules = [rule for rule in support.rules if math.isfinite(rule.precision) and rule.support > 0]
    # Rules with few conditions come first, then those with the highest gain.
    rules.sort(key=lambda rule: len(rule.conditions) > _SHOWN_CONDITIONS)
    return {
        "lines": lines,
        "tests": [_test(test) for test in _telling_first(support.tests)[:_SHOWN_TESTS]],
        "rules": [rule_words(rule) for rule in rules[:_SHOWN_RULES]],
        "n_rules": len(rules),
    }


def rule_words(rule: Rule) -> str:
    """Return a rule as a sentence: "68 % of the rows with ... have ...; of all rows, 21 % do."."""
    shown = [_condition(one) for one in rule.conditions[:_SHOWN_CONDITIONS]]
    if len(rule.conditions) > _SHOWN_CONDITIONS:
        shown.append(f"{len(rule.conditions) - _SHOWN_CONDITIONS} more conditions")
    conditions = " and ".join(shown)
    wanted = _condition(Condition(rule.target, rule.label))
    verb = "have" if rule.positive else "do not have"
    base = rule.precision - rule.gain / (rule.weight * rule.support)
    text = (
        f"{share(rule.precision)} of the rows with {conditions} {verb} {wanted}; of all rows, "
        f"{share(min(1.0, max(0.0, base)))} {'do' if rule.positive else 'do not'}. "
        f"Such rows are {share(rule.support)} of all."
    )
    return text[0].upper() + text[1:]


def _condition(condition: Condition) -> str:
    if isinstance(condition.label, Range):
        said = condition.label.of(named(condition.variable))
        return f"not {said}" if condition.negated else said
    sign = "≠" if condition.negated else "="
    return f"{named(condition.variable)} {sign} {named(condition.label)}"


def _strength_line(edge: Edge, n_replicates: int) -> str:
    text = f"Found in {share(edge.strength or 0.0)} of {n_replicates:,} resamples of the rows"
    if edge.direction is None:
        return f"{text}."
    ends = f"from {named(edge.tail)} to {named(edge.head)}"
    return f"{text}; in {share(edge.direction)} of these it points {ends}."


def _unit_lines(found: InUnits) -> list[str]:
    """Return what an edge says in units."""
    lines = []
    tail, head = named(found.tail), named(found.head)
    if found.slope is not None:
        held = f", {listed(list(map(named, found.others)))} held fixed" if found.others else ""
        lines.append(
            f"For each 1 of {tail}, {head} changes by {found.slope:+.3g}{held} (standard error "
            f"{found.error:.2g}); their ranks have a correlation of {found.correlation or 0:+.2f}."
        )
    if found.parts:
        what = f"{head} is" if found.label is None else f"{head} = {named(found.label)} in"
        shown = [
            f"{f'{value:.4g}' if found.label is None else share(value)} where {where}"
            for where, value in ((_where(found, place), value) for place, value in found.parts)
        ]
        lines.append(f"On average, {what} {listed(shown, most=9)}.")
    return lines


def _where(found: InUnits, place: Hashable) -> str:
    return found.where(place if isinstance(place, Range) else named(place), named(found.tail))


def _association_line(support: EdgeSupport) -> str:
    ranks = support.association or ()
    parts = [
        f"{named(other)} is {_place(rank.place)} for {named(one)}"
        for rank, one, other in zip(
            ranks, (support.x, support.y), (support.y, support.x), strict=True
        )
    ]
    return f"By itself, {', and '.join(parts)}."


def _place(place: int | None) -> str:
    if place is None:
        return "not associated: it matters only in interaction with others"
    if place == 1:
        return "the closest associate"
    return f"the {_ordinal(place)} closest associate"


def _ordinal(n: int) -> str:
    ending = "th" if 10 <= n % 100 <= 20 else {1: "st", 2: "nd", 3: "rd"}.get(n % 10, "th")
    return f"{n:,}{ending}"


def _telling_first(tests: Sequence[Any]) -> list[Any]:
    """Return the test with an empty conditioning set, then the largest p-values."""
    return [*tests[:1], *sorted(tests[1:], key=lambda test: -test.p_value)]


def _test(test: Any) -> list[str]:
    given = ", ".join(map(named, test.given)) or "nothing"
    if test.answer == "cannot tell":
        return [given, "cannot tell", "", f"{test.n:,}"]
    p_value = "below 1e-300" if test.p_value < 1e-300 else f"{test.p_value:.2g}"
    return [given, test.answer, p_value, f"{test.n:,}"]
