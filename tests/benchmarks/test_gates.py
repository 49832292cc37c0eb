"""Gates do what their names say, and are judged by what a graph can show of them."""

from itertools import product

import numpy as np
import pytest

from benchmarks.machine.gates import KINDS, MAIN_EFFECT, NOISE, Gate, gate_network
from benchmarks.machine.suite import judge
from bnsieve import Graph


@pytest.mark.parametrize("kind", KINDS)
def test_a_network_has_its_columns_gates_and_copies(kind):
    network, gates = gate_network(kind, 3, n_columns=60)
    own = KINDS[kind]
    assert network.graph.n_nodes == 60
    assert len(gates) == own.n_gates
    for gate in gates:
        assert set(network.graph.parents(gate.child)) == set(gate.parents)
        assert len(gate.parents) == len(own.parents)
    n_others = 60 - own.n_gates * (1 + len(own.parents))
    n_links = sum(len(gate.parents) for gate in gates) + (n_others if own.copies else 0)
    assert network.graph.n_edges == n_links


def test_every_kind_has_room_for_copies():
    for kind in KINDS.values():
        assert kind.n_gates * (1 + len(kind.parents)) < kind.n_columns


@pytest.mark.parametrize(
    "kind", ["parity of two", "parity of three", "sum modulo three", "epistatic pair"]
)
def test_no_parent_of_a_pure_interaction_tells_anything_alone(kind):
    own = KINDS[kind]
    for place in range(len(own.parents)):
        told = np.array([alone(own, place, level) for level in range(len(own.parents[place]))])
        assert told == pytest.approx(np.full_like(told, 1 / own.n_levels))


def alone(kind, place, level):
    """Return the chances of the output given one parent, by going through all the others."""
    total = np.zeros(kind.n_levels)
    for given in product(*(range(len(margin)) for margin in kind.parents)):
        if given[place] == level:
            others = [kind.parents[i][v] for i, v in enumerate(given) if i != place]
            total += np.prod(others) * kind.output(given)
    return total


def test_a_main_effect_shows_in_each_parent_alone():
    own = KINDS["XOR with a main effect"]
    for place in (0, 1):
        change = alone(own, place, 1) - alone(own, place, 0)
        assert change == pytest.approx([-MAIN_EFFECT, MAIN_EFFECT])


def test_gates_of_six_are_open_half_of_the_time():
    for kind in ("AND of six", "OR of six"):
        own = KINDS[kind]
        chances = alone(own, 0, 0) * own.parents[0][0] + alone(own, 0, 1) * own.parents[0][1]
        assert chances == pytest.approx([0.5, 0.5])


def test_a_switch_says_which_of_two_counts():
    output = KINDS["context"].output
    for a, b in product((0, 1), repeat=2):
        assert output((0, a, b))[a] == 1 - NOISE
        assert output((1, a, b))[b] == 1 - NOISE


def test_a_gate_is_found_by_its_pairs_and_parents_by_their_links():
    gates = (Gate("c", ("a", "b")), Gate("f", ("d", "e")))
    graph = Graph(list("abcdef"), [("a", "b"), ("c", "b"), ("d", "f")])
    # Of the first gate two pairs, one of them a link; of the second a link alone.
    assert judge(graph, gates) == {
        "gates": 2,
        "gates_found": 1,
        "parents": 4,
        "parents_found": 2,
    }
