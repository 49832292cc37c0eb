"""Time stamps as numbered steps, and the stamps of steps to come.

In: a column of time stamps. Out: a `Clock`: how long a step is; the number of each row's step; the
stamps that follow. Stamps that cannot be read, come twice or lie between two steps are refused.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

# Of a step: how far a stamp may lie from where its step is.
_SLACK = 0.05
_DAY = 86_400 * 10**9
# Days that months, quarters and years last, by the months in them.
_MONTHS = {1: (28, 31), 3: (89, 92), 6: (181, 184), 12: (365, 366)}


@dataclass(frozen=True)
class Clock:
    """How long a step is.

    Attributes
    ----------
    step : float
        In units of the time column; nanoseconds of dates. Of months, what they last on average.
    is_date : bool
    months : int
        Months of a step; 0 if all steps are equally long.
    """

    step: float
    is_date: bool = False
    months: int = 0

    @classmethod
    def of(cls, stamps: NDArray[Any], entity: NDArray[np.intp]) -> "Clock":
        """Find the step of sorted stamps: the difference that most of them have.

        Raises
        ------
        ValueError
            If no entity has two rows.
        """
        is_date = stamps.dtype.kind == "M"
        apart = np.diff(stamps.astype(np.int64) if is_date else stamps)
        apart = apart[np.diff(entity) == 0]
        apart = apart[apart > 0]
        if not len(apart):
            raise ValueError(
                "no series of the history has two rows, so that the length of a step is unknown: "
                "give more rows"
            )
        if is_date:
            days = np.median(apart) / _DAY
            for months, (least, most) in _MONTHS.items():
                # Steps of 30 days that are all alike are days.
                varies = len(np.unique(apart)) > 1 or months == 12
                if varies and least <= days <= most and np.mean(apart % _DAY == 0) > 0.5:
                    return cls(float(days * _DAY), True, months)
        lengths, counts = np.unique(apart, return_counts=True)
        return cls(float(lengths[counts.argmax()]), is_date)

    def numbers(self, stamps: NDArray[Any], entity: NDArray[np.intp]) -> NDArray[np.int64]:
        """Return the number of each row's step: 0 is the last row of its entity.

        Rows are sorted by entity and stamp.

        Raises
        ------
        ValueError
            If a stamp lies between two steps.
        """
        last = np.searchsorted(entity, entity, side="right") - 1
        if self.months:
            month = stamps.astype("datetime64[M]").astype(np.int64)
            return np.asarray((month - month[last]) // self.months, dtype=np.int64)
        values = stamps.astype(np.int64) if self.is_date else stamps
        steps = (values - values[last]) / self.step
        whole = np.round(steps)
        off = np.abs(steps - whole) > _SLACK
        if off.any():
            row = int(off.argmax())
            raise ValueError(
                f"the time stamp {stamps[row]} lies between two steps of {self.in_words}: "
                "the steps of the history are uneven. Resample it, or learn with every="
            )
        return np.asarray(whole, dtype=np.int64)

    def after(self, last: NDArray[Any], steps: NDArray[np.int64]) -> NDArray[Any]:
        """Return the stamps some steps after the last ones, shape (n_entities, n_steps)."""
        if self.months:
            months = last.astype("datetime64[M]")
            within = (last - months)[:, np.newaxis]
            later = months[:, np.newaxis] + self.months * steps
            # The 31st of a month that has fewer days is its last day, and the last day stays one.
            day = np.timedelta64(_DAY, "ns")
            ends = (later + 1).astype(last.dtype) - day + within % day
            stamps = np.minimum(later.astype(last.dtype) + within, ends)
            at_end = last >= (months + 1).astype(last.dtype) - day
            return np.where(at_end[:, np.newaxis], ends, stamps)
        apart = self.step * steps
        if self.is_date:
            apart = apart.astype(np.int64).astype("timedelta64[ns]")
        return np.asarray(last[:, np.newaxis] + apart)

    @property
    def in_words(self) -> str:
        """The length of a step."""
        if self.months:
            return f"{self.months} months" if self.months > 1 else "one month"
        return str(pd.Timedelta(int(self.step), "ns")) if self.is_date else f"{self.step:g}"


def read_stamps(column: "pd.Series[Any]", name: str) -> NDArray[Any]:
    """Return time stamps as float64 numbers or datetime64[ns]; with a time zone, as UTC.

    Raises
    ------
    ValueError
        If a stamp is missing or cannot be read.
    """
    missing = column.isna().to_numpy()
    if missing.any():
        row = int(missing.argmax())
        raise ValueError(
            f"column {name!r} has no time stamp in row {row + 1}: leave the row out, or fill it in"
        )
    if pd.api.types.is_numeric_dtype(column) and not pd.api.types.is_bool_dtype(column):
        return column.to_numpy(dtype=np.float64)
    if isinstance(column.dtype, pd.PeriodDtype):
        column = column.dt.to_timestamp()
    try:
        numbers = pd.to_numeric(column)
        if not pd.api.types.is_datetime64_any_dtype(column):
            return numbers.to_numpy(dtype=np.float64)
    except (ValueError, TypeError):
        pass
    try:
        dates = pd.to_datetime(column)
        if dates.dtype.kind == "O":  # several time zones
            dates = pd.to_datetime(column, utc=True)
    except (ValueError, TypeError) as error:
        raise ValueError(
            f"column {name!r} holds what is no time stamp: {str(error).splitlines()[0]}"
        ) from None
    if getattr(dates.dt, "tz", None) is not None:
        dates = dates.dt.tz_convert("UTC").dt.tz_localize(None)
    return dates.to_numpy(dtype="datetime64[ns]")
