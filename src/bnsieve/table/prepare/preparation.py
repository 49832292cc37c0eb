"""`Preparation`: how a table is prepared before learning: as a value, a file and sentences."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import MISSING, Field, dataclass, fields, is_dataclass, replace
from numbers import Real
from os import PathLike
from pathlib import Path
from types import NoneType, UnionType
from typing import Any, Literal, Union, get_args, get_origin, get_type_hints

import numpy as np
from numpy.typing import NDArray

from bnsieve.table import Table, bin_labels
from bnsieve.table.prepare.apply import (
    apply_to,
    missing_in,
    needed_by,
    numbers_in,
    table_of,
    unread_in,
)
from bnsieve.table.prepare.plan import ColumnPlan, Output
from bnsieve.table.prepare.readings import Elapsed
from bnsieve.text import (
    NotebookTable,
    notebook_html,
    parse_strict_json,
    shortened,
    write_strict_json,
    write_whole,
)

_FORMAT = {"format": "bnsieve preparation", "version": 1}
_TITLES = ("column", "role", "categories", "missing", "preparation", "examples")


@dataclass(frozen=True)
class Preparation:
    """The role and the preparation of each column of a table.

    `bnsieve.prepare` returns it, and notebooks show it as a table.

    Attributes
    ----------
    columns : tuple of ColumnPlan
        The plan of each column, in the order of the data.
    n_rows : int
        The number of rows, all of which were read.
    missing_texts : tuple of str
        Texts that mean a missing value; blank text always does.
    """

    columns: tuple[ColumnPlan, ...]
    n_rows: int
    missing_texts: tuple[str, ...] = ()

    def __getitem__(self, name: str) -> ColumnPlan:
        """Return the plan of a column of the data."""
        found = next((column for column in self.columns if column.name == name), None)
        if found is None:
            raise KeyError(f"there is no column {name!r}")
        return found

    @property
    def outputs(self) -> tuple[Output, ...]:
        """The columns to learn from, in order."""
        return tuple(output for column in self.columns for output in column.outputs)

    @property
    def needed(self) -> tuple[str, ...]:
        """The columns of the data that `outputs` are made from."""
        return needed_by(self.columns)

    @property
    def left_out(self) -> tuple[ColumnPlan, ...]:
        """The columns of the data that are left out."""
        return tuple(one for one in self.columns if not one.outputs and one.name not in self.needed)

    @property
    def bin_edges(self) -> dict[str, tuple[float, ...]]:
        """The bin edges of each binned column."""
        return {
            output.name: output.bin_edges for output in self.outputs if output.bin_edges is not None
        }

    @property
    def n_missing(self) -> dict[str, int]:
        """The number of missing values of each column that has any, as `apply` reads the cells."""
        return {column.name: column.n_missing for column in self.columns if column.n_missing}

    def apply(self, data: Any) -> Any:
        """Prepare the same rows or later ones.

        Parameters
        ----------
        data : DataFrame, Arrow table or array
            Rows with the columns of the data that was prepared. Columns that are left out may be
            absent.

        Returns
        -------
        pandas.DataFrame
            The prepared rows. The data itself, if nothing changes.

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
        """Return the numbers of the columns that `apply` bins.

        Columns with given bin edges are left out.

        Parameters
        ----------
        data : DataFrame, Arrow table or array
            The same rows or later ones.

        Returns
        -------
        dict of str to ndarray of float64, shape (n_rows,)
            The numbers of each column, with NaN for missing values.
        """
        return numbers_in(self.columns, self.missing_texts, data)

    def missing(self, data: Any) -> dict[str, NDArray[np.bool_]]:
        """Return which values are missing once `apply` has read the cells.

        Parameters
        ----------
        data : DataFrame, Arrow table or array
            The same rows or later ones.

        Returns
        -------
        dict of str to ndarray of bool, shape (n_rows,)
            By the name of the prepared column.
        """
        return missing_in(self.columns, self.missing_texts, data)

    def unread(self, data: Any) -> dict[str, NDArray[np.bool_]]:
        """Return which cells hold text that is not a number or date, and so counts as missing.

        Texts that mean a missing value are left out, and so are the cells listed in `odd`.

        Parameters
        ----------
        data : DataFrame, Arrow table or array
            The same rows or later ones.

        Returns
        -------
        dict of str to ndarray of bool, shape (n_rows,)
            By the name of the column of the data; only columns of numbers and dates.
        """
        return unread_in(self.columns, self.missing_texts, data)

    def with_bin_edges(self, edges: Mapping[str, Sequence[float]]) -> "Preparation":
        """Return the same plan with other bin edges for some columns.

        Parameters
        ----------
        edges : mapping of str to sequence of float
            The bin edges by name. Columns that are not binned stay unchanged.
        """

        def changed(column: ColumnPlan) -> ColumnPlan:
            outputs = tuple(
                replace(one, bin_edges=tuple(map(float, edges[one.name])))
                if one.bin_edges is not None and one.name in edges
                else one
                for one in column.outputs
            )
            if outputs == column.outputs:
                return column
            what = column.what
            if len(outputs) == 1 and what.startswith("bins: "):
                what = "bins: " + ", ".join(bin_labels(np.array(outputs[0].bin_edges)))
            return replace(column, outputs=outputs, what=what)

        return replace(self, columns=tuple(map(changed, self.columns)))

    def among(self, names: Collection[str]) -> "Preparation":
        """Return the plan for some columns of the data."""

        def possible(output: Output) -> bool:
            return not isinstance(output.reading, Elapsed) or output.reading.since in names

        kept = (column for column in self.columns if column.name in names)
        columns = (
            replace(column, outputs=tuple(filter(possible, column.outputs))) for column in kept
        )
        return replace(self, columns=tuple(columns))

    def with_outputs(self, names: Collection[str]) -> "Preparation":
        """Return the plan with only some of its outputs."""
        return replace(
            self,
            columns=tuple(
                replace(column, outputs=tuple(one for one in column.outputs if one.name in names))
                for column in self.columns
            ),
        )

    def category_of(self, name: str, value: Any) -> Any:
        """Return the category of a number or a cell in a prepared column.

        Parameters
        ----------
        name : str
            The name of a column used for learning. Values of other columns are returned unchanged.
        value : object
            A number of a binned column, or a category of a grouped one.
        """
        for output in self.outputs:
            if output.name == name and output.bin_edges is not None and isinstance(value, Real):
                place = int(np.searchsorted(output.bin_edges, float(value), side="right"))
                return bin_labels(np.array(output.bin_edges))[place]
            if output.name == name and output.groups is not None:
                return output.groups.get(
                    str(value), value if output.other is None else output.other
                )
        return value

    def save(self, path: str | PathLike[str]) -> None:
        """Write the plan to a JSON file, which `Preparation.load` reads."""
        text = write_strict_json(_FORMAT | plain(self), indent=1)
        write_whole(text + "\n", path)

    @classmethod
    def load(cls, path: str | PathLike[str]) -> "Preparation":
        """Read a plan from a file that `save` wrote.

        Raises
        ------
        ValueError
            If the file does not hold a plan that this version of bnsieve can read.
        """
        try:
            document = parse_strict_json(Path(path).read_text(encoding="utf-8"))
            if not isinstance(document, dict) or document.pop("format", None) != _FORMAT["format"]:
                raise ValueError("its format is another one")
        except ValueError as error:
            raise ValueError(f"{path} is no preparation that bnsieve saved: {error}") from None
        if document.pop("version", None) != _FORMAT["version"]:
            raise ValueError(
                f"{path}: this bnsieve reads version {_FORMAT['version']} only: prepare it again"
            )
        found: Preparation = made(document, cls, str(path))
        return found

    def __str__(self) -> str:
        shown = (map(shortened, line, (24, 24, 24, 24, 44, 30)) for line in self._lines())
        rows = [_TITLES, *map(tuple, shown)]
        widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
        lines = [
            "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip()
            for row in rows
        ]
        return "\n".join([*lines, *self._warnings()])

    def _repr_html_(self) -> str:
        """Return what a notebook shows: the role and the preparation of each column."""
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


