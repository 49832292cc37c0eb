"""What a reading of all rows found: labels, how often each occurs, and a sample."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bnsieve.table import Table, code_dtype

# Labels of one column are of one kind, and so can be sorted.
Label = Any


@dataclass(frozen=True, eq=False)
class Scan:
    """What one reading found.

    Attributes
    ----------
    names : tuple of str
    counts : tuple of dict
        For each column how often each label occurs; None is a missing cell. The order of the
        labels is that in which they were found, and the one that `codes` refers to.
    ranks : ndarray of uint64, shape (n_drawn,)
        The drawn rows' random numbers.
    rows : ndarray of int64, shape (n_drawn,)
        Their numbers among all rows.
    codes : ndarray of int32, shape (n_columns, n_drawn)
    n_rows : int
        Rows read.
    bins : dict of str to tuple of str
        The labels of columns that were cut, in their order; those of other columns are sorted.
    numbers : mapping of str to ndarray of float64, shape (n_drawn,)
        Of columns that were cut from numbers these, NaN where missing.
    """

    names: tuple[str, ...]
    counts: tuple[dict[Label, int], ...]
    ranks: NDArray[np.uint64]
    rows: NDArray[np.int64]
    codes: NDArray[np.int32]
    n_rows: int
    bins: dict[str, tuple[str, ...]]
    numbers: Mapping[str, NDArray[np.float64]] = field(default_factory=dict)

    def __add__(self, other: "Scan") -> "Scan":
        """Return the scan of both scans' rows."""
        counts, parts = [], []
        for mine, yours, codes in zip(self.counts, other.counts, other.codes, strict=True):
            merged = dict(mine)
            for label, n in yours.items():
                merged[label] = merged.get(label, 0) + n
            place = {label: i for i, label in enumerate(merged)}
            renumbered = np.array([place[label] for label in yours], dtype=np.int32)
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

    def levels(self) -> tuple[tuple[Label, ...], ...]:
        """Return each column's labels, in their order."""
        return tuple(map(self.levels_of, range(len(self.names))))

    def levels_of(self, column: int) -> tuple[Label, ...]:
        """Return one column's labels, in their order."""
        counts = self.counts[column]
        ordered = self.bins.get(self.names[column]) or _sorted(counts)
        return tuple(label for label in ordered if label in counts)

    def sample(self, n: int) -> Table:
        """Return the `n` drawn rows of lowest rank, in the order of the rows, as a table.

        A column of which the sample holds no cell is as if its first level were all there is.
        """
        drawn = self.lowest(n)
        order = np.argsort(drawn.rows)
        codes, levels, missing = [], [], {}
        every = self.levels()
        dtype = code_dtype(max(map(len, every)))
        for i, (counts, labels) in enumerate(zip(self.counts, every, strict=True)):
            if not labels:
                raise ValueError(f"column {self.names[i]!r} is missing in every row: drop it")
            place = {label: k for k, label in enumerate(labels)}
            code_of = np.array([place.get(label, -1) for label in counts], dtype=np.int32)
            own = code_of[drawn.codes[i, order]]
            unknown = own < 0
            if unknown.any():
                missing[i] = unknown
            seen = np.flatnonzero(np.bincount(own + 1, minlength=2)[1:])
            if len(seen) == 0:
                seen = np.zeros(1, dtype=np.intp)
            place_of = np.zeros(len(labels) + 1, dtype=dtype)
            place_of[seen] = np.arange(len(seen))
            codes.append(place_of[own])
            levels.append(tuple(labels[k] for k in seen))
        dtype = code_dtype(max(map(len, levels)))
        place = {name: i for i, name in enumerate(self.names)}
        numbers = {place[name]: own[order] for name, own in drawn.numbers.items()}
        return Table(np.array(codes, dtype=dtype), self.names, tuple(levels), missing, numbers)


def _sorted(counts: dict[Label, int]) -> list[Label]:
    return sorted(label for label in counts if label is not None)
