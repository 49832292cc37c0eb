"""What each column of a table is taken for, and what is done about it, before it is learned from.

In: a frame, an Arrow table, or rows in files. Out: a `Preparation`, which turns these and later
rows into labels.
"""

from bnsieve.prepare.changes import Change, changes_of
from bnsieve.prepare.door import plan_rows, prepare
from bnsieve.prepare.frame_columns import Columns, FrameColumns
from bnsieve.prepare.plan import AS_ASKED, ColumnPlan, OddCell, Output, Role
from bnsieve.prepare.planning import PREPARATION_SEED, Wishes, plan_columns
from bnsieve.prepare.preparation import Preparation
from bnsieve.prepare.readings import DatePart, Elapsed, Labels, Numbers
from bnsieve.prepare.roles import require_known

PREPARATION_RECORDS = (
    Preparation,
    ColumnPlan,
    OddCell,
    Output,
    Labels,
    Numbers,
    DatePart,
    Elapsed,
)
"""What a preparation is made of, for files that hold one."""

__all__ = [
    "AS_ASKED",
    "PREPARATION_RECORDS",
    "PREPARATION_SEED",
    "Change",
    "ColumnPlan",
    "Columns",
    "DatePart",
    "FrameColumns",
    "OddCell",
    "Output",
    "Preparation",
    "Role",
    "Wishes",
    "changes_of",
    "plan_columns",
    "plan_rows",
    "prepare",
    "require_known",
]
