"""Edges and their support: why two variables are adjacent or not, and how reliable a direction is.

In: the findings of `bnsieve.explain.findings` about one pair, or a fitted learner. Out: an
`EdgeSupport`, to print or to use as data; the edges of a graph, the most reliable first.
"""

import math
from collections import Counter
from collections.abc import Collection, Iterable, Mapping
from dataclasses import asdict, dataclass, field, replace
from types import MappingProxyType
from typing import Any, Literal

from bnsieve.explain.effects import EdgeEffect
from bnsieve.explain.in_units import InUnits
from bnsieve.explain.sizes import EdgeSize
from bnsieve.explain.strengths import EdgeStrengths
from bnsieve.graph import Graph
from bnsieve.sieve.machine import Rule

# Many edges of a smaller strength, or of a smaller score gain in nats, are false.
WEAK_STRENGTH = 0.8
WEAK_GAIN = 5.0
# A pair that is not adjacent in the graph but in so many replicates is worth mentioning.
_NEAR_MISS = 0.3
# As many rules as a reader takes in at a glance; all are in the value.
_SHOWN_RULES = 3

Reliability = Literal["confirmed", "tentative", "undetermined", "knowledge", "time"]
# How reliable a direction is: the one place that says what the words mean.
RELIABILITY: dict[Reliability, str] = {
    "confirmed": "score and tests agree",
    "tentative": "score only",
    "undetermined": "both directions fit equally well",
    "knowledge": "given by your knowledge, not by the data",
    "time": "follows from the order of time; within a step, from the data given that order",
}
# Directions that were given, and are no results.
GIVEN: tuple[Reliability, ...] = ("knowledge", "time")

Reason = Literal[
    "adjacent",
    "required",
    "forbidden",
    "duplicate",
    "constant",
    "separated",
    "not a candidate",
    "small effect",
    "lower score",
    "not adjacent",
]


@dataclass(frozen=True)
class ScoreGain:
    """The contribution of one directed edge to the network's score, all else equal.

    Attributes
    ----------
    tail, head : str
        The ends of the edge.
    gain : float
        The score of the parents of `head` with `tail`, minus their score without it.
    """

    tail: str
    head: str
    gain: float


@dataclass(frozen=True)
class Edge:
    """An edge and how reliable it is.

    Attributes
    ----------
    tail, head : str
    directed : bool
    score_gain : float or None
        The loss of score without the edge, in nats. None if the edge is not in the graph. For files
        larger than memory, it is computed from the sample.
    strength, direction : float or None
        The share of replicates that have it, and the share of these in which it points to `head`;
        None if there were no replicates, or none that has it.
    margin : float or None
        The loss of score without the edge if other parents may take its place. None if the learner
        does not compute it.
    reliability : {"confirmed", "tentative", "undetermined", "knowledge", "time"}
        Of its direction: score and tests agree; score only; both directions fit equally well;
        knowledge decides it, and not the data; the order of time does.
    deterministic : str
        How one end determines the other, or a category of it; empty if it does not.
    size : EdgeSize or None
        The sign and size of the dependence between its ends. None if unknown.
    required : bool
        Whether your knowledge requires the edge. Its presence is then no result, and its strength
        means nothing.
    effect : EdgeEffect or None
        Its effect size, which does not grow with the number of rows. None if the learner has none.
    """

    tail: str
    head: str
    directed: bool
    score_gain: float | None
    strength: float | None = None
    direction: float | None = None
    margin: float | None = None
    reliability: Reliability = "undetermined"
    deterministic: str = ""
    size: EdgeSize | None = None
    required: bool = False
    effect: EdgeEffect | None = None

    def __str__(self) -> str:
        return f"{self.tail} {'->' if self.directed else '-'} {self.head}"

    @property
    def net_gain(self) -> float:
        """The loss of score without the edge, in nats, if known."""
        if self.margin is not None and math.isfinite(self.margin):
            return self.margin
        return self.score_gain or 0.0

    @property
    def is_weak(self) -> bool:
        """Whether few replicates have the edge or, without any, its score gain is small.

        Every replicate has an edge that knowledge requires, so only the score gain counts there.
        The gain of a deterministic edge means nothing, because which of its variables are adjacent
        is arbitrary, so it never counts as weak.
        """
        if self.deterministic:
            return False
        if self.strength is not None and not self.required:
            return self.strength < WEAK_STRENGTH
        return self.net_gain < WEAK_GAIN


