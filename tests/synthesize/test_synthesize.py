"""The table back: columns, types, formats, differences, relations, missing values, conditions."""

import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import bnsieve as bn

N = 2_000


def clinic(n: int = N) -> pd.DataFrame:
    """A table with identifiers, dates, units, copies, functions, gaps and free text."""
    rng = np.random.default_rng(0)
    admitted = pd.Timestamp("2022-01-01") + pd.to_timedelta(rng.integers(0, 700, n), unit="D")
    stay = rng.poisson(4, n)
    plan = rng.choice(["basic", "pro", "team"], n, p=[0.6, 0.3, 0.1])
    age = rng.integers(30, 75, n)
    weight = np.round(rng.normal(70, 12, n) * 2) / 2
    pressure = np.round(100 + age * 0.5 + rng.normal(0, 10, n))
    frame = pd.DataFrame(
        {
            "id": [f"P-{i:05d}" for i in range(n)],
            "plan": plan,
            "code": pd.Series(plan).map({"basic": "B", "pro": "P", "team": "T"}),
            "admitted": admitted.strftime("%d.%m.%Y"),
            "discharged": admitted + pd.to_timedelta(stay, unit="D"),
            "age": age,
            "kg": weight,
            "pressure": pressure,
            "crp": [f"{x:.1f} mg/l" for x in rng.lognormal(1, 1, n)],
            "note": [f"told me {rng.integers(1 << 40)} things" for _ in range(n)],
            "site": "A",
            "smokes": rng.random(n) < 0.3,
        }
    )
    frame["minor"] = pd.Categorical(np.where(age < 50, "younger", "older"))
    lost = rng.random(n) < np.where(plan == "pro", 0.5, 0.1)
    frame.loc[lost, "pressure"] = np.nan
    frame.loc[lost & (rng.random(n) < 0.8), "kg"] = np.nan
    return frame


def fitted(data: Any, **parameters: Any) -> Any:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return bn.TsetlinSieve(random_state=0, **parameters).fit(data)


@pytest.fixture(scope="module")
def original() -> pd.DataFrame:
    return clinic()


@pytest.fixture(scope="module")
def learner(original: pd.DataFrame) -> Any:
    return fitted(original)


@pytest.fixture(scope="module")
def made(learner: Any) -> pd.DataFrame:
    frame: pd.DataFrame = learner.synthesize(4_000, random_state=0)
    return frame


def test_columns_types_and_roles_are_those_of_the_table(
    original: pd.DataFrame, made: pd.DataFrame
) -> None:
    kept = original.drop(columns="note")
    assert list(made) == list(kept)
    assert made.attrs["left_out"] == {"note": "free text is not made up"}
    assert made.dtypes.to_dict() == kept.dtypes.to_dict()
    before, after = bn.prepare(original), bn.prepare(made.head(N))
    roles = {name: after[name].role for name in kept}
    assert roles == {name: before[name].role for name in kept}


def test_values_lie_on_the_grid_and_in_the_range_of_the_table(
    original: pd.DataFrame, made: pd.DataFrame
) -> None:
    assert (made["kg"].dropna() * 2 % 1 == 0).all()
    assert set(made["age"]) <= set(original["age"])
    assert made["crp"].str.fullmatch(r"\d+\.\d mg/l").all()
    assert made["kg"].min() >= original["kg"].min()
    assert made["kg"].max() <= original["kg"].max()


def test_dates_respect_their_differences(original: pd.DataFrame, made: pd.DataFrame) -> None:
    admitted = pd.to_datetime(made["admitted"], format="%d.%m.%Y")
    stay = (made["discharged"] - admitted).dt.days
    before = pd.to_datetime(original["admitted"], format="%d.%m.%Y")
    assert stay.min() >= 0
    assert stay.mean() == pytest.approx((original["discharged"] - before).dt.days.mean(), abs=0.2)
    assert admitted.min() >= before.min()
    assert admitted.max() <= before.max()


