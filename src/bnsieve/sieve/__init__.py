"""Which few columns matter to each column.

In: a table. Out: candidates, by the machines and by marginal association.
"""

from bnsieve.sieve.association import excess_of, require_memory, screened, screened_counts
from bnsieve.sieve.candidates import (
    Candidates,
    apply_constraints,
    before_the_drop,
    beyond_chance,
    coverage,
    numbered,
    strongest,
    strongest_candidates,
    visible_to_all,
    with_all_others,
)
from bnsieve.sieve.interaction_scan import InteractionScan, is_narrow, pairs_in_clauses
from bnsieve.sieve.machines import (
    ROWS_BESIDE_PAIRS,
    ROWS_OF_SHORT,
    Machines,
    SieveRecord,
    SieveSettings,
    TrainedMachine,
    importances,
)
from bnsieve.sieve.views import numeric_duplicates, pooled, rank_codes, with_bins, with_rank_bins

__all__ = [
    "ROWS_BESIDE_PAIRS",
    "ROWS_OF_SHORT",
    "Candidates",
    "InteractionScan",
    "Machines",
    "SieveRecord",
    "SieveSettings",
    "TrainedMachine",
    "apply_constraints",
    "before_the_drop",
    "beyond_chance",
    "coverage",
    "excess_of",
    "importances",
    "is_narrow",
    "numbered",
    "numeric_duplicates",
    "pairs_in_clauses",
    "pooled",
    "rank_codes",
    "require_memory",
    "screened",
    "screened_counts",
    "strongest",
    "strongest_candidates",
    "visible_to_all",
    "with_all_others",
    "with_bins",
    "with_rank_bins",
]
