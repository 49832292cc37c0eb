"""Forecasts of networks whose future is known by theory."""

import itertools

import numpy as np
import pandas as pd
import pytest

from bnsieve import BayesianNetwork, Graph
from bnsieve.network import (
    Forecast,
    ForecastOptions,
    NumberNode,
    StateNode,
    forecast_rows,
    unrolled_network,
)
from bnsieve.network.mixed.nodes import Inputs, NumberInput
from bnsieve.network.mixed.scale import Scale
from bnsieve.table import Timeline

SLOPE, HOURS = 0.8, pd.date_range("2024-01-01", periods=6, freq="h")
CHAIN = np.array([[0.9, 0.1, 0.0], [0.2, 0.5, 0.3], [0.05, 0.15, 0.8]])
LETTERS = ("a", "b", "c")


def linear(parents=(), slopes=(), deviation=1.0, states=(), shifts=(0.0,)):
    """A number that is a sum of others, shifted by states of a parent, with normal noise."""
    inputs = Inputs(
        tuple(NumberInput(name, Scale.plain()) for name in parents),
        tuple(name for name, _ in states),
        tuple(n for _, n in states),
    )
    coefficients = np.array([[shift, *slopes] for shift in shifts])
    deviations = np.full(len(shifts), float(deviation))
    return NumberNode(inputs, Scale.plain(), coefficients, deviations, Scale.plain(), 1.0)


def autoregression() -> BayesianNetwork:
    """X is SLOPE times X one step before, plus standard normal noise."""
    spread = 1 / np.sqrt(1 - SLOPE**2)
    graph = Graph(["x", "x@t-1"], [("x@t-1", "x")])
    nodes = {"x": linear(["x@t-1"], [SLOPE]), "x@t-1": linear(deviation=spread)}
    return BayesianNetwork(graph, {}, {}, regressions=nodes)


def chain() -> BayesianNetwork:
    graph = Graph(["s", "s@t-1"], [("s@t-1", "s")])
    tables = {"s": CHAIN, "s@t-1": [0.2, 0.3, 0.5]}
    return BayesianNetwork(graph, {"s": LETTERS, "s@t-1": LETTERS}, tables)


def timeline(*variables, lags=1, by=None, static=()):
    return Timeline("at", by, lags, None, variables, static)


def forecast(network, line, history, do=None, given=None, **options) -> Forecast:
    return forecast_rows(network.parts, line, history, ForecastOptions(**options), do, given)


def of_x(history, **options):
    return forecast(autoregression(), timeline("x"), history, **options)


def of_s(history, **options):
    return forecast(chain(), timeline("s"), history, **options)


def rows_of_x(*values) -> pd.DataFrame:
    return pd.DataFrame({"at": HOURS[: len(values)], "x": np.array(values, dtype=float)})


def rows_of_s(*values) -> pd.DataFrame:
    return pd.DataFrame({"at": HOURS[: len(values)], "s": values})


def test_means_and_intervals_of_an_autoregression() -> None:
    found = of_x(rows_of_x(0.0, 3.0), steps=12, n_paths=20_000)
    steps = np.arange(1, 13)
    means = SLOPE**steps * 3
    spread = np.sqrt((1 - SLOPE ** (2 * steps)) / (1 - SLOPE**2))
    mean, median, low, high = found.numbers["x"][0].T
    np.testing.assert_allclose(mean, means, atol=0.04)
    np.testing.assert_allclose(median, means, atol=0.06)
    np.testing.assert_allclose(low, means - 1.6449 * spread, atol=0.1)
    np.testing.assert_allclose(high, means + 1.6449 * spread, atol=0.1)
    assert not found.is_exact


def test_a_markov_chain_is_the_power_of_its_matrix() -> None:
    found = of_s(rows_of_s("a", "b"), steps=6)
    powers = [np.linalg.matrix_power(CHAIN, step)[1] for step in range(1, 7)]
    assert found.is_exact
    np.testing.assert_allclose(found.probabilities["s"][0], powers, atol=1e-12)


def test_paths_agree_with_exact_probabilities() -> None:
    history = rows_of_s("a", None, "c")
    exact = of_s(history, steps=5).probabilities["s"]
    drawn = of_s(history, steps=5, keep_paths=True, n_paths=20_000)
    np.testing.assert_allclose(drawn.probabilities["s"], exact, atol=0.01)
    assert drawn.paths["s"].shape == (1, 5, 20_000)
    assert set(np.unique(drawn.paths["s"])) <= {0, 1, 2}


