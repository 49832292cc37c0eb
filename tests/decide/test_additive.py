"""Additive models: parents that matter beside the others, in data of known make."""

import numpy as np
import pytest

from bnsieve.decide import AdditiveModels

LOG_ALPHA = float(np.log(1e-4))


def choose(columns, target, parents, **options):
    models = AdditiveModels(columns)
    return models.choose_parents(target, parents, log_alpha=LOG_ALPHA, **options)


def bumps(v):
    """Two bumps that no polynomial of few degrees of the rank follows."""
    return v + 5 * v**2 * np.exp(-(v**2) / 20)


@pytest.fixture
def chain():
    """A cause with a bumpy effect, and a noisy copy of the cause."""
    rng = np.random.default_rng(0)
    cause = rng.normal(0, 4, 2_000)
    copy = cause + rng.normal(0, 1, 2_000)
    effect = 0.5 * bumps(cause) + rng.normal(0, 0.5, 2_000)
    return [effect, cause, copy]


def test_a_copy_of_the_cause_goes(chain):
    found = choose(chain, 0, (1, 2), removable=(1, 2))
    assert found.parents == (1,)
    assert found.gains == {}


def test_the_cause_is_added_and_the_copy_goes(chain):
    found = choose(chain, 0, (2,), removable=(2,), addable=(1, 2))
    assert found.parents == (1,)
    assert found.gains[1] > 100


def test_narrow_bumps_leave_nothing_to_a_copy():
    rng = np.random.default_rng(4)
    cause = rng.normal(0, 20, 2_000)
    copy = cause + rng.normal(0, 1, 2_000)
    effect = 0.5 * bumps(cause) + rng.normal(0, 1, 2_000)
    columns = [effect, cause, copy]
    assert choose(columns, 0, (1, 2), removable=(1, 2)).parents == (1,)
    assert choose(columns, 0, (1,), removable=(1,), addable=(2,)).parents == (1,)


def test_a_cause_is_found_though_all_places_are_taken(chain):
    found = choose(chain, 0, (2,), removable=(2,), addable=(1,), max_parents=1)
    assert found.parents == (1,)


def test_choosing_the_size_of_a_curve_is_no_evidence():
    n_kept = 0
    for seed in range(40):
        rng = np.random.default_rng(seed)
        effect, *others = rng.exponential(size=(11, 400))
        models = AdditiveModels([effect, *others])
        found = models.choose_parents(
            0, range(1, 11), log_alpha=float(np.log(0.01)), removable=range(1, 11)
        )
        n_kept += len(found.parents)
    # Bits add up to three chances at most: for the mean 1 + 1/2 + 1/4 ..., half as many for spread.
    assert n_kept <= 3 * 4


def test_what_may_not_go_stays(chain):
    assert choose(chain, 0, (1, 2), removable=(1,)).parents == (1, 2)


def test_none_is_added_beyond_the_limit(chain):
    found = choose(chain, 0, (2,), removable=(), addable=(1,), max_parents=1)
    assert found.parents == (2,)


def test_a_cause_of_the_spread_stays():
    rng = np.random.default_rng(1)
    cause, other = rng.normal(size=(2, 2_000))
    effect = rng.normal(size=2_000) * np.exp(0.5 * cause)
    assert choose([effect, cause, other], 0, (1, 2), removable=(1, 2)).parents == (1,)


def test_effects_may_add_up_in_ranks():
    rng = np.random.default_rng(2)
    cause, other = rng.normal(size=(2, 2_000))
    copy = np.exp(cause + other)
    effect = np.exp(2 * (cause + 0.5 * rng.normal(size=2_000)))
    found = choose([effect, np.exp(cause), copy], 0, (1, 2), removable=(1, 2))
    assert found.parents == (1,)


def test_a_category_can_be_a_parent():
    rng = np.random.default_rng(3)
    kind, noise = rng.integers(0, 4, 1_000), rng.integers(0, 4, 1_000)
    effect = np.array([0.0, 1.0, 0.0, 2.0])[kind] + rng.normal(size=1_000)
    assert choose([effect, kind, noise], 0, (1, 2), removable=(1, 2)).parents == (1,)


def test_chance_is_rare():
    n_false = 0
    for seed in range(40):
        columns = list(np.random.default_rng(seed).normal(size=(11, 300)))
        n_false += len(choose(columns, 0, (), removable=(), addable=range(1, 11)).parents)
    assert n_false <= 2  # 400 tries at one in ten thousand, the best of a few curves each


@pytest.mark.parametrize("scale", [1e-12, 1e12])
def test_units_do_not_matter(chain, scale):
    far = [chain[0] * scale, chain[1] / scale, chain[2] + 1e6 * scale]
    assert choose(far, 0, (1, 2), removable=(1, 2)).parents == (1,)


