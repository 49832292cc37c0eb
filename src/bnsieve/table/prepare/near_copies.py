"""Columns of numbers that say the same up to rounding: age beside the time since birth, kg and lb.

In: drafts, with their numbers in some rows. Out: those to leave out, and which stands for each. Two
copies of one thing would share its edges between them.

One column says the same as another if it rises, or falls, with it in all rows: sorted by the finer
one, the coarser never turns back by more than one of its own steps. Columns of few different
numbers are no copies: bins of a number say less than the number.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray
from scipy.stats import rankdata

from bnsieve.table.prepare.drafts import Draft
from bnsieve.table.prepare.plan import ColumnPlan
from bnsieve.table.prepare.readings import Elapsed
from bnsieve.table.prepare.roles import quoted

# Fewer different numbers are bins.
_LEAST_DIFFERENT = 20
# Of ranks, in rows that know both; and at first, with missing numbers in the middle.
_CORRELATION, _LIKELY = 0.998, 0.85
# Cells that may turn back, and rows that must know both.
_ONE_IN, _MOST = 200, 0.9
# A column whose numbers nearly all differ is not rounded: what turns back there is noise.
_ROUNDED = 0.9
# Columns and rows that are compared.
_MAX_COLUMNS, _MAX_ROWS = 300, 5_000


@dataclass(frozen=True)
class NearCopy:
    """An output that is left out because another says the same, up to rounding.

    Attributes
    ----------
    column : str
        The column of the data that it is made from.
    of : str
        The output that stands for it.
    since : str
        The other column that it is made from, of a time that passed; else nothing.
    """

    column: str
    of: str
    since: str = ""


def find_near_copies(drafts: Sequence[Draft], keep: Collection[str] = ()) -> dict[str, NearCopy]:
    """Return the outputs that say the same as others, up to rounding, by name.

    Parameters
    ----------
    drafts : sequence of Draft
    keep : collection of str
        Columns of the data that are used whatever they say.
    """
    numeric = [draft for draft in drafts if draft.categories is None and _is_fine(draft)]
    numeric = sorted(numeric[:_MAX_COLUMNS], key=_rank)
    copies: dict[str, NearCopy] = {}
    if len(numeric) < 2:
        return copies
    values = np.stack([draft.values[:_MAX_ROWS] for draft in numeric])
    likely = np.abs(np.corrcoef(np.stack([_ranks(row) for row in values]))) >= _LIKELY
    for later, draft in enumerate(numeric):
        if draft.column in keep:
            continue
        for earlier in range(later):
            of = numeric[earlier].output.name
            if (
                likely[earlier, later]
                and of not in copies
                and is_copy(values[earlier], values[later])
            ):
                reading = draft.output.reading
                since = reading.since if isinstance(reading, Elapsed) else ""
                copies[draft.output.name] = NearCopy(draft.column, of, since)
                break
    return copies


def with_copies(plan: ColumnPlan, copies: Mapping[str, NearCopy]) -> ColumnPlan:
    """Return the plan of a column with notes on its copies."""
    own = {name: copy for name, copy in copies.items() if copy.column == plan.name}
    for name, copy in own.items():
        said = f"it is a function of {copy.of}, up to rounding"
        if not plan.outputs:
            return replace(plan, why=f"{said} (--keep {quoted(plan.name)} uses it)")
        plan = replace(plan, warnings=(*plan.warnings, f"{name} is left out: {said}"))
    since = [copy.of for copy in copies.values() if copy.since == plan.name]
    if since and not plan.outputs:
        return replace(plan, why=f"the time since it is in {since[0]}")
    return plan


def _is_fine(draft: Draft) -> bool:
    known = draft.values[~np.isnan(draft.values)]
    return len(np.unique(known[:_MAX_ROWS])) >= _LEAST_DIFFERENT


def _rank(draft: Draft) -> tuple[bool, int]:
    """Return what comes first: a column of the data before one made of dates, then the finer."""
    known = draft.values[~np.isnan(draft.values)]
    return isinstance(draft.output.reading, Elapsed), -len(np.unique(known))


def _ranks(values: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return ranks, the middle one where a number is missing."""
    is_known = ~np.isnan(values)
    ranks = np.full(len(values), (is_known.sum() + 1) / 2)
    ranks[is_known] = rankdata(values[is_known])
    return ranks


def is_copy(one: NDArray[np.float64], other: NDArray[np.float64]) -> bool:
    """Tell whether two columns say the same up to rounding."""
    both = ~(np.isnan(one) | np.isnan(other))
    fewest = min(int((~np.isnan(one)).sum()), int((~np.isnan(other)).sum()))
    if both.sum() < max(_LEAST_DIFFERENT, _MOST * fewest):
        return False
    finer, coarser = one[both], other[both]
    if len(np.unique(finer)) < len(np.unique(coarser)):
        finer, coarser = coarser, finer
    ranks = rankdata(finer), rankdata(coarser)
    if np.array_equal(*ranks) or np.array_equal(ranks[0], len(finer) + 1 - ranks[1]):
        return False  # duplicates, which are set aside later
    different = np.unique(coarser)
    if len(different) > _ROUNDED * len(coarser):
        return False
    ranked = float(np.corrcoef(*ranks)[0, 1])
    if not abs(ranked) >= _CORRELATION:
        return False
    step = float(np.median(np.diff(different))) * 1.001
    directed = coarser if ranked > 0 else -coarser
    rising = directed[np.lexsort((directed, finer))]
    back = np.maximum.accumulate(rising) - rising
    return int((back > step).sum()) * _ONE_IN <= len(rising)