def test_missing_last_values_are_filtered() -> None:
    found = of_s(rows_of_s("a", None, None), steps=1)
    np.testing.assert_allclose(
        found.probabilities["s"][0, 0], np.linalg.matrix_power(CHAIN, 3)[0], atol=1e-12
    )
    assert "missing" in str(found)
    # A missing step is one of which nothing is known.
    gone = rows_of_s("a", "b", "c").iloc[[0, 1]].assign(at=HOURS[[0, 3]])
    step = forecast(chain(), timeline("s"), gone.assign(s=["a", None]), steps=1)
    assert step.times[0, 0] == np.datetime64(HOURS[3] + pd.Timedelta("3h"))


def test_steps_without_a_row_are_missing() -> None:
    history = rows_of_s("a", "a", "a", "a", None).iloc[[0, 1, 2, 4]]
    found = of_s(history, steps=1)
    np.testing.assert_allclose(
        found.probabilities["s"][0, 0], np.linalg.matrix_power(CHAIN, 3)[0], atol=1e-12
    )


def test_missing_numbers_are_filtered_by_what_came_after() -> None:
    """Two lags: the missing value lies between known ones, and both bear on the next."""
    names = ["x", "x@t-1", "x@t-2"]
    graph = Graph(names, [("x@t-1", "x"), ("x@t-2", "x")])
    nodes = {"x": linear(["x@t-1", "x@t-2"], [0.5, 0.3])}
    nodes |= {name: linear(deviation=2.0) for name in names[1:]}
    network = BayesianNetwork(graph, {}, {}, regressions=nodes)
    known = [1.0, -1.0, np.nan, 2.0]
    found = forecast(network, timeline("x", lags=2), rows_of_x(*known), steps=1, n_paths=50_000)
    # x2 ~ N(.5 x1 + .3 x0, 1), and x3 = 2 is N(.5 x2 + .3 x1, 1).
    prior = 0.5 * -1 + 0.3 * 1
    precision = 1 + 0.25
    middle = (prior + 0.5 * (2 - 0.3 * -1)) / precision
    mean = 0.5 * 2 + 0.3 * middle
    assert found.numbers["x"][0, 0, 0] == pytest.approx(mean, abs=0.02)
    spread = np.sqrt(1 + 0.09 / precision)
    assert found.numbers["x"][0, 0, 3] == pytest.approx(mean + 1.6449 * spread, abs=0.05)


def test_future_evidence_bears_on_earlier_steps() -> None:
    found = of_x(rows_of_x(1.0, 0.0), steps=2, given={"x": ("t+2", 2.0)}, n_paths=20_000)
    mean, _, low, high = found.numbers["x"][0, 0]
    assert mean == pytest.approx(2 * SLOPE / (1 + SLOPE**2), abs=0.03)
    assert high - low == pytest.approx(2 * 1.6449 / np.sqrt(1 + SLOPE**2), abs=0.08)
    np.testing.assert_allclose(found.numbers["x"][0, 1], 2.0)
    smoothed = of_s(rows_of_s("a", "a"), steps=2, given={"s": ("t+2", "c")})
    weights = CHAIN[0] * CHAIN[:, 2]
    np.testing.assert_allclose(smoothed.probabilities["s"][0, 0], weights / weights.sum())


