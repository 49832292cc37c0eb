"""Find the drivers of a target in a network and its training rows.

In: a `BayesianNetwork`, a target, and the `Background` of a fit. Out: `Drivers`.

A variable is a driver if it is adjacent to the target, or if the rows show an association (G test,
or a test of ranks for numbers and scales; p-value below 0.01 divided by the number of variables).
Its difference is adjusted for its parents in the learned DAG, for as few of them as necessary.
Three kinds of variables are left out of the adjustment. If the target may be one of these parents,
it is left out, so the difference holds if the variable is a cause. Functions of the variable are
left out, because no rows can separate the two. Variables that may be recorded after the target are
left out too.
"""

from collections.abc import Callable, Collection, Hashable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import pairwise
from statistics import NormalDist

import numpy as np

from bnsieve.explain.driver_rows import (
    Arms,
    TargetRows,
)
from bnsieve.explain.drivers import ASSUMPTION, Driver, DriverKind, Drivers
from bnsieve.explain.driving_by_network import ByNetwork
from bnsieve.explain.support import Reliability, reliability_of
from bnsieve.graph import (
    Graph,
    PossibleParents,
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
    rarer_state,
    share_in_words,
    unknown_node,
    unknown_state,
)
from bnsieve.search import known_class
from bnsieve.table import Table, is_past
from bnsieve.text import listed

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
# Missing values that leave out fewer rows of a difference are not told.
_MANY_MISSING = 0.05
# A longer description of the rows with overlap tells nobody anything.
_WHERE_WIDTH = 80

# The least reliable first.
_ORDER: tuple[Reliability, ...] = ("undetermined", "tentative", "knowledge", "time", "confirmed")


@dataclass(frozen=True, eq=False)
class Background:
    """What a fit knows about its variables besides the network.

    Attributes
    ----------
    confirmed : collection of (str, str)
        Directed edges whose direction is confirmed.
    known : collection of (str, str)
        Directed edges whose direction the user's knowledge decided.
    deterministic : collection of frozenset of two str
        Pairs of variables of which one is a function of the other.
    late : mapping from str to str
        Variables from dates that are mostly later than another date, each with the reason.
    n_rows : int
        The number of training rows.
    by_time : collection of (str, str)
        The known directions that follow from the order of time.
    calendar : collection of str
        Hour, weekday or month of each step, which are known in advance.
    """

    confirmed: Collection[tuple[str, str]] = ()
    known: Collection[tuple[str, str]] = ()
    deterministic: Collection[frozenset[str]] = ()
    late: Mapping[str, str] = field(default_factory=dict)
    n_rows: int = 0
    by_time: Collection[tuple[str, str]] = ()
    calendar: Collection[str] = ()


