"""The support of one pair of variables, or a line for every pair.

Nothing is decided here: tests and scores are computed once more, and the two machines of a pair
are trained again to read their rules.
"""

from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass, field, replace
from functools import cache, cached_property, partial

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from bnsieve.decide import IndependenceTest, Score, score_additions
from bnsieve.engine import one_thread_each
from bnsieve.explain.as_numbers import AsNumbers
from bnsieve.explain.effects import EdgeEffect, share_text
from bnsieve.explain.in_units import InUnits, in_units
from bnsieve.explain.machine_rules import MachineRules
from bnsieve.explain.strengths import EdgeStrengths
from bnsieve.explain.support import (
    RELIABILITY,
    EdgeSupport,
    PairTest,
    Rank,
    Reason,
    Reliability,
    ScoreGain,
    reliability_of,
)
from bnsieve.graph import Graph, reachable
from bnsieve.knowledge import Constraints
from bnsieve.network import unknown_node
from bnsieve.sieve import SieveRecord, excess_of, screened
from bnsieve.sieve.machine import Rule
from bnsieve.table import Table, parse_lagged_name

# A hub has so many neighbours that a test given each of them tells a reader nothing.
_MAX_NEIGHBOUR_TESTS = 20
# Drawn with a pair: enough to see where the two stand.
_NODES_AROUND = 12


