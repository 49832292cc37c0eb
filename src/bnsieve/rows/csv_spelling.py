"""Cells of CSV files that pandas takes for one although they are written in two ways.

"01" and "1" become the number 1, "True" and "true" a truth value. Where a column holds such cells,
how they are written may be what they mean: a code, a label. It is then kept as text.
"""

import re
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from bnsieve.rows.csv_text import BROKEN_GZIP, open_bytes

_BLOCK = 1 << 18  # what is compared stays in the cache
_ZERO, _QUOTE, _LINE_END = b'0"\n'
_CODE = re.compile(r"\s*[+-]?0\d+\s*")
_SPELLINGS = (b"True", b"TRUE", b"true", b"False", b"FALSE", b"false")


def _may_differ(path: Path, separator: str, encoding: str) -> bool:
    """Tell whether a file may hold such cells; if not, nothing need be looked at again.

    Only bytes are looked at, which takes a small part of the time that reading takes.
    """
    if encoding == "utf-16":
        return True
    before = b"\n"
    spellings: set[bytes] = set()
    try:
        with open_bytes(path) as file:
            while block := file.read(_BLOCK):
                block = before + block
                if b"e" in block or b"E" in block:  # as in all of them; one byte is found fast
                    spellings.update(one for one in _SPELLINGS if one in block)
                if len({one.lower() for one in spellings}) < len(spellings):
                    return True
                if _begins_with_zero(np.frombuffer(block, dtype=np.uint8), ord(separator)):
                    return True
                before = block[-5:]
    except BROKEN_GZIP:  # which whoever reads it says
        return False
    return False


def _begins_with_zero(signs: NDArray[np.uint8], separator: int) -> bool:
    """Tell whether somewhere a cell begins with a zero and another digit."""
    # Below the zero the difference wraps around to above nine.
    zeros = np.flatnonzero((signs[1:-1] == _ZERO) & (signs[2:] - np.uint8(_ZERO) < 10))
    return bool(np.isin(signs[zeros], (separator, _LINE_END, _QUOTE)).any())


def spelled_in_two_ways(
    files: Iterable[tuple[Path, str, str]],
    names: Sequence[str],
    as_written: Callable[[Sequence[str]], Iterable[pd.DataFrame]],
) -> set[str]:
    """Return the columns that hold digits after a zero, or a truth value written in two ways.

    Parameters
    ----------
    files : iterable of (Path, str, str)
        Each with its separator and its encoding.
    names : sequence of str
        Columns of integers and truth values.
    as_written : callable
        Reads some columns of all files as text, piece by piece.
    """
    found: set[str] = set()
    if not names or not any(_may_differ(*file) for file in files):
        return found
    texts: dict[str, set[str]] = {name: set() for name in names}
    for piece in as_written(names):
        for name in texts.keys() - found:
            new = set(piece[name].dropna().unique())
            if any(_CODE.fullmatch(text) for text in new):
                found.add(name)
                continue
            words = texts[name] = texts[name] | {text for text in new if text.isalpha()}
            if len({word.lower() for word in words}) < len(words):
                found.add(name)
    return found
