"""A path in, rows in memory out, with the fingerprint of their files.

CSV files are read without any optional package; Parquet files and folders take pyarrow. Files too
large for memory stay where they are: a learner reads them twice.
"""

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pandas as pd

from bnsieve.encode import whole_numbers
from bnsieve.source.csvtext import CSV_ENDS, is_csv, not_utf8, require_even_lines, separator_of

_PARQUET_ENDS = (".parquet", ".pq")
# Text in memory takes some ten times its bytes; a column of Parquet some ten bytes to a cell.
_MAX_CSV_BYTES = 1 << 28
_MAX_CELLS = 1 << 26
# What the readers of large files take for a missing cell. "None" is a label in too many tables.
_MISSING = [
    *("", "NA", "N/A", "n/a", "#N/A", "#N/A N/A", "#NA", "NULL", "null", "NaN", "nan", "-NaN"),
    *("-nan", "1.#IND", "1.#QNAN", "-1.#IND", "-1.#QNAN"),
]

_INTEGERS = ("Int8", "Int16", "Int32", "Int64", "UInt8", "UInt16", "UInt32", "UInt64")


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
        return Rows(_with_integers(_read_parquet(path)), paths, files)
    plain = all(one.name.lower().endswith(".csv") for one in paths)
    if plain and sum(file.bytes for file in files) > _MAX_CSV_BYTES:
        if missing:
            raise ValueError(
                f"{path} is too large for memory, and only rows in memory know other texts for "
                "missing cells: leave such cells empty in the file"
            )
        return Rows(None, paths, files)
    separators = {one: separator_of(one) for one in paths}
    frames = [_read_csv(one, separators[one], missing) for one in paths]
    for one, frame in zip(paths, frames, strict=True):
        if list(frame.columns) != list(frames[0].columns):
            raise ValueError(f"{one} has other columns than {paths[0]}: give them one by one")
    unusual = sorted({separator for separator in separators.values() if separator != ","})
    remarks = [f"cells are separated by {separator!r}" for separator in unusual]
    whole = pd.concat(frames, ignore_index=True)
    if whole.empty:
        raise ValueError(f"{path} has no rows below the names of its columns")
    commas = [name for name in whole.columns if unusual and _has_decimal_commas(whole[name])]
    if commas:
        for name in commas:
            whole[name] = pd.to_numeric(whole[name].str.replace(",", "."))
        remarks.append(f"numbers have a decimal comma in {', '.join(commas)}")
    return Rows(_with_integers(whole), paths, files, tuple(remarks))


def _with_integers(frame: pd.DataFrame | None) -> pd.DataFrame | None:
    """Return the frame with integers where it has whole numbers beside missing cells."""
    if frame is None:
        return None
    for name in frame.columns[frame.dtypes.map(pd.api.types.is_float_dtype)]:
        if frame[name].hasnans and (integers := whole_numbers(frame[name])) is not None:
            frame[name] = integers
    return frame


def _has_decimal_commas(column: "pd.Series[Any]") -> bool:
    """Tell whether all cells of a column are numbers such as 1,5, some of them with a comma."""
    if pd.api.types.is_numeric_dtype(column):
        return False
    known = column.dropna().astype(str)
    return bool(known.str.fullmatch(r"-?\d+(,\d+)?").all() and known.str.contains(",").any())


def _files_of(path: Path) -> tuple[Path, ...]:
    if not path.exists():
        raise FileNotFoundError(f"there is no file or folder {path}: check the path")
    known = (*CSV_ENDS, *_PARQUET_ENDS)
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


def _read_csv(path: Path, separator: str, missing: Sequence[str]) -> pd.DataFrame:
    try:
        frame = pd.read_csv(
            path,
            sep=separator,
            encoding="utf-8-sig",
            keep_default_na=False,
            na_values=[*_MISSING, *missing],
            low_memory=False,
        )
    except UnicodeDecodeError:
        raise not_utf8(path) from None
    except pd.errors.ParserError as error:
        require_even_lines(path, separator)
        said = str(error).removeprefix("Error tokenizing data. C error: ")
        raise ValueError(f"{path} is not a table: {' '.join(said.split())}") from None
    # The reader takes a first cell too many for the row's name, and cells too few for missing ones:
    # then the last is missing.
    if not isinstance(frame.index, pd.RangeIndex) or frame.iloc[:, -1].hasnans:
        require_even_lines(path, separator)
    return frame


def _read_parquet(path: Path) -> pd.DataFrame | None:
    try:
        import pyarrow as pa
        import pyarrow.dataset as ds
    except ImportError as error:
        raise ImportError("Parquet files need pyarrow: pip install 'bnsieve[scale]'") from error
    # Integers beside missing cells would be fractions else, and large ones no longer exact.
    integers = {
        pa.type_for_alias(name.lower()): pd.api.types.pandas_dtype(name) for name in _INTEGERS
    }
    try:
        dataset = ds.dataset(path, format="parquet", partitioning="hive")
        if dataset.count_rows() * len(dataset.schema.names) > _MAX_CELLS:
            return None
        frame: pd.DataFrame = dataset.to_table().to_pandas(types_mapper=integers.get)
    except pa.ArrowException as error:
        raise ValueError(f"{path} cannot be read as Parquet: {error}") from None
    return frame
