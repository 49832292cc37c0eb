"""Scores of parent sets against the textbook's formulas."""

import math
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays
from scipy.special import gammaln, xlogy

import reference
from bnsieve import _native, load_network
from bnsieve.counts import JointCounts, count
from bnsieve.decide import Score, score_family, scores
from bnsieve.decide.scores import SetSearch, score_additions
from bnsieve.table import Table

SCORES = [
    Score("bd", (5.0, 25.0), parent_cost=0.7),
    Score("bd", parent_cost=0.7),
    Score("bdeu", (1.0,), parent_cost=0.7),
    Score("bdeu", (1.0, 5.0, 25.0), parent_cost=0.7),
    Score("bdeu", parent_cost=0.7),  # with an infinite sample size
    Score("bic", parent_cost=0.7),
    Score("bic", penalty=0.5),
    Score("qnml"),
]


def score_parent_sets(table, score, **search):
    return scores.score_parent_sets(table, score, SetSearch(**search))


def random_table(n_rows, n_categories, seed=0):
    rng = np.random.default_rng(seed)
    first = rng.integers(n_categories[0], size=n_rows)
    columns = [
        np.where(rng.random(n_rows) < 0.4, first % r, rng.integers(r, size=n_rows))
        for r in n_categories
    ]
    return Table.from_data(np.array(columns).T)


def as_dict(sets):
    return {
        tuple(k for k in range(len(sets.candidates)) if int(mask) >> k & 1): score
        for mask, score in zip(sets.masks, sets.scores, strict=True)
    }


@pytest.mark.parametrize("score", SCORES)
@pytest.mark.parametrize("observed", [True, False])
def test_kernel_agrees_with_the_textbook(simd_level, score, observed):
    score = replace(score, observed=observed)
    table = count(random_table(400, [3, 2, 4, 5, 2]), range(5))
    found = score_parent_sets(table, score, complete_size=4, max_size=4, width=1)
    expected = reference.parent_sets(
        table.configurations, table.counts, table.n_categories, score.rule, max_size=4
    )
    assert as_dict(found) == pytest.approx(expected, rel=1e-12)
    assert (np.diff(found.scores) <= 0).all()


@pytest.mark.parametrize("n_categories", [[2, 2, 2, 2, 2], [3, 2, 4, 2, 3], [2, 30, 2, 2, 30]])
def test_many_rows_are_counted_by_bits_or_one_by_one(simd_level, n_categories):
    """Sets of few cells by bits, others not, and the first as what the others are split from."""
    score = Score("bdeu", parent_cost=0.7)
    table = count(random_table(3_000, n_categories, seed=1), range(5))
    found = score_parent_sets(table, score, complete_size=4, max_size=4, width=1)
    expected = reference.parent_sets(
        table.configurations, table.counts, table.n_categories, score.rule, max_size=4
    )
    assert as_dict(found) == pytest.approx(expected, rel=1e-12)


@pytest.mark.parametrize("n_codes", [1, 2, 3])
@pytest.mark.parametrize("n_rows_each", [0, 2**50])
def test_tables_of_no_rows_and_of_more_than_there_is_memory_for(simd_level, n_rows_each, n_codes):
    """One bit per row would be none at all, or more than fit into any memory."""
    codes = np.array(np.meshgrid(*[range(r) for r in (2, n_codes, 2, 2)])).reshape(4, -1)
    counts = np.full(codes.shape[1], n_rows_each, dtype=np.int64)
    radices = np.array([2, n_codes, 2, 2])
    rule = Score("bdeu", parent_cost=0.7).rule
    masks, scores = _native.score_parent_sets(
        codes.astype(np.uint8), counts, radices, *rule, 3, 3, 1
    )
    expected = reference.parent_sets(codes, counts, radices, rule, max_size=3)
    assert scores.max() == pytest.approx(max(expected.values()), rel=1e-12)
    for mask, score in zip(masks.tolist(), scores.tolist(), strict=True):
        members = tuple(k for k in range(3) if mask >> k & 1)
        if members in expected:  # rounding may decide between equal sets
            assert score == pytest.approx(expected[members], rel=1e-12)


def test_scores_are_the_same_at_every_instruction_set(simd_level):
    table = count(random_table(4_000, [2, 3, 2, 2, 4, 2]), range(6))
    found = score_parent_sets(table, Score(), complete_size=2, max_size=5, width=4)
    _native.force_simd_level("baseline")
    expected = score_parent_sets(table, Score(), complete_size=2, max_size=5, width=4)
    np.testing.assert_array_equal(found.masks, expected.masks)
    np.testing.assert_array_equal(found.scores, expected.scores)


