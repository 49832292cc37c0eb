"""The posterior of conditional probability tables (CPTs), and the intervals of queries.

In: counts of each variable with its parents, and a query. Out: draws of the CPTs, only of the rows
that a query needs; for every probability of an answer the ends of an interval. Each draw answers
the query, of one graph or of several that may be true; an interval holds the middle of the answers.
If the graph was learned, it also holds the middle of answers that missing edges may have shifted
(`bnsieve.network.misfit`). One elimination serves a whole batch of draws.
"""

from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from math import prod
from zlib import crc32

import numpy as np
from scipy.special import betaincinv

from bnsieve.counts import JointCounts, count
from bnsieve.graph import Graph
from bnsieve.network.discrete.cliques import Order, best_order
from bnsieve.network.discrete.evidence import (
    Evidence,
    Given,
    named_targets,
    parts,
    read_evidence,
    state_positions,
)
from bnsieve.network.discrete.model import Factor, Model, Values
from bnsieve.network.discrete.results import Distribution
from bnsieve.network.entity_draws import EntityDraws
from bnsieve.network.misfit import (
    MIN_MATCHING,
    MatchingRows,
    Shift,
    count_matching,
    matching_rows,
)
from bnsieve.table import Table

States = Mapping[str, tuple[Hashable, ...]]

# The prior of the point estimates, one imagined row spread over all cells, but with no less than
# this in a cell: else what was not seen would be impossible. More, as Jeffreys' half a
# row per cell, draws large CPTs towards even odds, all rows alike, and the errors add up.
# Measured in `benchmarks/answers`: 90 % intervals then hold the truth in 88 to 90 of 100 cases.
LEAST = 0.03
N_DRAWS = 400
# Where fewer draws lie beyond an end, a distribution is fitted to them.
_FEWEST_BEYOND = 10
# Of the draws: the same query has the same interval.
SEED = 0
# Arrays of a batch of draws; a larger query is answered by smaller batches.
_MAX_CELLS = 1 << 24
# A larger CPT is refused: nearly all of it would be zeros.
_MAX_CPT_CELLS = 1 << 26


@dataclass(frozen=True, eq=False)
class CptPosterior:
    """The Dirichlet posterior of each row of each CPT.

    Attributes
    ----------
    model : Model
        Names, states and parents; its CPTs are not used.
    counts : callable
        From the position of a variable to how often its states occur with those of its parents,
        one axis each, its own last.
    settled : mapping from int to ndarray of float64
        CPTs that are known, as those of variables that were set.
    entities : EntityDraws or None
        Where rows of one entity belong together: draws the counts by entity.
    """

    model: Model
    counts: Callable[[int], Values]
    settled: Mapping[int, Values] = field(default_factory=dict)
    entities: EntityDraws | None = None
    _margins: dict[int, Values] = field(default_factory=dict)

    def scope(self, variable: int, evidence: Evidence) -> tuple[int, ...]:
        """Return the variables of a CPT that are not in the evidence."""
        return tuple(v for v in self.model.family(variable) if v not in evidence.hard)

    def draw(
        self, variable: int, evidence: Evidence, n: int, rng: np.random.Generator, first: int = 0
    ) -> Factor:
        """Draw a variable's CPT at the states in the evidence; the first axis numbers the draws.

        With entities, draws are numbered from `first` on.
        """
        if variable in self.settled:
            return self.observed(variable, evidence)
        counts = self.counts(variable)
        imagined = max(1.0 / counts.size, LEAST)
        counts = counts[self._rows(variable, evidence)]
        weights = counts + imagined
        if self.entities is not None:
            weights = np.full_like(weights, imagined)
        # Parents in the order of their names, so that the order of columns changes no draw.
        open_parents = [v for v in self.model.parents[variable] if v not in evidence.hard]
        names = [self.model.names[v] for v in open_parents]
        axes = [*sorted(range(len(names)), key=names.__getitem__), len(names)]
        table = rng.standard_gamma(weights.transpose(axes), (n, *(weights.shape[i] for i in axes)))
        table = table.transpose([0, *(1 + axes.index(i) for i in range(len(axes)))])
        if self.entities is not None:
            table = table + self.entities.cells(self.model, variable, evidence, counts, first, n)
        table /= table.sum(axis=-1, keepdims=True)
        return self._factor(variable, evidence, table)

    def observed(self, variable: int, evidence: Evidence) -> Factor:
        """Return a variable's observed frequencies; even odds where nothing was observed."""
        table = self.settled.get(variable)
        if table is None:
            counts = self.counts(variable)
            totals = counts.sum(axis=-1, keepdims=True)
            even = np.full_like(counts, 1.0 / counts.shape[-1])
            table = np.divide(counts, totals, out=even, where=totals > 0)
        return self._factor(variable, evidence, table[self._rows(variable, evidence)][np.newaxis])

    def rows_of_each(self, evidence: Evidence) -> tuple[float, ...]:
        """Return how many rows have each piece of evidence, and each state that was set.

        Likelihoods count the rows of the most likely state, and those of others in proportion.
        """
        weights = {v: np.eye(self.model.n_states[v])[code] for v, code in evidence.hard.items()}
        weights |= evidence.soft | {v: table.ravel() for v, table in self.settled.items()}
        found = []
        for variable, weight in weights.items():
            if self.model.n_states[variable] > 1:
                if variable not in self._margins:
                    counts = self.counts(variable)
                    self._margins[variable] = counts.reshape(-1, len(weight)).sum(axis=0)
                found.append(float(self._margins[variable] @ weight / weight.max()))
        return tuple(sorted(found))

    def _factor(self, variable: int, evidence: Evidence, rows: Values) -> Factor:
        own = evidence.hard.get(variable, slice(None))
        return Factor(self.scope(variable, evidence), rows[..., own])

    def _rows(self, variable: int, evidence: Evidence) -> tuple[int | slice, ...]:
        """Return where in a CPT the parents' states in the evidence are."""
        return tuple(evidence.hard.get(v, slice(None)) for v in self.model.parents[variable])


