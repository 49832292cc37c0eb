"""Rows in files -> a `CountSource`: a sample of them, and counts of all.

This joins the two passes to the learners: `count_rows` makes the first, and the `FileRows` that it
gives make the second when a learner asks for counts.
"""

import operator
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from bnsieve import _native
from bnsieve.counts import (
    Counted,
    CountSource,
    Embedding,
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
from bnsieve.engine import Engine, Tell, inner_stage
from bnsieve.rows.counting_pass import tally
from bnsieve.rows.first_pass import draw, scan
from bnsieve.rows.followed import followed
from bnsieve.rows.numbers import Drawn, table_of
from bnsieve.rows.parquet import Chunk, ParquetSource
from bnsieve.rows.summing_pass import sum_rows
from bnsieve.table import LIMITS, MAX_ROWS, Table, code_dtype, n_drawn

if TYPE_CHECKING:
    import pyarrow as pa

# A configuration takes 16 bytes in a table of which at least a quarter is used, and as much again
# while a table is sorted, sent or merged.
_BYTES_PER_CONFIGURATION = 128


@dataclass
class FileRows:
    """Rows in files as a `bnsieve.counts.CountSource`: read once before, and now counted.

    Attributes
    ----------
    source : ParquetSource
    found : Scan
        What the first reading found.
    n_sample : int
        How many of the rows drawn are in the sample, and are kept in the end.
    memory : int
        Bytes that the tables of one worker may take, about.
    engine : Engine
    seed : int
        Of the sample.
    tables : tuple of Tables
        What was counted so far.
    summed : Summed or None
        What was summed.
    """

    source: ParquetSource
    found: Scan
    n_sample: int
    memory: int
    engine: Engine
    seed: int
    tables: tuple[Tables, ...] = ()
    summed: Summed | None = None

    @property
    def n_rows(self) -> int:
        """Number of rows of all files."""
        return self.found.n_rows

    @property
    def categories(self) -> dict[str, tuple[Hashable, ...]]:
        """The categories of each column in all rows."""
        return dict(zip(self.found.names, self.found.categories(), strict=True))

    def sample(self) -> Table:
        """Return the rows in which candidates are sought."""
        return self.found.sample(self.n_sample)

    def larger_sample(self, names: Sequence[str]) -> Table:
        """Return some columns of all rows that were drawn."""
        return self.found.sample(len(self.found.rows)).select(names)

    def joint_counts(
        self, families: Sequence[Sequence[str]], *, trim: bool = False
    ) -> list[JointCounts]:
        """Count all rows, one table per family.

        With `trim` in one reading, which replaces what was counted before. Without, tables are read
        from what was counted, and only what no counted table holds is counted now.
        """
        if trim:
            self.tables = (self._tally(families, self.memory),)
            return placed(self.tables[0].joints)
        counted = Counted(self.found, self.tables, self.seed)
        found = {tuple(names): margin(names, counted) for names in families}
        absent = [names for names, joint in found.items() if joint is None]
        if absent:
            self.tables += (self._tally(absent, 2**62),)
            found.update(zip(absent, self.tables[-1].joints, strict=True))
        return placed([joint for names in families if (joint := found[tuple(names)]) is not None])

    def _tally(self, families: Sequence[Sequence[str]], memory: int) -> Tables:
        return tally_all(self.source, make_plan(self.found, families, memory), self.engine)

    def moments(self, names: Sequence[str]) -> Summed:
        """Return how some columns become real numbers, as seen in the sample, and their sums.

        All rows are read when this is asked first.
        """
        if self.summed is None or not {*names} <= {*self.summed.embedding.names}:
            embedding = sampled_embedding(self.sample().select(names), self.categories)
            self.summed = Summed(embedding, sum_all(self.source, embedding, self.engine))
        return self.summed.select(names)

    def cut_at(self, cuts: Mapping[str, Sequence[float]]) -> "FileRows":
        """Return the same rows with other bins of some columns; they are read once for that."""
        source, n_rows = self.source.cut_at(cuts), len(self.found.rows)
        found = scan_all(source, n_rows, self.seed, self.engine).lowest(n_rows)
        return FileRows(source, found, self.n_sample, self.memory, self.engine, self.seed)

    @property
    def trimmed(self) -> dict[str, tuple[str, ...]]:
        """The columns that tables lost, by the first column of the family."""
        return trimmed_names(self.tables[0]) if self.tables else {}

    def kept(self) -> Counted:
        """Return what is kept of the rows, so that more can be added."""
        return Counted(self.found.lowest(self.n_sample), self.tables, self.seed, self.summed)


@dataclass(frozen=True)
class Sampling:
    """What a learner wants of rows that are not all held in memory.

    Attributes
    ----------
    n_sample : int or None
        Rows of the sample; None: all rows, for a learner that must have them in memory.
    memory : int
        Bytes that the tables of one worker may take, about.
    seed : int
        Of the sample.
    n_whole : int
        Where there are numbers, and no more rows than these, the sample is all of them.
    """

    n_sample: int | None = None
    memory: int = 0
    seed: int = 0
    n_whole: int = 0


def count_rows(source: ParquetSource, sampling: Sampling, engine: Engine) -> CountSource:
    """Read a source once; return a sample and what counts all rows, or all rows in memory."""
    n_sample = sampling.n_sample
    if source.numbers and source.n_rows <= sampling.n_whole:
        n_sample = None
    wanted = source.n_rows if n_sample is None else n_sample
    if min(wanted, source.n_rows) * len(source.names) > LIMITS.codes:
        raise ValueError(
            f"{wanted:,} rows of {len(source.names):,} columns do not fit in memory: "
            "TsetlinSieve learns from a sample and two readings; give other learners a sample"
        )
    n_rows = n_drawn(wanted, len(source.names))
    found = scan_all(source, n_rows, sampling.seed, engine).lowest(n_rows)
    if wanted < source.n_rows:
        return FileRows(source, found, wanted, sampling.memory, engine, sampling.seed)
    return TableRows(found.sample(wanted))


def rows_to_bin(source: ParquetSource, seed: int, engine: Engine) -> "pa.Table":
    """Draw rows to find bins in, as they are stored; of many columns fewer."""
    n_rows = min(MAX_ROWS, LIMITS.drawn // len(source.names))

    def work(part: Sequence[Chunk], tell: Tell) -> list[Drawn]:
        return draw(followed(source, tell), part, n_rows, seed)

    with inner_stage("cutting", source.n_rows, "rows") as tell:
        drawn = engine.fold(work, split(source.chunks, engine.n_parts), operator.add, tell)
    return table_of(drawn, n_rows)


def scan_all(
    source: ParquetSource, n_sample: int, seed: int, engine: Engine, offset: int = 0
) -> Scan:
    """Make the first pass: categories, their frequencies, and a sample.

    Rows are numbered from `offset` on.
    """

    def work(part: Sequence[Chunk], tell: Tell) -> Scan:
        return scan(followed(source, tell), part, n_sample, seed, offset)

    _native.give_memory_back()  # a pass over wide rows takes much
    with inner_stage("reading", source.n_rows, "rows") as tell:
        return engine.fold(work, split(source.chunks, engine.n_parts), Scan.__add__, tell)


def tally_all(source: ParquetSource, plan: Plan, engine: Engine) -> Tables:
    """Make the second pass: one joint table per neighbourhood."""

    def work(part: Sequence[Chunk], tell: Tell) -> Tables:
        return tally(followed(source, tell), part, plan)

    _native.give_memory_back()
    with inner_stage("counting", source.n_rows, "rows") as tell:
        return engine.fold(work, split(source.chunks, engine.n_parts), Tables.__add__, tell)


def sum_all(source: ParquetSource, embedding: Embedding, engine: Engine) -> Moments:
    """Make the second pass where numbers stay numbers: sums of products."""

    def work(part: Sequence[Chunk], tell: Tell) -> Moments:
        return sum_rows(followed(source, tell), part, embedding)

    with inner_stage("counting", source.n_rows, "rows") as tell:
        return engine.fold(work, split(source.chunks, engine.n_parts), Moments.__add__, tell)


def make_plan(found: Scan, neighbourhoods: Sequence[Sequence[str]], memory: int) -> Plan:
    """Say what to count, and how large each table may become."""
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


def split(chunks: Sequence[Chunk], n_parts: int) -> list[Sequence[Chunk]]:
    """Cut chunks into at most `n_parts` runs of about equally many rows."""
    total = sum(chunk.n_rows for chunk in chunks)
    parts: list[list[Chunk]] = [[] for _ in range(n_parts)]
    done = 0
    for chunk in chunks:
        parts[done * n_parts // total].append(chunk)
        done += chunk.n_rows
    return [part for part in parts if part]


def margin(names: Sequence[str], counted: Counted) -> JointCounts | None:
    """Return the table of some columns from what was counted; None if nothing holds them."""
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


def trimmed_names(tables: Tables) -> dict[str, tuple[str, ...]]:
    """Return, for the first name of each table that was cut, the names that it lost."""
    plan = tables.plan
    return {
        plan.names[plan.neighbourhoods[number][0]]: tuple(plan.names[v] for v in lost)
        for number, lost in tables.trimmed.items()
    }
