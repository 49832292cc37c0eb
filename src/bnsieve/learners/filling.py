"""Numbers in place of missing cells, once their bins are drawn."""

from dataclasses import replace

import numpy as np

from bnsieve.network import label_missing
from bnsieve.table import Table


def with_drawn_numbers(filled: Table, given: Table, seed: int) -> Table:
    """Return a table whose bins were drawn where cells are missing, with numbers drawn as well.

    A number is drawn from those known in the same bin.

    Parameters
    ----------
    filled : Table
        Without missing cells.
    given : Table
        The same with missing cells, and with numbers.
    seed : int
        The result depends on nothing else: not on the order of the variables.
    """
    numbers = dict(given.numbers)
    rank = {name: i for i, name in enumerate(sorted(given.names))}
    for v in sorted(set(numbers) & set(given.missing)):
        mask = given.missing[v]
        sequence = np.random.SeedSequence(seed, spawn_key=(rank[given.names[v]], 1))
        stream = np.random.default_rng(sequence)
        values = numbers[v].copy()
        known, bins, drawn = values[~mask], filled.codes[v][~mask], filled.codes[v][mask]
        found = np.empty(len(drawn))
        for code in np.unique(drawn).tolist():
            here = drawn == code
            found[here] = stream.choice(known[bins == code], size=int(here.sum()))
        values[mask] = found
        numbers[v] = values
    return replace(filled, numbers=numbers)


def labelled_missing(table: Table) -> Table:
    """Return the table in which a missing cell has a label, and such columns hold labels only."""
    whole = {v: values for v, values in table.numbers.items() if v not in table.missing}
    return replace(label_missing(table), numbers=whole)
