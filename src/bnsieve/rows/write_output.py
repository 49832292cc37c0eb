"""Frames -> a file of rows, in the format of its extension.

The file gets its name only when it is complete.
"""

from collections.abc import Iterable
from contextlib import ExitStack
from pathlib import Path

import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq

from bnsieve.engine import installation_hint
from bnsieve.text import replacing

_ENDS = (".csv", ".parquet", ".xlsx")


def write_frame(frame: pd.DataFrame, path: Path) -> None:
    """Write rows as CSV, Parquet or Excel; see `write_frames`."""
    write_frames([frame], path)


def write_frames(frames: Iterable[pd.DataFrame], path: Path) -> int:
    """Write rows that come piece by piece as CSV, Parquet or Excel; return their number.

    Raises
    ------
    ValueError
        If the extension is unknown.
    ImportError
        If a package is needed that is not installed.
    """
    suffix = path.suffix.lower()
    if suffix not in _ENDS:
        raise ValueError(f"{path} must end in {', '.join(_ENDS)}")
    if suffix == ".xlsx":
        _with_hint("Excel", "openpyxl", "excel")
    with replacing(path) as partial:
        if suffix == ".csv":
            return _write_csv(frames, partial)
        if suffix == ".parquet":
            return _write_parquet(frames, partial)
        frame = pd.concat(list(frames), ignore_index=True)
        _write_excel(frame, partial)
        return len(frame)


def _write_csv(frames: Iterable[pd.DataFrame], path: Path) -> int:
    n_rows = 0
    with path.open("w", newline="", encoding="utf-8") as file:
        for number, frame in enumerate(frames):
            frame.to_csv(file, index=False, header=number == 0)
            n_rows += len(frame)
    return n_rows


def _write_parquet(frames: Iterable[pd.DataFrame], path: Path) -> int:
    n_rows = 0
    with ExitStack() as stack:
        writer: pq.ParquetWriter | None = None
        for frame in frames:
            schema = None if writer is None else writer.schema
            table = pa.Table.from_pandas(frame, schema, preserve_index=False)
            if writer is None:
                writer = stack.enter_context(pq.ParquetWriter(path, table.schema))
            writer.write_table(table)
            n_rows += len(frame)
    return n_rows


def _write_excel(frame: pd.DataFrame, path: Path) -> None:
    """Write one sheet, in which every text is a text: none is a formula or an error of Excel's."""
    from openpyxl.utils.exceptions import IllegalCharacterError

    with pd.ExcelWriter(path, engine="openpyxl") as writer:
        try:
            frame.to_excel(writer, index=False)
        except IllegalCharacterError as error:
            raise ValueError(
                f"{str(error)[:80]!r}: a text has control characters, which Excel files cannot "
                "hold: write .csv or .parquet"
            ) from None
        for sheet in writer.sheets.values():
            for line in sheet.iter_rows():
                for cell in line:
                    if cell.data_type in ("f", "e"):  # told by how a text begins, such as "="
                        cell.data_type = "s"
                        cell.quotePrefix = True  # a text after it was edited, too


def _with_hint(kind: str, package: str, extra: str) -> None:
    try:
        __import__(package)
    except ImportError as error:
        raise ImportError(f"{kind} files need {package}: {installation_hint(extra)}") from error
