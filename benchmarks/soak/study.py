"""Load: memory, threads and files over thousands of fits; fits at once, and beside one that ends.

``python -m benchmarks soak`` fits 2,000 times in one process, then eight times at once, then once
while another fit is ended from within, and writes ``report.md``. The bars: memory within 5 % after
the first tenth of the fits, no thread and no file more than then, and every graph the one that the
same rows give alone. It ends with an error where a bar is missed. Linux only.
"""

import gc
import os
import sys
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pandas as pd

import bnsieve as bn
from benchmarks.common.options import parser_of
from benchmarks.common.pages import head, table, write
from bnsieve import Graph, Progress, TsetlinSieve

N_FITS, N_QUICK = 2_000, 30
N_AT_ONCE = 8
BAR_MEMORY = 1.05
NETWORKS = ("asia", "sachs", "child", "insurance", "alarm")


class EndedError(Exception):
    """What ends a fit from within."""


@dataclass(frozen=True)
class Held:
    """What a process holds: memory in megabytes, threads and open files."""

    megabytes: float
    threads: int
    files: int

    @classmethod
    def now(cls) -> "Held":
        """Look at this process."""
        gc.collect()
        pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[1])
        return cls(
            pages * os.sysconf("SC_PAGE_SIZE") / 2**20,
            len(list(Path("/proc/self/task").iterdir())),
            len(list(Path("/proc/self/fd").iterdir())),
        )


def rows_of(number: int) -> pd.DataFrame:
    """Return the rows of one fit: networks, sizes and types vary, from 50 rows to 2,000."""
    rng = np.random.default_rng(number)
    network = bn.load_network(NETWORKS[number % len(NETWORKS)])
    rows = network.sample(int(rng.integers(50, 2_000)), random_state=number)
    if number % 3 == 0:
        rows = rows.mask(rng.random(rows.shape) < 0.05)
    if number % 4 == 0:
        rows["number"] = rng.normal(size=len(rows))
    return rows


def graph_of(number: int) -> Graph:
    """Learn from the rows of one fit."""
    learner = TsetlinSieve(random_state=number, n_jobs=1 + number % 2).fit(rows_of(number))
    return learner.graph_


def soak(n_fits: int) -> tuple[list[Held], list[str]]:
    """Fit many times; return what was held after every tenth of the fits, and what is wrong."""
    held = []
    for number in range(n_fits):
        graph_of(number)
        if (number + 1) % (n_fits // 10) == 0:
            held.append(Held.now())
    first, last = held[0], held[-1]
    wrong = []
    if last.megabytes > BAR_MEMORY * first.megabytes:
        wrong.append(f"memory grew from {first.megabytes:.0f} to {last.megabytes:.0f} MB")
    if last.threads > first.threads:
        wrong.append(f"threads grew from {first.threads} to {last.threads}")
    if last.files > first.files:
        wrong.append(f"open files grew from {first.files} to {last.files}")
    return held, wrong


def at_once() -> list[str]:
    """Fit from several threads at once; return which graphs differ from those of lone fits."""
    alone = [graph_of(number) for number in range(N_AT_ONCE)]
    with ThreadPoolExecutor(N_AT_ONCE) as pool:
        together = list(pool.map(graph_of, range(N_AT_ONCE)))
    return [
        f"fit {number} differs when others run beside it"
        for number, (one, other) in enumerate(zip(alone, together, strict=True))
        if one != other
    ]


def beside_one_that_ends() -> list[str]:
    """Fit while another fit is ended; return what is wrong."""
    alone = graph_of(0)

    def end(progress: Progress) -> None:
        raise EndedError(progress.stage)

    def ended() -> bool:
        try:
            with bn.watch(end):
                graph_of(1)
        except EndedError:
            return True
        return False

    with ThreadPoolExecutor(2) as pool:
        other = pool.submit(ended)
        own = pool.submit(graph_of, 0)
        wrong = [] if own.result() == alone else ["a fit differs when another is ended beside it"]
        if not other.result():
            wrong.append("the other fit did not end")
    return wrong


def main(arguments: list[str] | None = None) -> None:
    given = sys.argv[2:] if arguments is None else arguments
    parser = parser_of("soak", __doc__)
    parser.add_argument("--fits", type=int, default=N_FITS, help="fits in one process")
    options = parser.parse_args(given)
    n_fits = N_QUICK if options.quick else options.fits
    held, wrong = soak(n_fits)
    parts: Sequence[Callable[[], list[str]]] = (at_once, beside_one_that_ends)
    wrong += [one for part in parts for one in part()]
    every = n_fits // 10
    lines = [
        *head("Load", "soak", given),
        "",
        f"Held after every {every:,} fits; {N_AT_ONCE} fits at once, and one beside one that ends.",
        "",
        *table(
            ("fits", "MB", "threads", "files"),
            [
                (f"{(i + 1) * every:,}", f"{one.megabytes:.0f}", str(one.threads), str(one.files))
                for i, one in enumerate(held)
            ],
            0,
        ),
        "",
        *(wrong or ["No bar is missed."]),
    ]
    write(options.output / "report.md", lines)
    print("\n".join(lines))
    # The first fits load what later ones use: only of many can it be said whether memory grows.
    if [one for one in wrong if not options.quick or "grew" not in one]:
        sys.exit("error: a bar is missed")
