"""Why two variables are joined, or not: the values that say it, and their text.

In: what `bnsieve.explain.findings` gathers for one pair. Out: an `Evidence`, to print, to keep as
plain data, or to read field by field.
"""

import math
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, replace
from typing import Any, Literal

from bnsieve.explain.in_units import InUnits
from bnsieve.graph import Graph
from bnsieve.sieve.machine import Rule

Reason = Literal[
    "joined",
    "required",
    "forbidden",
    "copy",
    "constant",
    "separated",
    "not a candidate",
    "lower score",
    "not joined",
]

Certainty = Literal["sure", "unsure", "undetermined"]
_MEANING: dict[Certainty, str] = {
    "sure": "the score and independence tests agree, and no test speaks against it",
    "unsure": "the score prefers it, tests do not confirm it",
    "undetermined": "the rows fit either way",
}

# As many rules as a reader takes in at a glance; all are in the value.
_SHOWN_RULES = 3


@dataclass(frozen=True)
class TestEvidence:
    """One independence test of the pair.

    Attributes
    ----------
    given : tuple of str
        The conditioning variables.
    answer : {"dependent", "independent", "cannot tell"}
    statistic, df, p_value : float
    n : int
        Rows used.
    method : str
    """

    __test__ = False  # not a test case, whatever pytest makes of the name

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
        return f"{given}: {self.answer}, {self.statistic:.1f} on {self.df:.4g} df, {p_value}"


@dataclass(frozen=True)
class Rank:
    """How strongly one variable speaks for another, and its place among all that do.

    Attributes
    ----------
    value : float
    place : int or None
        1 is the strongest; None if it does not speak for it at all.
    """

    value: float
    place: int | None

    def __str__(self) -> str:
        return "none" if self.place is None else f"{self.value:.4g} (rank {self.place})"


@dataclass(frozen=True)
class ScoreChange:
    """What one arrow adds to the network's score, all else as it is.

    Attributes
    ----------
    tail, head : str
    change : float
        The score of `head`'s parents with `tail` among them, less that without.
    """

    tail: str
    head: str
    change: float


