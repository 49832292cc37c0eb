"""Rows in files, in any order -> the same rows by entity and in order of time.

In: rows as they are stored, and the time and entity columns. Out: Arrow batches in order, without
rows that lack a time or an entity. Rows are first written to buckets of entities, each of which
fits in memory. Besides a bucket, memory holds three numbers for each entity.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
from numpy.typing import NDArray

from bnsieve import _native
from bnsieve.engine import Tell
from bnsieve.rows.parquet import Chunk, ParquetSource
from bnsieve.rows.stamps import Stamps, stamps_of
from bnsieve.table import LIMITS, Timeline

Places = NDArray[np.int64]

_MAX_BUCKETS = 256
# Entities of pieces of rows that wait to be put together.
_MOST_WAITING = 1 << 22


@dataclass(frozen=True, eq=False)
class Keys:
    """The entities and times of some rows.

    Attributes
    ----------
    entities : ndarray of uint64, shape (n_rows,)
        A number for each entity.
    labels : pandas.Series
        The entities as they are written.
    stamps : Stamps
    placed : ndarray of bool, shape (n_rows,)
        Rows with both an entity and a time.
    """

    entities: NDArray[np.uint64]
    labels: "pd.Series[Any]"
    stamps: Stamps
    placed: NDArray[np.bool_]


def keys_of(timeline: Timeline, columns: dict[str, "pd.Series[Any]"]) -> Keys:
    """Read the entity and time columns of some rows."""
    stamps = stamps_of(str(timeline.time), columns[str(timeline.time)])
    if timeline.by is None:
        entities = np.zeros(len(stamps.values), dtype=np.uint64)
        return Keys(entities, pd.Series(dtype=object), stamps, stamps.known)
    labels = columns[timeline.by]
    entities = _hashed(labels)
    placed = stamps.known & labels.notna().to_numpy()
    return Keys(entities, labels, stamps, placed)


def _hashed(labels: "pd.Series[Any]") -> NDArray[np.uint64]:
    """Return the same number for the same entity, whatever other rows a piece has.

    Integers beside missing cells may come as fractions: 3.0 is 3.
    """
    if isinstance(labels.dtype, pd.CategoricalDtype):
        categories, codes = labels.cat.categories, labels.cat.codes.to_numpy()
        if not len(categories):
            return np.zeros(len(codes), dtype=np.uint64)
        return _hashed(pd.Series(categories))[codes]
    if pd.api.types.is_integer_dtype(labels.dtype):
        whole = labels.fillna(0).to_numpy()
        return pd.util.hash_array(whole.astype(np.int64), categorize=False)
    if not pd.api.types.is_float_dtype(labels.dtype):
        return pd.util.hash_array(labels.to_numpy(), categorize=False)
    values = labels.to_numpy(dtype=np.float64, na_value=np.nan)
    hashed = pd.util.hash_array(values, categorize=False)
    is_whole = (values == np.rint(values)) & (np.abs(values) < 2.0**63)
    hashed[is_whole] = pd.util.hash_array(values[is_whole].astype(np.int64), categorize=False)
    return hashed


def _series(column: Any) -> "pd.Series[Any]":
    """Return an Arrow column; integers stay integers beside missing cells."""
    integers = {pa.int64(): pd.Int64Dtype(), pa.uint64(): pd.UInt64Dtype()}
    series: pd.Series[Any] = column.to_pandas(types_mapper=integers.get)
    return series


def keys_in(stored: ParquetSource, chunk: Chunk, timeline: Timeline) -> Keys:
    """Return the entities and times of the rows of a row group."""
    batches = [rows.select(timeline.keys) for *_, rows in stored.batches([chunk], timeline.keys)]
    table = pa.Table.from_batches(batches).unify_dictionaries()
    return keys_of(timeline, {name: _series(table.column(name)) for name in timeline.keys})


def rows_in_order(
    stored: ParquetSource, timeline: Timeline, folder: Path, tell: Tell
) -> Iterator[pa.RecordBatch]:
    """Yield rows by entity, in order of appearance, and by time; without rows that lack either.

    Parameters
    ----------
    stored : ParquetSource
    timeline : Timeline
    folder : Path
        The folder for the buckets.
    tell : callable
        Called with the number of further rows that are in order.

    Raises
    ------
    ValueError
        If the rows of one entity do not fit in memory.
    """
    numbers = _Numbers.of(stored, timeline)
    n_columns = max(1, len(stored.names))
    if int(numbers.sizes.max()) * n_columns > LIMITS.codes:
        raise ValueError(
            f"rows are not in order of {timeline.time}, and {int(numbers.sizes.max()):,} of one "
            "entity do not fit in memory: sort the files first"
        )
    # Few enough buckets that all can be open at once.
    n_rows = int(numbers.sizes.sum())
    room = max(1, LIMITS.in_memory // n_columns, n_rows // _MAX_BUCKETS)
    bucket_of = np.cumsum(numbers.sizes) // room
    for path in _write_buckets(stored, timeline, numbers, bucket_of, folder):
        _native.stop_if_asked()
        table = pq.read_table(path)
        keys = keys_of(timeline, {name: _series(table.column(name)) for name in timeline.keys})
        order = np.lexsort((keys.stamps.values, numbers.of_rows(keys)))
        yield from table.take(pa.array(order)).combine_chunks().to_batches()
        tell(table.num_rows)
        path.unlink()


@dataclass(frozen=True, eq=False)
class _Numbers:
    """Numbers of entities by first appearance.

    Attributes
    ----------
    entities : ndarray of uint64
        Sorted.
    numbers : ndarray of int64
        Of each of these.
    sizes : ndarray of int64
        How many rows an entity has, by its number.
    """

    entities: NDArray[np.uint64]
    numbers: Places
    sizes: Places

    @classmethod
    def of(cls, stored: ParquetSource, timeline: Timeline) -> "_Numbers":
        """Read the keys of all rows."""
        waiting: list[tuple[NDArray[np.uint64], Places, Places]] = []
        for chunk in stored.chunks:
            _native.stop_if_asked()
            keys = keys_in(stored, chunk, timeline)
            rows = np.flatnonzero(keys.placed)
            ones = np.ones(len(rows), dtype=np.int64)
            waiting.append(_together([(keys.entities[rows], rows + chunk.first_row, ones)]))
            if sum(len(one[0]) for one in waiting) > _MOST_WAITING + len(waiting[0][0]):
                waiting = [_together(waiting)]
        entities, first, sizes = _together(waiting)
        order = np.argsort(first)
        numbers = np.empty(len(order), dtype=np.int64)
        numbers[order] = np.arange(len(order))
        return cls(entities, numbers, sizes[order])

    def of_rows(self, keys: Keys) -> Places:
        """Return the number of each row's entity; anything where it has none."""
        places = np.searchsorted(self.entities, keys.entities)
        found: Places = self.numbers[np.minimum(places, len(self.numbers) - 1)]
        return found


