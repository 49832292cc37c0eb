"""The study of effects: what it draws, what it takes for true, how it judges."""

import numpy as np
import pandas as pd
import pytest

from benchmarks.effects import report
from benchmarks.effects.draws import drawn_network
from benchmarks.effects.truth import Population


@pytest.mark.parametrize("seed", range(4))
def test_the_true_change_is_that_of_two_experiments(seed):
    """Rows drawn under each setting with noise of their own give the same, but for errors."""
    network = drawn_network(seed)
    n, t, y = 40_000, network.treatment, network.outcome
    population = Population.of(network, 1, n)
    arms = []
    for number, sign in enumerate((1, -1)):
        values, noise = network.draw(n, 2 + number)
        one = network.variables[t]
        state = float(network.treated if sign > 0 else 0)
        setting = np.full(n, state) if one.n_states else values[t] + sign * 0.1 * one.scale
        after = network.redrawn(values, noise, {t: setting})[y]
        arms.append(after == network.state if network.variables[y].n_states else after)
    distance = 1.0 if network.variables[t].n_states else 0.2 * network.variables[t].scale
    difference = (arms[0].mean() - arms[1].mean()) / distance
    error = np.sqrt(2 * np.var(arms[0]) / n) / distance
    assert abs(population.change.mean() - difference) < 4 * error


def test_without_a_path_nothing_changes():
    networks = [drawn_network(seed) for seed in range(30)]
    without = [network for network in networks if not network.has_path]
    assert without
    for network in without:
        assert np.abs(Population.of(network, 0, 500).change).max() < 1e-12


def test_structural_zeros_leave_the_treatment_without_overlap():
    networks = [network for seed in range(30) if (network := drawn_network(seed)).has_zeros]
    assert 5 <= len(networks) <= 17
    for network in networks:
        values, _ = network.draw(20_000, 0)
        treated = values[network.treatment] == network.treated
        parents = network.variables[network.treatment].parents
        codes = [values[p] for p in parents if network.variables[p].n_states]
        assert any(not treated[one == state].any() for one in codes for state in np.unique(one))


def test_layers_are_in_the_order_of_the_edges():
    network = drawn_network(0)
    layer = {name: k for k, names in enumerate(network.layers) for name in names}
    assert all(layer[a] < layer[b] for a, b in network.edges)


def test_statements_are_judged_by_sign_and_interval():
    runs = pd.DataFrame(
        {
            "said": ["path", "path", "path", "refused", "no path"],
            "truth": [1.0, 1.0, 0.0, 1.0, -1.0],
            "low": [0.5, -2.0, 0.1, np.nan, -0.5],
            "high": [1.5, -1.0, 0.2, np.nan, 2.0],
            "outside": [0.0, 0.5, 0.0, np.nan, np.nan],
        }
    )
    judged = report.judged(runs)
    assert judged.held.tolist() == [True, False, False, False]
    assert judged.wrong_sign.tolist() == [False, True, False, False]
    assert judged.from_nothing.dropna().tolist() == [1.0]
    assert judged.off_overlap.tolist() == [False, True, False, False]
