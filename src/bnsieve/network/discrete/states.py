"""What became of a row: `RowState` in ``native/row_inference.hpp``."""

ANSWERED = 0
IMPOSSIBLE = 1
TOO_LARGE = 2
