"""A table and a target in, the few columns among which its Markov blanket is sought out.

The blanket (parents, children and the children's other parents) is all of the network that says
anything about the target once it is known. Its members are neighbours of the target or of a
neighbour: so the columns that matter to the target, and those that matter to these, are enough.
"""

from collections.abc import Iterable

from bnsieve.engine import threads
from bnsieve.learners.stages import MACHINE
from bnsieve.sieve import excess_of, importances, strongest
from bnsieve.table import Table

# How many columns the machine names for each column, and how many association does. The target's
# own are more: what is missed there is lost.
_HEAD_OF_TARGET = 8
_HEAD = 3


def surroundings(
    table: Table, target: str, also: Iterable[str], seed: int, n_jobs: int | None
) -> list[str]:
    """Return the target, what matters to it, and what matters to these, sorted by name.

    Parameters
    ----------
    table : Table
    target : str
    also : iterable of str
        Columns to count among those that matter to the target.
    seed : int
        Of the machines; each column has its own stream.
    n_jobs : int or None
    """
    centre = table.names.index(target)
    first = {*_strongest(table, [centre], _HEAD_OF_TARGET, seed, n_jobs)}
    first.update(table.names.index(name) for name in also)
    second = _strongest(table, sorted(first - {centre}), _HEAD, seed, n_jobs)
    return sorted(table.names[v] for v in {centre, *first, *second})


def _strongest(
    table: Table, targets: list[int], size: int, seed: int, n_jobs: int | None
) -> set[int]:
    found: set[int] = set()
    with threads(n_jobs) as run:
        for one in importances(table, targets, MACHINE, seed, run):
            found.update(strongest(one.score / table.n_levels, size))
        for excess in run(lambda v: excess_of(table, v), targets):
            found.update(strongest(excess, size))
    return found
