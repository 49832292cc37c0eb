"""The study of numbers: its samples, and a run of a few seconds."""

import numpy as np
import pandas as pd
import pytest

from benchmarks.numbers import bnrep, oracle, peers, published, study
from benchmarks.numbers.kinds import KINDS, sample


@pytest.mark.parametrize("kind", KINDS)
def test_the_network_does_not_hang_on_the_rows(kind):
    few, arrows = sample(kind, 12, 50, 1)
    assert sample(kind, 12, 80, 1)[1] == arrows
    assert len(arrows) == 18
    assert few.shape == (50, 12)
    n_labels = sum(not pd.api.types.is_numeric_dtype(few[name]) for name in few)
    assert n_labels == (6 if kind in "cd" else 0)


def test_linear_columns_hang_on_their_parents_as_the_network_says():
    frame, arrows = sample("a", 10, 20_000, 0)
    for child in frame:
        parents = [u for u, v in arrows if v == child]
        weights = np.linalg.lstsq(frame[parents] - frame[parents].mean(), frame[child], rcond=None)
        left = frame[child] - (frame[parents] - frame[parents].mean()) @ weights[0]
        # Its parents leave noise of variance 1.
        assert left.var() == pytest.approx(1.0, rel=0.05)


def test_published_networks_have_their_edges():
    sizes = {name: len(published.sample(name, 5, 0)[1]) for name in published.NAMES}
    assert sizes == {"ecoli70": 70, "magic-niab": 66, "magic-irri": 102, "arth150": 150}


def test_a_quick_run_writes_its_report(tmp_path):
    study.main(["--quick", "--output", str(tmp_path)])
    assert "| a 8 | 300 |" in (tmp_path / "report.md").read_text(encoding="utf-8")


def test_networks_of_bnrep_are_drawn_as_their_files_say():
    assert len(bnrep.NAMES) == 11
    frame, arrows = bnrep.sample("diagnosis", 20_000, 0)
    assert len(arrows) == 15
    # X1 = 2 + 2.4 X8 + 0.8 X9 and noise of deviation 10.
    left = frame["X1"] - 2.0 - 2.4 * frame["X8"] - 0.8 * frame["X9"]
    assert left.mean() == pytest.approx(0.0, abs=0.3)
    assert left.std() == pytest.approx(10.0, rel=0.03)


def test_labels_of_bnrep_have_the_shares_of_their_file():
    frame, _ = bnrep.sample("covidtest", 40_000, 0)
    given = frame[
        (frame["autoimmune_dis"] == "FALSE")
        & (frame["covid19_test_results"] == frame["covid19_test_results"].min())
        & (frame["sob"] == "FALSE")
    ]
    assert (given["asthma"] == "FALSE").mean() == pytest.approx(0.870, abs=0.02)


@pytest.mark.parametrize("labels", [False, True])
def test_an_oracle_finds_the_class_of_random_networks(labels):
    assert all(oracle.recovered(seed, labels=labels) for seed in range(1_000, 1_006))


def test_indicators_of_the_oracle_have_the_covariance_of_drawn_labels():
    """A label and its child: P(child | parent) gives the covariance of their indicators."""
    shares = np.array([[0.2, 0.8], [0.6, 0.4]])
    weights = np.zeros((1, 1))
    noise, mean = oracle._label(shares, [0], [slice(0, 1)], weights, {0: np.array([0.3])})
    # The first level of the parent has share .3: .3 * .2 + .7 * .6.
    assert mean == pytest.approx([0.48])
    assert weights == pytest.approx(np.array([[-0.4]]))
    total = weights**2 * 0.3 * 0.7 + noise
    assert total == pytest.approx(np.array([[0.48 * 0.52]]))


def test_what_other_programs_print_is_read():
    graph, seconds = peers.read("a warning\nfound 1.5\n> 0 1\n- 1 2\n", ["x", "y", "z"])
    assert seconds == 1.5
    assert graph.directed_edges == (("x", "y"),)
    assert {frozenset(one) for one in graph.undirected_edges} == {frozenset("yz")}


def test_of_contradicting_arrows_the_last_is_a_line():
    graph, _ = peers.read("found 0\n> 0 1\n> 1 2\n> 2 0\n", ["x", "y", "z"])
    assert set(graph.directed_edges) == {("x", "y"), ("y", "z")}
    assert len(graph.undirected_edges) == 1
