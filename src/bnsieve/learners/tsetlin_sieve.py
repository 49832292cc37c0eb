"""The product: association, a first search and machines name candidates, scores or tests decide."""

import warnings
from collections.abc import Hashable, Mapping, Sequence
from contextlib import AbstractContextManager
from typing import Any, Literal, Self

from sklearn.utils.validation import check_is_fitted

from bnsieve.counts import Counted, CountSource, Drift, TableRows
from bnsieve.decide import SAMPLE_SIZES, Criterion, Score, TestName
from bnsieve.engine import Engine, RandomState, Timings, one_thread_each, open_engine, seed_of
from bnsieve.knowledge import Constraints, Knowledge
from bnsieve.learners.base import StructureLearner
from bnsieve.learners.fit_result import FitContext, FitResult, SearchResult, SieveResult
from bnsieve.learners.more_rows import joined, orders_of, without_missing_label
from bnsieve.learners.preparing import Prepare
from bnsieve.learners.stages import StageSettings, machine_rows, most_in_memory, run_stages
from bnsieve.learners.validation import RULES_WITH_AUTO
from bnsieve.network import Missing
from bnsieve.rows import is_source
from bnsieve.sieve import SieveRecord
from bnsieve.table import RankMap, Table


class TsetlinSieve(StructureLearner):
    """Learns a Bayesian network's structure from few candidates per column.

    For every column association names those that matter most to it, and only these are examined.
    Given the network found, what else would add to a column's parents becomes a candidate too; and
    small weighted Tsetlin machines look for columns that tell something only together.

    * ``method="search"``: parent sets are scored, and the graph of highest score is sought over the
      orders of the columns.
    * ``method="tests"``: each arrow of that graph must also pass independence tests, given small
      sets of its head's other parents. Some two or three tests per arrow; those that fell are
      kept with their separating sets. Pure interactions, which no pair shows, do not stand.

    Either way the result is a valid CPDAG. Columns that are copies of each other under other labels
    (a code and its description) cannot be told apart by any data: the first by name (or the one
    that knowledge lets point to the others) takes part, and the others are joined to it if
    knowledge allows.

    Parameters
    ----------
    method : {"search", "tests"}, default "search"
    criterion : {"bd", "bdeu", "bic", "qnml"}, default "bd"
        What parent sets are compared by, unless there are columns that are learned from as numbers:
        then by the BIC of a covariance matrix of functions of ranks. "bd" is "bdeu" averaged with
        priors about each column's margin.
    equivalent_sample_sizes : tuple of float, default (1.0, 5.0, 25.0, 125.0, 625.0, inf)
        Equivalent sample sizes of "bd" and "bdeu", over which the marginal likelihood is averaged;
        "bd" takes every second also for a prior about the margin.
    parent_cost : float or None, default None
        Taken off the score for every parent. None means the logarithm of the number of columns:
        among more columns it takes more to be a parent.
    n_first_candidates : int, default 10
        Among more than 25 columns: how many candidates association names for each column. Of fewer
        columns all are candidates.
    n_candidates : int, default 18
        Most candidates per column, with those that were found later or at the other end.
    max_parents : int, default 8
        Largest parent set.
    alpha : float, default 0.01
        With ``method="tests"``: two columns are dependent if the p-value is below alpha.
    ci_test : {"auto", "chi2", "g2", "mi", "permutation"}, default "auto"
        With ``method="tests"``: the independence test of labels. Sets with a column that is learned
        from as a number are tested by residuals.
    knowledge : Knowledge or None, default None
        Arrows that must, or may not, be in the graph.
    missing : {"auto", "testwise", "level", "em"}, default "auto"
        What to do about missing cells. "testwise": leave out, test by test, the rows that lack one
        of its columns; a score measures what a parent adds on the rows that have it. "level": take
        "missing" for a label. "em": draw them from the network learned so far, learn again, and so
        on (structural EM). "auto": "em" with ``method="search"`` if all rows are in memory, else
        "testwise".
    prepare : {"auto"}, Preparation, Discretizer or None, default "auto"
        What to do with columns that hold no labels. "auto": the type of each column is inferred, as
        `bnsieve.prepare` does; numbers stay numbers, unless the data favour bins. A Discretizer:
        the same, but all numbers are learned from as bins of its kind. A Preparation is applied as
        it is. None: dates and fractions are refused. What was done is in `preparation_`; which
        columns stayed numbers, in `numeric_features_`.
    random_state : int, RandomState, Generator or None, default None
        Seed of the machines and the search; an int makes the result reproducible.
    n_jobs : int or None, default None
        Number of threads: None for one, -1 for one per processor; with ``engine="ray"`` of workers
        if a cluster is started, None for one per processor. The result is the same.
    engine : str, default "local"
        "local": threads; "ray": the Ray cluster that this process is connected to, or a new one on
        this machine; else the address of a running Ray cluster. The result is the same.
    sample_rows : int, default 10_000
        Of rows that lie elsewhere (files, datasets), how many are drawn to find candidates. Scores
        and tests then read counts of all rows.
    memory : int, default 2**30
        Bytes that those counts may take, about, in each worker. Columns whose table would be
        larger lose their last candidates; `trimmed_` says which.
    verbose : bool, default False
        Whether a bar shows how far `fit`, `update` and `bootstrap` are; see `bnsieve.watch`.
    n_machine_candidates : int or None, default None
        Deprecated: machines no longer name candidates one by one. Taken for `n_first_candidates`.

    Attributes
    ----------
    candidates_ : dict of str to tuple of str
        For each column the columns that were examined.
    trimmed_ : dict of str to tuple of str
        Where counts of all rows were read from files: candidates that were left out because the
        tables of counts would have been larger than `memory` allows.
    counted_ : Counted
        Where counts of all rows were read from files: those counts, to which `update` adds.
    drift_ : Drift
        After `update`: how the new rows differ from those before.
    duplicates_ : dict of str to str
        Columns that are copies under other labels, and the column that stood for them.
    score_ : float
        The score of the graph that the search found, copies left out, before its directions were
        decided.
    scoring_ : Score
        What parent sets were compared by.
    direction_scoring_ : Score
        What directions were decided by: Markov equivalent graphs score alike under it.
    arrow_margins_ : dict of (str, str) to float
        For each arrow of `dag_`, tail first, what speaks for it, in nats: by how much that score
        falls if the arrow is turned and the other edges take the directions that are best for
        that; or, if this is less, by how much `scoring_` falls if the edge is left out and others
        may take its place. In `graph_` an arrow with less than 3 nats is a line, unless columns
        were learned from as numbers.
    edge_margins_ : dict of (str, str) to float
        For each arrow of `dag_`, tail first, by how much `scoring_` falls if its edge is left out
        and other columns may take its place. Zero between copies.
    numeric_features_ : tuple of str
        Columns that were learned from as numbers; others were taken for labels.
    recut_ : dict of str to tuple of float
        Where numbers were cut again, given the network, because the rows spoke for bins; else
        empty.
    rank_maps_ : dict of str to RankMap
        From the numbers of each of them to normal scores, and back.
    sieve_ : SieveRecord or None
        What the machines were told and found; None if all columns are constant.
    sieve_recall_ : float
        What the sieve's recall is expected to be at most: of the edges found, the share that it
        had named before the search looked again for what it missed. Edges too weak for the
        search do not show in it: on average over 20 networks it is 0.97 where 0.79 (500 rows) to
        0.88 (10,000 rows) of the true ones were named.
    """

    candidates_: dict[str, tuple[str, ...]]
    trimmed_: dict[str, tuple[str, ...]]
    counted_: Counted
    drift_: Drift
    duplicates_: dict[str, str]
    score_: float
    scoring_: Score
    direction_scoring_: Score
    arrow_margins_: dict[tuple[str, str], float]
    edge_margins_: dict[tuple[str, str], float]
    numeric_features_: tuple[str, ...]
    rank_maps_: dict[str, RankMap]
    sieve_: SieveRecord | None
    sieve_recall_: float

    _needs_all_rows = False
    _rules = RULES_WITH_AUTO

    def __init__(
        self,
        *,
        method: Literal["search", "tests"] = "search",
        criterion: Criterion = "bd",
        equivalent_sample_sizes: tuple[float, ...] = SAMPLE_SIZES,
        parent_cost: float | None = None,
        n_first_candidates: int = 10,
        n_candidates: int = 18,
        max_parents: int = 8,
        alpha: float = 0.01,
        ci_test: TestName = "auto",
        knowledge: Knowledge | None = None,
        missing: Missing | Literal["auto"] = "auto",
        prepare: Prepare = "auto",
        random_state: RandomState = None,
        n_jobs: int | None = None,
        engine: str = "local",
        sample_rows: int = 10_000,
        memory: int = 2**30,
        verbose: bool = False,
        n_machine_candidates: int | None = None,
    ) -> None:
        self.method = method
        self.criterion = criterion
        self.equivalent_sample_sizes = equivalent_sample_sizes
        self.parent_cost = parent_cost
        self.n_first_candidates = n_first_candidates
        self.n_candidates = n_candidates
        self.max_parents = max_parents
        self.alpha = alpha
        self.ci_test = ci_test
        self.knowledge = knowledge
        self.missing = missing
        self.prepare = prepare
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.engine = engine
        self.sample_rows = sample_rows
        self.memory = memory
        self.verbose = verbose
        self.n_machine_candidates = n_machine_candidates

    def check_parameters(self) -> None:
        """Check every parameter, as the others do; a name that goes is warned of.

        Raises
        ------
        ValueError, TypeError
            If one is not what it may be; the message says what that is.
        """
        super().check_parameters()
        if self.n_machine_candidates is not None:
            warnings.warn(
                "n_machine_candidates is deprecated: write n_first_candidates",
                FutureWarning,
                stacklevel=3,
            )

    def _engine(self) -> AbstractContextManager[Engine]:
        return open_engine(self.engine, self.n_jobs)

    def _open(self, X: Any, engine: Engine) -> AbstractContextManager[CountSource]:
        from bnsieve.rows.file_rows import opened

        seed = seed_of(self.random_state)
        n_whole = most_in_memory(self.sample_rows)
        return opened(X, self.sample_rows, self.memory, engine, seed, n_whole)

    def update(self, X: Any) -> Self:
        """Add new rows to those that were learned from, and decide again.

        Of rows in files, only the new ones are read, once. Candidates stay as they are; `drift_`
        says whether they have gone stale, and a warning is given if so. Where columns were learned
        from as numbers, their sums add up, and their ranks stay those of the first rows. If the
        rows before were in memory, new ones are put below them, and all are learned from anew.

        Parameters
        ----------
        X : path, list of paths, dataset or iterator; or a frame
            New rows, with the columns of those before: a frame only if those were in memory, as
            all rows of a frame and of small files are. Numbers are cut as those were.

        Returns
        -------
        self

        Raises
        ------
        NotFittedError
            If this learner is not fitted.
        ValueError
            If the columns differ, or the types of their labels.
        """
        from bnsieve.learners.update import KeptCounts, add_rows, find_drift

        check_is_fitted(self, "graph_")
        self.check_parameters()
        timings = Timings()
        if not hasattr(self, "counted_"):
            with self._bar(self.verbose), one_thread_each(), self._engine() as engine:
                all_rows = TableRows(self._with_rows(X, engine))
                done = self._done_before
                self._fit(FitContext(all_rows, engine, timings, parts=done.parts), done)
            return self
        before = self.counted_
        with self._bar(self.verbose), one_thread_each(), self._engine() as engine:
            with timings.stage("counting"):
                done = self._done_before
                counted, new = add_rows(X, before, self.sample_rows, engine, done.recoding)
            source = KeptCounts(counted, self.sample_rows)
            known = dict(self.candidates_)
            self._fit(FitContext(source, engine, timings, known, done.parts), done)
            with timings.stage("drift"):
                sample = new.sample(self.sample_rows)
                self.drift_ = find_drift(
                    before.found,
                    new,
                    sample,
                    self.dag_,
                    self.candidates_,
                    self.scoring_,
                    engine.map,
                )
        self.timings_ = dict(timings)
        if self.drift_.stale:
            warnings.warn(f"{self.drift_}; fit all files again", UserWarning, stacklevel=2)
        return self

    def _with_rows(self, X: Any, engine: Engine) -> Table:
        """Return the rows learned from, and new ones below them."""
        from bnsieve.learners.update import read_rows

        before, done = self._data(), self._done_before
        if self.missing_strategy_ == "level":
            before = without_missing_label(before)
        orders: Mapping[str, Sequence[Hashable]]
        if is_source(X):
            recoding = done.recoding
            new = read_rows(X, recoding, engine)
            orders = {} if recoding is None else recoding.bins
        else:
            labelled = done.labelled(X)
            new = done.table(X) if before.numbers else Table.from_data(labelled)
            orders = orders_of(labelled)
        if {*before.names} <= {*new.names}:  # a run for a target leaves columns out
            new = new.select(before.names)
        return joined(before, new, orders)

    def _way(self, table: Table, source: CountSource) -> Missing:
        if self.missing != "auto":
            return super()._way(table, source)
        in_memory = source.n_rows == table.n_rows
        return "em" if table.missing and in_memory and self.method == "search" else "testwise"

    def _search(self, table: Table, constraints: Constraints, context: FitContext) -> SearchResult:
        settings, seed = self.stage_settings(), seed_of(self.random_state)
        sieve = None if context.candidates is None else self.sieve_
        return run_stages(table, constraints, context, settings, seed, sieve)

    def stage_settings(self) -> StageSettings:
        """Return what the stages are told; a subclass that changes them says so here."""
        return StageSettings(
            method=self.method,
            criterion=self.criterion,
            equivalent_sample_sizes=tuple(self.equivalent_sample_sizes),
            parent_cost=self.parent_cost,
            n_first_candidates=self.n_machine_candidates or self.n_first_candidates,
            n_candidates=self.n_candidates,
            max_parents=self.max_parents,
            alpha=self.alpha,
            ci_test=self.ci_test,
            sample_rows=self.sample_rows,
        )

    def _keep(self, learned: FitResult) -> None:
        super()._keep(learned)
        sieved = learned.sieved or SieveResult({}, None)
        self.candidates_, self.sieve_ = sieved.candidates, sieved.sieve
        self.duplicates_, self.trimmed_ = sieved.copies, sieved.trimmed
        self.scoring_, self.score_ = sieved.scoring, sieved.score
        self.sieve_recall_ = sieved.recall
        self.direction_scoring_, self.arrow_margins_ = sieved.direction_scoring, sieved.margins
        self.edge_margins_ = sieved.edge_margins
        self.numeric_features_, self.rank_maps_ = tuple(sieved.rank_maps), sieved.rank_maps
        self.recut_ = sieved.cuts

    def _sieved(self) -> SieveResult:
        return SieveResult(
            self.candidates_,
            self.sieve_,
            copies=self.duplicates_,
            scoring=self.scoring_,
            by_rank=True,
        )

    def _machine_rows(self) -> Table | None:
        """Return the rows that machines were trained on; None if there were no machines."""
        if self.sieve_ is None:
            return None
        return machine_rows(self._data(), self.sample_rows, self.sieve_.seed)
