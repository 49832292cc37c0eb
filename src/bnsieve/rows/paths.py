"""Paths of data files: their endings, and checks that the files of one table agree."""

import hashlib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from reprlib import Repr

CSV_ENDS = (".csv", ".tsv", ".csv.gz", ".tsv.gz")
PARQUET_ENDS = (".parquet", ".pq")
EXCEL_ENDS = (".xlsx", ".xlsm")

_BRIEF = Repr()
_BRIEF.maxstring = 100


def is_csv(path: str | Path) -> bool:
    """Tell by its extension whether a file is a CSV file."""
    return str(path).lower().endswith(CSV_ENDS)


def is_excel(path: str | Path) -> bool:
    """Tell by its extension whether a file is an Excel workbook."""
    return str(path).lower().endswith(EXCEL_ENDS)


@dataclass(frozen=True)
class InputFile:
    """One file of the data: its name relative to the given path, its size, and its hash."""

    name: str
    bytes: int
    sha256: str


def fingerprint(path: Path, root: Path) -> InputFile:
    """Return size and hash of a file; its name is relative to the root."""
    with path.open("rb") as file:
        digest = hashlib.file_digest(file, "sha256").hexdigest()
    name = path.relative_to(root) if path.is_relative_to(root) else path
    return InputFile(name.as_posix(), path.stat().st_size, digest)


def rows_files(paths: Sequence[str]) -> list[Path]:
    """Return the data files of some paths, all of one kind.

    Raises
    ------
    FileNotFoundError
        If there is no such file or folder.
    ValueError
        If no file name has a known extension, or if there are several kinds of files.
    """
    files = [file for path in paths for file in _files_of(Path(path))]
    if len({is_csv(one) for one in files}) > 1:
        where = f"the folder {paths[0]} has" if len(paths) == 1 else "the paths are of"
        raise ValueError(f"{where} CSV and Parquet files: keep one kind in it")
    if len(files) > 1 and any(map(is_excel, files)):
        raise ValueError(f"{files[0]} is an Excel workbook: give it alone, or save all as CSV")
    return files


def _files_of(path: Path) -> list[Path]:
    if not path.exists():
        raise FileNotFoundError(f"there is no file or folder {path}: check the path")
    known: tuple[str, ...] = (*CSV_ENDS, *PARQUET_ENDS)
    if path.is_dir():
        _refuse_table_formats(path)
        found = sorted(one for one in path.rglob("*") if one.is_file() and _ends_in(one, known))
        if not found:
            raise ValueError(f"the folder {path} has no file that ends in {', '.join(known)}")
        return found
    known = (*known, *EXCEL_ENDS)
    if path.suffix.lower() == ".xls":
        raise ValueError(f"{path} is in Excel's old format: save it as .xlsx or CSV")
    if not _ends_in(path, known):
        raise ValueError(f"{path} must end in {', '.join(known)}: rename or convert it")
    return [path]


def _refuse_table_formats(folder: Path) -> None:
    """Refuse a folder whose files are not the rows: a log says which of them count, and which rows.

    Raises
    ------
    ValueError
    """
    if any(one.is_dir() for one in folder.rglob("_delta_log")):
        raise ValueError(
            f"the folder {folder} holds a Delta table, whose log says which files and rows count: "
            "pass DeltaTable(path).to_pyarrow_dataset() from the package deltalake"
        )
    if any(folder.rglob("metadata/*.metadata.json")):
        raise ValueError(
            f"the folder {folder} holds an Iceberg table, whose metadata say which files and rows "
            "count: pass the Arrow reader of pyiceberg, or a Spark DataFrame"
        )


def _ends_in(path: Path, ends: Sequence[str]) -> bool:
    return path.name.lower().endswith(tuple(ends))


def quoted(name: str) -> str:
    """Quote a name from a file; the middle of a very long one is left out."""
    return _BRIEF.repr(name)


def require_columns(path: str, names: Iterable[str], first: str, expected: Iterable[str]) -> None:
    """Refuse a file that lacks the columns of the first; their order may differ."""
    lacking, more = sorted({*expected} - {*names}), sorted({*names} - {*expected})
    if lacking:
        raise ValueError(
            f"{path} has no column {quoted(lacking[0])}, which {first} has: add or drop it"
        )
    if more:
        raise ValueError(
            f"{path} has a column {quoted(more[0])}, which {first} lacks: add or drop it"
        )
