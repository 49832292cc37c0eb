"""What engines on other machines share, in an engine that performs its tasks here."""

from dataclasses import dataclass, field

import pytest

from bnsieve.engine.remote import PARTS, RemoteEngine, perform


@dataclass(frozen=True)
class Here(RemoteEngine):
    """Performs tasks in this process, and notes which it began and that it was closed."""

    notes: list = field(default_factory=list)

    def answers(self, work, items):
        try:
            for item in items:
                self.notes.append(item)
                yield perform(work, item)
        finally:
            self.notes.append("closed")


@pytest.fixture
def engine():
    return Here(3, map)


def test_outcomes_are_merged_in_the_order_of_the_items(engine):
    def work(item, tell):
        tell(2)
        tell(1)
        return [item]

    told = []
    assert engine.fold(work, "abc", lambda a, b: a + b, told.append) == ["a", "b", "c"]
    assert told == [3, 3, 3]
    assert engine.n_parts == 3 * PARTS


def test_the_first_error_is_raised_as_it_is_and_no_further_task_begins(engine):
    with pytest.raises(ZeroDivisionError):
        engine.fold(lambda item, tell: 1 / item, [1, 0, 2, 0], max, lambda n: None)
    assert engine.notes == [1, 0, "closed"]
