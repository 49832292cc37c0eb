"""The paper's method as an estimator: two neighbours per variable, at most 16 tests for each.

Also with the selection rule of the authors' later program.
"""

from dataclasses import dataclass, replace
from typing import ClassVar, Literal

import numpy as np

from bnsieve.counts import ScannedCounts
from bnsieve.decide import CITest, CountsTest, TestName
from bnsieve.engine import RandomState, seed_of
from bnsieve.knowledge import Constraints
from bnsieve.learners.base import StructureLearner, fitted
from bnsieve.learners.fit_result import FitContext, SearchResult, SieveResult
from bnsieve.learners.fitting import FitSettings, directed
from bnsieve.search import pair_rule, shrink_candidates
from bnsieve.sieve import (
    SieveRecord,
    SieveSettings,
    apply_constraints,
    before_the_drop,
    importances,
    pooled,
    strongest,
)
from bnsieve.sieve.machine import MachineSettings
from bnsieve.table import Table

Cut = Literal["fixed", "relative"]


def paper_epochs(n_variables: int) -> int:
    """Return the number of epochs that the paper's Table 2 gives for a network of this size."""
    if n_variables < 30:
        return 2
    return 5 if n_variables <= 50 else 10


@dataclass(kw_only=True, eq=False, repr=False)
class TsetlinPC(StructureLearner):
    """The method of Dumbre, Jiao and Granmo, unchanged.

    For every column, a weighted Tsetlin machine is trained on 80 % of the rows, resampled so that
    all categories are equally frequent. The columns in its clauses are ranked by I = F x W, and the
    best two are kept. Each pair of a column and a kept column is then tested on all rows, given
    every subset of the other kept columns of both.

    Parameters
    ----------
    n_neighbors : int, default 2
        The number of columns kept for each column; with ``cut="relative"``, the smallest number.
    cut : {"fixed", "relative"}, default "fixed"
        Which columns are kept. "fixed": the best `n_neighbors`, as in the paper. "relative": those
        before the largest relative drop of the sorted importances, as in the authors' later
        program, WTM-BN. These columns are then tested, the weakest first, given sets of up to three
        of the others, the strongest first. The authors use it with ``alpha=0.01, threshold=10``.
    n_clauses : int, default 50
        The number of clauses per class of each machine.
    threshold : int, default 50
        The threshold T of the machines.
    specificity : float, default 5.0
        The specificity s of the machines.
    epochs : int or None, default None
        The number of epochs. None: as in the paper, 2 below 30 columns, 5 up to 50, and 10 above.
    alpha : float, default 0.05
        Two variables are dependent if the test's p-value is below alpha.
    ci_test : "auto", "chi2", "g2", "mi", "permutation" or CITest, default "auto"
        The independence test; see `bnsieve.decide.CountsTest`. Pass a `bnsieve.decide.CITest` to
        use a test of your own.
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
    random_state : int, RandomState, Generator or None, default None
        The seed of the machines. An int makes the result reproducible.
    n_jobs : int or None, default None
        The number of threads: None for one, -1 for one per processor. The result is the same.
    verbose : bool, default False
        Whether a bar shows the progress of `fit` and `bootstrap`; see `bnsieve.engine.watch`.

    Attributes
    ----------
    candidates_ : dict of str to tuple of str
        For each column, the columns that its machine kept, the most important first.
    """

    candidates_: ClassVar[dict[str, tuple[str, ...]]] = fitted("sieve.candidates")

    n_neighbors: int = 2
    cut: Cut = "fixed"
    n_clauses: int = 50
    threshold: int = 50
    specificity: float = 5.0
    epochs: int | None = None
    alpha: float = 0.05
    ci_test: TestName | CITest = "auto"
    random_state: RandomState = None

    def _settings(self) -> FitSettings:
        return replace(super()._settings(), has_sieve=True)

    def _search(self, table: Table, constraints: Constraints, context: FitContext) -> SearchResult:
        epochs = paper_epochs(table.n_variables) if self.epochs is None else self.epochs
        # The paper describes plain feedback of type I; boosting costs F1 on wide networks.
        machine = MachineSettings(self.n_clauses, self.threshold, self.specificity, boost=False)
        seed = seed_of(self.random_state)
        with context.timings.stage("sieve"):
            every = range(table.n_variables)
            settings = SieveSettings(machine, epochs)
            scores = list(importances(pooled(table), every, settings, seed, context.engine.map))
            # Chosen among all: knowledge takes neighbours away and puts none in their place.
            keep = strongest if self.cut == "fixed" else before_the_drop
            heads = tuple(keep(score, self.n_neighbors) for score in scores)
            required = [constraints.required_neighbours(v) for v in every]
            limit = max([self.n_neighbors, *map(len, heads)])
            neighbours = apply_constraints(heads, constraints.adjacency_allowed, required, limit)
        importance = np.array(scores, dtype=np.float32)
        sieve = SieveRecord(table.names, settings, seed, importance)
        candidates = {
            name: tuple(table.names[v] for v in chosen)
            for name, chosen in zip(table.names, neighbours, strict=True)
        }
        with context.timings.stage("search"):
            test = CountsTest(ScannedCounts(table), method=self.ci_test, alpha=self.alpha)
            find = pair_rule if self.cut == "fixed" else shrink_candidates
            skeleton = find(test, neighbours, constraints=constraints)
        oriented = directed(skeleton, test, constraints, context.timings)
        return replace(oriented, sieve=SieveResult(candidates, sieve))
