"""Parts that users can replace: the CI test, the score, the candidates.

In: nothing. Out: the protocols that learners check when such an object is passed, as ``ci_test=``,
``criterion=`` or ``candidates=``. Each has one method. Learners call it from several threads, and a
fit is repeatable only if the same input always gives the same answer.

Two more protocols are defined elsewhere: `bnsieve.counts.CountSource` and `bnsieve.engine.Engine`.
"""

from collections.abc import Mapping, Sequence
from typing import Any, Protocol, TypeGuard, runtime_checkable

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from bnsieve.counts import JointCounts


@runtime_checkable
class CITest(Protocol):
    """A conditional independence test: pass an object with this method as ``ci_test=``."""

    def p_value(self, joint: JointCounts, /) -> float:
        """Test two variables given others.

        Parameters
        ----------
        joint : JointCounts
            The last two variables are tested given all others. ``joint.configurations`` has a row
            for each variable and a column for each configuration that occurs, and ``joint.counts``
            has the number of rows of each. Rows with a missing value are left out.

        Returns
        -------
        float
            The p-value, or NaN if the counts cannot tell.
        """


@runtime_checkable
class FamilyScore(Protocol):
    """A decomposable score: pass an object with this method as ``criterion=``."""

    def score(self, counts: NDArray[np.int64], n_configurations: float, /) -> float:
        """Score a variable given a parent set; higher is better.

        Parameters
        ----------
        counts : ndarray of int64, shape (n_observed, n_states)
            The number of rows with each state of the variable, by configuration of the parents.
            Configurations that do not occur are left out. Without parents there is one
            configuration.
        n_configurations : float
            The number of possible configurations: the product of the parents' numbers of states.
        """


@runtime_checkable
class CandidateFinder(Protocol):
    """Finds the candidate parents of each variable: pass a function as ``candidates=``."""

    def __call__(self, sample: pd.DataFrame, /) -> Mapping[str, Sequence[str]]:
        """Return for each variable those that may be its parents; at most 32 for each.

        A variable that is not among the keys has no candidates.

        Parameters
        ----------
        sample : DataFrame
            The rows in which candidates are sought. Categorical variables are pandas categoricals,
            numeric ones floats.
        """


def is_ci_test(value: Any) -> TypeGuard[CITest]:
    """Tell whether a value is a CI test written by the user."""
    return not isinstance(value, type) and isinstance(value, CITest)


def is_family_score(value: Any) -> TypeGuard[FamilyScore]:
    """Tell whether a value is a score written by the user."""
    return not isinstance(value, type) and isinstance(value, FamilyScore)
