"""Columns of numbers that are linear in others, exactly or nearly: sums, differences, units.

In: columns of numbers. Out: `LinearRelation`s. A total is the sum of its parts, but for rounding.
Its rank is not the sum of their ranks: other columns may come in to make up for what is left.

A relation must hold beyond the rows that it was found in: each half of the rows predicts the other
half, in nine of ten rows to a twentieth of the middle half's width. What is shared by a few extreme
rows, by columns that wander, or by many columns and few rows is none.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtri
from scipy.stats import rankdata

from bnsieve.table.table import Table

Values = NDArray[np.float64]

# Of the variance. Numbers rounded to a tenth of their standard deviation leave as much, and so do
# the ranks of some thousand normal values: what leaves more is as well described by ranks.
_LEFT = 1e-3
# In so many rows a relation is no further off than this share of the middle half's width.
_MOST_ROWS, _CLOSE = 0.9, 0.05
# What arithmetic on numbers of sixteen digits may leave.
_ROUNDING = 1e-9
# The correlation of values with their normal scores.
_NORMAL = 0.99
# A constant of fewer standard errors is left out.
_ERRORS = 4.0
# As many as a variable may have parents by default.
_MOST_TERMS = 8
# A term that leaves more than half of what was left adds nothing to a relation that holds.
_WORTHWHILE = 0.5
# Rows to find relations in, each column, at least; and rows that are looked at.
_FEWEST_ROWS, _ROWS_PER_COLUMN, _LOOKED_AT = 100, 10, 2_000
# Of more columns none is sought: time grows with their cube.
_MOST_COLUMNS = 300


@dataclass(frozen=True)
class LinearRelation:
    """A column that is a weighted sum of others and a constant.

    Attributes
    ----------
    column : int
        The one that varies most of all, as a total does.
    of : tuple of int
    weights : tuple of float
    constant : float
        0 where chance explains it.
    unexplained : float
        The share of the column's variance that is left, below a thousandth.
    """

    column: int
    of: tuple[int, ...]
    weights: tuple[float, ...]
    constant: float
    unexplained: float

    @property
    def members(self) -> frozenset[int]:
        """All columns in it."""
        return frozenset((self.column, *self.of))


def find_linear_relations(columns: Sequence[Values]) -> tuple[LinearRelation, ...]:
    """Find linear relations among columns; none follows from the others.

    Parameters
    ----------
    columns : sequence of ndarray of float64, shape (n_rows,)
        NaN where a value is missing. Of columns with the same ranks only the first takes part.

    Returns
    -------
    tuple of LinearRelation
        Those with the fewest columns first.
    """
    some = _some_rows(columns)
    places = _different(some)
    if not 2 <= len(places) <= _MOST_COLUMNS:
        return ()
    known = np.stack([some[v] for v in places])
    known = known[:, ~np.isnan(known).any(axis=0)]
    if known.shape[1] < max(_FEWEST_ROWS, _ROWS_PER_COLUMN * len(places)):
        return ()
    correlations = np.corrcoef(known) + _ROUNDING**2 * np.eye(len(known))
    if not np.isfinite(correlations).all():
        return ()
    found: dict[frozenset[int], Values] = {}
    for target in np.flatnonzero(_unexplained(correlations) <= _LEFT).tolist():
        terms = _terms(correlations, target)
        if terms and (members := frozenset((target, *terms))) not in found:
            found[members] = _direction(correlations, target, terms)
    relations, directions = list[LinearRelation](), list[Values]()
    for members in sorted(found, key=lambda own: (len(own), sorted(own))):
        if len(directions) and _follows(found[members], directions):
            continue
        column = int(np.abs(found[members]).argmax())
        others = [places[v] for v in sorted(members - {column})]
        relation = _verified(columns, places[column], others)
        if relation is not None:
            relations.append(relation)
            directions.append(found[members])
    return tuple(relations)


def linear_relations_of(table: Table) -> tuple[LinearRelation, ...]:
    """Return the linear relations among the variables of numbers in a table.

    None is sought where rows belong together: what wanders is nearly linear in its own past.
    """
    if table.entities is not None or table.steps is not None or table.copies:
        return ()
    places = sorted(table.numbers)
    found = find_linear_relations([table.numbers[v] for v in places])
    return tuple(
        replace(one, column=places[one.column], of=tuple(places[v] for v in one.of))
        for one in found
    )


def linear_members(table: Table) -> tuple[int, ...]:
    """Return the variables to score by value, and all with the same ranks.

    They take part in a linear relation of which every column is close to normal. Elsewhere values
    would lose more than ranks do: a few large ones decide.
    """
    relations = linear_relations_of(table)
    found = {v: _is_normal(table.numbers[v]) for one in relations for v in one.members}
    members = {v for one in relations if all(found[u] for u in one.members) for v in one.members}
    if not members:
        return ()
    places = sorted(table.numbers)
    keys = [_ranks_from_either_end(own) for own in _some_rows([table.numbers[v] for v in places])]
    own = {key for v, key in zip(places, keys, strict=True) if v in members}
    return tuple(v for v, key in zip(places, keys, strict=True) if key in own)


def _is_normal(column: Values) -> bool:
    """Tell whether values and their normal scores are nearly the same."""
    known = column[~np.isnan(column)]
    scores = ndtri((rankdata(known) - 0.5) / len(known))
    return float(np.corrcoef(known, scores)[0, 1]) >= _NORMAL


def _some_rows(columns: Sequence[Values]) -> list[Values]:
    most = max(_LOOKED_AT, _ROWS_PER_COLUMN * len(columns))
    return [column[:: max(1, len(column) // most)] for column in columns]


def _different(columns: Sequence[Values]) -> list[int]:
    """Return the columns that vary, without those of the same ranks as an earlier one."""
    first: dict[bytes, int] = {}
    for v, column in enumerate(columns):
        with np.errstate(over="ignore", invalid="ignore"):
            spread = float(np.nanstd(column)) if not np.isnan(column).all() else 0.0
        if 0 < spread < np.inf:
            first.setdefault(_ranks_from_either_end(column), v)
    return list(first.values())


def _ranks_from_either_end(column: Values) -> bytes:
    ranks = rankdata(column, method="dense", nan_policy="omit")
    if np.isnan(ranks).all():
        return b""
    return min(ranks.tobytes(), (np.nanmax(ranks) + 1 - ranks).tobytes())


def _unexplained(correlations: Values) -> Values:
    """Return the share of each column's variance that all others leave."""
    values, vectors = np.linalg.eigh(correlations)
    unexplained: Values = 1 / (vectors**2 @ (1 / np.maximum(values, _ROUNDING**2)))
    return unexplained


