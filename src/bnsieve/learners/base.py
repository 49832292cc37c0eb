"""What all learners share: data in, fitted attributes out.

In: any data that `bnsieve.table.Table.from_data` reads. Out: `graph_` and its kin on the
estimator. A learner adds one step, from a table to a skeleton.
"""

from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from time import perf_counter
from typing import Any, Literal, Self

import numpy as np
from numpy.typing import NDArray

from bnsieve.constraints import Constraints
from bnsieve.discretize import Discretizer, cut_numbers, unfitted
from bnsieve.engine.local import Threads
from bnsieve.gaps import WAYS, Missing, draw_missing, fit_network, label_missing
from bnsieve.graph import Graph
from bnsieve.independence import IndependenceTest
from bnsieve.learners.learned import LearnedModel
from bnsieve.orient import known_class, orient
from bnsieve.parameters import count_families
from bnsieve.search.skeleton import Skeleton
from bnsieve.source.recognise import is_source
from bnsieve.table import Table
from bnsieve.watch import announce

# The graph seldom changes after the third.
MAX_EM_ROUNDS = 5


class Timings(dict[str, float]):
    """Seconds by stage, in the order of the stages."""

    @contextmanager
    def stage(self, name: str) -> Iterator[None]:
        """Add the time that the block takes to a stage, and let who watches know of it."""
        announce(name)
        start = perf_counter()
        yield
        self[name] = self.get(name, 0.0) + perf_counter() - start


