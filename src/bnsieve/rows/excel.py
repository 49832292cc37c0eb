"""A sheet of an Excel workbook -> a typed frame.

In: a path, the sheet, and the row with the column names. Out: a frame and remarks. Cells have
types, so columns of numbers and of dates are read as such. Text among numbers makes the whole
column text. This needs openpyxl, which the extra ``excel`` installs.
"""

import datetime
import zipfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any
from xml.etree.ElementTree import ParseError

import pandas as pd

from bnsieve.engine import installation_hint
from bnsieve.rows.csv_reader import MISSING_TEXTS
from bnsieve.table import whole_numbers

# What Excel shows where a formula has no result.
_ERRORS = ("#DIV/0!", "#NAME?", "#NULL!", "#NUM!", "#REF!", "#VALUE!", "#CALC!", "#SPILL!")
# What says which row names the columns: for readers of the terminal, and of Python.
_HEADER = "--header-row (header= of pandas.read_excel)"
_BROKEN = (zipfile.BadZipFile, ParseError, KeyError, OSError, EOFError)


def read_excel(
    path: Path,
    max_cells: int,
    missing: Sequence[str] = (),
    sheet: str | None = None,
    header_row: int | None = None,
) -> tuple[pd.DataFrame, tuple[str, ...]]:
    """Read one sheet.

    Parameters
    ----------
    path : Path
    max_cells : int
        A sheet of more cells is refused.
    missing : sequence of str
        Texts that mean a missing value, besides the usual ones.
    sheet : str, optional
        The name of the sheet; by default the first with more than one column.
    header_row : int, optional
        The row with the column names, from 1; by default the first row with two or more cells, and
        the names below its merged cells.

    Returns
    -------
    frame : pandas.DataFrame
    remarks : tuple of str

    Raises
    ------
    ValueError
        If there is no such sheet, or no table in it.
    ImportError
        If openpyxl is not installed.
    """
    try:
        import openpyxl
    except ImportError as error:
        raise ImportError(f"Excel files need openpyxl: {installation_hint('excel')}") from error
    try:
        book = openpyxl.load_workbook(path, read_only=True, data_only=True)
    except FileNotFoundError:
        raise
    except (*_BROKEN, ValueError) as error:
        raise ValueError(f"{path} cannot be read as an Excel workbook: {error}") from None
    try:
        names = [one.title for one in book.worksheets]
        if sheet is not None and sheet not in names:
            raise ValueError(f"{path} has no sheet {sheet!r}: its sheets are {', '.join(names)}")
        for name in names if sheet is None else [sheet]:
            rows = list(_filled_rows(path, book[name], max_cells))
            if sheet is not None or any(len(cells) > 1 for _, cells in rows):
                frame = _frame(path, name, rows, header_row, missing)
                return frame, _remarks(names, name, rows, header_row)
    except _BROKEN as error:
        raise ValueError(f"{path} cannot be read as an Excel workbook: {error}") from None
    finally:
        book.close()
    raise ValueError(f"{path} has no sheet of two columns or more: a network needs two")


def _filled_rows(path: Path, sheet: Any, max_cells: int) -> Iterator[tuple[int, list[Any]]]:
    """Yield the number and the cells of each row that has any, blanks at its end left out."""
    n_cells = 0
    for number, row in enumerate(sheet.iter_rows(values_only=True), 1):
        cells = list(row)
        while cells and (cells[-1] is None or cells[-1] == ""):
            cells.pop()
        if not cells:
            continue
        n_cells += len(cells)
        if n_cells > max_cells:
            raise ValueError(
                f"the sheet {sheet.title!r} of {path} has more than {max_cells:,} cells: save it "
                "as CSV, which is read piece by piece"
            )
        yield number, cells


