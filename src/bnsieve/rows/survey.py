"""Rows in files over time: whether they are in order, which follow each other, what is static.

In: rows in files, and a `Timeline`. Out: a `LaggedSource`. The columns that say whose row it is and
when are read twice, without the others; columns that might be static are read until they change.
Rows that do not lie entity by entity and in order of time are first written again in that order, in
buckets of entities that fit in memory. What is held grows with the entities, not with the rows.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.dataset as ds
import pyarrow.parquet as pq
from numpy.typing import NDArray

from bnsieve.rows.lagged_source import LaggedSource
from bnsieve.rows.parquet import Chunk, ParquetSource, open_dataset
from bnsieve.rows.sequences import depths, refuse_no_past, refuse_repeats
from bnsieve.rows.spill import write_batches
from bnsieve.rows.stamps import TOLERANCE, Differences, Stamps, stamps_of
from bnsieve.table import LIMITS, Column, Steps, Timeline, duration, varies

_PER_SECOND = 1e6
_MAX_BUCKETS = 256


@dataclass(frozen=True, eq=False)
class Keys:
    """Some rows: whose they are, and when they were recorded.

    Attributes
    ----------
    entities : ndarray of uint64, shape (n_rows,)
        A number that is the same for the same entity.
    labels : pandas.Series
        The entities as they are written.
    stamps : Stamps
    placed : ndarray of bool, shape (n_rows,)
        Rows that have both.
    """

    entities: NDArray[np.uint64]
    labels: "pd.Series[Any]"
    stamps: Stamps
    placed: NDArray[np.bool_]


class Found:
    """What a first reading of the keys found.

    Parameters
    ----------
    columns : iterable of str
        Those that may be static.
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
        self.remarks: tuple[str, ...] = ()

    @property
    def n_entities(self) -> int:
        """How many entities there are."""
        return len(np.unique(np.concatenate(self.heads))) if self.heads else 0

    @property
    def is_grouped(self) -> bool:
        """Whether all rows of an entity lie beside each other."""
        return self.n_entities == sum(map(len, self.heads))


def files_over_time(
    stored: ParquetSource, plain: ParquetSource, timeline: Timeline, folder: Path, given: str
) -> tuple[ParquetSource, Timeline]:
    """Return rows in files with their past beside them, and the timeline of their columns.

    Parameters
    ----------
    stored : ParquetSource
        The rows as they are stored.
    plain : ParquetSource
        The same rows prepared, without the columns that place them.
    timeline : Timeline
    folder : Path
        Where rows are written again if they are not in order.
    given : str
        What errors call the data.

    Raises
    ------
    ValueError
        If two rows of one entity have one time, or no row has all of its past.
    """
    found = _survey(stored, plain, timeline, given)
    n_rows, n_unplaced = found.n_rows, found.n_unplaced
    if not (found.is_ordered and found.is_grouped):
        target = folder / "in-order.parquet"
        write_batches(_in_order(stored, timeline, folder), target)
        dataset = ds.dataset(str(target), format="parquet")
        stored = replace(open_dataset(dataset, given), kinds=stored.kinds, names=stored.names)
        plain = replace(plain, files=stored.files, filesystem=stored.filesystem, kept=())
        found = _survey(stored, plain, timeline, given)
    step = found.differences.step()
    used, n_used, n_breaks, deepest = _with_past(stored, timeline, step)
    if not n_used:
        refuse_no_past(timeline.lags, deepest)
    usual, share = found.differences.usual()
    in_words = duration(usual) if found.is_date else f"{usual:g}"
    steps = Steps(
        n_rows=n_rows,
        n_unplaced=n_unplaced,
        n_steps=found.n_rows,
        n_used=n_used,
        n_entities=found.n_entities,
        n_breaks=n_breaks,
        length=None if step is None else in_words,
        usual=in_words,
        usual_share=share,
        remarks=found.remarks,
    )
    static = found.static if timeline.by is not None else set()
    timeline = replace(timeline.with_columns(plain.names, static), steps=steps)
    return LaggedSource.of(plain, timeline, used), timeline


def _keys_of(timeline: Timeline, columns: dict[str, "pd.Series[Any]"]) -> Keys:
    stamps = stamps_of(str(timeline.time), columns[str(timeline.time)])
    if timeline.by is None:
        entities = np.zeros(len(stamps.values), dtype=np.uint64)
        return Keys(entities, pd.Series(dtype=object), stamps, stamps.known)
    labels = columns[timeline.by]
    if isinstance(labels.dtype, pd.CategoricalDtype):
        categories = labels.cat.categories
        of_category = pd.util.hash_array(categories.to_numpy(), categorize=False)
        codes = labels.cat.codes.to_numpy()
        entities = of_category[codes] if len(categories) else np.zeros(len(codes), np.uint64)
    else:
        entities = pd.util.hash_array(labels.to_numpy(), categorize=False)
    placed = stamps.known & labels.notna().to_numpy()
    return Keys(entities, labels, stamps, placed)


def _keys(stored: ParquetSource, chunk: Chunk, timeline: Timeline) -> Keys:
    """Return whose rows of a row group are, and when they were recorded."""
    batches = [rows.select(timeline.keys) for *_, rows in stored.batches([chunk], timeline.keys)]
    table = pa.Table.from_batches(batches).unify_dictionaries()
    return _keys_of(timeline, {name: table.column(name).to_pandas() for name in timeline.keys})


def _between(values: NDArray[Any], is_date: bool) -> NDArray[np.float64]:
    differences = np.diff(values).astype(np.float64)
    return differences / _PER_SECOND if is_date else differences