def test_what_is_set_cuts_its_causes() -> None:
    """A cause, its effect in the same step, and a common past."""
    names = ["valve", "flow", "valve@t-1", "flow@t-1"]
    edges = [("valve@t-1", "valve"), ("valve", "flow"), ("flow@t-1", "flow")]
    states = dict.fromkeys(names, ("no", "yes"))
    flow = np.array([[[0.9, 0.1], [0.6, 0.4]], [[0.3, 0.7], [0.1, 0.9]]])  # valve, flow before
    tables = {
        "valve": [[0.8, 0.2], [0.3, 0.7]],
        "flow": flow,
        "valve@t-1": [0.5, 0.5],
        "flow@t-1": [0.5, 0.5],
    }
    parents = {"flow": ("valve", "flow@t-1")}
    network = BayesianNetwork(Graph(names, edges), states, tables, parents)
    history = pd.DataFrame({"at": [1, 2], "valve": ["no", "no"], "flow": ["no", "no"]})
    line = timeline("valve", "flow")
    done = forecast(network, line, history, {"valve": ("t+1", "yes")}, steps=2)
    np.testing.assert_allclose(done.probabilities["valve"][0], [[0, 1], [0.3, 0.7]])
    first = flow[1, 0]
    np.testing.assert_allclose(done.probabilities["flow"][0, 0], first)
    second = sum(
        v * f * flow[i, j]
        for (i, v), (j, f) in itertools.product(enumerate([0.3, 0.7]), enumerate(first))
    )
    np.testing.assert_allclose(done.probabilities["flow"][0, 1], second)
    # An effect that is set says nothing about its cause; one that is seen does.
    put = forecast(network, line, history, {"flow": ("t+1", "yes")}, steps=1)
    np.testing.assert_allclose(put.probabilities["valve"][0, 0], [0.8, 0.2])
    seen = forecast(network, line, history, given={"flow": ("t+1", "yes")}, steps=1)
    weights = np.array([0.8, 0.2]) * flow[:, 0, 1]
    np.testing.assert_allclose(seen.probabilities["valve"][0, 0], weights / weights.sum())
    options = {"keep_paths": True, "n_paths": 20_000}
    for exact, drawn in (
        (put, forecast(network, line, history, {"flow": (1, "yes")}, steps=1, **options)),
        (seen, forecast(network, line, history, None, {"flow": (1, "yes")}, steps=1, **options)),
        (done, forecast(network, line, history, {"valve": (1, "yes")}, steps=2, **options)),
    ):
        for name in ("valve", "flow"):
            np.testing.assert_allclose(
                drawn.probabilities[name], exact.probabilities[name], atol=0.015
            )
    assert "assumes that edges are causal" in str(done)
    assert "causal" not in str(seen)


def mixed() -> BayesianNetwork:
    """A mode that drives a number, which drives an alarm; a static kind shifts the number."""
    names = ["mode", "x", "alarm", "kind", "mode@t-1", "x@t-1", "alarm@t-1"]
    edges = [("mode@t-1", "mode"), ("x@t-1", "x"), ("mode", "x"), ("kind", "x"), ("x", "alarm")]
    states = {name: ("off", "on") for name in names if name[0] in "ma"}
    states["kind"] = ("large", "small")
    alarm = Inputs((NumberInput("x", Scale.plain()),))
    nodes = {
        "x": linear(
            ["x@t-1"], [0.5], states=[("mode", 2), ("kind", 2)], shifts=[0.0, 1.0, 2.0, 3.0]
        ),
        "x@t-1": linear(deviation=2.0),
        "alarm": StateNode(alarm, np.array([[[0.0, 0.0], [-2.0, 1.0]]]), 2.0),
    }
    tables = {
        "mode": [[0.9, 0.1], [0.2, 0.8]],
        "kind": [0.5, 0.5],
        "mode@t-1": [0.5, 0.5],
        "alarm@t-1": [0.5, 0.5],
    }
    return BayesianNetwork(Graph(names, edges), states, tables, regressions=nodes)


def panel() -> pd.DataFrame:
    rng = np.random.default_rng(0)
    parts = []
    for place, name in enumerate(["m1", "m2", "m3", "m4", "m5"]):
        n = 2 + place
        part = pd.DataFrame(
            {
                "machine": name,
                "at": np.arange(n) + 10 * place,
                "mode": rng.choice(["off", "on"], n),
                "x": rng.normal(size=n),
                "alarm": rng.choice(["off", "on"], n),
                "kind": ["large", "small"][place % 2],
            }
        )
        parts.append(part)
    frame = pd.concat(parts, ignore_index=True)
    frame.loc[frame["machine"].eq("m3") & frame["at"].eq(23), "x"] = np.nan
    return frame


PANEL = timeline("mode", "x", "alarm", by="machine", static=("kind",))


def test_a_batch_is_the_same_as_one_by_one() -> None:
    frame = panel()
    together = forecast(mixed(), PANEL, frame, steps=4, n_paths=200)
    assert together.entities == ("m1", "m2", "m3", "m4", "m5")
    for name in together.entities:
        alone = forecast(mixed(), PANEL, frame[frame["machine"] == name], steps=4, n_paths=200)
        pd.testing.assert_frame_equal(alone.to_frame(), together.of(name).to_frame())
        shorter = forecast(mixed(), PANEL, frame, steps=2, n_paths=200).of(name)
        np.testing.assert_array_equal(shorter.numbers["x"], alone.numbers["x"][:, :2])


