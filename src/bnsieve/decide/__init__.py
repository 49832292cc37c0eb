"""Independence tests and scores, which decide about variables.

In: counts or covariances. Out: CI tests (or the answers of an oracle), and scores of parent sets.
"""

from bnsieve.decide.additive import (
    FEWEST_MODELLED_ROWS,
    AdditiveModels,
    ChosenParents,
)
from bnsieve.decide.ci_tests import (
    METHODS,
    OWN_NEEDS_INDEPENDENT_ROWS,
    Answer,
    CIOutcome,
    CountsTest,
    DSeparationOracle,
    IndependenceTest,
    TestName,
    TestResult,
)
from bnsieve.decide.clustered import ClusteredScorer, EntityRows
from bnsieve.decide.curves import Knots
from bnsieve.decide.information import Information, counted_information, covariance_information
from bnsieve.decide.logits import AdditiveLogits, linear_log_likelihood
from bnsieve.decide.own_score import OwnScorer
from bnsieve.decide.protocols import (
    CandidateFinder,
    CITest,
    FamilyScore,
    is_ci_test,
    is_family_score,
)
from bnsieve.decide.residual_test import ResidualTest, residual_p_value
from bnsieve.decide.scorers import (
    MOST_NUMERIC_PARENTS,
    MOST_PARENTS,
    CountScorer,
    CovarianceScorer,
    DirectionScores,
    ParentSetScorer,
    joint_gain,
    ranked_additions,
    scorer_of,
)
from bnsieve.decide.scores import (
    MAX_CANDIDATES,
    Criterion,
    ParentSets,
    Score,
    pair_excess,
    score_additions,
    score_covariance_additions,
    score_covariance_family,
    score_family,
)

__all__ = [
    "FEWEST_MODELLED_ROWS",
    "MAX_CANDIDATES",
    "METHODS",
    "MOST_NUMERIC_PARENTS",
    "MOST_PARENTS",
    "OWN_NEEDS_INDEPENDENT_ROWS",
    "AdditiveLogits",
    "AdditiveModels",
    "Answer",
    "CIOutcome",
    "CITest",
    "CandidateFinder",
    "ChosenParents",
    "ClusteredScorer",
    "CountScorer",
    "CountsTest",
    "CovarianceScorer",
    "Criterion",
    "DSeparationOracle",
    "DirectionScores",
    "EntityRows",
    "FamilyScore",
    "IndependenceTest",
    "Information",
    "Knots",
    "OwnScorer",
    "ParentSetScorer",
    "ParentSets",
    "ResidualTest",
    "Score",
    "TestName",
    "TestResult",
    "counted_information",
    "covariance_information",
    "is_ci_test",
    "is_family_score",
    "joint_gain",
    "linear_log_likelihood",
    "pair_excess",
    "ranked_additions",
    "residual_p_value",
    "score_additions",
    "score_covariance_additions",
    "score_covariance_family",
    "score_family",
    "scorer_of",
]
