"""Any source of Arrow batches -> batches in plain types, kept as codes.

In: a DuckDB relation, a polars LazyFrame, an Ibis table, an ADBC cursor, a Spark DataFrame, or any
object with ``__arrow_c_stream__``. Out: an `ArrowStream`, which is read once. Its rows become
record batches in which text is codes of one or two bytes. If these take too much memory, they
become a stream to write to a file.

The user opens the connection. This module opens none and sees no password.
"""

from collections.abc import Generator, Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from io import BytesIO
from itertools import chain
from typing import Any, NamedTuple

import narwhals as nw
import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from bnsieve.rows.spill import require_schema

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
# Decimals of so many digits differ as floats whenever they differ.
_FLOAT_DIGITS = 15


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

    def close(self) -> None:
        """End the query, if rows were left unread."""
        if isinstance(self.batches, Generator):
            self.batches.close()


class Kept(NamedTuple):
    """Rows kept in memory, or, if they are too many, all rows as a stream.

    Attributes
    ----------
    batches : list of pyarrow.RecordBatch
    rest : iterator of pyarrow.Table or None
    emptied : tuple of str
        Columns of the stream without their cells, which Parquet cannot hold.
    """

    batches: list[pa.RecordBatch]
    rest: Iterator[pa.Table] | None
    emptied: tuple[str, ...] = ()


def stream_of(data: Any) -> ArrowStream | None:
    """Return the rows of a source of Arrow batches; None for other objects and data in memory.

    Raises
    ------
    TypeError
        If it is a cursor that gives no Arrow batches.
    ValueError
        If a column is of a type that Arrow cannot import.
    """
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
        return ArrowStream(_cursor_batches(data), has_order=False)
    if hasattr(data, "description") and callable(getattr(data, "fetchall", None)):
        raise TypeError(
            f"a cursor of {library} gives rows one by one, not Arrow batches: pass a cursor of an "
            "ADBC driver, or the frame that pandas.read_sql gives"
        )
    if not hasattr(data, "__arrow_c_stream__") or isinstance(data, pa.Table | pa.RecordBatch):
        return None
    frame = nw.from_native(data, allow_series=True, pass_through=True)
    if isinstance(frame, nw.DataFrame | nw.Series):
        return None
    reader = data if isinstance(data, pa.RecordBatchReader) else None
    return ArrowStream(reader or _imported(data), library[:4] != "adbc")


def _imported(data: Any) -> pa.RecordBatchReader:
    """Return a reader of an object with ``__arrow_c_stream__``."""
    try:
        return pa.RecordBatchReader.from_stream(data)
    except pa.ArrowInvalid as error:
        if "format string" not in str(error):
            raise
        raise ValueError(
            f"a column is of a type that pyarrow does not know ({error}): cast it, for example "
            "Int128 to Int64 or to text"
        ) from None


def _cursor_batches(cursor: Any) -> Iterator[pa.RecordBatch]:
    """Yield the rows of an ADBC cursor; cancel its query if they are not all read.

    Otherwise the connection's next statement, even a rollback, waits until the rest was read.
    """
    is_complete = False
    try:
        yield from cursor.fetch_record_batch()
        is_complete = True
    finally:
        if not is_complete and hasattr(cursor, "adbc_cancel"):
            with suppress(Exception):  # a driver that cannot: what went wrong before counts
                cursor.adbc_cancel()


def _polars_batches(lazy: Any) -> Iterator[pa.Table]:
    """Yield the rows of a polars LazyFrame as its streaming engine makes them, in order."""
    if hasattr(lazy, "collect_batches"):
        frames: Any = lazy.collect_batches(chunk_size=_BATCH_ROWS, maintain_order=True)
    else:
        frames = [lazy.collect(engine="streaming")]
    for frame in frames:
        wide = [name for name, kind in frame.schema.items() if str(kind) in ("Int128", "UInt128")]
        if wide:
            raise ValueError(
                f"column {wide[0]!r} is of type {frame.schema[wide[0]]}, which pyarrow does not "
                "know: cast it, for example to Int64 or to String"
            )
        yield frame.to_arrow()


