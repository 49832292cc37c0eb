"""What each column of a table is taken for, and what is done about it, before it is learned from.

In: a frame, an Arrow table, or rows in files. Out: a `Preparation`, which turns these and later
rows into labels.
"""

from bnsieve.prepare.plan import ColumnPlan, OddCell, Output, Preparation, Role

__all__ = ["ColumnPlan", "OddCell", "Output", "Preparation", "Role"]
