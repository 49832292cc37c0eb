"""The sentences of the page: what was learned, how far to trust it, and what it assumes.

In: a `Subject`. Out: sentences, with names between the marks of `writing`.
"""

import math
from collections import Counter
from collections.abc import Hashable, Iterable, Sequence
from typing import Any, NamedTuple

import numpy as np

from bnsieve.explain import (
    GIVEN,
    RELIABILITY,
    WEAK_GAIN,
    WEAK_STRENGTH,
    Edge,
    EdgeSize,
    EdgeStrengths,
    EdgeSupport,
    InUnits,
    count_directions,
    score_limit,
)
from bnsieve.knowledge import statements
from bnsieve.report.subject import Subject
from bnsieve.report.writing import FORTH, MINUS, UNDIRECTED, named, share
from bnsieve.search import BINS_MARGIN
from bnsieve.sieve.machine import Condition, Rule
from bnsieve.table import Range, Timeline
from bnsieve.text import counted, listed

# With fewer rows than these behind it, a row of a probability table is a guess.
_FEW_ROWS = 10
_MANY_MISSING = 0.2
STRATEGIES = {
    "em": "imputed by the network, iteratively",
    "testwise": "left out where they would be needed",
    "category": "treated as a category",
}
_DONE = {
    "dropped": "{} left out",
    "binned": "numbers of {} binned",
    "dates": "dates of {} split into parts",
    "grouped": "rare categories of {} grouped",
    "odd": "odd cells of {} set aside",
}


class Assumption(NamedTuple):
    """One assumption: what it is, what it means here, and whether a reader should mind it."""

    what: str
    here: str
    mind: bool = False


def five_sentences(subject: Subject, title: str) -> list[str]:
    """Return the sentences of the first screen."""
    return [
        _what(subject, title),
        _strongest(subject),
        _directions(subject),
        _trust(subject),
        _done(subject),
    ]


def warning_of(subject: Subject, *, command_line: bool) -> list[str]:
    """Return what stands above all else: that rows are not independent; empty if nothing does."""
    found = subject.learner.fit_result_.dependence
    if found is None:
        return []
    texts = found.problem, found.consequence, found.advice(command_line=command_line)
    return [f"{text[0].upper()}{text[1:]}." for text in texts]


def _what(subject: Subject, title: str) -> str:
    n_nodes, n_edges = subject.graph.n_nodes, subject.graph.n_edges
    rows = f"{counted(subject.n_rows, 'row')} of {named(title)}"
    if (clusters := subject.learner.fit_result_.clusters) is not None:
        rows += f" about {clusters.n_entities:,} entities ({named(clusters.by)})"
    if subject.target is not None:
        return (
            f"bnsieve searched {rows} for the variables that predict {named(subject.target)}. Its "
            f"Markov blanket has {counted(n_nodes - 1, 'variable')}; given these, none of the "
            "others was found to add anything."
        )
    if not n_edges:
        return f"In {rows}, no dependence between variables was found."
    n_connected = len({name for edge in subject.edges for name in (edge.tail, edge.head)})
    isolated = n_nodes - n_connected
    rest = f"; {counted(isolated, 'variable')} {_are(isolated)} isolated" if isolated else ""
    return (
        f"bnsieve learned {counted(n_edges, 'edge')} between {counted(n_connected, 'variable')} "
        f"from {rows}{rest}.{_required(subject)} An edge means that two variables depend on each "
        "other in a way that no other variables explain."
    )


def _required(subject: Subject) -> str:
    n = sum(edge.required for edge in subject.edges)
    return f" Of these, {n:,} {_are(n)} required by your knowledge, not learned." if n else ""


def _strongest(subject: Subject) -> str:
    if not subject.edges:
        return "No two variables are adjacent."
    free = [edge for edge in subject.edges if not edge.deterministic]
    n_bound = len(subject.edges) - len(free)
    if not free:
        return "Every edge is deterministic: one variable determines the other."
    names = [
        f"{named(edge.tail)} {FORTH if edge.directed else UNDIRECTED} {named(edge.head)}"
        for edge in free[:3]
    ]
    bound = f"; {counted(n_bound, 'other edge')} {_are(n_bound)} deterministic" if n_bound else ""
    return f"The strongest {_are(len(names))} {listed(names)}{bound}."


