"""Identifiers: the pattern of a column, and new ones in this pattern.

In: cells of a column. Out: an `IdentifierColumn`, which gives the identifier of any row by its
number. All are different, and none is in the table.
"""

import json
import math
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from bnsieve.synthesize.known_codes import States, drawn_codes, known_codes
from bnsieve.synthesize.records import IdentifierColumn
from bnsieve.table import Column, Floats

_RUNS = re.compile(r"\d+|[A-Za-z]+|[^\dA-Za-z]+")
_HEX = re.compile(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}|[0-9a-f]{16,}", re.IGNORECASE)
_MIX = np.uint64(0x9E3779B97F4A7C15)
_CELLS = 20_000
# Codes are made where there are so many, and so many for each that the table has: then a new one is
# hardly one of these. So many are told apart for certain.
_FEWEST_CODES, _SPARSE, _MOST_COUNTED = 1_000_000, 1_000, 1 << 31
# A part of identifiers, such as the CL of CL-01-00017, has at most so many texts, each of which
# stands in so many identifiers on average. In so many rows for each state of a category that goes
# with one text, or the other way round, this is no chance.
_MOST_TEXTS, _ENOUGH_EACH = 50, 20


@dataclass(frozen=True)
class Choice:
    """A part of identifiers with only a few different texts.

    Attributes
    ----------
    column : str
        The categorical column that it depends on; empty if it is drawn independently.
    counts : dict of str to dict of str to int
        The frequency of each text for each state of that column. The state "" has the frequencies
        in all rows.
    """

    column: str
    counts: dict[str, dict[str, int]]


def identifier_column(
    name: str,
    stored: str,
    cells: Column,
    rows_each: float,
    categories: Sequence[States],
    *,
    all_rows: bool,
) -> IdentifierColumn:
    """Return the pattern of the identifiers of a column.

    Parameters
    ----------
    name, stored : str
    cells : Column
    rows_each : float
        The number of rows of one identifier.
    categories : sequence of States
        Columns that parts of the identifiers may depend on, in the same rows.
    all_rows : bool
        Whether the cells are those of all rows. If not, counters begin above the next power of ten,
        which the other rows have not reached.
    """
    texts = [_text(value) for value in cells.values.tolist()]
    pieces, most, n_different = _pattern(texts, cells, categories)
    start = most + 1
    if not all_rows and most > 0:
        start = 10 ** len(str(most))
    known = cells.places[~cells.missing]
    if len(np.unique(known)) < len(known):
        pieces = tuple(_again(piece, start, n_different) for piece in pieces)
    if len(set(texts)) == len(texts):  # `rows_each` is an estimate
        rows_each = 1.0
    repeated = known_codes(name, texts, cells, categories)
    return IdentifierColumn(name, stored, pieces, start, max(1.0, rows_each), repeated)


def _again(piece: tuple[str, str], start: int, n_different: int) -> tuple[str, str]:
    """Return a counter that begins again where its width ends, if as many numbers are left.

    New codes may stand in several rows, if those of the table do, such as postcodes.
    """
    kind, width = piece
    is_padded = kind == "counter" and width != "0"
    return ("again", width) if is_padded and 10 ** int(width) - start >= n_different else piece


def _text(value: object) -> str:
    if isinstance(value, float) and value.is_integer():
        return f"{value:.0f}"
    return str(value)


def _pattern(
    texts: Sequence[str], cells: Column, categories: Sequence[States]
) -> tuple[tuple[tuple[str, str], ...], int, int]:
    """Return pieces, the highest number where the counter stands, and how many stand there."""
    some = texts[:_CELLS]
    if some and all(map(_HEX.fullmatch, some)) and not all(map(str.isdigit, some)):
        first = texts[0]
        digits = "0123456789ABCDEF" if any(map(str.isupper, texts[:100])) else "0123456789abcdef"
        return (
            tuple(
                ("literal", run) if run == "-" else ("hex", digits * 1 + f"\n{len(run)}")
                for run in re.findall(r"-|[0-9A-Fa-f]+", first)
            ),
            0,
            0,
        )
    split = [_RUNS.findall(text) for text in texts]
    shape = _shape(split[0]) if split else ()
    if not shape or any(_shape(runs) != shape for runs in split):
        return _places_of(texts) or (("literal", "id-"), ("counter", "0")), 0, 0
    columns = list(zip(*split, strict=True))
    numeric = [i for i, kind in enumerate(shape) if kind == "digits"]
    counter = max(numeric, key=lambda i: (len(set(columns[i])), i), default=-1)
    most, n_different, pieces = 0, 0, list[tuple[str, str]]()
    for i, (kind, runs) in enumerate(zip(shape, columns, strict=True)):
        widths = {len(run) for run in runs}
        if i == counter:
            most, n_different = max(map(int, runs)), len(set(runs))
            is_padded = len(widths) == 1
            pieces.append(("counter", str(max(widths)) if is_padded else "0"))
        elif len(set(runs)) == 1:
            pieces.append(("literal", runs[0]))
        elif len(set(runs)) <= min(_MOST_TEXTS, len(runs) / _ENOUGH_EACH):
            choice = _choice(np.array(runs, dtype=object), cells, categories)
            pieces.append(("choice", json.dumps([choice.column, choice.counts])))
        elif kind == "letters":
            pieces.append(_word(runs))
        else:
            characters = "".join(sorted(set("".join(runs))))
            pieces.append((kind, f"{characters}\n{max(widths)}"))
    if counter < 0 and all(kind != "code" for kind, _ in pieces):
        pieces += [("literal", "-"), ("counter", "0")]
    return tuple(pieces), most, n_different