@dataclass(frozen=True, eq=False)
class Findings:
    """The results of a learner that explanations need.

    Attributes
    ----------
    table : Table
        The data.
    graph, dag : Graph
    test : IndependenceTest
        A CI test of the variables of `table`, given by their positions.
    score : Score
    separating_sets : mapping of frozenset of str to tuple of str
    candidates : mapping of str to tuple of str, or None
    duplicates : mapping of str to str
    sieve : SieveRecord or None
    strengths : EdgeStrengths or None
    constraints : Constraints or None
        The constraints of knowledge on the variables of `table`.
    confirmed : collection of (str, str)
        Directed edges of the graph whose direction the data confirm.
    by_knowledge : collection of (str, str)
        Directed edges of the graph whose direction knowledge decides.
    by_time : collection of (str, str)
        The directions among them that follow from the order of time.
    margins : mapping of (str, str) to float
        For edges of the DAG, how much the score falls if they are reversed.
    deterministic : mapping of frozenset of str to str
        For two variables of which one determines the other, or a category of it: the relation in
        words.
    as_numbers : AsNumbers or None
        The rows as numbers, if some variables are numeric.
    by_rank : bool
        Whether machines used bins of the ranks of numeric variables.
    machine_rows : Table or None
        The rows that machines were trained on, if they are not all rows.
    effects, small : mapping of (str, str) to EdgeEffect
        The effect sizes of edges of the DAG, and of those left out because of their size.
    """

    table: Table
    graph: Graph
    dag: Graph
    test: IndependenceTest
    score: Score
    separating_sets: Mapping[frozenset[str], tuple[str, ...]]
    candidates: Mapping[str, tuple[str, ...]] | None = None
    duplicates: Mapping[str, str] | None = None
    sieve: SieveRecord | None = None
    strengths: EdgeStrengths | None = None
    constraints: Constraints | None = None
    confirmed: Collection[tuple[str, str]] = ()
    by_knowledge: Collection[tuple[str, str]] = ()
    by_time: Collection[tuple[str, str]] = ()
    margins: Mapping[tuple[str, str], float] = field(default_factory=dict)
    deterministic: Mapping[frozenset[str], str] = field(default_factory=dict)
    as_numbers: AsNumbers | None = None
    by_rank: bool = False
    machine_rows: Table | None = None
    effects: Mapping[tuple[str, str], EdgeEffect] = field(default_factory=dict)
    small: Mapping[tuple[str, str], EdgeEffect] = field(default_factory=dict)

    @cached_property
    def position(self) -> dict[str, int]:
        """Each variable's place in the table."""
        return {name: i for i, name in enumerate(self.table.names)}

    def explain(self, x: str, y: str, *, quick: bool = False) -> EdgeSupport:
        """Gather the support of one pair.

        Quick support has no association and no rules, which take a scan of all columns.
        """
        for name in (x, y):
            if name not in self.position:
                raise unknown_node(name, self.table.names)
        if x == y:
            raise ValueError(f"explain takes two variables, got {x!r} twice")
        edge = _shown_edge(self.graph, x, y)
        strength, direction = self.strengths.of(x, y) if self.strengths else (None, None)
        support = EdgeSupport(
            x,
            y,
            edge,
            *self._verdict(x, y, edge),
            strength=strength,
            direction=direction,
            around=self.graph.around(x, y, most=_NODES_AROUND),
        )
        if support.reason == "constant":
            return support
        i, j = self.position[x], self.position[y]
        rank = None if quick else (_rank(self._excess(i), j), _rank(self._excess(j), i))
        return replace(
            support,
            association=rank,
            importance=self._importance(x, y),
            tests=tuple(self._test(x, y, given) for given in self._conditions(x, y, bool(edge))),
            scores=tuple(self._scores(x, y, bool(edge))),
            rules=() if quick else self._rules(x, y),
            reliability=self._reliability(x, y) if edge else None,
            margin=self.margins.get((x, y), self.margins.get((y, x))),
            deterministic=self.deterministic.get(frozenset((x, y)), ""),
            effect=self._effect(x, y),
            in_units=self._in_units(x, y) if edge else None,
        )

    def explain_edges(
        self, edges: Iterable[tuple[str, str]], n_machines: int | None = None
    ) -> list[EdgeSupport]:
        """Explain several edges, with each machine trained once.

        Parameters
        ----------
        edges : iterable of (str, str)
        n_machines : int, optional
            The number of columns whose machines are trained again to read their rules, in the order
            of the edges. An edge without both machines gets no rules, and no association with all
            columns. By default, all are trained.
        """
        trained: set[str] = set()
        explained = []
        with one_thread_each():
            for x, y in edges:
                quick = n_machines is not None and len(trained | {x, y}) > n_machines
                if not quick:
                    trained |= {x, y}
                explained.append(self.explain(x, y, quick=quick))
        return explained

    def frame(self) -> pd.DataFrame:
        """Return a frame with a row for every pair of variables, without expensive columns."""
        names = np.array(self.table.names, dtype=object)
        first, second = np.triu_indices(len(names), 1)
        place = self.position
        marks = np.full((len(names), len(names)), "", dtype=object)
        for tail, head in self.graph.directed_edges:
            marks[place[tail], place[head]], marks[place[head], place[tail]] = "->", "<-"
        for a, b in self.graph.undirected_edges:
            marks[place[a], place[b]] = marks[place[b], place[a]] = "-"
        frame = pd.DataFrame(
            {
                "x": names[first],
                "y": names[second],
                "edge": marks[first, second],
                "association": self._all_excess()[first, second],
            }
        )
        if self.sieve is not None:
            # Duplicate and constant columns have no machine.
            importance = np.full(marks.shape, np.nan)
            own = [place[name] for name in self.sieve.names]
            importance[np.ix_(own, own)] = self.sieve.importance
            frame["importance_of_x"] = importance[second, first]
            frame["importance_of_y"] = importance[first, second]
        if self.candidates is not None:
            chosen = np.zeros(marks.shape, dtype=bool)
            for target, others in self.candidates.items():
                chosen[place[target], [place[name] for name in others]] = True
            frame["candidate"] = (chosen | chosen.T)[first, second]
        separating = np.full(marks.shape, None, dtype=object)
        for pair, given in self.separating_sets.items():
            low, high = sorted(place[name] for name in pair)
            separating[low, high] = given
        frame["separating_set"] = separating[first, second]
        if self.strengths is not None:
            strength, direction = np.zeros(marks.shape), np.full(marks.shape, np.nan)
            ends = np.array([place[name] for name in self.strengths.nodes])[self.strengths.pairs]
            share = self.strengths.direction
            for (a, b), forward in ((ends.T, share), (ends.T[::-1], 1.0 - share)):
                strength[a, b], direction[a, b] = self.strengths.strength, forward
            frame["strength"] = strength[first, second]
            frame["direction"] = direction[first, second]
        return frame

    def edge_gains(self) -> list[ScoreGain]:
        """Return the score gain of each edge of the DAG, the largest first."""
        gains = [score for tail, head in self.dag.edges for score in self._scores(tail, head, True)]
        return sorted(gains, key=lambda score: (-score.gain, score.tail, score.head))

    def rules_of(self, target: str, other: str | None = None) -> tuple[Rule, ...]:
        """Return the rules of a variable's machine, the highest gain first; none without one.

        The rules must contain the variable `other`, if it is given.
        """
        if self._machines is None or target not in self._machines.sieve.names:
            return ()
        rules = [rule for rule in self._machines.of(target) if other in (None, *rule.variables)]
        return tuple(sorted(rules, key=_highest_gain))

    def _verdict(self, x: str, y: str, edge: str) -> tuple[Reason, str]:
        known = self.constraints
        if known is not None:
            pair = min(self.position[x], self.position[y]), max(self.position[x], self.position[y])
            if pair in known.required_pairs:
                return "required", "The given knowledge requires the edge, whatever the data say."
            if not known.adjacency_allowed[pair]:
                if all(parse_lagged_name(name).lag for name in (x, y)):
                    return "forbidden", "Both are in the past, and past values have no parents."
                return "forbidden", "The given knowledge forbids the edge."
        for name in (x, y):
            if self.table.n_categories[self.position[name]] < 2:
                return "constant", f"{name} is constant: nothing can be learned about it."
        duplicates = self.duplicates or {}
        for name, other in ((x, y), (y, x)):
            if name in duplicates:
                original = duplicates[name]
                stood_in = "" if original == other else ", which represents both"
                return "duplicate", f"{name} is a duplicate of {original}{stood_in}."
        if edge:
            directed = self.graph.has_edge(x, y) != self.graph.has_edge(y, x)
            if self._reliability(x, y) == "time":
                return "adjacent", f"They are adjacent; their direction {RELIABILITY['time']}."
            if self._reliability(x, y) == "knowledge":
                return "adjacent", f"They are adjacent; {self._why_this_way(x, y)}."
            restricted = known is not None and known.restricts
            networks = "networks that remain possible" if restricted else "equivalent networks"
            agree = "and all" if directed else "but not all"
            return "adjacent", f"They are adjacent, {agree} {networks} agree on the direction."
        given = self.separating_sets.get(frozenset((x, y)))
        if given is not None:
            words = ", ".join(given) or "nothing"
            return "separated", f"A test found them independent given {words}."
        if (effect := self._effect(x, y)) is not None:
            return "small effect", (
                "An edge was found, and left out because of its size: it explains at most "
                f"{share_text(effect.share_high)}, and min_effect asks for more."
            )
        if self.candidates is None:
            return "not adjacent", "They are not adjacent; no separating set is known."
        if y not in self.candidates.get(x, ()) and x not in self.candidates.get(y, ()):
            n_x, n_y = (len(self.candidates.get(name, ())) for name in (x, y))
            return "not a candidate", (
                f"Neither is a candidate of the other ({x} has {n_x} candidates, {y} has {n_y}): "
                "other variables are associated with them more strongly."
            )
        return "lower score", "They were candidates, but no network with the edge scored higher."

    def _reliability(self, x: str, y: str) -> Reliability:
        tail, head = (x, y) if self.graph.has_edge(x, y) else (y, x)
        directed = not self.graph.has_edge(head, tail)
        given = self.by_knowledge, self.by_time
        return reliability_of(tail, head, directed, self.confirmed, *given)

    def _effect(self, x: str, y: str) -> EdgeEffect | None:
        known = {**self.small, **self.effects}
        return known.get((x, y), known.get((y, x)))

    def _why_this_way(self, x: str, y: str) -> str:
        """Say how knowledge decides the direction of an edge."""
        tail, head = (x, y) if self.graph.has_edge(x, y) else (y, x)
        known = self.constraints
        if known is not None and known.forces(self.position[tail], self.position[head]):
            return "the given knowledge allows no other direction, so none was compared"
        return "the direction follows from other directions that the given knowledge decides"

    def _importance(self, x: str, y: str) -> tuple[Rank, Rank] | None:
        if self.sieve is None or not {x, y} <= set(self.sieve.names):
            return None
        i, j = self.sieve.names.index(x), self.sieve.names.index(y)
        importance = self.sieve.importance
        return _rank(importance[i], j), _rank(importance[j], i)

    def _conditions(self, x: str, y: str, adjacent: bool) -> Iterable[tuple[str, ...]]:
        """Yield the sets given which the pair is worth testing, the empty one first."""
        yield ()
        if adjacent:
            others = sorted({*self.graph.adjacent(x), *self.graph.adjacent(y)} - {x, y})
            yield from ((name,) for name in others[:_MAX_NEIGHBOUR_TESTS])
            child = y if x in self.dag.parents(y) else x
            parents = tuple(name for name in self.dag.parents(child) if name not in (x, y))
            if len(parents) > 1:
                yield parents
            return
        given = self.separating_sets.get(frozenset((x, y)))
        if given is None:
            # In a DAG a variable is independent of what comes before it given its parents.
            order = self.dag.topological_order()
            given = self.dag.parents(max((x, y), key=order.index))
        if given:
            yield given

    def _test(self, x: str, y: str, given: tuple[str, ...]) -> PairTest:
        place = self.position
        test = self.test.test(place[x], place[y], [place[name] for name in given])
        answer = test.answer.value
        return PairTest(given, answer, test.statistic, test.df, test.p_value, test.n, test.method)

    def _scores(self, x: str, y: str, adjacent: bool) -> Iterable[ScoreGain]:
        for tail, head in ((x, y), (y, x)):
            if adjacent and tail not in self.dag.parents(head):
                continue
            if not adjacent and tail in reachable([head], self.dag.children):
                continue
            others = [name for name in self.dag.parents(head) if name != tail]
            yield ScoreGain(tail, head, self._gain(tail, head, others))

    def _gain(self, tail: str, head: str, parents: list[str]) -> float:
        """Return what `tail` adds to the score of `head` with these parents."""
        if self.as_numbers is not None:
            return self.as_numbers.gain(tail, head, parents)
        few = self.table.select([head, tail, *parents])
        codes, radices = few.where_known(0, *few.missing_as_category())
        has_missing = np.isin(np.arange(len(radices)), list(few.missing))
        gains = score_additions(codes, radices, 0, range(2, len(radices)), self.score, has_missing)
        return float(gains[1])

    def _in_units(self, x: str, y: str) -> InUnits | None:
        """Return what the edge between two adjacent variables says in units."""
        if self.as_numbers is None:
            return None
        tail, head = (x, y) if x in self.dag.parents(y) else (y, x)
        others = [name for name in self.dag.parents(head) if name != tail]
        return in_units(self.table, self.as_numbers.numbers, tail, head, others)

    def _rules(self, x: str, y: str) -> tuple[Rule, ...]:
        return tuple(sorted(self.rules_of(x, y) + self.rules_of(y, x), key=_highest_gain))

    @cached_property
    def _machines(self) -> MachineRules | None:
        if self.sieve is None:
            return None
        known = self.constraints or Constraints.none(self.table.n_variables)
        rows = self.table if self.machine_rows is None else self.machine_rows
        return MachineRules(rows, self.sieve, known, self.by_rank)

    def _all_excess(self) -> NDArray[np.floating]:
        """Return the association of all pairs of columns."""
        return screened(self.table)[0] if self.as_numbers is None else self.as_numbers.excess

    @cached_property
    def _excess(self) -> Callable[[int], NDArray[np.floating]]:
        """From a column to its association with all others, which is counted once."""
        if self.as_numbers is not None:
            return self.as_numbers.excess.__getitem__
        return cache(partial(excess_of, self.table))


def _highest_gain(rule: Rule) -> tuple[float, str]:
    return -rule.gain, str(rule)


def _shown_edge(graph: Graph, x: str, y: str) -> str:
    forward, backward = graph.has_edge(x, y), graph.has_edge(y, x)
    if forward and backward:
        return f"{x} - {y}"
    return f"{x} -> {y}" if forward else f"{y} -> {x}" if backward else ""


def _rank(scores: NDArray[np.floating], other: int) -> Rank:
    value = float(scores[other])
    place = int((scores > scores[other]).sum()) + 1 if value > 0 else None
    return Rank(value, place)
