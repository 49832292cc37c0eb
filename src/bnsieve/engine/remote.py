"""What engines on other machines share: a task that reports what it did or raised, exact merging.

In: a function and an item, pickled by cloudpickle, which every such engine brings along. Out: an
`Answer`. An error travels as a value, so that it arrives as it was raised and nobody tries the task
again; a task whose worker dies is tried again by the engine.
"""

from collections.abc import Callable
from typing import Any, NamedTuple

from bnsieve.engine.local import Item, Outcome, Tell, one_thread_each

# Parts per worker, so that all workers end at about the same time.
PARTS = 4


class Answer(NamedTuple):
    """What a task amounts to: how much it did, its outcome, or what it raised."""

    told: int
    outcome: Any
    error: Exception | None = None


def perform(work: Callable[[Item, Tell], Outcome], item: Item) -> Answer:
    """Do one part of the work, on a worker."""
    told: list[int] = []
    try:
        with one_thread_each():
            outcome = work(item, told.append)
    except Exception as error:
        return Answer(sum(told), None, error)
    return Answer(sum(told), outcome)


def outcome_of(answer: Answer, tell: Tell) -> Any:
    """Return the outcome of a task, or raise what it raised."""
    if answer.error is not None:
        raise answer.error
    tell(answer.told)
    return answer.outcome
