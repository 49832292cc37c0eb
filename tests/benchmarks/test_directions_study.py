"""Arrows are judged by the true equivalence class."""

import pandas as pd

from benchmarks.directions.study import NO_EDGE, RIGHT, WRONG, judged, report
from bnsieve import Graph

NODES = ["a", "b", "c", "d", "e"]
# a -> c <- b compels c -> d; e - a stays undirected.
TRUTH = Graph(NODES, directed=[("a", "c"), ("b", "c"), ("c", "d"), ("e", "a")])


def test_an_arrow_is_right_wrong_or_without_an_edge():
    found = Graph(NODES, directed=[("a", "c"), ("d", "c"), ("a", "e"), ("b", "d")])
    verdicts = {(one["tail"], one["head"]): one["verdict"] for one in judged(found, TRUTH, {})}
    assert verdicts == {
        ("a", "c"): RIGHT,
        ("d", "c"): WRONG,
        ("a", "e"): WRONG,
        ("b", "d"): NO_EDGE,
    }


def test_arrows_that_have_a_margin_but_are_not_shown_are_judged_too():
    found = Graph(NODES, directed=[("a", "c")], undirected=[("c", "d")])
    lines = judged(found, TRUTH, {("a", "c"): 12.5, ("c", "d"): 0.25})
    shown = {(one["tail"], one["head"]): (one["margin"], one["determined"]) for one in lines}
    assert shown == {("a", "c"): (12.5, 1), ("c", "d"): (0.25, 0)}
    assert all(one["verdict"] == RIGHT for one in lines)


def test_the_report_shows_shares_by_margin():
    run = {"label": "x", "network": "n", "rows": 1_000, "seed": 0}
    measures = {"arrows": 4, "right_arrows": 3, "true_arrows": 9, "lines": 0, "f1": 1.0}
    runs = pd.DataFrame([{**run, **measures, "cpdag_shd": 2, "cpu_seconds": 0.1}])
    arrows = pd.DataFrame(
        [
            {**run, "tail": "a", "head": f"h{i}", "margin": margin, "verdict": verdict}
            for i, (margin, verdict) in enumerate(
                [(0.1, WRONG), (6.0, RIGHT), (60.0, RIGHT), (70.0, RIGHT)]
            )
        ]
    )
    lines = report(runs, arrows)
    assert any("**0.750** (3.0 of 9)" in line for line in lines)
    assert "| 0 to 0.5 | 1 | 0.000 | 4 | 0.750 | 0.750 | 1 of 1 |" in lines
    assert "| 50 and more | 2 | 1.000 | 2 | 1.000 | 1.000 | 0 of 1 |" in lines
