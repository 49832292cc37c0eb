"""What all learners share: `fit`, and the attributes that it sets.

In: any data that `bnsieve.table.Table.from_data` reads. Out: `graph_` and the other
attributes of the estimator. A learner adds one step, from a table to a skeleton.
"""

from abc import ABC, abstractmethod
from collections.abc import Mapping
from contextlib import AbstractContextManager, ExitStack
from dataclasses import replace
from typing import Any, ClassVar, Literal, Self

import numpy as np
from numpy.typing import NDArray

from bnsieve.counts import Counted, CountSource, KeepsCounts, ScannedCounts, TableRows
from bnsieve.decide import CountsTest, IndependenceTest
from bnsieve.engine import Engine, Timings, one_thread_each, open_engine
from bnsieve.graph import Graph
from bnsieve.knowledge import Constraints
from bnsieve.learners.filling import labelled_missing, with_drawn_numbers
from bnsieve.learners.fit_result import FitContext, FitResult, SearchResult, SieveResult
from bnsieve.learners.preparing import (
    DoneBefore,
    Prepare,
    cut_by_name,
    prepared_source,
    prepared_table,
)
from bnsieve.learners.reporting import ReportingModel
from bnsieve.learners.validation import RULES, Requirement, check_parameters
from bnsieve.network import Missing, count_families, draw_missing, fit_network
from bnsieve.rows import is_source
from bnsieve.search import (
    Skeleton,
    confirmed_by_name,
    known_class,
    orient,
    without_undetermined,
)
from bnsieve.table import Table
from bnsieve.table.prepare import Preparation

# The graph seldom changes after the third.
MAX_EM_ROUNDS = 5


