"""Orders that follow from what a table says: not from how its rows lie or its categories are named.

In: a `Table`. Out: an order of its rows, and of the categories of each column. What is drawn for a
row may then depend on the row's place, and stays the same when rows are shuffled or categories
renamed. Categories are told apart by how often they occur and by the rows in which they do, rows by
their categories, in turns. Rows that are equal, and categories that are exchanged by some symmetry
of the table, keep the order they have.
"""

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from bnsieve.table.hashes import Hashes, hash_name, mixed
from bnsieve.table.table import Table

# Categories that occur equally often are told apart by their rows, and these by all others.
_ROUNDS = 2

CategoryOrders = dict[str, NDArray[np.intp]]


def content_orders(table: Table) -> tuple[NDArray[np.intp], CategoryOrders]:
    """Return an order of the rows, and one of the codes of each column of categories.

    Numbers count by their rank. Their bins have an order of their own, and none is returned.
    """
    fixed = np.zeros(table.n_rows, dtype=np.uint64)
    of_cell: dict[int, Hashes] = {}
    for v, name in enumerate(table.names):
        if v in table.numbers:
            ranks = np.unique(table.numbers[v], return_inverse=True)[1]
            fixed += mixed(mixed(ranks.astype(np.uint64)) + hash_name(name))
        else:
            counts = np.bincount(_places(table, v), minlength=len(table.categories[v]) + 1)
            of_cell[v] = mixed(counts.astype(np.uint64) + hash_name(name))
    for _ in range(_ROUNDS):
        met = mixed(_sums(table, fixed, of_cell))
        for v, own in of_cell.items():
            sums = np.zeros(len(own), dtype=np.uint64)
            np.add.at(sums, _places(table, v), met)
            of_cell[v] = mixed(own + sums)
    rows = _sums(table, fixed, of_cell)
    categories = {
        table.names[v]: np.argsort(own[: len(table.categories[v])], kind="stable")
        for v, own in of_cell.items()
    }
    order: NDArray[np.intp] = np.argsort(rows, kind="stable")
    return order, categories


def _sums(table: Table, fixed: Hashes, of_cell: Mapping[int, Hashes]) -> Hashes:
    """Return a number for each row: the sum of those of its cells."""
    rows = fixed.copy()
    for v, own in of_cell.items():
        rows += own[_places(table, v)]
    return rows


def _places(table: Table, v: int) -> NDArray[np.intp]:
    """Return the code of each cell of a column, the last one where it is missing."""
    places: NDArray[np.intp] = table.codes[v].astype(np.intp)
    if v in table.missing:
        places[table.missing[v]] = len(table.categories[v])
    return places
