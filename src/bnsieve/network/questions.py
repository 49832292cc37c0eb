"""Questions to a network: the part of `BayesianNetwork` that answers them.

In: targets and what is given, by name. Out: distributions. The work is done in `inference/`.
"""

from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from typing import Literal, Self, overload

import numpy as np
from numpy.typing import NDArray

from bnsieve.graph import Graph
from bnsieve.network.answers.intervals import checked_level, with_interval
from bnsieve.network.answers.posterior import TablePosterior
from bnsieve.network.inference.answers import Distribution, Distributions
from bnsieve.network.inference.evidence import (
    Evidence,
    Given,
    in_words,
    named_targets,
    read_evidence,
)
from bnsieve.network.inference.exact import Answered, impossible, joint_table, margins
from bnsieve.network.inference.model import Model
from bnsieve.network.inference.propagation import ImpossibleError
from bnsieve.network.inference.tree import DEFAULT_MAX_BYTES


class Questions:
    """Answers to questions, by exact inference."""

    graph: Graph
    levels: Mapping[str, tuple[Hashable, ...]]
    tables: Mapping[str, NDArray[np.float64]]
    _parents: Mapping[str, tuple[str, ...]]
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
        max_bytes: int = ...,
    ) -> Distribution: ...

    def query(
        self,
        targets: str | Iterable[str],
        given: Given | None = None,
        *,
        joint: bool = False,
        interval: float | None = None,
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
        max_bytes : int, default 1 GiB
            Memory that the tables may take. More is refused before anything is allocated.

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
            an interval is wanted of a network that was not learned.
        TooLargeError
            If it would take more than `max_bytes`.

        Examples
        --------
        >>> import bnsieve
        >>> asia = bnsieve.load_network("asia")
        >>> asia.query("lung", given={"smoke": "yes", "xray": "yes"})
        lung given smoke = yes, xray = yes
          yes  0.6460
          no   0.3540
        >>> asia.query(["lung", "bronc"], given={"smoke": "yes"}, joint=True)["yes", "no"]
        0.04
        """
        level = checked_level(interval)
        evidence = read_evidence(self._model, given)
        alone = isinstance(targets, str)
        positions = named_targets(self._model, targets, evidence)
        answered = self._guarded(
            joint_table if alone or joint else margins, positions, evidence, max_bytes
        )
        answers = self._distributions(answered, given)
        if level is not None:
            answers = [with_interval(one, [self._counted], given, level) for one in answers]
        return answers[0] if alone or joint else Distributions({a.names[0]: a for a in answers})

    def marginals(
        self, given: Given | None = None, *, max_bytes: int = DEFAULT_MAX_BYTES
    ) -> Distributions:
        """Return how probable each label of every column is, given what is known.

        Parameters
        ----------
        given, max_bytes
            As for `query`.

        Returns
        -------
        Distributions
            A mapping from each column whose label is not given to its `Distribution`.
        """
        evidence = read_evidence(self._model, given)
        seen = {name for name, value in (given or {}).items() if not isinstance(value, Mapping)}
        open_ = [v for v, name in enumerate(self._model.names) if name not in seen]
        answered = self._guarded(margins, open_, evidence, max_bytes)
        return Distributions({a.names[0]: a for a in self._distributions(answered, given)})

    @property
    def _model(self) -> Model:
        """The network as numbers, made when it is first asked for."""
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

    def _guarded(
        self,
        answer: Callable[[Model, Sequence[int], Evidence, int], Answered],
        targets: Sequence[int],
        evidence: Evidence,
        max_bytes: int,
    ) -> Answered:
        """Answer a question; what is impossible is refused by name."""
        try:
            return answer(self._model, targets, evidence, max_bytes)
        except ImpossibleError:
            raise impossible(self._model, evidence, max_bytes) from None

    def _distributions(self, answered: Answered, given: Given | None) -> list[Distribution]:
        model, words = self._model, in_words(given)
        return [
            Distribution(
                tuple(model.names[v] for v in scope),
                tuple(model.levels[v] for v in scope),
                table,
                words,
                answered.log_evidence,
            )
            for scope, table in answered.tables.items()
        ]
