"""The protocol that turns the columns of files into categories while they are read."""

from collections.abc import Collection, Mapping, Sequence
from typing import Any, Protocol


class Recoding(Protocol):
    """Turns stored columns into columns of categories. It can be sent to another process."""

    @property
    def bins(self) -> dict[str, tuple[str, ...]]:
        """The categories of the columns that have an order of their own; others are sorted."""

    @property
    def numbers(self) -> dict[str, tuple[float, ...]]:
        """The columns that can also come out as the numbers they are, and where these are cut."""

    def cut_at(self, cuts: Mapping[str, Sequence[float]]) -> "Recoding":
        """Return the same with some of the numbers cut elsewhere, and none as numbers."""

    def kinds(self, stored: Mapping[str, str]) -> dict[str, str]:
        """Return names and kinds of the columns that come out.

        Parameters
        ----------
        stored : mapping of str to str
            Those of the columns that go in; see `bnsieve.rows.parquet.ParquetSource`.
        """

    def needed(self, names: Sequence[str]) -> list[str]:
        """Return the columns that go in so that those named come out."""

    def recode(
        self,
        path: str,
        columns: Mapping[str, Any],
        names: Sequence[str],
        n_rows: int,
        numbers: Collection[str] = (),
    ) -> Any:
        """Return some rows of the named columns.

        Parameters
        ----------
        path : str
            The file they are from, for error messages.
        columns : mapping of str to pyarrow.Array
        names : sequence of str
        n_rows : int
        numbers : collection of str
            Those that come out as numbers: float64, NaN where a cell is missing.

        Returns
        -------
        pyarrow.RecordBatch
        """
