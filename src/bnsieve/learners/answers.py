"""What a fitted learner says about its columns, and how sure it is.

In: fitted attributes. Out: distributions with intervals, effects for every graph that is left open,
the next column to look at, and reasons with rules. The network answers; what is added here is what
only the learner has: counts for other graphs, the class of its graph, cut points, the machine.
"""

from abc import abstractmethod
from collections.abc import Callable, Collection, Hashable, Iterable, Mapping
from dataclasses import replace
from typing import Any

from sklearn.base import BaseEstimator

from bnsieve.engine import RandomState
from bnsieve.explain import Findings
from bnsieve.graph import Graph
from bnsieve.knowledge import Constraints, Knowledge
from bnsieve.learners.fit_result import FitResult
from bnsieve.learners.replicates import replicate_posteriors, with_intervals
from bnsieve.network import (
    BayesianNetwork,
    Distribution,
    Distributions,
    Effect,
    Given,
    NextQuestion,
    Reasons,
    checked_level,
    rules_that_hold,
    with_interval,
)
from bnsieve.search import known_class
from bnsieve.table.prepare import Preparation


class AnswersQuestions(BaseEstimator):
    """Answers of a fitted learner.

    In all of them a number may be given for a column whose numbers were cut: it stands for the
    label of its bin.
    """

    knowledge: Knowledge | None
    graph_: Graph
    dag_: Graph
    fit_result_: FitResult
    preparation_: Preparation | None

    @property
    @abstractmethod
    def network_(self) -> BayesianNetwork:
        """`dag_` with probability tables."""

    @abstractmethod
    def _findings(self) -> Findings:
        """Return what was found, to explain it."""

    def query(
        self,
        targets: str | Iterable[str],
        given: Given | None = None,
        *,
        joint: bool = False,
        interval: float | None = 0.9,
    ) -> Distribution | Distributions:
        """Return how probable each label of some columns is, and how sure that is.

        Parameters
        ----------
        targets, given, joint
            As for `bnsieve.BayesianNetwork.query`, which answers.
        interval : float or None, default 0.9
            Every probability has an interval that is to hold the truth so often. It comes from
            draws of the tables given the counts; after `bootstrap` also of the graphs that the
            replicates found, each with tables counted in all rows. Without `bootstrap` the graph
            is taken for true, and intervals are too narrow where it is not. None for none.

        Returns
        -------
        Distribution or Distributions
        """
        level = checked_level(interval)
        network, known = self.network_, self._as_labels(given)
        ask: Callable[..., Distribution | Distributions] = network.query
        answer = ask(targets, known, joint=joint)
        if level is None:
            return answer
        posteriors = [network._counted]
        result = self.fit_result_
        if result.table is not None:
            posteriors += replicate_posteriors(result.replicate_dags, result.table, network)
        if isinstance(answer, Distribution):
            return with_interval(answer, posteriors, known, level)
        return Distributions(
            {name: with_interval(one, posteriors, known, level) for name, one in answer.items()}
        )

    def effect(
        self,
        of: str | Mapping[str, Hashable],
        on: str,
        given: Given | None = None,
        *,
        interval: float | None = None,
    ) -> Effect:
        """Return what setting one column would do to another, for every graph that is left open.

        Which columns are causes of `of`, data and knowledge may leave open: `graph_` has a line
        there. The answer has a case for each set of causes that is possible, the smallest and the
        largest probability over them, and the lines that would settle it. Lines that stand for
        arrows for which little speaks may be directed in any way without a cycle; others only so
        that the equivalence class stays the same.

        Parameters
        ----------
        of, on, given
            As for `bnsieve.BayesianNetwork.effect`.
        interval : float, optional
            Such as 0.9: every number of every case has an interval that is to hold the truth so
            often if the case is true. The bounds over all cases then reach to its ends.

        Returns
        -------
        Effect

        Notes
        -----
        Every case is computed from the joint distribution of `network_`, by adjustment for the
        causes in question. All DAGs of a class have the same joint distribution, and with it the
        same estimates, so that no table need be counted again.
        """
        network = self.network_
        known = Constraints.none(len(self.dag_.nodes))
        if self.knowledge is not None:
            known = self.knowledge.resolve(self.dag_.nodes)
        same = self.graph_ == known_class(self.dag_, known)
        labels = of if isinstance(of, str) else self._as_labels(of)
        seen = self._as_labels(given)
        level = checked_level(interval)
        effect = network.effect(labels, on, seen, graph=self.graph_, v_structures_known=same)
        if level is None:
            return effect
        return with_intervals(effect, self.fit_result_.rows, network, seen, level)

    def next_question(
        self, target: str, given: Given | None = None, *, among: Collection[str] | None = None
    ) -> NextQuestion:
        """Rank the columns by what looking at them would tell about a target.

        Parameters
        ----------
        target, given, among
            As for `bnsieve.BayesianNetwork.next_question`, which answers.
        """
        return self.network_.next_question(target, self._as_labels(given), among=among)

    def why(
        self,
        target: str,
        given: Mapping[str, Hashable],
        label: Hashable | None = None,
        *,
        random_state: RandomState = 0,
    ) -> Reasons:
        """Say what each known column does to the probability of one label, and which rules hold.

        Parameters
        ----------
        target, given, label, random_state
            As for `bnsieve.BayesianNetwork.why`, which answers.

        Returns
        -------
        Reasons
            Its `rules` are those of the target's Tsetlin machine whose conditions all hold; none if
            the learner has no machine, or was saved without its data.
        """
        network, known = self.network_, self._as_labels(given)
        reasons = network.why(target, known, label, random_state=random_state)
        if self.fit_result_.table is None:
            return reasons
        rules = rules_that_hold(self._findings().rules_of(target), known, given)
        return replace(reasons, rules=rules)

    def _as_labels(self, given: Given | None) -> dict[str, Any]:
        """Return what is given with labels in place of numbers that were cut."""
        return {name: self.label_of(name, value) for name, value in (given or {}).items()}

    def label_of(self, name: str, value: Any) -> Any:
        """Return the label that a number or a cell has in `network_`.

        Parameters
        ----------
        name : str
            A column of `network_`.
        value : object
            A label, a number of a column that was cut, or a label that was grouped with others.
            What cannot be told is returned as it is.
        """
        if isinstance(value, Mapping) or value in self.network_.levels.get(name, ()):
            return value
        return value if self.preparation_ is None else self.preparation_.label_of(name, value)
