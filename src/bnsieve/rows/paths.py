"""What files of rows are called, and what those of one table have in common."""

from collections.abc import Iterable
from pathlib import Path
from reprlib import Repr

CSV_ENDS = (".csv", ".tsv", ".csv.gz", ".tsv.gz")
PARQUET_ENDS = (".parquet", ".pq")
EXCEL_ENDS = (".xlsx", ".xlsm")

_BRIEF = Repr()
_BRIEF.maxstring = 100


def is_csv(path: str | Path) -> bool:
    """Tell by the end of its name whether a file is a CSV file."""
    return str(path).lower().endswith(CSV_ENDS)


def is_parquet(path: str | Path) -> bool:
    """Tell by the end of its name whether a file is a Parquet file."""
    return str(path).lower().endswith(PARQUET_ENDS)


def is_excel(path: str | Path) -> bool:
    """Tell by the end of its name whether a file is an Excel workbook."""
    return str(path).lower().endswith(EXCEL_ENDS)


def csv_files_in(path: str | Path) -> list[str]:
    """Return the CSV files of a folder, sorted; none if it has Parquet files or is no folder."""
    if not Path(path).is_dir():
        return []
    files = sorted(str(one) for one in Path(path).rglob("*") if one.is_file())
    return [] if any(map(is_parquet, files)) else [one for one in files if is_csv(one)]


def quoted(name: str) -> str:
    """Quote what a file has for a name; where it is a page long, the middle is left out."""
    return _BRIEF.repr(name)


def require_columns(path: str, names: Iterable[str], first: str, expected: Iterable[str]) -> None:
    """Refuse a file that has not the columns of the first; their order may differ."""
    lacking, more = sorted({*expected} - {*names}), sorted({*names} - {*expected})
    if lacking:
        raise ValueError(
            f"{path} has no column {quoted(lacking[0])}, which {first} has: add or drop it"
        )
    if more:
        raise ValueError(
            f"{path} has a column {quoted(more[0])}, which {first} has not: add or drop it"
        )
