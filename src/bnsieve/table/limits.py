"""How much is held in memory at a time: every such bound, in cells, in one place."""

MAX_CELLS = 1 << 24
"""Rows of more cells stay in files: as a frame each takes some ten bytes, or more."""

MAX_CODES = 1 << 28
"""Cells that a learner may hold which goes through the rows many times: a byte or two each."""

MAX_CELLS_DRAWN = 1 << 25
"""Cells of the rows that are drawn to find bins and groups in."""

MAX_CELLS_READ = 1 << 24
"""Cells of a piece of a file: the pieces of all threads together stay far below a gigabyte."""
