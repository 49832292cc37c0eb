"""An Arrow table -> a pandas frame of plain types: texts, numbers, whole numbers or missing."""

import pandas as pd
import pyarrow as pa

from bnsieve.table import whole_numbers


def as_frame(table: pa.Table) -> pd.DataFrame:
    """Return the rows of a table."""
    plain = pa.schema([(column.name, _plain_type(column.type)) for column in table.schema])
    nullable = {pa.int64(): pd.Int64Dtype(), pa.uint64(): pd.UInt64Dtype()}
    frame: pd.DataFrame = table.cast(plain).to_pandas(types_mapper=nullable.get)
    for name, column in frame.items():
        if isinstance(column.dtype, pd.Int64Dtype | pd.UInt64Dtype) and not column.hasnans:
            frame[name] = column.to_numpy(dtype=str(column.dtype).lower())
        elif pd.api.types.is_float_dtype(column) and column.hasnans:
            integers = whole_numbers(column)
            frame[name] = column if integers is None else integers
    return frame


def _plain_type(arrow_type: pa.DataType) -> pa.DataType:
    if pa.types.is_dictionary(arrow_type):
        return _plain_type(arrow_type.value_type)
    if pa.types.is_decimal(arrow_type):
        return pa.float64()
    is_wide = not pa.types.is_integer(arrow_type) or arrow_type == pa.uint64()
    return arrow_type if is_wide else pa.int64()
