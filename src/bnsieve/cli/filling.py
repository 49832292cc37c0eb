"""Fill the missing values of rows, and write them as their column writes its values.

In: an `OpenedModel`, rows, and their cells as they are to be written. Out: `FilledRows`. A cell is
missing if learning would read it so, whatever text it holds; all others stay as they are.
"""

from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from bnsieve.cli.models import OpenedModel
from bnsieve.network import MISSING_STATE
from bnsieve.table import bin_labels, binned
from bnsieve.table.prepare import Numbers, choose_style, label_text, write_numbers


@dataclass(frozen=True, eq=False)
class FilledRows:
    """Rows, and what was filled in.

    Attributes
    ----------
    rows : DataFrame
    counts : dict of str to int
        The number of values filled in, by column.
    n_left : int
        The number of values that are still missing.
    replaced : dict of str to (int, str)
        The number of filled cells that held a text or code, and the first of them, by column.
    """

    rows: pd.DataFrame
    counts: dict[str, int] = field(default_factory=dict)
    n_left: int = 0
    replaced: dict[str, tuple[int, str]] = field(default_factory=dict)


def fill(
    model: OpenedModel, frame: pd.DataFrame, written: pd.DataFrame, drawn: bool, seed: int
) -> FilledRows:
    """Fill the missing values of rows.

    Parameters
    ----------
    model : OpenedModel
    frame : DataFrame
        The rows as they were read.
    written : DataFrame
        Their cells as they are to be written.
    drawn : bool
        Whether to draw states at random.
    seed : int
    """
    values = model.imputed(frame, drawn, seed)
    missing = model.missing(frame)
    rows, counts, replaced, n_left = written.copy(), {}, {}, 0
    for name in frame.columns:
        is_blank = frame[name].isna().to_numpy()
        if name not in missing:
            n_left += int(is_blank.sum())
            continue
        is_filled = missing[name] & _is_known(values[name])
        n_left += int(((is_blank | missing[name]) & ~is_filled).sum())
        if not is_filled.any():
            continue
        rows[name] = _Column(model, name, frame, written[name]).filled(values[name], is_filled)
        counts[name] = int(is_filled.sum())
        held = written[name].to_numpy()[is_filled & ~is_blank]
        if len(held):
            replaced[name] = len(held), str(held[0])
    return FilledRows(rows, counts, n_left, replaced)


def _is_known(values: "pd.Series[Any]") -> NDArray[np.bool_]:
    return (values.notna() & (values.astype(object) != MISSING_STATE)).to_numpy(dtype=bool)


class _Column:
    """Writes the values of one variable as its column does."""

    def __init__(
        self, model: OpenedModel, name: str, frame: pd.DataFrame, written: "pd.Series[Any]"
    ) -> None:
        self._model, self._name, self._frame = model, name, frame
        self._output = model.output(name)
        self._cells, self._written = frame[name], written
        dtype = self._cells.dtype
        self._is_number = pd.api.types.is_numeric_dtype(dtype) and dtype.kind != "b"
        self._is_text = pd.api.types.is_string_dtype(written)

    def filled(self, values: "pd.Series[Any]", is_filled: NDArray[np.bool_]) -> NDArray[np.object_]:
        """Return the cells of the column, those that were missing filled in."""
        cells = self._written.to_numpy(dtype=object, copy=True)
        chosen = values[is_filled]
        if self._output is not None and isinstance(self._output.reading, Numbers):
            cells[is_filled] = self._of_numbers(self._as_numbers(chosen), self._output.reading)
        else:
            cells[is_filled] = self._of_states(chosen)
        return cells

    def _as_numbers(self, values: "pd.Series[Any]") -> NDArray[np.float64]:
        """Return numbers; for a bin, the median of the known numbers in it."""
        assert self._output is not None
        if self._output.bin_edges is None or pd.api.types.is_numeric_dtype(values.dtype):
            return values.to_numpy(dtype=np.float64)
        edges = np.array(self._output.bin_edges, dtype=np.float64)
        numbers = self._model.numbers(self._frame, self._name)
        known = numbers[~np.isnan(numbers)]
        places = pd.Series(binned(known, edges))
        ends = np.concatenate([edges[:1], edges, edges[-1:]])
        middles = pd.Series((ends[:-1] + ends[1:]) / 2)
        medians = pd.Series(known).groupby(places).median().reindex(middles.index).fillna(middles)
        number_of = dict(zip(bin_labels(edges), medians.tolist(), strict=True))
        return np.array([number_of[str(label)] for label in values])

    def _of_numbers(self, numbers: NDArray[np.float64], reading: Numbers) -> list[Any]:
        if self._is_number and not self._is_text:
            whole = pd.api.types.is_integer_dtype(self._cells.dtype)
            return [int(x) if whole and x.is_integer() else x for x in numbers.tolist()]
        like = self._written[self._cells.notna()].drop_duplicates().to_numpy(dtype=object)
        like = like.astype(str).astype(object)
        style = reading.style
        if self._is_number:  # numbers of a CSV file, which may have a decimal comma
            style, *_ = choose_style(like, np.ones(len(like), dtype=np.int64))
        return write_numbers(numbers, style, reading.unit, like)

    def _of_states(self, values: "pd.Series[Any]") -> list[Any]:
        known = self._cells.notna() & ~self._cells.duplicated()
        pairs = zip(self._cells[known].tolist(), self._written[known].tolist(), strict=True)
        spelled = {label_text(cell): text for cell, text in pairs}
        return [spelled.get(label_text(state), self._unspelled(state)) for state in values]

    def _unspelled(self, state: Any) -> Any:
        """Return a state that no cell of these rows has."""
        if self._is_text or not self._is_number or not isinstance(state, int | float):
            return label_text(state)
        return state