TABLES = [
    [[5, 0], [0, 5]],
    [[3, 1], [1, 3]],
    [[8, 1], [7, 2]],
    [[6, 0, 0], [0, 5, 0], [1, 0, 4]],
    [[3, 2, 1], [2, 2, 2]],
    [[9, 0, 1]],
]


@pytest.mark.parametrize("weight", [0.1, 1.0, 5.0, 100.0])
@pytest.mark.parametrize("rows", TABLES)
def test_a_prior_about_the_margin_is_close_to_the_whole_sum(rows, weight):
    """A margin that is not known beforehand: all numbers of draws from it, summed up."""
    rows = np.array(rows, dtype=float)
    whole = reference.exactly_about_margin(rows, weight)
    assert whole - 1.0 < reference.about_margin(rows, weight) < whole


def test_deterministic_parents_hardly_pay_for_the_margin():
    """Where the label follows from the parent, even a small weight draws each label about once."""
    rows = np.diag([50.0, 30.0, 20.0])
    free = reference.dirichlet(rows, 0.01, np.array([0.5, 0.3, 0.2]))
    alone = reference.about_margin(rows.sum(axis=0)[None, :], 0.01)
    assert free - reference.about_margin(rows, 0.01) < 3
    assert alone < reference.about_margin(rows, 0.01) - 80


@settings(max_examples=30)
@given(
    arrays.arrays(np.uint8, st.tuples(st.just(4), st.integers(1, 200)), elements=st.integers(0, 2)),
    st.sampled_from(SCORES),
    st.integers(0, 2**32 - 1),
)
def test_it_is_the_same_however_rows_are_laid_out(codes, score, seed):
    """Each for itself in any order, or counted; and columns of no rows count for nothing."""
    radices = np.array([3, 3, 3, 3])
    sizes = (2, 3, 2)

    def scored(columns, counts):
        masks, scores = _native.score_parent_sets(columns, counts, radices, *score.rule, *sizes)
        return dict(zip(masks.tolist(), scores.tolist(), strict=True))

    order = np.random.default_rng(seed).permutation(codes.shape[1])
    by_row = scored(codes[:, order].copy(), np.ones(codes.shape[1], dtype=np.int64))
    columns, counts = np.unique(codes, axis=1, return_counts=True)
    counted = scored(columns, counts)
    with_none = scored(
        np.concatenate([np.full((4, 1), 2, dtype=np.uint8), columns], axis=1), np.append(0, counts)
    )
    wider = scored(columns.astype(np.uint16), counts)
    assert wider == counted
    for other in (by_row, with_none):
        for mask in counted.keys() & other.keys():  # rounding may decide between equal sets
            assert other[mask] == pytest.approx(counted[mask], rel=1e-10, abs=1e-9)
        assert max(other.values()) == pytest.approx(max(counted.values()), rel=1e-10, abs=1e-9)


@settings(max_examples=30)
@given(
    arrays.arrays(np.uint8, st.tuples(st.just(4), st.integers(1, 40)), elements=st.integers(0, 3)),
    st.sampled_from(SCORES),
)
def test_kernel_agrees_on_any_table(codes, score):
    counts = np.arange(1, codes.shape[1] + 1)
    radices = np.array([4, 4, 4, 4])
    masks, scores = _native.score_parent_sets(codes, counts, radices, *score.rule, 3, 3, 1)
    expected = reference.parent_sets(codes, counts, radices, score.rule, max_size=3)
    # Rounding may decide between a set and a subset of the same score: what both keep must agree.
    found = dict(zip(masks.tolist(), scores, strict=True))
    for members, score in expected.items():
        mask = sum(1 << k for k in members)
        if mask in found:
            assert found[mask] == pytest.approx(score, rel=1e-10, abs=1e-9)
    assert max(found.values()) == pytest.approx(max(expected.values()), rel=1e-10, abs=1e-9)


