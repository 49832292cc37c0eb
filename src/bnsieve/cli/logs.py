"""Lines with a time on standard error, for logs: as text, or as JSON."""

import json
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from typing import Annotated, Literal

import typer

from bnsieve.cli.app import say
from bnsieve.engine import Progress, watch

LogFormat = Annotated[
    Literal["text", "json"] | None,
    typer.Option("--log-format", help="Write a line with a time to standard error at each stage."),
]


@contextmanager
def logged(form: Literal["text", "json"]) -> Iterator[None]:
    """Write a line when a stage begins."""
    last = ""

    def tell(progress: Progress) -> None:
        nonlocal last
        if progress.stage == last or not progress.stage:
            return
        last = progress.stage
        time = datetime.now(UTC).isoformat(timespec="milliseconds")
        if form == "json":
            line = json.dumps({"time": time, "level": "info", "stage": progress.stage})
        else:
            line = f"{time} info {progress.stage}"
        say(line, err=True)
        sys.stderr.flush()

    with watch(tell):
        yield
