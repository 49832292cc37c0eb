"""`Preparation`: what is done to a table before it is learned from."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from numbers import Real
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bnsieve.table import Table, bin_labels
from bnsieve.table.prepare.apply import apply_to, needed_by, numbers_in, table_of
from bnsieve.table.prepare.files import FORMAT, VERSION, made, plain
from bnsieve.table.prepare.plan import ColumnPlan, Output
from bnsieve.table.prepare.readings import Elapsed
from bnsieve.text import (
    NotebookTable,
    notebook_html,
    parse_strict_json,
    shortened,
    write_strict_json,
)

_TITLES = ("column", "taken for", "categories", "missing", "what is done", "examples")


@dataclass(frozen=True)
class Preparation:
    """What each column of a table is taken for, and what is done about it.

    Made by `bnsieve.table.prepare`. It shows itself as a table.

    Attributes
    ----------
    columns : tuple of ColumnPlan
        In the order of the data.
    n_rows : int
        Rows that were looked at: all.
    missing_texts : tuple of str
        Texts that stand for a missing cell; blank text always does.
    """

    columns: tuple[ColumnPlan, ...]
    n_rows: int
    missing_texts: tuple[str, ...] = ()

    def __getitem__(self, name: str) -> ColumnPlan:
        """Return the plan of a column of the data."""
        for column in self.columns:
            if column.name == name:
                return column
        raise KeyError(f"there is no column {name!r}")

    @property
    def outputs(self) -> tuple[Output, ...]:
        """The columns to learn from, in order."""
        return tuple(output for column in self.columns for output in column.outputs)

    @property
    def needed(self) -> tuple[str, ...]:
        """The columns of the data that these are made from."""
        return needed_by(self.columns)

    @property
    def left_out(self) -> tuple[ColumnPlan, ...]:
        """The columns of the data of which nothing is used."""
        return tuple(one for one in self.columns if not one.outputs and one.name not in self.needed)

    @property
    def bin_edges(self) -> dict[str, tuple[float, ...]]:
        """The bin edges of each column to learn from that is binned."""
        return {output.name: output.cuts for output in self.outputs if output.cuts is not None}

    @property
    def n_missing(self) -> dict[str, int]:
        """Missing cells of all rows of each column of the data that has any."""
        return {column.name: column.n_missing for column in self.columns if column.n_missing}

    def apply(self, data: Any) -> Any:
        """Return these or later rows as categories.

        Parameters
        ----------
        data : DataFrame, Arrow table or array
            With the columns of the data that was prepared; those that are not used may lack.

        Returns
        -------
        pandas.DataFrame
            Or the data itself if nothing is to be done.

        Raises
        ------
        ValueError
            If a column is missing.
        """
        return apply_to(self.columns, self.missing_texts, data)

    def table(self, data: Any) -> Table:
        """Return what `apply` returns as a `Table`, without the frame."""
        return table_of(self.columns, self.missing_texts, data)

    def numbers(self, data: Any) -> dict[str, NDArray[np.float64]]:
        """Return these or later rows of the columns that `apply` cuts, as the numbers they are.

        Columns whose cuts were given are not among them.

        Parameters
        ----------
        data : DataFrame, Arrow table or array

        Returns
        -------
        dict of str to ndarray of float64, shape (n_rows,)
            NaN where a cell is missing.
        """
        return numbers_in(self.columns, self.missing_texts, data)

    def cut_at(self, cuts: Mapping[str, Sequence[float]]) -> "Preparation":
        """Return the same, but that some columns to learn from are cut elsewhere.

        Parameters
        ----------
        cuts : mapping of str to sequence of float
            By name; columns that are not cut stay as they are.
        """

        def changed(column: ColumnPlan) -> ColumnPlan:
            outputs = tuple(
                replace(one, cuts=tuple(map(float, cuts[one.name])))
                if one.cuts is not None and one.name in cuts
                else one
                for one in column.outputs
            )
            if outputs == column.outputs:
                return column
            what = column.what
            if len(outputs) == 1 and what.startswith("cut: "):
                what = "cut: " + ", ".join(bin_labels(np.array(outputs[0].cuts)))
            return replace(column, outputs=outputs, what=what)

        return replace(self, columns=tuple(map(changed, self.columns)))

    def among(self, names: Collection[str]) -> "Preparation":
        """Return the part of this that takes only some columns of the data."""

        def possible(output: Output) -> bool:
            return not isinstance(output.reading, Elapsed) or output.reading.since in names

        kept = (column for column in self.columns if column.name in names)
        columns = (
            replace(column, outputs=tuple(filter(possible, column.outputs))) for column in kept
        )
        return replace(self, columns=tuple(columns))

    def label_of(self, name: str, value: Any) -> Any:
        """Return the category that a number or a cell has in a column to learn from.

        Parameters
        ----------
        name : str
            Of a column to learn from; a value of another column is returned as it is.
        value : object
            A number of a column that was cut, or a category of one whose categories were grouped.
        """
        for output in self.outputs:
            if output.name == name and output.cuts is not None and isinstance(value, Real):
                place = int(np.searchsorted(output.cuts, float(value), side="right"))
                return bin_labels(np.array(output.cuts))[place]
            if output.name == name and output.groups is not None:
                return output.groups.get(str(value), output.other)
        return value

    def save(self, path: str | PathLike[str]) -> None:
        """Write this to a JSON file, which `Preparation.load` reads again."""
        document = {"format": FORMAT, "version": VERSION} | plain(self)
        text = write_strict_json(document, indent=1)
        Path(path).write_text(text + "\n", encoding="utf-8")

    @classmethod
    def load(cls, path: str | PathLike[str]) -> "Preparation":
        """Read what `save` wrote.

        Raises
        ------
        ValueError
            If the file is no preparation that this version of bnsieve can read.
        """
        try:
            document = parse_strict_json(Path(path).read_text(encoding="utf-8"))
        except ValueError as error:
            raise ValueError(f"{path} is no preparation that bnsieve saved: {error}") from None
        if not isinstance(document, dict) or document.pop("format", None) != FORMAT:
            raise ValueError(f"{path} is no preparation that bnsieve saved")
        if document.pop("version", None) != VERSION:
            raise ValueError(f"{path}: this bnsieve reads version {VERSION} only: prepare it again")
        found: Preparation = made(document, cls, str(path))
        return found

    def __str__(self) -> str:
        rows = [_TITLES]
        for name, role, categories, missing, what, examples in self._lines():
            shorter = shortened(what, 44), shortened(examples, 30)
            rows.append((shortened(name, 24), role, categories, missing, *shorter))
        widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
        lines = [
            "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip()
            for row in rows
        ]
        return "\n".join([*lines, *self._warnings()])

    def _repr_html_(self) -> str:
        """Return what a notebook shows: what each column is taken for, and what is done."""
        return notebook_html(
            f"{self.n_rows:,} rows, {len(self.columns):,} columns, {len(self.outputs):,} to learn "
            "from",
            tables=[
                NotebookTable("Columns", _TITLES, self._lines(), folded=False),
                NotebookTable(
                    "Warnings", (), [("", text) for text in self._warnings()], folded=False
                ),
            ],
        )

    def _lines(self) -> list[tuple[str, str, str, str, str, str]]:
        """Return a line of text for each column."""
        return [
            (
                one.name,
                one.role,
                f"{'' if one.exact else '~'}{one.n_categories:,}",
                f"{one.n_missing / max(1, self.n_rows):.0%}" if one.n_missing else "",
                one.what,
                ", ".join(one.examples),
            )
            for one in self.columns
        ]

    def _warnings(self) -> list[str]:
        return [f"{one.name}: {text}" for one in self.columns for text in one.warnings]

    __repr__ = __str__
