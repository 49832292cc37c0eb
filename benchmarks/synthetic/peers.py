"""Other programs that make synthetic rows or judge them, each in an environment of its own."""

import atexit
import json
import os
import subprocess
import tempfile
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import pandas as pd

from benchmarks.common.environments import python_of
from benchmarks.common.limited import ONE_THREAD, limited
from benchmarks.synthetic.sources import Sample

# The build of PyTorch for processors; with it installed, SDV brings no other.
SDV = ("torch==2.13.0", "sdv==2.0.0", "sdmetrics==0.32.0", "pyarrow==26.0.1")
# It fails with pandas 3 and NumPy 2.
DATA_SYNTHESIZER = (
    *("DataSynthesizer==0.1.13", "pandas==2.2.3", "numpy==1.26.4", "pyarrow==17.0.0"),
    "python-dateutil==2.9.0.post0",
)
PROGRAMS = ("SDV GaussianCopula", "SDV CTGAN", "DataSynthesizer")
# CTGAN takes minutes for each table.
DEFAULT = ("SDV GaussianCopula", "DataSynthesizer")
# Of processor time.
SECONDS = 900
_WORKER = Path(__file__).with_name("peer_worker.py")


@dataclass(frozen=True, eq=False)
class Made:
    """Rows that a program made."""

    rows: pd.DataFrame
    seconds: float
    version: str


def rows_of(program: str, sample: Sample, seed: int, environments: Path) -> Made:
    """Return rows that another program made of those to learn from.

    Raises
    ------
    RuntimeError, TimeoutError
        If it fails, or takes too long.
    """
    with tempfile.TemporaryDirectory() as folder:
        training, made = Path(folder, "training.parquet"), Path(folder, "made.parquet")
        sample.training.to_parquet(training)
        job = {"program": program, "seed": seed, "training": str(training), "made": str(made)}
        found = _answer(job, environments, Path(folder))
        return Made(pd.read_parquet(made), found["seconds"], found["version"])


def quality_of(
    sample: Sample, made: pd.DataFrame, columns: list[str], environments: Path
) -> tuple[float, str]:
    """Return SDMetrics' quality score beside the held-out rows, and its version."""
    with tempfile.TemporaryDirectory() as folder:
        frames = {"training": sample.training, "held_out": sample.held_out, "made": made}
        paths = {name: str(Path(folder, f"{name}.parquet")) for name in frames}
        for name, frame in frames.items():
            frame.to_parquet(paths[name])
        job = {"columns": columns, **paths}
        found = _judged(job, _judge(python_of("sdv", SDV, environments)))
        return found["quality"], found["version"]


@cache
def _judge(python: Path) -> "subprocess.Popen[str]":
    """Start SDMetrics once for all tables: loading it takes longer than judging."""
    command = [str(python), str(_WORKER), "judge"]
    process = subprocess.Popen(
        command,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        env={**os.environ, **ONE_THREAD},
    )
    atexit.register(process.kill)
    return process


def _judged(job: dict[str, Any], judge: "subprocess.Popen[str]") -> dict[str, Any]:
    assert judge.stdin is not None and judge.stdout is not None
    judge.stdin.write(json.dumps(job) + "\n")
    judge.stdin.flush()
    line = judge.stdout.readline()
    if not line:
        raise RuntimeError("SDMetrics ended, see above")
    found: dict[str, Any] = json.loads(line)
    return found


def _answer(job: dict[str, Any], environments: Path, folder: Path) -> dict[str, Any]:
    of_other = job["program"] == "DataSynthesizer"
    name, wanted = ("data-synthesizer", DATA_SYNTHESIZER) if of_other else ("sdv", SDV)
    python = python_of(name, wanted, environments)
    path = folder / "job.json"
    path.write_text(json.dumps(job), encoding="utf-8")
    printed = limited([str(python), str(_WORKER), str(path)], SECONDS)
    found: dict[str, Any] = json.loads(printed.strip().splitlines()[-1])
    return found


def why(error: Exception) -> str:
    """Return in a few words why a program made no rows."""
    if isinstance(error, TimeoutError):
        return f"more than {SECONDS} s"
    return f"{type(error).__name__}: {error}".splitlines()[0][:200]
