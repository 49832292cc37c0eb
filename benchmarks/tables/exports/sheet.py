"""Rows of a messy export: what the file shows, and the same table cleaned by hand.

A table is drawn column by column, parents before children, as `benchmarks.tables.sheet` does. Each
call notes the cells as the file shows them, the value that a person who knows the table reads from
them, the role of the column and its true parents.
"""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from benchmarks.tables.catalogue import Truth

Codes = npt.NDArray[np.int64]
Numbers = npt.NDArray[np.float64]
Texts = npt.NDArray[np.object_]

# How a number is written: "plain" 1234.5, "comma" 1234,5, "english" 1,234.5, "german" 1.234,5,
# "spaced" 1 234.5.
_STYLES = {
    "plain": ("", "."),
    "comma": ("", ","),
    "english": (",", "."),
    "german": (".", ","),
    "spaced": (" ", "."),
}


class MessySheet:
    """Some rows of a messy export.

    Parameters
    ----------
    rng : numpy.random.Generator
    n : int

    Attributes
    ----------
    shown : dict from str to cells
        Texts as in the file, or typed cells of a workbook; None where a cell is blank.
    cleaned : dict from str to cells
        Numbers, categories and dates; without the columns that a person would take out: keys,
        texts, constants, and copies of other columns.
    roles, judged_as, groups : dict from str to str
        The role (several, separated by bars, where more than one is right), the column that says
        the same, and the merged cell above the name of a column.
    nodes : dict from str to str
        The column that a node made from two columns says the same as.
    rounded : dict from str to array
        By how much each cell of a column of numbers is rounded, beyond what the cleaned table is:
        a weight of 47.3 kg that is written as 0.05 t can only be read as 50 kg.
    edges : list of (parent, child)
    """

    def __init__(self, rng: np.random.Generator, n: int) -> None:
        self.rng, self.n = rng, n
        self.shown: dict[str, Texts] = {}
        self.cleaned: dict[str, Any] = {}
        self.roles: dict[str, str] = {}
        self.judged_as: dict[str, str] = {}
        self.groups: dict[str, str] = {}
        self.nodes: dict[str, str] = {}
        self.rounded: dict[str, Numbers] = {}
        self.edges: list[tuple[str, str]] = []

    def number(
        self,
        name: str,
        values: npt.NDArray[Any],
        parents: Sequence[str] = (),
        *,
        decimals: int = 0,
        form: str = "{}",
        forms: Mapping[str, tuple[float, float]] | None = None,
        style: str = "plain",
        below: float | None = None,
        codes: Mapping[str, float] | None = None,
        words: Mapping[str, float] | None = None,
        blank: float = 0.0,
        role: str = "quantity",
        typed: bool = False,
    ) -> Numbers:
        """Note a column of numbers and return them as the file rounds them.

        Parameters
        ----------
        name : str
        values : array
        parents : sequence of str
        decimals : int
        form : str
            How most cells are written, such as "{} mg/l".
        forms : mapping from form to (share, factor), optional
            How some others are: the number times the factor.
        style : str
            See `_STYLES`.
        below : float, optional
            Smaller numbers are shown as this limit, as in "<5".
        codes, words : mapping from text to share, optional
            Texts in place of a number that is not known.
        blank : float
            Share of blank cells.
        role : str
        typed : bool
            Whether cells are numbers, not texts.
        """
        exact = np.asarray(values, dtype=np.float64)
        own: Numbers = np.asarray(np.round(exact, decimals) + 0.0, dtype=np.float64)
        texts = _written(own, decimals, style)
        cells = np.array([form.format(text) for text in texts], dtype=object)
        self.rounded[name] = np.zeros(self.n)
        for other, (share, factor) in (forms or {}).items():
            some = self.rng.random(self.n) < share
            places = decimals + int(factor < 1)
            scaled = _written(own[some] * factor, places, style)
            cells[some] = [other.format(text) for text in scaled]
            self.rounded[name][some] = 0.5 * 10.0**-places / factor
        if below is not None:
            cells[own < below] = form.format(f"<{_written(np.array([below]), decimals, style)[0]}")
        clean = own.copy()
        for text, share in {**(codes or {}), **(words or {})}.items():
            some = self.rng.random(self.n) < share
            cells[some], clean[some] = text, np.nan
        gone = self.rng.random(self.n) < blank
        cells[gone], clean[gone] = None, np.nan
        if typed:
            cells = np.array([None if cell is None else float(cell) for cell in cells], object)
        self._note(name, cells, role, parents)
        self.cleaned[name] = clean
        return own

    def label(
        self,
        name: str,
        codes: npt.NDArray[Any],
        labels: Sequence[str],
        parents: Sequence[str] = (),
        *,
        variants: Mapping[str, float] | None = None,
        blank: float = 0.0,
        missing: Mapping[str, float] | None = None,
        role: str = "category",
    ) -> Codes:
        """Note a column of categories and return its codes.

        Parameters
        ----------
        name : str
        codes : array
        labels : sequence of str
        parents : sequence of str
        variants : mapping from spelling to share, optional
            "Upper", "lower", "space" or "plain" (without accents): how some cells are written.
        blank : float
        missing : mapping from text to share, optional
            Texts in place of a category that is not known.
        role : str
        """
        own = np.asarray(codes).astype(np.int64)
        cells = np.asarray(labels, dtype=object)[own]
        clean = cells.copy()
        for kind, share in (variants or {}).items():
            some = self.rng.random(self.n) < share
            cells[some] = [_spelled(cell, kind) for cell in cells[some]]
        for text, share in (missing or {}).items():
            some = self.rng.random(self.n) < share
            cells[some], clean[some] = text, None
        gone = self.rng.random(self.n) < blank
        cells[gone], clean[gone] = None, None
        self._note(name, cells, role, parents)
        self.cleaned[name] = clean
        return own

    def moment(
        self,
        name: str,
        seconds: npt.NDArray[Any],
        parents: Sequence[str] = (),
        *,
        form: str = "%Y-%m-%d",
        blank: float = 0.0,
        copy_of: str | None = None,
    ) -> None:
        """Note a column of dates; a person cleans them to days.

        Parameters
        ----------
        name : str
        seconds : array of int
            Since 1970.
        parents : sequence of str
        form : str
            For `strftime`; "s" and "ms" write seconds and milliseconds since 1970.
        blank : float
        copy_of : str, optional
            The column that says the same, which a person keeps.
        """
        whole = np.asarray(seconds).astype(np.int64)
        moments = pd.DatetimeIndex(whole.astype("datetime64[s]"))
        if form in ("s", "ms"):
            factor = 1 if form == "s" else 1000
            cells = np.array([str(one * factor) for one in whole.tolist()], dtype=object)
        else:
            cells = moments.strftime(form).to_numpy(dtype=object)
        gone = self.rng.random(self.n) < blank
        cells[gone] = None
        self._note(name, cells, "date", parents)
        if copy_of is not None:
            self.judged_as[name] = copy_of
            return
        self.cleaned[name] = pd.Series(moments.floor("D")).mask(pd.Series(gone))

    def other(self, name: str, cells: Any, role: str) -> None:
        """Note a column that no graph should have: an identifier, a text, a constant."""
        self._note(name, np.asarray(cells, dtype=object), role, ())

    def near_copy(self, name: str, original: str, cells: Any, role: str = "quantity") -> None:
        """Note a column that says the same as another, up to rounding."""
        self._note(name, np.asarray(cells, dtype=object), role, ())
        self.judged_as[name] = original

    def group(self, title: str, names: Sequence[str]) -> None:
        """Put columns under one merged cell."""
        self.groups |= dict.fromkeys(names, title)

    def truth(self) -> Truth:
        """Return what is true of the table."""
        merged = {
            (self.judged_as.get(tail, tail), self.judged_as.get(head, head))
            for tail, head in self.edges
        }
        edges = frozenset(edge for edge in merged if edge[0] != edge[1])
        return Truth(self.roles, edges, self.judged_as, frozenset())

    def _note(self, name: str, cells: Texts, role: str, parents: Sequence[str]) -> None:
        self.shown[name] = cells
        self.roles[name] = role
        self.edges += [(parent, name) for parent in parents]


def _written(numbers: Numbers, decimals: int, style: str) -> list[str]:
    thousands, point = _STYLES[style]
    swapped = str.maketrans({",": thousands or None, ".": point})
    return [f"{number:,.{decimals}f}".translate(swapped) for number in numbers.tolist()]


def _spelled(cell: str, kind: str) -> str:
    plain = str.maketrans("äöüÄÖÜéèñç", "aouAOUeenc")
    return {
        "upper": cell.upper(),
        "lower": cell.lower(),
        "space": f" {cell.replace(' ', '  ')} ",
        "plain": cell.translate(plain),
    }[kind]
