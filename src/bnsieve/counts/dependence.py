"""How alike the rows of one entity are, and how many independent rows tell as much.

In: a table whose rows belong to entities (patients, machines, schools). Out: `Dependence`, with the
intraclass correlation of each variable.

Two variables that have nothing to do with each other still go together by chance, the more so if
rows of one entity are alike in both. With m rows of each entity and intraclass correlations r and
s, the likelihood ratio of the two is 1 + (m - 1) r s times as large as in independent rows: the
design effect (Kish 1965; Rao and Scott 1984 for tables). It is large only where both are alike
within entities. A variable that is constant within entities has a correlation of 1. Two of these
count as one row per entity.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from bnsieve.counts.covariance import Covariance
from bnsieve.counts.embedding import MAX_INDICATORS, Embedding
from bnsieve.table import Floats, Table

Mask = NDArray[np.bool_]

# A direction with less than this share of the variance is rounding.
_ROUNDING = 1e-9
# Of two design effects one is notably larger if it is so many times as large.
_NOTABLY = 1.1


@dataclass(frozen=True, eq=False)
class Dependence:
    """How far rows of one entity belong together.

    Attributes
    ----------
    n_rows, n_entities : int
    rows_beside : float
        How many other rows a row's entity has, the mean over rows: m - 1 where all have m.
    correlations : ndarray of float64, shape (n_variables,)
        The intraclass correlation of each variable, from 0 (rows of one entity are as different as
        any) to 1 (the variable is constant within entities). For a category it is the mean over the
        indicators of its states, for a number the mean over functions of its rank.
    n_states : ndarray of int64, shape (n_variables,)
        The number of states of each variable. The bins of a number count as states.
    """

    n_rows: int
    n_entities: int
    rows_beside: float
    correlations: Floats
    n_states: NDArray[np.int64]

    @property
    def has_effect(self) -> bool:
        """Whether rows of one entity are alike in any two variables."""
        return self.rows_beside > 0 and int(np.count_nonzero(self.correlations)) > 1

    def design_effects(self) -> Floats:
        """Return by how much chance associations of each two variables are larger, at least 1."""
        effects: Floats = 1.0 + self.rows_beside * np.outer(self.correlations, self.correlations)
        return effects

    def design_effect(self, x: int, y: int, given: Sequence[int] = ()) -> float:
        """Return by how much a test of x and y given others is larger by chance.

        The conditioning variables part the rows of an entity, the more so the less alike these are.
        """
        others = list(given)
        parted = (1.0 + (self.n_states[others] - 1) * self.correlations[others]) / np.maximum(
            self.n_states[others], 1
        )
        alike = self.correlations[x] * self.correlations[y] * np.prod(parted)
        return 1.0 + self.rows_beside * float(alike)

    def effective_rows(self) -> Floats:
        """Return how many independent rows tell as much about the mean of each variable."""
        rows: Floats = self.n_rows / (1.0 + self.rows_beside * self.correlations)
        return rows

    def in_all_rows(self, n_rows: int) -> "Dependence":
        """Return the same for the rows of which these are a random sample."""
        if n_rows == self.n_rows or self.n_rows < 2:
            return self
        beside = self.rows_beside * (n_rows - 1) / (self.n_rows - 1)
        return replace(self, n_rows=n_rows, rows_beside=beside)

    def select(self, variables: Sequence[int]) -> "Dependence":
        """Return that of some variables."""
        chosen = list(variables)
        return replace(self, correlations=self.correlations[chosen], n_states=self.n_states[chosen])

    def differs_beside_parents(self, unexplained: Floats) -> bool:
        """Tell whether some design effect notably differs by what parents leave of a variable."""
        effects = self.design_effects()
        beside = 1.0 + self.rows_beside * np.outer(unexplained, self.correlations)
        return bool((np.maximum(effects, beside) > _NOTABLY * np.minimum(effects, beside)).any())

    def at_least(self, correlations: Floats) -> "Dependence":
        """Return the same with correlations that are no lower than these."""
        return replace(self, correlations=np.maximum(self.correlations, correlations))


@dataclass(frozen=True)
class Clusters:
    """How many independent rows tell as much as the rows of entities, by name; for readers.

    Attributes
    ----------
    by : str
        The column that says which entity a row is about.
    n_entities, n_rows : int
    fewest_rows, most_rows : int
        The smallest and the largest number of rows of an entity.
    rows_beside : float
        How many other rows a row's entity has, the mean over rows.
    correlations : dict of str to float
        The intraclass correlation of each variable.
    """

    by: str
    n_entities: int
    n_rows: int
    fewest_rows: int
    most_rows: int
    rows_beside: float
    correlations: dict[str, float]

    @property
    def effective_rows(self) -> dict[str, int]:
        """How many independent rows tell as much about the mean of each variable."""
        return {
            name: round(self.n_rows / (1.0 + self.rows_beside * alike))
            for name, alike in self.correlations.items()
        }

    def __str__(self) -> str:
        each = f"{self.fewest_rows:,}"
        if self.most_rows > self.fewest_rows:
            each += f" to {self.most_rows:,}"
        rows = self.effective_rows
        few, many = min(rows, key=rows.__getitem__), max(rows, key=rows.__getitem__)
        effective = f"{rows[few]:,} ({few})"
        if rows[many] > rows[few]:
            effective += f" to {rows[many]:,} ({many})"
        one = "entity" if self.n_entities == 1 else "entities"
        rows_each = "row" if self.most_rows == 1 else "rows"
        return (
            f"{self.n_entities:,} {one} ({self.by}) of {each} {rows_each}: of {self.n_rows:,} "
            f"rows {effective} are effective"
        )


def clusters_of(
    table: Table, by: str, entities: NDArray[np.integer] | None = None
) -> Clusters | None:
    """Return how many independent rows tell as much as a table's; None without entities.

    Where the table is a sample, `entities` are those of all rows.
    """
    dependence = dependence_of(table)
    if dependence is None or table.entities is None:
        return None
    sizes = np.unique(table.entities if entities is None else entities, return_counts=True)[1]
    n_rows = int(sizes.sum())
    return Clusters(
        by,
        len(sizes),
        n_rows,
        int(sizes.min()),
        int(sizes.max()),
        float((sizes.astype(np.float64) * (sizes - 1)).sum() / n_rows),
        dict(zip(table.names, dependence.correlations.tolist(), strict=True)),
    )


def dependence_of(table: Table, covariance: Covariance | None = None) -> Dependence | None:
    """Measure how alike rows of one entity are; None if rows belong to no entities.

    Parameters
    ----------
    table : Table
    covariance : Covariance, optional
        The covariance of the table's columns, where numeric variables stay numeric.
    """
    if table.entities is None:
        return None
    sizes = np.bincount(np.unique(table.entities, return_inverse=True)[1]).astype(np.float64)
    beside = float((sizes * (sizes - 1)).sum() / table.n_rows)
    correlations = np.zeros(table.n_variables)
    if beside > 0:
        correlations = residual_correlations(table, [()] * table.n_variables, covariance)
    return Dependence(table.n_rows, len(sizes), beside, correlations, table.n_categories)


def residual_correlations(
    table: Table, parents: Sequence[Sequence[int]], covariance: Covariance | None = None
) -> Floats:
    """Return the intraclass correlation of what parents leave unexplained of each variable.

    Parameters
    ----------
    table : Table
        With entities.
    parents : sequence of sequences of int
        The parents of each variable.
    covariance : Covariance, optional
        As for `dependence_of`.
    """
    assert table.entities is not None
    entities = np.unique(table.entities, return_inverse=True)[1]
    rows = _CategoryRows(table) if covariance is None else _NumberRows(table, covariance)
    return np.array(
        [
            intraclass_correlation(rows.unexplained(v, own), entities, rows.known(v, own))
            for v, own in enumerate(parents)
        ]
    )


def intraclass_correlation(
    columns: Iterable[Floats], entities: NDArray[np.integer], known: Mask | None = None
) -> float:
    """Return how alike rows of one entity are in some columns, the mean over their directions.

    For one column it is the covariance of two rows of one entity divided by the variance. It is 0
    if rows of one entity differ more than other rows do.

    Parameters
    ----------
    columns : iterable of ndarray of float64, shape (n_rows,)
        With mean zero.
    entities : ndarray of int, shape (n_rows,)
        From 0 on.
    known : ndarray of bool, shape (n_rows,), optional
        Rows that count.
    """
    block = np.stack(list(columns))
    if known is not None:
        block, entities = block[:, known], entities[known]
    n = block.shape[1]
    sizes = np.bincount(entities)
    n_pairs = float((sizes.astype(np.float64) * (sizes - 1)).sum())
    if n_pairs == 0:
        return 0.0
    sums = np.stack([np.bincount(entities, weights=column) for column in block])
    products = block @ block.T
    values, vectors = np.linalg.eigh(products / n)
    kept = values > _ROUNDING * max(float(values[-1]), _ROUNDING)
    if not kept.any():
        return 0.0
    between = (sums @ sums.T - products) / n_pairs
    white = vectors[:, kept] / np.sqrt(values[kept])
    alike = float(np.trace(white.T @ between @ white)) / int(kept.sum())
    return min(max(alike, 0.0), 1.0)


class _CategoryRows:
    """Variables as indicators of their states, explained by the configuration of parents."""

    def __init__(self, table: Table) -> None:
        self._table = table
        self._codes, self._radices = table.missing_as_category()

    def known(self, variable: int, parents: Sequence[int]) -> Mask | None:
        missing = self._table.missing.get(variable)
        return None if missing is None else ~missing

    def unexplained(self, variable: int, parents: Sequence[int]) -> Iterator[Floats]:
        codes = self._codes[variable]
        known = self.known(variable, parents)
        weight = np.ones(len(codes)) if known is None else known.astype(np.float64)
        place = np.zeros(len(codes), dtype=np.int64)
        for parent in parents:
            place = place * int(self._radices[parent]) + self._codes[parent]
            place = np.unique(place, return_inverse=True)[1]
        n_here = np.maximum(np.bincount(place, weights=weight), 1.0)
        counts = np.bincount(codes, weights=weight, minlength=int(self._radices[variable]))
        n_states = int(self._table.n_categories[variable])
        frequent = np.argsort(-counts[:n_states], kind="stable")[:MAX_INDICATORS]
        for state in frequent.tolist():
            shown = (codes == state) * weight
            mean = np.bincount(place, weights=shown, minlength=len(n_here)) / n_here
            yield (shown - mean[place]) * weight


class _NumberRows:
    """Variables as the columns of a covariance, explained by least squares."""

    def __init__(self, table: Table, covariance: Covariance) -> None:
        self._table = table
        self._embedding = Embedding.of(table)
        first, kept = self._embedding.first, covariance.kept
        if len(kept) != first[-1]:  # functions were chosen in other rows
            kept = np.ones(int(first[-1]), dtype=bool)
        self._kept = [kept[first[v] : first[v + 1]] for v in range(table.n_variables)]

    def known(self, variable: int, parents: Sequence[int]) -> Mask | None:
        missing = [self._table.missing[v] for v in (variable, *parents) if v in self._table.missing]
        return ~np.logical_or.reduce(missing) if missing else None

    def unexplained(self, variable: int, parents: Sequence[int]) -> Iterator[Floats]:
        known = self.known(variable, parents)
        weight = np.ones(self._table.n_rows) if known is None else known.astype(np.float64)
        design = np.vstack([weight, *(self._columns(parent) * weight for parent in parents)])
        columns = self._columns(variable) * weight
        found = np.linalg.lstsq(design @ design.T, design @ columns.T, rcond=None)[0]
        yield from columns - found.T @ design

    def _columns(self, variable: int) -> Floats:
        own = self._embedding.select([variable])
        shown: Floats = own.columns(self._table.select([self._table.names[variable]]))
        return shown[self._kept[variable]]
