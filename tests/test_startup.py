"""What is settled before libraries are loaded."""

import sys

import pytest

from bnsieve import _startup

pytestmark = pytest.mark.skipif(_startup.resource is None, reason="Windows has no such limits")


def load():
    import colorsys  # noqa: F401


@pytest.fixture
def limited(monkeypatch):
    """Say that the memory of this process is limited, without limiting it."""
    monkeypatch.setattr(_startup.resource, "getrlimit", lambda kind: (300 << 20, 300 << 20))
    monkeypatch.delenv("OPENBLAS_NUM_THREADS", raising=False)
    monkeypatch.setattr(_startup, "_WITH_BLAS", {"colorsys": load})
    monkeypatch.delitem(sys.modules, "colorsys", raising=False)


def test_what_finds_no_room_is_not_loaded(limited, monkeypatch):
    monkeypatch.setattr(_startup, "_ROOM", 1 << 60)
    with pytest.raises(MemoryError, match=r"300 MB \(ulimit -v\), .* to load colorsys: raise it"):
        _startup.load_under_limit()
    assert "colorsys" not in sys.modules


def test_threads_take_room_too(limited, monkeypatch):
    monkeypatch.setattr(_startup, "_ROOM_OF_THREAD", 1 << 40)
    monkeypatch.setenv("OPENBLAS_NUM_THREADS", str(1 << 20))
    with pytest.raises(MemoryError):
        _startup.load_under_limit()


def test_what_finds_room_is_loaded(limited):
    _startup.load_under_limit()
    assert "colorsys" in sys.modules


def test_without_a_limit_nothing_is_loaded_early(limited, monkeypatch):
    endless = _startup.resource.RLIM_INFINITY
    monkeypatch.setattr(_startup.resource, "getrlimit", lambda kind: (endless, endless))
    monkeypatch.setattr(_startup, "_ROOM", 1 << 60)
    _startup.load_under_limit()
    assert "colorsys" not in sys.modules
