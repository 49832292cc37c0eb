"""Rows under a network: predictions, imputed values, likelihoods, samples.

In: the parts of a network, and a frame in which values may be missing. Out: one answer per row.
"""

import operator
from collections.abc import Mapping, Sequence
from typing import Any, Literal, get_args

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from bnsieve.engine import RandomState, seed_of
from bnsieve.network.discrete.cliques import DEFAULT_MAX_BYTES
from bnsieve.network.discrete.evidence import position_of
from bnsieve.network.discrete.results import Distribution
from bnsieve.network.discrete.rows import (
    Cells,
    fill_cells,
    known_cells,
    row_log_probabilities,
    row_margins,
)
from bnsieve.network.discrete.sampling import sample_codes
from bnsieve.network.intervals import checked_level, with_interval
from bnsieve.network.mixed.answers import (
    check_complete,
    expected_exactly,
    expected_values,
    state_odds,
)
from bnsieve.network.mixed.nodes import is_known
from bnsieve.network.parts import FitRecord, NetworkParts, check_names
from bnsieve.network.rows import column_names, n_rows_of
from bnsieve.rows import in_memory
from bnsieve.table import Codes, Table

Filling = Literal["most probable", "drawn"]

# A byte for each cell of one column would be more than a machine has.
_MOST_ROWS = 1 << 42


def state_probabilities_of_rows(
    parts: NetworkParts, data: Any, target: str, max_bytes: int, interval: float | None = None
) -> pd.DataFrame:
    """Return the probability of each state of a variable in each row, and its interval."""
    data, level = in_memory(data), checked_level(interval)
    if level is not None:
        return _with_intervals(parts, data, target, level, max_bytes)
    if parts.has_bins:
        variable = position_of(parts.discrete, target)
        shares = row_margins(parts.discrete, _cells(parts, data, target), variable, max_bytes)
    else:
        columns = parts.columns_of(data, target)
        shares = state_odds(parts.mixed, target, columns, n_rows_of(data))
    states = pd.Index(parts.binned_states[target], tupleize_cols=False)
    return pd.DataFrame(shares, index=_index(data), columns=states)


def predicted(parts: NetworkParts, data: Any, target: str, max_bytes: int) -> "pd.Series[Any]":
    """Return the most probable state of a variable in each row, or the expected number."""
    data = in_memory(data)
    if target in parts.numbers:
        means = _expected_numbers(parts, data, target, max_bytes)
        return pd.Series(means, index=_index(data), name=target)
    proba = state_probabilities_of_rows(parts, data, target, max_bytes)
    values = proba.to_numpy()
    codes = np.where(np.isnan(values[:, 0]), -1, values.argmax(axis=1))
    return pd.Series(categorical(list(proba.columns), codes), index=proba.index, name=target)


def imputed(
    parts: NetworkParts, data: Any, how: Filling, random_state: RandomState, max_bytes: int
) -> pd.DataFrame:
    """Fill missing values; numbers by those that the rows of the fit have in the same bin."""
    data = in_memory(data)
    if how not in get_args(Filling):
        raise ValueError(f"how must be 'most probable' or 'drawn', got {how!r}.")
    model = parts.discrete
    table = parts.table_of(data)
    cells = known_cells(model, table, n_rows_of(data))
    held = column_names(data)
    order = [model.index[name] for name in parts.graph.topological_order() if name in held]
    seed = seed_of(random_state) if how == "drawn" else None
    filled = fill_cells(model, cells, np.array(order, dtype=np.int32), seed, max_bytes)
    columns: dict[str, Any] = {}
    for name in held:
        if name in model.index:
            codes = filled[:, model.index[name]]
            if name in parts.numbers:
                columns[name] = _filled_numbers(parts.learned, table, name, codes, seed)
            else:
                columns[name] = categorical(model.states[model.index[name]], codes)
    if not isinstance(data, pd.DataFrame):
        return pd.DataFrame(columns)
    frame = data.copy()
    for place, name in enumerate(held):
        if name in columns:
            frame.isetitem(place, columns[name])
    return frame


