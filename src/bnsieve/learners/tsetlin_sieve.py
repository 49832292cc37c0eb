"""`TsetlinSieve`: association, a search and machines find candidates; scores or tests decide."""

import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields, replace
from typing import Any, ClassVar, Literal, Self

from sklearn.utils.validation import check_is_fitted

from bnsieve.counts import Drift
from bnsieve.decide import CandidateFinder, CITest, Criterion, FamilyScore, Score, TestName
from bnsieve.engine import Engine, RandomState, one_thread_each, seed_of
from bnsieve.explain import EdgeEffect
from bnsieve.knowledge import Constraints
from bnsieve.learners import forecasting
from bnsieve.learners.base import StructureLearner, fitted
from bnsieve.learners.effects import MIN_EFFECT
from bnsieve.learners.fit_result import FitContext, SearchResult
from bnsieve.learners.fitting import FitSettings
from bnsieve.learners.stages import StageSettings, most_in_memory, run_stages
from bnsieve.learners.validation import check_parameters
from bnsieve.network import Missing
from bnsieve.rows import Sampling
from bnsieve.table import Table, Timeline, timeline_of

# Bytes that count tables may take in each worker, about. A constant, because what is dropped beyond
# it changes the result.
COUNT_MEMORY = 2**30


@dataclass(kw_only=True, eq=False, repr=False)
class TsetlinSieve(StructureLearner):
    """Learns the structure of a Bayesian network from a few candidates per column.

    The columns with the strongest association become the first candidates. After a first search,
    those that would add most to the parents found become candidates too. Small weighted Tsetlin
    machines look for interactions that no pair of columns reveals.

    * ``method="search"`` returns the graph with the highest score, found by a search over orders.
    * ``method="tests"``: each edge of this graph must also pass two or three CI tests, given small
      sets of the other parents of its head. The separating sets of removed edges are kept. Pure
      interactions, which no pair of columns reveals, are not found.

    With both methods, the result is a valid CPDAG. No data can distinguish duplicate columns, such
    as a code and its description. The search uses one of them, and adds edges from it to the others
    if knowledge allows.

    Parameters
    ----------
    method : {"search", "tests"}, default "search"
        "search": the graph with the best score. "tests": only its edges that CI tests support too.
    criterion : "bd", "bdeu", "bic", "qnml", Score or FamilyScore, default "bd"
        The score of parent sets. "bd" averages "bdeu" and priors about the margin of each column.
        With these names, every parent costs the logarithm of the number of columns, or more in
        sparse graphs. A `bnsieve.decide.Score` is used unchanged. Numeric variables use the BIC of
        a covariance matrix. With a `bnsieve.decide.FamilyScore`, they are binned.
    n_candidates : int, default 18
        The largest number of candidates of a column. Screening chooses five ninths of them, and
        later searches add the others. With up to 25 columns, all columns are candidates.
    max_parents : int or None, default None
        The largest number of parents of a variable. None: 8, and 16 if variables are numeric.
    alpha : float, default 0.01
        With ``method="tests"``: two columns are dependent if the p-value is below alpha.
    ci_test : "auto", "chi2", "g2", "mi", "permutation" or CITest, default "auto"
        With ``method="tests"``: the independence test of categorical variables. If a variable is
        numeric, residuals are tested. Pass a `bnsieve.decide.CITest` to use a test of your own.
    knowledge : Knowledge or None, default None
        Required and forbidden edges.
    missing : {"auto", "testwise", "category", "em"}, default "auto"
        The missing-data strategy. "testwise": each test leaves out the rows in which one of its
        columns is missing, and the score gain of a parent is measured on the rows in which it is
        known. "category": "missing" is one more category. "em": draw the values from the network
        learned so far, learn again, and repeat (structural EM). "auto": "em" with
        ``method="search"``, in as many rows as fit in memory, else "testwise".
    prepare : "auto", Preparation, Discretizer or None, default "auto"
        The preparation of columns. "auto": bnsieve infers the role of each column, as
        `bnsieve.prepare` does. Numbers stay numeric, unless the data favour bins. A Discretizer:
        the same, but it bins all numbers. A Preparation is applied unchanged. None: columns must
        hold categories. `preparation_` has the result, and `numeric_features_` the numeric
        variables.
    random_state : int, RandomState, Generator or None, default None
        The seed of the machines and the search. An int makes the result reproducible.
    n_jobs : int or None, default None
        The number of threads: None for one, -1 for one per processor. With ``engine="ray"``, the
        number of workers: None for one per processor. The result is the same.
    engine : str or Engine, default "local"
        Where tasks run: "local" (threads), "ray" (the cluster of this process, or a new one),
        "spark" or "dask" (the active session or client), the name of a registered engine, the
        address of a Ray cluster, or an `Engine`. The result is the same.
    sample_rows : int, default 10_000
        For data too large for memory, the number of rows drawn to find candidates. Scores and tests
        then use counts of all rows. Count tables above 1 GB drop their least promising candidates.
    min_effect : float, default 1e-4
        With numeric columns, edges that clearly explain a smaller share are left out and listed in
        `small_edges_`. 1e-4 is a correlation of 0.01. 0 keeps all significant edges.
    time : str or None, default None
        The time column: dates, numbers, or text with either. The past of each variable becomes a
        variable too: ``X`` is the value at time t, and ``X@t-1`` the value one step before. Only
        variables at time t have parents. A missing step ends a sequence of rows.
    by : str or None, default None
        The column that names the entity of each row, such as a patient. With `time`, columns that
        are constant within entities have no past and no parents. Without it, scores and tests allow
        for the dependence of the rows of one entity.
    lags : int, "auto" or None, default None
        The number of past steps that may be parents: with `time`, 1 by default. "auto": the number,
        up to 12, that predicts held-out rows best.
    every : str, number or None, default None
        The length of steps to which rows are resampled, such as "10s", "5min", "1h", "1d", "1w" or
        "1mo", or a number if times are numbers. A step has the mean of each numeric variable, and
        the last known value of each other variable. None: no resampling.
    key : str or None, default None
        A column with a different value in every row, which is left out of the network. Rows are
        sorted by it, so the same rows give the same result from any database or file.
    candidates : mapping of str to sequence of str, callable or None, default None
        The candidate parents of each variable, or a `bnsieve.decide.CandidateFinder`. No others are
        considered, and no machine is trained.
    verbose : bool, default False
        Whether a bar shows the progress of `fit`, `update` and `bootstrap`.

    Attributes
    ----------
    candidates_ : dict of str to tuple of str
        The candidate parents of each column.
    duplicates_ : dict of str to str
        For each duplicate of another column, the name of that column.
    score_ : float
        The score of the graph found, without duplicates, before directions were decided.
    direction_margins_ : dict of (str, str) to float
        For each edge of `dag_`, tail first, the loss of score, in nats, if the edge is reversed and
        all other edges take their best directions; at most the margin of the edge. In `graph_`, an
        edge with less than 3 nats is undirected, unless there are numeric variables.
    edge_margins_ : dict of (str, str) to float
        For each edge of `dag_`, the loss of score if the edge is left out and other columns may
        take its place. Zero between duplicates.
    edge_effects_ : dict of (str, str) to EdgeEffect
        The effect size of each edge of `dag_`: nats per row and explained share.
    small_edges_ : dict of (str, str) to EdgeEffect
        Edges that were found but left out because of `min_effect`.
    drift_ : Drift or None
        After `update`: how the new rows differ from the earlier ones.
    """

    candidates_: ClassVar[dict[str, tuple[str, ...]]] = fitted("sieve.candidates")
    duplicates_: ClassVar[dict[str, str]] = fitted("sieve.duplicates")
    score_: ClassVar[float] = fitted("sieve.score")
    direction_margins_: ClassVar[dict[tuple[str, str], float]] = fitted("sieve.direction_margins")
    edge_margins_: ClassVar[dict[tuple[str, str], float]] = fitted("sieve.edge_margins")
    edge_effects_: ClassVar[dict[tuple[str, str], EdgeEffect]] = fitted("sieve.edge_effects")
    small_edges_: ClassVar[dict[tuple[str, str], EdgeEffect]] = fitted("sieve.small_edges")
    drift_: ClassVar[Drift | None] = fitted("drift")

    method: Literal["search", "tests"] = "search"
    criterion: Criterion | Score | FamilyScore = "bd"
    n_candidates: int = 18
    max_parents: int | None = None
    alpha: float = 0.01
    ci_test: TestName | CITest = "auto"
    missing: Missing | Literal["auto"] = "auto"
    random_state: RandomState = None
    engine: str | Engine = "local"
    sample_rows: int = 10_000
    min_effect: float = MIN_EFFECT
    time: str | None = None
    by: str | None = None
    lags: int | Literal["auto"] | None = None
    every: str | float | None = None
    key: str | None = None
    candidates: Mapping[str, Sequence[str]] | CandidateFinder | None = None

    forecast = forecasting.forecast
    unroll = forecasting.unroll

    def _timeline(self) -> Timeline | None:
        return timeline_of(self.time, self.by, self.lags, self.every)

    def _sampling(self) -> Sampling:
        seed, n_whole = seed_of(self.random_state), most_in_memory(self.sample_rows)
        fills = self.missing == "auto" and self.method == "search"
        return Sampling(self.sample_rows, COUNT_MEMORY, seed, n_whole, fills)

    def update(self, X: Any) -> Self:
        """Add new rows to the training rows, and learn again.

        For files too large for memory, only the new rows are read, once. Candidates stay the same.
        A warning says if they no longer suit the data, and `drift_` has the details. Ranks of
        numbers stay those of the first fit. If the earlier rows were in memory, the new ones are
        appended and the graph is learned again. Over time, the first new rows of an entity serve
        only as the past of later rows. To count them too, pass its last earlier rows again, as many
        as there are lags.

        Parameters
        ----------
        X : path, list of paths, dataset or iterator; or a frame
            New rows with the same columns. Numbers get the same bins.
        """
        from bnsieve.learners.update import update_fit

        check_is_fitted(self, "fit_result_")
        check_parameters(self.get_params(deep=False))
        with self._bar(), one_thread_each(), self._engine() as engine:
            self.fit_result_ = update_fit(
                self.fit_result_, X, self._settings(), engine, self.sample_rows
            )
        drift = self.drift_
        if drift is not None and drift.stale:
            warnings.warn(f"{drift}; fit all files again", UserWarning, stacklevel=2)
        return self

    def _settings(self) -> FitSettings:
        # Tests leave out the rows that lack a value; a search needs all of them.
        missing = "testwise" if (self.missing, self.method) == ("auto", "tests") else self.missing
        return replace(super()._settings(), missing=missing, samples=True, has_sieve=True)

    def _search(self, table: Table, constraints: Constraints, context: FitContext) -> SearchResult:
        settings = StageSettings(*(getattr(self, part.name) for part in fields(StageSettings)))
        seed = seed_of(self.random_state)
        return run_stages(table, constraints, context, settings, seed)
