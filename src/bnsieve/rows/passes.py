"""Passes over rows in files, whose parts are read by an engine and merged.

In: a `ParquetSource`. Out: from the first pass, a `Scan` (categories, their frequencies, and a
uniform sample); from the second, one joint table per neighbourhood (`Tables`), or sums of products
(`Moments`). A `Collector` takes the rows of a pass, and `run_pass` is the only loop.

Whether a row is in the sample depends only on its number among all rows and on the seed: every row
has a random 64-bit number, and the rows with the lowest numbers are the sample. So the sample does
not depend on the workers.
"""

import operator
from collections.abc import Callable, Collection, Hashable, Mapping, Sequence
from typing import Any, NamedTuple, Protocol, TypeVar

import numpy as np
from numpy.typing import NDArray

from bnsieve import _native
from bnsieve.counts import Embedding, Keyed, Label, Moments, Plan, Scan, Summer, Tables
from bnsieve.engine import Engine, Tell, inner_stage
from bnsieve.rows.parquet import Chunk, ParquetSource, Rows
from bnsieve.table import (
    LIMITS,
    MAX_CATEGORIES,
    MAX_ROWS,
    Codes,
    Column,
    bin_labels,
    binned,
    code_dtype,
    row_ranks,
)

Result = TypeVar("Result")
Result_co = TypeVar("Result_co", covariant=True)


class Collector(Protocol[Result_co]):
    """Collects results from the rows of a pass."""

    def add(self, rows: Rows) -> None:
        """Take some rows."""

    def result(self) -> Result_co:
        """Return the result of the rows so far."""


class UnknownLabelError(ValueError):
    """A category has no code in the plan."""


def run_pass(
    source: ParquetSource,
    engine: Engine,
    stage: str,
    collector: Callable[[], Collector[Result]],
    names: Sequence[str],
    numbers: Collection[str] = (),
    merge: Callable[[Result, Result], Result] = operator.add,
) -> Result:
    """Read all rows once.

    Parameters
    ----------
    source : ParquetSource
    engine : Engine
    stage : str
        The name of the pass in progress messages.
    collector : callable
        Returns a collector for some of the rows.
    names, numbers
        The columns to read; see `ParquetSource.read`.
    merge : callable
        Merges two results; by default their sum.
    """

    def work(part: Sequence[Chunk], tell: Tell) -> _Collected:
        collecting = collector()
        for rows in source.read(part, names, numbers):
            _native.stop_if_asked()
            collecting.add(rows)
            tell(rows.n_rows)
        return _Collected(sum(chunk.n_rows for chunk in part), collecting.result())

    def join(a: _Collected, b: _Collected) -> _Collected:
        return _Collected(a.n_rows + b.n_rows, merge(a.result, b.result))

    _native.give_memory_back()  # a pass over wide rows takes much
    parts = split(source.chunks, engine.n_parts)
    with inner_stage(stage, source.n_rows, "rows") as tell:
        collected = engine.fold(work, parts, join, tell)
    result: Result = _all_collected(collected, sum(one.n_rows for one in source.chunks), engine)
    return result


class _Collected(NamedTuple):
    """The result of some chunks, and how many rows these have."""

    n_rows: int
    result: Any


def _all_collected(collected: Any, n_rows: int, engine: Engine) -> Any:
    """Return the result of all chunks; refuse that of an engine that lost some or read them twice.

    Raises
    ------
    TypeError, RuntimeError
    """
    where = f"{type(engine).__name__}.fold"
    if not isinstance(collected, _Collected):
        raise TypeError(f"{where} must return the merged outcomes, not {type(collected).__name__}")
    if collected.n_rows != n_rows:
        raise RuntimeError(
            f"{where} returned the outcomes of {collected.n_rows:,} rows, and there are "
            f"{n_rows:,}: it must pass every item to work once, and merge all outcomes"
        )
    return collected.result


