"""A number given its parents: its density in units, and draws.

In: a fitted `NumberNode`, columns by name. Out: log densities; values.
"""

from dataclasses import dataclass

import numpy as np

from bnsieve.network.mixed.inputs import Columns, Inputs
from bnsieve.network.mixed.scale import Scale, Values

# Scores at which a scale is turned round: a step is a hundredth of the noise, or less.
_TURNED_AT = 1_000


@dataclass(frozen=True, eq=False)
class NumberNode:
    """How a number depends on its parents.

    On its own scale the number is a sum of functions of its numeric parents plus noise. The
    coefficients and the size of the noise differ between configurations of the label parents.
    With plain scales, no knots and plain noise this is a conditional linear Gaussian.

    Attributes
    ----------
    inputs : Inputs
    own : Scale
        The scale on which the mean is a sum.
    coefficients : ndarray of float64, shape (n_configurations, n_functions)
        Of the functions of `inputs`, the constant one first.
    deviations : ndarray of float64, shape (n_configurations,)
        What the noise is multiplied by.
    noise : Scale
        Under it the noise is normal.
    n_parameters : float
        Free parameters; where configurations share, a fraction of what is stored.
    """

    inputs: Inputs
    own: Scale
    coefficients: Values
    deviations: Values
    noise: Scale
    n_parameters: float

    @property
    def is_plain(self) -> bool:
        """Whether this is a conditional linear Gaussian in the units of the data."""
        return self.own.is_plain and self.noise.is_plain and self.inputs.is_plain

    def log_density(self, values: Values, columns: Columns) -> Values:
        """Return the logarithm of the density of each value given the row's parents."""
        means, deviations = self._moments(columns, len(values))
        noise = (self.own.to_scores(values) - means) / deviations
        total: Values = (
            self.noise.log_density(noise) - np.log(deviations) + self.own.log_slope(values)
        )
        return total

    def from_noise(self, scores: Values, columns: Columns) -> Values:
        """Return the value of each row whose noise has this normal score."""
        means, deviations = self._moments(columns, len(scores))
        return self.own.from_scores(means + deviations * self.noise.from_scores(scores))

    def quantiles(self, scores: Values, columns: Columns, n_rows: int) -> Values:
        """Return the values of each row whose noise has some normal scores, (n_rows, n_scores).

        Nearly: the own scale is turned round at some scores, and read off between these.
        """
        means, deviations = self._moments(columns, n_rows)
        places = means[:, np.newaxis] + np.outer(deviations, self.noise.from_scores(scores))
        known = np.linspace(places.min(), places.max(), _TURNED_AT)
        found: Values = np.interp(places, known, self.own.from_scores(known))
        return found

    def _moments(self, columns: Columns, n_rows: int) -> tuple[Values, Values]:
        configurations = self.inputs.configurations(columns, n_rows)
        functions = self.inputs.functions(columns, n_rows)
        means: Values = np.einsum("nf,fn->n", self.coefficients[configurations], functions)
        return means, self.deviations[configurations]