@pytest.mark.parametrize("score", [Score("bdeu"), Score("bic"), Score("qnml")])
def test_variables_of_thousands_of_levels_take_no_memory_for_their_products(score):
    table = count(random_table(4_000, [1_500, 3, 1_200, 1_100]), range(4))
    radices = np.array(table.n_categories)
    expected = reference.parent_sets(
        table.configurations, table.counts, radices, score.rule, max_size=2
    )
    found = as_dict(score_parent_sets(table, score, complete_size=2, max_size=2, width=1))
    assert found
    for mask, value in found.items():
        assert value == pytest.approx(expected[mask], rel=1e-9)


@pytest.mark.parametrize("score", [Score("bdeu", (5.0,)), Score("bic")])
def test_total_score_does_not_depend_on_the_direction_of_a_single_edge(score):
    """Markov equivalent graphs score the same where the prior is one and all states are seen."""
    data = random_table(500, [3, 4])
    totals = []
    for pair in [(0, 1), (1, 0)]:
        sets = score_parent_sets(count(data, pair), score, complete_size=1, max_size=1, width=1)
        alone = score_parent_sets(
            count(data, pair[1:]), score, complete_size=0, max_size=0, width=1
        )
        totals.append(sets.scores[0] + alone.scores[0])
    assert totals[0] == pytest.approx(totals[1], rel=1e-12)


def test_sets_are_grown_beyond_the_complete_size():
    rng = np.random.default_rng(0)
    codes = rng.integers(2, size=(3000, 6))
    noisy = (codes[:, :5].sum(axis=1) + (rng.random(3000) < 0.05)) % 6
    data = Table.from_data(np.column_stack([noisy, codes]))
    sets = score_parent_sets(
        count(data, range(7)), Score("bic"), complete_size=2, max_size=5, width=5
    )
    assert sets.members(0) == (1, 2, 3, 4, 5)


@pytest.mark.parametrize("seed", range(8))
def test_no_good_set_is_missed_by_leaving_out_what_only_cost_before(seed):
    rng = np.random.default_rng(seed)
    codes = rng.integers(3, size=(9, 2000))
    effect = rng.uniform(0.4, 1.2, size=5) @ (codes[:5] - 1)
    target = rng.random(2000) < 1 / (1 + np.exp(-2 * effect))
    table = count(Table.from_data(np.array([target, *codes]).T), range(10))
    score = Score(parent_cost=2.0)
    grown = score_parent_sets(table, score, complete_size=2, max_size=6, width=20)
    complete = score_parent_sets(table, score, complete_size=6, max_size=6, width=1)
    assert grown.members(0) == complete.members(0)
    assert len(grown.members(0)) >= 3
    assert as_dict(grown).items() <= as_dict(complete).items()


def test_beside_the_chosen_set_everything_is_tried_again():
    """A fourth parent that tells nothing beside two of three others is not tried as they grow."""
    rng = np.random.default_rng(3)
    codes = rng.integers(2, size=(7, 20_000))
    main, parity = codes[:3].sum(axis=0) >= 2, codes[:4].sum(axis=0) % 2
    target = np.where(rng.random(20_000) < 0.5, main, parity)
    table = count(Table.from_data(np.array([target, *codes]).T), range(8))
    sizes = {"complete_size": 3, "max_size": 4, "width": 20}
    score = Score(parent_cost=2.0)
    assert score_parent_sets(table, score, **sizes).members(0) == (1, 2, 3)
    assert score_parent_sets(table, score, **sizes, centre=(1, 2, 3)).members(0) == (1, 2, 3, 4)


@pytest.mark.parametrize("required", [(), (2,)])
def test_sets_around_a_given_one_are_scored(required):
    table = count(random_table(2000, [3, 2, 4, 5, 2, 3]), range(6))
    # No cost, no penalty: every member raises the score, so that nothing is pruned.
    score = Score("bic", penalty=0.0)
    centre = (1, 2, 4)
    found = as_dict(
        score_parent_sets(
            table, score, complete_size=0, max_size=0, width=1, required=required, centre=centre
        )
    )
    expected = reference.parent_sets(
        table.configurations, table.counts, table.n_categories, score.rule, max_size=5
    )
    for members, value in found.items():
        assert value == pytest.approx(expected[members], rel=1e-12)
    kept = [frozenset(centre) - {v} for v in centre if v not in required] + [frozenset(centre)]
    near = {smaller | {v} for smaller in kept for v in range(1, 6)} | {*kept, frozenset(required)}
    assert {frozenset(k + 1 for k in members) for members in found} == near