def split(chunks: Sequence[Chunk], n_parts: int) -> list[Sequence[Chunk]]:
    """Divide chunks into at most `n_parts` runs with about equally many rows."""
    total = sum(chunk.n_rows for chunk in chunks)
    parts: list[list[Chunk]] = [[] for _ in range(n_parts)]
    n_before = 0
    for chunk in chunks:
        parts[n_before * n_parts // total].append(chunk)
        n_before += chunk.n_rows
    return [part for part in parts if part]


def scan_all(
    source: ParquetSource, n_sample: int, seed: int, engine: Engine, offset: int = 0
) -> Scan:
    """Make the first pass: categories, their frequencies, and a sample.

    Rows are numbered from `offset` on.
    """
    return run_pass(
        source,
        engine,
        "reading",
        lambda: Scanner(source, source.names, n_sample, seed, offset),
        source.names,
        source.numbers,
    )


def tally_all(source: ParquetSource, plan: Plan, engine: Engine) -> Tables:
    """Make the second pass: one joint table per neighbourhood."""
    return run_pass(source, engine, "counting", lambda: Counter(plan), plan.names)


def sum_all(source: ParquetSource, embedding: Embedding, engine: Engine) -> Moments:
    """Make the second pass for numeric variables: sums of products."""
    names = embedding.names
    numbers = {names[v] for v in embedding.rank_maps}
    return run_pass(source, engine, "counting", lambda: RowSummer(embedding), names, numbers)


def draw_rows(source: ParquetSource, seed: int, engine: Engine) -> dict[str, Column]:
    """Draw stored rows in which to find bins; fewer rows if there are many columns."""
    n_rows = min(MAX_ROWS, LIMITS.drawn // len(source.names))
    pieces = run_pass(
        source, engine, "cutting", lambda: _Drawer(source, n_rows, seed), source.names
    )
    _, ranks, columns = zip(*sorted(pieces, key=lambda piece: piece[0]), strict=True)
    kept = np.sort(np.argsort(np.concatenate(ranks), kind="stable")[:n_rows])
    return {name: Column.joined([one[name] for one in columns]).take(kept) for name in source.names}


class Scanner:
    """Collects categories, their frequencies, and the rows of a sample.

    Parameters
    ----------
    source : ParquetSource
    names : tuple of str
        The columns, in the order of the result.
    n_sample : int
        The number of rows wanted. A few more are drawn, so that there are hardly ever too few.
    seed : int
    offset : int
        The number of the first row.
    """

    def __init__(
        self, source: ParquetSource, names: tuple[str, ...], n_sample: int, seed: int, offset: int
    ) -> None:
        self.names = names
        self.bins = source.bins
        self.cuts = source.numbers
        self.copies = source.copies
        self.seed = seed
        self.offset = offset
        self.bound = _bound(n_sample, source.n_rows)
        self.counts: list[dict[Label, int]] = [{} for _ in self.names]
        self.ranks: list[NDArray[np.uint64]] = []
        self.rows: list[NDArray[np.int64]] = []
        self.codes: list[NDArray[np.int32]] = []
        self.numbers: dict[str, list[NDArray[np.float64]]] = {}
        self.n_rows = 0

    def add(self, rows: Rows) -> None:
        """Look at some rows."""
        first = rows.first + self.offset
        rank = row_ranks(first, rows.n_rows, self.seed)
        drawn = np.flatnonzero(rank <= self.bound)
        self.ranks.append(rank[drawn])
        self.rows.append(drawn + first)
        codes = np.empty((len(self.names), len(drawn)), dtype=np.int32)
        for i, name in enumerate(self.names):
            column = rows.columns[name]
            if not isinstance(column, Column):
                self.numbers.setdefault(name, []).append(column[drawn])
                edges = np.array(self.cuts[name], dtype=np.float64)
                column = Column.of_categories(bin_labels(edges), binned(column, edges))
            codes[i] = _count(name, column, drawn, self.counts[i])
        self.codes.append(codes)
        self.n_rows += rows.n_rows

    def result(self) -> Scan:
        """Return what was found so far."""
        return Scan(
            self.names,
            tuple(self.counts),
            np.concatenate([*self.ranks, np.zeros(0, np.uint64)]),
            np.concatenate([*self.rows, np.zeros(0, np.int64)]),
            np.concatenate([*self.codes, np.zeros((len(self.names), 0), np.int32)], axis=1),
            self.n_rows,
            self.bins,
            {name: np.concatenate(own) for name, own in self.numbers.items()},
            self.copies,
        )


class Counter:
    """Counts one joint table per neighbourhood of a plan, which numbers categories.

    Parameters
    ----------
    plan : Plan
    cuts : mapping of str to sequence of float
        The bin edges of columns that are read as numbers.
    """

    def __init__(self, plan: Plan, cuts: Mapping[str, Sequence[float]] | None = None) -> None:
        self.plan = plan
        self._cuts = cuts or {}
        self._kernel = _native.Tally(plan.tables, plan.radices, plan.limit)
        self._dtype = code_dtype(max(plan.radices))
        self._code_of = [
            {label: code for code, label in enumerate((*own, None) if more else own)}
            for own, more in zip(plan.categories, plan.has_missing, strict=True)
        ]
        # Most pieces of a column come with the same dictionary as the one before.
        self._last: list[tuple[list[Hashable], Codes] | None] = [None] * len(plan.names)
        self._room: Codes = np.empty(0, dtype=self._dtype)

    def add(self, rows: Rows) -> None:
        """Count some rows.

        Raises
        ------
        UnknownLabelError
            If a category is not in the plan.
        """
        n_cells = len(self.plan.names) * rows.n_rows
        if len(self._room) < n_cells:  # kept: fresh memory costs as much as the counting
            self._room = np.empty(n_cells, dtype=self._dtype)
        codes = self._room[:n_cells].reshape(len(self.plan.names), rows.n_rows)
        for i, name in enumerate(self.plan.names):
            column = rows.columns[name]
            if not isinstance(column, Column):
                edges = np.array(self._cuts[name], dtype=np.float64)
                column = Column.of_categories(bin_labels(edges), binned(column, edges))
            labels, indices = column.indexed()
            known = self._last[i]
            if known is None or known[0] != labels:
                code_of = self._code_of[i]
                is_known = code_of.keys() >= set(labels)
                if not is_known:
                    _refuse_unknown(name, rows.file.path, labels, indices, code_of)
                numbers = [code_of.get(label, 0) for label in labels]
                known = labels, np.array(numbers, dtype=self._dtype)
                # A category that only the dictionary has may occur in the next piece.
                self._last[i] = known if is_known else None
            _native.recode(indices, known[1], codes[i])
        self._kernel.add(codes)

    def result(self) -> Tables:
        """Return the tables counted so far."""
        numbers = range(len(self.plan.tables))
        return Tables(self.plan, tuple(Keyed(*self._kernel.counted(t)) for t in numbers))


class RowSummer:
    """Sums products of the columns of an embedding; see `bnsieve.counts.Summer`."""

    def __init__(self, embedding: Embedding) -> None:
        self._names = embedding.names
        self._summer = Summer(embedding)
        self.result = self._summer.result

    def add(self, rows: Rows) -> None:
        """Sum some rows."""
        self._summer.add([rows.columns[name] for name in self._names], rows.n_rows)


# Some rows that were drawn: the first row's number among all, random numbers, and the rows.
_Drawn = tuple[int, NDArray[np.uint64], dict[str, Column]]


class _Drawer:
    """Draws about `n_sample` of all rows of a source."""

    def __init__(self, source: ParquetSource, n_sample: int, seed: int) -> None:
        self._bound = _bound(n_sample, source.n_rows)
        self._seed = seed
        self._drawn: list[_Drawn] = []

    def add(self, rows: Rows) -> None:
        ranks = row_ranks(rows.first, rows.n_rows, self._seed)
        chosen = np.flatnonzero(ranks <= self._bound)
        taken = {name: column.take(chosen) for name, column in rows.categories.items()}
        self._drawn.append((rows.first, ranks[chosen], taken))

    def result(self) -> list[_Drawn]:
        return self._drawn


def _bound(n_sample: int, n_rows: int) -> np.uint64:
    """Return the rank up to which rows are drawn: six standard deviations more than wanted."""
    share = (n_sample + 6 * n_sample**0.5 + 20) / max(1, n_rows)
    return np.uint64(min(2**64 - 1, int(share * 2**64))) if share < 1 else np.uint64(2**64 - 1)


def _count(
    name: str, column: Column, drawn: NDArray[np.intp], counts: dict[Label, int]
) -> NDArray[np.int32]:
    """Add a column's categories to the counts; return the codes of the drawn rows."""
    labels, indices = column.indexed()
    found = _native.count_indices(indices, len(labels))
    for label, n in zip(labels, found.tolist(), strict=True):
        if n:
            counts[label] = counts.get(label, 0) + n
    if len(counts) > MAX_CATEGORIES:
        raise ValueError(
            f"column {name!r} has more than {MAX_CATEGORIES:,} different categories: "
            "drop it if it is an identifier, or group its categories"
        )
    place = {label: i for i, label in enumerate(counts)}
    code_of = np.array([place.get(label, -1) for label in labels], dtype=np.int32)
    codes: NDArray[np.int32] = code_of[indices[drawn]]
    return codes


def _refuse_unknown(
    name: str,
    path: str,
    labels: Sequence[Hashable],
    indices: NDArray[np.int32],
    code_of: Mapping[Hashable, int],
) -> None:
    """Refuse categories that occur and have no code."""
    found = _native.count_indices(indices, len(labels))
    for label, n in zip(labels, found.tolist(), strict=True):
        if n and label not in code_of:
            what = "a missing cell" if label is None else f"the category {label!r}"
            raise UnknownLabelError(
                f"{path} has {what} in column {name!r}, which was not there when it was first "
                "read: start again when the files no longer change"
            )
