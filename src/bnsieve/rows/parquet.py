"""Parquet files at rest -> pieces of rows, always the same ones in the same order.

In: paths, a folder or a `pyarrow.dataset`. Out: a `ParquetSource`. A chunk is one row group of one
file; files are taken in the order of their paths. Whatever goes wrong with a file is said with its
path, and a file that is no longer the one that was opened is refused.
"""

import json
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import groupby
from typing import Any

import pyarrow as pa
import pyarrow.dataset as ds
import pyarrow.parquet as pq
from pyarrow import fs

from bnsieve.rows.broken_parquet import named, require_whole_columns
from bnsieve.rows.labels import LABELS, kind_of, refuse_type
from bnsieve.rows.paths import require_columns
from bnsieve.rows.recoding import Recoding
from bnsieve.table import LIMITS

# Rows of a piece: enough that it is counted for many rows at a time.
_PIECE_ROWS = 1 << 18


@dataclass(frozen=True)
class ParquetFile:
    """One file as it was when it was opened.

    Attributes
    ----------
    path : str
    group_rows : tuple of int
        Rows of each row group.
    partition : tuple of (str, category)
        Columns whose only value stands in the path.
    size, modified : int
        Bytes, and the time of the last change in nanoseconds (0 where the store has none).
    """

    path: str
    group_rows: tuple[int, ...]
    partition: tuple[tuple[str, Any], ...]
    size: int
    modified: int


@dataclass(frozen=True)
class Chunk:
    """One row group: which, and where its rows stand among all rows."""

    file: int
    group: int
    first_row: int
    n_rows: int


