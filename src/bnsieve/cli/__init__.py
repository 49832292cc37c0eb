"""The command line: ``bnsieve``, or ``python -m bnsieve``.

`app` holds what all commands share and which module holds which of them, `process` its signals.
"""

from bnsieve.cli import process

__all__ = ["main"]


def main() -> None:
    """Run the command line, as the installed ``bnsieve`` script does."""
    process.run(_run_app)


def _run_app() -> None:
    from bnsieve.cli.app import app

    app(prog_name="bnsieve")