class StructureLearner(LearnedModel, ABC):
    """Base of the learners.

    Attributes
    ----------
    graph_ : Graph
        The learned graph over all columns: a CPDAG; with knowledge a maximally oriented graph
        (MPDAG), which also has the arrows that knowledge decides and those that follow.
    dag_ : Graph
        The DAG that was found; `graph_` is its equivalence class.
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
    missing_ : dict of str to int
        Number of missing cells of each column that has any.
    missing_way_ : {"testwise", "level", "em"}
        What was done about them; "testwise" where there are none.
    n_em_rounds_ : int
        How often missing cells were drawn and learned from; 0 unless the way is "em". Tests are
        counted over all rounds.
    discretizer_ : Discretizer or None
        What cut the columns of numbers, to be applied to later rows; None if nothing was cut.
    """

    discretize: Literal["auto"] | Discretizer | None
    missing: Missing | Literal["auto"]

    graph_: Graph
    dag_: Graph
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
    missing_: dict[str, int]
    missing_way_: Missing
    n_em_rounds_: int
    discretizer_: Discretizer | None

    def fit(self, X: Any, y: Any = None) -> Self:
        """Learn a graph from data.

        Parameters
        ----------
        X : DataFrame, Arrow table, array, Table, path, dataset or iterator
            One categorical variable per column. Rows that lie elsewhere may be given as the path of
            a CSV file, a Parquet file or a folder of these, a list of paths, a pyarrow or Ray
            dataset, an iterator of Arrow batches, or a function that returns one.
        y : ignored
            Present because scikit-learn's pipelines pass it.

        Returns
        -------
        self
        """
        timings = Timings()
        with ExitStack() as stack:
            if is_source(X):
                discretizer = unfitted(self.discretize)
                with timings.stage("reading"):
                    X = self._open(X, stack, discretizer)
                return self._fit(X, timings, discretizer)
            return self._fit(X, timings)

    def _open(self, X: Any, stack: ExitStack, discretizer: Discretizer | None) -> Table:
        """Return the table of rows that lie elsewhere: all of them, in memory.

        The discretizer is fitted to them, and cuts their numbers.
        """
        from bnsieve.learners.whole import opened

        return stack.enter_context(opened(X, None, 0, Threads(1, map), 0, discretizer))

    def _fit(self, X: Any, timings: Timings, applied: Discretizer | None = None) -> Self:
        """Learn from data, of which the numbers may have been cut before."""
        if hasattr(self, "strengths_"):
            del self.strengths_  # they were those of other data
        with timings.stage("table"):
            X, discretizer = cut_numbers(X, self.discretize)
            if applied is not None and applied.changes_anything:
                discretizer = applied
            self.discretizer_ = discretizer
            given = Table.from_data(X)
        self.missing_ = {given.names[v]: int(mask.sum()) for v, mask in given.missing.items()}
        self.missing_way_, self.n_em_rounds_ = self._way(given), 0
        if self.missing_way_ == "level":
            given = label_missing(given)
        if self.missing_way_ == "em":
            self._learn_filled(given, timings)
        else:
            self._learn(given, timings)
        self.timings_ = timings
        self.table_ = replace(given, origin=None)
        if given.origin is not None:
            self.counted_ = given.origin.counted
        elif hasattr(self, "counted_"):
            del self.counted_  # those were other rows
        return self

    def _way(self, table: Table) -> Missing:
        """Return what is done about missing cells."""
        if self.missing not in WAYS:
            raise ValueError(f"missing must be one of {', '.join(WAYS)}; got {self.missing!r}")
        if not table.missing or self.missing == "testwise":
            return "testwise"
        if table.origin is not None:
            name = table.names[min(table.missing)]
            raise ValueError(
                f"column {name!r} has missing cells, and missing={self.missing!r} needs all rows "
                "in memory: pass a frame, or missing='testwise'"
            )
        return "level" if self.missing == "level" else "em"

    def _learn_filled(self, given: Table, timings: Timings) -> None:
        """Learn, draw the missing cells from what was learned, and learn again, in turns."""
        self._learn(given, timings)
        graph, dag, source = self.graph_, self.dag_, given
        n_tests, n_orientation_tests = self.n_tests_, self.n_orientation_tests_
        filled: Table | None = None
        for number in range(MAX_EM_ROUNDS):
            with timings.stage("filling"):
                network = fit_network(dag, source)
                filled = source = draw_missing(given, network, number, start=filled)
            self._learn(filled, timings)
            n_tests += self.n_tests_
            n_orientation_tests += self.n_orientation_tests_
            self.n_em_rounds_ = number + 1
            if self.graph_ == graph:
                break
            graph, dag = self.graph_, self.dag_
        self.n_tests_, self.n_orientation_tests_ = n_tests, n_orientation_tests

    def _learn(self, given: Table, timings: Timings) -> None:
        self.n_orientation_tests_, self.conflicts_, self.discarded_edges_ = 0, (), ()
        with timings.stage("table"):
            known = self._constraints(given)
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
        skeleton = Skeleton(0, (), {}, 0, ())
        if names:
            skeleton = self._search(given.select(names), constraints, timings)
        arrows = [(names[a], names[b]) for a, b in skeleton.arrows or ()]
        self.dag_ = Graph(given.names, directed=arrows)
        self.skeleton_ = self.dag_.skeleton()
        self.graph_ = known_class(self.dag_, known)
        self.separating_sets_ = {
            frozenset((names[a], names[b])): tuple(names[v] for v in given_variables)
            for (a, b), given_variables in skeleton.separating_sets.items()
        }
        self.n_tests_ = skeleton.n_tests
        self.constant_features_ = constant
        self.feature_names_in_ = np.array(given.names, dtype=object)
        self.n_features_in_ = given.n_variables
        with timings.stage("families"):
            self.family_counts_ = count_families(self.dag_, given)

    @abstractmethod
    def _search(self, table: Table, constraints: Constraints, timings: Timings) -> Skeleton:
        """Find a DAG over the variables of a table; their order settles ties.

        A constant variable is among them only if it has required arrows, and may have no others.
        """

    def _direct(
        self,
        skeleton: Skeleton,
        test: IndependenceTest,
        table: Table,
        constraints: Constraints,
        timings: Timings,
    ) -> Skeleton:
        """Direct the edges that a test found, with further tests; for use in `_search`."""
        with timings.stage("orientation"):
            orientation = orient(skeleton, test, constraints=constraints)
        self.n_orientation_tests_ = test.n_tests - skeleton.n_tests
        name = table.names
        self.conflicts_ = tuple((name[a], name[c], name[b]) for a, c, b in orientation.conflicts)
        self.discarded_edges_ = tuple((name[a], name[b]) for a, b in orientation.discarded)
        edges = tuple(edge for edge in skeleton.edges if edge not in orientation.discarded)
        return replace(skeleton, edges=edges, arrows=orientation.arrows)
