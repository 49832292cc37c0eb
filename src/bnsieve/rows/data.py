"""`open_data`: data in any form -> a `DataSource`.

In: a pandas or polars DataFrame, an Arrow table, a NumPy array or a `Table`; a path, a folder or
several paths of CSV or Parquet files, or of an Excel workbook; "-" for piped CSV; a pyarrow or Ray
dataset; an iterator of Arrow batches or a function that returns one; a lazy table, a relation or a
cursor that returns Arrow batches (see `bnsieve.rows.streams`). Out: its columns, described for
preparation, and its rows, readable in passes. Every learner and every command reads data through
this function.
"""

import shutil
import sys
from abc import ABC, abstractmethod
from collections.abc import Hashable, Iterable, Iterator, Sequence
from contextlib import ExitStack, closing, contextmanager
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import Any

import pandas as pd
import pyarrow as pa
import pyarrow.dataset as ds

from bnsieve import _native
from bnsieve.counts import CountSource, TableRows
from bnsieve.engine import Engine, announce
from bnsieve.rows.as_frame import as_frame
from bnsieve.rows.consecutive import (
    Stretches,
    chosen_columns,
    dependence_in,
    n_rows_of,
    starts_of,
    stretches_in_files,
    stretches_in_memory,
)
from bnsieve.rows.csv_reader import read_csv
from bnsieve.rows.excel import read_excel
from bnsieve.rows.file_columns import FileColumns
from bnsieve.rows.file_rows import Sampling, count_rows
from bnsieve.rows.parquet import BROKEN, ParquetSource, kept_source, open_dataset
from bnsieve.rows.paths import InputFile, fingerprint, is_csv, is_excel, quoted, rows_files
from bnsieve.rows.prepared import Prepared
from bnsieve.rows.scratch import scratch_folder
from bnsieve.rows.secrets import refuse_address
from bnsieve.rows.spill import larger_batches, write_batches
from bnsieve.rows.streams import MOST_KEPT, ArrowStream, keep_as_codes, plain_tables, stream_of
from bnsieve.table import (
    LIMITS,
    RowDependence,
    Table,
    named_columns,
)
from bnsieve.table.prepare import PREPARATION_SEED, Columns, FrameColumns, Preparation

PIPE = "-"
"""In place of a path: CSV that is piped in."""


@dataclass(frozen=True, eq=False, kw_only=True)
class DataSource(ABC):
    """Data in memory or in files; another kind of data is another subclass.

    Attributes
    ----------
    given : str
        The name of the data in errors.
    paths : tuple of Path
        The files on this machine that the data come from, if any.
    root : Path
        The folder that the names of the files are relative to.
    remarks : tuple of str
        Remarks about the data.
    has_order : bool
        Whether the rows always come in the same order, so that a fit can be repeated.
    """

    given: str = "the data"
    paths: tuple[Path, ...] = ()
    root: Path = field(default_factory=Path)
    remarks: tuple[str, ...] = ()
    has_order: bool = True

    @property
    @abstractmethod
    def names(self) -> tuple[str, ...]:
        """The columns, in order."""

    @property
    @abstractmethod
    def n_rows(self) -> int:
        """Number of rows."""

    @property
    @abstractmethod
    def is_small(self) -> bool:
        """Whether all rows are held in memory."""

    @property
    def is_encoded(self) -> bool:
        """Whether it is a `Table`, which is not prepared."""
        return False

    @property
    def orders(self) -> dict[str, tuple[Hashable, ...]]:
        """The categories of the columns that declare an order."""
        return {}

    @cached_property
    def files(self) -> tuple[InputFile, ...]:
        """The files that the data come from, sorted, with the hashes of their bytes."""
        return tuple(fingerprint(path, self.root) for path in self.paths)

    @abstractmethod
    def columns(self, engine: Engine, seed: int = PREPARATION_SEED) -> Columns:
        """Return the columns, described for preparation."""

    @abstractmethod
    def table(self, plan: Preparation | None, engine: Engine, *, numbers: bool = False) -> Table:
        """Return all rows as categories in memory, prepared by a plan.

        Parameters
        ----------
        plan : Preparation or None
            None: all columns must hold categories.
        engine : Engine
        numbers : bool
            Whether numbers that are binned are kept beside their bins.
        """

    @abstractmethod
    def counts(
        self, plan: Preparation | None, sampling: Sampling, engine: Engine, *, numbers: bool = False
    ) -> CountSource:
        """Return the rows as a `CountSource`; the other parameters are those of `table`."""

    @abstractmethod
    def consecutive(self, names: Sequence[str], n_rows: int) -> Stretches:
        """Return some columns of about this many rows, in stretches of consecutive ones."""

    @abstractmethod
    def stored(self) -> ParquetSource:
        """Return the rows as they are stored, readable in Arrow batches."""

    def frames(self) -> Iterator[pd.DataFrame]:
        """Yield the rows piece by piece; those that are held in memory in one."""
        yield self.to_frame()

    @abstractmethod
    def to_frame(self) -> pd.DataFrame:
        """Return all rows as a pandas DataFrame."""


