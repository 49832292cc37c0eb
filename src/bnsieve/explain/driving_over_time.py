"""Find the drivers of a target over time: variables at lags, by the graph repeated over past steps.

In: a network that was learned with `time`, and its rows. Out: `Drivers`, whose names are variables
at lags such as ``valve@t-2``.

A variable is a driver if a path that may be directed leads from it to the target, from the same
step or any earlier one. It is listed at the lags of its own edges into the target, and at the
shortest lag at which it acts. A variable without such a path is listed in two cases: it is an
effect of the target within the step, or the rows contradict the graph. They do if the two are still
associated after both are adjusted for their causes and their own past, by standard errors that
allow for the dependence of successive rows. Two independent series that change slowly are therefore
not listed.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from bnsieve.explain.driver_rows import TargetRows
from bnsieve.explain.drivers import Driver, DriverKind
from bnsieve.explain.driving import DriverSearch, with_target_last
from bnsieve.explain.support import Reliability
from bnsieve.graph import Graph, PossibleParents, RepeatedGraph
from bnsieve.network import Contrast, ContrastRows, changing_variables, slope
from bnsieve.table import Table, lagged_name, with_longer_past

ASSUMPTION = (
    "Adjustment sets come from the graph. A difference is what a change would do only if edges "
    "mean causes, no unmeasured cause drives two of the variables, and the same edges hold at "
    "every step."
)
Tie = tuple[DriverKind, tuple[str, ...], Reliability | None]


def is_over_time(rows: Table | None) -> bool:
    """Tell whether rows have a past, so that the graph can be repeated over steps."""
    return rows is not None and rows.steps is not None and bool(rows.copies)


@dataclass(frozen=True, eq=False)
class SearchOverTime(DriverSearch):
    """A search for drivers at lags."""

    @property
    def assumption(self) -> str:
        """The assumption of the differences."""
        return ASSUMPTION

    @cached_property
    def _learned(self) -> RepeatedGraph:
        """The equivalence class, repeated."""
        assert self.network.learned.rows is not None
        whole = self.network.learned.equivalence_class or self.network.graph
        return RepeatedGraph(whole, changing_variables(self.network.learned.rows))

    @cached_property
    def _acting(self) -> tuple[str, ...]:
        """The variables at lags that may act on the target."""
        changing = self._learned.changing
        return tuple(
            lagged_name(variable, lag) if variable in changing else variable
            for variable, lags in self._learned.acting(self.target).items()
            for lag in (lags if variable in changing else lags[:1])
        )

    @cached_property
    def graph(self) -> Graph:
        """The equivalence class over all steps at which a variable acts."""
        lags = self._learned.acting(self.target).values()
        return self._learned.unrolled(max((max(own) for own in lags), default=0))

    @cached_property
    def _last_dag(self) -> Graph:
        """The learned DAG, but that the target comes last where the class allows it."""
        return with_target_last(self.network.graph, self._learned.graph, self.target)

    def dag_for(self, name: str) -> Graph:
        """Return the repeated DAG that decides the adjustment of one variable."""
        return self._repeated(self._last_dag, name)

    def _repeated(self, dag: Graph, name: str) -> Graph:
        lag = self._learned.place(name).lag
        return RepeatedGraph(dag, self._learned.changing).dag(lag, name, self.target)

    def rows_for(self, name: str) -> TargetRows | None:
        """Return the rows with a long enough past for the causes of one variable."""
        assert self.rows is not None
        dag, lag = self.dag_for(name), self._learned.place(name).lag
        near = (*dag.adjacent(name), *dag.adjacent(self.target), *self._neighbours(name))
        names = tuple(dict.fromkeys((name, self.target, *near)))
        return _with_past(self.rows, names, lag, lag + self._learned.lags)

    def _neighbours(self, name: str) -> list[str]:
        variable, lag = self._learned.place(name)
        learned = self.network.learned
        known = learned.equivalence_class is None
        graph = self._learned.graph if known else learned.class_at(variable)
        return [self._learned.before(one, lag) for one in graph.neighbours(variable)]

    def possible_cases(self, name: str) -> list[PossibleParents]:
        """Return the sets of parents that a variable may have, the same at every step."""
        variable, lag = self._learned.place(name)
        return [
            PossibleParents(
                tuple(self._learned.before(one, lag) for one in case.parents),
                self._repeated(case.dag, name),
            )
            for case in super().possible_cases(variable)
        ]

    def undecided_edges(self, name: str) -> list[tuple[str, str]]:
        """Return the edges that may have the other direction, at each step."""
        before = self._learned.before
        return [
            (before(a, step), before(b, step))
            for a, b in super().undecided_edges(name)
            for step in range(self._learned.place(name).lag + 1)
        ]

    def are_functions(self, name: str, other: str) -> bool:
        """Tell whether one of two variables is a function of the other."""
        later = min(self._learned.place(one).lag for one in (name, other))
        return super().are_functions(*(self._learned.before(one, -later) for one in (name, other)))

    def rank(self, tail: str, head: str) -> int:
        """Return the rank of an edge's reliability: that of the learned edge that it repeats."""
        later = self._learned.place(head).lag
        directed = head in self.graph.children(tail)
        tail, head = (self._learned.before(one, -later) for one in (tail, head))
        return self.rank_of_edge(tail, head, directed)

    def tie(self, name: str) -> Tie:
        """Return the relation of a variable to the target in the repeated graph."""
        if (directed := self.directed_tie(name)) is not None:
            return directed
        causes = self._learned.causes_in_common(self._learned.place(name).variable, self.target)
        return ("common cause", causes, None) if causes else ("no path", (), None)

    @cached_property
    def shares(self) -> dict[str, tuple[float, float]]:
        """The share of the target that each variable at a lag explains alone, and the p-value."""
        found = {}
        for name in (*self._acting, *self._others):
            rows = self.rows_for(name)
            found[name] = (0.0, 1.0) if rows is None else rows.known([name]).association(name)
        return found

    @cached_property
    def _others(self) -> tuple[str, ...]:
        """The variables at lags that do not act on the target, but may differ with it."""
        acting = {self._learned.place(name).variable for name in self._acting} | {self.target}
        names = self._learned.graph.nodes
        return tuple(name for name in names if self._learned.place(name).variable not in acting)

    @property
    def alpha(self) -> float:
        """The level of a test of each variable at each lag."""
        return super().alpha * self.graph.n_nodes / max(len(self.shares), 1)

    def drivers(self) -> list[Driver]:
        """Return variables that act, effects in the same step, and contradictions of the graph."""
        found = [self.driver(name) for name in self._acting]
        for name in self._others:
            is_effect = self.tie(name)[0] == "effect"
            if is_effect or self.shares[name][1] < self.alpha:
                driver = self.driver(name)
                beside = _beside_their_past(self.rows_for(name), driver)
                if is_effect or (driver.contradicts and beside and self.is_sure(beside)):
                    found.append(driver)
        return found

    def others(self, found: Sequence[Driver]) -> tuple[str, ...]:
        """Return the variables that are not drivers at any lag."""
        met = {self.target, *(self._learned.place(driver.name).variable for driver in found)}
        places = map(self._learned.place, self._learned.graph.nodes)
        return tuple(dict.fromkeys(one.variable for one in places if one.variable not in met))