def test_all_triples_of_the_foremost_are_scored():
    """A parity of three tells nothing in pairs, so that no triple would be grown from one."""
    rng = np.random.default_rng(2)
    noise, *codes = rng.integers(2, size=(8, 4000))
    target = np.where(rng.random(4000) < 0.9, sum(codes[:3]) % 2, noise)
    table = count(Table.from_data(np.array([target, *codes]).T), range(8))
    score = Score(parent_cost=2.0)
    sizes = {"complete_size": 2, "max_size": 3, "width": 20}
    assert score_parent_sets(table, score, **sizes).members(0) == ()
    found = score_parent_sets(table, score, **sizes, foremost=(1, 2, 3, 5))
    assert found.members(0) == (1, 2, 3)
    complete = score_parent_sets(table, score, complete_size=3, max_size=3, width=1)
    assert as_dict(found).items() <= as_dict(complete).items()


def test_known_sets_are_kept_beside_the_new():
    table = count(random_table(1000, [3, 2, 4, 5, 2, 3]), range(6))
    score = Score("bic", penalty=0.0)  # every member raises the score: nothing is pruned
    small = score_parent_sets(table, score, complete_size=1, max_size=1, width=1)
    both = score_parent_sets(
        table, score, complete_size=0, max_size=0, width=1, centre=(2, 3), known=small
    )
    new = score_parent_sets(table, score, complete_size=0, max_size=0, width=1, centre=(2, 3))
    assert as_dict(both) == pytest.approx(as_dict(small) | as_dict(new), rel=1e-12)


@pytest.mark.parametrize("score", SCORES)
@pytest.mark.parametrize("before", [(1, 2, 3), (6, 4, 2), (5, 4, 3, 2, 1, 6), (7, 6, 5), ()])
@pytest.mark.parametrize("gaps", [False, True])
def test_what_was_scored_before_other_candidates_came_is_not_scored_again(score, before, gaps):
    """As long as no set is left out for want of width, all is as if scored at once."""
    table = random_table(300, [2, 2, 3, 2, 2, 3, 2, 2], seed=3)
    if gaps:
        hidden = np.random.default_rng(0).random(table.codes.shape) < 0.05
        hidden[0] = False
        table = Table.from_data(np.where(hidden, None, table.codes).T)
    sizes = {"complete_size": 2, "max_size": 4, "width": 1_000}
    known = score_parent_sets(count(table, (0, *before)), score, **sizes)
    joint = count(table, (0, 3, 1, 2, 6, 4, 5))
    both = score_parent_sets(joint, score, **sizes, known=known, foremost=(3, 1, 2))
    assert as_dict(both) == as_dict(score_parent_sets(joint, score, **sizes, foremost=(3, 1, 2)))


@pytest.mark.parametrize("n", [1, 7, 100, 2000])
@pytest.mark.parametrize("k", [2, 3, 10, 150])
def test_the_regret_of_quotient_nml_is_the_sum_over_all_data(n, k):
    """C(k + 2, n) = C(k + 1, n) + n / k C(k, n), from C(1) and C(2): Kontkanen, Myllymaki (2007).

    The kernel has an approximation, which is off by most where categories and rows are few.
    """
    j = np.arange(n + 1)
    terms = gammaln(n + 1) - gammaln(j + 1) - gammaln(n - j + 1)
    terms += xlogy(j, j / n) + xlogy(n - j, (n - j) / n)
    regrets = [1.0, float(np.exp(terms).sum())]
    while len(regrets) < k:
        m = len(regrets) - 1
        regrets.append(regrets[-1] + n / m * regrets[-2])
    # One column of k categories, all rows alike: its likelihood is one, its score minus the regret.
    table = JointCounts((0,), (k,), (False,), np.zeros((1, 1), dtype=np.uint8), np.array([n]))
    sets = score_parent_sets(table, Score("qnml"), complete_size=0, max_size=0, width=1)
    assert -sets.scores[0] == pytest.approx(np.log(regrets[k - 1]), abs=0.06)


@pytest.mark.parametrize("score", [Score("qnml"), Score("bdeu", (10.0,), observed=False)])
def test_equivalent_families_score_alike(score):
    """a -> b -> c, all turned, and a <- b -> c, with categories that never meet."""
    data = random_table(60, [5, 4, 6], seed=3)
    chains = [((0,), (0, 1), (1, 2)), ((2,), (2, 1), (1, 0)), ((1,), (1, 0), (1, 2))]
    totals = [
        sum(score_family(count(data, family[::-1]), family[:-1], score) for family in chain)
        for chain in chains
    ]
    assert totals == pytest.approx([totals[0]] * 3, abs=1e-9)


