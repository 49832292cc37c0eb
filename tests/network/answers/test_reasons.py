"""Shapley values against their definition: the average over all orders."""

from itertools import permutations

import numpy as np
import pytest
from joints import conditioned, joint, random_network

from bnsieve import load_network
from bnsieve.network import reasons as module
from bnsieve.network.reasons import rules_that_hold
from bnsieve.sieve.machine import Rule
from bnsieve.sieve.machine.rules import Condition


def by_definition(network, target, given, column):
    whole = joint(network)
    names = list(given)
    value = {}

    def of(known):
        if known not in value:
            seen = {name: given[name] for name in known}
            value[known] = conditioned(network, whole, target, seen)[column]
        return value[known]

    changes = dict.fromkeys(names, 0.0)
    orders = list(permutations(names))
    for order in orders:
        for i, name in enumerate(order):
            before, after = frozenset(order[:i]), frozenset(order[: i + 1])
            changes[name] += (of(after) - of(before)) / len(orders)
    return changes, of(frozenset(names)), of(frozenset())


@pytest.mark.parametrize("seed", range(15))
def test_changes_are_averages_over_all_orders(seed):
    rng = np.random.default_rng([seed, 5])
    network = random_network(rng, 6, zeros=bool(seed % 2))
    row = network.sample(1, random_state=seed).iloc[0]
    target, *known = rng.permutation(network.graph.nodes).tolist()[:5]
    given = {name: row[name] for name in known}
    label = network.states[target][0]
    reasons = network.why(target, given, label)
    expected, probability, before = by_definition(network, target, given, 0)
    assert reasons.probability == pytest.approx(probability, abs=1e-12)
    assert reasons.before == pytest.approx(before, abs=1e-12)
    assert reasons.is_exact
    for name in known:
        assert reasons.changes.change[name] == pytest.approx(expected[name], abs=1e-10)
    assert reasons.changes.change.sum() == pytest.approx(probability - before, abs=1e-10)
    sizes = reasons.changes.change.abs().to_numpy()
    assert (np.diff(sizes) <= 1e-15).all()


def test_drawn_orders_come_near_the_exact_values(monkeypatch):
    alarm = load_network("alarm")
    row = alarm.sample(1, random_state=3).iloc[0]
    given = {name: row[name] for name in ("HR", "BP", "CO", "SAO2", "PRESS", "EXPCO2", "CVP")}
    exact = alarm.why("CATECHOL", given)
    monkeypatch.setattr(module, "MAX_EXACT", 3)
    drawn = alarm.why("CATECHOL", given, exact.state)
    assert not drawn.is_exact
    off = (drawn.changes.change - exact.changes.change.reindex(drawn.changes.index)).abs()
    # Five standard errors, and no less than rounding.
    assert (off <= 5 * drawn.changes.error + 1e-9).all()
    assert drawn.changes.change.sum() == pytest.approx(exact.probability - exact.before, abs=1e-9)
    assert "s.e." in str(drawn)
    again = alarm.why("CATECHOL", given, exact.state)
    assert again.changes.equals(drawn.changes)


def test_nothing_known_needs_no_reasons():
    reasons = load_network("asia").why("dysp", {})
    assert reasons.changes.empty
    assert reasons.probability == reasons.before


def test_the_label_is_the_most_probable_one_unless_named():
    asia = load_network("asia")
    assert asia.why("dysp", {"bronc": "yes"}).state == "yes"
    with pytest.raises(ValueError, match=r"'maybe'"):
        asia.why("dysp", {"bronc": "yes"}, "maybe")
    with pytest.raises(ValueError, match="not likelihoods"):
        asia.why("dysp", {"bronc": {"yes": 1, "no": 0}})


def test_rules_hold_only_if_all_their_conditions_are_known_to():
    def rule(*conditions):
        return Rule(conditions, "t", "yes", True, 1, 1, 0.5, 0.5, 0.1)

    plain = rule(Condition("a", 1))
    negated = rule(Condition("a", 2, negated=True), Condition("b", "x"))
    unknown = rule(Condition("a", 1), Condition("c", 0))
    wrong = rule(Condition("a", 1, negated=True))
    rules = [plain, negated, unknown, wrong]
    assert rules_that_hold(rules, {"a": 1, "b": "x"}, {}) == (plain, negated)
