"""Rules and importance, on clauses written by hand and on learned ones."""

import numpy as np
import pandas as pd
import pytest

from bnsieve.sieve.machine import (
    Layout,
    Literals,
    Machine,
    MachineSettings,
    WeightedTsetlinClassifier,
    extract_rules,
    importance,
)
from bnsieve.sieve.machine.machine import every_row
from bnsieve.sieve.machine.rules import Condition, normalised_clauses

NAMES = ["LVFailure", "CatecholOut", "Age"]
LEVELS = [["false", "true"], ["high", "low"], ["child", "adult", "old"]]
LAYOUT = Layout.of([2, 2, 3])


def machine_of(clauses):
    """Build a machine whose clauses are written as (class, clause, plain, negated, weight)."""
    machine = Machine.new(2, LAYOUT.n_words, MachineSettings(n_clauses=6))
    for k, j, plain, negated, weight in clauses:
        flags = np.zeros((2, LAYOUT.n_plain), dtype=bool)
        flags[0, plain] = True
        flags[1, negated] = True
        machine.include[k, j] = LAYOUT.pack(flags[0], flags[1])
        machine.weights[k, j] = weight
    return machine


# Literals: 0 LVFailure=false, 1 =true; 2 CatecholOut=high, 3 =low; 4 Age=child, 5 =adult, 6 =old.
CLAUSES = [
    (0, 0, [1], [2], 40),  # LVFailure = true AND NOT CatecholOut = high
    (0, 2, [1, 3], [0], 1),  # the same in other literals
    (0, 1, [], [4], -7),  # NOT Age = child, against class 0
    (1, 0, [], [4, 5], 5),  # only Age = old is left
    (1, 2, [4, 5], [], 9),  # impossible
    (1, 4, [], [4], 3),
]


def rules_of(clauses, codes, labels):
    machine = machine_of(clauses)
    literals = Literals.of(np.array(codes, dtype=np.uint8), np.diff(LAYOUT.first))
    labels = np.array(labels, dtype=np.int32)
    matches = machine.matches(literals, every_row(literals), labels)
    by_label = np.bincount(labels, minlength=2).astype(np.int64)
    return extract_rules(machine, LAYOUT, matches, by_label, NAMES, LEVELS, "HRBP", ["low", "high"])


CODES = [[1, 1, 0, 1], [1, 1, 0, 0], [0, 2, 1, 2]]
LABELS = [0, 1, 1, 0]


def test_equal_clauses_are_merged_and_impossible_ones_left_out():
    rules = {
        (rule.label, rule.positive, rule.conditions): rule
        for rule in rules_of(CLAUSES, CODES, LABELS)
    }
    merged = rules.pop(
        ("low", True, (Condition("LVFailure", "true"), Condition("CatecholOut", "low")))
    )
    assert (merged.weight, merged.n_clauses) == (41, 2)
    # Rows 0 and 1 satisfy it, row 0 is of its class.
    assert (merged.support, merged.precision) == (0.5, 0.5)
    against = rules.pop(("low", False, (Condition("Age", "child", negated=True),)))
    # Rows 1, 2 and 3 satisfy it; it is right about rows 1 and 2, which are not "low".
    assert (against.weight, against.support, against.precision) == (7, 0.75, pytest.approx(2 / 3))
    assert against.gain == pytest.approx(7 * 0.75 * (2 / 3 - 1 / 2))
    assert set(rules) == {
        ("high", True, (Condition("Age", "old"),)),
        ("high", True, (Condition("Age", "child", negated=True),)),
    }


def test_rules_read_as_sentences():
    rules = rules_of(CLAUSES[:1] + CLAUSES[2:3], CODES, LABELS)
    assert [str(rule) for rule in rules] == [
        "IF NOT Age = child THEN NOT HRBP = low  (weight 7, precision 0.67, support 0.75)",
        "IF LVFailure = true AND CatecholOut = low THEN HRBP = low  "
        "(weight 40, precision 0.50, support 0.50)",
    ]
    assert rules[1].variables == ("LVFailure", "CatecholOut")


def test_importance_follows_the_papers_equations():
    """F counts normalised clauses, W sums absolute weights, I is their product; by hand."""
    machine = machine_of(CLAUSES)
    occurs = normalised_clauses(machine, LAYOUT)
    assert occurs[2].tolist() == [True, True, False]
    assert occurs.sum() == 2 + 2 + 1 + 1 + 1 + 1
    found = importance(machine, LAYOUT)
    assert found.frequency.tolist() == [2, 2, 4]
    assert found.weight.tolist() == [41, 41, 7 + 5 + 9 + 3]
    assert found.score.tolist() == [82, 82, 4 * 24]


def test_learned_rules_name_the_cause():
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(rng.choice(["no", "yes"], (2000, 6)), columns=list("abcdef"))
    y = pd.Series(np.where((frame.b == "yes") & (frame.e == "no"), "on", "off"), name="lamp")
    classifier = WeightedTsetlinClassifier(random_state=0).fit(frame, y)
    best = classifier.rules_[0]
    assert set(best.variables) <= {"b", "e"}
    assert best.target == "lamp"
    assert best.precision > 0.99
    top = np.argsort(classifier.importance_.score)[-2:]
    assert set(frame.columns[top]) == {"b", "e"}
