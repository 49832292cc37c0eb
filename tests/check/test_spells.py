"""Values of a series that lie close together in time count as one event."""

from dataclasses import replace

import numpy as np
import pytest

from bnsieve.check.schema import left_range, moved_missing, new_categories
from bnsieve.check.spells import Spells, events_beyond
from bnsieve.table import Table


def table_of(values: list[list[float]], past: bool = True) -> Table:
    """Return the rows of some entities, each a list of numbers, with their past."""
    now = [np.array(one[1:], dtype=float) for one in values]
    before = [np.array(one[:-1], dtype=float) for one in values]
    numbers = [np.concatenate(now), np.concatenate(before)][: 2 if past else 1]
    n_rows = len(numbers[0])
    # A row without a past is left out between two entities.
    steps = np.concatenate(
        [np.arange(len(one)) + sum(len(o) + 1 for o in now[:i]) for i, one in enumerate(now)]
    )
    return Table(
        np.zeros((len(numbers), n_rows), dtype=np.uint8),
        ("x", "x@t-1")[: len(numbers)],
        (("any",),) * len(numbers),
        {i: np.isnan(one) for i, one in enumerate(numbers) if np.isnan(one).any()},
        dict(enumerate(numbers)),
        np.repeat(np.arange(len(now), dtype=np.int32), [len(one) for one in now]),
        {"x@t-1": "x"} if past else {},
        steps,
    )


def test_a_spell_ends_with_a_gap_and_with_an_entity() -> None:
    spells = Spells(table_of([[0, 1, 1, 0, 1, 0, 0, 0, 1], [0, 1, 1]]))
    marked = spells.numbers("x") > 0
    assert spells.lengths(marked, 1).tolist() == [2, 1, 1, 2]
    assert spells.lengths(marked, 2).tolist() == [4, 1, 2]
    assert spells.lengths(np.zeros_like(marked), 2).tolist() == []


def test_the_order_of_the_rows_does_not_matter() -> None:
    table = table_of([[0, 1, 1, 0, 1], [0, 1, 1]])
    mixed = table.take(np.random.default_rng(0).permutation(table.n_rows))
    marked = [Spells(one).numbers("x") > 0 for one in (table, mixed)]
    assert Spells(mixed).lengths(marked[1], 1).tolist() == [2, 1, 2]
    assert Spells(table).lengths(marked[0], 1).tolist() == [2, 1, 2]


def test_what_is_forgotten_slowly_has_a_long_gap() -> None:
    rng = np.random.default_rng(0)
    slow = np.zeros(4_000)
    for t in range(1, 4_000):
        slow[t] = 0.95 * slow[t - 1] + rng.normal()
    assert Spells(table_of([rng.normal(size=4_000).tolist()])).gap("x") == 1
    assert 30 < Spells(table_of([slow.tolist()])).gap("x") < 70  # log(.1) / log(.95) = 45
    constant = Spells(table_of([[1.0] * 50, [2.0] * 50], past=False))
    assert constant.gap("x") == 98


def test_a_long_spell_counts_as_often_as_it_outlasts_those_learned_from() -> None:
    rng = np.random.default_rng(1)
    before = Spells(table_of([rng.normal(size=2_000).tolist()]))
    usual = before.longest_tail(before.numbers("x"), 1)
    assert usual <= 2
    after = Spells(table_of([[0.0] * 10 + [9.0] * 40 + [0.0] * 10 + [9.0]]))
    assert events_beyond(before, after, "x", 1, 5.0) == 40 // usual + 1
    assert events_beyond(before, after, "x", -1, -5.0) == 0


def test_entries_are_counted_and_not_rows() -> None:
    table = table_of([[0, 0, 1, 1, 1, 0], [0, 1, 1]])
    codes = np.array([(table.numbers[v] > 0).astype(np.uint8) for v in range(2)])
    table = replace(table, codes=codes, categories=(("low", "high"),) * 2, numbers={})
    assert Spells(table).entries("x") == {"low": 2, "high": 2}


def test_new_categories_by_their_events() -> None:
    rows = {"a": 900}, {"a": 60, "b": 40}
    (by_rows,) = new_categories("x", *rows).changes
    (by_events,) = new_categories("x", *rows, ({"a": 90}, {"a": 9, "b": 1})).changes
    assert by_rows.p_value < 1e-6 < 0.05 < by_events.p_value
    assert by_rows.text == by_events.text == "new category 'b' in 40 rows (40.0%)"


def test_a_range_by_its_events() -> None:
    before, after = np.linspace(0, 1, 900), np.r_[np.linspace(0, 1, 70), np.full(30, 2.0)]
    (by_rows,) = left_range("x", before, after).changes
    (by_events,) = left_range("x", before, after, lambda sign, edge: int(sign == 1)).changes
    assert by_rows.p_value < 1e-6 < 0.05 < by_events.p_value
    assert by_rows.text == by_events.text


def test_outages_that_last_are_few_events() -> None:
    outages = [np.nan if t % 200 < 20 else 0.0 for t in range(2_000)]
    per_gap = Spells(table_of([outages])).rows_per_gap("x")
    assert 10 < per_gap < 60
    alone = [np.nan if t % 10 == 0 else 0.0 for t in range(2_000)]
    assert Spells(table_of([alone])).rows_per_gap("x") == pytest.approx(1.0)
    assert Spells(table_of([[0.0] * 50])).rows_per_gap("x") == 1.0
    counts = "x", 200, 2_000, 100, 500
    (by_rows,), (by_events,) = (moved_missing(*counts, d).changes for d in (1.0, per_gap))
    assert by_rows.p_value < 1e-6 < 0.05 < by_events.p_value
    assert by_rows.text == by_events.text
