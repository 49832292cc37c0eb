"""The table as it came in: truth values, decimals, time zones, blank text, hours, codes."""

import datetime
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from typer.testing import CliRunner

import bnsieve as bn
from bnsieve.cli.app import app

N = 1_200


def beside(**columns: Any) -> pd.DataFrame:
    """Columns beside two categories that depend on each other."""
    rng = np.random.default_rng(0)
    plan = rng.choice(["basic", "pro"], N)
    team = np.where(rng.random(N) < 0.8, plan, "none")
    return pd.DataFrame({"plan": plan, "team": team, **columns})


def made(original: Any, n: int = 600) -> pd.DataFrame:
    with warnings.catch_warnings():  # of columns that are not learned from
        warnings.simplefilter("ignore")
        learner = bn.TsetlinSieve(random_state=0).fit(original)
    return learner.synthesize(n, random_state=1)


def csv_of(folder: Path, frame: pd.DataFrame) -> pd.DataFrame:
    """Write, learn and synthesize CSV files; return the texts of the last."""
    frame.to_csv(folder / "rows.csv", index=False)
    for command in (
        ["learn", folder / "rows.csv", "-o", folder / "learned", "-q"],
        ["synthesize", folder / "learned", "-n", 600, "-o", folder / "made.csv", "-q"],
    ):
        found = CliRunner().invoke(app, list(map(str, command)))
        assert found.exit_code == 0, found.output
    return pd.read_csv(folder / "made.csv", dtype=str, keep_default_na=False)


@pytest.mark.parametrize("words", [("FALSE", "TRUE"), ("false", "true"), ("False", "True")])
def test_truth_values_are_written_as_in_the_csv_file(
    tmp_path: Path, words: tuple[str, str]
) -> None:
    paid = np.array(words)[np.random.default_rng(1).integers(0, 2, N)]
    assert set(csv_of(tmp_path, beside(paid=paid))["paid"]) == set(words)


def test_decimals_are_written_as_in_the_csv_file(tmp_path: Path) -> None:
    rng = np.random.default_rng(1)
    whole = [f"{number}.0" for number in rng.integers(3, 40, N)]
    price = [f"{number:.2f}" for number in np.round(rng.gamma(4, 20, N) * 2) / 2]
    gaps = np.where(rng.random(N) < 0.1, "", np.array(whole))
    plain = [f"{number:g}" for number in np.round(rng.gamma(4, 20, N), 1)]
    mixed = [str(number) for number in np.round(rng.gamma(4, 20, N) * 4) / 4]
    columns = {"whole": whole, "price": price, "gaps": gaps, "plain": plain, "mixed": mixed}
    found = csv_of(tmp_path, beside(**columns))
    assert found["whole"].str.fullmatch(r"\d+\.0").all()
    assert found["price"].str.fullmatch(r"\d+\.[05]0").all()
    assert found["gaps"].str.fullmatch(r"(\d+\.0)?").all()
    assert 0.05 < (found["gaps"] == "").mean() < 0.15
    assert found["mixed"].str.fullmatch(r"\d+\.(0|5|25|75)").all()
    assert found["plain"].str.fullmatch(r"\d+(\.[1-9])?").all()


def test_time_zones_are_those_of_the_month(tmp_path: Path) -> None:
    """Summer time from April to September, and one row of ten in another zone."""
    rng = np.random.default_rng(1)
    days = pd.Timestamp("2023-01-01") + pd.to_timedelta(rng.integers(0, 700 * 1440, N), "min")
    summer = np.isin(days.month, np.arange(4, 10))
    zone = np.where(rng.random(N) < 0.1, "Z", np.where(summer, "+02:00", "+01:00"))
    original = beside(at=np.char.add(days.strftime("%Y-%m-%dT%H:%M:%S").to_numpy(str), zone))
    found = made(original, 2_000)["at"].str.extract(r"^\d{4}-(\d\d)-\d\dT\d\d:\d\d:\d\d(.+)$")
    assert 0.07 < (found[1] == "Z").mean() < 0.13
    named = found[found[1] != "Z"]
    in_summer = named[0].astype(int).between(4, 9)
    assert (named[1] == np.where(in_summer, "+02:00", "+01:00")).all()


