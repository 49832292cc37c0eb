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
    import pyarrow.dataset as ds

    from bnsieve.rows.broken_parquet import BROKEN, require_whole_columns
    from bnsieve.rows.numbers import as_frame

    dataset = None
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
        require_whole_columns(str(path), table)
        frame = as_frame(table)
    except BROKEN as error:
        _name_the_broken(dataset)
        said = " ".join(str(error).split())
        raise ValueError(f"{path} cannot be read as Parquet: {said}") from None
    if not table.num_rows:
        raise ValueError(f"{path} has columns but no rows: there is nothing to learn from")
    return _with_integers(frame)


def _name_the_broken(dataset: Any) -> None:
    """Raise the error of the one file, of several, that cannot be read."""
    from bnsieve.rows.broken_parquet import named

    for fragment in [] if dataset is None else dataset.get_fragments():
        with named(fragment.path):
            fragment.to_table()


def _is_text(arrow_type: Any) -> bool:
    return "string" in str(arrow_type)


def _with_integers(frame: pd.DataFrame) -> pd.DataFrame:
    """Return the frame with integers where it has whole numbers beside missing cells."""
    for name in frame.columns[frame.dtypes.map(pd.api.types.is_float_dtype)]:
        if frame[name].hasnans and (integers := whole_numbers(frame[name])) is not None:
            frame[name] = integers
    return frame