def test_a_crowd_of_parents_is_no_better_than_an_even_margin():
    """Each row its own configuration: parents predict every level alike, and must gain nothing."""
    rng = np.random.default_rng(0)
    table = count(Table.from_data(rng.integers(50, size=(1000, 4))), range(4))
    # What is left of it is the choice between sample sizes, which any prior of parents outweighs.
    cost = math.log(4)
    score = Score(parent_cost=cost)
    sets = score_parent_sets(table, score, complete_size=3, max_size=3, width=1)
    assert sets.members(0) == ()
    without = Score(equivalent_sample_sizes=(1.0, 5.0, 25.0, 125.0), parent_cost=cost)
    crowd = score_parent_sets(table, without, complete_size=3, max_size=3, width=1)
    assert crowd.members(0) == (1, 2, 3)
    assert crowd.scores[0] - crowd.scores[-1] > 10


def test_a_needless_member_takes_no_place_among_the_sets_to_grow():
    """Ten copies of noise around one strong candidate would fill a narrow beam with that one."""
    rng = np.random.default_rng(1)
    first, *others = rng.integers(2, size=(4, 4000))
    target = np.where(rng.random(4000) < 0.9, first, sum(others) % 2)
    noise = rng.integers(2, size=(10, 4000))
    data = Table.from_data(np.column_stack([target, first, *others, *noise]))
    sets = score_parent_sets(
        count(data, range(15)), Score("bic"), complete_size=3, max_size=4, width=3
    )
    assert sets.members(0) == (1, 2, 3, 4)


@pytest.mark.parametrize("required", [(2,), (1, 4), (1, 2, 3, 4)])
def test_required_parents_are_in_every_set(required):
    table = count(random_table(400, [3, 2, 4, 5, 2]), range(5))
    rule = Score("bic").rule
    smallest = tuple(v - 1 for v in required)
    found = as_dict(
        score_parent_sets(
            table, Score("bic"), complete_size=4, max_size=4, width=1, required=required
        )
    )
    expected = reference.parent_sets(
        table.configurations, table.counts, table.n_categories, rule, max_size=4
    )
    assert smallest in found
    assert all(set(smallest) <= set(members) for members in found)
    for members in found.keys() & expected.keys():
        assert found[members] == pytest.approx(expected[members], rel=1e-12)
    alone = score_parent_sets(
        table, Score("bic"), complete_size=0, max_size=0, width=1, required=required
    )
    assert list(as_dict(alone)) == [smallest]
    radices = np.array(table.n_categories)
    with pytest.raises(ValueError, match="a given parent is not a candidate"):
        _native.score_parent_sets(
            table.configurations, table.counts, radices, *rule, 1, 1, 1, 1 << 4
        )


def test_additions_are_what_the_larger_sets_gain():
    data = random_table(300, [3, 2, 4, 2])
    score = Score(parent_cost=1.0)
    gains = score_additions(data.codes, data.n_categories, 0, [2], score)

    def of(parents):
        joint = count(data, (0, *parents))
        return reference.family_score(
            joint.configurations, joint.counts, joint.n_categories, score.rule
        )

    expected = [0.0, of([2, 1]) - of([2]), 0.0, of([2, 3]) - of([2])]
    np.testing.assert_allclose(gains, expected, rtol=1e-9)


def gappy_table(n_rows, n_categories, complete, seed=0):
    rng = np.random.default_rng(seed)
    frame = random_table(n_rows, n_categories, seed).to_frame().astype(object)
    gaps = rng.random(frame.shape) < 0.3
    gaps[:, complete] = False
    return Table.from_data(frame.mask(gaps))


@pytest.mark.parametrize("score", SCORES)
@pytest.mark.parametrize("complete", [[], [2], [0, 3]])
def test_with_missing_cells_kernel_agrees_with_its_twin(score, complete):
    table = count(gappy_table(300, [3, 2, 4, 2, 2], complete), range(5))
    found = as_dict(score_parent_sets(table, score, complete_size=3, max_size=3, width=1))
    known = table.configurations[0] < table.n_categories[0]
    missing = [False, *table.has_missing[1:]]
    expected = reference.parent_sets_with_gaps(
        table.configurations[:, known],
        table.counts[known],
        np.array(table.n_categories) + missing,
        missing,
        score.rule,
        3,
    )
    assert found == pytest.approx({members: expected[members] for members in found}, rel=1e-10)
    assert max(found.values()) == pytest.approx(max(expected.values()), rel=1e-10)


