"""How far a learned graph may be off at one answer: missing edges, and the rows that match.

In: draws of an answer from CPTs, what the graph says, and how often the targets' states occur among
the rows that match the evidence. Out: draws that allow for missing edges; whether the rows
contradict the graph.

A learned graph lacks edges that are too weak to be found. They shift an answer p to another
distribution, which we take to be Dirichlet with mean p and concentration s: as if s further rows
had confirmed p. An edge between target and evidence could hide from the search only if its effect
is of the size of a standard error, so that s is of the order of n, the number of rows with that
piece of evidence. Half of the prior says that no edge is missing. The other half is shared by the
pieces of evidence, and falls by half with every factor of four in s below n.

The matching rows then tell. Their frequencies differ from p by the shift and by noise, and the
noise has the variance of the frequencies less that of p, because p was estimated from these rows
too and uses them as well as can be (Hausman, 1978).
"""

from collections.abc import Sequence
from dataclasses import dataclass
from math import inf

import numpy as np
from numpy.typing import NDArray
from scipy.special import gammaln

from bnsieve.network.discrete.evidence import Evidence, state_positions
from bnsieve.network.discrete.model import Model, Values
from bnsieve.table import Table

# Prior probability that no missing edge shifts the answer.
_FITS = 0.5
# Steps of the concentrations, from one step above the rows of a piece of evidence downwards, and
# the share of the prior that the next one has.
_STEP = 4.0
_NEXT = 0.5
# The variance of the difference between frequencies and answer is at least this share of that of
# the frequencies: both variances are estimates.
_LEAST_NOISE = 0.25
# The rows contradict the graph if there are so many of them, and a shift is so probable.
MIN_MATCHING = 30
_CERTAIN = 0.95
# Probabilities below are those of states that no row has.
_TINY = 1e-9


@dataclass(frozen=True, eq=False)
class MatchingRows:
    """The rows of a fit that match evidence.

    Attributes
    ----------
    counts : ndarray of float64 or None
        How often the targets have each of their states there, one axis per target. None if the
        rows are not at hand, or the evidence holds likelihoods.
    each : tuple of float
        For each piece of evidence, the rows that match it alone, in ascending order.
    effect : float
        By how much rows count less because those of one entity belong together.
    """

    counts: Values | None
    each: tuple[float, ...]
    effect: float = 1.0


def matching_rows(
    rows: Table, model: Model, targets: Sequence[int], evidence: Evidence
) -> NDArray[np.bool_]:
    """Return which rows match the evidence, and have no missing value of it or of the targets."""
    matches = np.full(rows.n_rows, True)
    for variable in (*evidence.hard, *targets):
        name = model.names[variable]
        column = rows.names.index(name)
        if column in rows.missing:
            matches &= ~rows.missing[column]
        if variable in evidence.hard:
            positions = state_positions(name, rows.categories[column], model.states[variable])
            matches &= positions[rows.codes[column]] == evidence.hard[variable]
    return matches


def count_matching(
    rows: Table, model: Model, targets: Sequence[int], evidence: Evidence
) -> Values | None:
    """Count the targets' states among the rows that match the evidence; None for likelihoods.

    Rows in which one of these values is missing are left out.
    """
    if evidence.soft:
        return None
    places = {name: column for column, name in enumerate(rows.names)}
    matches = np.full(rows.n_rows, True)
    codes = []
    for variable in (*(v for v in evidence.hard if model.n_states[v] > 1), *targets):
        name = model.names[variable]
        column = places[name]
        positions = state_positions(name, rows.categories[column], model.states[variable])
        if column in rows.missing:
            matches &= ~rows.missing[column]
        if variable in evidence.hard:
            code = np.flatnonzero(positions == evidence.hard[variable])
            matches &= rows.codes[column] == code[0] if len(code) else False
            if not matches.any():
                return np.zeros([model.n_states[v] for v in targets])
        else:
            codes.append(positions[rows.codes[column]])
    shape = tuple(model.n_states[v] for v in targets)
    # A target with one state has no codes of its own above.
    cells = [own[matches] for own in codes] or [np.zeros(int(matches.sum()), dtype=np.int32)]
    open_shape = tuple(n for v, n in zip(targets, shape, strict=True) if v not in evidence.hard)
    flat = np.ravel_multi_index(cells, open_shape or (1,))
    counts = np.bincount(flat, minlength=int(np.prod(shape))).astype(np.float64)
    return counts.reshape(shape)


