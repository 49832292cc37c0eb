"""A Bayesian network: a DAG with the distribution of each variable given its parents.

In: a DAG, the states of each categorical variable, and each variable's conditional probability
table (CPT) or regression; of a fit also its record. Out: an immutable `BayesianNetwork`. It holds
`NetworkParts`; the modules beside it answer the questions.
"""

from collections.abc import Collection, Hashable, Iterable, Mapping, Sequence
from typing import Any, Unpack, overload

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray

from bnsieve.engine import RandomState, seed_of
from bnsieve.graph import Graph
from bnsieve.network import views
from bnsieve.network.causal.effect import Effect
from bnsieve.network.causal.effects import effect_of
from bnsieve.network.causal.interventions import intervened_parts
from bnsieve.network.discrete.cliques import DEFAULT_MAX_BYTES
from bnsieve.network.discrete.evidence import Given
from bnsieve.network.discrete.results import Distribution, Distributions, Explanations
from bnsieve.network.discrete.sampling import DEFAULT_DRAWS
from bnsieve.network.mixed.answers import NumberAnswer, expected
from bnsieve.network.mixed.nodes import Node
from bnsieve.network.next_question import NextQuestion, rank_questions
from bnsieve.network.parts import UNKNOWN, FitRecord, NetworkParts
from bnsieve.network.prediction import (
    Filling,
    drawn_codes,
    drawn_frame,
    imputed,
    log_likelihoods,
    predicted,
    state_probabilities_of_rows,
)
from bnsieve.network.queries import (
    AnyOptions,
    Interval,
    JointOptions,
    Method,
    QueryOptions,
    SeparateOptions,
    answer_marginals,
    answer_query,
    explanations,
    n_draws_of,
)
from bnsieve.network.reasons import Reasons, reasons_for, rules_that_hold
from bnsieve.table import Codes


