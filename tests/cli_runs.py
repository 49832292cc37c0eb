"""Commands run inside the process of the tests."""

from typer.testing import CliRunner

from bnsieve.cli.app import app


def run(*arguments):
    """Run a command; return its exit code and what it printed."""
    return CliRunner().invoke(app, [str(argument) for argument in arguments])


def answered(*arguments):
    """Run a command that must succeed; return what it printed."""
    result = run(*arguments)
    assert result.exit_code == 0, result.stderr
    return result.stdout
