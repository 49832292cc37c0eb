"""A learned graph and the truth in; what was lost, what should not be there, and F1 out."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from benchmarks.tables.catalogue import Truth

Pair = frozenset[str]


@dataclass(frozen=True)
class Judgement:
    """What a graph is worth.

    Attributes
    ----------
    lost : tuple of str
        Columns that matter and that no node of the graph comes from.
    misplaced : tuple of str
        Identifiers, texts, constants, and whole dates that are nodes.
    n_true, n_learned, n_right : int
        Pairs of columns that are joined in truth, in the graph, in both.
    """

    lost: tuple[str, ...]
    misplaced: tuple[str, ...]
    n_true: int
    n_learned: int
    n_right: int

    @property
    def f1(self) -> float:
        """Of the skeleton."""
        return 2 * self.n_right / max(1, self.n_true + self.n_learned)


def judge(
    truth: Truth,
    sources: Mapping[str, str],
    edges: Iterable[tuple[str, str]],
    used: Iterable[str] = (),
) -> Judgement:
    """Judge a graph by the columns that its nodes come from.

    Parameters
    ----------
    truth : Truth
    sources : mapping from node to column
        The month of a date comes from the date; so does the time that has passed until it.
    edges : iterable of (node, node)
        Direction does not count. An edge between two nodes of one column is none.
    used : iterable of str
        Columns that are not lost though no node is theirs.
    """
    present = set(sources.values())
    there = present.union(used)
    pairs = joined(truth, ((sources[tail], sources[head]) for tail, head in edges))
    true_pairs = joined(truth, truth.edges)
    whole_dates = [name for name in truth.dates if sources.get(name) == name]
    return Judgement(
        lost=tuple(
            name
            for name in truth.matter
            if name not in there and not _spoken_for(truth, name, present)
        ),
        misplaced=(*(name for name in truth.out if name in present), *whole_dates),
        n_true=len(true_pairs),
        n_learned=len(pairs),
        n_right=len(pairs & true_pairs),
    )


def joined(truth: Truth, edges: Iterable[tuple[str, str]]) -> set[Pair]:
    """Return which columns are joined, columns that say the same taken for one."""
    merged = (
        frozenset({truth.judged_as.get(tail, tail), truth.judged_as.get(head, head)})
        for tail, head in edges
        if not {tail, head} & truth.unjudged
    )
    return {pair for pair in merged if len(pair) == 2}


def _spoken_for(truth: Truth, name: str, present: set[str]) -> bool:
    """Tell whether another column says the same: one of two copies may be left out."""
    group = truth.judged_as.get(name, name)
    return any(truth.judged_as.get(other, other) == group for other in present)
