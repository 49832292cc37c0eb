"""Scores of parent sets, from one joint table of a variable and its candidates, or a covariance.

In: a `bnsieve.counts.JointCounts` whose first variable is the target, or a
`bnsieve.counts.Covariance`. Out: `ParentSets`, the sets that could be best in some order of the
variables, best first. A score measures how well the parents explain the target, minus the cost of
their configurations. Higher is better.

Rows in which the target is missing are left out. The gain of a parent is measured on the rows in
which the parent and the rest of the set are known, with and without the parent. Sets are never
compared on different rows. (If a missing value were a category of its own, variables related to a
parent would look like parents too, because they carry information about its missing values.)

From a covariance, the score is the log-likelihood that a set adds to a normal distribution of the
target's columns. Half the logarithm of the number of rows is subtracted for each pair of a column
of the target and a column of a parent (BIC), and then the cost of each parent. The empty set has
score zero, and Markov equivalent graphs have equal scores.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from bnsieve import _native
from bnsieve.counts import Covariance, JointCounts
from bnsieve.table import Codes

Criterion = Literal["bd", "bdeu", "bic", "qnml"]
# Sets are bits of a 32-bit word.
MAX_CANDIDATES = 32
# Equivalent sample sizes from near-deterministic to even. The last one predicts all categories
# alike: without it, a variable of many even categories would have to learn its margin at a cost
# that a crowd of parents, each row with a configuration of its own, avoids, and noise would look
# like structure.
SAMPLE_SIZES = (1.0, 5.0, 25.0, 125.0, 625.0, math.inf)


@dataclass(frozen=True)
class Score:
    """The definition of a score of parent sets.

    Attributes
    ----------
    kind : {"bd", "bdeu", "bic", "qnml"}
        The Bayesian Dirichlet score with priors of two means, or with equal weights only, the
        Bayesian information criterion, or quotient normalised maximum likelihood.
    equivalent_sample_sizes : tuple of float
        BD and BDeu: equivalent sample sizes, over which the marginal likelihood of each family is
        averaged. Small sizes suit nearly deterministic variables, large ones suit noisy variables,
        and no single size suits a whole network. An infinite size predicts all categories with
        equal probability. Under BDeu with one finite size and ``observed=False``, Markov equivalent
        graphs have equal scores. With averages, their scores are only similar, so directions are
        decided by one size (`bnsieve.search.directions`). BD uses every second size again with a
        prior about the target's margin. The price for using the margin is the gain in likelihood
        from the rows that carry information about it. It is small if the parents nearly determine
        the category.
    penalty : float
        BIC: the factor of its penalty, 1 in the textbook.
    parent_cost : float
        Subtracted for every parent: the negative log prior odds that a given variable is a parent.
    observed : bool
        Whether to count only the configurations of the parents that occur. If False, all possible
        ones count. Quotient normalised maximum likelihood always counts all possible ones.
    """

    kind: Criterion = "bd"
    equivalent_sample_sizes: tuple[float, ...] = SAMPLE_SIZES
    penalty: float = 1.0
    parent_cost: float = 0.0
    observed: bool = True

    @property
    def rule(self) -> tuple[Criterion, NDArray[np.float64], bool, float]:
        """Return the score in the form for the kernels."""
        has_sizes = self.kind in ("bd", "bdeu")
        parameters = self.equivalent_sample_sizes if has_sizes else (self.penalty,)
        return self.kind, np.array(parameters, dtype=np.float64), self.observed, self.parent_cost


@dataclass(frozen=True, eq=False)
class ParentSets:
    """The scored parent sets of one variable.

    Attributes
    ----------
    candidates : tuple of int
    masks : ndarray of uint32, shape (n_sets,)
        Bit k stands for candidate k. A set is left out if one of its subsets has at least its
        score. The smallest set, which is empty unless parents are required, is always included.
    scores : ndarray of float64, shape (n_sets,)
        In descending order.
    """

    candidates: tuple[int, ...]
    masks: NDArray[np.uint32]
    scores: NDArray[np.float64]

    def members(self, index: int) -> tuple[int, ...]:
        """Return the variables of one set; beyond the last set, those of the empty one."""
        mask = int(self.masks[index]) if index < len(self.masks) else 0
        return tuple(v for k, v in enumerate(self.candidates) if mask >> k & 1)

    def up_to(self, size: int) -> "ParentSets":
        """Return the sets with at most this number of members."""
        kept = np.bitwise_count(self.masks) <= size
        return ParentSets(self.candidates, self.masks[kept], self.scores[kept])

    def at_cost(self, more: float) -> "ParentSets":
        """Return the sets with scores reduced by this amount for every parent."""
        scores = self.scores - more * np.bitwise_count(self.masks)
        order = np.lexsort((self.masks, -scores))
        masks, scores = self.masks[order], scores[order]
        kept: dict[int, int] = {}
        for place, mask in enumerate(masks.tolist()):
            if all(better & ~mask for better in kept):
                kept[mask] = place
        places = [*kept.values()]
        return ParentSets(self.candidates, masks[places], scores[places])


@dataclass(frozen=True)
class SetSearch:
    """The sets of candidates to score.

    Attributes
    ----------
    complete_size : int
        All sets up to this size are scored.
    max_size, width : int
        For larger sets, one size after the other up to `max_size`: the `width` best sets of the
        last size that need all their members are extended by every candidate.
    required : sequence of int
        Candidates that every set contains.
    centre : sequence of int
        A set of candidates that is always scored, with all sets that differ from it by one added,
        removed or replaced member.
    foremost : sequence of int
        Candidates of which all sets of `complete_size` + 1 members are scored too, if the score
        uses counts.
    known : ParentSets or None
        Sets that were scored before, from the same rows in the same way. With counts, known sets
        whose members are still candidates are kept, and only sets with a new candidate, sets of
        `foremost` ones and sets around `centre` are scored. With a covariance, the candidates must
        be the same, and all known sets are kept.
    """

    complete_size: int = 0
    max_size: int = 0
    width: int = 1
    required: Sequence[int] = ()
    centre: Sequence[int] = ()
    foremost: Sequence[int] = ()
    known: ParentSets | None = None


def score_parent_sets(table: JointCounts, score: Score, search: SetSearch) -> ParentSets:
    """Score parent sets of a table's first variable; the others, at most 32, are candidates."""
    configurations, counts = table.configurations, table.counts
    if table.has_missing[0]:
        filled = configurations[0] < table.n_categories[0]
        configurations, counts = configurations[:, filled].copy(), counts[filled]
    radices = np.array(table.n_categories, dtype=np.int64)
    missing = np.array((False, *table.has_missing[1:]))
    radices += missing
    candidates = table.variables[1:]
    masks, scores = _native.score_parent_sets(
        configurations,
        counts,
        radices,
        *score.rule,
        search.complete_size,
        max(search.complete_size, search.max_size),
        search.width,
        mask_of(candidates, search.required),
        mask_of(candidates, search.centre),
        missing if missing.any() else None,
        mask_of(candidates, search.foremost),
        None if search.known is None else renumbered(search.known, candidates),
    )
    return ParentSets(candidates, masks, scores)