def test_identifiers_are_new_and_unique(original: pd.DataFrame, made: pd.DataFrame) -> None:
    assert made["id"].is_unique
    assert not set(made["id"]) & set(original["id"])
    assert made["id"].str.fullmatch(r"P-\d{5}").all()


def test_deterministic_relations_hold_in_every_row(made: pd.DataFrame) -> None:
    assert (made["code"] == made["plan"].map({"basic": "B", "pro": "P", "team": "T"})).all()
    assert ((made["age"] < 50) == (made["minor"] == "younger")).all()


def test_missing_values_depend_on_what_they_depended_on(
    original: pd.DataFrame, made: pd.DataFrame
) -> None:
    for frame in (original, made):
        shares = frame["pressure"].isna().groupby(frame["plan"]).mean()
        assert shares["pro"] == pytest.approx(0.5, abs=0.06)
        assert shares["basic"] == pytest.approx(0.1, abs=0.04)
    # Those of kg are among those of pressure.
    assert not (made["kg"].isna() & made["pressure"].notna()).any()


def test_numbers_keep_their_correlation(original: pd.DataFrame, made: pd.DataFrame) -> None:
    own, given = (frame[["age", "pressure"]].corr().iloc[0, 1] for frame in (made, original))
    assert own == pytest.approx(given, abs=0.07)


def test_rows_depend_on_the_seed_only(learner: Any, made: pd.DataFrame, tmp_path: Path) -> None:
    pd.testing.assert_frame_equal(learner.synthesize(700, random_state=0), made.head(700))
    learner.save(tmp_path / "model.bnsieve")
    again = bn.load(tmp_path / "model.bnsieve").synthesize(700, random_state=0)
    pd.testing.assert_frame_equal(again, made.head(700))
    assert not learner.synthesize(700, random_state=1).equals(again)


def test_a_learner_saved_without_rows_still_makes_rows(learner: Any, tmp_path: Path) -> None:
    learner.save(tmp_path / "model.bnsieve", data=False)
    found = bn.load(tmp_path / "model.bnsieve").synthesize(500, random_state=0)
    assert ((found["age"] < 50) == (found["minor"] == "younger")).all()
    assert found["crp"].str.fullmatch(r"\d+\.\d mg/l").all()


def test_the_record_holds_no_rows(learner: Any, original: pd.DataFrame) -> None:
    record = learner.fit_result_.table_record
    text = str([getattr(one, "cells", ()) for one in record.columns])
    assert "told me" not in text
    assert "P-0" not in text


def test_conditions_hold_and_follow_the_inference_engine() -> None:
    network = bn.load_network("asia")
    learner = fitted(network.sample(4_000, 0))
    found = learner.synthesize(5_000, {"dysp": "yes", "xray": "yes"}, random_state=0)
    assert set(found["dysp"]) == {"yes"}
    assert set(found["xray"]) == {"yes"}
    for target in ("smoke", "lung", "bronc"):
        expected = learner.query(target, given={"dysp": "yes", "xray": "yes"}, interval=None)
        shares = found[target].value_counts(normalize=True)
        for state in learner.network_.states[target]:
            assert shares.get(state, 0.0) == pytest.approx(expected[state], abs=0.03)


def test_conditions_on_numbers_and_dates(learner: Any) -> None:
    where = {"age": (40, 45), "admitted": ("2022-03-01", "2022-12-31"), "plan": "pro"}
    found = learner.synthesize(200, where, random_state=0)
    assert found["age"].between(40, 45).all()
    assert pd.to_datetime(found["admitted"], format="%d.%m.%Y").dt.year.eq(2022).all()
    assert found["plan"].eq("pro").all()


@pytest.mark.parametrize(
    ("where", "said"),
    [
        ({"paln": "pro"}, "did you mean 'plan'"),
        ({"plan": "gold"}, r"is never 'gold': it is '\w+', '\w+' or '\w+'$"),
        ({"age": (200, 300)}, "they are from 30 to 74"),
        ({"age": "old"}, "takes a number"),
        ({"age": (45, 40)}, "45 is above 40"),
        ({"age": float("nan")}, "takes a number"),
        ({"admitted": (pd.NaT, "2022-12-31")}, "takes a date"),
        ({"id": "P-1"}, "an identifier, which conditions cannot choose"),
        ({"note": "x"}, "leave out this condition"),
    ],
)
def test_conditions_that_cannot_be_are_refused(
    learner: Any, where: dict[str, Any], said: str
) -> None:
    with pytest.raises(ValueError, match=said):
        learner.synthesize(10, where)


