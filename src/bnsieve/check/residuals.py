"""Residuals of variables given their parents, as numbers between 0 and 1.

In: families and columns. Out: for each cell, the probability of a lower value given its parents,
drawn uniformly within the step of a state (a randomised probability integral transform). If the
network is right, residuals are uniform, and independent between variables. In new rows they show
whether a number still depends on its parents as before, and whether two variables have become
dependent.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from hashlib import blake2b
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtr
from scipy.stats import norm

from bnsieve.check.cells import CellScores, Columns, Family, RegressedFamily, complete_rows
from bnsieve.check.shifts import MovedCell, Shift, size_of
from bnsieve.counts import JointCounts
from bnsieve.decide import METHODS
from bnsieve.network import NumberNode, is_known
from bnsieve.table import code_dtype

Values = NDArray[np.float64]

# Bins of residuals in a test: finer ones see narrower changes, and need more rows.
_N_BINS = 10
# Where parents are looked at too, of residuals and of each number among the parents.
_N_COARSE = 4
_N_OF_PARENT = 3


def residuals(scores: CellScores, columns: Columns, *, counted: bool = False) -> dict[str, Values]:
    """Return the residual of each cell, NaN where it or a parent is missing.

    The draws within the steps of states depend on the rows: the same rows have the same residuals.
    If batches of one size shared their draws, an unusual draw would raise an alarm in all of them.

    Parameters
    ----------
    scores : CellScores
        Of whose families the residuals are.
    columns : mapping from str to ndarray, shape (n_rows,)
    counted : bool
        Whether these rows are training rows.
    """
    known = {name: is_known(column) for name, column in columns.items()}
    seed = _seed_of(columns)
    found = {}
    for number, name in enumerate(scores.families):
        if name not in columns:
            continue
        family = scores.families[name]
        rows = np.flatnonzero(complete_rows(family.names, known))
        own = np.full(len(columns[name]), np.nan)
        some = {one: columns[one][rows] for one in family.names if one in columns}
        draws = np.random.default_rng([seed, number]).random(len(columns[name]))[rows]
        if len(rows):
            own[rows] = _of_family(family, some, draws, counted)
        found[name] = own
    return found


def _seed_of(columns: Columns) -> int:
    digest = blake2b(digest_size=8)
    for name in sorted(columns):
        digest.update(np.ascontiguousarray(columns[name]).data)
    return int.from_bytes(digest.digest(), "little")


def _of_family(family: Family, columns: Columns, draws: Values, counted: bool) -> Values:
    values = columns[family.names[-1]]
    if isinstance(family, RegressedFamily) and isinstance(family.node, NumberNode):
        node = family.node
        means, deviations = node.moments(columns, len(values))
        noise = (node.own.to_scores(values) - means) / deviations
        uniform: Values = ndtr(node.noise.to_scores(noise))
        return uniform
    shares = np.exp(family.log_states(columns, values, counted))
    above = shares.cumsum(axis=1)[np.arange(len(values)), values]
    own = shares[np.arange(len(values)), values]
    return np.clip(above - own * draws, 0.0, 1.0)


@dataclass(frozen=True)
class Together:
    """Two variables whose dependence given their parents is new.

    Attributes
    ----------
    x, y : str
    p_value : float
    before, after : float
        The rank correlation of their residuals.
    """

    x: str
    y: str
    p_value: float
    before: float
    after: float


def changed_dependence(
    before: Mapping[str, Values], after: Mapping[str, Values], families: Mapping[str, Family]
) -> list[Together]:
    """Compare the correlations of residuals of all non-adjacent pairs, before and now.

    A pair with too few rows has the p-value 1.
    """
    names = [name for name in before if name in after]
    (r0, s0, n0), (r1, s1, n1) = (
        _correlations([one[name] for name in names]) for one in (before, after)
    )
    with np.errstate(invalid="ignore", divide="ignore"):
        # The product of two independent residuals has the variance 1; few rows may show less.
        z = (r1 - r0) / np.sqrt(np.maximum(s0, 1.0) / n0 + np.maximum(s1, 1.0) / n1)
    found = []
    for i, x in enumerate(names):
        for j in range(i + 1, len(names)):
            y = names[j]
            if y in families[x].names or x in families[y].names:
                continue
            p_value = float(2 * norm.sf(abs(z[i, j]))) if np.isfinite(z[i, j]) else 1.0
            found.append(Together(x, y, p_value, float(r0[i, j]), float(r1[i, j])))
    return found


def _correlations(columns: list[Values]) -> tuple[Values, Values, Values]:
    """Return correlations of numbers between 0 and 1, their variances per row, and the rows."""
    # Uniform numbers have the variance 1/12.
    scaled = (np.array(columns) - 0.5) * np.sqrt(12.0)
    known = ~np.isnan(scaled)
    scaled = np.where(known, scaled, 0.0)
    n = known.astype(np.float64) @ known.T.astype(np.float64)
    with np.errstate(invalid="ignore", divide="ignore"):
        means = scaled @ scaled.T / n
        spread = (scaled**2) @ (scaled**2).T / n - means**2
    return means, spread, n


def changed_residuals(
    name: str,
    before: Mapping[str, Values],
    after: Mapping[str, Values],
    parents: Sequence[str],
    columns: tuple[Columns, Columns],
    alpha: float,
) -> Shift:
    """Test whether residuals are distributed as before, alone and given the parents.

    The p-value is the smaller one of two, doubled.

    Parameters
    ----------
    name : str
    before, after : mapping from str to ndarray of float64
        Residuals.
    parents : sequence of str
    columns : tuple of two mappings from str to ndarray
        Values and codes, before and after.
    alpha : float
        The level at which p-values matter.
    """
    own = [before[name], after[name]]
    known = [~np.isnan(one) for one in own]
    uniform = [one[there] for one, there in zip(own, known, strict=True)]
    if min(map(len, uniform)) == 0:
        return Shift(name, 1.0, 0.0)
    fine = [_binned(one, _N_BINS) for one in uniform]
    joint = _joint([fine], _N_BINS)
    alone, size = _p_value(joint, alpha), size_of(joint)
    cell = _moved_residuals(uniform)
    if not parents:
        return Shift(name, alone, size, cell)
    coarse = [_binned(one, _N_COARSE) for one in uniform]
    lines = [
        _coded([one[parent][there] for one, there in zip(columns, known, strict=True)])
        for parent in parents
    ]
    joint = _joint([*lines, coarse], _N_COARSE)
    given = _p_value(joint, alpha)
    return Shift(name, min(1.0, 2 * min(alone, given)), max(size, size_of(joint)), cell)


def _moved_residuals(uniform: list[Values]) -> MovedCell:
    """Say which share of the values moved most: those above the middle, or outside nine in ten."""
    counts = [len(one) for one in uniform]
    told = {
        "a value above the expected middle": [float((one > 0.5).mean()) for one in uniform],
        "a value outside the range expected of nine in ten": [
            float((abs(one - 0.5) > 0.45).mean()) for one in uniform
        ],
    }
    n, m = counts
    text, (before, after) = max(told.items(), key=lambda item: _evidence(*item[1], n=n, m=m))
    return MovedCell(text, {}, before, after, n, m)


def _evidence(before: float, after: float, *, n: int, m: int) -> float:
    """Return how clearly a share moved: its square in standard errors."""
    pooled = (n * before + m * after) / (n + m)
    return (after - before) ** 2 / max(pooled * (1 - pooled) * (1 / n + 1 / m), 1e-12)


def _binned(uniform: Values, n: int) -> NDArray[np.intp]:
    return (uniform * n).astype(np.intp).clip(0, n - 1)


def _coded(pair: list[NDArray[Any]]) -> list[NDArray[np.intp]]:
    """Return codes of a parent in both; a number in thirds."""
    if pair[0].dtype.kind != "f":
        return [one.astype(np.intp) for one in pair]
    cuts = np.quantile(np.concatenate(pair), np.arange(1, _N_OF_PARENT) / _N_OF_PARENT)
    return [np.searchsorted(cuts, one) for one in pair]


def _joint(lines: list[list[NDArray[np.intp]]], n_last: int) -> JointCounts:
    """Return the joint table of columns before and now, in which the last says which."""
    which = np.repeat([0, 1], [len(one) for one in lines[0]])
    codes = [np.concatenate(pair) for pair in lines]
    sizes = [int(one.max(initial=0)) + 1 for one in codes[:-1]] + [n_last]
    table = np.array([*codes, which]).astype(code_dtype(max(*sizes, 2)))
    joint = JointCounts(
        tuple(range(len(table))),
        (*sizes, 2),
        (False,) * len(table),
        table,
        np.ones(table.shape[1], dtype=np.int64),
    )
    return joint.marginal(joint.variables)


def _p_value(joint: JointCounts, alpha: float) -> float:
    p_value = METHODS["auto"](joint, alpha).p_value
    return 1.0 if np.isnan(p_value) else float(p_value)
