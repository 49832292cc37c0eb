"""A source that reports how many of its rows have been processed."""

from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass, field, fields

import pyarrow as pa

from bnsieve import _native
from bnsieve.rows.parquet import Chunk, ParquetFile, ParquetSource


@dataclass(frozen=True)
class FollowedSource(ParquetSource):
    """A source whose reader is followed.

    Attributes
    ----------
    tell : callable
        Called with the number of rows of each piece, once its reader comes back for the next.
    """

    tell: Callable[[int], None] = field(kw_only=True)

    def read(
        self, chunks: Sequence[Chunk], names: Sequence[str], numbers: Collection[str] = ()
    ) -> Iterator[tuple[int, ParquetFile, pa.RecordBatch]]:
        """Yield the rows of some chunks; see `ParquetSource.read`."""
        for first, file, piece in super().read(chunks, names, numbers):
            _native.stop_if_asked()
            yield first, file, piece
            self.tell(piece.num_rows)


def followed(source: ParquetSource, tell: Callable[[int], None]) -> FollowedSource:
    """Return a source that reports its rows as they are processed."""
    same = {one.name: getattr(source, one.name) for one in fields(ParquetSource)}
    return FollowedSource(**same, tell=tell)
