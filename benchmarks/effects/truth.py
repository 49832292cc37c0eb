"""The true contrast on the population that an estimate is about, by a large drawn population."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from benchmarks.effects.draws import DrawnNetwork, Values
from bnsieve.network.causal.contrasts import overlap, support
from bnsieve.network.causal.estimates import ContrastRows

N_POPULATION = 100_000
# A numeric treatment is moved by so many standard deviations to each side.
_STEP = 0.1
# A stratum of the population with so many rows and none of a setting has no overlap.
_ROWS_WITHOUT = 200


@dataclass(frozen=True, eq=False)
class Population:
    """A large population, and the change of each of its members' outcome.

    Attributes
    ----------
    network : DrawnNetwork
    values : list of ndarray
    change : ndarray
        Of the mean outcome given its parents: treated against control, or per unit.
    """

    network: DrawnNetwork
    values: list[Values]
    change: Values

    @classmethod
    def of(cls, network: DrawnNetwork, seed: int, n: int = N_POPULATION) -> "Population":
        """Draw the population, and draw it again under both settings with the same noise."""
        values, noise = network.draw(n, seed)
        t, y = network.treatment, network.outcome
        one = network.variables[t]
        if one.n_states:
            settings = [np.full(n, float(network.treated)), np.zeros(n)]
            distance = 1.0
        else:
            step = _STEP * one.scale
            settings, distance = [values[t] + step, values[t] - step], 2 * step
        high, low = (
            network.expected(y, network.redrawn(values, noise, {t: setting}))
            for setting in settings
        )
        return cls(network, values, (high - low) / distance)

    def among(self, members: NDArray[np.bool_]) -> float:
        """Return the mean change of some members."""
        return float(self.change[members].mean())


@dataclass(frozen=True, eq=False)
class Support:
    """Which members of a population an estimate is about, and which it must not be about.

    Attributes
    ----------
    rows : ndarray of bool
        Of the sample, with overlap by the rule of the estimate.
    members : ndarray of bool or None
        Of the population, with overlap by the same rule; None if models of the treatment leave
        out rows, so that nothing is known of members.
    outside : float
        Share of these members at whose adjustment values a setting does not occur in the
        population.
    """

    rows: NDArray[np.bool_]
    members: NDArray[np.bool_] | None
    outside: float


def support_of(
    population: Population, drawn: Population, rows: ContrastRows, adjustment: Sequence[str]
) -> Support:
    """Return the overlap of a contrast of two states.

    The sample is `drawn`, and its overlap is what the estimate reports. A member has overlap if a
    row with its adjustment values would have it.
    """
    network = population.network
    names = network.names
    sample = rows.adjustment(adjustment, ())
    setting = rows.codes(names[network.treatment])
    labels = rows.table.categories[rows.table.names.index(names[network.treatment])]
    arms = [setting == labels.index("abcd"[k]) for k in (network.treated, 0)]
    own = overlap(sample, *arms)
    compared = support(rows.adjustment(adjustment, rows.numeric), *arms).rows
    places = [names.index(name) for name in adjustment]
    codes = [_codes_like(rows, v, population, drawn) for v in places]
    n = len(population.change)
    members = np.ones(n, dtype=np.bool_)
    if not adjustment:
        return Support(own, members & bool(own.any()), 0.0)
    sample_codes = [np.asarray(one) for one in sample.codes]
    allowed = _judged(sample_codes, own, codes)
    found = np.unique(_keys(codes), return_inverse=True)[1]
    n_strata = int(found.max()) + 1
    sizes = np.bincount(found, minlength=n_strata)
    settings = population.values[network.treatment]
    lacking = np.zeros(n_strata, dtype=np.bool_)
    for k in (network.treated, 0):
        lacking |= np.bincount(found[settings == k], minlength=n_strata) == 0
    bad = (lacking & (sizes >= _ROWS_WITHOUT))[found]
    outside = float(bad[allowed].mean()) if allowed.any() else 0.0
    return Support(compared, allowed if (compared == own).all() else None, outside)


def _judged(
    sample: Sequence[NDArray[np.integer]],
    own: NDArray[np.bool_],
    codes: Sequence[NDArray[np.integer]],
) -> NDArray[np.bool_]:
    """Say of members what the sample says of their stratum; of strata that it lacks, of pairs."""
    result = np.ones(len(codes[0]), dtype=np.bool_)
    n = len(sample)
    for i in range(n):
        for j in range(i, n):
            kept = _keys([sample[i][own], sample[j][own]])
            result &= np.isin(_keys([codes[i], codes[j]]), np.unique(kept))
    lost = np.setdiff1d(_keys([s[~own] for s in sample]), _keys([s[own] for s in sample]))
    return result & ~np.isin(_keys(codes), lost)


def _keys(codes: Sequence[NDArray[np.integer]]) -> NDArray[np.int64]:
    key = np.zeros(len(codes[0]), dtype=np.int64)
    for one in codes:
        key = key * 64 + one
    return key


def _codes_like(
    rows: ContrastRows, variable: int, population: Population, drawn: Population
) -> NDArray[np.int64]:
    """Return the states, or bins of the fit, of a population's values."""
    name, values = population.network.names[variable], population.values[variable]
    categories = rows.table.categories[rows.table.names.index(name)]
    if population.network.variables[variable].n_states:
        place = [categories.index(one) if one in categories else 63 for one in "abcd"]
        return np.array(place)[values.astype(np.intp)]
    codes, numbers = rows.codes(name), drawn.values[variable][rows.kept]
    ends = [
        (numbers[codes == k].max(initial=-np.inf), numbers[codes == k + 1].min(initial=np.inf))
        for k in range(len(categories) - 1)
    ]
    edges = np.array([low if np.isinf(high) else (low + high) / 2 for low, high in ends])
    return np.searchsorted(edges, values, side="right").astype(np.int64)
