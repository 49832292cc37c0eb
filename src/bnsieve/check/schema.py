"""Compare columns, categories, ranges and copies of new rows with the training rows.

In: the columns of both, and their cells. Out: one `SchemaChange` for each difference. Differences
that chance may explain, such as a category that is new because it is rare, have a p-value. All
others have the p-value 0.
"""

from collections import Counter
from collections.abc import Callable, Collection, Hashable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from difflib import SequenceMatcher
from hashlib import blake2b
from typing import Literal

import numpy as np
from numpy.typing import NDArray
from scipy.stats import hypergeom, ks_2samp

from bnsieve.check.tails import tails
from bnsieve.table import Table
from bnsieve.text import counted, listed

SchemaKind = Literal[
    "missing column",
    "new column",
    "renamed column",
    "type",
    "category",
    "range",
    "missing values",
    "copies",
    "swapped columns",
    "unit",
    "clock",
]
Values = NDArray[np.float64]

# Names as similar as this, or categories of which so many are the same, may be one column.
_SIMILAR_NAME, _SAME_CATEGORIES = 0.75, 0.6
# Two samples of numbers that differ by less than this at every quantile may be one column's.
_SAME_NUMBERS = 0.1
# Copies of rows are looked for among so many columns and rows at least.
_ROWS_TO_COMPARE = 200_000
_MOST_TWINS = 0.5
# Values beyond a range that are counted one by one to tell how probable they are.
_MOST_BEYOND = 100


@dataclass(frozen=True)
class SchemaChange:
    """A difference between the new table and the training table.

    Attributes
    ----------
    kind : SchemaKind
    name : str
        The column; empty if the change concerns whole rows.
    text : str
        What differs, in words.
    p_value : float
        The probability of a difference this large if nothing changed.
    """

    kind: SchemaKind
    name: str
    text: str
    p_value: float = 0.0


@dataclass(frozen=True, eq=False)
class SchemaTest:
    """A test of cells or rows: its changes, and its attainable p-values.

    Attributes
    ----------
    changes : tuple of SchemaChange
        The changes, with uncorrected p-values.
    attainable : ndarray of float64, ascending
        The possible p-values, which are few given the frequency of each value in both tables
        together.
    """

    changes: tuple[SchemaChange, ...] = ()
    attainable: Values = field(default_factory=lambda: np.empty(0))

    def chance(self, p_value: float) -> float:
        """Return the probability of this p-value or a lower one in this test."""
        n_lower = int(np.searchsorted(self.attainable, p_value * (1 + 1e-9), side="right"))
        return 0.0 if n_lower == 0 else float(self.attainable[n_lower - 1])


def corrected(tests: Sequence[SchemaTest]) -> list[SchemaChange]:
    """Return the changes of all tests, with corrected p-values.

    The corrected value is the sum, over all tests, of the probability of so low a p-value (a union
    bound). A test that cannot have so low a p-value adds nothing, so it does not reduce the power
    of the others.
    """
    return [
        replace(change, p_value=min(1.0, sum(other.chance(change.p_value) for other in tests)))
        for one in tests
        for change in one.changes
    ]


def changed_columns(
    expected: Sequence[str], names: Sequence[str], known: Collection[str] = ()
) -> tuple[list[str], list[str]]:
    """Return the columns that are missing, and those that are new.

    Parameters
    ----------
    expected : sequence of str
        The columns of the training rows.
    names : sequence of str
        The columns of the new table.
    known : collection of str
        Further columns of the training table, which were left out.
    """
    missing = [name for name in expected if name not in set(names)]
    before = {*expected, *known}
    return missing, [name for name in names if name not in before]


def renamed(
    missing: Sequence[str],
    new: Sequence[str],
    before: Mapping[str, Values | Sequence[Hashable]],
    after: Mapping[str, Values | Sequence[Hashable]],
) -> dict[str, tuple[str, str]]:
    """Guess which new column is a missing one under another name, and give the reason.

    Parameters
    ----------
    missing, new : sequence of str
    before, after : mapping from str to numbers, or to categories
        Some cells of these columns.
    """
    found: dict[str, tuple[str, str]] = {}
    left = list(new)
    for name in missing:
        reasons = {
            other: _likeness(name, other, before.get(name), after.get(other)) for other in left
        }
        best = max(left, key=lambda other: reasons[other][0], default=None)
        if best is not None and reasons[best][0] > 0:
            found[name] = best, reasons[best][1]
            left.remove(best)
    return found


