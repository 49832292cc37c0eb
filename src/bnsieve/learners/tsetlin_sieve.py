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
    """Learns a Bayesian network's structure from few candidates per column.

    The columns with the strongest association become the first candidates. Given the network found,
    the columns that would add most to a variable's parents become candidates too. Small weighted
    Tsetlin machines look for interactions that no pair of columns reveals.

    * ``method="search"``: the graph with the highest score, by a search over orders of the columns.
    * ``method="tests"``: each edge of that graph must also pass two or three CI tests, given small
      sets of its head's other parents. Separating sets of the removed edges are kept. Pure
      interactions, which no pair of columns reveals, are not found.

    With both methods the result is a valid CPDAG. No data can distinguish duplicate columns, such
    as a code and its description. One of them takes part: the first by name, or the one that
    knowledge allows to point to the others. The others are adjacent to it if knowledge allows.

    Parameters
    ----------
    method : {"search", "tests"}, default "search"
        The graph with the best score, or only those of its edges that CI tests support as well.
    criterion : {"bd", "bdeu", "bic", "qnml"}, Score or FamilyScore, default "bd"
        The score of parent sets. "bd" is "bdeu" averaged with priors about each column's margin.
        With a score chosen by name, every parent costs the logarithm of the number of columns, or
        more in sparse graphs. A `bnsieve.decide.Score` is used unchanged. With a
        `bnsieve.decide.FamilyScore` of your own, numeric columns are binned; otherwise numeric
        variables use the BIC of a covariance matrix of functions of ranks.
    n_candidates : int, default 18
        The largest number of candidates of a column. Screening chooses five ninths of them, and the
        others are found later, given a network. With up to 25 columns, all are candidates.
    max_parents : int, default 8
        Largest parent set.
    alpha : float, default 0.01
        With ``method="tests"``: two columns are dependent if the p-value is below alpha.
    ci_test : {"auto", "chi2", "g2", "mi", "permutation"} or CITest, default "auto"
        With ``method="tests"``: the independence test of categories. Sets with a numeric
        variable are tested by residuals. A `bnsieve.decide.CITest` is one of your own.
    knowledge : Knowledge or None, default None
        Edges that must, or may not, be in the graph.
    missing : {"auto", "testwise", "category", "em"}, default "auto"
        How missing values are treated. "testwise": each test leaves out the rows in which one of
        its columns is missing; a score measures the gain of a parent on the rows that have it.
        "category": "missing" is one more category. "em": draw the values from the network learned
        so far, learn again, and repeat (structural EM). "auto": "em" with ``method="search"``, in
        as many rows as memory holds, else "testwise".
    prepare : {"auto"}, Preparation, Discretizer or None, default "auto"
        "auto": bnsieve infers the role of each column, as `bnsieve.prepare` does; numbers stay
        numbers, unless the data favour bins. A Discretizer: the same, but all numbers are binned by
        it. A Preparation is applied unchanged. None: dates and fractions are refused.
        `preparation_` records the changes, `numeric_features_` the numeric variables.
    random_state : int, RandomState, Generator or None, default None
        Seed of the machines and the search; an int makes the result reproducible.
    n_jobs : int or None, default None
        Number of threads: None for one, -1 for one per processor; with ``engine="ray"`` of workers,
        None for one per processor. The result is the same.
    engine : str or Engine, default "local"
        "local": threads; "ray": the Ray cluster that this process is connected to, or a new one on
        this machine; "spark", "dask": the active session or client; else the name of a registered
        engine, the address of a Ray cluster, or an `Engine`. The result is the same.
    sample_rows : int, default 10_000
        For data too large for memory, the number of rows drawn to find candidates. Scores and tests
        then use counts of all rows. Count tables of more than 1 GB in a worker drop their least
        promising candidates, which `fit_result_.sieve.trimmed` lists.
    min_effect : float, default 1e-4
        With numeric columns, edges that clearly explain a smaller share are left out and listed in
        `small_edges_`. 1e-4 is a correlation of 0.01; 0 keeps all significant edges.
    time : str or None, default None
        The time column: dates, numbers, or text with either. The past of each variable becomes a
        variable of its own: ``X`` is the value at time t, and ``X@t-1`` the value one step before.
        Only variables at time t have parents. Hour, weekday and month of dates are candidate
        parents if the rows cover at least three periods. A missing step ends a sequence of rows.
    by : str or None, default None
        The column that names the machine, patient or customer of each row. Columns that are
        constant within each of them enter once and have no parents. Without `time`, scores and
        tests allow for the dependence of the rows of one entity.
    lags : int, "auto" or None, default None
        How many past steps of each variable may be parents; None is 1 if there is a `time`. "auto":
        the number, up to 12, that predicts held-out rows best.
    every : str, number or None, default None
        Resample the rows of each entity to steps of this length, such as "10s", "5min", "1h", "1d",
        "1w" or "1mo", or a number if the time column holds numbers: the mean of numeric variables,
        the last known value of others. None: no resampling.
    key : str or None, default None
        A column with a different value in every row, such as an order number. Rows are sorted by
        it, and it is left out of the network. The same rows then give the same result from any
        database or file.
    candidates : mapping of str to sequence of str, callable or None, default None
        The candidate parents of each variable, or a function that finds them in the sample (a
        `bnsieve.decide.CandidateFinder`). No others are considered, and no machine is trained.
    verbose : bool, default False
        Whether a bar shows how far `fit`, `update` and `bootstrap` are; see `bnsieve.engine.watch`.

    Attributes
    ----------
    candidates_ : dict of str to tuple of str
        For each column, the columns that were examined as parents.
    duplicates_ : dict of str to str
        Columns that are duplicates of another one, and that column.
    score_ : float
        The score of the graph found, without duplicates, before directions were decided.
    direction_margins_ : dict of (str, str) to float
        For each edge of `dag_`, tail first, how much the score falls, in nats, if the edge is
        reversed and the others take their best directions; at most its edge margin. In `graph_`, an
        edge with less than 3 nats is undirected, unless there are numeric variables.
    edge_margins_ : dict of (str, str) to float
        For each edge of `dag_`, how much the score falls if the edge is left out and other columns
        may take its place. Zero between duplicates.
    edge_effects_ : dict of (str, str) to EdgeEffect
        For each edge of `dag_`, its effect size: nats per row and explained share.
    small_edges_ : dict of (str, str) to EdgeEffect
        Edges that were found but left out because of `min_effect`.
    drift_ : Drift or None
        After `update`: how the new rows differ from those before.
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
    max_parents: int = 8
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
        A warning says if they no longer suit the data, and `drift_` has the details. Sums of
        numeric variables are added up, and their ranks stay those of the first fit. If the earlier
        rows were in memory, the new ones are appended and the graph is learned again. Over time,
        the first new rows of an entity start a new sequence. So pass its last earlier rows again,
        as many as there are lags.

        Parameters
        ----------
        X : path, list of paths, dataset or iterator; or a frame
            New rows with the columns of the earlier ones. Numbers get the same bins.
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