class StructureLearner(ReportingModel, ABC):
    """Base of the learners.

    Attributes
    ----------
    graph_ : Graph
        The learned graph over all columns: a CPDAG; with knowledge a maximally oriented graph
        (MPDAG), which also has the arrows that knowledge decides and those that follow.
    dag_ : Graph
        The DAG that was found; `graph_` is its equivalence class.
    confirmed_edges_ : tuple of (str, str)
        The arrows of `graph_`, tail first, that one may believe: knowledge decides them, or they
        follow from what independence tests given up to two neighbours say without contradiction.
    skeleton_ : Graph
        The same with every edge undirected.
    separating_sets_ : dict of frozenset of str to tuple of str
        For two columns that are not joined, the columns given which a test found them independent.
    n_tests_ : int
        Number of distinct independence tests performed to find the skeleton.
    n_orientation_tests_ : int
        Number of further tests to direct its edges, where the learner tests.
    conflicts_ : tuple of (str, str, str)
        Columns a, c, b on which the graph and the tests disagree: whether a -> c <- b.
    discarded_edges_ : tuple of (str, str)
        Edges that the tests found but that are not in the graph, because all directions that
        knowledge leaves them close a cycle.
    constant_features_ : tuple of str
        Columns with a single level: nothing can be learned about them, and no test was spent. They
        have no edges but required ones.
    feature_names_in_ : ndarray of str objects, shape (n_features,)
    n_features_in_ : int
    timings_ : dict of str to float
        Seconds by stage.
    n_missing_ : dict of str to int
        Number of missing cells of each column that has any, in all rows.
    missing_strategy_ : {"testwise", "level", "em"}
        What was done about them; "testwise" where there are none.
    n_em_rounds_ : int
        How often missing cells were drawn and learned from; 0 unless the way is "em". Tests are
        counted over all rounds.
    preparation_ : Preparation or None
        What each column of the data was taken for, and what was done about it. `score`, `predict`
        and `update` do the same to later rows. None if data was not prepared.
    """

    prepare: Prepare
    missing: Missing | Literal["auto"]
    n_jobs: int | None

    graph_: Graph
    dag_: Graph
    confirmed_edges_: tuple[tuple[str, str], ...]
    skeleton_: Graph
    separating_sets_: dict[frozenset[str], tuple[str, ...]]
    n_tests_: int
    n_orientation_tests_: int
    conflicts_: tuple[tuple[str, str, str], ...]
    discarded_edges_: tuple[tuple[str, str], ...]
    constant_features_: tuple[str, ...]
    feature_names_in_: NDArray[np.object_]
    n_features_in_: int
    timings_: Mapping[str, float]
    n_missing_: dict[str, int]
    missing_strategy_: Missing
    n_em_rounds_: int
    preparation_: Preparation | None
    counted_: Counted

    # Whether the rows are gone through many times, and so must be in memory.
    _needs_all_rows = True
    _rules: ClassVar[Mapping[str, Requirement]] = RULES

    def fit(self, X: Any, y: Any = None) -> Self:
        """Learn a graph from data.

        Parameters
        ----------
        X : DataFrame, Arrow table, array, Table, path, dataset, iterator or CountSource
            One variable per column; `prepare` says what becomes of columns that hold no labels.
            Rows that lie elsewhere may be given as the path of
            a CSV file, a Parquet file or a folder of these, a list of paths, a pyarrow or Ray
            dataset, an iterator of Arrow batches, a function that returns one, or a
            `bnsieve.counts.CountSource`.
        y : ignored
            Present because scikit-learn's pipelines pass it.

        Returns
        -------
        self
        """
        self.check_parameters()
        timings = Timings()
        with ExitStack() as stack:
            stack.enter_context(self._bar(self.verbose))
            stack.enter_context(one_thread_each())
            engine = stack.enter_context(self._engine())
            source, done = self._source(X, engine, timings, stack)
            parts = done.parts or self._parts
            self._fit(FitContext(source, engine, timings, parts=parts), done)
        return self

    def check_parameters(self) -> None:
        """Check every parameter by name, value and range; `fit` does so first.

        Raises
        ------
        ValueError, TypeError
            If one is not what it may be; the message says what that is.
        """
        check_parameters(self.get_params(deep=False), self._rules)

    def _engine(self) -> AbstractContextManager[Engine]:
        """Open what the work runs on: once for all stages."""
        return open_engine("local", self.n_jobs)

    def _source(
        self, X: Any, engine: Engine, timings: Timings, stack: ExitStack
    ) -> tuple[CountSource, DoneBefore]:
        """Return where the rows come from, as labels, and what was done to them."""
        if isinstance(X, CountSource):
            return X, DoneBefore()
        if not is_source(X):
            with timings.stage("table"):
                table, done = prepared_table(X, self.prepare)
                return TableRows(table), done
        with timings.stage("reading"):
            if self.prepare is None:
                return stack.enter_context(self._open(X, engine)), DoneBefore()
            source, done = prepared_source(X, self.prepare, engine, stack)
            return stack.enter_context(self._open(source, engine)), done

    def _open(self, X: Any, engine: Engine) -> AbstractContextManager[CountSource]:
        """Open rows that lie elsewhere: all of them, in memory."""
        from bnsieve.rows.file_rows import opened

        return opened(X, None, 0, engine, 0)

    def _fit(self, context: FitContext, done: DoneBefore) -> None:
        """Learn from a source, and keep what was learned."""
        with context.timings.stage("table"):
            given = context.source.sample()
        n_missing = missing_cells(context.source, given)
        if self._needs_all_rows and context.source.n_rows > given.n_rows:
            raise ValueError(
                f"{type(self).__name__} needs all {context.source.n_rows:,} rows in memory: "
                "TsetlinSieve learns from a sample and counts; give other learners a sample"
            )
        way = self._way(given, context.source)
        if way == "level":
            given = labelled_missing(given)
            context = replace(context, source=TableRows(given))
        n_rounds = 0
        if way == "em":
            learned, n_rounds = self._learn_filled(given, context)
        else:
            learned = self._learn(given, context)
        self._keep(learned)
        self.n_missing_, self.missing_strategy_, self.n_em_rounds_ = n_missing, way, n_rounds
        source = context.source
        if learned.sieved is not None and learned.sieved.cuts:
            cuts = learned.sieved.cuts
            given, done = cut_by_name(given, cuts), done.cut_at(cuts)
            source = learned.sieved.cut_source or source
        self.preparation_ = done.plan
        self.feature_names_in_ = np.array(given.names, dtype=object)
        self.n_features_in_ = given.n_variables
        self.table_ = given
        self.timings_ = dict(context.timings)
        # What belonged to other rows goes.
        for name in ("strengths_", "replicate_dags_", "counted_"):
            self.__dict__.pop(name, None)
        if isinstance(source, KeepsCounts):
            self.counted_ = source.kept()

    def _keep(self, learned: FitResult) -> None:
        """Set the attributes that say what was learned."""
        self.dag_ = learned.dag
        self.skeleton_ = learned.dag.skeleton()
        self.graph_ = learned.graph
        self.confirmed_edges_ = learned.sure_arrows
        self.separating_sets_ = learned.separating_sets
        self.n_tests_ = learned.n_tests
        self.n_orientation_tests_ = learned.n_orientation_tests
        self.conflicts_ = learned.conflicts
        self.discarded_edges_ = learned.discarded_edges
        self.constant_features_ = learned.constant_features
        self.family_counts_ = learned.family_counts

    def _way(self, table: Table, source: CountSource) -> Missing:
        """Return what is done about missing cells."""
        if not table.missing or self.missing == "testwise":
            return "testwise"
        if source.n_rows > table.n_rows:
            name = table.names[min(table.missing)]
            raise ValueError(
                f"column {name!r} has missing cells, and missing={self.missing!r} needs all rows "
                "in memory: pass a frame, or missing='testwise'"
            )
        return "level" if self.missing == "level" else "em"

    def _learn_filled(self, given: Table, context: FitContext) -> tuple[FitResult, int]:
        """Learn, draw the missing cells from what was learned, and learn again, in turns.

        Returns the last of what was learned, with the tests of all turns, and how many these were.
        """
        settled = replace(context, is_settled=True)
        # Of numbers with gaps each pair is known in other rows, and their correlations need not go
        # together. Bins can be counted where they are known.
        learned = self._learn(replace(given, numbers={}), settled)
        rows = given
        filled: Table | None = None
        cuts: dict[str, tuple[float, ...]] = {}
        n_rounds = 0
        for number in range(MAX_EM_ROUNDS):
            with context.timings.stage("filling"):
                network = fit_network(learned.dag, rows)
                filled = draw_missing(given, network, number, start=filled)
                rows = with_drawn_numbers(filled, given, number)
            # Numbers or bins: rows without gaps say it, once.
            context = context if number == 0 else settled
            last, again = learned, self._learn(rows, replace(context, source=TableRows(rows)))
            if number == 0 and again.sieved is not None and again.sieved.cuts:
                cuts = again.sieved.cuts
                given, filled = (
                    replace(cut_by_name(one, cuts), numbers={}) for one in (given, rows)
                )
                rows = filled
            learned = replace(
                again,
                n_tests=last.n_tests + again.n_tests,
                n_orientation_tests=last.n_orientation_tests + again.n_orientation_tests,
            )
            n_rounds = number + 1
            if learned.graph == last.graph:
                break
        if learned.sieved is not None:
            learned = replace(learned, sieved=replace(learned.sieved, cuts=cuts))
        return learned, n_rounds

    def _learn(self, given: Table, context: FitContext) -> FitResult:
        """Learn from one table, whose missing cells stay as they are."""
        with context.timings.stage("table"):
            known = self._constraints(given, context.parts)
            constant = given.constant
            bound = {given.names[v] for arrow in known.required for v in arrow}
            # Sorted, so that the order of the columns has no say in the result.
            names = sorted(set(given.names) - (set(constant) - bound))
            if self._order_seed is not None:
                np.random.default_rng(self._order_seed).shuffle(names)
            number = {name: i for i, name in enumerate(given.names)}
            constraints = known.select([number[name] for name in names])
            constraints = constraints.only_required_at(
                i for i, name in enumerate(names) if name in constant
            )
        found = SearchResult(Skeleton(0, (), {}, 0, ()))
        if names:
            found = self._search(given.select(names), constraints, context)
        skeleton = found.skeleton
        arrows = [(names[a], names[b]) for a, b in skeleton.arrows or ()]
        dag = Graph(given.names, directed=arrows)
        graph = known_class(dag, known)
        # From numbers, equivalent graphs score alike in the search: the class it found stays.
        if found.sieved is not None and not found.sieved.rank_maps:
            graph = without_undetermined(graph, found.sieved.margins)
        if found.sure is None:
            sure = confirmed_by_name(dag, graph, CountsTest(ScannedCounts(given)), known)
        else:
            sure = {(names[a], names[b]) for a, b in found.sure}
        with context.timings.stage("families"):
            family_counts = count_families(dag, _counted_in(given, context.source, found.sieved))
        return FitResult(
            dag,
            graph,
            tuple(arrow for arrow in graph.directed_edges if arrow in sure),
            {
                frozenset((names[a], names[b])): tuple(names[v] for v in given_variables)
                for (a, b), given_variables in skeleton.separating_sets.items()
            },
            skeleton.n_tests,
            found.n_orientation_tests,
            tuple((names[a], names[c], names[b]) for a, c, b in found.conflicts),
            tuple((names[a], names[b]) for a, b in found.discarded),
            constant,
            family_counts,
            found.sieved,
        )

    @abstractmethod
    def _search(self, table: Table, constraints: Constraints, context: FitContext) -> SearchResult:
        """Find a DAG over the variables of a table; their order settles ties.

        A constant variable is among them only if it has required arrows, and may have no others.
        """


