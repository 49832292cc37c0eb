"""The last rows of each entity, read as a network over time was taught to read rows.

In: rows as the learner was given them, in any order, and the `Timeline` of the fit. Out: a
`History`: windows of rows from which paths start, the time stamps of the steps to come, and notes
in words on what is missing, new or short. What cannot be placed in time is refused by name.
"""

from collections.abc import Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bnsieve.network.mixed.nodes import is_known
from bnsieve.network.parts import NetworkParts
from bnsieve.network.rows import column_names, number_values, select_columns
from bnsieve.network.time.clock import Order
from bnsieve.network.time.paths import Windows
from bnsieve.network.time.slices import Slices
from bnsieve.table import Table, resampled_table
from bnsieve.text import counted, listed

# Rows before the last that are filtered where values are missing; older ones have hardly any say.
MOST_ROWS = 60


@dataclass(frozen=True, eq=False)
class Placed:
    """Rows in the order of entity and time.

    Attributes
    ----------
    entities : tuple
        In the order of their first rows.
    entity : ndarray of int, shape (n_rows,)
        The place of each row's entity; ascending.
    step : ndarray of int, shape (n_rows,)
        The number of each row's step; ascending within an entity.
    columns : mapping from str to ndarray, shape (n_rows,)
        Values, NaN where missing; codes, -1 where missing.
    """

    entities: tuple[Any, ...]
    entity: NDArray[np.intp]
    step: NDArray[np.int64]
    columns: Mapping[str, NDArray[Any]]


@dataclass(frozen=True, eq=False)
class History:
    """The last rows of each entity.

    Attributes
    ----------
    groups : tuple of (ndarray of int, Windows)
        Entities with as many rows each, by their places among all.
    notes : tuple of str
    """

    groups: tuple[tuple[NDArray[np.intp], Windows], ...]
    notes: tuple[str, ...]


def read_values(
    slices: Slices, data: Any, order: Order
) -> tuple[dict[str, NDArray[Any]], list[str]]:
    """Return the variables of a slice as values and codes, and notes on what was not understood.

    A column that the data lacks is missing in all rows, and so is a state that was not seen when
    the network was learned.
    """
    parts = slices.parts
    wanted = [*slices.order, *slices.static]
    numbers, table = _read(parts, data, wanted, order)
    n_rows = len(order.starts)
    columns: dict[str, NDArray[Any]] = {}
    notes, absent = [], []
    for name in wanted:
        if name in parts.numbers:
            columns[name] = numbers.get(name, np.full(n_rows, np.nan))
            is_held = name in numbers
        elif table is not None and name in table.names:
            place, is_held = table.names.index(name), True
            columns[name], unknown = _codes(table, place, parts.states[name])
            if unknown:
                n = int(np.isin(table.codes[place], [code for code, _ in unknown]).sum())
                named = listed([repr(state) for _, state in unknown], 3)
                notes.append(
                    f"{name}: {named} did not occur in the training rows; "
                    f"{counted(n, 'value is', 'values are')} treated as missing"
                )
        else:
            columns[name], is_held = np.full(n_rows, -1, dtype=np.intp), False
        if not is_held:
            absent.append(name)
    if absent:
        what = "column" if len(absent) == 1 else "columns"
        notes.append(f"the history has no values of the {what} {listed(absent)}")
    return columns, notes


def _read(
    parts: NetworkParts, data: Any, wanted: Sequence[str], order: Order
) -> tuple[dict[str, NDArray[np.float64]], Table | None]:
    """Return the numbers among some variables, and the others as states; those without values not.

    Rows are read as those of the fit were; a network without a fit reads them as they are.
    """
    numbers = [name for name in wanted if name in parts.numbers]
    if not parts.has_bins:
        held = select_columns(data, wanted, with_values=True)
        others = set(column_names(held)).difference(numbers)
        table = Table.from_data(select_columns(held, others)) if others else None
        found = number_values(held, numbers)
        in_order = {name: values[order.rows] for name, values in found.items()}
        return in_order, None if table is None else _rows_at(table, order.rows)
    reader = parts.learned.reader
    table = reader.table(data, {name: parts.binned_states[name] for name in wanted})
    if table is None:
        return {}, None
    if len(order.starts) < len(order.rows):
        edges = {} if reader.plan is None else reader.plan.bin_edges
        table = resampled_table(table, order.rows, order.starts, edges)
    else:
        table = _rows_at(table, order.rows)
    return number_values(table, numbers), table


def _rows_at(table: Table, rows: NDArray[np.intp]) -> Table:
    """Return some rows of a table, with all of its categories."""
    missing = {v: mask[rows] for v, mask in table.missing.items()}
    numbers = {v: values[rows] for v, values in table.numbers.items()}
    return Table(table.codes[:, rows], table.names, table.categories, missing, numbers)


def _codes(
    table: Table, place: int, states: Sequence[Hashable]
) -> tuple[NDArray[np.intp], list[tuple[int, Hashable]]]:
    at = {state: code for code, state in enumerate(states)}
    held = table.categories[place]
    codes = np.array([at.get(state, -1) for state in held], dtype=np.intp)[table.codes[place]]
    if place in table.missing:
        codes[table.missing[place]] = -1
    return codes, [(code, state) for code, state in enumerate(held) if state not in at]


