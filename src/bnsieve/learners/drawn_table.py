"""Many rows in memory as rows in files are: a sample to look at, and sums of all.

Both are then learned from in the same way, and give the same graph.
"""

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass

from bnsieve.counts import JointCounts, Summed, TableRows, moments_of, sampled_embedding
from bnsieve.learners.preparing import cut_by_name
from bnsieve.table import Table, drawn_rows, n_drawn


@dataclass(frozen=True, eq=False)
class DrawnRows:
    """Rows in memory, of which some are drawn, as a `bnsieve.counts.CountSource`.

    Attributes
    ----------
    table : Table
        All rows.
    drawn : Table
        The sample.
    seed : int
        It was drawn with.
    """

    table: Table
    drawn: Table
    seed: int

    @property
    def n_rows(self) -> int:
        """Number of rows."""
        return self.table.n_rows

    @property
    def categories(self) -> dict[str, tuple[Hashable, ...]]:
        """The categories of each column in all rows."""
        return TableRows(self.table).categories

    def sample(self) -> Table:
        """Return the rows in which candidates are sought."""
        return self.drawn

    def larger_sample(self, names: Sequence[str]) -> Table:
        """Return some columns of more rows."""
        n_rows = n_drawn(self.drawn.n_rows, self.table.n_variables)
        return self.table.select(names).take(drawn_rows(self.n_rows, n_rows, self.seed))

    def joint_counts(
        self, families: Sequence[Sequence[str]], *, trim: bool = False
    ) -> list[JointCounts]:
        """Count all rows, one table per family; none is ever trimmed."""
        return TableRows(self.table).joint_counts(families)

    @property
    def trimmed(self) -> dict[str, tuple[str, ...]]:
        """Nothing."""
        return {}

    def moments(self, names: Sequence[str]) -> Summed:
        """Return how some columns become real numbers, as seen in the sample, and their sums."""
        embedding = sampled_embedding(self.drawn.select(names), self.categories)
        return Summed(embedding, moments_of(self.table.select(names), embedding))

    def cut_at(self, cuts: Mapping[str, Sequence[float]]) -> "DrawnRows":
        """Return the same rows with other bins of some columns."""
        return DrawnRows(cut_by_name(self.table, cuts), cut_by_name(self.drawn, cuts), self.seed)
