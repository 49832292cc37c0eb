"""The effect of setting one column on another, for every DAG that is left open.

In: a network, and the graph that says which arrows are certain. Out: an `Effect`: the distribution
of the outcome under each label of the treatment, for each set of parents that the treatment may
have (IDA: Maathuis, Kalisch and Bühlmann, 2009), and which edges would settle the matter.
"""

from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import combinations
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from bnsieve.graph import Graph, PossibleParents, adjustment_set, possible_parents
from bnsieve.network.answers.interventions import intervened, reweighted
from bnsieve.network.questions import Questions

ASSUMPTION = (
    "This is what setting the column would do only if the arrows mean causes and no unmeasured "
    "cause drives two of the columns."
)
# Effects that differ by less are the same: what is left are errors of rounding.
_SAME = 1e-9


@dataclass(frozen=True, eq=False)
class EffectCase:
    """The effect if the treatment has these parents.

    Attributes
    ----------
    parents : tuple of str
        Of the treatment.
    adjustment : tuple of str or None
        What must be held fixed to see the effect in data: as few of the parents as block every
        back door. None if there is no effect, because no arrows lead from treatment to outcome.
    table : DataFrame
        One line per label that the treatment is set to, one column per label of the outcome.
    dag : Graph
        A DAG in which these are the parents.
    low, high : DataFrame or None
        Ends of an interval for each number of `table`, if one was asked for.
    """

    parents: tuple[str, ...]
    adjustment: tuple[str, ...] | None
    table: pd.DataFrame
    dag: Graph
    low: pd.DataFrame | None = None
    high: pd.DataFrame | None = None


@dataclass(frozen=True, eq=False, repr=False)
class Effect:
    """The distribution of a column if another were set.

    Attributes
    ----------
    of, on : str
        The column that is set, and the one that is looked at.
    given : mapping from str to label
        What is seen beside, under the intervention.
    cases : tuple of EffectCase
        One for each set of parents of `of` that data and knowledge leave open.
    settled_by : tuple of (str, str)
        Undirected edges whose directions, once known, would leave one answer. Empty if there is
        only one.
    assumption : str
    """

    of: str
    on: str
    given: Mapping[str, Any]
    cases: tuple[EffectCase, ...]
    settled_by: tuple[tuple[str, str], ...] = ()
    assumption: str = field(default=ASSUMPTION, repr=False)

    @property
    def is_settled(self) -> bool:
        """Whether all cases give the same answer, but for what the rows leave uncertain."""
        tables = np.array([case.table.to_numpy() for case in self.cases])
        return bool((np.ptp(tables, axis=0) < _SAME).all())

    @property
    def low(self) -> pd.DataFrame:
        """The smallest probability over all cases, or lower end, as `EffectCase.table`."""
        return self._bound(np.min, [case.low for case in self.cases])

    @property
    def high(self) -> pd.DataFrame:
        """The largest probability over all cases, or upper end, as `EffectCase.table`."""
        return self._bound(np.max, [case.high for case in self.cases])

    @property
    def table(self) -> pd.DataFrame:
        """The one answer, as `EffectCase.table`.

        Raises
        ------
        ValueError
            If the cases differ.
        """
        if not self.is_settled:
            edges = ", ".join(f"{a} - {b}" for a, b in self.settled_by)
            raise ValueError(
                f"the effect of {self.of} on {self.on} is not settled: read low and high, or say "
                f"in knowledge how these are directed: {edges}."
            )
        return self.cases[0].table

    def _bound(self, choose: Any, ends: Sequence[pd.DataFrame | None]) -> pd.DataFrame:
        first = self.cases[0].table
        tables = [
            case.table if end is None else end for case, end in zip(self.cases, ends, strict=True)
        ]
        values = choose([table.to_numpy() for table in tables], axis=0)
        return pd.DataFrame(values, index=first.index, columns=first.columns)

    def to_dict(self) -> dict[str, Any]:
        """Return plain values, for JSON."""
        return {
            "of": self.of,
            "on": self.on,
            "given": {name: str(value) for name, value in self.given.items()},
            "settled": self.is_settled,
            "settled_by": [list(edge) for edge in self.settled_by],
            "assumption": self.assumption,
            "cases": [
                {
                    "parents": list(case.parents),
                    "adjustment": None if case.adjustment is None else list(case.adjustment),
                    "probabilities": _plain(case.table),
                    "low": None if case.low is None else _plain(case.low),
                    "high": None if case.high is None else _plain(case.high),
                }
                for case in self.cases
            ],
        }

    def __repr__(self) -> str:
        return str(self)

    def __str__(self) -> str:
        seen = ", ".join(f"{name} = {_shown(value)}" for name, value in self.given.items())
        lines = [f"effect of {self.of} on {self.on}" + (f", given {seen}" if seen else "")]
        low, high = self.low.to_numpy(), self.high.to_numpy()
        cells = [[f"{self.on} =", *map(str, self.low.columns)]]
        for label, least, most in zip(self.low.index, low, high, strict=True):
            shown = [
                f"{a:.4f}" if b - a < _SAME else f"{a:.4f} to {b:.4f}"
                for a, b in zip(least, most, strict=True)
            ]
            cells.append([f"do({self.of} = {label})", *shown])
        widths = [max(len(line[i]) for line in cells) for i in range(len(cells[0]))]
        lines += [
            "  " + "  ".join(cell.ljust(n) for cell, n in zip(line, widths, strict=True)).rstrip()
            for line in cells
        ]
        if self.is_settled:
            # Cases that agree may hold different columns fixed; the most serve all of them.
            fixed = max((case.adjustment for case in self.cases), key=lambda one: len(one or ()))
            seen = _seen(fixed)
            lines.append(f"{seen[0].upper()}{seen[1:]}.")  # names keep their capitals
        else:
            for case in self.cases:
                causes = ", ".join(case.parents) or "nothing"
                lines.append(
                    f"  if {causes} caused {self.of}: {'; '.join(_spread(self, case))} "
                    f"({_seen(case.adjustment)})"
                )
            edges = ", ".join(f"{a} - {b}" for a, b in self.settled_by)
            lines.append(f"Settled by the direction of {edges}.")
        return "\n".join([*lines, self.assumption])


