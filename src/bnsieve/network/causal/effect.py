"""An `Effect`: what setting one variable does to another, with its words.

In: cases, one for each set of parents that the treatment may have. Out: bounds over all of them,
tables, plain values and text.
"""

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

import numpy as np
import pandas as pd

from bnsieve.graph import Graph
from bnsieve.network.causal.estimates import Contrast
from bnsieve.table import earlier_in_words

ASSUMPTION = (
    "This is what setting the variable would do only if edges mean causes and no unmeasured cause "
    "drives two of the variables."
)
# Effects that differ by less are the same: what is left are errors of rounding.
SAME = 1e-9
# Of more cases, the lowest and the highest are printed.
_CASES_SHOWN = 6


@dataclass(frozen=True, eq=False)
class EffectCase:
    """The effect if the treatment has these parents.

    Attributes
    ----------
    parents : tuple of str
        The parents of the treatment in this case.
    adjustment : tuple of str or None
        The adjustment set: a smallest set of these parents that blocks every back-door path. None
        if no directed path leads from the treatment to the outcome, so that this DAG implies no
        effect.
    table : DataFrame
        The answer of the network (g-formula): one row per state of the treatment, and one column
        per state of the outcome. A row is NaN if its state hardly ever occurs with the adjustment
        values of some rows.
    dag : Graph
        A DAG in which these are the parents.
    adjusted_for : tuple of str
        The variables that the contrasts are adjusted for: all causes of the treatment, and those
        causes of the outcome that the treatment does not affect. If the graph is right, fewer are
        enough. With these, a single missing edge does not bias the estimates (disjunctive cause
        criterion, VanderWeele and Shpitser, 2011).
    contrasts : tuple of Contrast
        Estimates from the rows of a fit.
    without_overlap : tuple of str
        Causes that the contrasts are not adjusted for, because hardly any rows with the same values
        of these have both settings. According to the graph, no adjustment for them is needed.
    low, high : DataFrame or None
        The ends of the interval of each number in `table`, if there are intervals.
    """

    parents: tuple[str, ...]
    adjustment: tuple[str, ...] | None
    table: pd.DataFrame
    dag: Graph
    adjusted_for: tuple[str, ...] = ()
    contrasts: tuple[Contrast, ...] = ()
    without_overlap: tuple[str, ...] = ()
    low: pd.DataFrame | None = None
    high: pd.DataFrame | None = None