def drivers_of(search: "DriverSearch") -> Drivers:
    """Return the results of a search, in order."""
    found = search.drivers()
    listed_first = sorted(found, key=_order)
    n_rows = 0 if search.rows is None else search.rows.rows.table.n_rows
    return Drivers(
        search.target,
        search.state,
        search.is_numeric,
        tuple(listed_first),
        search.others(found),
        n_rows,
        max(search.background.n_rows, n_rows),
        search.level,
        search.assumption,
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
class DriverSearch:
    """One search for drivers; fields as the arguments of `find_drivers`."""

    network: BayesianNetwork
    target: str
    given_state: Hashable
    level: float
    background: Background

    def __post_init__(self) -> None:
        names = self.network.graph.nodes
        if self.target not in names:
            raise unknown_node(self.target, names)
        states = self._states
        if self.given_state is not None and self.is_numeric:
            raise ValueError(f"{self.target!r} is numeric: leave out the state")
        if self.given_state is not None and self.given_state not in states:
            raise unknown_state(self.target, self.given_state, states)
        if len(states) < 2:
            raise ValueError(f"{self.target!r} is constant, so it has no drivers")

    @property
    def assumption(self) -> str:
        """The assumption of the differences."""
        return ASSUMPTION

    @cached_property
    def _states(self) -> tuple[Hashable, ...]:
        return self.network.parts.binned_states.get(self.target, (None, None))

    @cached_property
    def is_numeric(self) -> bool:
        """Whether the target is numeric."""
        return self.target in self.network.parts.numbers

    @cached_property
    def state(self) -> Hashable:
        """The state of the target: the rarer of two; None if each driver has its own."""
        if self.is_numeric or self.given_state is not None or len(self._states) > 2:
            return self.given_state
        return rarer_state(self.network.parts, self.target)

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
        """The learned DAG, with the target last if the equivalence class allows it."""
        return with_target_last(self.network.graph, self.graph, self.target)

    @cached_property
    def shares(self) -> dict[str, tuple[float, float]]:
        """The share of the target that each variable explains alone, and the p-value."""
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
        return [name for name, (_, p) in self.shares.items() if p < self.alpha or name in near]

    @property
    def alpha(self) -> float:
        """The level of a test of each variable."""
        return _ALPHA / max(self.graph.n_nodes - 1, 1)

    def drivers(self) -> list[Driver]:
        """Return all drivers."""
        return [self.driver(name) for name in self.candidates()]

    def others(self, found: Sequence[Driver]) -> tuple[str, ...]:
        """Return the variables that are not drivers."""
        names = {self.target, *(driver.name for driver in found)}
        return tuple(name for name in self.graph.nodes if name not in names)

    def rows_for(self, name: str) -> TargetRows | None:
        """Return the rows for one variable."""
        return self.rows

    def dag_for(self, name: str) -> Graph:
        """Return the DAG that decides the adjustment of one variable."""
        return self.dag

    def driver(self, name: str) -> Driver:
        """Return one variable as a driver."""
        kind, path, direction = self.tie(name)
        share = self.shares[name][0]
        found = Driver(name, self.target, kind, path, direction, share)
        if self.rows is None and is_past(name, self.graph.nodes):
            # The network has no edges among past values.
            return replace(found, notes=("a past value: its difference needs the rows of a fit",))
        adjustment: tuple[str, ...] | None = None
        left_out: tuple[str, ...] = ()
        if kind != "effect" or found.is_tentative_effect:
            adjustment, left_out = self.adjustment(name, self.dag_for(name))
        if self.rows is None:
            about = self.network, self.target, self.state, self.level, self.dag
            found = ByNetwork(*about).with_difference(found, adjustment)
        else:
            found = self._from_rows(found, adjustment)
        notes = (*found.notes, *_left_out_in_words(left_out, self.late_if_turned, self.target))
        is_earlier = is_past(name, self.graph.nodes) or name in self.background.calendar
        late = [] if is_earlier else _late(found, self.is_numeric, self.background.late)
        return replace(found, notes=notes, late=tuple(late))

    def tie(self, name: str) -> tuple[DriverKind, tuple[str, ...], Reliability | None]:
        """Return the relation of a variable to the target in the graph."""
        if (directed := self.directed_tie(name)) is not None:
            return directed
        above, above_target = (reachable([one], self.dag.parents) for one in (name, self.target))
        causes = above & above_target
        nearest_ones = [c for c in causes if not causes.intersection(self.dag.children(c))]
        if not nearest_ones:
            return "no path", (), None
        return "common cause", tuple(sorted(nearest_ones)), None

    def directed_tie(
        self, name: str
    ) -> tuple[DriverKind, tuple[str, ...], Reliability | None] | None:
        """Return the relation by a possibly directed path between two; None without one."""
        forward = _most_reliable_path(self.graph, name, self.target, self.rank)
        if forward is not None:
            return "possible cause", forward[1:-1], self._reliability(forward)
        backward = _most_reliable_path(self.graph, self.target, name, self.rank)
        if backward is not None:
            return "effect", backward[1:-1], self._reliability(backward)
        return None

    def rank(self, tail: str, head: str) -> int:
        """Return the rank of a reliability, the least reliable first."""
        return self.rank_of_edge(tail, head, head in self.graph.children(tail))

    def rank_of_edge(self, tail: str, head: str, directed: bool) -> int:
        """Return the rank of the reliability of an edge of the learned graph."""
        known = self.background
        given = known.known, known.by_time
        return _ORDER.index(reliability_of(tail, head, directed, known.confirmed, *given))

    def _reliability(self, path: tuple[str, ...]) -> Reliability | None:
        if self.network.learned.equivalence_class is None:
            return None
        return _ORDER[min(self.rank(a, b) for a, b in pairwise(path))]

    def adjustment(self, name: str, dag: Graph) -> tuple[tuple[str, ...], tuple[str, ...]]:
        """Return the adjustment set, and the variables left out: functions, and late variables."""
        found = wide_adjustment_set(dag, name, self.target, self.undecided_edges(name))
        late = self.late_if_turned
        bound = tuple(one for one in found if one in late or self.are_functions(name, one))
        return tuple(other for other in found if other not in bound), bound

    def undecided_edges(self, name: str) -> Sequence[tuple[str, str]]:
        """Return the edges that may have the other direction."""
        return self.network.learned.undecided_edges

    @cached_property
    def late_if_turned(self) -> frozenset[str]:
        """Variables that may be recorded after the target, since nothing rules this out."""
        return _late_if_turned(self.shares, self.target, self.is_numeric, self.background)

    def are_functions(self, name: str, other: str) -> bool:
        """Tell whether one of two variables is a function of the other."""
        return frozenset((name, other)) in self.background.deterministic

    def _from_rows(self, driver: Driver, adjustment: tuple[str, ...] | None) -> Driver:
        rows, dag = self.rows_for(driver.name), self.dag_for(driver.name)
        if rows is None:
            return replace(driver, notes=("no row has such a long past",))
        held = adjustment or ()
        arms = rows.known([driver.name]).arms(driver.name, held)
        if arms is None:
            return replace(
                driver, notes=("it has a single value in the rows in which it is known",)
            )
        needed = adjustment_set(dag, driver.name, (self.target,)) or ()
        if arms.are_groups:
            # What moves the driver alone decides which values of a group occur: a contrast at its
            # values would compare other groups.
            causes = {*dag.parents(driver.name)}.difference(dag.parents(self.target))
            held = tuple(name for name in held if name in needed or name not in causes)
        contrast = rows.known([driver.name, *held]).contrast(arms, held)
        if held and contrast.share < LEAST_OVERLAP:  # nearly a function of its causes
            held = tuple(name for name in needed if name in held)
            contrast = rows.known([driver.name, *held]).contrast(arms, held)
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
        contradicts = found.kind in ("common cause", "no path") and self.is_sure(contrast)
        if contradicts:
            notes.append("the graph implies no effect; the rows contradict it here")
        notes += _missing_in_words(rows.rows.table, (driver.name, self.target, *held))
        bounds = self._bounds(found, arms, held) if found.is_cause else None
        return replace(found, bounds=bounds, contradicts=contradicts, notes=tuple(notes))

    def is_sure(self, contrast: Contrast) -> bool:
        """Tell whether a difference is significant, given the number of variables."""
        assert contrast.estimate is not None
        enough = NormalDist().inv_cdf(1 - self.alpha / 2)
        return abs(contrast.difference) > enough * contrast.estimate.error

    def _bounds(
        self, driver: Driver, arms: Arms, adjustment: tuple[str, ...]
    ) -> tuple[float, float] | None:
        """Return the smallest and the largest difference over the equivalence class."""
        every, cases = self.rows_for(driver.name), self.possible_cases(driver.name)
        if not cases:
            return None
        assert driver.contrast is not None and every is not None
        others, may_be_effect = set(), False
        for case in cases:
            if self.target in case.parents:
                may_be_effect = True
            else:
                others.add(self.adjustment(driver.name, case.dag)[0])
        rows, state = every.known([driver.name]).sampled(_ROWS_OF_BOUNDS), driver.contrast.state

        def standardized(names: tuple[str, ...]) -> float:
            return rows.known(names).standardized(arms, state, names)

        found = [driver.difference, *([0.0] if may_be_effect else [])]
        base = standardized(adjustment)
        moved = [standardized(other) - base for other in sorted(others - {adjustment})]
        found += [driver.difference + change for change in moved if not np.isnan(change)]
        return None if len(found) == 1 else (min(found), max(found))

    def possible_cases(self, name: str) -> list[PossibleParents]:
        """Return the sets of parents that a variable may have; none if its own are certain."""
        learned = self.network.learned
        whole = self.network.graph if learned.equivalence_class is None else learned.class_at(name)
        if not 0 < len(whole.neighbours(name)) <= _MOST_OPEN:
            return []
        knowledge = learned.knowledge or Knowledge()
        constraints = knowledge.resolve(self.network.graph.nodes)
        strict = whole == known_class(self.network.graph, constraints)
        return possible_parents(whole, name, v_structures_known=strict, may_turn=learned.open_edges)


def with_target_last(dag: Graph, whole: Graph, target: str) -> Graph:
    """Return a DAG with the target last, if its equivalence class allows it."""
    edges = set(dag.directed_edges)
    for name in whole.neighbours(target):
        turned = edges - {(target, name)} | {(name, target)}
        try:
            Graph(whole.nodes, sorted(turned))
        except ValueError:  # a cycle
            continue
        edges = turned
    return Graph(whole.nodes, sorted(edges))


def _most_reliable_path(
    graph: Graph, start: str, end: str, rank: Callable[[str, str], int]
) -> tuple[str, ...] | None:
    """Return the shortest of the most reliable paths that may be directed from start to end."""
    if graph.has_edge(start, end):
        return start, end
    for least in range(len(_ORDER) - 1, -1, -1):
        before: dict[str, str] = {start: start}
        waiting = [start]
        for node in waiting:
            for other in sorted((*graph.children(node), *graph.neighbours(node))):
                if other not in before and rank(node, other) >= least:
                    before[other] = node
                    waiting.append(other)
        if end in before:
            path = [end]
            while path[-1] != start:
                path.append(before[path[-1]])
            return tuple(reversed(path))
    return None


def _late_if_turned(
    shares: Mapping[str, tuple[float, float]],
    target: str,
    is_numeric: bool,
    background: Background,
) -> frozenset[str]:
    """Return the variables that nearly determine a target, or are dated later.

    Those that knowledge, time or tests put before the target are not among them.
    """
    sure = {*background.confirmed, *background.known, *background.by_time}
    most = _TOO_MUCH_VARIANCE if is_numeric else _TOO_MUCH
    return frozenset(
        name
        for name, (share, _) in shares.items()
        if (share > most or name in background.late) and (name, target) not in sure
    )


def _missing_in_words(table: Table, names: Sequence[str]) -> list[str]:
    """Say how many rows a difference leaves out, if they are many, and for which variables."""
    missing = {name: table.missing.get(table.names.index(name)) for name in names}
    lacking = {name: own for name, own in missing.items() if own is not None and own.any()}
    n_lost = int(np.any([*lacking.values()], axis=0).sum()) if lacking else 0
    if n_lost <= _MANY_MISSING * table.n_rows:
        return []
    listed_names = listed(name for name in table.names if name in lacking)
    return [
        f"{n_lost:,} of {table.n_rows:,} rows are left out for missing values of {listed_names}"
    ]


def _left_out_in_words(left_out: Collection[str], late: Collection[str], target: str) -> list[str]:
    """Say which variables a difference is not adjusted for, and why."""
    bound = [name for name in left_out if name not in late]
    later = [name for name in left_out if name in late]
    notes = []
    if bound:
        notes.append(
            f"not adjusted for {listed(bound)}: one is a function of the other, so that rows "
            "cannot tell them apart"
        )
    if later:
        notes.append(f"not adjusted for {listed(later)}, which may be recorded after {target}")
    return notes


def _late(driver: Driver, is_numeric: bool, known: Mapping[str, str]) -> list[str]:
    """Say why a driver may have been recorded after its target."""
    reasons = []
    if driver.share > (_TOO_MUCH_VARIANCE if is_numeric else _TOO_MUCH):
        what = "variance" if is_numeric else "uncertainty"
        reasons.append(f"it alone explains {driver.share:.1%} of the {what} of {driver.target}")
    if driver.kind == "effect":
        how = "tentatively an" if driver.is_tentative_effect else "an"
        reasons.append(f"in the graph it is {how} effect of {driver.target}")
    if driver.name in known:
        reasons.append(known[driver.name])
    return reasons
