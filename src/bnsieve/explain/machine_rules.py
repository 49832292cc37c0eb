"""The rules of machines, which are trained again with the same seeds.

In: the rows, and the settings of the sieve. Out: the rules of a column's machine.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cache, cached_property

import numpy as np

from bnsieve.knowledge import Constraints
from bnsieve.sieve import Machines, SieveRecord, pooled, with_rank_bins
from bnsieve.sieve.machine import Rule, extract_rules
from bnsieve.table import Table


@dataclass(frozen=True, eq=False)
class MachineRules:
    """Rules of the machines of a sieve.

    Attributes
    ----------
    table : Table
        The rows that machines were trained on.
    sieve : SieveRecord
    constraints : Constraints
        The constraints of knowledge on the variables of `table`.
    by_rank : bool
        Whether machines used bins of the ranks of numbers, instead of the bins of the table.
    """

    table: Table
    sieve: SieveRecord
    constraints: Constraints
    by_rank: bool = False

    @cached_property
    def of(self) -> Callable[[str], list[Rule]]:
        """The rules of a variable's machine, which is trained at the first call."""
        return cache(self._rules)

    def _rules(self, target: str) -> list[Rule]:
        number = self._seen.names.index(target)
        # Only a required edge brings a column of one state here. Of very many columns some have no
        # machine, and importances of none.
        several = self._seen.n_categories[number] >= 2
        has_machine = several and bool(self.sieve.importance[number].any())
        return self._trained(number) if has_machine else []

    @cached_property
    def _seen(self) -> Table:
        """The columns that have a machine, as machines see them."""
        table = self.table.select(self.sieve.names)
        return pooled(with_rank_bins(table) if self.by_rank else table)

    @cached_property
    def _machines(self) -> Machines:
        """The machines as they were trained: with the same rows, seeds and blindness."""
        table, sieve = self._seen, self.sieve
        known = Constraints.none(table.n_variables)
        if sieve.hides:
            place = {name: i for i, name in enumerate(self.table.names)}
            known = self.constraints.select([place[name] for name in table.names])
            known = known.confine_to_required(np.flatnonzero(table.n_categories < 2).tolist())
        known = replace(known, visible=sieve.visible)
        return Machines(table, sieve.settings, sieve.seed, known)

    def _trained(self, target: int) -> list[Rule]:
        """Train one target's machine again, and read its rules."""
        table, trained = self._seen, self._machines.train(target)
        machine, literals, seen = trained.machine, trained.literals, trained.visible
        rows = np.arange(table.n_rows, dtype=np.int32)
        if target in table.missing:
            rows = rows[~table.missing[target]]
        codes = table.codes[target].astype(np.int32)[rows]
        return extract_rules(
            machine,
            literals.layout,
            machine.matches(literals, rows, codes),
            np.bincount(codes, minlength=len(table.categories[target])),
            [table.names[v] for v in seen],
            [table.categories[v] for v in seen],
            table.names[target],
            table.categories[target],
        )
