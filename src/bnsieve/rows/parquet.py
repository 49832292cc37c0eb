"""Parquet files -> pieces of rows, always the same ones in the same order.

In: paths, a folder or a `pyarrow.dataset`. Out: a `ParquetSource`. A chunk is one row group of one
file. Files are sorted by path. Every error names the path of its file, and a file that changed
after it was opened is refused.
"""

import json
import os
import platform
from collections.abc import Collection, Generator, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import groupby
from pathlib import Path
from typing import Any, NamedTuple

import narwhals as nw
import pyarrow as pa
import pyarrow.dataset as ds
import pyarrow.parquet as pq
from pyarrow import fs

from bnsieve.rows.paths import require_columns
from bnsieve.rows.prepared import Prepared
from bnsieve.table import (
    LIMITS,
    Column,
    Floats,
    arrow_kind,
    read_categories,
    read_column,
    require_whole,
)

# What Arrow raises where a file is damaged; the last ones where sizes or names in it are.
BROKEN = (
    *(pa.ArrowException, OSError, RuntimeError, OverflowError, UnicodeDecodeError),
    *(MemoryError, NotImplementedError),
)

LABELS = ("string", "integer", "boolean")
"""The kinds of columns that are categories as they are stored."""

# Rows of a piece: enough that it is counted for many rows at a time.
_PIECE_ROWS = 1 << 18


@dataclass(frozen=True)
class ParquetFile:
    """One file, in the state in which it was opened.

    Attributes
    ----------
    path : str
        As messages name it.
    location : str
        Where a process with any working directory finds it.
    group_rows : tuple of int
        The number of rows of each row group.
    partition : tuple of (str, category)
        Columns whose only value is in the path.
    size, modified : int
        The number of bytes, and the time of the last change in nanoseconds (0 if the store has
        none).
    """

    path: str
    location: str
    group_rows: tuple[int, ...]
    partition: tuple[tuple[str, Any], ...]
    size: int
    modified: int


@dataclass(frozen=True)
class Chunk:
    """One row group, and the position of its rows among all rows."""

    file: int
    group: int
    first_row: int
    n_rows: int


class Rows(NamedTuple):
    """A piece of rows as it is read.

    Attributes
    ----------
    first : int
        The number of the first row among all.
    file : ParquetFile
    n_rows : int
    columns : dict of str to Column or ndarray of float64
        Numbers, with NaN for missing values, or categories.
    """

    first: int
    file: ParquetFile
    n_rows: int
    columns: dict[str, Column | Floats]

    @property
    def categories(self) -> dict[str, Column]:
        """The columns that are not plain numbers."""
        return {name: one for name, one in self.columns.items() if isinstance(one, Column)}


def _this_process() -> tuple[str, int]:
    return platform.node(), os.getpid()


