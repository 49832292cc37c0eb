"""Execution: where tasks run, their progress, and their seeds.

In: functions and items. Out: their results, from threads or a cluster; progress and timings.
"""

from bnsieve.engine.bar import watch
from bnsieve.engine.choice import open_engine
from bnsieve.engine.installation import facts, installation_hint
from bnsieve.engine.local import (
    Engine,
    Map,
    RandomState,
    Tell,
    one_thread_each,
    seed_of,
    stoppable_pool,
    threads,
)
from bnsieve.engine.progress import (
    Progress,
    Timings,
    announce,
    inner_stage,
    tallied,
    watched,
)

__all__ = [
    "Engine",
    "Map",
    "Progress",
    "RandomState",
    "Tell",
    "Timings",
    "announce",
    "facts",
    "inner_stage",
    "installation_hint",
    "one_thread_each",
    "open_engine",
    "seed_of",
    "stoppable_pool",
    "tallied",
    "threads",
    "watch",
    "watched",
]