def _directions(subject: Subject) -> str:
    n = count_directions(subject.edges)
    if not subject.edges:
        return "Without edges there are no directions."
    parts = [
        f"{word} for {number:,} ({RELIABILITY[word]})"
        for word, number in n.items()
        if word not in GIVEN and any(n[own] for own in n if own not in GIVEN)
    ]
    if "knowledge" in n:
        parts.append(f"given by your knowledge, not by the data, for {n['knowledge']:,}")
    if "time" in n:
        parts.append(f"given by time for {n['time']:,} (it {RELIABILITY['time']})")
    return (
        f"The direction of {counted(len(subject.edges), 'edge')} is {listed(parts)}. A directed "
        "edge is a cause only if no common cause is missing from the table."
    )


def _trust(subject: Subject) -> str:
    learned = [edge for edge in subject.edges if not edge.required]
    free = [edge for edge in learned if not edge.deterministic]
    total, n_weak = len(free), sum(edge.is_weak for edge in free)
    others = ""
    if any(edge.required for edge in subject.edges):
        others = " that your knowledge does not require"
    if len(free) < len(learned):
        others += " (deterministic ones aside)"
    edges = counted(total, "edge") + others
    if not total:
        return "With more rows, weaker dependences may show."
    if subject.strengths is not None:
        rest = f"; the other {n_weak:,} {_are(n_weak)} weak" if n_weak else ""
        return (
            f"bnsieve learned again from {counted(subject.strengths.n_replicates, 'resample')} of "
            f"the rows: {total - n_weak:,} of {edges} were found in at least "
            f"{share(WEAK_STRENGTH)} of them{rest}."
        )
    weak = f"{n_weak:,} of {edges} {_are(n_weak)} weak" if n_weak else f"None of {edges} is weak"
    return (
        f"{weak} (a score gain below {WEAK_GAIN:g} nats); how often each would be found in "
        "other rows was not tested (bootstrap does that)."
    )


def _done(subject: Subject) -> str:
    changes = Counter[str](change.what for change in subject.changes)
    learner = subject.learner
    parts = [
        text.format(counted(changes[what], "column"))
        for what, text in _DONE.items()
        if changes[what]
    ]
    if learner.n_missing_:
        n_missing = counted(sum(learner.n_missing_.values()), "missing value")
        parts.append(f"{n_missing} {STRATEGIES[learner.missing_strategy_]}")
    numeric = ""
    if learner.numeric_features_:
        numeric = f" {counted(len(learner.numeric_features_), 'column')} stayed numeric."
        if limit := score_limit(subject.n_rows):
            numeric += f" {limit[0].upper()}{limit[1:]}."
    if not parts:
        return f"No column was changed before learning.{numeric}"
    return f"Before learning: {listed(parts, most=9)}; the columns are listed below.{numeric}"


def assumptions_of(subject: Subject) -> list[Assumption]:
    """Return the assumptions, each with what the data at hand says of it."""
    numeric = [name for name in subject.learner.numeric_features_ if name in subject.graph.nodes]
    found = [
        Assumption(
            "No common cause is missing from the table.",
            "Rows cannot show this. Two variables with an unrecorded common cause may be adjacent, "
            "and a directed edge between them is not a cause.",
            True,
        ),
        _independence(subject),
        Assumption(
            "No variable is a deterministic function of others (faithfulness).",
            *_deterministic(subject),
        ),
        Assumption("There are enough rows for every probability table.", *_enough_rows(subject)),
        Assumption(
            "Values are missing at random: for reasons that other columns show, if any.",
            *_missing(subject),
        ),
        Assumption(
            "Bins and groups of categories keep the information that matters.", _binned(subject)
        ),
    ]
    if numeric:
        found.append(
            Assumption(
                "Effects of numeric variables add up.",
                f"{_names(numeric)} {'was' if len(numeric) == 1 else 'were'} modelled by functions "
                "of their ranks. A network of bins can show interactions, but bnsieve prefers it "
                f"only if it fits better by more than {BINS_MARGIN:g} nats per row. Weaker "
                "interactions may be missed. The tables and answers on this page use bins.",
            )
        )
    return found


