"""Outputs on their way: what is taken from columns, cut, grouped, and given a category for blanks.

A `Draft` is an output with its values in some rows. Each step takes all drafts, and returns them
with more decided.
"""

from collections.abc import Collection, Hashable, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from sklearn.base import clone

from bnsieve.table import Column, Discretizer, binned
from bnsieve.table.prepare.categories import FEW_LABELS, group_categories
from bnsieve.table.prepare.date_outputs import elapsed_between, free_name, parts_of, told_by_others
from bnsieve.table.prepare.evidence import Evidence
from bnsieve.table.prepare.facts import ColumnFacts
from bnsieve.table.prepare.plan import Output
from bnsieve.table.prepare.reading import label_text, labelled, quantity_of, times_of
from bnsieve.table.prepare.readings import DatePart, Labels, Numbers
from bnsieve.table.prepare.roles import Taken

# Other columns that say which categories go together: more would say the same again.
_OTHERS = 200
# Parts into which numbers are cut where a few are enough to see association.
_COARSE = 5


@dataclass(frozen=True, eq=False)
class Draft:
    """An output, and its values in some rows.

    Attributes
    ----------
    column : str
        The column of the data that it is made from.
    output : Output
    numbers : ndarray of float64, shape (n_rows,), or None
        The values of a quantity that is to be cut.
    labels : Column or None
        The categories otherwise.
    rule : str
        How categories are grouped, in words.
    """

    column: str
    output: Output
    numbers: NDArray[np.float64] | None = None
    labels: Column | None = None
    rule: str = ""

    @property
    def codes(self) -> NDArray[np.int64]:
        """A few codes that go with the values, -1 where missing."""
        if self.labels is not None:
            return self.labels.places
        numbers = np.zeros(0) if self.numbers is None else self.numbers
        known = numbers[~np.isnan(numbers)]
        if not len(known):
            return np.full(len(numbers), -1)
        cuts = np.unique(np.quantile(known, np.arange(1, _COARSE) / _COARSE))
        return binned(numbers, cuts)


def draft_outputs(
    taken: Mapping[str, Taken],
    cells: Mapping[str, Column],
    cut: Mapping[str, Sequence[float]],
    few: int,
) -> list[Draft]:
    """Say what is taken from each column, and which numbers are still to be cut.

    Parameters
    ----------
    taken : mapping of str to Taken
        The columns that are used.
    cells : mapping of str to Column
        Some rows of these.
    cut : mapping of str to sequence of float
        Cuts that are given.
    few : int
        Parts of dates with no more different values are categories.
    """
    names = set(taken)
    times = {
        name: (one.form, times_of(cells[name], one.form))
        for name, one in taken.items()
        if one.use == "dates"
    }
    cells = {**cells, **{name: Column("time", own) for name, (_, own) in times.items()}}
    drafts = []
    elapsed = elapsed_between(times, names)
    told = told_by_others(elapsed)
    for name, one in taken.items():
        if one.use == "labels":
            own = [Output(name, Labels(cells[name].as_text))]
        elif one.use == "numbers":
            cuts = tuple(map(float, cut[name])) if name in cut else None
            own = [Output(name, Numbers(one.style), cuts, fixed=cuts is not None)]
        else:
            own = parts_of(name, *times[name])
            own = [
                replace(output, name=free_name(output.name, names))
                for output in own
                if not isinstance(output.reading, DatePart)
                or (name, output.reading.part) not in told
            ]
            own += [elapsed[name]] if name in elapsed else []
        drafts += [_valued(name, output, one, cells, few) for output in own]
    return drafts


def _valued(
    name: str, output: Output, taken: Taken, cells: Mapping[str, Column], few: int
) -> Draft:
    if isinstance(output.reading, Labels) or output.cuts is not None:
        return Draft(name, output, labels=labelled(output, name, cells))
    numbers = quantity_of(output.reading, name, cells)
    if isinstance(output.reading, DatePart):
        whole = output.reading.part in ("month", "weekday") or len(_different(numbers)) <= few
    else:
        whole = isinstance(output.reading, Numbers) and taken.role != "quantity"
    if whole:
        return Draft(name, output, labels=labelled(output, name, cells))
    return Draft(name, output, numbers=numbers)


def _different(numbers: NDArray[np.float64]) -> NDArray[np.float64]:
    return np.unique(numbers[~np.isnan(numbers)])


def cut_drafts(drafts: Sequence[Draft], discretizer: Discretizer) -> list[Draft]:
    """Bin the numbers where it tells most about the other columns.

    Those whose numbers have no bin edge that parts them are not among what is returned.
    """
    if all(draft.numbers is None for draft in drafts):
        return list(drafts)
    frame = pd.DataFrame(
        {
            draft.output.name: draft.numbers
            if draft.labels is None
            else pd.Categorical.from_codes(
                draft.labels.places, pd.Index(draft.labels.values.astype(str), dtype=object)
            )
            for draft in drafts
        }
    )
    # Which whole numbers are categories is decided already.
    fitted = clone(discretizer).set_params(max_categories=1).fit(frame)
    found = []
    for draft in drafts:
        if draft.labels is not None:
            found.append(draft)
            continue
        cuts = fitted.cuts_.get(draft.output.name, ())
        if len(cuts):
            output = replace(draft.output, cuts=tuple(map(float, cuts)))
            found.append(replace(draft, output=output))
    return found


def group_drafts(
    drafts: Sequence[Draft],
    facts: Mapping[str, ColumnFacts],
    cells: Mapping[str, Column],
    asked: Collection[str],
) -> tuple[list[Draft], dict[str, str]]:
    """Group the categories of columns that have more of them than rows support.

    Parameters
    ----------
    drafts : sequence of Draft
    facts : mapping of str to ColumnFacts
        Of the columns of the data: how often each category occurs in all rows.
    cells : mapping of str to Column
        Some rows of these.
    asked : collection of str
        Columns that are used whatever they look like.

    Returns
    -------
    list of Draft
    dict of str to str
        Columns that are left out after all, and why.
    """
    found, left_out = [], {}
    for draft in drafts:
        distinct = facts[draft.column].distinct
        if not isinstance(draft.output.reading, Labels) or distinct.n_categories <= FEW_LABELS:
            found.append(draft)
            continue
        texts = [label_text(value) for value in distinct.values.tolist()]
        counts: dict[Hashable, int] = dict(zip(texts, distinct.counts.tolist(), strict=True))
        grouping = group_categories(counts, _evidence(draft, drafts))
        if grouping.how == "left out" and draft.column not in asked:
            left_out[draft.column] = grouping.rule
        elif grouping.how in ("kept", "left out"):
            found.append(draft)
        else:
            groups = {str(label): level for label, level in grouping.mapping.items()}
            output = replace(draft.output, groups=groups, other=grouping.other)
            labels = labelled(output, draft.column, cells)
            found.append(replace(draft, output=output, labels=labels, rule=grouping.rule))
    return found, left_out


def _evidence(draft: Draft, drafts: Sequence[Draft]) -> Evidence:
    if draft.labels is None:
        raise ValueError("only categories are grouped")
    others = [one for one in drafts if one.column != draft.column][:_OTHERS]
    values = {one.output.name: one.codes if one.labels else one.numbers for one in others}
    found = {name: own for name, own in values.items() if own is not None}
    return Evidence.of_codes(draft.labels.places, draft.labels.values.tolist(), found)
