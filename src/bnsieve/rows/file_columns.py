"""The columns of rows in files, as far as it must be known what they are; and their recoding."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa

from bnsieve import _native
from bnsieve.engine import Engine, Tell, inner_stage
from bnsieve.rows.file_rows import rows_to_bin, split
from bnsieve.rows.followed import followed
from bnsieve.rows.parquet import Chunk, ParquetSource
from bnsieve.table import Column, numbers_among, read_column
from bnsieve.table.prepare import (
    ColumnFacts,
    ColumnPlan,
    DatePart,
    Elapsed,
    IsOdd,
    Labels,
    Numbers,
    OddFound,
    Output,
    Preparation,
    fixed_labels,
    labelled,
    odd_in,
    passes,
    quantity_of,
    require_columns,
    whole_numbers_pass,
    with_times,
)

Facts = dict[str, ColumnFacts]


@dataclass(frozen=True)
class FileColumns:
    """Rows in files as `bnsieve.table.prepare.Columns`.

    Attributes
    ----------
    source : ParquetSource
        As it is stored.
    engine : Engine
    seed : int
        Of the rows that are drawn.
    """

    source: ParquetSource
    engine: Engine
    seed: int

    @property
    def names(self) -> tuple[str, ...]:
        """The columns, in order."""
        return self.source.names

    @property
    def n_rows(self) -> int:
        """Number of rows."""
        return self.source.n_rows

    def facts(self, names: Sequence[str], missing: Collection[str]) -> Facts:
        """Look at all rows of some columns, in one reading."""
        source = self.source.keep(names).recoded(AsStored())

        def work(part: Sequence[Chunk], tell: Tell) -> Facts:
            found: Facts = {}
            for _, _, piece in followed(source, tell).read(part, source.names):
                for name, column in zip(piece.schema.names, piece.columns, strict=True):
                    _native.stop_if_asked()  # a piece of thousands of columns takes seconds
                    cells = read_column(column).without(missing)
                    one = found.get(name)
                    found[name] = ColumnFacts.of(cells) if one is None else one.plus(cells)
            return found

        if not source.names:
            return {}
        with inner_stage("columns", source.n_rows, "rows") as tell:
            return self.engine.fold(work, split(source.chunks, self.engine.n_parts), _added, tell)

    def sample(self, names: Sequence[str], missing: Collection[str]) -> dict[str, Column]:
        """Draw some rows of some columns, in one reading: all rows if they are few."""
        source = self.source.keep(names).recoded(AsStored())
        rows = rows_to_bin(source, self.seed, self.engine)
        return {name: read_column(rows.column(name)).without(missing) for name in names}

    def odd(self, name: str, is_odd: IsOdd, missing: Collection[str]) -> OddFound:
        """Look for odd cells in all rows of a column, in one reading of it."""
        source = self.source.keep([name]).recoded(AsStored())

        def work(part: Sequence[Chunk], tell: Tell) -> OddFound:
            found: OddFound = {}
            for first, _, piece in followed(source, tell).read(part, source.names):
                cells = read_column(piece.column(0)).without(missing)
                found = _both(found, odd_in(cells, is_odd, first))
            return found

        with inner_stage("columns", source.n_rows, "rows") as tell:
            return self.engine.fold(work, split(source.chunks, self.engine.n_parts), _both, tell)


def _added(a: Facts, b: Facts) -> Facts:
    return {name: a[name] + b[name] for name in a}


def _both(a: OddFound, b: OddFound) -> OddFound:
    found = dict(a)
    for value, (row, n) in b.items():
        before = found.get(value, (row, 0))
        found[value] = (min(row, before[0]), n + before[1])
    return found


@dataclass(frozen=True)
class AsStored:
    """Columns as they are stored: a `bnsieve.rows.recoding.Recoding` that changes none.

    Values that stand in the paths of files are among them.
    """

    @property
    def bins(self) -> dict[str, tuple[str, ...]]:
        """None."""
        return {}

    @property
    def numbers(self) -> dict[str, tuple[float, ...]]:
        """None."""
        return {}

    def cut_at(self, cuts: Mapping[str, Sequence[float]]) -> "AsStored":
        """Return the same: nothing is cut."""
        return self

    def kinds(self, stored: Mapping[str, str]) -> dict[str, str]:
        """Return the same."""
        return dict(stored)

    def needed(self, names: Sequence[str]) -> list[str]:
        """Return the same."""
        return list(names)

    def recode(
        self,
        path: str,
        columns: Mapping[str, Any],
        names: Sequence[str],
        n_rows: int,
        numbers: Collection[str] = (),
    ) -> pa.RecordBatch:
        """Return the rows as they are."""
        return pa.RecordBatch.from_pydict({name: columns[name] for name in names})


@dataclass(frozen=True)
class Prepared:
    """Columns as a `Preparation` says: a `bnsieve.rows.recoding.Recoding`.

    Attributes
    ----------
    plan : Preparation
    keeps_numbers : bool
        Whether columns that are cut are also offered as the numbers they are.
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
        """The columns that a learner may take as the numbers they are, and where they are cut."""
        if not self.keeps_numbers:
            return {}
        found = ((one.name, one.cuts) for one in self.plan.outputs if one.is_number)
        return {name: cuts for name, cuts in found if cuts is not None}

    def cut_at(self, cuts: Mapping[str, Sequence[float]]) -> "Prepared":
        """Return the same with some columns cut elsewhere, and none as numbers."""
        return Prepared(self.plan.cut_at(cuts), keeps_numbers=False)

    def kinds(self, stored: Mapping[str, str]) -> dict[str, str]:
        """Return names and kinds of the outputs."""
        require_columns(self.plan.needed, stored)
        return {
            output.name: _kind(output, stored[column.name])
            for column in self.plan.columns
            for output in column.outputs
        }

    def needed(self, names: Sequence[str]) -> list[str]:
        """Return the columns that outputs are made from."""
        found: dict[str, None] = {}
        for column, output in self._outputs(names):
            found[column.name] = None
            if isinstance(output.reading, Elapsed):
                found[output.reading.since] = None
        return list(found)

    def recode(
        self,
        path: str,
        columns: Mapping[str, Any],
        names: Sequence[str],
        n_rows: int,
        numbers: Collection[str] = (),
    ) -> pa.RecordBatch:
        """Return some rows of the outputs."""
        outputs = self._outputs(names)
        plain = {
            output.name: values
            for column, output in self._outputs(numbers)
            if (values := self._plain(output, columns[column.name])) is not None
        }
        plain |= {
            output.name: columns[column.name]
            for column, output in outputs
            if output.name not in numbers
            and whole_numbers_pass(output, self.plan.missing_texts)
            and pa.types.is_integer(columns[column.name].type)
        }
        read = self.needed([name for name in names if name not in plain])
        raw = {name: read_column(columns[name]) for name in read}
        clean = {name: one.without(self.plan.missing_texts) for name, one in raw.items()}
        cells = with_times(self.plan.columns, clean)
        found = {}
        for column, output in outputs:
            if output.name in plain:
                found[output.name] = plain[output.name]
                continue
            if output.name in numbers:
                found[output.name] = pa.array(quantity_of(output.reading, column.name, cells))
                continue
            if passes(output, raw[column.name], cells[column.name]):
                found[output.name] = columns[column.name]
                continue
            try:
                rows = labelled(output, column.name, cells)
            except ValueError as error:
                raise ValueError(f"{path}: {error}") from None
            indices = pa.array(rows.places.astype(np.int32), mask=rows.missing)
            found[output.name] = pa.DictionaryArray.from_arrays(
                indices, pa.array(rows.values.tolist())
            )
        return pa.RecordBatch.from_pydict(found)

    def _plain(self, output: Output, column: Any) -> Any:
        """Return a column that is stored as the finite numbers it says; None of any other."""
        told = isinstance(output.reading, Numbers) and not numbers_among(self.plan.missing_texts)
        if not told or column.type != pa.float64() or column.null_count:
            return None
        return None if np.isinf(column.to_numpy()).any() else column

    def _outputs(self, names: Collection[str]) -> list[tuple[ColumnPlan, Output]]:
        wanted = set(names)
        return [
            (column, output)
            for column in self.plan.columns
            for output in column.outputs
            if output.name in wanted
        ]


def _kind(output: Output, stored: str) -> str:
    """Return what the categories of an output are."""
    plain = output.groups is None and output.blank is None
    if isinstance(output.reading, Labels) and plain:
        return stored if stored in ("integer", "boolean") else "string"
    if output.cuts is None and output.blank is None and output.groups is None:
        if isinstance(output.reading, Numbers):
            return "integer"
        if isinstance(output.reading, Elapsed) or (
            isinstance(output.reading, DatePart) and output.reading.part in ("year", "hour")
        ):
            return "integer"
    return "string"
