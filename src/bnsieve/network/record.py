"""What a fit knows of its network beside graph and parameters.

In: counts, rows and graphs of a fit. Out: a `FitRecord`, from which a network has its intervals,
the effects over its equivalence class, its bins and numbers, and the rules that hold.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bnsieve.graph import Graph
from bnsieve.knowledge import Knowledge
from bnsieve.network.posterior import CptPosterior
from bnsieve.network.rows import RowReader
from bnsieve.sieve.machine import Rule
from bnsieve.table import Table

# Each has a few draws of its CPTs; more graphs make no interval better.
MAX_REPLICATES = 100


@dataclass(frozen=True, eq=False)
class FitRecord:
    """What a fit knows of its network; all fields are empty for a network of unknown origin.

    Attributes
    ----------
    posterior : CptPosterior or None
        From the counts that the CPTs were estimated from.
    rows : Table or None
        The rows, in which families of other graphs are counted; None if they were not kept.
    numbers : tuple of str
        Variables that were learned from as numbers. In the CPTs they have bins.
    equivalence_class : Graph or None
        The CPDAG of the network's DAG, or the MPDAG that knowledge makes of it.
    knowledge : Knowledge or None
        That the equivalence class honours.
    replicate_dags : tuple of Graph
        DAGs of a bootstrap's replicates.
    reader : RowReader
        How later values and rows become states.
    rules : callable or None
        From a target to the rules of its Tsetlin machine, the most telling first.
    """

    posterior: CptPosterior | None = None
    rows: Table | None = None
    numbers: tuple[str, ...] = ()
    equivalence_class: Graph | None = None
    knowledge: Knowledge | None = None
    replicate_dags: tuple[Graph, ...] = ()
    reader: RowReader = field(default_factory=RowReader)
    rules: Callable[[str], Sequence[Rule]] | None = None

    def numbers_of_bins(self, name: str) -> tuple[NDArray[Any], NDArray[np.float64], int]:
        """Return the bin and the number of each row that has one, and how many bins there are."""
        assert self.rows is not None
        v = self.rows.names.index(name)
        known = ~np.isnan(self.rows.numbers[v])
        codes, values = self.rows.codes[v][known], self.rows.numbers[v][known]
        return codes, values, len(self.rows.levels[v])


UNKNOWN = FitRecord()
