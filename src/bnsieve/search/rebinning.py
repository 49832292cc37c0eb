"""Bins given a network, and whether the data favour bins or numbers.

`rebin` finds bin edges where a network is explained best (after Friedman and Goldszmidt, 1996). A
bin edge of a variable gains what it tells about the variable's parents, and what it helps to tell
of its children beside their other parents; it costs half the logarithm of the rows for each
parameter that it adds.

`NetworkComparison` compares a network found from numbers with one found from bins. Each node counts
by the proper density that explains it best given its parents: a table over bins, or a regression.
Numbers are measured on the scale of their ranks, where they are uniform, so that a table (uniform
within each bin) and a normal regression of the normal score are compared in nats; categories by a
table or a logistic regression. Either way less its penalty and the cost of its parents. Nodes with
the same parents in both networks are left out.
"""

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from bnsieve.counts import Covariance, Embedding, count
from bnsieve.decide import Score, linear_log_likelihood, score_family
from bnsieve.graph import children_of
from bnsieve.sieve import rank_codes, with_bins
from bnsieve.table import (
    FINE_BINS,
    MAX_ROWS,
    Table,
    bin_labels,
    binned,
    shortest_description,
    tidy_cut,
    x_log_x,
)

Floats = NDArray[np.float64]
Bins = NDArray[np.int64]

# Narrow bins of equal frequency, which are merged.
N_FINE = 40
# Bins that numbers have before the first of them is rebinned.
N_COARSE = 4
MAX_BINS = 12
# As a `Discretizer` makes.
MOST_FIRST_BINS = 5
# In nats per row, by which a network of bins must win. Two directions of one edge may differ by
# some, because bins and regressions do not score equivalent graphs alike; strong interactions
# differ by a tenth per row or more. Weaker ones may be missed.
BINS_MARGIN = 0.05