class BayesianNetwork:
    """A DAG with a conditional probability table (CPT) or regression for each variable.

    A network never changes. Rows of CPTs that do not exactly sum to 1 are scaled when they are
    used.

    The network of a fit also has intervals from its counts, the equivalence class of its graph, and
    bins beside each numeric variable. Questions about states use the bins, and a number in the
    evidence means its bin. Drawn, expected and imputed numbers are in units. Pass rows in the
    form that the learner takes.

    Parameters
    ----------
    graph : Graph
        A DAG. The order of its nodes is the order of the variables.
    states : mapping from str to sequence of states
        The states of each variable: 1 to 65,536, all different.
    tables : mapping from str to array
        The CPT of each variable, with an axis for each parent, in order, and for the variable.
    parents : mapping from str to sequence of str, optional
        The order of the parents in a CPT. By default, the order in the graph.
    regressions : mapping from str to NumberNode or StateNode, optional
        The regression of each variable that is numeric or has a numeric parent.
    learned : FitRecord, optional
        Results of the fit. `states` and `tables` then contain the bins of numeric variables.

    Notes
    -----
    Several methods share these parameters. `given` is the evidence: a state, ``{"smoke": "yes"}``,
    or likelihoods, ``{"xray": {"yes": 0.8, "no": 0.2}}``. A likelihood is the probability of the
    observation under a state, up to a constant. ``method="sampling"`` draws `n_draws` rows with the
    seed `random_state`, weighted by the evidence, and answers with standard errors. If an exact
    answer would take more than `max_bytes` of memory, a `TooLargeError` is raised. Unknown names
    and impossible evidence raise a `ValueError`.

    Examples
    --------
    >>> graph = Graph(["rain", "wet"], [("rain", "wet")])
    >>> states = {"rain": ["no", "yes"], "wet": ["no", "yes"]}
    >>> tables = {"rain": [0.8, 0.2], "wet": [[0.9, 0.1], [0.0, 1.0]]}
    >>> BayesianNetwork(graph, states, tables)
    BayesianNetwork with 2 nodes, 1 arc and 3 parameters
    """

    parts: NetworkParts

    __slots__ = ("parts",)

    def __init__(
        self,
        graph: Graph,
        states: Mapping[str, Sequence[Hashable]],
        tables: Mapping[str, ArrayLike],
        parents: Mapping[str, Sequence[str]] | None = None,
        regressions: Mapping[str, Node] | None = None,
        *,
        learned: FitRecord = UNKNOWN,
    ) -> None:
        parts = NetworkParts.checked(graph, states, tables, parents, regressions, learned)
        object.__setattr__(self, "parts", parts)

    @classmethod
    def of(cls, parts: NetworkParts) -> "BayesianNetwork":
        """Return the network of parts that were checked before."""
        made = object.__new__(cls)
        object.__setattr__(made, "parts", parts)
        return made

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError(f"a BayesianNetwork never changes: {name} cannot be set.")

    @property
    def graph(self) -> Graph:
        """The DAG."""
        return self.parts.graph

    @property
    def states(self) -> Mapping[str, tuple[Hashable, ...]]:
        """The states of each categorical variable; ``binned.states`` has the bins of numbers."""
        return self.parts.states

    @property
    def tables(self) -> Mapping[str, NDArray[np.float64]]:
        """The CPT of each categorical variable without numeric parents: read-only arrays."""
        return self.parts.tables

    @property
    def regressions(self) -> Mapping[str, Node]:
        """The regression of each variable that is numeric or has a numeric parent.

        Those of a fit are estimated at first use, from up to 20,000 of its rows in memory.
        """
        return self.parts.regressions

    @property
    def numbers(self) -> tuple[str, ...]:
        """The numeric variables, in the order of the nodes."""
        return self.parts.numbers

    @property
    def binned(self) -> "BayesianNetwork":
        """The network with bins in place of numbers; an error if a number has no bins."""
        return BayesianNetwork.of(self.parts.binned)

    @property
    def learned(self) -> FitRecord:
        """Results of the fit: counts, equivalence class, replicate graphs, rules."""
        return self.parts.learned

    @property
    def n_parameters(self) -> int:
        """The number of free parameters; shared coefficients of regressions count in part."""
        return self.parts.n_parameters

    def parents(self, node: str) -> tuple[str, ...]:
        """Return the parents of a node, in the order of its CPT's axes."""
        try:
            return self.parts.parents[node]
        except (KeyError, TypeError):
            raise ValueError(f"the network has no node {node!r}.") from None

    @overload
    def query(  # type: ignore[overload-overlap]  # a str is an iterable of str
        self, targets: str, given: Given | None = ..., **options: Unpack[AnyOptions]
    ) -> Distribution: ...
    @overload
    def query(
        self, targets: Iterable[str], given: Given | None = ..., **options: Unpack[SeparateOptions]
    ) -> Distributions: ...
    @overload
    def query(
        self, targets: Iterable[str], given: Given | None = ..., **options: Unpack[JointOptions]
    ) -> Distribution: ...
    def query(
        self,
        targets: str | Iterable[str],
        given: Given | None = None,
        *,
        joint: bool = False,
        interval: Interval = "auto",
        method: Method = "exact",
        n_draws: int = DEFAULT_DRAWS,
        random_state: RandomState = None,
        max_bytes: int = DEFAULT_MAX_BYTES,
    ) -> Distribution | Distributions:
        """Return the probability of each state of one or more variables, given evidence.

        Numeric variables of a fit are answered in bins. ``method="sampling"`` uses their units.

        Parameters
        ----------
        targets : str or iterable of str
            The variables to query.
        joint : bool, default False
            Whether several targets get one joint distribution, instead of one distribution each.
        interval : float, None or "auto", default "auto"
            The level of the intervals, which come from draws of the CPTs. With a learned graph,
            they allow for missing edges and, after `bootstrap`, for the graphs of the replicates.
            None: no intervals. "auto": 0.9 if there are counts, else None.

        Returns
        -------
        Distribution, or Distributions
            Several targets without `joint` give a mapping from each target to its distribution.

        Examples
        --------
        >>> import bnsieve
        >>> asia = bnsieve.load_network("asia")
        >>> asia.query("lung", given={"smoke": "yes", "xray": "yes"})
        lung given smoke = yes, xray = yes
          yes  0.6460
          no   0.3540
        """
        return answer_query(
            self.parts, targets, given, joint=joint, interval=interval, method=method,
            n_draws=n_draws, random_state=random_state, max_bytes=max_bytes,
        )  # fmt: skip

    def marginals(
        self, given: Given | None = None, **options: Unpack[QueryOptions]
    ) -> Distributions:
        """Return `query` for every variable that is not evidence, by default without intervals."""
        return answer_marginals(self.parts, given, **options)

    def most_probable(
        self,
        targets: str | Iterable[str] | None = None,
        given: Given | None = None,
        k: int = 1,
        *,
        max_bytes: int = DEFAULT_MAX_BYTES,
    ) -> Explanations:
        """Return the `k` most probable joint states of some variables, given evidence.

        For all variables that are not evidence, the default, this is the most probable explanation
        (MPE). For some of them, it is the maximum a posteriori (MAP), which can take far more
        memory.
        """
        states = self.parts.in_states(given)
        return explanations(self.parts.discrete, targets, states, k, max_bytes)

    def expect(
        self,
        target: str,
        given: Given | None = None,
        *,
        method: Method = "exact",
        n_draws: int = DEFAULT_DRAWS,
        random_state: RandomState = None,
    ) -> NumberAnswer:
        """Return the mean, standard deviation and quantiles of a numeric variable, given evidence.

        An exact answer exists if all relevant numbers are linear in their parents with normal
        noise, and no relevant categorical variable has a numeric parent. Else use
        ``method="sampling"``.
        """
        draws = n_draws_of(method, n_draws)
        seed = seed_of(random_state) if draws else 0
        return expected(self.parts.mixed, target, dict(given or {}), draws, seed)

    def predict_proba(
        self, data: Any, target: str, *, interval: float | None = None,
        max_bytes: int = DEFAULT_MAX_BYTES,
    ) -> pd.DataFrame:  # fmt: skip
        """Return the probability of each state of one variable in each row of a frame.

        Missing values and absent columns are summed out exactly. The target is ignored. Relevant
        numbers without bins must be known. If the known values of a row are impossible together,
        its probabilities are NaN. With `interval`, such as 0.9, every state has the columns
        "probability", "low" and "high".
        """
        return state_probabilities_of_rows(self.parts, data, target, max_bytes, interval)

    def predict(
        self, data: Any, target: str, *, max_bytes: int = DEFAULT_MAX_BYTES
    ) -> "pd.Series[Any]":
        """Return the most probable state of one variable in each row, or the expected number.

        Rows are as for `predict_proba`. The first of equally probable states is returned. If a
        relevant value is missing, a number of a fit is predicted by the exact answer of `expect`.
        If there is none, the prediction is the mean of the bins, weighted by their probabilities.
        """
        return predicted(self.parts, data, target, max_bytes)

    def impute(
        self,
        data: Any,
        how: Filling = "most probable",
        random_state: RandomState = None,
        *,
        max_bytes: int = DEFAULT_MAX_BYTES,
    ) -> pd.DataFrame:
        """Fill missing values of a frame, given the known values of each row.

        "most probable" makes the fewest errors. "drawn" draws the missing values of a row from
        their joint distribution, which preserves frequencies and associations. A number becomes the
        mean of its bin, or is drawn from the bin. Rows whose known values are impossible together
        stay unchanged.
        """
        return imputed(self.parts, data, how, random_state, max_bytes)

    def log_likelihood(
        self, data: Any, *, max_bytes: int = DEFAULT_MAX_BYTES
    ) -> NDArray[np.float64]:
        """Return the natural logarithm of the probability of each row's known values.

        With numeric variables, it is the logarithm of a density in units, and rows must be
        complete. All variables must be in the data. Rows with probability zero give ``-inf``.
        """
        return log_likelihoods(self.parts, data, max_bytes)

    def bic(self, data: Any) -> float:
        """Return the BIC, with the sign of bnlearn: higher is better."""
        rows = self.log_likelihood(data)
        return float(rows.sum() - 0.5 * np.log(len(rows)) * self.n_parameters)

    def sample(
        self, n: int, random_state: RandomState = None, *, first_row: int = 0
    ) -> pd.DataFrame:
        """Draw rows: categorical columns with all states, and numbers in units.

        The same seed gives the same rows everywhere. ``sample(n, seed, first_row=m)`` continues
        ``sample(m, seed)``, so large samples can be drawn in pieces.
        """
        return drawn_frame(self.parts, n, random_state, first_row)

    def sample_codes(
        self, n: int, random_state: RandomState = None, *, first_row: int = 0
    ) -> Codes:
        """Draw rows as positions of states or bins, shape (n_variables, n)."""
        return drawn_codes(self.parts, n, random_state, first_row)

    def do(self, states: Mapping[str, Hashable]) -> "BayesianNetwork":
        """Return the network under an intervention: some variables are set to a state.

        The edges into these variables are removed. Edges are assumed to be causal.
        """
        return BayesianNetwork.of(intervened_parts(self.parts, states))

    def effect(
        self,
        treatment: str | Mapping[str, Hashable],
        outcome: str,
        given: Given | None = None,
        *,
        graph: Graph | None = None,
        within: Mapping[str, Hashable] | None = None,
        interval: float | None = None,
    ) -> Effect:
        """Estimate the effect of setting the treatment on the outcome.

        With the rows of a fit, a doubly robust estimate compares two settings, on the rows whose
        adjustment values occur with both. If there are none, an error is raised. Without rows, the
        answer is the distribution of the outcome under each setting.

        Parameters
        ----------
        treatment : str or mapping from str to state
            The variable to set. A mapping names a state, or two as (from, to).
        outcome : str
            The variable that may change.
        given : mapping from str to state or likelihoods, optional
            Evidence that is observed under the intervention.
        graph : Graph, optional
            A graph, by default the equivalence class of a fit, else the DAG. The answer has a case
            for each set of parents of the treatment that it allows.
        within : mapping from str to state, optional
            A subgroup, defined by variables that the treatment does not affect.
        interval : float, optional
            The level of the intervals. By default, contrasts have 0.9, and the network's table has
            no intervals.
        """
        return effect_of(
            self.parts, treatment, outcome, given, graph=graph, within=within, interval=interval
        )

    def next_question(
        self, target: str, given: Given | None = None, *, among: Collection[str] | None = None
    ) -> NextQuestion:
        """Rank variables by their mutual information with the target, given the evidence.

        `among` names the variables that can be observed, by default all that are not evidence.
        """
        states = self.parts.in_states(given)
        return rank_questions(self.parts.discrete, self.graph, target, states, among)

    def why(
        self,
        target: str,
        given: Mapping[str, Hashable],
        state: Hashable | None = None,
        *,
        random_state: RandomState = 0,
    ) -> Reasons:
        """Return the effect of each piece of evidence on the probability of one state.

        Shapley values divide the change from no evidence to all evidence among the variables. With
        more than ten variables, they are estimated from random orders. The default state is the
        most probable one. A fit adds the rules of the target's Tsetlin machine whose conditions all
        hold.
        """
        known = self.parts.in_states(given)
        rules = self.learned.rules(target) if self.learned.rules else ()
        holding = rules_that_hold(rules, known, given)
        seed = seed_of(random_state)
        return reasons_for(self.parts.discrete, target, known, state, seed, holding)

    def to_pgmpy(self) -> Any:
        """Return a discrete network of pgmpy; a linear Gaussian one if numbers have no bins."""
        return views.pgmpy_of(self.parts)

    @classmethod
    def from_pgmpy(cls, network: Any) -> "BayesianNetwork":
        """Build a network from one of pgmpy with a CPT or equation for each variable."""
        return cls(*views.parts_from_pgmpy(network))

    def to_pyagrum(self) -> Any:
        """Return a `pyagrum.BayesNet`. States become text, and must be different as text."""
        return views.pyagrum_of(self.parts)

    @classmethod
    def from_pyagrum(cls, network: Any) -> "BayesianNetwork":
        """Build a network from a `pyagrum.BayesNet`."""
        return cls(*views.parts_from_pyagrum(network))

    def __eq__(self, other: object) -> bool:
        return self.parts == other.parts if isinstance(other, BayesianNetwork) else NotImplemented

    __hash__ = None  # type: ignore[assignment]  # CPTs are too large to be worth hashing

    def __reduce__(self) -> tuple[Any, ...]:
        return BayesianNetwork.of, (self.parts,)

    def __repr__(self) -> str:
        return views.text_of(self.parts)

    def _repr_html_(self) -> str:
        """Return what a notebook shows: a picture, and each variable's states and parents."""
        return views.html_of(self.parts)
