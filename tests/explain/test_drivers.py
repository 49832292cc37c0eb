"""Drivers of targets in data whose mechanism is known."""

import json
import re
import xml.etree.ElementTree as ET

import numpy as np
import pandas as pd
import pytest
from scipy.stats import chi2, chi2_contingency, kruskal, spearmanr

import bnsieve as bn
from bnsieve.explain import Driver, Drivers, find_drivers
from bnsieve.explain.driver_rows import TargetRows, outer_thirds
from bnsieve.explain.tornado import Bar, draw_tornado
from bnsieve.network import ContrastRows
from bnsieve.table import Table
from hostile_names import HOSTILE


def yes(rng, log_odds):
    return np.where(rng.logistic(size=len(log_odds)) < log_odds, "yes", "no")


def customers(n=6000, seed=0):
    """Age drives plan and churn; plan drives support, which drives churn; churn drives a letter."""
    rng = np.random.default_rng(seed)
    age = rng.choice(["old", "young"], n)
    young = age == "young"
    plan = np.where(rng.random(n) < 0.3 + 0.4 * young, "pro", "free")
    calls = yes(rng, -1.0 + 2.0 * (plan == "free"))
    churn = yes(rng, -1.5 + 1.6 * (calls == "yes") + 1.2 * young)
    letter = np.where(churn == "yes", yes(rng, np.full(n, 1.0)), yes(rng, np.full(n, -3.0)))
    music = np.where(rng.random(n) < 0.3 + 0.4 * young, "loud", "quiet")
    frame = pd.DataFrame(
        {"age": age, "plan": plan, "calls": calls, "churn": churn, "letter": letter}
    )
    return frame.assign(music=music, coin=rng.choice(["heads", "tails"], n))


TIERS = bn.Knowledge(tiers=[["age", "coin"], ["plan", "music"], ["calls"], ["churn"], ["letter"]])


@pytest.fixture(scope="module")
def learner():
    return bn.TsetlinSieve(knowledge=TIERS, random_state=0).fit(customers())


@pytest.fixture(scope="module")
def drivers(learner):
    return learner.drivers("churn")


def risk(calls, young):
    return 1 / (1 + np.exp(1.5 - 1.6 * calls - 1.2 * young))


def true_difference(name):
    """By the mechanism above, over ages that are as frequent."""
    if name == "calls":
        return np.mean([risk(1, young) - risk(0, young) for young in (0, 1)])
    if name == "plan":  # pro against free: it changes the chance of a call
        change = 1 / (1 + np.e) - 1 / (1 + np.exp(-1.0))
        return change * true_difference("calls")
    plans = [1 / (1 + np.exp(-1.0)), 1 / (1 + np.e)]  # chance of a call if free, if pro

    def of_age(young):
        pro = 0.3 + 0.4 * young
        chance = (1 - pro) * plans[0] + pro * plans[1]
        return chance * risk(1, young) + (1 - chance) * risk(0, young)

    return of_age(0) - of_age(1)  # old is more than young


@pytest.mark.parametrize("name", ["calls", "age", "plan"])
def test_differences_are_the_true_ones(drivers, name):
    driver = drivers[name]
    assert driver.kind == "possible cause"
    error = (driver.high - driver.low) / 2 / 1.645
    assert driver.difference == pytest.approx(true_difference(name), abs=4 * error)
    assert error < 0.02
    assert driver.sign == ("+" if true_difference(name) > 0 else "-")
    assert driver.excludes_zero


def test_true_causes_are_in_the_order_of_their_effects(drivers):
    names = [driver.name for driver in drivers if driver.is_cause]
    causes = ["calls", "age", "plan"]
    assert names[:3] == sorted(causes, key=lambda name: -abs(true_difference(name)))


def test_how_says_what_the_graph_says(drivers):
    assert drivers.state == "yes"
    assert drivers["calls"].how == "direct"
    assert drivers["plan"].how == "through calls"
    assert drivers["plan"].adjustment == ("age",)
    assert drivers["calls"].direction == "knowledge"
    assert drivers["music"].kind == "common cause"
    assert drivers["music"].how == "associated; common cause: age"
    assert not drivers["music"].contradicts
    assert abs(drivers["music"].difference) < 0.04
    assert drivers["letter"].how == "associated; in the graph an effect of churn"
    assert drivers["letter"].adjustment is None
    assert "coin" in drivers.others
    assert "not" in str(drivers).splitlines()[-2].lower()


