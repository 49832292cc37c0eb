"""The tests' statistics, against enumeration, SciPy and what theory says must not matter."""

import math
from itertools import permutations, product

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.stats import chi2_contingency, gamma, hypergeom, norm

from bnsieve import _native
from bnsieve.counts import JointCounts, count
from bnsieve.decide import ci_tests
from coded_tables import coded, random_table

pytestmark = pytest.mark.kernel


def joint(*strata: NDArray[np.integer] | list[list[int]]) -> JointCounts:
    """A joint table from one contingency table per stratum."""
    tables = [np.asarray(table) for table in strata]
    entries = [
        (s, i, j, table[i, j])
        for s, table in enumerate(tables)
        for i, j in np.ndindex(*table.shape)
        if table[i, j] > 0
    ]
    columns = np.ascontiguousarray(np.array(entries).T)
    n_categories = tuple(int(top) + 1 for top in columns[:3].max(axis=1))
    return JointCounts(
        (0, 1, 2), n_categories, (False,) * 3, columns[:3].astype(np.uint8), columns[3]
    )


def statistics(table: JointCounts) -> _native.StrataStatistics:
    return _native.strata_statistics(table.configurations, table.counts)


def pearson(table: NDArray[np.integer]) -> float:
    return float(chi2_contingency(table, correction=False).statistic)


def damped(table: NDArray[np.integer]) -> float:
    """Pearson's statistic with two more rows in every level's total."""
    n, x, y = table.sum(), table.sum(axis=1, keepdims=True), table.sum(axis=0, keepdims=True)
    return float((n * (table - x * y / n) ** 2 / ((x + 2) * (y + 2))).sum())


def every_statistic(table: NDArray[np.integer]) -> list[float]:
    """The damped statistic of every distinguishable permutation of y; all are equally likely."""
    x, y = (np.repeat(index, table.ravel()) for index in np.indices(table.shape).reshape(2, -1))
    values = []
    for order in sorted(set(permutations(y))):
        permuted = np.zeros_like(table)
        np.add.at(permuted, (x, list(order)), 1)
        values.append(damped(permuted))
    return values


SMALL = [
    np.array([[1, 0], [0, 1]]),
    np.array([[1, 0], [0, 2]]),
    np.array([[1, 1], [0, 2]]),
    np.array([[2, 1, 0], [0, 1, 1]]),
    np.array([[1, 0, 0], [0, 1, 0], [0, 0, 1]]),
    np.array([[3, 0, 1], [1, 1, 0], [0, 0, 1]]),
]


@pytest.mark.parametrize("table", SMALL, ids=str)
def test_moments_are_those_of_all_permutations(table: NDArray[np.int64]) -> None:
    values = np.array(every_statistic(table))
    varies = values.var() > 1e-9
    s = statistics(joint(table))
    assert s.chi_square == pytest.approx(pearson(table))
    assert s.damped == pytest.approx(varies * damped(table))
    assert s.mean == pytest.approx(varies * values.mean())
    assert s.variance == pytest.approx(values.var(), abs=1e-9)


def test_moments_and_arrangements_of_strata_add_up() -> None:
    one, other = statistics(joint(SMALL[1])), statistics(joint(SMALL[3]))
    both = statistics(joint(SMALL[1], SMALL[3]))
    for name in ("chi_square", "g_square", "df", "n_rows", "n_strata"):
        assert getattr(both, name) == pytest.approx(getattr(one, name) + getattr(other, name))
    for name in ("damped", "mean", "variance", "log_arrangements"):
        assert getattr(both, name) == pytest.approx(getattr(one, name) + getattr(other, name))
    # Both variables have totals 1 and 2 in the first table: three ways to place the one.
    assert one.log_arrangements == pytest.approx(np.log(3))


def test_strata_whose_statistic_cannot_vary_are_left_out() -> None:
    with_pairs, without = (
        statistics(joint(SMALL[0], SMALL[0], SMALL[3])),
        statistics(joint(SMALL[3])),
    )
    assert with_pairs.chi_square == pytest.approx(4 + without.chi_square)
    assert with_pairs.damped == pytest.approx(without.damped)
    assert with_pairs.mean == pytest.approx(without.mean)
    assert with_pairs.variance == pytest.approx(without.variance)


def test_one_rare_coincidence_does_not_rule() -> None:
    # A level seen once in each variable, in the same row of 500: Pearson's statistic is 500.
    s = statistics(joint([[1, 0], [0, 499]]))
    assert s.chi_square == pytest.approx(500)
    assert s.damped < 60


