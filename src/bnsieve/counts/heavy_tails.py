"""Correlations of columns whose variance is a matter of few rows.

In: correlations of columns, and how heavy the tails of each are. Out: correlations whose normal
likelihood is no higher than the evidence of the rows. A column that is zero but for one row in a
hundred correlates with another such column as soon as both differ from zero in one row, and the
normal likelihood takes that for many rows. How often such rows meet is a matter of chance that
Bennett's inequality bounds: as for counts of rare events, and not as for sums of many terms.
"""

import numpy as np
from scipy.special import ndtr

from bnsieve.counts.embedding import Embedding
from bnsieve.table import Floats

# Fourth moments of standardised columns: 3 if normal, and one over the share of rows that vary if
# these are few. Below the second, sums of rows are normal enough.
_NORMAL, _HEAVY = 3.0, 9.0


def fourth_moments(embedding: Embedding, means: Floats, change: Floats) -> Floats:
    """Return the mean fourth power of every column, once it has mean zero and variance one.

    Parameters
    ----------
    embedding : Embedding
    means : ndarray of float64, shape (n_columns,)
        Of the columns as they are embedded.
    change : ndarray of float64, shape (n_columns, n_columns)
        What makes the functions of each number orthogonal.
    """
    found: Floats = np.full(len(means), _NORMAL)
    varies = (means > 0) & (means < 1)
    spread = means[varies] * (1 - means[varies])
    found[varies] = (1 - 3 * spread) / spread
    for v, own in embedding.rank_maps.items():
        block = slice(embedding.first[v], embedding.first[v + 1])
        shares = _shares(own.scores)
        columns = embedding.at_steps(v)
        columns = columns - (columns @ shares)[:, np.newaxis]
        deviations = np.sqrt(np.maximum(columns**2 @ shares, 1e-18))
        columns = change[block, block] @ (columns / deviations[:, np.newaxis])
        found[block] = columns**4 @ shares
    return found


def _shares(scores: Floats) -> Floats:
    """Return the share of rows of each step, of whose ranks the scores are the middle."""
    middle = ndtr(scores)
    shares, below = np.empty(len(middle)), 0.0
    for i, rank in enumerate(middle.tolist()):
        shares[i] = max(0.0, 2 * (rank - below))
        below += shares[i]
    return shares


def supported(correlations: Floats, moments: Floats, n_rows: float, n_variables: int) -> Floats:
    """Return correlations that are no higher than their evidence; the same if no tails are heavy.

    Where the evidence is beyond chance, they stay: what is linear stays linear.
    """
    heavy = np.flatnonzero(moments > _HEAVY)
    if len(heavy) < 2:
        return correlations
    excess = np.sqrt(moments[heavy] - _NORMAL)
    bound = np.outer(excess, excess)
    among = correlations[np.ix_(heavy, heavy)]
    beyond = bound * np.abs(among)
    evidence = ((1 + beyond) * np.log1p(beyond) - beyond) / bound**2
    chance = 2 * np.log(max(2, n_variables)) + 0.5 * np.log(max(n_rows, 2.0))
    lower = np.where(n_rows * evidence > chance, among, np.sign(among) * np.sqrt(2 * evidence))
    found: Floats = correlations.copy()
    found[np.ix_(heavy, heavy)] = lower
    return found
