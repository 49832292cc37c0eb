"""Our Tsetlin machine beside tmu, pyTsetlinMachine and green_tsetlin: speed and accuracy.

    python -m benchmarks machine peers CACHE_DIR [--output benchmarks/machine/results]
    python -m benchmarks machine peers --quick

Each library is installed by pip into a virtual environment of its own under CACHE_DIR, reused from
there, and runs in a process of its own (`peer_worker.py`), one thread each. They take turns, job by
job, so that whatever else the machine does meets all alike. A job is one target of one network,
learned from all other variables as one-hot literals; the same rows, targets and hyper-parameters.
Targets are evenly spaced among the variables that vary.

``--quick`` runs ours alone, few targets and one seed: it only shows that this works.
"""

import argparse
import csv
import itertools
import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.common.environments import python_of
from benchmarks.common.limited import ONE_THREAD
from benchmarks.machine import runner
from benchmarks.machine.report import Answer, write_report
from bnsieve import _native

WORKER = Path(__file__).with_name("peer_worker.py")
# What each peer needs beside numpy. tmu 0.8.3 fails on NumPy 2.
PEERS = {
    "tmu": ["tmu==0.8.3", "numpy<2"],
    "pyTsetlinMachine": ["pyTsetlinMachine==0.6.6", "numpy"],
    "green_tsetlin": ["green_tsetlin==1.1.0", "numpy"],
}


@contextmanager
def worker(python: str | Path, *arguments: str) -> Iterator[subprocess.Popen[str]]:
    """Start a worker; it ends when its standard input is closed."""
    process = subprocess.Popen(
        [str(python), str(WORKER), *arguments],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        env={**os.environ, **ONE_THREAD},
    )
    try:
        yield process
    finally:
        if process.stdin:
            process.stdin.close()
        process.wait(60)


def answer(process: subprocess.Popen[str]) -> dict[str, Any]:
    """Read one line."""
    assert process.stdout
    line = process.stdout.readline()
    if not line:
        raise SystemExit(f"{process.args!r} ended early")
    found: dict[str, Any] = json.loads(line)
    return found


def jobs(folder: Path, n_targets: int, n_seeds: int) -> Iterator[dict[str, Any]]:
    """Write the data of every network, and list the jobs; seeds outermost."""
    prepared = {network: runner.prepare(network, n_targets) for network in runner.NETWORKS}
    for network, job in prepared.items():
        np.savez(folder / network, codes=job.table.codes, n_levels=job.table.n_levels)
    for seed in range(1, n_seeds + 1):  # with seed 0, tmu never returns
        for network, job in prepared.items():
            for target in job.targets:
                yield {
                    "network": network,
                    "data": str(folder / f"{network}.npz"),
                    "n_train": runner.N_TRAIN,
                    "target": target,
                    "name": job.table.names[target],
                    "n_classes": int(job.table.n_levels[target]),
                    "seed": seed,
                    "clauses": runner.SETTINGS.n_clauses,
                    "T": runner.SETTINGS.threshold,
                    "s": runner.SETTINGS.specificity,
                    "epochs": runner.EPOCHS,
                }


def run(options: argparse.Namespace) -> Iterator[tuple[list[Answer], dict[str, str]]]:
    """Run all jobs, tool after tool; after each seed, give the answers so far and the versions."""
    answers: list[Answer] = []
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        workers = {
            f"bnsieve {level}": stack.enter_context(worker(sys.executable, "bnsieve", level))
            for level in _native.simd_levels()
        }
        if options.cache:
            for peer in PEERS:
                python = python_of(f"{peer}-env", PEERS[peer], options.cache)
                workers[peer] = stack.enter_context(worker(python, peer))
        first = {tool: answer(process) for tool, process in workers.items()}
        versions = {
            tool: f"{line['version']} (NumPy {line['numpy']})" for tool, line in first.items()
        }
        by_seed = itertools.groupby(
            jobs(folder, options.targets, options.seeds), lambda job: job["seed"]
        )
        for _, of_seed in by_seed:
            for job in of_seed:
                for tool, process in workers.items():
                    assert process.stdin
                    print(json.dumps(job), file=process.stdin, flush=True)
                    about = (job["network"], job["name"], job["n_classes"], job["seed"], tool)
                    answers.append(Answer(*about, **answer(process)))
                took = sum(one.seconds for one in answers[-len(workers) :])
                about_job = f"{job['network']} {job['name']} seed {job['seed']}"
                print(f"{about_job}: {took:.1f} s", file=sys.stderr)
            yield answers, versions


def write(folder: Path, answers: list[Answer], text: str) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    with (folder / "peers.csv").open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file)
        writer.writerow(Answer._fields)
        writer.writerows(answers)
    (folder / "peers.md").write_text(text + "\n", encoding="utf-8")


def main(arguments: list[str] | None = None) -> None:
    """Run all jobs, and print the page."""
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks machine peers", description=(__doc__ or "").partition("\n")[0]
    )
    parser.add_argument(
        "cache", type=Path, nargs="?", help="where the peers' environments are kept"
    )
    parser.add_argument("--targets", type=int, default=4, help="targets per network")
    parser.add_argument("--seeds", type=int, default=5)
    parser.add_argument("--output", type=Path, help="folder for peers.csv and peers.md")
    parser.add_argument("--quick", action="store_true", help="ours alone, one seed")
    options = parser.parse_args(arguments)
    if options.quick:
        options.cache, options.targets, options.seeds = None, 2, 1
    elif options.cache is None:
        parser.error("say where to keep the peers' environments, or --quick")
    size = f"CACHE_DIR --targets {options.targets} --seeds {options.seeds}"
    command = f"python -m benchmarks machine peers {'--quick' if options.quick else size}"
    text = ""
    for answers, versions in run(options):
        text = write_report(answers, versions, command)
        if options.output:
            write(options.output, answers, text)
    print(text)


if __name__ == "__main__":
    main()
