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
from pandas.api.types import is_bool_dtype, is_datetime64_dtype, is_numeric_dtype

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
SYNTHPOP = "synthpop CART"
PROGRAMS = ("SDV GaussianCopula", "SDV CTGAN", "DataSynthesizer", SYNTHPOP)
# CTGAN takes minutes for each table; synthpop needs an R that has it.
DEFAULT = ("SDV GaussianCopula", "DataSynthesizer")
_WORKER = Path(__file__).with_name("peer_worker.py")
_R_WORKER = Path(__file__).with_name("synthpop.R")
# Of a factor with more levels, the trees of rpart try more splits than can be tried; with more than
# synthpop's own limit, it is drawn by itself.
_FEW_LEVELS, _MOST_LEVELS = 20, 60


@dataclass(frozen=True, eq=False)
class Made:
    """Rows that a program made."""

    rows: pd.DataFrame
    seconds: float
    version: str


def rows_of(program: str, sample: Sample, seed: int, environments: Path, limit: int) -> Made:
    """Return rows that another program made of those to learn from.

    `limit` is in seconds of processor time.

    Raises
    ------
    RuntimeError, TimeoutError
        If it fails, or takes too long.
    """
    if program == SYNTHPOP:
        return _of_synthpop(sample.training, seed, limit)
    with tempfile.TemporaryDirectory() as folder:
        training, made = Path(folder, "training.parquet"), Path(folder, "made.parquet")
        sample.training.to_parquet(training)
        job = {"program": program, "seed": seed, "training": str(training), "made": str(made)}
        found = _answer(job, environments, Path(folder), limit)
        return Made(pd.read_parquet(made), found["seconds"], found["version"])


def _of_synthpop(rows: pd.DataFrame, seed: int, limit: int) -> Made:
    """Hand rows to R, texts as codes."""
    coded, kinds, texts = {}, [], dict[str, "pd.Index[Any]"]()
    for place, name in enumerate(rows):
        cells, column = rows[name], f"v{place}"
        if is_datetime64_dtype(cells):
            coded[column] = (cells - pd.Timestamp(0)).dt.total_seconds()
        elif is_numeric_dtype(cells) and not is_bool_dtype(cells):
            coded[column] = cells
        else:
            codes, texts[column] = pd.factorize(cells.astype(object))
            coded[column] = pd.Series(codes, dtype=object).map(lambda code: f"c{code}")
            coded[column] = coded[column].where(codes >= 0)
        kinds.append(_kind(texts[column]) if column in texts else "number")
    with tempfile.TemporaryDirectory() as folder:
        given, listed, made = (Path(folder, name) for name in ("rows.csv", "kinds", "made.csv"))
        pd.DataFrame(coded).to_csv(given, index=False)
        listed.write_text("\n".join(kinds) + "\n", encoding="utf-8")
        command = ["Rscript", str(_R_WORKER), str(given), str(listed), str(seed), str(made)]
        seconds, version = limited(command, limit).split()[-2:]
        found = pd.read_csv(made)
    columns = {}
    for place, name in enumerate(rows):
        cells = found[f"v{place}"]
        if f"v{place}" in texts:
            of_row = cells.dropna().astype(str).str[1:].astype(int)
            known = pd.Series(texts[f"v{place}"][of_row.to_numpy()], of_row.index)
            cells = known.reindex(cells.index)
        elif is_datetime64_dtype(rows[name]):
            cells = pd.to_datetime(cells, unit="s")
        columns[name] = cells.astype(rows[name].dtype)
    return Made(pd.DataFrame(columns), float(seconds), version)


def _kind(levels: "pd.Index[Any]") -> str:
    if len(levels) > _MOST_LEVELS:
        return "many"
    return "several" if len(levels) > _FEW_LEVELS else "category"


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


def _answer(job: dict[str, Any], environments: Path, folder: Path, limit: int) -> dict[str, Any]:
    of_other = job["program"] == "DataSynthesizer"
    name, wanted = ("data-synthesizer", DATA_SYNTHESIZER) if of_other else ("sdv", SDV)
    python = python_of(name, wanted, environments)
    path = folder / "job.json"
    path.write_text(json.dumps(job), encoding="utf-8")
    printed = limited([str(python), str(_WORKER), str(path)], limit)
    found: dict[str, Any] = json.loads(printed.strip().splitlines()[-1])
    return found


def why(error: Exception, limit: int) -> str:
    """Return in a few words why a program made no rows."""
    if isinstance(error, TimeoutError):
        return f"more than {limit} s"
    return f"{type(error).__name__}: {error}".splitlines()[0][:200]
