"""What a fitted learner answers: probability tables, confidence, evidence.

What every learner can be asked once it is fitted. It reads fitted attributes only.
"""

from collections.abc import Hashable, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import replace
from importlib.metadata import version
from os import PathLike
from typing import Any

import numpy as np
import pandas as pd
from sklearn import get_config
from sklearn.base import clone
from sklearn.utils.validation import check_is_fitted

from bnsieve.counts import ScannedCounts, count
from bnsieve.decide import CountsTest, Score
from bnsieve.engine import RandomState, inner_stage, one_thread_each, watch, watched
from bnsieve.explain import (
    Determinism,
    EdgeStrengths,
    EdgeSupport,
    Findings,
    Progress,
    Resample,
    ScoreGain,
    edge_strengths,
    find_determinism,
)
from bnsieve.graph import Graph
from bnsieve.knowledge import Constraints, Knowledge
from bnsieve.learners.fit_result import SieveResult
from bnsieve.learners.kept_replicates import KeptReplicates
from bnsieve.learners.numeric import NumericModel
from bnsieve.learners.saving.archive import PLACE, write_archive
from bnsieve.learners.showing import learner_html
from bnsieve.network import BayesianNetwork, FamilyCounts, Missing, label_missing
from bnsieve.table import Table
from bnsieve.table.prepare import Preparation


