"""Codes that stand in several rows, such as postcodes or articles, drawn as in the table.

In: the cells of a column of identifiers, and the columns of categories. Out: `KnownCodes`, and the
codes of rows. `prepare` leaves such columns out, because they have too many categories for their
rows. No codes are kept of columns named as identifiers, nor of columns whose texts have blanks, at
signs or no digits.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from bnsieve.synthesize.records import KnownCodes
from bnsieve.table import Column, Floats
from bnsieve.table.prepare import names_identifier

# At least so many of the rows have a code that stands in several; less may be chance.
_REPEATED = 0.25
# At least so many of the codes have a digit, and no blank and no at sign.
_CODES = 0.9
# Columns on whose states codes depend, at most; rows that would contradict them by chance.
_MOST_COLUMNS, _ENOUGH_AGAINST = 3, 10.0


@dataclass(frozen=True, eq=False)
class States:
    """A column of categories in the rows of the identifiers.

    Attributes
    ----------
    column : str
    states : tuple of str
    codes : ndarray of int64, shape (n_rows,)
        Positions among the states; -1 for missing values.
    """

    column: str
    states: tuple[str, ...]
    codes: NDArray[np.int64]


def known_codes(
    name: str, texts: Sequence[str], cells: Column, categories: Sequence[States]
) -> KnownCodes | None:
    """Return the codes of a column that stand in several rows; None if it has no such codes.

    Parameters
    ----------
    name : str
    texts : sequence of str
        The different codes.
    cells : Column
        The position of each row's code among them.
    categories : sequence of States
        Columns that codes may go with, in the same rows.
    """
    of_row = np.where(cells.missing, -1, cells.places)
    counts = np.bincount(of_row[of_row >= 0], minlength=len(texts))
    n_repeated = counts[counts > 1].sum()
    if n_repeated < max(1, _REPEATED * counts.sum()) or names_identifier(name):
        return None
    if np.mean([_is_code(text) for text in texts]) < _CODES:
        return None
    repeated = counts > 1
    implied = _implied(of_row, repeated, categories)
    entries = pd.DataFrame(
        {
            "code": np.where(repeated[of_row], np.array(texts, dtype=object)[of_row], ""),
            **{str(i): _state_texts(one) for i, one in enumerate(implied)},
        }
    )[of_row >= 0]
    states = [str(i) for i in range(len(implied))]
    grouped = entries.groupby([*states, "code"], sort=True).size()
    found = grouped.index.to_frame()
    return KnownCodes(
        tuple(one.column for one in implied),
        tuple(zip(*(found[own] for own in states), strict=True)) or ((),) * len(found),
        tuple(found["code"]),
        np.asarray(grouped, dtype=np.int64),
    )


def _is_code(text: str) -> bool:
    is_plain = "@" not in text and not any(map(str.isspace, text))
    return is_plain and any(map(str.isdigit, text))


def _state_texts(one: States) -> NDArray[np.object_]:
    return np.array([*one.states, ""], dtype=object)[one.codes]


def _implied(
    of_row: NDArray[np.int64], repeated: NDArray[np.bool_], categories: Sequence[States]
) -> list[States]:
    """Return columns with one state for each code, those with the most different states first."""
    sure: list[tuple[float, States]] = []
    for one in categories:
        rows = (of_row >= 0) & repeated[of_row] & (one.codes >= 0)
        codes, states = of_row[rows], one.codes[rows]
        if not len(codes):
            continue
        first = np.full(len(repeated), -1, dtype=np.int64)
        first[codes] = states
        shares = np.bincount(states, minlength=len(one.states)) / len(states)
        differs = 1.0 - float((shares**2).sum())
        n_again = len(codes) - len(np.unique(codes))
        if np.array_equal(first[codes], states) and n_again * differs >= _ENOUGH_AGAINST:
            sure.append((-differs, one))
    return [one for _, one in sorted(sure, key=lambda pair: pair[0])[:_MOST_COLUMNS]]


def drawn_codes(
    known: KnownCodes, states: Mapping[str, NDArray[np.object_]], shares: Floats
) -> NDArray[np.object_]:
    """Return a code for each row, by their frequencies among its states; "" for one that is new.

    Parameters
    ----------
    known : KnownCodes
    states : mapping of str to ndarray of str, shape (n_rows,)
        The states of the columns on which the codes depend; "" for missing values.
    shares : ndarray of float64, shape (n_rows,)
        Random numbers between 0 and 1.
    """
    made = np.full(len(shares), "", dtype=object)
    codes = np.array(known.codes, dtype=object)
    combinations = pd.Index(known.states, tupleize_cols=False)
    keys = list(zip(*(states[name].tolist() for name in known.columns), strict=True))
    of_row = pd.Series(keys or [()] * len(shares), dtype=object)
    places = pd.Series(np.arange(len(codes))).groupby(combinations, sort=False).indices
    for combination, rows in of_row.groupby(of_row, sort=False).indices.items():
        entries = places.get(combination)
        if entries is not None:
            sums = np.cumsum(known.counts[entries])
            chosen = np.searchsorted(sums, shares[rows] * sums[-1], side="right")
            made[rows] = codes[entries[np.minimum(chosen, len(entries) - 1)]]
    return made