def _survey(stored: ParquetSource, plain: ParquetSource, timeline: Timeline, given: str) -> Found:
    """Read keys once; find the times between rows, whether they are in order, static columns."""
    found = Found(plain.names if timeline.by is not None else ())
    statics = _Statics(plain)
    last: tuple[np.uint64, Any] | None = None
    for chunk in stored.chunks:
        keys = _keys(stored, chunk, timeline)
        if found.n_rows and keys.stamps.is_date != found.is_date:
            raise ValueError(
                f"{given}: column {timeline.time!r} holds dates in some rows and numbers in others"
            )
        found.is_date = keys.stamps.is_date
        found.remarks = tuple(dict.fromkeys((*found.remarks, *keys.stamps.remarks)))[:3]
        found.n_rows += chunk.n_rows
        n_unplaced = int(np.count_nonzero(~keys.placed))
        found.n_unplaced += n_unplaced
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
        if len(repeats) and found.is_ordered:
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
        keys = _keys(stored, chunk, timeline)
        entities, times = keys.entities, keys.stamps.values
        if last is not None:
            entities = np.concatenate([[last[0]], entities])
            times = np.concatenate([[last[1]], times])
        is_next = same = entities[1:] == entities[:-1]
        if step is not None:
            between = _between(times, keys.stamps.is_date)
            is_next = same & (np.abs(between / step - 1) <= TOLERANCE)
        n_breaks += int(np.count_nonzero(same & ~is_next))
        own = depths(is_next, depth)
        own = own if last is None else own[1:]
        has_past = own >= timeline.lags
        used.append(np.packbits(has_past))
        n_used += int(np.count_nonzero(has_past))
        deepest = max(deepest, int(own.max()))
        last, depth = (entities[-1], times[-1]), int(own[-1])
    return used, n_used, n_breaks, deepest


def _in_order(stored: ParquetSource, timeline: Timeline, folder: Path) -> Iterator[pa.RecordBatch]:
    """Yield rows entity by entity, by first appearance, in order of time; without unplaced ones."""
    number, sizes = _numbered(stored, timeline)
    n_columns = max(1, len(stored.names))
    if int(sizes.max()) * n_columns > LIMITS.codes:
        raise ValueError(
            f"rows are not in order of {timeline.time}, and {int(sizes.max()):,} of one entity do "
            "not fit in memory: sort the files first"
        )
    # Few enough buckets that all can be open at once.
    room = max(1, LIMITS.in_memory // n_columns, int(sizes.sum()) // _MAX_BUCKETS)
    bucket_of = np.cumsum(sizes) // room
    paths = _write_buckets(stored, timeline, number, bucket_of, folder)
    for path in paths:
        table = pq.read_table(path)
        names = {name: table.column(name).to_pandas() for name in timeline.keys}
        keys = _keys_of(timeline, names)
        order = np.lexsort((keys.stamps.values, _numbers(keys, number, timeline)))
        yield from table.take(pa.array(order)).combine_chunks().to_batches()
        path.unlink()


def _numbers(keys: Keys, number: dict[Any, int], timeline: Timeline) -> NDArray[np.int64]:
    """Return the number of each row's entity; -1 where it has none."""
    if timeline.by is None:
        return np.zeros(len(keys.placed), dtype=np.int64)
    codes, labels = pd.factorize(keys.labels)
    of_label = np.array([*(number.get(one, -1) for one in labels), -1], dtype=np.int64)
    return of_label[codes]


def _numbered(
    stored: ParquetSource, timeline: Timeline
) -> tuple[dict[Any, int], NDArray[np.int64]]:
    """Return a number of each entity, by first appearance, and how many rows each has."""
    number: dict[Any, int] = {} if timeline.by is not None else {"": 0}
    sizes = np.zeros(1, dtype=np.int64)
    for chunk in stored.chunks:
        keys = _keys(stored, chunk, timeline)
        if timeline.by is not None:
            for label in pd.unique(keys.labels.dropna()):
                number.setdefault(label, len(number))
        codes = _numbers(keys, number, timeline)[keys.placed]
        counts = np.bincount(codes, minlength=len(number)) if len(codes) else sizes[:0]
        sizes = np.pad(sizes, (0, max(0, len(number) - len(sizes))))
        sizes[: len(counts)] += counts
    return number, sizes


def _write_buckets(
    stored: ParquetSource,
    timeline: Timeline,
    number: dict[Any, int],
    bucket_of: NDArray[np.int64],
    folder: Path,
) -> Sequence[Path]:
    """Write the rows of some entities to one file each."""
    n_buckets = int(bucket_of[-1]) + 1
    paths = [folder / f"bucket-{i}.parquet" for i in range(n_buckets)]
    writers: dict[int, pq.ParquetWriter] = {}
    try:
        for *_, rows in stored.batches(stored.chunks, stored.names):
            columns = {name: rows.column(name).to_pandas() for name in timeline.keys}
            keys = _keys_of(timeline, columns)
            buckets = bucket_of[_numbers(keys, number, timeline)]
            for bucket in np.unique(buckets[keys.placed]).tolist():
                chosen = np.flatnonzero((buckets == bucket) & keys.placed)
                if bucket not in writers:
                    writers[bucket] = pq.ParquetWriter(paths[bucket], rows.schema)
                writers[bucket].write_batch(rows.take(pa.array(chosen)))
    finally:
        for writer in writers.values():
            writer.close()
    return [paths[bucket] for bucket in sorted(writers)]
