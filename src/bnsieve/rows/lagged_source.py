"""Rows in files that follow each other -> the same rows with their past values.

In: a `ParquetSource` with rows by entity and in order of time, and the rows that have all of their
past. Out: a source for passes like any other. It yields the lagged columns, and carries the last
rows over from piece to piece, from row group to row group and from file to file. A task that begins
in the middle reads the last rows of the row group before it.
"""

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TypeVar

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from bnsieve.rows.parquet import Chunk, ParquetSource, Rows
from bnsieve.rows.stamps import stamps_of
from bnsieve.table import Column, Floats, Timeline
from bnsieve.table.prepare import LABELS, calendar_codes

Columns = dict[str, Column | Floats]
Value = TypeVar("Value")


@dataclass(frozen=True, kw_only=True, eq=False)
class LaggedSource(ParquetSource):
    """Rows in Parquet files with their past values.

    Attributes
    ----------
    plain : ParquetSource
        The rows as they are in the files, prepared.
    timeline : Timeline
        The timeline of their columns.
    used : tuple of ndarray of uint8
        For each row group of `plain` that has rows, a bit for each row: whether it has all of its
        past.
    unprepared : ParquetSource or None
        The rows as they are stored, with the times for the calendar columns.
    """

    plain: ParquetSource
    timeline: Timeline
    used: tuple[NDArray[np.uint8], ...]
    unprepared: ParquetSource | None = None

    @classmethod
    def of(
        cls,
        plain: ParquetSource,
        timeline: Timeline,
        used: Sequence[NDArray[np.uint8]],
        unprepared: ParquetSource | None = None,
    ) -> "LaggedSource":
        """Return the rows of a source with their past."""
        kinds = dict(zip(plain.names, plain.kinds, strict=True))
        kinds |= {
            name: "integer" if part == "hour" else "string"
            for name, part in timeline.calendar.items()
        }
        return cls(
            plain.files,
            timeline.names,
            tuple(kinds[timeline.place(name).variable] for name in timeline.names),
            plain.filesystem,
            plain.recoding,
            plain.stored,
            plain.kept,
            plain=plain,
            timeline=timeline,
            used=tuple(used),
            unprepared=unprepared,
        )

    @property
    def copies(self) -> dict[str, str]:
        """The lagged columns, each with its variable."""
        return self.timeline.copies

    @property
    def bins(self) -> dict[str, tuple[str, ...]]:
        """The categories of the columns that have an order of their own."""
        labels = {name: LABELS[part] for name, part in self.timeline.calendar.items()}
        return self._for_all_lags(self.plain.bins) | labels

    @property
    def numbers(self) -> dict[str, tuple[float, ...]]:
        """The columns that can also be read as numbers, and their bin edges."""
        return self._for_all_lags(self.plain.numbers)

    def _for_all_lags(self, of_variables: Mapping[str, Value]) -> dict[str, Value]:
        places = ((name, self.timeline.place(name).variable) for name in self.names)
        return {name: of_variables[one] for name, one in places if one in of_variables}

    def cut_at(self, cuts: Mapping[str, Sequence[float]]) -> "LaggedSource":
        """Return the same rows with other bins of some columns, and none as numbers."""
        own = {self.timeline.place(name).variable: edges for name, edges in cuts.items()}
        return LaggedSource.of(self.plain.cut_at(own), self.timeline, self.used, self.unprepared)

    @cached_property
    def _counts(self) -> list[int]:
        return [int(np.unpackbits(bits).sum()) for bits in self.used]

    @cached_property
    def chunks(self) -> tuple[Chunk, ...]:
        """The row groups that have rows with all of their past, numbered by these rows."""
        chunks, first = [], 0
        for chunk, n_used in zip(self.plain.chunks, self._counts, strict=True):
            if n_used:
                chunks.append(Chunk(chunk.file, chunk.group, first, n_used))
            first += n_used
        return tuple(chunks)

    @property
    def n_rows(self) -> int:
        """Number of rows that have all of their past."""
        return sum(self._counts)

    def read(
        self, chunks: Sequence[Chunk], names: Sequence[str], numbers: Collection[str] = ()
    ) -> Iterator[Rows]:
        """Yield the rows of some chunks piece by piece; see `ParquetSource.read`."""
        place = {(one.file, one.group): i for i, one in enumerate(self.plain.chunks)}
        calendar = {name: part for name, part in self.timeline.calendar.items() if name in names}
        places = {name: self.timeline.place(name) for name in names if name not in calendar}
        variables = list(dict.fromkeys(one.variable for one in places.values()))
        variables = variables or list(self.plain.names[:1])
        as_numbers = {self.timeline.place(name).variable for name in numbers}
        carried: Columns | None = None
        n_carried, carried_to = 0, -1
        for chunk in chunks:
            number = place[chunk.file, chunk.group]
            stored = self.plain.chunks[number]
            if carried_to != stored.first_row:
                carried, n_carried = self._before(number, variables, as_numbers)
            used = np.unpackbits(self.used[number], count=stored.n_rows).astype(bool)
            first = chunk.first_row
            times = self._times(number) if calendar else np.zeros(0, dtype=np.int64)
            for rows in self.plain.read([stored], variables, as_numbers):
                start = rows.first - stored.first_row
                here = np.flatnonzero(used[start : start + rows.n_rows])
                joined = _joined(carried, rows.columns)
                if len(here):
                    columns = {
                        name: _taken(rows.columns[one.variable], here)
                        if one.lag == 0
                        else _taken(joined[one.variable], here + (n_carried - one.lag))
                        for name, one in places.items()
                    }
                    for name, part in calendar.items():
                        codes = calendar_codes(part, times[start + here])
                        columns[name] = Column.of_categories(LABELS[part], codes)
                    yield Rows(first, rows.file, len(here), columns)
                first += len(here)
                n_carried = min(self.timeline.lags, n_carried + rows.n_rows)
                carried = {name: _last(one, n_carried) for name, one in joined.items()}
                carried_to = rows.first + rows.n_rows

    def _times(self, number: int) -> NDArray[np.int64]:
        """Return the times of all rows of a row group of the files."""
        assert self.unprepared is not None
        time, chunk = str(self.timeline.time), self.unprepared.chunks[number]
        batches = [rows.select([time]) for *_, rows in self.unprepared.batches([chunk], [time])]
        table = pa.Table.from_batches(batches).unify_dictionaries()
        return stamps_of(time, table.column(time).to_pandas()).values

    def _before(
        self, number: int, variables: Sequence[str], numbers: Collection[str]
    ) -> tuple[Columns | None, int]:
        """Return the last rows before a row group of the files, as many as there are lags."""
        found: Columns | None = None
        n_found = 0
        while number > 0 and n_found < self.timeline.lags:
            number -= 1
            last: Columns | None = None
            n_last = 0
            for rows in self.plain.read([self.plain.chunks[number]], variables, numbers):
                joined = _joined(last, rows.columns)
                n_last = min(self.timeline.lags, n_last + rows.n_rows)
                last = {name: _last(one, n_last) for name, one in joined.items()}
            if last is not None:
                found = last if found is None else _joined(last, found)
                n_found += n_last
        if found is None:
            return None, 0
        n_found = min(n_found, self.timeline.lags)
        return {name: _last(one, n_found) for name, one in found.items()}, n_found


def _joined(first: Columns | None, second: Columns) -> Columns:
    """Return rows below other rows."""
    if first is None:
        return second
    joined: Columns = {}
    for name, below in second.items():
        above = first[name]
        if isinstance(below, Column) and isinstance(above, Column):
            joined[name] = Column.joined([above, below])
        else:
            joined[name] = np.concatenate([np.asarray(above), np.asarray(below)])
    return joined


def _taken(column: Column | Floats, rows: NDArray[np.intp]) -> Column | Floats:
    """Return some rows; all values stay, which saves looking for those that do not occur."""
    if not isinstance(column, Column):
        return column[rows]
    if column.codes is None:
        return replace(column, values=column.values[rows])
    return replace(column, codes=column.codes[rows])


def _last(column: Column | Floats, n_rows: int) -> Column | Floats:
    """Return the last rows, without values that do not occur there."""
    if isinstance(column, Column):
        return column.take(np.arange(column.n_rows - n_rows, column.n_rows))
    return column[len(column) - n_rows :].copy()