def _together(
    parts: Sequence[tuple[NDArray[np.uint64], Places, Places]],
) -> tuple[NDArray[np.uint64], Places, Places]:
    """Return each entity once, sorted, with its first row and its number of rows."""
    entities, first, sizes = (np.concatenate(own) for own in zip(*parts, strict=True))
    if not len(entities):
        return entities, first, sizes
    # Stable: of the rows of an entity the first stays the first.
    order = np.argsort(entities, kind="stable")
    entities = entities[order]
    starts = np.flatnonzero(np.append(True, entities[1:] != entities[:-1]))
    return entities[starts], first[order][starts], np.add.reduceat(sizes[order], starts)


def _write_buckets(
    stored: ParquetSource,
    timeline: Timeline,
    numbers: _Numbers,
    bucket_of: Places,
    folder: Path,
) -> Sequence[Path]:
    """Write the rows of some entities to one file each."""
    paths = [folder / f"bucket-{i}.parquet" for i in range(int(bucket_of[-1]) + 1)]
    writers: dict[int, pq.ParquetWriter] = {}
    kinds = zip(stored.names, stored.kinds, strict=True)
    types = {name: pa.float64() for name, kind in kinds if kind == "number"}
    try:
        for *_, batch in stored.batches(stored.chunks, stored.names):
            _native.stop_if_asked()
            rows = _alike(batch, types)
            columns = {name: _series(rows.column(name)) for name in timeline.keys}
            keys = keys_of(timeline, columns)
            buckets = np.where(keys.placed, bucket_of[numbers.of_rows(keys)], -1)
            order = np.argsort(buckets, kind="stable")
            ends = np.searchsorted(buckets[order], np.arange(len(paths) + 1))
            for bucket in np.unique(buckets[keys.placed]).tolist():
                chosen = order[ends[bucket] : ends[bucket + 1]]
                if bucket not in writers:
                    writers[bucket] = pq.ParquetWriter(paths[bucket], rows.schema)
                writers[bucket].write_batch(rows.take(pa.array(chosen)))
    finally:
        for writer in writers.values():
            writer.close()
    return [paths[bucket] for bucket in sorted(writers)]


def _alike(rows: pa.RecordBatch, types: dict[str, pa.DataType]) -> pa.RecordBatch:
    """Return rows with the types of those before, which are noted: files may differ in them."""
    columns = {
        name: column.cast(types.setdefault(name, column.type))
        for name, column in zip(rows.schema.names, rows.columns, strict=True)
    }
    return pa.RecordBatch.from_pydict(columns)
