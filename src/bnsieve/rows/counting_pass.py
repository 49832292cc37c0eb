"""The second pass: count chunks of rows into one joint table per neighbourhood.

A `bnsieve.counts.Plan` says which columns are joined and how their categories are numbered; `tally`
counts some chunks; what it returns adds up to the tables of all rows.
"""

from collections.abc import Hashable, Mapping, Sequence

import numpy as np

from bnsieve import _native
from bnsieve.counts import Keyed, Plan, Tables
from bnsieve.rows.first_pass import pieces
from bnsieve.rows.labels import Piece
from bnsieve.rows.parquet import Chunk, ParquetFile, ParquetSource
from bnsieve.table import Codes, code_dtype


class UnknownLabelError(ValueError):
    """A category occurs that a plan has no code for."""


class Counter:
    """Counts pieces of rows as they are read.

    Parameters
    ----------
    plan : Plan
    """

    def __init__(self, plan: Plan) -> None:
        self.plan = plan
        self._kernel = _native.Tally(plan.tables, plan.radices, plan.limit)
        self._dtype = code_dtype(max(plan.radices))
        self._code_of = [
            {label: code for code, label in enumerate((*own, None) if more else own)}
            for own, more in zip(plan.categories, plan.has_missing, strict=True)
        ]
        # Most pieces of a column come with the same dictionary as the one before.
        self._last: list[tuple[list[Hashable], Codes] | None] = [None] * len(plan.names)
        self._room: Codes = np.empty(0, dtype=self._dtype)

    def add(self, file: ParquetFile, n_rows: int, columns: Sequence[Piece]) -> None:
        """Count `n_rows` rows of the plan's columns.

        Raises
        ------
        UnknownLabelError
            If a category occurs that the plan does not know.
        """
        n_cells = len(self.plan.names) * n_rows
        if len(self._room) < n_cells:  # kept: fresh memory costs as much as the counting
            self._room = np.empty(n_cells, dtype=self._dtype)
        codes = self._room[:n_cells].reshape(len(self.plan.names), n_rows)
        for i, piece in enumerate(columns):
            known = self._last[i]
            if known is None or known[0] != piece.labels:
                code_of = self._code_of[i]
                _refuse_unknown(self.plan.names[i], file, piece, code_of)
                numbers = [code_of.get(label, 0) for label in piece.labels]
                known = piece.labels, np.array(numbers, dtype=self._dtype)
                # A category that only the dictionary has may occur in the next piece.
                self._last[i] = known if code_of.keys() >= set(piece.labels) else None
            _native.recode(piece.indices, known[1], codes[i])
        self._kernel.add(codes)

    def result(self) -> Tables:
        """Return the tables counted so far."""
        numbers = range(len(self.plan.tables))
        return Tables(self.plan, tuple(Keyed(*self._kernel.counted(t)) for t in numbers))


def tally(source: ParquetSource, chunks: Sequence[Chunk], plan: Plan) -> Tables:
    """Count the plan's tables in some chunks of a source; see `Counter`."""
    tallier = Counter(plan)
    for _, file, batch in source.read(chunks, plan.names):
        tallier.add(file, batch.num_rows, pieces(plan.names, file, batch, {}))
    return tallier.result()


def _refuse_unknown(
    name: str, file: ParquetFile, piece: Piece, code_of: Mapping[Hashable, int]
) -> None:
    """Refuse categories that occur and have no code."""
    if code_of.keys() >= set(piece.labels):
        return
    found = _native.count_indices(piece.indices, len(piece.labels))
    for label, n in zip(piece.labels, found.tolist(), strict=True):
        if n and label not in code_of:
            what = "a missing cell" if label is None else f"the category {label!r}"
            raise UnknownLabelError(
                f"{file.path} has {what} in column {name!r}, which was not there when it was first "
                "read: begin again when the files are at rest"
            )