@dataclass(frozen=True, eq=False)
class Shift:
    """The posterior of a shift of an answer by missing edges.

    Attributes
    ----------
    probability : float
        That there is one.
    concentrations, weights : ndarray of float64, shape (n,)
        Its possible sizes, and how probable each is if there is one.
    frequencies : ndarray of float64, shape (n_states,)
        Of the matching rows; the answer where there are none.
    n_informative : float
        The rows that the difference between frequencies and answer is worth.
    """

    probability: float
    concentrations: Values
    weights: Values
    frequencies: Values
    n_informative: float

    @classmethod
    def of(cls, draws: Values, answer: Values, matching: MatchingRows) -> "Shift | None":
        """Return the posterior; None if nothing is given, or only one answer is possible.

        `draws`, shape (n_draws, n_states), and `answer` are those of the graph.
        """
        spread = float((answer * (1.0 - answer)).sum())
        if not matching.each or spread < _TINY:
            return None
        concentrations, prior = _prior([own / matching.effect for own in matching.each])
        counts = np.zeros_like(answer) if matching.counts is None else matching.counts.ravel()
        counts = counts / matching.effect
        n = float(counts.sum())
        noise = 0.0
        if n:
            noise = max(spread / n - float(draws.var(axis=0).sum()), _LEAST_NOISE * spread / n)
        informative = spread / noise if n else 0.0
        frequencies = counts / n if n else answer
        logs = np.log(prior) + _log_evidence(informative * frequencies, answer, concentrations)
        highest = float(logs.max())
        odds = np.exp(logs - highest)
        log_odds = highest + float(np.log(odds.sum())) + np.log((1.0 - _FITS) / _FITS)
        probability = 1.0 / (1.0 + np.exp(-np.clip(log_odds, -700.0, 700.0)))
        return cls(float(probability), concentrations, odds / odds.sum(), frequencies, informative)

    def applied(self, draws: Values, answer: Values, rng: np.random.Generator) -> Values:
        """Return the draws, shape (n_draws, n_states), each shifted as one draw of the posterior.

        The shift is drawn towards the frequencies, as far as its size and their noise let them
        tell, and has what is left of its own variance.
        """
        sizes = rng.choice(self.concentrations, size=len(draws), p=self.weights)
        sizes = np.where(rng.random(len(draws)) < self.probability, sizes, inf)
        shifted = np.flatnonzero(np.isfinite(sizes))
        size = sizes[shifted, np.newaxis]
        told = self.n_informative / (self.n_informative + size)
        safe = np.maximum(answer, _TINY)
        means = draws[shifted] * (1.0 - told + told * self.frequencies / safe)
        means /= means.sum(axis=1, keepdims=True)
        parts = rng.standard_gamma(np.maximum(means * (self.n_informative + size), _TINY))
        sums = parts.sum(axis=1, keepdims=True)
        moved = draws.copy()
        moved[shifted] = np.where(sums > 0, parts / np.where(sums > 0, sums, 1.0), means)
        return moved

    @property
    def is_certain(self) -> bool:
        """Whether the rows leave hardly a doubt that the answer is shifted."""
        return self.probability > _CERTAIN


def _prior(each: Sequence[float]) -> tuple[Values, Values]:
    """Return the concentrations of all pieces of evidence, and the prior weight of each."""
    concentrations: list[float] = []
    weights: list[Values] = []
    for n in each:
        steps = max(1, 1 + int(np.floor(np.log(max(n, 1.0)) / np.log(_STEP))))
        own = _NEXT ** np.maximum(np.arange(-1, steps), 0)
        concentrations += [max(n, 1.0) * _STEP**-step for step in range(-1, steps)]
        weights.append(own / own.sum() / len(each))
    return np.array(concentrations), np.concatenate(weights)


def _log_evidence(counts: Values, answer: Values, concentrations: Values) -> NDArray[np.float64]:
    """Return the log Bayes factor of a shift of each size: counts are Dirichlet multinomial."""
    safe = np.maximum(answer, _TINY)
    total = counts.sum()
    imagined = concentrations[:, np.newaxis] * safe
    logs: Values = gammaln(concentrations) - gammaln(concentrations + total)
    logs += (gammaln(imagined + counts) - gammaln(imagined)).sum(axis=1)
    logs -= float((counts * np.log(safe)).sum())
    return logs