def test_effects_come_last_and_may_be_recorded_after_the_outcome(drivers):
    assert drivers.all[-1].name == "letter"
    assert drivers["letter"].late
    assert not drivers["calls"].late
    assert "letter: may be recorded after the outcome" in str(drivers)


def test_a_share_is_mutual_information_over_entropy(drivers):
    frame = customers()
    joint = pd.crosstab(frame.calls, frame.churn).to_numpy() / len(frame)
    rows, columns = joint.sum(axis=1, keepdims=True), joint.sum(axis=0, keepdims=True)
    information = (joint * np.log(joint / (rows * columns))).sum()
    entropy = -(columns * np.log(columns)).sum()
    assert drivers["calls"].share == pytest.approx(information / entropy, abs=1 / len(frame))


def rows_about(frame, target):
    table = Table.from_data(frame)
    every = ContrastRows.of_table(table, [], {})
    return TargetRows(every, target, every.numeric, None, 0.9)


def test_the_association_of_a_count_is_tested_by_its_ranks_too():
    """A small trend over many values: the G test spreads over all of them, ranks have one."""
    rng = np.random.default_rng(0)
    churn = rng.random(20_000) < 0.07
    frame = pd.DataFrame({"visits": rng.poisson(3 + 0.2 * churn), "churn": churn}).astype(
        {"churn": str}
    )
    by_ranks = kruskal(*(own.visits for _, own in frame.groupby("churn"))).pvalue
    joint = pd.crosstab(frame.visits, frame.churn)
    by_table = chi2_contingency(joint, correction=False, lambda_="log-likelihood").pvalue
    assert by_ranks < 1e-4 < by_table
    found = rows_about(frame, "churn").association("visits")[1]
    assert found == pytest.approx(2 * by_ranks, rel=1e-6)


def test_the_association_of_two_counts_is_tested_by_spearmans_correlation_too():
    rng = np.random.default_rng(0)
    x = rng.poisson(3, 3000)
    frame = pd.DataFrame({"x": x, "y": rng.poisson(3 + 0.1 * x)})
    correlation = spearmanr(frame.x, frame.y).statistic
    found = rows_about(frame, "y").association("x")[1]
    assert found == pytest.approx(2 * chi2(1).sf(correlation**2 * 2999), rel=1e-6)


def test_names_that_have_no_order_are_tested_by_the_g_test_alone():
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(
        {"region": rng.choice(list("abc"), 500), "y": rng.choice(list("uvw"), 500)}
    )
    joint = pd.crosstab(frame.region, frame.y)
    expected = chi2_contingency(joint, correction=False, lambda_="log-likelihood").pvalue
    assert rows_about(frame, "y").association("region")[1] == pytest.approx(expected, rel=1e-6)


def test_p_values_of_associations_are_uniform_or_larger_without_one():
    rng = np.random.default_rng(0)
    found = []
    for _ in range(400):
        frame = pd.DataFrame({"x": rng.poisson(3, 400), "y": rng.choice(["a", "b"], 400)})
        found.append(rows_about(frame, "y").association("x")[1])
    # Within three standard errors, of the larger of the two tests' errors.
    assert np.mean(np.array(found) < 0.05) < 0.05 + 3 * np.sqrt(0.05 * 0.95 / 400)


def test_a_direction_that_the_data_leave_open_is_undetermined():
    rng = np.random.default_rng(0)
    rain = rng.random(2000) < 0.3
    frame = pd.DataFrame({"rain": rain, "wet": rain ^ (rng.random(2000) < 0.1)}).astype(str)
    found = bn.TsetlinSieve(random_state=0).fit(frame).drivers("wet")
    driver = found["rain"]
    assert (driver.kind, driver.direction) == ("possible cause", "undetermined")
    low, high = driver.bounds
    assert low == 0
    assert high == driver.difference == pytest.approx(0.8, abs=0.05)
    assert found.bounds_in_words(driver) == f"between +0.0 and {100 * high:+.1f} points"
    (bar,) = ET.fromstring(found.plot().svg).findall("{*}g/{*}rect")
    assert bar.get("fill") != bar.get("stroke")  # hollow: that there is no difference is open


