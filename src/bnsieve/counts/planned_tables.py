"""All that is kept of rows that were read piece by piece: categories, a sample, and counted tables.

`Scan` is what a first reading found. `Tables` of the same plan add up, in any order and grouping,
to the same tables bit for bit. Tables that would hold more configurations than the plan allows lose
their last columns.
"""

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bnsieve import _native
from bnsieve.counts.covariance import Summed
from bnsieve.counts.joint_counts import JointCounts
from bnsieve.table import EmptyColumnError, Table, code_dtype

# Keys of configurations have 63 bits.
_MAX_KEYS = 1 << 63
# Categories of one column are of one kind, and so can be sorted.
Label = Any


@dataclass(frozen=True, eq=False)
class Scan:
    """Result of one reading.

    Attributes
    ----------
    names : tuple of str
    counts : tuple of dict
        For each column how often each category occurs; None is a missing value. The order of the
        categories is that in which they were found, and the one that `codes` refers to.
    ranks : ndarray of uint64, shape (n_drawn,)
        The drawn rows' random numbers.
    rows : ndarray of int64, shape (n_drawn,)
        Their numbers among all rows.
    codes : ndarray of int32, shape (n_columns, n_drawn)
    n_rows : int
        Rows read.
    bins : dict of str to tuple of str
        The categories of columns that were binned, in their order; those of other columns are
        sorted.
    numbers : mapping of str to ndarray of float64, shape (n_drawn,)
        Of columns that were binned the numbers, NaN where missing.
    copies : mapping of str to str
        Columns that are copies of another at an earlier time; see `bnsieve.table.Table`.
    """

    names: tuple[str, ...]
    counts: tuple[dict[Label, int], ...]
    ranks: NDArray[np.uint64]
    rows: NDArray[np.int64]
    codes: NDArray[np.int32]
    n_rows: int
    bins: dict[str, tuple[str, ...]]
    numbers: Mapping[str, NDArray[np.float64]] = field(default_factory=dict)
    copies: Mapping[str, str] = field(default_factory=dict)

    def __add__(self, other: "Scan") -> "Scan":
        """Return the scan of both scans' rows."""
        counts, parts = [], []
        for mine, yours, codes in zip(self.counts, other.counts, other.codes, strict=True):
            merged = dict(mine)
            for category, n in yours.items():
                merged[category] = merged.get(category, 0) + n
            place = {category: i for i, category in enumerate(merged)}
            renumbered = np.array([place[category] for category in yours], dtype=np.int32)
            counts.append(merged)
            parts.append(renumbered[codes])
        theirs = np.array(parts, dtype=np.int32).reshape(len(parts), len(other.rows))
        return Scan(
            self.names,
            tuple(counts),
            np.concatenate([self.ranks, other.ranks]),
            np.concatenate([self.rows, other.rows]),
            np.concatenate([self.codes, theirs], axis=1),
            self.n_rows + other.n_rows,
            self.bins,
            {
                name: np.concatenate([own, other.numbers[name]])
                for name, own in self.numbers.items()
            },
            self.copies,
        )

    def lowest(self, n: int) -> "Scan":
        """Return the same with only the `n` drawn rows of lowest rank."""
        kept = np.sort(np.lexsort((self.rows, self.ranks))[:n])
        return replace(
            self,
            ranks=self.ranks[kept],
            rows=self.rows[kept],
            codes=self.codes[:, kept],
            numbers={name: own[kept] for name, own in self.numbers.items()},
        )

    def categories(self) -> tuple[tuple[Label, ...], ...]:
        """Return each column's categories, in their order."""
        return tuple(map(self.categories_of, range(len(self.names))))

    def categories_of(self, column: int) -> tuple[Label, ...]:
        """Return one column's categories, in their order."""
        counts = self.counts[column]
        ordered = self.bins.get(self.names[column]) or _sorted(counts)
        return tuple(category for category in ordered if category in counts)

    def sample(self, n: int) -> Table:
        """Return the `n` drawn rows of lowest rank, in the order of the rows, as a table.

        A column of which the sample holds no value is as if it had its first category only.
        """
        drawn = self.lowest(n)
        order = np.argsort(drawn.rows)
        codes, categories, missing = [], [], {}
        every = self.categories()
        dtype = code_dtype(max(map(len, every)))
        for i, (counts, known) in enumerate(zip(self.counts, every, strict=True)):
            if not known:
                raise EmptyColumnError(self.names[i])
            place = {category: k for k, category in enumerate(known)}
            code_of = np.array([place.get(category, -1) for category in counts], dtype=np.int32)
            own = code_of[drawn.codes[i, order]]
            unknown = own < 0
            if unknown.any():
                missing[i] = unknown
            seen = np.flatnonzero(np.bincount(own + 1, minlength=2)[1:])
            if len(seen) == 0:
                seen = np.zeros(1, dtype=np.intp)
            place_of = np.zeros(len(known) + 1, dtype=dtype)
            place_of[seen] = np.arange(len(seen))
            codes.append(place_of[own])
            categories.append(tuple(known[k] for k in seen))
        dtype = code_dtype(max(map(len, categories)))
        place = {name: i for i, name in enumerate(self.names)}
        numbers = {place[name]: own[order] for name, own in drawn.numbers.items()}
        return Table(
            np.array(codes, dtype=dtype),
            self.names,
            tuple(categories),
            missing,
            numbers,
            copies=self.copies,
        )


