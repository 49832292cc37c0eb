"""The stage of fits over time: the parents that a search found, judged by additive models.

In: the search's result on a lagged table with numeric variables. Out: the same with other parents.
A past step of a variable is almost a duplicate of the next one, so that what few functions of ranks
leave of one parent's effect shows as false edges from others. `AdditiveModels` leave less.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray
from scipy.special import log_ndtr

from bnsieve.decide import (
    FEWEST_MODELLED_ROWS,
    AdditiveModels,
    ChosenParents,
    CovarianceScorer,
    score_covariance_family,
)
from bnsieve.engine import Map
from bnsieve.graph import children_of, topological_order
from bnsieve.search import NetworkSearchResult

Column = NDArray[np.float64] | NDArray[np.integer]

# Rows at most: time grows with them, and so many tell enough of a curve.
_MOST_ROWS = 10_000
# Functions of all columns, times rows: of very many columns fewer rows count.
_MOST_CELLS, _FUNCTIONS_OF_COLUMN = 1 << 26, 60


def refine_parents(
    result: NetworkSearchResult,
    columns: Sequence[Column],
    earlier: Mapping[int, int],
    run: Map,
    max_parents: int = 8,
) -> NetworkSearchResult:
    """Add parents where they leave something over; remove what other parents tell as well.

    Added are past values, and variables of the same step that precede in the order of the result,
    so that no cycle can arise: one alone, or with its value one step earlier where the change tells
    more.

    Parameters
    ----------
    result : NetworkSearchResult
        Scored by a covariance; any other is returned as it is.
    columns : sequence of ndarray, shape (n_rows,)
        Of each variable. Floats are numbers, NaN where missing; others codes, -1 where missing.
    earlier : mapping of int to int
        Of a variable at some lag, the same one step earlier. These have no parents, and any may be
        one.
    run : Map
        Spreads the variables over threads.
    max_parents : int, default 8
        None is added beyond.
    """
    scorer = result.scorer
    if not isinstance(scorer, CovarianceScorer):
        return result
    most_rows = min(_MOST_ROWS, _MOST_CELLS // (_FUNCTIONS_OF_COLUMN * max(1, len(columns))))
    rows = slice(None, None, max(1, -(-len(columns[0]) // max(most_rows, FEWEST_MODELLED_ROWS))))
    columns = [column[rows] for column in columns]
    known = [~np.isnan(column) if _is_number(column) else column >= 0 for column in columns]
    is_complete = all(own.all() for own in known)
    models, constraints = AdditiveModels(columns), scorer.constraints
    past = set(earlier.values())
    order = topological_order(result.network.parents, children_of(result.network.parents))
    rank = {v: place for place, v in enumerate(order)}

    def choose(target: int) -> ChosenParents:
        parents = result.network.parents[target]
        unchanged = ChosenParents(tuple(parents), {})
        if target in past or not _is_number(columns[target]):
            return unchanged
        used = np.logical_and.reduce([known[v] for v in (target, *parents)])
        n_rows = int(used.sum())
        if n_rows < FEWEST_MODELLED_ROWS:
            return unchanged
        required = constraints.required_parents(target)
        addable = [
            v
            for v in range(len(columns))
            if (v in past or rank[v] < rank[target]) and constraints.allowed[v, target]
        ]
        own = models
        if not is_complete:
            own, addable = AdditiveModels([column[used] for column in columns]), []
        offered = {*parents, *addable}
        return own.choose_parents(
            target,
            parents,
            log_alpha=_log_alpha(n_rows, scorer.score.parent_cost),
            removable=[v for v in parents if v not in required],
            addable=addable,
            changes=[
                (v, before)
                for v, before in earlier.items()
                if offered.issuperset((v, before)) and _is_number(columns[v])
            ],
            max_parents=max_parents,
        )

    return _with_parents(result, scorer, list(run(choose, range(len(columns)))))


def _is_number(column: Column) -> bool:
    return column.dtype.kind == "f"


def _log_alpha(n_rows: int, parent_cost: float) -> float:
    """Return the log of the p-value at which the score would take a straight line for an edge."""
    gain = 0.5 * np.log(n_rows) + parent_cost
    return float(np.log(2.0) + log_ndtr(-np.sqrt(2 * gain)))


def _with_parents(
    result: NetworkSearchResult, scorer: CovarianceScorer, chosen: Sequence[ChosenParents]
) -> NetworkSearchResult:
    """Return a result with other parents, its score and the margins of its edges."""
    network, cost = result.network, scorer.score.parent_cost

    def family_score(target: int, parents: Sequence[int]) -> float:
        return score_covariance_family(scorer.covariance, target, parents, cost)

    difference = sum(
        family_score(v, new.parents) - family_score(v, old)
        for v, (new, old) in enumerate(zip(chosen, network.parents, strict=True))
        if set(new.parents) != set(old)
    )
    edges = {(u, v) for v, new in enumerate(chosen) for u in new.parents}
    margins = {edge: margin for edge, margin in result.margins.items() if edge in edges}
    margins |= {(u, v): gain for v, new in enumerate(chosen) for u, gain in new.gains.items()}
    candidates = tuple(
        tuple(dict.fromkeys([*own, *new.gains]))
        for own, new in zip(result.candidates, chosen, strict=True)
    )
    parents = tuple(new.parents for new in chosen)
    return replace(
        result,
        network=replace(network, parents=parents, score=network.score + difference),
        candidates=candidates,
        margins=margins,
    )
