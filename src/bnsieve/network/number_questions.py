"""Questions to a network with numbers: the part of `BayesianNetwork` that answers them.

In: targets and what is given, by name. Out: what a number may be, how probable labels are. The work
is done in `numeric/`. What needs a table for every column is refused.
"""

import operator
from collections.abc import Hashable, Iterable, Mapping
from typing import Literal, get_args

import numpy as np
from numpy.typing import NDArray

from bnsieve.engine import RandomState, seed_of
from bnsieve.graph import Graph
from bnsieve.network.discrete.answers import Distribution, Distributions
from bnsieve.network.discrete.evidence import Given
from bnsieve.network.discrete.sampling import DEFAULT_DRAWS
from bnsieve.network.mixed.answers import NumberAnswer, expected, label_shares
from bnsieve.network.mixed.fitting import Node
from bnsieve.network.mixed.model import MixedModel
from bnsieve.text import listed

Method = Literal["exact", "sampling"]


class NumberQuestions:
    """Answers to questions about numbers, and about labels beside numbers."""

    graph: Graph
    levels: Mapping[str, tuple[Hashable, ...]]
    tables: Mapping[str, NDArray[np.float64]]
    regressions: Mapping[str, Node]
    _parents: Mapping[str, tuple[str, ...]]

    __slots__ = ()

    def expect(
        self,
        target: str,
        given: Given | None = None,
        *,
        method: Method = "exact",
        n_draws: int = DEFAULT_DRAWS,
        random_state: RandomState = None,
    ) -> NumberAnswer:
        """Say what a number is expected to be, given what is known of other columns.

        Parameters
        ----------
        target : str
            A number.
        given : mapping from str to number or label, optional
            What is known.
        method : {"exact", "sampling"}, default "exact"
            There is an exact answer where all numbers that bear on the question are linear in
            their parents with normal noise, and no label that does has a numeric parent. Where
            there is none, "exact" is refused; "sampling" gives an answer with its standard error.
        n_draws, random_state
            As for `query`.

        Returns
        -------
        NumberAnswer

        Raises
        ------
        ValueError
            If a column or label is unknown, what is given is impossible or too improbable for the
            draws, or there is no exact answer.

        Examples
        --------
        >>> import numpy as np, pandas as pd
        >>> import bnsieve as bn
        >>> rng = np.random.default_rng(0)
        >>> height = rng.normal(170, 10, 1000)
        >>> data = pd.DataFrame({"height": height, "weight": height - 100 + rng.normal(0, 8, 1000)})
        >>> network = bn.fit_parameters(bn.Graph(data.columns, [("height", "weight")]), data)
        >>> round(network.expect("weight", given={"height": 180}).mean)
        80
        """
        draws = self._draws(method, n_draws)
        seed = seed_of(random_state) if draws else 0
        return expected(self._mixed, target, dict(given or {}), draws, seed)

    @property
    def numbers(self) -> tuple[str, ...]:
        """The columns that are numbers, in the order of the nodes."""
        return tuple(name for name in self.graph.nodes if name not in self.levels)

    @property
    def _mixed(self) -> MixedModel:
        """The network as parts that work on columns of numbers and labels."""
        return MixedModel(self.graph, self.levels, self.tables, self._parents, self.regressions)

    def _check_labels_only(self, what: str) -> None:
        """Refuse what needs a table for every column."""
        if self.regressions:
            named = listed(map(repr, self.numbers), 3)
            raise ValueError(
                f"{what} takes a network of labels, but this one has numbers ({named}): sample, "
                "log_likelihood, query and expect work with numbers; for all else learn from "
                "numbers that are binned (prepare=Discretizer())."
            )

    def _query_mixed(
        self,
        targets: str | Iterable[str],
        given: Given | None,
        joint: bool,
        method: Method,
        n_draws: int,
        random_state: RandomState,
    ) -> Distribution | Distributions:
        """Answer for labels of a network that has numbers too."""
        names = [targets] if isinstance(targets, str) else list(targets)
        if not names:
            raise ValueError("no target is named: ask for at least one column.")
        if joint and len(names) > 1:
            raise ValueError("joint distributions are for networks of labels: leave out joint.")
        draws = self._draws(method, n_draws)
        seed = seed_of(random_state) if draws else 0
        answers = {
            name: label_shares(self._mixed, name, dict(given or {}), draws, seed) for name in names
        }
        return answers[targets] if isinstance(targets, str) else Distributions(answers)

    @staticmethod
    def _draws(method: Method, n_draws: int) -> int | None:
        """Return how many draws to take; None for an exact answer."""
        if check_method(method) == "exact":
            return None
        n_draws = operator.index(n_draws)
        if n_draws < 1:
            raise ValueError(f"n_draws must be at least 1, got {n_draws}.")
        return n_draws


def check_method(method: Method) -> Method:
    """Refuse any other way to answer."""
    if method not in get_args(Method):
        raise ValueError(f"method must be 'exact' or 'sampling', got {method!r}.")
    return method
