"""The commands that ask a network: answers, files, and one line for what cannot be asked."""

import json

import numpy as np
import pandas as pd
import pytest

from bnsieve import Knowledge, TsetlinSieve, load_network
from cli_runs import answered, run

ASIA = load_network("asia")


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """What `bnsieve learn` writes; numbers are among the columns."""
    path = tmp_path_factory.mktemp("asked")
    rows = ASIA.sample(1_500, random_state=0)
    rng = np.random.default_rng(0)
    rows["age"] = np.where(rows.bronc == "yes", 55.0, 35.0) + rng.normal(0, 6, len(rows)).round(1)
    rows.to_csv(path / "rows.csv", index=False)
    answered("learn", path / "rows.csv", "-o", path / "learned", "--quiet")
    return path


@pytest.fixture(scope="module")
def saved(tmp_path_factory):
    """A folder with the saved learner in it."""
    path = tmp_path_factory.mktemp("saved")
    learner = TsetlinSieve(random_state=0).fit(ASIA.sample(1_500, random_state=0))
    learner.save(path / "learner.bnsieve")
    return path


def test_an_answer_for_people_and_for_programs():
    shown = answered("ask", "asia", "dysp", "--given", "smoke=yes", "--given", "xray=no")
    assert shown.splitlines()[0] == "dysp given smoke = yes, xray = no"
    found = json.loads(answered("ask", "asia", "dysp", "-g", "smoke=yes", "--json"))
    assert found["given"] == {"smoke": "yes"}
    expected = ASIA.query("dysp", {"smoke": "yes"})["yes"]
    assert found["answer"]["yes"]["probability"] == pytest.approx(expected)


def test_what_if_next_and_why():
    assert "do(smoke = no)" in answered("ask", "asia", "dysp", "--do", "smoke=no")
    found = json.loads(answered("ask", "asia", "dysp", "--do", "bronc=yes", "--json"))
    expected = ASIA.do({"bronc": "yes"}).query("dysp")["yes"]
    case = found["answer"]["cases"][0]
    assert case["probabilities"]["yes"]["yes"] == pytest.approx(expected)
    assert case["adjustment"] == ["smoke"]
    several = json.loads(
        answered("ask", "asia", "dysp", "--do", "bronc=yes", "--do", "either=no", "--json")
    )
    assert several["answer"]["yes"]["probability"] == pytest.approx(0.8)
    arguments = ("ask", "asia", "lung", "-g", "dysp=yes", "--next", "--explain", "--json")
    found = json.loads(answered(*arguments))
    assert found["next"]["columns"][0]["variable"] == "either"
    assert found["explain"]["changes"][0]["variable"] == "dysp"
    shown = answered("ask", "asia", "lung", "-g", "dysp=yes", "--next", "--explain")
    assert "before anything was known" in shown
    assert "mean reduction by observing" in shown


def test_a_learned_folder_has_bounds_where_lines_are_open(folder):
    shown = answered("ask", folder / "learned", "dysp", "--do", "bronc=yes")
    assert "effect of bronc on dysp" in shown
    assert shown.count("unmeasured") == 1


def test_several_interventions_have_intervals(folder):
    given = ("--do", "bronc=yes", "--do", "either=no")
    answer = json.loads(answered("ask", folder / "learned", "dysp", *given, "--json"))["answer"]
    assert answer["yes"]["low"] < answer["yes"]["probability"] < answer["yes"]["high"]


def test_a_number_stands_for_its_bin(folder):
    low = json.loads(answered("ask", folder / "learned", "bronc", "-g", "age=20", "--json"))
    high = json.loads(answered("ask", folder / "learned", "bronc", "-g", "age=70.5", "--json"))
    assert low["given"]["age"].startswith("<")
    assert high["given"]["age"].startswith(">=")
    assert low["answer"]["yes"]["probability"] < 0.2 < 0.8 < high["answer"]["yes"]["probability"]


def test_a_saved_learner_says_how_sure_it_is(saved):
    found = json.loads(answered("ask", saved, "dysp", "-g", "smoke=yes", "--json"))
    yes = found["answer"]["yes"]
    assert yes["low"] < yes["probability"] < yes["high"]
    wide = json.loads(answered("ask", saved, "dysp", "--interval", "0.99", "--json"))
    narrow = json.loads(answered("ask", saved / "learner.bnsieve", "dysp", "--json"))
    assert wide["answer"]["yes"]["low"] < narrow["answer"]["yes"]["low"]
    assert "rules" in answered("ask", saved, "dysp", "-g", "bronc=yes", "--explain")
    arguments = ("ask", saved, "dysp", "--do", "bronc=yes", "--interval", "0.9", "--json")
    for case in json.loads(answered(*arguments))["answer"]["cases"]:
        ends = [case[end]["yes"]["yes"] for end in ("low", "probabilities", "high")]
        assert ends == sorted(ends)


