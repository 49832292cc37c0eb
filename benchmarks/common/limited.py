"""A command in, what it printed out: on one thread, within a limit of processor time.

Other programs run so beside ours, each in a process and an environment of its own.
"""

import os
import subprocess
import sys
from collections.abc import Sequence

ONE_THREAD = {f"{name}_NUM_THREADS": "1" for name in ("OMP", "OPENBLAS", "MKL", "NUMBA", "VECLIB")}


def limited(command: Sequence[str], seconds: int) -> str:
    """Run a command on one thread and return what it printed.

    Raises
    ------
    TimeoutError
        After that much processor time, or six times as much by the clock; with what it had printed.
    RuntimeError
        With the last line of what it complained of, if it failed.
    """

    def limit() -> None:
        import resource

        resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds))

    try:
        done = subprocess.run(
            command,
            capture_output=True,
            text=True,
            timeout=6 * seconds,
            env={**os.environ, **ONE_THREAD},
            preexec_fn=None if sys.platform == "win32" else limit,
        )
    except subprocess.TimeoutExpired as error:
        printed = error.stdout or b""  # of bytes, though text was asked for
        raise TimeoutError(printed.decode(errors="replace")) from error
    if done.returncode < 0:
        raise TimeoutError(done.stdout)
    if done.returncode:
        raise RuntimeError((done.stderr.strip().splitlines() or ["it said nothing"])[-1])
    return done.stdout