def plain(value: Any) -> Any:
    """Return a value as JSON: a record as its fields beside its kind."""
    if is_dataclass(value):
        inside = {field.name: plain(getattr(value, field.name)) for field in fields(value)}
        return {"kind": type(value).__name__} | inside
    return [plain(one) for one in value] if isinstance(value, tuple) else value


def made(value: Any, hint: Any, where: str) -> Any:
    """Return what `plain` made JSON of, as the type that is declared.

    Raises
    ------
    ValueError
        If it is something else.
    """
    origin, inside = get_origin(hint), get_args(hint)
    if origin in (Union, UnionType):
        if value is None and NoneType in inside:
            return None
        kind = value.get("kind") if isinstance(value, dict) else None
        for one in inside:
            if one is not NoneType and (not is_dataclass(one) or one.__name__ == kind):  # type: ignore[union-attr]
                return made(value, one, where)
    elif is_dataclass(hint):
        hints = get_type_hints(hint)
        if not isinstance(value, dict) or value.get("kind") != hint.__name__:  # type: ignore[union-attr]
            value = {}
        needed = {one.name for one in fields(hint) if not _has_default(one)}
        if not {"kind", *needed} <= {*value} <= {"kind", *hints}:
            raise ValueError(f"{where}: this must be a {hint.__name__} with {', '.join(hints)}")  # type: ignore[union-attr]
        return hint(
            **{
                name: made(value[name], hints[name], f"{where}.{name}")
                for name in hints
                if name in value
            }
        )  # type: ignore[operator]
    elif origin is tuple and isinstance(value, list):
        return tuple(made(one, inside[0], f"{where}[{i}]") for i, one in enumerate(value))
    elif origin is dict and isinstance(value, dict):
        return {key: made(one, inside[1], f"{where}.{key}") for key, one in value.items()}
    elif hint is float and type(value) in (int, float):
        return float(value)
    elif (origin is Literal and value in inside) or type(value) is hint:
        return value
    raise ValueError(f"{where}: {value!r} is not allowed here")


