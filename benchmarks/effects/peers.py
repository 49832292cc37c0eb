"""DoWhy and EconML in an environment of their own, asked about the rows of one contrast."""

import atexit
import json
import subprocess
import tempfile
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from benchmarks.common.environments import python_of

REQUIREMENTS = ("econml==0.17.0", "dowhy==0.14")


class PeerEstimate(NamedTuple):
    """What one estimator said; no value if it failed, and then why."""

    estimator: str
    value: float | None
    error: float | None
    seconds: float
    failure: str


@cache
def _worker(folder: Path) -> "subprocess.Popen[str]":
    python = python_of("effects", REQUIREMENTS, folder)
    command = [str(python), str(Path(__file__).with_name("peer_worker.py"))]
    process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    atexit.register(process.kill)
    return process


def estimates(rows: Mapping[str, NDArray[np.float64]], folder: Path) -> list[PeerEstimate]:
    """Return the estimates of both programs.

    Parameters
    ----------
    rows : mapping from str to ndarray
        ``treatment`` (1 and 0 are compared, 2 is any other setting; or numbers), ``outcome`` and
        ``features``.
    folder : Path
        Where environments are kept; the programs are installed there if they are missing.
    """
    worker = _worker(folder)
    assert worker.stdin is not None and worker.stdout is not None
    with tempfile.TemporaryDirectory() as scratch:
        path = Path(scratch) / "rows.npz"
        np.savez(
            path,
            treatment=rows["treatment"],
            outcome=rows["outcome"],
            features=rows["features"],
        )
        worker.stdin.write(f"{path}\n")
        worker.stdin.flush()
        answer = json.loads(worker.stdout.readline())
    return [PeerEstimate(name, *values) for name, values in answer.items()]
