"""Additive logits: parents of a category that matter beside the others, in data of known make."""

import numpy as np
import pytest
from scipy.stats import chi2
from sklearn.linear_model import LogisticRegression

from bnsieve.decide import AdditiveLogits

LOG_ALPHA = float(np.log(1e-4))


def choose(columns, target, parents, removable=None, log_alpha=LOG_ALPHA):
    removable = parents if removable is None else removable
    models = AdditiveLogits(columns)
    return models.choose_parents(target, parents, log_alpha=log_alpha, removable=removable).parents


def drawn(rng, *logits):
    """Draw a category of each row; the first has the logit 0."""
    logits = np.stack([np.zeros_like(logits[0]), *logits])
    chances = np.exp(logits) / np.exp(logits).sum(axis=0)
    return (rng.random(len(chances.T)) > np.cumsum(chances, axis=0)[:-1]).sum(axis=0)


@pytest.mark.parametrize("n_categories", [2, 4])
def test_a_copy_of_the_cause_goes(n_categories):
    rng = np.random.default_rng(n_categories)
    cause = rng.normal(size=10_000)
    copy = cause + rng.normal(0, 0.3, len(cause))
    effect = drawn(rng, *(slope * cause for slope in (4.0, -4.0, 2.0)[: n_categories - 1]))
    assert choose([effect, cause, copy], 0, (1, 2)) == (1,)
    assert choose([effect, cause, copy], 0, (2, 1)) == (1,)


def test_a_cause_with_a_bent_effect_stays():
    rng = np.random.default_rng(1)
    bent, straight = rng.normal(size=(2, 5_000))
    effect = drawn(rng, bent**2 - 1 + straight)
    assert choose([effect, bent, straight], 0, (1, 2)) == (1, 2)


def test_causes_that_are_categories_are_judged_beside_numbers():
    rng = np.random.default_rng(2)
    group = rng.integers(3, size=8_000)
    number = group + rng.normal(size=len(group))
    of_group = drawn(rng, np.array([-1.0, 1.0, 0.0])[group])
    of_number = drawn(rng, 2 * number - 2)
    columns = [of_group, of_number, group, number]
    assert choose(columns, 0, (2, 3)) == (2,)
    assert choose(columns, 1, (2, 3)) == (3,)


def test_what_settles_the_category_stays_and_what_tells_the_rest_of_it_goes():
    rng = np.random.default_rng(3)
    cause, other = rng.normal(size=(2, 3_000))
    hint = cause + rng.normal(0, 0.5, len(cause))
    category = (cause > 0).astype(int)
    assert choose([category, cause, hint, other], 0, (1, 2, 3)) == (1,)


def test_parents_that_may_not_go_stay():
    rng = np.random.default_rng(4)
    columns = [rng.integers(2, size=2_000), *rng.normal(size=(3, 2_000))]
    assert choose(columns, 0, (1, 2, 3), removable=(1,)) == (2, 3)
    assert choose(columns, 0, (1, 2, 3), removable=()) == (1, 2, 3)


def test_few_rows_decide_nothing():
    rng = np.random.default_rng(5)
    columns = [rng.integers(4, size=80), *rng.normal(size=(3, 80))]
    assert choose(columns, 0, (1, 2, 3)) == (1, 2, 3)


def test_a_parent_without_effect_is_kept_about_as_often_as_the_level_says():
    kept = 0
    for seed in range(100):
        rng = np.random.default_rng(seed)
        cause, other = rng.normal(size=(2, 1_000))
        effect = drawn(rng, cause)
        kept += 2 in choose([effect, cause, other + cause], 0, (1, 2), log_alpha=np.log(0.05))
    # More than 11 of 100 happen once in 200 at a chance of 1 in 20.
    assert kept <= 11