def rank_edges(
    learner: Any,
    graph: Graph,
    gains: Iterable[ScoreGain],
    deterministic: Mapping[frozenset[str], str],
    sizes: Mapping[frozenset[str], EdgeSize] = MappingProxyType({}),
) -> tuple[Edge, ...]:
    """Return the edges of a graph, which is the learner's or a part of it, the most reliable first.

    They are ordered by strength, or else by net score gain. Strengths of required edges are
    ignored, because every replicate has these edges. Edges between variables that determine each
    other come last, because which of these are adjacent is arbitrary; `deterministic` names them,
    each with the reason.
    """
    margins: Mapping[tuple[str, str], float] = getattr(learner, "edge_margins_", {})
    margin_of = {frozenset(ends): margin for ends, margin in margins.items()}
    effects: Mapping[tuple[str, str], EdgeEffect] = getattr(learner, "edge_effects_", {})
    effect_of = {frozenset(ends): effect for ends, effect in effects.items()}
    confirmed, by_knowledge = set(learner.confirmed_edges_), set(learner.knowledge_edges_)
    by_time = set(learner.fit_result_.time_edges)
    required = set() if learner.knowledge is None else set(learner.knowledge.required)
    strengths = learner.strengths_
    gain_of = {frozenset((one.tail, one.head)): one.gain for one in gains}
    edges = []
    for pairs, directed in ((graph.directed_edges, True), (graph.undirected_edges, False)):
        for tail, head in pairs:
            ends = frozenset((tail, head))
            strength, direction = strengths.of(tail, head) if strengths else (None, None)
            edges.append(
                Edge(
                    tail,
                    head,
                    directed,
                    gain_of.get(ends, 0.0),
                    strength,
                    direction if strength else None,
                    margin_of.get(ends),
                    reliability_of(tail, head, directed, confirmed, by_knowledge, by_time),
                    deterministic.get(ends, ""),
                    sizes.get(ends),
                    (tail, head) in required,
                    effect_of.get(ends),
                )
            )
    return tuple(
        sorted(
            edges,
            key=lambda edge: (
                bool(edge.deterministic),
                -(0.0 if edge.required else edge.strength or 0.0),
                -edge.net_gain,
                edge.tail,
                edge.head,
            ),
        )
    )


def reliability_of(
    tail: str,
    head: str,
    directed: bool,
    confirmed: Collection[tuple[str, str]],
    by_knowledge: Collection[tuple[str, str]],
    by_time: Collection[tuple[str, str]] = (),
) -> Reliability:
    """Return how reliable the direction of an edge is.

    Parameters
    ----------
    tail, head : str
    directed : bool
    confirmed, by_knowledge : collection of (str, str)
        Directions that the data confirm, and directions that knowledge decides.
    by_time : collection of (str, str)
        Directions decided by knowledge that follow from the order of time.
    """
    if not directed:
        return "undetermined"
    if (tail, head) in by_knowledge:
        return "time" if (tail, head) in by_time else "knowledge"
    return "confirmed" if (tail, head) in confirmed else "tentative"


def count_directions(edges: Iterable[Edge]) -> dict[Reliability, int]:
    """Count edges by the reliability of their direction; knowledge and time only if they occur."""
    found = Counter(edge.reliability for edge in edges)
    return {word: found[word] for word in RELIABILITY if word not in GIVEN or found[word]}


def near_misses(graph: Graph, strengths: EdgeStrengths | None) -> tuple[Edge, ...]:
    """Return pairs that are adjacent in many replicates but not in the graph, strongest first."""
    if strengths is None:
        return ()
    frame = strengths.to_frame().iloc[::2]
    return tuple(
        Edge(tail, head, True, None, strength, direction)
        for tail, head, strength, direction in frame.itertuples(index=False)
        if strength >= _NEAR_MISS
        and {tail, head} <= set(graph.nodes)
        and head not in graph.adjacent(tail)
    )