def _counted_in(given: Table, source: CountSource, sieved: SieveResult | None) -> CountSource:
    """Return where families are counted: in all rows, but numbers of a sample in the sample.

    The graph of numbers is found by then, and a reading of all files for bins would be one more.
    """
    if sieved is None:
        return source
    if sieved.cuts:
        in_memory = source.n_rows == given.n_rows
        again = None if in_memory else sieved.cut_source
        return again or TableRows(cut_by_name(given, sieved.cuts))
    return TableRows(given) if sieved.rank_maps else source


def missing_cells(source: CountSource, given: Table) -> dict[str, int]:
    """Count the missing cells of each column that has any, in all rows."""
    if source.n_rows == given.n_rows:
        return {given.names[v]: int(mask.sum()) for v, mask in given.missing.items()}
    counted = source.joint_counts([[name] for name in given.names])
    found = {}
    for name, joint in zip(given.names, counted, strict=True):
        n = int(joint.counts[joint.configurations[0] == joint.n_levels[0]].sum())
        if n:
            found[name] = n
    return found


def directed(
    skeleton: Skeleton, test: IndependenceTest, constraints: Constraints, timings: Timings
) -> SearchResult:
    """Direct the edges that a test found, with further tests."""
    with timings.stage("orientation"):
        orientation = orient(skeleton, test, constraints=constraints)
    edges = tuple(edge for edge in skeleton.edges if edge not in orientation.discarded)
    return SearchResult(
        replace(skeleton, edges=edges, arrows=orientation.arrows),
        test.n_tests - skeleton.n_tests,
        tuple(orientation.conflicts),
        tuple(orientation.discarded),
    )