@dataclass(frozen=True)
class ParquetSource:
    """Rows in Parquet files; can be sent to another process, where the files are opened again.

    Attributes
    ----------
    files : tuple of ParquetFile
        Sorted by path.
    names : tuple of str
        Columns, partition columns last.
    kinds : tuple of str
        Of each column as it is read: string, integer or boolean; number if it is yet to be cut;
        date, empty or another Arrow type if it is to be recoded or dropped.
    filesystem : pyarrow.fs.FileSystem
    recoding : Recoding or None
        What turns the columns of the files into categories as they are read.
    stored : tuple of (str, str)
        Where there is a recoding: names and kinds of the columns of the files.
    kept : tuple of pyarrow.RecordBatch
        The rows of each row group, where they are in memory and no file has to be read.
    """

    files: tuple[ParquetFile, ...]
    names: tuple[str, ...]
    kinds: tuple[str, ...]
    filesystem: Any
    recoding: Recoding | None = None
    stored: tuple[tuple[str, str], ...] = ()
    kept: tuple[pa.RecordBatch, ...] = ()

    def keep(self, names: Collection[str]) -> "ParquetSource":
        """Return the same rows with only some columns, in the order that they have."""
        kept = [i for i, name in enumerate(self.names) if name in names]
        return replace(
            self,
            names=tuple(self.names[i] for i in kept),
            kinds=tuple(self.kinds[i] for i in kept),
        )

    def recoded(self, recoding: Recoding) -> "ParquetSource":
        """Return the same rows with categories in place of what is stored."""
        stored = dict(zip(self.names, self.kinds, strict=True))
        kinds = recoding.kinds(stored)
        return replace(
            self,
            names=tuple(kinds),
            kinds=tuple(kinds.values()),
            recoding=recoding,
            stored=tuple(stored.items()),
        )

    def require_labels(self, given: str) -> None:
        """Refuse a column that holds no categories, with its type and its first cell.

        Raises
        ------
        TypeError, ValueError
        """
        kinds = dict(zip(self.names, self.kinds, strict=True))
        refused = [name for name, kind in kinds.items() if kind not in LABELS][:1]
        firsts = {chunk.file: chunk for chunk in reversed(self.chunks)} if refused else {}
        for _, file, rows in self.read([firsts[i] for i in sorted(firsts)], refused):
            column = rows.column(0)
            where = given if self.kept or len(self.files) == 1 else file.path
            if kind_of(column.type) not in LABELS:
                refuse_type(where, refused[0], column.type, column[:1].to_pylist())

    @property
    def bins(self) -> dict[str, tuple[str, ...]]:
        """The categories of the columns that have an order of their own."""
        return {} if self.recoding is None else self.recoding.bins

    @property
    def numbers(self) -> dict[str, tuple[float, ...]]:
        """The columns that can also be read as the numbers they are, and where these are cut."""
        if self.recoding is None:
            return {}
        return {name: own for name, own in self.recoding.numbers.items() if name in self.names}

    def without_numbers(self) -> "ParquetSource":
        """Return the same rows with columns that are cut as categories only."""
        return self.cut_at({})

    def cut_at(self, cuts: Mapping[str, Sequence[float]]) -> "ParquetSource":
        """Return the same rows with some columns cut elsewhere, and none as numbers."""
        if self.recoding is None:
            return self
        return replace(self, recoding=self.recoding.cut_at(cuts))

    @cached_property
    def chunks(self) -> tuple[Chunk, ...]:
        """All row groups that have rows, in order."""
        chunks, first = [], 0
        for i, file in enumerate(self.files):
            for group, n_rows in enumerate(file.group_rows):
                if n_rows:
                    chunks.append(Chunk(i, group, first, n_rows))
                first += n_rows
        return tuple(chunks)

    @property
    def n_rows(self) -> int:
        """Number of rows of all files."""
        return sum(map(sum, (file.group_rows for file in self.files)))

    def read(
        self, chunks: Sequence[Chunk], names: Sequence[str], numbers: Collection[str] = ()
    ) -> Iterator[tuple[int, ParquetFile, pa.RecordBatch]]:
        """Yield the rows of some chunks piece by piece: the first row's number, the file, the rows.

        Parameters
        ----------
        chunks : sequence of Chunk
        names : sequence of str
            Which columns; those of text come as dictionaries. Partition columns are not among the
            rows: their only value stands in `ParquetFile.partition`.
        numbers : collection of str
            Those of the columns that come as numbers: float64, NaN where a cell is missing.
        """
        n_rows = max(1024, min(_PIECE_ROWS, LIMITS.piece // max(1, len(names))))
        needed = names if self.recoding is None else self.recoding.needed(names)
        for number, own in groupby(chunks, key=lambda chunk: chunk.file):
            file = self.files[number]
            stored = [name for name in needed if name not in dict(file.partition)]
            if self.kept:
                for chunk in own:
                    rows = self.kept[chunk.group].select(stored)
                    for start in range(0, rows.num_rows, n_rows):
                        piece = rows.slice(start, n_rows)
                        first = chunk.first_row + start
                        yield first, file, self._recoded(file, piece, names, numbers)
                continue
            with named(file.path), self._opened(file) as parquet:
                for chunk in own:
                    first = chunk.first_row
                    if not stored:
                        empty = _rows_without_columns(chunk.n_rows)
                        yield first, file, self._recoded(file, empty, names, numbers)
                        continue
                    pieces = parquet.iter_batches(
                        n_rows, row_groups=[chunk.group], columns=stored, use_threads=False
                    )
                    for piece in pieces:
                        require_whole_columns(file.path, piece)
                        yield first, file, self._recoded(file, piece, names, numbers)
                        first += piece.num_rows

    def _recoded(
        self,
        file: ParquetFile,
        piece: pa.RecordBatch,
        names: Sequence[str],
        numbers: Collection[str],
    ) -> pa.RecordBatch:
        if self.recoding is None:
            return piece
        columns = dict(zip(piece.schema.names, piece.columns, strict=True))
        for name, value in file.partition:
            columns[name] = pa.repeat(value, piece.num_rows)
        return self.recoding.recode(file.path, columns, names, piece.num_rows, numbers)

    @contextmanager
    def _opened(self, file: ParquetFile) -> Iterator[pq.ParquetFile]:
        info = self.filesystem.get_file_info(file.path)
        if info.type != fs.FileType.File:
            raise FileNotFoundError(f"{file.path} has vanished since it was first read")
        kinds = self.stored or tuple(zip(self.names, self.kinds, strict=True))
        text = [
            name for name, kind in kinds if kind == "string" and name not in dict(file.partition)
        ]
        with self.filesystem.open_input_file(file.path) as stream:
            parquet = pq.ParquetFile(stream, read_dictionary=text, pre_buffer=False)
            if (info.size, info.mtime_ns or 0) != (file.size, file.modified) or (
                _group_rows(parquet.metadata) != file.group_rows
            ):
                raise ValueError(
                    f"{file.path} has changed since it was first read: begin again once it is at "
                    "rest"
                )
            yield parquet


def open_dataset(dataset: ds.FileSystemDataset, given: str | None = None) -> ParquetSource:
    """Open the Parquet files of a dataset; all must have the columns of the first, by name.

    Parameters
    ----------
    dataset : pyarrow.dataset.FileSystemDataset
    given : str, optional
        What errors call the file, where the user knows it under another name.
    """
    fragments = sorted(dataset.get_fragments(), key=lambda fragment: str(fragment.path))
    if not fragments:
        raise ValueError("there are no Parquet files there: nothing to learn from")
    filesystem = dataset.filesystem
    files: list[ParquetFile] = []
    names: list[str] = []
    kinds: dict[str, str] = {}
    for fragment in fragments:
        path = str(fragment.path)
        with named(path):
            info = filesystem.get_file_info(path)
            metadata = fragment.metadata
            schema = metadata.schema.to_arrow_schema()
            group_rows = _group_rows(metadata)
        partition = ds.get_partition_keys(fragment.partition_expression)
        index = _stored_index(metadata) - set(partition)
        own = _kinds(given or path, schema, index)
        for name, value in partition.items():
            own[name] = "string" if isinstance(value, str) else "integer"
        if not files:
            names, kinds = list(own), own
        _same_columns(path, own, files[0].path if files else path, kinds)
        files.append(
            ParquetFile(
                path,
                group_rows,
                tuple(partition.items()),
                info.size,
                info.mtime_ns or 0,
            )
        )
    return ParquetSource(
        tuple(files), tuple(names), tuple(kinds[name] for name in names), filesystem
    )


def kept_source(batches: Sequence[pa.RecordBatch], given: str) -> ParquetSource:
    """Return rows in memory, as if each batch were a row group of one file.

    Parameters
    ----------
    batches : sequence of pyarrow.RecordBatch
        All of one schema.
    given : str
        What errors call the file.
    """
    kinds = {field.name: kind_of(field.type) for field in batches[0].schema}
    file = ParquetFile(given, tuple(batch.num_rows for batch in batches), (), 0, 0)
    return ParquetSource((file,), tuple(kinds), tuple(kinds.values()), None, kept=tuple(batches))


def _rows_without_columns(n_rows: int) -> pa.RecordBatch:
    return pa.RecordBatch.from_struct_array(pa.array([{}] * n_rows, pa.struct([])))


def _kinds(path: str, schema: pa.Schema, index: Collection[str]) -> dict[str, str]:
    if len(set(schema.names)) < len(schema.names):
        raise ValueError(f"{path} has two columns of one name: rename or drop one")
    return {name: kind_of(schema.field(name).type) for name in schema.names if name not in index}


def _stored_index(metadata: pq.FileMetaData) -> set[str]:
    """Return the columns in which pandas stored the index of a frame: no variable of the frame."""
    try:
        stored = json.loads((metadata.metadata or {}).get(b"pandas", b"{}"))
        columns = stored["index_columns"]
    except (ValueError, KeyError, TypeError, RecursionError):  # not written by pandas
        return set()
    if not isinstance(columns, list):
        return set()
    # An index that is a range takes no column, and is described instead.
    return {name for name in columns if isinstance(name, str)}


def _group_rows(metadata: pq.FileMetaData) -> tuple[int, ...]:
    rows = tuple(metadata.row_group(i).num_rows for i in range(metadata.num_row_groups))
    if min(rows, default=0) < 0 or sum(rows) != metadata.num_rows:
        raise pa.ArrowInvalid(f"{metadata.num_rows} rows in all, {rows} in its groups")
    return rows


def _same_columns(path: str, own: dict[str, str], first: str, expected: dict[str, str]) -> None:
    """Refuse a file of other columns; where numbers are integers in some files, note it."""
    require_columns(path, own, first, expected)
    for name, kind in own.items():
        if {kind, expected[name]} == {"integer", "number"}:
            expected[name] = "number"  # a missing cell makes fractions of integers in some programs
        elif kind != expected[name]:
            raise ValueError(
                f"column {name!r} holds {kind} categories in {path} but {expected[name]} "
                f"categories in {first}: write all files with one type"
            )
