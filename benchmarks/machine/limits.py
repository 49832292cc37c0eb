"""Two threads against two processes, and tables of 10,000 variables: how the machine scales.

    python -m benchmarks machine limits [--output benchmarks/machine/results] [--quick]

Threads: two threads that share one literal matrix, and two processes with one thread and a matrix
each, take turns; either way each worker trains every target. Their rates are compared, and all
machines must be equal to the bit.

Width: machines learn the same targets from 1,000 and from 10,000 binary variables, in turns; then
one more in a process of its own, whose peak memory is read (not on Windows: it has no such figure).
"""

import argparse
import csv
import json
import resource
import statistics
import subprocess
import sys
import threading
import time
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.common.environments import for_children
from benchmarks.common.pages import table
from benchmarks.machine import runner
from benchmarks.machine.report import circumstances
from benchmarks.machine.runner import Job, simd_level
from bnsieve import _native
from bnsieve.sieve import pack
from bnsieve.table import Table

LIMITS = (sys.executable, "-m", "benchmarks.machine.limits")
N_WIDE_ROWS = 5_000
# The same targets at every width: the first variables are the same in all tables.
WIDE_TARGETS = (25, 50, 75)


def train_all(job: Job) -> tuple[float, str]:
    """Train every target; return targets per second and the hash of the machines."""
    start = time.perf_counter()
    machines = [runner.train(job, target) for target in job.targets]
    return len(job.targets) / (time.perf_counter() - start), runner.digest(machines)


def work(network: str, n_targets: int | None) -> None:
    """Be one of two processes: train everything for every line that comes in."""
    job = runner.prepare(network, n_targets)
    print("ready", flush=True)
    for _ in sys.stdin:
        print(json.dumps(train_all(job)), flush=True)


def by_processes(processes: list[subprocess.Popen[str]]) -> list[tuple[float, str]]:
    for process in processes:
        assert process.stdin
        print(file=process.stdin, flush=True)
    return [json.loads(_line(process)) for process in processes]


def by_threads(job: Job, n_threads: int = 2) -> list[tuple[float, str]]:
    answers: list[tuple[float, str]] = []
    workers = [
        threading.Thread(target=lambda: answers.append(train_all(job))) for _ in range(n_threads)
    ]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    return answers


def compare_threads(network: str, n_targets: int | None, repeats: int) -> dict[str, Any]:
    """Targets per second of both ways, and the median of their ratio."""
    job = runner.prepare(network, n_targets)
    expected = train_all(job)[1]
    rates: dict[str, list[float]] = {"threads": [], "processes": []}
    command = [*LIMITS, "--work", network, "--targets", str(n_targets or 0)]
    with ExitStack() as stack:
        processes = [
            stack.enter_context(
                subprocess.Popen(
                    command,
                    stdin=subprocess.PIPE,
                    stdout=subprocess.PIPE,
                    text=True,
                    env=for_children(),
                )
            )
            for _ in range(2)
        ]
        for process in processes:
            _line(process)
        for _ in range(repeats):
            for way, answers in (
                ("processes", by_processes(processes)),
                ("threads", by_threads(job)),
            ):
                if {found for _, found in answers} != {expected}:
                    raise SystemExit(f"{way} made other machines than one thread")
                rates[way].append(sum(rate for rate, _ in answers))
        for process in processes:
            assert process.stdin
            process.stdin.close()
    ratios = [a / b for a, b in zip(rates["threads"], rates["processes"], strict=True)]
    return {
        "network": network,
        "targets": len(job.targets),
        "threads": max(rates["threads"]),
        "processes": max(rates["processes"]),
        "ratio": statistics.median(ratios),
    }


def binary_table(n_variables: int) -> Table:
    """Draw binary variables, each from two of the twenty before it."""
    rng = np.random.default_rng(0)
    chance = np.array([[0.1, 0.6], [0.7, 0.95]])
    codes = np.empty((n_variables, N_WIDE_ROWS), dtype=np.uint8)
    codes[0] = rng.integers(0, 2, N_WIDE_ROWS)
    for v in range(1, n_variables):
        a, b = rng.integers(max(0, v - 20), v, 2)
        codes[v] = rng.random(N_WIDE_ROWS) < chance[codes[a], codes[b]]
    return Table.from_data(codes.T)


def wide_job(n_variables: int) -> Job:
    table = binary_table(n_variables)
    return Job(table, pack(table), targets=WIDE_TARGETS)


def compare_widths(sizes: tuple[int, int], repeats: int) -> list[dict[str, Any]]:
    """Processor time per row, epoch and literal at both widths, at each instruction set."""
    jobs = {n_variables: wide_job(n_variables) for n_variables in sizes}
    least: dict[tuple[str, int], float] = {}
    for _ in range(repeats):
        for level in _native.simd_levels():
            for n_variables, job in jobs.items():
                with simd_level(level):
                    start = time.process_time()
                    for target in job.targets:
                        runner.train(job, target)
                    seconds = (time.process_time() - start) / len(job.targets)
                least[level, n_variables] = min(least.get((level, n_variables), seconds), seconds)
    found = []
    for level in _native.simd_levels():
        # Each variable has a literal per level, and each literal its negation.
        per_literal = [
            least[level, n] * 1e9 / (runner.N_TRAIN * runner.EPOCHS * 4 * n) for n in sizes
        ]
        microseconds = [least[level, n] * 1e6 / (runner.N_TRAIN * runner.EPOCHS) for n in sizes]
        found.append(
            {
                "instructions": level,
                **{f"us_{n}": us for n, us in zip(sizes, microseconds, strict=True)},
                **{f"ns_per_literal_{n}": ns for n, ns in zip(sizes, per_literal, strict=True)},
                "ratio": per_literal[1] / per_literal[0],
            }
        )
    return found


