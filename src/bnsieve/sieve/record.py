"""What the machines of a sieve were told and found, kept with a fitted learner."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from bnsieve.sieve.machines import SieveSettings


@dataclass(frozen=True, eq=False)
class SieveRecord:
    """What a sieve was told and what it found.

    Attributes
    ----------
    names : tuple of str
        The variables, in the order in which they were numbered: their seeds depend on it.
    settings : SieveSettings
    seed : int
    importance : ndarray of float32, shape (n_variables, n_variables)
        ``importance[t, v]``: how important v is in the machine of t.
    hides : bool
        Whether a machine did not see the variables that may not be joined to its target.
    visible : tuple of ndarray of int, or None
        The variables that each machine saw, where it was not all of them.
    """

    names: tuple[str, ...]
    settings: SieveSettings
    seed: int
    importance: NDArray[np.float32]
    hides: bool = False
    visible: tuple[NDArray[np.intp], ...] | None = None
