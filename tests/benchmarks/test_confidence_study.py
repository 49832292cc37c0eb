"""The study of strengths and directions."""

import pandas as pd

from benchmarks.confidence import study
from bnsieve import load_network


def test_directions_are_judged_by_the_true_cpdag():
    frame = study.strengths("asia", "half", 4, 1_000, 0)
    arrows = set(load_network("asia").graph.to_cpdag().directed_edges)
    right = frame[frame["right"] == 1]
    assert frame["direction"].between(0.5, 1).all()
    # An arrow that is right joins a pair that the CPDAG directs one way or the other.
    pairs = {frozenset(arrow) for arrow in arrows}
    assert all(frozenset(ends) in pairs for ends in zip(right["from"], right["to"], strict=True))
    assert (right["true"] == 1).all()


def test_directions_are_counted_by_tenth_of_true_edges_that_most_have():
    frame = pd.DataFrame(
        {
            "strength": [1.0, 1.0, 0.6, 0.4, 1.0],
            "true": [1, 1, 1, 1, 0],
            "direction": [0.95, 0.9, 0.55, 0.95, 0.95],
            "right": [1, 0, 1, 1, 0],
        }
    )
    lines = study.directions(frame)
    assert "| 0.5 to 0.6 | 1 | 1 | 1.00 |" in lines
    assert "| 0.9 to 1.0 | 2 | 1 | 0.50 |" in lines
    assert study.directions(frame.drop(columns="direction")) == []
