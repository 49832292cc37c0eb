"""Columns of many categories: which categories stand for themselves, and which go together.

In: how often each category occurs, and what the categories say about other columns. Out: a
`LevelGrouping`, which maps every category to its level. The rule, in this order:

1. Up to 100 categories stay as they are; so do up to 200 that have 20 rows each.
2. More than half as many categories as rows: an identifier, left out.
3. Otherwise three groupings are tried: the 200 most frequent categories, of 20 rows or more, for
   themselves; the prefixes of codes (`bnsieve.table.prepare.codes`); categories that say the same
   about other columns together (`bnsieve.table.prepare.clusters`). The one is taken that tells most
   about other columns for what its categories cost; where the categories tell nothing, the first.
   All other categories are one level, "other".
4. Where fewer than a tenth of the rows have a level but "other": an identifier, left out.

The result depends on the counts and on the rows of the evidence, not on their order.
"""

from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from bnsieve.table.prepare.clusters import cluster
from bnsieve.table.prepare.codes import group_by_prefix
from bnsieve.table.prepare.evidence import Evidence

# So many categories are no burden: tables made from known networks have up to a hundred.
FEW_LABELS = 100
# A category with fewer rows cannot say what goes with it.
FEWEST_ROWS = 20
# Categories that stand for themselves where there are more.
MOST_LEVELS = 200
# Categories that are compared with each other; the rarest are others.
_MOST_COMPARED = 5_000
# A column of which less is known but that it is something else is an identifier.
_LEAST_SHARE = 0.1
# Categories that a group's name lists.
_NAMED = 2

How = Literal["kept", "frequent", "prefix", "alike", "left out"]


@dataclass(frozen=True)
class CategoryGrouping:
    """What becomes of the categories of a column.

    Attributes
    ----------
    how : {"kept", "frequent", "prefix", "alike", "left out"}
        "kept": all categories as they are; "left out": the column is an identifier.
    mapping : dict of category to str
        The level of each category that has one but `other`; empty if all are kept as they are.
    other : str
        The level of rare categories, and of categories that are met later for the first time: of
        all that are not in `mapping`. No category is spelled like it.
    rule : str
        What was done, in words.
    n_labels, n_categories : int
        Before and after.
    n_grouped_labels, n_grouped_rows : int
        Categories that do not keep their own level, and their rows.
    """

    how: How
    mapping: dict[Hashable, str] = field(repr=False)
    other: str
    rule: str
    n_labels: int
    n_categories: int
    n_grouped_labels: int
    n_grouped_rows: int


def group_categories(
    counts: Mapping[Any, int], evidence: Evidence | None = None
) -> CategoryGrouping:
    """Decide which categories of a column stand for themselves, and which go together.

    Parameters
    ----------
    counts : mapping of category to int
        Rows of each category, missing cells left out.
    evidence : Evidence or None
        What the categories say about other columns, in some of the rows. Without it the most
        frequent categories stand for themselves.

    Returns
    -------
    LevelGrouping
    """
    n_labels, n_rows = len(counts), sum(counts.values())
    names = Names(counts)
    other = names.unused("other")
    if n_labels <= FEW_LABELS or (n_labels <= MOST_LEVELS and min(counts.values()) >= FEWEST_ROWS):
        rule = f"{n_labels:,} categories, as they are"
        return CategoryGrouping("kept", {}, other, rule, n_labels, n_labels, 0, 0)
    if 2 * n_labels > n_rows:
        rule = f"{n_labels:,} categories in {n_rows:,} rows: an identifier"
        return _left_out(rule, other, n_labels)
    how, groups = _best(counts, evidence, names)
    kept_rows = sum(counts[label] for label, group in groups.items() if group is not None)
    if kept_rows < _LEAST_SHARE * n_rows:
        rule = (
            f"{n_labels:,} categories in {n_rows:,} rows, and the most frequent have fewer than a "
            "tenth of the rows: nearly an identifier"
        )
        return _left_out(rule, other, n_labels)
    mapping = {label: str(group) for label, group in groups.items() if group is not None}
    n_categories = len(set(groups.values()))
    rule = _told(
        how, n_labels, n_categories, sum(group is None for group in groups.values()), other
    )
    grouped = [label for label, group in groups.items() if group != label]
    n_grouped_rows = sum(counts[label] for label in grouped)
    return CategoryGrouping(
        how, mapping, other, rule, n_labels, n_categories, len(grouped), n_grouped_rows
    )


class Names:
    """Names for groups that no category and no other group has, whatever the capitals."""

    def __init__(self, labels: Iterable[Hashable]) -> None:
        self._taken = {str(label).casefold() for label in labels}

    def unused(self, name: str) -> str:
        """Return the name, within as many brackets as it takes."""
        while name.casefold() in self._taken:
            name = f"({name})"
        self._taken.add(name.casefold())
        return name


