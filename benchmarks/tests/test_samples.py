"""What studies draw is what they say it is."""

from itertools import combinations, product
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
from scipy.stats import chi2_contingency

from benchmarks.answers import intervals
from benchmarks.common.networks import bnrep_names, network_of, random_network, read_bnrep
from benchmarks.common.shuffled import shuffled
from benchmarks.gaps.study import with_gaps
from benchmarks.machine import gates
from benchmarks.noise.columns import KINDS, noise
from benchmarks.numbers import oracle, published
from benchmarks.numbers.kinds import sample
from benchmarks.tables.catalogue import TABLES, truth_of
from benchmarks.tables.drawn.hospital import TIERS
from benchmarks.tables.sheet import GONE
from benchmarks.unseen import study
from benchmarks.unseen.samples import FIRST_SEED, networks_in_order
from bnsieve import Graph, load_network

# The others have hundreds of columns.
DRAWN = [name for name in TABLES if name not in ("genetics", "baskets", "gaps")]


def chance(one, other):
    """Return the chance of as much dependence among known cells if there is none."""
    known = (one != GONE) & (other != GONE)
    counts = pd.crosstab(one[known], other[known])
    # Levels of a few rows are not chi-squared.
    counts = counts.loc[counts.sum(axis=1) >= 60, counts.sum(axis=0) >= 60]
    return chi2_contingency(counts).pvalue if min(counts.shape) > 1 else 1.0


@pytest.mark.parametrize("name", DRAWN)
def test_the_truth_of_a_table_shows_in_its_cells(name):
    cells = TABLES[name].prepared(8_000, seed=5)
    truth = truth_of(TABLES[name])
    judged = [column for column in cells if column not in {*truth.judged_as, *truth.unjudged}]
    graph = Graph(judged, directed=list(truth.edges))
    assert graph.is_dag
    hidden = 0
    for tail, head in truth.edges:
        others = [parent for parent in graph.parents(head) if parent != tail][:4]
        shown = [chance(cells[tail], cells[head])]
        for other in others:
            groups = cells.groupby(other)
            shown += [chance(part[tail], part[head]) for _, part in groups]
        hidden += min(shown) > 1e-3
    # Weak effects are part of real tables; most must show.
    assert hidden <= 0.1 * len(truth.edges)
    apart = [pair for pair in combinations(judged, 2) if graph.d_separated(*pair, [])]
    # Of 400 independent pairs the least is below 1e-6 in one sample of 2,500.
    assert min((chance(cells[a], cells[b]) for a, b in apart[:400]), default=1.0) > 1e-6


def test_no_cause_of_the_hospital_is_in_a_later_tier():
    tier = {name: number for number, names in enumerate(TIERS) for name in names}
    assert all(tier[tail] <= tier[head] for tail, head in truth_of(TABLES["hospital"]).edges)


@pytest.mark.parametrize("kind", KINDS)
def test_noise_is_independent(kind):
    data = noise(kind, 2_000, seed=4)
    names = list(data.columns)
    chances = [
        chi2_contingency(pd.crosstab(data[a], data[b])).pvalue
        for a, b in zip(names[::2], names[1::2], strict=True)
    ]
    # Fifteen independent pairs: the least of fifteen is below 1e-5 in one sample of 7,000.
    assert min(chances) > 1e-5


@pytest.mark.parametrize("kind", ["parity of two", "parity of three", "sum modulo three"])
def test_no_parent_of_a_pure_interaction_tells_anything_alone(kind):
    own = gates.KINDS[kind]
    for level in range(len(own.parents[0])):
        total = np.zeros(own.n_states)
        for given in product(*(range(len(margin)) for margin in own.parents)):
            if given[0] == level:
                others = [own.parents[i][v] for i, v in enumerate(given) if i]
                total += np.prod(others) * own.output(given)
        assert total == pytest.approx(np.full_like(total, 1 / own.n_states))


def test_networks_of_others_are_whole():
    nodes = [read_bnrep(name).graph.n_nodes for name in bnrep_names()]
    assert (len(nodes), min(nodes), max(nodes)) == (194, 3, 122)
    assert len(networks_in_order()) == 172
    sizes = {name: len(published.sample(name, 5, 0)[1]) for name in published.NAMES}
    assert sizes == {"ecoli70": 70, "magic-niab": 66, "magic-irri": 102, "arth150": 150}
    degrees = [2 * random_network(60, 4, seed).graph.n_edges / 60 for seed in range(5)]
    # 60 x 4 / 2 = 120 edges, standard deviation 10.6; of five networks 4.7.
    assert np.mean(degrees) == pytest.approx(4, abs=4 * 2 * 4.7 / 60)


def test_shuffling_moves_columns_and_names_and_no_cell():
    rows = load_network("asia").sample(50, random_state=0)
    one = shuffled(rows, 3)
    assert [one.names[name] for name in one.data.columns] != list(rows.columns)
    for name in one.data.columns:
        pd.testing.assert_series_equal(one.data[name], rows[one.names[name]], check_names=False)


def test_a_program_that_knew_the_truth_would_score_full_marks(monkeypatch):
    truth = read_bnrep("APSsystem")
    seed = FIRST_SEED + 5
    names = shuffled(truth.sample(100, random_state=seed), seed).names
    known = truth.graph.relabel({old: new for new, old in names.items()})
    learned = SimpleNamespace(graph_=known.to_cpdag(), dag_=known)
    monkeypatch.setattr(study.TsetlinSieve, "fit", lambda learner, data: learned)
    measures = study.perform(study.Job("test", "search", "APSsystem", 100, 5))
    assert (measures["f1"], measures["cpdag_shd"]) == (1.0, 0)


def test_linear_columns_hang_on_their_parents_as_the_network_says():
    frame, arrows = sample("a", 10, 20_000, 0)
    for child in frame:
        parents = [u for u, v in arrows if v == child]
        centred = frame[parents] - frame[parents].mean()
        rest = frame[child] - centred @ np.linalg.lstsq(centred, frame[child], rcond=None)[0]
        # Its parents leave noise of variance 1.
        assert rest.var() == pytest.approx(1.0, rel=0.05)
    assert all(oracle.recovered(seed, labels=True) for seed in range(1_000, 1_004))


@pytest.mark.parametrize("manner", ["completely", "at random"])
def test_the_share_of_gaps_is_as_asked(manner):
    data = load_network("alarm").sample(2000, random_state=0)
    gone = with_gaps(data, 0.2, manner, 0).isna().to_numpy()
    assert gone.mean() == pytest.approx(0.2, abs=0.01)
    assert (gone.mean(axis=0) == 0).sum() == (12 if manner == "at random" else 0)


def test_questions_are_ten_possible_ones_with_their_truth():
    asia = network_of("asia")
    asked = list(intervals.questions(asia, "asia", 0))
    assert len(asked) == intervals.N_QUESTIONS
    for one in asked:
        assert one.target not in one.given
        assert asia.query(one.target, one.given)[one.label] == pytest.approx(one.truth)