@dataclass(frozen=True)
class Evidence:
    """All that is known of two variables; ``print`` it, or take its parts.

    Attributes
    ----------
    x, y : str
    edge : str
        "x -> y", "y -> x" or "x - y" with the variables' names; empty if they are not joined.
    reason : {"joined", "required", "forbidden", "copy", "constant", "separated", \
"not a candidate", "lower score", "not joined"}
        What decided.
    because : str
        The same in a sentence.
    association : tuple of two Rank, or None
        G less its degrees of freedom (of numbers, the same of functions of their ranks, if that is
        more), with the place of y among all others for x, and of x for y.
    importance : tuple of two Rank, or None
        The same of the importance of y in the machine of x, and of x in that of y.
    tests : tuple of TestEvidence
        Given nothing first.
    scores : tuple of ScoreChange
        For a joined pair the arrow that the network has; for others what each arrow that closes
        no cycle would add.
    strength, direction : float or None
        From `bootstrap`, if it was called: the share of replicates with the edge, and the share
        of these with x -> y.
    rules : tuple of Rule
        Rules of either's machine in which the other occurs, those that explain most first.
    certainty : {"sure", "unsure", "undetermined"} or None
        Of the edge's direction; None if they are not joined.
    margin : float or None
        What speaks for the direction, in nats, where the learner says so.
    determined : str
        How one determines the other, or a label of it; empty if it does not.
    in_units : InUnits or None
        Of a joined pair of which at least one was learned from as a number: slope, means or shares.
    around : Graph or None
        The part of the graph where the two are, to be drawn.
    """

    x: str
    y: str
    edge: str
    reason: Reason
    because: str
    association: tuple[Rank, Rank] | None
    importance: tuple[Rank, Rank] | None
    tests: tuple[TestEvidence, ...]
    scores: tuple[ScoreChange, ...]
    strength: float | None
    direction: float | None
    rules: tuple[Rule, ...]
    certainty: Certainty | None = None
    margin: float | None = None
    determined: str = ""
    in_units: InUnits | None = None
    around: Graph | None = field(default=None, repr=False, compare=False)

    def to_dict(self) -> dict[str, Any]:
        """Return plain dictionaries, lists, strings and numbers, with each rule's text."""
        plain: dict[str, Any] = _plain(asdict(replace(self, around=None)))
        del plain["around"]
        if self.in_units is not None:
            parts = [[_plain(place), value] for place, value in self.in_units.parts]
            plain["in_units"]["parts"] = parts
        for rule, whole in zip(plain["rules"], self.rules, strict=True):
            rule["text"] = str(whole)
            rule["label"] = _plain(whole.label)
            for condition, asked in zip(rule["conditions"], whole.conditions, strict=True):
                condition["label"] = _plain(asked.label)
        return plain

    def __str__(self) -> str:
        facts = (
            f"  {title} {text}" if title == "test" else f"  {title}: {text}"
            for title, text in self._facts()
        )
        lines = [self._heading, f"  {self.because}", *facts]
        n_more = len(self.rules) - _SHOWN_RULES
        return "\n".join(lines + [f"  ... and {n_more} more rules"] * (n_more > 0))

    def _repr_html_(self) -> str:
        """Return what a notebook shows: where the two stand, and all that is known of them."""
        from bnsieve.text import NotebookTable, notebook_html

        picture = ""
        if self.around is not None:
            picture = self.around.plot(highlight=(self.x, self.y)).svg
        more = [("rule", str(rule)) for rule in self.rules[_SHOWN_RULES:]]
        tables = [
            NotebookTable("Evidence", (), self._facts(), folded=False),
            NotebookTable(f"{len(more)} more rules", (), more),
        ]
        return notebook_html(self._heading, note=self.because, picture=picture, tables=tables)

    @property
    def _heading(self) -> str:
        return self.edge or f"{self.x}, {self.y}: not joined"

    def _facts(self) -> list[tuple[str, str]]:
        """Return what is known, each with its title, in the order to read it."""
        facts = [("determined", self.determined)] if self.determined else []
        if self.certainty is not None:
            nats = "" if not self.margin else f" ({_nats(self.margin)})"
            facts.append(("direction", f"{self.certainty}{nats}: {_MEANING[self.certainty]}"))
        if self.in_units is not None:
            facts += self.in_units.facts()
        for title, ranks in (("association", self.association), ("importance", self.importance)):
            if ranks is not None:
                of_y, of_x = ranks
                text = f"{self.y} to {self.x} {of_y}, {self.x} to {self.y} {of_x}"
                facts.append((title, text))
        facts += [("test", str(test)) for test in self._shown_tests()]
        for score in self.scores:
            what = "is worth" if self.edge else "would add"
            facts.append(("score", f"{score.tail} -> {score.head} {what} {score.change:+.1f}"))
        if self.strength is not None:
            toward = (
                "" if not self.strength else f", {self.direction:.0%} of these {self.x} -> {self.y}"
            )
            facts.append(("bootstrap", f"in {self.strength:.0%} of the replicates{toward}"))
        return facts + [("rule", str(rule)) for rule in self.rules[:_SHOWN_RULES]]

    def _shown_tests(self) -> list[TestEvidence]:
        """Return the first test, and of the others the one least sure of dependence."""
        if not self.tests:
            return []
        first, *others = self.tests
        telling = [test for test in others if test.answer != "cannot tell"]
        return [first, *sorted(telling, key=lambda test: -test.p_value)[:1]]


def _nats(margin: float) -> str:
    return "knowledge decides it" if math.isinf(margin) else f"{margin:.1f} nats speak for it"


def _plain(value: Any) -> Any:
    """Tuples as lists, labels of other types as strings: what JSON can hold."""
    if isinstance(value, Mapping):
        return {key: _plain(part) for key, part in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(part) for part in value]
    return value if value is None or isinstance(value, str | bool | int | float) else str(value)