def test_with_missing_cells_sets_grow_by_what_a_member_adds():
    """Grown sets, and additions to a set, are those of the complete enumeration."""
    data = gappy_table(400, [3, 2, 2, 2, 3], [])
    table = count(data, range(5))
    score = Score("bic", penalty=0.1)
    every = as_dict(score_parent_sets(table, score, complete_size=4, max_size=4, width=1))
    grown = as_dict(score_parent_sets(table, score, complete_size=1, max_size=4, width=9))
    assert every[()] == grown[()]
    alone = {m: grown[m] for m in grown if len(m) == 1}
    assert {m: every[m] for m in every if len(m) == 1} == pytest.approx(alone, rel=1e-12)
    codes, radices = data.missing_as_category()
    rows = ~data.missing[0]
    radices[0] -= 1
    missing = np.ones(5, dtype=bool)
    gains = score_additions(codes[:, rows].copy(), radices, 0, [], score, missing)
    for members, value in every.items():
        if len(members) == 1:
            assert gains[1 + members[0]] == pytest.approx(value - every[()])


def test_a_missing_parent_makes_no_parent_of_its_relatives():
    """Where b is missing, a tells of it; as a level, that would make a parent of a."""
    rng = np.random.default_rng(0)
    a = rng.integers(2, size=4000)
    b = np.where(rng.random(4000) < 0.1, 1 - a, a)
    c = np.where(rng.random(4000) < 0.1, 1 - b, b)
    labels = np.array([c, a, b], dtype=object).T
    labels[rng.random(4000) < 0.3, 2] = None
    table = count(Table.from_data(labels), (0, 1, 2))
    sets = score_parent_sets(table, Score("bic"), complete_size=2, max_size=2, width=1)
    assert sets.members(0) == (2,)


def test_rows_without_the_target_are_left_out_and_none_in_common_say_nothing():
    labels = np.array([["a", "x"], ["b", None], ["a", "y"], [None, "x"], ["b", None]], dtype=object)
    score = Score("bic", penalty=0.0)
    sets = score_parent_sets(
        count(Table.from_data(labels), (0, 1)), score, complete_size=1, max_size=1, width=1
    )
    # Four rows, two of each target level; where the parent is known there is only one level.
    assert as_dict(sets) == pytest.approx({(): 4 * np.log(0.5)})
    apart = np.array(
        [["a", "x", None], ["b", "y", None], ["a", None, "u"], ["b", None, "v"]], object
    )
    sets = score_parent_sets(
        count(Table.from_data(apart), (0, 1, 2)), score, complete_size=2, max_size=2, width=1
    )
    assert set(as_dict(sets)) == {(), (0,), (1,)}


def test_refuses_what_kernels_cannot_index():
    codes, counts = np.zeros((2, 3), np.uint8), np.ones(3, np.int64)
    rule = (*Score().rule, 1, 1, 1)
    with pytest.raises(ValueError, match="radix"):
        _native.score_parent_sets(codes, counts, np.array([1, 0]), *rule)
    with pytest.raises(ValueError, match="one flag of missing cells per variable"):
        _native.score_parent_sets(codes, counts, np.array([1, 1]), *rule, 0, 0, np.array([True]))
    with pytest.raises(ValueError, match="unknown score"):
        _native.score_parent_sets(codes, counts, np.array([1, 1]), "aic", *rule[1:])
    with pytest.raises(ValueError, match="at least one row"):
        _native.score_parent_sets(codes[:, :0].copy(), counts[:0], np.array([1, 1]), *rule)


def test_sets_at_a_higher_cost_are_those_scored_at_that_cost():
    table = load_network("asia").sample(1_000, random_state=0)
    joint = count(Table.from_data(table), (7, 0, 1, 2, 3, 4))
    options = {"complete_size": 5, "max_size": 5, "width": 100}
    cheap = score_parent_sets(joint, Score(parent_cost=1.0), **options)
    dear = score_parent_sets(joint, Score(parent_cost=6.5), **options)
    found = cheap.at_cost(5.5)
    assert found.candidates == dear.candidates
    assert found.masks.tolist() == dear.masks.tolist()
    np.testing.assert_allclose(found.scores, dear.scores)
    assert len(found.masks) < len(cheap.masks)
