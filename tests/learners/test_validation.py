"""Every parameter is checked by name, value and range; what is not fitted says so."""

import math

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.model_selection import KFold, cross_val_score

import bnsieve as bn
from bnsieve.decide import Score
from bnsieve.learners.validation import RULES

DATA = bn.load_network("asia").sample(400, random_state=0)
LEARNERS = [bn.TsetlinSieve(), bn.TsetlinPC(), bn.PC(), bn.HitonPC(), bn.FSMBPC()]


@pytest.mark.parametrize(
    ("learner", "name", "value"),
    [
        (bn.TsetlinSieve(), "n_candidates", 0),
        (bn.TsetlinSieve(), "n_candidates", 100),
        (bn.TsetlinSieve(), "max_parents", -1),
        (bn.TsetlinSieve(), "max_parents", 2.5),
        (bn.TsetlinSieve(), "alpha", 7),
        (bn.TsetlinSieve(), "alpha", math.nan),
        (bn.TsetlinSieve(), "method", "best"),
        (bn.TsetlinSieve(), "criterion", "aic"),
        (bn.TsetlinSieve(), "criterion", Score("bdeu", ())),
        (bn.TsetlinSieve(), "criterion", Score("bd", (1.0, -2.0))),
        (bn.TsetlinSieve(), "criterion", Score("bd", parent_cost=-1.0)),
        (bn.TsetlinSieve(), "sample_rows", 0),
        (bn.TsetlinSieve(), "sample_rows", True),
        (bn.TsetlinSieve(), "n_jobs", 0),
        (bn.TsetlinSieve(), "engine", 3),
        (bn.TsetlinSieve(), "missing", "drop"),
        (bn.TsetlinSieve(), "prepare", "always"),
        (bn.TsetlinPC(), "n_neighbors", 0),
        (bn.TsetlinPC(), "epochs", 0),
        (bn.TsetlinPC(), "specificity", 0.5),
        (bn.TsetlinPC(), "threshold", 0),
        (bn.TsetlinPC(), "n_clauses", "many"),
        (bn.PC(), "variant", "new"),
        (bn.PC(), "ci_test", "t"),
        (bn.HitonPC(), "max_conditioning", -1),
        (bn.FSMBPC(), "join", "neither"),
    ],
)
def test_bad_parameters_are_named(learner, name, value):
    with pytest.raises(ValueError, match=f"^{name} must be ") as caught:
        clone(learner).set_params(**{name: value}).fit(DATA)
    assert repr(value) in str(caught.value)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("name", "value", "error"),
    [("knowledge", {"required": []}, TypeError), ("random_state", "seven", TypeError)],
)
def test_bad_types_are_named(name, value, error):
    with pytest.raises(error, match=f"^{name} must be "):
        bn.TsetlinSieve(**{name: value}).fit(DATA)


@pytest.mark.parametrize("learner", LEARNERS, ids=lambda one: type(one).__name__)
def test_every_parameter_has_a_rule(learner):
    assert set(learner.get_params()) <= {*RULES, "knowledge", "random_state"}


def test_a_generator_is_not_drawn_from_by_the_check():
    one, same = np.random.default_rng(3), np.random.default_rng(3)
    learned = bn.TsetlinSieve(random_state=one).fit(DATA)
    assert learned.fit_result_.sieve.machines.seed == same.integers(2**31)


@pytest.mark.parametrize("learner", LEARNERS, ids=lambda one: type(one).__name__)
def test_unfitted_learners_say_so(learner):
    for ask in (
        lambda: learner.network_,
        lambda: learner.score(DATA),
        lambda: learner.bootstrap(2),
        lambda: learner.explain("asia", "tub"),
        lambda: learner.edge_gains(),
        lambda: learner.support_frame(),
        lambda: learner.save("nowhere"),
        lambda: bn.metrics.compare(bn.load_network("asia"), learner),
    ):
        with pytest.raises(NotFittedError):
            ask()
    with pytest.raises(NotFittedError):
        bn.TsetlinSieve().update("nowhere.parquet")


@pytest.mark.parametrize("learner", [bn.TsetlinSieve(random_state=0), bn.PC()])
def test_scores_are_the_likelihood_of_held_out_rows(learner):
    folds = KFold(3)
    found = cross_val_score(learner, DATA[["smoke", "lung", "bronc", "dysp"]], cv=folds)
    for score, (train, held) in zip(found, folds.split(DATA), strict=True):
        rows = DATA[["smoke", "lung", "bronc", "dysp"]]
        fitted = clone(learner).fit(rows.iloc[train])
        network = bn.fit_parameters(fitted.dag_, rows.iloc[train])
        assert score == pytest.approx(network.log_likelihood(rows.iloc[held]).mean())


def test_scores_cut_numbers_and_label_missing_cells_as_fit_did():
    rng = np.random.default_rng(0)
    frame = DATA[["smoke"]].assign(dose=rng.normal(size=len(DATA)))
    learner = bn.TsetlinSieve(prepare=bn.Discretizer(), random_state=0).fit(frame)
    assert math.isfinite(learner.score(frame.head(50)))
    gaps = DATA[["smoke", "lung"]].astype(object).mask(rng.random((len(DATA), 2)) < 0.2)
    learner = bn.TsetlinSieve(missing="category", random_state=0).fit(gaps)
    assert math.isfinite(learner.score(gaps))
    learner = bn.TsetlinSieve(missing="testwise", random_state=0).fit(gaps)
    assert learner.score(gaps) == pytest.approx(learner.network_.log_likelihood(gaps).mean())


def test_the_face_is_small():
    fitted = bn.TsetlinSieve(random_state=0).fit(DATA)
    # min_effect, key and candidates are asked for beside the four of time: far from the thirty of
    # others.
    assert len(fitted.get_params()) <= 21
    attributes = [name for name in dir(fitted) if name.endswith("_") and not name.startswith("_")]
    assert len(attributes) <= 24, attributes
