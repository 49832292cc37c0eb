"""Rows of a frame under a network with numbers.

In: a frame without gaps where it matters. Out: complete columns; the odds of a label, or the
expected value of a number, in each row.
"""

from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy.special import ndtri, softmax

from bnsieve.network.mixed.model import MixedModel
from bnsieve.network.mixed.number_node import NumberNode
from bnsieve.network.mixed.reading import read_rows
from bnsieve.network.mixed.scale import Values
from bnsieve.table import Table, named_columns

# Values at which a number is weighed, how often the grid is drawn closer, and the weight that is
# left out at each end.
_GRID, _FINER_GRIDS, _NO_WEIGHT = 64, 3, 1e-4
_ROWS_AT_ONCE = 4_096


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
    columns, n = _blanket(model, target, data)
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


def number_means(model: MixedModel, target: str, data: Any) -> "pd.Series[float]":
    """Return the expected value of a number, given its Markov blanket in each row.

    The density given the parents times that of the children is summed over a grid: first over
    what the parents allow, then again and again over the part that has the weight.
    """
    columns, n = _blanket(model, target, data)
    means = np.empty(n)
    for start in range(0, n, _ROWS_AT_ONCE):
        size = min(_ROWS_AT_ONCE, n - start)
        given = {name: column[start : start + size] for name, column in columns.items()}
        means[start : start + size] = _means(model, target, given, size)
    index = data.index if isinstance(data, pd.DataFrame) else None
    return pd.Series(means, index=index, name=target)


def _means(model: MixedModel, target: str, given: dict[str, NDArray[Any]], n: int) -> Values:
    children = model.graph.children(target)
    node = model.nodes[target]
    assert isinstance(node, NumberNode)
    values = node.quantiles(ndtri((np.arange(_GRID) + 0.5) / _GRID), given, n)
    if not children:
        return np.asarray(values.mean(axis=1), dtype=np.float64)
    given = {name: np.repeat(column, _GRID) for name, column in given.items()}
    weights = _weights(model, children, target, values, given)
    for _ in range(_FINER_GRIDS):
        low, high = _window(values, weights)
        values = np.linspace(low, high, _GRID, axis=1)
        weights = _weights(model, (target, *children), target, values, given)
    found: Values = (weights * values).sum(axis=1)
    return found


def _weights(
    model: MixedModel,
    names: tuple[str, ...],
    target: str,
    values: Values,
    given: dict[str, NDArray[Any]],
) -> Values:
    """Return the share of each value of the target in its row, by the densities of some nodes."""
    columns = {**given, target: values.ravel()}
    logs = np.sum([model.log_density(name, columns) for name in names], axis=0)
    shares: Values = softmax(logs.reshape(values.shape), axis=1)
    return shares


def _window(values: Values, weights: Values) -> tuple[Values, Values]:
    """Return between which values the next grid lies: one step beyond those that have weight."""
    span = values[:, -1:] - values[:, :1]
    wider = np.concatenate([values[:, :1] - span, values, values[:, -1:] + span], axis=1)
    sums = weights.cumsum(axis=1)
    rows = np.arange(len(values))
    first = (sums < _NO_WEIGHT).sum(axis=1)
    last = np.minimum((sums < 1 - _NO_WEIGHT).sum(axis=1), values.shape[1] - 1)
    return wider[rows, first], wider[rows, last + 2]


def _blanket(model: MixedModel, target: str, data: Any) -> tuple[dict[str, NDArray[Any]], int]:
    """Return the columns of a node's Markov blanket, and how many rows there are."""
    children = model.graph.children(target)
    families = {one for name in (target, *children) for one in (name, *model.parents[name])}
    blanket = tuple(name for name in model.graph.nodes if name in families - {target})
    columns = complete_columns(model, data, blanket) if blanket else {}
    if columns:
        return columns, len(next(iter(columns.values())))
    return columns, data.n_rows if isinstance(data, Table) else len(data)


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
