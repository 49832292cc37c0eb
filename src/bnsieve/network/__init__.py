"""A graph with probabilities.

In: a DAG and counts. Out: a `BayesianNetwork` and what it answers; imputed values.
"""

from bnsieve.network.causal.contrasts import Adjustment, doubly_robust, support
from bnsieve.network.causal.effect import Effect, EffectCase
from bnsieve.network.causal.effects import with_intervals
from bnsieve.network.causal.effects_over_time import changing_variables
from bnsieve.network.causal.estimates import Contrast, ContrastRows, share_in_words
from bnsieve.network.causal.estimating import LEAST_OVERLAP, rarer_state
from bnsieve.network.causal.slopes import slope
from bnsieve.network.discrete.cliques import plan_margins
from bnsieve.network.discrete.evidence import Given, nearest, unknown_node, unknown_state
from bnsieve.network.discrete.exact import TooLargeError
from bnsieve.network.discrete.results import Distribution, Distributions, Explanation, Explanations
from bnsieve.network.entity_draws import EntityDraws
from bnsieve.network.intervals import FamilyCounter
from bnsieve.network.missing_values import WAYS, Missing, draw_missing, fit_network
from bnsieve.network.mixed.answers import NumberAnswer
from bnsieve.network.mixed.model import MixedModel
from bnsieve.network.mixed.nodes import (
    NumberNode,
    StateNode,
    is_known,
    node_of_parts,
    parts_of_node,
)
from bnsieve.network.mixed.scale import Scale, fit_scale
from bnsieve.network.network import BayesianNetwork
from bnsieve.network.next_question import NextQuestion
from bnsieve.network.parameters import FamilyCounts, count_families, fit_parameters
from bnsieve.network.parts import FitRecord, NetworkParts
from bnsieve.network.prediction import drawn_given
from bnsieve.network.reasons import Reasons
from bnsieve.network.rows import MISSING_STATE, RowReader, missing_as_state
from bnsieve.network.time.forecast import Forecast
from bnsieve.network.time.forecasting import ForecastOptions, forecast_rows, unrolled_network
from bnsieve.network.time.scenarios import Future

__all__ = [
    "LEAST_OVERLAP",
    "MISSING_STATE",
    "WAYS",
    "Adjustment",
    "BayesianNetwork",
    "Contrast",
    "ContrastRows",
    "Distribution",
    "Distributions",
    "Effect",
    "EffectCase",
    "EntityDraws",
    "Explanation",
    "Explanations",
    "FamilyCounter",
    "FamilyCounts",
    "FitRecord",
    "Forecast",
    "ForecastOptions",
    "Future",
    "Given",
    "Missing",
    "MixedModel",
    "NetworkParts",
    "NextQuestion",
    "NumberAnswer",
    "NumberNode",
    "Reasons",
    "RowReader",
    "Scale",
    "StateNode",
    "TooLargeError",
    "changing_variables",
    "count_families",
    "doubly_robust",
    "draw_missing",
    "drawn_given",
    "fit_network",
    "fit_parameters",
    "fit_scale",
    "forecast_rows",
    "is_known",
    "missing_as_state",
    "nearest",
    "node_of_parts",
    "parts_of_node",
    "plan_margins",
    "rarer_state",
    "share_in_words",
    "slope",
    "support",
    "unknown_node",
    "unknown_state",
    "unrolled_network",
    "with_intervals",
]
