"""Effects and drivers over time, beside what the models say that rows were drawn from."""

import numpy as np
import pandas as pd
import pytest

import bnsieve as bn
from bnsieve.graph import RepeatedGraph


@pytest.fixture(scope="module")
def linear():
    """Pump acts on flow one step later, flow on heat within the step; dial does nothing."""
    random = np.random.default_rng(0)
    n = 2_500
    pump, flow, heat, dial = np.zeros((4, n))
    for t in range(1, n):
        pump[t] = 0.5 * pump[t - 1] + random.normal()
        flow[t] = 0.6 * flow[t - 1] + 0.8 * pump[t - 1] + random.normal()
        heat[t] = 0.5 * heat[t - 1] + 0.7 * flow[t] + random.normal()
        dial[t] = 0.98 * dial[t - 1] + random.normal()
    frame = pd.DataFrame({"at": np.arange(n), "pump": pump, "flow": flow, "heat": heat})
    return bn.TsetlinSieve(time="at", random_state=0).fit(frame.assign(dial=dial))


def per_unit(effect):
    assert effect.is_settled
    return next(one for one in effect.cases[0].contrasts if one.treated is None)


def impulse(lag):
    """Return what one unit more of pump does to flow and heat so many steps later."""
    pump, flow, heat = 1.0, 0.0, 0.0
    for _ in range(lag):
        pump, flow = 0.5 * pump, 0.6 * flow + 0.8 * pump
        heat = 0.5 * heat + 0.7 * flow
    return flow, heat


@pytest.mark.parametrize("lag", [1, 2, 3])
def test_effects_of_earlier_values_are_impulse_responses(linear, lag):
    flow, heat = impulse(lag)
    for outcome, truth in (("flow", flow), ("heat", heat)):
        found = per_unit(linear.effect(f"pump@t-{lag}", outcome))
        assert abs(found.difference - truth) < 3 * found.estimate.error
        assert found.estimate.error < 0.1


def test_what_was_asked_is_said_in_words(linear):
    text = str(linear.effect("pump@t-2", "heat"))
    assert text.startswith("effect of pump two steps earlier (pump@t-2) on heat")
    assert "the same edges hold at every step" in text
    shifted = linear.effect("pump@t-3", "heat@t-1")
    assert (shifted.treatment, shifted.outcome) == ("pump@t-2", "heat")


def test_what_cannot_be_told_is_refused(linear):
    with pytest.raises(ValueError, match="comes after 'heat@t-2'"):
        linear.effect("pump", "heat@t-2")
    with pytest.raises(ValueError, match="both treatment and outcome"):
        linear.effect("heat@t-1", "heat@t-1")
    with pytest.raises(ValueError, match="no row has 5,001 steps before it"):
        linear.effect("pump@t-5000", "heat")
    with pytest.raises(ValueError, match="leave out given="):
        linear.effect("pump@t-1", "heat", {"dial": 0.0})
    with pytest.raises(ValueError, match="pumb"):
        linear.effect("pumb@t-1", "heat")


def test_own_past_has_an_effect(linear):
    found = per_unit(linear.effect("heat@t-1", "heat"))
    assert abs(found.difference - 0.5) < 3 * found.estimate.error


def test_drivers_have_lags_and_reach_through_earlier_steps(linear):
    drivers = linear.drivers("heat")
    names = {driver.name for driver in drivers}
    assert {"flow", "heat@t-1", "pump@t-1"} <= names
    assert drivers["pump@t-1"].path == ("flow",)
    assert drivers["pump@t-1"].kind == "possible cause"
    assert drivers["pump@t-1"].low > 0
    assert not any(name.startswith("dial") for name in names)
    assert drivers.others == ("dial",)
    assert not drivers["heat@t-1"].late  # the past is recorded before


def test_slow_series_that_have_nothing_to_do_with_each_other_are_no_drivers():
    random = np.random.default_rng(1)
    walks = np.cumsum(random.normal(size=(800, 4)), axis=0)
    frame = pd.DataFrame(walks, columns=list("abcd")).assign(at=np.arange(800))
    learner = bn.TsetlinSieve(time="at", random_state=0).fit(frame)
    for target in "ab":
        found = {driver.name.split("@")[0] for driver in learner.drivers(target)}
        linked = {
            tail.split("@")[0] for tail, head in learner.dag_.directed_edges if head == target
        }
        assert found <= linked | {target} | set(learner.dag_.children(target))


