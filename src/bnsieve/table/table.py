"""Any frame, array or Arrow table -> `Table`: codes, names, categories and missing cells.

In: a pandas or polars DataFrame, a pyarrow Table, anything that speaks the Arrow stream protocol,
or a NumPy array. Out: a `Table`, which is all that later stages see of the data. Every check of
the user's data happens here and in `dtypes`, so that later stages need none.
"""

from collections import Counter
from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import narwhals as nw
import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray

from bnsieve.table.column import Codes, Column, code_dtype
from bnsieve.table.dtypes import plain_arrow, read_categories, require_whole
from bnsieve.text import counted, shortened

_ACCEPTED = "a pandas or polars DataFrame, a pyarrow Table or a two-dimensional NumPy array"


@dataclass(frozen=True, eq=False, repr=False)
class Table:
    """Data as codes of categories, and the values of numeric variables; see `Table.from_data`.

    Attributes
    ----------
    codes : ndarray of uint8 or uint16, shape (n_variables, n_rows)
        One contiguous row per variable: the position in ``categories`` of each cell's category, and
        0 where the cell is missing. Read-only; uint16 only if a variable has more than 256
        categories.
    names : tuple of str
        The variables' names, all different, exactly as in the data.
    categories : tuple of tuples
        For each variable the categories observed in the data, in an order that does not depend on
        the order of the rows: declared order for pandas categoricals and polars Enums, else sorted.
    missing : mapping from int to ndarray of bool, shape (n_rows,)
        The missing cells of each variable that has any, by the variable's position.
    numbers : mapping from int to ndarray of float64, shape (n_rows,)
        The values of each numeric variable before binning, by the variable's position. Missing
        values are NaN. Its codes and categories are those of its bins.
    entities : ndarray of int32, shape (n_rows,), or None
        The number of the entity of each row, if rows of one entity are dependent. None: rows are
        independent.
    copies : mapping from str to str
        Variables that are an earlier value of another one, and the name of that one. Both have the
        same ranks, bins and categories.
    steps : ndarray of int64, shape (n_rows,), or None
        If rows have an order in time, the number of the step of each row. If two successive numbers
        differ by more than one, a sequence ends between them.
    """

    codes: Codes
    names: tuple[str, ...]
    categories: tuple[tuple[Hashable, ...], ...]
    missing: Mapping[int, NDArray[np.bool_]]
    numbers: Mapping[int, NDArray[np.float64]] = field(default_factory=dict)
    entities: NDArray[np.int32] | None = None
    copies: Mapping[str, str] = field(default_factory=dict)
    steps: NDArray[np.int64] | None = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "codes", _read_only(np.ascontiguousarray(self.codes)))
        object.__setattr__(self, "missing", {i: _read_only(m) for i, m in self.missing.items()})
        object.__setattr__(self, "numbers", {i: _read_only(x) for i, x in self.numbers.items()})
        if self.entities is not None:
            object.__setattr__(self, "entities", _read_only(self.entities))
        if self.steps is not None:
            object.__setattr__(self, "steps", _read_only(self.steps))

    @classmethod
    def from_data(cls, data: Any) -> "Table":
        """Read a table of categories. An error names any other column, and says what to do.

        Parameters
        ----------
        data : pandas.DataFrame, polars.DataFrame, pyarrow.Table, numpy.ndarray or Table
            Columns of strings, booleans, integers or categories. None, NaN, NaT, ``pandas.NA`` and
            null are missing cells. A pandas float column with at most 20 different whole numbers
            counts as integers, because pandas stores integers with missing values as floats. pandas
            column names that are not strings are turned into strings. The columns of a plain array
            are named x0, x1 and so on, and those of a structured array after its fields. A Table is
            returned unchanged.

        Returns
        -------
        Table

        Raises
        ------
        TypeError
            If `data` is not a table, or a column does not hold categories (floats, dates, bytes,
            lists, mixed types).
        ValueError
            If there are no rows or no columns, names are repeated, or a column is entirely missing
            or has more than 65,536 categories.

        Examples
        --------
        >>> import pandas as pd
        >>> Table.from_data(pd.DataFrame({"rain": ["no", "yes", "no"], "month": [7, 11, None]}))
        Table of 3 rows and 2 variables
          rain   2 categories: 'no', 'yes'
          month  2 categories: 7, 11 (1 cell missing)
        """
        if isinstance(data, Table):
            return data
        names, columns, n_rows = named_columns(data)
        return cls.from_columns(names, map(read_categories, names, columns), n_rows)

    @classmethod
    def from_columns(cls, names: Sequence[str], columns: Iterable[Column], n_rows: int) -> "Table":
        """Make a table of columns, each as `Column.observed` returns it."""
        if not names:
            raise ValueError("the data has no columns: pass at least one column of categories")
        if n_rows == 0:
            raise ValueError("the data has no rows: pass at least one row")
        codes: Codes = np.empty((len(names), n_rows), dtype=np.uint8)
        categories: list[tuple[Hashable, ...]] = []
        missing: dict[int, NDArray[np.bool_]] = {}
        for i, column in enumerate(columns):
            own = code_dtype(len(column.values))
            codes = codes.astype(np.promote_types(codes.dtype, own), copy=False)
            codes[i] = column.places
            categories.append(tuple(column.values))
            if (mask := column.missing).any():
                codes[i, mask] = 0
                missing[i] = mask
        return cls(codes, tuple(names), tuple(categories), missing)

    @property
    def n_variables(self) -> int:
        """Number of variables (columns of the data)."""
        return len(self.names)

    @property
    def n_rows(self) -> int:
        """Number of rows of the data."""
        return len(self.codes[0])

    @cached_property
    def n_categories(self) -> NDArray[np.int64]:
        """Number of observed categories of each variable, shape (n_variables,)."""
        return _read_only(np.array([len(labels) for labels in self.categories], dtype=np.int64))

    def on_one_scale(self) -> dict[int, list[int]]:
        """Return groups of variables with the same bins: a numeric one and its earlier values."""
        groups: dict[str, list[int]] = {}
        for v in sorted(self.numbers):
            groups.setdefault(self.copies.get(self.names[v], self.names[v]), []).append(v)
        return {group[0]: group for group in groups.values()}

    @property
    def constant(self) -> tuple[str, ...]:
        """Names of the variables with a single category, about which nothing can be learned."""
        return tuple(name for name, n in zip(self.names, self.n_categories, strict=True) if n == 1)

    def to_frame(self) -> pd.DataFrame:
        """Return the data as a pandas DataFrame of categoricals, missing values included."""
        columns = {}
        for i, labels in enumerate(self.categories):
            # One type wider than the codes, to hold the -1 that is a missing cell in pandas.
            positions = self.codes[i].astype(np.int16 if len(labels) <= 256 else np.int32)
            if i in self.missing:
                positions[self.missing[i]] = -1
            columns[i] = pd.Categorical.from_codes(positions, categories=_index(labels))
        frame = pd.DataFrame(columns)
        frame.columns = _index(self.names)
        return frame

    def select(self, names: Iterable[str]) -> "Table":
        """Return a table of some of the variables, in the order given.

        Parameters
        ----------
        names : iterable of str
            Names of variables, each at most once.

        Raises
        ------
        KeyError
            If there is no variable of that name.
        ValueError
            If a name is repeated or none is given.
        """
        names = [names] if isinstance(names, str) else list(names)
        _check_names(names)
        position_of = self._position_of
        unknown = [name for name in names if name not in position_of]
        if unknown:
            raise KeyError(f"no variable is named {unknown[0]!r}: see Table.names")
        if not names:
            raise ValueError("no variable was selected: name at least one")
        return self._at([position_of[name] for name in names])

    @cached_property
    def _position_of(self) -> dict[str, int]:
        return {name: i for i, name in enumerate(self.names)}

    def missing_as_category(self) -> tuple[Codes, NDArray[np.int64]]:
        """Return codes in which a missing cell is one more category.

        Returns
        -------
        codes : ndarray of uint8 or uint16, shape (n_variables, n_rows)
        radices : ndarray of int64, shape (n_variables,)
            The number of codes of each variable.
        """
        radices = self.n_categories.astype(np.int64)
        if not self.missing:
            return self.codes, radices
        codes: Codes = self.codes.astype(code_dtype(int(self.n_categories.max()) + 1))
        for variable, mask in self.missing.items():
            codes[variable, mask] = self.n_categories[variable]
            radices[variable] += 1
        return codes, radices

    def where_known(
        self, target: int, codes: Codes, radices: NDArray[np.int64]
    ) -> tuple[Codes, NDArray[np.int64]]:
        """Return the codes of `missing_as_category` for the rows in which a variable is known."""
        if target not in self.missing:
            return codes, radices
        own = radices.copy()
        own[target] -= 1
        return codes.take(np.flatnonzero(~self.missing[target]), axis=1), own

    def with_numbers(self, values: Mapping[str, NDArray[np.float64]]) -> "Table":
        """Return the table with the values of variables that were binned.

        Parameters
        ----------
        values : mapping from str to ndarray of float64, shape (n_rows,)
            The values of each variable, by name, with NaN where the cell is missing. Names that are
            not in the table are ignored.

        Raises
        ------
        ValueError
            If a number is infinite.
        """
        numbers = {}
        for i, name in enumerate(self.names):
            if name not in values:
                continue
            if np.isinf(values[name]).any():
                raise ValueError(f"column {name!r} holds infinite numbers: replace or drop them")
            numbers[i] = values[name]
        return replace(self, numbers=numbers)

    def take(self, rows: ArrayLike | slice) -> "Table":
        """Return the table of some rows, with only the categories observed in them.

        Parameters
        ----------
        rows : array-like of int (repeats allowed), array-like of bool, or slice
            The rows to return, as in NumPy indexing.

        Raises
        ------
        ValueError
            If no row is returned, or a variable is missing in all of them.
        """
        if not isinstance(rows, slice) and np.size(rows) == 0:
            rows = slice(0)
        chosen = np.arange(self.n_rows)[rows if isinstance(rows, slice) else np.asarray(rows)]
        if chosen.size == 0:
            raise ValueError("no row was taken: choose at least one")
        codes = np.take(self.codes, chosen, axis=1)
        missing = {i: mask[chosen] for i, mask in self.missing.items() if mask[chosen].any()}
        categories = list(self.categories)
        for i, labels in enumerate(self.categories):
            counts = np.bincount(codes[i], minlength=len(labels))
            if i in missing:
                counts[0] -= np.count_nonzero(missing[i])
            seen = counts > 0
            if seen.all():
                continue
            if not seen.any():
                raise ValueError(
                    f"column {self.names[i]!r} is missing in every row taken: drop it first"
                )
            # cumsum gives -1 for unseen first categories; only missing cells (code 0) can point
            # there.
            renumbered = np.maximum(np.cumsum(seen) - 1, 0).astype(codes.dtype)
            codes[i] = renumbered[codes[i]]
            categories[i] = tuple(label for label, kept in zip(labels, seen, strict=True) if kept)
        numbers = {i: values[chosen] for i, values in self.numbers.items()}
        entities = None if self.entities is None else self.entities[chosen]
        steps = None if self.steps is None else self.steps[chosen]
        codes = _narrowed(codes, categories)
        return Table(
            codes, self.names, tuple(categories), missing, numbers, entities, self.copies, steps
        )

    def _at(self, positions: Sequence[int]) -> "Table":
        categories = tuple(self.categories[i] for i in positions)
        missing = {new: self.missing[i] for new, i in enumerate(positions) if i in self.missing}
        names = tuple(self.names[i] for i in positions)
        numbers = {new: self.numbers[i] for new, i in enumerate(positions) if i in self.numbers}
        codes = _narrowed(self.codes[positions], categories)
        return Table(
            codes, names, categories, missing, numbers, self.entities, self.copies, self.steps
        )

    def __repr__(self) -> str:
        shown = 20
        width = max(len(name) for name in self.names[:shown])
        lines = [
            f"Table of {counted(self.n_rows, 'row')} and {counted(self.n_variables, 'variable')}"
        ]
        for i, name in enumerate(self.names[:shown]):
            labels = self.categories[i]
            listed = ", ".join(shortened(repr(label), 24) for label in labels[:5])
            line = f"  {name:<{width}}  {counted(len(labels), 'category', 'categories')}: {listed}"
            line += ", ..." if len(labels) > 5 else ""
            if i in self.missing:
                line += f" ({counted(int(self.missing[i].sum()), 'cell')} missing)"
            lines.append(line)
        if self.n_variables > shown:
            lines.append(f"  ... and {self.n_variables - shown:,} more")
        return "\n".join(lines)


