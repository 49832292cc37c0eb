"""Find the drivers of a target in a network, and in the rows that it was learned from.

In: a `BayesianNetwork`, a target, and the `Background` of a fit. Out: `Drivers`.

A variable is a driver if it is adjacent to the target, or if the rows show an association (G test,
p-value below 0.01 divided by the number of variables). Its difference is adjusted for its parents
in the learned DAG, as few of them as it takes. Where the target may be among these parents, it is
left out: the difference is what holds if the variable is a cause. So are variables that are
functions of each other: no rows tell them apart.
"""

from collections.abc import Collection, Hashable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import pairwise
from statistics import NormalDist

import numpy as np
from numpy.typing import NDArray

from bnsieve.explain.driver_rows import (
    Arms,
    TargetRows,
    frequent_states,
    named_third,
    outer_thirds,
    scale_of,
)
from bnsieve.explain.drivers import Driver, DriverKind, Drivers
from bnsieve.explain.support import Reliability, reliability_of
from bnsieve.graph import (
    Graph,
    adjustment_set,
    possible_parents,
    reachable,
    wide_adjustment_set,
)
from bnsieve.knowledge import Knowledge
from bnsieve.network import (
    LEAST_OVERLAP,
    BayesianNetwork,
    Contrast,
    ContrastRows,
    nearest,
    share_in_words,
)
from bnsieve.search import known_class
from bnsieve.table import is_past
from bnsieve.text import listed

DEFAULT_LEVEL = 0.9
# Of an association, before it is divided by the number of variables.
_ALPHA = 0.01
# Without rows, what a network's variable must explain of the target to be listed.
_LEAST_SHARE = 1e-4
# A variable that alone explains so much is rarely a cause: of a state's uncertainty, and of the
# variance of a number, where causes explain more.
_TOO_MUCH, _TOO_MUCH_VARIANCE = 0.5, 0.9
# With more undirected edges at a variable there is no bound over the equivalence class.
_MOST_OPEN = 6
_ROWS_OF_BOUNDS = 20_000
# Where so many rows have overlap, nothing is said about it.
_NEARLY_EVERY_ROW = 0.995
# A longer description of the rows with overlap tells nobody anything.
_WHERE_WIDTH = 80
# Differences that differ by less are the same.
_SAME = 1e-9

# The least reliable first.
_ORDER: tuple[Reliability, ...] = ("undetermined", "tentative", "knowledge", "time", "confirmed")


@dataclass(frozen=True, eq=False)
class Background:
    """What a fit knows of its variables beside its network.

    Attributes
    ----------
    confirmed : collection of (str, str)
        Directed edges whose direction is confirmed.
    known : collection of (str, str)
        Directed edges whose direction the user's knowledge decided.
    deterministic : collection of frozenset of two str
        Variables of which one is a function of the other.
    late : mapping from str to str
        Variables whose dates are late, and how.
    n_rows : int
        All rows that were learned from.
    by_time : collection of (str, str)
        Those of the known directions that follow from the order of time.
    """

    confirmed: Collection[tuple[str, str]] = ()
    known: Collection[tuple[str, str]] = ()
    deterministic: Collection[frozenset[str]] = ()
    late: Mapping[str, str] = field(default_factory=dict)
    n_rows: int = 0
    by_time: Collection[tuple[str, str]] = ()


def find_drivers(
    network: BayesianNetwork,
    target: str,
    state: Hashable = None,
    *,
    level: float = DEFAULT_LEVEL,
    background: Background | None = None,
) -> Drivers:
    """Find what carries information about a target; see `bnsieve.TsetlinSieve.drivers`."""
    if not 0 < level < 1:
        raise ValueError(f"level must be between 0 and 1, not {level!r}")
    search = _Search(network, target, state, level, background or Background())
    found = [search.driver(name) for name in search.candidates()]
    listed_first = sorted(found, key=_order)
    names = {driver.name for driver in found}
    others = tuple(name for name in network.graph.nodes if name not in names and name != target)
    n_rows = 0 if search.rows is None else search.rows.rows.table.n_rows
    return Drivers(
        target,
        search.state,
        search.is_numeric,
        tuple(listed_first),
        others,
        n_rows,
        max(search.background.n_rows, n_rows),
        level,
    )


