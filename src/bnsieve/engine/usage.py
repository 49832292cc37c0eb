"""How much this process has used so far: memory and processor time."""

import sys
from pathlib import Path
from time import process_time
from typing import NamedTuple

_STATUS = Path("/proc/self/status")


class Usage(NamedTuple):
    """What a process has used.

    Attributes
    ----------
    seconds : float
        Of processor time.
    now, peak : int
        Bytes of memory; zero where the system does not tell.
    """

    seconds: float
    now: int
    peak: int


def used_so_far() -> Usage:
    """Return what this process has used so far."""
    if sys.platform != "linux":
        return Usage(process_time(), 0, 0)
    fields = dict(
        line.split(":", 1)
        for line in _STATUS.read_text(encoding="utf-8").splitlines()
        if ":" in line
    )
    now, peak = (int(fields[name].split()[0]) << 10 for name in ("VmRSS", "VmHWM"))
    return Usage(process_time(), now, peak)