def named_columns(data: Any) -> tuple[list[str], Iterable[Any], int]:
    """Return the names, the columns (as `read_column` takes them) and the number of rows."""
    if isinstance(data, pd.DataFrame):
        return _pandas_columns(data)
    if isinstance(data, np.ndarray):
        return _array_columns(data)
    if nw.dependencies.is_pyarrow_table(data):
        _check_names(data.column_names)
    frame = nw.from_native(data, allow_series=True, pass_through=True)
    if not isinstance(frame, nw.DataFrame | nw.LazyFrame | nw.Series):
        if not hasattr(data, "__arrow_c_stream__"):
            raise TypeError(_not_a_table(data))
        frame = nw.from_arrow(data, backend="pyarrow")
    if isinstance(frame, nw.LazyFrame):
        raise TypeError(
            f"{type(data).__name__} is lazy, its rows are not in memory: collect it first"
        )
    if isinstance(frame, nw.Series):
        raise TypeError(
            f"the data is a single column ({type(data).__name__}): make it a table with .to_frame()"
        )
    if frame.implementation.is_pandas_like():
        return _pandas_columns(frame.to_pandas())
    if frame.implementation.is_pyarrow():
        return frame.columns, _arrow_columns(frame.to_native()), len(frame)
    return frame.columns, frame.iter_columns(), len(frame)


