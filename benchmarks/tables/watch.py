"""A command in, what it printed and what it took out: processor time, and most memory."""

import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import IO

# Seconds between two looks at a process. Linux keeps a peak, so that only one of the last moment is
# missed.
_PAUSE = 0.02


@dataclass(frozen=True)
class Watched:
    """A command that has ended.

    Attributes
    ----------
    code : int
        What it returned; negative if it was stopped by a signal.
    out, err : str
        What it printed.
    cpu_seconds, seconds : float
        Of all its threads, and by the clock.
    peak_mb : float
        Most memory at any time, in units of 2^20 bytes.
    stopped : str
        Which limit it was stopped at: "time", "memory" or "".
    """

    code: int
    out: str
    err: str
    cpu_seconds: float
    seconds: float
    peak_mb: float
    stopped: str


def watch(command: Sequence[str], folder: Path, max_cpu_seconds: float, max_mb: float) -> Watched:
    """Run a command in a folder, and stop it at a limit of processor time or of memory."""
    with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
        start = time.perf_counter()
        child = subprocess.Popen(command, cwd=folder, stdout=out, stderr=err)
        peak, stopped = 0.0, ""
        while True:
            ended, status, usage = os.wait4(child.pid, os.WNOHANG)
            if ended:
                break
            peak = max(peak, peak_mb_of(child.pid))
            if not stopped and cpu_seconds_of(child.pid) > max_cpu_seconds:
                stopped = "time"
            elif not stopped and peak > max_mb:
                stopped = "memory"
            if stopped:
                child.kill()
            time.sleep(_PAUSE)
        seconds = time.perf_counter() - start
        child.returncode = os.waitstatus_to_exitcode(status)
        printed, complained = _text(out), _text(err)
    cpu = usage.ru_utime + usage.ru_stime
    return Watched(child.returncode, printed, complained, cpu, seconds, peak, stopped)


def _text(file: IO[bytes]) -> str:
    file.seek(0)
    return file.read().decode(errors="replace")


def peak_mb_of(process: int) -> float:
    """Return the most memory that a running process ever had; 0 where nobody says."""
    try:
        lines = Path(f"/proc/{process}/status").read_text(encoding="utf-8").splitlines()
    except OSError:
        return 0.0
    own = [line for line in lines if line.startswith("VmHWM")]
    return int(own[0].split()[1]) / 2**10 if own else 0.0


def cpu_seconds_of(process: int) -> float:
    """Return the processor time of a running process so far; 0 where nobody says."""
    if sys.platform == "win32":
        return 0.0
    try:
        text = Path(f"/proc/{process}/stat").read_text(encoding="utf-8")
    except OSError:
        return 0.0
    # The name of the program, in brackets, may have blanks; the two times are the 14th and 15th.
    fields = text.rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")
