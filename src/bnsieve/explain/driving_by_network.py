"""The difference of a driver by the network alone, if the rows of a fit were not kept.

In: a network, a target, a driver. Out: the driver with the network's own difference between two of
its settings, and the bounds of that over the equivalence class.
"""

from collections.abc import Hashable, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from bnsieve.explain.driver_rows import frequent_states, named_third, outer_thirds, scale_of
from bnsieve.explain.drivers import Driver
from bnsieve.graph import Graph
from bnsieve.network import BayesianNetwork, Contrast

# Differences that differ by less are the same.
_SAME = 1e-9


@dataclass(frozen=True, eq=False)
class ByNetwork:
    """Differences by a network.

    Attributes
    ----------
    network : BayesianNetwork
    target : str
    state : state or None
        The state of the target; None for the one that changes most.
    level : float
        Of intervals.
    dag : Graph
        The learned DAG, with the target last if the equivalence class allows it.
    """

    network: BayesianNetwork
    target: str
    state: Hashable
    level: float
    dag: Graph

    def with_difference(self, driver: Driver, adjustment: tuple[str, ...] | None) -> Driver:
        """Return a driver with the network's own difference between two of its states."""
        network = self.network.binned
        states = network.states[driver.name]
        margins = network.query(driver.name).probabilities
        if np.count_nonzero(margins) < 2:
            return replace(driver, notes=("it has one state only",))
        try:
            if adjustment is None:
                answers = [network.query(self.target, {driver.name: one}) for one in states]
                tables = [np.array([answer.probabilities for answer in answers])]
            else:
                tables = self._tables_by_case(network, driver.name)
        except ValueError as error:
            return replace(driver, notes=(str(error),))
        contrast, weights = self._pair(driver.name, states, margins, tables[0])
        code = network.states[self.target].index(contrast.state)
        found = [float(weights @ table[:, code]) for table in tables]
        bounds = None if np.ptp(found) < _SAME else (min(found), max(found))
        return replace(driver, contrast=contrast, adjustment=adjustment, bounds=bounds)

    def _tables_by_case(self, network: BayesianNetwork, name: str) -> list[NDArray[np.float64]]:
        """Return the target's distribution by states of a variable that is set, for each case.

        That of the DAG comes first, or the nearest to it in which the variable may be a cause.
        """
        parents = set(self.dag.parents(name)) - {self.target}
        cases = sorted(
            network.effect(name, self.target).cases,
            key=lambda case: (self.target in case.parents, len(parents ^ set(case.parents))),
        )
        return [case.table.to_numpy() for case in cases]

    def _pair(
        self,
        name: str,
        states: Sequence[Hashable],
        margins: NDArray[np.float64],
        table: NDArray[np.float64],
    ) -> tuple[Contrast, NDArray[np.float64]]:
        """Return the difference between the two settings, and the weights of the states in it."""
        options: list[tuple[Hashable, Hashable, NDArray[np.float64]]] = []
        scale = scale_of(states)
        if scale is not None:
            thirds = outer_thirds(margins, scale)
            weights = np.zeros(len(states))
            for third, sign in zip(thirds, (1.0, -1.0), strict=True):
                weights[third] = sign * margins[third] / margins[third].sum()
            upper = named_third(states, thirds[0], "above")
            lower = named_third(states, thirds[1], "below")
            options.append((upper, lower, weights))
        else:
            first = int(margins.argmax())
            for code in frequent_states(margins, first):
                weights = np.zeros(len(states))
                weights[[code, first]] = 1.0, -1.0
                options.append((states[code], states[first], weights))
        own = self.network.binned.states[self.target]
        codes = range(len(own)) if self.state is None else [own.index(self.state)]
        _, treated_name, control_name, weights, code = max(
            (
                (abs(float(weights @ table[:, code])), treated, control, weights, code)
                for treated, control, weights in options
                for code in codes
            ),
            key=lambda one: one[0],
        )
        difference = float(weights @ table[:, code])
        contrast = Contrast(
            treated_name, control_name, own[code], None, difference, 1.0, "", self.level
        )
        return contrast, weights
