"""How many lags are chosen: processes of known order, and rows that are held out."""

import numpy as np
import pandas as pd
import pytest

from bnsieve.rows import choose_lags, columns_in_order
from bnsieve.rows.lag_choice import OrderedColumns, compared_rows
from bnsieve.table import Table


def in_order(*columns, depth=None, static=()):
    n = len(columns[0])
    rows, blocks = compared_rows(n, len(columns))
    depth = np.arange(n) if depth is None else depth
    return OrderedColumns(
        tuple(one[rows] for one in columns), tuple(one[rows] for one in static), depth[rows], blocks
    )


def autoregression(order, n, rng, n_variables=3):
    """Draw variables of which each depends on its last value, and the second on the first's."""
    x = np.zeros((n_variables, n + 50))
    noise = rng.normal(size=x.shape)
    for t in range(order, n + 50):
        x[:, t] = 0.4 * x[:, t - 1] + noise[:, t]
        x[1, t] += 0.5 * x[0, t - order]
    return x[:, 50:]


def markov_chain(order, n, rng):
    """Draw two variables of three states: the second repeats the first of some steps ago."""
    a = rng.integers(0, 3, n)
    b = rng.integers(0, 3, n)
    for t in range(order, n):
        draw = rng.random(2)
        a[t] = a[t - 1] if draw[0] < 0.5 else a[t]
        b[t] = a[t - order] if draw[1] < 0.5 else b[t]
    return a, b


@pytest.mark.parametrize("order", [1, 2, 3, 7])
def test_the_longest_lag_of_a_process_is_found(order):
    rngs = [np.random.default_rng([order, seed]) for seed in range(3)]
    assert [choose_lags(in_order(*autoregression(order, 800, rng))).lags for rng in rngs] == [
        order
    ] * 3
    assert [choose_lags(in_order(*markov_chain(order, 800, rng))).lags for rng in rngs] == [
        order
    ] * 3


def test_white_noise_has_one_lag():
    rng = np.random.default_rng(0)
    chosen = [choose_lags(in_order(*rng.normal(size=(6, 400)))).lags for _ in range(10)]
    chosen += [choose_lags(in_order(*rng.integers(0, 3, (6, 400)))).lags for _ in range(10)]
    assert chosen.count(1) >= 19


def test_a_squared_effect_and_mixed_columns_are_seen():
    rng = np.random.default_rng(1)
    x, switch = rng.normal(size=1000), rng.integers(0, 2, 1000)
    y, state = rng.normal(size=1000), rng.integers(0, 2, 1000)
    y[3:] += x[:-3] ** 2
    state[2:] = np.where(rng.random(998) < 0.8, x[:-2] > 0, state[2:])
    assert choose_lags(in_order(x, y)).lags == 3
    assert choose_lags(in_order(x, state)).lags == 2
    z = rng.normal(size=1000)
    z[5:] += 2 * switch[:-5]
    assert choose_lags(in_order(switch, z)).lags == 5


def test_held_out_rows_share_no_value_with_others():
    rng = np.random.default_rng(2)
    depth = np.minimum(np.arange(3000) % 137, 40)
    columns = in_order(rng.normal(size=3000), depth=depth)
    trained, tested = columns.parts(5)
    lags = np.arange(6)[:, np.newaxis]
    assert len(trained) > 1500
    assert len(tested) > 400
    assert not set((trained - lags).ravel()) & set((tested - lags).ravel())
    assert depth[trained].min() >= 5
    assert depth[tested].min() >= 5


def test_lags_that_would_cost_half_of_the_rows_are_not_compared():
    rng = np.random.default_rng(3)
    depth = np.tile(np.arange(6), 300)  # 5, 4, 3, 2, 1 rows of an entity have 1 to 5 lags
    assert choose_lags(in_order(rng.normal(size=1800), depth=depth)).most == 3


@pytest.mark.parametrize("n_rows", [1, 2, 30])
def test_few_rows_are_not_compared(n_rows):
    choice = choose_lags(in_order(np.arange(float(n_rows)), np.zeros(n_rows, dtype=int)))
    assert choice.lags == 1
    assert str(choice) == "1 lag: there are too few rows to compare others"


def test_ugly_columns_are_compared():
    rng = np.random.default_rng(4)
    x = autoregression(2, 900, rng)[0]
    holes = np.where(rng.random(900) < 0.3, np.nan, 1e9 * autoregression(3, 900, rng)[1])
    codes = np.where(rng.random(900) < 0.2, -1, rng.integers(0, 500, 900))
    empty, constant = np.full(900, np.nan), np.ones(900)
    with np.errstate(all="raise"):
        choice = choose_lags(in_order(x, holes, codes, empty, constant, constant.astype(int)))
    assert choice.lags >= 1
    assert np.isfinite(choice.log_likelihoods).all()


def test_what_differs_between_entities_is_no_lag():
    """Entities of two levels that a static column tells: the past need not say the level."""
    rng = np.random.default_rng(5)
    level = np.repeat(rng.integers(0, 2, 150), 12)
    x = 4.0 * level + rng.normal(size=1800)
    depth = np.tile(np.arange(12), 150)
    assert choose_lags(in_order(x, depth=depth, static=[level])).lags == 1
    assert choose_lags(in_order(x, depth=depth)).lags > 1


def test_columns_of_a_table_are_put_in_order():
    table = Table.from_data(pd.DataFrame({"x": ["a", None, "b", "a"], "g": ["k", "k", "k", "m"]}))
    order = np.array([3, 2, 1, 0])
    columns = columns_in_order(table, order, np.arange(4), ["g"])
    assert columns.variables[0].tolist() == [0, 1, -1, 0]
    assert columns.static[0].tolist() == [1, 0, 0, 0]


def test_many_rows_are_compared_in_blocks():
    rows, blocks = compared_rows(1_000_000, 20)
    assert len(rows) == 8000
    assert blocks.tolist() == list(range(0, 8001, 1000))
    assert rows[[0, 999, 1000]].tolist() == [0, 999, 125_000]
    assert len(compared_rows(1_000_000, 5000)[0]) == 2000
