"""Rows in files -> a `CountSource`: a sample, and counts of all rows.

`count_rows` makes the first pass, and the `FileRows` that it returns make the second when a learner
asks for counts. `KeptCounts` answer from counts alone, and `add_rows` adds new rows to them.
"""

from abc import ABC, abstractmethod
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from bnsieve.counts import (
    Counted,
    CountSource,
    JointCounts,
    Moments,
    Plan,
    Scan,
    Summed,
    TableRows,
    Tables,
    placed,
    sampled_embedding,
)
from bnsieve.engine import Engine
from bnsieve.rows.parquet import ParquetSource, Rows, require_same_columns
from bnsieve.rows.passes import (
    Counter,
    RowSummer,
    Scanner,
    UnknownLabelError,
    run_pass,
    scan_all,
    sum_all,
    tally_all,
)
from bnsieve.table import LIMITS, Table, code_dtype, n_drawn

# A configuration takes 16 bytes in a table of which at least a quarter is used, and as much again
# while a table is sorted, sent or merged.
_BYTES_PER_CONFIGURATION = 128


@dataclass(eq=False)
class KeptCounts:
    """The counts of rows that were read before, as a `bnsieve.counts.CountSource`.

    Attributes
    ----------
    counted : Counted
    n_sample : int
        Rows of the sample.
    """

    counted: Counted
    n_sample: int

    @property
    def n_rows(self) -> int:
        """Number of rows that were counted."""
        return self.counted.found.n_rows

    @property
    def categories(self) -> dict[str, tuple[Hashable, ...]]:
        """The categories of each column in all rows."""
        found = self.counted.found
        return dict(zip(found.names, found.categories(), strict=True))

    def sample(self) -> Table:
        """Return the rows in which candidates are sought."""
        return self.counted.found.sample(self.n_sample)

    def larger_sample(self, names: Sequence[str]) -> Table:
        """Return some columns of all drawn rows."""
        found = self.counted.found
        return found.sample(len(found.rows)).select(names)

    def joint_counts(
        self, families: Sequence[Sequence[str]], *, trim: bool = False
    ) -> list[JointCounts]:
        """Return a table for each family that was counted."""
        tables = [self._longest(names) for names in families]
        for names, joint in zip(families, tables, strict=True):
            if not trim and len(joint.variables) < len(names):
                raise ValueError(
                    f"the columns {', '.join(map(repr, names))} were not counted together: fit "
                    "all files again"
                )
        return placed(tables)

    def _longest(self, names: Sequence[str]) -> JointCounts:
        found = (margin(names[:n], self.counted) for n in range(len(names), 0, -1))
        return next(joint for joint in found if joint is not None)

    @property
    def trimmed(self) -> dict[str, tuple[str, ...]]:
        """The columns that tables dropped, by the first column of the family."""
        if not self.counted.tables:
            return {}
        tables = self.counted.tables[0]
        plan = tables.plan
        return {
            plan.names[plan.neighbourhoods[number][0]]: tuple(plan.names[v] for v in lost)
            for number, lost in tables.trimmed.items()
        }

    def moments(self, names: Sequence[str]) -> Summed:
        """Return the embedding of some columns, from the first fit, and their sums."""
        summed = self.counted.summed
        absent = set(names) - set(() if summed is None else summed.embedding.names)
        if summed is None or absent:
            raise ValueError(
                f"the column {min(absent)!r} was constant in the first fit: fit all files again"
            )
        return summed.select(names)

    def kept(self) -> Counted:
        """Return the counts that are kept, so that new rows can be added."""
        return replace(self.counted, found=self.counted.found.lowest(self.n_sample))


@dataclass(eq=False)
class CountedRows(KeptCounts, ABC):
    """Rows that are not in memory: after a first pass, they are counted on request.

    Attributes
    ----------
    counted : Counted
        The results of the first pass, and the counts and sums so far.
    n_sample : int
        The number of drawn rows that are in the sample, and are kept after the fit.
    memory : int
        Bytes that the tables of one worker may take, about.
    """

    memory: int

    def joint_counts(
        self, families: Sequence[Sequence[str]], *, trim: bool = False
    ) -> list[JointCounts]:
        """Count all rows, one table per family.

        With `trim`, all tables are counted in one reading, which replaces earlier counts. Without
        it, tables are computed from earlier counts, and only families that no counted table
        contains are counted.
        """
        if trim:
            tables = self._tally(families, trim=True)
            self.counted = replace(self.counted, tables=(tables,))
            return placed(tables.joints)
        found = {tuple(names): margin(names, self.counted) for names in families}
        absent = [names for names, joint in found.items() if joint is None]
        if absent:
            tables = self._tally(absent, trim=False)
            self.counted = replace(self.counted, tables=(*self.counted.tables, tables))
            found.update(zip(absent, tables.joints, strict=True))
        return placed([joint for names in families if (joint := found[tuple(names)]) is not None])

    @abstractmethod
    def _tally(self, families: Sequence[Sequence[str]], *, trim: bool) -> Tables:
        """Count families of columns; with `trim` within the memory, else as a whole."""

    def _plan(self, families: Sequence[Sequence[str]], *, trim: bool) -> Plan:
        return make_plan(self.counted.found, families, self.memory if trim else 2**62)


