"""Shared by engines on other machines: tasks that report outcomes or errors, and exact merging.

In: a function and an item, pickled by cloudpickle, which is installed with every such engine. Out:
an `Answer`. An error is returned as a value, so it arrives unchanged, and the engine does not
repeat the task. If a worker dies, the engine repeats its task.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable, Generator, Sequence
from contextlib import closing
from dataclasses import dataclass
from functools import reduce
from typing import Any, NamedTuple

from bnsieve.engine.local import Item, Map, Outcome, Tell, one_thread_each

# Parts per worker, so that all workers end at about the same time.
PARTS = 4


class Answer(NamedTuple):
    """The answer of a task: how much it did, and its outcome or its error."""

    told: int
    outcome: Any
    error: Exception | None = None


def perform(work: Callable[[Item, Tell], Outcome], item: Item) -> Answer:
    """Do one part of the work on a worker."""
    told: list[int] = []
    try:
        with one_thread_each():
            outcome = work(item, told.append)
    except Exception as error:
        return Answer(sum(told), None, error)
    return Answer(sum(told), outcome)


def outcome_of(answer: Answer, tell: Tell) -> Any:
    """Return the outcome of a task, or raise its error."""
    if answer.error is not None:
        raise answer.error
    tell(answer.told)
    return answer.outcome


@dataclass(frozen=True)
class RemoteEngine(ABC):
    """Workers of a cluster, which read the files; outcomes are merged in this process, in order.

    Attributes
    ----------
    n_workers : int
        The number of tasks that run at the same time.
    map : Map
        Applies a function to each item, in threads of this process. The sample is so small that
        sending it to the cluster would take longer than the work.
    """

    n_workers: int
    map: Map

    @property
    def n_parts(self) -> int:
        """The best number of equal items into which to divide work for `fold`."""
        return self.n_workers * PARTS

    def fold(
        self,
        work: Callable[[Item, Tell], Outcome],
        items: Sequence[Item],
        merge: Callable[[Outcome, Outcome], Outcome],
        tell: Tell,
    ) -> Outcome:
        """Apply `work` to each item on the cluster, and merge the outcomes here."""
        with closing(self.answers(work, items)) as answers:
            outcome: Outcome = reduce(merge, (outcome_of(answer, tell) for answer in answers))
            return outcome

    @abstractmethod
    def answers(
        self, work: Callable[[Item, Tell], Outcome], items: Sequence[Item]
    ) -> Generator[Answer]:
        """Yield the answers of all items in their order.

        It is closed after an error, so that tasks that are no longer needed can be stopped.
        """
