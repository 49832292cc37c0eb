"""The second pass where numbers stay numbers: sum chunks of rows into `Moments`.

A `bnsieve.counts.Embedding`, made from the sample of the first pass, says what is summed; what
`sum_rows` returns adds up to the moments of all rows.
"""

from collections.abc import Sequence

from bnsieve.counts import Coded, Column, Embedding, Moments, Summer
from bnsieve.rows.first_pass import pieces
from bnsieve.rows.labels import Piece
from bnsieve.rows.parquet import Chunk, ParquetSource


def sum_rows(source: ParquetSource, chunks: Sequence[Chunk], embedding: Embedding) -> Moments:
    """Sum some chunks of a source."""
    summer = Summer(embedding)
    names = embedding.names
    numbers = {names[v] for v in embedding.rank_maps}
    labels = [name for name in names if name not in numbers]
    for _, file, batch in source.read(chunks, names, numbers):
        coded = dict(zip(labels, pieces(labels, file, batch, {}), strict=True))
        columns = [
            batch.column(name).to_numpy() if name in numbers else as_column(coded[name])
            for name in names
        ]
        summer.add(columns, batch.num_rows)
    return summer.result()


def as_column(piece: Piece) -> Column:
    """Return what a piece holds: its numbers, or its categories."""
    return Coded(piece.labels, piece.indices) if piece.values is None else piece.values
