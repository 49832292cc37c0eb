"""Whether the distribution of a variable changed, alone and given its parents.

In: joint counts of a variable and its parents, before and in new rows. Out: `Shift`, the test of
one variable, with the cell that changed most.

The joint table gets one more variable, which tells whether a row is new. The test asks whether it
is independent of the variable, alone or given the parents. The test of `bnsieve.decide` is valid in
sparse tables, so parents with many configurations raise no false alarms.
"""

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from bnsieve.counts import JointCounts
from bnsieve.decide import METHODS
from bnsieve.table import bin_labels, code_dtype

States = Mapping[str, tuple[Hashable, ...]]


@dataclass(frozen=True)
class MovedCell:
    """A state whose share changed, given one configuration of the parents.

    Attributes
    ----------
    state : object
    given : mapping from str to object
        States of the parents; empty for the share among all rows.
    before, after : float
        The share of the state among the rows of the configuration.
    n_before, n_after : int
        The numbers of rows of the configuration.
    """

    state: Hashable
    given: Mapping[str, Hashable]
    before: float
    after: float
    n_before: int
    n_after: int


@dataclass(frozen=True)
class Shift:
    """Whether the distribution of one variable is the same as before.

    Attributes
    ----------
    name : str
    p_value : float
        The p-value for no change; 1 if the rows cannot tell.
    size : float
        Half the sum of the differences of shares, averaged over the configurations of the parents
        in the new rows, minus the sum expected by chance. From 0 to 1.
    cell : MovedCell or None
        The state whose share changed most.
    """

    name: str
    p_value: float
    size: float
    cell: MovedCell | None = None


def find_shift(
    before: JointCounts, after: JointCounts, names: Sequence[str], states: States, alpha: float
) -> Shift:
    """Test whether the last variable of two tables has the same distribution given the others.

    Parameters
    ----------
    before, after : JointCounts
        The counts of the same variables with the same categories.
    names : sequence of str
        The names of the variables, parents first.
    states : mapping from str to tuple of states
    alpha : float
        The level at which p-values matter.
    """
    both = of_two(before.complete(), after.complete())
    outcome = METHODS["auto"](both, alpha)
    p_value = 1.0 if np.isnan(outcome.p_value) else float(outcome.p_value)
    size, cell = _moved(both, names, states)
    return Shift(names[-1], p_value, size, cell)


def of_two(before: JointCounts, after: JointCounts) -> JointCounts:
    """Return one table of the rows of both, in which the last variable names the table."""
    if before.n_categories != after.n_categories:
        raise ValueError("the tables have other categories")
    n = len(before.variables)
    which = np.repeat([0, 1], [len(before.counts), len(after.counts)])
    dtype = code_dtype(max((*before.n_categories, 2)))
    both = np.concatenate([before.configurations, after.configurations], axis=1).astype(dtype)
    joined = JointCounts(
        tuple(range(n + 1)),
        (*before.n_categories, 2),
        (*before.has_missing, False),
        np.concatenate([both, which[np.newaxis].astype(dtype)]),
        np.concatenate([before.counts, after.counts]),
    )
    return joined.marginal(joined.variables)


def size_of(both: JointCounts) -> float:
    """Return how much shares changed; see `Shift.size`."""
    return _moved(both)[0]


def _moved(
    both: JointCounts, names: Sequence[str] = (), states: States | None = None
) -> tuple[float, MovedCell | None]:
    """Return by how much shares moved, and the cell that contributes most to that."""
    codes, counts = both.configurations.astype(np.int64), both.counts
    given, stratum = np.unique(codes[:-2], axis=1, return_inverse=True)
    stratum = stratum.ravel()
    n_states = both.n_categories[-2]
    cells = np.zeros((2, max(given.shape[1], 1), n_states))
    np.add.at(cells, (codes[-1], stratum, codes[-2]), counts)
    totals = cells.sum(axis=2)
    common = (totals > 0).all(axis=0)
    if not common.any():
        return 0.0, None
    given, cells, totals = given[:, common], cells[:, common], totals[:, common]
    shares = cells / totals[:, :, np.newaxis]
    pooled = cells.sum(axis=0) / totals.sum(axis=0)[:, np.newaxis]
    # The rows that the difference of two shares is worth.
    rows = (totals.prod(axis=0) / totals.sum(axis=0))[:, np.newaxis]
    squares = (shares[1] - shares[0]) ** 2
    beyond_chance = np.sqrt(np.maximum(squares - pooled * (1.0 - pooled) / rows, 0.0))
    weights = totals[1] / totals[1].sum()
    size = float(weights @ beyond_chance.sum(axis=1)) / 2
    evidence = rows * squares / np.maximum(pooled, 1e-12)
    at, state = np.unravel_index(int(evidence.argmax()), evidence.shape)
    if states is None:
        return size, None
    own = {name: states[name][code] for name, code in zip(names[:-1], given[:, at], strict=True)}
    cell = MovedCell(
        states[names[-1]][state],
        own,
        float(shares[0, at, state]),
        float(shares[1, at, state]),
        int(totals[0, at]),
        int(totals[1, at]),
    )
    return size, cell


def recoded(
    joint: JointCounts, places: Sequence[NDArray[np.intp]], n: Sequence[int]
) -> JointCounts:
    """Return a table with other codes of its categories.

    Parameters
    ----------
    joint : JointCounts
    places : sequence of ndarray of intp
        For each variable, the new code of each of its categories.
    n : sequence of int
        The new number of categories of each variable.
    """
    lines = [
        np.append(own, n_own)[codes]
        for own, n_own, codes in zip(places, n, joint.configurations, strict=True)
    ]
    dtype = code_dtype(max(n) + 1)
    made = replace(
        joint,
        n_categories=tuple(n),
        configurations=np.array(lines).astype(dtype).reshape(len(n), -1),
    )
    return made.marginal(made.variables)


# Ranges that numbers are counted in.
_N_RANGES = 10


def number_shift(
    name: str, before: NDArray[np.float64], after: NDArray[np.float64], alpha: float
) -> Shift:
    """Test whether numbers have the same distribution, in ten ranges of equal frequency."""
    before, after = before[~np.isnan(before)], after[~np.isnan(after)]
    if not len(before) or not len(after):
        return Shift(name, 1.0, 0.0)
    shares = np.arange(1, _N_RANGES) / _N_RANGES
    cuts = np.unique(np.quantile(np.concatenate([before, after]), shares))
    labels = tuple(bin_labels(cuts))
    tables = [
        _counted(np.searchsorted(cuts, one, side="right"), len(labels)) for one in (before, after)
    ]
    return find_shift(tables[0], tables[1], [name], {name: labels}, alpha)


def _counted(codes: NDArray[np.intp], n: int) -> JointCounts:
    counts = np.bincount(codes, minlength=n)
    there = np.flatnonzero(counts)
    return JointCounts(
        (0,),
        (n,),
        (False,),
        there[np.newaxis].astype(code_dtype(n)),
        counts[there].astype(np.int64),
    )
