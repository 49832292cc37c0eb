"""Conditional independence tests with one face: from counts, or from a known graph.

In: a source of counts (`bnsieve.counts.joint_counts`) or a DAG. Out: a `TestResult` for each
question "are x and y independent given these variables?". A test has three answers, because a table
can be too thin to say anything: dependent, independent, cannot tell.

An object of this module remembers what it has answered. Asking again, with x and y swapped or the
conditioning variables in another order, performs and counts no new test.
"""

from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from enum import Enum
from types import MappingProxyType
from typing import ClassVar, Protocol

from bnsieve.counts import CountLookup
from bnsieve.decide.ci_tests import METHODS, TestName

TestKey = tuple[int, int, tuple[int, ...]]


class Answer(Enum):
    """What a test says; `CANNOT_TELL` is neither of the other two."""

    DEPENDENT = "dependent"
    INDEPENDENT = "independent"
    CANNOT_TELL = "cannot tell"


@dataclass(frozen=True, slots=True)
class TestResult:
    """One conditional independence test and its outcome.

    Attributes
    ----------
    x, y : int
        The variables tested, the smaller index first.
    given : tuple of int
        The conditioning variables, in ascending order.
    answer : Answer
        Dependent if `p_value` is below alpha; cannot tell if there is no p-value.
    p_value : float
        NaN if the test cannot tell.
    statistic : float
        The method's statistic.
    df : float
        Degrees of freedom that the observed strata leave.
    n : int
        Rows used: those without a missing cell among the variables.
    method : str
        How the p-value was found.
    """

    __test__: ClassVar[bool] = False  # not a test case, whatever pytest makes of the name

    x: int
    y: int
    given: tuple[int, ...]
    answer: Answer
    p_value: float
    statistic: float
    df: float
    n: int
    method: str

    @property
    def dependent(self) -> bool:
        """Whether the test found x and y dependent."""
        return self.answer is Answer.DEPENDENT

    @property
    def independent(self) -> bool:
        """Whether the test found x and y independent."""
        return self.answer is Answer.INDEPENDENT

    @property
    def key(self) -> TestKey:
        """What was asked."""
        return self.x, self.y, self.given


class IndependenceTest(ABC):
    """The face of every test: asks each distinct question once, remembers and counts it."""

    def __init__(self) -> None:
        self._results: dict[TestKey, TestResult] = {}

    def test(self, x: int, y: int, given: Iterable[int] = ()) -> TestResult:
        """Test whether x and y are independent given some variables, all by index.

        The result is the same for (y, x) and for any order of `given`.
        """
        x, y = (int(x), int(y)) if x < y else (int(y), int(x))
        key = x, y, tuple(sorted({int(v) for v in given}))
        result = self._results.get(key)
        if result is None:
            if x == y or x in key[2] or y in key[2]:
                raise ValueError(
                    f"x, y and given must be distinct variables; got x={x}, y={y}, given={key[2]}"
                )
            result = self._perform(*key)
            self._results[key] = result
        return result

    @property
    def n_tests(self) -> int:
        """Number of distinct tests performed so far."""
        return len(self._results)

    @property
    def results(self) -> Mapping[TestKey, TestResult]:
        """Every test performed, by (x, y, given), in the order performed."""
        return MappingProxyType(self._results)

    @abstractmethod
    def _perform(self, x: int, y: int, given: tuple[int, ...]) -> TestResult:
        """Perform the test; x < y, `given` sorted."""


class CountsTest(IndependenceTest):
    """Tests read from counts.

    Parameters
    ----------
    source : CountLookup
        Where counts come from: the data (`bnsieve.counts.ScannedCounts`) or counted
        neighbourhoods (`bnsieve.counts.joint_counts.NeighbourhoodCounts`).
    method : {"auto", "chi2", "g2", "mi", "permutation"}, default "auto"
        See `bnsieve.decide.ci_tests`: "auto" is right at any sparsity; "chi2", "g2" and "mi" are
        the textbook's, with degrees of freedom from the observed strata.
    alpha : float, default 0.05
        Dependent means a p-value below alpha.
    """

    def __init__(
        self, source: CountLookup, *, method: TestName = "auto", alpha: float = 0.05
    ) -> None:
        super().__init__()
        if method not in METHODS:
            raise ValueError(f"unknown test {method!r}; choose one of {', '.join(METHODS)}")
        if not 0 < alpha < 1:
            raise ValueError(f"alpha must lie between 0 and 1, got {alpha}")
        self.source = source
        self.method = method
        self.alpha = alpha

    def _perform(self, x: int, y: int, given: tuple[int, ...]) -> TestResult:
        outcome = METHODS[self.method](self.source.strata((*given, x, y)), self.alpha)
        if outcome.p_value != outcome.p_value:
            answer = Answer.CANNOT_TELL
        elif outcome.p_value < self.alpha:
            answer = Answer.DEPENDENT
        else:
            answer = Answer.INDEPENDENT
        return TestResult(
            x,
            y,
            given,
            answer,
            outcome.p_value,
            outcome.statistic,
            outcome.df,
            outcome.n,
            outcome.method,
        )


class SeparationGraph(Protocol):
    """What the oracle needs of a DAG; `bnsieve.graph.Graph` has it."""

    @property
    def nodes(self) -> tuple[str, ...]:
        """Names, in the order of the indices used in tests."""

    def d_separated(self, x: str, y: str, given: Iterable[str]) -> bool:
        """Tell whether `given` separates x from y."""


class DSeparationOracle(IndependenceTest):
    """Answers from d-separation in a known DAG: what a test would say with infinitely many rows.

    Parameters
    ----------
    graph : Graph
        A DAG; variable i is ``graph.nodes[i]``.
    """

    def __init__(self, graph: SeparationGraph) -> None:
        super().__init__()
        self.graph = graph

    def _perform(self, x: int, y: int, given: tuple[int, ...]) -> TestResult:
        names = self.graph.nodes
        separated = self.graph.d_separated(names[x], names[y], [names[v] for v in given])
        answer = Answer.INDEPENDENT if separated else Answer.DEPENDENT
        return TestResult(
            x,
            y,
            given,
            answer,
            p_value=1.0 if separated else 0.0,
            statistic=0.0 if separated else float("inf"),
            df=1.0,
            n=0,
            method="d-separation",
        )
