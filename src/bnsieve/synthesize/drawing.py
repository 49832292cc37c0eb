"""Rows of variables, drawn from the network of a fit.

In: the parts of a network, evidence about states, random numbers. Out: codes of categorical
variables and values of numbers. Evidence about variables whose ancestors are all categorical is
used by exact inference. The caller rejects rows that miss other conditions. Quantiles map numbers
back to the values of the table.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtri

from bnsieve.network import MixedModel, NetworkParts, NumberNode, Scale, drawn_given
from bnsieve.synthesize.records import NumberValues
from bnsieve.table import Floats, bin_labels

# Rows that tell the quantiles of a number in the network, and how many of these are kept.
_PILOT_ROWS, _PILOT_QUANTILES = 1 << 16, 4_097
# Values are computed once for scores up to the highest that a random number gives, in such steps.
_MOST_SCORE, _STEP, _MOST_HALVINGS = 8.5, 0.005, 60
# Greater ones have no hyperbolic sine.
_MOST_BENT = 700.0
_HALF_STEP = 2.0**-54


@dataclass(frozen=True, eq=False)
class Drawn:
    """Drawn rows.

    Attributes
    ----------
    codes : dict of str to ndarray of int64
        The codes of all variables; bins for numbers.
    numbers : dict of str to ndarray of float64
        In the units of the table.
    shares : dict of str to ndarray of float64
        The quantile of each number.
    """

    codes: dict[str, NDArray[np.int64]]
    numbers: dict[str, Floats]
    shares: dict[str, Floats]


@dataclass(frozen=True, eq=False)
class RowDrawer:
    """Draws rows of variables.

    Parameters
    ----------
    parts : NetworkParts
    numbers : mapping of str to NumberValues
        The distributions of variables that are numbers or bins of numbers.
    edges : mapping of str to tuple of float
        The bin edges of the network.
    """

    parts: NetworkParts
    numbers: Mapping[str, NumberValues]
    edges: Mapping[str, tuple[float, ...]]
    _sums: dict[str, Floats] = field(default_factory=dict)
    _values: dict[str, tuple[Floats, Floats]] = field(default_factory=dict)

    @cached_property
    def _model(self) -> MixedModel:
        """The network with numbers; in bins where its regressions cannot be estimated."""
        try:
            return self.parts.mixed
        except ValueError:  # saved without rows, or too many configurations of parents
            return self.parts.binned.mixed

    @cached_property
    def _numeric(self) -> set[str]:
        return set(self._model.numbers)

    @cached_property
    def _order(self) -> list[str]:
        return list(self.parts.graph.topological_order())

    @cached_property
    def _categorical_above(self) -> set[str]:
        """Variables that are categorical, as are all their ancestors."""
        found: set[str] = set()
        for name in self._order:
            if name not in self._numeric and found.issuperset(self.parts.parents[name]):
                found.add(name)
        return found

    @cached_property
    def _pilot(self) -> dict[str, Floats]:
        """Quantiles of the numbers in the network."""
        if not self._numeric:
            return {}
        columns = self._columns(_PILOT_ROWS, np.random.default_rng(0), {})
        levels = np.linspace(0, 1, _PILOT_QUANTILES)
        return {name: np.quantile(columns[name], levels) for name in self._numeric}

    def draw(self, n: int, rng: np.random.Generator, evidence: Mapping[str, int]) -> Drawn:
        """Draw rows given the states of some variables.

        Evidence that exact inference cannot use is ignored, so not all rows agree with it.
        """
        given: dict[str, NDArray[np.int64]] = {}
        exact = {name: code for name, code in evidence.items() if name in self._categorical_above}
        if exact:
            above = _ancestors(self.parts, exact)
            names = [name for name in self._order if name in above]
            given = drawn_given(self.parts, names, exact, n, int(rng.integers(1 << 62)))
        columns = self._columns(n, rng, given)
        levels = np.linspace(0, 1, _PILOT_QUANTILES)
        codes, numbers, shares = {}, {}, {}
        for name in self.parts.graph.nodes:
            if name in self._numeric:
                shares[name] = np.interp(columns[name], self._pilot[name], levels)
            else:
                codes[name] = columns[name].astype(np.int64)
                if name not in self.numbers:
                    continue
                low, high = self._ends(name, codes[name])
                shares[name] = low + (high - low) * (rng.random(n) + _HALF_STEP)
            numbers[name] = self.numbers[name].quantile(shares[name])
            codes[name] = self.codes_of(name, numbers[name])
        return Drawn(codes, numbers, shares)

    def codes_of(self, name: str, numbers: Floats) -> NDArray[np.int64]:
        """Return the codes of the bins of numbers; -1 for a bin that is not in the network."""
        bins = np.searchsorted(self.edges[name], numbers, side="right")
        return self._code_of_bin(name)[bins]

    def _code_of_bin(self, name: str) -> NDArray[np.int64]:
        place = {state: i for i, state in enumerate(self.parts.binned_states[name])}
        labels = self._labels(name)
        return np.array([place.get(label, -1) for label in labels], dtype=np.int64)

    def _labels(self, name: str) -> tuple[str, ...]:
        return bin_labels(np.array(self.edges[name], dtype=np.float64))

    def _ends(self, name: str, codes: NDArray[np.int64]) -> tuple[Floats, Floats]:
        """Return the shares of rows below and up to the bin of each row."""
        values, edges = self.numbers[name], np.array(self.edges[name], dtype=np.float64)
        below = np.concatenate([[0.0], values.share_below(edges), [1.0]])
        bins = {int(code): i for i, code in enumerate(self._code_of_bin(name)) if code >= 0}
        n_states = len(self.parts.binned_states[name])
        # A state that is no bin, such as a missing value, has any number.
        low = np.array([below[bins[i]] if i in bins else 0.0 for i in range(n_states)])
        high = np.array([below[bins[i] + 1] if i in bins else 1.0 for i in range(n_states)])
        return low[codes], high[codes]

    def move(
        self, drawn: Drawn, name: str, rows: NDArray[np.bool_], codes: NDArray[np.int64]
    ) -> None:
        """Move the numbers of some rows into their required bins."""
        if name in drawn.numbers:
            low, high = self._ends(name, np.maximum(codes, 0))
            shares = np.where(rows, low + (high - low) * drawn.shares[name], drawn.shares[name])
            drawn.shares[name] = shares
            moved = self.numbers[name].quantile(shares)
            drawn.numbers[name] = np.where(rows, moved, drawn.numbers[name])

    def _columns(
        self, n: int, rng: np.random.Generator, given: Mapping[str, NDArray[np.int64]]
    ) -> dict[str, NDArray[Any]]:
        """Return values and codes of rows, of which some are given, from parents to children."""
        model = self._model
        columns: dict[str, NDArray[Any]] = dict(given)
        for name in self._order:
            if name in given:
                continue
            uniforms = rng.random(n) + _HALF_STEP
            node = model.nodes.get(name)
            if isinstance(node, NumberNode):
                means, deviations = node.moments(columns, n)
                noise = self._turned(f"noise of {name}", node.noise, ndtri(uniforms))
                columns[name] = self._turned(name, node.own, means + deviations * noise)
            elif node is not None:
                columns[name] = model.draw_column(name, columns, uniforms)
            else:
                columns[name] = self._states(name, columns, uniforms)
        return columns

    def _turned(self, what: str, scale: Scale, scores: Floats) -> Floats:
        """Return the values that have some normal scores, read off between scores on a grid."""
        if scale.is_plain:
            return scale.from_scores(scores)
        if what not in self._values:
            self._values[what] = _values_of_scores(scale)
        turned: Floats = np.interp(scores, *self._values[what])
        return turned

    def _states(
        self, name: str, columns: Mapping[str, NDArray[np.int64]], uniforms: Floats
    ) -> NDArray[np.int64]:
        """Return a state for each row, given its parents."""
        table = self._model.tables[name]
        n_states = table.shape[-1]
        if name not in self._sums:
            sums = np.cumsum(table.reshape(-1, n_states), axis=1)
            sums /= sums[:, -1:]
            # One ascending array for all configurations: each begins at its number.
            self._sums[name] = (sums + np.arange(len(sums))[:, np.newaxis]).ravel()
        place = np.zeros(len(uniforms), dtype=np.int64)
        for parent, size in zip(self._model.parents[name], table.shape[:-1], strict=True):
            place = place * size + columns[parent].astype(np.int64)
        found = np.searchsorted(self._sums[name], place + uniforms, side="right")
        codes: NDArray[np.int64] = np.clip(found - place * n_states, 0, n_states - 1)
        return codes


def _values_of_scores(scale: Scale) -> tuple[Floats, Floats]:
    """Return ascending scores, neighbours at most `_STEP` apart, and their values.

    Interpolating between them is much faster than a bisection for every score. The scores of a few
    values are computed first. While two neighbours are too far apart, the value between them is
    added.
    """
    far = _MOST_SCORE * scale.deviations
    low, high = float((scale.means - far).min()), float((scale.means + far).max())
    if scale.bent:
        low, high = max(low, -_MOST_BENT), min(high, _MOST_BENT)
    shifted = np.linspace(low, high, 65)
    values = scale.centre + scale.spread * (np.sinh(shifted) if scale.bent else shifted)
    scores = scale.to_scores(values)
    for _ in range(_MOST_HALVINGS):
        is_used = (scores[1:] > -_MOST_SCORE) & (scores[:-1] < _MOST_SCORE)
        wide = np.flatnonzero(is_used & (np.diff(scores) > _STEP))
        if not len(wide):
            break
        middle = values[wide] + 0.5 * (values[wide + 1] - values[wide])
        scores = np.insert(scores, wide + 1, scale.to_scores(middle))
        values = np.insert(values, wide + 1, middle)
    # Rounding can make the scores of close neighbours decrease.
    return np.maximum.accumulate(scores), values


def _ancestors(parts: NetworkParts, names: Mapping[str, int]) -> set[str]:
    found: set[str] = set()
    waiting = list(names)
    while waiting:
        name = waiting.pop()
        if name not in found:
            found.add(name)
            waiting += parts.parents[name]
    return found