@dataclass(eq=False)
class FileRows(CountedRows):
    """Rows in files as a `bnsieve.counts.CountSource`: read once before, counted on request.

    Attributes
    ----------
    counted : Counted
    n_sample : int
    memory : int
    source : ParquetSource
    engine : Engine
    entities : ndarray of int32, shape (n_rows,), or None
        The entity of each row, if rows of one entity are dependent.
    """

    source: ParquetSource
    engine: Engine
    entities: NDArray[np.int32] | None = None

    def sample(self) -> Table:
        """Return the rows in which candidates are sought, with their entities."""
        return self._with_entities(super().sample(), self.n_sample)

    def larger_sample(self, names: Sequence[str]) -> Table:
        """Return some columns of all drawn rows, with their entities."""
        return self._with_entities(super().larger_sample(names), len(self.counted.found.rows))

    def sampled_rows(self) -> NDArray[np.int64]:
        """Return the number of each row of `sample` among all rows; the first is 0."""
        return np.sort(self.counted.found.lowest(self.n_sample).rows).astype(np.int64)

    def _with_entities(self, table: Table, n: int) -> Table:
        if self.entities is None:
            return table
        rows = np.sort(self.counted.found.lowest(n).rows)
        return replace(table, entities=self.entities[rows])

    def _tally(self, families: Sequence[Sequence[str]], *, trim: bool) -> Tables:
        return tally_all(self.source, self._plan(families, trim=trim), self.engine)

    def moments(self, names: Sequence[str]) -> Summed:
        """Return the embedding of some columns, from the sample, and the sums of all rows.

        The first call reads all rows.
        """
        summed = self.counted.summed
        if summed is None or not {*names} <= {*summed.embedding.names}:
            embedding = sampled_embedding(self.sample().select(names), self.categories)
            summed = Summed(embedding, sum_all(self.source, embedding, self.engine))
            self.counted = replace(self.counted, summed=summed)
        return summed.select(names)

    def cut_at(self, cuts: Mapping[str, Sequence[float]]) -> "FileRows":
        """Return the same rows with other bins of some columns; this reads them once."""
        source, n_rows = self.source.cut_at(cuts), len(self.counted.found.rows)
        found = scan_all(source, n_rows, self.counted.seed, self.engine).lowest(n_rows)
        counted = Counted(found, (), self.counted.seed)
        return replace(self, counted=counted, source=source)


@dataclass(frozen=True)
class Sampling:
    """The sampling that a learner needs for rows that do not fit in memory.

    Attributes
    ----------
    n_sample : int or None
        The number of rows of the sample. None: all rows, for a learner that needs them in memory.
    memory : int
        Bytes that the tables of one worker may take, about.
    seed : int
        Of the sample.
    n_whole : int
        If there are numbers, and no more rows than this, the sample has all rows.
    fills_missing : bool
        Whether missing values are imputed. If there are any, only as many rows as fit in memory are
        drawn and used.
    """

    n_sample: int | None = None
    memory: int = 0
    seed: int = 0
    n_whole: int = 0
    fills_missing: bool = False


def count_rows(source: ParquetSource, sampling: Sampling, engine: Engine) -> CountSource:
    """Read a source once; return a sample with a counter of all rows, or all rows in memory."""
    n_sample = sampling.n_sample
    if source.numbers and source.n_rows <= sampling.n_whole:
        n_sample = None
    wanted = source.n_rows if n_sample is None else n_sample
    if min(wanted, source.n_rows) * len(source.names) > LIMITS.codes:
        raise ValueError(
            f"{wanted:,} rows of {len(source.names):,} columns do not fit in memory: "
            "TsetlinSieve learns from a sample and two passes; give other learners a sample"
        )
    n_rows = n_drawn(wanted, len(source.names))
    found = scan_all(source, n_rows, sampling.seed, engine).lowest(n_rows)
    if wanted < source.n_rows:
        counted = Counted(found, (), sampling.seed)
        return FileRows(counted, wanted, sampling.memory, source, engine)
    return TableRows(found.sample(wanted))