def _sorted(counts: dict[Label, int]) -> list[Label]:
    return sorted(category for category in counts if category is not None)


@dataclass(frozen=True)
class Plan:
    """Tables to count.

    Attributes
    ----------
    names : tuple of str
        The columns to read.
    categories : tuple of tuples of categories
        Of each, in the order of their codes.
    has_missing : tuple of bool
        Of each, whether values may be missing; a missing value is one more category.
    neighbourhoods : tuple of tuples of int
        Which columns each table joins, the most important first.
    limit : int
        Most configurations of one table.
    """

    names: tuple[str, ...]
    categories: tuple[tuple[Hashable, ...], ...]
    has_missing: tuple[bool, ...]
    neighbourhoods: tuple[tuple[int, ...], ...]
    limit: int

    @cached_property
    def radices(self) -> list[int]:
        """Number of codes of each column."""
        return [
            len(own) + more for own, more in zip(self.categories, self.has_missing, strict=True)
        ]

    @cached_property
    def tables(self) -> list[list[int]]:
        """The neighbourhoods, trimmed where the possible configurations could not be numbered."""
        radices, trimmed = self.radices, []
        for columns in self.neighbourhoods:
            n_keys, kept = 1, []
            for column in columns:
                n_keys *= radices[column]
                if n_keys >= _MAX_KEYS:
                    break
                kept.append(column)
            trimmed.append(kept)
        return trimmed