def renumbered(
    sets: ParentSets, candidates: tuple[int, ...]
) -> tuple[NDArray[np.uint32], NDArray[np.float64], int]:
    """Return the sets that are left among these candidates, their scores, and who was scored."""
    place = {v: k for k, v in enumerate(candidates)}
    kept = np.full(len(sets.masks), True)
    masks = np.zeros(len(sets.masks), dtype=np.uint32)
    for k, v in enumerate(sets.candidates):
        holds = (sets.masks >> np.uint32(k) & 1).astype(bool)
        if v in place:
            masks[holds] |= np.uint32(1 << place[v])
        else:
            kept &= ~holds
    left = [v for v in sets.candidates if v in place]
    return masks[kept], sets.scores[kept], mask_of(candidates, left)


def score_family(table: JointCounts, parents: Sequence[int], score: Score) -> float:
    """Return the score of one parent set of a table's first variable."""
    members = (table.variables[0], *parents)
    family = table if members == table.variables else table.marginal(members)
    return float(score_parent_sets(family, score, SetSearch(required=members[1:])).scores[0])


def mask_of(candidates: Sequence[int], members: Sequence[int]) -> int:
    """Return a set of candidates as bits."""
    return sum(1 << candidates.index(v) for v in members)


def score_additions(
    codes: Codes,
    radices: NDArray[np.int64],
    target: int,
    parents: Sequence[int],
    score: Score,
    missing: NDArray[np.bool_] | None = None,
) -> NDArray[np.float64]:
    """Return the score gain of adding each variable to a target's parents; zero for those in it.

    Parameters
    ----------
    codes : ndarray of uint8 or uint16, shape (n_variables, n_rows)
        All codes of the target are below its radix.
    radices : ndarray of int64, shape (n_variables,)
        Number of codes of each variable.
    target : int
    parents : sequence of int
    score : Score
    missing : ndarray of bool, shape (n_variables,), optional
        The variables whose highest code means a missing value.

    Returns
    -------
    ndarray of float64, shape (n_variables,)
    """
    given = np.array(parents, dtype=np.int64)
    scores = _native.score_additions(codes, radices, target, given, *score.rule, missing)
    gains: NDArray[np.float64] = scores - scores[target]
    return gains


