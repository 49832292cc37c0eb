"""One joint table per set of variables: every configuration that occurs, and how often.

In: codes (one contiguous row per variable, see `bnsieve.table.Table`). Out: `JointCounts`, from
which every smaller table is read without going back to the data. Tables of the same variables add
up: blocks of rows can be counted separately, on any machine, and summed.

A missing value is one more category, coded ``n_categories`` of its variable. Rows are dropped only
when a smaller table is read, and only those with a missing value among the variables that are read
(testwise deletion), so that one table serves every test.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Self

import numpy as np
from numpy.typing import NDArray

from bnsieve import _native
from bnsieve.table import Codes, Table

# Codes, that of a missing value among them, have 16 bits.
MAX_RADIX = 1 << 16


@dataclass(frozen=True, eq=False)
class JointCounts:
    """The joint table of some variables.

    Attributes
    ----------
    variables : tuple of int
        The numbers of the variables, in the order of the rows of `configurations`.
    n_categories : tuple of int
        The number of categories of each variable, without missing values.
    has_missing : tuple of bool
        For each variable, whether values may be missing.
    configurations : ndarray of uint8 or uint16, shape (n_variables, n_configurations)
        The configurations that occur, in lexicographic order; ``n_categories[v]`` is a missing
        value.
    counts : ndarray of int64, shape (n_configurations,)
        The number of rows with each configuration, at least 1.
    """

    variables: tuple[int, ...]
    n_categories: tuple[int, ...]
    has_missing: tuple[bool, ...]
    configurations: Codes
    counts: NDArray[np.int64]

    def __post_init__(self) -> None:
        self.configurations.flags.writeable = False
        self.counts.flags.writeable = False

    @cached_property
    def total(self) -> int:
        """Number of rows counted."""
        return int(self.counts.sum())

    @property
    def statistics(self) -> _native.StrataStatistics:
        """Sums over the strata of the last two variables given the others."""
        return _native.strata_statistics(self.configurations, self.counts)

    @property
    def joint(self) -> Self:
        """The table itself."""
        return self

    def marginal(self, variables: Sequence[int]) -> Self:
        """Return the joint table of some variables, in the order given, with missing values."""
        absent = [v for v in variables if v not in self.variables]
        if absent:
            raise ValueError(f"variables {absent} are not in this table of {self.variables}")
        rows = [self.variables.index(v) for v in variables]
        n_categories = tuple(self.n_categories[row] for row in rows)
        has_missing = tuple(self.has_missing[row] for row in rows)
        configurations, counts = _native.count_joint(
            self.configurations,
            np.array(rows, dtype=np.int64),
            np.array(n_categories, dtype=np.int64) + np.array(has_missing, dtype=np.int64),
            [None] * len(rows),
            self.counts,
            0,
            len(self.counts),
        )
        return type(self)(tuple(variables), n_categories, has_missing, configurations, counts)

    def complete(self) -> Self:
        """Return the table without the configurations that have a missing value."""
        if not any(self.has_missing):
            return self
        n_categories = np.array(self.n_categories)[:, np.newaxis]
        keep = (self.configurations < n_categories).all(axis=0)
        return type(self)(
            self.variables,
            self.n_categories,
            (False,) * len(self.variables),
            self.configurations[:, keep].copy(),
            self.counts[keep],
        )

    def __add__(self, other: Self) -> Self:
        """Return the table of both tables' rows together."""
        if self.variables != other.variables or self.n_categories != other.n_categories:
            raise ValueError(
                "only tables of the same variables and categories can be added; got variables "
                f"{self.variables} with {self.n_categories} categories and {other.variables} with "
                f"{other.n_categories} categories"
            )
        both = type(self)(
            self.variables,
            self.n_categories,
            tuple(a or b for a, b in zip(self.has_missing, other.has_missing, strict=True)),
            np.concatenate([self.configurations, other.configurations], axis=1),
            np.concatenate([self.counts, other.counts]),
        )
        return both.marginal(self.variables)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, JointCounts):
            return NotImplemented
        return (
            self.variables == other.variables
            and self.n_categories == other.n_categories
            and np.array_equal(self.configurations, other.configurations)
            and np.array_equal(self.counts, other.counts)
        )

    __hash__ = None  # type: ignore[assignment]


