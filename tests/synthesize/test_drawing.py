"""Values of normal scores, read off between computed ones."""

import numpy as np
import pytest
from scipy.stats import norm

from bnsieve.network.mixed.scale import fit_scale
from bnsieve.synthesize.drawing import _values_of_scores

RNG = np.random.default_rng(0)
SAMPLES = {
    "gamma": RNG.gamma(2.0, 1.0, 2_000),
    "lognormal": RNG.lognormal(0.0, 2.0, 2_000),
    "half of them 0": np.concatenate([np.zeros(1_000), RNG.gamma(1.0, 5.0, 1_000)]),
    "two far groups": np.concatenate([RNG.normal(0, 1, 1_000), RNG.normal(50, 0.1, 1_000)]),
}


@pytest.mark.parametrize("sample", SAMPLES.values(), ids=SAMPLES)
def test_values_are_those_of_bisection(sample: np.ndarray) -> None:
    scale = fit_scale(sample)
    assert not scale.is_plain
    scores, values = _values_of_scores(scale)
    wanted = norm.ppf((np.arange(5_000) + 0.5) / 5_000)
    read, exact = np.interp(wanted, scores, values), scale.from_scores(wanted)
    assert np.all(np.diff(scores) >= 0)
    assert np.all(np.diff(values) > 0)
    # In scores, as between two groups one score has many values.
    assert np.abs(scale.to_scores(read) - scale.to_scores(exact)).max() < 0.005
    assert np.median(np.abs(read - exact)) < 1e-5 * sample.std()