def knowledge_of(subject: Subject) -> list[Assumption]:
    """Return the user's knowledge, one statement each, and where the data do not support it."""
    knowledge = subject.learner.knowledge
    if knowledge is None:
        return []
    edges = {(edge.tail, edge.head): edge for edge in subject.edges if edge.required}
    unsupported = [
        f"{named(tail)} {FORTH} {named(head)}"
        for (tail, head), edge in edges.items()
        if edge.score_gain is not None and edge.score_gain <= 0
    ]
    grouped: dict[str, list[str]] = {}
    for kind, text in statements(knowledge, named, FORTH):
        grouped.setdefault(kind, []).append(text)
    found = [
        Assumption(kind[0].upper() + kind[1:], "; ".join(texts)) for kind, texts in grouped.items()
    ]
    if unsupported:
        found.append(
            Assumption(
                "Required, but not supported by the data",
                f"The score is no lower without {listed(unsupported, None)}.",
                True,
            )
        )
    return found


def _independence(subject: Subject) -> Assumption:
    result = subject.learner.fit_result_
    timeline, dependence = result.timeline, result.dependence
    if timeline is not None and timeline.has_lags:
        return _same_at_all_times(timeline)
    what = "Rows are independent and drawn from the same distribution."
    if dependence is not None:
        here = f"They are not: {dependence.problem}. {dependence.consequence}."
        return Assumption(what, here, True)
    plan = subject.learner.preparation_
    dates = [] if plan is None else [one.name for one in plan.columns if one.role == "date"]
    close = (
        f"The table has dates ({_names(dates)}): if rows close in time are alike, edges look "
        "stronger than they are."
    )
    if timeline is not None:
        what = "Entities are independent and drawn from the same distribution."
        here = (
            f"Rows with the same {named(timeline.by)} are about one entity and may be alike. "
            "Scores and tests allow for this."
        )
        return Assumption(what, f"{here} {close}" if dates else here, bool(dates))
    if dates:
        return Assumption(what, close, True)
    here = (
        "Several rows of one person, machine or day make edges look stronger than they are. "
        "The table has no dates that would show this."
    )
    return Assumption(what, here)


def _same_at_all_times(timeline: Timeline) -> Assumption:
    """Return what a network over time assumes of steps and entities."""
    what = "Values depend on the recorded steps before them, and in the same way at all times."
    here = (
        f"Each row also has the values of the {counted(timeline.lags, 'step')} before it (by "
        f"{named(timeline.time)}). Effects of earlier steps are not modelled, and neither are "
        "changes of the relations over time."
    )
    if timeline.by is not None:
        here += f" Entities ({named(timeline.by)}) are taken as independent and alike."
    return Assumption(what, here)


def _deterministic(subject: Subject) -> tuple[str, bool]:
    known = subject.determinism
    relations = [*known.functions, *known.linear, *known.facts]
    limit = _unsearched(subject)
    if not relations:
        return f"None was found to be.{limit}", False
    more = f" And {len(relations) - 3:,} more." if len(relations) > 3 else ""
    shown = "; ".join(map(str, relations[:3]))
    return f"Some are, so which of them are adjacent is arbitrary: {shown}.{more}{limit}", True


def _unsearched(subject: Subject) -> str:
    """Return which deterministic relations were not searched, as a sentence after others."""
    numeric = subject.learner.numeric_features_
    binned = any(change.what == "binned" for change in subject.changes)
    if subject.learner.fit_result_.timeline is not None and (numeric or binned):
        return " Sums and other linear relations were not searched, because of time= or by=."
    if binned and not numeric:
        return " Sums and other linear relations were not searched, because numbers were binned."
    return ""


def _enough_rows(subject: Subject) -> tuple[str, bool]:
    counts, thin = subject.learner.fit_result_.family_counts, []
    for name in subject.graph.nodes:
        family = counts.tables[name].complete()
        n_configurations = np.unique(family.configurations[:-1], axis=1).shape[1]
        if counts.graph.parents(name) and family.counts.sum() < _FEW_ROWS * n_configurations:
            thin.append(name)
    if not thin:
        return (
            f"With {subject.n_rows:,} rows, each table has at least {_FEW_ROWS} of them per "
            "configuration of the parents, on average.",
            False,
        )
    return (
        f"The probability tables of {_names(thin)} have fewer than {_FEW_ROWS} rows per "
        "configuration of the parents: their probabilities are rough.",
        True,
    )


