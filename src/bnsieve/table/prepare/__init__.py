"""Preparation: infer the role of each column, and turn columns into categories and numbers.

In: a frame, an Arrow table, or rows in files. Out: a `Preparation`, which turns these and later
rows into categories.
"""

from bnsieve.table.prepare.advice import with_parameters
from bnsieve.table.prepare.apply import needed_by, passes, require_columns
from bnsieve.table.prepare.calendar import (
    LABELS,
    calendar_codes,
    calendar_column,
    calendar_names,
    covered_parts,
)
from bnsieve.table.prepare.facts import ColumnFacts, Columns, FrameColumns, IsOdd, OddFound, odd_in
from bnsieve.table.prepare.missing import has_codes, missing_texts_of, without_missing
from bnsieve.table.prepare.parsing import (
    choose_form,
    choose_style,
    epoch_unit,
    read_dates,
    read_numbered_days,
    read_numbered_times,
    write_numbers,
)
from bnsieve.table.prepare.plan import AS_ASKED, ColumnPlan, OddCell, Output
from bnsieve.table.prepare.planning import PREPARATION_SEED, ColumnOverrides, plan_columns
from bnsieve.table.prepare.preparation import Change, Preparation, changes_of
from bnsieve.table.prepare.reading import (
    SECONDS,
    fixed_labels,
    label_text,
    labelled,
    numbers_of,
    quantity_of,
    times_of,
    with_times,
)
from bnsieve.table.prepare.readings import DatePart, Elapsed, Labels, Numbers
from bnsieve.table.prepare.roles import names_identifier, require_known
from bnsieve.table.prepare.row_columns import row_column

__all__ = [
    "AS_ASKED",
    "LABELS",
    "PREPARATION_SEED",
    "SECONDS",
    "Change",
    "ColumnFacts",
    "ColumnOverrides",
    "ColumnPlan",
    "Columns",
    "DatePart",
    "Elapsed",
    "FrameColumns",
    "IsOdd",
    "Labels",
    "Numbers",
    "OddCell",
    "OddFound",
    "Output",
    "Preparation",
    "calendar_codes",
    "calendar_column",
    "calendar_names",
    "changes_of",
    "choose_form",
    "choose_style",
    "covered_parts",
    "epoch_unit",
    "fixed_labels",
    "has_codes",
    "label_text",
    "labelled",
    "missing_texts_of",
    "names_identifier",
    "needed_by",
    "numbers_of",
    "odd_in",
    "passes",
    "plan_columns",
    "quantity_of",
    "read_dates",
    "read_numbered_days",
    "read_numbered_times",
    "require_columns",
    "require_known",
    "row_column",
    "times_of",
    "with_parameters",
    "with_times",
    "without_missing",
    "write_numbers",
]
