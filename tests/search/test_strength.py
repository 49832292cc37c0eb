"""The order in which candidates are taken."""

from scipy.stats import chi2

from bnsieve.decide import Answer, TestResult
from bnsieve.search.skeleton import by_strength, subsets


def association(statistic, df):
    p_value = float(chi2.sf(statistic, df))
    return TestResult(0, 1, (), Answer.DEPENDENT, p_value, statistic, df, 5000, "chi2")


def test_strongest_first_even_where_p_is_zero():
    cases = [(30.0, 2), (2000.0, 1), (3000.0, 2), (9000.0, 2), (40.0, 9)]
    associations = {i: association(*case) for i, case in enumerate(cases)}
    assert sum(result.p_value == 0 for result in associations.values()) == 3
    assert by_strength(associations) == [3, 2, 1, 0, 4]


def test_ties_keep_the_order_of_the_numbers():
    same = association(20.0, 2)
    assert by_strength({5: same, 2: same, 9: same}) == [2, 5, 9]


def test_subsets_smallest_first_in_the_order_given():
    assert list(subsets((3, 1, 2), 1, 2)) == [(3,), (1,), (2,), (3, 1), (3, 2), (1, 2)]
    assert list(subsets((3,), 1, 4)) == [(3,)]
