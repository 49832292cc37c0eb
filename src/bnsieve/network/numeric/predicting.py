"""Rows of a frame under a network with numbers.

In: a frame without gaps where it matters. Out: complete columns; the odds of a label in each row.
"""

from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy.special import softmax

from bnsieve.network.numeric.model import MixedModel
from bnsieve.network.numeric.reading import read_rows
from bnsieve.table import Table, named_columns


def complete_columns(
    model: MixedModel, data: Any, wanted: tuple[str, ...] | None = None
) -> dict[str, NDArray[Any]]:
    """Return columns of a frame, values of numbers and codes of labels.

    Raises
    ------
    ValueError
        If one is absent, a label is unknown, or a cell is missing.
    """
    names = model.graph.nodes if wanted is None else wanted
    held = data.names if isinstance(data, Table) else named_columns(data)[0]
    for name in names:
        if name not in held:
            raise ValueError(f"the data lacks the column {name!r}.")
    numbers = [name for name in model.numbers if name in names]
    rows = read_rows(_selected(data, names), numbers)
    columns: dict[str, NDArray[Any]] = {**rows.numbers, **rows.codes(model.levels)}
    for name in names:
        column = columns[name]
        missing = np.isnan(column) if name in rows.numbers else column < 0
        if missing.any():
            row = int(np.flatnonzero(missing)[0])
            raise ValueError(
                f"row {row} lacks {name!r}: a network with numbers takes complete rows. Leave the "
                "row out, or fill the cell in."
            )
    return columns


def label_odds(model: MixedModel, target: str, data: Any) -> pd.DataFrame:
    """Return the probability of each label of a column, given its Markov blanket in each row."""
    if target not in model.parents:
        raise ValueError(f"the network has no node {target!r}.")
    if model.is_number(target):
        raise ValueError(f"{target!r} is a number: expect({target!r}) says what it may be.")
    children = model.graph.children(target)
    families = {one for name in (target, *children) for one in (name, *model.parents[name])}
    blanket = tuple(name for name in model.graph.nodes if name in families - {target})
    columns = complete_columns(model, data, blanket) if blanket else {}
    n = len(next(iter(columns.values()))) if columns else len(data)
    logs = np.zeros((n, len(model.levels[target])))
    for code in range(logs.shape[1]):
        filled = {**columns, target: np.full(n, code)}
        for name in (target, *children):
            logs[:, code] += model.log_density(name, filled)
    return pd.DataFrame(
        softmax(logs, axis=1),
        index=data.index if isinstance(data, pd.DataFrame) else None,
        columns=pd.Index(model.levels[target], tupleize_cols=False),
    )


def _selected(data: Any, names: tuple[str, ...]) -> Any:
    """Return the columns of a frame that are wanted."""
    if isinstance(data, Table):
        return data.select(names)
    if isinstance(data, pd.DataFrame):
        return data.loc[:, [str(name) in names for name in data.columns]]
    if isinstance(data, np.ndarray):
        held, columns, _ = named_columns(data)
        return pd.DataFrame(dict(zip(held, columns, strict=True)))[list(names)]
    import narwhals as nw

    return nw.from_native(data, eager_only=True).select(list(names)).to_native()
