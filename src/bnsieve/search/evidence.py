"""Which of two networks the rows speak for, where one was found from numbers and one from bins.

Each node counts by the proper density that explains it best given its parents: a table over bins,
or a regression. Numbers are measured on the scale of their ranks, where they are uniform, so that
a table (uniform within each bin) and a normal regression of the normal score are compared in
nats; labels by a table or a logistic regression. Either way less its penalty and the cost of its
parents. Nodes with the same parents in both networks are left out.
"""

import warnings
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from bnsieve.counts import Covariance, Embedding, count
from bnsieve.decide import Score, score_family
from bnsieve.table import Table


class Evidence:
    """What explains a node best.

    Parameters
    ----------
    table : Table
        With numbers.
    covariance : Covariance
        Of its columns.
    parent_cost : float
    """

    def __init__(self, table: Table, covariance: Covariance, parent_cost: float) -> None:
        self._table = table
        self._covariance = covariance
        self._parent_cost = parent_cost
        self._embedding = Embedding.of(table)
        self._regressed: dict[tuple[int, tuple[int, ...]], float] = {}

    def compare(
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
        second = turned_towards(second, first)
        total = 0.0
        for v in range(self._table.n_variables):
            one, other = tuple(sorted(first[v])), tuple(sorted(second[v]))
            if one != other:
                total += self._best(v, one, first_bins) - self._best(v, other, second_bins)
        return total

    def _best(self, v: int, parents: tuple[int, ...], bins: Table) -> float:
        tabled = self._by_table(v, parents, bins)
        return max(tabled, self._by_regression(v, parents)) - self._parent_cost * len(parents)

    def _by_table(self, v: int, parents: tuple[int, ...], bins: Table) -> float:
        found = score_family(count(bins, (v, *parents)), parents, Score("bdeu"))
        if v not in self._table.numbers:
            return found
        rows = bins.codes[v] if v not in bins.missing else bins.codes[v][~bins.missing[v]]
        sizes = np.bincount(rows).astype(np.float64)
        sizes = sizes[sizes > 0]
        return found - float((sizes * np.log(sizes / sizes.sum())).sum())

    def _by_regression(self, v: int, parents: tuple[int, ...]) -> float:
        if (v, parents) not in self._regressed:
            by = self._normal if v in self._table.numbers else self._logistic
            self._regressed[v, parents] = by(v, parents)
        return self._regressed[v, parents]

    def _normal(self, v: int, parents: tuple[int, ...]) -> float:
        if not parents:
            return 0.0
        own, n_rows = self._covariance, self._n_known(v)
        target = int(own.first[v])
        given = np.concatenate([np.arange(own.first[u], own.first[u + 1]) for u in parents])
        shared = own.matrix[given, target]
        told = shared @ np.linalg.solve(own.matrix[np.ix_(given, given)], shared)
        left = max(1e-12, 1.0 - told / own.matrix[target, target])
        return -0.5 * n_rows * float(np.log(left)) - 0.5 * float(np.log(n_rows)) * len(given)

    def _logistic(self, v: int, parents: tuple[int, ...]) -> float:
        table = self._table
        known = np.ones(table.n_rows, dtype=bool)
        for u in (v, *parents):
            if u in table.missing:
                known &= ~table.missing[u]
        labels = table.codes[v][known].astype(np.int64)
        n_rows, n_levels = self._n_known(v), len(np.unique(labels))
        if n_levels < 2:
            return 0.0
        columns = self._columns(parents)[:, known].T
        if parents:
            from sklearn.linear_model import LogisticRegression  # slow to load, seldom needed

            model = LogisticRegression(C=100.0, max_iter=40)
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")  # nearly there is near enough
                model.fit(columns, labels)
            place = np.searchsorted(model.classes_, labels)
            each = model.predict_log_proba(columns)[np.arange(len(labels)), place]
        else:
            each = np.log(np.bincount(labels) / len(labels))[labels]
        penalty = 0.5 * float(np.log(n_rows)) * (n_levels - 1) * (1 + columns.shape[1])
        return float(n_rows * each.mean() - penalty)

    def _columns(self, variables: Sequence[int]) -> NDArray[np.float64]:
        """Return the kept functions and indicators of some variables in some rows."""
        table, first = self._table, self._embedding.first
        part = table.select([table.names[u] for u in variables]) if variables else None
        if part is None:
            return np.empty((0, table.n_rows))
        kept = np.concatenate([self._covariance.kept[first[u] : first[u + 1]] for u in variables])
        found = self._embedding.select(variables).columns(part)
        return np.asarray(found[kept], dtype=np.float64)

    def _n_known(self, v: int) -> float:
        missing = self._table.missing.get(v)
        return float(self._table.n_rows - (0 if missing is None else np.count_nonzero(missing)))


def turned_towards(
    parents: Sequence[Sequence[int]], other: Sequence[Sequence[int]]
) -> list[tuple[int, ...]]:
    """Return an equivalent DAG whose arrows point as those of another, as far as single turns lead.

    An arrow may be turned without leaving the class if its head has the parents of its tail, and
    no others beside the tail (Chickering, 1995). If both are equivalent, the other is returned.

    Parameters
    ----------
    parents, other : sequence of sequences of int
        Of every variable, in two DAGs.
    """
    own = [set(one) for one in parents]
    turned = True
    while turned:
        turned = False
        for tail, wanted in enumerate(other):
            for head in wanted:
                # Here tail -> head; the other has it the other way round.
                if tail in own[head] and own[head] - {tail} == own[tail]:
                    own[head].remove(tail)
                    own[tail].add(head)
                    turned = True
    return [tuple(sorted(one)) for one in own]
