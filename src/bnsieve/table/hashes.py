"""Numbers that look random, for comparing rows by the sum of those of their cells."""

from zlib import crc32

import numpy as np
from numpy.typing import NDArray

Hashes = NDArray[np.uint64]


def mixed(values: Hashes) -> Hashes:
    """Return numbers that look random, a different one for every different number (splitmix64)."""
    with np.errstate(over="ignore"):
        found = (values ^ (values >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
        found = (found ^ (found >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
        return found ^ (found >> np.uint64(31))


def hash_name(name: str) -> Hashes:
    """Return a number for a name, as an array of one."""
    return mixed(np.array([crc32(name.encode("utf-8", "surrogatepass")) + 1], dtype=np.uint64))
