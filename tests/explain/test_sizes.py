"""Signs and sizes of edges, against textbook coefficients and generated truth."""

import numpy as np
import pandas as pd
import pytest
from scipy import stats

import bnsieve as bn
from bnsieve.explain import edge_sizes
from bnsieve.network import count_families
from bnsieve.table import Table


def sizes_of(frame, edges, numbers=()):
    """Sizes of the edges of a DAG over the columns of a frame."""
    if numbers:
        table = bn.TsetlinSieve(random_state=0).fit(frame).fit_result_.rows
    else:
        table = Table.from_data(frame)
    graph = bn.Graph(list(table.names), edges)
    found = edge_sizes(count_families(graph, table), table, numbers)
    return {(size.tail, size.head): size for size in found.values()}


def test_two_scales_have_spearmans_correlation():
    rng = np.random.default_rng(0)
    x = rng.integers(0, 5, 3_000)
    y = np.clip(x + rng.integers(-2, 3, 3_000), 0, 4)
    found = sizes_of(pd.DataFrame({"x": x, "y": -y}), [("x", "y")])["x", "y"]
    assert found.kind == "rank correlation"
    assert found.value == pytest.approx(stats.spearmanr(x, -y).statistic, abs=1e-9)
    assert found.alone == found.value


def test_two_states_have_phi_and_a_difference_in_points():
    rng = np.random.default_rng(1)
    treated = rng.random(5_000) < 0.4
    ill = rng.random(5_000) < np.where(treated, 0.1, 0.3)
    text = {True: "yes", False: "no"}
    frame = pd.DataFrame({"treated": treated, "ill": ill}).replace(text)
    found = sizes_of(frame, [("treated", "ill")])["treated", "ill"]
    assert found.value == pytest.approx(np.corrcoef(treated, ill)[0, 1], abs=1e-9)
    assert found.points == pytest.approx(ill[treated].mean() - ill[~treated].mean(), abs=1e-9)
    assert (found.tail_state, found.head_state) == ("yes", "yes")


def test_two_categories_have_cramers_v():
    rng = np.random.default_rng(2)
    x = rng.choice(["a", "b", "c"], 4_000)
    y = np.where(rng.random(4_000) < 0.5, x, rng.choice(["a", "b", "c", "d"], 4_000))
    frame = pd.DataFrame({"x": x, "y": y})
    found = sizes_of(frame, [("x", "y")])["x", "y"]
    expected = stats.contingency.association(pd.crosstab(frame.x, frame.y).to_numpy())
    assert found.kind == "Cramér's V"
    assert not found.is_signed
    assert found.value == pytest.approx(expected, abs=0.003)  # less what chance would give


def test_other_parents_are_held_fixed():
    # Within each plan the discount lowers churn; over all rows it seems to raise it.
    rng = np.random.default_rng(3)
    pro = rng.random(20_000) < 0.5
    discount = rng.random(20_000) < np.where(pro, 0.9, 0.1)
    churn = rng.random(20_000) < 0.1 + 0.4 * pro - 0.08 * discount
    frame = pd.DataFrame({"plan": np.where(pro, "pro", "free")})
    frame["discount"], frame["churn"] = np.where(discount, "yes", "no"), np.where(churn, "y", "n")
    edges = [("plan", "discount"), ("plan", "churn"), ("discount", "churn")]
    found = sizes_of(frame, edges)["discount", "churn"]
    assert found.points == pytest.approx(-0.08, abs=0.02)
    assert found.value < 0 < found.alone
    assert found.given == ("plan",)


def test_a_rise_and_fall_has_no_sign():
    rng = np.random.default_rng(4)
    dose = rng.integers(0, 5, 4_000)
    well = rng.random(4_000) < np.where(dose == 2, 0.9, 0.2)
    frame = pd.DataFrame({"dose": dose, "well": np.where(well, "yes", "no")})
    found = sizes_of(frame, [("dose", "well")])["dose", "well"]
    assert found.rises_and_falls
    assert found.kind == "Cramér's V"
    assert found.value > 0.5


def test_a_number_that_rises_and_falls_has_no_sign_either():
    rng = np.random.default_rng(7)
    x = rng.normal(size=3_000)
    frame = pd.DataFrame({"x": x, "y": x**2 + rng.normal(0, 0.3, 3_000)})
    for edge in (("x", "y"), ("y", "x")):
        found = sizes_of(frame, [edge], ("x", "y"))[edge]
        assert found.rises_and_falls


def test_a_relation_that_only_falls_is_not_said_to_rise():
    # Means fall in steps of two states; ranks show little of it, because its spread is wide.
    said = 0
    for seed in range(40):
        rng = np.random.default_rng(seed)
        severity = np.clip(rng.poisson(1.8, 4_000), 0, 6)
        frame = pd.DataFrame({"severity": severity})
        frame["score"] = rng.integers(3, 16, len(frame)) - severity // 2
        found = sizes_of(frame, [("severity", "score")])["severity", "score"]
        assert found.both_ordered
        assert not found.is_signed
        said += found.rises_and_falls
    # More than 3 of 40 happen once in 1,000 at a chance of 1 in 50.
    assert said <= 3


def test_numbers_are_taken_from_the_rows():
    rng = np.random.default_rng(5)
    age = rng.normal(50, 10, 2_000)
    dose = 1e6 * (age + rng.normal(0, 5, 2_000))
    frame = pd.DataFrame({"age": age, "dose": -dose})
    found = sizes_of(frame, [("age", "dose")], ("age", "dose"))["age", "dose"]
    assert found.value == pytest.approx(stats.spearmanr(age, -dose).statistic, abs=1e-9)


def test_a_variable_that_the_other_parents_determine_has_no_size():
    x = np.arange(400) % 2
    frame = pd.DataFrame({"x": x, "copy": x, "y": (np.arange(400) // 2) % 2})
    assert sizes_of(frame, [("x", "y"), ("copy", "y")]) == {}


def test_thousands_of_states_and_missing_cells_are_no_obstacle():
    rng = np.random.default_rng(6)
    code = rng.integers(0, 3_000, 9_000)
    frame = pd.DataFrame({"code": [f"k{c:x}z" for c in code], "y": rng.choice(["a", "b"], 9_000)})
    frame.loc[::7, "y"] = None
    found = sizes_of(frame, [("code", "y")])["code", "y"]
    assert 0 <= found.value < 0.1  # they are independent
