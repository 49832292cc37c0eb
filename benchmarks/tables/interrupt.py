"""Ctrl-C at random moments of ``bnsieve learn``: how long it takes to end, and what it leaves.

``python -m benchmarks tables interrupt FOLDER`` starts a run on one of the larger tables, waits for
a moment that is drawn within the time that a whole run takes, interrupts, and repeats. It must end
within two seconds, with one line and no traceback, and leave no file and no process behind.
"""

import argparse
import signal
import subprocess
import sys
import time
from dataclasses import asdict, dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import pandas as pd

from benchmarks.common.pages import table
from benchmarks.common.runs import append
from benchmarks.tables.catalogue import TABLES
from benchmarks.tables.make import file_of
from benchmarks.tables.watch import cpu_seconds_of

BAR_SECONDS = 2.0


@dataclass(frozen=True)
class Interruption:
    """One run that was interrupted.

    Attributes
    ----------
    table : str
    after : float
        Seconds of the processor that the run had had.
    seconds : float
        From Ctrl-C to the end, by the clock.
    cpu_seconds : float
        The same, of the processor: on a busy machine what the program itself took.
    code : int
    lines : int
        That it printed.
    left : str
        Files that it left.
    """

    table: str
    after: float
    seconds: float
    cpu_seconds: float
    code: int
    lines: int
    left: str

    @property
    def well(self) -> bool:
        """Whether it ended as it must."""
        quick = min(self.seconds, self.cpu_seconds) < BAR_SECONDS
        return quick and self.code == 130 and self.lines == 1 and not self.left


def interrupted(path: Path, name: str, after: float) -> Interruption | None:
    """Start a run and interrupt it after so much processor time; None if it ended before."""
    with TemporaryDirectory() as folder:
        command = [str(Path(sys.executable).parent / "bnsieve"), "learn", str(path.absolute())]
        child = subprocess.Popen(
            [*command, "-o", "out"], cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.STDOUT
        )
        while (spent := cpu_seconds_of(child.pid)) < after and child.poll() is None:
            time.sleep(0.02)
        if child.poll() is not None:
            child.communicate()
            return None
        start = time.perf_counter()
        child.send_signal(signal.SIGINT)
        last = spent
        while child.poll() is None:
            last = max(last, cpu_seconds_of(child.pid))
            time.sleep(0.01)
        seconds = time.perf_counter() - start
        text = child.communicate()[0].decode(errors="replace")
        left = sorted(path.name for path in Path(folder).iterdir())
    lines = [line for line in text.splitlines() if line.strip()]
    return Interruption(
        name, spent, seconds, last - spent, child.returncode, len(lines), " ".join(left)
    )


def _text(cell: object) -> str:
    return f"{cell:.2f}" if isinstance(cell, float) else str(cell)


def main(arguments: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks tables interrupt",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("folder", type=Path, help="of the files, which are made if missing")
    parser.add_argument("--tables", nargs="+", choices=TABLES, default=["genetics", "weblogs"])
    parser.add_argument("--rows", type=int, default=200_000)
    parser.add_argument("--moments", type=int, default=10, help="of each table")
    parser.add_argument("--within", type=float, default=60, help="seconds of the processor")
    parser.add_argument("--output", type=Path, help="CSV file of the interruptions")
    asked = parser.parse_args(arguments)
    rng = np.random.default_rng(0)
    found = []
    for name in asked.tables:
        path = file_of(TABLES[name], asked.folder, asked.rows)
        for _ in range(asked.moments):
            # Evenly over the run, but not before Python has come as far as our first line.
            one = interrupted(path, name, float(rng.uniform(1.0, asked.within)))
            if one is not None:
                found.append(one)
                if asked.output:
                    append(asked.output, [one])
    runs = pd.DataFrame([asdict(one) | {"well": one.well} for one in found])
    cells = [[_text(cell) for cell in line] for line in runs.to_numpy()]
    print("\n".join(table(list(runs.columns), cells)))
    print(f"\n{sum(one.well for one in found)} of {len(found)} ended as they must.")


if __name__ == "__main__":
    main()