@dataclass(frozen=True)
class ParquetSource:
    """Rows in Parquet files. Another process can receive it, and opens the files again.

    Attributes
    ----------
    files : tuple of ParquetFile
        Sorted by path.
    names : tuple of str
        Columns, partition columns last.
    kinds : tuple of str
        The kind of each column as it is read: string, integer or boolean; number if it must still
        be binned; date, empty or another Arrow type if it must be recoded or dropped.
    filesystem : pyarrow.fs.FileSystem
    recoding : Prepared or None
        The preparation that turns the columns of the files into categories as they are read.
    stored : tuple of (str, str)
        If there is a recoding, names and kinds of the columns of the files.
    kept : tuple of pyarrow.RecordBatch
        The rows of each row group, if they are in memory and no file must be read.
    opened_by : tuple of (str, int)
        The machine and the number of the process that opened the files.
    """

    files: tuple[ParquetFile, ...]
    names: tuple[str, ...]
    kinds: tuple[str, ...]
    filesystem: Any
    recoding: Prepared | None = None
    stored: tuple[tuple[str, str], ...] = ()
    kept: tuple[pa.RecordBatch, ...] = ()
    opened_by: tuple[str, int] = field(default_factory=_this_process, compare=False)

    def keep(self, names: Collection[str]) -> "ParquetSource":
        """Return the same rows with only some columns, in their present order."""
        kept = [i for i, name in enumerate(self.names) if name in names]
        return replace(
            self, names=tuple(self.names[i] for i in kept), kinds=tuple(self.kinds[i] for i in kept)
        )

    def recoded(self, recoding: Prepared) -> "ParquetSource":
        """Return the same rows with categories in place of the stored values.

        Raises
        ------
        ValueError
            If a required column is absent.
        """
        stored = dict(zip(self.names, self.kinds, strict=True))
        try:
            kinds = recoding.kinds(stored)
        except ValueError as error:
            raise ValueError(f"{self.files[0].path}: {error}") from None
        return replace(
            self,
            names=tuple(kinds),
            kinds=tuple(kinds.values()),
            recoding=recoding,
            stored=tuple(stored.items()),
        )

    def require_labels(self, given: str) -> None:
        """Refuse a column that does not hold categories, with its type and its first cell.

        Raises
        ------
        TypeError, ValueError
        """
        kinds = dict(zip(self.names, self.kinds, strict=True))
        refused = [name for name, kind in kinds.items() if kind not in LABELS][:1]
        firsts = {chunk.file: chunk for chunk in reversed(self.chunks)} if refused else {}
        for _, file, rows in self.batches([firsts[i] for i in sorted(firsts)], refused):
            column = rows.column(0)
            where = given if self.kept or len(self.files) == 1 else file.path
            if arrow_kind(column.type) not in LABELS:
                series = nw.from_native(pa.chunked_array([column]), series_only=True)
                try:
                    read_categories(refused[0], series)
                except (TypeError, ValueError) as error:
                    raise type(error)(f"{where}: {error}") from None

    @property
    def bins(self) -> dict[str, tuple[str, ...]]:
        """The categories of the columns that have an order of their own."""
        return {} if self.recoding is None else self.recoding.bins

    @property
    def numbers(self) -> dict[str, tuple[float, ...]]:
        """The columns that can also be read as numbers, and their bin edges."""
        if self.recoding is None:
            return {}
        return {name: own for name, own in self.recoding.numbers.items() if name in self.names}

    @property
    def copies(self) -> dict[str, str]:
        """Columns that are past values of another one: none in stored rows."""
        return {}

    def cut_at(self, cuts: Mapping[str, Sequence[float]]) -> "ParquetSource":
        """Return the same rows with other bins of some columns, and none as numbers."""
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
    ) -> Iterator[Rows]:
        """Yield the rows of some chunks piece by piece.

        Parameters
        ----------
        chunks : sequence of Chunk
        names : sequence of str
            The columns to read.
        numbers : collection of str
            The columns to read as numbers.
        """
        needed = names if self.recoding is None else self.recoding.needed(names)
        for first, file, batch in self.batches(chunks, needed):
            stored = dict(zip(batch.schema.names, batch.columns, strict=True))
            columns: dict[str, Column | Floats] = (
                {name: read_column(stored[name]) for name in names}
                if self.recoding is None
                else self.recoding.recode(file.path, stored, names, numbers)
            )
            yield Rows(first, file, batch.num_rows, columns)

    def batches(
        self, chunks: Sequence[Chunk], names: Sequence[str], most: int = _PIECE_ROWS
    ) -> Generator[tuple[int, ParquetFile, pa.RecordBatch], None, None]:
        """Yield rows as they are stored: the first row's number, the file, the rows.

        Columns of text are dictionaries. Columns whose only value is in the path of the file are
        included. A piece has at most `most` rows, or 1,024 if that is larger.
        """
        n_rows = max(1024, min(most, LIMITS.piece // max(1, len(names))))
        for number, own in groupby(chunks, key=lambda chunk: chunk.file):
            file = self.files[number]
            partition = dict(file.partition)
            stored = [name for name in names if name not in partition]
            if self.kept:
                for chunk in own:
                    rows = self.kept[chunk.group].select(stored)
                    for start in range(0, rows.num_rows, n_rows):
                        yield chunk.first_row + start, file, rows.slice(start, n_rows)
                continue
            with named(file.path), self._opened(file) as parquet:
                for chunk in own:
                    first = chunk.first_row
                    pieces = parquet.iter_batches(
                        n_rows, row_groups=[chunk.group], columns=stored, use_threads=False
                    )
                    if not stored:
                        nothing = pa.array([{}] * chunk.n_rows, pa.struct([]))
                        pieces = iter([pa.RecordBatch.from_struct_array(nothing)])
                    for piece in pieces:
                        _require_whole_columns(file.path, piece)
                        for name in names:
                            if name in partition:
                                value = pa.repeat(partition[name], piece.num_rows)
                                piece = piece.append_column(name, value)
                        yield first, file, piece
                        first += piece.num_rows

    @contextmanager
    def _opened(self, file: ParquetFile) -> Iterator[pq.ParquetFile]:
        info = self.filesystem.get_file_info(file.location)
        if info.type != fs.FileType.File:
            raise FileNotFoundError(f"{file.path} {self._lost(file.location)}")
        kinds = self.stored or tuple(zip(self.names, self.kinds, strict=True))
        text = [
            name for name, kind in kinds if kind == "string" and name not in dict(file.partition)
        ]
        with self.filesystem.open_input_file(file.location) as stream:
            parquet = pq.ParquetFile(stream, read_dictionary=text, pre_buffer=False)
            if (info.size, info.mtime_ns or 0) != (file.size, file.modified) or (
                _group_rows(parquet.metadata) != file.group_rows
            ):
                raise ValueError(
                    f"{file.path} has changed since it was first read: start again when it no "
                    "longer changes"
                )
            yield parquet

    def _lost(self, location: str) -> str:
        if self.opened_by == _this_process():
            return "has vanished since it was first read"
        return (
            f"cannot be reached by a worker on {platform.node()}: {location} has vanished there, "
            "or never was. Put the files where all workers find them by one path"
        )


def open_dataset(dataset: ds.FileSystemDataset, given: str | None = None) -> ParquetSource:
    """Open the Parquet files of a dataset; all must have the columns of the first, by name.

    Parameters
    ----------
    dataset : pyarrow.dataset.FileSystemDataset
    given : str, optional
        The name of the file in errors, if the user knows it by another name.
    """
    fragments = sorted(dataset.get_fragments(), key=lambda fragment: str(fragment.path))
    if not fragments:
        raise ValueError("the dataset has no Parquet files: check its path")
    filesystem = dataset.filesystem
    is_local = isinstance(filesystem, fs.LocalFileSystem)
    files: list[ParquetFile] = []
    names: list[str] = []
    kinds: dict[str, str] = {}
    for fragment in fragments:
        path = str(fragment.path)
        with named(path):
            info = filesystem.get_file_info(path)
            metadata = fragment.metadata
            schema = metadata.schema.to_arrow_schema()
            columns = schema.names  # refused if they are not UTF-8
            group_rows = _group_rows(metadata)
        partition = ds.get_partition_keys(fragment.partition_expression)
        index = _stored_index(metadata) - set(partition)
        own = _kinds(given or path, columns, schema, index)
        for name, value in partition.items():
            own[name] = "string" if isinstance(value, str) else "integer"
        if not files:
            names, kinds = list(own), own
        require_same_columns(path, own, files[0].path if files else path, kinds)
        files.append(
            ParquetFile(
                path,
                str(Path(path).absolute()) if is_local else path,
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
        The name of the file in errors.
    """
    kinds = {field.name: arrow_kind(field.type) for field in batches[0].schema}
    file = ParquetFile(given, given, tuple(batch.num_rows for batch in batches), (), 0, 0)
    return ParquetSource((file,), tuple(kinds), tuple(kinds.values()), None, kept=tuple(batches))


def _kinds(
    path: str, columns: Sequence[str], schema: pa.Schema, index: Collection[str]
) -> dict[str, str]:
    if len(set(columns)) < len(columns):
        raise ValueError(f"{path} has two columns with the same name: rename or drop one")
    return {name: arrow_kind(schema.field(name).type) for name in columns if name not in index}


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


def require_same_columns(
    path: str, own: dict[str, str], first: str, expected: dict[str, str]
) -> None:
    """Refuse a file with other columns, and note numbers that are integers in some files."""
    require_columns(path, own, first, expected)
    for name, kind in own.items():
        if {kind, expected[name]} == {"integer", "number"}:
            expected[name] = "number"  # a missing cell makes fractions of integers in some programs
        elif kind != expected[name]:
            raise ValueError(
                f"column {name!r} holds {kind} categories in {path} but {expected[name]} "
                f"categories in {first}: write all files with one type"
            )


@contextmanager
def named(path: str) -> Iterator[None]:
    """Add the name of the file to an error.

    Raises
    ------
    FileNotFoundError
        If it has vanished.
    PermissionError
        If there is no permission to read it.
    ValueError
        If it is damaged, or memory is short.
    """
    try:
        yield
    except FileNotFoundError as error:
        if path in str(error):
            raise
        raise FileNotFoundError(f"{path} has vanished") from error
    except PermissionError as error:
        raise PermissionError(f"{path} may not be read: change its permissions") from error
    except MemoryError as error:
        # Arrow raises it for a shortage, and for sizes in a damaged file that no memory holds.
        said = " ".join(str(error).split()) or "out of memory"
        raise ValueError(
            f"{path} cannot be read with the memory that is left ({said}): raise the limit. If the "
            "file is small, it is damaged: write it again"
        ) from error
    except BROKEN as error:
        said = " ".join(str(error).split()) or type(error).__name__
        raise ValueError(
            f"{path} cannot be read as Parquet, it may be truncated or damaged: {said}"
        ) from error


def _require_whole_columns(path: str, rows: pa.RecordBatch) -> None:
    """Refuse rows of a file of which a column holds what its type forbids."""
    for name, column in zip(rows.schema.names, rows.columns, strict=True):
        # Places in a dictionary were checked by Arrow's reader: again would take a tenth of a pass.
        part = column.dictionary if isinstance(column, pa.DictionaryArray) else column
        try:
            require_whole(name, part)
        except ValueError as error:
            raise ValueError(f"{path}: {error}") from None
