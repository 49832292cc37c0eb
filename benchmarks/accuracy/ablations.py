"""`TsetlinSieve` and what is left of it when a part is taken away.

A configuration is a name and a function from a seed to a learner. Everything that is not taken away
is inherited, so that these stay the default's ablations whatever the default becomes.
"""

from collections.abc import Callable
from dataclasses import replace

from bnsieve.learners import StageSettings, TsetlinSieve


class WithoutMachine(TsetlinSieve):
    """Candidates by marginal association only."""

    def stage_settings(self) -> StageSettings:
        """Take the machines away."""
        return replace(super().stage_settings(), machines=False, all_of_few=False)


class WithoutAssociation(TsetlinSieve):
    """Candidates by the machines only."""

    def stage_settings(self) -> StageSettings:
        """Take association away."""
        return replace(super().stage_settings(), association=False)


class WithoutSecondSieve(TsetlinSieve):
    """One search, among the first candidates."""

    def stage_settings(self) -> StageSettings:
        """Search once."""
        return replace(super().stage_settings(), n_resieves=0)


class MachineOnce(WithoutSecondSieve, WithoutAssociation):
    """Candidates by the machines only, and one search."""


class AssociationOnce(WithoutSecondSieve, WithoutMachine):
    """Candidates by marginal association only, and one search."""


Configuration = Callable[[int], TsetlinSieve]

# The product as it comes, by scores and by tests.
DEFAULTS: dict[str, Configuration] = {
    "search": lambda seed: TsetlinSieve(random_state=seed),
    "tests": lambda seed: TsetlinSieve(method="tests", random_state=seed),
}
# One list alone is also tried with twice as many: then it has as many candidates as both.
_TWICE = 2 * TsetlinSieve().n_machine_candidates
ABLATIONS: dict[str, Configuration] = {
    "search, machine": lambda seed: WithoutAssociation(random_state=seed),
    "search, marginal": lambda seed: WithoutMachine(random_state=seed),
    "search, one sieving": lambda seed: WithoutSecondSieve(random_state=seed),
    "search, one sieving, machine": lambda seed: MachineOnce(
        n_machine_candidates=_TWICE, random_state=seed
    ),
    "search, one sieving, marginal": lambda seed: AssociationOnce(
        n_machine_candidates=_TWICE, random_state=seed
    ),
    "search, one sieving, machine's 2": lambda seed: MachineOnce(
        n_machine_candidates=2, random_state=seed
    ),
    "search, one sieving, 2 of each": lambda seed: WithoutSecondSieve(
        n_machine_candidates=2, random_state=seed
    ),
    "tests, machine": lambda seed: WithoutAssociation(
        method="tests", n_machine_candidates=_TWICE, random_state=seed
    ),
    "tests, marginal": lambda seed: WithoutMachine(
        method="tests", n_machine_candidates=_TWICE, random_state=seed
    ),
    "tests, machine's 2": lambda seed: WithoutAssociation(
        method="tests", n_machine_candidates=2, random_state=seed
    ),
}
CONFIGURATIONS = DEFAULTS | ABLATIONS
