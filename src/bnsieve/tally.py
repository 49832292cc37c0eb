"""The second pass: chunks of rows in, one joint table per neighbourhood out.

A `Plan` says which columns are joined and how their labels are numbered; `tally` counts some
chunks; what it returns adds up, in any order and grouping, to the same tables bit for bit.
Tables that would hold more configurations than the plan allows lose their last columns.
"""

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from bnsieve import _native
from bnsieve.counts import JointCounts
from bnsieve.encode import Codes, code_dtype
from bnsieve.source.labels import Piece
from bnsieve.source.parquet import Chunk, File, ParquetSource
from bnsieve.source.scan import pieces

# Keys of configurations have 63 bits.
_MAX_KEYS = 1 << 63


@dataclass(frozen=True)
class Plan:
    """What to count.

    Attributes
    ----------
    names : tuple of str
        The columns to read.
    levels : tuple of tuples of labels
        Of each, in the order of their codes.
    has_missing : tuple of bool
        Of each, whether cells may be missing; a missing cell is one more level.
    neighbourhoods : tuple of tuples of int
        Which columns each table joins, the most important first.
    limit : int
        Most configurations of one table.
    """

    names: tuple[str, ...]
    levels: tuple[tuple[Hashable, ...], ...]
    has_missing: tuple[bool, ...]
    neighbourhoods: tuple[tuple[int, ...], ...]
    limit: int

    @property
    def radices(self) -> list[int]:
        """Number of codes of each column."""
        return [len(own) + more for own, more in zip(self.levels, self.has_missing, strict=True)]

    @property
    def tables(self) -> list[list[int]]:
        """The neighbourhoods, cut where the possible configurations could not be numbered."""
        radices, cut = self.radices, []
        for columns in self.neighbourhoods:
            n_keys, kept = 1, []
            for column in columns:
                n_keys *= radices[column]
                if n_keys >= _MAX_KEYS:
                    break
                kept.append(column)
            cut.append(kept)
        return cut


@dataclass(frozen=True)
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
            tuple(len(self.plan.levels[column]) for column in columns),
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
        if not set(names) <= set(self.plan.names):
            return None
        columns = [self.plan.names.index(name) for name in names]
        covering = [joint for joint in self.joints if set(columns) <= set(joint.variables)]
        if not covering:
            return None
        return min(covering, key=lambda joint: len(joint.counts)).marginal(columns)

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


def tally(source: ParquetSource, chunks: Sequence[Chunk], plan: Plan) -> Tables:
    """Count the plan's tables in some chunks.

    Raises
    ------
    ValueError
        If a label occurs that the plan does not know: the file has changed.
    """
    kernel = _native.Tally(plan.tables, plan.radices, plan.limit)
    dtype = code_dtype(max(plan.radices))
    code_of = [
        {label: code for code, label in enumerate((*own, None) if more else own)}
        for own, more in zip(plan.levels, plan.has_missing, strict=True)
    ]
    # Most pieces of a column come with the same dictionary as the one before.
    last: list[tuple[list[Hashable], Codes] | None] = [None] * len(plan.names)
    for _, file, batch in source.read(chunks, plan.names):
        codes: Codes = np.empty((len(plan.names), batch.num_rows), dtype=dtype)
        for i, piece in enumerate(pieces(plan.names, file, batch)):
            known = last[i]
            if known is None or known[0] != piece.labels:
                _refuse_unknown(plan.names[i], file, piece, code_of[i])
                numbers = [code_of[i].get(label, 0) for label in piece.labels]
                known = piece.labels, np.array(numbers, dtype=dtype)
                # A label that only the dictionary has may occur in the next piece.
                last[i] = known if code_of[i].keys() >= set(piece.labels) else None
            _native.recode(piece.indices, known[1], codes[i])
        kernel.add(codes)
    return Tables(plan, tuple(Keyed(*kernel.counted(t)) for t in range(len(plan.tables))))


def _refuse_unknown(name: str, file: File, piece: Piece, code_of: Mapping[Hashable, int]) -> None:
    """Refuse labels that occur and have no code."""
    if code_of.keys() >= set(piece.labels):
        return
    found = _native.count_indices(piece.indices, len(piece.labels))
    for label, n in zip(piece.labels, found.tolist(), strict=True):
        if n and label not in code_of:
            what = "a missing cell" if label is None else f"the label {label!r}"
            raise ValueError(
                f"{file.path} has {what} in column {name!r}, which was not there when it was first "
                "read: begin again when the files are at rest"
            )
