"""What the method assumes, and what that means for the data at hand."""

from dataclasses import dataclass

import numpy as np

from bnsieve.report.prose import named, share
from bnsieve.report.subject import Subject
from bnsieve.text import counted, listed

# With fewer rows than these behind it, a line of a table is a guess.
_FEW_ROWS = 10
_MANY_MISSING = 0.2


@dataclass(frozen=True)
class Assumption:
    """One assumption: what it is, and what it means here."""

    what: str
    here: str
    doubtful: bool


def assumptions_of(subject: Subject) -> list[Assumption]:
    """Return the assumptions, each with what the data at hand says of it."""
    return [
        Assumption(
            "Nothing that matters is missing from the table.",
            "Rows cannot show this. If something that was not recorded acts on two columns, they "
            "may be joined, and an arrow between them is no cause.",
            True,
        ),
        _alike(subject),
        _exact_functions(subject),
        _enough_rows(subject),
        _gaps(subject),
        _cut(subject),
        *_numbers(subject),
    ]


def _alike(subject: Subject) -> Assumption:
    plan = subject.learner.preparation_
    dates = [] if plan is None else [one.name for one in plan.columns if one.role == "date"]
    what = "Each row is a case of its own, drawn like the others."
    if not dates:
        return Assumption(
            what,
            "Rows of one person, one machine or one day would count as more evidence than they "
            "are. The table has no dates by which this could be seen.",
            False,
        )
    names = listed([named(name) for name in dates])
    return Assumption(
        what,
        f"The table has dates ({names}): if rows that lie close in time are alike, evidence counts "
        "for less than it seems.",
        True,
    )


def _exact_functions(subject: Subject) -> Assumption:
    found = subject.determinism
    told = [str(one) for one in (*found.functions, *found.facts)]
    what = "No dependence hides behind an exact one."
    if not told:
        return Assumption(what, "No column was found to be a function of another.", False)
    more = f" And {len(told) - 3:,} more." if len(told) > 3 else ""
    return Assumption(
        what,
        f"Some columns determine others, so which of these are joined is arbitrary: "
        f"{'; '.join(told[:3])}.{more}",
        True,
    )


def _enough_rows(subject: Subject) -> Assumption:
    what = "There are enough rows for what is asked of them."
    counts, thin = subject.learner.family_counts_, []
    for name in subject.graph.nodes:
        if name not in counts.tables or not counts.graph.parents(name):
            continue
        family = counts.tables[name].complete()
        lines = np.unique(family.configurations[:-1], axis=1).shape[1]
        if family.counts.sum() < _FEW_ROWS * lines:
            thin.append(name)
    if not thin:
        return Assumption(
            what,
            f"Of {subject.n_rows:,} rows, at least {_FEW_ROWS} stand on average behind each line "
            "of every probability table.",
            False,
        )
    return Assumption(
        what,
        f"The probability tables of {listed([named(name) for name in thin])} have less than "
        f"{_FEW_ROWS} rows per line: their numbers are rough.",
        True,
    )


def _gaps(subject: Subject) -> Assumption:
    what = "Cells are missing by chance, or for reasons that other columns show."
    cells = subject.learner.n_missing_
    if not cells:
        return Assumption(what, "No cell of the columns used is missing.", False)
    most = max(cells, key=lambda name: (cells[name], name))
    part = cells[most] / max(1, subject.n_rows)
    return Assumption(
        what,
        f"{counted(sum(cells.values()), 'cell')} in {counted(len(cells), 'column')} are missing, "
        f"most in {named(most)} ({share(part)} of its rows). If a cell is missing because of what "
        "it would have held, edges of its column may be wrong.",
        part > _MANY_MISSING,
    )


def _cut(subject: Subject) -> Assumption:
    what = "Labels keep what matters of the columns."
    cut = [change.column for change in subject.changes if change.what in ("cut", "grouped")]
    if not cut:
        kind = "labels or numbers" if subject.learner.numeric_features_ else "labels"
        return Assumption(what, f"All columns used are {kind} as they stand in the data.", False)
    names = listed([named(name) for name in cut])
    return Assumption(
        what,
        f"Of {names}, ranges or groups were made: what differs inside one of them is not seen.",
        False,
    )


def _numbers(subject: Subject) -> list[Assumption]:
    """Return what is assumed of columns that were learned from as numbers."""
    numbers = [name for name in subject.learner.numeric_features_ if name in subject.graph.nodes]
    if not numbers:
        return []
    return [
        Assumption(
            "What numbers do to other columns adds up.",
            f"{listed([named(name) for name in numbers])} were learned from by functions of their "
            "ranks, each by itself. The rows were also asked whether ranges, which show what "
            "columns do together, explain more: they do not. The tables and answers on this page "
            "are about ranges.",
            False,
        )
    ]