def effect_on(
    network: Questions,
    of: str,
    on: str,
    given: Mapping[str, Any],
    labels: Sequence[Hashable],
    graph: Graph,
    *,
    v_structures_known: bool = True,
) -> Effect:
    """Work out an effect for every set of parents that the treatment may have.

    Parameters
    ----------
    network : BayesianNetwork
        Its joint distribution is used, and its arrows only where they are those of a case: equal
        parents give the truncated factorisation, others the adjustment for them.
    of, on : str
        Known columns, different, neither of them given.
    given : mapping from str to label or likelihoods
    labels : sequence
        What the treatment is set to, one after the other.
    graph : Graph
        Over the same nodes; the DAGs that it stands for are the cases.
    v_structures_known : bool
        As in `bnsieve.graph.possible_parents`.
    """
    outcomes = (on, *given)
    found = possible_parents(graph, of, v_structures_known=v_structures_known)
    cases = tuple(
        EffectCase(
            case.parents,
            adjustment_set(case.dag, of, outcomes),
            pd.DataFrame(
                _distributions(network, of, on, given, labels, case),
                index=pd.Index(list(labels), name=of, tupleize_cols=False),
                columns=pd.Index(list(network.levels[on]), name=on, tupleize_cols=False),
            ),
            case.dag,
        )
        for case in found
    )
    return Effect(of, on, dict(given), cases, _settling(of, graph, cases))


def _distributions(
    network: Questions,
    of: str,
    on: str,
    given: Mapping[str, Any],
    labels: Iterable[Hashable],
    case: PossibleParents,
) -> NDArray[np.float64]:
    """Return the outcome's distribution under each label, shape (n_labels, n_levels)."""
    if set(case.parents) == set(network._parents[of]):
        answers = [intervened(network, {of: label}).query(on, given) for label in labels]
    else:
        widened, counts = reweighted(network, of, case.parents)
        answers = [widened.query(on, {**given, of: label, **counts}) for label in labels]
    return np.array([answer.probabilities for answer in answers])


def _settling(of: str, graph: Graph, cases: Sequence[EffectCase]) -> tuple[tuple[str, str], ...]:
    """Return as few undirected edges as it takes: their directions decide which answer holds."""
    lines = graph.neighbours(of)
    tables = [case.table.to_numpy() for case in cases]
    for size in range(len(lines) + 1):
        for chosen in combinations(lines, size):
            groups: dict[frozenset[str], NDArray[np.float64]] = {}
            for case, table in zip(cases, tables, strict=True):
                first = groups.setdefault(frozenset(case.parents) & set(chosen), table)
                if np.abs(first - table).max(initial=0.0) >= _SAME:
                    break
            else:
                return tuple((of, name) for name in chosen)
    return tuple((of, name) for name in lines)


def _spread(effect: Effect, case: EffectCase) -> list[str]:
    """Show the first column of a table: one probability for each label that is set."""
    label = case.table.columns[0]
    shown = case.table[label].items()
    return [f"P({effect.on} = {label}) {value:.4f} under {one}" for one, value in shown]


def _plain(table: pd.DataFrame) -> dict[str, dict[str, float]]:
    return {
        str(label): {str(name): float(value) for name, value in line.items()}
        for label, line in table.iterrows()
    }


def _seen(adjustment: tuple[str, ...] | None) -> str:
    if adjustment is None:
        return "no arrows lead there: no effect"
    return f"seen in data with {', '.join(adjustment) or 'nothing'} held fixed"


def _shown(value: Any) -> str:
    return "likelihoods" if isinstance(value, Mapping) else str(value)
