"""Pairs of variables that several clauses of a machine name."""

import numpy as np

from bnsieve.sieve import TrainedMachine, pairs_in_clauses
from bnsieve.sieve.machine import Layout, Literals, Machine, MachineSettings

N_VARIABLES = 6


def trained(clauses, weights):
    """Return a machine of two classes with these clauses, each a list of (variable, level)."""
    layout = Layout.of([2] * N_VARIABLES)
    settings = MachineSettings(n_clauses=len(clauses) // 2)
    machine = Machine.new(2, layout.n_words, settings)
    plain = np.zeros((len(clauses), layout.n_plain), dtype=bool)
    for clause, literals in zip(plain, clauses, strict=True):
        clause[[2 * variable + level for variable, level in literals]] = True
    packed = layout.pack(plain, np.zeros_like(plain))
    machine.include[...] = packed.reshape(machine.include.shape)
    machine.clause_weights[...] = np.reshape(weights, (2, -1))
    codes = np.zeros((N_VARIABLES, 1), dtype=np.uint8)
    literals = Literals.of(codes, np.diff(layout.first))
    return TrainedMachine(machine, literals, np.arange(N_VARIABLES))


def test_pairs_of_two_clauses_by_their_weight():
    everyone = np.ones(N_VARIABLES, dtype=bool)
    clauses = [
        [(0, 0), (1, 0)],
        [(0, 1), (1, 1)],
        [(2, 0), (3, 0)],
        [(2, 1), (3, 0), (4, 0)],
        [(4, 0), (5, 0)],  # named by one clause alone
        [(0, 1)],
    ]
    machine = trained(clauses, [1, -2, 5, -1, 9, -9])
    assert pairs_in_clauses(machine, everyone, 6) == [(2, 3), (0, 1)]
    assert pairs_in_clauses(machine, everyone, 1) == [(2, 3)]
    # Of a longer clause nobody knows which two are meant.
    longer = [[(v, 0) for v in range(5)], [(v, 1) for v in range(5)]]
    assert pairs_in_clauses(trained(longer, [1, 1]), everyone, 6) == []


def test_clauses_are_read_as_if_they_did_not_name_what_is_not_heard():
    clauses = [
        [(0, 0), (1, 0), (2, 0)],
        [(1, 1), (2, 0), (3, 0)],
        [(0, 0), (3, 0)],
        [(0, 1), (3, 1)],
    ]
    machine = trained(clauses, [1, -1, 1, -1])
    heard = np.array([True, True, True, False, True, True])
    assert pairs_in_clauses(machine, heard, 6) == [(1, 2)]
    assert pairs_in_clauses(machine, ~heard, 6) == []


def test_importance_is_for_each_literal():
    machine = trained([[(0, 0), (1, 0)], [(0, 1)]], [2, -3])
    # F x W over two literals: variable 0 is in two clauses of weight 5, variable 1 in one of 2.
    assert machine.importance.tolist() == [2 * 5 / 2, 1 * 2 / 2, 0, 0, 0, 0]
