"""Rows in files over time: their order, which rows follow each other, and static columns.

In: rows in files, and a `Timeline`. Out: a `LaggedSource`. The entity and time columns are read
twice, without the others. Columns that may be static are read until they change. Rows that are not
sorted by entity and time are first written in that order, in buckets of entities that fit in
memory. Resampled rows are written as steps. Memory grows with the number of entities, not with the
number of rows.
"""

from collections.abc import Collection, Iterable, Iterator
from dataclasses import replace
from functools import cached_property
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.dataset as ds
from numpy.typing import NDArray

from bnsieve import _native
from bnsieve.engine import Tell, inner_stage
from bnsieve.rows.in_order import keys_in, rows_in_order
from bnsieve.rows.lag_choice import OrderedColumns, choose_lags, compared_rows
from bnsieve.rows.lagged_source import LaggedSource
from bnsieve.rows.parquet import Chunk, ParquetSource, open_dataset
from bnsieve.rows.sequences import (
    depths,
    is_one_step,
    refuse_no_past,
    refuse_repeats,
    step_of,
)
from bnsieve.rows.spill import write_batches
from bnsieve.rows.stamps import Differences, Every
from bnsieve.rows.step_source import Resampler, open_steps
from bnsieve.table import CalendarPart, Column, Floats, Steps, Timeline, varies
from bnsieve.table.prepare import calendar_names, covered_parts

_PER_SECOND = 1e6


class Found:
    """The results of a first reading of the entity and time columns.

    Parameters
    ----------
    columns : iterable of str
        The columns that may be static.
    """

    def __init__(self, columns: Iterable[str]) -> None:
        self.differences = Differences()
        # The entity of each run of rows.
        self.heads: list[NDArray[np.uint64]] = []
        self.n_rows = 0
        self.n_unplaced = 0
        # Whether time never runs backwards within a run, and all rows have a place.
        self.is_ordered = True
        # Columns that are constant within every run.
        self.static = set(columns)
        self.is_date = True
        self.has_zone = False
        self.remarks: tuple[str, ...] = ()
        # The first time and the last.
        self.span: tuple[Any, Any] | None = None

    @cached_property
    def n_entities(self) -> int:
        """The number of entities, after all rows are read."""
        if not self.heads:
            return 0
        heads = np.sort(np.concatenate(self.heads))
        return 1 + int(np.count_nonzero(heads[1:] != heads[:-1]))

    @property
    def is_grouped(self) -> bool:
        """Whether the rows of each entity are contiguous."""
        return self.n_entities == sum(map(len, self.heads))


