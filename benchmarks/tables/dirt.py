"""What real files have beside data: odd cells, typos, keys, free text, dates in many forms."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd

Texts = npt.NDArray[np.object_]

DAY = 86_400
_WORDS = """
the a was not very after before again still late early asked called waited service staff good
slow friendly problem solved order bill week yesterday twice nothing everything please check
with without me him her delivered returned broken fine ok
"""
_FIRST = """
Ann Bo Carla Deniz Eva Finn Gita Hugo Ines Jan Kim Lena Marc Nora Olga Per Rosa Sam Tina Uwe
Vera Will Yan Zoe Aisha Bruno Chen Dora Emil Fay
"""
_LAST = """
Acker Berg Clark Dorn Elm Feld Gold Hill Iver Jon Kron Lund Moor North Oster Pet Quin Ross
Stern Thorn Ull Vogt West Young Zell
"""
_LAST_ENDS = ("", "mann", "er", "son", "sen", "ton", "feld", "berg", "ley", "worth")


def sentences(rng: np.random.Generator, n: int, blank: float, n_words: int = 7) -> Texts:
    """Write sentences that say nothing about anything; some cells stay blank."""
    words = np.asarray(_WORDS.split(), dtype=object)
    text = words[rng.integers(0, len(words), n)]
    for _ in range(n_words - 1):
        text = text + " " + words[rng.integers(0, len(words), n)]
    text[rng.random(n) < blank] = None
    return text


def numbered(form: str, numbers: npt.NDArray[Any]) -> Texts:
    """Write numbers in a form such as ``"P{:07d}"``."""
    return np.asarray([form.format(number) for number in numbers.tolist()], dtype=object)


def hexadecimal(rng: np.random.Generator, n: int, n_digits: int = 12) -> Texts:
    """Write random keys."""
    return numbered(f"{{:0{n_digits}x}}", rng.integers(0, 16**n_digits, n))


def joined(parts: Sequence[Any]) -> Texts:
    """Put texts together, cell by cell."""
    whole = np.asarray(parts[0], dtype=object)
    for part in parts[1:]:
        whole = whole + np.asarray(part, dtype=object)
    return whole


def as_texts(
    numbers: npt.NDArray[np.float64], decimals: int, point: str = ".", thousands: bool = False
) -> Texts:
    """Write numbers as texts, by default as Python does."""
    if thousands:
        dots = [f"{number:,.{decimals}f}" for number in numbers.tolist()]
        swapped = str.maketrans({",": ".", ".": point})
        return np.asarray([text.translate(swapped) for text in dots], dtype=object)
    if not decimals:
        return numbers.astype(np.int64).astype(str).astype(object)
    texts = [repr(number).replace(".", point) for number in numbers.tolist()]
    return np.asarray(texts, dtype=object)


def with_typos(rng: np.random.Generator, cells: Texts, share: float) -> Texts:
    """Write some labels in other ways: other case, a blank behind, a letter lost."""
    dirty = cells.copy()
    for row in np.flatnonzero(rng.random(len(cells)) < share):
        label = cells[row]
        if label is None:
            continue
        ways = (label.upper(), label.lower(), f"{label} ", label[:-1] or label)
        dirty[row] = ways[int(rng.integers(len(ways)))]
    return dirty


def written(moments: "pd.Series[Any]", form: str) -> Texts:
    """Write moments in a form of `strftime`; each distinct one once, for there are few days."""
    codes, distinct = pd.factorize(moments)
    texts = pd.DatetimeIndex(distinct).strftime(form).to_numpy(dtype=object)
    return np.asarray(texts[codes], dtype=object)


def names(rng: np.random.Generator, n: int) -> Texts:
    """Write names of people: some hundred thousand different ones."""
    first, middle, last, end = (
        np.asarray(parts, dtype=object)[rng.integers(0, len(parts), n)]
        for parts in (_FIRST.split(), list("ABCDEFGHJKLMNPRSTVW"), _LAST.split(), _LAST_ENDS)
    )
    return joined([first, " ", middle, ". ", last, end])


def calendar(seconds: npt.NDArray[Any]) -> tuple[Any, Any, Any]:
    """Return month (0 to 11), weekday (0: Monday) and hour of moments in seconds since 1970."""
    own = np.asarray(seconds, dtype=np.int64)
    months = own.astype("datetime64[s]").astype("datetime64[M]").astype(np.int64) % 12
    return months, (own // DAY + 3) % 7, own // 3600 % 24


def days(rng: np.random.Generator, n: int, first: str, last: str) -> npt.NDArray[np.int64]:
    """Draw days between two, in seconds since 1970."""
    low, high = (int(np.datetime64(day, "D").astype(np.int64)) for day in (first, last))
    return rng.integers(low, high + 1, n) * DAY
