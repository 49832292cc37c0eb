"""Rows in memory that are searched on a sample, as large files are."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from bnsieve.counts import Summed, TableRows, moments_of, sampled_embedding
from bnsieve.learners.preparing import cut_by_name
from bnsieve.table import Table, drawn_rows, n_drawn


@dataclass(frozen=True, eq=False)
class DrawnRows(TableRows):
    """Rows in memory and a sample of them, as a `bnsieve.counts.CountSource`.

    Attributes
    ----------
    table : Table
        All rows.
    drawn : Table
        The sample.
    seed : int
        The seed of the sample.
    """

    drawn: Table
    seed: int

    def sample(self) -> Table:
        """Return the sample, in which candidates are chosen."""
        return self.drawn

    def larger_sample(self, names: Sequence[str]) -> Table:
        """Return some columns of a larger sample."""
        n_rows = n_drawn(self.drawn.n_rows, self.table.n_variables)
        return self.table.select(names).take(drawn_rows(self.n_rows, n_rows, self.seed))

    def moments(self, names: Sequence[str]) -> Summed:
        """Return the embedding of some columns, from the sample, and the sums of all rows."""
        embedding = sampled_embedding(self.drawn.select(names), self.categories)
        return Summed(embedding, moments_of(self.table.select(names), embedding))

    def cut_at(self, cuts: Mapping[str, Sequence[float]]) -> "DrawnRows":
        """Return the same rows with other bins of some columns."""
        return DrawnRows(cut_by_name(self.table, cuts), cut_by_name(self.drawn, cuts), self.seed)