@dataclass(frozen=True)
class PairTest:
    """One CI test of the pair.

    Attributes
    ----------
    given : tuple of str
        The conditioning set.
    answer : {"dependent", "independent", "cannot tell"}
        The answer of the test.
    statistic, df, p_value : float
        The test statistic, its degrees of freedom and its p-value.
    n : int
        The number of rows used.
    method : str
        The method that gave the p-value.
    """

    given: tuple[str, ...]
    answer: str
    statistic: float
    df: float
    p_value: float
    n: int
    method: str

    def __str__(self) -> str:
        given = f"given {', '.join(self.given)}" if self.given else "given nothing"
        if self.answer == "cannot tell":
            return f"{given}: too few rows in common to tell"
        p_value = "p < 1e-300" if self.p_value < 1e-300 else f"p = {self.p_value:.2g}"
        if math.isnan(self.statistic):  # a test of the user's own
            return f"{given}: {self.answer} by {self.method}, {p_value}"
        return f"{given}: {self.answer}, {self.statistic:.1f} on {self.df:.4g} df, {p_value}"


@dataclass(frozen=True)
class Rank:
    """The association of one variable with another, and its rank among all variables.

    Attributes
    ----------
    value : float
        The strength of the association.
    place : int or None
        The rank: 1 is the strongest. None if there is no association.
    """

    value: float
    place: int | None

    def __str__(self) -> str:
        return "none" if self.place is None else f"{self.value:.4g} (rank {self.place})"


