"""The study of hidden causes judges as it says, and the report page repeats what it measured."""

import pytest

from benchmarks.common.runs import read_runs
from benchmarks.common.shuffled import as_it_is
from benchmarks.hidden import study
from benchmarks.hidden.judging import is_visible, judge, marks_of
from benchmarks.hidden.samples import HiddenSample, hidden_of, sample_of
from bnsieve import Graph, load_network
from bnsieve.report.hidden import MARKED, OTHERS

EDGES = [("i", "x"), ("h", "x"), ("h", "y"), ("j", "y"), ("y", "z")]
GRAPH = Graph(["i", "x", "h", "y", "j", "z"], EDGES)
SAMPLE = HiddenSample(
    as_it_is(load_network("asia").sample(2)),
    GRAPH.to_pag(hidden=["h"]),
    frozenset({frozenset("xy")}),
    frozenset({frozenset("xy")}),
)


def test_the_truth_is_at_no_distance_from_itself():
    found = judge(SAMPLE, marks_of(SAMPLE.pag.edges))
    assert (found["f1"], found["distance"]) == (1.0, 0.0)
    assert (found["double"], found["right_double"], found["true_double"]) == (1, 1, 1)


def test_an_edge_counts_one_and_an_end_a_half():
    # x <-> y is drawn as x --> y, y --> z is missing, i o-o j is too much.
    edges = [("i", "o->", "x"), ("x", "-->", "y"), ("j", "o->", "y"), ("i", "o-o", "j")]
    found = judge(SAMPLE, marks_of(edges))
    assert found["f1"] == pytest.approx(2 * 3 / 8)
    assert found["distance"] == 0.5 + 1 + 1
    assert found["double"] == 0
    # x --> y is visible by i, and has a hidden cause.
    assert (found["visible"], found["visible_hidden"]) == (1, 1)
    assert (found["others"], found["others_hidden"]) == (3, 0)


@pytest.mark.parametrize(
    ("edges", "visible"),
    [
        ([("a", "-->", "b")], False),
        ([("c", "o->", "a"), ("a", "-->", "b")], True),
        ([("c", "o-o", "a"), ("a", "-->", "b")], False),
        # c is adjacent to b.
        ([("c", "o->", "a"), ("a", "-->", "b"), ("c", "-->", "b")], False),
        # Over a double arrow, from a parent of b.
        ([("c", "o->", "d"), ("d", "<->", "a"), ("a", "-->", "b"), ("d", "-->", "b")], True),
        ([("c", "o->", "d"), ("d", "<->", "a"), ("a", "-->", "b"), ("d", "o->", "b")], False),
    ],
)
def test_visible_edges(edges, visible):
    assert is_visible(marks_of(edges), "a", "b") == visible


def test_causes_of_two_are_hidden():
    graph = load_network("child").graph
    hidden = hidden_of(graph, 0)
    assert len(hidden) == 2
    assert all(len(graph.children(name)) > 1 for name in hidden)
    sample = sample_of("child", 200, 0)
    names = set(sample.rows.names.values())
    assert names.isdisjoint(hidden)
    assert set(sample.pag.nodes) == names
    for name in hidden:
        children = sorted(names.intersection(graph.children(name)))
        assert not children or frozenset(children[:2]) in sample.confounded


def test_the_report_page_repeats_the_figures():
    runs = read_runs(study.parser_of("hidden", None).get_default("output") / "runs.csv")
    own = runs[runs.program == study.OURS].sum(numeric_only=True)
    assert round(100 * own.visible_hidden / own.visible, 1) == MARKED
    assert round(100 * own.others_hidden / own.others, 1) == OTHERS
