"""``bnsieve --help``: what it lists, and what it costs."""

import inspect
import json
import subprocess
import sys
from importlib import import_module

import pytest
from typer.testing import CliRunner

from bnsieve.cli.app import COMMANDS, app

LOADED = """
import json, sys
sys.argv = ["bnsieve", "--help"]
from bnsieve.cli import main
try:
    main()
except SystemExit:
    pass
print(json.dumps(sorted({name.split(".")[0] for name in sys.modules})))
"""


@pytest.mark.parametrize("name", COMMANDS)
def test_the_overview_says_what_the_commands_say(name):
    module, summary = COMMANDS[name]
    command = getattr(import_module(f"bnsieve.cli.{module}"), name)
    assert inspect.getdoc(command).partition("\n\n")[0] == summary


def test_the_overview_lists_every_command_in_order():
    lines = CliRunner().invoke(app, ["--help"]).stdout.splitlines()
    first_words = [line.split()[0] for line in lines if line[:2] == "  " and line[2:3].strip()]
    assert [word for word in first_words if word in COMMANDS] == list(COMMANDS)


def test_a_mistyped_command_is_guessed():
    result = CliRunner().invoke(app, ["lern"])
    assert result.exit_code == 2
    assert "Did you mean 'learn'?" in result.stderr


def test_the_overview_loads_no_library():
    command = [sys.executable, "-c", LOADED]
    output = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    assert output.startswith("Usage: bnsieve")
    packages = set(json.loads(output.splitlines()[-1]))
    assert not {"numpy", "pandas", "scipy", "sklearn", "narwhals", "pyarrow", "rich"} & packages
