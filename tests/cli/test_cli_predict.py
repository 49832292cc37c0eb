"""Tests of `bnsieve predict` on the rows of a day: identifiers, unseen categories, many rows."""

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import bnsieve as bn
from cli_runs import answered, run


def rows_of(n: int) -> pd.DataFrame:
    frame = bn.load_network("asia").sample(n, random_state=3).astype(object)
    frame.insert(0, "customer", [f"{i:06}" for i in range(n)])
    return frame


def test_an_identifier_is_carried_through(tmp_path: Path) -> None:
    rows = rows_of(50)
    rows.to_parquet(tmp_path / "rows.parquet")
    out = tmp_path / "out.parquet"
    arguments = ("predict", "asia", tmp_path / "rows.parquet", "-o", out, "-t", "dysp")
    answered(*arguments, "--id", "customer")
    written = pd.read_parquet(out)
    assert list(written.columns[:3]) == ["customer", "dysp", "probability"]
    assert written["customer"].tolist() == rows["customer"].tolist()
    refused = run(*arguments, "--id", "custmer")
    assert refused.exit_code == 1
    assert "did you mean 'customer'?" in refused.stderr


def test_an_unseen_category_is_missing_and_counted(tmp_path: Path) -> None:
    rows = rows_of(40).drop(columns=["smoke", "customer"])
    rows.loc[[3, 4], "xray"] = "unclear"
    rows.to_csv(tmp_path / "rows.csv", index=False)
    arguments = ("predict", "asia", tmp_path / "rows.csv", "-o", tmp_path / "a.csv", "-t", "dysp")
    told = answered(*arguments)
    assert "xray: 2 cells of unseen categories, treated as missing" in told
    assert "summed out, because the rows lack them: smoke" in told
    found = json.loads(answered(*arguments, "--json"))
    assert (found["unseen"], found["absent"]) == ({"xray": 2}, ["smoke"])
    empty = rows.copy()
    empty.loc[[3, 4], "xray"] = None
    network = bn.load_network("asia")
    expected = network.predict_proba(empty.drop(columns="dysp"), "dysp").to_numpy()
    written = pd.read_csv(tmp_path / "a.csv")
    assert np.allclose(written[["P(yes)", "P(no)"]].to_numpy(), expected)
    refused = run(*arguments, "--unseen", "error")
    assert refused.exit_code == 1
    assert "row 4: column 'xray' has no state 'unclear'" in refused.stderr


def test_numbers_are_predicted_past_unseen_categories(tmp_path: Path) -> None:
    rng = np.random.default_rng(0)
    plan = rng.choice(["a", "b"], 600)
    frame = pd.DataFrame({"plan": plan, "spend": 5 * (plan == "a") + rng.normal(size=600)})
    bn.TsetlinSieve(random_state=0).fit(frame).save(tmp_path / "m.bnsieve")
    pd.DataFrame({"plan": ["a", "b", "c"]}).to_csv(tmp_path / "r.csv")
    told = answered(
        "predict",
        tmp_path / "m.bnsieve",
        tmp_path / "r.csv",
        "-o",
        tmp_path / "o.csv",
        "-t",
        "spend",
    )
    assert "plan: 1 cell of unseen categories" in told
    means = pd.read_csv(tmp_path / "o.csv")["spend"]
    assert means[0] == pytest.approx(5.0, abs=0.3)
    assert means[1] == pytest.approx(0.0, abs=0.3)
    assert means[2] == pytest.approx(2.5, abs=0.5)


@pytest.mark.parametrize("ending", ["csv", "parquet"])
def test_rows_beyond_memory_are_predicted_in_pieces(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, ending: str
) -> None:
    rows = rows_of(5_000)
    rows.loc[4_321, "xray"] = "unclear"
    rows.to_parquet(tmp_path / "rows.parquet", row_group_size=1_500)
    whole, pieces = tmp_path / f"whole.{ending}", tmp_path / f"pieces.{ending}"
    arguments = ("predict", "asia", tmp_path / "rows.parquet", "-t", "dysp", "--id", "customer")
    told = json.loads(answered(*arguments, "-o", whole, "--json"))
    small = replace(bn.rows.data.LIMITS, in_memory=1_000, piece=1_024)
    monkeypatch.setattr(bn.rows.data, "LIMITS", small)
    again = json.loads(answered(*arguments, "-o", pieces, "--json"))
    assert {**told, "written": ""} == {**again, "written": ""}
    read = pd.read_csv if ending == "csv" else pd.read_parquet
    pd.testing.assert_frame_equal(read(whole), read(pieces))
    refused = run(*arguments, "-o", pieces, "--unseen", "error")
    assert "row 4322: column 'xray'" in refused.stderr
