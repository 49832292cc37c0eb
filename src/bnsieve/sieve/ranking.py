"""How much every column matters to some columns, by their machines."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from bnsieve.engine import Map
from bnsieve.knowledge import Constraints
from bnsieve.sieve.machines import SieveSettings, importances
from bnsieve.sieve.record import SieveRecord
from bnsieve.table import Table


def train_machines(
    table: Table,
    targets: Sequence[int] | NDArray[np.intp],
    settings: SieveSettings,
    seed: int,
    run: Map,
    constraints: Constraints,
) -> tuple[NDArray[np.floating], SieveRecord]:
    """Train the machines of some columns.

    Returns
    -------
    ndarray of float, shape (n_variables, n_variables)
        How much each column matters to each; zero where no machine was trained.
    SieveRecord
    """
    chosen = [int(target) for target in targets]
    found = importances(table, chosen, settings, seed, run, constraints)
    # A variable of many levels has as many chances to enter a clause.
    ranking: NDArray[np.floating]
    if constraints.visible is None:
        ranking = np.zeros((table.n_variables, table.n_variables))
        for target, one in zip(chosen, found, strict=True):
            ranking[target] = one.score / table.n_levels
    else:
        ranking = np.zeros((table.n_variables, table.n_variables), dtype=np.float32)
        for target, one in zip(chosen, found, strict=True):
            seen = constraints.visible[target]
            ranking[target, seen] = one.score / table.n_levels[seen]
    kept = ranking.astype(np.float32, copy=False)
    return ranking, SieveRecord(
        table.names, settings, seed, kept, hides=True, visible=constraints.visible
    )
