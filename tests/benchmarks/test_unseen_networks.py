"""bnRep's networks are read whole; shuffling columns and names hides nothing from the measures."""

import itertools

import numpy as np
import pandas as pd
import pytest

from benchmarks.common.networks import bnrep_names, network_of, random_network, read_bnrep
from benchmarks.common.shuffled import as_it_is, shuffled
from benchmarks.unseen import study
from benchmarks.unseen.programs import PROGRAMS
from bnsieve import Graph, load_network
from bnsieve.metrics import compare


def strongest_pairs(data: pd.DataFrame) -> Graph:
    """Join the six pairs of highest mutual information, which no order or name has a say in."""

    def information(a: str, b: str) -> float:
        joint = pd.crosstab(data[a], data[b]).to_numpy() / len(data)
        expected = joint.sum(axis=1, keepdims=True) * joint.sum(axis=0)
        inside = joint > 0
        return float((joint[inside] * np.log(joint[inside] / expected[inside])).sum())

    pairs = sorted(itertools.combinations(data.columns, 2), key=lambda pair: -information(*pair))
    return Graph(list(data.columns), undirected=pairs[:6])


def test_there_are_194_networks_of_3_to_122_nodes_and_172_have_five_or_more():
    nodes = [read_bnrep(name).graph.n_nodes for name in bnrep_names()]
    assert len(nodes) == 194
    assert (min(nodes), max(nodes)) == (3, 122)
    assert sum(n >= 5 for n in nodes) == 172


def test_an_unknown_network_is_refused_with_what_could_be_meant():
    with pytest.raises(ValueError, match="er30d4s101"):
        network_of("nowhere")


def test_shuffling_moves_columns_and_names_and_no_cell():
    sample = load_network("asia").sample(50, random_state=0)
    one = shuffled(sample, 3)
    assert set(one.names.values()) == set(sample.columns)
    assert [one.names[name] for name in one.data.columns] != list(sample.columns)
    for name in one.data.columns:
        pd.testing.assert_series_equal(one.data[name], sample[one.names[name]], check_names=False)


def test_a_sample_as_it_is_has_its_own_names():
    sample = load_network("asia").sample(50, random_state=0)
    one = as_it_is(sample)
    pd.testing.assert_frame_equal(one.data, sample)
    graph = load_network("asia").graph
    assert one.restore(graph) == graph


def test_neither_order_nor_names_are_in_the_order_of_the_file():
    sample = pd.DataFrame({f"c{i:03}": ["a"] for i in range(100)})
    one = shuffled(sample, 0)
    places = [int(one.names[name][1:]) for name in one.data.columns]
    by_name = [int(one.names[name][1:]) for name in sorted(one.data.columns)]
    # Chance leaves one column in place, of a hundred, on average.
    assert sum(place == i for i, place in enumerate(places)) < 10
    assert sum(place == i for i, place in enumerate(by_name)) < 10
    assert places != by_name


def test_the_measures_do_not_depend_on_the_shuffling():
    truth = load_network("asia")
    sample = truth.sample(500, random_state=0)
    found = [compare(truth, strongest_pairs(sample))]
    for seed in range(4):
        one = shuffled(sample, seed)
        found.append(compare(truth, one.restore(strongest_pairs(one.data))))
    assert found[0].f1 > 0
    assert all(one == found[0] for one in found)


def test_a_program_that_knew_the_truth_would_score_full_marks(monkeypatch):
    name = "APSsystem"
    truth = read_bnrep(name)
    seed = study.FIRST_SEED + 5
    sample = shuffled(truth.sample(100, random_state=seed), seed)
    hidden = {old: new for new, old in sample.names.items()}
    known = truth.graph.relabel(hidden).to_cpdag()
    monkeypatch.setitem(PROGRAMS, "oracle", lambda data, seed: known)
    measures = study.perform(study.Job("test", "oracle", name, 100, 5))
    assert (measures["f1"], measures["cpdag_shd"]) == (1.0, 0)
    assert measures["arrows"] == measures["right_arrows"]


def test_random_networks_have_the_degree_asked_for():
    degrees = []
    for seed in range(5):
        graph = random_network(60, 4, seed).graph
        degrees.append(2 * graph.n_edges / graph.n_nodes)
    # 60 x 4 / 2 = 120 edges, standard deviation 10.6; of five networks 4.7.
    assert np.mean(degrees) == pytest.approx(4, abs=4 * 2 * 4.7 / 60)
    assert network_of("er60d4s1") == random_network(60, 4, 1)