def _has_default(one: Field[Any]) -> bool:
    return one.default is not MISSING or one.default_factory is not MISSING


@dataclass(frozen=True)
class Change:
    """A change to a column, and its reason.

    Attributes
    ----------
    column : str
    what : {"dropped", "dates", "odd", "grouped", "binned", "note"}
        "dates": a date was turned into its parts. "odd": cells were read as missing, or as a limit.
        "note": nothing was done, but the reader may want to do something.
    why : str
    """

    column: str
    what: Literal["dropped", "dates", "odd", "grouped", "binned", "note"]
    why: str


def changes_of(plan: Preparation, numbers: Collection[str] = ()) -> list[Change]:
    """Return all changes, in the order of the columns.

    Parameters
    ----------
    plan : Preparation
    numbers : collection of str
        Numeric variables: their bins were made for tables only.
    """
    left_out = {column.name for column in plan.left_out}
    changes = []
    for column in plan.columns:
        name, what, outputs = column.name, column.what, column.outputs
        if name in left_out:
            changes.append(Change(name, "dropped", column.why))
            continue
        if column.role == "date":
            changes.append(Change(name, "dates", what))
        elif any(one.bin_edges is not None and one.name not in numbers for one in outputs):
            changes.append(Change(name, "binned", what.removeprefix("bins: ")))
        elif any(one.groups is not None for one in outputs):
            changes.append(Change(name, "grouped", what))
        elif any(one.blank is not None for one in outputs):
            changes.append(Change(name, "note", f"{what}: {column.why}"))
        if column.unit:
            changes.append(Change(name, "note", f"its numbers are in {column.unit}"))
        if column.odd:
            changes.append(Change(name, "odd", _odd_cells(column)))
        changes += [Change(name, "note", text) for text in column.warnings]
    return changes


def _odd_cells(column: ColumnPlan) -> str:
    told = [
        f"{one.value!r} in row {one.row:,}"
        + (f" and {one.n_cells - 1:,} more" if one.n_cells > 1 else "")
        + f" read as {one.read_as}"
        for one in column.odd
    ]
    rest = column.n_odd - sum(one.n_cells for one in column.odd)
    return "; ".join([*told, f"and {rest:,} other cells"] if rest > 0 else told)
