"""What the clauses of a machine name together."""

import numpy as np
from numpy.typing import NDArray

from bnsieve.sieve.machines import Trained

# Clauses of more variables say little about any two of them.
_LONGEST = 4
# A clause names two variables by chance; a second one seldom names the same two.
_FEWEST_CLAUSES = 2


def pairs_named(trained: Trained, heard: NDArray[np.bool_], most: int) -> list[tuple[int, int]]:
    """Return the pairs of variables that several clauses name, those of most weight first.

    Parameters
    ----------
    trained : Trained
    heard : ndarray of bool, shape (n_variables,)
        The variables that count; clauses are read as if they did not name the others.
    most : int
        How many pairs at most.
    """
    clauses = trained.clauses & heard[trained.seen]
    sizes = clauses.sum(axis=1)
    several = (sizes >= 2) & (sizes <= _LONGEST)
    # Of wide tables only the columns that are named at all.
    named = np.flatnonzero(clauses[several].any(axis=0))
    own = clauses[np.ix_(several, named)].astype(np.float64)
    weights = trained.weights[several].astype(np.float64)
    often = np.triu(own.T @ own, k=1) >= _FEWEST_CLAUSES
    rows, columns = np.nonzero(often)
    weight = ((own * weights[:, None]).T @ own)[rows, columns]
    first = np.argsort(-weight, kind="stable")[:most]
    numbers = trained.seen[named]
    return [(int(numbers[rows[i]]), int(numbers[columns[i]])) for i in first]
