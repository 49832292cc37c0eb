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
from bnsieve.sieve.machines import SieveSettings, importances, pack, train_few, train_target
from bnsieve.sieve.many_levels import MACHINE_LEVELS, pooled
from bnsieve.sieve.memory import require_memory
from bnsieve.sieve.rank_bins import copies_of_numbers, rank_codes, with_rank_bins
from bnsieve.sieve.ranking import train_machines
from bnsieve.sieve.record import SieveRecord

__all__ = [
    "MACHINE_LEVELS",
    "Candidates",
    "SieveRecord",
    "SieveSettings",
    "before_the_drop",
    "beyond_chance",
    "copies_of_numbers",
    "coverage",
    "excess_of",
    "importances",
    "lawful",
    "numbered",
    "pack",
    "pooled",
    "rank_codes",
    "require_memory",
    "screened",
    "strongest",
    "train_few",
    "train_machines",
    "train_target",
    "union_of_heads",
    "visible_to_all",
    "with_all_others",
    "with_rank_bins",
]
