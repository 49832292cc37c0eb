"""Log probabilities of rows under probability tables.

In: a `bnsieve.table.Table`, and each variable's labels, parents and probability table. Out: the
log probability of every row, or of every label of one variable given the others in its row. All
rows are looked up together, family by family.
"""

import math
from collections.abc import Hashable, Iterable, Mapping

import numpy as np
from numpy.typing import NDArray

from bnsieve.table import Table

Positions = Mapping[str, NDArray[np.int64]]
Tables = Mapping[str, NDArray[np.float64]]
Parents = Mapping[str, tuple[str, ...]]


def strides(table: NDArray[np.float64]) -> NDArray[np.int64]:
    """How far apart, in configurations of all parents, the levels of each parent stand."""
    shape = table.shape[:-1]
    return np.array([math.prod(shape[i + 1 :]) for i in range(len(shape))], dtype=np.int64)


def positions(
    table: Table, names: Iterable[str], levels: Mapping[str, tuple[Hashable, ...]]
) -> dict[str, NDArray[np.int64]]:
    """Return the cells of some columns as positions in the network's levels, each (n_rows,).

    Raises
    ------
    ValueError
        If a column is not there, has a missing cell, or a label that the network does not know.
    """
    column_of = {name: i for i, name in enumerate(table.names)}
    found = {}
    for name in names:
        if name not in column_of:
            raise ValueError(f"the data lacks the column {name!r}.")
        found[name] = _recoded(table, column_of[name], levels[name])
    return found


def row_log_probabilities(
    cells: Positions, tables: Tables, parents: Parents
) -> NDArray[np.float64]:
    """Return the log probability of each row, shape (n_rows,); ``-inf`` for none.

    Parameters
    ----------
    cells : mapping from str to ndarray of int64, shape (n_rows,)
        Of every variable.
    tables, parents : mapping
        As in a `bnsieve.network.BayesianNetwork`.
    """
    n_rows = max(map(len, cells.values()), default=0)
    total = np.zeros(n_rows)
    for name, table in tables.items():
        total += _logarithms(table)[_family_cell(name, cells, table, parents)]
    return total


def label_log_probabilities(
    target: str, cells: Positions, tables: Tables, parents: Parents, n_rows: int
) -> NDArray[np.float64]:
    """Return log probabilities, up to a constant of the row, of every label of one variable.

    Parameters
    ----------
    target : str
    cells : mapping from str to ndarray of int64, shape (n_rows,)
        Of the target's Markov blanket; nothing else matters.
    tables, parents : mapping
        As in a `bnsieve.network.BayesianNetwork`.
    n_rows : int

    Returns
    -------
    ndarray of float64, shape (n_rows, n_levels)
    """
    labels = np.arange(tables[target].shape[-1])
    # With the target at its first label, every family's other cells are found by a fixed step.
    at_first = {**cells, target: np.zeros(n_rows, dtype=np.int64)}
    total = np.zeros((n_rows, len(labels)))
    for name, own in parents.items():
        if name == target:
            step = 1
        elif target in own:
            step = int(strides(tables[name])[own.index(target)]) * tables[name].shape[-1]
        else:
            continue
        first = _family_cell(name, at_first, tables[name], parents)
        total += _logarithms(tables[name])[first[:, np.newaxis] + step * labels]
    return total


def _family_cell(
    name: str, cells: Positions, table: NDArray[np.float64], parents: Parents
) -> NDArray[np.int64]:
    """Each row's place in a flattened table, shape (n_rows,)."""
    cell = cells[name].copy()
    for parent, stride in zip(parents[name], strides(table), strict=True):
        cell += stride * table.shape[-1] * cells[parent]
    return cell


def _logarithms(table: NDArray[np.float64]) -> NDArray[np.float64]:
    """Logarithms of a table, flattened; its rows are scaled to 1 first, as files round them."""
    with np.errstate(divide="ignore"):
        logarithms: NDArray[np.float64] = np.log(table / table.sum(axis=-1, keepdims=True))
    return logarithms.ravel()


def _recoded(table: Table, column: int, levels: tuple[Hashable, ...]) -> NDArray[np.int64]:
    """One column's codes as positions in the network's levels."""
    name = table.names[column]
    if column in table.missing:
        raise ValueError(f"column {name!r} has missing cells: drop those rows or fill them in.")
    position = {label: i for i, label in enumerate(levels)}
    for label in table.levels[column]:
        if label not in position:
            known = ", ".join(map(repr, levels[:5])) + (", ..." if len(levels) > 5 else "")
            raise ValueError(
                f"column {name!r} has the label {label!r}, which is not a level of the network's "
                f"{name!r} ({known})."
            )
    places = np.array([position[label] for label in table.levels[column]], dtype=np.int64)
    recoded: NDArray[np.int64] = places[table.codes[column]]
    return recoded
