"""How alike successive rows are, and rows of one entity.

In: some consecutive rows, each column as a `Scored` with its cells as numbers of mean 0. Out: a
`Likeness` for each of the two questions. Successive rows are compared inside short windows, after a
straight line is subtracted from each window. A table that is sorted by a column changes slowly, and
hardly at all within a window. A series changes from step to step.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtri, stdtr

from bnsieve.table.column import Floats

Group = NDArray[np.int64]

# Rows of a window: long enough to lose little to the line, short enough for a sorted table to be
# straight in it. A line leaves nothing of windows with fewer rows than the second number.
_WINDOW, _SHORTEST = 12, 5
# The fewest windows, or entities, that a claim is based on. Those in which a column is constant do
# not count.
_FEWEST = 15
# The probability that independent rows are called alike: in one column, and in all together.
_CHANCE = 1e-4
# Weaker correlations can be significant in many rows but matter little. The limits are those of one
# column, and of the mean of all columns in windows and in entities.
_ALIKE, _ALIKE_IN_ALL, _ALIKE_IN_ENTITIES = 0.15, 0.1, 0.05
# So many categories of a column are compared, the most frequent ones.
_CATEGORIES = 6
_NOTHING = 1e-12


@dataclass(frozen=True)
class Likeness:
    """How alike rows are.

    Attributes
    ----------
    columns : mapping of str to float
        The columns in which they are, with the correlation of two rows, the highest first.
    overall : float
        The mean correlation over all columns that were compared.
    is_found : bool
        Whether rows are alike: beyond chance, and by more than a little.
    """

    columns: Mapping[str, float] = field(default_factory=dict)
    overall: float = 0.0
    is_found: bool = False

    def of_neighbours(self, columns: Mapping[str, "Scored"], group: Group) -> "Likeness":
        """Return the same with the plain correlation of neighbours, where that is higher.

        A straight line in each window removes most of a series that wanders.
        """
        together = group[1:] == group[:-1]
        plain = {
            name: float((own.scores[:, 1:] * own.scores[:, :-1]).sum(axis=0)[together].mean())
            for name, own in columns.items()
            if name in self.columns
        }
        higher = {name: max(share, plain[name]) for name, share in self.columns.items()}
        ranked = sorted(higher.items(), key=lambda item: (-item[1], item[0]))
        return replace(self, columns={name: min(1.0, share) for name, share in ranked})


@dataclass(frozen=True, eq=False)
class Scored:
    """The cells of a column as numbers.

    Attributes
    ----------
    scores : ndarray of float64, shape (n_scores, n_rows)
        Mean 0: normal scores of numbers, 0 where a cell is missing; one line for each of the most
        frequent categories.
    is_number : bool
    """

    scores: Floats
    is_number: bool

    @classmethod
    def of_numbers(cls, values: Floats) -> "Scored":
        """Return the normal scores of numbers."""
        known = np.isfinite(values)
        scores = np.zeros(len(values))
        _, place, counts = np.unique(values[known], return_inverse=True, return_counts=True)
        middle = np.cumsum(counts) - (counts - 1) / 2
        scores[known] = ndtri(middle / (known.sum() + 1))[place]
        deviation = float(scores.std())
        return cls((scores / max(deviation, _NOTHING))[np.newaxis], is_number=True)

    @classmethod
    def of_categories(cls, codes: NDArray[np.int64]) -> "Scored":
        """Return one line for each frequent category; a missing cell, -1, is one as well."""
        counts = np.bincount(codes + 1)
        frequent = np.argsort(-counts, kind="stable")[:_CATEGORIES]
        frequent = frequent[counts[frequent] > 0] - 1
        if len(frequent) == 2:
            frequent = frequent[1:]
        lines = (codes == frequent[:, np.newaxis]).astype(np.float64)
        lines -= lines.mean(axis=1, keepdims=True)
        spread = float(np.sqrt((lines**2).sum(axis=0).mean()))
        return cls(lines / max(spread, _NOTHING), is_number=False)

    @property
    def varies(self) -> bool:
        """Whether there are two different cells."""
        return bool((self.scores != self.scores[:, :1]).any())

    def take(self, rows: NDArray[np.intp]) -> "Scored":
        """Return some rows, in an order."""
        return Scored(self.scores[:, rows], self.is_number)


def runs(codes: NDArray[np.int64]) -> Group:
    """Return the number of the run that each row is in."""
    return np.concatenate([[0], np.cumsum(codes[1:] != codes[:-1])])


def in_windows(columns: Mapping[str, Scored], group: Group) -> Likeness:
    """Return how alike successive rows are.

    Parameters
    ----------
    columns : mapping of str to Scored
    group : ndarray of int64, shape (n_rows,)
        Rows of different groups, which are runs, are not compared.
    """
    windows = _windows(group)
    n_windows = sum(map(len, windows.values()))
    if n_windows < _FEWEST:
        return Likeness()
    names, products, scales = list(columns), [], []
    turned, turned_scales = [], []
    # Windows of one length stand together, so that halves are drawn from all of them.
    learned = np.arange(n_windows) % 2 == 0
    for column in columns.values():
        matrices, spreads = _neighbour_products(column.scores, windows)
        product, scale = np.trace(matrices, axis1=1, axis2=2), np.trace(spreads, axis1=1, axis2=2)
        turned.append(np.einsum("wab,ab->w", matrices, _direction(matrices[learned])))
        informative = scale > _NOTHING
        # Windows in which a column is constant say nothing, and those left have all of its size.
        share = float(informative[~learned].mean())
        size = _size(spreads[~learned].mean(axis=0)) / max(share, _NOTHING)
        turned_scales.append(np.where(informative, size, 0.0))
        if column.is_number:  # a window in which a series moves much does not drown the others
            product = np.divide(product, scale, out=np.zeros_like(scale), where=informative)
            scale = informative.astype(np.float64)
        products.append(product)
        scales.append(scale)
    alike = _judged(names, products, scales, _ALIKE_IN_ALL)
    if alike.is_found:
        return alike
    return _judged(
        names,
        [own[~learned] for own in turned],
        [own[~learned] for own in turned_scales],
        _ALIKE_IN_ALL,
    )


def in_entities(columns: Mapping[str, Scored], entity: NDArray[np.int64]) -> Likeness:
    """Return how alike the rows of one entity are: the intraclass correlation.

    Parameters
    ----------
    columns : mapping of str to Scored
    entity : ndarray of int64, shape (n_rows,)
        From 0 on; -1: none.
    """
    pieces = [_entity_products(column.scores, entity) for column in columns.values()]
    if not pieces or len(pieces[0][0]) < _FEWEST:
        return Likeness()
    products, scales = map(list, zip(*pieces, strict=True))
    return _judged(list(columns), products, scales, _ALIKE_IN_ENTITIES)


def likeness_in_entities(scores: Floats, entity: NDArray[np.int64]) -> tuple[float, float]:
    """Return the intraclass correlation of a column, and the chance of so high a one.

    With fewer entities than a claim needs, the chance is 1.

    Parameters
    ----------
    scores : ndarray of float64, shape (n_scores, n_rows)
        With mean 0.
    entity : ndarray of int64, shape (n_rows,)
        From 0 on; -1: none.
    """
    products, scales = _entity_products(scores, entity)
    if len(products) < _FEWEST or scales.sum() <= _NOTHING:
        return 0.0, 1.0
    return float(products.sum() / scales.sum()), _chance(products)


def _entity_products(scores: Floats, entity: NDArray[np.int64]) -> tuple[Floats, Floats]:
    """Return the products of two rows of each entity that has two, and those of equal rows.

    Each entity has the weight of its rows, and not of its pairs of rows.
    """
    has_entity = entity >= 0
    own = entity[has_entity]
    n_rows = np.bincount(own)
    several = n_rows > 1
    weight = np.zeros(len(n_rows))
    weight[several] = 1 / (n_rows[several] - 1)
    product, scale = np.zeros(len(n_rows)), np.zeros(len(n_rows))
    for line in scores[:, has_entity]:
        squares = np.bincount(own, line**2, len(n_rows))
        product += weight * (np.bincount(own, line, len(n_rows)) ** 2 - squares)
        scale += squares
    return product[several], scale[several]


def _windows(group: Group) -> dict[int, NDArray[np.int64]]:
    """Return the first rows of windows that lie in one group each, by their length."""
    starts = np.flatnonzero(np.concatenate([[True], group[1:] != group[:-1]]))
    found: dict[int, list[int]] = {}
    for start, end in zip(starts.tolist(), [*starts[1:].tolist(), len(group)], strict=True):
        if end - start < _SHORTEST:
            continue
        n_windows = max(1, round((end - start) / _WINDOW))
        edges = [start + (end - start) * i // n_windows for i in range(n_windows + 1)]
        for first, behind in pairwise(edges):
            found.setdefault(behind - first, []).append(first)
    return {length: np.array(firsts) for length, firsts in found.items()}


def _neighbour_products(
    scores: Floats, windows: Mapping[int, NDArray[np.int64]]
) -> tuple[Floats, Floats]:
    """Return the products of neighbours in each window, 0 by chance, and those of equal rows.

    Returns
    -------
    ndarray, ndarray of float64, shape (n_windows, n_scores, n_scores)
    """
    products, spreads = [], []
    for length, firsts in windows.items():
        time = np.arange(length) - (length - 1) / 2
        line = 1 / length + np.outer(time, time) / (time @ time)
        # What the line takes from neighbours makes them unlike; that much is added again.
        taken = float(np.trace(line, offset=1))
        blocks = scores[:, firsts[:, np.newaxis] + np.arange(length)].swapaxes(0, 1)
        rest = blocks - blocks @ line
        spread = rest @ rest.swapaxes(1, 2) / (length - 2)
        products.append(rest[:, :, :-1] @ rest[:, :, 1:].swapaxes(1, 2) + taken * spread)
        spreads.append((length - 1) * spread)
    return np.concatenate(products), np.concatenate(spreads)


def _direction(matrices: Floats) -> Floats:
    """Return what follows what in some windows, of size 1: to be looked for in the others."""
    mean = matrices.mean(axis=0)
    direction: Floats = mean / max(_size(mean), _NOTHING)
    return direction


def _size(matrix: Floats) -> float:
    return float(np.sqrt((matrix**2).sum()))


def _judged(
    names: Sequence[str], products: Sequence[Floats], scales: Sequence[Floats], least: float
) -> Likeness:
    """Judge columns by their products in pieces of rows that are independent of each other.

    Columns tell the same where they depend on each other, so that all together are judged by the
    spread of their sum over the pieces.
    """
    shares: dict[str, float] = {}
    alike: dict[str, float] = {}
    total, n_summed = np.zeros(len(products[0]) if products else 0), 0
    for name, product, scale in zip(names, products, scales, strict=True):
        informative = scale > _NOTHING
        if not informative.any():
            continue
        shares[name] = float(product.sum() / scale.sum())
        total += product / scale.mean()
        n_summed += 1
        if (
            informative.sum() >= _FEWEST
            and shares[name] > _ALIKE
            and _chance(product[informative]) < _CHANCE / len(names)
        ):
            alike[name] = shares[name]
    if not n_summed:
        return Likeness()
    overall = float(np.mean(list(shares.values())))
    in_all = overall > least and _chance(total) < _CHANCE
    if in_all and not alike:
        alike = {name: share for name, share in shares.items() if share > least}
    is_found = in_all or len(alike) >= min(2, len(names))
    ranked = sorted(alike.items(), key=lambda item: (-item[1], item[0]))
    return Likeness(dict(ranked) if is_found else {}, overall, is_found)


def _chance(values: Floats) -> float:
    """Return the chance of so high a mean, where the mean is 0."""
    error = float(values.std(ddof=1)) / np.sqrt(len(values)) if len(values) > 1 else np.inf
    mean = float(values.mean())
    if error <= _NOTHING:
        return 0.0 if mean > _NOTHING else 1.0
    return float(stdtr(len(values) - 1, -mean / error))
