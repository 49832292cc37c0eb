"""Rows by entity and in order of time, and which of them follow each other.

In: the entity and the time of each row. Out: the rows in order, and for each row, the number of
rows before it that belong to its past. A past ends at a missing step, at another entity or at the
first row.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from bnsieve.rows.keys import Entities, entities_of
from bnsieve.rows.repeated_times import OtherColumns, interleaving, reason_of_repeats
from bnsieve.rows.stamps import TOLERANCE, Differences, Every, Stamps
from bnsieve.table import Steps, Timeline
from bnsieve.text import counted

Places = NDArray[np.intp]

_PER_SECOND = 1e6


@dataclass(frozen=True, eq=False)
class Sequences:
    """Rows in order of entity and time.

    Attributes
    ----------
    order : ndarray of int
        The rows with an entity and a time, in order.
    starts : ndarray of int
        The first row of each step in that order. Without resampling, each row is a step.
    entities : ndarray of int32, shape (n_steps,)
    depth : ndarray of int64, shape (n_steps,)
        The number of successive steps up to each step.
    steps : Steps
    doubt : str
        A reason why the order may be wrong, from `interleaving`; "" if it seems right.
    """

    order: Places
    starts: Places
    entities: Entities
    depth: NDArray[np.int64]
    steps: Steps
    doubt: str = ""

    def with_past(self, lags: int, learned: Steps | None = None) -> tuple[Places, Entities]:
        """Return the steps that have this number of steps before them, each with these.

        Parameters
        ----------
        lags : int
        learned : Steps, optional
            The steps of the training rows, for messages about later rows.

        Returns
        -------
        rows : ndarray of int, shape (lags + 1, n_used)
            Numbers of steps.
        entities : ndarray of int32, shape (n_used,)

        Raises
        ------
        ValueError
            If there is none.
        """
        used = np.flatnonzero(self.depth >= lags)
        if not len(used):
            refuse_no_past(lags, int(self.depth.max(initial=0)), self.steps, learned)
        return used - np.arange(lags + 1)[:, np.newaxis], self.entities[used]


def refuse_no_past(lags: int, deepest: int, steps: Steps, learned: Steps | None = None) -> None:
    """Refuse rows if none of them has all of its past."""
    longest = counted(deepest + 1, "row")
    if learned is None:
        cure = f"pass lags={deepest}" if deepest else "check the time and entity columns"
        cure += ", or make steps longer with every= (--every)"
    elif learned.length in (None, steps.usual) or steps.usual_share == 0:
        cure = "pass more successive rows of each series"
    else:
        cure = (
            f"the training rows have steps of {learned.length}, but the most frequent time between "
            f"these rows is {steps.usual}"
        )
    raise ValueError(
        f"no row has {counted(lags, 'step')} before it, and the longest sequence of rows one step "
        f"apart has {longest}: {cure}"
    )


def put_in_order(
    timeline: Timeline,
    whose: "pd.Series[Any]",
    stamps: Stamps,
    given: str,
    others: OtherColumns = dict,
) -> Sequences:
    """Put rows in order, and find which follow each other.

    Parameters
    ----------
    timeline : Timeline
    whose : pandas.Series
        The entity of each row.
    stamps : Stamps
    given : str
        What errors call the data.
    others : callable, optional
        Returns the columns other than time and entity, which may show why times repeat or
        interleave.
    """
    entities = entities_of(whose)
    rows = np.flatnonzero((entities >= 0) & stamps.known)
    if not len(rows):
        raise ValueError(f"{given}: no row has a time ({timeline.time}) and an entity: check both")
    order = rows[np.lexsort((stamps.values[rows], entities[rows]))]
    own, starts = entities[order], np.arange(len(order))
    same, differences = own[1:] == own[:-1], time_between(stamps, order)
    repeats = np.flatnonzero(same & (differences == 0))
    if len(repeats) and timeline.every is None:
        row = int(order[repeats[0]])
        reason = reason_of_repeats(timeline, stamps, order, repeats, others)
        refuse_repeats(timeline, stamps.shown(row), whose.iloc[row], len(repeats), given, reason)
    doubt = interleaving(timeline, order, same, differences, stamps.is_date, others)
    if timeline.every is not None:
        every = Every.of(timeline.every)
        times = every.steps(str(timeline.time), stamps)[order]
        is_new = np.ones(len(order), dtype=bool)
        is_new[1:] = (own[1:] != own[:-1]) | (times[1:] != times[:-1])
        starts = np.flatnonzero(is_new)
        own, times = own[starts], times[starts]
        same = own[1:] == own[:-1]
        is_next = same & (times[1:] - times[:-1] == 1)
        length: str | None = str(every)
        usual, share = str(every), 1.0
    else:
        found = Differences()
        found.add(differences[same])
        step, length, usual, share = step_of(timeline, found, given, is_date=stamps.is_date)
        is_next = same if step is None else same & is_one_step(differences, step)
    breaks = int(np.count_nonzero(same & ~is_next))
    depth = depths(is_next)
    n_entities = 1 + int(np.count_nonzero(~same))
    steps = Steps(
        n_rows=len(entities),
        n_unplaced=len(entities) - len(rows),
        n_steps=len(starts),
        n_used=0,
        n_entities=n_entities,
        n_breaks=breaks,
        length=length,
        usual=usual,
        usual_share=share,
        remarks=(*stamps.remarks, doubt) if doubt else stamps.remarks,
        has_zone=stamps.has_zone,
    )
    return Sequences(order, starts, own, depth, steps, doubt)


def time_between(stamps: Stamps, order: Places) -> NDArray[np.float64]:
    """Return the time between each row and the next, in seconds or in the column's unit."""
    differences = np.diff(stamps.values[order]).astype(np.float64)
    return differences / _PER_SECOND if stamps.is_date else differences


