"""No command replaces a file that it was told to read."""

import pytest
from typer.testing import CliRunner

import bnsieve as bn
from bnsieve.cli.app import app

KNOWLEDGE = '{"required": [], "forbidden": [["dysp", "smoke"]]}'


def run(*arguments):
    return CliRunner().invoke(app, [str(argument) for argument in arguments])


@pytest.fixture(scope="module")
def learned(tmp_path_factory):
    folder = tmp_path_factory.mktemp("learned")
    bn.load_network("asia").sample(300, random_state=0).to_csv(folder / "d.csv", index=False)
    assert run("learn", folder / "d.csv", "-o", folder / "out", "-q").exit_code == 0
    return folder


@pytest.fixture
def place(learned, tmp_path):
    """The rows, a run and files of the names that runs write, to be read."""
    rows = (learned / "d.csv").read_bytes()
    (tmp_path / "d.csv").write_bytes(rows)
    (tmp_path / "rows").mkdir()
    (tmp_path / "rows" / "edges.csv").write_bytes(rows)
    (tmp_path / "out").mkdir()
    for path in (learned / "out").iterdir():
        (tmp_path / "out" / path.name).write_bytes(path.read_bytes())
    (tmp_path / "out" / "suggested.json").write_text(KNOWLEDGE)
    (tmp_path / "linked.csv").hardlink_to(tmp_path / "d.csv")
    bn.write(bn.load_network("asia"), tmp_path / "asia.bif")
    return tmp_path


COMMANDS = {
    "knowledge in the folder": "learn d.csv -o out --force --knowledge out/suggested.json",
    "data in the folder": "learn rows/edges.csv -o rows --force",
    "folder of data": "learn rows -o rows --force",
    "new rows in the folder": "update out out/edges.csv",
    "predictions": "predict out d.csv -o d.csv -t dysp",
    "predictions by another name": "predict out d.csv -o linked.csv -t dysp",
    "filled rows": "impute out d.csv -o ./d.csv",
    "plan": "describe d.csv --save d.csv",
    "conversion": "convert asia.bif asia.bif",
    "report of a saved learner": "report out/learner.bnsieve -o out/learner.bnsieve",
    "report over the record": "report out -o out/run.json",
    "check over the model": "check out d.csv -o out/learner.bnsieve",
    "check over the rows": "check out d.csv -o d.csv",
    "comparison over a model": "report --compare out asia -o out/learner.bnsieve",
    "preparation": "learn d.csv -o out --force --plan out/suggested.json",
    "comparison": "report --compare asia.bif asia -o asia.bif",
    "forecast": "forecast out d.csv -o d.csv",
}


@pytest.mark.parametrize("what", COMMANDS)
def test_inputs_are_kept(what, place, monkeypatch):
    monkeypatch.chdir(place)
    if what == "new rows in the folder":
        (place / "out/edges.csv").unlink()
        (place / "d.csv").rename(place / "out/edges.csv")
    before = {path: path.read_bytes() for path in place.rglob("*") if path.is_file()}
    result = run(*COMMANDS[what].split())
    assert result.exit_code == 1, result.output
    assert "would be replaced, and this command reads it" in result.stderr
    assert {path: path.read_bytes() for path in place.rglob("*") if path.is_file()} == before


def test_other_files_are_replaced_as_asked(place, monkeypatch):
    monkeypatch.chdir(place)
    assert run("learn", "d.csv", "-o", "out", "--force", "-q").exit_code == 0
    assert run("predict", "out", "d.csv", "-o", "p.csv", "-t", "dysp").exit_code == 0
    assert run("predict", "out", "d.csv", "-o", "p.csv", "-t", "dysp").exit_code == 0
    assert run("report", "out").exit_code == 0
