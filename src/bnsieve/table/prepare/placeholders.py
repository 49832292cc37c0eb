"""Values that may stand for a missing cell: texts such as "unknown", numbers such as -999.

In: what is known of a column. Out: warnings. They are used as they are: only who made the table
knows what they mean.
"""

import numpy as np

from bnsieve.table.prepare.facts import ColumnFacts
from bnsieve.table.prepare.parsing import read_numbers
from bnsieve.table.prepare.plan import Output
from bnsieve.table.prepare.readings import Labels, Numbers
from bnsieve.table.prepare.roles import quoted, shown

# The first ones are missing cells in a CSV file, and categories in a frame or a Parquet file.
_TEXTS = (
    *("NA", "N/A", "n/a", "NULL", "null", "NaN", "nan"),
    *("?", "-", "unknown", "Unknown", "UNKNOWN", "None", "none"),
)
_NINES = [sign * (10**n - 1) for n in range(2, 8) for sign in (-1, 1)]


def perhaps_missing(facts: ColumnFacts, output: Output) -> list[str]:
    """Return a warning for each value that may stand for a missing cell."""
    if facts.kind == "text" and isinstance(output.reading, Labels):
        values = set(facts.distinct.values.tolist())
        return [
            f"{text!r} counts as a category: --na {quoted(text)} takes it for a missing cell"
            for text in _TEXTS
            if text in values
        ]
    return _nines(facts, output)


def _nines(facts: ColumnFacts, output: Output) -> list[str]:
    """Name a number of nines that is further from all others than these are from each other."""
    values = facts.distinct.values
    if facts.kind == "text" and isinstance(output.reading, Numbers):
        values = read_numbers(values, output.reading.style)
    elif facts.kind != "number":
        return []
    numbers = np.asarray(values, dtype=np.float64)
    numbers = numbers[np.isfinite(numbers)]
    is_nines = np.isin(numbers, _NINES)
    others = numbers[~is_nines]
    if len(others) < 2:
        return []
    lowest, highest = float(others.min()), float(others.max())
    far = highest - lowest
    return [
        f"{shown(number)} is far from all other numbers: --na={shown(number)} takes it for a "
        "missing cell"
        for number in sorted(set(numbers[is_nines].tolist()))
        if number < lowest - far or number > highest + far
    ]