def posterior_of(
    dag: Graph,
    states: States,
    counts: Callable[[int], Values],
    settled: Mapping[int, Values],
    entities: EntityDraws | None = None,
) -> CptPosterior:
    """Return the posterior of the CPTs of a DAG, whose nodes are numbered in their order.

    Parents are in the order of ``dag.parents(name)``; the rest is as in `CptPosterior`.
    """
    parents = {name: dag.parents(name) for name in dag.nodes}
    return CptPosterior(Model.of(dag.nodes, states, parents, None), counts, settled, entities)


@dataclass(frozen=True, eq=False)
class FamilyCounter:
    """Counts families in rows when they are first asked for, and keeps them for other graphs.

    Attributes
    ----------
    rows : Table
    states : mapping from str to tuple of states
        Of the network that is asked; all states in the rows are among them.
    is_graph_learned : bool
        Whether edges may be missing from the graphs; else they are taken to be true.
    entities : EntityDraws or None
        As in `CptPosterior`.
    """

    rows: Table
    states: States
    is_graph_learned: bool = False
    entities: EntityDraws | None = None
    _counted: dict[tuple[str, ...], Values] = field(default_factory=dict)

    def posterior(self, dag: Graph, settled: Mapping[int, Values] | None = None) -> CptPosterior:
        """Return the posterior of the CPTs of any DAG over the variables."""
        counts = partial(self._counts, dag)
        return posterior_of(dag, self.states, counts, settled or {}, self.entities)

    def _counts(self, dag: Graph, variable: int) -> Values:
        name = dag.nodes[variable]
        family = (*dag.parents(name), name)
        if family not in self._counted:
            names = self.rows.names
            observed = {one: self.rows.categories[names.index(one)] for one in family}
            counts = count(self.rows, [names.index(one) for one in family])
            self._counted[family] = family_cells(family, counts, observed, self.states)
        return self._counted[family]


