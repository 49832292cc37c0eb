"""The sentences of the page: what was learned, how far to trust it, and what it assumes.

In: a `Subject`. Out: sentences, with names between the marks of `writing`.
"""

from collections import Counter
from collections.abc import Iterable
from typing import NamedTuple

import numpy as np

from bnsieve.explain import RELIABILITY, WEAK_GAIN, WEAK_STRENGTH
from bnsieve.report.subject import Subject
from bnsieve.report.writing import FORTH, UNDIRECTED, named, share
from bnsieve.text import counted, listed

# With fewer rows than these behind it, a row of a probability table is a guess.
_FEW_ROWS = 10
_MANY_MISSING = 0.2
_STRATEGIES = {
    "em": "imputed by the network, iteratively",
    "testwise": "left out where they would be needed",
    "category": "treated as a category",
}
_DONE = {
    "dropped": "{} left out",
    "cut": "numbers of {} binned",
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


def _what(subject: Subject, title: str) -> str:
    n_nodes, n_edges = subject.graph.n_nodes, subject.graph.n_edges
    rows = f"{counted(subject.n_rows, 'row')} of {named(title)}"
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
        f"from {rows}{rest}. An edge means that two variables depend on each other in a way that "
        "no other variables explain."
    )


def _strongest(subject: Subject) -> str:
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
    n = Counter(edge.reliability for edge in subject.edges)
    if not subject.edges:
        return "Without edges there are no directions."
    parts = [f"{word} for {n[word]:,} ({text})" for word, text in RELIABILITY.items()]
    return (
        f"The direction of {counted(len(subject.edges), 'edge')} is {listed(parts)}. A directed "
        "edge is a cause only if no common cause is missing from the table."
    )


def _trust(subject: Subject) -> str:
    total, n_weak = len(subject.edges), sum(edge.is_weak for edge in subject.edges)
    edges = counted(total, "edge")
    if not total:
        return "With more rows, weaker dependences may show."
    if subject.strengths is not None:
        rest = f"; the other {n_weak:,} {_are(n_weak)} weak" if n_weak else ""
        return (
            f"Learned again from {counted(subject.strengths.n_replicates, 'resample')} of the "
            f"rows, {total - n_weak:,} of {edges} came back in at least {share(WEAK_STRENGTH)} of "
            f"them{rest}."
        )
    weak = f"{n_weak:,} of {edges} {_are(n_weak)} weak" if n_weak else f"None of {edges} is weak"
    return (
        f"{weak} (a score gain below {WEAK_GAIN:g} nats); how often each would come back from "
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
        parts.append(f"{n_missing} {_STRATEGIES[learner.missing_strategy_]}")
    numeric = ""
    if learner.numeric_features_:
        numeric = f" {counted(len(learner.numeric_features_), 'column')} stayed numeric."
    if not parts:
        return f"No column was changed before learning.{numeric}"
    return f"Before learning: {listed(parts, most=9)}; the columns are listed below.{numeric}"


def assumptions_of(subject: Subject) -> list[Assumption]:
    """Return the assumptions, each with what the data at hand says of it."""
    return [
        Assumption(
            "No common cause is missing from the table.",
            "Rows cannot show this. Two variables with an unrecorded common cause may be adjacent, "
            "and a directed edge between them is not a cause.",
            True,
        ),
        _independent_rows(subject),
        _deterministic(subject),
        _enough_rows(subject),
        _missing(subject),
        _binned(subject),
        *_numeric(subject),
    ]


def _independent_rows(subject: Subject) -> Assumption:
    plan = subject.learner.preparation_
    dates = [] if plan is None else [one.name for one in plan.columns if one.role == "date"]
    what = "Rows are independent and drawn from the same distribution."
    if not dates:
        return Assumption(
            what,
            "Several rows of one person, machine or day make edges look stronger than they are. "
            "The table has no dates that would show this.",
        )
    return Assumption(
        what,
        f"The table has dates ({_names(dates)}): if rows close in time are alike, edges look "
        "stronger than they are.",
        True,
    )


def _deterministic(subject: Subject) -> Assumption:
    relations = [*subject.determinism.functions, *subject.determinism.facts]
    what = "No variable is a deterministic function of others (faithfulness)."
    if not relations:
        return Assumption(what, "None was found to be.")
    more = f" And {len(relations) - 3:,} more." if len(relations) > 3 else ""
    return Assumption(
        what,
        "Some are, so which of them are adjacent is arbitrary: "
        f"{'; '.join(map(str, relations[:3]))}.{more}",
        True,
    )


def _enough_rows(subject: Subject) -> Assumption:
    what = "There are enough rows for every probability table."
    counts, thin = subject.learner.fit_result_.family_counts, []
    for name in subject.graph.nodes:
        if name not in counts.tables or not counts.graph.parents(name):
            continue
        family = counts.tables[name].complete()
        n_configurations = np.unique(family.configurations[:-1], axis=1).shape[1]
        if family.counts.sum() < _FEW_ROWS * n_configurations:
            thin.append(name)
    if not thin:
        return Assumption(
            what,
            f"With {subject.n_rows:,} rows, each table has at least {_FEW_ROWS} of them per "
            "configuration of the parents, on average.",
        )
    return Assumption(
        what,
        f"The probability tables of {_names(thin)} have fewer than {_FEW_ROWS} rows per "
        "configuration of the parents: their probabilities are rough.",
        True,
    )


def _missing(subject: Subject) -> Assumption:
    what = "Values are missing at random: for reasons that other columns show, if any."
    missing = subject.learner.n_missing_
    if not missing:
        return Assumption(what, "No value of the columns used is missing.")
    most = max(missing, key=lambda name: (missing[name], name))
    part = missing[most] / max(1, subject.n_rows)
    n = sum(missing.values())
    return Assumption(
        what,
        f"{counted(n, 'value')} in {counted(len(missing), 'column')} {_are(n)} missing, most in "
        f"{named(most)} ({share(part)} of its rows). If values are missing because of what they "
        "would have been, edges of their column may be wrong.",
        part > _MANY_MISSING,
    )


def _binned(subject: Subject) -> Assumption:
    what = "Bins and groups of categories keep the information that matters."
    changed = [change.column for change in subject.changes if change.what in ("cut", "grouped")]
    if not changed:
        return Assumption(what, "No column was binned or grouped.")
    return Assumption(
        what,
        f"{_names(changed)} {'was' if len(changed) == 1 else 'were'} binned or grouped: "
        "differences within a bin or group are not seen.",
    )


def _numeric(subject: Subject) -> list[Assumption]:
    numeric = [name for name in subject.learner.numeric_features_ if name in subject.graph.nodes]
    if not numeric:
        return []
    return [
        Assumption(
            "Effects of numeric variables add up.",
            f"{_names(numeric)} {'was' if len(numeric) == 1 else 'were'} modelled by functions of "
            "their ranks. A network of bins, which can show interactions, was compared and fits no "
            "better. The tables and answers on this page use bins.",
        )
    ]


def _names(names: Iterable[str]) -> str:
    return listed([named(name) for name in names])


def _are(number: int) -> str:
    return "is" if number == 1 else "are"
