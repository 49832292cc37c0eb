"""`open_data`: anything that a user hands over -> one value, a `DataSource`.

In: a pandas or polars DataFrame, an Arrow table, a NumPy array or a `Table`; a path, a folder or
several paths of CSV or Parquet files, or of an Excel workbook; "-" for piped CSV; a pyarrow or Ray
dataset; an iterator of Arrow batches or a function that returns one. Out: its columns, described
for preparation, and its rows, readable in passes. Every learner and every command reads data here.
"""

import shutil
import sys
from abc import ABC, abstractmethod
from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

import pandas as pd
import pyarrow as pa
import pyarrow.dataset as ds

from bnsieve import _native
from bnsieve.counts import CountSource, TableRows
from bnsieve.engine import Engine, announce, open_engine
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
from bnsieve.rows.spill import larger_batches, write_batches
from bnsieve.table import (
    LIMITS,
    Discretizer,
    RowDependence,
    Table,
    named_columns,
    whole_numbers,
)
from bnsieve.table.prepare import (
    PREPARATION_SEED,
    ColumnOverrides,
    Columns,
    FrameColumns,
    Preparation,
    plan_columns,
)

PIPE = "-"
"""In place of a path: CSV that is piped in."""


@dataclass(frozen=True, eq=False, kw_only=True)
class DataSource(ABC):
    """Data, wherever it lies; another kind of data is another class below this.

    Attributes
    ----------
    given : str
        What errors call the data.
    paths : tuple of Path
        The files of this machine that it comes from, if any.
    root : Path
        The folder that their names begin in.
    remarks : tuple of str
        What was not as usual.
    """

    given: str = "the data"
    paths: tuple[Path, ...] = ()
    root: Path = field(default_factory=Path)
    remarks: tuple[str, ...] = ()

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
        """The categories of the columns that declare an order of them."""
        return {}

    @cached_property
    def files(self) -> tuple[InputFile, ...]:
        """The files it comes from, sorted, with what their bytes hash to."""
        return tuple(fingerprint(path, self.root) for path in self.paths)

    @abstractmethod
    def columns(self, engine: Engine, seed: int = PREPARATION_SEED) -> Columns:
        """Return the columns, described for preparation."""

    @abstractmethod
    def table(self, plan: Preparation | None, engine: Engine, *, numbers: bool = False) -> Table:
        """Return all rows as categories, prepared as a plan says, in memory.

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
        """Return the rows as what a learner counts; other parameters are those of `table`."""

    @abstractmethod
    def consecutive(self, names: Sequence[str], n_rows: int) -> Stretches:
        """Return some columns of about so many rows, in stretches of consecutive ones."""

    @abstractmethod
    def stored(self) -> ParquetSource:
        """Return the rows as they are stored, readable in Arrow batches."""

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
        """The categories of the columns of a pandas DataFrame that declare an order of them."""
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
        """Return stretches of rows at even distances."""
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
    """Rows in Parquet files, or in Arrow batches that are kept in memory."""

    source: ParquetSource

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
        """Return the rows as what a learner counts: all in memory, or a sample and sums."""
        self._require_rows()
        source = prepared_source(self, plan, numbers=numbers)
        return count_rows(source, Sampling() if self.is_small else sampling, engine)

    def consecutive(self, names: Sequence[str], n_rows: int) -> Stretches:
        """Return the first rows of some row groups."""
        return stretches_in_files(self.source, names, n_rows)

    def _require_rows(self) -> None:
        if not self.n_rows:
            raise ValueError(f"{self.given} has columns but no rows: pass at least one row")

    def stored(self) -> ParquetSource:
        """Return the rows as they are stored."""
        return self.source

    def to_frame(self) -> pd.DataFrame:
        """Return all rows as a pandas DataFrame."""
        if not self.is_small:
            raise ValueError(f"{self.given} has too many rows for memory: give it in pieces")
        batches = self.source.batches(self.source.chunks, self.names)
        table = pa.Table.from_batches(rows for *_, rows in batches).select(self.names)
        plain = pa.schema([(column.name, _plain_type(column.type)) for column in table.schema])
        nullable = {pa.int64(): pd.Int64Dtype(), pa.uint64(): pd.UInt64Dtype()}
        frame: pd.DataFrame = table.cast(plain).to_pandas(types_mapper=nullable.get)
        for name, column in frame.items():
            if isinstance(column.dtype, pd.Int64Dtype | pd.UInt64Dtype) and not column.hasnans:
                frame[name] = column.to_numpy(dtype=str(column.dtype).lower())
            elif pd.api.types.is_float_dtype(column) and column.hasnans:
                integers = whole_numbers(column)
                frame[name] = column if integers is None else integers
        return frame


def _plain_type(arrow_type: pa.DataType) -> pa.DataType:
    if pa.types.is_dictionary(arrow_type):
        return _plain_type(arrow_type.value_type)
    if pa.types.is_decimal(arrow_type):
        return pa.float64()
    is_wide = not pa.types.is_integer(arrow_type) or arrow_type == pa.uint64()
    return arrow_type if is_wide else pa.int64()


def prepared_source(
    data: DataSource, plan: Preparation | None, *, numbers: bool = True
) -> ParquetSource:
    """Return the rows of data as categories, and numbers as they are asked for."""
    source = data.stored()
    if plan is not None:
        return source.recoded(Prepared(plan, keeps_numbers=numbers))
    source.require_labels(data.given)
    return source


def dependent_rows(data: DataSource, plan: Preparation | None) -> RowDependence | None:
    """Look in some consecutive rows of data whether rows depend on each other.

    Parameters
    ----------
    data : DataSource
    plan : Preparation or None
        What the columns are; None: categories.
    """
    if not data.n_rows or not data.names:
        return None
    names = chosen_columns(data.names, plan)
    return dependence_in(data.consecutive(names, n_rows_of(len(names))), plan)


def convert_rows(data: Any, target: str | Path) -> int:
    """Write the rows of any data to a Parquet file; return how many."""
    with open_data(data) as rows:
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
    """Open data for as long as the context lasts.

    What is neither in memory nor Parquet at rest is written to a temporary Parquet file; of CSV
    files, the rows stay in memory if they take little.

    Parameters
    ----------
    data : see the module
        A `DataSource` is returned as it is.
    missing_texts : sequence of str
        Texts in CSV and Excel files that stand for a missing cell, beside the usual ones.
    sheet, header_row : optional
        Of an Excel workbook; see `bnsieve.rows.excel.read_excel`.
    filesystem : pyarrow.fs.FileSystem or fsspec filesystem, optional
        Where paths lie; this machine if not given, or what a URI says.

    Raises
    ------
    FileNotFoundError
        If there is no such file.
    ValueError
        If there is no table in it.
    ImportError
        If it takes openpyxl, which is not installed.
    """
    if isinstance(data, DataSource):
        yield data
        return
    with ExitStack() as stack:
        paths = _paths(data)
        if (sheet is not None or header_row is not None) and not any(map(is_excel, paths)):
            raise ValueError(f"{data} is no Excel workbook: it has no sheet to choose")
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
            yield _spilled(data.to_batches(use_threads=False), "the data", stack)
        elif hasattr(data, "iter_batches"):  # a Ray dataset
            batches = data.iter_batches(batch_format="pyarrow", batch_size=None)
            yield _spilled(batches, "the data", stack)
        elif isinstance(data, Iterator) or callable(data):
            yield _spilled(data() if callable(data) else data, "the data", stack)
        else:
            yield MemoryData(data)


def in_memory(data: Any, missing_texts: Sequence[str] = ()) -> Any:
    """Return data in memory as it is, and any other as a frame."""
    with open_data(data, missing_texts) as rows:
        return rows.data if isinstance(rows, MemoryData) else rows.to_frame()


def _paths(data: Any) -> list[str]:
    """Return the paths that were given, sorted; none if something else was."""
    if isinstance(data, str | Path):
        return [str(data)]
    if not isinstance(data, list | tuple) or not all(isinstance(p, str | Path) for p in data):
        return []
    paths = sorted(map(str, data))
    for path in paths:
        if paths.count(path) > 1:
            raise ValueError(f"{path} is given twice: its rows would count twice")
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
            f"{given} has one column, {quoted(names[0])}, and a network takes two or more: {why}"
        )


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
        announce("reading", f"{n_rows:,} rows converted to Parquet")


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


def prepare(
    data: Any,
    *,
    roles: Mapping[str, str] | None = None,
    cut: Mapping[str, Sequence[float]] | None = None,
    missing_texts: Sequence[str] = (),
    drop: Sequence[str] = (),
    keep: Sequence[str] = (),
    constants: bool = False,
    discretizer: Discretizer | None = None,
    seed: int = PREPARATION_SEED,
    n_jobs: int | None = None,
) -> Preparation:
    """Infer the role of each column of a table, and plan its preparation.

    All rows are looked at; the result is the same whatever the data comes in. Only where there are
    more than 50,000 rows, cuts and groups are found in so many of them, which are drawn by their
    numbers.

    Parameters
    ----------
    data : DataFrame, Arrow table, array, path, dataset or iterator
        As `fit` of a learner takes it.
    roles : mapping of str to str, optional
        The role of a column: "category", "quantity", "code", "date" ("date-dmy" or
        "date-mdy" where the order of day and month is in doubt), or, to be left out, "identifier",
        "constant" or "text". "blank" leaves the role to be found, and makes a category of missing
        cells.
    cut : mapping of str to sequence of float, optional
        Where columns of numbers are to be cut.
    missing_texts : sequence of str
        Texts that stand for a missing cell; blank text always does.
    drop, keep : sequence of str
        Columns to leave out, which are not looked at, and columns to use though they look like
        identifiers.
    constants : bool, default False
        Whether columns of one category are kept. They have no edges.
    discretizer : Discretizer, optional
        How numbers are binned; ``Discretizer()`` if not given.
    seed : int, default 0
        Of the rows that are drawn.
    n_jobs : int or None, default None
        Threads that read files. The result is the same.

    Returns
    -------
    Preparation

    Raises
    ------
    ValueError
        If a column or role that is named does not exist; the message names the nearest.

    Examples
    --------
    >>> import bnsieve as bn
    >>> import pandas as pd
    >>> frame = pd.DataFrame({"on": ["2024-01-31", "2024-02-01"] * 50, "ill": ["no", "yes"] * 50})
    >>> bn.prepare(frame)
    column  role      categories  missing  preparation                       examples
    on      date      2                    turned into on_month, on_weekday  2024-01-31, 2024-02-01
    ill     category  2                    used as it is                     no, yes
    """
    overrides = ColumnOverrides(
        dict(roles or {}),
        dict(cut or {}),
        tuple(missing_texts),
        tuple(drop),
        tuple(keep),
        constants,
        discretizer or Discretizer(),
    )
    with open_data(data, missing_texts) as source, open_engine("local", n_jobs) as engine:
        return plan_columns(source.columns(engine, seed), overrides)
