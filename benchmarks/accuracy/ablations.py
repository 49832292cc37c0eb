"""`TsetlinSieve` and what is left of it when a part is taken away.

A configuration is a name and a function from a seed to a learner. Everything that is not taken away
is inherited, so that these stay the default's ablations whatever the default becomes.
"""

from collections.abc import Callable
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from bnsieve.candidates import Candidates, union_of_heads
from bnsieve.constraints import Constraints
from bnsieve.explanation import SieveRecord
from bnsieve.learners.found import FitContext
from bnsieve.learners.tsetlin_sieve import TsetlinSieve
from bnsieve.search.sieved import SearchSettings
from bnsieve.table import Table


class WithoutMachine(TsetlinSieve):
    """Candidates by marginal association only."""

    def _sieve(
        self,
        table: Table,
        constraints: Constraints,
        association: NDArray[np.floating],
        seed: int,
        context: FitContext,
    ) -> tuple[Candidates, SieveRecord | None]:
        with context.timings.stage("sieve"):
            return union_of_heads([association], [self.head], self.budget), None


class WithoutAssociation(TsetlinSieve):
    """Candidates by the machines only."""

    def _sieve(
        self,
        table: Table,
        constraints: Constraints,
        association: NDArray[np.floating],
        seed: int,
        context: FitContext,
    ) -> tuple[Candidates, SieveRecord | None]:
        # Only what is above zero can be a candidate.
        return super()._sieve(table, constraints, np.zeros_like(association), seed, context)


class WithoutSecondSieve(TsetlinSieve):
    """One search, among the first candidates."""

    def _search_settings(self, table: Table, constraints: Constraints) -> SearchSettings:
        return replace(super()._search_settings(table, constraints), n_resieves=0)


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
# One list alone is also tried with twice the head: then it has as many candidates as both.
_TWICE = 2 * TsetlinSieve().head
ABLATIONS: dict[str, Configuration] = {
    "search, machine": lambda seed: WithoutAssociation(random_state=seed),
    "search, marginal": lambda seed: WithoutMachine(random_state=seed),
    "search, one sieving": lambda seed: WithoutSecondSieve(random_state=seed),
    "search, one sieving, machine": lambda seed: MachineOnce(head=_TWICE, random_state=seed),
    "search, one sieving, marginal": lambda seed: AssociationOnce(head=_TWICE, random_state=seed),
    "search, one sieving, machine's 2": lambda seed: MachineOnce(head=2, random_state=seed),
    "search, one sieving, 2 of each": lambda seed: WithoutSecondSieve(head=2, random_state=seed),
    "tests, machine": lambda seed: WithoutAssociation(
        method="tests", head=_TWICE, random_state=seed
    ),
    "tests, marginal": lambda seed: WithoutMachine(method="tests", head=_TWICE, random_state=seed),
    "tests, machine's 2": lambda seed: WithoutAssociation(
        method="tests", head=2, random_state=seed
    ),
}
CONFIGURATIONS = DEFAULTS | ABLATIONS