def _frame(
    path: Path,
    sheet: str,
    rows: list[tuple[int, list[Any]]],
    header_row: int | None,
    missing: Sequence[str],
) -> pd.DataFrame:
    where = f"the sheet {sheet!r} of {path}"
    if header_row is not None:
        rows = [row for row in rows if row[0] >= header_row]
        if not rows or rows[0][0] != header_row:
            raise ValueError(f"row {header_row} of {where} is blank: it must name the columns")
    else:
        rows = rows[_titles_above(rows) :]
    if not rows:
        raise ValueError(f"{where} is empty: a row must name the columns")
    first, header = rows[0]
    body = rows[1:]
    names = ["" if one is None else str(one).strip() for one in header]
    if header_row is None and body and _is_second_header(names, body[0][1]):
        names = _joined_names(names, body[0][1])
        body = body[1:]
    seen: set[str] = set()
    for name in names:
        if name and name in seen:
            raise ValueError(
                f"{where} has two columns {name!r}: rename one, or say which row names the "
                f"columns with {_HEADER}"
            )
        seen.add(name)
    for number, cells in body:
        extra = [i for i, cell in enumerate(cells) if cell is not None and not _named(names, i)]
        if extra:
            raise ValueError(
                f"row {number} of {where} has a cell in column {extra[0] + 1}, which row {first} "
                f"does not name: name it, or say which row names the columns with {_HEADER}"
            )
    if not body:
        raise ValueError(f"{where} has columns but no rows: pass at least one row")
    blank = {*MISSING_TEXTS, *_ERRORS, *missing}
    columns = {}
    for i, name in enumerate(names):
        if name:
            cells = [row[i] if i < len(row) else None for _, row in body]
            columns[name] = _typed([None if _is_blank(one, blank) else one for one in cells])
    return pd.DataFrame(columns)


def _titles_above(rows: list[tuple[int, list[Any]]]) -> int:
    """Return how many rows of a single cell stand above a table of more columns."""
    wide = (i for i, (_, cells) in enumerate(rows) if sum(one is not None for one in cells) > 1)
    return next(wide, 0)


def _is_second_header(names: list[str], cells: list[Any]) -> bool:
    """Tell whether a row goes on naming the columns, as below merged cells.

    It does if all its cells are text, and it names just the columns that merged cells leave open
    and those below the first of each: there is a name for every column, and none is named alone
    that has another's cell above it.
    """
    width = max(len(names), len(cells))
    upper = [*names, *[""] * (width - len(names))]
    lower = [*cells, *[None] * (width - len(cells))]
    if any(cell is not None and not isinstance(cell, str) for cell in lower):
        return False
    is_open = [not name for name in upper]
    below = [cell is not None and bool(cell.strip()) for cell in lower]
    if not any(is_open) or is_open[0]:
        return False
    # A merged cell, and all columns below it, have names below; others have none.
    starts = [i for i in range(width) if not is_open[i]]
    ends = [*starts[1:], width]
    return all(
        all(below[start:end]) if end - start > 1 else not below[start]
        for start, end in zip(starts, ends, strict=True)
    )


def _joined_names(names: list[str], cells: list[Any]) -> list[str]:
    """Return the names below merged cells, with the text of the cell where one comes twice."""
    lower = ["" if cell is None else str(cell).strip() for cell in cells]
    lower += [""] * (len(names) - len(lower))
    upper: list[str] = []
    for i in range(len(lower)):
        above = names[i] if i < len(names) else ""
        upper.append(above or upper[-1])
    leaves = [low or up for low, up in zip(lower, upper, strict=True)]
    return [
        f"{up} {low}" if low and leaves.count(low) > 1 else leaf
        for up, low, leaf in zip(upper, lower, leaves, strict=True)
    ]


def _named(names: list[str], place: int) -> bool:
    return place < len(names) and bool(names[place])


def _is_blank(cell: Any, blank: set[str]) -> bool:
    return isinstance(cell, str) and cell.strip() in blank


def _typed(cells: list[Any]) -> "pd.Series[Any]":
    """Return a column of the type that all its cells have, or of text."""
    kinds = {type(cell) for cell in cells if cell is not None}
    if not kinds:
        return pd.Series(cells, dtype="float64")
    if kinds == {bool}:
        return pd.Series(cells, dtype="boolean" if None in cells else "bool")
    if kinds <= {int, float}:
        numbers = pd.Series(cells, dtype="float64")
        whole = whole_numbers(numbers)
        if whole is None:
            return numbers
        return whole if numbers.hasnans else whole.astype("int64")
    if kinds <= {datetime.datetime, datetime.date}:
        return pd.to_datetime(pd.Series(cells))
    return pd.Series([None if cell is None else _text(cell) for cell in cells])


def _text(cell: Any) -> str:
    """Return a cell as Excel shows it, about: 3 for 3.0."""
    if isinstance(cell, float) and cell.is_integer():
        return str(int(cell))
    return str(cell)


def _remarks(
    names: list[str], sheet: str, rows: list[tuple[int, list[Any]]], header_row: int | None
) -> tuple[str, ...]:
    remarks = []
    if len(names) > 1:
        others = ", ".join(name for name in names if name != sheet)
        remarks.append(f"the sheet {sheet!r}; others are {others} (--sheet)")
    first = header_row or rows[_titles_above(rows)][0]
    if first > 1:
        remarks.append(f"row {first} names the columns (--header-row)")
    return tuple(remarks)
