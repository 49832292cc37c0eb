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

    A network never changes. CPTs are kept as given; rows that do not quite sum to 1, as in files
    with rounded probabilities, are scaled when they are used.

    The network of a fit also has intervals from its counts, the equivalence class of its graph,
    and bins beside each numeric variable. Questions about states use the bins, and a number in the
    evidence stands for its bin; `expect`, `sample`, `log_likelihood`, imputed and predicted
    numbers are in units. Rows may be given as they were to the learner.

    Parameters
    ----------
    graph : Graph
        A DAG; its node order is the order of variables everywhere.
    states : mapping from str to sequence of states
        1 to 65,536 different states of each variable.
    tables : mapping from str to array
        The CPTs: one axis per parent, in the order of ``parents(name)``, the own states last.
    parents : mapping from str to sequence of str, optional
        The order of parents in a CPT; that of the graph if not named.
    regressions : mapping from str to NumberNode or StateNode, optional
        For each variable that is numeric or has a numeric parent, in place of a CPT;
        `fit_parameters` makes them.
    learned : FitRecord, optional
        Results of the fit for this network. `states` and `tables` then hold the bins of numbers.

    Notes
    -----
    Methods share these parameters. `given` is the evidence: ``{"smoke": "yes"}`` is a state;
    ``{"xray": {"yes": 0.8, "no": 0.2}}`` are likelihoods, up to a constant: the probability
    of the observation under each state. ``method="sampling"`` draws `n_draws` rows with the seed
    `random_state`, weighted by the evidence, for questions that are too large to answer exactly;
    answers have standard errors. Exact inference that would take more than `max_bytes` of memory is
    refused by `TooLargeError`; unknown names and impossible evidence by `ValueError`.

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

        A fit's are estimated when first needed, from up to 20,000 of its rows in memory.
        """
        return self.parts.regressions

    @property
    def numbers(self) -> tuple[str, ...]:
        """The numeric variables, in the order of the nodes."""
        return self.parts.numbers

    @property
    def binned(self) -> "BayesianNetwork":
        """The network with bins in place of numbers; refused where numbers have none."""
        return BayesianNetwork.of(self.parts.binned)

    @property
    def learned(self) -> FitRecord:
        """Results of the fit: counts, equivalence class, replicate graphs, rules."""
        return self.parts.learned

    @property
    def n_parameters(self) -> int:
        """The number of free parameters; of regressions that share, what they are worth."""
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
        """Return how probable each state of some variables is, given evidence.

        A fit's numeric variables have bins here; ``method="sampling"`` draws rows in units.

        Parameters
        ----------
        targets : str or iterable of str
        joint : bool, default False
            Of several targets, the joint distribution instead of one for each.
        interval : float, None or "auto", default "auto"
            Level of an interval for every probability, from draws of the CPTs given the counts. If
            the graph was learned, it allows for missing edges, and after `bootstrap` for the
            replicates' graphs; a given graph is taken to be true. "auto" is 0.9 where there are
            counts, else None for none.

        Returns
        -------
        Distribution, or Distributions
            The latter, a mapping from each target to its own, for several without `joint`.

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
        """Return `query` of every variable that is not evidence; intervals on request only."""
        return answer_marginals(self.parts, given, **options)

    def most_probable(
        self,
        targets: str | Iterable[str] | None = None,
        given: Given | None = None,
        k: int = 1,
        *,
        max_bytes: int = DEFAULT_MAX_BYTES,
    ) -> Explanations:
        """Return the `k` most probable states of some variables together, given evidence.

        Of all that are not given, the default, it is the most probable explanation (MPE); of some
        the maximum a posteriori (MAP), which can take far more memory. Each is a mapping from
        variable to state, with its probability and that of the next one.
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
        """Return mean, deviation and quantiles of a numeric variable, given evidence.

        Exact where all numbers that bear on it are linear in their parents with normal noise, and
        no categorical variable that does has a numeric parent; elsewhere refused.
        """
        draws = n_draws_of(method, n_draws)
        seed = seed_of(random_state) if draws else 0
        return expected(self.parts.mixed, target, dict(given or {}), draws, seed)

    def predict_proba(
        self, data: Any, target: str, *, interval: float | None = None,
        max_bytes: int = DEFAULT_MAX_BYTES,
    ) -> pd.DataFrame:  # fmt: skip
        """Return the probability of each state of one variable in each row of a frame.

        Values may be missing and columns absent: they are summed out exactly. The target is
        ignored if it is in the data. Numbers without bins must be known where they bear on it.
        A row is NaN where the known values are impossible together. With `interval`, such as 0.9,
        every state has three columns: "probability", "low" and "high", as `query` has them.
        """
        return state_probabilities_of_rows(self.parts, data, target, max_bytes, interval)

    def predict(
        self, data: Any, target: str, *, max_bytes: int = DEFAULT_MAX_BYTES
    ) -> "pd.Series[Any]":
        """Return the most probable state of one variable in each row, or the expected number.

        Rows are as for `predict_proba`. Of equally probable states it is the first. For a numeric
        variable of a fit with a relevant missing value, the prediction is that of `expect` if this
        is exact, else the mean of the bins, weighted by their probabilities.
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

        "most probable" is most often right; "drawn" draws those of a row from their joint
        distribution, which keeps frequencies and associations. A number becomes the mean of its
        bin, or is drawn from the bin. Other columns of a pandas DataFrame stay as they are, and so
        does a row whose known values are impossible together.
        """
        return imputed(self.parts, data, how, random_state, max_bytes)

    def log_likelihood(
        self, data: Any, *, max_bytes: int = DEFAULT_MAX_BYTES
    ) -> NDArray[np.float64]:
        """Return the natural logarithm of the probability of each row's known values.

        With numbers it is that of a density in units, and rows must be complete. All variables
        must be in the data. ``-inf`` where the network gives a row no probability.
        """
        return log_likelihoods(self.parts, data, max_bytes)

    def bic(self, data: Any) -> float:
        """Return log-likelihood less half the log of the rows per parameter; higher is better."""
        rows = self.log_likelihood(data)
        return float(rows.sum() - 0.5 * np.log(len(rows)) * self.n_parameters)

    def sample(
        self, n: int, random_state: RandomState = None, *, first_row: int = 0
    ) -> pd.DataFrame:
        """Draw rows: categorical columns with all states as categories, numbers in units.

        The same seed gives the same rows everywhere. ``sample(n, seed, first_row=m)`` continues
        ``sample(m, seed)``, so that large samples can be drawn in pieces.
        """
        return drawn_frame(self.parts, n, random_state, first_row)

    def sample_codes(
        self, n: int, random_state: RandomState = None, *, first_row: int = 0
    ) -> Codes:
        """Draw rows as positions of states, bins for numbers; shape (n_variables, n)."""
        return drawn_codes(self.parts, n, random_state, first_row)

    def do(self, states: Mapping[str, Hashable]) -> "BayesianNetwork":
        """Return the network under an intervention: some variables are set to a state.

        No edges lead to them any more. Edges are assumed to be causal; `effect` also covers those
        of a learned network that may as well point the other way.
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
        """Return what setting the treatment does to the outcome.

        With the rows of a fit, settings are compared by a doubly robust estimate beside the
        network's own, on the rows whose adjustment values occur with both; refused if there are
        none. Without rows the answer is the outcome's distribution under each setting.

        Parameters
        ----------
        treatment : str or mapping from str to state
            The variable to set: to each of its states, to one given state, or to two, (from, to).
        outcome : str
            The variable that may change.
        given : mapping from str to state or likelihoods, optional
            Evidence that is seen under the intervention.
        graph : Graph, optional
            Which directions are certain: by default the equivalence class of a fit, else this DAG.
            There is a case for each set of parents that it leaves to the treatment, with no new
            v-structures if it has all those of the network's DAG, as a CPDAG does.
        within : mapping from str to state, optional
            A subgroup, by variables that the treatment does not affect.
        interval : float, optional
            Level of the intervals; 0.9 for contrasts, none for the network's table.
        """
        return effect_of(
            self.parts, treatment, outcome, given, graph=graph, within=within, interval=interval
        )

    def next_question(
        self, target: str, given: Given | None = None, *, among: Collection[str] | None = None
    ) -> NextQuestion:
        """Rank variables by their mutual information with the target, given the evidence.

        `among` names those that can be observed; by default all others.
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

        The change from no evidence to all of it is shared by Shapley's rule, over drawn orders if
        there are more than ten variables. The state is the most probable one if not given. A fit
        adds the rules of the target's Tsetlin machine whose conditions all hold.
        """
        known = self.parts.in_states(given)
        rules = self.learned.rules(target) if self.learned.rules else ()
        holding = rules_that_hold(rules, known, given)
        seed = seed_of(random_state)
        return reasons_for(self.parts.discrete, target, known, state, seed, holding)

    def to_pgmpy(self) -> Any:
        """Return pgmpy's discrete network; its linear Gaussian one if numbers have no bins."""
        return views.pgmpy_of(self.parts)

    @classmethod
    def from_pgmpy(cls, network: Any) -> "BayesianNetwork":
        """Build a network from pgmpy's, which must have a CPT or equation for each variable."""
        return cls(*views.parts_from_pgmpy(network))

    def to_pyagrum(self) -> Any:
        """Return a `pyagrum.BayesNet`; states become text, and must then still be different."""
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
