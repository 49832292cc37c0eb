"""How long learning will take, and how much memory, before it begins.

In: how many rows and columns there are, and how many levels each column has. Out: an `Estimate`. It
is work times rates: how many examples the machines look at and how many configurations the scores
pass over follow from the shape; how fast this machine does that is measured on a small table.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from math import exp, log
from time import process_time

import numpy as np
from joblib import effective_n_jobs

from bnsieve import _native
from bnsieve.counts import count
from bnsieve.decide import Score, score_parent_sets
from bnsieve.engine import Usage
from bnsieve.learners.screening import N_VISIBLE
from bnsieve.learners.stages import (
    MACHINE,
    MANY_ROWS,
    N_ALL_FIT,
    N_SOUGHT_IN,
    StageSettings,
)
from bnsieve.network import N_SWEEPS
from bnsieve.search import SearchSettings
from bnsieve.sieve import MACHINE_LEVELS, ROWS_OF_SHORT, Machines
from bnsieve.table import Table

# Of a table of which the rates are measured.
_MEASURED_ROWS, _MEASURED_COLUMNS, _MEASURED_LEVELS = 8_000, 12, 3
_PAIRED_LEVELS = 256
# What is done for every set of parents, in passes over so many configurations.
_PER_SET = 3_000
# Sets of each size that are grown, and how many sizes: scores seldom rise beyond four parents.
_GROWN_SIZES = 2.5
# Sets are scored once, again where a second sieve changed the candidates, and with a last prior.
_SCORED_AGAIN = 2.5
# With missing cells a set is scored with and without its last member; then, of rows in memory,
# cells are drawn from the network found, and all is learned again two or three times.
_WITH_GAPS = 2.0
_ROUNDS_AFTER = 2.5
# Drawing a cell, from its label given others, in passes over a configuration.
_PER_DRAWN_CELL = 35.0
# Where all rows are counted, sets are scored with two priors, and once more for directions.
_SCORED_WITH_ALL = 3.0
# A block of literals more takes this share of what the first one takes.
_PER_BLOCK = 0.5
_BLOCK_LITERALS = 512
# Counting a row in one table of some columns: a key is made of their codes, and looked up. The same
# for each column for which all rows are turned into codes, and for reading cells from files again.
_PER_COUNTED_ROW = 80.0
_PER_CODED_CELL = 80.0
_PER_READ_CELL = 40.0
# Bytes per configuration while a variable is scored: its codes, counts, groups by size, and hashes.
_SCORING_BYTES = 300
# Bytes per cell of the frame of labels, its codes and what is made on the way.
_CELL_BYTES = 4


@dataclass(frozen=True)
class Shape:
    """What the work depends on.

    Attributes
    ----------
    n_rows : int
        All rows.
    n_levels : tuple of int
        Of each column.
    n_missing : int
        Cells that are missing.
    n_sample : int
        Rows in memory: all of them, or fewer of files.
    """

    n_rows: int
    n_levels: tuple[int, ...]
    n_missing: int
    n_sample: int

    @property
    def rounds(self) -> float:
        """How often all of it is learned: more than once where missing cells are drawn."""
        return 1 + _ROUNDS_AFTER if self.n_missing and self.n_sample == self.n_rows else 1.0

    @property
    def n_searched(self) -> int:
        """Rows in which candidates and a first network are sought."""
        return N_SOUGHT_IN if self.n_sample > MANY_ROWS else self.n_sample

    @property
    def n_candidates(self) -> int:
        """Candidates of each column."""
        n_others = len(self.n_levels) - 1
        if n_others <= N_ALL_FIT:
            return n_others
        # Between those named at first and the most there can be.
        return (StageSettings.n_first_candidates + StageSettings.n_candidates) // 2

    @property
    def n_configurations(self) -> float:
        """Configurations of a column and its candidates that occur in the rows searched."""
        return self._occurring(self.n_candidates, self.n_searched)

    def _occurring(self, n_candidates: int, n_rows: int) -> float:
        """Return how many configurations occur at most, of columns with the usual many levels."""
        logs = [log(n) for n in self.n_levels]
        each = sum(logs) / max(1, len(logs))
        return exp(min(log(max(1, n_rows)), (n_candidates + 1) * each))

    @property
    def n_literals(self) -> int:
        """Literals that a machine sees, negated ones included."""
        levels = [min(n, MACHINE_LEVELS) for n in self.n_levels]
        visible = min(len(levels), N_VISIBLE) if len(levels) > N_VISIBLE else len(levels)
        return round(2 * sum(levels) * visible / max(1, len(levels)))

    @property
    def visits(self) -> float:
        """Visits of examples by all machines, in those of one block of literals."""
        blocks = -(-self.n_literals // _BLOCK_LITERALS)
        # Most columns are joined to others; their machines are trained for a short time.
        each = 2 * min(MACHINE.train_share * self.n_searched, ROWS_OF_SHORT)
        return len(self.n_levels) * each * self.rounds * (1 + _PER_BLOCK * (blocks - 1))

    @property
    def passes(self) -> float:
        """Configurations that scores pass over, all sets of all columns together.

        What else is done to rows is counted in these.
        """
        n_columns, n_seen = len(self.n_levels), min(len(self.n_levels), N_VISIBLE)
        each = n_sets(self.n_candidates) * (self.n_configurations + _PER_SET) * _SCORED_AGAIN
        each += self.n_searched * n_seen
        # Only the first time cells are missing.
        gaps = _WITH_GAPS - 1 if self.n_missing else 0.0
        total = n_columns * each * (self.rounds + gaps)
        if self.n_rows > self.n_searched:
            total += n_columns * self.rounds * self._passes_of_all_rows(n_seen)
        if self.rounds > 1:
            total += _PER_DRAWN_CELL * (N_SWEEPS + 1) * self.n_missing * _ROUNDS_AFTER
        total += _PER_CODED_CELL * n_columns * self.n_sample
        if self.n_rows > self.n_sample:
            total += 2 * _PER_READ_CELL * n_columns * self.n_rows
        return total

    def _passes_of_all_rows(self, n_seen: int) -> float:
        """Return what is done for a column once all rows are counted."""
        n_counted = min(self.n_candidates, SearchSettings.n_counted or self.n_candidates)
        configurations = self._occurring(n_counted, self.n_rows)
        scoring = _SCORED_WITH_ALL * n_sets(n_counted) * (configurations + _PER_SET)
        return scoring + _PER_COUNTED_ROW * self.n_rows + n_seen * self.n_sample

    @property
    def products(self) -> float:
        """Rows times pairs of levels, which are counted; pairs with many levels otherwise."""
        levels = [n for n in self.n_levels if n <= MACHINE_LEVELS]
        return self.rounds * self.n_sample * float(sum(levels)) ** 2

    def bytes_of_learning(self, n_threads: int) -> float:
        """Return the memory that learning takes beside the data as they were read."""
        cells = len(self.n_levels) * self.n_sample
        literals = self.n_sample * self.n_literals / 8
        scoring = n_threads * self.n_configurations * _SCORING_BYTES
        return _CELL_BYTES * cells + literals + scoring


def n_sets(n_candidates: int) -> float:
    """Return about how many sets of so many candidates are scored."""
    settings = SearchSettings()
    k = n_candidates
    complete = 1 + k + k * (k - 1) / 2
    foremost = min(k, settings.n_foremost)
    triples = foremost * (foremost - 1) * (foremost - 2) / 6
    return min(2.0**k, complete + triples + _GROWN_SIZES * settings.width * k)


@dataclass(frozen=True)
class Rates:
    """Seconds of one processor: a visit, a pass over one configuration, a row of two levels."""

    visit: float
    configuration: float
    product: float

    def seconds(self, shape: Shape) -> float:
        """Return what it takes to learn from a table."""
        return (
            shape.visits * self.visit
            + shape.passes * self.configuration
            + shape.products * self.product
        )


def measured_rates() -> Rates:
    """Train a machine and score sets on a small table, and take the time: a quarter of a second."""
    rng = np.random.default_rng(0)
    shape = _MEASURED_COLUMNS, _MEASURED_ROWS
    codes = rng.integers(0, _MEASURED_LEVELS, shape).astype(np.uint8)
    for v in range(1, _MEASURED_COLUMNS):  # a chain, so that there is something to learn
        follows = rng.random(_MEASURED_ROWS) < 0.7
        codes[v, follows] = codes[v - 1, follows]
    names = tuple(f"v{v}" for v in range(_MEASURED_COLUMNS))
    levels = (tuple(range(_MEASURED_LEVELS)),) * _MEASURED_COLUMNS
    table = Table(codes, names, levels, {})
    own = Shape(_MEASURED_ROWS, (_MEASURED_LEVELS,) * _MEASURED_COLUMNS, 0, _MEASURED_ROWS)
    start = process_time()
    Machines(table, MACHINE, 0).train(5, rows=ROWS_OF_SHORT)
    trained = process_time()
    joint = count(table, range(_MEASURED_COLUMNS))
    limits = SearchSettings()
    score_parent_sets(
        joint,
        Score(parent_cost=log(_MEASURED_COLUMNS)),
        complete_size=limits.complete_size,
        max_size=limits.max_parents,
        width=limits.width,
        foremost=joint.variables[1 : 1 + limits.n_foremost],
    )
    scored = process_time()
    n_passes = n_sets(_MEASURED_COLUMNS - 1) * (len(joint.counts) + _PER_SET)
    bits = np.zeros((_PAIRED_LEVELS, _MEASURED_ROWS // 64), dtype=np.uint64)
    pairs = np.empty((_PAIRED_LEVELS, _PAIRED_LEVELS))
    paired = process_time()
    _native.count_pairs(bits, bits, pairs)
    n_products = _MEASURED_ROWS * _PAIRED_LEVELS**2
    return Rates(
        (trained - start) * _MEASURED_COLUMNS / own.visits,
        (scored - trained) / n_passes,
        (process_time() - paired) / n_products,
    )


@dataclass(frozen=True)
class Estimate:
    """What a run will take in all.

    Attributes
    ----------
    seconds : float
        If no other program needs the processors.
    cpu_seconds : float
        Of all processors together.
    megabytes : float
        Of memory, at most at one time.
    """

    seconds: float
    cpu_seconds: float
    megabytes: float

    def __str__(self) -> str:
        time = f"{self.seconds:.0f} s" if self.seconds < 100 else f"{self.seconds / 60:.0f} minutes"
        return f"about {time} and {self.megabytes / 1000:.1f} GB in all"


def estimate_run(
    shape: Shape,
    so_far: Usage,
    n_jobs: int | None,
    times: float = 1.0,
) -> Estimate:
    """Say what a run of `TsetlinSieve` will take.

    Parameters
    ----------
    shape : Shape
    so_far : Usage
        What was used until now, reading the data for instance.
    n_jobs : int or None
    times : float
        How often all of it is learned.
    """
    rates, n_threads = measured_rates(), effective_n_jobs(n_jobs)
    work = times * rates.seconds(shape)
    memory = max(so_far.peak, so_far.now + shape.bytes_of_learning(n_threads))
    return Estimate(so_far.seconds + work / n_threads, so_far.seconds + work, memory / 1e6)


def shape_of(
    n_rows: int, n_levels: Sequence[int], n_missing: int, n_sample: int | None = None
) -> Shape:
    """Return the shape of a table; `n_sample` where its rows stay in files."""
    sampled = n_rows if n_sample is None else min(n_rows, n_sample)
    return Shape(n_rows, tuple(n_levels), n_missing, sampled)
