"""The first pass: categories, how often each occurs, and a uniform sample of the rows.

In: chunks of a `ParquetSource`. Out: a `Scan`; scans of different chunks add up, in any order.

Whether a row is in the sample depends on its number among all rows and on the seed alone: every row
has a random 64-bit number, and those with the lowest are taken. So the sample is the same whoever
reads which file when.
"""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from bnsieve import _native
from bnsieve.counts import Label, Scan
from bnsieve.rows.labels import Piece
from bnsieve.rows.numbers import Drawn
from bnsieve.rows.parquet import Chunk, ParquetFile, ParquetSource
from bnsieve.table import MAX_CATEGORIES, row_ranks


class Scanner:
    """Looks at pieces of rows as they are read.

    Parameters
    ----------
    names : tuple of str
    n_sample, n_rows : int
        Rows wanted of how many in all; a little more are drawn, so that as good as never fewer
        are found.
    seed : int
    bins : mapping of str to tuple of str
        The categories of columns that are cut, in their order.
    """

    def __init__(
        self,
        names: tuple[str, ...],
        n_sample: int,
        n_rows: int,
        seed: int,
        bins: Mapping[str, tuple[str, ...]],
    ) -> None:
        self.names = names
        self.bins = dict(bins)
        self.seed = seed
        self.bound = _bound(n_sample, n_rows)
        self.counts: list[dict[Label, int]] = [{} for _ in names]
        self.ranks: list[NDArray[np.uint64]] = []
        self.rows: list[NDArray[np.int64]] = []
        self.codes: list[NDArray[np.int32]] = []
        self.numbers: dict[str, list[NDArray[np.float64]]] = {}
        self.n_rows = 0

    def add(self, first: int, n_rows: int, columns: Sequence[Piece]) -> None:
        """Look at `n_rows` rows, of which the first is number `first` among all."""
        rank = row_ranks(first, n_rows, self.seed)
        drawn = np.flatnonzero(rank <= self.bound)
        self.ranks.append(rank[drawn])
        self.rows.append(drawn + first)
        found = zip(self.names, columns, self.counts, strict=True)
        own = [_count(name, column, drawn, count) for name, column, count in found]
        self.codes.append(np.array(own, dtype=np.int32).reshape(len(self.names), len(drawn)))
        for name, column in zip(self.names, columns, strict=True):
            if column.values is not None:
                self.numbers.setdefault(name, []).append(column.values[drawn])
        self.n_rows += n_rows

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
        )


def scan(
    source: ParquetSource, chunks: Sequence[Chunk], n_sample: int, seed: int, offset: int = 0
) -> Scan:
    """Read some chunks of a source, whose rows are numbered from `offset` on; see `Scanner`."""
    scanner = Scanner(source.names, n_sample, source.n_rows, seed, source.bins)
    cuts = source.numbers
    for first, file, piece in source.read(chunks, source.names, cuts):
        scanner.add(first + offset, piece.num_rows, pieces(source.names, file, piece, cuts))
    return scanner.result()


def draw(source: ParquetSource, chunks: Sequence[Chunk], n_sample: int, seed: int) -> list[Drawn]:
    """Draw about `n_sample` of all rows: those among some chunks, as they are stored."""
    bound = _bound(n_sample, source.n_rows)
    drawn = []
    for first, _, piece in source.read(chunks, source.names):
        ranks = row_ranks(first, piece.num_rows, seed)
        chosen = np.flatnonzero(ranks <= bound)
        drawn.append((first, ranks[chosen], piece.take(pa.array(chosen))))
    return drawn


def pieces(
    names: Sequence[str],
    file: ParquetFile,
    piece: pa.RecordBatch,
    cuts: Mapping[str, Sequence[float]],
) -> list[Piece]:
    """Return the named columns of some rows, those included whose value stands in the path.

    Columns with cuts are numbers.
    """
    partition: dict[str, Any] = dict(file.partition)
    stored = {name: i for i, name in enumerate(piece.schema.names)}

    def of(name: str) -> Piece:
        if name not in stored:
            return Piece([partition[name]], np.zeros(piece.num_rows, dtype=np.int32))
        column = piece.column(stored[name])
        return Piece.of_numbers(column, cuts[name]) if name in cuts else Piece.of(column)

    return [of(name) for name in names]


def _bound(n_sample: int, n_rows: int) -> np.uint64:
    """Return the rank up to which rows are drawn: six standard deviations more than wanted."""
    share = (n_sample + 6 * n_sample**0.5 + 20) / max(1, n_rows)
    return np.uint64(min(2**64 - 1, int(share * 2**64))) if share < 1 else np.uint64(2**64 - 1)


def _count(
    name: str, piece: Piece, drawn: NDArray[np.intp], counts: dict[Label, int]
) -> NDArray[np.int32]:
    """Add a piece's categories to the counts; return the codes of the drawn rows."""
    found = _native.count_indices(piece.indices, len(piece.labels))
    for label, n in zip(piece.labels, found.tolist(), strict=True):
        if n:
            counts[label] = counts.get(label, 0) + n
    if len(counts) > MAX_CATEGORIES:
        raise ValueError(
            f"column {name!r} has more than {MAX_CATEGORIES:,} different categories: "
            "drop it if it is an identifier, or group its categories"
        )
    place = {label: i for i, label in enumerate(counts)}
    code_of = np.array([place.get(label, -1) for label in piece.labels], dtype=np.int32)
    codes: NDArray[np.int32] = code_of[piece.indices[drawn]]
    return codes
