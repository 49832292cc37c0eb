"""The last stages of `TsetlinSieve`: which arrows pass tests, where they point, how sure that is.

In: the network that a search found. Out: a skeleton, directions, and what speaks for each arrow.
"""

from collections.abc import Mapping, Sequence

import numpy as np

from bnsieve.counts import JointCounts, best_counts
from bnsieve.decide import CountsTest, IndependenceTest, ResidualTest, TestName
from bnsieve.knowledge import Constraints
from bnsieve.learners.fit_result import FitContext
from bnsieve.learners.numeric import test_columns
from bnsieve.learners.screening import Screened
from bnsieve.search import (
    SURE_MARGIN,
    Directions,
    NetworkFound,
    Pair,
    ScoredDag,
    Skeleton,
    covariance_directions,
    decide_directions,
    sure_arrows,
    verify_arrows,
)

# Given more variables, a few thousand rows fall into strata too thin to tell anything.
_MAX_GIVEN = 3
# Rows at most that are asked about numbers: time grows with them.
_TESTED_ROWS = 10_000
# Before arrows are called sure many questions are asked, so each must be quick, and they must end.
_CONFIRMING_ROWS, _CONFIRMING_LANDMARKS, _CONFIRMING_TESTS = 1_000, 60, 300


def verify(
    columns: Screened,
    network: ScoredDag,
    counted: Sequence[JointCounts] | None,
    context: FitContext,
    *,
    ci_test: TestName,
    alpha: float,
) -> Skeleton:
    """Keep the arrows that pass independence tests given their head's other parents."""
    with context.timings.stage("tests"):
        strongest_first = [
            sorted(parents, key=lambda v: -strength[v])
            for parents, strength in zip(network.parents, columns.association, strict=True)
        ]
        counts = CountsTest(best_counts(columns.table, counted), method=ci_test, alpha=alpha)
        test = _asked_of_numbers(columns, counts, _TESTED_ROWS)
        run = context.engine.map
        return verify_arrows(test, strongest_first, _MAX_GIVEN, run, columns.constraints)


def _asked_of_numbers(
    columns: Screened, counts: CountsTest, most_rows: int, **limits: int
) -> IndependenceTest:
    """Return the test to ask: by residuals where columns are learned from as numbers.

    Sets of labels are still asked of the counts of all rows.
    """
    if columns.covariance is None:
        return counts
    table = columns.table
    numbers = [table.names[v] for v in table.numbers]
    every = -(-table.n_rows // most_rows)
    tested = [column[::every] for column in test_columns(table, numbers)]
    return ResidualTest(tested, alpha=counts.alpha, counts=counts, **limits)


def direct(
    columns: Screened,
    skeleton: Skeleton,
    counted: Sequence[JointCounts] | None,
    context: FitContext,
    *,
    max_parents: int,
    seed: int,
) -> Directions:
    """Decide the direction of each edge by a score under which equivalent graphs are equal."""
    table, constraints = columns.table, columns.constraints
    parents: list[list[int]] = [[] for _ in range(table.n_variables)]
    for parent, child in skeleton.arrows or ():
        parents[child].append(parent)
    with context.timings.stage("directions"):
        if columns.covariance is not None:
            return covariance_directions(
                columns.covariance,
                parents,
                context.engine.map,
                constraints,
                max_parents=max_parents,
                seed=seed,
            )
        return decide_directions(
            table,
            parents,
            context.engine.map,
            constraints,
            max_parents=max_parents,
            seed=seed,
            counted=counted,
        )


def confirm(
    columns: Screened,
    directions: Directions,
    margins: Mapping[Pair, float],
    counted: Sequence[JointCounts] | None,
    context: FitContext,
) -> set[Pair]:
    """Return the arrows, of the whole table, that small tests support as the score does."""
    kept, known = columns.kept, columns.constraints
    with context.timings.stage("directions"):
        sure = sure_arrows(
            directions.parents,
            [(a, b) for a, b in directions.margins if margins[kept[a], kept[b]] >= SURE_MARGIN],
            _asked_of_numbers(
                columns,
                CountsTest(best_counts(columns.table, counted)),
                _CONFIRMING_ROWS,
                n_landmarks=_CONFIRMING_LANDMARKS,
                most_tests=_CONFIRMING_TESTS,
            ),
            [arrow for arrow in directions.margins if known.forces(*arrow)],
        )
    # Which of several copies carries a link is arbitrary, and between them only knowledge decides.
    shared = {own for v, own in enumerate(columns.originals) if v != own}
    found = {(kept[a], kept[b]) for a, b in sure}
    decided = {arrow for arrow, margin in margins.items() if margin == np.inf}
    return {arrow for arrow in found if shared.isdisjoint(arrow)} | {
        (a, b) for a, b in decided if (a, b) in found or columns.originals[b] == a
    }


def edge_worth(whole: Skeleton, found: NetworkFound, kept: Sequence[int]) -> dict[Pair, float]:
    """Return what each edge of the whole table's graph is worth, by its arrow, in nats."""
    worth = {frozenset((kept[a], kept[b])): value for (a, b), value in found.margins.items()}
    # Which of several copies another is joined to is arbitrary.
    return {(a, b): worth.get(frozenset((a, b)), 0.0) for a, b in whole.arrows or ()}


def arrow_margins(
    worth: Mapping[Pair, float],
    directions: Directions,
    kept: Sequence[int],
    constraints: Constraints,
) -> dict[Pair, float]:
    """Return the evidence for each arrow of the whole table's graph, in nats."""
    # Between copies either direction is as good, unless knowledge leaves one.
    margins = {(a, b): np.inf if constraints.forces(a, b) else 0.0 for a, b in worth}
    margins.update(
        {
            (kept[a], kept[b]): min(margin, worth[kept[a], kept[b]])
            for (a, b), margin in directions.margins.items()
            if not constraints.forces(kept[a], kept[b])
        }
    )
    return margins
