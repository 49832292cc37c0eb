"""The spelling of cells: truth values and decimals in CSV files, and blank text.

In: the texts of CSV files, and cells before and after missing values were marked. Out: a
`Spelling`, and drawn rows in this spelling.
"""

import re
from collections import Counter
from collections.abc import Mapping, Sequence

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray
from pyarrow import compute

from bnsieve.synthesize.identifiers import random_shares
from bnsieve.synthesize.records import Spelling
from bnsieve.table import Column

_TRUE, _FALSE = "true", "false"
_DECIMALS = re.compile(r"\s*[+-]?\d*\.(\d+)\s*")


def spelling_of(
    csv_texts: Mapping[str, Sequence[str]],
    read: Mapping[str, Column],
    kept: Mapping[str, Column],
) -> Spelling:
    """Return the spelling of the cells of a table.

    Parameters
    ----------
    csv_texts : mapping of str to sequence of str
        Different texts of the columns of a CSV file that are not missing; empty for other tables.
    read, kept : mapping of str to Column
        The same rows of some columns, before and after missing values were marked.
    """
    decimals, words = {}, {}
    for name, texts in csv_texts.items():
        if texts and {text.lower() for text in texts} <= {_TRUE, _FALSE}:
            words[name] = _words(texts)
        elif (found := _decimals(texts)) > 0:
            decimals[name] = found
    blanks = {name: counts for name in read if (counts := _blanks(read[name], kept[name]))}
    nulls = {name: int(read[name].missing.sum()) for name in blanks}
    return Spelling(decimals, words, blanks, nulls)


def _words(texts: Sequence[str]) -> tuple[str, str]:
    """Return the words for False and True; one that is not there is written like the other."""
    of = {text.lower(): text for text in texts}
    one = next(iter(texts))
    like = str.upper if one.isupper() else str.title if one.istitle() else str.lower
    return of.get(_FALSE, like(_FALSE)), of.get(_TRUE, like(_TRUE))


def _decimals(texts: Sequence[str]) -> int:
    """Return the smallest number of digits after the decimal point."""
    matches = [_DECIMALS.fullmatch(text) for text in texts]
    return min((0 if match is None else len(match[1]) for match in matches), default=0)


def _blanks(read: Column, kept: Column) -> dict[str, int]:
    """Return the texts that stand for a missing value, with their frequencies."""
    gone = kept.missing & ~read.missing
    if read.kind != "text" or not gone.any():
        return {}
    texts = Counter(str(text) for text in read.values[read.places[gone]].tolist())
    return dict(texts)


def with_blanks(
    cells: pa.Array, blanks: Mapping[str, int], n_null: int, rows: NDArray[np.int64], seed: int
) -> pa.Array:
    """Return text in which some missing values are blank, as often as in the table.

    Parameters
    ----------
    cells : pyarrow.Array
        Left as they are if they are not text.
    blanks : mapping of str to int
        Texts for a missing value, with their frequencies.
    n_null : int
        The number of cells of the table that are missing without a text.
    rows : ndarray of int64
        The numbers of the rows.
    seed : int
    """
    if not cells.null_count or not (
        pa.types.is_string(cells.type) or pa.types.is_large_string(cells.type)
    ):
        return cells
    below = np.cumsum([n_null, *blanks.values()]) / (n_null + sum(blanks.values()))
    drawn = np.searchsorted(below, random_shares(rows, seed), side="right")
    texts = pa.array([None, *blanks], cells.type)
    return compute.coalesce(cells, texts.take(pa.array(np.minimum(drawn, len(blanks)))))


def as_csv(table: pa.Table, spelling: Spelling) -> pa.Table:
    """Return rows with the truth values and decimals of the table, as text."""
    for place, one in enumerate(table.schema):
        cells = table.column(place)
        if pa.types.is_boolean(one.type):
            no, yes = spelling.words.get(one.name, ("False", "True"))
            table = table.set_column(place, one.name, compute.if_else(cells, yes, no))
        elif one.name in spelling.decimals and _is_number(one.type):
            texts = _with_decimals(cells, spelling.decimals[one.name])
            table = table.set_column(place, one.name, texts)
    return table


def _is_number(stored: pa.DataType) -> bool:
    return bool(pa.types.is_floating(stored) or pa.types.is_integer(stored))


def _with_decimals(cells: pa.ChunkedArray, decimals: int) -> pa.Array:
    """Return numbers as text with at least so many digits after the decimal point."""
    numbers = cells.cast(pa.float64()).to_numpy()
    values, places = np.unique(np.nan_to_num(numbers), return_inverse=True)
    texts = [
        np.format_float_positional(value, trim="k", min_digits=decimals, unique=True)
        for value in values
    ]
    of_row = np.array(texts, dtype=object)[places]
    return pa.array(of_row, pa.string(), mask=cells.is_null().to_numpy())
