"""The product: association, a first search and machines name candidates, scores or tests decide."""

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

    Association names those that matter most to a column. Given the network found, what else would
    add to its parents becomes a candidate too; and small weighted Tsetlin machines look for columns
    that tell something only together.

    * ``method="search"``: the graph of highest score is sought over the orders of the columns.
    * ``method="tests"``: each arrow of that graph must also pass independence tests, given small
      sets of its head's other parents. Some two or three tests per arrow; those that fell are
      kept with their separating sets. Pure interactions, which no pair shows, do not stand.

    With both methods the result is a valid CPDAG. No data can tell duplicate columns apart, which
    are the same under other categories (a code and its description): the first by name (or the one
    that knowledge lets point to the others) takes part, and the others are adjacent to it if
    knowledge allows.

    Parameters
    ----------
    method : {"search", "tests"}, default "search"
        The graph with the best score, or only those of its edges that CI tests support as well.
    criterion : {"bd", "bdeu", "bic", "qnml"}, Score or FamilyScore, default "bd"
        The score of parent sets, unless there are numeric variables: these take the BIC of a
        covariance matrix of functions of ranks. "bd" is "bdeu" averaged with priors about each
        column's margin. By name, the logarithm of the number of columns is taken off for every
        parent: among more columns it takes more to be a parent. A `bnsieve.decide.Score` is used as
        it is, and so is a `bnsieve.decide.FamilyScore` of your own, for which numbers are binned.
    n_candidates : int, default 18
        Among more than 25 columns: most candidates of each. Screening names five ninths of them;
        the others are found later, given a network. Of fewer columns all are candidates.
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
        How missing values are treated. "testwise": each test leaves out the rows that lack one
        of its columns; a score measures what a parent adds on the rows that have it.
        "category": "missing" is one more category. "em": draw the values from the network
        learned so far, learn again, and repeat (structural EM). "auto": "em" with
        ``method="search"``, in as many rows as memory holds, else "testwise".
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
        Of data too large for memory, how many rows are drawn to find candidates. Scores and tests
        then read counts of all rows. Count tables of more than 1 GB in a worker drop their least
        promising candidates; `fit_result_.sieve.trimmed` says which.
    min_effect : float, default 1e-4
        Where columns are numeric, edges that surely explain a smaller share are left out and listed
        in `small_edges_`. 1e-4 is a correlation of 0.01; 0 keeps all significant edges.
    time : str or None, default None
        The time column: dates, numbers, or text that says either. The past of each variable is then
        a column of its own: ``X`` is its value at time t, ``X@t-1`` one step before. Only variables
        at time t have parents. Hour, weekday and month of dates are offered as parents if their
        period passes three times. A missing step ends a sequence of rows.
    by : str or None, default None
        The column that says which machine, patient or customer each row is about. Columns that are
        constant within each enter once and have no parents. Without `time`: rows of one belong
        together.
    lags : int, "auto" or None, default None
        How many past steps of each variable may be parents; None is 1 if there is a `time`. "auto":
        as many, up to 12, as predict held-out rows best.
    every : str, number or None, default None
        Resample the rows of each entity to steps of this length, such as "10s", "5min", "1h", "1d",
        "1w" or "1mo", or a number if the time column holds numbers: the mean of numeric variables,
        the last known value of others. None: rows are taken as they are.
    key : str or None, default None
        A column that differs in every row, such as an order number. Rows are put in its order and
        nothing is learned about it: the same rows of any database or file give one result.
    candidates : mapping of str to sequence of str, callable or None, default None
        The candidate parents of each variable, or a function that finds them in the sample, a
        `bnsieve.decide.CandidateFinder`: no others are considered, and no machine is trained.
    verbose : bool, default False
        Whether a bar shows how far `fit`, `update` and `bootstrap` are; see `bnsieve.engine.watch`.

    Attributes
    ----------
    candidates_ : dict of str to tuple of str
        For each column the columns that were examined.
    duplicates_ : dict of str to str
        Columns that are duplicates under other categories, and the column that stood for them.
    score_ : float
        Of the graph that the search found, duplicates left out, before directions were decided.
    direction_margins_ : dict of (str, str) to float
        For each edge of `dag_`, tail first, the support of its direction, in nats: by how much the
        score falls if it is turned and the other edges take the directions that are best for that,
        or, if this is less, its edge margin. In `graph_` an edge with less than 3 nats is
        undirected, unless there are numeric variables.
    edge_margins_ : dict of (str, str) to float
        For each edge of `dag_`, by how much the score falls if it is left out and other columns may
        take its place. Zero between duplicates.
    edge_effects_ : dict of (str, str) to EdgeEffect
        For each edge of `dag_`: nats per row and explained share, which do not grow with the rows.
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
        """Add new rows to those that were learned from, and decide again.

        When the data are files, only the new rows are read, once. Candidates stay; `drift_` says
        whether they have gone stale, with a warning. Sums of numeric variables add up, and their
        ranks stay those of the first rows. If the rows before were in memory, new ones are put
        below them, and all are learned from anew. Over time a sequence begins anew with the first
        of the new rows: give the last rows of each entity with them, as many as there are lags.

        Parameters
        ----------
        X : path, list of paths, dataset or iterator; or a frame
            New rows, with the columns of those before. Numbers are cut as those were.
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