@dataclass(frozen=True, eq=False)
class MemoryData(DataSource):
    """Rows in memory: a DataFrame, Arrow table, array or `Table`."""

    data: Any

    @property
    def is_small(self) -> bool:
        """True: all rows are in memory."""
        return True

    @property
    def is_encoded(self) -> bool:
        """Whether it is a `Table`, which is not prepared."""
        return isinstance(self.data, Table)

    @property
    def orders(self) -> dict[str, tuple[Hashable, ...]]:
        """The categories of the columns of a pandas DataFrame that declare an order."""
        if not isinstance(self.data, pd.DataFrame):
            return {}
        types = ((str(name), column.dtype) for name, column in self.data.items())
        return {
            name: tuple(dtype.categories)
            for name, dtype in types
            if isinstance(dtype, pd.CategoricalDtype)
        }

    @cached_property
    def _shape(self) -> tuple[tuple[str, ...], int]:
        if isinstance(self.data, Table):
            return self.data.names, self.data.n_rows
        names, _, n_rows = named_columns(self.data)
        return tuple(names), n_rows

    @property
    def names(self) -> tuple[str, ...]:
        """The columns, in order."""
        return self._shape[0]

    @property
    def n_rows(self) -> int:
        """Number of rows."""
        return self._shape[1]

    def columns(self, engine: Engine, seed: int = PREPARATION_SEED) -> Columns:
        """Return the columns, described for preparation."""
        return FrameColumns(self.data, seed)

    def table(self, plan: Preparation | None, engine: Engine, *, numbers: bool = False) -> Table:
        """Return all rows as categories."""
        if plan is None or isinstance(self.data, Table):
            return Table.from_data(self.data)
        table = plan.table(self.data)
        return table.with_numbers(plan.numbers(self.data)) if numbers else table

    def counts(
        self, plan: Preparation | None, sampling: Sampling, engine: Engine, *, numbers: bool = False
    ) -> CountSource:
        """Return the rows as what a learner counts."""
        return TableRows(self.table(plan, engine, numbers=numbers))

    def consecutive(self, names: Sequence[str], n_rows: int) -> Stretches:
        """Return equally spaced stretches of rows."""
        return stretches_in_memory(self.data, names, starts_of(self.n_rows, n_rows))

    def stored(self) -> ParquetSource:
        """Return the rows in Arrow batches."""
        rows = pa.Table.from_pandas(self.to_frame(), preserve_index=False)
        return kept_source(rows.combine_chunks().to_batches(), self.given)

    def to_frame(self) -> pd.DataFrame:
        """Return all rows as a pandas DataFrame."""
        if isinstance(self.data, pd.DataFrame):
            return self.data
        if isinstance(self.data, Table):
            return self.data.to_frame()
        names, columns, _ = named_columns(self.data)
        natives = (getattr(column, "to_pandas", lambda c=column: c)() for column in columns)
        return pd.DataFrame(dict(zip(names, natives, strict=True)))