def rebin(table: Table, parents: Sequence[Sequence[int]]) -> dict[int, tuple[float, ...]]:
    """Return the bin edges of each number, given a network.

    Parameters
    ----------
    table : Table
    parents : sequence of sequences of int
        Of every variable.
    """
    groups = table.on_one_scale()
    fine = _fine(table, groups.values(), N_FINE)
    present: dict[int, Bins] = {
        v: _categories(table, v)
        if v not in fine
        else np.where(fine[v] < 0, -1, fine[v] * N_COARSE // (fine[v].max() + 1))
        for v in range(table.n_variables)
    }
    children = children_of(parents)
    edges: dict[int, tuple[float, ...]] = {}
    for group in groups.values():
        n_fine = int(max(fine[v].max() for v in group)) + 1
        joints = [
            joint
            for v in group
            for joint in _joints(v, fine[v], n_fine, parents, children[v], present)
        ]
        places = _places(joints, n_fine, table.n_rows)
        for v in group:
            codes = fine[v]
            present[v] = np.where(codes < 0, -1, np.searchsorted(places, codes, side="right"))
        edges.update(dict.fromkeys(group, _shared_edges(places, group, fine, table)))
    return edges


def _fine(table: Table, groups: Iterable[Sequence[int]], n_bins: int) -> dict[int, Bins]:
    """Return narrow bins of each number; copies of a variable have the same ones."""
    fine: dict[int, Bins] = {}
    for group in groups:
        codes = rank_codes(np.concatenate([table.numbers[v] for v in group]), n_bins)
        fine.update(zip(group, np.split(codes, len(group)), strict=True))
    return fine


def _shared_edges(
    places: Sequence[int], group: Sequence[int], fine: Mapping[int, Bins], table: Table
) -> tuple[float, ...]:
    codes = np.concatenate([fine[v] for v in group])
    return _edges_at(places, codes, np.concatenate([table.numbers[v] for v in group]))


def first_bin_edges(table: Table) -> dict[int, tuple[float, ...]]:
    """Return bin edges before there is a network: as a `Discretizer`, by ranks."""
    step = max(1, -(-table.n_rows // MAX_ROWS))
    numbers, groups = sorted(table.numbers), table.on_one_scale()
    of_numbers = _fine(table, groups.values(), FINE_BINS)
    fine = [
        of_numbers[v] if v in of_numbers else _categories(table, v)
        for v in range(table.n_variables)
    ]
    chosen = shortest_description(
        [own[::step] for own in fine], numbers, dict.fromkeys(numbers, MOST_FIRST_BINS)
    )
    places = dict(zip(numbers, chosen, strict=True))
    return {
        v: edges
        for first, group in groups.items()
        for edges in [_shared_edges(places[first], group, of_numbers, table)]
        for v in group
    }


def _categories(table: Table, v: int) -> Bins:
    """Return the codes of a categorical variable, -1 where missing."""
    codes: Bins = table.codes[v].astype(np.int64)
    return np.where(table.missing[v], -1, codes) if v in table.missing else codes


def _edges_at(places: Sequence[int], fine: Bins, values: Floats) -> tuple[float, ...]:
    """Return the values of edges below some fine bins, in as few digits as part them."""
    edges = []
    for place in places:
        below, above = values[(fine >= 0) & (fine < place)], values[fine >= place]
        if len(below) and len(above):
            edges.append(tidy_cut(float(below.max()), float(above.min())))
    return tuple(edges)


def with_bin_edges(table: Table, bin_edges: Mapping[int, Sequence[float]]) -> Table:
    """Return the table with bins of some numbers between other edges; its numbers stay."""
    bins = {}
    for v, edges_of_bins in bin_edges.items():
        edges = np.array(edges_of_bins, dtype=np.float64)
        bins[v] = np.maximum(binned(table.numbers[v], edges), 0), bin_labels(edges)
    return with_bins(table, bins)


def _joints(
    v: int,
    codes: Bins,
    n_fine: int,
    parents: Sequence[Sequence[int]],
    children: Sequence[int],
    present: Mapping[int, Bins],
) -> list[tuple[bool, Floats]]:
    """Count the fine bins of a number with its parents, and with each child beside its others.

    Returns
    -------
    list of (bool, ndarray of float64)
        Whether it is of a child; sums up to each fine bin, shape (n_fine + 1, strata, categories).
    """
    families: list[tuple[list[int], list[int]]] = [(list(parents[v]), [])] if parents[v] else []
    families += [([u for u in parents[c] if u != v], [c]) for c in children]
    joints = []
    for given, child in families:
        known = np.logical_and.reduce([codes >= 0, *(present[u] >= 0 for u in (*given, *child))])
        strata = np.zeros(int(known.sum()), dtype=np.int64)
        for u in given:
            strata = strata * (int(present[u].max()) + 1) + present[u][known]
        strata = np.unique(strata, return_inverse=True)[1]
        categories = present[child[0]][known] if child else np.zeros_like(strata)
        cells = codes[known] + 1, strata, categories
        shape = (n_fine + 1, strata.max(initial=0) + 1, categories.max(initial=0) + 1)
        counts = np.bincount(np.ravel_multi_index(cells, shape), minlength=math.prod(shape))
        joints.append((bool(child), counts.reshape(shape).cumsum(axis=0).astype(np.float64)))
    return joints


def _places(joints: Sequence[tuple[bool, Floats]], n_fine: int, n_rows: int) -> list[int]:
    """Choose the fine bins that begin a bin, one after another; one edge at least."""
    starts: list[int] = []
    while len(starts) + 1 < min(MAX_BINS, n_fine):
        best, place = 0.0, None
        for low, high in pairwise([0, *starts, n_fine]):
            saved = _savings(joints, low, high, n_fine, n_rows)
            if saved.max(initial=0.0) > best:
                best, place = float(saved.max()), low + 1 + int(np.argmax(saved))
        if place is None:
            break
        starts = sorted([*starts, place])
    return starts or ([n_fine // 2] if n_fine > 1 else [])


def _savings(
    joints: Sequence[tuple[bool, Floats]], low: int, high: int, n_fine: int, n_rows: int
) -> Floats:
    """Return the nats saved by an edge below each of the fine bins low + 1 .. high - 1."""
    saved = np.full(high - low - 1, -np.log(n_fine))
    per_parameter = 0.5 * np.log(n_rows)
    for of_child, below in joints:
        left = below[low + 1 : high] - below[low]
        right = below[high] - below[low + 1 : high]
        both = below[high] - below[low]
        if of_child:
            gain = _fits(left) + _fits(right) - _fits(both[np.newaxis])
            sides = [np.count_nonzero(side.sum(axis=2), axis=1) for side in (left, right)]
            saved += gain - per_parameter * (below.shape[2] - 1) * np.minimum(*sides)
        else:
            split = [x_log_x(side).sum(axis=(1, 2)) for side in (left, right)]
            sizes = [x_log_x(side.sum(axis=(1, 2))) for side in (left, right)]
            gain = split[0] + split[1] - x_log_x(both).sum()
            gain -= sizes[0] + sizes[1] - x_log_x(both.sum())
            saved += gain - per_parameter * (np.count_nonzero(both) - 1)
    return saved


def _fits(tables: Floats) -> Floats:
    """Return the log-likelihood of each (strata, categories) table at its shares."""
    fits: Floats = x_log_x(tables).sum(axis=(1, 2)) - x_log_x(tables.sum(axis=2)).sum(axis=1)
    return fits


@dataclass(frozen=True, eq=False)
class NetworkComparison:
    """Compares networks, node by node, by what explains a node best.

    Attributes
    ----------
    table : Table
        With numbers.
    covariance : Covariance
        Of its columns.
    parent_cost : float
    """

    table: Table
    covariance: Covariance
    parent_cost: float
    _regressed: dict[tuple[int, tuple[int, ...]], float] = field(default_factory=dict)

    @cached_property
    def _embedding(self) -> Embedding:
        return Embedding.of(self.table)

    def log_ratio(
        self,
        first: Sequence[Sequence[int]],
        first_bins: Table,
        second: Sequence[Sequence[int]],
        second_bins: Table,
    ) -> float:
        """Return by how many nats the first network, with its bins, explains the rows better.

        Of the graphs that are equivalent to the second, one like the first is taken: bins and
        regressions do not score equivalent graphs alike.
        """
        second = reverse_covered_edges(second, first)
        total = 0.0
        for v in range(self.table.n_variables):
            parents, others = tuple(sorted(first[v])), tuple(sorted(second[v]))
            if parents != others:
                total += self._best(v, parents, first_bins) - self._best(v, others, second_bins)
        return total

    def _best(self, v: int, parents: tuple[int, ...], bins: Table) -> float:
        if (v, parents) not in self._regressed:
            by = self._normal if v in self.table.numbers else self._logistic
            self._regressed[v, parents] = by(v, parents)
        best = max(self._by_table(v, parents, bins), self._regressed[v, parents])
        return best - self.parent_cost * len(parents)

    def _by_table(self, v: int, parents: tuple[int, ...], bins: Table) -> float:
        score = score_family(count(bins, (v, *parents)), parents, Score("bdeu"))
        if v not in self.table.numbers:
            return score
        sizes = count(bins, (v,)).complete().counts.astype(np.float64)
        return score - float((sizes * np.log(sizes / sizes.sum())).sum())

    def _normal(self, v: int, parents: tuple[int, ...]) -> float:
        if not parents:
            return 0.0
        first, matrix, n_rows = self.covariance.first, self.covariance.matrix, self._n_known(v)
        target = int(first[v])
        given = np.concatenate([np.arange(first[u], first[u + 1]) for u in parents])
        shared = matrix[given, target]
        explained = shared @ np.linalg.solve(matrix[np.ix_(given, given)], shared)
        left = max(1e-12, 1.0 - explained / matrix[target, target])
        return -0.5 * n_rows * float(np.log(left)) - 0.5 * float(np.log(n_rows)) * len(given)

    def _logistic(self, v: int, parents: tuple[int, ...]) -> float:
        table = self.table
        known = np.ones(table.n_rows, dtype=bool)
        for u in (v, *parents):
            if u in table.missing:
                known &= ~table.missing[u]
        categories, codes = np.unique(table.codes[v][known], return_inverse=True)
        n_rows, n_categories = self._n_known(v), len(categories)
        if n_categories < 2:
            return 0.0
        columns = self._columns(parents)[:, known] if parents else np.empty((0, len(codes)))
        n_columns = len(columns)
        per_row = linear_log_likelihood(codes, columns) / len(codes)
        penalty = 0.5 * float(np.log(n_rows)) * (n_categories - 1) * (1 + n_columns)
        return n_rows * per_row - penalty

    def _columns(self, variables: Sequence[int]) -> Floats:
        """Return the kept functions and indicators of some variables in some rows."""
        first = self._embedding.first
        part = self.table.select([self.table.names[u] for u in variables])
        kept = np.concatenate([self.covariance.kept[first[u] : first[u + 1]] for u in variables])
        columns: Floats = self._embedding.select(variables).columns(part)[kept]
        return columns

    def _n_known(self, v: int) -> float:
        missing = self.table.missing.get(v)
        return float(self.table.n_rows - (0 if missing is None else np.count_nonzero(missing)))


def reverse_covered_edges(
    parents: Sequence[Sequence[int]], other: Sequence[Sequence[int]]
) -> list[tuple[int, ...]]:
    """Return an equivalent DAG directed as another, as far as single reversals lead.

    An edge may be reversed without leaving the class if the child has the parents of the parent,
    and no others beside it (Chickering, 1995). If both are equivalent, the other is returned.

    Parameters
    ----------
    parents, other : sequence of sequences of int
        Of every variable, in two DAGs.
    """
    sets = [set(own) for own in parents]
    reversed_one = True
    while reversed_one:
        reversed_one = False
        for child, wanted in enumerate(other):
            for parent in wanted:
                # Here child -> parent.
                if child in sets[parent] and sets[parent] - {child} == sets[child]:
                    sets[parent].remove(child)
                    sets[child].add(parent)
                    reversed_one = True
    return [tuple(sorted(own)) for own in sets]
