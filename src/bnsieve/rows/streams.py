"""Any source of Arrow batches -> batches in plain types, kept as codes.

In: a DuckDB relation, a polars LazyFrame, an Ibis table, an ADBC cursor, a Spark DataFrame, or any
object with ``__arrow_c_stream__``. Out: an `ArrowStream`, which is read once. Its rows become
record batches in which text is codes of one or two bytes. If these take too much memory, they
become a stream to write to a file.

The user opens the connection. This module opens none and sees no password.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import chain
from typing import Any, NamedTuple

import narwhals as nw
import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

# Rows of a batch that is asked for.
_BATCH_ROWS = 1 << 17
# Rows of a piece that is kept: work for several threads, and one dictionary for each column. They
# wait as they arrived until they are so many, or take so many bytes.
_PIECE_ROWS = 1 << 18
_PIECE_BYTES = 1 << 27
MOST_KEPT = 1 << 27
"""Rows that take no more bytes as codes are kept in memory: the connection is read once."""

_INTERVAL = np.dtype([("months", "<i4"), ("days", "<i4"), ("nanoseconds", "<i8")])
_DAY_SECONDS = 86_400.0


@dataclass(frozen=True)
class ArrowStream:
    """Rows that can be read once.

    Attributes
    ----------
    batches : iterable of pyarrow.RecordBatch or pyarrow.Table
    has_order : bool
        Whether the rows always come in the same order.
    """

    batches: Iterable[Any]
    has_order: bool = True


class Kept(NamedTuple):
    """Rows kept in memory, or, if they are too many, all rows as a stream."""

    batches: list[pa.RecordBatch]
    rest: Iterator[pa.Table] | None


def stream_of(data: Any) -> ArrowStream | None:
    """Return the rows of a source of Arrow batches; None for other objects and data in memory."""
    if isinstance(data, nw.LazyFrame):
        data = data.to_native()
    library = type(data).__module__.partition(".")[0]
    if library in ("duckdb", "_duckdb"):
        name = "to_arrow_reader" if hasattr(data, "to_arrow_reader") else "fetch_record_batch"
        return ArrowStream(getattr(data, name)(_BATCH_ROWS))
    if nw.dependencies.is_polars_lazyframe(data):
        return ArrowStream(_polars_batches(data))
    if nw.dependencies.is_ibis_table(data):
        return ArrowStream(data.to_pyarrow_batches(chunk_size=_BATCH_ROWS), has_order=False)
    if library == "pyspark":
        return ArrowStream(_spark_batches(data), has_order=False)
    if callable(getattr(data, "fetch_record_batch", None)):  # an ADBC cursor
        return ArrowStream(data.fetch_record_batch(), has_order=False)
    if not hasattr(data, "__arrow_c_stream__") or isinstance(data, pa.Table | pa.RecordBatch):
        return None
    frame = nw.from_native(data, allow_series=True, pass_through=True)
    if isinstance(frame, nw.DataFrame | nw.Series):
        return None
    reader = data if isinstance(data, pa.RecordBatchReader) else None
    return ArrowStream(reader or pa.RecordBatchReader.from_stream(data), library[:4] != "adbc")


def _polars_batches(lazy: Any) -> Iterator[pa.Table]:
    """Yield the rows of a polars LazyFrame as its streaming engine makes them, in order."""
    if hasattr(lazy, "collect_batches"):
        frames: Any = lazy.collect_batches(chunk_size=_BATCH_ROWS, maintain_order=True)
    else:
        frames = [lazy.collect(engine="streaming")]
    for frame in frames:
        yield frame.to_arrow()


def _spark_batches(frame: Any) -> Iterator[Any]:
    """Return the rows of a Spark DataFrame, partition by partition where Spark can stream them."""
    if hasattr(frame, "__arrow_c_stream__"):
        reader: Iterator[Any] = pa.RecordBatchReader.from_stream(frame)
        return reader
    if hasattr(frame, "toArrow"):
        batches: Iterator[Any] = iter(frame.toArrow().to_batches())
        return batches
    raise TypeError(
        f"{type(frame).__name__} of this Spark gives no Arrow batches: write it as Parquet and "
        "pass the path, or use Spark 4"
    )


def plain_tables(batches: Iterable[Any]) -> Iterator[pa.Table]:
    """Yield batches as tables of plain types, all with the columns of the first.

    Decimals and PostgreSQL's ``numeric`` become numbers, intervals seconds (a month has 30 days and
    a year 365.25, as in PostgreSQL), and text comes in one type.

    Raises
    ------
    ValueError
        If two columns have one name, or a batch has other columns or types than the first.
    """
    first: pa.Schema | None = None
    for number, batch in enumerate(batches):
        table = pa.Table.from_batches([batch]) if isinstance(batch, pa.RecordBatch) else batch
        if not isinstance(table, pa.Table):
            raise TypeError(
                f"the data must come in Arrow batches or tables, not {type(batch).__name__}"
            )
        names = table.column_names
        repeated = [name for name in names if names.count(name) > 1]
        if repeated:
            raise ValueError(f"two columns are named {repeated[0]!r}: rename one in the query")
        plain = pa.table(dict(zip(names, map(_plain, table.columns), strict=True)))
        if first is None:
            first = plain.schema
        elif not plain.schema.equals(first):
            raise ValueError(
                f"batch {number} has other columns or types than the first: {names} instead of "
                f"{first.names}"
            )
        if table.num_rows:
            yield plain


def _plain(column: Any) -> Any:
    kind, types = column.type, pa.types
    if isinstance(kind, pa.BaseExtensionType):
        storage = kind.storage_type
        if getattr(kind, "type_name", "") == "numeric":
            return column.cast(storage).cast(pa.float64())
        is_plain = types.is_string(storage) or types.is_large_string(storage)
        is_plain |= types.is_boolean(storage) or types.is_integer(storage)
        return column.cast(storage) if is_plain else column
    if types.is_decimal(kind):
        return column.cast(pa.float64())
    if types.is_interval(kind):
        return pa.chunked_array([_seconds(chunk) for chunk in column.chunks], pa.float64())
    if types.is_dictionary(kind):
        kind = kind.value_type
        is_text = types.is_string(kind) or types.is_large_string(kind) or types.is_string_view(kind)
        return column.cast(pa.string()) if is_text else column
    return column.cast(pa.string()) if types.is_string_view(kind) else column


def _seconds(interval: Any) -> Any:
    cells = np.frombuffer(interval.buffers()[1], dtype=_INTERVAL)
    cells = cells[interval.offset : interval.offset + len(interval)]
    years, months = np.divmod(cells["months"], 12)
    days = years * 365.25 + months * 30 + cells["days"]
    seconds = days * _DAY_SECONDS + cells["nanoseconds"] / 1e9
    return pa.array(seconds, mask=interval.is_null().to_numpy(zero_copy_only=False))


def keep_as_codes(tables: Iterable[pa.Table], most_bytes: int) -> Kept:
    """Keep rows in memory, with text as codes, within a limit of bytes.

    Parameters
    ----------
    tables : iterable of pyarrow.Table
        All of one schema.
    most_bytes : int
    """
    kept: list[pa.RecordBatch] = []
    n_bytes, encoder = 0, _Encoder()
    remaining = _pieces(tables)
    for piece in remaining:
        kept.append(encoder.encode(piece))
        n_bytes += kept[-1].nbytes
        if n_bytes > most_bytes:
            coded = chain(_emptied(kept), map(encoder.encode, remaining))
            return Kept([], map(_of_wide_codes, coded))
    return Kept(_of_one_type(kept), None)


def _emptied(kept: list[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    while kept:
        yield kept.pop(0)


def _pieces(tables: Iterable[pa.Table]) -> Iterator[pa.Table]:
    """Put tables together until they are worth what is done once for each."""
    waiting: list[pa.Table] = []
    n_rows = n_bytes = 0
    for table in tables:
        waiting.append(table)
        n_rows, n_bytes = n_rows + table.num_rows, n_bytes + table.nbytes
        if n_rows >= _PIECE_ROWS or n_bytes >= _PIECE_BYTES:
            yield pa.concat_tables(waiting)
            waiting, n_rows, n_bytes = [], 0, 0
    if waiting:
        yield pa.concat_tables(waiting)


class _Encoder:
    """Encodes pieces of rows: text becomes codes of the least size."""

    def __init__(self) -> None:
        self._entries: dict[str, pa.Array] = {}  # of the piece before, if they are few

    def encode(self, piece: pa.Table) -> pa.RecordBatch:
        """Return rows with text as codes."""
        columns = {}
        for name, column in zip(piece.column_names, piece.columns, strict=True):
            column = column.combine_chunks()
            if isinstance(column, pa.ChunkedArray):
                column = column.chunk(0) if column.num_chunks else pa.array([], column.type)
            is_text = pa.types.is_string(column.type) or pa.types.is_large_string(column.type)
            columns[name] = self._encoded(name, column) if is_text else column
        return pa.RecordBatch.from_pydict(columns)

    def _encoded(self, name: str, text: Any) -> Any:
        entries = self._entries.get(name)
        if entries is not None:
            # Finding known entries takes two thirds of the time of collecting them again.
            codes = pc.index_in(text, value_set=entries)
            if codes.null_count == text.null_count:
                return pa.DictionaryArray.from_arrays(codes.cast(pa.int8()), entries)
        encoded = text.dictionary_encode()
        entries, kind = encoded.dictionary, _code_type(len(encoded.dictionary))
        if kind == pa.int8():
            self._entries[name] = entries
        else:
            self._entries.pop(name, None)
        return pa.DictionaryArray.from_arrays(encoded.indices.cast(kind), entries)


def _code_type(n_entries: int) -> pa.DataType:
    if n_entries <= 1 << 7:
        return pa.int8()
    return pa.int16() if n_entries <= 1 << 15 else pa.int32()


def _of_one_type(batches: list[pa.RecordBatch]) -> list[pa.RecordBatch]:
    """Return batches of one schema: codes of a column are as wide as its largest dictionary."""
    if not batches:
        return []
    widest = {}
    for place, field in enumerate(batches[0].schema):
        if pa.types.is_dictionary(field.type):
            own = (batch.schema.field(place).type for batch in batches)
            widest[place] = max(own, key=lambda kind: kind.index_type.bit_width).index_type
    return [_widened(batch, widest) for batch in batches]


def _of_wide_codes(batch: pa.RecordBatch) -> pa.Table:
    """Return rows with codes of the one width that fits every piece."""
    places = [i for i, field in enumerate(batch.schema) if pa.types.is_dictionary(field.type)]
    return pa.Table.from_batches([_widened(batch, dict.fromkeys(places, pa.int32()))])


def _widened(batch: pa.RecordBatch, widest: dict[int, pa.DataType]) -> pa.RecordBatch:
    columns = list(batch.columns)
    for place, kind in widest.items():
        column = columns[place]
        codes = pc.cast(column.indices, kind)
        columns[place] = pa.DictionaryArray.from_arrays(codes, column.dictionary)
    return pa.RecordBatch.from_arrays(columns, names=batch.schema.names)