def test_a_learner_says_where_its_graph_does_not_fit(tmp_path):
    path = tmp_path / "wrong.bnsieve"
    rows = ASIA.sample(2_000, random_state=0)
    wrong = Knowledge(forbidden=[{"smoke", "bronc"}, {"smoke", "dysp"}, {"smoke", "lung"}])
    TsetlinSieve(random_state=0, knowledge=wrong).fit(rows).save(path)
    smokers = rows[rows.smoke == "yes"]
    shown = answered("ask", path, "bronc", "-g", "smoke=yes")
    assert "the graph does not fit here: bronc = " in shown
    assert f"of {len(smokers):,} matching rows" in shown
    found = json.loads(answered("ask", path, "bronc", "-g", "smoke=yes", "--json"))
    assert found["rows"]["matching"] == len(smokers)
    share = (smokers.bronc == "yes").mean()
    assert found["rows"]["frequencies"]["yes"] == pytest.approx(share)
    assert found["rows"]["misfit"] in shown
    fits = json.loads(answered("ask", path, "xray", "-g", "lung=yes", "--json"))
    assert fits["rows"]["misfit"] is None
    assert json.loads(answered("ask", "asia", "bronc", "--json"))["rows"] is None


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("asia", "disp"), "did you mean 'dysp'"),
        (("asia", "dysp", "--given", "smok=yes"), "did you mean 'smoke'"),
        (("asia", "dysp", "--given", "smoke=yess"), "did you mean 'yes'"),
        (("asia", "dysp", "--given", "smoke"), "--given takes variable=state"),
        (("asia", "dysp", "-g", "smoke=yes", "-g", "smoke=no"), "'smoke' twice"),
        (("asia", "dysp", "--given", "dysp=yes"), "both target and evidence"),
        (("asia", "dysp", "-g", "lung=yes", "-g", "either=no"), "lung"),
        (("asia", "dysp", "--do", "dysp=yes"), "two variables"),
        (("asia", "dysp", "--do", "smoke=yes", "--next"), "leave out --do"),
        (("asia", "dysp", "--interval", "0.9"), "no counts"),
        (("asai", "dysp"), "asia"),
    ],
)
def test_wrong_questions_end_in_one_line(arguments, words):
    result = run("ask", *arguments)
    assert result.exit_code == 1
    assert result.stdout == ""
    assert result.stderr.startswith("error: ")
    assert result.stderr.count("\n") == 1
    assert words in result.stderr


def test_a_folder_without_a_network_is_refused(tmp_path):
    result = run("ask", tmp_path, "dysp")
    assert result.exit_code == 1
    assert "network.bif" in result.stderr


def test_rows_are_predicted_with_gaps_in_them(tmp_path):
    rows = ASIA.sample(200, random_state=1).astype(object)
    rows.iloc[::3, 4] = None
    rows.drop(columns="tub").to_csv(tmp_path / "rows.csv", index=False)
    shown = answered(
        "predict", "asia", tmp_path / "rows.csv", "-o", tmp_path / "out.csv", "--target", "dysp"
    )
    out = pd.read_csv(tmp_path / "out.csv")
    assert out.columns.tolist() == ["dysp", "probability", "P(yes)", "P(no)"]
    known = {
        name: value
        for name, value in rows.iloc[0].items()
        if name not in ("dysp", "tub") and not pd.isna(value)
    }
    assert out["P(yes)"][0] == pytest.approx(ASIA.query("dysp", known)["yes"])
    right = (out["dysp"] == rows["dysp"].to_numpy()).mean()
    assert f"{right:.1%} of the 200" in shown


def test_gaps_are_filled_and_the_rest_stays(folder, tmp_path):
    rows = pd.read_csv(folder / "rows.csv").astype(object)
    rows.loc[::5, "bronc"] = None
    rows.loc[3, "age"] = None
    rows["note"] = [f"row {i}" for i in range(len(rows))]
    rows.to_csv(tmp_path / "gaps.csv", index=False)
    found = json.loads(
        answered(
            "impute",
            folder / "learned",
            tmp_path / "gaps.csv",
            "-o",
            tmp_path / "out.csv",
            "--json",
        )
    )
    assert found["filled"] == {"bronc": 300, "age": 1}
    assert found["left"] == 0
    out = pd.read_csv(tmp_path / "out.csv", dtype=str)
    assert out.columns.tolist() == rows.columns.tolist()
    assert set(out["bronc"]) == {"yes", "no"}
    kept = rows["bronc"].notna()
    assert (out["bronc"][kept] == rows["bronc"][kept]).all()
    assert float(out["age"][0]) == rows["age"][0]
    truth = pd.read_csv(folder / "rows.csv")["bronc"]
    assert (out["bronc"] == truth)[~kept].mean() > 0.75


def test_a_text_that_meant_a_missing_cell_when_learning_means_it_later(tmp_path):
    rows = ASIA.sample(1_000, random_state=0).astype(object)
    rows.loc[::10, "bronc"] = "?"
    rows.to_csv(tmp_path / "rows.csv", index=False)
    learned, out = tmp_path / "learned", tmp_path / "out.csv"
    answered("learn", tmp_path / "rows.csv", "-o", learned, "--na", "?", "--quiet")
    shown = answered("impute", learned, tmp_path / "rows.csv", "-o", out)
    assert shown.startswith("100 values of 1 column filled, 0 left missing; 1,000 rows written")
    assert set(pd.read_csv(out)["bronc"]) == {"yes", "no"}


@pytest.mark.parametrize(
    ("rows", "arguments", "words"),
    [
        (
            "smoke,xray\nyes,no\nyess,no\n",
            ("--target", "dysp", "--unseen", "error"),
            "did you mean 'yes'",
        ),
        ("smoke,xray\nyes,no\n", ("--target", "disp"), "did you mean 'dysp'"),
        ("a,b\n1,2\n", ("--target", "dysp"), "no column that the network has"),
    ],
)
def test_wrong_rows_end_in_one_line(tmp_path, rows, arguments, words):
    (tmp_path / "rows.csv").write_text(rows)
    result = run("predict", "asia", tmp_path / "rows.csv", "-o", tmp_path / "out.csv", *arguments)
    assert result.exit_code == 1
    assert result.stderr.count("\n") == 1
    assert words in result.stderr
    assert not (tmp_path / "out.csv").exists()