def family_cells(
    family: tuple[str, ...], counts: JointCounts, observed: States, states: States
) -> Values:
    """Return counts of a family as a dense array, one axis per variable, over `states`.

    Parameters
    ----------
    family : tuple of str
        The parents, and the variable itself last.
    counts : JointCounts
    observed : mapping from str to tuple of states
        Those that the counts are numbered by.
    states : mapping from str to tuple of states
        Those that the array is to have.

    Raises
    ------
    ValueError
        If the array would be too large, or an observed state is not among `states`.
    """
    shape = tuple(len(states[variable]) for variable in family)
    if prod(shape) > _MAX_CPT_CELLS:
        raise ValueError(
            f"the CPT of {family[-1]!r} given its {len(family) - 1} parents would have "
            f"{prod(shape):,} cells, more than {_MAX_CPT_CELLS:,}: learn a sparser graph, or "
            "merge rare states"
        )
    complete = counts.complete()
    cells = np.zeros(shape)
    place = zip(family, complete.configurations, strict=True)
    at = (state_positions(name, observed[name], states[name])[codes] for name, codes in place)
    cells[tuple(at)] = complete.counts
    return cells


def checked_level(interval: float | None) -> float | None:
    """Return the level of an interval if it is between 0 and 1."""
    if interval is None:
        return None
    if isinstance(interval, bool | str) or not 0 < interval < 1:
        raise ValueError(
            f"interval must be a share between 0 and 1, such as 0.9; got {interval!r}."
        )
    return float(interval)


@dataclass(frozen=True, eq=False)
class IntervalSource:
    """What the intervals of a network come from.

    Attributes
    ----------
    posteriors : sequence of CptPosterior
        Each of a graph that may be true; the first is that of the answers.
    is_graph_learned : bool
        Whether edges may be missing; else the graph is taken to be true.
    rows : Table or None
        The rows of the fit, or a sample of them; None if they are not at hand.
    """

    posteriors: Sequence[CptPosterior]
    is_graph_learned: bool = False
    rows: Table | None = None

    def matching(self, query: "_Query", targets: Sequence[int]) -> MatchingRows:
        """Return the rows that match the evidence of a query."""
        counts, effect = None, 1.0
        model, entities = self.posteriors[0].model, self.posteriors[0].entities
        if self.rows is not None:
            counts = count_matching(self.rows, model, targets, query.evidence)
        if entities is not None and not query.evidence.soft:
            matches = matching_rows(entities.rows, model, targets, query.evidence)
            effect = entities.design_effect(model, targets, matches)
        return MatchingRows(counts, self.posteriors[0].rows_of_each(query.evidence), effect)


def with_interval(
    answer: Distribution, source: IntervalSource, given: Given | None, level: float
) -> Distribution:
    """Return an answer with an interval for each of its probabilities.

    Parameters
    ----------
    answer : Distribution
    source : IntervalSource
    given : mapping from str to state or likelihoods, or None
        The evidence of the answer.
    level : float
        Share of the draws that an interval holds.
    """
    posterior = source.posteriors[0]
    draws = drawn_answers(source.posteriors, answer.names, given)
    query = _Query.of(posterior, answer.names, given)
    # By observed frequencies, what was never seen is impossible. No draw would say so, and it may
    # be true: an interval begins at 0 where no row contradicts it.
    observed = query.answer([posterior.observed(v, query.evidence) for v in query.tables])[0]
    observed = np.where(np.isnan(observed), answer.probabilities, observed)
    ends = interval_ends(draws, level, answer.probabilities, observed)
    answer = replace(answer, low=ends[0], high=ends[1], interval=level, covers="parameters")
    if not source.is_graph_learned:
        return answer
    targets = [posterior.model.index[name] for name in answer.names]
    return _with_misfit(answer, draws, source.matching(query, targets), level)


def _with_misfit(
    answer: Distribution, draws: Values, matching: MatchingRows, level: float
) -> Distribution:
    """Return an answer whose interval also allows for missing edges of the graph."""
    answer = replace(answer, covers="parameters and graph")
    if matching.counts is not None:
        n = int(matching.counts.sum())
        frequencies = matching.counts / n if n else None
        answer = replace(answer, matching_rows=n, frequencies=frequencies)
    flat = draws.reshape(len(draws), -1)
    shift = Shift.of(flat, answer.probabilities.ravel(), matching)
    if shift is None:
        return answer
    moved = shifted_draws(draws, answer.probabilities, shift)
    assert answer.low is not None
    assert answer.high is not None
    low, high = interval_ends(moved, level, answer.low, answer.high)
    return replace(answer, low=low, high=high, misfit=_misfit_in_words(answer, shift))


