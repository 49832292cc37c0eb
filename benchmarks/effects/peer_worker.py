"""Estimates of DoWhy and EconML, for the study of effects; runs where they are installed.

    python peer_worker.py

Reads the paths of NPZ files, one a line, with treatment, outcome and features of the rows of a
contrast. Answers each with a line of JSON: estimate and standard error (null if there is none) of
each estimator.
"""

import json
import sys
import time
import warnings

import numpy as np
import pandas as pd
from sklearn.linear_model import LinearRegression, LogisticRegression

warnings.simplefilter("ignore")

from dowhy import EstimandType  # noqa: E402
from dowhy.causal_estimators.doubly_robust_estimator import DoublyRobustEstimator  # noqa: E402
from dowhy.causal_estimators.linear_regression_estimator import (  # noqa: E402
    LinearRegressionEstimator,
)
from dowhy.causal_estimators.propensity_score_weighting_estimator import (  # noqa: E402
    PropensityScoreWeightingEstimator,
)
from dowhy.causal_identifier import IdentifiedEstimand  # noqa: E402
from econml.dml import LinearDML  # noqa: E402
from econml.dr import LinearDRLearner  # noqa: E402


def inference_of(estimator, high, low):
    found = estimator.ate_inference(T0=low, T1=high)
    return float(np.ravel(found.mean_point)[0]), float(np.ravel(found.stderr_mean)[0])


def econml(treatment, outcome, features):
    is_risk = bool(np.isin(outcome, (0.0, 1.0)).all())
    estimator = LinearDRLearner(
        model_propensity=LogisticRegression(max_iter=1000),
        model_regression=LogisticRegression(max_iter=1000) if is_risk else LinearRegression(),
        discrete_outcome=is_risk,
        categories=[0.0, *sorted(set(np.unique(treatment)) - {0.0})],
        random_state=0,
    )
    estimator.fit(outcome, treatment, X=None, W=features)
    return inference_of(estimator, 1.0, 0.0)


def econml_slope(treatment, outcome, features):
    estimator = LinearDML(model_y=LinearRegression(), model_t=LinearRegression(), random_state=0)
    estimator.fit(outcome, treatment, X=None, W=features)
    return inference_of(estimator, 1.0, 0.0)


def dowhy(estimator, treatment, outcome, features, **settings):
    names = [f"w{i}" for i in range(features.shape[1])]
    data = pd.DataFrame(features, columns=names)
    data["t"] = treatment if estimator is LinearRegressionEstimator else treatment == 1.0
    data["y"] = outcome
    estimand = IdentifiedEstimand(
        identifier=None,
        treatment_variable=["t"],
        outcome_variable=["y"],
        estimand_type=EstimandType.NONPARAMETRIC_ATE,
        estimands={},
        backdoor_variables={"backdoor": names},
        default_backdoor_id="backdoor",
        identifier_method="backdoor",
    )
    fitted = estimator(estimand, **settings)
    fitted.fit(data)
    found = fitted.estimate_effect(data, control_value=0, treatment_value=1, target_units="ate")
    return float(found.value), None


def estimates(treatment, outcome, features):
    two = bool(np.isin(treatment, (0.0, 1.0)).all())
    if np.isin(treatment, (0.0, 1.0, 2.0)).all():
        yield "EconML LinearDRLearner", econml
        if two:
            yield "DoWhy doubly robust", lambda *rows: dowhy(DoublyRobustEstimator, *rows)
            yield (
                "DoWhy propensity weighting",
                lambda *rows: dowhy(PropensityScoreWeightingEstimator, *rows),
            )
    else:
        yield "EconML LinearDML", econml_slope
        yield "DoWhy linear regression", lambda *rows: dowhy(LinearRegressionEstimator, *rows)


def answer(path):
    with np.load(path) as file:
        treatment, outcome, features = (file[n] for n in ("treatment", "outcome", "features"))
    if features.shape[1] == 0:  # the programs ask for a column
        features = np.zeros((len(outcome), 1))
    found = {}
    for name, estimate in estimates(treatment, outcome, features):
        start = time.process_time()
        try:
            value, error = estimate(treatment, outcome, features)
            found[name] = [value, error, time.process_time() - start, ""]
        except Exception as failed:
            found[name] = [None, None, time.process_time() - start, repr(failed)[:200]]
    return found


def main():
    for line in sys.stdin:
        print(json.dumps(answer(line.strip())), flush=True)


if __name__ == "__main__":
    main()
