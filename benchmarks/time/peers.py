"""Other programs that learn from series, in an environment of their own."""

import atexit
import json
import signal
import subprocess
import tempfile
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.common.environments import PEERS, python_of
from benchmarks.time.series import Series
from benchmarks.time.truth import LaggedGraph

REQUIREMENTS = ("tigramite==5.2.10.1", "lingam==1.13.0", "statsmodels==0.15.0", PEERS["pyagrum"])
OF_NUMBERS = ("PCMCI+ ParCorr", "PCMCI+ RobustParCorr", "VARLiNGAM", "DYNOTEARS", "Granger")
OF_CATEGORIES = ("PCMCI+ GSquared", "KTBN")


@cache
def _worker(cache_folder: Path) -> "subprocess.Popen[str]":
    python = python_of("time", REQUIREMENTS, cache_folder)
    command = [str(python), str(Path(__file__).with_name("peer_worker.py"))]
    process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    atexit.register(process.kill)
    return process


def _answer(request: dict[str, Any], cache_folder: Path) -> dict[str, Any]:
    worker = _worker(cache_folder)
    assert worker.stdin is not None and worker.stdout is not None
    worker.stdin.write(json.dumps(request) + "\n")
    worker.stdin.flush()
    line = worker.stdout.readline()
    if not line:  # it died, and with it this request: the next one starts another
        _worker.cache_clear()
        is_late = worker.wait() == -signal.SIGXCPU
        failure = f"over {request['limit']} s" if is_late else "the process died"
        return {"failure": failure, "processor_seconds": float("nan")}
    answer: dict[str, Any] = json.loads(line)
    return answer


def learn_by_peer(
    method: str, series: Series, cache_folder: Path, limit: int
) -> tuple[LaggedGraph | None, float, str]:
    """Return what a program finds, its processor seconds, and why it failed if it did.

    Parameters
    ----------
    method : str
    series : Series
    cache_folder : Path
        Where environments are kept; the programs are installed there if they are missing.
    limit : int
        Processor seconds that it may take.
    """
    with tempfile.TemporaryDirectory() as scratch:
        path = Path(scratch) / "series.npz"
        lengths = [len(rows) for rows in series.entities]
        entity = np.repeat(np.arange(len(lengths)), lengths)
        np.savez(path, values=np.vstack(series.entities), entity=entity)
        request = {"method": method, "path": str(path), "lags": series.lags, "limit": limit}
        answer = _answer(request, cache_folder)
    if answer["failure"]:
        return None, answer["processor_seconds"], answer["failure"]
    graph = LaggedGraph.of(answer["lagged"], answer["directed"], answer["undirected"])
    return graph, answer["processor_seconds"], ""


def drawn_by_tigramite(kind: str, seed: int, n_rows: int, cache_folder: Path) -> Series:
    """Return a series of tigramite's own generator, drawn once and kept.

    Parameters
    ----------
    kind : {"linear", "mixed"}
    seed : int
    n_rows : int
    cache_folder : Path
    """
    path = cache_folder / "series" / f"tigramite-{kind}-{seed}-{n_rows}.npz"
    if not path.exists():
        answer = _answer({"draw": kind, "seed": seed, "rows": n_rows}, cache_folder)
        path.parent.mkdir(parents=True, exist_ok=True)
        np.savez(path, values=np.array(answer["values"]), edges=np.array(answer["edges"]))
    with np.load(path) as file:
        values, edges = file["values"], file["edges"].tolist()
    truth = LaggedGraph.of([e for e in edges if e[2]], [e[:2] for e in edges if not e[2]])
    return Series((values,), truth, 3)
