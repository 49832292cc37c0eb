"""The base class of all learners: `fit`, its result, and questions about it.

In: parameters, and any data that `fit` reads. Out: a fitted estimator, whose `FitResult` holds what
was learned. A learner adds one step, from a table to a directed skeleton.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable
from contextlib import AbstractContextManager, ExitStack, nullcontext
from dataclasses import dataclass, field, replace
from functools import wraps
from operator import attrgetter
from typing import Any, ClassVar, Concatenate, Literal, ParamSpec, Self, TypeVar, cast

import numpy as np
from numpy.typing import NDArray
from sklearn import get_config
from sklearn.base import BaseEstimator, clone
from sklearn.utils.validation import check_is_fitted

from bnsieve.counts import TableRows
from bnsieve.engine import Engine, Timings, one_thread_each, open_engine, watch
from bnsieve.explain import EdgeStrengths
from bnsieve.graph import Graph
from bnsieve.knowledge import Constraints, Knowledge
from bnsieve.learners import (
    checking,
    evaluating,
    explaining,
    handing_over,
    showing,
    synthesizing,
)
from bnsieve.learners.bootstrap import bootstrap
from bnsieve.learners.fit_result import FitContext, FitResult, SearchResult
from bnsieve.learners.fitting import FitSettings, run_fit
from bnsieve.learners.own_candidates import candidates_among
from bnsieve.learners.preparing import Prepare, PreparedRows, read_rows, warn_of
from bnsieve.learners.saving import archive
from bnsieve.learners.validation import check_parameters
from bnsieve.network import BayesianNetwork, Missing
from bnsieve.rows import Sampling
from bnsieve.table import Table, Timeline
from bnsieve.table.prepare import Preparation


class _Fitted:
    """A fitted attribute: a part of `fit_result_`, by its path there."""

    def __init__(self, path: str) -> None:
        self._part = attrgetter(path)

    def __get__(self, learner: Any, owner: type) -> Any:
        if learner is None:
            return self
        check_is_fitted(learner, "fit_result_")
        return self._part(learner.fit_result_)

    def __set__(self, learner: Any, value: Any) -> None:
        raise AttributeError("fitted attributes are read from fit_result_, and cannot be set")


def fitted(path: str) -> Any:
    """Return a property of a learner that reads one part of its `fit_result_`."""
    return _Fitted(path)


def lacking_attribute(learner: Any) -> str | None:
    """Return the name of a fitted attribute that `fit_result_` has no part for, or None."""
    kind = type(learner)
    for name in dir(kind):
        if isinstance(getattr(kind, name, None), _Fitted):
            try:
                getattr(learner, name)
            except AttributeError:
                return name
    return None


P = ParamSpec("P")
R = TypeVar("R")


def _asked_of_network(
    method: Callable[Concatenate[BayesianNetwork, P], R],
) -> Callable[Concatenate[Any, P], R]:
    """Return a learner's method that asks `network_`: same parameters, same answer."""

    @wraps(method)
    def ask(learner: Any, /, *arguments: P.args, **options: P.kwargs) -> R:
        return method(learner.network_, *arguments, **options)

    return ask


