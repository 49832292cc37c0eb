"""Groups too small to leave a database are estimated from those that may."""

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from bnsieve.rows.sql.hidden_groups import Groups, fill_hidden


def groups_of(codes, radices, places, least):
    """Return the groups of at least so many rows."""
    keys = np.zeros(codes.shape[1], dtype=np.int64)
    for place in places:
        keys = keys * radices[place] + codes[place]
    keys, counts = np.unique(keys, return_counts=True)
    return Groups(keys[counts >= least], counts[counts >= least])


def filled(codes, radices, least, seed=0):
    places = range(len(radices))
    returned = [groups_of(codes, radices, places[: n + 1], least) for n in places]
    others = [groups_of(codes, radices, places[1 : n + 1], least) for n in places[1:]]
    return fill_hidden(returned, others, radices, np.random.default_rng(seed)), returned[-1]


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 2**32), st.integers(2, 4), st.integers(1, 12), st.integers(1, 400))
def test_returned_groups_stay_and_hidden_rows_are_not_lost(seed, n_columns, least, n_rows):
    rng = np.random.default_rng(seed)
    radices = rng.integers(2, 5, n_columns).tolist()
    codes = np.array([np.minimum(rng.geometric(0.6, n_rows) - 1, r - 1) for r in radices])
    estimated, returned = filled(codes, radices, least)
    counts = dict(zip(estimated.keys.tolist(), estimated.counts.tolist(), strict=True))
    for key, count in zip(returned.keys.tolist(), returned.counts.tolist(), strict=True):
        assert counts[key] == count
    assert (np.diff(estimated.keys) > 0).all()
    assert (estimated.counts > 0).all()
    first = groups_of(codes, radices, [0], least)
    own = np.bincount(
        estimated.keys // np.prod(radices[1:]), estimated.counts, minlength=radices[0]
    )
    assert own[first.keys].tolist() == first.counts.tolist()


def test_with_nothing_hidden_the_groups_are_those_of_the_rows():
    rng = np.random.default_rng(0)
    codes = rng.integers(0, 2, (3, 900))
    estimated, returned = filled(codes, [2, 2, 2], 5)
    assert estimated.keys.tolist() == returned.keys.tolist()
    assert estimated.counts.tolist() == returned.counts.tolist()


def test_both_totals_decide_where_hidden_rows_go():
    # 3 rows of (0, 1) and 4 of (1, 0) are hidden: the totals of both columns leave no other place.
    codes = np.array([[0] * 43 + [1] * 24, [0] * 40 + [1] * 3 + [0] * 4 + [1] * 20])
    estimated, _ = filled(codes, [2, 2], 5)
    assert estimated.keys.tolist() == [0, 1, 2, 3]
    assert estimated.counts.tolist() == [40, 3, 4, 20]


def test_hidden_rows_are_no_sign_of_dependence():
    # The two columns are independent in each of 60 contexts. Without hidden rows, G2 says they are
    # not; with estimates, it says no more than with all rows.
    rng = np.random.default_rng(1)
    context = rng.integers(0, 60, 9_000)
    first, added = (rng.choice(3, 9_000, p=[0.7, 0.2, 0.1]) for _ in range(2))
    codes, radices = np.array([first, context, added]), [3, 60, 3]

    def g2(groups):
        counts = np.zeros(540)
        counts[groups.keys] = groups.counts
        cells = counts.reshape(3, 60, 3)
        expected = cells.sum(axis=0) * cells.sum(axis=2)[:, :, None]
        totals = np.maximum(cells.sum(axis=(0, 2)), 1)[None, :, None]
        with np.errstate(divide="ignore", invalid="ignore"):
            terms = cells * np.log(cells * totals / expected)
        return 2 * np.nansum(terms)

    whole = groups_of(codes, radices, range(3), 1)
    estimated, returned = filled(codes, radices, 5)
    assert g2(estimated) < g2(whole) < 0.7 * g2(returned)


def test_the_same_seed_gives_the_same_estimates():
    codes = np.random.default_rng(2).integers(0, 4, (3, 200))
    one, two, other = (filled(codes, [4, 4, 4], 6, seed)[0] for seed in (0, 0, 1))
    assert one.counts.tolist() == two.counts.tolist()
    assert one.keys.tolist() != other.keys.tolist() or one.counts.tolist() != other.counts.tolist()
