"""The command line: ``bnsieve``, or ``python -m bnsieve``.

`app` holds what all commands share; each other module holds some of the commands.
"""

from bnsieve.cli import ask, compare, diagnose, learn, networks, predict
from bnsieve.cli.app import app

__all__ = ["app", "main"]

for module in (learn, ask, predict, networks, compare, diagnose):
    module.add_to(app)


def main() -> None:
    """Run the command line, as the installed ``bnsieve`` script does."""
    app(prog_name="bnsieve")