@dataclass(frozen=True, eq=False, repr=False)
class Effect:
    """The distribution of a variable if another were set.

    Attributes
    ----------
    treatment, outcome : str
        The variable that is set, and the variable whose distribution is the answer.
    given : mapping from str to state
        Evidence that is observed under the intervention.
    within : mapping from str to state
        The subgroup that the effect is about; empty for all rows.
    cases : tuple of EffectCase
        One case for each possible set of parents of the treatment.
    settled_by : tuple of (str, str)
        Undirected edges whose directions decide between the cases. Empty if there is a single
        answer.
    caution : str
        A caution about assumptions that these rows cannot check; may be empty.
    assumption : str
        The assumption under which this is the effect of an intervention.
    """

    treatment: str
    outcome: str
    given: Mapping[str, Any]
    within: Mapping[str, Hashable]
    cases: tuple[EffectCase, ...]
    settled_by: tuple[tuple[str, str], ...] = ()
    caution: str = ""
    assumption: str = field(default=ASSUMPTION, repr=False)

    @property
    def is_settled(self) -> bool:
        """Whether all cases give the same answer, apart from sampling uncertainty."""
        return not self.settled_by

    @property
    def low(self) -> pd.DataFrame:
        """The lowest probabilities (or lower ends) over all cases, in the form of `table`."""
        return self._bound(np.min, "low")

    @property
    def high(self) -> pd.DataFrame:
        """The highest probabilities (or upper ends) over all cases, in the form of `table`."""
        return self._bound(np.max, "high")

    @property
    def table(self) -> pd.DataFrame:
        """The `EffectCase.table` of all cases, if they agree.

        Raises
        ------
        ValueError
            If the cases differ.
        """
        if not self.is_settled:
            edges = ", ".join(f"{a} - {b}" for a, b in self.settled_by)
            raise ValueError(
                f"the effect of {self.treatment} on {self.outcome} is not settled: read low and "
                f"high, or say in knowledge how these are directed: {edges}."
            )
        return self.cases[0].table

    def _bound(self, choose: Any, end: Literal["low", "high"]) -> pd.DataFrame:
        tables = [
            case.table if getattr(case, end) is None else getattr(case, end) for case in self.cases
        ]
        values = choose([table.to_numpy() for table in tables], axis=0)
        return pd.DataFrame(values, index=tables[0].index, columns=tables[0].columns)

    def to_frame(self) -> pd.DataFrame:
        """Return the contrasts of all cases, one row each; empty without the rows of a fit."""
        return pd.DataFrame(
            [
                {
                    "parents": case.parents,
                    "adjustment": case.adjustment,
                    "adjusted_for": case.adjusted_for,
                    **contrast.to_dict(),
                }
                for case in self.cases
                for contrast in case.contrasts
            ]
        )

    def to_dict(self) -> dict[str, Any]:
        """Return plain values, for JSON."""
        return {
            "treatment": self.treatment,
            "outcome": self.outcome,
            "given": {name: str(value) for name, value in self.given.items()},
            "within": {name: str(value) for name, value in self.within.items()},
            "settled": self.is_settled,
            "settled_by": [list(edge) for edge in self.settled_by],
            "caution": self.caution,
            "assumption": self.assumption,
            "cases": [
                {
                    "parents": list(case.parents),
                    "adjustment": None if case.adjustment is None else list(case.adjustment),
                    "adjusted_for": list(case.adjusted_for),
                    "contrasts": [contrast.to_dict() for contrast in case.contrasts],
                    "probabilities": _plain(case.table),
                    "low": _plain(case.low),
                    "high": _plain(case.high),
                }
                for case in self.cases
            ],
        }

    def __repr__(self) -> str:
        return str(self)

    def __str__(self) -> str:
        title = f"effect of {self._in_words} on {self.outcome}"
        for word, states in (("given", self.given), ("within", self.within)):
            if states:
                shown = ", ".join(f"{name} = {_shown(value)}" for name, value in states.items())
                title += f", {word} {shown}"
        levels = {contrast.level for case in self.cases for contrast in case.contrasts}
        title += "".join(f", {level:.0%} intervals" for level in levels)
        lines = [
            title,
            *(self._estimated() if any(c.contrasts for c in self.cases) else self._by_network()),
        ]
        if not self.is_settled:
            edges = ", ".join(f"{a} - {b}" for a, b in self.settled_by)
            lines.append(f"Settled by the direction of {edges}.")
        return "\n".join([*lines, *filter(None, [self.caution]), self.assumption])

    @property
    def _in_words(self) -> str:
        words = earlier_in_words(self.treatment)
        return words if words == self.treatment else f"{words} ({self.treatment})"

    def _estimated(self) -> list[str]:
        cases = self.cases[:1] if self.is_settled else self._shown_cases()
        lines = []
        if len(self.cases) > len(cases) > 1:
            lines.append(f"  {len(self.cases)} cases are possible; the lowest and the highest:")
        for case in cases:
            if not self.is_settled:
                causes = ", ".join(case.parents) or "nothing"
                lines.append(f"  if {causes} caused {self.treatment}:")
            indent = "  " if self.is_settled else "    "
            lines += [indent + line for line in self._case_in_words(case)]
        return lines

    def _shown_cases(self) -> tuple[EffectCase, ...]:
        """Return all cases, or of many those with the lowest and the highest first contrast."""
        if len(self.cases) <= _CASES_SHOWN:
            return self.cases
        by_size = sorted(
            self.cases, key=lambda case: case.contrasts[0].difference if case.contrasts else 0.0
        )
        return by_size[0], by_size[-1]

    def _case_in_words(self, case: EffectCase) -> list[str]:
        if self.outcome in case.parents:
            return [f"{self.outcome} is then a cause of {self.treatment}: no effect on it"]
        compared = [contrast.compared(self.outcome) for contrast in case.contrasts]
        width = max(map(len, compared), default=0)
        is_only = self.is_settled and len(compared) == 1
        lines = []
        for title, contrast in zip(compared, case.contrasts, strict=True):
            lines.append(f"{title.ljust(width)}  {contrast.in_words()}")
            if is_only:
                lines += [f"  {detail}" for detail in contrast.details()]
        lines += _populations(case.contrasts)
        if case.without_overlap:
            names = ", ".join(case.without_overlap)
            lines.append(
                f"not adjusted for {names}: hardly any rows with the same values have two settings "
                f"of {self.treatment}"
            )
        if case.adjustment is not None:
            needed = required_adjustment(case, self.within)
            more = [name for name in case.adjusted_for if name not in needed]
            text = _adjustment_in_words(needed)
            return [*lines, f"{text}; also adjusted for {', '.join(more)}" if more else text]
        names = f"from {self.treatment} to {self.outcome}"
        lines.append(f"the graph has no directed path {names}, so it implies no effect")
        lines.append(f"estimates are adjusted for {', '.join(case.adjusted_for) or 'nothing'}")
        if any(contrast.contradicts_zero for contrast in case.contrasts):
            lines.append("the data contradict the graph here")
        return lines

    def _by_network(self) -> list[str]:
        low, high = self.low.to_numpy(), self.high.to_numpy()
        cells = [[f"{self.outcome} =", *map(str, self.low.columns)]]
        for state, least, most in zip(self.low.index, low, high, strict=True):
            shown = [
                "unknown" if np.isnan(a) else f"{a:.4f}" if b - a < SAME else f"{a:.4f} to {b:.4f}"
                for a, b in zip(least, most, strict=True)
            ]
            cells.append([f"do({self.treatment} = {state})", *shown])
        widths = [max(len(line[i]) for line in cells) for i in range(len(cells[0]))]
        lines = [
            "  " + "  ".join(cell.ljust(n) for cell, n in zip(line, widths, strict=True)).rstrip()
            for line in cells
        ]
        if self.is_settled:
            # Cases that agree may have different adjustment sets; the largest serves all of them.
            largest = max(
                (case.adjustment for case in self.cases), key=lambda names: len(names or ())
            )
            words = _adjustment_in_words(largest)
            return [*lines, f"{words[0].upper()}{words[1:]}."]  # names keep their capitals
        for case in self.cases:
            causes = ", ".join(case.parents) or "nothing"
            lines.append(
                f"  if {causes} caused {self.treatment}: {'; '.join(_spread(self, case))} "
                f"({_adjustment_in_words(case.adjustment)})"
            )
        return lines


