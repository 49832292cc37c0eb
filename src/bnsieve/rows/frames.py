"""Read Parquet files into one frame.

All files have the same columns, in any order.
"""

from pathlib import Path
from typing import Any

import pandas as pd

from bnsieve.rows.paths import require_columns
from bnsieve.table import whole_numbers


def read_parquet_files(path: Path, max_cells: int) -> pd.DataFrame | None:
    """Read a Parquet file, or a folder of them; return None if they have more cells than that."""
    try:
        import pyarrow as pa
        import pyarrow.dataset as ds

        from bnsieve.rows.numbers import as_frame
    except ImportError as error:
        raise ImportError("Parquet files need pyarrow: pip install 'bnsieve[scale]'") from error
    try:
        dataset = ds.dataset(path, format="parquet", partitioning="hive")
        if dataset.count_rows() * len(dataset.schema.names) > max_cells:
            return None
        first, *others = dataset.get_fragments()
        expected = first.physical_schema
        for one in others:
            own = one.physical_schema
            require_columns(one.path, own.names, first.path, expected.names)
            for name in own.names:
                types = own.field(name).type, expected.field(name).type
                if len(set(map(_is_text, types))) > 1:
                    raise ValueError(
                        f"column {name!r} is of type {types[0]} in {one.path} but of type "
                        f"{types[1]} in {first.path}: write all files with one type"
                    )
        table = dataset.to_table()
    except pa.ArrowException as error:
        raise ValueError(f"{path} cannot be read as Parquet: {error}") from None
    if not table.num_rows:
        raise ValueError(f"{path} has columns but no rows: there is nothing to learn from")
    return _with_integers(as_frame(table))


def _is_text(arrow_type: Any) -> bool:
    return "string" in str(arrow_type)


def _with_integers(frame: pd.DataFrame) -> pd.DataFrame:
    """Return the frame with integers where it has whole numbers beside missing cells."""
    for name in frame.columns[frame.dtypes.map(pd.api.types.is_float_dtype)]:
        if frame[name].hasnans and (integers := whole_numbers(frame[name])) is not None:
            frame[name] = integers
    return frame
