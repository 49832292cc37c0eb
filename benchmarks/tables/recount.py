"""A Parquet file in, missing cells and different cells of each column out, counted one by one."""

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class Count:
    """Missing cells of a column, and different ones among the others."""

    n_missing: int
    n_levels: int


def counted(path: Path, columns: Iterable[str]) -> dict[str, Count]:
    """Count columns of a Parquet file; one at a time, for all may be too many for memory.

    A text of blanks only is a missing cell.
    """
    import pyarrow as pa
    import pyarrow.compute as pc
    import pyarrow.parquet as pq

    counts = {}
    with pq.ParquetFile(path) as file:
        for name in columns:
            cells = file.read([name]).column(0)
            if pa.types.is_string(cells.type) or pa.types.is_large_string(cells.type):
                blank = pc.equal(pc.utf8_length(pc.utf8_trim_whitespace(cells)), 0)
                cells = pc.if_else(pc.fill_null(blank, False), pa.scalar(None, cells.type), cells)
            counts[name] = Count(
                cells.null_count, pc.count_distinct(cells, mode="only_valid").as_py()
            )
    return counts
