"""Check the parts of a Bayesian network; an error names what is wrong."""

from collections.abc import Hashable, Iterable, Mapping, Sequence

import numpy as np
from numpy.typing import ArrayLike, NDArray

from bnsieve.graph import Graph
from bnsieve.table import MAX_LEVELS

# Files round probabilities to a few digits. Other readers of BIF allow the same slack.
SUM_TOLERANCE = 0.01


def check_names(
    where: str, given: Iterable[str], expected: Sequence[str], what: str = "variable"
) -> None:
    """Refuse names that are not exactly those expected."""
    names = set(given)
    for name in expected:
        if name not in names:
            raise ValueError(f"{where} lacks the {what} {name!r}.")
    for name in sorted(names.difference(expected)):
        raise ValueError(f"{where} has the {what} {name!r}, which is not in the network.")


def checked_levels(name: str, labels: Sequence[Hashable]) -> tuple[Hashable, ...]:
    """Return a variable's labels if there are not too few or too many and none comes twice."""
    if isinstance(labels, str):
        raise ValueError(f"levels of {name!r} must be several labels, got the string {labels!r}.")
    levels = tuple(labels)
    if not 1 <= len(levels) <= MAX_LEVELS:
        raise ValueError(f"{name!r} has {len(levels)} levels; it needs 1 to {MAX_LEVELS:,}.")
    if len(set(levels)) < len(levels):
        twice = next(label for i, label in enumerate(levels) if label in levels[:i])
        raise ValueError(f"{name!r} has the level {twice!r} twice.")
    return levels


def checked_parents(
    name: str, parents: Mapping[str, Sequence[str]] | None, graph: Graph
) -> tuple[str, ...]:
    """Return the order of a variable's parents if they are those of the graph."""
    in_graph = graph.parents(name)
    own = tuple((parents or {}).get(name, in_graph))
    if sorted(own) != sorted(in_graph):
        raise ValueError(f"parents of {name!r} are {own} but the graph says {in_graph}.")
    return own


def checked_table(
    name: str,
    table: ArrayLike,
    parents: tuple[str, ...],
    levels: Mapping[str, tuple[Hashable, ...]],
) -> NDArray[np.float64]:
    """Return a variable's table, read-only, if it has the right shape and holds probabilities."""
    array = np.array(table, dtype=np.float64, order="C")
    shape = tuple(len(levels[variable]) for variable in (*parents, name))
    if array.shape != shape:
        raise ValueError(
            f"the table of {name!r} has shape {array.shape}, but the levels of its parents "
            f"{parents} and its own make {shape}."
        )
    if not np.all(array >= 0):
        raise ValueError(f"the table of {name!r} holds a negative number or NaN.")
    sums = array.sum(axis=-1)
    wrong = ~(np.abs(sums - 1) <= SUM_TOLERANCE)
    if np.any(wrong):
        where = np.argwhere(wrong)[0]
        given = ", ".join(
            f"{parent} = {levels[parent][code]!r}"
            for parent, code in zip(parents, where, strict=True)
        )
        raise ValueError(
            f"the probabilities of {name!r}{' given ' if given else ''}{given} "
            f"sum to {float(sums[tuple(where)])!r} instead of 1."
        )
    array.flags.writeable = False
    return array
