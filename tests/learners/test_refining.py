"""Parents of numeric variables after the last stage, in rows of known make."""

import numpy as np
import pandas as pd
import pytest

from bnsieve import Knowledge, TsetlinSieve


@pytest.fixture(scope="module")
def bumpy():
    """Three variables with long memories; a bumpy effect of one on the next."""
    rng = np.random.default_rng(0)
    rows = rng.normal(size=(1_200, 4)) * [1.5, 1.0, 1.0, 1.0]
    for t in range(1, len(rows)):
        before = rows[t - 1]
        bump = before[0] + 5 * before[0] ** 2 * np.exp(-(before[0] ** 2) / 20)
        rows[t] += [0.9 * before[0], 0.5 * before[1] + 0.5 * bump, 0.9 * before[2], 0.5 * before[3]]
        rows[t, 3] += 0.4 * rows[t, 2]
    return pd.DataFrame(rows[200:], columns=list("abcd")).assign(at=np.arange(1_000))


TRUE_EDGES = {("a@t-1", "a"), ("a@t-1", "b"), ("b@t-1", "b"), ("c@t-1", "c"), ("d@t-1", "d")}


def learned(frame, **parameters):
    return TsetlinSieve(time="at", lags=3, random_state=0, **parameters).fit(frame)


def lagged_edges(learner):
    return {(tail, head) for tail, head in learner.graph_.directed_edges if "@" in tail}


def test_no_past_value_makes_up_for_a_curve(bumpy):
    learner = learned(bumpy)
    assert lagged_edges(learner) == TRUE_EDGES
    assert "d" in learner.graph_.adjacent("c")
    assert set(learner.fit_result_.sieve.edge_margins) == set(learner.dag_.directed_edges)


def test_required_edges_stay(bumpy):
    knowledge = Knowledge(required=[("c@t-3", "b")])
    assert lagged_edges(learned(bumpy, knowledge=knowledge)) >= {("c@t-3", "b")}


def test_forbidden_edges_are_not_added(bumpy):
    knowledge = Knowledge(forbidden=[("a@t-1", "b")])
    assert ("a@t-1", "b") not in lagged_edges(learned(bumpy, knowledge=knowledge))


def test_rows_may_have_missing_values(bumpy):
    holes = np.random.default_rng(1).random((len(bumpy), 4)) < 0.02
    frame = bumpy.copy()
    frame[list("abcd")] = frame[list("abcd")].mask(holes)
    assert lagged_edges(learned(frame, missing="testwise")) >= TRUE_EDGES - {("a@t-1", "b")}


def test_few_rows_are_left_as_they_are(bumpy):
    assert lagged_edges(learned(bumpy[:40])) is not None


@pytest.mark.parametrize("back", [0, 1])
def test_what_the_change_of_a_wandering_variable_moves_is_found(back):
    rng = np.random.default_rng(3)
    steps = rng.normal(size=(1_200, 4))
    steps[back:, 1] += 0.5 * steps[: len(steps) - back, 0]
    frame = pd.DataFrame(np.cumsum(steps, axis=0), columns=list("abcd"))
    learner = learned(frame.assign(at=np.arange(len(frame))))
    between = {
        (frozenset((edge.tail, edge.head)), edge.lags)
        for edge in learner.graph_.over_time().edges
        if edge.tail != edge.head
    }
    assert between == {(frozenset("ab"), (back, back + 1))}


@pytest.fixture(scope="module")
def curves():
    """A chain whose curves bend more often than the functions of the score."""
    rng = np.random.default_rng(4)
    a = rng.normal(size=3_000)
    b = np.sin(4 * a) + 0.5 * a + 0.3 * rng.normal(size=3_000)
    c = a + 0.5 * rng.normal(size=3_000)
    d = np.cos(3 * c) + 0.3 * rng.normal(size=3_000)
    return pd.DataFrame({"a": a, "b": b, "c": c, "d": d})


@pytest.mark.parametrize("columns", [["a", "b", "c", "d"], ["d", "b", "c", "a"]])
def test_no_other_column_makes_up_for_a_curve(curves, columns):
    graph = TsetlinSieve(random_state=0).fit(curves[columns]).graph_
    assert {frozenset(edge) for edge in graph.edges} == {
        frozenset("ab"),
        frozenset("ac"),
        frozenset("cd"),
    }
