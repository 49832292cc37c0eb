"""A graph with probabilities.

In: a DAG and counts. Out: a `BayesianNetwork`; likelihoods, samples, drawn cells.
"""

from bnsieve.network.answers.effects import Effect, EffectCase
from bnsieve.network.answers.intervals import (
    N_DRAWS,
    SEED,
    checked_level,
    drawn_answers,
    interval_ends,
    with_interval,
)
from bnsieve.network.answers.next_question import NextQuestion
from bnsieve.network.answers.posterior import TablePosterior, posterior_of
from bnsieve.network.answers.reasons import Reasons, rules_that_hold
from bnsieve.network.checks import SUM_TOLERANCE
from bnsieve.network.discrete.answers import Distribution, Distributions, Explanation, Explanations
from bnsieve.network.discrete.evidence import Given, nearest
from bnsieve.network.discrete.exact import TooLargeError
from bnsieve.network.discrete.travelling import MarginsPlan, plan_margins
from bnsieve.network.missing_cells import (
    MISSING_LABEL,
    N_SWEEPS,
    WAYS,
    Missing,
    draw_missing,
    fit_network,
    label_missing,
)
from bnsieve.network.mixed.answers import NumberAnswer
from bnsieve.network.mixed.label_node import LabelNode
from bnsieve.network.mixed.number_node import NumberNode
from bnsieve.network.mixed.parts import node_of_parts, parts_of_node
from bnsieve.network.network import BayesianNetwork
from bnsieve.network.parameters import FamilyCounts, count_families, fit_parameters

__all__ = [
    "MISSING_LABEL",
    "N_DRAWS",
    "N_SWEEPS",
    "SEED",
    "SUM_TOLERANCE",
    "WAYS",
    "BayesianNetwork",
    "Distribution",
    "Distributions",
    "Effect",
    "EffectCase",
    "Explanation",
    "Explanations",
    "FamilyCounts",
    "Given",
    "LabelNode",
    "MarginsPlan",
    "Missing",
    "NextQuestion",
    "NumberAnswer",
    "NumberNode",
    "Reasons",
    "TablePosterior",
    "TooLargeError",
    "checked_level",
    "count_families",
    "draw_missing",
    "drawn_answers",
    "fit_network",
    "fit_parameters",
    "interval_ends",
    "label_missing",
    "nearest",
    "node_of_parts",
    "parts_of_node",
    "plan_margins",
    "posterior_of",
    "rules_that_hold",
    "with_interval",
]
