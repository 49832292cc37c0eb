"""The marks at the ends of an edge, in graphs that allow for hidden common causes."""

from enum import Enum


class Mark(Enum):
    """The mark at one end of an edge."""

    TAIL = "-"
    ARROW = ">"
    CIRCLE = "o"


# ``marks[a, b]`` is the mark at b of the edge between a and b.
Marks = dict[tuple[str, str], Mark]