def shifted_draws(draws: Values, answer: Values, shift: Shift, seed: int = SEED) -> Values:
    """Return draws of an answer that missing edges may have shifted."""
    rng = np.random.default_rng([seed, 1])
    moved = shift.applied(draws.reshape(len(draws), -1), answer.ravel(), rng)
    return moved.reshape(draws.shape)


def effect_ends(
    posterior: CptPosterior,
    outcome: str,
    given: Given | None,
    answer: Values,
    level: float,
    is_graph_learned: bool,
) -> tuple[Values, Values]:
    """Return the ends of intervals for the outcome of an intervention.

    No rows match an intervention, so that only the prior tells how far missing edges may shift it.
    """
    draws = drawn_answers([posterior], (outcome,), given)
    low, high = interval_ends(draws, level, answer)
    evidence = read_evidence(posterior.model, given)
    mean = draws.mean(axis=0)
    shift = Shift.of(draws, mean, MatchingRows(None, posterior.rows_of_each(evidence)))
    if shift is None or not is_graph_learned:
        return low, high
    return interval_ends(shifted_draws(draws, mean, shift), level, low, high)


def _misfit_in_words(answer: Distribution, shift: Shift) -> str:
    """Say that the rows contradict the graph, if their frequencies lie outside its interval."""
    n, frequencies = answer.matching_rows, answer.frequencies
    if n is None or frequencies is None or n < MIN_MATCHING or not shift.is_certain:
        return ""
    assert answer.low is not None
    assert answer.high is not None
    outside = np.maximum(answer.low - frequencies, frequencies - answer.high)
    if outside.max() <= 0:
        return ""
    place = np.unravel_index(int(outside.argmax()), outside.shape)
    state = ", ".join(
        f"{name} = {own[i]}"
        for name, own, i in zip(answer.names, answer.states, place, strict=True)
    )
    share = float(frequencies[place])
    return f"the graph does not fit here: {state} in {share:.4f} of {n:,} matching rows"


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
    if tail * len(draws) < _FEWEST_BEYOND:
        fitted = _beta_ends(draws, tail)
        low, high = np.minimum(low, fitted[0]), np.maximum(high, fitted[1])
    return np.minimum.reduce([low, *included]), np.maximum.reduce([high, *included])


def _beta_ends(draws: Values, tail: float) -> tuple[Values, Values]:
    """Return the ends that beta distributions of the mean and variance of the draws have.

    Beyond the few outermost draws they say nothing themselves, and a wider interval stays wider.
    """
    mean, variance = draws.mean(axis=0), draws.var(axis=0)
    spread = mean * (1.0 - mean)
    varies = (variance > 0) & (variance < spread)
    n = np.where(varies, spread / np.where(varies, variance, 1.0) - 1.0, 1.0)
    a, b = np.where(varies, mean * n, 1.0), np.where(varies, (1.0 - mean) * n, 1.0)
    low = np.where(varies, betaincinv(a, b, tail), mean)
    # The upper end by the distribution of what is left: 1 - tail may be 1 in floats.
    return low, np.where(varies, 1.0 - betaincinv(b, a, tail), mean)