def files_over_time(
    stored: ParquetSource,
    plain: ParquetSource,
    timeline: Timeline,
    folder: Path,
    given: str,
    *,
    numbers: bool = True,
) -> tuple[ParquetSource, Timeline]:
    """Return rows in files with their past values, and the timeline of their columns.

    Parameters
    ----------
    stored : ParquetSource
        The rows as they are stored.
    plain : ParquetSource
        The same rows prepared, without the entity and time columns.
    timeline : Timeline
        If it has no variables yet, these and the static ones are found.
    folder : Path
        The folder for rows that are not in order, or are resampled.
    given : str
        The name of the data in errors.
    numbers : bool
        Whether numeric variables stay numeric. Resampled rows have numbers in any case.

    Raises
    ------
    ValueError
        If two rows of one entity have one time, or no row has all of its past.
    """
    found = _survey(stored, plain, timeline, given)
    n_rows, n_unplaced = found.n_rows, found.n_unplaced
    if n_unplaced == n_rows:
        raise ValueError(f"{given}: no row has a time ({timeline.time}) and an entity: check both")
    if not (found.is_ordered and found.is_grouped):
        target = folder / "in-order.parquet"
        with inner_stage("sorting", n_rows, "rows") as tell:
            write_batches(rows_in_order(stored, timeline, folder, tell), target)
        dataset = ds.dataset(str(target), format="parquet")
        stored = replace(open_dataset(dataset, given), kinds=stored.kinds, names=stored.names)
        plain = replace(plain, files=stored.files, filesystem=stored.filesystem, kept=())
        found = _survey(stored, plain, timeline, given) if timeline.every is None else found
    placing = replace(timeline, every=None)
    if timeline.every is None:
        step, length, usual, share = step_of(
            timeline, found.differences, given, is_date=found.is_date
        )
    else:
        target = folder / "steps.parquet"
        with inner_stage("resampling", found.n_rows - found.n_unplaced, "rows") as tell:
            write_batches(_resampled(stored, plain, timeline, tell), target)
        stored, plain = open_steps(target, plain, given, keeps_numbers=numbers)
        remarks, has_zone = found.remarks, found.has_zone
        found = _survey(stored, plain, placing, given)
        found.remarks, found.has_zone = remarks, has_zone
        length = usual = str(Every.of(timeline.every))
        step, share = 1 / _PER_SECOND, 1.0
    static = set(timeline.static)
    if timeline.by is not None and not timeline.variables:
        static = found.static
    if len(static) == len(plain.names):
        raise ValueError(
            f"{given}: every column is constant within each {timeline.by}, so that nothing "
            "changes over time: leave out time="
        )
    if timeline.has_open_lags:
        compared = _compared(stored, plain, placing, step, static)
        timeline = timeline.with_lags(choose_lags(compared))
        placing = replace(timeline, every=None)
    used, n_used, n_breaks, deepest = _with_past(stored, placing, step)
    steps = Steps(
        n_rows=n_rows,
        n_unplaced=n_unplaced,
        n_steps=found.n_rows,
        n_used=n_used,
        n_entities=found.n_entities,
        n_breaks=n_breaks,
        length=length,
        usual=usual,
        usual_share=share,
        remarks=found.remarks,
        has_zone=found.has_zone,
    )
    if not n_used:
        refuse_no_past(timeline.lags, deepest, steps, timeline.steps)
    calendar = timeline.calendar
    if not timeline.variables:
        calendar = _calendar(timeline, found, step, plain.names)
    timeline = replace(timeline.with_columns(plain.names, static), steps=steps, calendar=calendar)
    return LaggedSource.of(plain, timeline, used, stored if calendar else None), timeline


def _calendar(
    timeline: Timeline, found: Found, step: float | None, taken: tuple[str, ...]
) -> dict[str, CalendarPart]:
    """Return the parts of dates that may help to predict, by the names of their columns."""
    # Of rows that were resampled only the numbers of steps are written.
    if step is None or found.span is None or not found.is_date or timeline.every is not None:
        return {}
    first, last = found.span
    parts = covered_parts(step, (int(last) - int(first)) / _PER_SECOND)
    return calendar_names(str(timeline.time), parts, (*taken, *timeline.keys))


def _between(values: NDArray[Any], is_date: bool) -> NDArray[np.float64]:
    differences = np.diff(values).astype(np.float64)
    return differences / _PER_SECOND if is_date else differences