@dataclass(frozen=True)
class EdgeSupport:
    """Why two variables are adjacent, or why not. Print it, or use its attributes.

    Attributes
    ----------
    x, y : str
        The two variables.
    edge : str
        "x -> y", "y -> x" or "x - y" with the variables' names; empty if they are not adjacent.
    reason : {"adjacent", "required", "forbidden", "duplicate", "constant", "separated", \
"not a candidate", "small effect", "lower score", "not adjacent"}
        The reason in a word.
    rationale : str
        The reason in a sentence.
    association : tuple of two Rank, or None
        G minus its degrees of freedom, with the rank of y among all variables for x, and of x for
        y. For numeric variables, functions of their ranks are used if these are more informative.
    importance : tuple of two Rank, or None
        The same for the importance of y in the machine of x, and of x in that of y.
    tests : tuple of PairTest
        CI tests of the pair, first the one with an empty conditioning set.
    scores : tuple of ScoreGain
        For an adjacent pair, the gain of its edge in the DAG. For other pairs, the gain of each
        direction that closes no cycle.
    strength, direction : float or None
        From `bootstrap`, if it was called: the share of replicates with the edge, and the share
        of these with x -> y.
    rules : tuple of Rule
        Rules of the machine of either variable that contain the other, the highest gain first.
    reliability : {"confirmed", "tentative", "undetermined", "knowledge", "time"} or None
        The reliability of the direction; None if the variables are not adjacent.
    margin : float or None
        How much the score prefers the direction, in nats, if the learner computes it.
    deterministic : str
        How one determines the other, or a category of it; empty if it does not.
    effect : EdgeEffect or None
        The effect size of an adjacent pair, or of a pair that `min_effect` left out. It does not
        grow with the number of rows. None if the learner has none.
    in_units : InUnits or None
        For an adjacent pair with a numeric variable: slope, means or shares.
    around : Graph or None
        The part of the graph around the two variables.
    """

    x: str
    y: str
    edge: str
    reason: Reason
    rationale: str
    association: tuple[Rank, Rank] | None = None
    importance: tuple[Rank, Rank] | None = None
    tests: tuple[PairTest, ...] = ()
    scores: tuple[ScoreGain, ...] = ()
    strength: float | None = None
    direction: float | None = None
    rules: tuple[Rule, ...] = ()
    reliability: Reliability | None = None
    margin: float | None = None
    deterministic: str = ""
    effect: EdgeEffect | None = None
    in_units: InUnits | None = None
    around: Graph | None = field(default=None, repr=False, compare=False)

    def to_dict(self) -> dict[str, Any]:
        """Return plain dictionaries, lists, strings and numbers, with each rule's text."""
        plain: dict[str, Any] = plain_values(asdict(replace(self, around=None)))
        del plain["around"]
        if self.in_units is not None:
            plain["in_units"]["parts"] = plain_values(self.in_units.parts)
        for rule, whole in zip(plain["rules"], self.rules, strict=True):
            rule["text"] = str(whole)
            rule["label"] = plain_values(whole.label)
            for condition, asked in zip(rule["conditions"], whole.conditions, strict=True):
                condition["label"] = plain_values(asked.label)
        return plain

    def __str__(self) -> str:
        facts = (
            f"  {title} {text}" if title == "test" else f"  {title}: {text}"
            for title, text in self._facts()
        )
        lines = [self._heading, f"  {self.rationale}", *facts]
        n_more = len(self.rules) - _SHOWN_RULES
        return "\n".join(lines + [f"  ... and {n_more} more rules"] * (n_more > 0))

    def _repr_html_(self) -> str:
        """Return what a notebook shows: the graph around the two, and their support."""
        from bnsieve.text import NotebookTable, notebook_html

        picture = ""
        if self.around is not None:
            picture = self.around.plot(highlight=(self.x, self.y)).svg
        more = [("rule", str(rule)) for rule in self.rules[_SHOWN_RULES:]]
        tables = [
            NotebookTable("Support", (), self._facts(), folded=False),
            NotebookTable(f"{len(more)} more rules", (), more),
        ]
        return notebook_html(self._heading, note=self.rationale, picture=picture, tables=tables)

    @property
    def _heading(self) -> str:
        return self.edge or f"{self.x}, {self.y}: not adjacent"

    def _facts(self) -> list[tuple[str, str]]:
        """Return titles and texts, in the order to read them."""
        facts = [("deterministic", self.deterministic)] if self.deterministic else []
        if self.reliability is not None:
            facts.append(("direction", self._direction_text(self.reliability)))
        if self.effect is not None:
            facts.append(("effect", str(self.effect)))
        if self.in_units is not None:
            facts += self.in_units.facts()
        for title, ranks in (("association", self.association), ("importance", self.importance)):
            if ranks is not None:
                of_y, of_x = ranks
                text = f"{self.y} to {self.x} {of_y}, {self.x} to {self.y} {of_x}"
                facts.append((title, text))
        facts += [("test", str(test)) for test in self._shown_tests()]
        for score in self.scores:
            verb = "adds" if self.edge else "would add"
            facts.append(("score", f"{score.tail} -> {score.head} {verb} {score.gain:+.1f}"))
        if self.strength is not None:
            toward = (
                "" if not self.strength else f", {self.direction:.0%} of these {self.x} -> {self.y}"
            )
            found = f"in {self.strength:.0%} of the replicates{toward}"
            given = "in every replicate, because the given knowledge requires it"
            facts.append(("bootstrap", given if self.reason == "required" else found))
        return facts + [("rule", str(rule)) for rule in self.rules[:_SHOWN_RULES]]

    def _direction_text(self, reliability: Reliability) -> str:
        nats = ""
        if self.margin and reliability in ("confirmed", "tentative") and math.isfinite(self.margin):
            nats = f", by {self.margin:.1f} nats"
        return f"{reliability} ({RELIABILITY[reliability]}{nats})"

    def _shown_tests(self) -> list[PairTest]:
        """Return the first test, and of the others the one with the largest p-value."""
        telling = [test for test in self.tests[1:] if test.answer != "cannot tell"]
        return [*self.tests[:1], *sorted(telling, key=lambda test: -test.p_value)[:1]]


def plain_values(value: Any) -> Any:
    """Return a value for JSON: tuples as lists, values of other types as strings."""
    if isinstance(value, Mapping):
        return {key: plain_values(part) for key, part in value.items()}
    if isinstance(value, list | tuple):
        return [plain_values(part) for part in value]
    return value if value is None or isinstance(value, str | bool | int | float) else str(value)
