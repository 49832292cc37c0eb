"""Processor seconds of a process with all its descendants, as Linux counts them."""

import os
from collections import defaultdict
from pathlib import Path

_TICKS = os.sysconf("SC_CLK_TCK")


def processor_seconds(*roots: int) -> float:
    """Return what these processes, their living descendants and all that ended below took."""
    taken: dict[int, float] = {}
    children: dict[int, list[int]] = defaultdict(list)
    for folder in Path("/proc").iterdir():
        if not folder.name.isdigit():
            continue
        try:
            # The name of the program, in brackets, may hold anything.
            words = (folder / "stat").read_text().rpartition(")")[2].split()
        except OSError:  # it has just ended
            continue
        pid = int(folder.name)
        children[int(words[1])].append(pid)
        taken[pid] = sum(map(int, words[11:15])) / _TICKS
    total, left = 0.0, list(roots)
    while left:
        pid = left.pop()
        total += taken.pop(pid, 0.0)
        left += children[pid]
    return total