def panel(n_entities=120, n_steps=8):
    random = np.random.default_rng(2)
    rows = []
    for entity in range(n_entities):
        site = "north" if entity % 2 else "south"
        drug, ill = 0, 0
        for at in range(n_steps):
            ill = int(random.random() < 0.2 + 0.3 * ill - 0.15 * drug + 0.2 * (site == "north"))
            drug = int(random.random() < 0.3 + 0.4 * ill)
            rows.append((entity, at, site, drug, ill))
    frame = pd.DataFrame(rows, columns=["entity", "at", "site", "drug", "ill"])
    return frame.replace({"drug": {0: "no", 1: "yes"}, "ill": {0: "no", 1: "yes"}})


def test_static_variables_act_at_all_steps():
    learner = bn.TsetlinSieve(time="at", by="entity", random_state=0).fit(panel(300))
    effect = learner.effect({"site": ("south", "north")}, "ill")
    case = effect.cases[0]
    # What site does to earlier illness is part of its effect.
    assert not {"ill@t-1", "drug@t-1"} & set(case.adjusted_for)
    # In the long run of this chain: risks of 0.2 and 0.4 and what feeds back.
    assert 0.15 < case.contrasts[0].difference < 0.35


def test_entities_are_clusters_and_short_pasts_are_refused():
    learner = bn.TsetlinSieve(time="at", by="entity", random_state=0).fit(panel())
    effect = learner.effect({"drug@t-2": ("no", "yes")}, "ill")
    assert effect.cases[0].contrasts[0].estimate.n_rows <= 120 * 5
    assert "rows with 3 steps before them" in effect.caution
    with pytest.raises(ValueError, match="no row has 8 steps before it"):
        learner.effect("drug@t-7", "ill")


def test_saved_without_rows_past_treatments_are_refused(linear, tmp_path):
    linear.save(tmp_path / "with")
    again = bn.load(tmp_path / "with")
    wanted = per_unit(linear.effect("pump@t-2", "heat")).difference
    assert per_unit(again.effect("pump@t-2", "heat")).difference == pytest.approx(wanted)
    linear.save(tmp_path / "without", data=False)
    with pytest.raises(ValueError, match="rows of a fit, which were not kept"):
        bn.load(tmp_path / "without").effect("pump@t-2", "heat")


def test_the_repeated_graph_has_the_learned_edges_at_every_step():
    graph = bn.Graph(
        ["a", "b", "s", "a@t-1", "b@t-1"],
        [("a@t-1", "a"), ("a@t-1", "b"), ("s", "b")],
        [("a", "b")],
    )
    repeated = RepeatedGraph(graph, frozenset("ab"))
    two = repeated.unrolled(1)
    assert set(two.directed_edges) == {
        ("a@t-1", "a"), ("a@t-2", "a@t-1"), ("a@t-1", "b"), ("a@t-2", "b@t-1"),
        ("s", "b"), ("s", "b@t-1"),
    }  # fmt: skip
    assert {frozenset(edge) for edge in two.undirected_edges} == {
        frozenset(("a", "b")), frozenset(("a@t-1", "b@t-1")),
    }  # fmt: skip
    # b may act on a within the step, and a on itself; s through b.
    assert repeated.acting("a") == {"b": (0,), "s": (0,), "a": (0, 1)} or repeated.acting("a") == {
        "b": (0,), "s": (0,), "a": (1,),
    }  # fmt: skip


def test_first_steps_depend_on_each_other_in_any_way():
    """A back door through the time before the first step is not overlooked."""
    graph = bn.Graph(
        ["x", "y", "u", "x@t-1", "y@t-1", "u@t-1"],
        [("u@t-1", "u"), ("u@t-1", "x"), ("u@t-1", "y"), ("x", "y")],
    )
    dag = RepeatedGraph(graph, frozenset("xyu")).dag(0, "x", "y")
    assert not dag.d_separated("x", "y")
    cut = bn.Graph(dag.nodes, [edge for edge in dag.directed_edges if edge[0] != "x"])
    assert cut.d_separated("x", "y", given=["u@t-1"])
    assert not cut.d_separated("x", "y")


def test_differences_of_risks_end_at_one_hundred_points():
    random = np.random.default_rng(3)
    cause = random.random(60) < 0.5
    outcome = cause ^ (random.random(60) < 0.04)
    frame = pd.DataFrame({"cause": cause, "outcome": outcome})
    learner = bn.TsetlinSieve(random_state=0).fit(frame)
    contrast = learner.effect("cause", "outcome", interval=0.9999).cases[0].contrasts[0]
    assert contrast.high <= 1.0
    assert contrast.difference + 3.89 * contrast.estimate.error > 1.0


def test_edges_are_explained_at_any_step(linear):
    now = linear.explain("pump@t-1", "flow")
    assert str(linear.explain("pump@t-3", "flow@t-2")) == str(now)
    assert str(now).startswith("pump@t-1 -> flow")
    with pytest.raises(ValueError, match="4 steps apart"):
        linear.explain("pump@t-4", "flow")