def peak_megabytes(n_variables: int) -> float:
    command = [*LIMITS, "--wide", str(n_variables)]
    done = subprocess.run(
        command, check=True, stdout=subprocess.PIPE, text=True, env=for_children()
    )
    return float(done.stdout)


def train_wide(n_variables: int) -> None:
    """Be the process whose memory is read."""
    job = wide_job(n_variables)
    runner.train(job, job.targets[0])
    unit = 1 if sys.platform == "darwin" else 1024
    print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit / 1e6)


def page(
    scaling: list[dict[str, Any]], widths: list[dict[str, Any]], memory: float, command: str
) -> str:
    small, large = (key.removeprefix("us_") for key in widths[0] if key.startswith("us_"))
    return "\n".join(
        [
            "# How the Tsetlin machine scales",
            "",
            circumstances(command),
            "",
            "## Two threads, or two processes",
            "",
            "Targets per second of both workers together, the best of the repeats; the ratio is "
            "the median over repeats, in which the two ways took turns. All machines were equal to "
            "the bit to those of one thread.",
            "",
            *table(
                ["", "targets", "two threads", "two processes", "ratio"],
                [
                    [
                        one["network"],
                        str(one["targets"]),
                        f"{one['threads']:.1f}",
                        f"{one['processes']:.1f}",
                        f"{one['ratio']:.3f}",
                    ]
                    for one in scaling
                ],
            ),
            "",
            f"## {int(small):,} and {int(large):,} binary variables",
            "",
            f"Mean of {len(WIDE_TARGETS)} targets, {runner.N_TRAIN:,} rows, {runner.EPOCHS} "
            f"epochs, {runner.SETTINGS.n_clauses} clauses per class. Processor time, least of "
            "the repeats.",
            "",
            *table(
                [
                    "",
                    f"µs per row and epoch, {int(small):,}",
                    f"{int(large):,}",
                    f"ns per row, epoch and literal, {int(small):,}",
                    f"{int(large):,}",
                    "ratio",
                ],
                [
                    [
                        one["instructions"],
                        f"{one[f'us_{small}']:.2f}",
                        f"{one[f'us_{large}']:.2f}",
                        f"{one[f'ns_per_literal_{small}']:.3f}",
                        f"{one[f'ns_per_literal_{large}']:.3f}",
                        f"{one['ratio']:.2f}",
                    ]
                    for one in widths
                ],
            ),
            "",
            f"Peak memory of the process with {int(large):,} variables and {N_WIDE_ROWS:,} rows, "
            f"interpreter and data included: {memory:.0f} MB.",
        ]
    )


def _line(process: subprocess.Popen[str]) -> str:
    assert process.stdout
    line = process.stdout.readline()
    if not line:
        raise SystemExit("a worker ended early")
    return line


def _write(path: Path, rows: list[dict[str, Any]]) -> None:
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, list(rows[0]))
        writer.writeheader()
        writer.writerows(rows)


def main(arguments: list[str] | None = None) -> None:
    """Measure, and print the page; or be one of the processes that are measured."""
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks machine limits", description=(__doc__ or "").partition("\n")[0]
    )
    parser.add_argument("--repeats", type=int, default=7)
    parser.add_argument("--output", type=Path, help="folder for the figures and the page")
    parser.add_argument(
        "--quick", action="store_true", help="small sizes: only shows that it works"
    )
    parser.add_argument("--work", help=argparse.SUPPRESS)
    parser.add_argument("--targets", type=int, default=0, help=argparse.SUPPRESS)
    parser.add_argument("--wide", type=int, help=argparse.SUPPRESS)
    options = parser.parse_args(arguments)
    if options.work:
        return work(options.work, options.targets or None)
    if options.wide:
        return train_wide(options.wide)
    repeats = 1 if options.quick else options.repeats
    networks = ("alarm",) if options.quick else runner.NETWORKS
    sizes = (100, 1_000) if options.quick else (1_000, 10_000)
    scaling = [compare_threads(name, 4 if options.quick else None, repeats) for name in networks]
    widths = compare_widths(sizes, repeats)
    memory = peak_megabytes(sizes[1])
    suffix = " --quick" if options.quick else f" --repeats {repeats}"
    text = page(scaling, widths, memory, "python -m benchmarks machine limits" + suffix)
    print(text)
    if options.output:
        options.output.mkdir(parents=True, exist_ok=True)
        _write(options.output / "threads.csv", scaling)
        _write(options.output / "widths.csv", [{**one, "peak_mb": memory} for one in widths])
        (options.output / "limits.md").write_text(text + "\n", encoding="utf-8")
    return None


if __name__ == "__main__":
    main()