@dataclass(frozen=True, eq=False)
class FileData(DataSource):
    """Rows in Parquet files, or in Arrow batches that are kept in memory.

    Attributes
    ----------
    source : ParquetSource
    emptied : tuple of str
        Columns whose cells a temporary file could not hold. None is a variable.
    """

    source: ParquetSource
    emptied: tuple[str, ...] = ()

    @property
    def names(self) -> tuple[str, ...]:
        """The columns, in order."""
        return self.source.names

    @property
    def n_rows(self) -> int:
        """Number of rows of all files."""
        return self.source.n_rows

    @property
    def is_small(self) -> bool:
        """Whether all rows are held in memory."""
        return self.n_rows * len(self.names) <= LIMITS.in_memory

    def columns(self, engine: Engine, seed: int = PREPARATION_SEED) -> Columns:
        """Return the columns, described for preparation."""
        self._require_rows()
        return FileColumns(self.source, engine, seed)

    def table(self, plan: Preparation | None, engine: Engine, *, numbers: bool = False) -> Table:
        """Return all rows as categories."""
        return self.counts(plan, Sampling(), engine, numbers=numbers).sample()

    def counts(
        self, plan: Preparation | None, sampling: Sampling, engine: Engine, *, numbers: bool = False
    ) -> CountSource:
        """Return the rows as a `CountSource`: all in memory, or a sample and sums."""
        self._require_rows()
        source = prepared_source(self, plan, numbers=numbers)
        return count_rows(source, Sampling() if self.is_small else sampling, engine)

    def consecutive(self, names: Sequence[str], n_rows: int) -> Stretches:
        """Return the first rows of some row groups."""
        return stretches_in_files(self.source, names, n_rows)

    def _require_rows(self) -> None:
        if not self.n_rows:
            raise ValueError(f"{self.given} has columns but no rows: pass at least one row")
        if not self.names:
            raise ValueError(f"{self.given} has no columns: pass at least one column of categories")

    def stored(self) -> ParquetSource:
        """Return the rows as they are stored."""
        return self.source

    def to_frame(self) -> pd.DataFrame:
        """Return all rows as a pandas DataFrame."""
        if not self.is_small:
            raise ValueError(f"{self.given} has too many rows for memory: read it in pieces")
        batches = self.source.batches(self.source.chunks, self.names)
        return as_frame(pa.Table.from_batches(rows for *_, rows in batches).select(self.names))

    def frames(self) -> Iterator[pd.DataFrame]:
        """Yield the rows piece by piece; those that are held in memory in one."""
        if self.is_small:
            yield self.to_frame()
            return
        for *_, rows in self.source.batches(self.source.chunks, self.names):
            yield as_frame(pa.Table.from_batches([rows]).select(self.names))


def prepared_source(
    data: DataSource, plan: Preparation | None, *, numbers: bool = True
) -> ParquetSource:
    """Return the rows of data as categories, with numbers if requested."""
    source = data.stored()
    if plan is not None:
        return source.recoded(Prepared(plan, keeps_numbers=numbers))
    source.require_labels(data.given)
    return source


def dependent_rows(data: DataSource, plan: Preparation | None) -> RowDependence | None:
    """Test in some consecutive rows whether rows depend on each other.

    Parameters
    ----------
    data : DataSource
    plan : Preparation or None
        The roles of the columns; None: all hold categories.
    """
    if not data.n_rows or not data.names:
        return None
    names = chosen_columns(data.names, plan)
    return dependence_in(data.consecutive(names, n_rows_of(len(names))), plan)


def convert_rows(data: Any, target: str | Path, *reading: Any, **options: Any) -> int:
    """Write the rows of any data that `open_data` reads to a Parquet file; return their number."""
    with open_data(data, *reading, **options) as rows:
        if isinstance(rows, FileData) and rows.emptied:
            raise ValueError(
                f"Parquet cannot hold the cells of column {rows.emptied[0]!r}: leave it out"
            )
        source = rows.stored()
        batches = source.batches(source.chunks, source.names)
        return write_batches((batch for *_, batch in batches), Path(target))


