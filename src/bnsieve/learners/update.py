"""Counts of rows that were read before, and new rows, in; counts of both, and their drift, out.

The new rows are read once. Candidates stay as they are: what the graph is decided from are counts
of all rows, old and new. Whether the candidates are still the right ones is asked of the new rows
alone: do labels occur about as often as before, and would a column that is no candidate add much to
what the graph says of another?
"""

from collections.abc import Hashable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bnsieve.counts import (
    Counted,
    Drift,
    JointCounts,
    Moments,
    Plan,
    Scan,
    Summed,
    Summer,
    TableRows,
    Tables,
    covariance_of,
    placed,
)
from bnsieve.decide import METHODS, Score, score_additions, score_covariance_additions
from bnsieve.engine import Engine, Map, Tell, Timings, inner_stage
from bnsieve.graph import Graph
from bnsieve.learners.fit_result import FitContext, FitResult
from bnsieve.learners.fitting import FitSettings, run_fit
from bnsieve.learners.more_rows import joined, without_missing_label
from bnsieve.rows import open_data
from bnsieve.rows.counting_pass import Counter, UnknownLabelError
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

# Shares of labels that moved by less in sum are not worth a new first pass, however sure it is
# that they moved; larger moves must be beyond chance.
_MOVED = 0.1
_CHANCE = 1e-3
# In nats: what a column that is no candidate must add before candidates are called stale.
_GAIN = 10.0


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
    def levels(self) -> dict[str, tuple[Hashable, ...]]:
        """The labels of each column in all rows."""
        found = self.counted.found
        return dict(zip(found.names, found.levels(), strict=True))

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
            # New labels change every code: learn them first, then count.
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
    """Return a plan of the same tables that knows all labels found."""
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
                f"column {name!r} holds {kind} labels in {where} but {kinds[type(label)]} labels "
                "before: write all files with one type"
            )


def find_drift(
    before: Scan,
    new: Scan,
    sample: Table,
    dag: Graph,
    candidates: Mapping[str, Sequence[str]],
    score: Score,
    run: Map,
) -> Drift:
    """Compare new rows with those before, and ask a sample of them for candidates that are missed.

    Parameters
    ----------
    before, new : Scan
    sample : Table
        Drawn from the new rows.
    dag : Graph
        FitResult from all rows.
    candidates : mapping of str to sequence of str
    score : Score
        That the graph was learned with.
    run : Map
    """
    moved = {
        name: distance
        for name, old, now in zip(new.names, before.counts, new.counts, strict=True)
        if (distance := _distance(old, now)) > _MOVED
    }
    varying = [name for name in candidates if name not in sample.constant]
    chosen = sample.select(varying)
    codes, radices = chosen.missing_as_level()
    gaps = np.isin(np.arange(len(varying)), list(chosen.missing))
    place = {name: i for i, name in enumerate(varying)}
    covariance = covariance_of(chosen) if chosen.numbers else None

    def gains_of(target: int, given: Sequence[int]) -> NDArray[np.float64]:
        if covariance is not None:
            return score_covariance_additions(covariance, target, given, score.parent_cost)
        known, own = chosen.where_known(target, codes, radices)
        return score_additions(known, own, target, given, score, gaps)

    def missed(name: str) -> tuple[str, ...]:
        target = place[name]
        parents = {near for near in dag.parents(name) if near in place}
        neighbours = parents | {near for near in dag.children(name) if near in place}
        blanket = {near for near in dag.markov_blanket(name) if near in place}
        # A neighbour adds to any set of others. What comes after the children adds to the parents
        # but not to all neighbours; the children's other parents, and what these tell of, add to
        # all neighbours but not to the whole blanket.
        gains = np.min(
            [
                gains_of(target, sorted(map(place.__getitem__, given)))
                for given in (parents, neighbours, blanket)
            ],
            axis=0,
        )
        outside = set(varying) - set(candidates[name]) - {name}
        return tuple(
            other
            for other in sorted(outside)
            if gains[place[other]] > _GAIN and name not in candidates[other]
        )

    found = zip(varying, run(missed, varying), strict=True)
    return Drift(new.n_rows, moved, {name: others for name, others in found if others})


def _distance(old: Mapping[Any, int], new: Mapping[Any, int]) -> float:
    """Return half the sum of the differences of shares, or zero if chance would explain them."""
    labels = list({**old, **new})
    table = np.array([[counts.get(label, 0) for label in labels] for counts in (old, new)])
    if len(labels) < 2:
        return 0.0
    if not beyond_chance(table):
        return 0.0
    shares = table / table.sum(axis=1, keepdims=True)
    return float(np.abs(shares[0] - shares[1]).sum() / 2)


def beyond_chance(counts: NDArray[np.int64]) -> bool:
    """Tell whether two lines of counts differ by more than chance does one time in a thousand.

    The test holds in tables with rare labels too, where the textbook's finds a difference in one of
    fifty columns that have none.
    """
    line, label = np.nonzero(counts)
    places = np.stack([line, label]).astype(np.uint16)
    shape = (2, counts.shape[1])
    joint = JointCounts((0, 1), shape, (False, False), places, counts[line, label].astype(np.int64))
    return METHODS["auto"](joint, _CHANCE).p_value <= _CHANCE


def update_fit(
    result: FitResult, data: Any, settings: FitSettings, engine: Engine, sample_rows: int
) -> FitResult:
    """Add new rows to those that were learned from, and decide again.

    Parameters
    ----------
    result : FitResult
    data : see `bnsieve.rows.open_data`
    settings : FitSettings
    engine : Engine
    sample_rows : int
        Rows of a sample.
    """
    timings, done = Timings(), result.done_before
    if result.counted is None or result.sieve is None:
        rows = TableRows(_with_rows(result, data, engine))
        return run_fit(settings, FitContext(rows, engine, timings, parts=done.parts), done)
    before, sieve = result.counted, result.sieve
    with timings.stage("counting"):
        counted, new = add_rows(data, before, sample_rows, engine, done.recoding)
    source = KeptCounts(counted, sample_rows)
    context = FitContext(source, engine, timings, sieve.candidates, sieve.machines, done.parts)
    updated = run_fit(settings, context, done)
    if updated.sieve is None:
        return updated
    with timings.stage("drift"):
        drift = find_drift(
            before.found,
            new,
            new.sample(sample_rows),
            updated.dag,
            updated.sieve.candidates,
            updated.sieve.scoring,
            engine.map,
        )
    return replace(updated, drift=drift, timings=dict(timings))


def _with_rows(result: FitResult, data: Any, engine: Engine) -> Table:
    """Return the rows learned from, and new ones below them."""
    before, done = result.rows, result.done_before
    if result.missing_strategy == "level":
        before = without_missing_label(before)
    texts = () if done.plan is None else done.plan.missing_texts
    with open_data(data, texts) as opened:
        new = opened.table(done.plan, engine, numbers=bool(before.numbers))
        orders = opened.orders | ({} if done.recoding is None else done.recoding.bins)
    if {*before.names} <= {*new.names}:  # a run for a target leaves columns out
        new = new.select(before.names)
    return joined(before, new, orders)
