"""Copies of rows are told from rows that are alike by nature."""

from itertools import product

import numpy as np
import pandas as pd
import pytest

import bnsieve as bn
from bnsieve.table import Table, find_repeats


def noise(n_rows, n_columns, seed=0):
    cells = np.random.default_rng(seed).choice(list("abc"), (n_rows, n_columns))
    return pd.DataFrame(cells, columns=[f"c{i:02}" for i in range(n_columns)])


def twice(frame, n_rows=None):
    return pd.concat([frame, frame[:n_rows]], ignore_index=True)


def n_repeated(frame, **options):
    found = find_repeats(Table.from_data(frame), **options)
    return 0 if found is None else found.n_repeated


@pytest.mark.parametrize("network", ["asia", "alarm", "win95pts", "cancer"])
@pytest.mark.parametrize("n_rows", [50, 2_000])
def test_rows_alike_by_nature_are_no_copies(network, n_rows):
    frame = bn.load_network(network).sample(n_rows, random_state=1)
    assert n_repeated(frame) == 0
    assert n_repeated(frame, in_order=False) == 0
    assert n_repeated(frame.sort_values(list(frame))) == 0


@pytest.mark.parametrize("network", ["asia", "alarm", "cancer"])
def test_a_copy_of_all_rows_is_seen_among_rows_alike_by_nature(network):
    frame = bn.load_network(network).sample(2_000, random_state=1)
    assert n_repeated(twice(frame)) == 2_000
    kept = find_repeats(Table.from_data(twice(frame))).kept
    rows = [sorted(map(tuple, one.to_numpy().tolist())) for one in (frame, twice(frame)[kept])]
    assert rows[0] == rows[1]
    assert n_repeated(twice(frame, 500)) == 500


def test_copies_are_seen_in_any_order():
    frame = twice(noise(200, 15), 40)
    assert n_repeated(frame) == 40
    shuffled = frame.sample(frac=1, random_state=0)
    assert n_repeated(shuffled) == 40
    assert n_repeated(shuffled, in_order=False) == 40


def test_copies_are_seen_in_a_sample():
    frame = twice(noise(50_000, 15)).sample(10_000, random_state=0)
    expected = 50_000 * 0.1**2  # both rows of a pair are drawn
    assert n_repeated(frame, in_order=False) == pytest.approx(expected, rel=0.3)


def test_missing_cells_and_numbers_are_compared():
    frame = noise(300, 12).mask(np.random.default_rng(1).random((300, 12)) < 0.1)
    assert n_repeated(twice(frame, 30)) == 30
    table = Table.from_data(pd.DataFrame({"x": ["a"] * 100, "y": ["b"] * 99 + ["c"]}))
    numbers = np.random.default_rng(0).normal(size=100)
    assert find_repeats(table.with_numbers({"x": numbers})) is None
    numbers[50:70] = numbers[:20]
    assert find_repeats(table.with_numbers({"x": numbers})).n_repeated == 20


def test_a_design_is_no_copy():
    rows = list(product("ab", "ab", "ab", "ab", "abc")) * 10
    frame = pd.DataFrame(rows, columns=list("vwxyz"))
    frame["out"] = np.where((frame["v"] == "a") & (frame["z"] == "c"), "hit", "miss")
    assert n_repeated(frame) == 0


def test_a_cycle_is_no_copy():
    cycle = [["red", "go"], ["green", "go"], ["amber", "stop"], ["red", "stop"]] * 100
    assert n_repeated(pd.DataFrame(cycle, columns=["light", "car"])) == 0


@pytest.mark.parametrize("seed", range(3))
def test_columns_that_change_in_pairs_are_alike_by_nature(seed):
    random = np.random.default_rng(seed)
    states = [random.choice(6, 200, p=[0.7, 0.2, 0.04, 0.03, 0.02, 0.01]) for _ in range(8)]
    frame = pd.DataFrame(
        {f"{name}{i}": [f"{name}{x}" for x in own] for i, own in enumerate(states) for name in "ab"}
    )
    assert n_repeated(frame) == 0
    assert n_repeated(frame, in_order=False) == 0


@pytest.mark.parametrize("n_rows", [1, 2, 5])
def test_few_rows_say_nothing(n_rows):
    assert n_repeated(noise(n_rows, 3)) == 0
    assert n_repeated(pd.DataFrame({"a": ["x"] * n_rows})) == 0


@pytest.mark.parametrize("n_numbers", [2, 6, 12])
@pytest.mark.parametrize("in_order", [True, False])
def test_a_bootstrap_sample_has_copies(n_numbers, in_order):
    random = np.random.default_rng(0)
    drawn = random.integers(0, 500, 1_500)
    frame = noise(500, 12)
    numbers = {name: random.normal(size=500)[drawn] for name in list(frame)[:n_numbers]}
    found = find_repeats(
        Table.from_data(frame.iloc[drawn]).with_numbers(numbers), in_order=in_order
    )
    assert found.n_repeated == 1_500 - len(set(drawn))


def test_numbers_of_few_values_make_no_copies():
    random = np.random.default_rng(0)
    place = random.integers(0, 300, 3_000)
    frame = noise(300, 12).iloc[place]
    ages = {name: random.integers(20, 60, 300)[place].astype(float) for name in list(frame)[:3]}
    assert find_repeats(Table.from_data(frame).with_numbers(ages), in_order=False) is None
