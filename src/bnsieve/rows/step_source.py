"""Rows in files in order of entity and time -> one row for each step of a given length.

In: prepared rows of a `ParquetSource`, and the entity and the step of each. Out: a Parquet file
with a row per step, and a `StepSource` that reads it. A row has the mean of numeric variables, and
the last known value of others. A step that continues in the next row group is carried over as sums.
"""

from collections.abc import Collection, Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.dataset as ds
from numpy.typing import NDArray

from bnsieve.rows.parquet import Chunk, ParquetSource, Rows, open_dataset
from bnsieve.table import Column, Floats, bin_labels, binned, last_known, read_column

_TYPES = {"string": pa.string(), "integer": pa.int64(), "boolean": pa.bool_()}


@dataclass(frozen=True, kw_only=True, eq=False)
class StepSource(ParquetSource):
    """Prepared steps in a Parquet file: categories, and numbers that are binned on reading.

    Attributes
    ----------
    edges : mapping of str to tuple of float
        The bin edges of the numeric variables.
    orders : mapping of str to tuple of str
        The categories of others that have an order of their own.
    keeps_numbers : bool
        Whether numeric variables are also available as numbers.
    """

    edges: Mapping[str, tuple[float, ...]]
    orders: Mapping[str, tuple[str, ...]]
    keeps_numbers: bool

    @property
    def bins(self) -> dict[str, tuple[str, ...]]:
        """The categories of the columns that have an order of their own."""
        return {**self.orders, **{name: _labels(own) for name, own in self.edges.items()}}

    @property
    def numbers(self) -> dict[str, tuple[float, ...]]:
        """The columns that can also be read as numbers, and their bin edges."""
        return dict(self.edges) if self.keeps_numbers else {}

    def cut_at(self, cuts: Mapping[str, Sequence[float]]) -> "StepSource":
        """Return the same steps with other bins of some columns, and none as numbers."""
        own = {name: tuple(edges) for name, edges in cuts.items()}
        return replace(self, edges={**self.edges, **own}, keeps_numbers=False)

    def read(
        self, chunks: Sequence[Chunk], names: Sequence[str], numbers: Collection[str] = ()
    ) -> Iterator[Rows]:
        """Yield the steps of some chunks piece by piece; see `ParquetSource.read`."""
        for first, file, batch in self.batches(chunks, names):
            columns: dict[str, Column | Floats] = {}
            for name in names:
                stored = batch.column(name)
                if name not in self.edges:
                    columns[name] = read_column(stored)
                    continue
                values: Floats = stored.to_numpy(zero_copy_only=False)
                columns[name] = values
                if name not in numbers:
                    edges = np.array(self.edges[name], dtype=np.float64)
                    columns[name] = Column.of_categories(bin_labels(edges), binned(values, edges))
            yield Rows(first, file, batch.num_rows, columns)


def open_steps(
    path: Path, plain: ParquetSource, given: str, *, keeps_numbers: bool
) -> tuple[ParquetSource, StepSource]:
    """Open a file that `resampled` wrote: the entity and step columns, and the prepared ones.

    Parameters
    ----------
    path : Path
    plain : ParquetSource
        The prepared rows that the steps come from.
    given : str
        The name of the data in errors.
    keeps_numbers : bool
        Whether numeric variables are learned from as the numbers they are.
    """
    stored = open_dataset(ds.dataset(str(path), format="parquet"), given)
    kinds = zip(stored.names, stored.kinds, strict=True)
    steps = StepSource(
        stored.files,
        plain.names,
        plain.kinds,
        stored.filesystem,
        stored=tuple(kinds),
        edges=plain.numbers,
        orders={name: own for name, own in plain.bins.items() if name not in plain.numbers},
        keeps_numbers=keeps_numbers,
    )
    return stored, steps


