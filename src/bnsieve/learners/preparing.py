"""What a learner does to data before it learns: as it is told, or as the data itself suggests.

In: what `fit` was given, and the parameter `prepare`. Out: rows of labels, and what was done to get
there.
"""

import warnings
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

from bnsieve.engine import Engine
from bnsieve.search import with_bin_edges
from bnsieve.table import Discretizer, Table
from bnsieve.table.prepare import (
    AS_ASKED,
    PREPARATION_SEED,
    Columns,
    FrameColumns,
    Preparation,
    Wishes,
    plan_columns,
)

if TYPE_CHECKING:
    from bnsieve.rows.parquet import ParquetSource
    from bnsieve.rows.recoding import Recoding

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

    def without(self, name: str | None, data: Any) -> "DoneBefore":
        """Return the same for data that lacks one column, if it does."""
        # Arrow tables have their names elsewhere; arrays have none, and all columns.
        columns = getattr(data, "column_names", getattr(data, "columns", None))
        if name is None or columns is None or isinstance(data, Table):
            return self
        names = {str(one) for one in columns}
        if self.plan is None:
            return self
        columns_of = {
            one.name: {one.name, *(output.name for output in one.outputs)}
            for one in self.plan.columns
        }
        gone = {column for column, own in columns_of.items() if name in own} - names
        return DoneBefore(self.plan.among([one for one in columns_of if one not in gone]))

    def labelled(self, data: Any) -> Any:
        """Return later rows as labels."""
        return data if isinstance(data, Table) or self.plan is None else self.plan.apply(data)

    def table(self, data: Any) -> Table:
        """Return later rows as a table, with the numbers that were cut beside their bins."""
        table = Table.from_data(self.labelled(data))
        if isinstance(data, Table) or self.plan is None:
            return table
        return table.with_numbers(self.plan.numbers(data))

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
    def recoding(self) -> "Recoding | None":
        """What is done to later rows in files; None if nothing is."""
        from bnsieve.rows.file_columns import Prepared

        return None if self.plan is None else Prepared(self.plan)


def cut_by_name(table: Table, cuts: Mapping[str, Sequence[float]]) -> Table:
    """Return the table with the bins of some numbers between other cuts."""
    place = {name: v for v, name in enumerate(table.names)}
    return with_bin_edges(table, {place[name]: own for name, own in cuts.items()})


def worth_keeping(plan: Preparation) -> bool:
    """Tell whether numbers are enough of the columns to learn from them as numbers.

    A score of numbers takes labels for numbers too, and sees less in them than their own. Who calls
    a column a quantity has decided.
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


def prepared_table(data: Any, prepare: Prepare) -> tuple[Table, DoneBefore]:
    """Return data in memory as labels, and what was done."""
    if isinstance(data, Table):
        return data, DoneBefore()
    if prepare is None:
        return Table.from_data(data), DoneBefore()
    if isinstance(prepare, Preparation):
        done = DoneBefore(prepare)
    else:
        columns = FrameColumns(data, PREPARATION_SEED)
        if not columns.names or not columns.n_rows:
            return Table.from_data(data), DoneBefore()  # which says what is wrong
        done = DoneBefore(_planned(columns, prepare, "the data"))
    if done.plan is not None and keeps_numbers(done.plan, prepare):
        return done.table(data), done
    return Table.from_data(done.labelled(data)), done


def prepared_source(
    data: Any, prepare: Prepare, engine: Engine, stack: ExitStack
) -> tuple["ParquetSource", DoneBefore]:
    """Return rows in files, which are labels when they are read; they stay open as the stack."""
    from bnsieve.rows.file_columns import FileColumns, Prepared
    from bnsieve.rows.opening import name_of, open_source

    source = stack.enter_context(open_source(data, numbers=True, anything=True))
    if source.recoding is not None:
        return source, DoneBefore()
    if not source.n_rows:
        raise ValueError(f"{name_of(data)} has no rows: pass at least one row")
    if isinstance(prepare, Preparation):
        plan = prepare
    else:
        plan = _planned(FileColumns(source, engine, PREPARATION_SEED), prepare, name_of(data))
    keeps = keeps_numbers(plan, prepare) and mostly_known(plan)
    return source.recoded(Prepared(plan, keeps_numbers=keeps)), DoneBefore(plan)


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
