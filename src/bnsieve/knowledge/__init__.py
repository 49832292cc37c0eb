"""What is known before anything is learned.

In: required and forbidden arrows and tiers, also from files. Out: `Constraints`.
"""

from bnsieve.knowledge.constraints import Constraints
from bnsieve.knowledge.knowledge import Knowledge
from bnsieve.knowledge.strict_json import parse_strict_json

__all__ = [
    "Constraints",
    "Knowledge",
    "parse_strict_json",
]
