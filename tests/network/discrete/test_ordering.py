"""Orders of elimination and sums of tables: the kernels against their twins."""

import itertools

import numpy as np
import pytest
from numpy.testing import assert_allclose

import reference
from bnsieve import _native
from bnsieve.network.discrete.cliques import RULES, best_order
from bnsieve.network.discrete.exact import sum_to

pytestmark = pytest.mark.kernel


def random_scopes(seed, n):
    rng = np.random.default_rng(seed)
    scopes = [rng.choice(n, int(rng.integers(1, 5)), replace=False).tolist() for _ in range(n)]
    return scopes, rng.integers(2, 6, n)


def asked(scopes):
    members = np.array([v for scope in scopes for v in scope], dtype=np.int32)
    return members, np.cumsum([0, *map(len, scopes)], dtype=np.int64)


@pytest.mark.parametrize("rule", RULES)
@pytest.mark.parametrize(("seed", "n"), [(0, 5), (1, 20), (2, 70), (3, 130)])
def test_the_kernel_orders_as_its_twin(rule, seed, n):
    scopes, n_states = random_scopes(seed, n)
    logs = np.log2(n_states.astype(float))
    stage = np.random.default_rng(seed).integers(-1, 2, n).astype(np.int32)
    order, members, starts = _native.elimination_order(*asked(scopes), logs, stage, 2, rule)
    expected, cliques = reference.elimination_order(scopes, logs, stage.tolist(), rule)
    assert order == expected
    pairs = itertools.pairwise(starts)
    assert [members[start:stop] for start, stop in pairs] == cliques


def test_the_cheapest_order_is_kept():
    scopes, n_states = random_scopes(7, 40)
    logs = np.log2(n_states.astype(float))
    costs = []
    for rule in RULES:
        order, cliques = reference.elimination_order(scopes, logs, [0] * 40, rule)
        sizes = [
            np.prod([n_states[v], *n_states[others]])
            for v, others in zip(order, cliques, strict=True)
        ]
        costs.append(sum(sizes))
    assert best_order(scopes, n_states.tolist(), [range(40)]).n_cells == min(costs)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"members": np.array([0, 9], dtype=np.int32)}, "no such variable"),
        ({"starts": np.array([0, 5], dtype=np.int64)}, "starts must ascend"),
        ({"stage": np.zeros(1, dtype=np.int32)}, "one entry per variable"),
        ({"rule": "luck"}, "rule must be"),
        ({"log_levels": np.array([np.inf, 1.0])}, "from 0 to 64"),
        ({"log_levels": np.array([np.nan, 1.0])}, "from 0 to 64"),
        ({"log_levels": np.array([-1.0, 1.0])}, "from 0 to 64"),
    ],
)
def test_what_would_reach_beyond_an_array_is_refused(change, message):
    right = {
        "members": np.array([0, 1], dtype=np.int32),
        "starts": np.array([0, 2], dtype=np.int64),
        "log_levels": np.ones(2),
        "stage": np.zeros(2, dtype=np.int32),
        "n_stages": 1,
        "rule": "fill",
    }
    assert _native.elimination_order(**right)[0] == [0, 1]
    assert _native.elimination_order(**{**right, "n_stages": 2**31 - 1})[0] == [0, 1]
    with pytest.raises(ValueError, match=message):
        _native.elimination_order(**{**right, **change})


@pytest.mark.parametrize("seed", range(30))
def test_sums_over_axes_are_those_of_numpy(seed):
    rng = np.random.default_rng(seed)
    table = rng.random(rng.integers(1, 4, int(rng.integers(1, 8))))
    kept = np.flatnonzero(rng.random(table.ndim) < 0.5).tolist()
    rest = tuple(axis for axis in range(table.ndim) if axis not in kept)
    assert_allclose(sum_to(table, kept), table.sum(axis=rest), rtol=1e-14)


def one_variable(margin, n_states=2):
    """Return a network of one variable, for the compiled code."""
    return _native.NetworkRows(
        np.array([n_states], dtype=np.int32),
        np.array([0, 0], dtype=np.int64),
        np.empty(0, dtype=np.int32),
        np.array([0, len(margin)], dtype=np.int64),
        np.array(margin),
    )


def test_rows_that_would_reach_beyond_a_table_are_refused():
    network = one_variable([0.5, 0.5])
    states, out = np.empty(1, dtype=np.uint8), np.empty((1, 2))
    with pytest.raises(ValueError, match="not below its variable's levels"):
        network.margins(np.array([[2]], dtype=np.int32), 0, out, states, 100)
    with pytest.raises(ValueError, match="no such variable"):
        network.margins(np.array([[0]], dtype=np.int32), 1, out, states, 100)
    with pytest.raises(ValueError, match="size of its family"):
        one_variable([0.5, 0.5], n_states=3)


@pytest.mark.parametrize(
    ("n_states", "parent_start", "table_start", "message"),
    [
        ([2, 2], [0, 9, 1], [0, 2, 6], "parent_start must ascend"),
        ([2, 2], [0, 0, 1], [0, 99, 6], "size of its family"),
        ([99, 2], [0, 0, 1], [0, 99, 6], "size of its family"),
        ([2**31 - 1, 2], [0, 0, 1], [0, 2, 6], "size of its family"),
        ([0, 2], [0, 0, 1], [0, 0, 6], "no levels"),
        ([], [0], [0], "cover the parents"),
    ],
)
def test_networks_that_would_reach_beyond_their_tables_are_refused(
    n_states, parent_start, table_start, message
):
    with pytest.raises(ValueError, match=message):
        _native.NetworkRows(
            np.array(n_states, dtype=np.int32),
            np.array(parent_start, dtype=np.int64),
            np.array([0], dtype=np.int32),
            np.array(table_start, dtype=np.int64),
            np.full(6, 0.5),
        )


def test_cells_are_filled_whatever_lies_where_they_are_written():
    network = one_variable([0.25, 0.75])
    rows = np.array([[-1], [0]], dtype=np.int32)
    filled, states = np.full((2, 1), 99, dtype=np.int32), np.empty(2, dtype=np.uint8)
    order = np.array([0], dtype=np.int32)
    network.fill(rows, filled, order, np.array([[0.5], [0.5]]), states, 1000)
    assert filled.ravel().tolist() == [1, 0]


@pytest.mark.parametrize(
    ("radices", "strides", "message"),
    [
        ([2**32, 2**32], [0, 1], "the table's size"),  # 2**64 cells, which 64 bits take for none
        ([2, 2], [2**62, 1], "beyond the sums"),
        ([2, 2], [3, 1], "beyond the sums"),
        ([2], [1], "the table's size"),
    ],
)
def test_sums_that_would_reach_beyond_their_tables_are_refused(radices, strides, message):
    given = np.array(radices, dtype=np.int64), np.array(strides, dtype=np.int64)
    with pytest.raises(ValueError, match=message):
        _native.sum_axes(np.ones(4), *given, np.zeros(4))