def test_the_order_of_rows_is_not_read() -> None:
    frame = panel()
    shuffled = frame.sample(frac=1, random_state=1)
    one = forecast(mixed(), PANEL, frame, steps=3, n_paths=100).to_frame()
    other = forecast(mixed(), PANEL, shuffled, steps=3, n_paths=100).to_frame()
    keys = ["machine", "variable", "state", "step"]
    pd.testing.assert_frame_equal(
        one.sort_values(keys, ignore_index=True), other.sort_values(keys, ignore_index=True)
    )


def test_static_variables_shift_what_they_should() -> None:
    frame = panel()
    frame = frame[frame["machine"] == "m1"]
    means = {
        kind: forecast(mixed(), PANEL, frame.assign(kind=kind), steps=1).numbers["x"][0, 0, 0]
        for kind in ("large", "small")
    }
    assert means["small"] - means["large"] == pytest.approx(1.0, abs=1e-9)


def test_another_seed_changes_paths_only_a_little() -> None:
    history = rows_of_x(1.0, 2.0)
    one, other = (of_x(history, random_state=seed, n_paths=4000).numbers["x"] for seed in (1, 2))
    assert not np.array_equal(one, other)
    np.testing.assert_allclose(one, other, atol=0.25)
    np.testing.assert_array_equal(one, of_x(history, random_state=1, n_paths=4000).numbers["x"])


def test_the_frame_has_a_line_for_each_number_and_state() -> None:
    frame = forecast(mixed(), PANEL, panel(), steps=3, n_paths=50).to_frame()
    assert list(frame.columns) == [
        "machine", "at", "step", "variable",
        "mean", "median", "low", "high", "state", "probability",
    ]  # fmt: skip
    assert len(frame) == 5 * 3 * (1 + 2 + 2)
    sums = frame.groupby(["machine", "variable", "step"])["probability"].sum()
    np.testing.assert_allclose(sums.drop("x", level="variable"), 1.0)
    assert frame[frame["machine"] == "m2"]["at"].unique().tolist() == [13.0, 14.0, 15.0]


def test_unrolled_networks_answer_any_step_given_any_other() -> None:
    network = unrolled_network(chain().parts, timeline("s"), 3, 0)
    assert network.graph.nodes == ("s@t", "s@t+1", "s@t+2", "s@t+3")
    answer = network.query("s@t+1", given={"s@t": "a", "s@t+2": "c"})
    weights = CHAIN[0] * CHAIN[:, 2]
    np.testing.assert_allclose(answer.probabilities, weights / weights.sum())
    numbers = unrolled_network(autoregression().parts, timeline("x"), 2, 0)
    expected = numbers.expect("x@t+1", given={"x@t": 0.0, "x@t+2": 2.0})
    assert expected.mean == pytest.approx(2 * SLOPE / (1 + SLOPE**2))


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (lambda f: pd.concat([f, f.tail(1)]), "same time stamp, 2024-01-01 01:00"),
        (lambda f: f.assign(at=pd.Series([pd.NaT] * 2)), "time stamp"),
        (lambda f: f.assign(at=["now", "then"]), "'now', which is not a time"),
        (lambda f: f.drop(columns="at"), "no column 'at'"),
        (lambda f: f.iloc[:0], "no rows"),
        (lambda f: f.iloc[:1], "two rows"),
    ],
)
def test_histories_that_cannot_be_placed_are_refused(change, said) -> None:
    with pytest.raises(ValueError, match=said):
        of_s(change(rows_of_s("a", "b")))


def test_rows_out_of_step_are_not_joined() -> None:
    history = rows_of_s("a", "a", "a", "a").assign(at=[0.0, 1.0, 2.0, 3.5], s=["a", "a", "a", None])
    found = of_s(history, steps=1)
    np.testing.assert_allclose(
        found.probabilities["s"][0, 0], np.linalg.matrix_power(CHAIN, 3)[0], atol=1e-12
    )
    assert "not a multiple of 1" in str(found)


def test_rows_without_a_stamp_are_left_out_and_counted() -> None:
    history = rows_of_s("a", "b", "c").assign(at=[0.0, 1.0, None])
    found = of_s(history, steps=1)
    np.testing.assert_allclose(found.probabilities["s"][0, 0], CHAIN[1], atol=1e-12)
    assert "1 row has no time stamp" in str(found)


