"""How sure an answer is: an interval from draws of the tables, and of graphs.

In: posteriors of tables, one for each graph that is to be believed, and a question. Out: for every
probability of the answer the ends of an interval. Each draw answers the question; an interval holds
the middle of the answers.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from bnsieve.network.answers.elimination import Versions, distribution, planned
from bnsieve.network.answers.posterior import TablePosterior
from bnsieve.network.discrete.answers import Distribution
from bnsieve.network.discrete.evidence import Evidence, Given, named_targets, read_evidence
from bnsieve.network.discrete.model import Values
from bnsieve.network.discrete.ordering import Order
from bnsieve.network.discrete.relevant import parts

N_DRAWS = 400
# Of the draws: the same question has the same interval.
SEED = 0
# Arrays of a batch of draws; a larger question is answered by smaller batches.
_MAX_CELLS = 1 << 24


def checked_level(interval: float | None) -> float | None:
    """Return how often an interval is to hold the truth, if it is a share."""
    if interval is None:
        return None
    if isinstance(interval, bool) or not 0 < interval < 1:
        raise ValueError(
            f"interval must be a share between 0 and 1, such as 0.9; got {interval!r}."
        )
    return float(interval)


def with_interval(
    answer: Distribution,
    posteriors: Sequence[TablePosterior],
    given: Given | None,
    level: float,
) -> Distribution:
    """Return an answer with an interval for each of its probabilities.

    Parameters
    ----------
    answer : Distribution
    posteriors : sequence of TablePosterior
        Each of a graph that may be true; the first is that of the answer.
    given : mapping from str to label or likelihoods, or None
        What the answer was given.
    level : float
        Share of the draws that an interval holds.
    """
    draws = drawn_answers(posteriors, answer.names, given, N_DRAWS, SEED)
    asked = _Asked.of(posteriors[0], answer.names, given)
    # By observed shares, what was never seen is impossible. No draw would say so, and it may be
    # true: an interval begins at 0 where nothing speaks against it.
    observed = asked.answer([posteriors[0].shares(one, asked.evidence) for one in asked.tables])[0]
    observed = np.where(np.isnan(observed), answer.probabilities, observed)
    low, high = interval_ends(draws, level, answer.probabilities, observed)
    return replace(answer, low=low, high=high, interval=level)


def interval_ends(draws: Values, level: float, *included: Values) -> tuple[Values, Values]:
    """Return the ends of the middle of draws, widened to hold some answers in any case.

    Parameters
    ----------
    draws : ndarray of float64, shape (n_draws, ...)
    level : float
    *included : ndarray of float64, shape (...)
    """
    tail = (1.0 - level) / 2
    low, high = np.quantile(draws, [tail, 1.0 - tail], axis=0)
    return np.minimum.reduce([low, *included]), np.maximum.reduce([high, *included])


def drawn_answers(
    posteriors: Sequence[TablePosterior],
    targets: Sequence[str],
    given: Given | None,
    n_draws: int,
    seed: int,
) -> Values:
    """Answer one question with drawn tables.

    Parameters
    ----------
    posteriors : sequence of TablePosterior
        Over the same variables and labels; each has its share of the draws.
    targets : sequence of str
        Whose joint distribution is asked for.
    given : mapping from str to label or likelihoods, or None
    n_draws : int
        At least so many.
    seed : int

    Returns
    -------
    ndarray of float64, shape (n_draws or more, one axis per target)
    """
    each = -(-n_draws // len(posteriors))
    streams = np.random.SeedSequence(seed).spawn(len(posteriors))
    found = []
    for posterior, stream in zip(posteriors, streams, strict=True):
        asked = _Asked.of(posterior, targets, given)
        rng = np.random.default_rng(stream)
        batch = min(each, max(1, _MAX_CELLS // asked.order.n_largest))
        for first in range(0, each, batch):
            size = min(batch, each - first)
            drawn = [posterior.draw(one, asked.evidence, size, rng) for one in asked.tables]
            answer = asked.answer(drawn)
            found.append(np.broadcast_to(answer, (size, *answer.shape[1:])))
    return np.concatenate(found)


@dataclass(frozen=True, eq=False)
class _Asked:
    """A question to one graph: which tables bear on it, and in which order they are summed."""

    evidence: Evidence
    targets: tuple[int, ...]
    tables: tuple[int, ...]
    likelihoods: tuple[Versions, ...]
    order: Order
    shape: tuple[int, ...]

    @classmethod
    def of(cls, posterior: TablePosterior, targets: Sequence[str], given: Given | None) -> "_Asked":
        """Prepare a question."""
        model = posterior.model
        evidence = read_evidence(model, given)
        kept = named_targets(model, targets, evidence)
        # A target with one label is known, and needs no table.
        asked = [v for v in kept if v not in evidence.hard]
        around = [part for part in parts(model, asked, evidence) if set(part.open) & set(asked)]
        tables = tuple(table for part in around for table in part.tables)
        soft = {v: weights for v, weights in evidence.soft.items() if v not in evidence.hard}
        near = {v for part in around for v in part.open}
        likelihoods = [Versions((v,), soft[v][np.newaxis]) for v in soft if v in near]
        scopes = [posterior.scope(table, evidence) for table in tables]
        order = planned(scopes, asked, model.n_levels)
        shape = tuple(model.n_levels[v] for v in kept)
        return cls(evidence, tuple(asked), tables, tuple(likelihoods), order, shape)

    def answer(self, tables: Sequence[Versions]) -> Values:
        """Return the joint distribution of the targets, shape (n_versions, levels ...)."""
        found = distribution([*tables, *self.likelihoods], self.targets, self.order)
        return found.reshape(-1, *self.shape)
