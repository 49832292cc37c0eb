"""A last stage for numeric variables: additive models check the parents that a search found.

In: the search's result on a table with numeric variables. Out: the same with other parents. A few
functions of ranks leave part of a parent's effect unexplained, and false edges from other variables
make up for it. The more rows, the more false edges. It is worst over time, where a past value of a
variable is almost a duplicate of the next one. `AdditiveModels` of numbers and `AdditiveLogits` of
categories leave less unexplained.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import log_ndtr

from bnsieve.decide import (
    FEWEST_MODELLED_ROWS,
    AdditiveLogits,
    AdditiveModels,
    ChosenParents,
    CountScorer,
    CovarianceScorer,
    Knots,
)
from bnsieve.engine import Map
from bnsieve.graph import children_of, topological_order
from bnsieve.search import NetworkSearchResult
from bnsieve.table import Table, drawn_rows

Column = NDArray[np.float64] | NDArray[np.integer]

# More rows take more time and hardly improve a curve.
_MOST_ROWS = 10_000
# Limits on rows times functions of all columns: wide tables use fewer rows.
_MOST_CELLS_OVER_TIME, _ALL_FUNCTIONS = 1 << 26, 60
# Without a past, larger tables get fewer knots, which takes less time.
_FEW_CELLS = 1 << 22
_KNOTS = Knots(by_score=(4, 8), by_value=(16,))
_MOST_CELLS, _N_FUNCTIONS = 1 << 25, 24
# Squares of larger numbers, and sums of these, may not be finite.
_LARGEST = 1e100


@dataclass(frozen=True)
class _Limits:
    """The size of the models.

    Attributes
    ----------
    most_rows : int
        Rows that are used.
    knots : Knots
        How often curves may bend.
    """

    most_rows: int
    knots: Knots

    @classmethod
    def of(cls, n_rows: int, n_columns: int, *, over_time: bool) -> "_Limits":
        if over_time:
            most_rows = _MOST_CELLS_OVER_TIME // (_ALL_FUNCTIONS * max(1, n_columns))
            return cls(min(_MOST_ROWS, most_rows), Knots())
        if n_rows * n_columns * _ALL_FUNCTIONS <= _FEW_CELLS:
            return cls(_MOST_ROWS, Knots())
        most_rows = _MOST_CELLS // (_N_FUNCTIONS * max(1, n_columns))
        return cls(min(_MOST_ROWS, most_rows), _KNOTS)


def refine_parents(
    result: NetworkSearchResult,
    columns: Sequence[Column],
    earlier: Mapping[int, int],
    run: Map,
    max_parents: int = 8,
) -> NetworkSearchResult:
    """Add significant parents, and remove parents that are not significant given the others.

    Past values can be added, and variables of the same step that come earlier in the order of the
    result, so that no cycle can arise. A variable is added alone, or together with its value one
    step earlier if the change is more informative. Without a past, parents are only removed,
    because flexible curves would add false parents to numbers that are mostly zero. Categorical
    variables only lose parents, too.

    Parameters
    ----------
    result : NetworkSearchResult
        A result of a covariance score. Any other is returned unchanged.
    columns : sequence of ndarray, shape (n_rows,)
        The values of each variable. Floats are numbers, with NaN for missing. Others are codes,
        with -1 for missing.
    earlier : mapping of int to int
        For a variable at some lag, the same variable one step earlier. These variables have no
        parents, and all may be parents. Empty if rows have no past.
    run : Map
        Distributes the variables over threads.
    max_parents : int, default 8
        No parent is added beyond this number.
    """
    scorer = result.scorer
    if not isinstance(scorer, CovarianceScorer):
        return result
    limits = _Limits.of(len(columns[0]), len(columns), over_time=bool(earlier))
    most_rows = max(limits.most_rows, FEWEST_MODELLED_ROWS)
    rows = drawn_rows(len(columns[0]), most_rows, seed=0)
    columns = [within_range(column[rows]) for column in columns]
    known = [~np.isnan(column) if _is_number(column) else column >= 0 for column in columns]
    is_complete = all(own.all() for own in known)
    models, logits = AdditiveModels(columns, limits.knots), AdditiveLogits(columns)
    constraints = scorer.constraints
    past, parent_cost = set(earlier.values()), scorer.score.parent_cost
    order = topological_order(result.network.parents, children_of(result.network.parents))
    rank = {v: place for place, v in enumerate(order)}
    # A sample has less evidence of what all scored rows show: less is asked of a parent there.
    share = 1.0 if earlier else min(1.0, len(columns[0]) / scorer.covariance.n_rows)

    def choose(target: int) -> ChosenParents:
        parents = result.network.parents[target]
        unchanged = ChosenParents(tuple(parents), {})
        if target in past:
            return unchanged
        used = np.logical_and.reduce([known[v] for v in (target, *parents)])
        n_rows = int(used.sum())
        if n_rows < FEWEST_MODELLED_ROWS:
            return unchanged
        log_alpha = share * _log_alpha(n_rows / share, parent_cost)
        required = constraints.required_parents(target)
        removable = [v for v in parents if v not in required]
        if not _is_number(columns[target]):
            own_logits = logits
            if not is_complete:
                own_logits = AdditiveLogits([column[used] for column in columns])
            return own_logits.choose_parents(
                target, parents, log_alpha=log_alpha, removable=removable
            )
        offered = range(len(columns)) if earlier else ()
        addable = [
            v
            for v in offered
            if (v in past or rank[v] < rank[target]) and constraints.allowed[v, target]
        ]
        own = models
        if not is_complete:
            complete = [column[used] for column in columns]
            own, addable = AdditiveModels(complete, limits.knots), []
        possible = {*parents, *addable}
        return own.choose_parents(
            target,
            parents,
            log_alpha=log_alpha,
            removable=removable,
            addable=addable,
            changes=[
                (v, before)
                for v, before in earlier.items()
                if possible.issuperset((v, before)) and _is_number(columns[v])
            ],
            own_past=earlier.get(target),
            max_parents=max_parents,
        )

    return with_parents(result, scorer, list(run(choose, range(len(columns)))))


def _is_number(column: Column) -> bool:
    return column.dtype.kind == "f"


def within_range(column: Column) -> Column:
    """Rescale numbers whose squares would overflow."""
    largest = float(np.nanmax(np.abs(column), initial=0.0)) if _is_number(column) else 0.0
    return column if largest < _LARGEST else column / 2.0 ** np.floor(np.log2(largest))


def _log_alpha(n_rows: float, parent_cost: float) -> float:
    """Return the log of the p-value at which the score would take a straight line for an edge."""
    gain = 0.5 * np.log(n_rows) + parent_cost
    return float(np.log(2.0) + log_ndtr(-np.sqrt(2 * gain)))


def with_parents(
    result: NetworkSearchResult,
    scorer: CountScorer | CovarianceScorer,
    chosen: Sequence[ChosenParents],
) -> NetworkSearchResult:
    """Return a result with other parents, its score and the margins of its edges."""
    network = result.network
    difference = sum(
        scorer.family_score(v, new.parents) - scorer.family_score(v, old)
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


def test_columns(table: Table, numbers: Collection[str]) -> list[NDArray[Any]]:
    """Return columns as `ResidualTest` takes them: numbers, and codes of all others."""
    columns: list[NDArray[Any]] = []
    for v, name in enumerate(table.names):
        if name in numbers:
            columns.append(table.numbers[v])
            continue
        codes = table.codes[v].astype(np.int64)
        if v in table.missing:
            codes[table.missing[v]] = -1
        columns.append(codes)
    return columns