@pytest.mark.parametrize(
    ("do", "said"),
    [
        ({"t": "a"}, "no node 't'"),
        ({"s": ("t+1", "d")}, "no state 'd'"),
        ({"s": ("t-1", "a")}, "names the step 't-1'"),
        ({"s@t-1": "a"}, "names 's@t-1', which is past: put it into the history"),
        ({"s": ("t+9", "a")}, "only 2 steps"),
        ({"s": [(1, "a"), ("t+1", "b")]}, "two values of 's' at t"),
        ({"s": ("a", "b", "c")}, "a step and a value"),
    ],
)
def test_scenarios_that_mean_nothing_are_refused(do, said) -> None:
    with pytest.raises(ValueError, match=said):
        of_s(rows_of_s("a", "b"), steps=2, do=do)


def test_evidence_and_setting_of_one_value_are_refused() -> None:
    with pytest.raises(ValueError, match="both set and given"):
        of_s(rows_of_s("a", "b"), steps=2, do={"s": "a"}, given={"s": (1, "b")})


def test_impossible_evidence_is_refused() -> None:
    with pytest.raises(ValueError, match="impossible"):
        of_s(rows_of_s("b", "a"), steps=1, given={"s": (1, "c")})
    with pytest.raises(ValueError, match="too improbable, or impossible"):
        of_s(rows_of_s("b", "a"), steps=1, given={"s": (1, "c")}, keep_paths=True)


def test_new_categories_are_missing_and_named() -> None:
    found = of_s(rows_of_s("a", "z"), steps=1)
    np.testing.assert_allclose(
        found.probabilities["s"][0, 0], np.linalg.matrix_power(CHAIN, 2)[0], atol=1e-12
    )
    assert "'z' did not occur" in str(found)


def test_short_histories_are_forecast_and_named() -> None:
    names = ["x", "x@t-1", "x@t-2"]
    graph = Graph(names, [("x@t-1", "x"), ("x@t-2", "x")])
    nodes = {"x": linear(["x@t-1", "x@t-2"], [0.5, 0.3])}
    nodes |= {name: linear(deviation=2.0) for name in names[1:]}
    network = BayesianNetwork(graph, {}, {}, regressions=nodes)
    history = pd.DataFrame({"id": ["a", "a", "b"], "at": [1, 2, 2], "x": [1.0, 2.0, 4.0]})
    line = timeline("x", lags=2, by="id")
    found = forecast(network, line, history, steps=1, n_paths=20_000)
    assert found.numbers["x"][0, 0, 0] == pytest.approx(0.5 * 2 + 0.3, abs=0.03)
    assert found.numbers["x"][1, 0, 0] == pytest.approx(0.5 * 4, abs=0.03)
    assert "fewer than 2 rows ('b')" in str(found)


def test_absent_columns_are_missing_and_named() -> None:
    frame = panel().drop(columns=["alarm", "kind"])
    found = forecast(mixed(), PANEL, frame, steps=1, n_paths=100)
    assert "no values of the columns alarm and kind" in str(found)
    assert np.isfinite(found.numbers["x"]).all()


def test_a_network_without_time_is_refused() -> None:
    with pytest.raises(ValueError, match="learn with time="):
        forecast(chain(), None, rows_of_s("a", "b"))
    with pytest.raises(ValueError, match="learn with time="):
        forecast(chain(), Timeline(by="s"), rows_of_s("a", "b"))


@pytest.mark.parametrize(
    "options",
    [{"steps": 0}, {"steps": 10**6}, {"n_paths": 3}, {"interval": 1.0}, {"interval": 0.0}],
)
def test_options_out_of_range_are_refused(options) -> None:
    with pytest.raises(ValueError, match="must"):
        of_s(rows_of_s("a", "b"), **options)


def test_paths_never_leave_for_infinity() -> None:
    graph = Graph(["x", "x@t-1"], [("x@t-1", "x")])
    nodes = {"x": linear(["x@t-1"], [1e3]), "x@t-1": linear()}
    network = BayesianNetwork(graph, {}, {}, regressions=nodes)
    found = forecast(network, timeline("x"), rows_of_x(1.0, 2.0), steps=200, n_paths=10)
    assert np.isfinite(found.numbers["x"]).all()


def test_the_picture_escapes_names() -> None:
    frame = panel()
    frame = frame[frame["machine"] == "m1"].assign(machine="<b>&")
    found = forecast(mixed(), PANEL, frame, steps=2, n_paths=20)
    svg = found.plot().svg
    assert "<b>" not in svg
    assert svg.count("<polyline") == 1
    assert svg.count("<rect") == 1 + 2 * 2 * 2