def log_likelihoods(parts: NetworkParts, data: Any, max_bytes: int) -> NDArray[np.float64]:
    """Return the logarithm of the probability, or density, of each row."""
    data = in_memory(data)
    names = parts.learned.reader.names_made(column_names(data))
    check_names("the data", names, parts.graph.nodes, what="column")
    if parts.numbers:
        columns = parts.columns_of(data)
        check_complete(columns, parts.graph.nodes)
        return parts.mixed.log_likelihood(columns)
    return row_log_probabilities(parts.discrete, _cells(parts, data), max_bytes)


def drawn_frame(
    parts: NetworkParts, n: int, random_state: RandomState, first_row: int
) -> pd.DataFrame:
    """Draw rows: categorical columns, and numbers in units."""
    n, first_row = _checked_rows(n, random_state, first_row)
    if parts.numbers:
        drawn: Mapping[str, NDArray[Any]]
        try:
            drawn, _ = parts.mixed.draw(parts.graph.nodes, {}, n, seed_of(random_state), first_row)
        except MemoryError:
            raise _too_many(n) from None
    else:
        codes = drawn_codes(parts, n, random_state, first_row)
        drawn = dict(zip(parts.graph.nodes, codes, strict=True))
    columns = {
        name: drawn[name] if name in parts.numbers else categorical(parts.states[name], drawn[name])
        for name in parts.graph.nodes
    }
    return pd.DataFrame(columns, index=pd.RangeIndex(n), copy=False)


def drawn_codes(parts: NetworkParts, n: int, random_state: RandomState, first_row: int) -> Codes:
    """Draw rows as positions of states, bins for numbers; shape (n_variables, n)."""
    n, first_row = _checked_rows(n, random_state, first_row)
    cpts, order = parts.binned.cpts, parts.graph.topological_order()
    try:
        return sample_codes(order, parts.parents, cpts, n, seed_of(random_state), first_row)
    except MemoryError:
        raise _too_many(n) from None


def _too_many(n: int) -> ValueError:
    return ValueError(f"{n:,} rows do not fit in memory: draw them in pieces, with first_row.")


def drawn_given(
    parts: NetworkParts,
    names: Sequence[str],
    given: Mapping[str, int],
    n: int,
    seed: int,
    max_bytes: int = DEFAULT_MAX_BYTES,
) -> dict[str, NDArray[np.int64]]:
    """Draw rows of some variables given the states of others, by exact inference.

    Parameters
    ----------
    parts : NetworkParts
    names : sequence of str
        What to draw, numbers as bins; parents before children is fastest.
    given : mapping of str to int
        Positions of states.

    Raises
    ------
    ValueError
        If what is given is impossible.
    """
    model = parts.discrete
    cells = np.full((n, len(model.names)), -1, dtype=np.int32)
    for name, code in given.items():
        cells[:, model.index[name]] = code
    order = np.array([model.index[name] for name in names], dtype=np.int32)
    filled = fill_cells(model, cells, order, seed, max_bytes)
    codes = {name: filled[:, model.index[name]].astype(np.int64) for name in names}
    if n and any((own < 0).any() for own in codes.values()):
        raise ValueError("the evidence has probability 0 in this network.")
    return codes


def _checked_rows(n: int, random_state: RandomState, first_row: int) -> tuple[int, int]:
    n, first_row = operator.index(n), operator.index(first_row)
    if n > _MOST_ROWS:
        raise _too_many(n)
    if n < 0 or first_row < 0:
        raise ValueError(f"n and first_row must not be negative, got {n} and {first_row}.")
    if first_row and random_state is None:
        raise ValueError("first_row continues a sample: give the random_state of that sample.")
    return n, first_row


def categorical(states: Any, codes: NDArray[Any]) -> pd.Categorical:
    """Return states by their positions; -1 is a missing value."""
    dtype = pd.CategoricalDtype(pd.Index(list(states), tupleize_cols=False))
    return pd.Categorical.from_codes(codes, dtype=dtype)


def _index(data: Any) -> "pd.Index[Any] | None":
    return data.index if isinstance(data, pd.DataFrame) else None