def _arrow_columns(table: Any) -> Iterable[Any]:
    for name, column in zip(table.column_names, table.columns, strict=True):
        require_whole(name, column)
        yield nw.from_native(plain_arrow(column), series_only=True)


def _pandas_columns(frame: pd.DataFrame) -> tuple[list[str], Iterable[Any], int]:
    originals = frame.columns.tolist()
    _check_names(originals)
    names = [str(name) for name in originals]
    for name, times in Counter(names).items():
        if times > 1:
            clashing = [original for original in originals if str(original) == name]
            raise ValueError(
                f"the column names {' and '.join(map(repr, clashing))} are the same once turned "
                "into strings: rename one of them"
            )
    return names, (frame.iloc[:, i] for i in range(len(names))), len(frame)


def _array_columns(array: NDArray[Any]) -> tuple[list[str], Iterable[Any], int]:
    if array.dtype.names is not None and array.ndim == 1:
        names = list(array.dtype.names)
        return names, (array[name] for name in names), len(array)
    if array.ndim != 2:
        raise ValueError(
            f"the array has {counted(array.ndim, 'dimension')}, not two (rows and columns): "
            "use reshape(-1, 1) if it is a single column"
        )
    return [f"x{i}" for i in range(array.shape[1])], array.T, len(array)


