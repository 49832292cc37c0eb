"""The command line: results, messages and exit codes."""

import json
import subprocess
import sys

from typer.testing import CliRunner

import bnsieve
from bnsieve.cli import app


def run(*arguments):
    return CliRunner().invoke(app, [str(argument) for argument in arguments])


def test_version():
    result = run("--version")
    assert result.exit_code == 0
    assert result.stdout == f"bnsieve {bnsieve.__version__}\n"


def test_no_command_shows_help_and_is_a_usage_error():
    result = run()
    assert result.exit_code == 2
    assert "Exit codes" in result.output


def test_unknown_commands_and_options_are_usage_errors():
    assert run("lern").exit_code == 2
    assert run("doctor", "--jason").exit_code == 2


def test_every_command_teaches_by_example():
    for command in app.registered_commands:
        result = run(command.callback.__name__, "--help")
        assert result.exit_code == 0
        assert "Examples" in result.stdout


def test_doctor_for_people():
    result = run("doctor")
    assert result.exit_code == 0
    lines = dict(line.split(maxsplit=1) for line in result.stdout.splitlines())
    assert lines["bnsieve"] == bnsieve.__version__
    assert {"python", "numpy", "instructions", "[scale]"} <= lines.keys()


def test_doctor_for_programs():
    result = run("doctor", "--json")
    assert result.exit_code == 0
    assert json.loads(result.stdout)["bnsieve"] == bnsieve.__version__


def test_a_real_process(tmp_path):
    process = subprocess.run(
        [sys.executable, "-m", "bnsieve", "doctor", "--json"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )
    assert process.returncode == 0
    assert process.stderr == ""
    assert json.loads(process.stdout)["bnsieve"] == bnsieve.__version__
