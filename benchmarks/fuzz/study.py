"""Fuzzing: mutated files and tables in, results or refusals that name what is wrong out.

``python -m benchmarks fuzz --minutes 20`` gives every target so much processor time, one after the
other, each in processes of its own, and writes ``report.md``. A crash, ten seconds, two gigabytes
or an error that bnsieve did not raise itself is a finding; its input is kept, and the run goes on.
It ends with an error where there is one. With ``pip install atheris`` inputs are chosen by what
they reach; without, by chance. Linux only.
"""

import argparse
import importlib.util
import json
import subprocess
import sys
from dataclasses import dataclass, field
from pathlib import Path

from benchmarks.common.environments import for_children
from benchmarks.common.limited import ONE_THREAD
from benchmarks.common.options import parser_of
from benchmarks.common.pages import head, table, write

FILES = ("bif", "xmlbif", "json", "edges", "knowledge", "csv", "learner")
TARGETS = (*FILES, "prepare", "table")
QUICK_MINUTES = 1.5 / 60
MAX_CRASHES = 10


@dataclass
class Fuzzed:
    """What became of one target."""

    inputs: int = 0
    taken: int = 0
    seconds: float = 0
    longest: float = 0
    megabytes: float = 0
    findings: list[Path] = field(default_factory=list)

    def add(self, told: dict[str, float]) -> None:
        """Add what one process told."""
        self.inputs += int(told["inputs"])
        self.taken += int(told["taken"])
        self.seconds += told["seconds"]
        self.longest = max(self.longest, told["longest"])
        self.megabytes = max(self.megabytes, told["megabytes"])


def fuzz(target: str, folder: Path, seconds: float, engine: str, seed: int) -> Fuzzed:
    """Run a target, again after each crash, until its time is spent."""
    fuzzed = Fuzzed()
    findings = folder / "findings"
    findings.mkdir(parents=True, exist_ok=True)
    for number in range(MAX_CRASHES):
        told = folder / "told.json"
        told.unlink(missing_ok=True)
        command = [sys.executable, "-m", "benchmarks.fuzz.runner", target, str(folder)]
        command += ["--seconds", str(seconds - fuzzed.seconds), "--seed", str(seed + number)]
        command += ["--engine", engine]
        environment = {**for_children(), **ONE_THREAD}
        done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
        (folder / "last.log").write_text(done.stdout + done.stderr, encoding="utf-8")
        if told.exists():
            fuzzed.add(json.loads(told.read_text(encoding="utf-8")))
        if done.returncode == 0:
            break
        name = f"crash-{seed + number}"
        if (folder / "current").exists():
            (folder / "current").replace(findings / name)
        # Without the list of loaded modules, which is longer than all that is told before it.
        said = done.stderr.partition("\nExtension modules:")[0]
        said = f"ended with {done.returncode}\n{said[-4000:]}"
        (findings / f"{name}.txt").write_text(said, encoding="utf-8")
        if fuzzed.seconds >= seconds:
            break
    (folder / "current").unlink(missing_ok=True)
    fuzzed.findings = sorted(findings.glob("*.txt"))
    return fuzzed


def report(results: dict[str, Fuzzed], engine: str, given: list[str]) -> list[str]:
    how = "atheris, by what inputs reach" if engine == "atheris" else "mutations by chance"
    lines = [
        (
            name,
            f"{one.inputs:,}",
            f"{one.taken:,}",
            f"{one.seconds / 60:.1f}",
            f"{one.longest:.2f}",
            f"{one.megabytes:.0f}",
            str(len(one.findings)),
        )
        for name, one in results.items()
    ]
    titles = ("target", "inputs", "taken", "minutes", "longest, s", "most memory, MB", "findings")
    found = [path for one in results.values() for path in one.findings]
    told = [f"`{path}`: {path.read_text(encoding='utf-8').splitlines()[-1:]}" for path in found]
    return [
        *head("Fuzzing", "fuzz", given),
        f"Inputs: {how}.",
        "",
        *table(titles, lines),
        "",
        *told,
    ]


def main(arguments: list[str] | None = None) -> None:
    given = sys.argv[2:] if arguments is None else arguments
    parser = parser_of("fuzz", __doc__)
    parser.add_argument("--target", action="append", choices=TARGETS, help="only this; repeatable")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--engine", choices=["plain", "atheris"], help="default: what is there")
    options: argparse.Namespace = parser.parse_args(given)
    engine = options.engine or ("atheris" if importlib.util.find_spec("atheris") else "plain")
    minutes = QUICK_MINUTES if options.quick else options.minutes or 20
    results: dict[str, Fuzzed] = {}
    for target in options.target or TARGETS:
        folder = options.output / target
        results[target] = fuzz(target, folder, 60 * minutes, engine, options.seed)
        lines = report(results, engine, given)
        write(options.output / "report.md", lines)
        print(f"{target}: {results[target]}", flush=True)
    if any(one.findings for one in results.values()):
        sys.exit(f"error: there are findings: see {options.output / 'report.md'}")
