"""Which variable to look at next, to know most about another.

In: a network, a target and what is known so far. Out: for every other variable, by how much looking
at it would reduce the target's uncertainty on average. That is their mutual information given what
is known, so one propagation for each state of the target serves all variables.
"""

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from bnsieve.graph import Graph
from bnsieve.network.discrete.evidence import Given, position_of
from bnsieve.network.discrete.model import Model
from bnsieve.network.queries import all_margins, distribution, open_names

_MOST_LINES = 10
# Bits that are not worth a line.
_LEAST_SHOWN = 5e-5


@dataclass(frozen=True, eq=False, repr=False)
class NextQuestion:
    """How informative each unobserved variable is about a target.

    Attributes
    ----------
    target : str
        The target.
    given : mapping from str to state
        The evidence so far.
    entropy : float
        The entropy of the target, given the evidence, in bits.
    frame : DataFrame
        One row per variable, the most informative first: `bits`, the mean reduction of the entropy
        by observing the variable; `share`, the same as a share of the entropy; `blanket`, whether
        the variable is in the target's Markov blanket.
    """

    target: str
    given: Mapping[str, Any]
    entropy: float
    frame: pd.DataFrame

    @property
    def best(self) -> str | None:
        """The most informative variable; None if no variable is informative about the target."""
        return str(self.frame.index[0]) if len(self.frame) and self.frame.bits.iloc[0] > 0 else None

    def __repr__(self) -> str:
        now = f"uncertainty of {self.target}: {self.entropy:.4f} bits"
        telling = self.frame[self.frame.bits >= _LEAST_SHOWN]
        if telling.empty:
            return f"{now}; no other variable is informative about it."
        lines = [f"{now}; mean reduction by observing"]
        width = max(len(name) for name in telling.index[:_MOST_LINES])
        for name, bits, share in telling[["bits", "share"]].head(_MOST_LINES).itertuples():
            lines.append(f"  {name:<{width}}  {bits:.4f} ({share:.0%})")
        if len(telling) > _MOST_LINES:
            lines.append(f"  ... and {len(telling) - _MOST_LINES:,} variables with less")
        return "\n".join(lines)


def rank_questions(
    model: Model, graph: Graph, target: str, given: Given, among: Collection[str] | None = None
) -> NextQuestion:
    """Rank variables by how informative they are about a target.

    Parameters
    ----------
    model : Model
    graph : Graph
        The network's DAG.
    target : str
    given : mapping from str to state or likelihoods
    among : collection of str, optional
        The variables that can be observed; all that are not in the evidence if not given.
    """
    for name in among or ():
        position_of(model, name)
    now = distribution(model, target, given)
    before = all_margins(model, given)
    names = [
        name
        for name in open_names(model.names, given)
        if name != target and (among is None or name in among)
    ]
    bits = np.zeros(len(names))
    for state, probability in zip(now.states[0], now.probabilities, strict=True):
        if probability > 0:
            after = all_margins(model, {**given, target: state})
            bits += probability * np.array(
                [
                    _divergence(after[name].probabilities, before[name].probabilities)
                    for name in names
                ]
            )
    # What is left of independence after rounding says nothing.
    bits = np.where(bits < 1e-12, 0.0, bits)
    blanket = set(graph.markov_blanket(target))
    frame = pd.DataFrame(
        {
            "bits": bits,
            "share": bits / now.entropy if now.entropy > 0 else np.zeros(len(names)),
            "blanket": [name in blanket for name in names],
        },
        index=pd.Index(names, name="variable", dtype=object),
    )
    best_first = frame.sort_values("bits", ascending=False, kind="stable")
    return NextQuestion(target, dict(given), now.entropy, best_first)


def _divergence(p: NDArray[np.float64], q: NDArray[np.float64]) -> float:
    """Return the Kullback-Leibler divergence of two distributions, in bits."""
    some = p > 0
    return float((p[some] * np.log2(p[some] / q[some])).sum())