def _likeness(
    name: str,
    other: str,
    before: Values | Sequence[Hashable] | None,
    after: Values | Sequence[Hashable] | None,
) -> tuple[float, str]:
    """Return how much two columns look like one (0: they do not), and why."""
    alike = SequenceMatcher(None, name.lower(), other.lower()).ratio()
    if (
        before is None
        or after is None
        or isinstance(before, np.ndarray) != isinstance(after, np.ndarray)
    ):
        return 0.0, ""
    if isinstance(before, np.ndarray) and isinstance(after, np.ndarray):
        distance = float(ks_2samp(before, after).statistic) if len(before) and len(after) else 1.0
        if distance < _SAME_NUMBERS:
            return 1.0 - distance + alike, "its numbers are distributed alike"
        return 0.0, ""
    own, others = set(map(str, before)), set(map(str, after))
    share = len(own & others) / max(1, len(own | others))
    if share >= _SAME_CATEGORIES:
        return share + alike, f"{listed(sorted(own & others), 3)} occur in both"
    if alike >= _SIMILAR_NAME and share > 0:
        return alike, "the names are alike"
    return 0.0, ""


def new_categories(
    name: str,
    before: Mapping[Hashable, int],
    after: Mapping[Hashable, int],
    events: tuple[Mapping[Hashable, int], Mapping[Hashable, int]] | None = None,
) -> SchemaTest:
    """Return a change for the categories that no training row has.

    Parameters
    ----------
    name : str
    before, after : mapping from category to int
        The number of rows with each category.
    events : two such mappings, optional
        The numbers of independent events behind these, if rows are dependent.
    """
    unseen = {label: n for label, n in after.items() if label not in before and n}
    n_rows = sum(after.values())
    old, new = events or (before, after)
    n, m = sum(old.values()), sum(new.values())
    totals = Counter(old)
    totals.update(new)
    # Of categories as frequent as this or more, the chance that one has all its rows among the new.
    counts, own = np.unique([*totals.values()], return_counts=True)
    chances = own * hypergeom.pmf(counts, n + m, counts, m)
    at_least = np.minimum(chances[::-1].cumsum()[::-1], 1.0)
    attainable = np.sort(at_least[counts > 0])
    if not unseen:
        return SchemaTest((), attainable)
    kinds = [{type(label) for label in one} for one in (before, unseen)]
    if len(unseen) == len(after) and kinds[0].isdisjoint(kinds[1]):
        held, holds = (_kind(next(iter(one))) for one in kinds)
        return SchemaTest((SchemaChange("type", name, f"holds {holds}, and held {held}"),))
    # The most frequent new one decides.
    most = max(new.get(label, 1) for label in unseen)
    p_value = float(at_least[min(np.searchsorted(counts, most), len(counts) - 1)])
    labels = [label for label, _ in Counter(unseen).most_common()]
    share = sum(unseen.values()) / n_rows
    what = "new category" if len(unseen) == 1 else f"{len(unseen):,} new categories:"
    where = f"{counted(sum(unseen.values()), 'row')} ({share:.1%})"
    text = f"{what} {listed(map(repr, labels), 3)} in {where}"
    return SchemaTest((SchemaChange("category", name, text, p_value),), attainable)


def _kind(python_type: type) -> str:
    names = {bool: "true or false", int: "whole numbers", float: "numbers", str: "text"}
    return names.get(python_type, python_type.__name__)


def left_range(
    name: str,
    before: Values,
    after: Values,
    events: Callable[[int, float], int] | None = None,
) -> SchemaTest:
    """Return a change for each side on which numbers are outside the range of the training rows.

    Parameters
    ----------
    name : str
    before, after : ndarray of float64
    events : callable, optional
        Returns the number of independent events behind the values above (1) or below (-1) an edge.
    """
    before, after = before[~np.isnan(before)], after[~np.isnan(after)]
    if not len(before) or not len(after):
        return SchemaTest()
    # That the most extreme k of all values are new, on either side.
    others = np.arange(min(len(after), _MOST_BEYOND))
    both = 2 * ((len(after) - others) / (len(before) + len(after) - others)).cumprod()
    attainable = np.minimum(both[::-1], 1.0)
    low, high = float(before.min()), float(before.max())
    found = []
    for side, beyond in (("below", after < low), ("above", after > high)):
        count = int(beyond.sum())
        if count:
            edge, worst = (low, after.min()) if side == "below" else (high, after.max())
            end = "lowest" if side == "below" else "highest"
            text = (
                f"{counted(count, 'value')} {side} {edge:.6g}, the {end} training value, as far "
                f"as {worst:.6g}"
            )
            if events is not None:
                count = events(1 if side == "above" else -1, edge)
            p_value = min(1.0, float(both[min(count, len(both)) - 1]))
            found.append(SchemaChange("range", name, text, p_value))
    return SchemaTest(tuple(found), attainable)


