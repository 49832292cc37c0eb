"""Other programs that find changes and odd rows, in an environment of their own."""

import atexit
import json
import subprocess
from functools import cache
from pathlib import Path
from typing import Any

from benchmarks.common.environments import python_of

REQUIREMENTS = ("frouros==0.9.0", "pyod==3.6.7")
DETECTORS = ("IForest", "ECOD", "COPOD")


@cache
def _worker(cache_folder: Path) -> "subprocess.Popen[str]":
    python = python_of("check", REQUIREMENTS, cache_folder)
    command = [str(python), str(Path(__file__).with_name("peer_worker.py"))]
    process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    atexit.register(process.kill)
    return process


def answer_of(program: str, cache_folder: Path, **request: Any) -> list[Any]:
    """Return what a program says of files.

    Raises
    ------
    RuntimeError
        If it dies.
    """
    worker = _worker(cache_folder)
    assert worker.stdin is not None and worker.stdout is not None
    worker.stdin.write(json.dumps({"program": program, **request}) + "\n")
    worker.stdin.flush()
    line = worker.stdout.readline()
    if not line:
        raise RuntimeError(f"{program} ended, see above")
    answer: list[Any] = json.loads(line)
    return answer