@dataclass(frozen=True, eq=False)
class Keyed:
    """One table as it is sent and saved: configurations of its first `depth` columns.

    Attributes
    ----------
    depth : int
    keys : ndarray of uint64, shape (n_configurations,)
        In ascending order; mixed radix, the first column the most significant.
    counts : ndarray of int64, shape (n_configurations,)
    """

    depth: int
    keys: NDArray[np.uint64]
    counts: NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Tables:
    """Counted tables of a plan.

    Attributes
    ----------
    plan : Plan
    counted : tuple of Keyed
        For each of the plan's tables.
    """

    plan: Plan
    counted: tuple[Keyed, ...]

    def __add__(self, other: "Tables") -> "Tables":
        """Return the tables of both parts' rows."""
        if self.plan != other.plan:
            raise ValueError("only tables of one plan add up")
        radices = self.plan.radices
        both = (
            Keyed(
                *_native.add_counted(
                    [radices[column] for column in columns],
                    self.plan.limit,
                    *(a.depth, a.keys, a.counts),
                    *(b.depth, b.keys, b.counts),
                )
            )
            for columns, a, b in zip(self.plan.tables, self.counted, other.counted, strict=True)
        )
        return Tables(self.plan, tuple(both))

    def recoded(self, plan: Plan) -> "Tables":
        """Return the same counts with the codes of a plan with more categories or missing values.

        Tables that could no longer be numbered with the additional categories lose their last
        columns.
        """
        counted = []
        for joint, columns in zip(self.joints, plan.tables, strict=True):
            kept = joint.marginal(columns[: len(joint.variables)])
            keys = np.zeros(len(kept.counts), dtype=np.uint64)
            for row, column in enumerate(kept.variables):
                old, new = self.plan.categories[column], plan.categories[column]
                place = {category: code for code, category in enumerate((*new, None))}
                code_of = np.array([place[category] for category in (*old, None)], dtype=np.uint64)
                radix = np.uint64(plan.radices[column])
                keys = keys * radix + code_of[kept.configurations[row]]
            order = np.argsort(keys)
            counted.append(Keyed(len(kept.variables), keys[order], kept.counts[order]))
        return Tables(plan, tuple(counted))

    def joint(self, number: int) -> JointCounts:
        """Return one table; its variables are the plan's columns by number."""
        keyed = self.counted[number]
        columns = self.plan.tables[number][: keyed.depth]
        radices = self.plan.radices
        own = [radices[column] for column in columns]
        configurations = np.empty((len(columns), len(keyed.keys)), dtype=code_dtype(max(own)))
        left = keyed.keys
        for row in reversed(range(len(own))):
            left, configurations[row] = np.divmod(left, np.uint64(own[row]))
        return JointCounts(
            tuple(columns),
            tuple(len(self.plan.categories[column]) for column in columns),
            tuple(self.plan.has_missing[column] for column in columns),
            configurations,
            keyed.counts.copy(),
        )

    @cached_property
    def joints(self) -> list[JointCounts]:
        """All tables."""
        return [self.joint(number) for number in range(len(self.counted))]

    def margin(self, names: Sequence[str]) -> JointCounts | None:
        """Return the table of some columns, from the smallest that holds them; None if none does.

        The result's variables are the plan's columns by number.
        """
        places = self._places
        if not all(name in places for name in names):
            return None
        columns = [places[name] for name in names]
        covering = set.intersection(*(self._holding[column] for column in columns))
        if not covering:
            return None
        smallest = min(covering, key=lambda number: (len(self.counted[number].keys), number))
        return self.joints[smallest].marginal(columns)

    @cached_property
    def _places(self) -> dict[str, int]:
        return {name: column for column, name in enumerate(self.plan.names)}

    @cached_property
    def _holding(self) -> list[set[int]]:
        """For each column the tables that hold it."""
        found: list[set[int]] = [set() for _ in self.plan.names]
        for number, (columns, keyed) in enumerate(zip(self.plan.tables, self.counted, strict=True)):
            for column in columns[: keyed.depth]:
                found[column].add(number)
        return found

    @property
    def trimmed(self) -> dict[int, tuple[int, ...]]:
        """Return, for the tables that lost columns, those that they lost."""
        return {
            number: wanted[keyed.depth :]
            for number, (wanted, keyed) in enumerate(
                zip(self.plan.neighbourhoods, self.counted, strict=True)
            )
            if keyed.depth < len(wanted)
        }


@dataclass(frozen=True, eq=False)
class Counted:
    """All that is kept of rows that were read, enough to learn again without them.

    Attributes
    ----------
    found : Scan
        Categories, how often each occurs, and a sample.
    tables : tuple of Tables
        One joint table per neighbourhood; then those that were counted for other reasons.
    seed : int
        Of the sample.
    summed : Summed or None
        Sums over all rows, where there are numeric variables.
    """

    found: Scan
    tables: tuple[Tables, ...]
    seed: int
    summed: Summed | None = None


@dataclass(frozen=True)
class Drift:
    """How new rows differ from those before.

    Attributes
    ----------
    n_rows : int
        New rows.
    moved : dict of str to float
        Columns whose categories occur in other shares, beyond chance: half the sum of the
        differences.
    missed : dict of str to tuple of str
        Columns that are no candidates of another but would say much about it in the new rows.
    """

    n_rows: int
    moved: dict[str, float]
    missed: dict[str, tuple[str, ...]]

    @property
    def stale(self) -> bool:
        """Whether a new first pass, that is `fit` on all files, is due."""
        return bool(self.moved or self.missed)

    def __str__(self) -> str:
        moved, missed = sorted(self.moved), sorted(self.missed)
        return (
            "the new rows differ from those before: other shares of categories in "
            f"{moved or 'no column'}, missed candidates of {missed or 'no column'}"
        )
