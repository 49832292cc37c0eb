"""Variables that matter to another only jointly are found, given what a network knows."""

import numpy as np
import pytest

from bnsieve import Knowledge, TsetlinSieve
from bnsieve.decide import CountScorer, Score, joint_gain
from bnsieve.knowledge import Constraints
from bnsieve.learners.stages import MACHINE
from bnsieve.search import ScoredDag
from bnsieve.search.interactions import InteractionSearch, add_interactions
from bnsieve.sieve import Machines, interaction_scan
from bnsieve.table import Table
from reference import family_score

N_COLUMNS, N_ROWS = 30, 4_000
# One cost for all, as a search among 30 columns has it.
SCORE = Score(parent_cost=float(np.log(N_COLUMNS)))


def coins(seed):
    return np.random.default_rng(seed).integers(0, 2, (N_COLUMNS, N_ROWS))


def wrong_at_times(column, share, seed):
    return column ^ (np.random.default_rng(seed).random(N_ROWS) < share)


def scanned(codes, parents=None, *, max_parents=8, constraints=None, seed=0):
    table = Table.from_data(codes.T)
    known = constraints or Constraints.none(len(codes))
    network = ScoredDag(parents or ((),) * len(codes), 0.0, tuple(range(len(codes))))
    machines = Machines(table, MACHINE, seed, known)
    scorer = CountScorer(table, SCORE, known)
    targets = range(len(codes))
    return InteractionSearch(machines, scorer, max_parents).scan(network, targets, map)


@pytest.mark.parametrize("seed", range(3))
def test_two_inputs_of_an_exclusive_or(seed):
    codes = coins(seed)
    codes[7] = wrong_at_times(codes[3] ^ codes[19], 0.1, seed)
    groups = scanned(codes, seed=seed)[0]
    # No data tell which of the three is made of the others: found from one, it is not looked for
    # from those that come after.
    assert {3, *groups[3]} == {3, 7, 19}
    assert groups[7] == groups[19] == ()
    assert [groups[v] for v in range(N_COLUMNS) if v not in (3, 7, 19)].count(()) >= N_COLUMNS - 4


@pytest.mark.parametrize("seed", range(3))
def test_three_inputs_of_a_parity(seed):
    codes = coins(seed)
    codes[7] = wrong_at_times(codes[3] ^ codes[19] ^ codes[25], 0.1, seed)
    groups = scanned(codes, seed=seed)[0]
    assert any({v, *groups[v]} == {3, 7, 19, 25} for v in (3, 7, 19, 25))


def test_beside_parents_that_are_known_already():
    codes = coins(0)
    codes[7] = np.where(codes[1], codes[3] ^ codes[19], wrong_at_times(codes[1], 0.2, 1))
    parents = tuple((1,) if v == 7 else () for v in range(N_COLUMNS))
    groups = scanned(codes, parents)[0]
    assert set(groups[7]) == {3, 19}


def test_independent_columns_tell_nothing_together():
    found = [len(group) > 0 for seed in range(3) for group in scanned(coins(seed))[0]]
    assert sum(found) <= 2


def test_what_tells_alone_is_left_to_the_search():
    codes = coins(0)
    codes[7] = wrong_at_times(codes[3] | codes[19], 0.1, 0)
    assert scanned(codes)[0][7] == ()


def test_no_more_parents_than_allowed_and_none_that_are_forbidden():
    codes = coins(0)
    codes[7] = wrong_at_times(codes[3] ^ codes[19], 0.1, 0)
    assert not any(scanned(codes, max_parents=1)[0])
    names = Table.from_data(codes.T).names
    knowledge = Knowledge(forbidden=[(names[3], names[7]), (names[3], names[19])])
    groups = scanned(codes, constraints=knowledge.resolve(names))[0]
    assert 3 not in groups[7]
    assert 3 not in groups[19]
    assert set(groups[3]) == {7, 19}


def test_importance_is_of_all_machines():
    codes = coins(0)
    codes[7] = wrong_at_times(codes[3] ^ codes[19], 0.1, 0)
    codes[12] = 0
    importance = scanned(codes)[1]
    assert importance.shape == (N_COLUMNS, N_COLUMNS)
    assert not importance.diagonal().any()
    assert not importance[12].any()  # nothing is to be learned about a constant
    assert set(np.argsort(-importance[7])[:2]) == {3, 19}


@pytest.mark.parametrize("seed", range(3))
def test_three_inputs_of_a_parity_among_a_hundred_columns(seed):
    """A machine names two of three only by luck there; all triples are looked at instead."""
    rng = np.random.default_rng(seed)
    codes = rng.integers(0, 2, (100, N_ROWS))
    codes[70] = wrong_at_times(codes[3] ^ codes[19] ^ codes[95], 0.1, seed)
    groups = scanned(codes, seed=seed)[0]
    assert {3, *groups[3]} == {3, 19, 70, 95}