def test_a_bar_is_hollow_where_too_many_directions_are_undetermined_for_bounds():
    """One variable drives eight, and no row tells that from the other directions."""
    rng = np.random.default_rng(0)
    hub = rng.random(2000) < 0.5
    leaves = {f"leaf{i}": hub ^ (rng.random(2000) < 0.1) for i in range(8)}
    found = bn.TsetlinSieve(random_state=0).fit(pd.DataFrame({"hub": hub, **leaves}).astype(str))
    drivers = found.drivers("leaf0")
    driver = drivers["hub"]
    assert (driver.direction, driver.bounds) == ("undetermined", None)
    assert driver.excludes_zero and driver.may_be_nothing
    bar = ET.fromstring(drivers.plot().svg).find("{*}g/{*}rect")
    assert bar.get("fill") != bar.get("stroke")


def test_a_column_that_nearly_is_the_target_may_be_recorded_after_it():
    rng = np.random.default_rng(1)
    fault = rng.random(4000) < 0.3
    code = np.where(fault ^ (rng.random(4000) < 0.002), "E1", "E0")
    load = np.where(rng.random(4000) < 0.2 + 0.3 * fault, "high", "low")
    frame = pd.DataFrame({"fault": fault.astype(str), "code": code, "load": load})
    drivers = bn.TsetlinSieve(random_state=0).fit(frame).drivers("fault")
    assert any("explains 9" in reason for reason in drivers["code"].late)
    assert not any("explains" in reason for reason in drivers["load"].late)


def test_what_may_be_recorded_after_the_target_is_not_adjusted_for():
    """A survey goes to those who left: held fixed, it would hide what a discount does."""
    rng = np.random.default_rng(3)
    pro = rng.random(6000) < 0.5
    discount = pro & (rng.random(6000) < 0.4)
    left = rng.random(6000) < np.where(pro, 0.25, 0.4) - 0.15 * discount
    survey = left & (rng.random(6000) < 0.97)
    columns = {"discount": discount, "left": left, "survey": survey}
    frame = pd.DataFrame({name: np.where(one, "yes", "no") for name, one in columns.items()})
    frame["plan"] = np.where(pro, "pro", "free")
    drivers = bn.TsetlinSieve(random_state=0).fit(frame).drivers("left")
    assert drivers["survey"].late
    for name in ("discount", "plan"):
        assert "survey" not in drivers[name].adjustment
    if drivers["discount"].adjustment == ("plan",):
        assert drivers["discount"].low < -0.15 < drivers["discount"].high
    assert drivers["discount"].high < -0.1


def test_a_later_date_may_be_recorded_after_the_outcome():
    rng = np.random.default_rng(2)
    n = 1500
    ill = rng.random(n) < 0.4
    came = pd.Timestamp("2024-01-01") + pd.to_timedelta(rng.integers(0, 300, n), "D")
    left = came + pd.to_timedelta(1 + rng.poisson(2 + 6 * ill), "D")
    frame = pd.DataFrame({"came": came, "left": left, "ill": np.where(ill, "yes", "no")})
    drivers = bn.TsetlinSieve(random_state=0).fit(frame).drivers("ill")
    (late,) = (driver for driver in drivers if "left" in driver.name)
    assert any("comes from left, which is mostly later than came" in why for why in late.late)


@pytest.fixture(scope="module")
def numeric():
    """Speed falls with the load and rises with power; heat follows speed."""
    rng = np.random.default_rng(3)
    n = 4000
    load, power = rng.normal(0, 1, n), rng.normal(50, 10, n)
    speed = 20 - 3 * load + 0.1 * power + rng.normal(0, 1, n)
    heat = 5 * speed + rng.normal(0, 10, n)
    site = rng.choice(["a", "b", "c"], n, p=[0.4, 0.3, 0.3])
    speed = speed + 2 * (site == "c")
    return pd.DataFrame({"load": load, "power": power, "speed": speed, "heat": heat, "site": site})