def moved_missing(
    name: str, n_missing: int, n: int, m_missing: int, m: int, rows_per_gap: float = 1.0
) -> SchemaTest:
    """Return a change if the share of missing values of a column differs, with its p-value.

    Parameters
    ----------
    name : str
    n_missing, n : int
        Missing values and all values of the training rows.
    m_missing, m : int
        The same for the new rows.
    rows_per_gap : float, default 1
        The number of rows that are equivalent to one independent row.
    """
    if n_missing + m_missing == 0:
        return SchemaTest()
    text = f"{m_missing / m:.1%} of its values are missing, {n_missing / n:.1%} were"
    n, m = (max(1, round(one / rows_per_gap)) for one in (n, m))
    n_missing = min(n, round(n_missing / rows_per_gap))
    m_missing = min(m, round(m_missing / rows_per_gap))
    total = n_missing + m_missing
    among_new = tails(total, n, m)
    p_values = _two_sided(among_new.fewer, among_new.more)
    place = m_missing - among_new.first
    p_value = float(p_values[place]) if 0 <= place < len(p_values) else 0.0
    change = SchemaChange("missing values", name, text, p_value)
    return SchemaTest((change,), np.unique(p_values))


def _two_sided(fewer: Values, more: Values) -> Values:
    """Return for each number the probability of one that is as far out, on either side."""
    level = np.minimum(fewer, more)
    total = np.zeros(len(level))
    for side in (fewer, more):
        steps = np.append(0.0, np.sort(side))
        total += steps[np.searchsorted(steps, level * (1 + 1e-9), side="right") - 1]
    p_values: Values = np.where(level > 0.5, 1.0, np.minimum(total, 1.0))
    return p_values


def repeated_rows(before: Table | None, after: Table) -> list[SchemaTest]:
    """Return changes if new rows are copies of training rows, or of each other.

    Rows of few columns repeat by chance, and the training rows show how many do. If a fit used
    bins, only one of the tables has numbers, so bins are compared.
    """
    if before is None or before.n_rows < 2 or after.n_rows < 2:
        return []
    before = before.select([name for name in after.names if name in before.names])
    numbers = {before.names[v] for v in before.numbers} & {after.names[v] for v in after.numbers}
    new, old = _hashes(after, numbers), _hashes(before, numbers)
    found = []
    copies, expected = int(np.isin(new, old).sum()), _with_twin(old)
    # Where most rows have a twin by chance, copies cannot be told from these.
    if copies + expected > 0 and expected <= _MOST_TWINS * len(old):
        text = (
            f"{counted(copies, 'row')} ({copies / len(new):.0%}) are copies of training "
            f"rows; {expected / len(old):.0%} would be expected by chance"
        )
        found.append(_test_of_copies(text, copies, len(new), expected, len(old)))
    size = min(len(new), len(old))
    rng = np.random.default_rng(0)
    some, like = (rng.permutation(one)[:size] for one in (new, old))
    repeats, expected = (size - len(np.unique(one)) for one in (some, like))
    if repeats + expected > 0 and expected <= _MOST_TWINS * size:
        text = (
            f"{repeats / size:.0%} of the rows repeat another new row; {expected / size:.0%} were "
            "to be expected"
        )
        found.append(_test_of_copies(text, repeats, size, expected, size))
    return found


def _test_of_copies(text: str, k: int, m: int, expected: int, n: int) -> SchemaTest:
    among_new = tails(expected + k, n, m)
    attainable = np.unique(among_new.more[max(0, 1 - among_new.first) :])
    change = SchemaChange("copies", "", text, more_than(k, m, expected, n))
    return SchemaTest((change,) if k else (), attainable)


def more_than(k: int, m: int, expected: int, n: int) -> float:
    """Return the p-value of k among m, if `expected` of n were seen before."""
    return tails(expected + k, n, m).or_more(k)


def _with_twin(hashes: NDArray[np.uint64]) -> int:
    _, counts = np.unique(hashes, return_counts=True)
    return int(counts[counts > 1].sum())


def _hashes(table: Table, numbers: Collection[str]) -> NDArray[np.uint64]:
    """Hash the cells of each of the first rows: numbers in some columns, bins in the others."""
    n = min(table.n_rows, _ROWS_TO_COMPARE)
    total = np.zeros(n, dtype=np.uint64)
    with np.errstate(over="ignore"):
        for v, name in enumerate(table.names):
            salt = np.uint64(_stable(name))
            if name in numbers:
                own = np.nan_to_num(table.numbers[v][:n] + 0.0, nan=-1.5e300).view(np.uint64)
            else:
                labels = np.array(
                    [_stable(repr(one)) for one in table.categories[v]], dtype=np.uint64
                )
                own = labels[table.codes[v][:n]]
                if v in table.missing:
                    own = np.where(table.missing[v][:n], np.uint64(7), own)
            total += _mixed(own ^ salt)
    return total


def _mixed(values: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """Spread the bits of whole numbers (the finaliser of splitmix64)."""
    values = (values ^ (values >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    values = (values ^ (values >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return values ^ (values >> np.uint64(31))


def _stable(text: str) -> int:
    return int.from_bytes(
        blake2b(text.encode("utf-8", "surrogatepass"), digest_size=8).digest(), "little"
    )
