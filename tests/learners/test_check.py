"""Tests of `check` after fits: changes that were made are found, named and attributed."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

import bnsieve as bn
from bnsieve.check import SECTIONS


def customers(n: int, seed: int, *, more_pro: float = 0.0, effect: float = 1.0) -> pd.DataFrame:
    """Draw a mixed table: plan, age -> use -> spend -> churn, and a column of noise."""
    rng = np.random.default_rng(seed)
    plan = np.where(rng.random(n) < 0.2 + more_pro, "pro", "free")
    age = rng.normal(45, 12, n)
    use = np.exp(0.02 * age + 0.5 * (plan == "pro") + 0.4 * rng.normal(size=n))
    spend = 10 + 3 * effect * use + 2 * rng.normal(size=n)
    churn = rng.random(n) < 1 / (1 + np.exp(2 - 0.4 * (spend - 20) / 5))
    noise = rng.normal(size=n)
    return pd.DataFrame(
        {
            "plan": plan,
            "age": age,
            "use": use,
            "spend": spend,
            "churn": np.where(churn, "yes", "no"),
            "noise": noise,
        }
    )


@pytest.fixture(scope="module")
def asia() -> bn.TsetlinSieve:
    return bn.TsetlinSieve(random_state=0).fit(
        bn.load_network("asia").sample(10_000, random_state=1)
    )


@pytest.fixture(scope="module")
def mixed() -> bn.TsetlinSieve:
    return bn.TsetlinSieve(random_state=0).fit(customers(4_000, 1))


def today(n: int = 3_000) -> pd.DataFrame:
    return bn.load_network("asia").sample(n, random_state=2).astype(object)


def test_nothing_changed(asia: bn.TsetlinSieve) -> None:
    found = asia.check(today())
    assert found.changed == ()
    assert str(found).startswith("3,000 new rows, compared with 10,000 training rows: no change")


def test_a_lost_effect_is_a_mechanism_and_its_consequences_are_not(asia: bn.TsetlinSieve) -> None:
    rows = today()
    rows["bronc"] = np.random.default_rng(0).permutation(rows["bronc"].to_numpy())
    rows["bronc"] = np.where(np.random.default_rng(1).random(len(rows)) < 0.8, "yes", "no")
    found = asia.check(rows)
    changed = [one.name for one in found.mechanisms if one.changed]
    # That dysp no longer follows from bronc is a change of its own.
    assert changed[:1] == ["bronc"] or set(changed) == {"bronc", "dysp"}
    assert "mechanisms" in found.changed
    line = next(one for one in found.mechanisms if one.name == "bronc")
    assert line.cell is not None
    assert line.cell.after == pytest.approx(0.8, abs=0.05)


def test_a_margin_that_follows_from_its_parents(asia: bn.TsetlinSieve) -> None:
    rows = today(8_000)
    smokers = rows[rows["smoke"] == "yes"]
    found = asia.check(pd.concat([rows, smokers]).drop(columns=["asia", "tub"]))
    margins = {one.name: one for one in found.margins}
    assert margins["smoke"].changed
    assert margins["bronc"].changed
    assert margins["bronc"].follows_from == ("smoke",)


def test_schema_names_each_difference(asia: bn.TsetlinSieve) -> None:
    rows = today().rename(columns={"dysp": "dyspnoea"}).assign(extra=1)
    rows.loc[rows.index[:900], "xray"] = "n/a-scale"
    found = asia.check(rows)
    kinds = {(one.kind, one.name) for one in found.schema if one.p_value < found.level}
    assert kinds == {("renamed column", "dysp"), ("new column", "extra"), ("category", "xray")}


def test_the_same_rows_again(mixed: bn.TsetlinSieve) -> None:
    found = mixed.check(customers(4_000, 1)[:1000])
    assert found.changed == ("schema",)
    assert "1,000 rows (100%) are copies of training rows" in str(found)


def test_the_odd_cell_is_named_with_what_was_expected(mixed: bn.TsetlinSieve) -> None:
    rows = customers(1_000, 5)
    middle = float(rows["spend"].median())
    at = int(rows["use"].argmax())
    rows.loc[at, "spend"] = middle  # an ordinary value, but not for so much use
    odd = mixed.check(rows).rows[0]
    assert (odd.row, odd.name) == (at + 1, "spend")
    assert "use" in odd.given
    low, high = map(float, odd.expected.split(" to "))
    assert low > middle
    assert high > low
    assert odd.share < 1e-4


def test_a_change_of_units_is_found(mixed: bn.TsetlinSieve) -> None:
    rows = customers(1_000, 6)
    found = mixed.check(rows.assign(age=10 * rows["age"]))
    assert found.changed == SECTIONS
    mechanisms = sorted(found.mechanisms, key=lambda one: one.p_value)
    assert {one.name for one in mechanisms if one.changed} == {"age", "use"}


def test_a_new_dependence_is_found(mixed: bn.TsetlinSieve) -> None:
    rows = customers(2_000, 7)
    rows["noise"] = 0.5 * rows["noise"] + 0.8 * (rows["age"] - 45) / 12
    found = mixed.check(rows)
    assert "mechanisms" in found.changed
    pairs = {frozenset((one.x, one.y)) for one in found.dependence}
    assert frozenset(("noise", "age")) in pairs


def test_what_a_target_owes_to_each_mechanism(mixed: bn.TsetlinSieve) -> None:
    """More customers with the dearer plan: expected parts from the generator itself."""
    rows = customers(20_000, 8, more_pro=0.4)
    expected = (customers(400_000, 9, more_pro=0.4)["churn"] == "yes").mean() - (
        customers(400_000, 9)["churn"] == "yes"
    ).mean()
    found = mixed.check(rows, target="churn").attribution
    assert found is not None
    assert found.state == "yes"
    part = found.parts[0]
    assert part.name == "plan"
    assert part.low <= part.change <= part.high
    assert part.change == pytest.approx(expected, abs=0.012)
    total = sum(one.change for one in found.parts) + found.rest
    assert total == pytest.approx(found.after - found.before)


def test_files_and_frames_say_the_same(asia: bn.TsetlinSieve, tmp_path) -> None:
    rows = today(1_000)
    rows.to_parquet(tmp_path / "rows.parquet")
    rows.to_csv(tmp_path / "rows.csv", index=False)
    expected = asia.check(rows).to_dict()
    assert asia.check(tmp_path / "rows.parquet").to_dict() == expected
    assert asia.check(tmp_path / "rows.csv").to_dict() == expected


def test_a_file_whose_column_cannot_be_read_is_checked_like_a_frame(
    mixed: bn.TsetlinSieve, tmp_path
) -> None:
    rows = customers(1_000, 10)
    units = rows.assign(use=rows["use"].astype(str) + "x", noise=None)
    units.to_csv(tmp_path / "units.csv", index=False)
    found = mixed.check(tmp_path / "units.csv")
    assert found.to_dict() == mixed.check(units).to_dict()
    assert "use: 1,000 cells (100.0%) are no numbers" in str(found)
    changes = {(one.kind, one.name) for one in found.schema_changes}
    assert {("type", "use"), ("missing values", "noise")} <= changes


def test_rows_of_which_nothing_can_be_read_are_refused(mixed: bn.TsetlinSieve, tmp_path) -> None:
    rows = customers(20, 11).assign(**dict.fromkeys(customers(1, 0).columns))
    rows.to_csv(tmp_path / "rows.csv", index=False)
    for given in (rows, tmp_path / "rows.csv"):
        with pytest.raises(ValueError, match="no readable value in any column of the network"):
            mixed.check(given)


def stays(n: int, seed: int) -> pd.DataFrame:
    """Draw stays in a hospital: two dates as text, and a column of its own."""
    rng = np.random.default_rng(seed)
    admission = pd.Timestamp("2023-01-01") + pd.to_timedelta(rng.integers(0, 1_000_000, n), "min")
    discharge = admission + pd.to_timedelta(rng.gamma(2, 24 * 60, n).round(), "min")
    return pd.DataFrame(
        {
            "admission": admission.strftime("%Y-%m-%d %H:%M"),
            "discharge": discharge.strftime("%Y-%m-%d %H:%M"),
            "ward": rng.choice(["a", "b"], n),
        }
    )


def test_the_time_between_two_dates_as_text() -> None:
    learner = bn.TsetlinSieve(random_state=0).fit(stays(1_500, 1))
    assert learner.preparation_ is not None
    only = [one.name for one in learner.preparation_["discharge"].outputs]
    assert only == ["discharge_minus_admission_hours"]

    def types(rows: pd.DataFrame) -> list[tuple[str, str]]:
        found = learner.check(rows).schema_changes
        return [(one.name, one.text) for one in found if one.kind == "type"]

    rows = stays(500, 2)
    assert types(rows) == []
    is_open = rows.index < 100
    # Only the column whose text is no date is named, though both make the time between them.
    for name in ("admission", "discharge"):
        changed = rows.assign(**{name: rows[name].mask(is_open, "open")})
        assert types(changed) == [(name, "100 cells (20.0%) are no dates: 'open'")]


def test_a_change_of_rows_has_rows_and_numbers(mixed: bn.TsetlinSieve) -> None:
    n_changed = 0
    for seed in range(20, 30):
        found = mixed.check(customers(300, seed), level=0.9)
        if "rows" in found.changed:
            n_changed += 1
            assert found.rows
    assert n_changed
    found = mixed.check(customers(3_000, 30, effect=1.2))
    (told,) = found.notes
    # One in a hundred of 3,000 rows.
    assert told.endswith("as odd as the oddest 1.00% of the training rows; about 30 were expected.")
    assert f"\n{told}\n" in str(found)


def test_ugly_rows(asia: bn.TsetlinSieve) -> None:
    with pytest.raises(ValueError, match="none of the training columns"):
        asia.check(pd.DataFrame({"colour": ["red"]}))
    with pytest.raises(ValueError, match="level must be between 0 and 1"):
        asia.check(today(), level=0)
    with pytest.raises(ValueError, match="no variable 'churn'"):
        asia.check(today(), target="churn")
    one_row = asia.check(today(1))
    assert one_row.n_after == 1
    empty = today().assign(xray=None)
    assert ("missing values", "xray") in {(one.kind, one.name) for one in asia.check(empty).schema}


def _series(seed: int, effect: float) -> pd.DataFrame:
    """Draw eight machines: the last x moves y."""
    rng, parts = np.random.default_rng(seed), []
    for machine in range(8):
        x, y = np.zeros(150), np.zeros(150)
        for t in range(1, 150):
            x[t] = 0.7 * x[t - 1] + rng.normal()
            y[t] = effect * x[t - 1] + 0.3 * y[t - 1] + 0.5 * rng.normal()
        at = pd.date_range("2026-01-01", periods=150, freq="h")
        parts.append(pd.DataFrame({"machine": f"m{machine}", "at": at, "x": x, "y": y}))
    return pd.concat(parts, ignore_index=True)


def test_a_series_is_checked_given_its_own_past() -> None:
    learner = bn.TsetlinSieve(time="at", by="machine", random_state=0).fit(_series(1, 0.5))
    same = learner.check(_series(2, 0.5))
    assert "mechanisms" not in same.changed
    assert same.margins == ()
    found = learner.check(_series(3, 0.1))
    assert [one.name for one in found.mechanisms if one.changed] == ["y"]
    odd = _series(4, 0.5)
    odd.loc[130, "y"] = odd["y"].max() + 3
    first = learner.check(odd).rows[0]
    assert (first.name, first.row) == ("y", 131)
    assert first.where == {"machine": "m0", "at": "2026-01-06 10:00:00"}
    mixed = odd.sample(frac=1, random_state=0).reset_index(drop=True)
    again = learner.check(mixed).rows[0]
    assert (again.where, again.value) == (first.where, first.value)
    assert mixed["y"][again.row - 1] == again.value
    assert "machine m0, at 2026-01-06 10:00:00: y = " in str(learner.check(odd))
    assert list(learner.check(odd).to_frame()["variable"]) == ["x", "y"]


def test_rows_of_other_steps_are_not_compared() -> None:
    learner = bn.TsetlinSieve(time="at", by="machine", random_state=0).fit(_series(1, 0.5))
    start = pd.Timestamp("2026-01-01")
    rows = _series(2, 0.5)
    slow = rows.assign(at=start + (rows["at"] - start) * 2)
    with pytest.raises(ValueError, match=r"steps of 1 hour, but .* between these rows is 2 hours"):
        learner.check(slow)
    # Two hours are no step of one hour, though most of these rows are two hours apart.
    gaps = pd.concat([slow, rows.iloc[1:2]])
    assert learner.check(gaps).n_after == 2
    with pytest.raises(ValueError, match="has 1 row: pass more successive rows"):
        learner.check(rows.groupby("machine").head(1))


def test_odd_steps_are_those_of_the_data() -> None:
    rows = _series(1, 0.5)
    options = {"time": "at", "by": "machine", "every": "2h", "random_state": 0}
    learner = bn.TsetlinSieve(**options).fit(rows)
    odd = _series(4, 0.5)
    odd.loc[[130, 131], "y"] = odd["y"].max() + 3
    first = learner.check(odd).rows[0]
    assert (first.row, first.where) == (131, {"machine": "m0", "at": "2026-01-06 10:00:00"})


def test_a_series_that_stays_beyond_its_range_is_one_event() -> None:
    """Slow series leave the range learned from for many steps, by chance."""

    def slow(seed: int, steps: int) -> pd.DataFrame:
        rng, parts = np.random.default_rng(seed), []
        for machine in range(4):
            x = np.zeros(steps)
            for t in range(1, steps):
                x[t] = 0.97 * x[t - 1] + rng.normal()
            at = pd.date_range("2026-01-01", periods=steps, freq="h")
            y = rng.normal(size=steps)
            parts.append(pd.DataFrame({"machine": machine, "at": at, "x": x, "y": y}))
        return pd.concat(parts, ignore_index=True)

    alarms = 0
    for fit in range(2):
        learner = bn.TsetlinSieve(time="at", by="machine", random_state=0).fit(slow(fit, 300))
        batches = [learner.check(slow(100 + 10 * fit + seed, 150)) for seed in range(10)]
        alarms += sum("schema" in one.changed for one in batches)
    assert alarms <= 4


def test_rows_that_are_too_many_for_memory_are_counted(
    asia: bn.TsetlinSieve, tmp_path, monkeypatch
) -> None:
    rows = bn.load_network("asia").sample(60_000, random_state=4).astype(object)
    rows.loc[rows.index[:30_000], "bronc"] = "yes"
    rows.to_parquet(tmp_path / "rows.parquet", row_group_size=10_000)
    expected = asia.check(rows)
    monkeypatch.setattr(bn.rows.data, "LIMITS", replace(bn.rows.data.LIMITS, in_memory=1_000))
    found = asia.check(tmp_path / "rows.parquet")
    assert found.n_after == 60_000
    assert found.margins == expected.margins
    assert found.mechanisms == expected.mechanisms
    assert any("a sample of 20,000 of the rows" in note for note in found.notes)
    for odd in found.rows:
        assert rows[odd.name].iloc[odd.row - 1] == odd.value


def test_copies_are_found_after_a_fit_that_chose_bins() -> None:
    n = 10_300
    rng = np.random.default_rng(1)
    pump = rng.random(n) < 0.8
    opening = rng.choice([1.0, 0.5, 0.05], n, p=[0.5, 0.3, 0.2])
    speed = np.where(pump, rng.normal(1_500, 60, n), rng.normal(0, 5, n))
    pressure = 2 + 0.004 * speed * (1.3 - opening) + rng.normal(0, 0.3, n)
    rows = pd.DataFrame(
        {
            "pump": np.where(pump, "on", "off"),
            "valve": pd.Series(opening).map({1.0: "open", 0.5: "half", 0.05: "shut"}),
            "speed": speed,
            "flow": 0.02 * speed * opening + rng.normal(0, 0.8, n),
            "pressure": pressure,
            "heat": 20 + 3 * pressure + rng.standard_t(5, n),
        }
    )
    learner = bn.TsetlinSieve(random_state=0).fit(rows[:10_000])
    assert not learner.numeric_features_  # speed times opening: bins explain more
    copies = [one for one in learner.check(rows[:300]).schema if one.kind == "copies"]
    assert "300 rows (100%) are copies of training rows" in copies[0].text
    assert not [one for one in learner.check(rows[10_000:]).schema if one.kind == "copies"]


def test_a_change_of_an_effect_is_found_at_its_end_of_an_undirected_edge() -> None:
    """The pair x - y has no direction; the change does."""

    def pair(n: int, seed: int, *, is_reversed: bool = False) -> pd.DataFrame:
        rng = np.random.default_rng(seed)
        x = rng.random(n) < 0.3
        y = rng.random(n) < np.where(x != is_reversed, 0.9, 0.2)
        z = rng.random(n) < 0.5
        return pd.DataFrame({"x": x, "y": y, "z": z}).astype(str)

    learner = bn.TsetlinSieve(random_state=0).fit(pair(3_000, 1))
    assert learner.graph_.undirected_edges == (("x", "y"),)
    for of, rows in (
        ("y", pair(1_000, 2, is_reversed=True)),
        ("x", pair(1_000, 2)[lambda rows: (rows["x"] == "True") | (rows.index % 3 == 0)]),
    ):
        found = learner.check(rows)
        assert found.causes[0].names == (of,)
        assert [one.name for one in found.mechanisms if one.changed] == [of]
        assert f"Clearest change: the mechanism of {of}." in str(found)
        assert found.to_dict()["causes"][0]["names"] == [of]
    lost = pair(1_000, 3)
    lost["y"] = np.random.default_rng(4).permutation(lost["y"].to_numpy())
    found = learner.check(lost)
    assert set(found.causes[0].names) == {"x", "y"}
    assert "or the mechanism of " in str(found)
    attribution = learner.check(pair(1_000, 2, is_reversed=True), target="y").attribution
    assert attribution is not None
    assert [part.name for part in attribution.parts] == ["y"]
