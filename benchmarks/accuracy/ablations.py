"""`TsetlinSieve` and what is left of it when a part is taken away.

A configuration is a name and a function from a seed to a learner. Everything that is not taken away
is inherited, so that these stay the default's ablations whatever the default becomes.
"""

from collections.abc import Callable
from typing import Any
from unittest.mock import patch

from bnsieve.learners import TsetlinSieve, stages
from bnsieve.search import network_search


class WithoutMachine(TsetlinSieve):
    """No machine looks for interactions."""

    def _search(self, *given: Any) -> Any:
        with patch.object(stages, "machine_targets", lambda *_: ()):
            return super()._search(*given)


class WithoutSecondSieve(TsetlinSieve):
    """One search, among the first candidates."""

    def _search(self, *given: Any) -> Any:
        with patch.object(network_search, "extend_candidates", lambda candidates, *_: candidates):
            return super()._search(*given)


Configuration = Callable[[int], TsetlinSieve]

# The product as it comes, by scores and by tests.
DEFAULTS: dict[str, Configuration] = {
    "search": lambda seed: TsetlinSieve(random_state=seed),
    "tests": lambda seed: TsetlinSieve(method="tests", random_state=seed),
}
ABLATIONS: dict[str, Configuration] = {
    "search, marginal": lambda seed: WithoutMachine(random_state=seed),
    "search, one sieving": lambda seed: WithoutSecondSieve(random_state=seed),
    "search, 18 at first": lambda seed: TsetlinSieve(n_first_candidates=18, random_state=seed),
    "search, 2 at first": lambda seed: TsetlinSieve(n_first_candidates=2, random_state=seed),
    "search, one sieving, 2 at first": lambda seed: WithoutSecondSieve(
        n_first_candidates=2, random_state=seed
    ),
    "tests, marginal": lambda seed: WithoutMachine(method="tests", random_state=seed),
}
CONFIGURATIONS = DEFAULTS | ABLATIONS
