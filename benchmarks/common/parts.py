"""The parts of a study that run on their own: ``python -m benchmarks STUDY PART [options]``.

A part is a module beside ``study.py``, with a `main` of its own; it is imported when it is asked
for, so that one part's needs are not another's.
"""

import sys
from collections.abc import Sequence
from importlib import import_module


def run_part(study: str, arguments: list[str] | None, parts: Sequence[str]) -> bool:
    """Run the part that the first argument names, with all others as its own.

    Parameters
    ----------
    study : str
        Name of the study.
    arguments : list of str or None
        Those after the study's name; None for those of the command line.
    parts : sequence of str
        The names to look for.

    Returns
    -------
    bool
        Whether a part was named, and is done.
    """
    given = sys.argv[1:] if arguments is None else arguments
    if not given or given[0] not in parts:
        return False
    import_module(f"benchmarks.{study}.{given[0]}").main(given[1:])
    return True