def _choice(runs: NDArray[np.object_], cells: Column, categories: Sequence[States]) -> Choice:
    """Return the texts of a part, and the first column of categories that they go with exactly."""
    of_value, texts = pd.factorize(runs)
    of_row = np.where(cells.missing, -1, of_value[cells.places])
    everywhere = np.bincount(of_row[of_row >= 0], minlength=len(texts))
    counts = {"": dict(zip(texts.tolist(), everywhere.tolist(), strict=True))}
    for own in categories:
        known = (of_row >= 0) & (own.codes >= 0)
        beside = np.zeros((len(own.states), len(texts)), dtype=np.int64)
        np.add.at(beside, (own.codes[known], of_row[known]), 1)
        used = np.flatnonzero(beside.any(axis=1))
        one_each = (beside > 0).sum(axis=1).max() == 1 or (beside > 0).sum(axis=0).max() == 1
        if one_each and 1 < len(used) <= min(_MOST_TEXTS, known.sum() / _ENOUGH_EACH):
            counts |= {
                own.states[code]: {
                    str(texts[i]): int(beside[code, i]) for i in np.flatnonzero(beside[code])
                }
                for code in used.tolist()
            }
            return Choice(own.column, counts)
    return Choice("", counts)


def _places_of(texts: Sequence[str]) -> tuple[tuple[str, str], ...]:
    """Return the characters of each place of texts of one length; nothing if they allow too few."""
    if len({len(text) for text in texts}) != 1 or any("\n" in text for text in texts):
        return ()
    places = ["".join(sorted(set(place))) for place in zip(*texts, strict=True)]
    enough = math.prod(map(len, places)) >= max(_FEWEST_CODES, _SPARSE * len(texts))
    return (("code", "\n".join(places)),) if enough else ()


def _word(runs: Sequence[str]) -> tuple[str, str]:
    """Return words with the characters of their first letter, and of the others, of one length."""
    width, _ = Counter(map(len, runs)).most_common(1)[0]
    first = "".join(sorted({run[0] for run in runs}))
    others = "".join(sorted(set("".join(run[1:] for run in runs)))) or first
    places = [first, *[others] * (width - 1)]
    if math.prod(map(len, places)) >= max(_FEWEST_CODES, _SPARSE * len(runs)):
        return "code", "\n".join(places)
    return "word", f"{first}\n{others}\n{width}"


def _shape(runs: Sequence[str]) -> tuple[str, ...]:
    return tuple(
        "digits" if run[0].isdigit() else "letters" if run[0].isalpha() else f"literal {run}"
        for run in runs
    )


def chosen_with(column: IdentifierColumn) -> set[str]:
    """Return the categorical columns that the identifiers, or parts of them, depend on."""
    found = {json.loads(needs)[0] for kind, needs in column.pieces if kind == "choice"} - {""}
    return found if column.known is None else found | {*column.known.columns}


