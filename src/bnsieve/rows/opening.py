"""What a user may hand over as many rows -> a `ParquetSource`.

In: a path (Parquet file, folder with or without Hive partitions, CSV file or folder), several, a
`pyarrow.dataset`, a Ray dataset, an iterator of Arrow batches or a function that returns one. What
is not Parquet at rest is first written to a temporary file, which lasts as long as the context; of
a CSV file that was read, the rows stay in memory if they take little.
"""

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.dataset as ds

from bnsieve import _native
from bnsieve.engine import announce
from bnsieve.rows.broken_parquet import BROKEN
from bnsieve.rows.csv_reader import CsvTable, read_csv
from bnsieve.rows.excel import read_excel
from bnsieve.rows.parquet import ParquetSource, kept_source, open_dataset
from bnsieve.rows.paths import csv_files_in, is_csv, is_excel
from bnsieve.rows.read_input import MAX_CELLS
from bnsieve.rows.recognise import is_ray
from bnsieve.rows.scratch import scratch_folder
from bnsieve.rows.spill import csv_batches, larger_batches, write_batches


@contextmanager
def open_source(
    data: Any, filesystem: Any = None, numbers: bool = False, anything: bool = False
) -> Iterator[ParquetSource]:
    """Open the data for as long as the context lasts.

    Parameters
    ----------
    data : see the module
    filesystem : pyarrow.fs.FileSystem or fsspec filesystem, optional
        Where paths lie; this machine if not given, or what a URI says.
    numbers : bool, default False
        Whether columns may hold fractions, which are to be cut before they are read.
    anything : bool, default False
        Whether columns may hold what is neither label nor number, and are to be dropped.
    """
    if isinstance(data, ParquetSource):
        yield data
        return
    if isinstance(data, ds.FileSystemDataset) and _plain_parquet(data):
        yield open_dataset(data, numbers, anything)
        return
    if isinstance(data, CsvTable) and data.kept and numbers and anything:
        batches = list(larger_batches(_announced(csv_batches(data))))
        _native.give_memory_back()  # the rows as they were read, which take as much again
        yield kept_source(batches, ", ".join(map(str, data.paths)))
        return
    paths = _paths(data)
    if paths is not None and any(map(is_excel, paths)):
        data, paths = _sheet(paths), None
    if paths is not None and not any(map(is_csv, paths)):
        yield open_dataset(_discover(paths, filesystem), numbers, anything)
        return
    with scratch_folder() as folder:
        target = folder / "rows.parquet"
        write_batches(_announced(_batches(data, paths)), target)
        yield open_dataset(_discover([str(target)], None), numbers, anything, name_of(data))


def name_of(data: Any) -> str:
    """Return what errors call the data: the file or files, where they come from some."""
    return ", ".join(_paths(data) or ["the data"])


def _paths(data: Any) -> list[str] | None:
    if isinstance(data, CsvTable):
        return [str(path) for path in data.paths]
    if isinstance(data, str | Path):
        return csv_files_in(data) or [str(data)]
    if isinstance(data, list | tuple) and data and all(isinstance(p, str | Path) for p in data):
        paths = [str(path) for path in data]
        twice = sorted({path for path in paths if paths.count(path) > 1})
        if twice:
            raise ValueError(f"{twice[0]} is given twice: its rows would count twice")
        return sorted(paths)
    return None


def _sheet(paths: list[str]) -> Iterator[Any]:
    """Return the first sheet of a workbook."""
    if len(paths) > 1:
        raise ValueError(f"{paths[0]} is an Excel workbook: give it alone, or save all as CSV")
    frame, _ = read_excel(Path(paths[0]), MAX_CELLS)
    return iter([pa.Table.from_pandas(frame, preserve_index=False)])


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
        raise FileNotFoundError(f"{given} does not exist") from error
    except BROKEN as error:
        raise ValueError(f"{given} cannot be read as Parquet: {error}") from error


def _plain_parquet(dataset: ds.FileSystemDataset) -> bool:
    filtered = getattr(dataset, "_scan_options", {})
    return isinstance(dataset.format, ds.ParquetFileFormat) and not filtered


def _announced(batches: Iterable[Any]) -> Iterator[Any]:
    """Pass batches on, and say how many rows there were; how many there will be nobody knows."""
    n_rows = 0
    for batch in batches:
        yield batch
        n_rows += batch.num_rows
        announce("reading", f"{n_rows:,} rows converted to Parquet")


def _batches(data: Any, paths: list[str] | None) -> Iterable[Any]:
    if isinstance(data, CsvTable):
        return csv_batches(data)
    if paths is not None:
        return csv_batches(read_csv(paths))
    batches: Iterable[Any]
    if isinstance(data, ds.Dataset):
        batches = data.to_batches(use_threads=False)
    elif is_ray(data):
        batches = data.iter_batches(batch_format="pyarrow", batch_size=None)
    else:
        batches = data() if callable(data) else data
    return batches
