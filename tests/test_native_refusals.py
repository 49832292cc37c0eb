"""Arrays that would make a kernel read or write beyond them are refused by its binding."""

import numpy as np
import pytest

from bnsieve import _native

pytestmark = pytest.mark.kernel

CODES = np.array([[0, 1, 0, 1], [0, 0, 1, 1]], dtype=np.uint8)
RADICES = np.array([2, 2])
ONES = np.ones(4, dtype=np.int64)
BDEU = ("bdeu", np.ones(1), False, 0.0)


def scored(codes=CODES, counts=ONES, radices=RADICES, rule=BDEU, **more):
    return _native.score_parent_sets(codes, counts, radices, *rule, 1, 1, 1, **more)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"counts": np.array([1, -1, 1, 1])}, "a count is negative"),
        ({"counts": np.array([-(2**63), 1, 1, 1])}, "a count is negative"),
        ({"counts": np.full(4, 2**62)}, "add up to more than"),
        ({"radices": np.array([2, 2**62])}, "a radix is above 65,536"),
        ({"radices": np.array([2, 1])}, "a code is not below its variable's radix"),
        ({"rule": ("bdeu", np.ones(1), False, np.nan)}, "what a parent costs must be a number"),
        ({"rule": ("bdeu", np.array([np.nan]), False, 0.0)}, "sample sizes must be above zero"),
        ({"rule": ("bic", np.array([np.inf]), False, 0.0)}, "factor of the penalty must be"),
    ],
)
def test_scores_of_what_is_no_table(change, message):
    with pytest.raises(ValueError, match=message):
        scored(**change)


def test_the_largest_counts_are_scored():
    masks, scores = scored(counts=np.full(4, 2**61 - 1))
    assert masks.tolist() == [0]
    assert np.isfinite(scores).all()


@pytest.mark.parametrize("smallest", [5e-324, 1e-300, 1.7e308])
def test_sample_sizes_at_the_ends_of_the_range_leave_an_order(smallest):
    """Sums of infinities are no number, which a sort must not meet."""
    codes = np.array([[*range(40)] * 2] * 12, dtype=np.uint8)
    rule = ("bdeu", np.array([smallest]), False, 0.0)
    _, scores = scored(codes, np.ones(80, dtype=np.int64), np.full(12, 40), rule)
    assert not np.isnan(scores).any()
    assert (np.diff(scores) <= 0).all()


def searched(first_candidate=(0, 1, 2), first_set=(0, 1, 2), scores=(-1.0, -1.0)):
    return _native.search_orders(
        np.array(first_candidate),
        np.array([1, 0], dtype=np.int32),
        np.array(first_set),
        np.zeros(2, dtype=np.uint32),
        np.array(scores),
        np.array([0, 1], dtype=np.int32),
        1,
        0,
    )


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"first_set": (0, 10**9, 2)}, "offsets must ascend"),
        ({"first_set": (0, -(10**9), 2)}, "offsets must ascend"),
        ({"first_candidate": (0, 10**9, 2)}, "offsets must ascend"),
        ({"first_set": (0, 1, 3)}, "offsets must run from 0"),
        ({"scores": (np.nan, -1.0)}, "a score is not a number"),
    ],
)
def test_orders_of_what_are_no_sets(change, message):
    assert searched()[2] == -2.0
    with pytest.raises(ValueError, match=message):
        searched(**change)


@pytest.mark.parametrize("infinite", [-np.inf, np.inf])
@pytest.mark.parametrize("at", range(5))
def test_orders_with_infinite_scores(at, infinite):
    """Of the third variable nothing is related, so that there is no place to move it to."""
    scores = np.array([-1.0, -2.0, -1.5, -2.0, -1.0])
    scores[at] = infinite
    order, chosen, _ = _native.search_orders(
        np.array([0, 1, 2, 2]),
        np.array([1, 0], dtype=np.int32),
        np.array([0, 2, 4, 5]),
        np.array([1, 0, 1, 0, 0], dtype=np.uint32),
        scores,
        np.array([0, 1, 2], dtype=np.int32),
        20,
        0,
    )
    assert sorted(order) == [0, 1, 2]
    assert np.searchsorted([2, 4, 5], chosen, side="right").tolist() == [0, 1, 2]