def test_rare_categories_are_grouped_unless_asked() -> None:
    rng = np.random.default_rng(0)
    towns = [f"town {i}" for i in range(400)]
    town = rng.choice(towns, 5_000, p=rng.dirichlet(np.full(400, 0.2)))
    rich = np.array([int(name[5:]) % 2 for name in town]) ^ (rng.random(5_000) < 0.1)
    original = pd.DataFrame({"town": town, "rich": rich.astype(str)})
    learner = fitted(original)
    output = learner.preparation_["town"].outputs[0]
    names = {*output.groups.values(), output.other}
    grouped = learner.synthesize(2_000, random_state=0)
    assert set(grouped["town"]) <= names
    drawn = learner.synthesize(2_000, rare="drawn", random_state=0)
    assert set(drawn["town"]) <= set(town)
    assert drawn["town"].nunique() > grouped["town"].nunique()
    some = next(name for name in town if name not in names)
    with pytest.raises(ValueError, match="rare='drawn'"):
        learner.synthesize(5, {"town": some})
    assert set(learner.synthesize(5, {"town": some}, rare="drawn")["town"]) == {some}


def test_no_rows_and_bad_arguments(learner: Any, made: pd.DataFrame) -> None:
    nothing = learner.synthesize(0)
    assert list(nothing) == list(made)
    assert not len(nothing)
    with pytest.raises(ValueError, match="negative"):
        learner.synthesize(-1)
    with pytest.raises(ValueError, match="rare must be"):
        learner.synthesize(1, rare="all")


def test_fits_over_time_are_refused() -> None:
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(
        {
            "at": pd.date_range("2024-01-01", periods=300, freq="h"),
            "a": rng.choice(["x", "y"], 300),
            "b": rng.choice(["x", "y"], 300),
        }
    )
    learner = fitted(frame, time="at", lags=1)
    with pytest.raises(ValueError, match="`forecast` draws"):
        learner.synthesize(5)


def test_constants_empty_columns_and_integers_with_gaps() -> None:
    rng = np.random.default_rng(0)
    n = 600
    frame = pd.DataFrame(
        {
            "a": rng.choice(["x", "y"], n),
            "one": 7,
            "nothing": pd.Series([None] * n, dtype=object),
            "whole": pd.array(rng.integers(0, 500, n), dtype="Int64"),
            "tick": pd.array(rng.random(n) < 0.5, dtype="boolean"),
        }
    )
    frame.loc[::7, ["whole", "tick"]] = pd.NA
    found = fitted(frame).synthesize(900, random_state=0)
    assert found.dtypes.to_dict() == frame.dtypes.to_dict()
    assert found["one"].eq(7).all()
    assert found["nothing"].isna().all()
    assert found["whole"].isna().mean() == pytest.approx(1 / 7, abs=0.05)
    assert (found["whole"].isna() == found["tick"].isna()).all()


def test_counters_are_unique_although_their_number_was_estimated(tmp_path):
    """Of 20,000 different identifiers in a file, a few less are counted by hashes."""
    random = np.random.default_rng(0)
    plan = random.choice(["free", "pro"], 20_000)
    frame = pd.DataFrame({"id": np.arange(20_000) + 100_000, "plan": plan})
    frame["churn"] = np.where(random.random(20_000) < np.where(plan == "pro", 0.1, 0.3), "y", "n")
    frame.to_csv(tmp_path / "churn.csv", index=False)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # the identifier is left out
        learner = bn.TsetlinSieve(random_state=0).fit(tmp_path / "churn.csv")
    made = learner.synthesize(50, random_state=1)["id"].astype(int).tolist()
    assert made == list(range(120_000, 120_050))