@contextmanager
def open_data(
    data: Any,
    missing_texts: Sequence[str] = (),
    *,
    sheet: str | None = None,
    header_row: int | None = None,
    filesystem: Any = None,
) -> Iterator[DataSource]:
    """Open data while the context lasts.

    Data that are neither in memory nor in Parquet files are read once. Their rows stay in memory as
    codes if they take little memory, and are written to a temporary Parquet file otherwise.

    Parameters
    ----------
    data : see the module
        A `DataSource` is returned as it is.
    missing_texts : sequence of str
        Texts in CSV and Excel files that mean a missing value, besides the usual ones.
    sheet, header_row : optional
        Of an Excel workbook; see `bnsieve.rows.excel.read_excel`.
    filesystem : pyarrow.fs.FileSystem or fsspec filesystem, optional
        The filesystem of the paths; by default this machine, or the one in a URI.

    Raises
    ------
    FileNotFoundError
        If there is no such file.
    ValueError
        If there is no table in it.
    ImportError
        If openpyxl is needed and not installed.
    """
    if isinstance(data, DataSource):
        yield data
        return
    with ExitStack() as stack:
        paths = _paths(data)
        if (sheet is not None or header_row is not None) and not any(map(is_excel, paths)):
            raise ValueError(f"{data} is not an Excel workbook: leave out sheet and header_row")
        if paths == [PIPE]:
            spooled = stack.enter_context(scratch_folder()) / "stdin.csv"
            with spooled.open("wb") as file:
                shutil.copyfileobj(sys.stdin.buffer, file)
            yield _open_csv([spooled], spooled.parent, missing_texts, stack)
        elif paths and (filesystem is not None or any("://" in path for path in paths)):
            yield FileData(open_dataset(_discover(paths, filesystem)), given=", ".join(paths))
        elif paths:
            yield _open_files(paths, missing_texts, sheet, header_row, stack)
        elif isinstance(data, pd.DataFrame | Table):
            yield MemoryData(data)
        elif isinstance(data, ds.FileSystemDataset) and _is_plain_parquet(data):
            yield FileData(open_dataset(data))
        elif isinstance(data, ds.Dataset):
            yield _read_once(data.to_batches(use_threads=False), stack)
        elif hasattr(data, "iter_batches"):  # a Ray dataset
            yield _read_once(data.iter_batches(batch_format="pyarrow", batch_size=None), stack)
        elif (stream := stream_of(data)) is not None:
            yield _read_stream(stream, stack)
        elif callable(data):
            stream = stream_of(made := data())
            yield _read_stream(stream or ArrowStream(made), stack)
        elif isinstance(data, Iterator):
            yield _read_once(data, stack)
        else:
            yield MemoryData(data)


def in_memory(data: Any, missing_texts: Sequence[str] = ()) -> Any:
    """Return data in memory unchanged, and other data as a frame."""
    with open_data(data, missing_texts) as rows:
        return rows.data if isinstance(rows, MemoryData) else rows.to_frame()


def _paths(data: Any) -> list[str]:
    """Return the paths that were given, sorted; none if something else was."""
    given = [data] if isinstance(data, str | Path) else data
    if not isinstance(given, list | tuple) or not all(isinstance(p, str | Path) for p in given):
        return []
    paths = sorted(map(str, given))
    for path in paths:
        if paths.count(path) > 1:
            raise ValueError(f"{path} is given twice: its rows would count twice")
        if not Path(path).exists():
            refuse_address(path)
    return paths