@pytest.mark.parametrize("most", [2**31 - 1, 2**63, 2**64 - 1])
def test_sets_larger_than_all_candidates(most):
    """The largest size is a limit, not a number of rounds."""
    few = _native.score_parent_sets(CODES, ONES, RADICES, *BDEU, 0, 1, 1)
    many = _native.score_parent_sets(CODES, ONES, RADICES, *BDEU, 0, most, 1)
    np.testing.assert_array_equal(few[1], many[1])
    covariance = np.array([[1.0, 0.5], [0.5, 1.0]])
    rest = (np.array([0, 1, 2]), np.array([0, 1]), 50.0, 1.0, 0.0, 0)
    few = _native.score_covariance_sets(covariance, *rest, 1, 1)
    many = _native.score_covariance_sets(covariance, *rest, most, 1)
    np.testing.assert_array_equal(few[1], many[1])


@pytest.mark.parametrize("flags", [[0], "x", np.zeros(4), np.zeros(4, dtype=bool)[::-1], 1])
def test_counts_beside_what_are_no_flags(flags):
    variables = np.array([0, 1])
    with pytest.raises(ValueError, match="missing flags must be a plain vector of booleans"):
        _native.count_joint(CODES, variables, RADICES, [flags, None], None, 0, 4)
    if not isinstance(flags, np.ndarray):
        with pytest.raises(ValueError, match="weights must be a plain vector of 64-bit integers"):
            _native.count_joint(CODES, variables, RADICES, [None, None], flags, 0, 4)


def drawn(codes, parents=(0,), strides=(1,), n_lines=2, dtype=np.uint8):
    out = np.array(codes, dtype=dtype)
    lines = np.full((n_lines, 1), 2**62, dtype=np.uint64)
    key = np.array([1, 2], dtype=np.uint64)
    own = [np.array(values, dtype=np.int64) for values in (parents, strides)]
    _native.sample_variable(out, 1, 0, *own, lines, key)
    return out


@pytest.mark.parametrize("dtype", [np.uint8, np.uint16])
@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"strides": (2**40,)}, "point beyond the thresholds"),
        ({"strides": (2**63 - 1,)}, "point beyond the thresholds"),
        ({"strides": (2,)}, "point beyond the thresholds"),
        ({"strides": (-1,)}, "a stride is negative"),
        ({"parents": (0, 0), "strides": (1, 1)}, "point beyond the thresholds"),
        ({"n_lines": 1}, "point beyond the thresholds"),
        ({"n_lines": 0}, "there must be a line of thresholds"),
        ({"parents": (2,)}, "a parent is not one of the variables"),
    ],
)
def test_draws_beyond_the_thresholds(change, message, dtype):
    assert set(drawn([[0, 1], [7, 7]], dtype=dtype)[1]) <= {0, 1}
    with pytest.raises(ValueError, match=message):
        drawn([[0, 1], [7, 7]], dtype=dtype, **change)


def test_tables_are_not_summed_into_themselves():
    table = np.ones(4)
    with pytest.raises(ValueError, match="shares memory"):
        _native.sum_axes(table, np.array([2, 2]), np.array([2, 1]), table)
    with pytest.raises(ValueError, match="shares memory"):
        _native.sum_axes(np.ones(4), RADICES, np.array([1, 0]), RADICES.view(np.float64))


def test_rows_are_not_answered_into_themselves():
    none = np.zeros(0, dtype=np.int32)
    rows = _native.NetworkRows(
        np.array([2], np.int32), np.array([0, 0]), none, np.array([0, 2]), np.array([0.5, 0.5])
    )
    memory = np.zeros(8)
    cells = memory.view(np.int32)[:4].reshape(4, 1)
    states = np.zeros(4, dtype=np.uint8)
    with pytest.raises(ValueError, match="shares memory"):
        rows.log_probabilities(cells, memory[:4], states, 1 << 20)
    with pytest.raises(ValueError, match="shares memory"):
        rows.log_probabilities(cells, np.zeros(4), memory.view(np.uint8)[:4], 1 << 20)
    with pytest.raises(ValueError, match="shares memory"):
        rows.margins(cells, 0, memory.reshape(4, 2), states, 1 << 20)
    with pytest.raises(ValueError, match="shares memory"):
        rows.fill(cells, cells, none, np.zeros((0, 0)), states, 1 << 20)
    rows.log_probabilities(cells, memory[4:], states, 1 << 20)
    assert memory[4:].tolist() == [np.log(0.5)] * 4