def test_a_group_counts_if_any_of_its_members_can_be_the_child():
    """The first member has many labels, and few rows of each: its own score gains nothing."""
    rng = np.random.default_rng(353)
    codes = rng.integers(0, 2, (8, 60))
    codes[0], codes[2] = rng.integers(0, 7, 60), rng.integers(0, 4, 60)
    codes[5] = (codes[0] + codes[2]) % 2
    scorer = CountScorer(Table.from_data(codes.T), SCORE, Constraints.none(8))
    assert joint_gain(scorer, 0, (), (2, 5)) <= 0 < joint_gain(scorer, 5, (), (0, 2))
    assert {0, *scanned(codes)[0][0]} == {0, 2, 5}
    assert not any(scanned(codes, max_parents=1)[0])


def test_gains_are_differences_of_scores():
    rng = np.random.default_rng(0)
    codes = rng.integers(0, 3, (5, 300))
    codes[4] = (codes[0] + codes[1]) % 3
    table = Table.from_data(codes.T)
    score = Score("bdeu", (1.0,), parent_cost=1.5)
    scorer = CountScorer(table, score, Constraints.none(5))

    def family(parents):
        chosen = codes[[4, *parents]]
        configurations, counts = np.unique(chosen, axis=1, return_counts=True)
        return family_score(configurations, counts, np.full(len(chosen), 3), score.rule)

    gains = scorer.gains(4, (0,), (2,))
    for v in (1, 3):
        assert gains[v] == pytest.approx(family([0, 2, v]) - family([0, 2]))
    assert np.isneginf(gains[[0, 2, 4]]).all()
    assert joint_gain(scorer, 4, (0,), (2, 1)) == pytest.approx(family([0, 2, 1]) - family([0]))
    allowed = np.ones((5, 5), dtype=bool)
    allowed[1, 4] = False
    for group in ((1, 2), (2, 1)):
        scorer = CountScorer(table, score, Constraints(allowed))
        assert joint_gain(scorer, 4, (0,), group) == -np.inf
    allowed[4, 0] = False
    assert joint_gain(CountScorer(table, score, Constraints(allowed)), 0, (), (4, 1)) == -np.inf


def test_groups_come_first_and_each_member_gets_the_others():
    candidates = ((3, 4), (0,), (), (0,), ())
    groups = [(1, 2), (), (), (), ()]
    parents = [(4,), (), (), (0,), ()]
    expected = ((1, 2, 4, 3), (2, 0), (1, 0), (0,), ())
    assert add_interactions(candidates, groups, parents, 9) == expected
    assert add_interactions(candidates, groups, parents, 2)[0] == (1, 2)


@pytest.mark.parametrize("n_columns", [30, 120])
@pytest.mark.parametrize("seed", range(3))
def test_parities_are_found_whose_members_all_have_other_neighbours(n_columns, seed):
    """Not by luck: among many columns a machine alone names few of them."""
    codes = np.random.default_rng(seed).integers(0, 2, (n_columns, N_ROWS))
    gates = [(0, 1, 2), (3, 4, 5), (6, 7, 8)]
    for a, b, child in gates:
        codes[child] = wrong_at_times(codes[a] ^ codes[b], 0.2, seed)
    for v in range(9):
        codes[v + 9] = wrong_at_times(codes[v], 0.1, v)
    learner = TsetlinSieve(random_state=seed).fit(codes.T)
    names = learner.graph_.nodes
    edges = [set(edge) for edge in learner.graph_.skeleton().undirected_edges]
    for gate in gates:
        members = {names[v] for v in gate}
        assert sum(edge <= members for edge in edges) >= 2


def test_of_a_wide_table_only_isolated_columns_are_compared_with_all_pairs(monkeypatch):
    """There it would take longer than all else: a machine must do."""
    monkeypatch.setattr(interaction_scan, "_QUICK", 10)
    codes = coins(0)
    codes[7] = wrong_at_times(codes[3] ^ codes[19], 0.1, 0)
    compared = []
    own = interaction_scan.InteractionScan.best_pair
    monkeypatch.setattr(
        interaction_scan.InteractionScan,
        "best_pair",
        lambda self, target, *given, **named: (
            compared.append(target) or own(self, target, *given, **named)
        ),
    )
    parents = tuple((8,) if v == 7 else () for v in range(N_COLUMNS))
    assert set(scanned(codes, parents)[0][7]) == {3, 19}
    assert set(range(N_COLUMNS)) - set(compared) == {7, 8}


def test_of_a_wide_table_without_isolated_columns_nothing_is_counted(monkeypatch):
    """Counts of each two categories would take memory that nothing is done with."""
    monkeypatch.setattr(interaction_scan, "_QUICK", 10)
    monkeypatch.setattr(
        interaction_scan.InteractionScan, "__init__", lambda *given: pytest.fail("counted")
    )
    parents = tuple((v - 1,) if v % 2 else () for v in range(N_COLUMNS))
    assert len(scanned(coins(0), parents)[0]) == N_COLUMNS
