"""Rows that equal another but for one cell or two: copies are told from rows alike by nature."""

import numpy as np
import pandas as pd
import pytest

import bnsieve as bn
from bnsieve.table import DependentRowsWarning, Table, find_near_repeats


def noise(n_rows=200, n_columns=15):
    cells = np.random.default_rng(0).choice(list("abc"), (n_rows, n_columns))
    return pd.DataFrame(cells, columns=[f"c{i:02}" for i in range(n_columns)])


def found_in(frame):
    return find_near_repeats(Table.from_data(frame))


def with_corrected_copies(frame, n_copies, n_cells=1):
    """Return the frame with copies of its first rows, each with other categories in some cells."""
    rng = np.random.default_rng(1)
    copies = frame[:n_copies].to_numpy(copy=True)
    for row in copies:
        for column in rng.choice(len(row), n_cells, replace=False):
            row[column] = rng.choice(sorted(set("abc") - {row[column]}))
    return pd.concat([frame, pd.DataFrame(copies, columns=frame.columns)], ignore_index=True)


@pytest.mark.parametrize("n_copies", [40, 200])
def test_copies_with_a_corrected_cell(n_copies):
    found = found_in(with_corrected_copies(noise(), n_copies))
    assert found.n_rows == pytest.approx(n_copies, abs=2)
    assert found.n_different == 1


def test_copies_with_two_corrected_cells():
    found = found_in(with_corrected_copies(noise(200, 20), 40, 2))
    assert found.n_rows == pytest.approx(40, abs=2)
    assert found.n_different == 2


def test_copies_with_a_number_of_their_own():
    frame = noise()
    twice = pd.concat([frame, frame[:40]], ignore_index=True)
    numbers = np.random.default_rng(2).normal(size=len(twice))
    table = Table.from_data(twice.assign(x=["u", "v"] * 120)).with_numbers({"x": numbers})
    assert find_near_repeats(table) == (40, 1)


@pytest.mark.parametrize("name", ["asia", "sachs", "child", "insurance", "alarm", "water"])
@pytest.mark.parametrize("n_rows", [200, 1_000])
def test_rows_of_networks_are_alike_by_nature(name, n_rows):
    assert found_in(bn.load_network(name).sample(n_rows, random_state=1)) is None


def test_rows_of_rare_events_of_functions_and_of_few_kinds_are_alike_by_nature():
    rng = np.random.default_rng(0)
    rare = np.where(rng.random((1_000, 30)) < 0.02, "y", "n")
    base = rng.integers(0, 4, (1_500, 10))
    functions = np.hstack([base, base % 2, base // 2])
    kinds = rng.integers(0, 6, (1_500, 1))
    few_kinds = np.where(rng.random((1_500, 12)) < 0.9, kinds, rng.integers(0, 6, (1_500, 12)))
    for cells in (rare, functions, few_kinds):
        frame = pd.DataFrame(cells.astype(str), columns=[f"c{i}" for i in range(cells.shape[1])])
        assert found_in(frame) is None


def test_a_fit_says_it_and_confirms_nothing():
    frame = with_corrected_copies(noise(), 40)
    with pytest.warns(DependentRowsWarning, match="40 of 240 rows repeat .* all but 1 of"):
        learner = bn.TsetlinSieve(random_state=0, n_jobs=1).fit(frame)
    assert learner.confirmed_edges_ == ()
    assert learner.fit_result_.dependence.n_different == 1