def _spark_batches(frame: Any) -> Iterator[Any]:
    """Yield the rows of a Spark DataFrame, partition by partition where Spark can stream them.

    Spark's stream finds columns by name, whatever their case and with a dot as a sign of its own,
    and has no place for time zones. It gets columns named c0, c1 and so on, and clock times.
    """
    if hasattr(frame, "to_spark"):  # pandas on Spark
        frame = frame.to_spark()
    if not hasattr(frame, "toArrow"):
        raise TypeError(
            f"{type(frame).__name__} of this Spark gives no Arrow batches: write it as Parquet and "
            "pass the path, or use Spark 4"
        )
    names = frame.columns
    numbered = frame.toDF(*(f"c{i}" for i in range(len(names))))
    plain = numbered.select(
        *(numbered[kind.name].cast(_clock_type(kind.dataType)) for kind in numbered.schema)
    )
    if hasattr(plain, "__arrow_c_stream__"):
        batches: Iterable[Any] = pa.RecordBatchReader.from_stream(plain)
    else:
        batches = plain.toArrow().to_batches()
    for batch in batches:
        yield pa.RecordBatch.from_arrays(batch.columns, names=names)


def _clock_type(kind: Any) -> Any:
    """Return a type of Spark without time zones: the clock times of the session's zone."""
    from pyspark.sql import types

    if isinstance(kind, types.TimestampType):
        return types.TimestampNTZType()
    if isinstance(kind, types.ArrayType):
        return types.ArrayType(_clock_type(kind.elementType), kind.containsNull)
    if isinstance(kind, types.MapType):
        parts = _clock_type(kind.keyType), _clock_type(kind.valueType)
        return types.MapType(*parts, kind.valueContainsNull)
    if isinstance(kind, types.StructType):
        return types.StructType(
            [
                types.StructField(own.name, _clock_type(own.dataType), own.nullable)
                for own in kind.fields
            ]
        )
    return kind


def plain_tables(batches: Iterable[Any]) -> Iterator[pa.Table]:
    """Yield batches as tables of plain types, all with the columns of the first.

    PostgreSQL's ``numeric`` and decimals become floats, intervals seconds (a month has 30 days and
    a year 365.25, as in PostgreSQL), and text comes in one type. Decimals of more digits than a
    float has stay as they are: a key must be exact.

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
        plain = _with_text_of(first, plain)
        require_schema(number, plain.schema, first)
        if table.num_rows:
            yield plain


def _with_text_of(first: pa.Schema, table: pa.Table) -> pa.Table:
    """Return a table with each column of text in the type that it has in the first batch."""
    if table.schema.equals(first) or table.column_names != first.names:
        return table
    pairs = zip(table.schema, first, strict=True)
    texts = [own.with_type(other.type) if _are_text(own, other) else own for own, other in pairs]
    return table.cast(pa.schema(texts))


def _are_text(*fields: pa.Field) -> bool:
    return all(pa.types.is_string(own.type) or pa.types.is_large_string(own.type) for own in fields)


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
        return column if kind.precision > _FLOAT_DIGITS else column.cast(pa.float64())
    if types.is_interval(kind):
        return pa.chunked_array([_seconds(chunk) for chunk in column.chunks], pa.float64())
    if types.is_dictionary(kind):
        kind = kind.value_type
        is_text = types.is_string(kind) or types.is_large_string(kind) or types.is_string_view(kind)
        return _written_out(column) if is_text else column
    return column.cast(pa.string()) if types.is_string_view(kind) else column


def _written_out(column: Any) -> Any:
    """Return a dictionary of text as text, also where Arrow cannot cast it: it holds views."""
    parts = [part.dictionary.cast(pa.string()).take(part.indices) for part in column.chunks]
    return pa.chunked_array(parts, pa.string())


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
            unstorable = _unstorable(kept[0])
            coded = chain(_emptied(kept), map(encoder.encode, remaining))
            wide = map(_of_wide_codes, coded)
            return Kept([], (_without_cells(table, unstorable) for table in wide), unstorable)
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


def _unstorable(rows: pa.RecordBatch) -> tuple[str, ...]:
    """Return the columns that Parquet cannot hold, such as unions."""
    names, row = [], pa.Table.from_batches([rows.slice(0, 1)])
    for name in row.column_names:
        try:
            pq.write_table(row.select([name]), BytesIO())
        except pa.ArrowNotImplementedError:
            names.append(name)
    return tuple(names)


def _without_cells(table: pa.Table, names: tuple[str, ...]) -> pa.Table:
    """Return rows of which some columns only say what is missing, and name the type they had.

    No such column holds categories. It is left out as all structs are, and the reason quotes the
    type, which is the name of the struct's only part.
    """
    for name in names:
        place, column = table.column_names.index(name), table.column(name)
        nothing = pa.nulls(len(column), pa.bool_())
        missing = column.is_null().combine_chunks()
        emptied = pa.StructArray.from_arrays([nothing], names=[str(column.type)], mask=missing)
        table = table.set_column(place, name, emptied)
    return table
