"""How missing values depend on other columns.

In: the columns of some rows. Out: `MissingCells` for each column with missing values. Columns are
sorted by their number of missing values, the fewest first. Whether a value is missing depends on up
to three columns before it in this order: on their values, and on whether these are missing. Whether
it depends on the missing value itself cannot be inferred from rows.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from bnsieve.synthesize.records import MissingCells
from bnsieve.table import Floats

_MOST_PARENTS = 3
# States of a parent that are told apart; others are one.
_MOST_STATES = 12
_MOST_CELLS = 4_096
# Columns whose missing values are examined, columns on which these may depend, and rows.
_MOST_COLUMNS, _MOST_CANDIDATES, _MOST_ROWS = 300, 80, 20_000
# Of so many rows without exception, there is none.
_ENOUGH = 10


@dataclass(frozen=True, eq=False)
class Variable:
    """The states of a column in some rows, which missing values may depend on.

    Attributes
    ----------
    column, name : str
        The column, and the variable made from it; empty if only its missing values are known.
    states : tuple of str
    codes : ndarray of int64, shape (n_rows,)
        Positions among the states; arbitrary for missing values.
    """

    column: str
    name: str
    states: tuple[str, ...]
    codes: NDArray[np.int64]


def missing_cells(
    missing: Mapping[str, NDArray[np.bool_]], variables: Sequence[Variable]
) -> tuple[MissingCells, ...]:
    """Return the dependence of the missing values of each column on other columns.

    Parameters
    ----------
    missing : mapping of str to ndarray of bool, shape (n_rows,)
        Of all columns.
    variables : sequence of Variable
    """
    masks = {name: mask[:_MOST_ROWS] for name, mask in missing.items()}
    order = sorted(masks, key=lambda name: (int(missing[name].sum()), name))
    place = {name: i for i, name in enumerate(order)}
    levels, maps = {}, {}
    for number, variable in enumerate(variables):
        maps[number] = _level_of_states(variable)
        of_state = np.array([maps[number].get(state, 1) for state in variable.states] or [1])
        known = of_state[np.clip(variable.codes[:_MOST_ROWS], 0, len(of_state) - 1)]
        levels[number] = np.where(masks[variable.column], 0, known)
    found = []
    n_examined = 0
    for name in order:
        if not missing[name].any():
            continue
        n_examined += 1
        own = masks[name]
        candidates = [
            number
            for number, variable in enumerate(variables)
            if place[variable.column] < place[name] and np.ptp(levels[number]) > 0
        ]
        chosen: list[int] = []
        if n_examined <= _MOST_COLUMNS and own.any() and not own.all():
            chosen = _choose(own, {number: levels[number] for number in candidates})
        shares = _shares(own, float(missing[name].mean()), [levels[number] for number in chosen])
        parents = tuple((variables[i].column, variables[i].name) for i in chosen)
        found.append(MissingCells(name, parents, tuple(maps[i] for i in chosen), shares))
    return tuple(found)


def _level_of_states(variable: Variable) -> dict[str, int]:
    """Return levels of the most frequent states, from 2 on."""
    counts = np.bincount(variable.codes[variable.codes >= 0], minlength=len(variable.states))
    frequent = np.argsort(-counts[: len(variable.states)], kind="stable")[:_MOST_STATES]
    return {variable.states[i]: level for level, i in enumerate(sorted(frequent.tolist()), 2)}


def _choose(own: NDArray[np.bool_], levels: Mapping[int, NDArray[np.int64]]) -> list[int]:
    """Return the variables on which missing values depend, by BIC, at most three."""
    chosen: list[int] = []
    configurations, n_cells = np.zeros(len(own), dtype=np.int64), 1
    best = _score(own, configurations, 1)
    remaining = list(levels)
    for step in range(_MOST_PARENTS):
        scores = {}
        for number in remaining:
            size = int(levels[number].max()) + 1
            if n_cells * size <= _MOST_CELLS:
                cells = configurations * size + levels[number]
                scores[number] = _score(own, cells, n_cells * size)
        if not scores:
            break
        if step == 0:
            remaining = sorted(scores, key=lambda one: -scores[one])[:_MOST_CANDIDATES]
        number = max(scores, key=lambda one: scores[one])
        if scores[number] <= best:
            break
        best = scores[number]
        size = int(levels[number].max()) + 1
        configurations, n_cells = configurations * size + levels[number], n_cells * size
        chosen.append(number)
        remaining = [one for one in remaining if one != number]
    return chosen


def _score(own: NDArray[np.bool_], cells: NDArray[np.int64], n_cells: int) -> float:
    n = np.bincount(cells, minlength=n_cells).astype(np.float64)
    k = np.bincount(cells, own, n_cells)
    share = k / np.maximum(n, 1)
    with np.errstate(divide="ignore", invalid="ignore"):
        logs = np.where(k > 0, k * np.log(share), 0) + np.where(
            n > k, (n - k) * np.log1p(-share), 0
        )
    return float(logs.sum() - 0.5 * np.log(len(own)) * (n > 0).sum())


def _shares(own: NDArray[np.bool_], overall: float, levels: Sequence[NDArray[np.int64]]) -> Floats:
    """Return the share of missing values for each configuration of the parents."""
    sizes = tuple(int(own_levels.max()) + 1 for own_levels in levels)
    if not sizes:
        return np.array(overall)
    cells = np.ravel_multi_index(tuple(levels), sizes)
    n = np.bincount(cells, minlength=int(np.prod(sizes))).astype(np.float64)
    k = np.bincount(cells, own, len(n))
    shares = (k + overall) / (n + 1)
    certain = (n >= _ENOUGH) & ((k == 0) | (k == n))
    made: Floats = np.where(certain, k / np.maximum(n, 1), shares).reshape(sizes)
    return made


def draw_missing_cells(
    record: Sequence[MissingCells],
    codes: Mapping[tuple[str, str], tuple[Sequence[str], NDArray[np.int64]]],
    given: Mapping[str, NDArray[np.bool_]],
    rng: np.random.Generator,
    n: int,
) -> dict[str, NDArray[np.bool_]]:
    """Draw which values are missing.

    Parameters
    ----------
    record : sequence of MissingCells
    codes : mapping of (column, variable) to states and codes
        The states and codes of the drawn rows.
    given : mapping of str to ndarray of bool
        Columns whose missing values are already drawn.
    """
    missing = dict(given)
    for one in record:
        if one.column in missing:
            continue
        places: list[NDArray[np.int64]] = []
        for parent, levels, size in zip(one.parents, one.levels, np.shape(one.shares), strict=True):
            states, own = codes.get(parent, (("",), np.zeros(n, dtype=np.int64)))
            of_state = np.array([levels.get(state, 1) for state in states] or [1])
            known = np.minimum(of_state[own], size - 1)
            mask = missing.get(parent[0])
            places.append(known if mask is None else np.where(mask, 0, known))
        shares = one.shares[tuple(places)] if places else np.broadcast_to(one.shares, n)
        missing[one.column] = rng.random(n) < shares
    return missing
