"""The weighted Tsetlin machine: literals, the machine, its rules and its estimator."""

from bnsieve.tsetlin.classifier import WeightedTsetlinClassifier

__all__ = ["WeightedTsetlinClassifier"]