def score_covariance_sets(
    covariance: Covariance,
    target: int,
    candidates: Sequence[int],
    parent_cost: float,
    search: SetSearch,
) -> ParentSets:
    """Score sets of candidates, at most 32, of a variable."""
    known = search.known
    masks, scores = _native.score_covariance_sets(
        covariance.matrix,
        covariance.first,
        np.array([target, *candidates], dtype=np.int64),
        covariance.n_rows,
        _penalty(covariance),
        parent_cost,
        search.complete_size,
        max(search.complete_size, search.max_size),
        search.width,
        mask_of(candidates, search.required),
        mask_of(candidates, search.centre),
        None if known is None else (known.masks, known.scores),
    )
    return ParentSets(tuple(candidates), masks, scores)


def score_covariance_additions(
    covariance: Covariance, target: int, parents: Sequence[int], parent_cost: float
) -> NDArray[np.float64]:
    """Return the score gain of adding each variable to a target's parents; zero for those in it."""
    return _native.score_covariance_additions(
        covariance.matrix,
        covariance.first,
        np.array([target, *parents], dtype=np.int64),
        covariance.n_rows,
        _penalty(covariance),
        parent_cost,
    )


def score_covariance_family(
    covariance: Covariance, target: int, parents: Sequence[int], parent_cost: float = 0.0
) -> float:
    """Return the score of one parent set."""
    search = SetSearch(required=parents)
    return float(score_covariance_sets(covariance, target, parents, parent_cost, search).scores[0])


def _penalty(covariance: Covariance) -> float:
    return 0.5 * float(np.log(max(covariance.n_rows, 2.0)))


def pair_excess(covariance: Covariance) -> NDArray[np.float64]:
    """Return the association of all pairs, as in `Associations.excess`.

    It is twice the log-likelihood that one adds to the other, minus the degrees of freedom.
    """
    variables = range(covariance.n_variables)
    free = np.outer(covariance.sizes, covariance.sizes).astype(np.float64)
    gains = np.array([score_covariance_additions(covariance, v, (), 0.0) for v in variables])
    excess: NDArray[np.float64] = 2 * (gains + _penalty(covariance) * free) - free
    np.fill_diagonal(excess, 0.0)
    return excess
