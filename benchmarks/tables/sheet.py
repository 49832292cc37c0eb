"""Rows of a made-up table: what the file shows, and the table that a person would prepare from it.

A table is drawn column by column, parents before children. Each call notes the column's cells, its
role and its true parents, so that the truth stands beside the mechanism and cannot drift from it.
"""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from benchmarks.tables import dirt

Codes = npt.NDArray[np.int64]
Numbers = npt.NDArray[np.float64]
Edge = tuple[str, str]

# The code of a missing cell in the prepared table.
GONE = -1


class Sheet:
    """Some rows of a table, column by column.

    Parameters
    ----------
    rng : numpy.random.Generator
    start, n : int
        Number of the first row, and how many there are.
    decimal_point : str
    interventions : mapping from str to array, optional
        Values that variables are set to, whatever their causes.

    Attributes
    ----------
    shown : dict from str to cells
        As in the file.
    prepared : dict from str to codes
        As a person prepares them: numbers cut where it is sensible, -1 for a missing cell. Only
        columns that can be learned from.
    roles : dict from str to str
        What a column should be taken for; several, separated by bars, where more than one is right.
    edges : list of (parent, child)
    judged_as : dict from str to str
        Columns that say the same as another, as far as the graph goes: edges at the first count as
        edges at the second. A copy, or a code whose group is the other column.
    values : dict from str to array
        Of variables that can be set, in some tables: codes or numbers, before they are rounded.
    unjudged : set of str
        Columns that may be in a graph or not; edges at them are neither right nor wrong.
    """

    def __init__(
        self,
        rng: np.random.Generator,
        start: int,
        n: int,
        decimal_point: str = ".",
        interventions: Mapping[str, npt.NDArray[Any]] | None = None,
    ) -> None:
        self.rng, self.start, self.n = rng, start, n
        self._point = decimal_point
        self._interventions = dict(interventions or {})
        self.values: dict[str, npt.NDArray[Any]] = {}
        self.shown: dict[str, Any] = {}
        self.prepared: dict[str, npt.NDArray[Any]] = {}
        self.roles: dict[str, str] = {}
        self.edges: list[Edge] = []
        self.judged_as: dict[str, str] = {}
        self.unjudged: set[str] = set()

    def cause(self, name: str, values: npt.NDArray[Any]) -> npt.NDArray[Any]:
        """Note what a variable does to later ones, and return it: as drawn, or as it is set."""
        self.values[name] = self._interventions.get(name, values)
        return self.values[name]

    def label(
        self,
        name: str,
        codes: npt.NDArray[Any],
        labels: Sequence[str],
        parents: Sequence[str] = (),
        *,
        blank: float | npt.NDArray[np.bool_] = 0.0,
        typos: float = 0.0,
        none: int | None = None,
        role: str = "category",
    ) -> Codes:
        """Note a column of labels and return its codes.

        Parameters
        ----------
        name : str
        codes : array
            Of labels, from 0 on.
        labels : sequence of str
        parents : sequence of str
        blank : float or array of bool
            Share of missing cells, or which ones.
        typos : float
            Share of cells with a label written in another way.
        none : int, optional
            The code that the file shows as a blank.
        role : str
        """
        own = np.asarray(codes).astype(np.int64)
        gone = self._gone(blank)
        cells = np.asarray([*labels, None], dtype=object)[np.where(gone, len(labels), own)]
        if none is not None:
            cells[own == none] = None
        if typos:
            cells = dirt.with_typos(self.rng, cells, typos)
        self._note(name, pd.Series(cells, dtype="object"), role, parents)
        self.prepared[name] = np.where(gone, GONE, own)
        return own

    def flag(
        self,
        name: str,
        values: npt.NDArray[np.bool_],
        parents: Sequence[str] = (),
        labels: Sequence[str] = ("No", "Yes"),
        **options: Any,
    ) -> npt.NDArray[np.bool_]:
        """Note a column of two labels and return whether it is the second."""
        self.label(name, values, labels, parents, **options)
        return values

    def number(
        self,
        name: str,
        values: npt.NDArray[Any],
        cuts: Sequence[float],
        parents: Sequence[str] = (),
        *,
        decimals: int = 0,
        blank: float | npt.NDArray[np.bool_] = 0.0,
        odd: Mapping[str, float] | None = None,
        below: float | None = None,
        thousands: bool = False,
        role: str = "quantity",
    ) -> Numbers:
        """Note a column of numbers and return them as the file rounds them.

        Parameters
        ----------
        name : str
        values : array
        cuts : sequence of float
            Where a person would cut.
        parents : sequence of str
        decimals : int
        blank : float or array of bool
        odd : mapping from text to share
            What stands in some cells in place of a number.
        below : float, optional
            Smaller numbers are shown as this limit, as in "<0.5".
        thousands : bool
            Whether points stand between thousands, as in "1.234,50".
        role : str
        """
        # Adding zero makes -0.0, which no program writes, 0.0.
        own: Numbers = np.asarray(np.round(values, decimals) + 0.0, dtype=np.float64)
        gone = self._gone(blank)
        codes = np.searchsorted(np.asarray(cuts), own, side="right")
        if odd or thousands or below is not None:
            texts = dirt.as_texts(own, decimals, self._point, thousands)
            if below is not None:
                texts[own < below] = f"<{below:g}"
            for text, share in (odd or {}).items():
                strange = self.rng.random(self.n) < share
                texts[strange] = text
                codes[strange] = GONE
            texts[gone] = None
            cells = pd.Series(texts, dtype="object")
        elif decimals:
            cells = pd.Series(np.where(gone, np.nan, own))
        else:
            cells = pd.Series(pd.arrays.IntegerArray(own.astype(np.int64), gone))
        self._note(name, cells, role, parents)
        self.prepared[name] = np.where(gone, GONE, codes)
        return own

    def moment(
        self,
        name: str,
        seconds: npt.NDArray[Any],
        codes: npt.NDArray[Any],
        parents: Sequence[str] = (),
        *,
        form: str | None = None,
        blank: float | npt.NDArray[np.bool_] = 0.0,
        none: npt.NDArray[np.bool_] | None = None,
    ) -> None:
        """Note a column of dates or times.

        Parameters
        ----------
        name : str
        seconds : array of int
            Since 1970.
        codes : array of int
            What of it matters, such as the month, for the prepared table.
        parents : sequence of str
        form : str, optional
            How the file writes it, for `strftime`; without it as a time of the file format.
        blank : float or array of bool
            Missing cells.
        none : array of bool, optional
            Cells that are blank because there is no such moment: known, so never -1.
        """
        gone = self._gone(blank)
        moments = pd.Series(np.asarray(seconds).astype("datetime64[s]").astype("datetime64[ms]"))
        hidden = gone if none is None else gone | none
        if form is None:
            cells = moments.mask(pd.Series(hidden))
        else:
            cells = pd.Series(dirt.written(moments, form), dtype="object")
            cells[hidden] = None
        self._note(name, cells, "date", parents)
        if parents or len(np.unique(codes)) > 1:
            self.prepared[name] = np.where(gone, GONE, np.asarray(codes).astype(np.int64))

    def other(self, name: str, cells: Any, role: str) -> None:
        """Note a column that no graph should have: an identifier, a text, a constant."""
        self._note(name, pd.Series(cells), role, ())

    def copy(self, name: str, original: str, codes: Codes, labels: Sequence[str]) -> None:
        """Note a column that says the same as another under other labels."""
        self.label(name, codes, labels, blank=self.prepared[original] == GONE)
        self.judged_as[name] = original

    def genotype(
        self,
        name: str,
        counts: npt.NDArray[np.int8],
        gone: npt.NDArray[np.bool_],
        parents: Sequence[str],
    ) -> None:
        """Note a column of 0, 1 and 2, in as few bytes as it takes: there are thousands."""
        cells = pd.Series(pd.arrays.IntegerArray(counts, gone))
        self._note(name, cells, "category|quantity", parents)
        self.prepared[name] = np.where(gone, np.int8(GONE), counts)

    def longer(self, name: str, cells: Any, *, judged_as: str | None = None) -> None:
        """Show a column noted before in full: of a code, what was noted is only its group."""
        own = pd.Series(cells, dtype="object")
        self.shown[name] = own.where(pd.notna(self.shown[name]), None)
        if judged_as is not None:
            self.judged_as[name] = judged_as

    def _gone(self, blank: float | npt.NDArray[np.bool_]) -> npt.NDArray[np.bool_]:
        if isinstance(blank, np.ndarray):
            return blank
        return self.rng.random(self.n) < blank if blank else np.zeros(self.n, dtype=np.bool_)

    def _note(self, name: str, cells: "pd.Series[Any]", role: str, parents: Sequence[str]) -> None:
        self.shown[name] = cells
        self.roles[name] = role
        self.edges += [(parent, name) for parent in parents]