# The level of each category; None is "other".
_Groups = dict[Hashable, Hashable | None]


def _best(
    counts: Mapping[Hashable, int], evidence: Evidence | None, names: Names
) -> tuple[How, _Groups]:
    """Return the grouping that tells most for what it costs; the most frequent if none tells."""
    frequent = _frequent(counts)
    if evidence is None or not len(evidence.first):
        return "frequent", frequent
    best: tuple[How, _Groups] = "frequent", frequent
    gain = max(0.0, evidence.gain(_group_counts(frequent, evidence)))
    by_prefix = group_by_prefix(counts, evidence, FEWEST_ROWS)
    if by_prefix is not None and by_prefix[1] > gain:
        best, gain = ("prefix", _spelled(by_prefix[0], names)), by_prefix[1]
    alike, told = _alike(counts, evidence, names)
    if told > gain:
        best = "alike", alike
    return best


def _frequent(counts: Mapping[Hashable, int]) -> _Groups:
    """Return the most frequent categories for themselves."""
    ranked = _ranked(counts)[:MOST_LEVELS]
    kept = {label for label in ranked if counts[label] >= FEWEST_ROWS}
    return {label: label if label in kept else None for label in counts}


def _ranked(counts: Mapping[Hashable, int]) -> list[Hashable]:
    """Return the categories, the most frequent first, and as their texts sort where equal."""
    return sorted(counts, key=lambda label: (-counts[label], str(label)))


def _group_counts(groups: _Groups, evidence: Evidence) -> NDArray[np.float64]:
    number = {group: i for i, group in enumerate(dict.fromkeys(groups.values()))}
    rows = np.array([number[groups.get(label)] for label in evidence.labels], dtype=np.int64)
    sums = np.zeros((len(number), evidence.counts.shape[1]))
    np.add.at(sums, rows, evidence.counts)
    return sums


def _spelled(groups: Mapping[Hashable, str | None], names: Names) -> _Groups:
    """Give each prefix a name that no other category has; single categories keep their own."""
    members: dict[str | None, list[Hashable]] = {}
    for label, group in groups.items():
        members.setdefault(group, []).append(label)
    spelled: _Groups = {}
    for group, labels in members.items():
        if group is None:
            name: Hashable | None = None
        elif len(labels) == 1:
            name = labels[0]
        else:
            name = names.unused(group)
        spelled.update(dict.fromkeys(labels, name))
    return spelled


def _alike(
    counts: Mapping[Hashable, int], evidence: Evidence, names: Names
) -> tuple[_Groups, float]:
    """Return groups of categories that say the same, and what these tell less what they cost."""
    row_of = {label: row for row, label in enumerate(evidence.labels)}
    compared = [
        label for label in _ranked(counts) if counts[label] >= FEWEST_ROWS and label in row_of
    ][:_MOST_COMPARED]
    groups: _Groups = dict.fromkeys(counts)
    if not compared:
        return groups, 0.0
    compared.sort(key=str)
    numbers, _ = cluster(evidence, evidence.counts[[row_of[label] for label in compared]])
    for number in range(int(numbers.max()) + 1):
        members = [label for label, own in zip(compared, numbers, strict=True) if own == number]
        name = members[0] if len(members) == 1 else _name(members, counts, names)
        groups.update(dict.fromkeys(members, name))
    choices = len(compared) * np.log(int(numbers.max()) + 1)
    return groups, evidence.gain(_group_counts(groups, evidence)) - float(choices)


def _name(members: Sequence[Hashable], counts: Mapping[Hashable, int], names: Names) -> str:
    """Name a group by its most frequent categories."""
    first = sorted(members, key=lambda label: (-counts[label], str(label)))[:_NAMED]
    more = f", {len(members) - _NAMED:,} more" if len(members) > _NAMED else ""
    return names.unused(", ".join(map(str, first)) + more)


def _left_out(rule: str, other: str, n_labels: int) -> CategoryGrouping:
    return CategoryGrouping("left out", {}, other, rule, n_labels, 0, 0, 0)


def _told(how: How, n_labels: int, n_categories: int, n_others: int, other: str) -> str:
    """Return the rule in words."""
    ways = {
        "frequent": "the most frequent for themselves",
        "prefix": "by the prefixes that tell most about other columns",
        "alike": "those together that say the same about other columns",
    }
    rest = f"; {n_others:,} rarer ones are {other!r}" if n_others else ""
    return f"{n_labels:,} categories in {n_categories:,} groups: {ways[how]}{rest}"