def test_numbers_are_compared_by_their_upper_and_lower_third(numeric):
    known = bn.Knowledge(tiers=[["load", "power", "site"], ["speed"], ["heat"]])
    learner = bn.TsetlinSieve(knowledge=known, random_state=0).fit(numeric)
    drivers = learner.drivers("speed")
    apart = 2 * 1.0908  # means of the outer thirds of a normal variable, in standard deviations
    assert drivers["load"].difference == pytest.approx(-3 * apart, rel=0.05)
    assert drivers["power"].difference == pytest.approx(1 * apart, rel=0.1)
    assert drivers["site"].difference == pytest.approx(2, rel=0.1)
    assert drivers["site"].contrast.treated == "c"
    assert [driver.name for driver in drivers] == ["load", "power", "site", "heat"]
    assert drivers.state is None
    variance = 9 + 1 + 1 + 4 * 0.3 * 0.7
    # Bins of the load explain somewhat less than the load.
    assert 0.75 * 9 / variance < drivers["load"].share < 1.02 * 9 / variance
    assert drivers["heat"].kind == "effect"
    with pytest.raises(ValueError, match="numeric: leave out the state"):
        learner.drivers("speed", 3)


def test_states_on_a_scale_are_compared_by_their_upper_and_lower_third():
    rng = np.random.default_rng(8)
    dose = rng.choice(["low", "medium", "high", "very high"], 4000, p=[0.35, 0.3, 0.2, 0.15])
    place = pd.Series(dose).map({"low": 0, "medium": 1, "high": 2, "very high": 3})
    cured = np.where(rng.random(4000) < 0.2 + 0.2 * place, "yes", "no")
    frame = pd.DataFrame({"dose": dose, "cured": cured})
    driver = bn.TsetlinSieve(random_state=0).fit(frame).drivers("cured", "yes")["dose"]
    assert driver.settings == "high and above against low"
    expected = 0.2 + 0.2 * (2 * 0.2 + 3 * 0.15) / 0.35 - 0.2
    assert driver.difference == pytest.approx(expected, abs=0.05)


@pytest.mark.parametrize(
    ("counts", "upper", "lower"),
    [
        ([10, 10, 10], [2], [0]),
        ([1, 98, 1], [2], [0, 1]),  # either side is as small
        ([5, 94, 1], [1, 2], [0]),
        ([0, 50, 0, 50], [3], [1]),
        ([25, 25, 25, 25], [2, 3], [0, 1]),
    ],
)
def test_thirds_never_overlap(counts, upper, lower):
    found = outer_thirds(np.array(counts), np.arange(len(counts)))
    assert [one.tolist() for one in found] == [upper, lower]


def test_tied_numbers_are_parted_where_they_can_be():
    rng = np.random.default_rng(9)
    n = 3000
    for rain in (
        np.where(rng.random(n) < 0.8, 0.0, rng.exponential(2, n)),  # most are the least
        np.where(rng.random(n) < 0.8, 9.0, rng.uniform(0, 9, n)),  # most are the largest
    ):
        speed = -2.0 * rain + rng.normal(0, 1, n)
        frame = pd.DataFrame({"rain": rain, "speed": speed})
        learner = bn.TsetlinSieve(random_state=0).fit(frame)
        driver = learner.drivers("speed")["rain"]
        common = rain == (0.0 if (rain == 0).any() else 9.0)
        gap = rain[~common].mean() - rain[common].mean()
        assert driver.difference == pytest.approx(-2 * abs(gap), rel=0.1)


def test_missing_values_are_left_out_and_change_little(numeric):
    known = bn.Knowledge(tiers=[["load", "power", "site"], ["speed"], ["heat"]])
    rng = np.random.default_rng(4)
    holes = numeric.mask(rng.random(numeric.shape) < 0.05)
    drivers = bn.TsetlinSieve(knowledge=known, random_state=0).fit(holes).drivers("speed")
    assert [driver.name for driver in drivers] == ["load", "power", "site", "heat"]
    assert drivers["load"].difference == pytest.approx(-3 * 2 * 1.0908, rel=0.06)


