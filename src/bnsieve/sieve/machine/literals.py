"""Codes packed as literals: one bit matrix that the machines of all targets share.

A plain literal says "this variable has this level", its negation the opposite. Of a variable whose
levels are ordered ranges of a number, it says "this number lies above this level": these are
thermometer literals, one less than there are levels. Plain literals are
numbered variable by variable, level by level; a row's bits lie in 64-bit words, plain ones first,
their negations from the next word on, padded to blocks of 512 bits (``native/literals.hpp``).
"""

import math
from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from bnsieve import _native
from bnsieve.table import Codes

WORD = 64
BLOCK_WORDS = 8
# Bounds the memory for flags that are not yet packed.
_ROWS_AT_ONCE = 2_048


def aligned_words(shape: tuple[int, ...]) -> NDArray[np.uint64]:
    """Return an uninitialised array of words that begins on a cache line, as kernels require."""
    n_words = math.prod(shape)
    raw = np.empty(n_words + BLOCK_WORDS, dtype=np.uint64)
    start = (-raw.ctypes.data // raw.itemsize) % BLOCK_WORDS
    return raw[start : start + n_words].reshape(shape)


def aligned_copy(words: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """Return a copy of an array of words that begins on a cache line."""
    copy = aligned_words(words.shape)
    copy[...] = words
    return copy


@dataclass(frozen=True, eq=False)
class Layout:
    """Where each literal lies in a row of words.

    Attributes
    ----------
    first : ndarray of int64, shape (n_variables + 1,)
        ``first[v]`` is the number of the literal "v has level 0"; the last entry is the number of
        plain literals.
    """

    first: NDArray[np.int64]

    @classmethod
    def of(cls, n_levels: ArrayLike) -> "Layout":
        """Return the layout for variables with these numbers of levels."""
        return cls(np.concatenate([[0], np.cumsum(np.asarray(n_levels, dtype=np.int64))]))

    @property
    def n_variables(self) -> int:
        """Number of variables."""
        return len(self.first) - 1

    @property
    def n_plain(self) -> int:
        """Number of plain literals; as many negated ones follow."""
        return int(self.first[-1])

    @property
    def half_words(self) -> int:
        """Words that the plain literals fill; the negated ones begin after them."""
        return -(-self.n_plain // WORD)

    @property
    def n_words(self) -> int:
        """Words of a row, a multiple of eight."""
        return -(-2 * self.half_words // BLOCK_WORDS) * BLOCK_WORDS

    def allowed(self, hidden: Iterable[int] = ()) -> NDArray[np.uint64]:
        """Return the mask of literals that may enter a clause.

        Parameters
        ----------
        hidden : iterable of int
            Variables whose literals may not: the target itself, and whatever knowledge forbids.

        Returns
        -------
        ndarray of uint64, shape (n_words,)
        """
        usable = np.ones(self.n_plain, dtype=bool)
        for variable in hidden:
            usable[self.first[variable] : self.first[variable + 1]] = False
        return aligned_copy(self.pack(usable, usable))

    def pack(self, plain: NDArray[np.bool_], negated: NDArray[np.bool_]) -> NDArray[np.uint64]:
        """Pack flags of plain and negated literals, each of shape (..., n_plain), into words."""
        start = self.half_words * WORD
        flags = np.zeros((*plain.shape[:-1], self.n_words * WORD), dtype=bool)
        flags[..., : self.n_plain] = plain
        flags[..., start : start + self.n_plain] = negated
        packed = np.packbits(flags, axis=-1, bitorder="little")
        return packed.view("<u8").astype(np.uint64, copy=False)

    def unpack(self, words: NDArray[np.uint64]) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
        """Return the flags of plain and negated literals, each of shape (..., n_plain)."""
        start = self.half_words * WORD
        as_bytes = np.ascontiguousarray(words.astype("<u8", copy=False)).view(np.uint8)
        flags = np.unpackbits(as_bytes, axis=-1, bitorder="little").view(bool)
        return flags[..., : self.n_plain], flags[..., start : start + self.n_plain]


@dataclass(frozen=True, eq=False)
class Literals:
    """The packed literals of a table's rows, shared by the machines of all targets.

    Attributes
    ----------
    layout : Layout
    bits : ndarray of uint64, shape (n_rows, layout.n_words)
        Read-only; begins on a cache line.
    """

    layout: Layout
    bits: NDArray[np.uint64]

    @classmethod
    def from_codes(cls, codes: Codes, layout: Layout) -> "Literals":
        """Pack codes of shape (n_variables, n_rows), contiguous along the rows.

        A code at or above its variable's number of levels (a missing cell, a label that was not
        seen in training) makes neither plain nor negated literals of the variable true.
        """
        bits = aligned_words((codes.shape[1], layout.n_words))
        _native.pack_literals(codes, layout.first, bits)
        bits.flags.writeable = False
        return cls(layout, bits)

    @classmethod
    def with_thermometers(
        cls, codes: Codes, n_levels: NDArray[np.int64], ordered: NDArray[np.bool_]
    ) -> "Literals":
        """Pack codes of variables of which some are ordered.

        Parameters
        ----------
        codes : ndarray of uint8 or uint16, shape (n_variables, n_rows)
        n_levels : ndarray of int64, shape (n_variables,)
        ordered : ndarray of bool, shape (n_variables,)
            Which variables have a literal per step from one level to the next.
        """
        layout = Layout.of(np.where(ordered, np.maximum(n_levels - 1, 1), n_levels))
        bits = aligned_words((codes.shape[1], layout.n_words))
        owner = np.repeat(np.arange(len(n_levels)), np.diff(layout.first))
        level = np.arange(layout.n_plain) - layout.first[owner]
        steps = ordered[owner]
        for start in range(0, codes.shape[1], _ROWS_AT_ONCE):
            own = codes[:, start : start + _ROWS_AT_ONCE].T[:, owner]
            plain = np.where(steps, own > level, own == level)
            known = own < n_levels[owner]
            bits[start : start + len(own)] = layout.pack(plain & known, ~plain & known)
        bits.flags.writeable = False
        return cls(layout, bits)

    @property
    def n_rows(self) -> int:
        """Number of rows."""
        return int(self.bits.shape[0])