def _cells(parts: NetworkParts, data: Any, ignored: str = "") -> Cells:
    table = parts.table_of(data, ignored)
    return known_cells(parts.discrete, table, n_rows_of(data), ignored)


def _with_intervals(
    parts: NetworkParts, data: Any, target: str, level: float, max_bytes: int
) -> pd.DataFrame:
    """Return the probability of each state in each row, and the ends of its interval.

    Each row is a query of its own; equal rows are asked once.
    """
    if not parts.has_bins:
        raise ValueError("intervals need CPTs of all variables: leave out interval.")
    source, model = parts.interval_source, parts.discrete
    cells, places = np.unique(_cells(parts, data, target), axis=0, return_inverse=True)
    states = model.states[position_of(model, target)]
    shares = row_margins(model, cells, model.index[target], max_bytes)
    ends = np.full((len(cells), len(states), 3), np.nan)
    for row in np.flatnonzero(~np.isnan(shares[:, 0])).tolist():
        known = np.flatnonzero(cells[row] >= 0).tolist()
        given = {model.names[v]: model.states[v][cells[row, v]] for v in known}
        answer = Distribution((target,), (states,), shares[row])
        answer = with_interval(answer, source, given, level)
        ends[row] = answer.to_frame()[["probability", "low", "high"]].to_numpy()
    columns = pd.MultiIndex.from_product([list(states), ["probability", "low", "high"]])
    values = ends[places.ravel()].reshape(len(places), 3 * len(states))
    return pd.DataFrame(values, index=_index(data), columns=columns)


def _expected_numbers(
    parts: NetworkParts, data: Any, target: str, max_bytes: int
) -> NDArray[np.float64]:
    """Return the expected number of one variable in each row, given the others.

    Where a value that bears on it is missing, it is the exact answer of `expect`. Where there is
    none, it is the mean number of each bin of the target, weighted by the bin's probability.
    """
    columns, n_rows = parts.columns_of(data, target), n_rows_of(data)
    blanket = parts.graph.markov_blanket(target)
    if not parts.has_bins:
        check_complete(columns, blanket)
    complete = np.full(n_rows, columns.keys() >= set(blanket))
    if complete.all():
        complete &= np.logical_and.reduce([complete, *(is_known(columns[v]) for v in blanket)])
    means = expected_exactly(parts.mixed, target, columns, ~complete)
    if complete.any():
        near = {name: columns[name][complete] for name in blanket}
        means[complete] = expected_values(parts.mixed, target, near, int(complete.sum()))
    unanswered = np.isnan(means) & ~complete
    if unanswered.any():
        variable = parts.discrete.index[target]
        cells = _cells(parts, data, target)[unanswered]
        bins = row_margins(parts.discrete, cells, variable, max_bytes)
        means[unanswered] = bins @ _means_of_bins(parts.learned, target)
    return means


def _means_of_bins(record: FitRecord, name: str) -> NDArray[np.float64]:
    codes, values, n_bins = record.numbers_of_bins(name)
    n_rows = np.bincount(codes, minlength=n_bins)
    means: NDArray[np.float64] = np.bincount(codes, values, n_bins) / np.maximum(n_rows, 1)
    return means


def _filled_numbers(
    record: FitRecord, table: Table | None, name: str, codes: NDArray[Any], seed: int | None
) -> NDArray[np.float64]:
    """Return numbers where they are known, else the mean of a bin's numbers, or one drawn of them.

    NaN is left where no bin could be filled in.
    """
    numbers = np.full(len(codes), np.nan)
    if table is not None and name in table.names:
        numbers = table.numbers.get(table.names.index(name), numbers).copy()
    missing = np.isnan(numbers) & (codes >= 0)
    numbers[missing] = _means_of_bins(record, name)[codes[missing]]
    if seed is not None:
        rng = np.random.default_rng(seed)
        of_rows, values, _ = record.numbers_of_bins(name)
        for code in np.unique(codes[missing]).tolist():
            here = missing & (codes == code)
            numbers[here] = rng.choice(values[of_rows == code], size=int(here.sum()))
    return numbers