@pytest.mark.parametrize(
    ("n", "a", "b", "k"),
    [(200, 10, 8, 2), (100, 50, 50, 31), (5000, 400, 300, 35), (3_000_000, 30, 50_000, 2)],
)
def test_permutation_of_two_by_two_is_hypergeometric(n: int, a: int, b: int, k: int) -> None:
    overlaps = np.arange(max(0, a + b - n), min(a, b) + 1)
    deviation = abs(overlaps - a * b / n)
    observed = abs(k - a * b / n)
    shares = hypergeom(n, a, b).pmf(overlaps)
    exact = shares[deviation > observed + 1e-9].sum()
    exact += shares[abs(deviation - observed) <= 1e-9].sum() / 2
    table = joint([[k, a - k], [b - k, n - a - b + k]])
    drawn = _native.permutation_p_value(
        table.configurations, table.counts, statistics(table).damped, 20_000, np.inf
    )
    assert drawn == pytest.approx(exact, abs=4 * np.sqrt(exact / 20_000))


@pytest.mark.parametrize("strata", [[3], [4], [5], [1, 2, 3], [2, 2, 2, 2, 2]])
def test_permutation_agrees_with_enumeration(strata: list[int]) -> None:
    values = []
    for s in strata:
        v, shares = np.unique(np.round(every_statistic(SMALL[s]), 9), return_counts=True)
        values.append((v if len(v) > 1 else 0 * v, shares))  # what cannot vary is left out
    totals, weights = [], []
    for combination in product(*[range(len(v)) for v, _ in values]):
        totals.append(sum(v[i] for (v, _), i in zip(values, combination, strict=True)))
        weights.append(
            np.prod([w[i] / w.sum() for (_, w), i in zip(values, combination, strict=True)])
        )
    totals, weights = np.array(totals), np.array(weights)
    table = joint(*[SMALL[s] for s in strata])
    observed = statistics(table).damped
    exact = weights[totals > observed + 1e-7].sum()
    exact += weights[abs(totals - observed) <= 1e-7].sum() / 2
    drawn = _native.permutation_p_value(
        table.configurations, table.counts, observed, 20_000, np.inf
    )
    assert drawn == pytest.approx(exact, abs=4 * np.sqrt(exact / 20_000))


@pytest.mark.parametrize(("shape", "n_rows"), [((3, 3), 30_000), ((12, 9), 300)])
def test_permutation_deals_cells_and_rows_alike(shape: tuple[int, int], n_rows: int) -> None:
    # Many rows in few cells are dealt by cell, few rows among many categories one by one. In both,
    # the draws must follow the curve that has the exact moments.
    cells = np.random.default_rng(0).integers(0, np.prod(shape), n_rows)
    table = joint(np.bincount(cells, minlength=np.prod(shape)).reshape(shape))
    s = statistics(table)
    for threshold in (0.7 * s.mean, s.mean, 1.3 * s.mean):
        drawn = _native.permutation_p_value(
            table.configurations, table.counts, threshold, 10_000, np.inf
        )
        curve = gamma(s.mean**2 / s.variance, scale=s.variance / s.mean).sf(threshold)
        assert drawn == pytest.approx(curve, abs=0.03)


def test_permutation_of_very_many_rows_follows_the_normal_distribution() -> None:
    # Counting up to one of some ten thousand likely numbers would take long, or for ever.
    cell = 2**30
    for z in (0.3, 1, 2):
        off = round(z * math.sqrt(4 * cell / 16))  # standard deviations of a cell
        table = joint([[cell + off, cell - off], [cell - off, cell + off]])
        drawn = _native.permutation_p_value(
            table.configurations, table.counts, statistics(table).damped, 20_000, np.inf
        )
        exact = 2 * norm.sf(z)
        assert drawn == pytest.approx(exact, abs=4 * np.sqrt(exact / 20_000))


@pytest.mark.parametrize("counts", [[2**62, 29, 2**40], [2**62, 2**61, 2**60], [2**40] * 3])
def test_permutation_ends_however_many_rows_there_are(counts: list[int]) -> None:
    codes = np.array([[0, 1, 1], [0, 0, 1]], dtype=np.uint8)
    found = _native.permutation_p_value(codes, np.array(counts), 1.0, 2_500, 25)
    assert 0 < found <= 1


@pytest.mark.parametrize("method", ci_tests.METHODS)
def test_labels_order_and_direction_do_not_matter(method: ci_tests.TestName) -> None:
    table = random_table([3, 4, 2, 5], 300, seed=3)
    expected = ci_tests.METHODS[method](count(table, [0, 2, 1, 3]), 0.05)
    relabelled = coded(
        np.array([table.n_categories[v] - 1 - table.codes[v] for v in range(4)], dtype=np.uint8),
        list(table.n_categories),
    )
    for source, variables in [
        (table, [2, 0, 1, 3]),
        (table, [0, 2, 3, 1]),
        (relabelled, [0, 2, 1, 3]),
    ]:
        outcome = ci_tests.METHODS[method](count(source, variables), 0.05)
        assert outcome.p_value == pytest.approx(expected.p_value, rel=1e-9)
        assert outcome.df == expected.df


