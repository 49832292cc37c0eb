"""Counts of all rows where a table is but a sample of them.

In: a table whose `origin` says where it was drawn from. Out: joint tables of all rows, as far as
they were counted. A table without an origin is all there is, and is counted itself.
"""

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Protocol

from bnsieve.counts import CountSource, JointCounts, NeighbourhoodCounts, ScannedCounts, Strata
from bnsieve.table import Table


class Origin(Protocol):
    """The data that a table is a sample of; `Table.origin` is one."""

    def count(self, neighbourhoods: Sequence[Sequence[str]]) -> Sequence[JointCounts]:
        """Count all rows, one table per neighbourhood; one reading of the data.

        A table's variables are places in its neighbourhood. It may lack the last ones where
        they would make it too large.
        """

    def margins(self, sets: Sequence[Sequence[str]]) -> Sequence[JointCounts]:
        """Return tables of sets of columns, read from what was counted as far as may be."""

    def larger_sample(self, names: Sequence[str]) -> Table | None:
        """Return some columns of a sample that the table is part of: all rows that were drawn.

        None where candidates are no longer to be sought.
        """

    @property
    def levels(self) -> Mapping[str, tuple[Hashable, ...]]:
        """The labels of each column in all rows."""

    @property
    def settled(self) -> Mapping[str, tuple[str, ...]] | None:
        """The candidates of each column, where these are no longer to be sought."""

    @property
    def counted(self) -> Any:
        """All that is to be kept of the rows, for counts of more rows to be added."""

    @property
    def seconds(self) -> float:
        """How long the last reading took."""

    @property
    def trimmed(self) -> Mapping[str, tuple[str, ...]]:
        """Of neighbourhoods that were cut: the first column, and those that were left out."""


def count_whole(table: Table, candidates: Sequence[Sequence[int]]) -> list[JointCounts] | None:
    """Count each variable with its candidates in all rows of the data that a table is a sample of.

    Returns None if the table is no sample. A variable may be counted with fewer candidates.
    """
    if table.origin is None:
        return None
    sets = [(target, *chosen) for target, chosen in enumerate(candidates)]
    counted = table.origin.count([[table.names[v] for v in one] for one in sets])
    return [
        replace(joint, variables=tuple(one[place] for place in joint.variables))
        for one, joint in zip(sets, counted, strict=True)
    ]


@dataclass(frozen=True)
class WholeCounts:
    """Counts of all rows where these were counted, and of a sample where not.

    Attributes
    ----------
    counted : NeighbourhoodCounts
        Of all rows.
    sample : ScannedCounts
        For questions about variables that no neighbourhood holds together.
    """

    counted: NeighbourhoodCounts
    sample: ScannedCounts

    def joint(self, variables: Sequence[int]) -> JointCounts:
        """Return the joint table of the variables."""
        if self.counted.covers(variables):
            return self.counted.joint(variables)
        return self.sample.joint(variables)

    def strata(self, variables: Sequence[int]) -> Strata:
        """Return what is known of the last two variables given the others."""
        if self.counted.covers(variables):
            return self.counted.strata(variables)
        return self.sample.strata(variables)


def best_counts(table: Table, counted: Sequence[JointCounts] | None) -> CountSource:
    """Return where to read counts: from what was counted in all rows, as far as may be."""
    sample = ScannedCounts(table)
    if counted is None:
        return sample
    return WholeCounts(NeighbourhoodCounts(dict(enumerate(counted))), sample)