def identifiers(
    column: IdentifierColumn,
    first: int,
    n: int,
    seed: int,
    states: Mapping[str, NDArray[np.object_]],
) -> NDArray[np.object_]:
    """Return the identifiers of `n` rows, from row number `first` on.

    If the column has known codes, these are drawn, and only the others are new.

    Parameters
    ----------
    column : IdentifierColumn
    first, n : int
    seed : int
    states : mapping of str to ndarray of str, shape (n,)
        The states of the columns that `chosen_with` returns; "" for missing values.
    """
    rows = np.arange(first, first + n, dtype=np.int64)
    if column.known is not None:
        codes = drawn_codes(column.known, states, random_shares(rows, seed - 1))
        new = identifiers(replace(column, known=None, rows_each=1.0), first, n, seed, states)
        return np.where(codes == "", new, codes)
    numbers = np.floor(rows / column.rows_each).astype(np.int64)
    different, places = np.unique(numbers, return_inverse=True)
    made: list[list[str]] = []
    for place, (kind, needs) in enumerate(column.pieces):
        if kind == "literal":
            made.append([needs] * len(different))
        elif kind == "counter":
            made.append(_counted(different, column.start, int(needs), again=False))
        elif kind == "again":
            made.append(_counted(different, column.start, int(needs), again=True))
        elif kind == "choice":
            choice = Choice(*json.loads(needs))
            own = states.get(choice.column, np.full(n, "", dtype=object))
            begun = own[np.unique(places, return_index=True)[1]]
            made.append(_chosen(different, choice, begun, seed + 131 * place))
        elif kind == "code":
            made.append(_codes(different, needs.split("\n"), seed + 131 * place))
        elif kind == "word":
            first_letters, others, width_text = needs.split("\n")
            own_seed, width = seed + 131 * place, int(width_text) - 1
            begins = _random_texts(different, first_letters, 1, own_seed)
            ends = _random_texts(different, others, width, own_seed + 1)
            made.append(list(map("".join, zip(begins, ends, strict=True))))
        else:
            characters, _, width_text = needs.partition("\n")
            made.append(_random_texts(different, characters, int(width_text), seed + 131 * place))
    texts = list(map("".join, zip(*made, strict=True)))
    return np.array(texts, dtype=object)[places.ravel()]


def _counted(numbers: NDArray[np.int64], start: int, width: int, *, again: bool) -> list[str]:
    """Return a number for each identifier; `again` tells to begin again where the width ends."""
    counted = numbers % (10**width - start) if again else numbers
    return [f"{start + number:0{width}d}" for number in counted.tolist()]


def _codes(numbers: NDArray[np.int64], places: Sequence[str], seed: int) -> list[str]:
    """Return a text for each number, with characters of its own for each place.

    The last places count through all that they can hold, in steps that share no factor with their
    number, so that texts differ; those before are drawn.
    """
    n_counted, size = 0, 1
    while n_counted < len(places) and size * len(places[-1 - n_counted]) < _MOST_COUNTED:
        n_counted += 1
        size *= len(places[-n_counted])
    step = int(size * 0.618)
    while math.gcd(step, size) != 1:
        step += 1
    counted = (numbers * step + seed % size) % size
    drawn = []
    for i, characters in enumerate(reversed(places)):
        if i < n_counted:
            counted, digit = np.divmod(counted, len(characters))
            drawn.append(np.array(list(characters))[digit].tolist())
        else:
            drawn.append(_random_texts(numbers, characters, 1, seed + 977 * i))
    return list(map("".join, zip(*reversed(drawn), strict=True)))


def _chosen(
    numbers: NDArray[np.int64], choice: Choice, states: NDArray[np.object_], seed: int
) -> list[str]:
    """Return one of the texts for each number, as often as they stand beside its state."""
    made = np.empty(len(numbers), dtype=object)
    shares = random_shares(numbers, seed)
    for state in set(states.tolist()):
        rows = np.flatnonzero(states == state)
        counts = choice.counts.get(state, choice.counts[""])
        below = np.cumsum([*counts.values()]) / sum(counts.values())
        places = np.searchsorted(below, shares[rows], side="right")
        made[rows] = np.array([*counts], dtype=object)[np.minimum(places, len(counts) - 1)]
    texts: list[str] = made.tolist()
    return texts


def _random_texts(numbers: NDArray[np.int64], characters: str, width: int, seed: int) -> list[str]:
    """Return a text of so many characters for each number; it depends on number and seed only."""
    alphabet = np.array(list(characters))
    drawn = np.empty((len(numbers), width), dtype=alphabet.dtype)
    for i in range(width):
        mixed = _mixed(numbers, seed, i + 1)
        drawn[:, i] = alphabet[(mixed % np.uint64(len(alphabet))).astype(np.intp)]
    return ["".join(row) for row in drawn.tolist()]


def random_shares(numbers: NDArray[np.int64], seed: int) -> Floats:
    """Return random numbers between 0 and 1 that depend on number and seed only."""
    shares: Floats = _mixed(numbers, seed).astype(np.float64) / 2.0**64
    return shares


def _mixed(numbers: NDArray[np.int64], seed: int, turn: int = 1) -> NDArray[np.uint64]:
    """Return random bits that depend on number, seed and turn only, as SplitMix64 makes them."""
    start = (((seed & 0xFFFFFFFFFFFF) + turn) * int(_MIX)) % 2**64
    state = numbers.astype(np.uint64) + np.uint64(start)
    mixed = (state ^ (state >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    mixed = (mixed ^ (mixed >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return mixed ^ (mixed >> np.uint64(31))
