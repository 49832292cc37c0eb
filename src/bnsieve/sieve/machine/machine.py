"""The multi-class weighted Tsetlin machine, trained on literals and categories.

A plain literal says "this variable has this category", its negation the opposite. Of a variable
whose categories are ordered ranges of a number, it says "this number lies above this range": these
are thermometer literals, one less than there are categories. Plain literals are numbered variable
by variable, category by category; a row's bits lie in 64-bit words, plain ones first, their
negations from the next word on, padded to blocks of 512 bits (``native/literals.hpp``). The
machines of all targets share one matrix of these bits.

This is the machine itself, without the estimator's conveniences: plain arrays, one call to the
kernel per stretch of epochs. Training is a function of (literals, rows, categories, settings, seed)
alone; ten epochs give the same bits as four and then six.
"""

import itertools
import math
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from bnsieve import _native
from bnsieve.engine import stoppable_pool
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
        ``first[v]`` is the number of the literal "v has category 0"; the last entry is the number
        of plain literals.
    """

    first: NDArray[np.int64]

    @classmethod
    def of(cls, n_categories: ArrayLike) -> "Layout":
        """Return the layout for variables with these numbers of categories."""
        return cls(np.concatenate([[0], np.cumsum(np.asarray(n_categories, dtype=np.int64))]))

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

    def __setstate__(self, state: dict[str, Any]) -> None:
        """Restore them in another process, where pickled words may begin anywhere."""
        bits = aligned_copy(state["bits"])
        bits.setflags(write=False)
        self.__dict__.update(state, bits=bits)

    @classmethod
    def of(
        cls, codes: Codes, n_categories: ArrayLike, ordered: NDArray[np.bool_] | None = None
    ) -> "Literals":
        """Pack codes.

        A code at or above its variable's number of categories (a missing value, a category that was
        not seen in training) makes neither plain nor negated literals of the variable true.

        Parameters
        ----------
        codes : ndarray of uint8 or uint16, shape (n_variables, n_rows)
            Contiguous along the rows.
        n_categories : array-like of int, shape (n_variables,)
        ordered : ndarray of bool, shape (n_variables,), optional
            Which variables have a literal per step from one category to the next.
        """
        if ordered is None or not ordered.any():
            layout = Layout.of(n_categories)
            bits = aligned_words((codes.shape[1], layout.n_words))
            _native.pack_literals(codes, layout.first, bits)
        else:
            sizes = np.asarray(n_categories)
            layout = Layout.of(np.where(ordered, np.maximum(sizes - 1, 1), sizes))
            bits = aligned_words((codes.shape[1], layout.n_words))
            owner = np.repeat(np.arange(len(sizes)), np.diff(layout.first))
            step = np.arange(layout.n_plain) - layout.first[owner]
            for start in range(0, codes.shape[1], _ROWS_AT_ONCE):
                own = codes[:, start : start + _ROWS_AT_ONCE].T[:, owner]
                plain = np.where(ordered[owner], own > step, own == step)
                known = own < sizes[owner]
                bits[start : start + len(own)] = layout.pack(plain & known, ~plain & known)
        bits.flags.writeable = False
        return cls(layout, bits)

    @property
    def n_rows(self) -> int:
        """Number of rows."""
        return int(self.bits.shape[0])


@dataclass(frozen=True)
class MachineSettings:
    """Hyper-parameters of a machine, by the paper's names T and s.

    Attributes
    ----------
    n_clauses : int
        Clauses per class; even ones vote for the class, odd ones against it.
    threshold : int
        T: votes are clamped to it, and feedback stops when it is reached.
    specificity : float
        s: true literals are forgotten with probability 1/s; larger values make longer clauses.
    boost : bool
        Strengthen true literals of a firing clause always, rather than with probability 1 - 1/s.
    """

    n_clauses: int = 50
    threshold: int = 50
    specificity: float = 5.0
    boost: bool = True


@dataclass(eq=False)
class Machine:
    """State of a multi-class weighted Tsetlin machine.

    Attributes
    ----------
    include : ndarray of uint64, shape (n_classes, n_clauses, n_words)
        Which literals are in which clause.
    depth : ndarray of uint64, shape (n_classes, n_clauses, n_blocks, 7 * 8)
        The lower bits of the automata's states.
    weights : ndarray of int32, shape (n_classes, padded clauses)
        Signed weights: positive for even clauses, negative for odd ones, zero in the padding.
    settings : MachineSettings
    epochs : int
        Epochs trained so far.
    """

    include: NDArray[np.uint64]
    depth: NDArray[np.uint64]
    weights: NDArray[np.int32]
    settings: MachineSettings
    epochs: int = 0

    @classmethod
    def new(cls, n_classes: int, n_words: int, settings: MachineSettings) -> "Machine":
        """Return an untrained machine: no literal included, each one step from inclusion."""
        n_blocks = n_words // BLOCK_WORDS
        clauses = settings.n_clauses
        include = aligned_words((n_classes, clauses, n_words))
        include[...] = 0
        planes = _native.DEPTH_PLANES * BLOCK_WORDS
        depth = aligned_words((n_classes, clauses, n_blocks, planes))
        depth[...] = np.iinfo(np.uint64).max
        padded = -(-clauses // _native.CLAUSE_GROUP) * _native.CLAUSE_GROUP
        weights = np.zeros((n_classes, padded), dtype=np.int32)
        weights[:, :clauses:2] = 1
        weights[:, 1:clauses:2] = -1
        return cls(include, depth, weights, settings)

    @property
    def n_classes(self) -> int:
        """Number of classes."""
        return int(self.include.shape[0])

    @property
    def clause_weights(self) -> NDArray[np.int32]:
        """Signed weights of the clauses, shape (n_classes, n_clauses)."""
        return self.weights[:, : self.settings.n_clauses]

    @property
    def sizes(self) -> NDArray[np.int64]:
        """The weights without their signs, of all clauses, class by class."""
        return np.abs(self.clause_weights.astype(np.int64)).ravel()

    def train(
        self,
        literals: Literals,
        rows: NDArray[np.int32],
        labels: NDArray[np.int32],
        allowed: NDArray[np.uint64],
        *,
        epochs: int,
        seed: int,
        n_threads: int = 1,
    ) -> None:
        """Train for more epochs, in place.

        Parameters
        ----------
        literals : Literals
            Shared by all machines; never written.
        rows, labels : ndarray of int32, shape (n_examples,)
            Row numbers in ``literals`` (a row may occur often) and class numbers.
        allowed : ndarray of uint64, shape (n_words,)
            Mask of literals that may enter a clause; see `Layout.allowed`.
        epochs : int
            Epochs to add.
        seed : int
            64-bit seed of this machine's streams; the same in every call.
        n_threads : int
            Classes are shared out among so many threads; the result does not depend on it.
        """

        def train_classes(classes: tuple[int, int]) -> None:
            _native.train_machine(
                literals.bits,
                rows,
                labels,
                allowed,
                self.include,
                self.depth,
                self.weights,
                self.settings.threshold,
                round(65536 / self.settings.specificity),
                self.settings.boost,
                seed,
                self.epochs,
                epochs,
                *classes,
            )

        n_ranges = min(n_threads, self.n_classes)
        if n_ranges == 1:
            train_classes((0, self.n_classes))
        else:
            bounds = np.linspace(0, self.n_classes, n_ranges + 1).astype(int)
            with stoppable_pool(n_ranges) as (pool, _):
                list(pool.map(train_classes, itertools.pairwise(bounds.tolist())))
        self.epochs += epochs

    def votes(self, literals: Literals) -> NDArray[np.int64]:
        """Return the vote sums of all classes, shape (n_rows, n_classes)."""
        rows = every_row(literals)
        votes = np.empty((len(rows), self.n_classes), dtype=np.int64)
        _native.count_votes(literals.bits, rows, self.include, self.weights, votes)
        return votes

    def matches(
        self, literals: Literals, rows: NDArray[np.int32], labels: NDArray[np.int32]
    ) -> NDArray[np.int64]:
        """Return, for every clause, the number of examples of each category for which it is true.

        Returns
        -------
        ndarray of int64, shape (n_classes, n_clauses, n_classes)
        """
        shape = (self.n_classes, self.settings.n_clauses, self.n_classes)
        matches = np.empty(shape, dtype=np.int64)
        _native.count_matches(literals.bits, rows, labels, self.include, matches)
        return matches

    def __setstate__(self, state: dict[str, Any]) -> None:
        """Restore from a copy or a pickle, laid out again as the kernels require."""
        self.__dict__.update(state)
        self.include = aligned_copy(self.include)
        self.depth = aligned_copy(self.depth)


def every_row(literals: Literals) -> NDArray[np.int32]:
    """Return all row numbers."""
    return np.arange(literals.n_rows, dtype=np.int32)


def balanced_rows(labels: NDArray[np.integer], rng: np.random.Generator) -> NDArray[np.int32]:
    """Draw rows so that all classes present are equally frequent and the total is unchanged.

    A class with enough rows is sampled without replacement; a short one gives all its rows as often
    as they fit and the rest without replacement, so that no row weighs more than one above another
    of its class. Where the total does not divide evenly, the classes that get one row more are
    drawn.

    Returns
    -------
    ndarray of int32, shape (n_rows,)
    """
    counts = np.bincount(labels)
    classes = np.flatnonzero(counts)
    share, extra = divmod(len(labels), len(classes))
    sizes = np.full(len(classes), share)
    sizes[rng.permutation(len(classes))[:extra]] += 1
    # Small numbers are sorted in one pass.
    order = np.argsort(labels.astype(np.min_scalar_type(len(counts))), kind="stable")
    by_class = np.split(order, np.cumsum(counts[classes])[:-1])
    drawn = []
    for members, size in zip(by_class, sizes, strict=True):
        repeats, rest = divmod(int(size), len(members))
        drawn.append(np.repeat(members, repeats))
        drawn.append(rng.permutation(members)[:rest])
    return np.concatenate(drawn).astype(np.int32)
