"""``bnsieve learn``: from a file to a network, with a picture of it."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from threading import Lock
from typing import Annotated

import typer
from rich.console import Console
from rich.live import Live
from rich.text import Text

from bnsieve.cli.app import AsJson, examples, print_json, print_lines, say
from bnsieve.cli.columns import CutAt, Drop, Keep, MissingText, RoleOf, cuts_of, roles_of
from bnsieve.cli.process import Phase
from bnsieve.cli.run import (
    REPORT,
    Algorithm,
    RunSettings,
    meaning,
    record_of,
    require_free,
    summary_of,
    write_files,
)
from bnsieve.cli.run import learn as run
from bnsieve.engine import Progress, TimeLeft, Timings, announce, watched


def add_to(app: typer.Typer) -> None:
    """Add the commands of this module to the application."""
    app.command(
        epilog=examples(
            "bnsieve learn data.csv",
            "bnsieve learn data.csv -o first --bootstrap 100",
            "bnsieve learn rows.parquet --knowledge known.yaml",
            "bnsieve learn data.csv --target disease --drop patient_id,ward",
            "bnsieve learn data.csv --role zip=code --cut bmi=18.5,25,30",
        )
    )(learn)


def learn(
    data: Annotated[
        Path, typer.Argument(help="A CSV, Parquet or Excel file, or a folder; - for piped CSV.")
    ],
    output: Annotated[
        Path | None,
        typer.Option(
            "--output", "-o", help="Folder to write to; default: the data's name and -network."
        ),
    ] = None,
    method: Annotated[
        Algorithm, typer.Option("--method", "-m", help="How; see the documentation.")
    ] = "search",
    knowledge: Annotated[
        Path | None,
        typer.Option("--knowledge", "-k", help="YAML or JSON: arrows that must or may not be."),
    ] = None,
    bootstrap: Annotated[
        int,
        typer.Option(
            "--bootstrap", "-b", min=0, help="Learn again from so many halves of the rows."
        ),
    ] = 0,
    target: Annotated[
        str | None,
        typer.Option(
            "--target", "-t", help="Only this column's Markov blanket: all that predicts it."
        ),
    ] = None,
    drop: Drop = None,
    keep: Keep = None,
    na: MissingText = None,
    role: RoleOf = None,
    cut: CutAt = None,
    sheet: Annotated[
        str | None, typer.Option("--sheet", help="Of an Excel workbook; default: the first.")
    ] = None,
    header_row: Annotated[
        int | None,
        typer.Option("--header-row", min=1, help="The row of the sheet that names the columns."),
    ] = None,
    seed: Annotated[
        int, typer.Option("--seed", "-s", min=0, help="The same seed gives the same network.")
    ] = 0,
    jobs: Annotated[
        int, typer.Option("--jobs", "-j", help="Threads; -1: all. Never changes the result.")
    ] = -1,
    force: Annotated[
        bool, typer.Option("--force", "-f", help="Replace the files of an earlier run.")
    ] = False,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="Print errors only.")] = False,
    as_json: AsJson = False,
) -> None:
    """Learn a network from a table: graph, probabilities, picture and a record of the run.

    What each column is, is found out (`bnsieve describe` shows it): numbers are learned from as
    numbers, or cut where the method needs labels; of dates their parts are used, constant columns,
    identifiers and free text are left out, missing cells are allowed. The summary says what was
    done. Writes graph.json, network.bif (numbers in bins), network.json (numbers in units, if
    there are any), edges.csv, graph.svg, run.json, the model itself, for explain, update and
    impute, and report.html, a page to open in a browser.
    """
    folder = output or Path(f"{data.name.split('.')[0].strip('-') or 'data'}-network")
    require_free(folder, force)
    settings = RunSettings(
        data,
        method,
        knowledge,
        bootstrap,
        target,
        seed,
        tuple(drop or ()),
        tuple(keep or ()),
        tuple(na or ()),
        roles_of(role),
        cuts_of(cut),
        sheet,
        header_row,
    )
    with _stages_shown(quiet):
        outcome = run(settings, n_jobs=jobs)
        announce("writing")
        found = record_of(outcome)
        written = write_files(outcome, found, folder)
        Phase.now = "done"
    if as_json:
        print_json(found)
    elif not quiet:
        others = ", ".join(name for name in written if name != REPORT)
        lines = [("written", f"{folder}: {others}"), ("report", f"open {folder / REPORT}")]
        print_lines([*summary_of(outcome), *lines])
        if outcome.edges:
            say("\n".join(["", *meaning(outcome)]))


@contextmanager
def _stages_shown(quiet: bool) -> Iterator[None]:
    """Show a line per stage with its seconds, as long as the context lasts, on a terminal."""
    console = Console(stderr=True)
    if quiet or not console.is_terminal:
        yield
        return
    stages = StageLines()
    with (
        Live(get_renderable=stages.shown, console=console, transient=True, refresh_per_second=5),
        watched(stages.begin),
    ):
        yield


class StageLines:
    """The stages so far and the seconds that each took; the last one is running.

    Stages are noted by the threads that work on them, and shown by another.
    """

    def __init__(self) -> None:
        self._lock = Lock()
        self._timings = Timings()
        self._progress: dict[str, str] = {}
        self._left = TimeLeft()

    def begin(self, progress: Progress) -> None:
        """Take note of a stage that begins, or of how far it is."""
        with self._lock:
            now = self._timings.switch(progress.stage)
            left = self._left.of(progress, now)
            self._progress[progress.stage] = ", ".join(filter(None, (progress.text, left)))

    def shown(self) -> Text:
        """Return the lines as they are now."""
        with self._lock:
            running = self._timings.running
            self._timings.switch(running)
            return Text("\n").join(
                Text(
                    f"{'>' if stage == running else ' '} {stage:<14}{seconds:7.1f} s  "
                    f"{self._progress[stage]}",
                    style="bold" if stage == running else "dim",
                )
                for stage, seconds in self._timings.items()
            )
