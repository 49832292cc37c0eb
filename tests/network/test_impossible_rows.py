"""Rows and evidence that mean nothing are not answered for: impossible ones, missing values."""

import numpy as np
import pandas as pd
import pytest
from typer.testing import CliRunner

import bnsieve as bn
from bnsieve.cli.app import app

# either is a function of lung and tub; smoke depends on lung alone.
ROWS = pd.DataFrame(
    {"lung": ["yes", "yes"], "either": ["no", "yes"], "tub": ["no", "no"], "smoke": [None, None]}
)


def test_an_impossible_row_has_no_prediction():
    network = bn.load_network("asia")
    with pytest.raises(ValueError, match="impossible together"):
        network.query("smoke", given={"lung": "yes", "either": "no", "tub": "no"})
    found = network.predict_proba(ROWS.drop(columns="smoke"), "smoke")
    assert found.isna().all(axis=1).tolist() == [True, False]
    predicted = network.predict(ROWS.drop(columns="smoke"), "smoke")
    assert predicted.isna().tolist() == [True, False]
    expected = network.query("smoke", given={"lung": "yes"})
    np.testing.assert_allclose(found["yes"][1], expected["yes"])


def test_what_is_predicted_makes_no_row_impossible():
    network = bn.load_network("asia")
    row = pd.DataFrame({"lung": ["yes"], "either": ["no"]})
    np.testing.assert_allclose(network.predict_proba(row, "either").to_numpy(), [[1.0, 0.0]])


@pytest.mark.parametrize("how", ["most probable", "drawn"])
def test_an_impossible_row_is_not_filled(how):
    filled = bn.load_network("asia").impute(ROWS, how, random_state=0)
    assert filled["smoke"].isna().tolist() == [True, False]


@pytest.fixture(scope="module")
def rows():
    rng = np.random.default_rng(0)
    income = rng.normal(size=500)
    return pd.DataFrame(
        {"income": income, "rich": np.where(income + rng.normal(size=500) / 4 > 0, "yes", "no")}
    )


@pytest.mark.parametrize("value", [np.nan, float("nan"), pd.NA, pd.NaT, np.float32("nan")])
@pytest.mark.parametrize("prepare", ["auto", bn.Discretizer()])
def test_a_missing_value_is_no_evidence(rows, value, prepare):
    learner = bn.TsetlinSieve(random_state=0, n_jobs=1, prepare=prepare).fit(rows)
    with pytest.raises(ValueError, match=r"'income' is given as .* missing value: leave it out"):
        learner.query("rich", given={"income": value})


def test_a_missing_value_is_no_evidence_on_the_command_line_either(rows, tmp_path):
    rows.to_csv(tmp_path / "rows.csv", index=False)
    out = str(tmp_path / "out")
    CliRunner().invoke(app, ["learn", str(tmp_path / "rows.csv"), "-o", out, "-j", "1"])
    asked = CliRunner().invoke(app, ["ask", out, "rich", "--given", "income=nan"])
    assert asked.exit_code != 0
    assert "nan" in asked.output
