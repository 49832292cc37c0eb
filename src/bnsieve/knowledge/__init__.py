"""Background knowledge, given before anything is learned.

In: required and forbidden edges and tiers, also from files. Out: `Constraints`.
"""

from bnsieve.knowledge.constraints import Constraints
from bnsieve.knowledge.in_words import counted_statements, statements
from bnsieve.knowledge.knowledge import Knowledge
from bnsieve.knowledge.over_time import known_over_time
from bnsieve.knowledge.suggestion import suggested_first, suggested_knowledge

__all__ = [
    "Constraints",
    "Knowledge",
    "counted_statements",
    "known_over_time",
    "statements",
    "suggested_first",
    "suggested_knowledge",
]