def windows_of(placed: Placed, slices: Slices, known: Mapping[str, NDArray[Any]]) -> History:
    """Return the last rows of each entity: as many as bear on what comes.

    These are the last rows without missing values, as many as there are lags, and all rows after
    them. Steps without a row are rows in which everything is missing.

    Parameters
    ----------
    placed : Placed
    slices : Slices
    known : mapping from str to ndarray of int, shape (n_entities, MOST_ROWS + n_steps)
        Variables that are known ahead; the last observed row is at place ``MOST_ROWS - 1``.
    """
    n, n_lags = len(placed.entities), max(slices.n_lags, 1)
    ends = np.searchsorted(placed.entity, np.arange(n), side="right")
    starts = np.searchsorted(placed.entity, np.arange(n))
    names = [name for name in slices.order if slices.lagged[name]]
    complete = np.ones(len(placed.entity), dtype=bool)
    for name in names:
        complete &= is_known(placed.columns[name])
    lengths = np.array(
        [
            _length(placed.step[a:b], complete[a:b], n_lags)
            for a, b in zip(starts.tolist(), ends.tolist(), strict=True)
        ],
        dtype=np.intp,
    )
    groups = []
    for length in np.unique(lengths).tolist():
        places = np.flatnonzero(lengths == length)
        groups.append((places, _windows(placed, slices, known, places, starts, ends, length)))
    return History(tuple(groups), tuple(_remarks(placed, starts, ends, lengths, n_lags)))


def _length(steps: NDArray[np.int64], complete: NDArray[np.bool_], n_lags: int) -> int:
    """Return how many steps back from the last row the window begins."""
    has_all = len(steps) >= n_lags and complete[-n_lags:].all()
    if has_all and steps[-1] - steps[-n_lags] == n_lags - 1:
        return n_lags
    run = 0
    for at in range(len(steps) - 1, -1, -1):
        follows = at + 1 < len(steps) and steps[at + 1] - steps[at] == 1
        run = (run + 1 if follows else 1) if complete[at] else 0
        length = int(steps[-1] - steps[at]) + 1
        if length >= MOST_ROWS:
            return MOST_ROWS
        if run >= n_lags:
            return length
    return min(max(int(steps[-1] - steps[0]) + 1, n_lags), MOST_ROWS)


def _windows(
    placed: Placed,
    slices: Slices,
    known: Mapping[str, NDArray[Any]],
    places: NDArray[np.intp],
    starts: NDArray[np.intp],
    ends: NDArray[np.intp],
    length: int,
) -> Windows:
    rows = {
        name: np.full((len(places), length), np.nan if column.dtype.kind == "f" else -1)
        for name, column in placed.columns.items()
    }
    rows = {name: own.astype(placed.columns[name].dtype) for name, own in rows.items()}
    static = {name: rows.pop(name)[:, 0] for name in slices.static}
    last = placed.step[ends[places] - 1]
    for back in range(length):
        # A row this many rows from the end lies at most so many steps back.
        at = ends[places] - 1 - back
        held = at >= starts[places]
        step_back = np.where(held, last - placed.step[at], length)
        held &= step_back < length
        for name, own in rows.items():
            own[held, length - 1 - step_back[held]] = placed.columns[name][at[held]]
    for name, own in static.items():
        told = np.flatnonzero(is_known(placed.columns[name]))
        # The last known value of each entity.
        at = np.searchsorted(placed.entity[told], places, side="right") - 1
        held = (at >= 0) & (placed.entity[told[at.clip(0)]] == places) if len(told) else at >= 0
        own[held] = placed.columns[name][told[at[held]]]
    ahead = {name: own[places, MOST_ROWS - length :] for name, own in known.items()}
    return Windows(tuple(placed.entities[i] for i in places), rows, static, ahead)


def _remarks(
    placed: Placed,
    starts: NDArray[np.intp],
    ends: NDArray[np.intp],
    lengths: NDArray[np.intp],
    n_lags: int,
) -> Iterator[str]:
    n_rows = ends - starts
    short = np.flatnonzero(n_rows < n_lags)
    if len(short) and placed.entities != (None,):
        named = listed([repr(placed.entities[i]) for i in short[:100]], 3)
        yield (
            f"{counted(len(short), 'series has', 'series have')} fewer than {n_lags} rows "
            f"({named}): the steps before are treated as missing"
        )
    elif len(short):
        yield (
            f"the history has {counted(int(n_rows[0]), 'row')}, but the network looks back "
            f"{n_lags} steps: the steps before are treated as missing"
        )
    filtered = int((lengths > np.maximum(n_rows.clip(max=n_lags), n_lags)).sum())
    if filtered:
        yield (
            f"{counted(filtered, 'series has', 'series have')} missing values or steps in the last "
            "rows: paths begin earlier and are weighted by the values known since"
        )
