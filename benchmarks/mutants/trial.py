"""Tests run in a process of their own, forked from one that has imported other packages already.

Importing them takes longer than most tests. This module imports nothing of bnsieve, which every
trial imports anew: from a copy whose code may be changed.
"""

import contextlib
import multiprocessing
import os
import signal
import sys
from collections.abc import Sequence
from pathlib import Path
from time import monotonic

ALREADY = ("hypothesis", "networkx", "pandas", "pyarrow", "pytest", "scipy.stats", "sklearn")
OPTIONS = ("-x", "-q", "-p", "no:cacheprovider", "--assert=plain", "-m", "not slow")
# What takes long and looks at clocks, not at results.
LEFT_OUT = ("-k", "not time_grows")
ANOTHER_COPY = 90


def try_tests(copy: Path, tests: Sequence[str], seconds: float | None = None) -> tuple[str, float]:
    """Run tests against a copy of bnsieve; return passed, failed or timeout, and the seconds.

    Raises
    ------
    RuntimeError
        If the tests see another bnsieve than the copy.
    """
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload(list(ALREADY))
    process = context.Process(target=_run, args=(copy, tuple(tests)))
    start = monotonic()
    process.start()
    process.join(seconds)
    spent = monotonic() - start
    code = process.exitcode
    process.kill()
    process.join()
    if process.pid is not None:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)  # what it started
    if code is None:
        return "timeout", spent
    if code == ANOTHER_COPY:
        raise RuntimeError(
            "the tests import another bnsieve than the changed copy: install it by `pip install .`"
        )
    return "failed" if code else "passed", spent


def _run(copy: Path, tests: Sequence[str]) -> None:
    os.setsid()
    silence = os.open(os.devnull, os.O_WRONLY)
    os.dup2(silence, 1)
    os.dup2(silence, 2)
    os.environ["PYTHONPATH"] = str(copy)  # for what tests start
    os.environ["CI"] = "1"  # the same examples of hypothesis in every trial
    sys.path.insert(0, str(copy))
    sys.dont_write_bytecode = True  # two changes within one second would be taken for one
    import pytest

    # Where the mutant cannot even be imported, the tests will say so.
    with contextlib.suppress(Exception):
        import bnsieve

        if not Path(bnsieve.__file__).is_relative_to(copy):
            os._exit(ANOTHER_COPY)
    os._exit(pytest.main([*OPTIONS, *LEFT_OUT, *tests]))