def test_many_rows_left_out_for_missing_values_are_counted():
    frame = customers()
    lost = np.random.default_rng(4).random(len(frame)) < 0.3
    frame.loc[lost, "calls"] = None
    drivers = bn.TsetlinSieve(knowledge=TIERS, random_state=0).fit(frame).drivers("churn")
    note = f"{lost.sum():,} of 6,000 rows are left out for missing values of calls"
    assert drivers["calls"].notes == (note,)
    assert not drivers["age"].notes


@pytest.fixture(scope="module")
def three():
    rng = np.random.default_rng(5)
    drug = rng.choice(["aspirin", "placebo", "iron"], 5000, p=[0.3, 0.5, 0.2])
    chances = {"placebo": [0.6, 0.3, 0.1], "aspirin": [0.5, 0.3, 0.2], "iron": [0.2, 0.3, 0.5]}
    result = [rng.choice(["cured", "same", "worse"], p=chances[one]) for one in drug]
    return bn.TsetlinSieve(random_state=0).fit(pd.DataFrame({"drug": drug, "result": result}))


def test_of_several_states_each_driver_moves_one_most(three):
    drivers = three.drivers("result")
    assert drivers.state is None
    contrast = drivers["drug"].contrast
    assert (contrast.treated, contrast.control) == ("iron", "placebo")
    assert contrast.state in ("cured", "worse")
    assert abs(contrast.difference) == pytest.approx(0.4, abs=0.05)


def test_a_state_of_the_target_can_be_asked_for(three):
    drivers = three.drivers("result", "same")
    assert drivers.state == "same"
    assert drivers["drug"].sign == ""
    with pytest.raises(ValueError, match=r"no state 'samee' \(did you mean 'same'"):
        three.drivers("result", "samee")


def test_nothing_found_is_not_called_nothing():
    rng = np.random.default_rng(6)
    frame = pd.DataFrame({name: rng.choice(["a", "b"], 800) for name in ("x", "y", "z")})
    drivers = bn.TsetlinSieve(random_state=0).fit(frame).drivers("x")
    assert len(drivers) == 0
    assert "No variable was found to carry information about x" in str(drivers)
    assert "does not mean that there is none" in str(drivers)
    assert drivers.to_frame().empty
    assert ET.fromstring(drivers.plot().svg) is not None
    assert "No variable" in drivers._repr_html_()


def test_targets_that_cannot_be_are_refused(learner):
    with pytest.raises(ValueError, match=r"no node 'chrun' \(did you mean 'churn'"):
        learner.drivers("chrun")
    with pytest.raises(ValueError, match=r"no node 'xyz'; its nodes are 'age', 'plan', 'calls'"):
        learner.drivers("xyz")
    with pytest.raises(ValueError, match="no state 'maybe'; its states are 'no' and 'yes'"):
        learner.drivers("churn", state="maybe")
    with pytest.raises(ValueError, match="between 0 and 1"):
        learner.drivers("churn", interval=90)
    constant = customers(500).assign(country="here")
    with pytest.raises(ValueError, match="constant"):
        bn.TsetlinSieve(random_state=0).fit(constant).drivers("country")


def test_without_rows_the_network_answers_and_says_so(learner, drivers, tmp_path):
    learner.save(tmp_path / "small.bnsieve", data=False)
    by_network = bn.load(tmp_path / "small.bnsieve").drivers("churn")
    assert by_network.n_rows == 0
    assert "By the network only" in str(by_network)
    for name in ("calls", "age", "plan"):
        assert by_network[name].difference == pytest.approx(drivers[name].difference, abs=0.02)
        assert np.isnan(by_network[name].low)
        assert by_network[name].sign == drivers[name].sign


def test_a_network_of_a_file_has_drivers_too():
    drivers = find_drivers(bn.load_network("asia"), "lung")
    smoke = drivers["smoke"]
    assert (smoke.how, smoke.direction) == ("direct", None)
    assert smoke.difference == pytest.approx(0.1 - 0.01)
    assert smoke.settings == "yes against no"
    assert drivers["xray"].kind == "effect"


