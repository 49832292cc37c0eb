"""Answers to queries: distributions that print themselves.

In: probabilities and the states they belong to. Out: a `Distribution`, or several by name; an
`Explanation`, or several, best first.
"""

import math
from collections.abc import Hashable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from bnsieve.network.discrete.model import Values
from bnsieve.table import state_order
from bnsieve.text import counted

_MOST_LINES = 20


@dataclass(frozen=True, eq=False, repr=False)
class Distribution:
    """The probabilities of the states of one variable, or of several together.

    Attributes
    ----------
    names : tuple of str
        The variables, more than one in a joint distribution.
    states : tuple of tuples
        The states of each variable.
    probabilities : ndarray of float64
        The probabilities, with one axis per variable. They sum to 1.
    given : str
        The evidence, in words; empty if there is none.
    log_evidence : float or None
        The natural logarithm of the probability of the evidence; None if it was not computed.
    errors : ndarray of float64 or None
        The standard error of each probability, if it comes from sampling.
    effective_draws : float or None
        The effective sample size, if the answer comes from sampling.
    low, high : ndarray of float64 or None
        The ends of the interval of each probability, if there are intervals.
    interval : float or None
        The level of the intervals: how often such an interval contains the truth.
    covers : str
        The uncertainty that the intervals cover: "parameters" if the graph is assumed to be true,
        "parameters and graph" for a learned one. Empty without intervals.
    matching_rows : int or None
        The number of rows of the fit that match the evidence (for large files, rows of the sample).
        None if they were not counted.
    frequencies : ndarray of float64 or None
        The share of each state among these rows.
    misfit : str
        If these rows contradict the graph, the contradiction in words; otherwise empty.

    Examples
    --------
    >>> answer = Distribution(("rain",), (("no", "yes"),), np.array([0.8, 0.2]))
    >>> answer["yes"]
    0.2
    >>> answer
    rain
      no   0.8000
      yes  0.2000
    """

    names: tuple[str, ...]
    states: tuple[tuple[Hashable, ...], ...]
    probabilities: Values
    given: str = ""
    log_evidence: float | None = None
    errors: Values | None = None
    effective_draws: float | None = None
    low: Values | None = None
    high: Values | None = None
    interval: float | None = None
    covers: str = ""
    matching_rows: int | None = None
    frequencies: Values | None = None
    misfit: str = ""

    def __getitem__(self, state: Any) -> float:
        """Return the probability of a state, or of a tuple with one state per variable."""
        return float(self.probabilities[self._place(state)])

    def __len__(self) -> int:
        return self.probabilities.size

    @property
    def most_probable(self) -> Any:
        """The most probable state, or tuple of states; the first of equally probable ones."""
        place = np.unravel_index(int(self.probabilities.argmax()), self.probabilities.shape)
        chosen = tuple(own[i] for own, i in zip(self.states, place, strict=True))
        return chosen[0] if len(chosen) == 1 else chosen

    @property
    def entropy(self) -> float:
        """The entropy of the distribution, in bits."""
        positive = self.probabilities[self.probabilities > 0]
        return float(-(positive * np.log2(positive)).sum()) + 0.0

    def to_series(self) -> "pd.Series[float]":
        """Return the probabilities, indexed by the states of all variables."""
        listed = self.probabilities.ravel()[self._listed]
        return pd.Series(listed, index=self._index(), name="probability", dtype=np.float64)

    def to_frame(self) -> pd.DataFrame:
        """Return one row per state: its probability and, if there are, its error and interval."""
        columns = {"probability": self.probabilities.ravel()[self._listed]}
        for name, values in (("error", self.errors), ("low", self.low), ("high", self.high)):
            if values is not None:
                columns[name] = values.ravel()[self._listed]
        return pd.DataFrame(columns, index=self._index())

    @property
    def _orders(self) -> list[tuple[int, ...]]:
        """The states of each variable in the order to list them, such as low, medium, high."""
        return [state_order(own).places for own in self.states]

    @property
    def _listed(self) -> NDArray[np.intp]:
        """The positions of all probabilities in the flattened array, in the order to list them."""
        places = np.arange(self.probabilities.size).reshape(self.probabilities.shape)
        return places[np.ix_(*self._orders)].ravel()

    def _index(self) -> pd.Index:
        orders = zip(self.states, self._orders, strict=True)
        states = [[own[place] for place in order] for own, order in orders]
        if len(self.names) == 1:
            return pd.Index(states[0], name=self.names[0], tupleize_cols=False)
        return pd.MultiIndex.from_product(states, names=self.names)

    def _place(self, state: Any) -> tuple[int, ...]:
        chosen = (state,) if len(self.names) == 1 else tuple(state)
        try:
            return tuple(own.index(one) for own, one in zip(self.states, chosen, strict=True))
        except ValueError:
            raise KeyError(state) from None

    def __repr__(self) -> str:
        head = ", ".join(self.names) + (f" given {self.given}" if self.given else "")
        if self.effective_draws is not None:
            head += f" (sampled, effective size {self.effective_draws:,.0f})"
        index = self._index()[:_MOST_LINES]
        shown = ["  ".join(map(str, line if len(self.names) > 1 else (line,))) for line in index]
        width = max(map(len, shown), default=0)
        lines = [head]
        for i, state in zip(self._listed[:_MOST_LINES].tolist(), shown, strict=True):
            line = f"  {state:<{width}}  {self.probabilities.flat[i]:.4f}"
            if self.errors is not None:
                line += f"  s.e. {self.errors.flat[i]:.4f}"
            if self.low is not None and self.high is not None:
                line += f"  {self.low.flat[i]:.4f} to {self.high.flat[i]:.4f}"
            lines.append(line)
        if len(self) > _MOST_LINES:
            lines.append(f"  ... {len(self) - _MOST_LINES} more")
        if self.misfit:
            lines.append(f"  {self.misfit}")
        return "\n".join(lines)


