"""Read the rows of a path into memory, with the fingerprint of their files.

CSV files are read without any optional package; Parquet files take pyarrow. Rows too many for
memory stay in their files: a learner reads them twice.
"""

import hashlib
import shutil
import sys
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import pandas as pd

from bnsieve.rows.csv_reader import CsvTable, read_csv
from bnsieve.rows.frames import read_parquet_files
from bnsieve.rows.paths import CSV_ENDS, PARQUET_ENDS, is_csv

# Rows of more cells stay in files: in memory each takes some ten bytes, or more.
MAX_CELLS = 1 << 24
# In place of a path: what is piped in.
PIPE = "-"


@dataclass(frozen=True)
class InputFile:
    """One file of the data: its name below the path given, its size and what its bytes hash to."""

    name: str
    bytes: int
    sha256: str


@dataclass(frozen=True, eq=False)
class Rows:
    """The data.

    Attributes
    ----------
    frame : pandas.DataFrame or None
        None if the rows are too many for memory.
    lying : Path or CsvTable
        Where they lie, for `bnsieve.rows.opening.open_source`.
    files : tuple of InputFile
        The files, sorted.
    remarks : tuple of str
        What was not as usual.
    """

    frame: pd.DataFrame | None
    lying: Path | CsvTable
    files: tuple[InputFile, ...]
    remarks: tuple[str, ...] = ()


def read_rows(path: Path, missing: Sequence[str] = ()) -> Rows:
    """Read a CSV file, a Parquet file or a folder of one of these.

    Parameters
    ----------
    path : Path
    missing : sequence of str
        Texts in CSV files that stand for a missing cell, beside the usual ones.

    Raises
    ------
    ValueError
        If there is no table in it.
    ImportError
        If it takes pyarrow, which is not installed.
    """
    paths = _files_of(path)
    root = path if path.is_dir() else path.parent
    files = tuple(_fingerprint(one, root) for one in paths)
    if not is_csv(paths[0]):
        return Rows(read_parquet_files(path, MAX_CELLS), path, files)
    table = read_csv(paths, missing, MAX_CELLS)
    if len(table.columns) == 1:
        raise ValueError(
            f"{paths[0]} has one column, {next(iter(table.columns))!r}, and a network takes two or "
            "more: cells are separated by commas, semicolons, tabs or bars"
        )
    lying = table if table.frame is None else path  # the rows need not be in memory twice
    return Rows(table.frame, lying, files, table.remarks)


@contextmanager
def at_rest(path: Path) -> Iterator[Path]:
    """Give the path of a file that can be read more than once: for "-", of what is piped in.

    What comes in by the pipe is CSV; it is written to a temporary file.
    """
    if str(path) != PIPE:
        yield path
        return
    with tempfile.TemporaryDirectory(prefix="bnsieve-") as folder:
        spooled = Path(folder) / "stdin.csv"
        with spooled.open("wb") as file:
            shutil.copyfileobj(sys.stdin.buffer, file)
        yield spooled


def _files_of(path: Path) -> tuple[Path, ...]:
    if not path.exists():
        raise FileNotFoundError(f"there is no file or folder {path}: check the path")
    known = (*CSV_ENDS, *PARQUET_ENDS)
    if not path.is_dir():
        if not _ends_in(path, known):
            raise ValueError(f"{path} must end in {', '.join(known)}: rename or convert it")
        return (path,)
    found = sorted(one for one in path.rglob("*") if one.is_file() and _ends_in(one, known))
    if not found:
        raise ValueError(f"the folder {path} has no file that ends in {', '.join(known)}")
    if len({is_csv(one) for one in found}) > 1:
        raise ValueError(f"the folder {path} has CSV and Parquet files: keep one kind in it")
    return tuple(found)


def _ends_in(path: Path, ends: Sequence[str]) -> bool:
    return path.name.lower().endswith(tuple(ends))


def _fingerprint(path: Path, root: Path) -> InputFile:
    with path.open("rb") as file:
        digest = hashlib.file_digest(file, "sha256").hexdigest()
    return InputFile(path.relative_to(root).as_posix(), path.stat().st_size, digest)
