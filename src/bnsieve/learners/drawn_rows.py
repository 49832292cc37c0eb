"""Rows in memory of which a sample is searched, as files are."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from bnsieve.counts import Summed, TableRows, moments_of, sampled_embedding
from bnsieve.learners.preparing import cut_by_name
from bnsieve.table import Table, drawn_rows, n_drawn


@dataclass(frozen=True, eq=False)
class DrawnRows(TableRows):
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

    drawn: Table
    seed: int

    def sample(self) -> Table:
        """Return the rows in which candidates are sought."""
        return self.drawn

    def larger_sample(self, names: Sequence[str]) -> Table:
        """Return some columns of more rows."""
        n_rows = n_drawn(self.drawn.n_rows, self.table.n_variables)
        return self.table.select(names).take(drawn_rows(self.n_rows, n_rows, self.seed))

    def moments(self, names: Sequence[str]) -> Summed:
        """Return how some columns become real numbers, as seen in the sample, and their sums."""
        embedding = sampled_embedding(self.drawn.select(names), self.categories)
        return Summed(embedding, moments_of(self.table.select(names), embedding))

    def cut_at(self, cuts: Mapping[str, Sequence[float]]) -> "DrawnRows":
        """Return the same rows with other bins of some columns."""
        return DrawnRows(cut_by_name(self.table, cuts), cut_by_name(self.drawn, cuts), self.seed)
