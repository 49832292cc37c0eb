"""The sign and size of edges: the strength of the dependence of two adjacent variables.

In: the counts of each variable with its parents, and rows if variables are numeric. Out: an
`EdgeSize` for each edge of the DAG, with the other parents of its head held fixed.

One definition serves all kinds of variables. A scale (numeric, of ordered categories, or of two
states) is represented by its ranks; another variable by an indicator of each state. The part that
the other parents explain, by least squares, is removed. The size is the root of the mean squared
canonical correlation of the residuals. Without other parents, it is Spearman's correlation of two
scales (phi for two variables of two states), Cramér's V of two categories, and the correlation
ratio of ranks otherwise. If two scales depend on each other in a way that ranks mostly miss, for
example because one rises and falls along the other, their states are compared as categories.
"""

from collections.abc import Collection, Hashable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtri

from bnsieve.network import FamilyCounts
from bnsieve.table import Table, some_rows, state_order

Values = NDArray[np.float64]
SizeKind = Literal["rank correlation", "Cramér's V", "correlation ratio"]

# Of more states, the others are one.
_MOST_STATES = 32
# Of as many rows the error of a size is below 0.01.
_MOST_ROWS = 20_000
# Parts of a numeric variable in which relations that rise and fall are looked for.
_PARTS = 5
# Where ranks show less of what there is in common than this, more and less do not describe it.
_MONOTONE = 0.6
# The chance that noise alone looks like a turn.
_TURN_BY_CHANCE = 0.01
# Directions of the other parents, or of a variable given them, with less variance are none.
_NO_VARIANCE = 1e-9


@dataclass(frozen=True)
class EdgeSize:
    """The sign and size of the dependence between the ends of an edge, given the other parents.

    Attributes
    ----------
    tail, head : str
        As in the DAG.
    kind : {"rank correlation", "Cramér's V", "correlation ratio"}
    value : float
        From -1 to 1 for a rank correlation. The other kinds have no sign, and are corrected for
        chance.
    tail_state, head_state : hashable or None
        For a rank correlation with a variable of two states, the state that counts as higher.
        Otherwise None.
    points : float or None
        If both have two states: the difference in the share of `head_state` between rows with and
        without `tail_state`.
    given : tuple of str
        The other parents of `head`, held fixed.
    alone : float
        The value without holding other parents fixed.
    both_ordered : bool
        Whether both ends have an order, even if the size has no sign.
    rises_and_falls : bool
        Whether both have an order, and the mean rank of one significantly rises and falls along
        the other.
    """

    tail: str
    head: str
    kind: SizeKind
    value: float
    tail_state: Hashable | None = None
    head_state: Hashable | None = None
    points: float | None = None
    given: tuple[str, ...] = ()
    alone: float = 0.0
    both_ordered: bool = False
    rises_and_falls: bool = False

    @property
    def is_signed(self) -> bool:
        """Whether the size has a sign: both ends have an order, and ranks show most of it."""
        return self.kind == "rank correlation"

    def __str__(self) -> str:
        return f"{self.value:+.2f}" if self.is_signed else f"{self.value:.2f}"


@dataclass(frozen=True, eq=False)
class _Variable:
    """One variable of a family, row by row.

    `ranks` if it is a scale; `states`, an indicator of each state but one, or of parts of a numeric
    variable. Of two states, `more` counts as more, and `share` is its indicator.
    """

    states: Values
    ranks: Values | None = None
    more: Hashable | None = None
    share: Values | None = None

    @property
    def held(self) -> Values:
        """The columns that hold it fixed; of a long scale, the square of the ranks too."""
        if self.ranks is None or self.more is not None:
            return self.states
        return np.stack([self.ranks, self.ranks**2])


@dataclass(frozen=True)
class _Common:
    """What two groups of columns have in common."""

    mean: float
    most: float
    sign: float


def edge_sizes(
    counts: FamilyCounts, table: Table | None, numbers: Collection[str]
) -> dict[frozenset[str], EdgeSize]:
    """Return the size of each edge of the DAG, as far as it can be computed.

    Parameters
    ----------
    counts : FamilyCounts
        Of all rows.
    table : Table or None
        Rows, for families with numeric variables. Without rows, the positions of bins are used.
    numbers : collection of str
        The numeric variables.
    """
    rows = None if table is None else some_rows(table, _MOST_ROWS, 0)
    sizes = {}
    for head in counts.graph.nodes:
        parents = counts.graph.parents(head)
        if not parents:
            continue
        family = (*parents, head)
        if rows is not None and set(family) & set(numbers):
            variables, weights = _of_rows(family, rows, numbers)
        else:
            variables, weights = _of_counts(family, counts)
        for tail in parents:
            size = _size(tail, head, variables, weights)
            if size is not None:
                sizes[frozenset((tail, head))] = size
    return sizes


