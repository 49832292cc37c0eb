"""How much memory and time something takes, measured in a process of its own."""

import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest

measures_memory = pytest.mark.skipif(
    not Path("/proc/self/status").exists(), reason="memory is measured as Linux tells it"
)

# What Python, NumPy, pandas and bnsieve take before anything is read, with room to spare.
BASE_MEGABYTES = 400


@dataclass(frozen=True)
class Outcome:
    """How a process ended: its exit code (below zero: a signal), output and largest memory."""

    code: int
    output: str
    errors: str
    megabytes: float


def run_measured(code: str, *arguments: object, limit_megabytes: int = 6000) -> Outcome:
    """Run Python code in a process whose memory is limited, and say how it ended.

    ``arguments`` are in ``sys.argv[1:]``. The limit keeps a bomb from taking the machine down.
    """
    text = (
        "import resource, sys\n"
        f"resource.setrlimit(resource.RLIMIT_AS, ({limit_megabytes << 20},) * 2)\n"
        "try:\n"
        "    exec(compile(sys.argv.pop(1), 'given', 'exec'))\n"
        "finally:\n"
        # Not ru_maxrss, which begins with the memory of the process that started this one.
        "    status = open('/proc/self/status').read().split()\n"
        "    print('peak', status[status.index('VmHWM:') + 1], file=sys.stderr)\n"
    )
    environment = {**os.environ, "OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}
    done = subprocess.run(
        [sys.executable, "-c", text, code, *map(str, arguments)],
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    words = done.stderr.split()
    peak = float(words[words.index("peak") + 1]) / 1024 if "peak" in words else float("nan")
    return Outcome(done.returncode, done.stdout, done.stderr, peak)
