"""The one rule for `random_state`: how a seed is made of it."""

import numpy as np

RandomState = int | np.random.RandomState | np.random.Generator | None


def seed_of(random_state: RandomState) -> int:
    """Return a seed.

    Parameters
    ----------
    random_state : int, numpy.random.RandomState, numpy.random.Generator or None
        An int is the seed itself, and makes a result reproducible. From the next two a seed is
        drawn, another one at every call. None: the operating system gives one.

    Raises
    ------
    TypeError
        If it is none of these.
    ValueError
        If it is below zero.
    """
    if isinstance(random_state, int | np.integer):
        if random_state < 0:
            raise ValueError(f"random_state must not be below zero; got {random_state}")
        return int(random_state)
    if isinstance(random_state, np.random.RandomState):
        return int(random_state.randint(2**31))
    if isinstance(random_state, np.random.Generator):
        return int(random_state.integers(2**31))
    if random_state is None:
        return int(np.random.SeedSequence().generate_state(1, np.uint32)[0])
    raise TypeError(
        "random_state must be an int, a numpy RandomState or Generator, or None; got "
        f"{random_state!r}"
    )
