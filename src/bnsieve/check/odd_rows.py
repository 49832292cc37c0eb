"""The least likely rows, how rare such rows are, and whether there are more of them than before.

In: scores of the cells of training rows and of new rows. Out: one `OddRow` for each odd row.

A row is as odd as its oddest cell. Its rarity is the share of training rows with a score at least
as high. For scores beyond the oddest hundredth of the training rows, an exponential curve fitted to
this hundredth gives the share.
"""

from collections.abc import Hashable, Mapping
from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray

from bnsieve.check.tails import tails

Values = NDArray[np.float64]

# The rarest rows learned from, whose scores the curve is fitted to: a share, but not fewer.
_TAIL, _LEAST_TAIL = 0.01, 30
# If the network is right, scores fall off by a factor of e with each nat, or faster.
_LEAST_SCALE = 1.0
# Shares of the rows learned from, above whose scores new rows are counted.
_LEVELS = (0.01, 0.001)


@dataclass(frozen=True)
class OddRow:
    """A row that is unlikely because of one of its cells.

    Attributes
    ----------
    row : int
        Its number; the first row is 1.
    name : str
        The variable of the oddest cell.
    value : object
    expected : str
        The expected value in words: a state, or the range of nine in ten values.
    given : mapping from str to object
        The other cells of the row that make this value odd.
    score : float
        In nats; see `bnsieve.check.cells`.
    share : float
        The share of rows that are as odd, if nothing changed.
    where : mapping from str to object
        The entity and the time of the row, after a fit over time of rows in memory.
    """

    row: int
    name: str
    value: Hashable
    expected: str
    given: Mapping[str, Hashable]
    score: float
    share: float
    where: Mapping[str, Hashable] = field(default_factory=dict)

    @property
    def place(self) -> str:
        """Which row it is, in words."""
        where = [f"{name} {value}" for name, value in self.where.items()]
        return ", ".join([f"row {self.row:,}", *where])


@dataclass(frozen=True)
class OddRowsTest:
    """Whether so many rows are so odd by chance.

    Attributes
    ----------
    p_value : float
        Corrected for the number of tests.
    least_score : float
        The lowest score of the rows that were counted.
    n_rows : int
        The number of these rows.
    share : float
        The share of training rows with such scores.
    """

    p_value: float
    least_score: float
    n_rows: int
    share: float


@dataclass(frozen=True, eq=False)
class Rarity:
    """How rare scores are.

    Attributes
    ----------
    known : ndarray of float64, ascending
        Scores of training rows.
    start : float
        Where the curve begins.
    scale : float
        By how much scores rise where the share falls by a factor of e.
    """

    known: Values
    start: float
    scale: float

    @classmethod
    def of(cls, scores: Values) -> "Rarity":
        """Fit the curve to the oddest training rows."""
        known = np.sort(scores)
        n_tail = min(len(known) - 1, max(_LEAST_TAIL, round(_TAIL * len(known))))
        start = float(known[-n_tail - 1]) if n_tail > 0 else float(known[-1])
        beyond = known[known > start] - start
        scale = max(_LEAST_SCALE, float(beyond.mean())) if len(beyond) else _LEAST_SCALE
        return cls(known, start, scale)

    def shares(self, scores: Values) -> Values:
        """Return the share of training rows whose score is as high or higher."""
        n = len(self.known)
        counted = (n - np.searchsorted(self.known, scores, side="left")) / n
        above = float((self.known > self.start).mean()) or 1.0 / n
        curve = above * np.exp(-np.maximum(scores - self.start, 0.0) / self.scale)
        return np.where(scores > self.start, curve, np.maximum(counted, 1.0 / n))

    def test(self, scores: Values) -> OddRowsTest:
        """Test whether there are more odd rows, or an odder one, than if nothing had changed."""
        n, m = len(self.known), len(scores)
        highest = float(scores.max())
        share = float(self.shares(np.array([highest]))[0])
        n_highest = int((scores == highest).sum())
        tests = [OddRowsTest(1.0 - (1.0 - share) ** m, highest, n_highest, share)]
        for level in _LEVELS:
            if n * level < 5:
                continue
            bound = self.known[-max(1, round(level * n)) - 1]
            old, new = int((self.known > bound).sum()), int((scores > bound).sum())
            p_value = tails(old + new, n, m).or_more(new)
            least = float(np.nextafter(bound, np.inf))
            tests.append(OddRowsTest(p_value, least, new, old / n))
        clearest = min(tests, key=lambda one: one.p_value)
        return replace(clearest, p_value=min(1.0, len(tests) * clearest.p_value))
