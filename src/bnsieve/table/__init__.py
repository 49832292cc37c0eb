"""Frames become codes.

In: a data frame, an Arrow table or an array. Out: a `Table`, its numbers cut into bins.
"""

from bnsieve.table.cut_points import binned
from bnsieve.table.discretizer import MAX_ROWS, Discretizer, cut_numbers, unfitted
from bnsieve.table.encode import EXACT, MAX_LEVELS, Codes, code_dtype, text_labels, whole_numbers
from bnsieve.table.table import Table

__all__ = [
    "EXACT",
    "MAX_LEVELS",
    "MAX_ROWS",
    "Codes",
    "Discretizer",
    "Table",
    "binned",
    "code_dtype",
    "cut_numbers",
    "text_labels",
    "unfitted",
    "whole_numbers",
]
