"""Preparation of data before learning, as the user asks or as the data suggest.

In: data that was opened, and the parameter `prepare`. Out: rows of categories, and what was done to
get there.
"""

import warnings
from collections.abc import Mapping, Sequence
from typing import Literal, NamedTuple

from bnsieve.counts import CountSource
from bnsieve.engine import Engine
from bnsieve.rows import DataSource, Prepared, Recoding, Sampling
from bnsieve.search import with_bin_edges
from bnsieve.table import Discretizer, Table
from bnsieve.table.prepare import AS_ASKED, Columns, Preparation, Wishes, plan_columns

Prepare = Literal["auto"] | Preparation | Discretizer | None

# Where numbers are fewer than one in so many columns, all are cut.
_COLUMNS_PER_NUMBER = 5


class DoneBefore(NamedTuple):
    """What was done to the data before it was learned from.

    Attributes
    ----------
    plan : Preparation or None
    """

    plan: Preparation | None = None

    def cut_at(self, cuts: Mapping[str, Sequence[float]]) -> "DoneBefore":
        """Return the same with other cuts of some columns."""
        return self if self.plan is None else DoneBefore(self.plan.cut_at(cuts))

    @property
    def parts(self) -> tuple[tuple[str, ...], ...]:
        """The columns that were made from one, where there are several."""
        if self.plan is None:
            return ()
        made = (tuple(one.name for one in column.outputs) for column in self.plan.columns)
        return tuple(names for names in made if len(names) > 1)

    @property
    def recoding(self) -> Recoding | None:
        """What is done to later rows in files; None if nothing is."""
        return None if self.plan is None else Prepared(self.plan)


def cut_by_name(table: Table, cuts: Mapping[str, Sequence[float]]) -> Table:
    """Return the table with the bins of some numbers between other cuts."""
    place = {name: v for v, name in enumerate(table.names)}
    return with_bin_edges(table, {place[name]: own for name, own in cuts.items()})


def worth_keeping(plan: Preparation) -> bool:
    """Tell whether numbers are enough of the columns to learn from them as numbers.

    The score for numeric variables treats categories as numbers too, and detects less in them than
    their own score does. A column that the user calls a quantity settles the question.
    """
    if any(
        column.why == AS_ASKED and any(output.is_number for output in column.outputs)
        for column in plan.columns
    ):
        return True
    n_numbers = sum(output.is_number for output in plan.outputs)
    return _COLUMNS_PER_NUMBER * n_numbers >= len(plan.outputs)


def mostly_known(plan: Preparation) -> bool:
    """Tell whether every number is known in half of the rows or more.

    In files correlations come from the rows that know both columns, and those of few go astray.
    """
    return all(
        column.n_missing <= column.n_known
        for column in plan.columns
        if any(output.is_number for output in column.outputs)
    )


def prepared(
    data: DataSource, prepare: Prepare, sampling: Sampling, engine: Engine
) -> tuple[CountSource, DoneBefore]:
    """Return data as categories and numbers that are counted, and what was done to get there."""
    plan = prepared_by(data, prepare, engine)
    if plan is None:
        return data.counts(None, sampling, engine), DoneBefore()
    numbers = keeps_numbers(plan, prepare) and (data.is_small or mostly_known(plan))
    return data.counts(plan, sampling, engine, numbers=numbers), DoneBefore(plan)


def prepared_by(data: DataSource, prepare: Prepare, engine: Engine) -> Preparation | None:
    """Return what is done to data before it is learned from; None if nothing is."""
    if prepare is None or data.is_encoded:
        return None
    if isinstance(prepare, Preparation):
        return prepare
    if not data.names or not data.n_rows:
        return None  # who reads it says what is wrong
    return _planned(data.columns(engine), prepare, data.given)


def keeps_numbers(plan: Preparation, prepare: Prepare) -> bool:
    """Tell whether numbers stay numbers; a Discretizer asks for bins."""
    return not isinstance(prepare, Discretizer) and worth_keeping(plan)


def _planned(columns: Columns, prepare: Prepare, given: str) -> Preparation:
    """Plan; refuse what leaves nothing, and warn of what is left out or taken for missing."""
    discretizer = prepare if isinstance(prepare, Discretizer) else Discretizer()
    plan = plan_columns(columns, Wishes(constants=True, discretizer=discretizer))
    told = [f"{one.name} is left out: {one.why}" for one in plan.left_out if one.role != "dropped"]
    if not plan.outputs:
        why = _few(told) or "all are dropped"
        raise ValueError(f"{given} has no column that can be learned from: {why}")
    told += [
        f"{one.n_odd:,} odd cells of {one.name}, such as {one.odd[0].value!r} in row "
        f"{one.odd[0].row:,}, are taken for {one.odd[0].taken_for}"
        for one in plan.columns
        if one.odd
    ]
    if told:
        warnings.warn(f"{_few(told)}; preparation_ says more", UserWarning, stacklevel=6)
    return plan


def _few(told: Sequence[str]) -> str:
    more = f"; and {len(told) - 3:,} more" if len(told) > 3 else ""
    return "; ".join(told[:3]) + more