def step_of(
    timeline: Timeline, found: Differences, given: str, *, is_date: bool
) -> tuple[float | None, str | None, str, float]:
    """Return the length of a step, None if steps are uneven; the same and the usual one in words.

    Later rows have the steps of the training rows. The last number is the share of times between
    rows that are about as long as the usual one.

    Raises
    ------
    ValueError
        If the time column holds dates, and numbers in the training rows, or the reverse.
    """
    usual, share = found.usual()
    in_words = found.usual_in_words(is_date=is_date)
    if timeline.steps is None:
        step = found.step()
        length = None if step is None and usual else in_words
        return step, length, in_words, share
    if timeline.steps.length is None:
        return None, None, in_words, share
    every = Every.of(timeline.steps.length)
    if every.is_duration != is_date:
        held, was = ("dates", "numbers") if is_date else ("numbers", "dates")
        raise ValueError(
            f"{given}: the time column {timeline.time!r} holds {held}, but held {was} in the "
            "training rows"
        )
    return every.seconds, timeline.steps.length, in_words, share


def is_one_step(differences: NDArray[np.float64], step: float) -> NDArray[np.bool_]:
    """Tell which times between rows are one step."""
    one_step: NDArray[np.bool_] = np.abs(differences / step - 1) <= TOLERANCE
    return one_step


def depths(is_next: NDArray[np.bool_], before: int = 0) -> NDArray[np.int64]:
    """Return the number of successive rows up to each row.

    Parameters
    ----------
    is_next : ndarray of bool, shape (n_rows - 1,)
        Whether each row, except the first, follows the previous one.
    before : int
        The depth of the first row.
    """
    places = np.arange(len(is_next) + 1)
    begins = np.concatenate([[True], ~is_next])
    depth = places - np.maximum.accumulate(np.where(begins, places, 0))
    unbroken = np.logical_and.accumulate(np.concatenate([[True], is_next]))
    return np.where(unbroken, depth + before, depth)


def refuse_repeats(
    timeline: Timeline, when: str, whose: Any, n: int, given: str, reason: str = ""
) -> None:
    """Refuse two rows of one entity at one time.

    Raises
    ------
    ValueError
    """
    if timeline.by is None:
        where = f"two rows have {timeline.time} {when}"
        cure = "If rows are about several machines or patients, name the column that says which "
        cure += "with by= (--by)"
    else:
        where = f"{timeline.by} {whose} has two rows with {timeline.time} {when}"
        cure = f"If values of {timeline.by} repeat across sites, make one column of both for by="
    raise ValueError(
        f"{given}: {where}; {counted(n, 'row repeats', 'rows repeat')} an earlier time in all. "
        f"{reason or cure}. Otherwise drop the repeats, or pass every= (--every) to make one row "
        "of each step"
    )
