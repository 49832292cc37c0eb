"""Answers about networks with numbers.

In: a `MixedModel`, a target, what is given. Out: a `NumberAnswer`, or the shares of labels.
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtri

from bnsieve.network.discrete.answers import Distribution
from bnsieve.network.discrete.evidence import in_words, nearest
from bnsieve.network.mixed.exact import exact_mixture, why_not_exact
from bnsieve.network.mixed.model import MixedModel
from bnsieve.network.mixed.scale import Scale, Values
from bnsieve.text import listed

LEVELS = (0.05, 0.25, 0.5, 0.75, 0.95)
# Fewer effective draws are no answer.
_FEWEST = 10


@dataclass(frozen=True, eq=False, repr=False)
class NumberAnswer:
    """What a number is expected to be.

    Attributes
    ----------
    name : str
    mean, deviation : float
        Expected value and standard deviation, in the units of the data.
    quantiles : mapping from float to float
        The value that the number is below with probability .05, .25, .5, .75 and .95.
    given : str
        What was given, in words.
    error : float or None
        The standard error of `mean`, if the answer comes from sampling.
    effective_draws : float or None
        How many draws without evidence the sample is worth, if the answer comes from one.
    """

    name: str
    mean: float
    deviation: float
    quantiles: Mapping[float, float]
    given: str = ""
    error: float | None = None
    effective_draws: float | None = None

    def __repr__(self) -> str:
        head = self.name + (f" given {self.given}" if self.given else "")
        if self.effective_draws is not None:
            head += f" (sampled, worth {self.effective_draws:,.0f} draws)"
        sure = "" if self.error is None else f"  s.e. {self.error:.4g}"
        lines = [head, f"  mean  {self.mean:.4g}{sure}", f"  s.d.  {self.deviation:.4g}"]
        lines += [f"  {level:4.0%}  {value:.4g}" for level, value in self.quantiles.items()]
        return "\n".join(lines)


def read_given(model: MixedModel, target: str, given: Mapping[str, Any]) -> dict[str, float]:
    """Return values of numbers and codes of labels, checked."""
    found: dict[str, float] = {}
    for name in (target, *given):
        if name not in model.parents:
            raise ValueError(f"the network has no node {name!r}{nearest(name, model.parents)}.")
    if target in given:
        raise ValueError(f"{target!r} is both asked for and given: leave it out of one of them.")
    for name, value in given.items():
        if isinstance(value, Mapping):
            raise ValueError(
                f"{name!r} is given by likelihoods, which networks with numbers do not take: give "
                "a label or a number."
            )
        if model.is_number(name):
            found[name] = _number(name, value)
        elif value in model.levels[name]:
            found[name] = model.levels[name].index(value)
        else:
            labels = model.levels[name]
            raise ValueError(
                f"{name!r} has no label {value!r}{nearest(value, labels)}; its labels are "
                f"{listed(map(repr, labels))}."
            )
    return found


def expected(
    model: MixedModel, target: str, given: Mapping[str, Any], n_draws: int | None, seed: int
) -> NumberAnswer:
    """Say what a number is expected to be: exactly, or by as many draws as wanted."""
    known = read_given(model, target, given)
    if not model.is_number(target):
        raise ValueError(f"{target!r} is a label: query({target!r}) gives its probabilities.")
    relevant = model.relevant([target, *known])
    if n_draws is None:
        _check_exact(model, relevant, known)
        _, _, shares, means, variances = exact_mixture(model, target, relevant, known)
        mean = float(shares @ means)
        deviation = math.sqrt(max(0.0, float(shares @ (variances + (means - mean) ** 2))))
        deviations = np.sqrt(np.maximum(variances, 1e-300))
        kept = shares > 0
        mixture = Scale(0.0, 1.0, False, shares[kept], means[kept], deviations[kept])
        values = mixture.from_scores(ndtri(np.array(LEVELS)))
        return NumberAnswer(
            target,
            mean,
            deviation,
            dict(zip(LEVELS, values.tolist(), strict=True)),
            in_words(given),
        )
    columns, weights, n_effective = _weighted(model, relevant, known, n_draws, seed)
    drawn = columns[target].astype(np.float64)
    mean = float(weights @ drawn)
    off = drawn - mean
    order = np.argsort(drawn)
    levels = np.cumsum(weights[order]) - 0.5 * weights[order]
    values = np.interp(LEVELS, levels, drawn[order])
    return NumberAnswer(
        target,
        mean,
        math.sqrt(float(weights @ off**2)),
        dict(zip(LEVELS, values.tolist(), strict=True)),
        in_words(given),
        math.sqrt(float((weights**2) @ off**2)),
        n_effective,
    )


def label_shares(
    model: MixedModel, target: str, given: Mapping[str, Any], n_draws: int | None, seed: int
) -> Distribution:
    """Say how probable each label of a column is: exactly, or by as many draws as wanted."""
    known = read_given(model, target, given)
    if model.is_number(target):
        raise ValueError(f"{target!r} is a number: expect({target!r}) says what it may be.")
    relevant = model.relevant([target, *known])
    n_levels = len(model.levels[target])
    names, levels, words = (target,), (model.levels[target],), in_words(given)
    if n_draws is None:
        _check_exact(model, relevant, known)
        opened, configurations, weights, _, _ = exact_mixture(model, None, relevant, known)
        own = configurations[:, opened.index(target)]
        return Distribution(names, levels, _sums(own, weights, n_levels), words)
    columns, weights, n_effective = _weighted(model, relevant, known, n_draws, seed)
    codes = columns[target].astype(np.intp)
    shares, squares = (_sums(codes, one, n_levels) for one in (weights, weights**2))
    variance = squares * (1 - 2 * shares) + (weights**2).sum() * shares**2
    errors = np.maximum(np.sqrt(np.maximum(variance, 0)), 1 / n_effective)
    return Distribution(names, levels, shares, words, errors=errors, effective_draws=n_effective)


def _check_exact(model: MixedModel, relevant: set[str], given: Mapping[str, float]) -> None:
    reason = why_not_exact(model, relevant, given)
    if reason is not None:
        raise ValueError(f'there is no exact answer, because {reason}: ask with method="sampling".')


def _weighted(
    model: MixedModel, relevant: set[str], given: Mapping[str, float], n_draws: int, seed: int
) -> tuple[dict[str, Any], Values, float]:
    """Return draws, their shares of the whole, and how many they are worth."""
    columns, logs = model.draw_given(relevant, given, n_draws, seed)
    top = logs.max()
    weights = np.exp(logs - top) if np.isfinite(top) else np.zeros(n_draws)
    total = weights.sum()
    n_effective = float(total**2 / (weights**2).sum()) if total > 0 else 0.0
    if n_effective < _FEWEST:
        raise ValueError(
            f"{n_draws:,} draws are worth only {n_effective:.1f} given what is known: it is too "
            "improbable, or impossible. Raise n_draws, or give less."
        )
    return columns, weights / total, n_effective


def _sums(codes: NDArray[np.intp], weights: Values, n_levels: int) -> Values:
    """Return the sum of the weights of each code."""
    sums: Values = np.bincount(codes, weights, n_levels).astype(np.float64)
    return sums


def _number(name: str, value: Any) -> float:
    try:
        number = float(value)
    except (TypeError, ValueError):
        number = math.nan
    if not math.isfinite(number):
        raise ValueError(f"{name!r} is a number, but {value!r} is given: give a finite number.")
    return number
