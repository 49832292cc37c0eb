"""The importance of every variable to every target: one machine per variable.

The machines share one packed literal matrix. Each target has its own random streams, seeded by its
place in the canonical order of the variables, so that results do not depend on threads or order.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from bnsieve.engine import Map, tallied
from bnsieve.knowledge import Constraints
from bnsieve.sieve.machine import (
    Literals,
    Machine,
    MachineSettings,
    balanced_rows,
    importance,
    normalised_clauses,
)
from bnsieve.table import Range, Table

# Rows that a machine is trained on where it sees only some of very many variables: they were chosen
# by association already, and there are as many machines as variables.
_ROWS_OF_FEW = 2_500
# Rows, each seen once, in which a machine finds two variables that interact, if not three; and
# where all pairs are scanned besides.
ROWS_OF_SHORT = 2_000
ROWS_BESIDE_PAIRS = 1_000


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
        Resample them so that the target's categories are equally frequent.
    most_rows : int or None
        Train on no more than these.
    """

    machine: MachineSettings
    epochs: int
    train_share: float = 0.8
    balance: bool = True
    most_rows: int | None = None


def pack(table: Table) -> Literals:
    """Return the table's literals; missing values satisfy none of their variable's.

    A number that was binned into ranges has a literal for each step from one to the next, so that a
    clause can say "above 60" in one word.
    """
    codes, _ = table.missing_as_category()
    ordered = np.array([isinstance(categories[0], Range) for categories in table.categories])
    return Literals.of(codes, table.n_categories, ordered)


@dataclass(frozen=True, eq=False)
class SieveRecord:
    """Settings and results of a sieve.

    Attributes
    ----------
    names : tuple of str
        The variables, in the order of their numbers, on which the seeds depend.
    settings : SieveSettings
        The parameters of the sieve.
    seed : int
        The seed of the machines.
    importance : ndarray of float32, shape (n_variables, n_variables)
        ``importance[t, v]`` is the importance of v in the machine of t.
    hides : bool
        Whether machines ignored the variables that must not be adjacent to their target.
    visible : tuple of ndarray of int, or None
        The variables that each machine considered; None for all.
    """

    names: tuple[str, ...]
    settings: SieveSettings
    seed: int
    importance: NDArray[np.float32]
    hides: bool = False
    visible: tuple[NDArray[np.intp], ...] | None = None


@dataclass(frozen=True, eq=False)
class TrainedMachine:
    """A trained machine, and the variables visible to it.

    Attributes
    ----------
    machine : Machine
    literals : Literals
    visible : ndarray of int
        The variables of the literals, by their numbers in the table.
    """

    machine: Machine
    literals: Literals
    visible: NDArray[np.intp]

    @property
    def clauses(self) -> NDArray[np.bool_]:
        """Which of the variables seen are in which clause, shape (all clauses, n_variables)."""
        return normalised_clauses(self.machine, self.literals.layout)

    @property
    def importance(self) -> NDArray[np.float64]:
        """Of the variables seen, each divided by its literals.

        A variable of many categories has as many chances to enter a clause.
        """
        layout = self.literals.layout
        score: NDArray[np.float64] = importance(self.machine, layout).score / np.diff(layout.first)
        return score


class Machines:
    """Trains the machines of a table's columns.

    A machine does not see variables that the constraints keep apart from its target. Where these
    say which variables are visible to a target, it sees only those.

    Parameters
    ----------
    table : Table
    settings : SieveSettings
    seed : int
    constraints : Constraints, optional
    """

    def __init__(
        self,
        table: Table,
        settings: SieveSettings,
        seed: int,
        constraints: Constraints | None = None,
    ) -> None:
        self.table, self.settings, self.seed = table, settings, seed
        self.constraints = constraints or Constraints.none(table.n_variables)
        if self.constraints.visible is None:
            self._literals = pack(table)
        else:
            self._codes = table.missing_as_category()[0]

    def train(self, target: int, *, rows: int | None = None, attempt: int = 0) -> TrainedMachine:
        """Train the machine of a non-constant column; with `rows`, on these, once each."""
        table, settings = self.table, self.settings
        if rows is not None:
            settings = replace(settings, epochs=1, most_rows=rows)
        if self.constraints.visible is None:
            literals, seen = self._literals, np.arange(table.n_variables)
            hidden = [target, *self.constraints.forbidden_neighbours(target)]
        else:
            seen, hidden = self.constraints.visible[target], []
            literals = Literals.of(self._codes[seen], table.n_categories[seen])
            fewest = min(_ROWS_OF_FEW, settings.most_rows or _ROWS_OF_FEW)
            settings = replace(settings, most_rows=fewest)
        sequence = np.random.SeedSequence(
            self.seed, spawn_key=(target, attempt) if attempt else (target,)
        )
        drawn = self._drawn_rows(target, settings, np.random.default_rng(sequence))
        n_classes = int(table.n_categories[target])
        machine = Machine.new(n_classes, literals.layout.n_words, settings.machine)
        machine.train(
            literals,
            *drawn,
            literals.layout.allowed(hidden),
            epochs=settings.epochs,
            seed=int(sequence.generate_state(1, np.uint64)[0]),
        )
        return TrainedMachine(machine, literals, seen)

    def _drawn_rows(
        self, target: int, settings: SieveSettings, rng: np.random.Generator
    ) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
        """Draw rows to train on in which the target is known; return them with its codes."""
        table = self.table
        known = np.arange(table.n_rows, dtype=np.int32)
        if target in table.missing:
            known = known[~table.missing[target]]
        n_train = max(1, round(settings.train_share * len(known)))
        chosen = np.zeros(table.n_rows, dtype=bool)
        # Numbers are shuffled in two thirds of the time that an array takes, and to the same order.
        order = rng.permutation(len(known))
        chosen[known[order[: min(n_train, settings.most_rows or n_train)]]] = True
        rows = np.flatnonzero(chosen).astype(np.int32)
        codes = table.codes[target].astype(np.int32)
        if settings.balance:
            rows = rows[balanced_rows(codes[rows], rng)]
        return rows, codes[rows]

    def importance(self, targets: Sequence[int], run: Map) -> NDArray[np.float32]:
        """Train for a short time; return how important each variable is to each of the targets."""
        several = [target for target in targets if self.table.n_categories[target] >= 2]

        def train(target: int) -> tuple[NDArray[np.intp], NDArray[np.float64]]:
            trained = self.train(target, rows=ROWS_OF_SHORT)
            return trained.visible, trained.importance

        every = np.zeros((self.table.n_variables,) * 2, dtype=np.float32)
        results = tallied(run(train, several), len(several), "columns")
        for target, (seen, scores) in zip(several, results, strict=True):
            every[target, seen] = scores
        return every


def importances(
    table: Table, targets: Sequence[int], settings: SieveSettings, seed: int, run: Map
) -> Iterable[NDArray[np.int64]]:
    """Return, target by target, the paper's importance I of every variable.

    A constant target has nothing to learn: all its importances are zero.
    """
    machines = Machines(table, settings, seed)

    def score(target: int) -> NDArray[np.int64]:
        if table.n_categories[target] < 2:
            return np.zeros(table.n_variables, dtype=np.int64)
        trained = machines.train(target)
        return importance(trained.machine, trained.literals.layout).score

    return tallied(run(score, targets), len(targets), "columns")