def required_adjustment(case: EffectCase, within: Mapping[str, Hashable]) -> tuple[str, ...]:
    """Return the adjustment set, or the parents where there is none, without a subgroup's."""
    names = case.parents if case.adjustment is None else case.adjustment
    return tuple(name for name in names if name not in within)


def _spread(effect: Effect, case: EffectCase) -> list[str]:
    """Show the first column of a table: one probability for each state that is set."""
    state = case.table.columns[0]
    shown = case.table[state].items()
    return [
        f"P({effect.outcome} = {state}) {value:.4f} under {setting}" for setting, value in shown
    ]


def _plain(table: pd.DataFrame | None) -> dict[str, dict[str, float]] | None:
    if table is None:
        return None
    known = (
        table.rename(index=str, columns=str).astype(object).where(table.notna().to_numpy(), None)
    )
    plain: Any = known.to_dict("index")
    return dict(plain)


def _populations(compared: Sequence[Contrast]) -> list[str]:
    """Say which rows contrasts are about: once if all are about the same."""
    known = [one for one in compared if one.estimate is not None]
    distinct = list(dict.fromkeys(one.population for one in known))
    if len(distinct) <= 1 and len(known) == len(compared):
        return [text for text in distinct if text]
    settings = dict.fromkeys((one.settings, one.population) for one in known)
    return [f"{name}: {text or 'about all rows'}" for name, text in settings]


def _adjustment_in_words(adjustment: tuple[str, ...] | None) -> str:
    if adjustment is None:
        return "no directed path leads there, so the graph implies no effect"
    return f"adjustment set: {', '.join(adjustment) or 'empty'}"


def _shown(value: Any) -> str:
    return "likelihoods" if isinstance(value, Mapping) else str(value)