def make_plan(found: Scan, neighbourhoods: Sequence[Sequence[str]], memory: int) -> Plan:
    """Return the tables to count, and their largest sizes."""
    names = tuple(sorted({name for one in neighbourhoods for name in one}))
    place = {name: i for i, name in enumerate(names)}
    categories = dict(zip(found.names, found.categories(), strict=True))
    counts = dict(zip(found.names, found.counts, strict=True))
    return Plan(
        names,
        tuple(categories[name] for name in names),
        tuple(None in counts[name] for name in names),
        tuple(tuple(place[name] for name in one) for one in neighbourhoods),
        max(1, memory // (_BYTES_PER_CONFIGURATION * len(neighbourhoods))),
    )


def margin(names: Sequence[str], counted: Counted) -> JointCounts | None:
    """Return the table of some columns from earlier counts; None if no table contains them."""
    if len(names) > 1:
        margins = (tables.margin(names) for tables in counted.tables)
        return next((joint for joint in margins if joint is not None), None)
    found = counted.found
    place = found.names.index(names[0])
    counts, labels = found.counts[place], found.categories_of(place)
    n = np.array([*(counts[label] for label in labels), counts.get(None, 0)], dtype=np.int64)
    codes = np.flatnonzero(n)
    configurations = codes[np.newaxis].astype(code_dtype(len(labels) + 1))
    return JointCounts((place,), (len(labels),), (None in counts,), configurations, n[codes])


def add_rows(
    source: ParquetSource, counted: Counted, n_sample: int, engine: Engine
) -> tuple[Counted, Scan]:
    """Read new rows once and add them to what was counted.

    Parameters
    ----------
    source : ParquetSource
        New rows, prepared like the counted ones.
    counted : Counted
    n_sample : int
        The size of the sample that is kept.
    engine : Engine

    Returns
    -------
    Counted
        The counts of all rows, the same as from one reading of all rows.
    Scan
        The scan of the new rows alone.
    """
    if not counted.found.numbers:
        source = source.cut_at({})
    _same_columns(source, counted.found)
    before, summed = counted.tables, counted.summed
    try:
        new, tables, moments = run_pass(
            source,
            engine,
            "counting",
            lambda: _Everything(source, counted, n_sample),
            counted.found.names,
            source.numbers,
            _both,
        )
    except UnknownLabelError:
        # New categories change every code: learn them first, then count.
        new = scan_all(source, n_sample, counted.seed, engine, counted.found.n_rows)
        plans = [_widened(one.plan, counted.found + new) for one in counted.tables]
        tables = tuple(tally_all(source, plan, engine) for plan in plans)
        before = tuple(one.recoded(plan) for one, plan in zip(before, plans, strict=True))
        moments = None if summed is None else sum_all(source, summed.embedding, engine)
    if summed is not None and moments is not None:
        summed = replace(summed, moments=summed.moments + moments)
    both = tuple(a + b for a, b in zip(before, tables, strict=True))
    found = (counted.found + new).lowest(n_sample)
    return Counted(found, both, counted.seed, summed), new


_Read = tuple[Scan, tuple[Tables, ...], Moments | None]


class _Everything:
    """Collects of new rows all that was kept of those before."""

    def __init__(self, source: ParquetSource, counted: Counted, n_sample: int) -> None:
        found = counted.found
        self._scanner = Scanner(source, found.names, n_sample, counted.seed, found.n_rows)
        self._counters = [Counter(one.plan, source.numbers) for one in counted.tables]
        self._summer = None if counted.summed is None else RowSummer(counted.summed.embedding)

    def add(self, rows: Rows) -> None:
        self._scanner.add(rows)
        for counter in self._counters:
            counter.add(rows)
        if self._summer is not None:
            self._summer.add(rows)

    def result(self) -> _Read:
        tables = tuple(counter.result() for counter in self._counters)
        moments = None if self._summer is None else self._summer.result()
        return self._scanner.result(), tables, moments


def _both(a: _Read, b: _Read) -> _Read:
    tables = tuple(x + y for x, y in zip(a[1], b[1], strict=True))
    return a[0] + b[0], tables, None if a[2] is None or b[2] is None else a[2] + b[2]


def _widened(plan: Plan, found: Scan) -> Plan:
    """Return a plan of the same tables that knows all categories found."""
    sets = [[plan.names[v] for v in one] for one in plan.neighbourhoods]
    return replace(make_plan(found, sets, 0), limit=plan.limit)


def _same_columns(source: ParquetSource, found: Scan) -> None:
    names = {bool: "boolean", int: "integer", str: "string"}
    first_labels = (next(one for one in counts if one is not None) for counts in found.counts)
    expected = {
        name: names[type(label)] for name, label in zip(found.names, first_labels, strict=True)
    }
    kinds = dict(zip(source.names, source.kinds, strict=True))
    require_same_columns(source.files[0].path, kinds, "the rows read before", expected)
