"""A frame -> a file of rows, of the kind that its name says.

It appears under its name once it is complete.
"""

from pathlib import Path

import pandas as pd

from bnsieve.engine import installation_hint

_ENDS = (".csv", ".parquet", ".xlsx")


def write_frame(frame: pd.DataFrame, path: Path) -> None:
    """Write rows as CSV, Parquet or Excel.

    Raises
    ------
    ValueError
        If the name has no such end.
    ImportError
        If it takes a package that is not installed.
    """
    suffix = path.suffix.lower()
    if suffix not in _ENDS:
        raise ValueError(f"{path} must end in {', '.join(_ENDS)}")
    partial = path.with_name(f".{path.name}.part{suffix}")  # Excel's writer looks at the end
    try:
        if suffix == ".csv":
            frame.to_csv(partial, index=False)
        elif suffix == ".parquet":
            frame.to_parquet(partial, index=False)
        else:
            _with_hint("Excel", "openpyxl", "excel")
            frame.to_excel(partial, index=False)
        partial.replace(path)
    finally:
        partial.unlink(missing_ok=True)


def _with_hint(kind: str, package: str, extra: str) -> None:
    try:
        __import__(package)
    except ImportError as error:
        raise ImportError(f"{kind} files need {package}: {installation_hint(extra)}") from error
