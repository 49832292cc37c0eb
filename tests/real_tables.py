"""Twelve tables as people have them, with dates, codes, typos and missing values, and their truth.

The files beside were made by ``python -m benchmarks tables make --for-tests --rows 2000``.
"""

import json
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq

FOLDER = Path(__file__).parent / "fixtures" / "tables"


@dataclass(frozen=True)
class RealTable:
    """One of the tables.

    Attributes
    ----------
    name : str
    file : list of str
        Separator, decimal point and encoding of its CSV file.
    roles : dict of str to str
        What each column is; several, separated by bars, where more than one is right.
    matter : list of str
        Columns that depend on others.
    out : list of str
        Columns that no graph should have: identifiers, texts, constants, empty ones.
    dates : list of str
    gone : dict of str to list of int
        Rows in which something is written that is no value.
    """

    name: str
    file: list[str]
    roles: dict[str, str]
    matter: list[str]
    out: list[str]
    dates: list[str]
    gone: dict[str, list[int]]

    def frame(self, n_rows):
        return rows_of(self.name).head(n_rows)

    def write_csv(self, folder, n_rows):
        separator, point, encoding = self.file
        path = folder / f"{self.name}.csv"
        self.frame(n_rows).to_csv(
            path,
            sep=separator,
            decimal=point,
            encoding=encoding,
            index=False,
            date_format="%Y-%m-%d %H:%M:%S",
        )
        return path

    def write_parquet(self, folder, n_rows):
        path = folder / f"{self.name}.parquet"
        columns = {
            name: pa.array(cells, pa.string() if cells.dtype == object else None, from_pandas=True)
            for name, cells in self.frame(n_rows).items()
        }
        pq.write_table(pa.table(columns), path)
        return path


@cache
def rows_of(name):
    """Read all rows; a column of text is one of objects, whatever pandas makes of it."""
    frame = pd.read_parquet(FOLDER / f"{name}.parquet")
    texts = [column for column in frame if pd.api.types.is_string_dtype(frame[column].dtype)]
    for column in texts:
        cells = frame[column].astype(object)
        frame[column] = cells.where(cells.notna(), None)
    return frame


TABLES = {
    name: RealTable(name, **truth)
    for name, truth in json.loads((FOLDER / "truth.json").read_text(encoding="utf-8")).items()
}
