"""Compare new rows with a fit: the changes, where they are, and the rows that show them."""

from bnsieve.check.attribution import Attribution
from bnsieve.check.checking import Origins, check_rows
from bnsieve.check.learned import ROWS_TO_COMPARE, Learned
from bnsieve.check.result import (
    SECTIONS,
    Check,
    Mechanism,
    Section,
    one_in,
    shown_cell,
    told_attribution,
    value_text,
)
from bnsieve.check.schema import SchemaChange, changed_columns, more_than, renamed

__all__ = [
    "ROWS_TO_COMPARE",
    "SECTIONS",
    "Attribution",
    "Check",
    "Learned",
    "Mechanism",
    "Origins",
    "SchemaChange",
    "Section",
    "changed_columns",
    "check_rows",
    "more_than",
    "one_in",
    "renamed",
    "shown_cell",
    "told_attribution",
    "value_text",
]
