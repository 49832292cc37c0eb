"""Variables that are constant within entities, scored in one row of each entity.

In: a table whose rows belong to entities, and its scorer. Out: a `ClusteredScorer`.
"""

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from bnsieve.counts import Dependence, covariance_of
from bnsieve.decide import (
    ClusteredScorer,
    CountScorer,
    CovarianceScorer,
    EntityRows,
    OwnScorer,
)
from bnsieve.knowledge import Constraints
from bnsieve.table import Floats, Table

# In fewer entities of two rows or more, a rare category can be constant by chance.
_FEWEST_ENTITIES = 10


def clustered_scorer(
    table: Table,
    scorer: CountScorer | CovarianceScorer,
    dependence: Dependence,
    unexplained: Floats | None = None,
) -> ClusteredScorer:
    """Return a scorer that knows how far rows belong together.

    Parameters
    ----------
    table : Table
        With entities.
    scorer : CountScorer or CovarianceScorer
        Of rows that are taken to be independent.
    dependence : Dependence
    unexplained : ndarray of float64, shape (n_variables,), optional
        The intraclass correlation of what parents leave of each variable.
    """
    rows = entity_rows_of(table, scorer)
    return ClusteredScorer(scorer, dependence, unexplained=unexplained, entity_rows=rows)


def entity_rows_of(table: Table, scorer: CountScorer | CovarianceScorer) -> EntityRows | None:
    """Return how constant variables are scored in one row of each entity.

    None if fewer than two variables are constant, if the table is a sample, which may have a single
    row of most entities, or if a score of the user's own takes all rows.
    """
    if table.entities is None or isinstance(scorer, OwnScorer) or _is_sample(table, scorer):
        return None
    entities = np.unique(table.entities, return_inverse=True)[1]
    sizes = np.bincount(entities)
    if np.count_nonzero(sizes > 1) < max(_FEWEST_ENTITIES, len(sizes) // 2):
        return None
    first = np.unique(entities, return_index=True)[1]
    is_constant = np.array(
        [
            v not in table.missing and _is_constant(table, v, first[entities])
            for v in range(table.n_variables)
        ]
    )
    is_constant = _without_followers(is_constant, scorer.constraints)
    if np.count_nonzero(is_constant) < 2:
        return None
    numbers = {v: np.nan_to_num(values) for v, values in table.numbers.items()}
    rows = replace(table, missing={}, numbers=numbers, entities=None).take(first)
    if isinstance(scorer, CovarianceScorer):
        return EntityRows(replace(scorer, covariance=covariance_of(rows)), is_constant)
    return EntityRows(
        CountScorer(rows, scorer.score, scorer.constraints, scorer.max_parents), is_constant
    )


def _is_sample(table: Table, scorer: CountScorer | CovarianceScorer) -> bool:
    if isinstance(scorer, CovarianceScorer):
        return scorer.covariance.n_summed > table.n_rows
    return scorer.is_sample or scorer.counted is not None


def _is_constant(table: Table, v: int, first: NDArray[np.intp]) -> bool:
    if v in table.numbers and (table.numbers[v] != table.numbers[v][first]).any():
        return False
    return bool((table.codes[v] == table.codes[v][first]).all())


def _without_followers(is_constant: NDArray[np.bool_], known: Constraints) -> NDArray[np.bool_]:
    """Leave out variables that knowledge puts behind one that varies."""
    varying = ~is_constant
    follows = (known.allowed[varying] & ~known.allowed[:, varying].T).any(axis=0)
    kept = is_constant & ~follows
    return kept if (kept == is_constant).all() else _without_followers(kept, known)
