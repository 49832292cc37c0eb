"""The importance of every variable to every target: one machine per variable.

The machines share one packed literal matrix. Each target has its own random streams, seeded by its
place in the canonical order of the variables, so that results do not depend on threads or order.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from bnsieve.engine import Map, tallied
from bnsieve.knowledge import Constraints
from bnsieve.table import Codes, Range, Table
from bnsieve.tsetlin import (
    Importance,
    Layout,
    Literals,
    Machine,
    MachineSettings,
    balanced_rows,
    importance,
)

# Rows that a machine is trained on where it sees only some of very many variables: they were chosen
# by association already, and there are as many machines as variables.
_ROWS_OF_FEW = 2_500


@dataclass(frozen=True)
class SieveSettings:
    """How the machines are trained.

    Attributes
    ----------
    machine : MachineSettings
    epochs : int
    train_share : float
        Share of the rows, drawn for each target, that its machine is trained on.
    balance : bool
        Resample them so that the target's levels are equally frequent.
    """

    machine: MachineSettings
    epochs: int
    train_share: float = 0.8
    balance: bool = True


def pack(table: Table) -> Literals:
    """Return the table's literals; missing cells satisfy none of their variable's.

    A number that was cut into ranges has a literal for each step from one to the next, so that a
    clause can say "above 60" in one word.
    """
    codes, _ = table.missing_as_level()
    ordered = np.array([isinstance(levels[0], Range) for levels in table.levels])
    if ordered.any():
        return Literals.with_thermometers(codes, table.n_levels, ordered)
    return Literals.from_codes(codes, Layout.of(table.n_levels))


def train_target(
    table: Table,
    literals: Literals,
    target: int,
    settings: SieveSettings,
    seed: int,
    hidden: Iterable[int] = (),
) -> Machine:
    """Train the machine of one target on a drawn share of the rows in which it is known.

    It sees neither the target itself nor the variables that are hidden from it.
    """
    allowed = literals.layout.allowed([target, *hidden])
    return _train(table, literals, target, allowed, settings, seed)


def train_few(
    table: Table,
    target: int,
    seen: NDArray[np.intp],
    settings: SieveSettings,
    seed: int,
    codes: Codes | None = None,
) -> tuple[Machine, Literals]:
    """Train a machine that sees only some variables; return it with their literals.

    Those who train many have the `codes` of `Table.missing_as_level` at hand.
    """
    codes = table.missing_as_level()[0] if codes is None else codes
    literals = Literals.from_codes(codes[seen], Layout.of(table.n_levels[seen]))
    everything = literals.layout.allowed([])
    machine = _train(table, literals, target, everything, settings, seed, _ROWS_OF_FEW)
    return machine, literals


def _train(
    table: Table,
    literals: Literals,
    target: int,
    allowed: NDArray[np.uint64],
    settings: SieveSettings,
    seed: int,
    most_rows: int | None = None,
) -> Machine:
    sequence = np.random.SeedSequence(seed, spawn_key=(target,))
    rng = np.random.default_rng(sequence)
    known = np.arange(table.n_rows, dtype=np.int32)
    if target in table.missing:
        known = known[~table.missing[target]]
    n_train = max(1, round(settings.train_share * len(known)))
    if most_rows is not None:
        n_train = min(n_train, most_rows)
    rows = np.sort(rng.permutation(known)[:n_train])
    labels = table.codes[target].astype(np.int32)
    if settings.balance:
        rows = rows[balanced_rows(labels[rows], rng)]
    n_classes = int(table.n_levels[target])
    machine = Machine.new(n_classes, literals.layout.n_words, settings.machine)
    machine_seed = int(sequence.generate_state(1, np.uint64)[0])
    machine.train(literals, rows, labels[rows], allowed, epochs=settings.epochs, seed=machine_seed)
    return machine


def importances(
    table: Table,
    targets: Sequence[int],
    settings: SieveSettings,
    seed: int,
    run: Map,
    constraints: Constraints | None = None,
) -> Iterable[Importance]:
    """Return, target by target, how important every variable is to it.

    A constant target has nothing to learn: all its importances are zero. So are those of variables
    that the constraints keep apart from the target: its machine does not see them.

    Where the constraints say which variables are visible to a target, its importances are of these
    only.
    """
    known = constraints or Constraints.none(table.n_variables)
    visible = known.visible
    if visible is not None:
        codes, _ = table.missing_as_level()

        def few(target: int) -> Importance:
            machine, own = train_few(table, target, visible[target], settings, seed, codes)
            return importance(machine, own.layout)

        return tallied(run(few, targets), len(targets), "columns")
    literals = pack(table)
    nothing = np.zeros(table.n_variables, dtype=np.int64)

    def one(target: int) -> Importance:
        if table.n_levels[target] < 2:
            return Importance(nothing, nothing)
        machine = train_target(table, literals, target, settings, seed, known.strangers(target))
        return importance(machine, literals.layout)

    return tallied(run(one, targets), len(targets), "columns")
