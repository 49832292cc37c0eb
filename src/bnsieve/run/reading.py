"""A path in, rows in memory out, with the fingerprint of their files.

CSV files are read without any optional package; Parquet files and folders take pyarrow. Files too
large for memory stay where they are: a learner reads them twice.
"""

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import pandas as pd

from bnsieve.run.frames import read_csv_files, read_parquet_files
from bnsieve.source.files import CSV_ENDS, PARQUET_ENDS, is_csv

# Text in memory takes some ten times its bytes; a column of Parquet some ten bytes to a cell.
_MAX_CSV_BYTES = 1 << 28
_MAX_CELLS = 1 << 26


@dataclass(frozen=True)
class File:
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
    paths : tuple of Path
        The files, sorted.
    files : tuple of File
        The same, with sizes and fingerprints.
    remarks : tuple of str
        What was not as usual.
    """

    frame: pd.DataFrame | None
    paths: tuple[Path, ...]
    files: tuple[File, ...]
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
        frame = read_parquet_files(path, _MAX_CELLS)
        return Rows(_require_rows(path, frame), paths, files)
    plain = all(one.name.lower().endswith(".csv") for one in paths)
    if plain and sum(file.bytes for file in files) > _MAX_CSV_BYTES:
        if missing:
            raise ValueError(
                f"{path} is too large for memory, and only rows in memory know other texts for "
                "missing cells: leave such cells empty in the file"
            )
        return Rows(None, paths, files)
    frame, remarks = read_csv_files(paths, missing)
    return Rows(_require_rows(path, frame), paths, files, remarks)


def _require_rows(path: Path, frame: pd.DataFrame | None) -> pd.DataFrame | None:
    if frame is not None and frame.empty:
        raise ValueError(f"{path} has columns but no rows: there is nothing to learn from")
    return frame


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


def _fingerprint(path: Path, root: Path) -> File:
    with path.open("rb") as file:
        digest = hashlib.file_digest(file, "sha256").hexdigest()
    return File(path.relative_to(root).as_posix(), path.stat().st_size, digest)
