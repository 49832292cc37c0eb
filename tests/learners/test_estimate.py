"""Estimates grow with the work, and are near what a fit takes."""

from itertools import combinations
from math import comb
from time import process_time

import pytest

from bnsieve import TsetlinSieve, load_network
from bnsieve.engine import Usage
from bnsieve.learners import estimate_run, shape_of
from bnsieve.learners.estimate import measured_rates, n_sets


def test_no_more_sets_than_there_are():
    for k in range(5):
        assert n_sets(k) <= 2**k
    assert n_sets(18) >= 1 + 18 + comb(18, 2) + comb(8, 3)


def test_more_of_anything_takes_longer():
    sizes = [(1_000, 10, 3), (4_000, 10, 3), (4_000, 20, 3), (4_000, 20, 9), (4_000, 40, 9)]
    shapes = [shape_of(n, [levels] * p, 0) for n, p, levels in sizes]
    for less, more in combinations(shapes, 2):
        assert more.visits >= less.visits
        assert more.passes >= less.passes
        assert more.bytes_of_learning(1) >= less.bytes_of_learning(1)
    assert shapes[-1].passes > 8 * shapes[0].passes
    gaps = shape_of(1_000, [3] * 10, 200)
    assert gaps.passes > shapes[0].passes
    assert shape_of(1_000, [3] * 10, 9_000).passes > gaps.passes


def test_thousands_of_labels_take_no_more_than_some():
    many, some = (shape_of(10_000, [2] * 10 + [n], 0) for n in (30_000, 1_000))
    assert many.visits == some.visits
    assert many.bytes_of_learning(1) <= 1.5 * some.bytes_of_learning(1)


def test_rows_in_files_take_a_sample_and_a_count():
    in_files = shape_of(5_000_000, [3] * 10, 0, 10_000)
    in_memory = shape_of(5_000_000, [3] * 10, 0)
    assert in_files.visits == in_memory.visits  # machines are shown some rows of many
    assert in_files.bytes_of_learning(1) < in_memory.bytes_of_learning(1) / 10
    assert in_files.passes > shape_of(10_000, [3] * 10, 0).passes
    # Cells of rows in files are not drawn.
    assert shape_of(5_000_000, [3] * 10, 9, 10_000).visits == in_files.visits
    assert shape_of(5_000_000, [3] * 10, 9).visits > in_memory.visits


def test_of_many_rows_in_memory_only_some_are_searched():
    many, more = (shape_of(n, [3] * 10, 0) for n in (60_000, 600_000))
    assert many.n_searched == more.n_searched < shape_of(40_000, [3] * 10, 0).n_searched
    assert many.visits == more.visits > shape_of(1_000, [3] * 10, 0).visits
    assert more.passes > many.passes


def test_what_was_used_counts():
    shape = shape_of(1_000, [2] * 5, 0)
    found = estimate_run(shape, Usage(7.0, 100_000_000, 900_000_000), 1)
    assert found.seconds == found.cpu_seconds > 7
    assert found.megabytes == pytest.approx(900)
    assert estimate_run(shape, Usage(7.0, 900_000_000, 900_000_000), 1).megabytes > 900
    assert "in all" in str(found)


@pytest.mark.slow
def test_near_what_a_fit_takes():
    network = load_network("child")
    data = network.sample(20_000, random_state=0)
    shape = shape_of(20_000, [len(labels) for labels in network.levels.values()], 0)
    # Each is a short measurement, which other work on the machine can disturb.
    expected = min(measured_rates().seconds(shape) for _ in range(3))
    start = process_time()
    TsetlinSieve(random_state=0, n_jobs=1, prepare=None).fit(data)
    taken = process_time() - start
    assert taken / 4 < expected < taken * 4