def _terms(correlations: Values, target: int) -> list[int]:
    """Return few columns that explain one, or none: added one by one, removed if not needed."""
    own, chosen = correlations.copy(), list[int]()
    while len(chosen) < _MOST_TERMS:
        left, variances = float(own[target, target]), np.diag(own).copy()
        variances[[target, *chosen]] = 0.0
        gains = np.zeros(len(own))
        np.divide(own[target] ** 2, variances, out=gains, where=variances > _ROUNDING)
        best = int(gains.argmax())
        after = left - float(gains[best])
        if left <= _ROUNDING or (left <= _LEFT and after > _WORTHWHILE * left):
            break
        chosen.append(best)
        own -= np.outer(own[best], own[best]) / own[best, best]
    left = _left_by(correlations, target, chosen)
    while len(chosen) > 1 and left <= _LEFT:
        without = [[v for v in chosen if v != gone] for gone in chosen]
        lefts = [_left_by(correlations, target, terms) for terms in without]
        best = int(np.argmin(lefts))
        if lefts[best] > min(_LEFT, max(left / _WORTHWHILE, _ROUNDING)):
            break
        chosen = without[best]
    return chosen if left <= _LEFT else []


def _left_by(correlations: Values, target: int, terms: Sequence[int]) -> float:
    shared = correlations[terms, target]
    explained = shared @ np.linalg.lstsq(correlations[np.ix_(terms, terms)], shared, rcond=None)[0]
    return float(correlations[target, target] - explained)


def _direction(correlations: Values, target: int, terms: Sequence[int]) -> Values:
    """Return the weights of standardised columns that add up to about nothing, of length one."""
    weights = np.zeros(len(correlations))
    inner = correlations[np.ix_(terms, terms)]
    weights[terms] = np.linalg.lstsq(inner, correlations[terms, target], rcond=None)[0]
    weights[target] = -1.0
    direction: Values = weights / np.linalg.norm(weights)
    return direction


def _follows(direction: Values, others: Sequence[Values]) -> bool:
    """Tell whether a relation follows from others."""
    span = np.stack(others).T
    left = direction - span @ np.linalg.lstsq(span, direction, rcond=None)[0]
    return float(np.linalg.norm(left)) < _CLOSE


def _verified(
    columns: Sequence[Values], column: int, others: Sequence[int]
) -> LinearRelation | None:
    """Return the relation if it holds in all rows, and each half of them predicts the other."""
    values = np.stack([columns[v] for v in (column, *others)])
    values = values[:, ~np.isnan(values).any(axis=0)]
    middle = values.shape[1] // 2
    if values.shape[1] < _FEWEST_ROWS:
        return None
    means, deviations = values.mean(axis=1, keepdims=True), values.std(axis=1, keepdims=True)
    standard = (values - means) / deviations
    target, design = standard[0], np.vstack([standard[1:], np.ones(values.shape[1])])
    halves = slice(None, middle), slice(middle, None)
    for fitted, foretold in (halves, halves[::-1]):
        weights = np.linalg.lstsq(design[:, fitted].T, target[fitted], rcond=None)[0]
        if not _is_close(target[foretold] - weights @ design[:, foretold], target[foretold]):
            return None
    weights = np.linalg.lstsq(design.T, target, rcond=None)[0]
    unexplained = float(np.var(target - weights @ design))
    if not unexplained <= _LEFT:
        return None
    scaled = weights[:-1] * deviations[0] / deviations[1:, 0]
    constant = float(means[0, 0] - scaled @ means[1:, 0])
    from_zero = means[1:, 0] / deviations[1:, 0]
    spread = 1 + from_zero @ np.linalg.solve(standard[1:] @ standard[1:].T / len(target), from_zero)
    error = np.sqrt(unexplained * spread / len(target)) + _ROUNDING * np.sqrt(spread)
    if abs(constant) <= _ERRORS * error * deviations[0, 0]:
        constant = 0.0
    return LinearRelation(column, tuple(others), tuple(scaled.tolist()), constant, unexplained)


def _is_close(left: Values, target: Values) -> bool:
    low, high = np.quantile(target, [0.25, 0.75])
    limit = _CLOSE * float(high - low) + _ROUNDING
    return float(np.quantile(np.abs(left), _MOST_ROWS)) <= limit
