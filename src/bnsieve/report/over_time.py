"""The graph of a fit over time, by variable and by step, for the page."""

from dataclasses import dataclass
from typing import Any

from bnsieve.report.subject import Subject
from bnsieve.report.writing import markup

# Nodes of a picture that can be read.
_MOST_DRAWN = 200


@dataclass(frozen=True, eq=False)
class OverTime:
    """What the page shows of a fit over time.

    Attributes
    ----------
    sentences : list of str
        How rows were put in order, what a step is, and which rows were used.
    summary, slices : markup
        Pictures by variable and by step; the second is empty if it would be too large to read.
    """

    sentences: list[str]
    summary: Any
    slices: Any


def views_over_time(subject: Subject) -> OverTime | None:
    """Return the views of a fit over time; None of other fits."""
    timeline = subject.learner.fit_result_.timeline
    if timeline is None or not timeline.has_lags:
        return None
    views = subject.graph.over_time()
    is_small = len(views.names) <= _MOST_DRAWN
    return OverTime(
        timeline.sentences(),
        markup(views.plot().svg) if len(views.variables) <= _MOST_DRAWN else "",
        markup(views.plot_slices().svg) if is_small else "",
    )