def test_a_full_table_is_tested_as_textbooks_do() -> None:
    table = random_table([3, 4, 2], 50_000, seed=1)
    counted = count(table, [2, 0, 1])
    textbook, default = ci_tests.chi2(counted, 0.05), ci_tests.auto(counted, 0.05)
    assert default.method == "moments"
    assert default.p_value == pytest.approx(textbook.p_value, rel=0.01)


def test_a_coarse_table_is_tested_by_permutation() -> None:
    # 10 and 8 of 200 rows have the rare categories, two of them both.
    counted = joint([[2, 8], [6, 184]])
    outcome = ci_tests.auto(counted, 0.05)
    assert outcome.method == "permutation"
    assert outcome == ci_tests.permutation(counted, 0.05)


@pytest.mark.parametrize(
    ("table", "alpha", "method"),
    [
        # 10 and 8 of 200 rows have the rare categories: the two cells that share them carry two
        # thirds of the variance. By the gamma curve p is .40, .27, .021, .00046 for 0, 1, 2, 3 in
        # both.
        ([[0, 10], [8, 182]], 0.05, "moments"),  # large: p above .3
        ([[1, 9], [7, 183]], 0.05, "permutation"),
        ([[2, 8], [6, 184]], 0.05, "permutation"),
        ([[3, 7], [5, 185]], 0.05, "moments"),  # tiny: p below a hundredth of alpha
        ([[0, 10], [8, 182]], 0.2, "permutation"),  # .3 is below three times alpha
        ([[3, 7], [5, 185]], 0.01, "permutation"),
        # 20 instead of 8: no few cells carry half of it, whatever p is (.27, .037).
        ([[2, 8], [18, 172]], 0.05, "moments"),
        ([[3, 7], [17, 173]], 0.05, "moments"),
    ],
)
def test_tables_are_drawn_only_where_the_curve_is_too_coarse_to_decide(
    table: list[list[int]], alpha: float, method: str
) -> None:
    outcome = ci_tests.auto(joint(table), alpha)
    assert outcome.method == method
    drawn = ci_tests.permutation(joint(table), alpha)
    assert (outcome == drawn) == (method == "permutation")
    assert outcome.n == drawn.n == 200
    assert outcome.df == drawn.df == 1


@pytest.mark.parametrize(
    ("alpha", "draws"), [(0.05, 1_000), (0.01, 2_500), (0.001, 25_000), (1e-6, 100_000)]
)
def test_the_smaller_alpha_the_more_tables_are_drawn(
    monkeypatch: pytest.MonkeyPatch, alpha: float, draws: int
) -> None:
    # 25 draws as large as the table's tell p to a fifth of itself, and of 25 / alpha so many are.
    asked = []

    def drawn(*arguments: object) -> float:
        asked.append(arguments[-2:])
        return 0.5

    monkeypatch.setattr(_native, "permutation_p_value", drawn)
    table = joint([[20, 80], [60, 1840]])
    assert ci_tests.permutation(table, alpha).p_value == 0.5
    assert asked == [(draws, 25)]


@pytest.mark.parametrize("method", ["chi2", "g2", "mi"])
def test_without_degrees_of_freedom_textbooks_cannot_tell_either(
    method: ci_tests.TestName,
) -> None:
    outcome = ci_tests.METHODS[method](joint([[5, 7]]), 0.05)
    assert np.isnan(outcome.p_value)
    assert (outcome.statistic, outcome.df, outcome.n, outcome.method) == (0, 0, 12, method)


def test_mutual_information_of_two_copies_is_their_entropy() -> None:
    assert ci_tests.mi(joint([[50, 0], [0, 50]]), 0.05).statistic == pytest.approx(np.log(2))


@pytest.mark.parametrize(
    "table",
    [
        joint([[5, 7]]),  # x does not vary
        joint([[5, 0], [0, 0]], [[0, 0], [0, 6]]),  # x and y are functions of the stratum
        joint(*[[[1, 0], [0, 1]]] * 50),  # two rows per stratum: the statistic is always 100
        joint([[1, 99], [0, 100]]),  # one rare row, and y half and half: always the same
        joint([[2, 0], [0, 3]]),  # ten ways at most: p cannot be below 0.05
    ],
    ids=["constant", "determined", "pairs", "one against half", "few ways"],
)
def test_cannot_tell(table: JointCounts) -> None:
    assert np.isnan(ci_tests.auto(table, 0.05).p_value)
    assert np.isnan(ci_tests.permutation(table, 0.05).p_value)


def test_what_cannot_be_told_depends_on_alpha() -> None:
    assert ci_tests.auto(joint([[2, 0], [0, 3]]), 0.2).p_value < 0.2
