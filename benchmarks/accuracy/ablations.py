"""`TsetlinSieve` and what is left of it when a part is taken away.

A configuration is a name and a function from a seed to a learner. Everything that is not taken away
is inherited, so that these stay the default's ablations whatever the default becomes.
"""

from collections.abc import Callable
from dataclasses import replace

from bnsieve.learners import StageSettings, TsetlinSieve


class WithoutMachine(TsetlinSieve):
    """What tells only together is not looked for."""

    def stage_settings(self) -> StageSettings:
        """Take the machines away."""
        return replace(super().stage_settings(), machines=False)


class WithoutSecondSieve(TsetlinSieve):
    """One search, among the first candidates."""

    def stage_settings(self) -> StageSettings:
        """Search once."""
        return replace(super().stage_settings(), n_resieves=0)


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
