"""bnRep's networks are read whole; shuffling columns and names hides nothing from the measures."""

import argparse
import itertools
from xml.etree import ElementTree

import numpy as np
import pandas as pd
import pytest

from benchmarks.common.networks import bnrep_names, network_of, random_network, read_bnrep
from benchmarks.common.runs import append
from benchmarks.common.shuffled import as_it_is, shuffled
from benchmarks.unseen import peers, study
from benchmarks.unseen.beside import beside_peers
from benchmarks.unseen.picture import picture
from benchmarks.unseen.programs import PROGRAMS
from benchmarks.unseen.samples import FIRST_SEED, networks_in_order
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
    seed = FIRST_SEED + 5
    sample = shuffled(truth.sample(100, random_state=seed), seed)
    hidden = {old: new for new, old in sample.names.items()}
    known = truth.graph.relabel(hidden)
    monkeypatch.setitem(PROGRAMS, "oracle", lambda data, seed: (known.to_cpdag(), known))
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


def peer_runs(tool, f1, distances, **more):
    columns = {
        "tool": tool,
        "version": "1.0",
        "algorithm": "a",
        "settings": "",
        "status": "ok",
        "rows": 500,
    }
    names = [f"net{i}" for i in range(len(f1))]
    frame = pd.DataFrame({"network": names, "f1": f1, "cpdag_shd": distances})
    rest = {"sample": 0, "arrows": 4, "right_arrows": 2, "held_out": -1.0, "cpu_seconds": 0.5}
    return frame.assign(**{**columns, **rest, **more})


def test_programs_are_compared_network_by_network():
    ours = peer_runs("ours", [0.9, 0.8, 0.7, 0.6], [1, 2, 3, 4])
    one = peer_runs("one", [0.8, 0.9, 0.1, 0.6], [2, 2, 2, 8])
    other = peer_runs("other", [0.1, 0.2, 0.9, 0.0], [9, 9, 9, 9], status="timeout60")
    lines = beside_peers(ours, pd.concat([one, other]))
    assert "| **bnsieve** | 500 | 4 | 4 | 0.750 | 2.5 | 0.50 | -1.000 | 0.50 |  |" in lines
    assert "| other a | 500 | 4 | 4 | 0.300 | 9.0 | 0.50 | -1.000 | 0.50 | 4 |" in lines
    assert "### one 1.0" in lines
    # The tables of all programs together come last.
    lines = lines[next(i for i, line in enumerate(lines) if line.startswith("### All of them")) :]
    single = next(line for line in lines if line.startswith("| best single: one a"))
    assert "| f1 | 0.750 | 0.600 | 1.25 | 2 | 1 | 1 |" in single
    # On each network the better of the two: .8, .9, .9, .6.
    best = next(line for line in lines if line.startswith("| best of all"))
    assert "| f1 | 0.750 | 0.800 | 0.94 | 1 | 1 | 2 |" in best
    least = next(line for line in lines if line.startswith("| least distance: one a"))
    assert "| cpdag_shd | 2.5 | 3.5 | 0.71 | 2 | 1 | 1 |" in least


def test_each_program_is_compared_on_what_it_was_run_on():
    ours = peer_runs("ours", [0.9, 0.1], [1, 9])
    one = peer_runs("one", [0.8, 0.8], [1, 1])
    other = peer_runs("other", [0.7], [1])
    lines = beside_peers(ours, pd.concat([one, other]))
    own = [line for line in lines if line.startswith("| **bnsieve**")]
    # Beside one, beside the other, beside both.
    assert [line.split(" | ")[2:5] for line in own] == [
        ["2", "2", "0.500"],
        ["1", "1", "0.900"],
        ["1", "1", "0.900"],
    ]


def test_a_network_counts_once_however_many_samples_it_has():
    twice = pd.concat([peer_runs("ours", [0.2, 0.8], [1, 1]), peer_runs("ours", [0.4], [3])])
    twice["sample"] = [0, 0, 1]
    lines = beside_peers(twice, twice.assign(tool="one"))
    # Of the first network (.2 + .4) / 2, of the second .8.
    assert any(line.startswith("| one a | 500 | 2 | 3 | 0.550 | 1.5 |") for line in lines)


def test_the_order_of_networks_is_fixed_and_random():
    order = networks_in_order()
    assert len(order) == 172
    assert set(order) <= set(bnrep_names())
    assert list(order) != sorted(order)
    # Any beginning is a random part: of a quarter, about half comes from each half of the alphabet.
    early = sum(name in sorted(order)[:86] for name in order[:43])
    assert 12 <= early <= 31


def test_learners_that_were_not_run_are_left(tmp_path):
    path = tmp_path / "peers.csv"
    asked = {"networks": ["APSsystem"], "tools": ["pyagrum"], "samples": 1, "rows": [500]}
    options = argparse.Namespace(**asked, subset=None, learners=None)
    (everything,) = peers._left(options, path)
    assert everything.learners == tuple(peers.LEARNERS["pyagrum"])
    first = everything.learners[0]
    names = ("tool", "algorithm", "settings", "network", "rows", "sample")
    append(path, [dict(zip(names, ("pyagrum", *first, "APSsystem", 500, 0), strict=True))])
    (rest,) = peers._left(options, path)
    assert rest.learners == everything.learners[1:]
    options.learners = 2
    (rest,) = peers._left(options, path)
    assert rest.learners == everything.learners[1:2]


def test_the_picture_has_a_line_for_every_configuration_and_ours_first():
    ours = peer_runs("ours", [0.9, 0.8], [1, 2])
    one = peer_runs("one", [0.8, 0.9], [2, 2])
    other = peer_runs("<other>", [0.1, 0.2], [9, 9])
    # Of another size, where only one of them was run, nothing is shown.
    both_ours = pd.concat([ours, ours.assign(rows=2_000)])
    theirs = pd.concat([other, one, one.assign(rows=2_000)])
    svg = ElementTree.fromstring(picture(both_ours, theirs))
    texts = [text.text for text in svg.iter("{http://www.w3.org/2000/svg}text")]
    names = ["bnsieve, one default", "best of the others, in hindsight", "one a", "<other> a"]
    assert [text for text in texts if text in names] == names
    # Of the two, on each network the better: .8 and .9.
    assert texts[texts.index(names[1]) + 1] == "0.85"
    assert "500 rows" in texts
    assert "2,000 rows" not in texts


def test_where_at_most_one_column_varies_other_programs_are_not_asked(monkeypatch, tmp_path):
    data = pd.DataFrame({"a": ["x"] * 30, "b": ["y"] * 30, "c": list("uv") * 15}, dtype="category")

    class Sample:
        rows = as_it_is(data)

        @staticmethod
        def judge(graph):
            return {"edges": graph.n_edges}

    monkeypatch.setattr(peers, "sample_of", lambda *given: Sample)
    monkeypatch.setattr(peers, "learn_all", lambda *given: pytest.fail("asked"))
    job = peers.Job("bnlearn", "any", 30, 0, (("hc", "score=bic"), ("mmhc", "")))
    lines = peers.perform(job, tmp_path, limit=1)
    assert [line["edges"] for line in lines] == [0, 0]
    assert [line["status"] for line in lines] == ["ok", "ok"]