class Resampler:
    """Combines all rows of a step into one row, piece by piece.

    Parameters
    ----------
    plain : ParquetSource
        Prepared rows in order of entity and time.
    time : str
        The name of the column with the number of the step.
    by : str or None
        The name of the column with the number of the entity, or None.
    """

    def __init__(self, plain: ParquetSource, time: str, by: str | None) -> None:
        self._plain = plain
        self._time, self._by = time, by
        self._codes: dict[str, dict[Hashable, int]] = {
            name: {} for name in plain.names if name not in plain.numbers
        }
        # The last step, which may go on in the next piece.
        self._open: _Groups | None = None

    def add(self, rows: Rows, entities: NDArray[np.uint64], steps: NDArray[np.int64]) -> Any:
        """Add some rows; return the steps before the last one as an Arrow batch."""
        is_new = np.ones(rows.n_rows, dtype=bool)
        is_new[1:] = (entities[1:] != entities[:-1]) | (steps[1:] != steps[:-1])
        starts = np.flatnonzero(is_new)
        found = _Groups(entities[starts], steps[starts], {}, {}, {})
        for name, column in rows.columns.items():
            if isinstance(column, Column):
                found.last[name] = last_known(self._coded(name, column), starts)
                continue
            known = ~np.isnan(column)
            found.sums[name] = np.add.reduceat(np.where(known, column, 0.0), starts)
            found.counts[name] = np.add.reduceat(known.astype(np.int64), starts)
        if self._open is not None:
            found = self._open.before(found)
        self._open = found.part(slice(-1, None))
        return self._batch(found.part(slice(0, -1)))

    def rest(self) -> Any:
        """Return the last step as an Arrow batch."""
        assert self._open is not None
        return self._batch(self._open)

    def _coded(self, name: str, column: Column) -> NDArray[np.int64]:
        codes = self._codes[name]
        labels, places = column.indexed()
        of_label = [-1 if one is None else codes.setdefault(one, len(codes)) for one in labels]
        return np.array(of_label, dtype=np.int64)[places]

    def _batch(self, groups: "_Groups") -> pa.RecordBatch:
        columns: dict[str, Any] = {self._time: pa.array(groups.steps, pa.timestamp("us"))}
        if self._by is not None:
            columns[self._by] = pa.array(groups.entities.view(np.int64))
        for name, kind in zip(self._plain.names, self._plain.kinds, strict=True):
            if name in groups.sums:
                counts = groups.counts[name]
                means = np.full(len(counts), np.nan)
                np.divide(groups.sums[name], counts, out=means, where=counts > 0)
                columns[name] = pa.array(means)
            else:
                last = groups.last[name]
                labels = pa.array([*self._codes[name]], _TYPES[kind])
                columns[name] = labels.take(pa.array(last, mask=last < 0))
        return pa.RecordBatch.from_pydict(columns)


@dataclass(frozen=True, eq=False)
class _Groups:
    """Some steps: whose they are, and what their rows amount to so far, by column."""

    entities: NDArray[np.uint64]
    steps: NDArray[np.int64]
    sums: dict[str, Floats]
    counts: dict[str, NDArray[np.int64]]
    last: dict[str, NDArray[np.int64]]

    def part(self, chosen: slice) -> "_Groups":
        """Return some of the steps."""
        return _Groups(
            self.entities[chosen],
            self.steps[chosen],
            {name: own[chosen] for name, own in self.sums.items()},
            {name: own[chosen] for name, own in self.counts.items()},
            {name: own[chosen] for name, own in self.last.items()},
        )

    def before(self, after: "_Groups") -> "_Groups":
        """Return this one step and others after it, of which the first may be the same."""
        goes_on = self.entities[0] == after.entities[0] and self.steps[0] == after.steps[0]
        if goes_on:
            for name in after.sums:
                after.sums[name][0] += self.sums[name][0]
                after.counts[name][0] += self.counts[name][0]
            for name, own in after.last.items():
                own[0] = own[0] if own[0] >= 0 else self.last[name][0]
            return after
        return _Groups(
            np.append(self.entities, after.entities),
            np.append(self.steps, after.steps),
            {name: np.append(own, after.sums[name]) for name, own in self.sums.items()},
            {name: np.append(own, after.counts[name]) for name, own in self.counts.items()},
            {name: np.append(own, after.last[name]) for name, own in self.last.items()},
        )


def _labels(edges: Sequence[float]) -> tuple[str, ...]:
    return tuple(bin_labels(np.array(edges, dtype=np.float64)))
