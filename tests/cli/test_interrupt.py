"""A real process that is interrupted: one line, no traceback, nothing left."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(sys.platform != "linux", reason="processor time is read from /proc"),
]


@pytest.fixture(scope="module")
def large(tmp_path_factory):
    rng = np.random.default_rng(0)
    codes = rng.integers(0, 4, (200_000, 24))
    codes[:, 1:] = np.where(rng.random((200_000, 23)) < 0.3, codes[:, :-1], codes[:, 1:])
    path = tmp_path_factory.mktemp("rows") / "large.csv"
    pd.DataFrame(codes).add_prefix("v").to_csv(path, index=False)
    return path


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
@pytest.mark.parametrize("processor_seconds", [0.3, 2.0, 4.0])
def test_one_line_and_nothing_left(large, tmp_path, processor_seconds, number):
    if number == signal.SIGTERM and processor_seconds < 1:
        pytest.skip("Python itself may still load, and ends without a word")
    scratch, out = tmp_path / "scratch", tmp_path / "out"
    scratch.mkdir()
    command = [sys.executable, "-m", "bnsieve", "learn", str(large), "-o", str(out)]
    process = subprocess.Popen(
        command,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ, "TMPDIR": str(scratch)},
    )
    while _seconds(process.pid) < processor_seconds and process.poll() is None:
        time.sleep(0.02)
    process.send_signal(number)
    printed, complained = process.communicate(timeout=120)
    assert (printed, complained) == ("", "interrupted: nothing was written\n")
    assert process.returncode == 128 + number
    assert list(tmp_path.iterdir()) == [scratch]
    assert not list(scratch.iterdir())


def _seconds(process):
    """Return the processor time that a process has used."""
    fields = Path(f"/proc/{process}/stat").read_text(encoding="utf-8").rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")