def text_labels(name: str, labels: Sequence[Hashable], program: str) -> list[str]:
    """Return a variable's categories as text, for a program that knows no other.

    Raises
    ------
    ValueError
        If two categories are the same as text, as the number 1 and the text "1" are.
    """
    texts = [str(label) for label in labels]
    if len(set(texts)) < len(texts):
        raise ValueError(
            f"{program} knows states only as text, and two states of {name!r} are the same as text."
        )
    return texts


def _not_a_table(data: Any) -> str:
    if isinstance(data, str) or hasattr(data, "__fspath__"):
        cure = "read the file first, for example with pandas.read_csv"
    elif isinstance(data, dict | list | tuple):
        cure = "make it a table first, for example with pandas.DataFrame"
    else:
        cure = "convert it first"
    return f"the data must be {_ACCEPTED}, not {type(data).__name__}: {cure}"


def _check_names(names: Sequence[Hashable]) -> None:
    for name, times in Counter(names).items():
        if times > 1:
            raise ValueError(
                f"the column name {name!r} occurs {times} times: rename or drop all but one"
            )


def _index(labels: Sequence[Hashable]) -> "pd.Index[Any]":
    """Return a pandas Index of these categories, of their natural type where that is exact."""
    if len(set(map(type, labels))) == 1:
        try:
            return pd.Index(labels, tupleize_cols=False)
        except UnicodeEncodeError:
            pass  # Arrow-backed strings cannot hold a lone surrogate, which Python strings may.
    return pd.Index(labels, dtype=object, tupleize_cols=False)


def _narrowed(codes: NDArray[Any], categories: Sequence[Sequence[Hashable]]) -> Codes:
    return codes.astype(code_dtype(max(map(len, categories))), copy=False)


def _read_only(array: NDArray[Any]) -> NDArray[Any]:
    view = array.view()
    view.flags.writeable = False
    return view
