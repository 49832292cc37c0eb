"""The weighted Tsetlin machine.

In: codes and a target. Out: a trained machine, its rules, and what matters to the target.
"""

from bnsieve.sieve.machine.classifier import WeightedTsetlinClassifier
from bnsieve.sieve.machine.machine import Layout, Literals, Machine, MachineSettings, balanced_rows
from bnsieve.sieve.machine.rules import (
    Condition,
    Rule,
    extract_rules,
    importance,
    normalised_clauses,
)

__all__ = [
    "Condition",
    "Layout",
    "Literals",
    "Machine",
    "MachineSettings",
    "Rule",
    "WeightedTsetlinClassifier",
    "balanced_rows",
    "extract_rules",
    "importance",
    "normalised_clauses",
]