def _order(driver: Driver) -> tuple[bool, bool, bool, float, str]:
    """Return what drivers are sorted by; see `bnsieve.explain.drivers`."""
    size = abs(driver.difference)
    if driver.kind == "effect" and not driver.leads:
        return True, False, False, -driver.share, driver.name
    if np.isnan(size):
        return False, True, True, -driver.share, driver.name
    return False, not driver.leads, False, -size, driver.name


@dataclass(frozen=True, eq=False)
class _Search:
    """One search for drivers; fields as the arguments of `find_drivers`."""

    network: BayesianNetwork
    target: str
    given_state: Hashable
    level: float
    background: Background

    def __post_init__(self) -> None:
        names = self.network.graph.nodes
        if self.target not in names:
            hint = nearest(self.target, names)
            raise ValueError(f"there is no variable {self.target!r}{hint}")
        states = self._states
        if self.given_state is not None and self.is_numeric:
            raise ValueError(f"{self.target!r} is numeric: leave out the state")
        if self.given_state is not None and self.given_state not in states:
            hint = nearest(str(self.given_state), states)
            raise ValueError(f"{self.target!r} has no state {self.given_state!r}{hint}")
        if len(states) < 2:
            raise ValueError(f"{self.target!r} is constant: nothing tells what drives it")

    @cached_property
    def _states(self) -> tuple[Hashable, ...]:
        return self.network.parts.binned_states.get(self.target, (None, None))

    @cached_property
    def is_numeric(self) -> bool:
        """Whether the target is numeric."""
        return self.target in self.network.parts.numbers

    @cached_property
    def state(self) -> Hashable:
        """The target's state: of two the rarer one, None for each that a driver moves most."""
        if self.is_numeric or self.given_state is not None or len(self._states) > 2:
            return self.given_state
        shares = self.network.binned.query(self.target).probabilities
        return self._states[0] if shares[0] < shares[1] else self._states[1]

    @cached_property
    def graph(self) -> Graph:
        """The equivalence class, or the DAG of a network that was not learned."""
        found = self.network.learned.equivalence_class
        return self.network.graph if found is None else found

    @cached_property
    def rows(self) -> TargetRows | None:
        """The rows in which the target is known."""
        table = self.network.learned.rows
        if table is None:
            return None
        every = ContrastRows(table, np.ones(table.n_rows, dtype=np.bool_), {})
        numeric = self.network.parts.numbers
        return TargetRows(every, self.target, numeric, self.state, self.level).known([])

    @cached_property
    def dag(self) -> Graph:
        """The learned DAG, but that the target comes last where the class allows it."""
        edges = set(self.network.graph.directed_edges)
        for name in self.graph.neighbours(self.target):
            turned = edges - {(self.target, name)} | {(name, self.target)}
            try:
                Graph(self.graph.nodes, sorted(turned))
            except ValueError:  # a cycle
                continue
            edges = turned
        return Graph(self.graph.nodes, sorted(edges))

    @cached_property
    def shares(self) -> dict[str, tuple[float, float]]:
        """What each variable explains of the target alone, and the p-value of the association."""
        names = [name for name in self.graph.nodes if name != self.target]
        if self.rows is not None:
            return {name: self.rows.known([name]).association(name) for name in names}
        frame = self.network.binned.next_question(self.target).frame
        return {
            name: (float(frame.share[name]), float(frame.share[name] < _LEAST_SHARE))
            for name in names
        }

    def candidates(self) -> list[str]:
        """Return the variables that carry information about the target."""
        near = set(self.graph.adjacent(self.target))
        return [name for name, (_, p) in self.shares.items() if p < self._alpha or name in near]

    @property
    def _alpha(self) -> float:
        """The level of a test of each variable."""
        return _ALPHA / max(self.graph.n_nodes - 1, 1)

    def driver(self, name: str) -> Driver:
        """Return the driver that one variable is."""
        kind, path, direction = self._tie(name)
        share = self.shares[name][0]
        found = Driver(name, self.target, kind, path, direction, share)
        if is_past(name, self.graph.nodes):
            # The graph has no edges among past values, and their own past is not in the table.
            return replace(found, notes=("a past value: no difference is adjusted for its causes",))
        adjustment: tuple[str, ...] | None = None
        determining: tuple[str, ...] = ()
        if kind != "effect" or found.is_tentative_effect:
            adjustment, determining = self._adjustment(name, self.dag)
        if self.rows is None:
            found = self._by_network(found, adjustment)
        else:
            found = self._from_rows(found, adjustment)
        notes = list(found.notes)
        if determining:
            notes.append(
                f"not adjusted for {listed(determining)}: one is a function of the other, so that "
                "rows cannot tell them apart"
            )
        return replace(found, notes=tuple(notes), late=tuple(self._late(found)))

    def _tie(self, name: str) -> tuple[DriverKind, tuple[str, ...], Reliability | None]:
        """Return what the graph says of a variable and the target."""
        forward = self._path(name, self.target)
        if forward is not None:
            return "possible cause", forward[1:-1], self._reliability(forward)
        backward = self._path(self.target, name)
        if backward is not None:
            return "effect", backward[1:-1], self._reliability(backward)
        above, above_target = (reachable([one], self.dag.parents) for one in (name, self.target))
        causes = above & above_target
        nearest_ones = [c for c in causes if not causes.intersection(self.dag.children(c))]
        if not nearest_ones:
            return "no path", (), None
        return "common cause", tuple(sorted(nearest_ones)), None

    def _path(self, start: str, end: str) -> tuple[str, ...] | None:
        """Return the shortest of the most reliable paths that may be directed from start to end."""
        if self.graph.has_edge(start, end):
            return start, end
        for least in range(len(_ORDER) - 1, -1, -1):
            before: dict[str, str] = {start: start}
            waiting = [start]
            for node in waiting:
                for other in sorted((*self.graph.children(node), *self.graph.neighbours(node))):
                    if other not in before and self._rank(node, other) >= least:
                        before[other] = node
                        waiting.append(other)
            if end in before:
                path = [end]
                while path[-1] != start:
                    path.append(before[path[-1]])
                return tuple(reversed(path))
        return None

    def _rank(self, tail: str, head: str) -> int:
        directed = head in self.graph.children(tail)
        known = self.background
        given = known.known, known.by_time
        return _ORDER.index(reliability_of(tail, head, directed, known.confirmed, *given))

    def _reliability(self, path: tuple[str, ...]) -> Reliability | None:
        if self.network.learned.equivalence_class is None:
            return None
        return _ORDER[min(self._rank(a, b) for a, b in pairwise(path))]

    def _adjustment(self, name: str, dag: Graph) -> tuple[tuple[str, ...], tuple[str, ...]]:
        """Return what to adjust for, and which variables that leaves out: functions of it."""
        found = wide_adjustment_set(dag, name, self.target, self.network.learned.undecided_edges)
        bound = tuple(
            other for other in found if frozenset((name, other)) in self.background.deterministic
        )
        return tuple(other for other in found if other not in bound), bound

    def _from_rows(self, driver: Driver, adjustment: tuple[str, ...] | None) -> Driver:
        assert self.rows is not None
        held = adjustment or ()
        arms = self.rows.known([driver.name]).arms(driver.name, held)
        if arms is None:
            return replace(driver, notes=("the rows in which it is known have one value of it",))
        needed = adjustment_set(self.dag, driver.name, (self.target,)) or ()
        if arms.are_groups:
            # What moves the driver alone decides which values of a group occur: a contrast at its
            # values would compare other groups.
            causes = {*self.dag.parents(driver.name)}.difference(self.dag.parents(self.target))
            held = tuple(name for name in held if name in needed or name not in causes)
        contrast = self.rows.known([driver.name, *held]).contrast(arms, held)
        if held and contrast.share < LEAST_OVERLAP:  # nearly a function of its causes
            held = tuple(name for name in needed if name in held)
            contrast = self.rows.known([driver.name, *held]).contrast(arms, held)
        found = replace(driver, contrast=contrast, adjustment=None if adjustment is None else held)
        if contrast.estimate is None:
            where = f" at the same values of {listed(held)}" if held else ""
            note = f"no overlap: the two settings do not occur{where}, so that rows cannot tell"
            return replace(found, notes=(note,))
        notes = []
        if contrast.share < _NEARLY_EVERY_ROW:
            brief = contrast.where and len(contrast.where) <= _WHERE_WIDTH
            which = f": {contrast.where}" if brief else ""
            notes.append(f"about the {share_in_words(contrast.share)} of rows with overlap{which}")
        contradicts = found.kind in ("common cause", "no path") and self._is_sure(contrast)
        if contradicts:
            notes.append("the graph implies no effect; the rows contradict it here")
        bounds = self._bounds(found, arms, held) if found.is_cause else None
        return replace(found, bounds=bounds, contradicts=contradicts, notes=tuple(notes))

    def _is_sure(self, contrast: Contrast) -> bool:
        """Tell whether a difference is none of those that chance makes among all variables."""
        assert contrast.estimate is not None
        enough = NormalDist().inv_cdf(1 - self._alpha / 2)
        return abs(contrast.difference) > enough * contrast.estimate.error

    def _bounds(
        self, driver: Driver, arms: Arms, adjustment: tuple[str, ...]
    ) -> tuple[float, float] | None:
        """Return the smallest and the largest difference over the equivalence class."""
        assert self.rows is not None and driver.contrast is not None
        graph = self._class_at(driver.name)
        if not 0 < len(graph.neighbours(driver.name)) <= _MOST_OPEN:
            return None
        others, may_be_effect = set(), False
        for case in possible_parents(
            graph, driver.name, v_structures_known=self._has_known_v_structures(graph)
        ):
            if self.target in case.parents:
                may_be_effect = True
            else:
                others.add(self._adjustment(driver.name, case.dag)[0])
        rows, state = self.rows.known([driver.name]).sampled(_ROWS_OF_BOUNDS), driver.contrast.state

        def standardized(names: tuple[str, ...]) -> float:
            return rows.known(names).standardized(arms, state, names)

        found = [driver.difference, *([0.0] if may_be_effect else [])]
        base = standardized(adjustment)
        moved = [standardized(other) - base for other in sorted(others - {adjustment})]
        found += [driver.difference + change for change in moved if not np.isnan(change)]
        return None if len(found) == 1 else (min(found), max(found))

    def _class_at(self, name: str) -> Graph:
        learned = self.network.learned
        return self.graph if learned.equivalence_class is None else learned.class_at(name)

    def _has_known_v_structures(self, graph: Graph) -> bool:
        knowledge = self.network.learned.knowledge or Knowledge()
        constraints = knowledge.resolve(self.network.graph.nodes)
        return graph == known_class(self.network.graph, constraints)

    def _by_network(self, driver: Driver, adjustment: tuple[str, ...] | None) -> Driver:
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
        contrast, weights = self._network_pair(driver.name, states, margins, tables[0])
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

    def _network_pair(
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

    def _late(self, driver: Driver) -> list[str]:
        reasons = []
        if driver.share > (_TOO_MUCH_VARIANCE if self.is_numeric else _TOO_MUCH):
            what = "variance" if self.is_numeric else "uncertainty"
            reasons.append(f"it alone explains {driver.share:.1%} of the {what} of {self.target}")
        if driver.kind == "effect":
            how = "tentatively gives" if driver.is_tentative_effect else "gives"
            reasons.append(f"the graph {how} it as an effect of {self.target}")
        if driver.name in self.background.late:
            reasons.append(self.background.late[driver.name])
        return reasons