def test_days_between_dates_are_those_of_the_days_where_only_one_has_a_time_of_day() -> None:
    rng = np.random.default_rng(0)
    n = 1_500
    ordered = pd.Timestamp("2023-01-01") + pd.to_timedelta(
        rng.integers(0, 300 * 24 * 60, n), unit="min"
    )
    slow = rng.random(n) < 0.4
    days = np.where(slow, rng.integers(7, 10, n), rng.integers(1, 4, n))
    shipped = ordered.normalize() + pd.to_timedelta(days, unit="D")
    original = pd.DataFrame(
        {
            "ordered": ordered.strftime("%Y-%m-%d %H:%M"),
            "shipped": shipped.strftime("%Y-%m-%d"),
            "goods": np.where(slow, "furniture", "books"),
        }
    )
    found = fitted(original).synthesize(2_000, random_state=0)
    first = pd.to_datetime(found["ordered"], format="%Y-%m-%d %H:%M").dt.normalize()
    passed = (pd.to_datetime(found["shipped"], format="%Y-%m-%d") - first).dt.days
    assert set(passed) <= set(days.tolist())
    assert ((passed >= 7) == (found["goods"] == "furniture")).all()
    hours = pd.to_datetime(found["ordered"], format="%Y-%m-%d %H:%M").dt.hour
    assert hours.nunique() == 24


def test_last_zeros_are_written_where_the_table_writes_them() -> None:
    rng = np.random.default_rng(0)
    some = np.round(rng.gamma(3, 10_000, 1_000), 2)
    fee = [f"${x:,.2f}" for x in some]
    fee[::50] = ["9999"] * 20
    rate = [f"{x:g}" for x in np.round(rng.random(1_000) * 9, 1)]
    original = pd.DataFrame({"fee": fee, "rate": rate, "kind": rng.choice(["a", "b"], 1_000)})
    found = fitted(original).synthesize(500, random_state=0)
    assert found["fee"].str.fullmatch(r"\$[\d,]+\.\d\d").all()
    assert found["rate"].str.fullmatch(r"\d(\.[1-9])?").all()


@pytest.mark.parametrize("digits", [2, 4])  # few different numbers, and many
def test_limits_are_written_as_in_the_table(digits: int) -> None:
    rng = np.random.default_rng(0)
    numbers = np.append(rng.normal(1.5, 0.6, 2_500), 0.5)
    cells = np.array([f"{x:.{digits}f}" for x in numbers], dtype=object)
    limits = {"<0.5": numbers < 0.5, ">2.7": numbers > 2.7}
    for cell, rows in limits.items():
        cells[rows] = cell
    original = pd.DataFrame({"level": cells, "kind": np.where(numbers > 1.4, "high", "low")})
    made = fitted(original).synthesize(5_000, random_state=0)["level"]
    for cell, rows in limits.items():
        assert (made == cell).mean() == pytest.approx(rows.mean(), abs=0.01)
    plain = made[~made.isin([*limits])]
    assert plain.str.fullmatch(rf"[012]\.\d{{{digits}}}").all()
    assert plain.astype(float).between(0.5, 2.7).all()


@pytest.mark.parametrize(("pattern", "length"), [("0123456789abcdef", 10), ("0123456789ABCXYZ", 9)])
def test_codes_of_letters_and_digits_are_made_anew(pattern: str, length: int) -> None:
    rng = np.random.default_rng(0)
    codes = ["".join(rng.choice(list(pattern), length)) for _ in range(900)]
    original = pd.DataFrame({"order": codes, "kind": rng.choice(["a", "b"], 900)})
    learner = fitted(original)
    found = learner.synthesize(30_000, random_state=0)["order"]
    assert found.str.fullmatch(f"[{pattern}]{{{length}}}").all()
    assert found.is_unique
    assert not set(found) & set(codes)
    again = learner.synthesize(700, random_state=1)["order"]
    assert len(set(again) & set(found[:700])) == 0