@pytest.mark.parametrize("slope", [0.0, 0.05, 0.1, 0.2])
def test_indicators_are_judged_as_by_the_likelihood_ratio_of_scikit_learn(slope):
    rng = np.random.default_rng(6)
    first, second = rng.integers(2, size=(2, 6_000))
    effect = drawn(rng, first + slope * second)

    def log_likelihood(parents):
        model = LogisticRegression(C=np.inf, tol=1e-8).fit(parents, effect)
        return model.predict_log_proba(parents)[np.arange(len(effect)), effect].sum()

    both = np.column_stack([first, second])
    log_p = chi2.logsf(2 * (log_likelihood(both) - log_likelihood(both[:, :1])), 1)
    columns = [effect, first, second]
    assert 2 in choose(columns, 0, (1, 2), log_alpha=0.98 * log_p)
    assert 2 not in choose(columns, 0, (1, 2), log_alpha=1.02 * log_p)


def test_odd_columns_do_no_harm():
    rng = np.random.default_rng(7)
    cause = rng.normal(size=2_000)
    effect = drawn(rng, 2 * cause)
    zeros, spikes = np.zeros(2_000), np.where(rng.random(2_000) < 0.01, 1e6, 0.0)
    columns = [effect, cause, zeros, spikes, np.zeros(2_000, dtype=int), 1e12 + cause]
    found = choose(columns, 0, (1, 2, 3, 4, 5))
    assert len({1, 5} & set(found)) == 1
    assert not {2, 3, 4} & set(found)
    assert choose(columns, 4, (0, 1)) == (0, 1)


def entropy(chances):
    return -(chances * np.log(chances)).sum(axis=0).mean()


def sure(logits):
    logits = np.stack([np.zeros_like(logits), logits])
    return np.exp(logits) / np.exp(logits).sum(axis=0)


def test_information_is_that_of_the_logistic_model_the_rows_come_from():
    rng = np.random.default_rng(8)
    first, second = rng.normal(size=(2, 20_000))
    effect = drawn(rng, 2 * first + second)
    # Beside the second, a fine grid of the first stands for its normal distribution.
    grid = np.linspace(-6, 6, 401)
    weights = np.exp(-(grid**2) / 2) / np.exp(-(grid**2) / 2).sum()
    alone = (sure(2 * grid[:, np.newaxis] + second) * weights[:, np.newaxis]).sum(axis=1)
    truth = entropy(alone) - entropy(sure(2 * first + second))
    told, _ = AdditiveLogits([effect, first, second]).information(0, (1, 2))
    corrected = told.nats - told.df / (2 * told.n_rows)
    # As in a noncentral chi-square distribution, twice for the noise of the rows themselves.
    assert corrected == pytest.approx(truth, abs=4 * np.sqrt(2 * truth / told.n_rows))
    assert told.n_rows == 20_000


def test_a_parent_that_settles_the_category_tells_all_of_its_entropy():
    rng = np.random.default_rng(9)
    cause = rng.normal(size=4_000)
    category = (cause > 1).astype(int)
    share = category.mean()
    (told,) = AdditiveLogits([category, cause]).information(0, (1,))
    all_there_is = -share * np.log(share) - (1 - share) * np.log(1 - share)
    assert 0.97 * all_there_is < told.nats <= all_there_is + 1e-12


@pytest.mark.parametrize(("n_rows", "n_categories"), [(60, 3), (20_000, 150)])
def test_information_of_independent_columns_is_chance_with_few_rows_or_many_categories(
    n_rows, n_categories
):
    rng = np.random.default_rng(10)
    columns = [rng.integers(n_categories, size=n_rows), *rng.normal(size=(3, n_rows))]
    for told in AdditiveLogits(columns).information(0, (1, 2, 3)):
        ratio = 2 * told.n_rows * told.nats
        assert chi2.ppf(1e-4, told.df) < ratio < chi2.ppf(1 - 1e-4, told.df)


def test_a_category_that_never_varies_has_no_information():
    columns = [np.zeros(100, dtype=int), np.arange(100.0)]
    (told,) = AdditiveLogits(columns).information(0, (1,))
    assert told.nats == 0.0