@dataclass(kw_only=True, eq=False, repr=False)
class StructureLearner(BaseEstimator, ABC):
    """Base of the learners.

    Attributes
    ----------
    fit_result_ : FitResult
        All results of `fit`, in one immutable record. The other attributes read it.
    graph_ : Graph
        The learned graph over all columns: a CPDAG; with knowledge a maximally oriented graph
        (MPDAG), which also has the directed edges that knowledge decides and those that follow.
    dag_ : Graph
        The learned DAG; `graph_` is its equivalence class.
    confirmed_edges_ : tuple of (str, str)
        Directed edges of `graph_`, tail first, whose direction the data confirm: it follows from CI
        tests given up to two neighbours, without contradiction and without knowledge.
    knowledge_edges_ : tuple of (str, str)
        Directed edges of `graph_`, tail first, whose direction knowledge decides: knowledge allows
        no other, or the direction follows from such directions. They are assumptions, not results.
    separating_sets_ : dict of frozenset of str to tuple of str
        For pairs of non-adjacent columns, a set of columns given which a test found the pair
        independent.
    constant_features_ : tuple of str
        Columns with a single category: nothing can be learned about them.
    numeric_features_ : tuple of str
        The numeric variables; the others are categorical.
    feature_names_in_ : ndarray of str objects, shape (n_features,)
        The names of the columns of the training rows.
    n_features_in_ : int
        The number of columns of the training rows.
    timings_ : dict of str to float
        The seconds of each stage.
    n_missing_ : dict of str to int
        The number of missing values of each column that has any, in all rows.
    missing_strategy_ : {"testwise", "category", "em"}
        The missing-data strategy; "testwise" if no value is missing.
    preparation_ : Preparation or None
        The inferred role and the preparation of each column. `score`, `predict` and `update`
        prepare later rows in the same way. None if the data were not prepared.
    strengths_ : EdgeStrengths or None
        Edge strengths, after `bootstrap`; None before.
    """

    knowledge: Knowledge | None = None
    missing: Missing | Literal["auto"] = "testwise"
    prepare: Prepare = "auto"
    n_jobs: int | None = None
    verbose: bool = False

    fit_result_: FitResult = field(init=False)
    graph_: ClassVar[Graph] = fitted("graph")
    dag_: ClassVar[Graph] = fitted("dag")
    confirmed_edges_: ClassVar[tuple[tuple[str, str], ...]] = fitted("confirmed_edges")
    knowledge_edges_: ClassVar[tuple[tuple[str, str], ...]] = fitted("knowledge_edges")
    separating_sets_: ClassVar[dict[frozenset[str], tuple[str, ...]]] = fitted("separating_sets")
    constant_features_: ClassVar[tuple[str, ...]] = fitted("constant_features")
    numeric_features_: ClassVar[tuple[str, ...]] = fitted("numeric_features")
    n_features_in_: ClassVar[int] = fitted("dag.n_nodes")
    timings_: ClassVar[dict[str, float]] = fitted("timings")
    n_missing_: ClassVar[dict[str, int]] = fitted("n_missing")
    missing_strategy_: ClassVar[Missing] = fitted("missing_strategy")
    preparation_: ClassVar[Preparation | None] = fitted("preparation")
    strengths_: ClassVar[EdgeStrengths | None] = fitted("strengths")

    # The fit that the last network was made of, and that network.
    _network = cast("tuple[FitResult, BayesianNetwork] | None", None)

    @property
    def feature_names_in_(self) -> NDArray[np.object_]:
        """The columns of the training rows."""
        return np.array(self.dag_.nodes, dtype=object)

    @property
    def network_(self) -> BayesianNetwork:
        """The network of this fit, which answers all queries.

        It has the CPTs of `dag_` (posterior means, equivalent sample size 1) and their counts, the
        equivalence class, regressions of numeric variables in units beside their bins, the graphs
        of `bootstrap`, and the rules of the machines. If the learner was saved without its rows,
        the network has only CPTs, counts and the equivalence class. Numeric variables then have
        only their bins, and there are no intervals of effects, no replicate graphs and no rules.
        """
        check_is_fitted(self, "fit_result_")
        if self._network is None or self._network[0] is not self.fit_result_:
            network = explaining.network_of(self.fit_result_, self.get_params(deep=False))
            self._network = self.fit_result_, network
        return self._network[1]

    query = _asked_of_network(BayesianNetwork.query)
    predict = _asked_of_network(BayesianNetwork.predict)
    effect = _asked_of_network(BayesianNetwork.effect)
    next_question = _asked_of_network(BayesianNetwork.next_question)
    why = _asked_of_network(BayesianNetwork.why)

    def fit(self, X: Any, y: Any = None) -> Self:
        """Learn a graph from data.

        Parameters
        ----------
        X : DataFrame, Arrow table, array, Table, path, dataset, iterator, SqlTable or CountSource
            The data, with one variable per column. The parameter `prepare` decides how columns
            become variables. For rows that are not in memory: the path of a CSV file, a Parquet
            file or a folder of these, a list of paths, a pyarrow or Ray dataset, an iterator of
            Arrow batches, a function that returns one, a DuckDB relation, a polars LazyFrame, an
            Ibis table, an ADBC cursor, a Spark DataFrame, a `bnsieve.rows.SqlTable`, or a
            `bnsieve.counts.CountSource`.
        y : ignored
            Present because scikit-learn's pipelines pass it.

        Returns
        -------
        self
        """
        check_parameters(self.get_params(deep=False))
        timings = Timings()
        with ExitStack() as stack:
            stack.enter_context(self._bar())
            stack.enter_context(one_thread_each())
            engine = stack.enter_context(self._engine())
            rows = self._source(X, engine, timings, stack)
            if rows.dependence is not None:
                warn_of(rows.dependence)
            together: dict[str, Any] = {"timeline": rows.timeline, "dependence": rows.dependence}
            context = FitContext(rows.source, engine, timings, rows.plan, **together)
            self.fit_result_ = replace(run_fit(self._settings(), context), table_record=rows.record)
        return self

    def _settings(self) -> FitSettings:
        """Return what a fit is told beside its rows."""
        return FitSettings(self._search, self.knowledge, self.missing)

    @abstractmethod
    def _search(self, table: Table, constraints: Constraints, context: FitContext) -> SearchResult:
        """Find a DAG over the variables of a table; see `bnsieve.learners.fitting.Search`."""

    def _bar(self) -> AbstractContextManager[None]:
        """Show a progress bar as long as the context lasts, if it is wanted."""
        return watch() if self.verbose else nullcontext()

    def _engine(self) -> AbstractContextManager[Engine]:
        """Open what the work runs on: once for all stages."""
        return open_engine(getattr(self, "engine", "local"), self.n_jobs)

    def _source(self, X: Any, engine: Engine, timings: Timings, stack: ExitStack) -> PreparedRows:
        """Return the source of the prepared rows, and how they were prepared."""
        with timings.stage("reading"):
            key, timeline = getattr(self, "key", None), self._timeline()
            return read_rows(X, self.prepare, self._sampling, engine, stack, timeline, key)

    def _timeline(self) -> Timeline | None:
        """Return how rows belong together; None if they are independent."""
        return None

    def _sampling(self) -> Sampling:
        """Return how many of many rows are held in memory: all of them."""
        return Sampling()

    def score(self, X: Any, y: Any = None) -> float:
        """Return the mean log-likelihood of rows under `network_`, in nats, with numbers in bins.

        On held-out rows, it measures how well the network explains new data; higher is better.
        `sklearn.model_selection.cross_val_score` uses it. For a row with missing values, it is the
        likelihood of the known values.

        Parameters
        ----------
        X : DataFrame, Arrow table, array or Table
            Rows with the columns of the training rows. They are prepared in the same way.
        y : ignored
            Present because scikit-learn's tools pass it.
        """
        return float(self.network_.binned.log_likelihood(X).mean())

    def _replicate(self, table: Table, seed: int) -> FitResult:
        """Learn from the rows of a replicate, on one thread; ties are settled by chance."""
        # A column that is missing in all rows drawn is not in the table.
        known = self.knowledge and self.knowledge.among(table.names)
        among = candidates_among(getattr(self, "candidates", None), table.names)
        changes = {"random_state": seed, "knowledge": known, "candidates": among, **archive.PLACE}
        replica = clone(self)
        parameters = replica.get_params(deep=False)
        replica.set_params(**{name: changes[name] for name in changes.keys() & parameters.keys()})
        with one_thread_each(), replica._engine() as engine:
            timeline = self.fit_result_.timeline
            context = FitContext(
                TableRows(table), engine, Timings(), self.preparation_, timeline=timeline
            )
            return run_fit(replace(replica._settings(), order_seed=seed), context)

    bootstrap = bootstrap
    check = checking.check
    explain = explaining.explain
    determinism = explaining.determinism
    drivers = explaining.drivers
    support_frame = explaining.support_frame
    edge_gains = explaining.edge_gains
    report = showing.report
    synthesize = synthesizing.synthesize
    evaluate_synthetic = evaluating.evaluate_synthetic
    to_dowhy = handing_over.to_dowhy
    save = archive.save

    def _repr_html_inner(self) -> str:
        """Return what a notebook shows: what was learned, or scikit-learn's picture before that."""
        is_fitted = hasattr(self, "fit_result_")
        html: str = showing.learner_html(self) if is_fitted else super()._repr_html_inner()
        return html

    def _repr_mimebundle_(self, **kwargs: Any) -> dict[str, str]:
        """Return the same for a kernel, where scikit-learn is set to show pictures."""
        # scikit-learn's own would ask for every attribute, of which some take long to compute.
        bundle = {"text/plain": repr(self)}
        if get_config()["display"] == "diagram":
            bundle["text/html"] = self._repr_html_inner()
        return bundle