def _survey(stored: ParquetSource, plain: ParquetSource, timeline: Timeline, given: str) -> Found:
    """Read keys once; find the times between rows, whether they are in order, static columns."""
    is_sought = timeline.by is not None and timeline.every is None and not timeline.variables
    found = Found(plain.names if is_sought else ())
    statics = _Statics(plain)
    last: tuple[np.uint64, Any] | None = None
    for chunk in stored.chunks:
        keys = keys_in(stored, chunk, timeline)
        if found.n_rows and keys.stamps.is_date != found.is_date:
            raise ValueError(
                f"{given}: column {timeline.time!r} holds dates in some rows and numbers in others"
            )
        found.is_date = keys.stamps.is_date
        found.has_zone |= keys.stamps.has_zone
        found.remarks = tuple(dict.fromkeys((*found.remarks, *keys.stamps.remarks)))[:3]
        found.n_rows += chunk.n_rows
        n_unplaced = int(np.count_nonzero(~keys.placed))
        found.n_unplaced += n_unplaced
        if keys.placed.any():
            times = keys.stamps.values[keys.placed]
            ends = (*(found.span or ()), times.min(), times.max())
            found.span = min(ends), max(ends)
        found.is_ordered &= n_unplaced == 0
        if not found.is_ordered:
            continue
        entities, times = keys.entities, keys.stamps.values
        if last is not None:
            entities = np.concatenate([[last[0]], entities])
            times = np.concatenate([[last[1]], times])
        same = entities[1:] == entities[:-1]
        between = _between(times, found.is_date)
        found.is_ordered = not (same & (between < 0)).any()
        repeats = np.flatnonzero(same & (between == 0))
        if len(repeats) and found.is_ordered and timeline.every is None:
            row = int(repeats[0]) + 1 - (last is not None)
            whose = "" if timeline.by is None else keys.labels.iloc[row]
            refuse_repeats(timeline, keys.stamps.shown(row), whose, len(repeats), given)
        found.differences.add(between[same & (between > 0)])
        heads = entities[1:][~same]
        found.heads.append(heads if last is not None else np.append(entities[:1], heads))
        if found.static:
            found.static -= statics.changing(chunk, keys.entities, found.static)
        last = entities[-1], times[-1]
    return found


class _Statics:
    """Finds which columns change within an entity, row group by row group."""

    def __init__(self, plain: ParquetSource) -> None:
        self._plain = plain
        self._chunks = {(one.file, one.group): one for one in plain.chunks}
        self._ids: dict[str, dict[Any, int]] = {}
        self._last: dict[str, tuple[np.uint64, float]] = {}

    def changing(self, chunk: Chunk, entities: NDArray[np.uint64], names: set[str]) -> set[str]:
        """Return those of some columns that change within an entity in a row group."""
        changing: set[str] = set()
        chosen = [name for name in self._plain.names if name in names]
        numbers = [name for name in self._plain.numbers if name in names]
        own = self._chunks[chunk.file, chunk.group]
        for rows in self._plain.read([own], chosen, numbers):
            start = rows.first - own.first_row
            whose = entities[start : start + rows.n_rows]
            for name in chosen:
                if name not in changing and self._changes(name, rows.columns[name], whose):
                    changing.add(name)
        return changing

    def _changes(self, name: str, column: Any, whose: NDArray[np.uint64]) -> bool:
        values = column
        if isinstance(column, Column):
            ids = self._ids.setdefault(name, {})
            labels, places = column.indexed()
            of_label = np.array(
                [np.nan if one is None else ids.setdefault(one, len(ids)) for one in labels]
            )
            values = of_label[places]
        if name in self._last:
            before, value = self._last[name]
            whose, values = np.append(before, whose), np.append(value, values)
        known = np.flatnonzero(~np.isnan(values))
        if len(known):
            self._last[name] = whose[known[-1]], float(values[known[-1]])
        return varies(values, ~np.isnan(values), whose)


def _with_past(
    stored: ParquetSource, timeline: Timeline, step: float | None
) -> tuple[list[NDArray[np.uint8]], int, int, int]:
    """Read keys again; tell which rows have all of their past, and how many; breaks; most past."""
    used: list[NDArray[np.uint8]] = []
    n_used = n_breaks = deepest = 0
    last: tuple[np.uint64, Any] | None = None
    depth = 0
    for chunk in stored.chunks:
        keys = keys_in(stored, chunk, timeline)
        entities, times = keys.entities, keys.stamps.values
        if last is not None:
            entities = np.concatenate([[last[0]], entities])
            times = np.concatenate([[last[1]], times])
        same = entities[1:] == entities[:-1]
        is_next = _is_next(entities, times, step, keys.stamps.is_date)
        n_breaks += int(np.count_nonzero(same & ~is_next))
        own = depths(is_next, depth)
        own = own if last is None else own[1:]
        has_past = own >= timeline.lags
        used.append(np.packbits(has_past))
        n_used += int(np.count_nonzero(has_past))
        deepest = max(deepest, int(own.max()))
        last, depth = (entities[-1], times[-1]), int(own[-1])
    return used, n_used, n_breaks, deepest


