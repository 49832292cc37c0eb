"""Tests run in a process of their own, forked from one that has imported other packages already.

Importing them takes longer than most tests. This module imports nothing of bnsieve, which every
trial imports anew: from a copy whose code may be changed.
"""

import contextlib
import json
import math
import multiprocessing
import os
import signal
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

ALREADY = ("hypothesis", "networkx", "pandas", "pyarrow", "pytest", "scipy.stats", "sklearn")
# No clocks: the tests that look at them take long and say nothing of results.
CHOICE = ("-m", "not slow", "-k", "not time_grows")
OPTIONS = ("-x", "-q", "-p", "no:cacheprovider", "--assert=plain", *CHOICE)
ANOTHER_COPY = 90


def try_tests(
    copy: Path, tests: Sequence[str], seconds: float | None = None, notes: Path | None = None
) -> str:
    """Run tests against a copy of bnsieve; return passed, failed or timeout.

    Parameters
    ----------
    copy : Path
        The folder that has the copy.
    tests : sequence of str
        Files or names of tests.
    seconds : float, optional
        Of processor time, after which they are ended; six times as many by the clock.
    notes : Path, optional
        A folder for ``.coverage``, which tests run which lines, and ``seconds.json``, how long each
        takes.

    Raises
    ------
    RuntimeError
        If the tests see another bnsieve than the copy.
    """
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload(list(ALREADY))
    process = context.Process(target=_run, args=(copy, tuple(tests), seconds, notes))
    process.start()
    process.join(None if seconds is None else 6 * seconds)
    code = process.exitcode
    process.kill()
    process.join()
    if process.pid is not None:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)  # what it started
    if code == ANOTHER_COPY:
        raise RuntimeError(
            "the tests import another bnsieve than the changed copy: install it by `pip install .`"
        )
    if code in (None, -signal.SIGXCPU):
        return "timeout"
    return "failed" if code else "passed"


def _run(copy: Path, tests: Sequence[str], seconds: float | None, notes: Path | None) -> None:
    os.setsid()
    if seconds is not None:
        import resource

        resource.setrlimit(resource.RLIMIT_CPU, (math.ceil(seconds), resource.RLIM_INFINITY))
    silence = os.open(os.devnull, os.O_WRONLY)
    os.dup2(silence, 1)
    os.dup2(silence, 2)
    os.environ["PYTHONPATH"] = str(copy)  # for what tests start
    os.environ["CI"] = "1"  # the same examples of hypothesis in every trial
    sys.path.insert(0, str(copy))
    sys.dont_write_bytecode = True  # two changes within one second would be taken for one
    import pytest

    seen = _Seconds()
    if notes is None:
        code = pytest.main([*OPTIONS, *tests], plugins=[seen])
    else:
        os.environ["COVERAGE_FILE"] = str(notes / ".coverage")
        noting = [f"--cov={copy / 'bnsieve'}", "--cov-context=test", "--cov-report="]
        code = pytest.main([*OPTIONS, *noting, "--cov-fail-under=0", *tests], plugins=[seen])
        (notes / "seconds.json").write_text(json.dumps(seen.seconds), encoding="utf-8")
    bnsieve = sys.modules.get("bnsieve")
    if code == 0 and not Path(str(getattr(bnsieve, "__file__", ""))).is_relative_to(copy):
        code = ANOTHER_COPY
    os._exit(code)


class _Seconds:
    """Notes how long each test takes."""

    def __init__(self) -> None:
        self.seconds: dict[str, float] = {}

    def pytest_runtest_logreport(self, report: Any) -> None:
        before = self.seconds.get(report.nodeid, 0.0)
        self.seconds[report.nodeid] = before + report.duration
