"""Sources of counts over all rows: the interface between learning and the data.

A learner chooses candidates in a sample of rows, and decides from joint counts of all rows. It gets
both from a `CountSource`, which hides where the rows are: in memory (`TableRows`) or in files
(`bnsieve.rows.file_rows.FileRows`). If only the counts were kept, it is a
`bnsieve.rows.KeptCounts`. Any object with these methods can be passed to `fit`.
"""

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Protocol, runtime_checkable

from bnsieve.counts.covariance import Summed
from bnsieve.counts.joint_counts import (
    CountLookup,
    JointCounts,
    NeighbourhoodCounts,
    ScannedCounts,
    count,
)
from bnsieve.counts.planned_tables import Counted
from bnsieve.table import Table
from bnsieve.text import counted


@runtime_checkable
class CountSource(Protocol):
    """A source of joint counts over all rows of the data.

    Columns are named, because a source numbers them in its own way.
    """

    @property
    def n_rows(self) -> int:
        """Number of rows."""

    @property
    def categories(self) -> Mapping[str, tuple[Hashable, ...]]:
        """The categories of each column in all rows, in the order of their codes."""

    def sample(self) -> Table:
        """Return a sample of the rows, which decides the candidates; all rows if they are few."""

    def larger_sample(self, names: Sequence[str]) -> Table:
        """Return some columns of a sample with as many rows as `sample`, or more.

        Candidates are ranked in this sample before they are counted in all rows.
        """

    def joint_counts(
        self, families: Sequence[Sequence[str]], *, trim: bool = False
    ) -> Sequence[JointCounts]:
        """Count all rows, one joint table per family of columns; if possible in one pass.

        Parameters
        ----------
        families : sequence of sequences of str
            The names of the columns of each table.
        trim : bool, default False
            Whether a table that would become too large may leave out the last columns of its
            family. `trimmed` then names these columns.

        Returns
        -------
        sequence of JointCounts
            The variables of a table are numbered by their position in the family. Codes are
            positions in `categories`.
        """

    @property
    def trimmed(self) -> Mapping[str, tuple[str, ...]]:
        """The columns that count tables left out, by the first column of the family."""


@runtime_checkable
class KeepsCounts(Protocol):
    """A source whose counts can be kept, so that more rows are added to them later."""

    def kept(self) -> Counted:
        """Return all that is needed to learn again without the rows."""


@runtime_checkable
class SumsNumbers(Protocol):
    """A source of many rows whose sample has numbers, and that sums them over all rows."""

    def moments(self, names: Sequence[str]) -> Summed:
        """Return how some columns become real numbers, as seen in the sample, and their sums."""


@runtime_checkable
class CutsAgain(Protocol):
    """A source whose numbers can be cut elsewhere; they are categories then."""

    def cut_at(self, cuts: Mapping[str, Sequence[float]]) -> CountSource:
        """Return the same rows with other bins of some columns, by name, and without numbers."""


@dataclass(frozen=True, eq=False)
class TableRows:
    """Rows in memory as a `CountSource`: the sample is all there is."""

    table: Table

    @property
    def n_rows(self) -> int:
        """Number of rows."""
        return self.table.n_rows

    @property
    def categories(self) -> dict[str, tuple[Hashable, ...]]:
        """The categories of each column."""
        return dict(zip(self.table.names, self.table.categories, strict=True))

    def sample(self) -> Table:
        """Return all rows."""
        return self.table

    def larger_sample(self, names: Sequence[str]) -> Table:
        """Return some columns of all rows."""
        return self.table.select(names)

    def joint_counts(
        self, families: Sequence[Sequence[str]], *, trim: bool = False
    ) -> list[JointCounts]:
        """Count all rows, one table per family; none is ever trimmed."""
        number = {name: i for i, name in enumerate(self.table.names)}
        return placed([count(self.table, [number[name] for name in one]) for one in families])

    @property
    def trimmed(self) -> dict[str, tuple[str, ...]]:
        """Nothing."""
        return {}


@dataclass(frozen=True, eq=False)
class CheckedCounts:
    """A source of the user's own, each of whose joint tables must count every row once.

    Attributes
    ----------
    source : CountSource
    """

    source: CountSource

    @property
    def n_rows(self) -> int:
        """Number of rows."""
        return self.source.n_rows

    @property
    def categories(self) -> Mapping[str, tuple[Hashable, ...]]:
        """The categories of each column."""
        return self.source.categories

    def sample(self) -> Table:
        """Return a sample of the rows."""
        return self.source.sample()

    def larger_sample(self, names: Sequence[str]) -> Table:
        """Return some columns of a sample."""
        return self.source.larger_sample(names)

    def joint_counts(
        self, families: Sequence[Sequence[str]], *, trim: bool = False
    ) -> Sequence[JointCounts]:
        """Count all rows, one table per family.

        Raises
        ------
        ValueError
            If a table is lacking, or counts fewer or more rows than there are.
        """
        joints = self.source.joint_counts(families, trim=trim)
        where = f"{type(self.source).__name__}.joint_counts returned"
        if len(joints) != len(families):
            tables, asked = (
                counted(len(joints), "table"),
                counted(len(families), "family", "families"),
            )
            raise ValueError(f"{where} {tables} for {asked}")
        for family, joint in zip(families, joints, strict=True):
            if joint.total != self.n_rows:
                raise ValueError(
                    f"{where} counts of {', '.join(map(repr, family))} that sum to "
                    f"{joint.total:,}, but n_rows is {self.n_rows:,}: count every row once, also "
                    "those with missing values"
                )
        return joints

    @property
    def trimmed(self) -> Mapping[str, tuple[str, ...]]:
        """The columns that count tables left out."""
        return self.source.trimmed


def checked_counts(source: CountSource) -> CountSource:
    """Return a source that refuses wrong sums of counts, if it has only what the protocol asks.

    A source of bnsieve's own may hide groups of few rows.
    """
    is_own = isinstance(source, CheckedCounts | TableRows | KeepsCounts | SumsNumbers | CutsAgain)
    return source if is_own else CheckedCounts(source)


def placed(joints: Sequence[JointCounts]) -> list[JointCounts]:
    """Return the tables with their variables numbered by place."""
    return [replace(joint, variables=tuple(range(len(joint.variables)))) for joint in joints]


def count_candidates(
    source: CountSource, names: Sequence[str], candidates: Sequence[Sequence[int]]
) -> list[JointCounts]:
    """Count each variable with its candidates in all rows; it may be counted with fewer of them.

    Parameters
    ----------
    source : CountSource
    names : sequence of str
        Of the variables, by number.
    candidates : sequence of sequences of int
        Of each variable.
    """
    families = [(target, *chosen) for target, chosen in enumerate(candidates)]
    counted = source.joint_counts([[names[v] for v in one] for one in families], trim=True)
    return [
        replace(joint, variables=tuple(one[place] for place in joint.variables))
        for one, joint in zip(families, counted, strict=True)
    ]


def best_counts(table: Table, counted: Sequence[JointCounts] | None) -> CountLookup:
    """Return where to read counts: from what was counted in all rows, as far as possible."""
    sample = ScannedCounts(table)
    if counted is None:
        return sample
    return NeighbourhoodCounts(dict(enumerate(counted)), sample)
