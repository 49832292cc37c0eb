"""The first pass: levels, how often each occurs, and a uniform sample of the rows.

In: chunks of a `ParquetSource`. Out: a `Scan`; scans of different chunks add up, in any order.

Whether a row is in the sample depends on its number among all rows and on the seed alone: every row
has a random 64-bit number, and those with the lowest are taken. So the sample is the same whoever
reads which file when.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from bnsieve import _native
from bnsieve.encode import MAX_LEVELS, code_dtype
from bnsieve.source.labels import Piece
from bnsieve.source.parquet import Chunk, File, ParquetSource
from bnsieve.table import Table

# Labels of one column are of one kind, and so can be sorted.
Label = Any


@dataclass(frozen=True, eq=False)
class Scan:
    """What one reading found.

    Attributes
    ----------
    names : tuple of str
    counts : tuple of dict
        For each column how often each label occurs; None is a missing cell. The order of the
        labels is that in which they were found, and the one that `codes` refers to.
    ranks : ndarray of uint64, shape (n_drawn,)
        The drawn rows' random numbers.
    rows : ndarray of int64, shape (n_drawn,)
        Their numbers among all rows.
    codes : ndarray of int32, shape (n_columns, n_drawn)
    n_rows : int
        Rows read.
    """

    names: tuple[str, ...]
    counts: tuple[dict[Label, int], ...]
    ranks: NDArray[np.uint64]
    rows: NDArray[np.int64]
    codes: NDArray[np.int32]
    n_rows: int

    def __add__(self, other: "Scan") -> "Scan":
        """Return the scan of both scans' rows."""
        counts, parts = [], []
        for mine, yours, codes in zip(self.counts, other.counts, other.codes, strict=True):
            merged = dict(mine)
            for label, n in yours.items():
                merged[label] = merged.get(label, 0) + n
            place = {label: i for i, label in enumerate(merged)}
            renumbered = np.array([place[label] for label in yours], dtype=np.int32)
            counts.append(merged)
            parts.append(renumbered[codes] if len(codes) else codes)
        theirs = np.array(parts, dtype=np.int32).reshape(len(parts), len(other.rows))
        return Scan(
            self.names,
            tuple(counts),
            np.concatenate([self.ranks, other.ranks]),
            np.concatenate([self.rows, other.rows]),
            np.concatenate([self.codes, theirs], axis=1),
            self.n_rows + other.n_rows,
        )

    def levels(self) -> tuple[tuple[Label, ...], ...]:
        """Return each column's labels, sorted."""
        return tuple(
            tuple(sorted(label for label in counts if label is not None)) for counts in self.counts
        )

    def sample(self, n: int) -> Table:
        """Return the `n` drawn rows of lowest rank, in the order of the rows, as a table.

        A column of which the sample holds no cell is as if its first level were all there is.
        """
        chosen = np.sort(np.lexsort((self.rows, self.ranks))[:n])
        chosen = chosen[np.argsort(self.rows[chosen])]
        codes, levels, missing = [], [], {}
        for i, (counts, labels) in enumerate(zip(self.counts, self.levels(), strict=True)):
            if not labels:
                raise ValueError(f"column {self.names[i]!r} is missing in every row: drop it")
            place = {label: k for k, label in enumerate(labels)}
            code_of = np.array([place.get(label, -1) for label in counts], dtype=np.int32)
            own = code_of[self.codes[i, chosen]]
            seen = np.unique(own[own >= 0])
            if len(seen) == 0:
                seen = np.zeros(1, dtype=own.dtype)
            if (own < 0).any():
                missing[i] = own < 0
            codes.append(np.where(own < 0, 0, np.searchsorted(seen, own)))
            levels.append(tuple(labels[k] for k in seen))
        dtype = code_dtype(max(map(len, levels)))
        return Table(np.array(codes).astype(dtype), self.names, tuple(levels), missing)


def scan(source: ParquetSource, chunks: Sequence[Chunk], n_sample: int, seed: int) -> Scan:
    """Read some chunks.

    Parameters
    ----------
    source : ParquetSource
    chunks : sequence of Chunk
    n_sample : int
        Rows wanted from the whole source; a little more are drawn, so that as good as never
        fewer are found.
    seed : int
    """
    names = source.names
    counts: list[dict[Label, int]] = [{} for _ in names]
    bound = _bound(n_sample, source.n_rows)
    ranks, rows, codes, n_rows = [], [], [], 0
    for first, file, piece in source.read(chunks, names):
        rank = row_ranks(first, piece.num_rows, seed)
        drawn = np.flatnonzero(rank <= bound)
        ranks.append(rank[drawn])
        rows.append(drawn + first)
        columns = zip(names, pieces(names, file, piece), counts, strict=True)
        own = [_count(name, column, drawn, count) for name, column, count in columns]
        codes.append(np.array(own, dtype=np.int32).reshape(len(names), len(drawn)))
        n_rows += piece.num_rows
    return Scan(
        names,
        tuple(counts),
        np.concatenate([*ranks, np.zeros(0, np.uint64)]),
        np.concatenate([*rows, np.zeros(0, np.int64)]),
        np.concatenate([*codes, np.zeros((len(names), 0), np.int32)], axis=1),
        n_rows,
    )


def pieces(names: Sequence[str], file: File, piece: pa.RecordBatch) -> list[Piece]:
    """Return the named columns of some rows, those included whose value stands in the path."""
    partition: dict[str, Any] = dict(file.partition)
    stored = {name: i for i, name in enumerate(piece.schema.names)}
    return [
        Piece([partition[name]], np.zeros(piece.num_rows, dtype=np.int32))
        if name in partition
        else Piece.of(piece.column(stored[name]))
        for name in names
    ]


def row_ranks(first: int, n_rows: int, seed: int) -> NDArray[np.uint64]:
    """Return a random 64-bit number for each of some rows: SplitMix64 of seed and row number."""
    key = np.random.SeedSequence(seed, spawn_key=(2**31,)).generate_state(1, np.uint64)[0]
    with np.errstate(over="ignore"):
        z = np.arange(first, first + n_rows, dtype=np.uint64) * np.uint64(0x9E3779B97F4A7C15) + key
        z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
        z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    ranks: NDArray[np.uint64] = z ^ (z >> np.uint64(31))
    return ranks


def _bound(n_sample: int, n_rows: int) -> np.uint64:
    """Return the rank up to which rows are drawn: six standard deviations more than wanted."""
    share = (n_sample + 6 * n_sample**0.5 + 20) / max(1, n_rows)
    return np.uint64(min(2**64 - 1, int(share * 2**64))) if share < 1 else np.uint64(2**64 - 1)


def _count(
    name: str, piece: Piece, drawn: NDArray[np.intp], counts: dict[Label, int]
) -> NDArray[np.int32]:
    """Add a piece's labels to the counts; return the codes of the drawn rows."""
    found = _native.count_indices(piece.indices, len(piece.labels))
    for label, n in zip(piece.labels, found.tolist(), strict=True):
        if n:
            counts[label] = counts.get(label, 0) + n
    if len(counts) > MAX_LEVELS:
        raise ValueError(
            f"column {name!r} has more than {MAX_LEVELS:,} different labels: drop it if it is an "
            "identifier, or group its labels"
        )
    place = {label: i for i, label in enumerate(counts)}
    code_of = np.array([place.get(label, -1) for label in piece.labels], dtype=np.int32)
    codes: NDArray[np.int32] = code_of[piece.indices[drawn]]
    return codes
