"""Signals, and a limit on memory, as the command line deals with them."""

import os
import signal
import sys

import pytest

from bnsieve.cli import process

needs_limits = pytest.mark.skipif(process.resource is None, reason="Windows has no such limits")


@pytest.fixture
def limited(monkeypatch):
    """Say that the memory of this process is limited, without limiting it."""
    monkeypatch.setattr(process.resource, "getrlimit", lambda kind: (300 << 20, 300 << 20))
    monkeypatch.delenv("OPENBLAS_NUM_THREADS", raising=False)
    monkeypatch.setattr(process, "_WITH_BLAS", ("colorsys",))
    monkeypatch.delitem(sys.modules, "colorsys", raising=False)


@needs_limits
def test_a_library_without_room_is_not_loaded(limited, monkeypatch):
    monkeypatch.setattr(process, "_BYTES", 1 << 60)
    with pytest.raises(MemoryError, match=r"300 MB \(ulimit -v\), .* to load colorsys: raise it"):
        process.load_under_limit()
    assert "colorsys" not in sys.modules


@needs_limits
def test_threads_take_room_too(limited, monkeypatch):
    monkeypatch.setattr(process, "_BYTES_PER_THREAD", 1 << 40)
    monkeypatch.setenv("OPENBLAS_NUM_THREADS", str(1 << 20))
    with pytest.raises(MemoryError):
        process.load_under_limit()


@needs_limits
def test_a_library_with_room_is_loaded(limited):
    process.load_under_limit()
    assert "colorsys" in sys.modules


@needs_limits
def test_without_a_limit_nothing_is_loaded_early(limited, monkeypatch):
    endless = process.resource.RLIM_INFINITY
    monkeypatch.setattr(process.resource, "getrlimit", lambda kind: (endless, endless))
    monkeypatch.setattr(process, "_BYTES", 1 << 60)
    process.load_under_limit()
    assert "colorsys" not in sys.modules


def test_while_libraries_load_a_signal_ends_the_process(monkeypatch, capfd):
    def leave(code):
        raise SystemExit(code)

    monkeypatch.setattr(os, "_exit", leave)
    monkeypatch.setattr(process.Phase, "now", "loading")
    with pytest.raises(SystemExit) as ending:
        process.on_signal(signal.SIGINT, None)
    assert ending.value.code == 130
    assert capfd.readouterr().err == "interrupted: nothing was written\n"


def test_a_signal_interrupts_a_command_until_it_is_done(monkeypatch):
    monkeypatch.setattr(process.Phase, "now", "running")
    with pytest.raises(KeyboardInterrupt):
        process.on_signal(signal.SIGTERM, None)
    assert process.Phase.interrupted_code == 143
    monkeypatch.setattr(process.Phase, "interrupted_code", 130)
    monkeypatch.setattr(process.Phase, "now", "done")
    before = signal.getsignal(signal.SIGTERM)
    try:
        process.on_signal(signal.SIGTERM, None)
        assert signal.getsignal(signal.SIGTERM) is signal.SIG_DFL, "a second one ends the process"
    finally:
        signal.signal(signal.SIGTERM, before)