def _of_counts(family: Sequence[str], counts: FamilyCounts) -> tuple[dict[str, _Variable], Values]:
    """Return the variables of a family, one row for each configuration that occurs."""
    joint = counts.tables[family[-1]].complete()
    weights = joint.counts.astype(np.float64)
    codes = joint.configurations.astype(np.int64)
    variables = {
        name: _categories(counts.states[name], code, weights)
        for name, code in zip(family, codes, strict=True)
    }
    return variables, weights


def _of_rows(
    family: Sequence[str], rows: Table, numbers: Collection[str]
) -> tuple[dict[str, _Variable], Values]:
    """Return the variables of a family in the rows in which none of them is missing."""
    place = [rows.names.index(name) for name in family]
    known = np.ones(rows.n_rows, dtype=bool)
    for v in place:
        known &= ~rows.missing.get(v, np.zeros(1, dtype=bool))
    weights = np.ones(int(known.sum()))
    variables = {}
    for name, v in zip(family, place, strict=True):
        if name in numbers and v in rows.numbers:
            ranks = _ranks(rows.numbers[v][known], weights)
            parts = np.minimum((ranks * _PARTS).astype(np.int64), _PARTS - 1)
            variables[name] = _Variable(_indicators(parts, weights), ranks)
        else:
            codes = rows.codes[v][known].astype(np.int64)
            variables[name] = _categories(rows.categories[v], codes, weights)
    return variables, weights


def _categories(states: Sequence[Hashable], codes: NDArray[np.int64], weights: Values) -> _Variable:
    order, columns = state_order(states), _indicators(codes, weights)
    if order.ranks is None:
        return _Variable(columns)
    scale = np.array(order.ranks)[codes]
    if len(states) != 2:
        return _Variable(columns, _ranks(scale, weights))
    share = (scale == max(order.ranks)).astype(np.float64)
    more = states[int(np.argmax(order.ranks))]
    return _Variable(columns, _ranks(scale, weights), more, share)


def _indicators(codes: NDArray[np.int64], weights: Values) -> Values:
    """Return an indicator of each of the most frequent codes, but for the first of them."""
    totals = np.bincount(codes, weights)
    shown = np.argsort(-totals, kind="stable")[1 : 1 + _MOST_STATES]
    columns: Values = (codes == shown[:, np.newaxis]).astype(np.float64)
    return columns


def _ranks(values: Values, weights: Values) -> Values:
    """Return the middle rank of each value among all rows, as a share."""
    distinct, place = np.unique(values, return_inverse=True)
    totals = np.bincount(place, weights, len(distinct))
    ranks: Values = ((np.cumsum(totals) - totals / 2) / max(weights.sum(), 1.0))[place]
    return ranks


def _size(
    tail: str, head: str, variables: Mapping[str, _Variable], weights: Values
) -> EdgeSize | None:
    others = tuple(name for name in variables if name not in (tail, head))
    held = [variables[name].held for name in others]
    x, y = variables[tail], variables[head]
    whole = _common(x.states, y.states, held, weights)
    if whole is None:
        return None
    both = x.ranks is not None and y.ranks is not None
    columns = [v.states if v.ranks is None else v.ranks[np.newaxis] for v in (x, y)]
    ranked = _common(columns[0], columns[1], held, weights)
    kind: SizeKind = "rank correlation" if both else "correlation ratio"
    neither = x.ranks is None and y.ranks is None
    if neither or ranked is None or ranked.most < _MONOTONE * whole.most:
        kind, ranked, columns = "Cramér's V", whole, [x.states, y.states]
    alone = _common(columns[0], columns[1], (), weights) or ranked
    size = EdgeSize(
        tail, head, kind, ranked.mean, given=others, alone=alone.mean, both_ordered=both
    )
    if kind != "rank correlation":
        return replace(size, rises_and_falls=both and _turns(x, y, held, weights))
    return replace(
        size,
        value=ranked.sign * ranked.mean,
        alone=alone.sign * alone.mean,
        tail_state=x.more,
        head_state=y.more,
        points=_points(x, y, held, weights),
    )