def _is_next(
    entities: NDArray[np.uint64], times: NDArray[Any], step: float | None, is_date: bool
) -> NDArray[np.bool_]:
    """Tell which rows but the first follow the one before."""
    is_next: NDArray[np.bool_] = entities[1:] == entities[:-1]
    if step is not None:
        is_next &= is_one_step(_between(times, is_date), step)
    return is_next


def _compared(
    stored: ParquetSource,
    plain: ParquetSource,
    timeline: Timeline,
    step: float | None,
    static: Collection[str],
) -> OrderedColumns:
    """Return blocks of successive rows, spread over the files, to compare lags on."""
    _, borders = compared_rows(plain.n_rows, len(plain.names))
    n_blocks, n_each = len(borders) - 1, int(borders[1])
    chunks = plain.chunks
    ends = np.cumsum([chunk.n_rows for chunk in chunks])
    starts = np.searchsorted(ends, plain.n_rows * np.arange(n_blocks) // n_blocks, side="right")
    ids: dict[str, dict[Any, int]] = {}
    parts: dict[str, list[NDArray[Any]]] = {name: [] for name in plain.names}
    depth: list[NDArray[np.int64]] = []
    taken = dict.fromkeys(starts.tolist())
    for start, stop in pairwise([*taken, len(chunks)]):
        # Blocks that begin in one row group are one.
        n_left = n_each * int(np.count_nonzero(starts == start))
        whose, when, is_date = [], [], True
        for number in range(start, stop):
            if n_left <= 0:
                break
            keys = keys_in(stored, stored.chunks[number], timeline)
            n_here = min(n_left, chunks[number].n_rows)
            whose.append(keys.entities[:n_here])
            when.append(keys.stamps.values[:n_here])
            is_date = keys.stamps.is_date
            n_left -= n_here
            for rows in plain.read([chunks[number]], plain.names, list(plain.numbers)):
                n_rows = min(rows.n_rows, n_here)
                for name, own in rows.columns.items():
                    parts[name].append(_values(own, ids.setdefault(name, {}))[:n_rows])
                n_here -= n_rows
                if n_here <= 0:
                    break
        depth.append(depths(_is_next(np.concatenate(whose), np.concatenate(when), step, is_date)))
    columns = {name: np.concatenate(own) for name, own in parts.items()}
    return OrderedColumns(
        tuple(own for name, own in columns.items() if name not in static),
        tuple(own for name, own in columns.items() if name in static),
        np.concatenate(depth),
        np.concatenate([[0], np.cumsum([len(own) for own in depth])]),
    )


def _values(column: Column | Floats, ids: dict[Any, int]) -> NDArray[Any]:
    """Return numbers, or a code of each category by first appearance; -1 where missing."""
    if not isinstance(column, Column):
        return column
    labels, places = column.indexed()
    of_label = [-1 if one is None else ids.setdefault(one, len(ids)) for one in labels]
    return np.array(of_label, dtype=np.int64)[places]


def _resampled(
    stored: ParquetSource, plain: ParquetSource, timeline: Timeline, tell: Tell
) -> Iterator[pa.RecordBatch]:
    """Yield a row for each step of each entity; rows are in order."""
    every = Every.of(str(timeline.every))
    resampler = Resampler(plain, str(timeline.time), timeline.by)
    chunks = {(one.file, one.group): one for one in plain.chunks}
    for chunk in stored.chunks:
        keys = keys_in(stored, chunk, timeline)
        steps = every.steps(str(timeline.time), keys.stamps)
        own = chunks[chunk.file, chunk.group]
        for rows in plain.read([own], plain.names, plain.numbers):
            _native.stop_if_asked()
            first = rows.first - own.first_row
            here = slice(first, first + rows.n_rows)
            yield resampler.add(rows, keys.entities[here], steps[here])
            tell(rows.n_rows)
    yield resampler.rest()