def _missing(subject: Subject) -> tuple[str, bool]:
    missing = subject.learner.n_missing_
    if not missing:
        return "No value of the columns used is missing.", False
    most = max(missing, key=lambda name: (missing[name], name))
    part, n = missing[most] / max(1, subject.n_rows), sum(missing.values())
    return (
        f"{counted(n, 'value')} in {counted(len(missing), 'column')} {_are(n)} missing, most in "
        f"{named(most)} ({share(part)} of its rows). If values are missing because of their "
        "own value, edges of their column may be wrong.",
        part > _MANY_MISSING,
    )


def _binned(subject: Subject) -> str:
    changed = [change.column for change in subject.changes if change.what in ("binned", "grouped")]
    if not changed:
        return "No column was binned or grouped."
    return (
        f"{_names(changed)} {'was' if len(changed) == 1 else 'were'} binned or grouped: "
        "differences within a bin or group are not seen."
    )


def _names(names: Iterable[str]) -> str:
    return listed([named(name) for name in names])


def _are(number: int) -> str:
    return "is" if number == 1 else "are"


_SHOWN_RULES = 5
_SHOWN_CONDITIONS = 5
# Below it, a size without other variables held fixed is not worth telling.
_TOLD_SIZE = 0.05


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
    said = f"{edge.reliability}: {RELIABILITY[edge.reliability]}"
    if edge.reliability in GIVEN:
        said = RELIABILITY[edge.reliability]
    lines = [f"The direction is {said}."]
    if edge.required:
        lines.append("Your knowledge requires the edge, whatever the data say.")
    if edge.deterministic:
        lines.append(f"Deterministic: {edge.deterministic}.")
    if strengths is not None and edge.strength is not None and not edge.required:
        lines.append(_strength_line(edge, strengths.n_replicates))
    if edge.score_gain is not None and edge.net_gain > 0:
        lines.append(
            f"Its score gain over the best network without it is {edge.net_gain:,.1f} nats."
        )
    if edge.effect is not None:
        lines.append(f"Effect: {edge.effect}. More rows do not make it larger.")
    if support is None:
        return {"lines": lines, "tests": [], "rules": [], "n_rules": 0}
    if support.in_units is not None:
        lines += _unit_lines(support.in_units)
    if support.association is not None:
        lines.append(_association_line(support))
    rules = [rule for rule in support.rules if math.isfinite(rule.precision) and rule.support > 0]
    # Rules with few conditions come first, then those with the highest gain.
    rules.sort(key=lambda rule: len(rule.conditions) > _SHOWN_CONDITIONS)
    return {
        "lines": lines,
        "tests": [_test(test) for test in _telling_first(support.tests)],
        "rules": [rule_words(rule) for rule in rules[:_SHOWN_RULES]],
        "n_rules": len(rules),
    }


def signed(size: EdgeSize) -> str:
    """Return the size of an edge as a figure, with a true minus."""
    return str(size).replace("-", MINUS)


def size_words(size: EdgeSize) -> str:
    """Return what the size of an edge means, as a sentence without a full stop."""
    tail, head = named(size.tail), named(size.head)
    held = f", {_names(size.given)} held fixed" if size.given else ""
    if not size.is_signed:
        why = "ranks show only a part of it" if size.both_ordered else "unordered states"
        if size.rises_and_falls:
            why = "it rises and falls"
        return f"no sign: {why} ({size.kind}{held})"
    first = f"higher {tail}" if size.tail_state is None else f"{tail} = {named(size.tail_state)}"
    if size.head_state is None:
        then = f"{'higher' if size.value > 0 else 'lower'} {head}"
    else:
        then = f"{head} = {named(size.head_state)} {'more' if size.value > 0 else 'less'} often"
    if size.points is not None:
        then += f" by {abs(100 * size.points):.1f} percentage points"
    turned = ""
    if size.given and size.value * size.alone < 0 and abs(size.alone) >= _TOLD_SIZE:
        turned = f"; with nothing held fixed it is {size.alone:+.2f}".replace("-", MINUS)
    return f"{first} goes with {then} ({size.kind}{held}{turned})"


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
    if edge.direction is None or edge.reliability in GIVEN:
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
        what = f"{head} is" if found.state is None else f"{head} = {named(found.state)} in"
        shown = [
            f"{f'{value:.4g}' if found.state is None else share(value)} where {where}"
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
