"""Which few columns matter to each column.

In: a table. Out: candidates, by the machines and by marginal association.
"""

from bnsieve.sieve.association import excess_of, screened
from bnsieve.sieve.candidates import (
    Candidates,
    before_the_drop,
    beyond_chance,
    coverage,
    lawful,
    numbered,
    strongest,
    union_of_heads,
    visible_to_all,
    with_all_others,
)
from bnsieve.sieve.group_scan import GroupScan, is_narrow
from bnsieve.sieve.machines import (
    ROWS_BESIDE_PAIRS,
    ROWS_OF_SHORT,
    Machines,
    SieveSettings,
    Trained,
    importances,
    pack,
)
from bnsieve.sieve.many_levels import MACHINE_LEVELS, pooled
from bnsieve.sieve.memory import require_memory
from bnsieve.sieve.rank_bins import copies_of_numbers, rank_codes, with_rank_bins
from bnsieve.sieve.record import SieveRecord
from bnsieve.sieve.together import pairs_named

__all__ = [
    "MACHINE_LEVELS",
    "ROWS_BESIDE_PAIRS",
    "ROWS_OF_SHORT",
    "Candidates",
    "GroupScan",
    "Machines",
    "SieveRecord",
    "SieveSettings",
    "Trained",
    "before_the_drop",
    "beyond_chance",
    "copies_of_numbers",
    "coverage",
    "excess_of",
    "importances",
    "is_narrow",
    "lawful",
    "numbered",
    "pack",
    "pairs_named",
    "pooled",
    "rank_codes",
    "require_memory",
    "screened",
    "strongest",
    "union_of_heads",
    "visible_to_all",
    "with_all_others",
    "with_rank_bins",
]
