"""``bnsieve learn``: what a user sees."""

import json
from contextlib import contextmanager
from types import SimpleNamespace

import pytest
from typer.testing import CliRunner

import bnsieve as bn
from bnsieve.cli import learn as command
from bnsieve.cli.app import app
from bnsieve.engine import Progress, announce, watched


@pytest.fixture
def asia(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    bn.load_network("asia").sample(1_000, random_state=0).to_csv("asia.csv", index=False)


def run(*arguments):
    return CliRunner().invoke(app, ["learn", *arguments, "--jobs", "1"])


def test_summary_and_files(asia, tmp_path):
    result = run("asia.csv")
    assert result.exit_code == 0
    assert result.stderr == ""  # not a terminal
    titles = [line.split()[0] for line in result.stdout.splitlines() if line[:1] not in ("", " ")]
    assert titles[:4] == ["rows", "columns", "deterministic", "graph"]
    assert {"strongest", "seconds", "written"} <= {*titles}
    assert max(map(len, result.stdout.splitlines())) <= 100
    assert (tmp_path / "asia-network" / "graph.svg").exists()


def test_json_is_the_record(asia, tmp_path):
    result = run("asia.csv", "-o", "here", "--json", "--seed", "5", "--method", "tests")
    found = json.loads(result.stdout)
    assert found == json.loads((tmp_path / "here" / "run.json").read_text(encoding="utf-8"))
    assert found["settings"]["seed"] == 5


def test_usage_errors(asia):
    assert run("asia.csv", "--method", "magic").exit_code == 2
    assert run("asia.csv", "--seed", "-1").exit_code == 2
    assert run().exit_code == 2


def test_nothing_found(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    rows = "".join(f"{a},{b}\n" for a in "uv" for b in "uv") * 50
    (tmp_path / "coins.csv").write_text("first,second\n" + rows, encoding="utf-8")
    result = run("coins.csv")
    assert "no edges: these rows show no dependence" in result.stdout
    assert "nats" not in result.stdout


def test_quiet(asia):
    result = run("asia.csv", "--quiet")
    assert (result.exit_code, result.output) == (0, "")


def test_a_folder_in_use(asia):
    assert run("asia.csv", "-q").exit_code == 0
    result = run("asia.csv", "-q")
    assert result.exit_code == 1
    assert result.stderr.startswith("error: the folder asia-network is not empty")
    assert result.stderr.count("\n") == 1
    assert run("asia.csv", "-q", "--force").exit_code == 0


def test_interrupted(asia, tmp_path, monkeypatch):
    def interrupted(*_, **__):
        raise KeyboardInterrupt

    monkeypatch.setattr(command.run, "learn", interrupted)
    result = run("asia.csv")
    assert result.exit_code == 130
    assert result.stderr == "interrupted: nothing was written\n"
    assert [path.name for path in tmp_path.iterdir()] == ["asia.csv"]


def test_a_bar_on_a_terminal(asia, monkeypatch):
    bars = []

    @contextmanager
    def watch():
        bars.append("shown")
        yield

    monkeypatch.setattr(command, "watch", watch)
    assert run("asia.csv", "--force").exit_code == 0
    assert not bars  # the output of a test is no terminal
    monkeypatch.setattr(
        command, "sys", SimpleNamespace(stderr=SimpleNamespace(isatty=lambda: True))
    )
    assert run("asia.csv", "--force", "--quiet").exit_code == 0
    assert not bars
    assert run("asia.csv", "--force").exit_code == 0
    assert bars == ["shown"]


def test_nobody_watches():
    heard = []
    announce("unheard")
    with watched(heard.append):
        announce("heard", "1 of 2")
        with watched(None):
            announce("unheard")
    assert heard == [Progress("heard", "1 of 2")]
