"""Columns of files, prepared by a `Preparation`, some rows at a time.

In: Arrow arrays, as they are stored. Out: a `Column` for categories and float64 for numbers.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pyarrow as pa

from bnsieve.table import Column, Floats, read_column
from bnsieve.table.prepare import (
    ColumnPlan,
    DatePart,
    Labels,
    Numbers,
    Output,
    Preparation,
    fixed_labels,
    has_codes,
    labelled,
    needed_by,
    passes,
    quantity_of,
    require_columns,
    with_times,
    without_missing,
)


@dataclass(frozen=True)
class Prepared:
    """Columns prepared by a `Preparation`. It can be sent to another process.

    Attributes
    ----------
    plan : Preparation
    keeps_numbers : bool
        Whether binned columns are also available as numbers.
    """

    plan: Preparation
    keeps_numbers: bool = True

    @property
    def bins(self) -> dict[str, tuple[str, ...]]:
        """The categories of the columns whose categories have an order of their own."""
        found = ((output.name, fixed_labels(output)) for output in self.plan.outputs)
        return {name: labels for name, labels in found if labels is not None}

    @property
    def numbers(self) -> dict[str, tuple[float, ...]]:
        """The columns that a learner may use as numbers, and their bin edges."""
        if not self.keeps_numbers:
            return {}
        found = ((one.name, one.bin_edges) for one in self.plan.outputs if one.is_number)
        return {name: cuts for name, cuts in found if cuts is not None}

    def cut_at(self, cuts: Mapping[str, Sequence[float]]) -> "Prepared":
        """Return the same with other bins of some columns, and none as numbers."""
        return Prepared(self.plan.with_bin_edges(cuts), keeps_numbers=False)

    def kinds(self, stored: Mapping[str, str]) -> dict[str, str]:
        """Return names and kinds of the outputs; see `bnsieve.rows.parquet.ParquetSource`."""
        require_columns(self.plan.needed, stored)
        return {
            output.name: _kind(output, stored[column.name])
            for column in self.plan.columns
            for output in column.outputs
        }

    def needed(self, names: Collection[str]) -> tuple[str, ...]:
        """Return the columns of the files that the outputs need."""
        return needed_by(self._columns(names))

    def recode(
        self,
        path: str,
        stored: Mapping[str, Any],
        names: Collection[str],
        numbers: Collection[str] = (),
    ) -> dict[str, Column | Floats]:
        """Return some rows of the outputs.

        Parameters
        ----------
        path : str
            The file of the rows, for error messages.
        stored : mapping of str to pyarrow.Array
        names : collection of str
        numbers : collection of str
            The outputs as numbers: float64, with NaN for missing values.
        """
        made: dict[str, Column | Floats] = {
            output.name: stored[column.name].to_numpy()
            for column in self._columns(numbers)
            for output in column.outputs
            if self._is_plain(output, column.name, stored[column.name])
        }
        made |= self._from_days(stored, {*names}.difference(made), numbers)
        chosen = self._columns({*names}.difference(made))
        raw = {name: read_column(stored[name]) for name in needed_by(chosen)}
        clean = {
            name: without_missing(one, name, self.plan.missing_texts) for name, one in raw.items()
        }
        cells = with_times(chosen, clean)
        for column in chosen:
            for output in column.outputs:
                if output.name in numbers:
                    made[output.name] = quantity_of(output.reading, column.name, cells)
                elif passes(output, raw[column.name], cells[column.name]):
                    made[output.name] = raw[column.name]
                else:
                    try:
                        made[output.name] = labelled(output, column.name, cells)
                    except ValueError as error:
                        raise ValueError(f"{path}: {error}") from None
        return made

    def _from_days(
        self, stored: Mapping[str, Any], names: Collection[str], numbers: Collection[str]
    ) -> dict[str, Column | Floats]:
        """Return parts of dates, such as the weekday, found once for each different day."""
        made: dict[str, Column | Floats] = {}
        for column in self._columns(names):
            parts = [one for one in column.outputs if isinstance(one.reading, DatePart)]
            if not parts or not pa.types.is_date(stored[column.name].type):
                continue
            days = stored[column.name].dictionary_encode()
            # A missing day behind the others, for the rows without one.
            each = pa.concat_arrays([days.dictionary, pa.nulls(1, days.dictionary.type)])
            place = days.indices.fill_null(len(each) - 1).to_numpy()
            cells = {column.name: read_column(each)}
            for output in parts:
                if output.name in numbers:
                    made[output.name] = quantity_of(output.reading, column.name, cells)[place]
                else:
                    part = labelled(output, column.name, cells)
                    made[output.name] = replace(part, codes=part.places[place])
        return made

    def _is_plain(self, output: Output, name: str, column: Any) -> bool:
        """Tell whether a column is stored as the finite numbers it says."""
        told = isinstance(output.reading, Numbers) and not has_codes(name, self.plan.missing_texts)
        if not told or column.type != pa.float64() or column.null_count:
            return False
        return not np.isinf(column.to_numpy()).any()

    def _columns(self, names: Collection[str]) -> tuple[ColumnPlan, ...]:
        """Return the plans of some outputs, without the others."""
        wanted = set(names)
        found = (
            (one, [own for own in one.outputs if own.name in wanted]) for one in self.plan.columns
        )
        return tuple(replace(one, outputs=tuple(outputs)) for one, outputs in found if outputs)


def _kind(output: Output, stored: str) -> str:
    """Return what the categories of an output are."""
    reading = output.reading
    if output.groups is not None or output.blank is not None:
        return "string"
    if isinstance(reading, Labels):
        return stored if stored in ("integer", "boolean") else "string"
    if output.bin_edges is not None or (
        isinstance(reading, DatePart) and reading.part not in ("year", "hour")
    ):
        return "string"
    return "integer"
