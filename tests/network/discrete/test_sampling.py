"""Answers by sampling, against exact ones."""

import numpy as np
import pytest

from bnsieve import load_network

GIVEN = {"xray": "yes", "dysp": {"yes": 0.9, "no": 0.2}}


def test_estimates_lie_within_their_errors():
    """Of many estimates about 95 in 100 are within two standard errors of the exact value."""
    asia = load_network("asia")
    exact = asia.marginals(GIVEN)
    within = []
    for seed in range(40):
        sampled = asia.marginals(GIVEN, method="sampling", n_draws=5_000, random_state=seed)
        for name, answer in sampled.items():
            away = abs(answer.probabilities[0] - exact[name].probabilities[0])
            within.append(away <= 2 * answer.errors[0])
    assert 0.90 <= np.mean(within) <= 0.99


def test_the_joint_is_estimated_too():
    asia = load_network("asia")
    exact = asia.query(["lung", "bronc"], GIVEN, joint=True)
    sampled = asia.query(["lung", "bronc"], GIVEN, joint=True, method="sampling", random_state=0)
    away = np.abs(exact.probabilities - sampled.probabilities)
    assert (away <= 4 * sampled.errors).all()
    assert sampled.errors.shape == (2, 2)
    assert 0 < sampled.effective_draws <= 100_000
    assert sampled.to_frame().columns.tolist() == ["probability", "error"]
    assert "sampled, effective size" in repr(sampled) and "s.e." in repr(sampled)


def test_a_seed_repeats_the_answer():
    asia = load_network("asia")
    first, again, other = (
        asia.query("lung", GIVEN, method="sampling", n_draws=40_000, random_state=seed)["yes"]
        for seed in (0, 0, 1)
    )
    assert first == again != other


def test_what_was_never_drawn_has_an_error_too():
    asia = load_network("asia")
    answer = asia.query("asia", method="sampling", n_draws=20, random_state=0)
    assert answer["yes"] == 0
    assert answer.errors.min() == pytest.approx(1 / 20)


def test_evidence_that_no_draw_agrees_with_is_refused():
    asia = load_network("asia")
    with pytest.raises(ValueError, match=r"draws have an effective size of only .*Raise n_draws"):
        asia.query("asia", {"lung": "yes", "either": "no"}, method="sampling", n_draws=100)
    with pytest.raises(ValueError, match="lung = yes and either = no are impossible together"):
        asia.query("smoke", {"lung": "yes", "either": "no"}, method="sampling", n_draws=100)
    with pytest.raises(ValueError, match="n_draws must be at least 1"):
        asia.query("smoke", method="sampling", n_draws=0)
    with pytest.raises(ValueError, match="method must be 'exact' or 'sampling'"):
        asia.query("smoke", method="loopy")


def test_a_thousand_given_columns_do_not_underflow():
    munin = load_network("munin")
    row = munin.sample(1, random_state=0).iloc[0]
    target = "R_MED_AMP_WA"
    given = {name: row[name] for name in munin.graph.nodes if name != target}
    exact = munin.query(target, given)
    sampled = munin.query(target, given, method="sampling", n_draws=2_000, random_state=0)
    assert (np.abs(exact.probabilities - sampled.probabilities) <= 5 * sampled.errors).all()


def test_fewer_than_ten_draws_are_no_answer():
    asia = load_network("asia")
    ten = asia.query("smoke", method="sampling", n_draws=10, random_state=0)
    assert ten.effective_draws == 10
    with pytest.raises(ValueError, match=r"9 draws have an effective size of only 9\.0"):
        asia.query("smoke", method="sampling", n_draws=9, random_state=0)


def test_the_error_of_a_share_of_even_draws_is_the_textbooks():
    # Without evidence all draws weigh the same: sqrt(p (1 - p) / n).
    answer = load_network("asia").query("smoke", method="sampling", n_draws=5_000, random_state=1)
    share = answer.probabilities
    np.testing.assert_allclose(answer.errors, np.sqrt(share * (1 - share) / 5_000), rtol=1e-9)
