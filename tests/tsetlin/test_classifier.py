"""The classifier as scikit-learn and its users see it."""

from sklearn.utils.estimator_checks import parametrize_with_checks

from bnsieve.tsetlin import WeightedTsetlinClassifier

# Checks that cannot pass, each with its reason.
EXPECTED_FAILURES: dict[str, str] = {}


@parametrize_with_checks(
    [WeightedTsetlinClassifier(n_clauses=20, threshold=15, random_state=0)],
    expected_failed_checks=lambda _: EXPECTED_FAILURES,
)
def test_scikit_learn_accepts_the_estimator(estimator, check):
    check(estimator)