def test_a_part_of_codes_that_goes_with_a_category_goes_with_it() -> None:
    """Articles of which few are sold twice: the letters tell the kind, the digits the store."""
    rng = np.random.default_rng(0)
    kind = rng.choice(["toys", "garden", "books"], 3_000)
    store = rng.choice(["north", "south"], 3_000)
    letters = pd.Series(kind).map({"toys": "TY", "garden": "GA", "books": "BK"})
    # Two numbers of each store.
    digits = 10 * (1 + (store == "south")) + rng.integers(1, 3, 3_000)
    number = rng.integers(0, 9_000, 3_000)
    codes = [f"{a}-{b}-{c:04}" for a, b, c in zip(letters, digits, number, strict=True)]
    original = pd.DataFrame({"article": codes, "kind": kind, "store": store})
    original.loc[rng.random(3_000) < 0.02, "kind"] = None
    made = fitted(original).synthesize(2_000, random_state=0)
    parts = made["article"].str.extract(r"^([A-Z]{2})-(\d\d)-(\d+)$")
    assert made["article"].is_unique
    assert set(parts[0]) == {"TY", "GA", "BK"}
    known = made["kind"].notna()
    of_kind = {"TY": "toys", "GA": "garden", "BK": "books"}
    assert 0 < (~known).sum() < 100
    assert (parts[0].map(of_kind) == made["kind"])[known].all()
    assert (parts[1].str[0].map({"1": "north", "2": "south"}) == made["store"]).all()
    assert set(parts[1]) == {"11", "12", "21", "22"}


def test_relations_hold_between_cells_where_rare_spellings_are_drawn() -> None:
    rng = np.random.default_rng(0)
    store = rng.integers(0, 12, 4_000)
    region = np.array(["North", "South", "East"])[store % 3].astype(object)
    typo = (store == 0) & (np.cumsum(store == 0) <= 3)
    region[typo] = "NORTH"
    original = pd.DataFrame({"store": [f"S{i}" for i in store], "region": region})
    original["sold"] = rng.poisson(1 + store % 3)
    learner = fitted(original)
    assert learner.preparation_["region"].outputs[0].groups  # the typo is another spelling
    made = learner.synthesize(20_000, rare="drawn", random_state=0)
    of_store = original[~typo].drop_duplicates("store").set_index("store")["region"]
    assert (made["region"] == made["store"].map(of_store)).all()


def test_a_rounded_function_of_many_values_is_followed_to_its_ends() -> None:
    rng = np.random.default_rng(0)
    raw = np.round(rng.lognormal(1, 1, 4_000), 3)
    original = pd.DataFrame({"raw": raw, "log2": np.round(np.log2(1 + raw), 3)})
    original["kind"] = np.where(rng.random(4_000) < 0.3 + 0.4 * (raw > 3), "a", "b")
    found = fitted(original).synthesize(4_000, random_state=0)
    off = (found["log2"] - np.log2(1 + found["raw"])).abs()
    assert off.quantile(0.99) <= 0.004
    # Between two distant values at the upper end, a line is not quite the curve.
    assert off.max() <= 0.02


def typed() -> pd.DataFrame:
    rng = np.random.default_rng(0)
    n = 500
    utc = pd.date_range("2024-01-01", periods=n, freq="h", tz="UTC").as_unit("us")
    waited = rng.integers(0, 1_000, n)
    return pd.DataFrame(
        {
            "number": np.arange(n) + 10**17,
            "at": utc.tz_convert("Europe/Berlin"),
            "waited": pd.to_timedelta(waited, unit="s").as_unit("us"),
            "slow": np.where(waited > 500, "yes", "no"),
            "day": pd.date_range("2024-01-01", periods=n).date,
        }
    )


