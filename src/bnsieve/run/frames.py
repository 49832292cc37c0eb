"""CSV or Parquet files in, one frame of their rows out, with what was not as usual.

All files have the same columns, in any order. A column is of one kind: words in one file make
words of the numbers in another, as they would in one file.
"""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pandas as pd

from bnsieve.encode import whole_numbers
from bnsieve.source.csvtext import (
    BROKEN_GZIP,
    not_gzip,
    not_utf8,
    require_even_lines,
    separator_of,
)
from bnsieve.source.files import require_columns

# What the readers of large files take for a missing cell. "None" is a label in too many tables.
_MISSING = [
    *("", "NA", "N/A", "n/a", "#N/A", "#N/A N/A", "#NA", "NULL", "null", "NaN", "nan", "-NaN"),
    *("-nan", "1.#IND", "1.#QNAN", "-1.#IND", "-1.#QNAN"),
]


def read_csv_files(
    paths: Sequence[Path], missing: Sequence[str]
) -> tuple[pd.DataFrame, tuple[str, ...]]:
    """Read CSV files, each with a separator of its own.

    Parameters
    ----------
    paths : sequence of Path
    missing : sequence of str
        Texts that stand for a missing cell, beside the usual ones.

    Returns
    -------
    frame : pandas.DataFrame
    remarks : tuple of str
        What was not as usual.
    """
    separators = {one: separator_of(one) for one in paths}
    frames = [_read_csv(one, separators[one], missing) for one in paths]
    for one, frame in zip(paths, frames, strict=True):
        require_columns(str(one), frame.columns, str(paths[0]), frames[0].columns)
    texts = [name for name in frames[0].columns if len(_kinds(name, frames)) > 1]
    if texts:
        frames = [_read_csv(one, separators[one], missing, texts) for one in paths]
    unusual = sorted({separator for separator in separators.values() if separator != ","})
    remarks = [f"cells are separated by {separator!r}" for separator in unusual]
    whole = pd.concat(frames, ignore_index=True)
    if len(whole.columns) == 1:
        raise ValueError(
            f"{paths[0]} has one column, {whole.columns[0]!r}, and a network takes two or more: "
            "cells are separated by commas, semicolons, tabs or bars"
        )
    commas = [name for name in whole.columns if unusual and _has_decimal_commas(whole[name])]
    if commas:
        for name in commas:
            whole[name] = pd.to_numeric(whole[name].str.replace(",", "."))
        remarks.append(f"numbers have a decimal comma in {', '.join(commas)}")
    return _with_integers(whole), tuple(remarks)


def read_parquet_files(path: Path, max_cells: int) -> pd.DataFrame | None:
    """Read a Parquet file, or a folder of them; return None if they have more cells than that."""
    try:
        import pyarrow as pa
        import pyarrow.dataset as ds

        from bnsieve.source.numbers import as_frame
    except ImportError as error:
        raise ImportError("Parquet files need pyarrow: pip install 'bnsieve[scale]'") from error
    try:
        dataset = ds.dataset(path, format="parquet", partitioning="hive")
        if dataset.count_rows() * len(dataset.schema.names) > max_cells:
            return None
        first, *others = dataset.get_fragments()
        expected = first.physical_schema
        for one in others:
            own = one.physical_schema
            require_columns(one.path, own.names, first.path, expected.names)
            for name in own.names:
                types = own.field(name).type, expected.field(name).type
                if len(set(map(_is_text, types))) > 1:
                    raise ValueError(
                        f"column {name!r} is of type {types[0]} in {one.path} but of type "
                        f"{types[1]} in {first.path}: write all files with one type"
                    )
        table = dataset.to_table()
    except pa.ArrowException as error:
        raise ValueError(f"{path} cannot be read as Parquet: {error}") from None
    return _with_integers(as_frame(table))


def _is_text(arrow_type: Any) -> bool:
    return "string" in str(arrow_type)


def _with_integers(frame: pd.DataFrame) -> pd.DataFrame:
    """Return the frame with integers where it has whole numbers beside missing cells."""
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


def _kinds(name: str, frames: Sequence[pd.DataFrame]) -> set[str]:
    """Return what a column holds in the files that have any cells of it: number, string or such."""
    found = {
        pd.api.types.infer_dtype(frame[name], skipna=True)
        for frame in frames
        if frame[name].notna().any()
    }
    return {{"integer": "number", "floating": "number"}.get(kind, kind) for kind in found}


def _read_csv(
    path: Path, separator: str, missing: Sequence[str], texts: Sequence[str] = ()
) -> pd.DataFrame:
    """Read a CSV file; the columns `texts` as they are written, even if they hold numbers."""
    try:
        frame = pd.read_csv(
            path,
            sep=separator,
            encoding="utf-8-sig",
            keep_default_na=False,
            na_values=[*_MISSING, *missing],
            low_memory=False,
            dtype=dict.fromkeys(texts, str),
        )
    except UnicodeDecodeError:
        raise not_utf8(path) from None
    except BROKEN_GZIP as error:
        raise not_gzip(path, error) from None
    except pd.errors.ParserError as error:
        require_even_lines(path, separator)
        said = str(error).removeprefix("Error tokenizing data. C error: ")
        raise ValueError(f"{path} is not a table: {' '.join(said.split())}") from None
    # The reader takes a first cell too many for the row's name, and cells too few for missing ones:
    # then the last is missing.
    if not isinstance(frame.index, pd.RangeIndex) or frame.iloc[:, -1].hasnans:
        require_even_lines(path, separator)
    return frame
