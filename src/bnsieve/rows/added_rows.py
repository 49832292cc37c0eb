"""New rows beside rows that were counted before: read once, and added to their counts.

In: a `Counted` and new rows. Out: a `Counted` of all of them, and what the new rows alone hold.
"""

from collections.abc import Hashable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Any

from bnsieve.counts import Counted, JointCounts, Moments, Plan, Scan, Summed, Summer, Tables, placed
from bnsieve.engine import Engine, Tell, inner_stage
from bnsieve.rows.counting_pass import Counter, UnknownLabelError
from bnsieve.rows.data import open_data
from bnsieve.rows.file_rows import (
    make_plan,
    margin,
    scan_all,
    split,
    sum_all,
    tally_all,
    trimmed_names,
)
from bnsieve.rows.first_pass import Scanner, pieces
from bnsieve.rows.parquet import Chunk, ParquetSource
from bnsieve.rows.recoding import Recoding
from bnsieve.rows.summing_pass import as_column
from bnsieve.table import Table


@dataclass(frozen=True, eq=False)
class KeptCounts:
    """Counts kept of rows that were read before as a `bnsieve.counts.CountSource`.

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
        """Return the rows that were kept."""
        return self.counted.found.sample(self.n_sample)

    def larger_sample(self, names: Sequence[str]) -> Table:
        """Return some columns of the rows that were kept."""
        return self.sample().select(names)

    def joint_counts(
        self, families: Sequence[Sequence[str]], *, trim: bool = False
    ) -> list[JointCounts]:
        """Return one table per family, as far as it was counted."""
        tables = [self._longest(names) for names in families]
        for names, joint in zip(families, tables, strict=True):
            if not trim and len(joint.variables) < len(names):
                raise ValueError(
                    f"the columns {', '.join(map(repr, names))} were not counted together: fit "
                    "all files again"
                )
        return placed(tables)

    def _longest(self, names: Sequence[str]) -> JointCounts:
        for n in range(len(names), 0, -1):
            joint = margin(names[:n], self.counted)
            if joint is not None:
                return joint
        raise ValueError(f"nothing was counted of {names}")

    @property
    def trimmed(self) -> dict[str, tuple[str, ...]]:
        """The columns that tables lost, by the first column of the family."""
        return trimmed_names(self.counted.tables[0]) if self.counted.tables else {}

    def moments(self, names: Sequence[str]) -> Summed:
        """Return how some columns become real numbers, as seen at first, and their sums."""
        summed = self.counted.summed
        absent = set(names) - set(() if summed is None else summed.embedding.names)
        if summed is None or absent:
            raise ValueError(
                f"the column {min(absent)!r} said nothing when it was first read: fit all files "
                "again"
            )
        return summed.select(names)

    def kept(self) -> Counted:
        """Return what is kept of the rows, so that more can be added."""
        return self.counted


@contextmanager
def _opened(data: Any, recoding: Recoding | None) -> Iterator[ParquetSource]:
    """Open new rows, with the same done to them as to those before."""
    with open_data(data) as opened:
        source = opened.stored()
        if recoding is None:
            source.require_labels(opened.given)
        else:
            try:
                source = source.recoded(recoding)
            except ValueError as error:
                raise ValueError(f"{source.files[0].path}: {error}") from None
        yield source


def add_rows(
    data: Any,
    counted: Counted,
    n_sample: int,
    engine: Engine,
    recoding: Recoding | None = None,
) -> tuple[Counted, Scan]:
    """Read new rows once and add them to what was counted.

    Parameters
    ----------
    data : see `bnsieve.rows.open_data`
        Rows that are not among those counted.
    counted : Counted
    n_sample : int
        Size of the sample that is kept.
    engine : Engine
    recoding : Recoding or None
        What was done to the rows before.

    Returns
    -------
    Counted
        Of all rows: equal to what one reading of all of them gives.
    Scan
        Of the new rows alone.
    """
    with _opened(data, recoding) as source:
        if not counted.found.numbers:
            source = source.without_numbers()
        _same_columns(source, counted.found)
        try:
            new, tables, moments = _read_once(source, counted, n_sample, engine)
            before = counted.tables
        except UnknownLabelError:
            # New categories change every code: learn them first, then count.
            new = scan_all(source, n_sample, counted.seed, engine, counted.found.n_rows)
            plans = [_widened(one.plan, counted.found + new) for one in counted.tables]
            tables = tuple(tally_all(source, plan, engine) for plan in plans)
            before = tuple(
                one.recoded(plan) for one, plan in zip(counted.tables, plans, strict=True)
            )
            moments = None
            if counted.summed is not None:
                moments = sum_all(source, counted.summed.embedding, engine)
    summed = counted.summed
    if summed is not None and moments is not None:
        summed = replace(summed, moments=summed.moments + moments)
    both = tuple(a + b for a, b in zip(before, tables, strict=True))
    found = (counted.found + new).lowest(n_sample)
    return Counted(found, both, counted.seed, summed), new


Read = tuple[Scan, tuple[Tables, ...], Moments | None]


def _read_once(source: ParquetSource, counted: Counted, n_sample: int, engine: Engine) -> Read:
    names, offset, seed = counted.found.names, counted.found.n_rows, counted.seed
    plans = [one.plan for one in counted.tables]
    places = [[names.index(name) for name in plan.names] for plan in plans]

    cuts, summed = source.numbers, counted.summed
    to_sum = () if summed is None else [names.index(name) for name in summed.embedding.names]

    def work(part: Sequence[Chunk], tell: Tell) -> Read:
        summer = None if summed is None else Summer(summed.embedding)
        scanner = Scanner(names, n_sample, source.n_rows, seed, source.bins)
        talliers = [Counter(plan) for plan in plans]
        for first, file, piece in source.read(part, names, cuts):
            columns = pieces(names, file, piece, cuts)
            scanner.add(first + offset, piece.num_rows, columns)
            for tallier, own in zip(talliers, places, strict=True):
                tallier.add(file, piece.num_rows, [columns[i] for i in own])
            if summer is not None:
                summer.add([as_column(columns[i]) for i in to_sum], piece.num_rows)
            tell(piece.num_rows)
        tables = tuple(tallier.result() for tallier in talliers)
        return scanner.result(), tables, None if summer is None else summer.result()

    def merge(a: Read, b: Read) -> Read:
        tables = tuple(x + y for x, y in zip(a[1], b[1], strict=True))
        moments = None if a[2] is None or b[2] is None else a[2] + b[2]
        return a[0] + b[0], tables, moments

    with inner_stage("counting", source.n_rows, "rows") as tell:
        return engine.fold(work, split(source.chunks, engine.n_parts), merge, tell)


def _widened(plan: Plan, found: Scan) -> Plan:
    """Return a plan of the same tables that knows all categories found."""
    sets = [[plan.names[v] for v in one] for one in plan.neighbourhoods]
    return replace(make_plan(found, sets, 0), limit=plan.limit)


def _same_columns(source: ParquetSource, found: Scan) -> None:
    kinds = {bool: "boolean", int: "integer", str: "string"}
    where = source.files[0].path
    if set(source.names) != set(found.names):
        apart = sorted(set(source.names) ^ set(found.names))
        raise ValueError(f"{where} and the rows read before differ in the column {apart[0]!r}")
    for name, counts in zip(found.names, found.counts, strict=True):
        label = next(label for label in counts if label is not None)
        kind = source.kinds[source.names.index(name)]
        if kind != kinds[type(label)]:
            raise ValueError(
                f"column {name!r} holds {kind} categories in {where} but {kinds[type(label)]} "
                "categories before: write all files with one type"
            )