def drawn_answers(
    posteriors: Sequence[CptPosterior],
    targets: Sequence[str],
    given: Given | None,
    n_draws: int = N_DRAWS,
    seed: int = SEED,
) -> Values:
    """Answer one query with drawn CPTs.

    Parameters
    ----------
    posteriors : sequence of CptPosterior
        Over the same variables and states; each has its share of the draws.
    targets : sequence of str
        Whose joint distribution is asked for.
    given : mapping from str to state or likelihoods, or None
    n_draws : int
        At least so many.
    seed : int

    Returns
    -------
    ndarray of float64, shape (n_draws or more, one axis per target)
    """
    each = -(-n_draws // len(posteriors))
    streams = np.random.SeedSequence(seed).spawn(len(posteriors))
    answers = []
    for posterior, stream in zip(posteriors, streams, strict=True):
        query = _Query.of(posterior, targets, given)
        entropy = stream.generate_state(4).tolist()
        names = [posterior.model.names[v] for v in query.tables]
        rngs = [np.random.default_rng([*entropy, crc32(name.encode())]) for name in names]
        batch = min(each, max(1, _MAX_CELLS // query.order.n_largest))
        for first in range(0, each, batch):
            size = min(batch, each - first)
            own = zip(query.tables, rngs, strict=True)
            drawn = [posterior.draw(v, query.evidence, size, rng, first) for v, rng in own]
            answer = query.answer(drawn)
            answers.append(np.broadcast_to(answer, (size, *answer.shape[1:])))
    return np.concatenate(answers)


@dataclass(frozen=True, eq=False)
class _Query:
    """A query to one graph: which CPTs bear on it, and in which order they are summed."""

    evidence: Evidence
    targets: tuple[int, ...]
    tables: tuple[int, ...]
    likelihoods: tuple[Factor, ...]
    order: Order
    shape: tuple[int, ...]

    @classmethod
    def of(cls, posterior: CptPosterior, targets: Sequence[str], given: Given | None) -> "_Query":
        """Prepare a query."""
        model = posterior.model
        evidence = read_evidence(model, given)
        kept = named_targets(model, targets, evidence)
        # A target with one state is known, and needs no CPT.
        asked = [v for v in kept if v not in evidence.hard]
        around = [part for part in parts(model, asked, evidence) if set(part.open) & set(asked)]
        tables = tuple(table for part in around for table in part.tables)
        soft = {v: weights for v, weights in evidence.soft.items() if v not in evidence.hard}
        near = {v for part in around for v in part.open}
        likelihoods = [Factor((v,), soft[v][np.newaxis]) for v in soft if v in near]
        scopes = [posterior.scope(table, evidence) for table in tables]
        summed = {v for scope in scopes for v in scope}.difference(asked)
        order = best_order(scopes, model.n_states, [sorted(summed)])
        shape = tuple(model.n_states[v] for v in kept)
        return cls(evidence, tuple(asked), tables, tuple(likelihoods), order, shape)

    def answer(self, tables: Sequence[Factor]) -> Values:
        """Return the joint distribution of the targets, shape (n_draws, states ...).

        NaN in draws in which the evidence has probability zero.
        """
        pool = [*tables, *self.likelihoods]
        for variable in self.order.variables:
            product = _multiplied([factor for factor in pool if variable in factor.scope])
            left = product.values.sum(axis=1 + product.scope.index(variable))
            # Scaled by the largest value of each draw, so that long products do not vanish.
            largest = left.max(axis=tuple(range(1, left.ndim)), keepdims=True)
            left = left / np.where(largest > 0, largest, 1.0)
            pool = [factor for factor in pool if variable not in factor.scope]
            pool.append(Factor(tuple(v for v in product.scope if v != variable), left))
        whole = _multiplied(pool)
        values = whole.values.transpose([0, *(1 + whole.scope.index(v) for v in self.targets)])
        with np.errstate(invalid="ignore"):  # 0 / 0: nothing is possible in this draw
            shares: Values = values / values.sum(axis=tuple(range(1, values.ndim)), keepdims=True)
        return shares.reshape(-1, *self.shape)


def _multiplied(factors: Sequence[Factor]) -> Factor:
    """Multiply factors with a batch axis; small ones first, as their products are small."""
    scope = tuple(dict.fromkeys(v for factor in factors for v in factor.scope))
    product: Values = np.ones((1,) * (1 + len(scope)))
    for factor in sorted(factors, key=lambda one: one.values.size):
        own = [v for v in scope if v in factor.scope]
        values = factor.values.transpose([0, *(1 + factor.scope.index(v) for v in own)])
        product = (
            product * values[(slice(None), *(slice(None) if v in own else None for v in scope))]
        )
    return Factor(scope, product)
