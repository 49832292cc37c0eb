"""PC, HITON-PC and FSMB-PC as estimators: the algorithms that the sieve is compared with.

In: data. Out: fitted estimators. All three use the same test object, which counts its tests. The
settings ``alpha=0.01``, ``ci_test="chi2"``, conditioning sets of up to three variables and, for the
two local algorithms, ``join="either"`` reproduce the paper's figures. There are two differences:
the paper also counts repeated tests, and its PC (pgmpy's) loses edges between contradicting
colliders.
"""

from abc import abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

from bnsieve.counts import ScannedCounts
from bnsieve.decide import CITest, CountsTest, TestName
from bnsieve.knowledge import Constraints
from bnsieve.learners.base import StructureLearner
from bnsieve.learners.fit_result import FitContext, SearchResult
from bnsieve.learners.fitting import directed
from bnsieve.search import MAX_CONDITIONING, Join, Skeleton, Variant, fsmb_pc, hiton_pc, pc_skeleton
from bnsieve.table import Table


@dataclass(kw_only=True, eq=False, repr=False)
class _TestBasedLearner(StructureLearner):
    """A learner that asks independence questions of the data as it goes."""

    alpha: float = 0.01
    ci_test: TestName | CITest = "auto"
    max_conditioning: int | None = MAX_CONDITIONING

    def _search(self, table: Table, constraints: Constraints, context: FitContext) -> SearchResult:
        test = CountsTest(ScannedCounts(table), method=self.ci_test, alpha=self.alpha)
        with context.timings.stage("search"):
            skeleton = self._algorithm(
                test,
                table.n_variables,
                max_conditioning=self.max_conditioning,
                run=context.engine.map,
                constraints=constraints,
            )
        return directed(skeleton, test, constraints, context.timings)

    @property
    @abstractmethod
    def _algorithm(self) -> Callable[..., Skeleton]:
        """The search for a skeleton."""


@dataclass(kw_only=True, eq=False, repr=False)
class PC(_TestBasedLearner):
    """The PC algorithm, original or stable.

    Parameters
    ----------
    variant : {"stable", "original"}, default "stable"
        "stable" gives the same skeleton for any order of the columns and uses several threads.
        "original" needs fewer tests, takes the columns in the order of their names, and uses one
        thread after the tests with an empty conditioning set.
    alpha : float, default 0.01
        Two variables are dependent if the test's p-value is below alpha.
    ci_test : "auto", "chi2", "g2", "mi", "permutation" or CITest, default "auto"
        The independence test; see `bnsieve.decide.CountsTest`. Pass a `bnsieve.decide.CITest` to
        use a test of your own.
    max_conditioning : int or None, default 3
        The largest size of a conditioning set; None for no limit.
    knowledge : Knowledge or None, default None
        Required and forbidden edges.
    missing : {"testwise", "category", "em"}, default "testwise"
        The missing-data strategy. "testwise": each test leaves out the rows that lack one of its
        columns. "category": "missing" is one more category. "em": draw the values from the network
        learned so far, learn again, and repeat (structural EM).
    prepare : "auto", Preparation, Discretizer or None, default "auto"
        The preparation of columns. "auto": bnsieve infers the role of each column, as
        `bnsieve.prepare` does, and bins numbers. A Discretizer: the same, but it bins the numbers.
        A Preparation is applied unchanged. None: columns must hold categories. `preparation_` has
        the result.
    n_jobs : int or None, default None
        The number of threads: None for one, -1 for one per processor. The result is the same.
    verbose : bool, default False
        Whether a bar shows the progress of `fit` and `bootstrap`; see `bnsieve.engine.watch`.
    """

    variant: Variant = "stable"

    @property
    def _algorithm(self) -> Callable[..., Skeleton]:
        return partial(pc_skeleton, variant=self.variant)


@dataclass(kw_only=True, eq=False, repr=False)
class LocalLearner(_TestBasedLearner):
    """The base of `HitonPC` and `FSMBPC`, which find the neighbours of each column.

    Parameters
    ----------
    alpha : float, default 0.01
        Two variables are dependent if the test's p-value is below alpha.
    ci_test : "auto", "chi2", "g2", "mi", "permutation" or CITest, default "auto"
        The independence test; see `bnsieve.decide.CountsTest`. Pass a `bnsieve.decide.CITest` to
        use a test of your own.
    max_conditioning : int or None, default 3
        The largest size of a conditioning set; None for no limit.
    join : {"both", "either"}, default "both"
        Whether two columns are adjacent if each finds the other ("both"), or if one of them does
        ("either"). "both" is the symmetry correction of the theory. "either" finds more edges, true
        and false, and is the setting of the paper.
    knowledge : Knowledge or None, default None
        Required and forbidden edges.
    missing : {"testwise", "category", "em"}, default "testwise"
        The missing-data strategy. "testwise": each test leaves out the rows that lack one of its
        columns. "category": "missing" is one more category. "em": draw the values from the network
        learned so far, learn again, and repeat (structural EM).
    prepare : "auto", Preparation, Discretizer or None, default "auto"
        The preparation of columns. "auto": bnsieve infers the role of each column, as
        `bnsieve.prepare` does, and bins numbers. A Discretizer: the same, but it bins the numbers.
        A Preparation is applied unchanged. None: columns must hold categories. `preparation_` has
        the result.
    n_jobs : int or None, default None
        The number of threads: None for one, -1 for one per processor. The result is the same.
    verbose : bool, default False
        Whether a bar shows the progress of `fit` and `bootstrap`; see `bnsieve.engine.watch`.
    """

    join: Join = "both"


class HitonPC(LocalLearner):
    """The interleaved HITON-PC algorithm for every column.

    Its parameters are those of `bnsieve.learners.baselines.LocalLearner`.
    """

    @property
    def _algorithm(self) -> Callable[..., Skeleton]:
        return partial(hiton_pc, join=self.join)


class FSMBPC(LocalLearner):
    """The parents-and-children part of FSMB (AdjV) for every column.

    Its parameters are those of `bnsieve.learners.baselines.LocalLearner`.
    """

    @property
    def _algorithm(self) -> Callable[..., Skeleton]:
        return partial(fsmb_pc, join=self.join)