def _common(x: Values, y: Values, held: Sequence[Values], weights: Values) -> _Common | None:
    """Return the canonical correlations of two groups of columns; None if one has no variance."""
    left, n_held = _without(np.concatenate([x, y]), held, weights)
    both = (left * weights) @ left.T
    inverse_x, p = _inverse(both[: len(x), : len(x)])
    inverse_y, q = _inverse(both[len(x) :, len(x) :])
    if not p or not q:
        return None  # the other parents say all that one of them does
    crossed = both[: len(x), len(x) :]
    squared = np.linalg.eigvals(inverse_x @ crossed @ inverse_y @ crossed.T).real
    # The sign of one correlation is as often wrong by chance as right; several have none.
    chance = 0.0 if p == q == 1 else p * q / max(float(weights.sum()) - n_held, 1.0)
    mean = max(float(squared.sum()) - chance, 0.0) / min(p, q)
    most = max(float(squared.max()) - chance, 0.0)
    sign = float(np.sign(crossed[0, 0]))
    return _Common(float(np.sqrt(min(mean, 1.0))), float(np.sqrt(min(most, 1.0))), sign)


def _turns(x: _Variable, y: _Variable, held: Sequence[Values], weights: Values) -> bool:
    """Tell whether the mean of one scale significantly rises and falls along the other."""
    assert x.ranks is not None and y.ranks is not None
    (of_x, of_y), _ = _without(np.stack([x.ranks, y.ranks]), held, weights)
    return _rises_and_falls(_places(x.ranks), of_y, weights) or _rises_and_falls(
        _places(y.ranks), of_x, weights
    )


def _places(ranks: Values) -> NDArray[np.intp]:
    """Return the place of each row along a scale: its state, or a part if states are many."""
    distinct, places = np.unique(ranks, return_inverse=True)
    if len(distinct) <= _MOST_STATES:
        return places
    return np.minimum((ranks * _PARTS).astype(np.intp), _PARTS - 1)


def _rises_and_falls(places: NDArray[np.intp], values: Values, weights: Values) -> bool:
    """Tell whether some later place has a clearly higher mean, and some a clearly lower one."""
    counts = np.bincount(places, weights)
    kept = counts > 1
    totals, squares = (np.bincount(places, weights * values**power)[kept] for power in (1, 2))
    counts = counts[kept]
    means = totals / counts
    spread = np.maximum(squares - counts * means**2, 0.0)
    # Of few rows, a variance can be small by chance.
    common = spread.sum() / max(counts.sum() - len(counts), 1.0)
    errors = np.maximum(spread / (counts - 1), common) / counts
    first, second = np.triu_indices(len(counts), 1)
    if not len(first):
        return False
    # Of many pairs, some differ by chance.
    width = -ndtri(_TURN_BY_CHANCE / (2 * len(first)))
    least = width * np.sqrt(errors[first] + errors[second])
    changes = means[second] - means[first]
    return bool((changes > least).any() and (changes < -least).any())


def _points(x: _Variable, y: _Variable, held: Sequence[Values], weights: Values) -> float | None:
    """Return by how much more frequent a state is with another than without, as a share."""
    if x.share is None or y.share is None:
        return None
    (of_x, of_y), _ = _without(np.stack([x.share, y.share]), held, weights)
    spread = float((of_x * weights) @ of_x)
    return float((of_x * weights) @ of_y) / spread if spread > 0 else None


def _without(columns: Values, held: Sequence[Values], weights: Values) -> tuple[Values, int]:
    """Return what is left of some columns without their mean and what others explain of them."""
    ones = np.ones((1, len(weights)))
    design = np.concatenate([ones, *held])
    root = np.sqrt(weights)
    coefficients, _, rank, _ = np.linalg.lstsq(
        (design * root).T, (columns * root).T, rcond=_NO_VARIANCE
    )
    left: Values = columns - (design.T @ coefficients).T
    return left, int(rank)


def _inverse(moments: Values) -> tuple[Values, int]:
    """Return the inverse of moments in the directions with variance, and how many these are."""
    values, vectors = np.linalg.eigh(moments)
    kept = values > _NO_VARIANCE * max(float(values[-1]), 1.0)
    return (vectors[:, kept] / values[kept]) @ vectors[:, kept].T, int(kept.sum())