def test_constants_and_few_values_do_no_harm():
    rng = np.random.default_rng(4)
    cause = rng.integers(0, 2, 200).astype(float)
    columns = [cause + rng.normal(size=200), cause, np.ones(200), np.zeros(200, dtype=int)]
    found = choose(columns, 0, (1, 2, 3), removable=(1, 2, 3), addable=(1, 2, 3))
    assert found.parents == (1,)


def test_a_constant_target_has_no_parents():
    rng = np.random.default_rng(5)
    found = choose([np.ones(200), rng.normal(size=200)], 0, (1,), removable=(1,), addable=(1,))
    assert found.parents == ()


def test_a_function_of_its_parent_keeps_it():
    rng = np.random.default_rng(6)
    cause, other = rng.normal(size=(2, 500))
    assert choose([2 * cause, cause, other], 0, (1, 2), removable=(1, 2)).parents == (1,)


def walks(seed, slope):
    """Two that wander, one pushed by the change of the other: values and those one step earlier."""
    rng = np.random.default_rng(seed)
    steps = rng.normal(size=(1_001, 2))
    steps[:, 1] += slope * steps[:, 0]
    cause, effect = np.cumsum(steps, axis=0).T
    return [effect[1:], effect[:-1], cause[1:], cause[:-1]]


def test_neither_of_two_successive_values_tells_what_their_change_tells():
    columns, options = walks(0, 0.5), {"removable": (1,), "addable": (1, 2, 3)}
    assert choose(columns, 0, (1,), **options).parents == (1,)
    found = choose(columns, 0, (1,), changes=[(2, 3)], **options)
    assert found.parents == (1, 2, 3)
    assert min(found.gains[2], found.gains[3]) > 50


def test_a_change_takes_the_evidence_of_two_edges():
    # It tells 500 log(1 + 0.25^2) = 30 nats; two edges take 2 log(10^4) = 18, four take 37.
    for seed in range(10):
        found = choose(walks(seed, 0.25), 0, (1,), removable=(1,), addable=(2, 3), changes=[(2, 3)])
        assert found.parents == (1, 2, 3)


def test_a_change_may_add_the_value_that_is_no_parent_yet():
    columns = walks(1, 0.5)
    found = choose(columns, 0, (1, 3), removable=(1, 3), addable=(2,), changes=[(2, 3)])
    assert found.parents == (1, 3, 2)


def test_changes_without_effect_are_rarely_added():
    found = [
        choose(walks(seed, 0), 0, (1,), removable=(1,), addable=(2, 3), changes=[(2, 3)])
        for seed in range(40)
    ]
    assert all(one.parents == (1,) for one in found)


def test_a_change_that_is_always_the_same_is_none():
    columns = walks(2, 0)
    columns += [np.arange(1_000.0), np.arange(1_000.0) - 1]
    found = choose(columns, 0, (1,), removable=(1,), addable=(4, 5), changes=[(4, 5)])
    assert 5 not in found.parents or 4 not in found.parents


def test_a_walk_is_no_cause_of_another_walk():
    """The F test of the change is exact, so that one in twenty is kept at a level of .05."""
    n_kept = {None: 0, 1: 0}
    for seed in range(40):
        rng = np.random.default_rng(seed)
        walk, other = rng.normal(size=(2, 301)).cumsum(axis=1)
        columns = [walk[1:], walk[:-1], other[1:]]
        for own_past in n_kept:
            found = AdditiveModels(columns).choose_parents(
                0, (1, 2), log_alpha=float(np.log(0.05)), removable=(2,), own_past=own_past
            )
            n_kept[own_past] += 2 in found.parents
    # Beyond 6 of 40 with a probability of .03 by mean, and of as much by spread.
    assert n_kept[1] <= 6 < n_kept[None]


def test_a_change_that_is_caused_keeps_its_cause():
    rng = np.random.default_rng(0)
    cause, noise = rng.normal(size=(2, 501))
    walk = (0.5 * cause + noise).cumsum()
    columns = [walk[1:], walk[:-1], cause[1:]]
    assert choose(columns, 0, (1, 2), removable=(1, 2), own_past=1).parents == (1, 2)


def test_skewed_noise_does_not_make_effects_add_up_in_ranks():
    """If effects add up in values, the spread of the noise is constant."""
    rng = np.random.default_rng(0)
    noise = rng.exponential(size=(3, 10_001))
    for t in range(1, noise.shape[1]):
        noise[0, t] += 0.7 * noise[0, t - 1]
        noise[1, t] += 0.5 * noise[1, t - 1] + 0.5 * noise[0, t]
    columns = [noise[1, 1:], noise[1, :-1], noise[0, 1:], noise[0, :-1]]
    found = choose(columns, 0, (1, 2, 3), removable=(1, 2, 3), own_past=1)
    assert found.parents == (1, 2)