def count(table: Table, variables: Sequence[int]) -> JointCounts:
    """Count the joint table of some variables in one scan of the data.

    Parameters
    ----------
    table : Table
        The coded data.
    variables : sequence of int
        The numbers of the variables, all different.

    Returns
    -------
    JointCounts
        The same for any order of the rows.
    """
    variables = tuple(int(v) for v in variables)
    if len(set(variables)) != len(variables):
        raise ValueError(f"variables {variables} name one variable twice")
    n_categories = tuple(table.n_categories[list(variables)].tolist())
    missing = [table.missing.get(v) for v in variables]
    has_missing = tuple(flags is not None for flags in missing)
    radices = [n + more for n, more in zip(n_categories, has_missing, strict=True)]
    for variable, radix in zip(variables, radices, strict=True):
        if radix > MAX_RADIX:
            raise ValueError(
                f"variable {variable} has {radix} categories, missing included, "
                f"more than {MAX_RADIX}; merge its rarest categories or drop the column"
            )
    configurations, counts = _native.count_joint(
        table.codes,
        np.array(variables, dtype=np.int64),
        np.array(radices, dtype=np.int64),
        missing,
        None,
        0,
        table.n_rows,
    )
    return JointCounts(variables, n_categories, has_missing, configurations, counts)


def category_counts(table: Table, variable: int) -> NDArray[np.int64]:
    """Return in how many rows each category of a variable occurs."""
    counts = np.bincount(table.codes[variable], minlength=int(table.n_categories[variable]))
    if variable in table.missing:
        counts[0] -= np.count_nonzero(table.missing[variable])
    return counts


@dataclass(frozen=True)
class ScannedStrata:
    """Strata read from complete columns of the data; the joint table is counted only if wanted."""

    table: Table
    variables: tuple[int, ...]

    @property
    def statistics(self) -> _native.StrataStatistics:
        """Sums over the strata."""
        return _native.scan_statistics(self.table.codes, self.table.n_categories, self.variables)

    @cached_property
    def joint(self) -> JointCounts:
        """The configurations that occur, and how often."""
        return count(self.table, self.variables)


# What a test reads of two variables given others.
Strata = JointCounts | ScannedStrata


@dataclass(frozen=True)
class ScannedCounts:
    """Counts read from the data, in one scan for each joint table."""

    table: Table

    def strata(self, variables: Sequence[int]) -> Strata:
        """Return the last two variables given the others; rows with missing values are left out."""
        if self.table.missing and not self.table.missing.keys().isdisjoint(variables):
            return count(self.table, variables).complete()
        return ScannedStrata(self.table, tuple(variables))


@dataclass(frozen=True)
class NeighbourhoodCounts:
    """Counts read from one joint table per target.

    Attributes
    ----------
    tables : mapping of int to JointCounts
        For each target the joint table of the target and its candidate neighbours.
    sample : ScannedCounts or None
        The rows to count if no table contains all variables of a question. None: an error.
    """

    tables: Mapping[int, JointCounts]
    sample: ScannedCounts | None = None

    def strata(self, variables: Sequence[int]) -> Strata:
        """Return the last two variables given the others, from the smallest suitable table."""
        tables = [self.tables[v] for v in variables if v in self.tables]
        covering = [table for table in tables if set(table.variables).issuperset(variables)]
        if covering:
            smallest = min(covering, key=lambda table: len(table.counts))
            return smallest.marginal(variables).complete()
        if self.sample is None:
            raise ValueError(
                f"no counted neighbourhood holds all of the variables {tuple(variables)}; "
                "count one that does, or read from the data"
            )
        return self.sample.strata(variables)


# Where tests look up counts, by number of variable.
CountLookup = ScannedCounts | NeighbourhoodCounts
