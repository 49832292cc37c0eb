"""Labels that are codes in a hierarchy: which prefixes tell as much as the categories.

In: categories such as ``/shop/cart/12``, ``J45.9``, ``10115`` or ``AB-1204``, and what they say
about other columns. Out: for each category the prefix that stands for it, or the category itself.
The hierarchy is cut where the description is shortest: each group of categories pays for its
probabilities, and a group is split into its continuations only where these tell more than they
cost. No other cut of the hierarchy is better: the best cut of a prefix is itself, or the best cuts
of its continuations.
"""

import math
import re
from collections import Counter
from collections.abc import Callable, Hashable, Mapping, Sequence
from typing import TypeVar

import numpy as np

from bnsieve.table.prepare.evidence import Evidence

_Item = TypeVar("_Item")

_SEPARATORS = re.compile(r"[/\\.:|>#?&_\-\s]+")
# Paths are told apart at the first categories; characters of a code at a few more.
_MOST_STEPS = 8
# Codes without separators are short and hold digits; words are not codes.
_LONGEST_CODE = 16


def prefixes_of(labels: Sequence[Hashable]) -> list[tuple[str, ...]] | None:
    """Return for each category its prefixes, from short to long, without the category itself.

    Short categories with digits begin alike character by character, others at their separators.

    Returns
    -------
    list of tuples of str, or None
        None where the categories do not look like codes of a hierarchy: most of them are neither
        short with digits, nor hold separators.
    """
    texts = [str(label) for label in labels]
    if _most(texts, _is_short_code):
        return [
            tuple(text[:size] for size in range(1, min(len(text), _MOST_STEPS + 1)))
            for text in texts
        ]
    steps = [_steps(text) for text in texts]
    return steps if _most(steps, bool) else None


def _most(items: Sequence[_Item], is_so: Callable[[_Item], bool]) -> bool:
    return 10 * sum(map(is_so, items)) >= 9 * len(items)


def _is_short_code(text: str) -> bool:
    return len(text) <= _LONGEST_CODE and "/" not in text and any(map(str.isdigit, text))


def _steps(text: str) -> tuple[str, ...]:
    """Return the beginnings of a text that end with separators."""
    ends = [found.end() for found in _SEPARATORS.finditer(text)]
    inner = [end for end in ends if text[:end].strip("/") and end < len(text)]
    return tuple(text[:end] for end in inner[:_MOST_STEPS])


def group_by_prefix(
    counts: Mapping[Hashable, int], evidence: Evidence, fewest_rows: int
) -> tuple[dict[Hashable, str | None], float] | None:
    """Cut the hierarchy of codes where it tells most about other columns for what it costs.

    Parameters
    ----------
    counts : mapping of category to int
        Rows of each category.
    evidence : Evidence
    fewest_rows : int
        A group has at least so many rows; what is rarer goes with the rest of its prefix.

    Returns
    -------
    groups : dict of category to str or None
        The prefix, with a star, of each category; its own text where it stays alone; None where it
        belongs to nothing but all categories.
    gain : float
        What the groups tell less what they cost, in nats; see `Evidence.gain`.

    Or None where the categories are no codes.
    """
    labels = sorted(counts, key=str)
    prefixes = prefixes_of(labels)
    if prefixes is None:
        return None
    tree = _Tree(labels, prefixes, counts, evidence, fewest_rows)
    split, gain = tree.best_cut()
    return tree.groups(split), gain


class _Tree:
    """The hierarchy of the prefixes that have enough rows; node 0 is the empty one.

    A node comes after the one above it. Categories with enough rows are nodes too; rarer ones
    belong to the longest prefix that has enough, and are its rest.
    """

    def __init__(
        self,
        labels: Sequence[Hashable],
        prefixes: Sequence[tuple[str, ...]],
        counts: Mapping[Hashable, int],
        evidence: Evidence,
        fewest_rows: int,
    ) -> None:
        self._labels = labels
        self._evidence = evidence
        rows: Counter[str] = Counter()
        for label, path in zip(labels, prefixes, strict=True):
            for prefix in path:
                rows[prefix] += counts[label]
        number: dict[str, int] = {}
        self.parent, self._names = [0], [""]
        home = np.empty(len(labels), dtype=np.int64)
        for i, (label, path) in enumerate(zip(labels, prefixes, strict=True)):
            above = 0
            own = (str(label),) if str(label) in rows else ()  # J45 is one of J45*
            for prefix in (*path, *own):
                if rows[prefix] < fewest_rows:
                    break
                if prefix not in number:
                    number[prefix] = self._add(above, prefix + "*")
                above = number[prefix]
            home[i] = self._add(above, str(label)) if counts[label] >= fewest_rows else above
        self._home = home
        row_of = {label: row for row, label in enumerate(evidence.labels)}
        seen = np.array([label in row_of for label in labels], dtype=bool)
        own_rows = [row_of[label] for label in labels if label in row_of]
        # What the categories say that belong to a node and to none below it.
        self._rest = np.zeros((len(self.parent), evidence.counts.shape[1]))
        np.add.at(self._rest, home[seen], evidence.counts[own_rows])

    def _add(self, above: int, name: str) -> int:
        self.parent.append(above)
        self._names.append(name)
        return len(self.parent) - 1

    def best_cut(self) -> tuple[list[bool], float]:
        """Return which nodes are split, and what the groups tell less what they cost."""
        whole = self._rest.copy()
        for node in range(len(whole) - 1, 0, -1):
            whole[self.parent[node]] += whole[node]
        # Each group pays for its probabilities, and for saying whether it is split.
        price = self._evidence.price + math.log(2)
        together = (self._evidence.log_likelihoods(whole) - price).tolist()
        rest = (self._evidence.log_likelihoods(self._rest) - price).tolist()
        has_rest: list[bool] = np.any(self._rest, axis=1).tolist()
        apart: list[float] = [own if has else 0.0 for own, has in zip(rest, has_rest, strict=True)]
        leaf = [True] * len(whole)
        split = [False] * len(whole)
        for node in range(len(whole) - 1, -1, -1):
            split[node] = not leaf[node] and apart[node] > together[node]
            above = self.parent[node]
            if node:
                apart[above] += apart[node] if split[node] else together[node]
                leaf[above] = False
        best = apart[0] if split[0] else together[0]
        return split, best - together[0]

    def groups(self, split: Sequence[bool]) -> dict[Hashable, str | None]:
        """Return the group of each category: a node that is not split takes all that is below."""
        group_of = [0] * len(self.parent)
        for node in range(1, len(self.parent)):
            above = self.parent[node]
            group_of[node] = node if split[above] and group_of[above] == above else group_of[above]
        return {
            label: self._names[group_of[node]] or None
            for label, node in zip(self._labels, self._home.tolist(), strict=True)
        }
