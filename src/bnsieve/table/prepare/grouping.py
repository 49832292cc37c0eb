"""Columns of many categories: which categories are kept, and which are grouped.

In: how often each category occurs, and its counts with associated columns. Out: a
`CategoryGrouping`. The rule, in this order:

1. Up to 100 categories are kept; so are up to 200 that have 20 rows each.
2. More than half as many categories as rows: an identifier, left out.
3. Otherwise the best of three groupings: the 200 most frequent categories of 20 rows or more, the
   prefixes of codes, and categories that are alike in the other columns. The best one tells most
   about other columns for what its groups cost; where none tells anything, the first. All other
   categories are one group, "other".
4. Where fewer than a tenth of the rows are in a group but "other": an identifier, left out.

The result depends on the counts, not on the order of rows and columns.
"""

import math
import re
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from bnsieve import _native
from bnsieve.table.cut_points import binned, x_log_x

Codes = NDArray[np.int64]
Matrix = NDArray[np.float64]

# So many categories are no burden: tables made from known networks have up to a hundred.
MAX_UNGROUPED = 100
# A category with fewer rows cannot show what goes with it.
_FEWEST_ROWS = 20
# Categories that are kept where there are more.
_MOST_KEPT = 200
# Categories that are compared with each other; the rarest are others.
_MOST_COMPARED = 5_000
# A column with fewer rows in groups is an identifier.
_LEAST_SHARE = 0.1
# Categories that a group's name lists.
_NAMED = 2

# Another column's categories beyond its most frequent ones count as one, and its numbers have half
# as many bins: enough to see an association.
_MOST_OF_OTHERS = 16
# Only a certain association counts: so many standard deviations above chance. A column of noise
# would otherwise find, among thousands of categories, some that go with it, and grouping those
# would invent an association.
_CERTAIN = 6.0
# Categories have 16 bits.
_MOST_CODES = 1 << 16
# The most associated columns decide; with more, each category would say the same again.
_MOST_COLUMNS = 32

_SEPARATORS = re.compile(r"[/\\.:|>#?&_\-\s]+")
# Paths differ in their first steps; codes in a few more characters.
_MOST_STEPS = 8
# Codes without separators are short and hold digits; words are not codes.
_LONGEST_CODE = 16

_MOST_CLUSTERS = 32
# Categories change their clusters only in the first few rounds.
_ROUNDS = 12
# Added to every count, in all: so that what no row of a cluster has does not bar categories.
_SMOOTHING = 1.0


@dataclass(frozen=True)
class CategoryGrouping:
    """The groups of a column's categories.

    Attributes
    ----------
    how : {"kept", "frequent", "prefix", "alike", "left out"}
        "kept": all categories are; "left out": the column is an identifier.
    rule : str
        What was done, in words.
    groups : dict of str to str
        The group of each category that is not in `other`; empty if all are kept.
    other : str
        The group of rare categories, and of categories that first occur later. No category is
        spelled like it.
    """

    how: Literal["kept", "frequent", "prefix", "alike", "left out"]
    rule: str
    groups: dict[str, str] = field(default_factory=dict, repr=False)
    other: str = "other"


