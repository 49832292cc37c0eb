"""Other programs that find changes and odd rows, in environments of their own."""

import atexit
import json
import subprocess
from functools import cache
from pathlib import Path
from typing import Any

from benchmarks.common.environments import python_of

DETECTORS = ("IForest", "ECOD", "COPOD")
FROUROS, EVIDENTLY, DOWHY = "frouros", "evidently", "dowhy.gcm"
CHANGE_FINDERS = (FROUROS, EVIDENTLY, DOWHY)
_REQUIREMENTS = {
    "check": ("frouros==0.9.0", "pyod==3.6.7", "pandas==2.3.3"),
    "check-evidently": ("evidently==0.7.23", "pandas==2.3.3"),
    "check-dowhy": ("dowhy==0.14",),
}
# The environment of each program, and the place of its version there.
_PLACES = {
    FROUROS: ("check", 0),
    EVIDENTLY: ("check-evidently", 0),
    DOWHY: ("check-dowhy", 0),
    **dict.fromkeys(DETECTORS, ("check", 1)),
}


def version_of(program: str) -> str:
    """Return the name and the version of a program's package."""
    environment, place = _PLACES[program]
    return _REQUIREMENTS[environment][place].replace("==", " ")


@cache
def _worker(environment: str, cache_folder: Path) -> "subprocess.Popen[str]":
    python = python_of(environment, _REQUIREMENTS[environment], cache_folder)
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
    worker = _worker(_PLACES[program][0], cache_folder)
    assert worker.stdin is not None and worker.stdout is not None
    worker.stdin.write(json.dumps({"program": program, **request}) + "\n")
    worker.stdin.flush()
    line = worker.stdout.readline()
    if not line:
        raise RuntimeError(f"{program} ended, see above")
    answer: list[Any] = json.loads(line)
    return answer
