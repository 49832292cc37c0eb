"""The face of the tests: three answers, symmetry, counting, the oracle."""

import numpy as np
import pytest
from scipy.stats import chi2_contingency

import reference
from bnsieve import Graph
from bnsieve.counts import ScannedCounts, count
from bnsieve.counts.joint_counts import NeighbourhoodCounts
from bnsieve.decide import Answer, CountsTest, DSeparationOracle
from bnsieve.table import Table
from coded_tables import coded, random_table


@pytest.fixture
def table() -> Table:
    return random_table([3, 4, 2, 3], 600, seed=5, missing=(1, 2))


@pytest.mark.parametrize(("method", "lambda_"), [("chi2", "pearson"), ("g2", "log-likelihood")])
@pytest.mark.parametrize("given", [(), (2,), (2, 3)])
def test_statistics_are_scipys_summed_over_strata(
    table: Table, method: str, lambda_: str, given: tuple[int, ...]
) -> None:
    result = CountsTest(ScannedCounts(table), method=method).test(0, 1, given)
    complete = count(table, [*given, 0, 1]).complete()
    parts = [
        chi2_contingency(stratum, correction=False, lambda_=lambda_)
        for stratum in reference.strata_tables(complete.configurations, complete.counts)
    ]
    assert result.statistic == pytest.approx(sum(part.statistic for part in parts))
    assert result.df == sum(part.dof for part in parts)
    assert result.n == complete.total < 600
    if len(parts) == 1:
        assert result.p_value == pytest.approx(parts[0].pvalue)


def test_mutual_information_is_the_likelihood_ratio_rescaled(table: Table) -> None:
    source = ScannedCounts(table)
    g2 = CountsTest(source, method="g2").test(0, 3, [2])
    mi = CountsTest(source, method="mi").test(0, 3, [2])
    assert mi.statistic == pytest.approx(g2.statistic / (2 * g2.n))
    assert mi.p_value == g2.p_value


def test_answers(table: Table) -> None:
    x = np.random.default_rng(0).integers(0, 2, 400, dtype=np.uint8)
    noise = np.random.default_rng(1).integers(0, 2, 400, dtype=np.uint8)
    tests = CountsTest(ScannedCounts(coded(np.array([x, x, noise]), [2, 2, 2])))
    assert tests.test(0, 1).answer is Answer.DEPENDENT
    assert tests.test(0, 2).answer is Answer.INDEPENDENT
    # x is a function of its copy: given the copy there is nothing left to test.
    unknown = tests.test(0, 2, [1])
    assert unknown.answer is Answer.CANNOT_TELL
    assert np.isnan(unknown.p_value)
    assert unknown.df == 0
    assert not unknown.dependent and not unknown.independent


def test_each_distinct_question_is_performed_and_counted_once(table: Table) -> None:
    tests = CountsTest(ScannedCounts(table))
    first = tests.test(3, 0, [2, 1])
    assert tests.test(0, 3, (1, 2)) is first
    assert (first.x, first.y, first.given) == (0, 3, (1, 2))
    assert tests.n_tests == 1
    tests.test(0, 3, [1])
    assert tests.n_tests == 2


def test_neighbourhoods_give_the_same_result_as_the_data(table: Table) -> None:
    counted = NeighbourhoodCounts({0: count(table, [0, 3, 2, 1])})
    from_data, from_counts = CountsTest(ScannedCounts(table)), CountsTest(counted)
    for question in [(0, 1, ()), (0, 3, (1,)), (1, 2, (0, 3))]:
        assert from_data.test(*question) == from_counts.test(*question)


def test_oracle_answers_by_d_separation() -> None:
    oracle = DSeparationOracle(Graph(["a", "b", "c"], directed=[("a", "c"), ("b", "c")]))
    assert oracle.test(0, 1).answer is Answer.INDEPENDENT
    assert oracle.test(0, 1, [2]).answer is Answer.DEPENDENT
    assert oracle.test(2, 0).answer is Answer.DEPENDENT
    assert oracle.n_tests == 3
    assert list(oracle.results) == [(0, 1, ()), (0, 1, (2,)), (0, 2, ())]
    # Of infinitely many rows a statistic is infinite, and p zero, where there is dependence.
    for key, result in oracle.results.items():
        assert result.key == key
        assert result.dependent != result.independent
        assert (result.p_value, result.statistic) == ((0, np.inf) if result.dependent else (1, 0))
        assert (result.df, result.n, result.method) == (1, 0, "d-separation")


def test_errors_say_what_is_wrong(table: Table) -> None:
    tests = CountsTest(ScannedCounts(table))
    with pytest.raises(ValueError, match="distinct variables"):
        tests.test(0, 1, [1])
    with pytest.raises(ValueError, match="distinct variables"):
        tests.test(2, 2)
    with pytest.raises(ValueError, match="choose one of auto"):
        CountsTest(ScannedCounts(table), method="t")  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="distinct variables"):
        tests.test(0, 1, [0])


@pytest.mark.parametrize("alpha", [-0.5, 0, 1, 1.5, 5, np.nan])
def test_alpha_is_a_share(table: Table, alpha: float) -> None:
    with pytest.raises(ValueError, match=f"alpha must lie between 0 and 1, got {alpha}"):
        CountsTest(ScannedCounts(table), alpha=alpha)


def test_results_are_read_not_written(table: Table) -> None:
    tests = CountsTest(ScannedCounts(table))
    result = tests.test(0, 1)
    assert dict(tests.results) == {(0, 1, ()): result}
    with pytest.raises(AttributeError):
        result.p_value = 0.0  # type: ignore[misc]
    with pytest.raises(TypeError):
        tests.results[(0, 1, ())] = result  # type: ignore[index]