def test_zones_durations_days_and_long_counters_keep_their_types(tmp_path: Path) -> None:
    original = typed()
    found = fitted(original).synthesize(600, random_state=0)
    assert found.dtypes.to_dict() == original.dtypes.to_dict()
    assert found["number"].min() >= 10**17 + 500
    assert found["number"].is_unique
    assert found["waited"].between(original["waited"].min(), original["waited"].max()).all()
    assert ((found["waited"].dt.total_seconds() > 500) == (found["slow"] == "yes")).mean() > 0.98
    assert found["at"].between(original["at"].min(), original["at"].max()).mean() > 0.98
    assert {type(one) for one in found["day"]} == {type(original["day"][0])}
    original.to_parquet(tmp_path / "typed.parquet")
    pieces = fitted(tmp_path / "typed.parquet").synthesize(600, random_state=0)
    assert pieces["at"].dtype == original["at"].dtype
    assert pieces["waited"].dtype.kind == "m"
    assert pieces["waited"].max() > pd.Timedelta(minutes=10)
    # By the clock of the place, all hours of its days.
    assert pieces["at"].between(original["at"].min(), original["at"].max()).mean() > 0.98


def test_a_condition_on_a_column_without_values_is_refused() -> None:
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({"a": rng.choice(["x", "y"], 200), "nothing": [None] * 200})
    with pytest.raises(ValueError, match="all values of 'nothing' are missing"):
        fitted(frame).synthesize(3, {"nothing": "x"})


def test_names_are_made_in_their_shape() -> None:
    rng = np.random.default_rng(0)
    first, last = (["Ada", "Grace", "Alan", "Kurt"], ["Hill", "Moor", "Zeller", "Young", "Hunter"])
    names = [
        f"{rng.choice(first)} {chr(65 + rng.integers(26))}. "
        f"{rng.choice(last)}{''.join(chr(97 + c) for c in rng.integers(0, 26, 6))}"
        for _ in range(500)
    ]
    frame = pd.DataFrame({"name": names, "group": rng.choice(["a", "b"], 500)})
    made = fitted(frame).synthesize(2_000, random_state=0)
    assert made["name"].str.fullmatch(r"[A-Z][a-z]+ [A-Z]\. [A-Z][a-z]+").all()
    assert made["name"].is_unique


def _groups(n: int = 300) -> dict[str, Any]:
    rng = np.random.default_rng(0)
    return {"a": np.array(["x", "y", "z"])[rng.integers(0, 3, n)], "u": rng.random(n)}


@pytest.mark.parametrize(
    "frame",
    [
        pd.DataFrame({"a": _groups()["a"]}),
        pd.DataFrame({"u": _groups()["u"]}),
        pd.DataFrame({"c": ["x"] * 30, "d": [1] * 30}),
        pd.DataFrame(_groups(12)),
        pd.DataFrame(_groups()).assign(m=None, f=np.nan, c="x", e=pd.Timestamp("1901-02-03")),
        pd.DataFrame(_groups()).assign(
            o=lambda rows: rows["a"].map({"x": True, "y": False}),
            b=lambda rows: rows["a"].map({"x": True, "y": False}).astype("boolean"),
        ),
        pd.DataFrame(_groups()).assign(
            small=lambda rows: (rows["u"] * 99).astype("int16"),
            short=lambda rows: rows["u"].astype("float32"),
        ),
        pd.DataFrame(_groups(5_000)).assign(
            many=lambda rows: [f"c{place:04}" for place in (rows["u"] * 3_000).astype(int)]
        ),
    ],
    ids=[
        "one category",
        "one number",
        "constants",
        "few rows",
        "empty",
        "booleans",
        "types",
        "many",
    ],
)
def test_odd_tables_come_back(frame: pd.DataFrame) -> None:
    made = fitted(frame).synthesize(200, random_state=0)
    assert made.dtypes.to_dict() == frame.dtypes.to_dict()
    assert len(made) == 200
    assert [*made.columns[made.isna().all()]] == [*frame.columns[frame.isna().all()]]


def test_integers_of_a_csv_file_are_as_wide_as_pandas_reads_them(tmp_path: Path) -> None:
    frame = pd.DataFrame(_groups()).assign(no=range(1, 301), small=[1, 2, 3, 4, 5, 6] * 50)
    frame.to_csv(tmp_path / "rows.csv", index=False)
    made = fitted(tmp_path / "rows.csv").synthesize(100, random_state=0)
    assert made.dtypes.to_dict() == pd.read_csv(tmp_path / "rows.csv").dtypes.to_dict()
