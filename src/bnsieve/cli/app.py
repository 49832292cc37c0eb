"""The application behind all commands: errors, and printing of results.

Results go to standard output, as a table for people or as JSON for programs; everything else goes
to standard error. Exit codes: 0 done; 1 the data, a file or the installation is at fault; 2 the
command line is; 3 `check` found a change; 130 interrupted (SIGINT), 143 terminated (SIGTERM).
"""

import json
import re
from importlib import import_module
from typing import Annotated, Any

import typer
from typer.core import TyperGroup
from typer.main import get_group

from bnsieve import __version__
from bnsieve.cli.process import INTERRUPTED, Phase, load_under_limit

# Each command: the module that holds it and its line in ``bnsieve --help``, in the order of the
# help. A module imports what learns and answers, which takes a second, so it is imported when one
# of its commands is called. A test keeps the line equal to the first line of the command's help.
COMMANDS = {
    "learn": ("learn", "Learn a network from a table, and write it with a picture and a report."),
    "report": ("report", "Write a report page to open in a browser; it works offline."),
    "describe": ("describe", "Show the inferred role and the preparation of every column."),
    "explain": ("ask", "Explain why two variables are adjacent, or why they are not."),
    "ask": ("ask", "Query the probability of each state of a variable."),
    "drivers": (
        "drivers",
        "Rank the variables that carry information about a target, with adjusted differences.",
    ),
    "forecast": ("forecast", "Forecast the next steps of each series from its last rows."),
    "check": (
        "check",
        "Compare new rows with the training rows: what changed, and which rows are odd.",
    ),
    "predict": ("predict", "Predict one column of every row from the others."),
    "impute": ("predict", "Fill the missing values of every row, given the rest of the row."),
    "update": ("learn", "Add new rows to a learned model, and learn again."),
    "networks": ("networks", "List the benchmark networks that come with bnsieve."),
    "synthesize": (
        "synthesize",
        "Draw new rows with the columns, types and formats of the original table.",
    ),
    "sample": ("networks", "Draw rows from a network."),
    "convert": ("networks", "Convert a network, a graph or rows to another format."),
    "compare": ("compare", "Measure how far a learned graph is from the true one."),
    "doctor": ("describe", "Show versions, processor and extras, for a bug report."),
}

# Characters that control a terminal (cursor, colours, title, clipboard) or the direction of text,
# and halves of characters. Names and categories in the data may hold any of them.
_CONTROL = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028-\u202e\u2066-\u2069\ud800-\udfff]")


def plain(text: str) -> str:
    """Return text to show, in which characters that would command the terminal are spelled."""
    return _CONTROL.sub(lambda found: found[0].encode("unicode_escape").decode(), text)


def say(text: str = "", *, err: bool = False) -> None:
    """Print a text, without what could command the terminal."""
    typer.echo(plain(text), err=err)


class Commands(TyperGroup):
    """Commands that are imported when called.

    Their expected errors end in one line that names the cure, and exit code 1.
    """

    def list_commands(self, ctx: Any) -> list[str]:
        """Return the names of all commands, in the order of the help."""
        return list(COMMANDS)

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        """Return a command, or None where there is none of this name."""
        load_under_limit()
        # Where there is none, all are needed, to say which one was meant.
        for name in [cmd_name] if cmd_name in COMMANDS else COMMANDS:
            if name not in self.commands:
                part = typer.Typer(rich_markup_mode="markdown", pretty_exceptions_enable=False)
                module = import_module(f"bnsieve.cli.{COMMANDS[name][0]}")
                examples = (f"    {line}" for line in module.EXAMPLES[name])
                epilog = "\n\n".join(["**Examples**", *examples])
                part.command(name, epilog=epilog)(getattr(module, name))
                self.commands.update(get_group(part).commands)
        Phase.now = "running"
        return self.commands.get(cmd_name)

    def format_commands(self, ctx: Any, formatter: Any) -> None:
        """Write a line for each command, without importing any."""
        with formatter.section("Commands"):
            formatter.write_dl([(name, summary) for name, (_, summary) in COMMANDS.items()])

    def invoke(self, ctx: Any) -> Any:
        """Run the command; anything but an expected error is a bug and keeps its traceback."""
        try:
            result = super().invoke(ctx)
            Phase.now = "done"
            return result
        except KeyboardInterrupt:
            Phase.now = "done"
            typer.echo(INTERRUPTED, err=True)
            raise typer.Exit(Phase.interrupted_code) from None
        except BrokenPipeError:
            raise  # the reader of our output has left, as `head` does: not worth a message
        except (ValueError, TypeError, KeyError, OSError, ImportError, MemoryError) as error:
            # str(KeyError) quotes its message; the message itself is what a reader wants.
            text = str(error.args[0]) if isinstance(error, KeyError) else str(error)
            say(f"error: {' '.join(text.split()) or 'out of memory'}", err=True)
            raise typer.Exit(1) from error


app = typer.Typer(
    cls=Commands,
    rich_markup_mode=None,  # the overview and errors are plain: rich would double their time
    add_completion=False,
    pretty_exceptions_enable=False,
    no_args_is_help=True,
    context_settings={"help_option_names": ["-h", "--help"]},
    epilog="Exit codes: 0 done; 1 an error in the data, a file or the installation; "
    "2 an error in the command line; 3 `check` found a change.",
)


def _print_version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"bnsieve {__version__}")
        raise typer.Exit


@app.callback()
def bnsieve(
    version: Annotated[
        bool,
        typer.Option(
            "--version", callback=_print_version, is_eager=True, help="Print the version and exit."
        ),
    ] = False,
) -> None:
    """Bayesian network structure learning from tables of categories and numbers."""


def print_json(value: Any) -> None:
    """Print a value as indented JSON."""
    text = json.dumps(value, indent=2, ensure_ascii=False)
    # JSON lets some of these stand as they are; written as escapes they say the same.
    typer.echo(_CONTROL.sub(lambda found: f"\\u{ord(found[0]):04x}", text))


def print_grid(headers: list[str], rows: list[list[str]], *, numbers_from: int) -> None:
    """Print rows of text under headers; columns from position `numbers_from` on align right."""
    from rich.table import Table as Grid

    grid = Grid(box=None, pad_edge=False, header_style="bold")
    for i, header in enumerate(headers):
        justify: Any = "right" if i >= numbers_from else "left"
        grid.add_column(plain(header), justify=justify, overflow="fold")
    _print(grid, rows)


def print_lines(lines: list[tuple[str, str]]) -> None:
    """Print titles and texts side by side; a title that repeats is shown once."""
    from rich.table import Table as Grid

    grid = Grid.grid(padding=(0, 2, 0, 0))
    grid.add_column(style="bold", no_wrap=True)
    grid.add_column(overflow="fold")
    before = ["", *(title for title, _ in lines)]
    rows = zip(before, lines, strict=False)
    _print(grid, [["" if title == last else title, text] for last, (title, text) in rows])


def _print(grid: Any, rows: list[list[str]]) -> None:
    """Print rows; cells are text and never markup, whatever characters the data hold."""
    from rich.console import Console
    from rich.text import Text

    for row in rows:
        grid.add_row(*(Text(plain(cell)) for cell in row))
    Console(highlight=False).print(grid)