@dataclass(frozen=True, eq=False)
class AssociationCounts:
    """How often each category of a column occurs with each category of the associated columns.

    Attributes
    ----------
    categories : tuple of str
        In their order.
    counts : ndarray of float64, shape (n_categories, n_columns times their categories)
        The categories of one column after those of another.
    first : ndarray of int64, shape (n_columns,)
        Where the categories of each column begin.
    n_rows : int
        Rows in which the category is known.
    """

    categories: tuple[str, ...]
    counts: Matrix
    first: Codes
    n_rows: int

    @classmethod
    def of(
        cls, codes: Codes, categories: Sequence[str], others: Mapping[str, NDArray[Any]]
    ) -> "AssociationCounts":
        """Count a column's categories with other columns.

        Parameters
        ----------
        codes : ndarray of int64, shape (n_rows,)
            Places among the categories; -1 where missing.
        categories : sequence of str
            In their order.
        others : mapping of str to ndarray, shape (n_rows,)
            Integers are codes, -1 where missing, whose order does not depend on the rows; others
            are numbers, NaN where missing.
        """
        # Categories of one row go with anything.
        counts = np.bincount(codes[codes >= 0], minlength=len(categories))
        frequent = np.argsort(-counts, kind="stable")[:_MOST_CODES]
        kept = np.sort(frequent[counts[frequent] > 1])
        place = np.full(len(categories) + 1, -1)
        place[kept] = np.arange(len(kept))
        codes = place[codes]
        tables = []
        for name in sorted(others):
            other = others[name]
            if other.dtype.kind == "f":
                other = quantile_bins(other, _MOST_OF_OTHERS // 2)
            other = _most_frequent(other.astype(np.int64))
            n_other = int(other.max(initial=-1)) + 1
            both = (codes >= 0) & (other >= 0)
            cells = codes[both] * n_other + other[both]
            above_chance = _above_chance(cells, n_other)
            if above_chance > _CERTAIN:
                table = np.bincount(cells, minlength=len(kept) * n_other)
                tables.append((-above_chance, name, table.reshape(-1, n_other)))
        chosen = [table for *_, table in sorted(tables, key=lambda one: one[:2])[:_MOST_COLUMNS]]
        first = np.cumsum([0, *(table.shape[1] for table in chosen)])[: len(chosen)]
        sums = np.hstack([np.zeros((len(kept), 0)), *chosen]).astype(np.float64)
        known = int((codes >= 0).sum())
        return cls(tuple(categories[i] for i in kept.tolist()), sums, first, known)

    @property
    def price(self) -> float:
        """The cost of one more group, in nats (BIC): half a logarithm of the rows a probability."""
        n_free = int(self.counts.shape[1]) - len(self.first)
        return 0.5 * n_free * math.log(max(self.n_rows, 2))

    def gain(self, counts: Matrix) -> float:
        """Return how informative groups, rows of `counts`, are, minus a penalty for their size."""
        whole = counts.sum(axis=0, keepdims=True)
        told = float(self.log_likelihoods(counts).sum() - self.log_likelihoods(whole).sum())
        return told - (len(counts) - 1) * self.price

    def log_likelihoods(self, counts: Matrix) -> Matrix:
        """Return the log-likelihood of the other columns in each group, shape (n_groups,)."""
        if not len(self.first):
            return np.zeros(len(counts))
        totals = np.add.reduceat(counts, self.first, axis=1)
        told: Matrix = x_log_x(counts).sum(axis=1) - x_log_x(totals).sum(axis=1)
        return told

    def totals(self, counts: Matrix) -> Matrix:
        """Return, for each category of the other columns, the rows of its column."""
        widths = np.diff([*self.first.tolist(), counts.shape[-1]])
        return np.repeat(np.add.reduceat(counts, self.first, axis=-1), widths, axis=-1)


def quantile_bins(numbers: Matrix, n_bins: int) -> Codes:
    """Return the bin of each number, of about as many rows each; -1 for NaN."""
    known = numbers[~np.isnan(numbers)]
    if not len(known):
        return np.full(len(numbers), -1)
    return binned(numbers, np.unique(np.quantile(known, np.arange(1, n_bins) / n_bins)))


def _most_frequent(codes: Codes) -> Codes:
    """Return codes in the order of frequency; those beyond the first few are one."""
    counts = np.bincount(codes[codes >= 0], minlength=1)
    place = np.empty(len(counts) + 1, dtype=np.int64)
    place[np.argsort(-counts, kind="stable")] = np.arange(len(counts))
    place[-1] = -1
    return np.minimum(place[codes], _MOST_OF_OTHERS - 1)


def _above_chance(cells: Codes, n_categories: int) -> float:
    """Return the standard deviations by which two columns are associated beyond chance.

    Chance is every arrangement of the rows with these margins, so that few rows per category do not
    mislead. `cells` holds the categories of each row in one number.
    """
    keys, counts = np.unique(cells, return_counts=True)
    if not len(keys):
        return 0.0
    pairs = np.array(np.divmod(keys, n_categories), dtype=np.uint16)
    found = _native.strata_statistics(pairs, counts.astype(np.int64))
    return (found.damped - found.mean) / math.sqrt(found.variance) if found.variance > 0 else 0.0


def group_categories(
    counts: Mapping[str, int],
    associations: AssociationCounts | None = None,
    n_different: int | None = None,
) -> CategoryGrouping:
    """Decide which categories of a column are kept, and which are grouped.

    Parameters
    ----------
    counts : mapping of str to int
        Rows of each category.
    associations : AssociationCounts or None
        In some of the rows. Without it the most frequent categories are kept.
    n_different : int or None
        Where there are too many categories to count each in all rows: about how many there are.
        The counts are of rows drawn then, and whoever asks knows that it is no identifier.
    """
    n, n_rows = len(counts), sum(counts.values())
    if n <= MAX_UNGROUPED or (n <= _MOST_KEPT and min(counts.values()) >= _FEWEST_ROWS):
        return CategoryGrouping("kept", f"{n:,} categories, unchanged")
    size = f"{n:,} categories in {n_rows:,} rows"
    if n_different is not None:
        n, size = n_different, f"about {n_different:,} categories"
    elif 2 * n > n_rows:
        return CategoryGrouping("left out", f"{size}: an identifier")
    taken = {category.casefold() for category in counts}
    other = _unused("other", taken)
    ranked = sorted(counts, key=lambda category: (-counts[category], category))
    ranked = [category for category in ranked if counts[category] >= _FEWEST_ROWS]
    how: Literal["frequent", "prefix", "alike"] = "frequent"
    words = "one for each of the most frequent"
    groups = {category: category for category in ranked[:_MOST_KEPT]}
    if associations is not None and len(associations.first):
        gain = max(0.0, _gain(groups, counts, associations))
        prefixes, told = group_by_prefix(counts, associations, _FEWEST_ROWS)
        if told > gain:
            words = "by the prefixes most informative about other columns"
            how, gain = "prefix", told
            groups = _named(prefixes, counts, taken)
        clusters, cost = _cluster(ranked, associations)
        if _gain(clusters, counts, associations) - cost > gain:
            how, words = "alike", "by their associations with other columns"
            groups = _named(clusters, counts, taken)
    if sum(counts[category] for category in groups) < _LEAST_SHARE * n_rows:
        few = "and the most frequent have fewer than a tenth of the rows: nearly an identifier"
        return CategoryGrouping("left out", f"{size}, {few}")
    n_others = n - len(groups)
    rest = f"; {n_others:,} rarer ones are {other!r}" if n_others else ""
    n_groups = len(set(groups.values())) + (n_others > 0)
    about = "" if n_different is None else "about "
    rule = f"{about}{n:,} categories in {n_groups:,} groups: {words}{rest}"
    return CategoryGrouping(how, rule, groups, other)


def _unused(name: str, taken: set[str]) -> str:
    """Return a name that is not taken, whatever the capitals, within as many brackets as needed."""
    while name.casefold() in taken:
        name = f"({name})"
    taken.add(name.casefold())
    return name


def _named(
    groups: Mapping[str, str | int], counts: Mapping[str, int], taken: set[str]
) -> dict[str, str]:
    """Name groups by their prefix or their most frequent categories; single ones keep their own."""
    members: dict[str | int, list[str]] = {}
    for category, group in groups.items():
        members.setdefault(group, []).append(category)
    named = {}
    for group, inside in members.items():
        name = inside[0]
        if len(inside) > 1:
            first = sorted(inside, key=lambda one: (-counts[one], one))[:_NAMED]
            more = [f"{len(inside) - _NAMED:,} more"] if len(inside) > _NAMED else []
            name = _unused(group if isinstance(group, str) else ", ".join(first + more), taken)
        named.update(dict.fromkeys(inside, name))
    return named


def _gain(
    groups: Mapping[str, str | int], counts: Mapping[str, int], associations: AssociationCounts
) -> float:
    number = {group: i for i, group in enumerate(dict.fromkeys(groups.values()))}
    other = len(number)
    rows = [number[groups[one]] if one in groups else other for one in associations.categories]
    n_groups = other + (len(groups) < len(counts))
    return associations.gain(_sums(associations.counts, np.array(rows), n_groups))


def _sums(counts: Matrix, groups: Codes, n_groups: int) -> Matrix:
    sums = np.zeros((n_groups, counts.shape[1]))
    np.add.at(sums, groups, counts)
    return sums


def prefixes_of(categories: Sequence[str]) -> list[tuple[str, ...]] | None:
    """Return for each category its prefixes, from short to long, without the category itself.

    Short categories with digits begin alike character by character, others at their separators.

    Returns
    -------
    list of tuples of str, or None
        None where the categories do not look like codes of a hierarchy: most of them are neither
        short with digits, nor hold separators.
    """

    def most(is_so: Callable[[int], object]) -> bool:
        return 10 * sum(map(bool, map(is_so, range(len(categories))))) >= 9 * len(categories)

    if most(lambda i: _is_short_code(categories[i])):
        return [
            tuple(text[:size] for size in range(1, min(len(text), _MOST_STEPS + 1)))
            for text in categories
        ]
    steps = [_steps(text) for text in categories]
    return steps if most(lambda i: steps[i]) else None


def _is_short_code(text: str) -> bool:
    return len(text) <= _LONGEST_CODE and "/" not in text and any(map(str.isdigit, text))


def _steps(text: str) -> tuple[str, ...]:
    """Return the beginnings of a text that end with separators."""
    ends = [found.end() for found in _SEPARATORS.finditer(text)]
    inner = [end for end in ends if text[:end].strip("/") and end < len(text)]
    return tuple(text[:end] for end in inner[:_MOST_STEPS])


def group_by_prefix(
    counts: Mapping[str, int], associations: AssociationCounts, fewest_rows: int
) -> tuple[dict[str, str], float]:
    """Group codes by the prefixes that tell most about other columns for what they cost.

    The prefixes that have enough rows are a tree. Categories with enough rows are nodes too; rarer
    ones belong to the longest prefix that has enough, and are its rest. A node is split into those
    below only where these tell more than they cost. No other split is better: the best groups of
    a prefix are itself, or the best groups of its continuations.

    Returns
    -------
    groups : dict of str to str
        The prefix, with a star, of each category; itself where it stays alone. Categories that
        belong to nothing but the root are not among them.
    gain : float
        In nats; see `AssociationCounts.gain`. Zero where the categories are no codes.
    """
    categories = sorted(counts)
    prefixes = prefixes_of(categories)
    if prefixes is None:
        return {}, 0.0
    rows: Counter[str] = Counter()
    for category, path in zip(categories, prefixes, strict=True):
        rows.update(dict.fromkeys(path, counts[category]))
    parent, names, node_of, home = [0], [""], {}, {}

    def add(above: int, name: str) -> int:
        parent.append(above)
        names.append(name)
        return len(names) - 1

    for category, path in zip(categories, prefixes, strict=True):
        node = 0
        for prefix in (*path, category) if category in rows else path:  # J45 is one of J45*
            if rows[prefix] < fewest_rows:
                break
            if prefix not in node_of:
                node_of[prefix] = add(node, prefix + "*")
            node = node_of[prefix]
        home[category] = add(node, category) if counts[category] >= fewest_rows else node
    known = [row for row, category in enumerate(associations.categories) if category in home]
    homes = np.array([home[associations.categories[row]] for row in known], dtype=np.int64)
    rest = _sums(associations.counts[known], homes, len(parent))
    is_split, gain = _best_splits(parent, rest, associations)
    # A node that is not split takes all that is below.
    group_of = [0] * len(parent)
    for node, above in enumerate(parent[1:], 1):
        alone = is_split[above] and group_of[above] == above
        group_of[node] = node if alone else group_of[above]
    groups = {category: names[group_of[node]] for category, node in home.items()}
    return {category: name for category, name in groups.items() if name}, gain


def _best_splits(
    parent: Sequence[int], rest: Matrix, associations: AssociationCounts
) -> tuple[list[bool], float]:
    """Return which nodes are split, and the gain; a node comes after the one above it."""
    whole = rest.copy()
    for node in range(len(parent) - 1, 0, -1):
        whole[parent[node]] += whole[node]
    # Each group pays for its probabilities, and for saying whether it is split.
    price = associations.price + math.log(2)
    together = (associations.log_likelihoods(whole) - price).tolist()
    has_rest = np.any(rest, axis=1)
    apart = np.where(has_rest, associations.log_likelihoods(rest) - price, 0.0).tolist()
    inner = set(parent[1:])
    is_split = [False] * len(parent)
    for node in range(len(parent) - 1, -1, -1):
        is_split[node] = node in inner and apart[node] > together[node]
        if node:
            apart[parent[node]] += apart[node] if is_split[node] else together[node]
    return is_split, apart[0] - together[0] if is_split[0] else 0.0


def _cluster(
    categories: Sequence[str], associations: AssociationCounts
) -> tuple[dict[str, int], float]:
    """Cluster categories that are alike in the other columns.

    One cluster is split in two, and the categories are dealt out again, as long as that shortens
    the description: clusters pay for their probabilities, and each category for the choice of its
    cluster. On noise that never happens.

    Returns
    -------
    clusters : dict of str to int
    cost : float
        Of the choices, in nats.
    """
    row_of = {category: row for row, category in enumerate(associations.categories)}
    compared = sorted([one for one in categories if one in row_of][:_MOST_COMPARED])
    counts = associations.counts[[row_of[category] for category in compared]]
    clusters, gain, cost = np.zeros(len(compared), dtype=np.int64), 0.0, 0.0
    for n_clusters in range(2, min(_MOST_CLUSTERS, len(compared)) + 1):
        tried = _deal(associations, counts, _split(associations, counts, clusters), n_clusters)
        used, tried = np.unique(tried, return_inverse=True)
        price = len(compared) * math.log(n_clusters)
        if len(used) < n_clusters:
            break
        told = associations.gain(_sums(counts, tried, n_clusters)) - price
        if told <= gain:
            break
        clusters, gain, cost = tried, told, price
    order = np.argsort(clusters, kind="stable").tolist()
    return {compared[i]: int(clusters[i]) for i in order}, cost


def _split(associations: AssociationCounts, counts: Matrix, clusters: Codes) -> Codes:
    """Split the cluster whose halves differ most; the new half is one more cluster."""
    n_clusters = int(clusters.max()) + 1
    best, gain = clusters, -np.inf
    for cluster in range(n_clusters):
        members = np.flatnonzero(clusters == cluster)
        if len(members) < 2:
            continue
        inside = counts[members]
        halves = _deal(associations, inside, _halves(associations, inside), 2)
        told = associations.gain(_sums(inside, halves, 2))
        if told > gain:
            gain, best = told, clusters.copy()
            best[members[halves == 1]] = n_clusters
    return best


def _shares(associations: AssociationCounts, counts: Matrix) -> Matrix:
    whole = counts.sum(axis=0)
    shares: Matrix = whole / np.maximum(associations.totals(whole), 1.0)
    return shares


def _halves(associations: AssociationCounts, counts: Matrix) -> Codes:
    """Halve categories along the direction in which their distributions differ most."""
    expected = associations.totals(counts) * _shares(associations, counts)
    differing = (counts - expected) / np.sqrt(np.maximum(expected, 1e-9) + 1.0)
    _, directions = np.linalg.eigh(differing.T @ differing)
    along = differing @ directions[:, -1]
    # The sign of a direction is arbitrary: the first category that lies off the middle decides.
    off = along[np.abs(along) > 1e-9]
    along = -along if len(off) and off[0] < 0 else along
    return np.where(along < 0, 1, 0)


def _deal(associations: AssociationCounts, counts: Matrix, clusters: Codes, n: int) -> Codes:
    """Give each category to the cluster where its rows are most probable, until none moves."""
    prior = _SMOOTHING * _shares(associations, counts)
    for _ in range(_ROUNDS):
        sums = _sums(counts, clusters, n) + prior
        fit = counts @ np.log(np.maximum(sums / associations.totals(sums), 1e-12)).T
        # Rounded, so that what is equal but for the order of a sum stays equal.
        dealt = np.argmax(np.round(fit, 6), axis=1)
        if np.array_equal(dealt, clusters):
            break
        clusters = dealt
    return clusters