class LearnedModel(NumericModel):
    """What a fitted learner answers.

    Attributes
    ----------
    table_ : Table
        The data as codes, kept for `bootstrap` and `explain`.
    family_counts_ : FamilyCounts
        How often each column's labels occur with those of its parents in `dag_`. Its method
        ``network`` gives other estimates of the probability tables than `network_`.
    strengths_ : EdgeStrengths or None
        What `bootstrap` found; None until it is called.
    replicate_dags_ : tuple of Graph
        The DAG of each of its replicates; empty until it is called. `query` uses them.
    """

    knowledge: Knowledge | None
    verbose: bool

    graph_: Graph
    dag_: Graph
    separating_sets_: dict[frozenset[str], tuple[str, ...]]
    table_: Table
    preparation_: Preparation | None
    missing_strategy_: Missing
    family_counts_: FamilyCounts
    strengths_: EdgeStrengths | None = None

    # Where the data leave a choice, as between columns that are copies of each other, the order of
    # the columns settles it: by name, or in a replicate by chance, so that no choice that could
    # as well have been another looks certain.
    _order_seed: int | None = None
    # Of a replicate: columns that were made from one, before its rows were drawn.
    _parts: tuple[tuple[str, ...], ...] = ()

    @property
    def network_(self) -> BayesianNetwork:
        """`dag_` with probability tables: posterior means, equivalent sample size 1.

        Columns of numbers have the labels of their bins, whether they were learned from as numbers
        or not; `numeric_network_` has them in units. Computed from `family_counts_` when asked for.
        """
        check_is_fitted(self, "graph_")
        return self.family_counts_.posterior

    def score(self, X: Any, y: Any = None) -> float:
        """Return the mean log-likelihood of rows under `network_`, in nats per row.

        On rows that were held out it says how well the network explains new data; higher is
        better. `sklearn.model_selection.cross_val_score` uses it. Of a row with missing cells
        it is the likelihood of its known cells.

        Parameters
        ----------
        X : DataFrame, Arrow table, array or Table
            The columns of the data that was learned from, prepared as that was.
        y : ignored
            Present because scikit-learn's tools pass it.

        Raises
        ------
        NotFittedError
            If the learner is not fitted.
        ValueError
            If a column is missing, or a label was never seen.
        """
        network = self.network_
        return float(network.log_likelihood(self._rows(X)).mean())

    def predict(self, X: Any, target: str) -> "pd.Series[Any]":
        """Return the most probable label of one column in each row, given the others.

        Of a column that was learned from as a number, the expected number.

        Parameters
        ----------
        X : DataFrame, Arrow table, array or Table
            The columns of the data that was learned from, prepared as that was. The target may be
            left out; what it holds is not looked at.
        target : str
            A column of `network_`.
        """
        if target in self.numeric_features_ and hasattr(self, "table_"):
            return self._predicted_numbers(X, target)
        return self.network_.predict(self._rows(X, without=target).to_frame(), target)

    def labelled(self, frame: pd.DataFrame) -> pd.DataFrame:
        """Return later rows as labels, as far as they have the columns that were learned from.

        Parameters
        ----------
        frame : pandas.DataFrame
            Columns may lack.
        """
        frame = frame.rename(columns=str)
        names = frame.columns.tolist()
        if self.preparation_ is not None:
            found = self.preparation_.among(names).apply(frame)
        else:
            found = frame
        kept: pd.DataFrame = found[[one for one in found if one in self.dag_.nodes]]
        return kept

    def _rows(self, X: Any, without: str | None = None) -> Table:
        """Return later rows as labels, as those learned from were; one column may lack."""
        table = Table.from_data(self._done_before.without(without, X).labelled(X))
        return label_missing(table) if self.missing_strategy_ == "level" else table

    def bootstrap(
        self,
        n: int = 200,
        *,
        resample: Resample = "half",
        random_state: RandomState = None,
        n_jobs: int | None = None,
        progress: bool | Progress = False,
        folder: str | PathLike[str] | None = None,
    ) -> EdgeStrengths:
        """Learn again from resampled rows, and see how often each edge is found.

        Each replicate also settles by chance what the data leave open: of two columns that are
        copies of each other, either may be the one that is joined to the others. Of rows that lie
        in files, those of the sample are resampled.

        Parameters
        ----------
        n : int, default 200
            Number of replicates.
        resample : {"half", "bootstrap"}, default "half"
            The rows of each replicate: half of them, drawn without repeats, or as many as there
            are, drawn with repeats. Repeated rows look like evidence that is not there, and make
            false edges stronger.
        random_state : int, RandomState, Generator or None
            Seed; that of the learner if not given and an int.
        n_jobs : int, optional
            Replicates that run at the same time, in threads of this process; as for the learner if
            not given. The result is the same.
        progress : bool or callable, default False
            True shows a bar, as `verbose` of the learner does; a callable gets the number of
            replicates done and `n`.
        folder : str or path, optional
            Where each replicate is kept once it is learned. Called again with the same rows and
            seed, those that are there are read: a bootstrap that was ended goes on.

        Returns
        -------
        EdgeStrengths
            Also kept as `strengths_`.
        """
        own = self.get_params(deep=False)
        if random_state is None and isinstance(own.get("random_state"), int | np.integer):
            random_state = int(own["random_state"])
        if folder is not None and not isinstance(random_state, int | np.integer):
            raise ValueError("replicates kept in a folder need a seed: pass random_state, an int")
        check_is_fitted(self, "graph_")
        parts = self._done_before.parts
        kept = None if folder is None else KeptReplicates(folder, type(self), own, parts)
        dags: dict[int, Graph] = {}

        def learn(table: Table, seed: int) -> Graph:
            found = kept.graphs(table, seed, replicate) if kept else replicate(table, seed)
            graph, dags[seed] = found
            return graph

        def replicate(table: Table, seed: int) -> tuple[Graph, Graph]:
            replica = clone(self)
            # A column that is missing in all rows drawn is not in the table.
            known = self.knowledge and self.knowledge.among(table.names)
            changes = {"random_state": seed, "knowledge": known, **PLACE}
            replica.set_params(**{name: v for name, v in changes.items() if name in own})
            replica._order_seed, replica._parts = seed, parts
            with watched(None):  # replicates have stages of their own, which nobody wants to see
                replica.fit(table)
            return replica.graph_, replica.dag_

        def report(done: int, total: int) -> None:
            tell(1)
            if callable(progress):
                progress(done, total)

        shown = self._bar(self.verbose or progress is True)
        with shown, inner_stage("bootstrap", n, "replicates") as tell:
            found = edge_strengths(
                self._data(),
                learn,
                n=n,
                resample=resample,
                random_state=random_state,
                n_jobs=own.get("n_jobs") if n_jobs is None else n_jobs,
                progress=report,
            )
        # Replicates end in any order; that of their seeds is always the same.
        self.replicate_dags_ = tuple(dags[seed] for seed in sorted(dags))
        self.strengths_ = strengths = replace(found, knowledge=self.knowledge)
        return strengths

    def explain(self, x: str, y: str) -> EdgeSupport:
        """Say why two columns are joined, or why they are not.

        Parameters
        ----------
        x, y : str
            Two columns.

        Returns
        -------
        EdgeSupport
            To print, or to take apart: association, importance in each other's machine and the
            rules in which they meet (where there is a sieve), tests, what the edge is worth to
            the score, and the edge's strength if `bootstrap` was called.
        """
        with one_thread_each():
            return self._findings().explain(x, y)

    def determinism(self) -> Determinism:
        """Say which columns are functions or copies of others, and which labels are one fact.

        Only columns that the network joins are compared, in counts of all rows. A claim needs ten
        rows that would contradict it by chance, of which at most one in a hundred does.

        Returns
        -------
        Determinism
            To print, or to take apart: `functions`, `facts` and one-way `implications`.
        """
        check_is_fitted(self, "graph_")
        nodes, families = self.dag_.nodes, self.family_counts_.tables
        tables = [families[name] for name in nodes]
        levels: Mapping[str, Sequence[Hashable]] = self.family_counts_.levels
        if self.missing_strategy_ == "em" and hasattr(self, "table_"):
            # The families count cells that were drawn; what was drawn proves nothing.
            table = self.table_.select(nodes)
            levels = dict(zip(nodes, table.levels, strict=True))
            tables = [count(table, family.variables) for family in tables]
        sieved = self._sieved()
        return find_determinism(nodes, levels, tables, None if sieved is None else sieved.copies)

    def support_frame(self) -> pd.DataFrame:
        """Return one line for every pair of columns: edge, association and what else is known.

        Columns: x, y, edge ("->", "<-", "-" or empty), association; importance_of_x (in the
        machine of y), importance_of_y and candidate where there is a sieve; separating_set;
        strength and direction (of x -> y) if `bootstrap` was called.
        """
        return self._findings().frame()

    def edge_gains(self) -> list[ScoreGain]:
        """Return by how much the score falls without each arrow of `dag_`, the most first.

        In nats: a network that differs in this arrow alone explains the data worse by a factor of
        ``exp(gain)``. Of rows that lie in files, those of the sample count.
        """
        return self._findings().edge_gains()

    def save(self, path: str | PathLike[str], *, data: bool = True) -> None:
        """Write this fitted learner to a file, which `bnsieve.load_learner` reads again.

        The file is a zip archive of JSON and numbers: no pickle, no code.

        Parameters
        ----------
        path : str or path
            Where to; a file that is there is replaced.
        data : bool, default True
            Keep the rows, without which `bootstrap`, `explain` and `update` cannot work. The counts
            behind the network, and the graph, are kept either way. Of files that were sampled, the
            sample is kept, not where they are.

        Raises
        ------
        NotFittedError
            If the learner is not fitted.
        TypeError
            If a parameter is of a type that a file cannot hold, such as a `RandomState`.
        """
        check_is_fitted(self, "graph_")
        fitted = {name: value for name, value in vars(self).items() if name.endswith("_")}
        if not data:
            for name in ("table_", "counted_"):  # the second holds a sample of the rows
                fitted.pop(name, None)
        parameters = self.get_params(deep=False)
        write_archive(path, type(self), parameters, fitted, version("bnsieve"))

    def _repr_html_inner(self) -> str:
        """Return what a notebook shows: what was learned, or scikit-learn's picture before that."""
        fitted = hasattr(self, "graph_")
        html: str = learner_html(self) if fitted else super()._repr_html_inner()
        return html

    def _repr_mimebundle_(self, **kwargs: Any) -> dict[str, str]:
        """Return the same for a kernel, where scikit-learn is set to show pictures."""
        # scikit-learn's own would ask for every attribute, of which some take long to compute.
        bundle = {"text/plain": repr(self)}
        if get_config()["display"] == "diagram":
            bundle["text/html"] = self._repr_html_inner()
        return bundle

    def _bar(self, wanted: bool) -> AbstractContextManager[None]:
        """Show a bar as long as the context lasts, if it is wanted."""
        return watch() if wanted else nullcontext()

    def _data(self) -> Table:
        """Return the rows, unless they were left out when this learner was saved."""
        check_is_fitted(self, "graph_")
        if not hasattr(self, "table_"):
            raise ValueError("this learner was saved without its data: fit it again")
        return self.table_

    def _constraints(self, table: Table, parts: Sequence[Sequence[str]]) -> Constraints:
        """Return what `knowledge` means for the columns of a table; parts are not joined."""
        known = Constraints.none(table.n_variables)
        if self.knowledge is not None:
            known = self.knowledge.resolve(table.names)
        number = {name: i for i, name in enumerate(table.names)}
        return known.apart([[number[name] for name in one if name in number] for one in parts])

    def _sieved(self) -> SieveResult | None:
        """Return what the sieve found; None if this learner has none."""
        return None

    def _machine_rows(self) -> Table | None:
        """Return the rows that machines were trained on; None if this learner has none."""
        return None

    def _findings(self) -> Findings:
        check_is_fitted(self, "graph_")
        own = self.get_params(deep=False)
        sieved = self._sieved()
        counts = CountsTest(
            ScannedCounts(self._data()),
            method=own.get("ci_test", "auto"),
            alpha=own.get("alpha", 0.01),
        )
        return Findings(
            self._data(),
            self.graph_,
            self.dag_,
            self._independence_test(counts),
            Score() if sieved is None else sieved.scoring,
            self.separating_sets_,
            candidates=None if sieved is None else sieved.candidates,
            duplicates=None if sieved is None else sieved.copies,
            sieve=None if sieved is None else sieved.sieve,
            strengths=self.strengths_,
            constraints=self._constraints(self._data(), self._done_before.parts),
            confirmed=getattr(self, "confirmed_edges_", ()),
            margins=getattr(self, "arrow_margins_", {}),
            deterministic=self.determinism().pairs,
            as_numbers=None if sieved is None else self._as_numbers(sieved.scoring.parent_cost),
            by_rank=sieved is not None and sieved.by_rank,
            machine_rows=self._machine_rows(),
        )