def _with_past(rows: TargetRows, names: Sequence[str], lag: int, lags: int) -> TargetRows | None:
    """Return the rows with so many steps before them; None if there is none."""
    table = with_longer_past(rows.rows.table, names, lags)
    if table is None:
        return None
    every = ContrastRows(table, np.ones(table.n_rows, dtype=np.bool_), {}, lag)
    # Numbers are adjusted for even where the network has bins: a past in bins leaves much over.
    is_numeric = rows.target in rows.numeric
    numeric = [one for one in every.numeric if one != rows.target or is_numeric]
    return replace(rows, rows=every, numeric=numeric).known([])


def _beside_their_past(rows: TargetRows | None, driver: Driver) -> Contrast | None:
    """Return what a number's past leaves over, against the target; of others the contrast.

    Of a slow series few rows have both settings at the same past: a slope takes all rows.
    """
    if rows is None or driver.contrast is None or driver.name not in rows.numeric:
        return driver.contrast
    held = driver.adjustment or ()
    rows = rows.known([driver.name, *held])
    outcome = next(own for state, own in rows.outcomes() if state == driver.contrast.state)
    values = rows.rows.adjustment(held, rows.numeric)
    found = slope(values, rows.rows.numbers(driver.name), outcome)
    return driver.contrast if found is None else replace(driver.contrast, estimate=found)
