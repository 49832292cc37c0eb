"""One target in one process: ``python -m benchmarks.fuzz.runner TARGET FOLDER``.

Inputs come from atheris, which follows what they reach, where it is installed; else from a loop of
mutations. Every input lies in ``FOLDER/current`` while it is tried, for the case that it ends the
process: by a crash, by ten seconds of processor time, or by two gigabytes of memory. What else is
wrong goes to ``FOLDER/findings``, each kind once, and the run goes on.
"""

import argparse
import contextlib
import faulthandler
import hashlib
import importlib
import json
import os
import random
import resource
import signal
import sys
import time
import traceback
import warnings
from pathlib import Path
from typing import Any

MAX_SECONDS = 10
MAX_BY_CLOCK = 300
MAX_MEGABYTES = 2_048
MAX_LENGTH = 1 << 14


class Trial:
    """Tries inputs, and keeps count.

    Parameters
    ----------
    name : str
        The target.
    folder : Path
        Where findings go.
    seconds : float
        Processor time after which the process ends.
    """

    def __init__(self, name: str, folder: Path, seconds: float) -> None:
        from benchmarks.fuzz import targets

        self.said = targets.bnsieve_said
        self.target = targets.TARGETS[name]
        self.folder = folder
        self.seconds = seconds
        self.start = time.process_time()
        self.n = self.n_taken = 0
        self.longest = 0.0
        self.kinds: set[str] = set()
        self.told = 0.0

    def __call__(self, content: bytes) -> None:
        """Try an input."""
        (self.folder / "current").write_bytes(content)
        signal.setitimer(signal.ITIMER_PROF, MAX_SECONDS)
        signal.setitimer(signal.ITIMER_REAL, MAX_BY_CLOCK)
        start = time.process_time()
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                self.target.run(content)
            self.n_taken += 1
        except Exception as error:
            if not self.said(error, self.target.named):
                self.keep(content, error)
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.setitimer(signal.ITIMER_REAL, 0)
        now = time.process_time()
        self.longest = max(self.longest, now - start)
        self.n += 1
        if megabytes() > MAX_MEGABYTES:
            sys.exit(f"this input takes {megabytes():,.0f} MB")
        if now - self.told > 1:
            self.told = now
            self.tell()

    @property
    def is_over(self) -> bool:
        """Whether the time is spent."""
        return time.process_time() - self.start > self.seconds

    def keep(self, content: bytes, error: BaseException) -> None:
        """Keep the first input of every kind of finding: by error and place."""
        frames = traceback.extract_tb(error.__traceback__)
        own = [one for one in frames if "bnsieve" in one.filename] or frames
        kind = f"{type(error).__name__} {own[-1].filename}:{own[-1].lineno} {frames[-1].name}"
        name = hashlib.sha256(kind.encode()).hexdigest()[:12]
        if name in self.kinds:
            return
        self.kinds.add(name)
        findings = self.folder / "findings"
        findings.mkdir(exist_ok=True)
        (findings / name).write_bytes(content)
        text = "".join(traceback.format_exception(error))
        (findings / f"{name}.txt").write_text(text, encoding="utf-8", errors="backslashreplace")

    def tell(self) -> None:
        """Write down how far the run is: a crash leaves no time for it."""
        told = {
            "inputs": self.n,
            "taken": self.n_taken,
            "seconds": time.process_time() - self.start,
            "longest": self.longest,
            "megabytes": megabytes(),
        }
        partial = self.folder / "told.part"
        partial.write_text(json.dumps(told), encoding="utf-8")
        partial.replace(self.folder / "told.json")


def megabytes() -> float:
    """Return the most memory that this process has held."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def plain(trial: Trial, seed: int) -> None:
    """Try mutations of the whole inputs, and of inputs that were taken."""
    chance = random.Random(seed)
    whole = trial.target.seeds()
    corpus = list(whole)
    while not trial.is_over:
        content = trial.target.mutate(chance.choice(corpus), chance)[:MAX_LENGTH]
        before = trial.n_taken
        trial(content)
        if trial.n_taken > before and len(corpus) < 50 * len(whole):
            corpus.append(content)


def guided(trial: Trial, seed: int, atheris: Any) -> None:
    """Let atheris choose: it follows which inputs reach code that others did not."""
    corpus = trial.folder / "corpus"
    corpus.mkdir(exist_ok=True)
    for content in trial.target.seeds():
        (corpus / hashlib.sha256(content).hexdigest()[:16]).write_bytes(content)

    def one(content: bytes) -> None:
        trial(content)
        if trial.is_over:
            trial.tell()
            os._exit(0)

    def mutate(content: bytes, max_size: int, seed: int) -> bytes:
        chance = random.Random(seed)
        if chance.random() < 0.5:
            return bytes(atheris.Mutate(content, max_size))
        return trial.target.mutate(content, chance)[:max_size]

    # Signals are faulthandler's, and time and memory are the trial's.
    left = [f"-handle_{name}=0" for name in ("segv", "bus", "abrt", "ill", "fpe", "int", "term")]
    options = ["-timeout=0", "-rss_limit_mb=0", f"-max_len={MAX_LENGTH}", f"-seed={seed + 1}"]
    atheris.Setup([sys.argv[0], *left, *options, str(corpus)], one, custom_mutator=mutate)
    atheris.Fuzz()


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.fuzz.runner", description=__doc__)
    parser.add_argument("target")
    parser.add_argument("folder", type=Path)
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--engine", choices=["plain", "atheris"], default="plain")
    parser.add_argument("--again", type=Path, help="try one input, and say what comes of it")
    options = parser.parse_args()
    options.folder.mkdir(parents=True, exist_ok=True)
    faulthandler.enable()
    faulthandler.register(signal.SIGPROF, chain=True)
    faulthandler.register(signal.SIGALRM, chain=True)
    instrumented: Any = contextlib.nullcontext()
    atheris: Any = None
    if options.engine == "atheris":
        atheris = importlib.import_module("atheris")
        instrumented = atheris.instrument_imports(include=["bnsieve"])
    with instrumented:
        trial = Trial(options.target, options.folder, options.seconds)
        if options.again is not None:
            trial.target.run(options.again.read_bytes())
            return
        # Some modules are imported only once they are needed.
        for content in trial.target.seeds():
            trial(content)
    trial.start = time.process_time()
    if options.engine == "atheris":
        guided(trial, options.seed, atheris)
    else:
        plain(trial, options.seed)
    trial.tell()


if __name__ == "__main__":
    main()