def test_one_time_zone_stays_one() -> None:
    days = pd.Timestamp("2023-01-01") + pd.to_timedelta(np.arange(N) * 7, "h")
    found = made(beside(at=days.strftime("%Y-%m-%d %H:%M:%S+01:00")))
    assert found["at"].str.fullmatch(r"\d{4}-\d\d-\d\d \d\d:\d\d:\d\d\+01:00").all()


@pytest.mark.parametrize("as_file", [True, False])
def test_blank_text_stays_blank_text(tmp_path: Path, as_file: bool) -> None:
    rng = np.random.default_rng(1)
    color = rng.choice(np.array(["red", "blue", "", None], object), N, p=[0.4, 0.3, 0.2, 0.1])
    original: Any = beside(color=color)
    if as_file:
        pq.write_table(pa.Table.from_pandas(original), tmp_path / "rows.parquet")
        original = tmp_path / "rows.parquet"
    found = made(original, 2_000)["color"]
    assert 0.16 < (found == "").mean() < 0.24
    assert 0.07 < found.isna().mean() < 0.13
    assert set(found.dropna()) == {"red", "blue", ""}


def test_the_first_rows_are_blank_in_the_same_places() -> None:
    rng = np.random.default_rng(1)
    color = rng.choice(np.array(["red", "blue", "", None], object), N, p=[0.4, 0.3, 0.2, 0.1])
    learner = bn.TsetlinSieve(random_state=0).fit(beside(color=color))
    few, many = (learner.synthesize(n, random_state=1) for n in (300, 3_000))
    pd.testing.assert_frame_equal(few, many[:300])


def _times() -> dict[str, dict[str, Any]]:
    rng = np.random.default_rng(1)
    days = pd.Timestamp("2023-01-01") + pd.to_timedelta(rng.integers(0, 600, N), "D")
    stay = pd.to_timedelta(rng.poisson(4, N), "D")
    ten = pd.Timedelta(10, "h")
    minutes = pd.to_timedelta(rng.integers(0, 60, N), "min")
    others = pd.to_timedelta(rng.integers(0, 60, N), "min")
    age = rng.integers(20, 80, N)
    born = pd.Timestamp("2024-01-01") - pd.to_timedelta(age * 365 + rng.integers(0, 365, N), "D")
    return {
        "day": {"at": days + ten},
        "text": {"at": (days + ten + minutes).strftime("%d.%m.%Y %H:%M")},
        "time": {"at": [datetime.time(10, i % 60) for i in range(N)]},
        "after a day": {"from": days, "at": days + stay + ten},
        "after the hour": {"from": days + ten, "at": days + stay + ten},
        "minutes apart": {"from": days + ten + others, "at": days + stay + ten + minutes},
        "same day": {"from": days, "at": days + ten},
        "of an age": {"age": age, "at": born + ten},
        "of an age, minutes": {"age": age, "at": born + ten + minutes},
    }


@pytest.mark.parametrize("kind", _times())
def test_what_is_always_at_ten_is_always_at_ten(kind: str) -> None:
    original = beside(**_times()[kind])
    found = made(original)
    assert found["at"].astype(str).str.contains(r"\b10:\d\d").all()
    assert found["at"].nunique() > 10
    if "from" in found and kind != "minutes apart":
        assert (found["at"] >= found["from"]).all()


def test_postcodes_keep_their_width() -> None:
    """Codes of a row or two each, up to near the end of their width."""
    rng = np.random.default_rng(1)
    codes = [f"{code:05d}" for code in rng.integers(1_000, 98_800, 900)]
    codes += list(rng.choice(codes, N - 900))
    found = made(beside(code=codes), 5_000)["code"]
    assert found.str.fullmatch(r"\d{5}").all()
    assert not set(found) & set(codes)


def test_a_group_that_a_relation_implies_is_drawn_as_one_of_its_codes() -> None:
    rng = np.random.default_rng(1)
    region = rng.choice(["north", "south", "west"], N)
    first = pd.Series(region).map({"north": "1", "south": "4", "west": "7"})
    number = np.minimum(rng.geometric(0.01, N), 280)
    code = [f"{a}{b:04d}" for a, b in zip(first, number, strict=True)]
    original = beside(region=region, zip=code)
    learner = bn.TsetlinSieve(random_state=0).fit(original)
    assert learner.preparation_["zip"].role == "code"
    found = learner.synthesize(600, rare="drawn", random_state=1)
    assert set(found["zip"]) <= set(code)
    starts = found["region"].map({"north": "1", "south": "4", "west": "7"})
    assert (found["zip"].str[0] == starts).all()