class Distributions(dict[str, Distribution]):
    """Distributions of several variables, by name, in the order of the query."""

    def to_frame(self) -> pd.DataFrame:
        """Return one row per variable and state."""
        frames = {name: answer.to_frame() for name, answer in self.items()}
        return pd.concat(frames, names=["variable", "state"]) if frames else pd.DataFrame()

    def __repr__(self) -> str:
        shown = [repr(answer) for answer in list(self.values())[:_MOST_LINES]]
        if len(self) > _MOST_LINES:
            shown.append(f"... {counted(len(self) - _MOST_LINES, 'more variable')}")
        return "\n".join(shown)


class Explanation(dict[str, Hashable]):
    """Joint states of some variables: a mapping from each variable to its state.

    Attributes
    ----------
    log_probability : float
        The natural logarithm of their probability, given the evidence.
    log_runner_up : float
        The same for the next best states; ``-inf`` if there are none.
    """

    log_probability: float
    log_runner_up: float

    def __init__(
        self, states: Mapping[str, Hashable], log_probability: float, log_runner_up: float
    ) -> None:
        super().__init__(states)
        self.log_probability, self.log_runner_up = log_probability, log_runner_up

    @property
    def probability(self) -> float:
        """The joint probability of the states, given the evidence."""
        return math.exp(self.log_probability)

    @property
    def runner_up(self) -> float:
        """The joint probability of the next best states."""
        return math.exp(self.log_runner_up)

    def __repr__(self) -> str:
        shown = [f"{name} = {state}" for name, state in list(self.items())[:_MOST_LINES]]
        if len(self) > _MOST_LINES:
            shown.append(f"... {len(self) - _MOST_LINES} more")
        return f"{self.probability:.4g} (next {self.runner_up:.4g}): {', '.join(shown)}"


class Explanations(list[Explanation]):
    """The most probable explanations, best first.

    Attributes
    ----------
    given : str
        The evidence, in words.
    """

    def __init__(self, explanations: Iterable[Explanation], given: str) -> None:
        super().__init__(explanations)
        self.given = given

    def to_frame(self) -> pd.DataFrame:
        """Return one row per explanation: its probability, and the state of each variable."""
        frame = pd.DataFrame([*self], dtype=object)
        probabilities = [explanation.probability for explanation in self]
        return pd.concat([pd.Series(probabilities, name="probability"), frame], axis=1)

    def __repr__(self) -> str:
        head = "most probable" + (f" given {self.given}" if self.given else "")
        return "\n".join([head, *(f"  {explanation!r}" for explanation in self)])
