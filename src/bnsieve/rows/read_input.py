"""Read the rows of a path into memory, with the fingerprint of their files.

Excel files take openpyxl, an optional package.
Rows too many for memory stay in their files: a learner reads them twice.
"""

import hashlib
import shutil
import sys
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import pandas as pd

from bnsieve.rows.csv_reader import CsvTable, read_csv
from bnsieve.rows.excel import read_excel
from bnsieve.rows.frames import read_parquet_files
from bnsieve.rows.paths import CSV_ENDS, EXCEL_ENDS, PARQUET_ENDS, is_csv, is_excel, quoted
from bnsieve.rows.scratch import scratch_folder

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


def read_rows(
    path: Path,
    missing: Sequence[str] = (),
    sheet: str | None = None,
    header_row: int | None = None,
) -> Rows:
    """Read a CSV file, a Parquet file or a folder of one of these; or a sheet of an Excel workbook.

    Parameters
    ----------
    path : Path
    missing : sequence of str
        Texts in CSV and Excel files that stand for a missing cell, beside the usual ones.
    sheet, header_row : optional
        Of an Excel workbook; see `bnsieve.rows.excel.read_excel`.

    Raises
    ------
    ValueError
        If there is no table in it.
    ImportError
        If it takes openpyxl, which is not installed.
    """
    paths = _files_of(path)
    root = path if path.is_dir() else path.parent
    files = tuple(_fingerprint(one, root) for one in paths)
    if is_excel(paths[0]):
        frame, remarks = read_excel(paths[0], MAX_CELLS, missing, sheet, header_row)
        _require_two(paths[0], frame.columns, "a sheet has one row of names and rows of cells")
        return Rows(frame, path, files, remarks)
    if sheet is not None or header_row is not None:
        raise ValueError(f"{path} is no Excel workbook: it has no sheet to choose")
    if not is_csv(paths[0]):
        return Rows(read_parquet_files(path, MAX_CELLS), path, files)
    table = read_csv(paths, missing, MAX_CELLS)
    _require_two(paths[0], table.columns, "cells are separated by commas, semicolons, tabs or bars")
    lying = table if table.frame is None else path  # the rows need not be in memory twice
    return Rows(table.frame, lying, files, table.remarks)


def _require_two(path: Path, columns: Iterable[str], why: str) -> None:
    names = list(columns)
    if len(names) == 1:
        raise ValueError(
            f"{path} has one column, {quoted(names[0])}, and a network takes two or more: {why}"
        )


@contextmanager
def at_rest(path: Path) -> Iterator[Path]:
    """Give the path of a file that can be read more than once: for "-", of what is piped in.

    What comes in by the pipe is CSV; it is written to a temporary file.
    """
    if str(path) != PIPE:
        yield path
        return
    with scratch_folder() as folder:
        spooled = folder / "stdin.csv"
        with spooled.open("wb") as file:
            shutil.copyfileobj(sys.stdin.buffer, file)
        yield spooled


def _files_of(path: Path) -> tuple[Path, ...]:
    if not path.exists():
        raise FileNotFoundError(f"there is no file or folder {path}: check the path")
    known: tuple[str, ...] = (*CSV_ENDS, *PARQUET_ENDS)
    if not path.is_dir():
        known = (*known, *EXCEL_ENDS)
        if path.suffix.lower() == ".xls":
            raise ValueError(f"{path} is in Excel's old format: save it as .xlsx or CSV")
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
