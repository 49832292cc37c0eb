"""Rows with missing values: predictions, filled values, probabilities of rows.

In: a frame, and a `Model`. Out: one answer per row. Every row is a question of its own, and what
bears on it is small where most cells are known; the kernel finds it, plans it once for all rows
that share it, and answers row by row.
"""

import numpy as np
from numpy.typing import NDArray

from bnsieve.network.discrete.evidence import Evidence
from bnsieve.network.discrete.exact import ImpossibleError, joint_table, log_probability
from bnsieve.network.discrete.model import IMPOSSIBLE, TOO_LARGE, Model, Values
from bnsieve.network.rows import codes_in
from bnsieve.table import Table

Cells = NDArray[np.int32]


def known_cells(model: Model, table: Table | None, n_rows: int, ignored: str = "") -> Cells:
    """Return rows as positions of states, -1 where unknown, shape (n_rows, n_variables).

    Columns that the network does not have, and the ignored one, are left out; columns that the
    table does not have are unknown.

    Raises
    ------
    ValueError
        If a state is not one of the network's.
    """
    cells = np.full((n_rows, len(model.names)), -1, dtype=np.int32)
    for name in table.names if table is not None else ():
        if name in model.index and name != ignored:
            assert table is not None
            v = model.index[name]
            cells[:, v] = codes_in(table, name, model.states[v])
    return cells


def row_margins(model: Model, cells: Cells, target: int, max_bytes: int) -> Values:
    """Return the distribution of one variable in each row; NaN where the row is impossible."""
    probabilities = np.empty((len(cells), model.n_states[target]))
    states = np.empty(len(cells), dtype=np.uint8)
    model.rows.margins(cells, target, probabilities, states, max_bytes)
    probabilities[states == IMPOSSIBLE] = np.nan
    for row in np.flatnonzero(states == TOO_LARGE):
        probabilities[row] = _margin(model, cells[row], target, max_bytes)
    others = cells.copy()
    others[:, target] = -1
    probabilities[_are_impossible(model, others, max_bytes)] = np.nan
    return probabilities


def _are_impossible(model: Model, cells: Cells, max_bytes: int) -> NDArray[np.bool_]:
    """Tell of which rows the known cells have probability 0, also those that bear on no answer.

    Rows whose plan is too large are not judged.
    """
    found = np.zeros(len(cells), dtype=bool)
    if any((table == 0).any() for table in model.tables):
        logarithms = np.empty(len(cells))
        states = np.empty(len(cells), dtype=np.uint8)
        model.rows.log_probabilities(np.ascontiguousarray(cells), logarithms, states, max_bytes)
        found = (states == IMPOSSIBLE) | ((states != TOO_LARGE) & np.isneginf(logarithms))
    return found


def row_log_probabilities(model: Model, cells: Cells, max_bytes: int) -> Values:
    """Return the logarithm of the probability of each row's known cells."""
    logarithms = np.empty(len(cells))
    states = np.empty(len(cells), dtype=np.uint8)
    model.rows.log_probabilities(cells, logarithms, states, max_bytes)
    for row in np.flatnonzero(states == TOO_LARGE):
        logarithms[row] = log_probability(model, _evidence(model, cells[row]), max_bytes)
    return logarithms


def fill_cells(
    model: Model, cells: Cells, order: NDArray[np.int32], seed: int | None, max_bytes: int
) -> Cells:
    """Fill unknown cells: each with its most probable state, or, given a seed, with a drawn one.

    Parameters
    ----------
    order : ndarray of int32
        The variables to fill. Each state is drawn given the known cells of its row and the states
        drawn before it, so that those of one row are drawn from their joint distribution.

    Returns
    -------
    ndarray of int32, shape (n_rows, n_variables)
        -1 is left where the known cells of a row are impossible together.
    """
    filled = np.empty_like(cells)
    states = np.empty(len(cells), dtype=np.uint8)
    draws = np.empty((0, 0))
    if seed is not None:
        draws = np.random.default_rng(seed).random(cells.shape)
    model.rows.fill(cells, filled, order, draws, states, max_bytes)
    for row in np.flatnonzero(states == TOO_LARGE):
        _fill_row(
            model, cells[row], filled[row], order, draws[row] if len(draws) else None, max_bytes
        )
    impossible = (states == IMPOSSIBLE) | _are_impossible(model, cells, max_bytes)
    filled[impossible] = cells[impossible]
    return filled


def _fill_row(
    model: Model,
    cells: Cells,
    filled: Cells,
    order: NDArray[np.int32],
    draws: Values | None,
    max_bytes: int,
) -> None:
    """Fill one row for which the kernel's plan is too large."""
    for v in order.tolist():
        if filled[v] < 0:
            margin = _margin(model, cells if draws is None else filled, v, max_bytes)
            if np.isnan(margin[0]):
                return
            if draws is None:
                filled[v] = margin.argmax()
            else:
                filled[v] = min(int((margin.cumsum() <= draws[v]).sum()), len(margin) - 1)


def _margin(model: Model, cells: Cells, target: int, max_bytes: int) -> Values:
    """Return one row's margin by the other way, or the figures of why not."""
    evidence = _evidence(model, cells)
    evidence.hard.pop(target, None)
    try:
        return joint_table(model, [target], evidence, max_bytes).tables[(target,)]
    except ImpossibleError:
        return np.full(model.n_states[target], np.nan)


def _evidence(model: Model, cells: Cells) -> Evidence:
    known = {v: int(cells[v]) for v in np.flatnonzero(cells >= 0).tolist()}
    single = {v: 0 for v, n in enumerate(model.n_states) if n == 1}
    return Evidence({**single, **known})
