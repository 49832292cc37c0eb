"""Rows in order of entity and time, with numbered steps, and the stamps of steps to come.

In: the time stamps and entities of rows, and the `Timeline` of a fit. Out: `Order`, in which rows
of one step lie beside each other; a `Clock`, which says when the next steps are.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bnsieve.rows import Differences, Every, Stamps
from bnsieve.table import Timeline

_PER_SECOND = 1_000_000
_DAY = 86_400 * _PER_SECOND
# Of a step: how far apart two rows may be from one step to be neighbours, as in learning.
_SLACK = 0.25

Places = NDArray[np.intp]


@dataclass(frozen=True, eq=False)
class Order:
    """Rows in order of entity and time.

    Attributes
    ----------
    rows : ndarray of int
        The rows that have an entity and a time, in order.
    starts : ndarray of int, shape (n_steps,)
        Where steps begin in that order; each row is one unless rows are resampled.
    entity : ndarray of int, shape (n_steps,)
        Ascending.
    step : ndarray of int64, shape (n_steps,)
        The number of each step; ascending within an entity.
    n_odd : int
        How many times between two rows are no multiple of a step.
    """

    rows: Places
    starts: Places
    entity: Places
    step: NDArray[np.int64]
    n_odd: int = 0


@dataclass(frozen=True)
class Clock:
    """How long a step is.

    Attributes
    ----------
    every : Every
        The length of a step.
    is_date : bool
    is_resampled : bool
        Whether all rows within a step are one.
    is_uneven : bool
        Whether each row is a step, whatever the time between.
    """

    every: Every
    is_date: bool
    is_resampled: bool = False
    is_uneven: bool = False

    @classmethod
    def of(cls, timeline: Timeline, stamps: Stamps, entities: NDArray[Any]) -> "Clock":
        """Return the clock of a fit; where its steps are not known, that of the rows themselves.

        Raises
        ------
        ValueError
            If the time column is of another kind than that of the fit, or no series has two rows.
        """
        if timeline.every is not None:
            return cls(Every.of(timeline.every), stamps.is_date, is_resampled=True)
        steps = timeline.steps
        if steps is not None and steps.usual not in ("", "0"):
            every = Every.of(steps.length or steps.usual)
            if every.is_duration != stamps.is_date:
                held, was = ("dates", "numbers") if stamps.is_date else ("numbers", "dates")
                raise ValueError(
                    f"the time column {timeline.time!r} of the history holds {held}, but held "
                    f"{was} when the network was learned"
                )
            return cls(every, stamps.is_date, is_uneven=steps.length is None)
        order = np.lexsort((stamps.values, entities))
        apart = np.diff(stamps.values[order])[np.diff(entities[order]) == 0].astype(np.float64)
        found = Differences()
        found.add((apart / _PER_SECOND if stamps.is_date else apart)[apart > 0])
        usual, _ = found.usual()
        if not usual:
            raise ValueError(
                "no series of the history has two rows, so that the length of a step is unknown: "
                "give more rows"
            )
        words = found.usual_in_words(is_date=stamps.is_date)
        return cls(Every.of(words), stamps.is_date, is_uneven=found.step() is None)

    @property
    def _length(self) -> float:
        """Of a step, in the units of stamps; of months what they last on average."""
        if self.every.months:
            return self.every.months * 30.4375 * _DAY
        return self.every.length * (_PER_SECOND if self.is_date else 1)

    def order(self, timeline: Timeline, stamps: Stamps, entities: NDArray[Any]) -> Order:
        """Put rows in order, and number their steps."""
        rows = np.flatnonzero((entities >= 0) & stamps.known)
        rows = rows[np.lexsort((stamps.values[rows], entities[rows]))]
        entity, n = entities[rows].astype(np.intp), len(rows)
        if self.is_resampled:
            numbers = self.every.steps(str(timeline.time), stamps)[rows]
            is_new = np.ones(n, dtype=bool)
            is_new[1:] = (entity[1:] != entity[:-1]) | (numbers[1:] != numbers[:-1])
            starts = np.flatnonzero(is_new)
            return Order(rows, starts, entity[starts], numbers[starts])
        if self.is_uneven:
            return Order(rows, np.arange(n), entity, np.arange(n))
        same = entity[1:] == entity[:-1]
        ratios = np.where(same, np.diff(stamps.values[rows]) / self._length, 1.0)
        whole = np.maximum(1, np.round(ratios))
        odd = np.abs(ratios - whole) > _SLACK
        # What is no multiple of a step is at least not one step: the two rows are not neighbours.
        whole[odd] = np.maximum(2, whole[odd])
        steps = np.concatenate([[0], np.cumsum(whole)]).astype(np.int64)
        return Order(rows, np.arange(n), entity, steps[:n], int(odd.sum()))

    def after(
        self, stamps: Stamps, order: Order, last: Places, n_steps: int, first: int = 1
    ) -> NDArray[Any]:
        """Return the stamps of the next steps, shape (n_entities, n_steps - first + 1).

        Parameters
        ----------
        stamps : Stamps
        order : Order
        last : ndarray of int
            The last step of each entity, by its place in `order`.
        n_steps : int
        first : int
            How many steps after the last the first one is; below 1 they lie before it.
        """
        ahead = np.arange(first, n_steps + 1)
        if self.is_resampled:
            begins = self._begins(order.step[last][:, np.newaxis] + ahead)
            return begins.astype("datetime64[us]") if self.is_date else begins
        values = stamps.values[order.rows[order.starts[last]]][:, np.newaxis]
        if not self.is_date:
            return np.asarray(values + self.every.length * ahead)
        if not self.every.months:
            apart = np.round(self._length * ahead).astype(np.int64)
            return np.asarray((values + apart).astype("datetime64[us]"))
        return _months_after(values.astype("datetime64[us]"), self.every.months * ahead)

    def _begins(self, numbers: NDArray[np.int64]) -> NDArray[Any]:
        """Return when steps of a resampled series begin."""
        if self.every.months:
            months = (numbers * self.every.months).astype("datetime64[M]")
            return np.asarray(months.astype("datetime64[us]").astype(np.int64))
        if not self.is_date:
            return np.asarray(numbers * self.every.length)
        length = max(1, round(self._length))
        # Weeks begin on Monday, and 1970 began on a Thursday.
        return numbers * length + (4 * _DAY if length % (7 * _DAY) == 0 else 0)


def _months_after(stamps: NDArray[Any], months: NDArray[Any]) -> NDArray[Any]:
    """Return the same day some months later; the last day of a month stays one."""
    day = np.timedelta64(_DAY, "us")
    first = stamps.astype("datetime64[M]")
    later = first + months
    ends = (later + 1).astype(stamps.dtype) - day + (stamps - first) % day
    same = np.minimum(later.astype(stamps.dtype) + (stamps - first), ends)
    is_last = stamps >= (first + 1).astype(stamps.dtype) - day
    return np.asarray(np.where(is_last, ends, same))


def refuse_repeats(
    timeline: Timeline, clock: Clock, stamps: Stamps, order: Order, names: tuple[Any, ...]
) -> None:
    """Refuse two rows of one entity at one time, unless they are resampled.

    Raises
    ------
    ValueError
    """
    rows = order.rows
    if clock.is_resampled or len(rows) < 2:
        return
    values = stamps.values[rows]
    twice = (order.entity[1:] == order.entity[:-1]) & (values[1:] == values[:-1])
    if twice.any():
        at = int(twice.argmax())
        of = "" if timeline.by is None else f" of {timeline.by} {names[order.entity[at]]!r}"
        raise ValueError(
            f"two rows{of} of the history have the same time stamp, {stamps.shown(int(rows[at]))}: "
            "keep one of them"
        )