def test_the_record_is_plain_and_complete(drivers):
    assert isinstance(drivers, Drivers)
    assert all(isinstance(driver, Driver) for driver in drivers)
    plain = json.loads(json.dumps(drivers.to_dict(), allow_nan=False))
    assert [one["variable"] for one in plain["drivers"]] == [one.name for one in drivers]
    frame = drivers.to_frame()
    assert list(frame.variable) == [one.name for one in drivers]
    assert frame.difference.dtype == np.float64
    with pytest.raises(KeyError, match="not among the drivers"):
        drivers["coin"]


def test_hostile_names_stay_text_in_the_plot(tmp_path):
    rng = np.random.default_rng(7)
    names = [name for name in HOSTILE if name.strip()][:6]
    target = rng.choice(["a", "b"], 1500)
    columns = {
        name: np.where(rng.random(1500) < 0.3 + 0.1 * i, target, rng.choice(["a", "b"], 1500))
        for i, name in enumerate(names)
    }
    frame = pd.DataFrame({"y": target, **columns})
    drivers = bn.TsetlinSieve(random_state=0, prepare=None).fit(frame).drivers("y")
    picture = drivers.plot(tmp_path / "tornado.svg")
    tree = ET.fromstring((tmp_path / "tornado.svg").read_text(encoding="utf-8"))
    assert "<script" not in picture.svg
    assert "<script" not in drivers._repr_html_()
    assert len(tree.findall(".//{*}g")) == len(drivers)
    assert float(tree.get("width")) <= 360


def test_the_plot_has_one_bar_per_driver_in_their_order(drivers):
    tree = ET.fromstring(drivers.plot().svg)
    bars = tree.findall("{*}g")
    assert [bar.find("{*}title").text.split(":")[0] for bar in bars] == [d.name for d in drivers]
    width = {
        bar.find("{*}title").text.split(":")[0]: float(bar.find("{*}rect").get("width"))
        for bar in bars
    }
    expected = drivers["calls"].difference / drivers["age"].difference
    assert width["calls"] / width["age"] == pytest.approx(abs(expected), rel=0.02)


def test_an_edge_that_the_graph_lacks_does_not_bias_a_driver():
    """A discount for plan pro lowers churn by 4 points there; plan -> churn is forbidden."""
    random = np.random.default_rng(0)
    plan = np.where(random.random(20_000) < 0.3, "pro", "free")
    discount = np.where((plan == "pro") & (random.random(20_000) < 0.5), "yes", "no")
    risk = np.where(plan == "free", 0.1, np.where(discount == "yes", 0.02, 0.06))
    churn = np.where(random.random(20_000) < risk, "yes", "no")
    frame = pd.DataFrame({"plan": plan, "discount": discount, "churn": churn})
    known = bn.Knowledge(tiers=[["plan"], ["discount"], ["churn"]], forbidden=[("plan", "churn")])
    learner = bn.TsetlinSieve(random_state=0, knowledge=known).fit(frame)
    driver = learner.drivers("churn")["discount"]
    assert driver.adjustment == ("plan",)
    assert driver.low < -0.04 < driver.high < 0


def test_an_effect_of_the_target_does_not_set_the_scale_of_the_plot():
    """Bars of a cause and of an effect ten times as large, which is cut at the edge."""
    cause = Bar("cause", "+4", 4.0, 3.0, 5.0)
    effect = Bar("effect", "+50", 50.0, 45.0, 55.0, is_solid=False, sets_scale=False)
    alone, beside = (draw_tornado(bars, "t", "u", 0).svg for bars in ([cause], [cause, effect]))
    widths = [float(width) for width in re.findall(r'width="([0-9.]+)" height="12"', beside)]
    assert f'width="{widths[0]:.1f}" height="12"' in alone
    assert widths[0] == pytest.approx(4 / 5 * widths[1], abs=0.2)
    assert "beyond the edge" in beside and "beyond the edge" not in alone