def _open_files(
    paths: Sequence[str],
    missing: Sequence[str],
    sheet: str | None,
    header_row: int | None,
    stack: ExitStack,
) -> DataSource:
    """Open files of this machine."""
    given = ", ".join(paths)
    alone = Path(paths[0]) if len(paths) == 1 else None
    files = rows_files(paths)
    root = alone if alone is not None and alone.is_dir() else files[0].parent
    if is_excel(files[0]):
        frame, remarks = read_excel(files[0], LIMITS.in_memory, missing, sheet, header_row)
        _require_two(given, frame.columns, "a sheet has one row of names and rows of cells")
        return MemoryData(frame, given=given, paths=tuple(files), root=root, remarks=remarks)
    if is_csv(files[0]):
        return _open_csv(files, root, missing, stack)
    return FileData(
        open_dataset(_discover(paths, None)), given=given, paths=tuple(files), root=root
    )


def _open_csv(
    files: Sequence[Path], root: Path, missing: Sequence[str], stack: ExitStack
) -> FileData:
    table = read_csv(files, missing)
    given = ", ".join(map(str, files))
    _require_two(given, table.columns, "cells are separated by commas, semicolons, tabs or bars")
    if table.kept:
        batches = list(larger_batches(_announced(table.batches())))
        _native.give_memory_back()  # the rows as they were read, which take as much again
        source = kept_source(batches, given)
    else:
        source = _spilled(table.batches(), given, stack).source
    return FileData(source, given=given, paths=tuple(files), root=root, remarks=table.remarks)


def _require_two(given: str, columns: Iterable[str], why: str) -> None:
    names = list(columns)
    if len(names) == 1:
        raise ValueError(
            f"{given} has one column, {quoted(names[0])}, and a network needs two or more: {why}"
        )


def _read_stream(stream: ArrowStream, stack: ExitStack) -> FileData:
    """Read rows that pass by only once, and end their query whatever happens."""
    with closing(stream):
        return _read_once(stream.batches, stack, has_order=stream.has_order)


def _read_once(batches: Iterable[Any], stack: ExitStack, *, has_order: bool = True) -> FileData:
    """Read rows that pass by only once: what fits stays in memory, as codes."""
    given = "the data"
    kept = keep_as_codes(plain_tables(_announced(batches)), MOST_KEPT)
    if kept.rest is None and not kept.batches:
        raise ValueError("the data has no rows: pass at least one row")
    if kept.rest is None:
        _native.give_memory_back()  # the rows as they arrived, which take several times as much
        return FileData(kept_source(kept.batches, given), given=given, has_order=has_order)
    spilled = _spilled(kept.rest, given, stack)
    return replace(spilled, has_order=has_order, emptied=kept.emptied)


def _spilled(batches: Iterable[Any], given: str, stack: ExitStack) -> FileData:
    """Write rows that pass by only once to a file that lasts as long as the stack."""
    target = stack.enter_context(scratch_folder()) / "rows.parquet"
    write_batches(_announced(batches), target)
    return FileData(open_dataset(_discover([str(target)], None), given), given=given)


def _announced(batches: Iterable[Any]) -> Iterator[Any]:
    """Pass batches on, and say how many rows there were; how many there will be nobody knows."""
    n_rows = 0
    for batch in batches:
        yield batch
        n_rows += getattr(batch, "num_rows", 0)
        announce("reading", f"{n_rows:,} rows")


def _discover(paths: Sequence[str], filesystem: Any) -> ds.FileSystemDataset:
    given = paths[0] if len(paths) == 1 else list(paths)
    try:
        return ds.dataset(
            given,
            format="parquet",
            filesystem=filesystem,
            partitioning="hive",
            exclude_invalid_files=False,
            # Every file's own schema is read and compared, with its name in the error.
            schema=pa.schema([]) if len(paths) > 1 else None,
        )
    except FileNotFoundError as error:
        raise FileNotFoundError(f"there is no file or folder {given}: check the path") from error
    except BROKEN as error:
        raise ValueError(f"{given} cannot be read as Parquet: {error}") from error


def _is_plain_parquet(dataset: ds.FileSystemDataset) -> bool:
    filtered = getattr(dataset, "_scan_options", {})
    return isinstance(dataset.format, ds.ParquetFileFormat) and not filtered
