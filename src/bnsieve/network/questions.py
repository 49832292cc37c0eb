"""Questions to a network: the part of `BayesianNetwork` that answers them.

In: targets and what is given, by name. Out: distributions. The work is done in `inference/`.
"""

import math
import operator
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Literal, Self, overload

from bnsieve.engine import RandomState, seed_of
from bnsieve.network.answers.intervals import checked_level, with_interval
from bnsieve.network.answers.posterior import TablePosterior
from bnsieve.network.discrete.answers import (
    Distribution,
    Distributions,
    Explanation,
    Explanations,
)
from bnsieve.network.discrete.evidence import (
    Evidence,
    Given,
    in_words,
    named_targets,
    read_evidence,
)
from bnsieve.network.discrete.exact import Answered, impossible, joint_table, margins
from bnsieve.network.discrete.explanation import best_assignments
from bnsieve.network.discrete.model import Model, Values
from bnsieve.network.discrete.propagation import ImpossibleError
from bnsieve.network.discrete.sampling import DEFAULT_DRAWS, estimate
from bnsieve.network.discrete.tree import DEFAULT_MAX_BYTES
from bnsieve.network.number_questions import Method, NumberQuestions, check_method


class Questions(NumberQuestions):
    """Answers to questions, by exact inference or by sampling."""

    _numbered: Model | None
    _posterior: TablePosterior | None

    __slots__ = ()

    @overload
    def query(  # type: ignore[overload-overlap]  # a str is an iterable of str
        self,
        targets: str,
        given: Given | None = None,
        *,
        joint: bool = ...,
        interval: float | None = ...,
        method: Method = ...,
        n_draws: int = ...,
        random_state: RandomState = ...,
        max_bytes: int = ...,
    ) -> Distribution: ...

    @overload
    def query(
        self,
        targets: Iterable[str],
        given: Given | None = None,
        *,
        joint: Literal[False] = ...,
        interval: float | None = ...,
        method: Method = ...,
        n_draws: int = ...,
        random_state: RandomState = ...,
        max_bytes: int = ...,
    ) -> Distributions: ...

    @overload
    def query(
        self,
        targets: Iterable[str],
        given: Given | None = None,
        *,
        joint: Literal[True],
        interval: float | None = ...,
        method: Method = ...,
        n_draws: int = ...,
        random_state: RandomState = ...,
        max_bytes: int = ...,
    ) -> Distribution: ...

    def query(
        self,
        targets: str | Iterable[str],
        given: Given | None = None,
        *,
        joint: bool = False,
        interval: float | None = None,
        method: Method = "exact",
        n_draws: int = DEFAULT_DRAWS,
        random_state: RandomState = None,
        max_bytes: int = DEFAULT_MAX_BYTES,
    ) -> Distribution | Distributions:
        """Return how probable each label of some columns is, given what is known of others.

        Only the part of the network that bears on the targets is computed.

        Parameters
        ----------
        targets : str or iterable of str
            One column, or several.
        given : mapping from str to label or to likelihoods, optional
            What is known. ``{"smoke": "yes"}`` is a label that was seen.
            ``{"xray": {"yes": 0.8, "no": 0.2}}`` is uncertain: how probable what was seen would be
            under each label, up to a constant. It is not the probability of the label.
        joint : bool, default False
            Of several targets, the joint distribution instead of one for each.
        interval : float, optional
            Such as 0.9: give every probability an interval that holds the truth so often, as far
            as the tables are uncertain. Takes a network that was learned from data. A fitted
            learner's `query` counts in how uncertain the graph is.
        method : {"exact", "sampling"}, default "exact"
            Sampling is for questions that are too large: rows are drawn from the network and
            weighted by what is given. Every number comes with its standard error.
        n_draws : int, default 100,000
            How many rows are drawn.
        random_state : int, RandomState, Generator or None
            The seed of the draws.
        max_bytes : int, default 1 GiB
            Memory that exact inference may take. More is refused before anything is allocated.

        Returns
        -------
        Distribution
            For one target, or with `joint`.
        Distributions
            For several targets: a mapping from each to its `Distribution`.

        Raises
        ------
        ValueError
            If a column or label is unknown, a target is given, what is given has probability 0, or
            an interval is wanted of a network that was not learned or of a sampled answer.
            Evidence that has no bearing on the targets is checked if that takes little.
        TooLargeError
            If exact inference would take more than `max_bytes`.

        Examples
        --------
        >>> import bnsieve
        >>> asia = bnsieve.load_network("asia")
        >>> asia.query("lung", given={"smoke": "yes", "xray": "yes"})
        lung given smoke = yes, xray = yes
          yes  0.6460
          no   0.3540
        >>> asia.query(["lung", "bronc"], given={"smoke": "yes"}, joint=True).most_probable
        ('no', 'yes')
        """
        level = checked_level(interval)
        if self.regressions:
            if level is not None:
                raise ValueError("intervals are for networks of labels: leave out interval.")
            return self._query_mixed(targets, given, joint, method, n_draws, random_state)
        evidence = read_evidence(self._model, given)
        positions = named_targets(self._model, targets, evidence)
        alone = joint or isinstance(targets, str)
        if check_method(method) == "sampling":
            if level is not None:
                raise ValueError(
                    'intervals take exact answers: leave out interval or method="sampling".'
                )
            scopes = [tuple(positions)] if alone else [(v,) for v in positions]
            answers = self._sampled(scopes, evidence, given, n_draws, random_state)
        else:
            answers = self._exact(
                joint_table if alone else margins, positions, evidence, given, max_bytes
            )
        if level is not None:
            answers = [with_interval(one, [self._counted], given, level) for one in answers]
        return answers[0] if alone else Distributions({a.names[0]: a for a in answers})

    def marginals(
        self,
        given: Given | None = None,
        *,
        method: Method = "exact",
        n_draws: int = DEFAULT_DRAWS,
        random_state: RandomState = None,
        max_bytes: int = DEFAULT_MAX_BYTES,
    ) -> Distributions:
        """Return how probable each label of every column is, given what is known.

        Parameters
        ----------
        given, method, n_draws, random_state, max_bytes
            As for `query`.

        Returns
        -------
        Distributions
            A mapping from each column whose label is not given to its `Distribution`.
        """
        names = [name for name in self._not_seen(given) if name in self.levels]
        if self.regressions and not names:
            raise ValueError("no label is left to ask for: expect(name) says what a number may be.")
        if not names:  # nothing is left to say, but that all this can be
            self._exact(margins, [], read_evidence(self._model, given), given, max_bytes)
            return Distributions({})
        return self.query(
            names,
            given,
            method=method,
            n_draws=n_draws,
            random_state=random_state,
            max_bytes=max_bytes,
        )

    def most_probable(
        self,
        targets: str | Iterable[str] | None = None,
        given: Given | None = None,
        k: int = 1,
        *,
        max_bytes: int = DEFAULT_MAX_BYTES,
    ) -> Explanations:
        """Return the most probable labels of some columns together, given what is known.

        They need not be the most probable label of each column on its own.

        Parameters
        ----------
        targets : str or iterable of str, optional
            The columns to explain; the others are summed out. By default all that are not given,
            of which the answer is the most probable explanation (MPE); of some it is the maximum
            a posteriori (MAP), which can take far more memory.
        given, max_bytes
            As for `query`.
        k : int, default 1
            How many: the best, the second best, and so on.

        Returns
        -------
        Explanations
            At most `k`, best first, each a mapping from column to label with its probability and
            that of the next. Labels of probability 0 are left out.

        Examples
        --------
        >>> import bnsieve
        >>> asia = bnsieve.load_network("asia")
        >>> asia.most_probable(["lung", "bronc"], given={"dysp": "yes"}, k=2)
        most probable given dysp = yes
          0.7689 (next 0.1283): lung = no, bronc = yes
          0.1283 (next 0.06503): lung = no, bronc = no
        """
        k = operator.index(k)
        if k < 1:
            raise ValueError(f"k must be at least 1, got {k}.")
        evidence = read_evidence(self._model, given)
        wanted = self._not_seen(given) if targets is None else targets
        positions = named_targets(self._model, wanted, evidence) if wanted else []
        try:
            found, _ = best_assignments(self._model, positions, evidence, k + 1, max_bytes)
        except ImpossibleError:
            raise impossible(self._model, evidence, max_bytes) from None
        logs = [one.log_probability for one in found] + [-math.inf]
        model = self._model
        return Explanations(
            [
                Explanation(
                    {model.names[v]: model.levels[v][one.codes[v]] for v in positions},
                    one.log_probability,
                    following,
                )
                for one, following in zip(found[:k], logs[1:], strict=False)
            ],
            in_words(given),
        )

    def _not_seen(self, given: Given | None) -> list[str]:
        """Return the columns of which no label is given."""
        seen = {name for name, value in (given or {}).items() if not isinstance(value, Mapping)}
        return [name for name in self.graph.nodes if name not in seen]

    @property
    def _model(self) -> Model:
        """The network as numbers, made when it is first asked for."""
        self._check_labels_only("this question")
        if self._numbered is None:
            model = Model.of(self.graph.nodes, self.levels, self._parents, self.tables)
            object.__setattr__(self, "_numbered", model)
            return model
        return self._numbered

    @property
    def _counted(self) -> TablePosterior:
        """What the rows behind the tables leave uncertain."""
        if self._posterior is None:
            raise ValueError(
                "this network has no counts, so nothing says how sure its tables are: intervals "
                "take the network of a fitted learner, or of fit_parameters."
            )
        return self._posterior

    def _learned_from(self, posterior: TablePosterior | None) -> Self:
        """Take note of what the tables were estimated from; for whoever has just made it."""
        object.__setattr__(self, "_posterior", posterior)
        return self

    def _exact(
        self,
        answer: Callable[[Model, Sequence[int], Evidence, int], Answered],
        targets: Sequence[int],
        evidence: Evidence,
        given: Given | None,
        max_bytes: int,
    ) -> list[Distribution]:
        """Answer a question; what is impossible is refused by name."""
        try:
            answered = answer(self._model, targets, evidence, max_bytes)
        except ImpossibleError:
            raise impossible(self._model, evidence, max_bytes) from None
        words = in_words(given)
        return [
            self._distribution(scope, table, words, log_evidence=answered.log_evidence)
            for scope, table in answered.tables.items()
        ]

    def _sampled(
        self,
        scopes: Sequence[tuple[int, ...]],
        evidence: Evidence,
        given: Given | None,
        n_draws: int,
        random_state: RandomState,
    ) -> list[Distribution]:
        """Answer a question by sampling."""
        n_draws = operator.index(n_draws)
        if n_draws < 1:
            raise ValueError(f"n_draws must be at least 1, got {n_draws}.")
        try:
            found = estimate(self._model, scopes, evidence, n_draws, seed_of(random_state))
        except ImpossibleError:
            raise impossible(self._model, evidence, DEFAULT_MAX_BYTES) from None
        words = in_words(given)
        return [
            self._distribution(
                scope,
                table,
                words,
                errors=found.errors[scope],
                effective_draws=found.n_effective,
            )
            for scope, table in found.tables.items()
        ]

    def _distribution(
        self, scope: tuple[int, ...], table: Values, given: str, **others: Any
    ) -> Distribution:
        names = tuple(self._model.names[v] for v in scope)
        levels = tuple(self._model.levels[v] for v in scope)
        return Distribution(names, levels, table, given, **others)
