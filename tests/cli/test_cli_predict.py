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


@pytest.fixture(scope="module")
def blood(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Severity drives protein, in mg/l and at times unknown, and pressure, at times 999."""
    folder = tmp_path_factory.mktemp("blood")
    rng = np.random.default_rng(0)
    severity = rng.integers(0, 4, 2_000)
    protein = np.exp(rng.normal(2.5 + 0.4 * severity, 0.4)).round().astype(int)
    pressure = (120 + 4 * severity + rng.normal(0, 5, 2_000)).round().astype(int)
    frame = pd.DataFrame({"severity": np.array(list("abcd"))[severity]})
    frame["protein"] = [f"{value} mg/l" for value in protein]
    frame["pressure"] = pressure
    frame = frame.astype(object)
    frame.loc[rng.random(2_000) < 0.04, "protein"] = "unknown"
    frame.loc[rng.random(2_000) < 0.04, "pressure"] = 999
    frame.to_csv(folder / "rows.csv", index=False)
    answered("learn", folder / "rows.csv", "-o", folder / "net", "--quiet")
    return folder


def imputed(blood: Path, rows: str, *options: str) -> tuple[str, list[list[str]]]:
    """Return what was said, and the cells that were written."""
    (blood / "given.csv").write_text(f"severity,protein,pressure,note\n{rows}")
    out = blood / "out.csv"
    told = answered("impute", blood / "net", blood / "given.csv", "-o", out, *options)
    return told, [line.split(",") for line in out.read_text().splitlines()[1:]]


def test_missing_numbers_become_numbers_in_the_unit_of_their_column(blood: Path) -> None:
    rows = "d,unknown,129.0,1.50\na,,1.2e2,007\nb,14 mg/l,999,\nb,16mg/l,128,x\n"
    told, cells = imputed(blood, rows)
    assert told.startswith("3 values of 2 columns filled, 1 left missing")
    assert "protein: 1 filled cell held text or a code that is read as missing" in told
    network = bn.load(blood / "net" / "learner.bnsieve").network_
    filled = network.impute(pd.read_csv(blood / "given.csv").drop(columns="note"))
    for row in (0, 1):
        number, unit = cells[row][1].split(" ")
        assert (float(number), unit) == (pytest.approx(filled["protein"][row]), "mg/l")
    assert float(cells[2][2]) == pytest.approx(filled["pressure"][2])
    # The mean of a bin lies between the numbers of the training rows.
    assert 100 < float(cells[2][2]) < 150
    # All other cells are as they were, letter by letter.
    kept = [[None if text in ("", "unknown", "999") else text for text in row.split(",")]
            for row in rows.splitlines()]  # fmt: skip
    for before, after in zip(kept, cells, strict=True):
        assert [b or a for b, a in zip(before, after, strict=True)] == after


@pytest.mark.parametrize(
    "row", ["d,25 mg/l,,", ",25 mg/l,130,", "d,,130,", ",,,", "d,25 mg/l,,\na,11 mg/l,120,"]
)
def test_columns_without_any_value_are_filled(blood: Path, row: str) -> None:
    told, cells = imputed(blood, f"{row}\n")
    n_missing = row.splitlines()[0][:-1].split(",").count("")
    assert told.startswith(f"{n_missing} value")
    assert cells[0][0] in set("abcd")
    assert cells[0][1].endswith(" mg/l")
    assert 100 < float(cells[0][2]) < 150


def test_binned_columns_are_filled_with_numbers(blood: Path) -> None:
    net = blood / "binned"
    if not net.exists():
        answered("learn", blood / "rows.csv", "-o", net, "-m", "pc", "--quiet")
    (blood / "given.csv").write_text("severity,protein,pressure\nd,,120\na,12 mg/l,\n")
    answered("impute", net, blood / "given.csv", "-o", blood / "out.csv")
    cells = pd.read_csv(blood / "out.csv")
    assert 100 < cells["pressure"][1] < 150
    assert cells["protein"][0].endswith(" mg/l")
    assert float(cells["protein"][0].removesuffix(" mg/l")) > 0


def test_filled_numbers_stay_numbers_in_parquet(blood: Path) -> None:
    given, out = blood / "given.parquet", blood / "out.parquet"
    frame = pd.read_csv(blood / "rows.csv").head(50).astype({"pressure": "Int64"})
    frame.loc[3, "pressure"] = pd.NA
    frame.to_parquet(given)
    answered("impute", blood / "net", given, "-o", out)
    assert pd.api.types.is_numeric_dtype(pd.read_parquet(out)["pressure"])


def test_cells_that_cannot_be_read_are_counted_or_refused(blood: Path) -> None:
    given = "severity,protein,pressure\nd,12 pcs,129\na,7 pcs,unclear\nb,unknown,999\nb,,128\n"
    (blood / "given.csv").write_text(given)
    arguments = ("predict", blood / "net", blood / "given.csv", "-o", blood / "p.csv")
    told = answered(*arguments, "--target", "severity")
    assert "protein: 2 cells that cannot be read as a number or date, treated as missing" in told
    assert "pressure: 1 cell that cannot be read" in told
    found = json.loads(answered(*arguments, "--target", "severity", "--json"))
    assert found["unread"] == {"protein": 2, "pressure": 1}
    refused = run(*arguments, "--target", "severity", "--unseen", "error")
    assert refused.exit_code == 1
    assert "row 1: column 'protein' holds '12 pcs', which cannot be read as a number" in (
        refused.stderr
    )
    # The target is not used.
    assert "pressure" not in answered(*arguments, "--target", "pressure").split("written to")[1]
