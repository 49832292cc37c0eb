"""How a question about columns is decided.

In: counts, or covariances. Out: independence tests (or an oracle's answers), scores of parent sets.
"""

from bnsieve.decide.ci_tests import METHODS, TestName
from bnsieve.decide.covariance_scores import (
    score_covariance_additions,
    score_covariance_family,
    score_covariance_sets,
)
from bnsieve.decide.independence import Answer, CountsTest, IndependenceTest, TestResult
from bnsieve.decide.residual_test import ResidualTest, residual_p_value
from bnsieve.decide.scores import (
    MAX_CANDIDATES,
    SAMPLE_SIZES,
    Criterion,
    ParentSets,
    Score,
    score_additions,
    score_family,
    score_parent_sets,
)

__all__ = [
    "MAX_CANDIDATES",
    "METHODS",
    "SAMPLE_SIZES",
    "Answer",
    "CountsTest",
    "Criterion",
    "IndependenceTest",
    "ParentSets",
    "ResidualTest",
    "Score",
    "TestName",
    "TestResult",
    "residual_p_value",
    "score_additions",
    "score_covariance_additions",
    "score_covariance_family",
    "score_covariance_sets",
    "score_family",
    "score_parent_sets",
]
